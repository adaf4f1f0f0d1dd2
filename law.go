package r2sgld

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/potential"
)

// A Base is a law exp(−U₀), normalised on all of R^d, that temperatures do not
// touch: a prior, where U is −log likelihood. It takes the place of the uniform law
// at infinite temperature, where replicas are drawn from it afresh, and of the
// volume in the evidence. The domain, if there is one, cuts it.
type Base struct {
	Potential potential.Potential // U₀
	// LogMass is the logarithm of the integral that the priors had before they were
	// normalised: 0 unless they were cut to a box. The evidence is relative to it.
	LogMass float64
	// Draw writes an independent draw of the law on R^d; it is called by several
	// goroutines at once.
	Draw func(x []float64, rng *rand.Rand)
}

// A Chart says what the coordinates y of a problem stand for: draws are kept, and
// messages written, in x. Potential, Domain and Base, starts, states and whitenings
// stay in y, and so do the densities.
type Chart struct {
	Names  []string             // of the coordinates of x, as many as those of y or more; nil is those of the problem
	Point  func(x, y []float64) // writes x of y; called by several goroutines at once
	Domain domain.Domain        // of x, to count draws outside and for bounds; nil is all of R^d
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

// HasReference reports whether there is a law at infinite temperature: the base law,
// or the uniform law of a bounded domain.
func (p Problem) HasReference() bool {
	return p.Base != nil || p.Domain != nil && domain.Bounded(p.Domain)
}

// Reference returns the law at infinite temperature.
func (p Problem) Reference(ctx context.Context) (*domain.Law, error) {
	if p.Base == nil {
		return domain.Uniform(ctx, p.Domain)
	}
	law := &domain.Law{Draw: p.drawBase, Tries: 1}
	if p.Domain == nil {
		return law, nil
	}
	rng := rand.New(rand.NewPCG(1, 1))
	x := make([]float64, p.Potential.Dim())
	hits := 0
	for n := 1; n <= massDraws; n++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if p.Base.Draw(x, rng); p.Domain.Contains(x) {
			if hits++; hits == enoughHits {
				law.Tries = float64(n) / float64(hits)
				return law, nil
			}
		}
	}
	return nil, fmt.Errorf("%d of %d draws from the base law lie in the domain: the constraints contradict the priors", hits, massDraws)
}

// Mass is the logarithm of the volume of the domain, or of the probability that the
// base law gives it, and its standard error.
func (p Problem) Mass(ctx context.Context, rng *rand.Rand) (log, se float64, err error) {
	if p.Base == nil {
		return domain.Volume(ctx, p.Domain, rng)
	}
	if p.Domain == nil {
		return 0, 0, nil
	}
	x := make([]float64, p.Potential.Dim())
	hits := 0.0
	for range massDraws {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		if p.Base.Draw(x, rng); p.Domain.Contains(x) {
			hits++
		}
	}
	if hits == 0 {
		return 0, 0, fmt.Errorf("none of %d draws from the base law lies in the domain", massDraws)
	}
	share := hits / massDraws
	return math.Log(share), math.Sqrt((1 - share) / hits), nil
}

const (
	massDraws  = 100_000
	enoughHits = 30 // draws in the domain that tell how many lie there
)

// drawBase writes a draw of the base law on the domain.
func (p Problem) drawBase(ctx context.Context, x []float64, rng *rand.Rand) error {
	for range massDraws {
		if err := ctx.Err(); err != nil {
			return err
		}
		if p.Base.Draw(x, rng); p.Domain == nil || p.Domain.Contains(x) {
			return nil
		}
	}
	return fmt.Errorf("none of %d draws from the base law lies in the domain", massDraws)
}
