package theory

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/r2sgld/r2sgld/internal/mesh"
	"github.com/r2sgld/r2sgld/internal/reversible"
)

// A Course is how the law that starts at a point tends to π.
type Course struct {
	Distances []Distances // at each time
	Bound     *Bounds
	// LogSobolev is the constant C of the process without swaps, 4/inf ρ(t) where ρ =
	// −d/dt log KL, over laws from several starts: an estimate from below. With two
	// rungs it is the larger of theirs. NaN if neither kl nor w2 was asked for.
	LogSobolev float64
	// Faster is E_S(h)/E(h) − 1 at each time and FasterRoot that of √h, by which swaps
	// speed up the decay of χ² and of W2 there; NaN at time 0 and where χ² is at most
	// 1e-10, nil with one rung.
	Faster, FasterRoot []float64
	// Chi2 and W2 are the infima of these over the times and the limit t → ∞, estimates
	// from above; NaN with one rung.
	Chi2, W2 float64
	Notes    []string
}

// A start of less mass than lightStart is told, and one below leastStart refused: what
// is left of a density keeps about 1e-12 of its first size in L²(π).
const (
	lightStart = 1e-12
	leastStart = 1e-20
)

// spent is the χ² below which rates of decay are those of the limit, and of rounding.
const spent = 1e-10

// chunk is the number of densities held at a time.
const chunk = 20

// Decay follows the law that starts at d.Start; see [Decay] and [Bounds]. It holds
// about twenty densities at a time, and what Evolve of a chain needs.
func (p *Process) Decay(ctx context.Context, d Decay) (*Course, error) {
	if errs := d.validate(p.field.problem, true); errs != nil {
		return nil, errors.Join(errs...)
	}
	if d.Of == nil {
		d.Of = DistanceNames()
	}
	h, at, err := p.Start(d.Start)
	if err != nil {
		return nil, err
	}
	modes, err := spectrum(ctx, p.Chain, 1)
	if err != nil {
		return nil, err
	}
	f := &following{process: p, decay: d, gap: modes.Values[0], course: newCourse(h)}
	if f.far, err = p.far(ctx); err != nil {
		return nil, err
	}
	if slices.Contains(d.Of, "w2") && !p.ExactW2() {
		if f.unit, err = p.unit(); err != nil {
			return nil, err
		}
	}
	if len(p.Rungs) == 2 {
		f.course.Chi2 = p.Acceleration(modes.Functions[0])
		f.course.W2 = f.course.Chi2 // √(1 + εf) ≈ 1 + εf/2
	}
	if slices.Contains(d.Of, "w2") || slices.Contains(d.Of, "kl") {
		f.entropy = newEntropy(p.Chain, f.gap)
		if f.course.LogSobolev, err = p.logSobolev(ctx, at, modes); err != nil {
			return nil, err
		}
	}
	if err := f.run(ctx, h); err != nil {
		return nil, err
	}
	f.course.Bound = f.bounds(h)
	return f.course, nil
}

func newCourse(h []float64) *Course {
	nan := math.NaN()
	c := &Course{LogSobolev: nan, Chi2: nan, W2: nan}
	if light := slices.Max(h); light > 1/lightStart {
		c.Notes = append(c.Notes,
			fmt.Sprintf("π gives the cell of the start only %.1g: what the decay has of χ² below %.1g is rounding", 1/light, 1e-24*light))
	}
	return c
}

// A following is a course in the making.
type following struct {
	process *Process
	decay   Decay
	gap     float64
	far     float64           // no two states are farther apart
	unit    *reversible.Chain // for the bound on W2; nil if it is not needed
	entropy *entropy          // nil if not asked for
	course  *Course
}

// run looks at the law at the times asked for.
func (f *following) run(ctx context.Context, h []float64) error {
	return follow(ctx, f.process.Chain, h, f.decay.Times, func(t float64, h []float64) error {
		if f.entropy != nil {
			f.entropy.see(h)
		}
		return f.at(ctx, t, h)
	})
}

// entropyRate is inf ρ(t) of the process itself, an estimate from above: over the times
// of the decay and the limit, and with one rung those of LogSobolev.
func (f *following) entropyRate() float64 {
	switch {
	case f.entropy == nil:
		return math.NaN()
	case len(f.process.Rungs) == 1: // this start and others have been seen at more times
		return min(f.entropy.rate, 4/f.course.LogSobolev)
	}
	return f.entropy.rate
}

// at measures density h at one of the times asked for.
func (f *following) at(ctx context.Context, t float64, h []float64) error {
	p, c := f.process, f.course
	d, err := p.distances(ctx, h, f.decay.Of, f.unit)
	d.Time = t
	if f.unit != nil { // what the laws have in common need not move
		d.W2 = min(d.W2, f.far*math.Sqrt(TV(h, p.Chain.Mass())))
	}
	c.Distances = append(c.Distances, d)
	if len(p.Rungs) == 2 {
		chi2, w2 := math.NaN(), math.NaN()
		if t > 0 && Chi2(h, p.Chain.Mass()) > spent {
			chi2, w2 = p.Acceleration(h), p.Acceleration(roots(h))
		}
		c.Faster, c.FasterRoot = append(c.Faster, chi2), append(c.FasterRoot, w2)
		c.Chi2, c.W2 = lesser(c.Chi2, chi2), lesser(c.W2, w2)
	}
	return err
}

// bounds are those from the start of density h.
func (f *following) bounds(h []float64) *Bounds {
	p, c := f.process, f.course
	pi := p.Chain.Mass()
	chi2, kl := Chi2(h, pi), KL(h, pi)
	hottest := p.Temperature[len(p.Temperature)-1]
	rate := f.entropyRate()
	b := &Bounds{}
	for _, t := range f.decay.Times {
		x := chi2 * math.Exp(-2*f.gap*t)
		for _, name := range f.decay.Of {
			switch name {
			case "chi2":
				b.Chi2 = append(b.Chi2, x)
			case "kl":
				b.KL = append(b.KL, math.Log1p(x))
			case "tv":
				b.TV = append(b.TV, min(1, 0.5*math.Sqrt(x)))
			case "w2":
				b.W2 = append(b.W2, min(f.far, math.Sqrt(hottest*c.LogSobolev*kl)*math.Exp(-0.5*rate*t)))
			}
		}
	}
	return b
}

// far is the largest distance of two states; [mesh.Diameter] may be too small by 1/250.
func (p *Process) far(ctx context.Context) (float64, error) {
	d, err := mesh.Diameter(ctx, p.field.problem.Domain)
	if err != nil {
		return 0, fmt.Errorf("theory: bound on W2: %w", err)
	}
	return 1.004 * d * math.Sqrt(float64(len(p.Rungs))), nil
}

// follow calls f with the density at each of the rising times.
func follow(ctx context.Context, c *reversible.Chain, h []float64, times []float64, f func(t float64, h []float64) error) error {
	from := 0.0
	for i := 0; i < len(times); i += chunk {
		some := slices.Clone(times[i:min(i+chunk, len(times))])
		for k := range some {
			some[k] -= from
		}
		hs, err := c.Evolve(ctx, h, some)
		if err != nil {
			return fmt.Errorf("theory: decay: %w", err)
		}
		for k, h := range hs {
			if err := f(times[i+k], h); err != nil {
				return err
			}
		}
		h, from = hs[len(hs)-1], times[i+len(some)-1]
	}
	return nil
}

// roots returns √h.
func roots(h []float64) []float64 {
	out := make([]float64, len(h))
	for i, v := range h {
		out[i] = math.Sqrt(max(v, 0))
	}
	return out
}

// lesser is the lesser of two numbers, of which b may be NaN.
func lesser(a, b float64) float64 {
	if b < a {
		return b
	}
	return a
}
