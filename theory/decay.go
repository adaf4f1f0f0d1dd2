package theory

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/r2sgld/r2sgld/theory/reversible"
)

// A Course is how the law that starts at a point tends to π.
type Course struct {
	Distances []Distances // at each time
	Bound     *Bounds
	// LogSobolev is the constant C of the process without swaps, 4/inf ρ(t) where ρ =
	// −d/dt log KL, over laws from several starts: an estimate from below. With two
	// rungs it is the larger of theirs. NaN if neither kl nor w2 was asked for.
	LogSobolev  float64
	EntropyRate float64 // inf ρ(t) of the process itself; an estimate from above
	// Chi2 is inf E_S(h)/E(h) − 1 and W2 that of √h, over the times and the limit t →
	// ∞; NaN with one rung.
	Chi2, W2 float64
	Notes    []string
}

// A start of less mass than lightStart is told, and one below leastStart refused: what
// is left of a density keeps about 1e-12 of its first size in L²(π).
const (
	lightStart = 1e-12
	leastStart = 1e-20
)

// chunk is the number of densities held at a time.
const chunk = 16

// Decay follows the law that starts at d.Start; see [Decay] and [Bounds]. It holds
// about twenty densities at a time, and what Evolve of a chain needs.
func (p *Process) Decay(ctx context.Context, d Decay) (*Course, error) {
	if errs := d.validate(p.problem, true); errs != nil {
		return nil, fmt.Errorf("%w", errs[0])
	}
	of := d.Of
	if of == nil {
		of = DistanceNames()
	}
	h, at, err := p.Start(d.Start)
	if err != nil {
		return nil, err
	}
	modes, err := p.Chain.Spectrum(ctx, 1)
	if err != nil {
		return nil, fmt.Errorf("theory: decay: %w", err)
	}
	var unit *reversible.Chain
	if slices.Contains(of, "w2") && !p.ExactW2() {
		if unit, err = p.unit(); err != nil {
			return nil, err
		}
	}
	nan := math.NaN()
	c := &Course{LogSobolev: nan, EntropyRate: nan, Chi2: nan, W2: nan}
	if light := slices.Max(h); light > 1/lightStart {
		c.Notes = append(c.Notes, fmt.Sprintf("π gives the cell of the start only %.1g: what the decay has of χ² below %.1g is rounding", 1/light, 1e-24*light))
	}
	if len(p.Rungs) == 2 {
		c.Chi2 = p.acceleration(modes.Functions[0])
		c.W2 = c.Chi2 // √(1 + εf) ≈ 1 + εf/2
	}
	err = follow(ctx, p.Chain, h, d.Times, func(_ int, t float64, h []float64) error {
		at, err := p.distances(ctx, h, of, unit)
		at.Time = t
		c.Distances = append(c.Distances, at)
		if len(p.Rungs) == 2 {
			c.Chi2 = lesser(c.Chi2, p.acceleration(h))
			c.W2 = lesser(c.W2, p.acceleration(roots(h)))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if slices.Contains(of, "w2") || slices.Contains(of, "kl") {
		c.LogSobolev = 0
		if err := p.entropies(ctx, h, at, modes, c); err != nil {
			return nil, err
		}
	}
	c.Bound = p.bounds(h, modes.Values[0], d.Times, of, c)
	return c, nil
}

// follow calls f with the density at each of the rising times.
func follow(ctx context.Context, c *reversible.Chain, h []float64, times []float64, f func(i int, t float64, h []float64) error) error {
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
			if err := f(i+k, times[i+k], h); err != nil {
				return err
			}
		}
		h, from = hs[len(hs)-1], times[i+len(some)-1]
	}
	return nil
}

// bounds are those from the start of density h.
func (p *Process) bounds(h []float64, gap float64, times []float64, of []string, c *Course) *Bounds {
	pi := p.Chain.Mass()
	chi2, kl := Chi2(h, pi), KL(h, pi)
	hottest := p.Temperature[len(p.Temperature)-1]
	b := &Bounds{}
	for _, t := range times {
		x := chi2 * math.Exp(-2*gap*t)
		for _, name := range of {
			switch name {
			case "chi2":
				b.Chi2 = append(b.Chi2, x)
			case "kl":
				b.KL = append(b.KL, math.Log1p(x))
			case "tv":
				b.TV = append(b.TV, min(1, 0.5*math.Sqrt(x)))
			case "w2":
				b.W2 = append(b.W2, math.Sqrt(hottest*c.LogSobolev*kl)*math.Exp(-0.5*c.EntropyRate*t))
			}
		}
	}
	return b
}

// The times at which the decay of entropy is looked at, in relaxation times: long
// enough for its slowest, and from where the start is spread over many cells.
const (
	entropyTimes = 16
	entropyFrom  = 0.02
	entropyTo    = 4
)

// entropies estimates the log-Sobolev constant and the rate of entropy; h is the start
// in cell at, modes the slowest mode of the process.
func (p *Process) entropies(ctx context.Context, h []float64, at int, modes *reversible.Spectrum, c *Course) error {
	for _, r := range p.Rungs {
		slow := modes
		if len(p.Rungs) == 2 {
			var err error
			if slow, err = r.Chain.Spectrum(ctx, 1); err != nil {
				return fmt.Errorf("theory: decay: %w", err)
			}
		}
		rate := math.Inf(1)
		for _, s := range r.starts(slow.Functions[0], at) {
			h := make([]float64, r.Chain.Len())
			h[s] = 1 / r.Chain.Mass()[s]
			v, err := entropyRate(ctx, r.Chain, slow.Values[0], h)
			if err != nil {
				return err
			}
			rate = min(rate, v)
		}
		c.LogSobolev, c.EntropyRate = max(c.LogSobolev, 4/rate), rate
	}
	if len(p.Rungs) == 1 {
		return nil
	}
	var err error
	c.EntropyRate, err = entropyRate(ctx, p.Chain, modes.Values[0], h)
	return err
}

// starts are the states of a rung whose laws are followed: that of cell at, the
// heaviest, and the ends of its slowest mode f.
func (r *Rung) starts(f []float64, at int) []int {
	heaviest, low, high := 0, 0, 0
	for i, m := range r.mass {
		if m > r.mass[heaviest] {
			heaviest = i
		}
		if f[i] < f[low] {
			low = i
		}
		if f[i] > f[high] {
			high = i
		}
	}
	out := []int{int(r.state[at]), heaviest, low, high}
	slices.Sort(out)
	return slices.Compact(out)
}

// entropyRate is the least −d/dt log KL from density h on, and its limit 2λ₁.
func entropyRate(ctx context.Context, c *reversible.Chain, gap float64, h []float64) (float64, error) {
	times := make([]float64, entropyTimes)
	for i := range times {
		times[i] = entropyFrom / gap * math.Pow(entropyTo/entropyFrom, float64(i)/(entropyTimes-1))
	}
	pi, rate := c.Mass(), 2*gap
	work, logs := make([]float64, len(h)), make([]float64, len(h))
	err := follow(ctx, c, h, times, func(_ int, _ float64, h []float64) error {
		if Chi2(h, pi) < 1e-10 { // of which KL keeps no digits
			return nil
		}
		for i, v := range h {
			logs[i] = math.Log(max(v, 1e-100))
		}
		c.Apply(work, h)
		s := 0.0
		for i, p := range pi {
			s -= p * work[i] * logs[i]
		}
		rate = min(rate, s/KL(h, pi))
		return nil
	})
	return rate, err
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
