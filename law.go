package r2sgld

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// A Base is a law exp(−U₀), normalised on all of R^d, or between walls that none of its draws
// lies beyond, that temperatures do not touch: a prior, where U is −log likelihood. It takes
// the place of the uniform law at infinite temperature, where replicas are drawn from it
// afresh, and of the volume in the evidence. The domain, if there is one, cuts it.
type Base struct {
	Potential potential.Potential // U₀
	// LogMass is the logarithm of the integral that the priors had before they were
	// normalised: 0 unless they were cut to a box, or flat in one. The evidence is relative to it.
	LogMass float64
	// Draw writes an independent draw of the law on R^d; it is called by several
	// goroutines at once.
	Draw func(x []float64, rng *rand.Rand)
}

// A Guide is a law exp(−G), normalised on all of R^d and fitted to the density, at which
// ladders begin in place of the law of Base or the uniform law: a rung at temperature τ has
// the law exp(−(U + U₀)/τ − (1 − 1/τ)G), the coldest, of temperature 1, that of the problem. The
// domain, if there is one, cuts it. Neither draws nor evidence depend on it but by chance.
// Potentials that draw at random have one if they are known without noise too, and swaps see the
// energies of the steps.
type Guide struct {
	Potential potential.Potential               // G
	Draw      func(x []float64, rng *rand.Rand) // writes an independent draw of the law on R^d; called by several goroutines at once
}

// Widths is implemented by the potential of a [Guide] that knows where the density is wider than elsewhere:
// trajectories have steps of a length that suits the place, and keep the law.
type Widths interface {
	// Widths are told in the coordinates z of w, nil those of the problem.
	Widths(w *Whitening) kernel.Widths
}

// Widths are those of g in the coordinates of w: alike everywhere where it knows none, or is nil.
func (g *Guide) Widths(w *Whitening) kernel.Widths {
	if g != nil {
		if wide, ok := g.Potential.(Widths); ok {
			return wide.Widths(w)
		}
	}
	return kernel.Alike{}
}

// A Chart says what the coordinates y of a problem stand for: draws are kept, and
// messages written, in x. Potential, Domain and Base, starts, states and whitenings
// stay in y, and so do the densities.
type Chart struct {
	Names []string             // of the coordinates of x, as many as those of y or more; nil is those of the problem
	Point func(x, y []float64) // writes x of y; called by several goroutines at once
	// Coordinates writes y of x, what Point writes of y; nil where that is not known: package tune then says
	// nothing of modes, and knows no others by Symmetry. Called by several goroutines at once.
	Coordinates func(y, x []float64)
	Domain      domain.Domain // of x, to count draws outside and for bounds; nil is all of R^d
	// Symmetry is that of the density, in x; nil is none that is known. Draws are kept as its
	// Shuffle leaves them, those of the coldest rung alone where there is a Guide, and none with a
	// certificate (permutation sampling, Frühwirth-Schnatter 2001).
	Symmetry Symmetry
}

// A Symmetry knows points of the same density, such as those that differ by which component of
// a mixture bears which number. The law of a Base does not tell them apart either. Its methods
// are called by several goroutines at once.
type Symmetry interface {
	// Images returns all other points of the density of x, by the same maps for every x; nil where they
	// are too many to look at.
	Images(x []float64) [][]float64
	// Shuffle takes x to one of the points of its density, each with the same probability.
	Shuffle(x []float64, rng *rand.Rand)
	// Agree returns one of these points for each draw, the same whichever of them the draw is, as
	// far as all draws together tell.
	Agree(draws [][]float64) [][]float64
}

// Reported is the domain of the draws as they are kept.
func (p Problem) Reported() domain.Domain {
	if p.Chart != nil {
		return p.Chart.Domain
	}
	return p.Domain
}

// ReportedNames are those of the coordinates of the draws as they are kept.
func (p Problem) ReportedNames() []string {
	if p.Chart != nil && p.Chart.Names != nil {
		return p.Chart.Names
	}
	return p.Names
}

// HasReference reports whether there is a law at infinite temperature: that of the guide,
// the base law, or the uniform law of a bounded domain.
func (p Problem) HasReference() bool {
	return p.normal() != nil || p.Domain != nil && domain.Bounded(p.Domain)
}

// normal draws from the law at infinite temperature as it is without a domain; nil where
// that is the uniform law.
func (p Problem) normal() func(x []float64, rng *rand.Rand) {
	switch {
	case p.Guide != nil:
		return p.Guide.Draw
	case p.Base != nil:
		return p.Base.Draw
	}
	return nil
}

// Reference returns the law at infinite temperature.
func (p Problem) Reference(ctx context.Context) (*domain.Law, error) {
	whole := p.normal()
	if whole == nil && p.Domain == nil {
		return nil, errors.New("all of space has no uniform law: add bounds on every coordinate, or give a starting point")
	}
	if whole == nil {
		return domain.Uniform(ctx, p.Domain)
	}
	law := &domain.Law{Draw: p.drawCut, Tries: 1, Propose: whole, Most: massDraws}
	if p.Domain == nil {
		return law, nil
	}
	hits, n, err := p.within(ctx, whole, rand.New(rand.NewPCG(1, 1)), enoughHits)
	if err != nil {
		return nil, err
	}
	if law.Tries = float64(n) / float64(hits); hits == enoughHits {
		return law, nil
	}
	return nil, fmt.Errorf("%d of %d draws from the law at infinite temperature lie in the domain: the constraints contradict the priors",
		hits, massDraws)
}

// A Drawer makes draws from the law at infinite temperature, the same as [Problem.Reference] by the
// same numbers. Where walls are asked for elsewhere, tries are asked for together. One goroutine at a
// time.
type Drawer struct {
	*domain.Law
	crowd *domain.Crowd // nil is none
}

// Drawer returns one.
func (p Problem) Drawer(ctx context.Context) (*Drawer, error) {
	return p.drawer(ctx, domain.NewCrowd(p.Domain))
}

// drawer asks through a crowd, if there is one.
func (p Problem) drawer(ctx context.Context, c *domain.Crowd) (*Drawer, error) {
	if c != nil {
		p.Domain = c.Domain()
	}
	law, err := p.Reference(ctx)
	if err != nil {
		return nil, err
	}
	return &Drawer{law, c}, nil
}

// Draw writes a draw into x.
func (d *Drawer) Draw(ctx context.Context, x []float64, rng *stream.Rand) error {
	return d.crowd.Draw(ctx, d.Law, x, rng)
}

// Mass is the logarithm of the volume of the domain, or of the probability that the
// law of the guide or of the base gives it, and its standard error.
func (p Problem) Mass(ctx context.Context, rng *rand.Rand) (log, se float64, err error) {
	whole := p.normal()
	if whole == nil {
		return domain.Volume(ctx, p.Domain, rng)
	}
	if p.Domain == nil {
		return 0, 0, nil
	}
	hits, _, err := p.within(ctx, whole, rng, massDraws+1)
	if err != nil {
		return 0, 0, err
	}
	if hits == 0 {
		return 0, 0, fmt.Errorf("none of %d draws from the law at infinite temperature lies in the domain", massDraws)
	}
	share := float64(hits) / massDraws
	return math.Log(share), math.Sqrt((1 - share) / float64(hits)), nil
}

// within counts the draws that lie in the domain, up to so many of them, and all.
func (p Problem) within(ctx context.Context, whole func(x []float64, rng *rand.Rand), rng *rand.Rand, most int) (hits, n int, err error) {
	return domain.Count(ctx, p.Domain, massDraws, most, func(x []float64) error { whole(x, rng); return nil })
}

const (
	massDraws  = 100_000
	enoughHits = 30 // draws in the domain that tell how many lie there
)

// drawCut writes a draw of the law at infinite temperature, which is not the uniform law, on
// the domain.
func (p Problem) drawCut(ctx context.Context, x []float64, rng *rand.Rand) error {
	whole := p.normal()
	for range massDraws {
		if err := ctx.Err(); err != nil {
			return err
		}
		if whole(x, rng); p.Domain == nil || p.Domain.Contains(x) {
			return nil
		}
	}
	return fmt.Errorf("none of %d draws from the law at infinite temperature lies in the domain", massDraws)
}
