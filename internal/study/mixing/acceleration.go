package mixing

import (
	"context"
	"fmt"
	"math"

	"github.com/r2sgld/r2sgld/internal/mesh"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/theory"
	"github.com/r2sgld/r2sgld/potential"
)

// Acceleration is what swaps gain.
type Acceleration struct {
	Intensity []Sweep   `json:"intensity"` // of swaps, at the paper's temperatures
	Hot       []Sweep   `json:"hot"`       // hotter and hotter second rungs
	Diameter  []Sweep   `json:"diameter"`  // larger and larger domains
	Steps     []Stepped `json:"iterations"`
}

// enough is the share of the limit of the gap beyond which nothing more is asked for.
const enough = 0.95

// A Sweep is the gap of two rungs against the intensity of swaps.
type Sweep struct {
	Name      string     `json:"name"`
	Tau       [2]float64 `json:"temperature"`
	Diameter  float64    `json:"diameter"`
	States    int        `json:"states"`
	Rungs     [2]float64 `json:"rung_gaps"` // each by itself
	Intensity []float64  `json:"intensity"` // rising
	Gap       []float64  `json:"gap"`
	// Form is E_S(f)/E(f) − 1 at intensity 1 of the slowest mode f without swaps; it is
	// linear in the intensity.
	Form   float64 `json:"slow_mode_acceleration"`
	Limit  float64 `json:"gap_limit"` // as the intensity grows without bound
	Enough float64 `json:"enough"`    // the least intensity whose gap is 95 % of the limit
}

// gain is by what factor swaps can raise the gap.
func (s *Sweep) gain() float64 { return s.Limit / s.alone() }

// alone is the gap without swaps.
func (s *Sweep) alone() float64 { return math.Min(s.Rungs[0], s.Rungs[1]) }

// A sweep asks for one.
type sweep struct {
	problem
	cells       int
	intensities []float64
}

// acceleration computes all sweeps.
func (e effort) acceleration(ctx context.Context, o study.Options) (Acceleration, error) {
	var a Acceleration
	for _, part := range []struct {
		what string
		ask  func() ([]sweep, error)
		into *[]Sweep
	}{{"intensity", e.byIntensity, &a.Intensity}, {"temperature", e.byTemperature, &a.Hot}, {"size", e.bySize, &a.Diameter}} {
		all, err := part.ask()
		if err != nil {
			return a, err
		}
		if *part.into, err = each(ctx, o, "acceleration, "+part.what, len(all), func(ctx context.Context, i int) (Sweep, error) {
			return all[i].run(ctx)
		}); err != nil {
			return a, err
		}
	}
	var err error
	a.Steps, err = e.stepped(ctx, o)
	return a, err
}

// byIntensity are the sweeps at the paper's temperatures.
func (e effort) byIntensity() ([]sweep, error) {
	narrow, err := interval(-2, 2)
	if err != nil {
		return nil, err
	}
	petals, err := flower(2)
	if err != nil {
		return nil, err
	}
	all := logarithmic(1e-2, 1e4, e.intensities)
	few := logarithmic(1e-2, 1e3, min(6, e.intensities))
	return []sweep{
		{problem{"double well on [−2, 2]", well(), narrow, []float64{1, 10}, 0}, e.sweepPair, all},
		{problem{"25 modes, a slice on [−2, 2]", modes(1), narrow, []float64{1, 10}, 0}, e.sweepPair, all},
		{problem{"25 modes on the flower", modes(2), petals, []float64{1, 10}, 0}, e.sweepPlanes, few},
	}, nil
}

// byTemperature are sweeps at several temperatures of the hot rung.
func (e effort) byTemperature() ([]sweep, error) {
	narrow, err := interval(-2, 2)
	if err != nil {
		return nil, err
	}
	var out []sweep
	for _, u := range []struct {
		name      string
		potential potential.Potential
	}{{"double well on [−2, 2]", well()}, {"25 modes, a slice on [−2, 2]", modes(1)}} {
		for _, hot := range e.hot {
			out = append(out, sweep{problem{u.name, u.potential, narrow, []float64{1, hot}, 0}, e.sweepPair,
				logarithmic(1e-2, 1e4, min(7, e.intensities))})
		}
	}
	return out, nil
}

// bySize are sweeps on intervals of several lengths.
func (e effort) bySize() ([]sweep, error) {
	var out []sweep
	for _, u := range []struct {
		name      string
		potential potential.Potential
		lengths   []float64
	}{{"double well", well(), e.wells}, {"25 modes, a slice", modes(1), e.slices}} {
		for _, length := range u.lengths {
			d, err := centred(1, length)
			if err != nil {
				return nil, err
			}
			out = append(out, sweep{problem{u.name, u.potential, d, []float64{1, 10}, 0}, e.sweepPair,
				logarithmic(1e-2, 1e4, min(7, e.intensities))})
		}
	}
	return out, nil
}

// run computes the gaps of a sweep.
func (s sweep) run(ctx context.Context) (Sweep, error) {
	out := Sweep{Name: s.name, Tau: [2]float64(s.tau), Intensity: s.intensities}
	p, err := s.process(ctx, s.cells)
	if err != nil {
		return out, err
	}
	out.States = p.Chain.Len()
	if out.Diameter, err = mesh.Diameter(ctx, s.domain); err != nil {
		return out, fmt.Errorf("%s: %w", s.name, err)
	}
	slowest := 0
	var mode []float64
	for k, r := range p.Rungs {
		found, err := r.Chain.Spectrum(ctx, 1)
		if err != nil {
			return out, fmt.Errorf("%s, τ = %g: %w", s.name, r.Temperature, err)
		}
		if out.Rungs[k] = found.Values[0]; out.Rungs[k] <= out.Rungs[slowest] {
			slowest, mode = k, found.Functions[0]
		}
	}
	if out.Form, err = slowForm(p, slowest, mode); err != nil {
		return out, fmt.Errorf("%s: %w", s.name, err)
	}
	found, err := p.Saturate(ctx, s.intensities, enough)
	if err != nil {
		return out, fmt.Errorf("%s: %w", s.name, err)
	}
	out.Gap, out.Limit, out.Enough = found.Gap, found.Limit, found.Enough
	return out, nil
}

// slowForm is E_S(f)/E(f) − 1 at intensity 1, f being a mode of one rung.
func slowForm(p *theory.Process, rung int, mode []float64) (float64, error) {
	with, err := p.With(1)
	if err != nil {
		return 0, err
	}
	n := p.Rungs[1].Chain.Len()
	f := make([]float64, p.Chain.Len())
	for x := range f {
		f[x] = mode[[2]int{x / n, x % n}[rung]]
	}
	return with.Acceleration(f), nil
}
