package mixing

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/theory"
	"github.com/r2sgld/r2sgld/potential"
)

// Decay is how the law of a process tends to π from a start.
type Decay struct {
	Name      string    `json:"name"`
	Start     []float64 `json:"start"` // of every rung
	Tau       []float64 `json:"temperature"`
	Intensity float64   `json:"intensity"`
	Cells     int       `json:"cells"`
	States    int       `json:"states"`

	Gap   float64 `json:"gap"`               // λ₁ of the process
	Alone float64 `json:"gap_without_swaps"` // λ₁ of the same at intensity 0
	Eta   float64 `json:"acceleration_chi2"` // the paper's η_S
	Delta float64 `json:"acceleration_w2"`   // the paper's δ_S
	// LogSobolev is the least C with Ent(g²) ≤ C·E(g) without swaps: exact if Known,
	// else the largest lower bound: from flows and 2/λ₁.
	LogSobolev float64 `json:"log_sobolev"`
	Known      bool    `json:"log_sobolev_known"`

	Times []float64 `json:"times"`
	Chi2  []float64 `json:"chi2"`
	KL    []float64 `json:"kl"`
	W2    []float64 `json:"w2"`
	TV    []float64 `json:"tv"`
	W2Is  string    `json:"w2_is"` // exact or upper bound

	Ratio []float64 `json:"form_ratio"`         // E_S(h)/E(h) − 1 of the density h at each time while χ² is above rounding; none without swaps
	Root  []float64 `json:"form_ratio_of_root"` // the same of √h

	Slope    float64 `json:"slope"`          // of −log χ² over time, at the end
	Promised float64 `json:"promised_slope"` // 2(1+η_S)/C_P with C_P = 1/λ₁(0)
	Printed  float64 `json:"printed_slope"`  // the same with C_P = λ₁(0), as Lemma 3.4 has it
	// Each of these is the largest ratio of what was found at a time to what the bound
	// has there, started at any earlier time: up to 1 the bound holds.
	Theorem   float64 `json:"chi2_over_bound"`           // χ² ≤ χ²(0) exp(−2t(1+η_S)λ₁(0))
	Transport float64 `json:"w2_over_bound"`             // W2 ≤ √(2 C KL(0)) exp(−t(1+δ_S)/C)
	Scaled    float64 `json:"w2_over_temperature_bound"` // W2 ≤ √(τ C KL(0)) exp(−2t(1+δ_S)/C), τ the highest
	Entropy   float64 `json:"kl_over_bound"`             // KL ≤ KL(0) exp(−4t(1+δ_S)/C)
}

// A start is a problem with a point where it starts.
type start struct {
	problem
	cells int
	from  []float64
	known bool // that the log-Sobolev constant is 2/λ₁
}

// floor is the χ² below which rounding and the error of the semigroup count.
const floor = 1e-9

// starts are the problems whose decay is looked at.
func (e effort) starts() ([]start, error) {
	free, err0 := interval(0, 4)
	wide, err1 := interval(-20, 20)
	narrow, err2 := interval(-2, 2)
	petals, err3 := flower(2)
	one, two := []float64{1}, []float64{1, 5}
	var out []start
	add := func(name string, u potential.Potential, d domain.Domain, tau []float64, r float64, cells int, known bool, from ...float64) {
		out = append(out, start{problem{name, u, d, tau, r}, cells, from, known})
	}
	add("interval of length 4, U = 0", nil, free, one, 0, e.decayLine, true, 0.5)
	add("interval from its middle", nil, free, one, 0, e.decayLine, true, 2)
	add("[−20, 20], U = x²/2, τ = 10", half(1), wide, []float64{10}, 0, e.decayLine, true, 12)
	add("double well on [−2, 2]", well(), narrow, one, 0, e.decayLine, false, -1)
	add("double well, two rungs", well(), narrow, two, 0, e.decayPair, false, -1)
	add("double well, swaps", well(), narrow, two, 1, e.decayPair, false, -1)
	add("double well, swaps, barrier", well(), narrow, two, 1, e.decayPair, false, 0)
	add("25-mode slice, swaps", modes(1), narrow, []float64{1, 10}, 1, e.decayPair, false, 1)
	add("25 modes, flower", modes(2), petals, one, 0, e.decayPlane, false, 1, -1)
	add("25 modes, flower, swaps", modes(2), petals, []float64{1, 10}, 1, e.decayPlanes, false, 1, -1)
	return out, errors.Join(err0, err1, err2, err3)
}

// decay follows every start.
func (e effort) decay(ctx context.Context, o study.Options) ([]Decay, error) {
	all, err := e.starts()
	if err != nil {
		return nil, err
	}
	return each(ctx, o, "decay", len(all), func(ctx context.Context, i int) (Decay, error) { return all[i].decay(ctx, e.moments) })
}

// decay follows the law from the start, at so many times.
func (s start) decay(ctx context.Context, moments int) (Decay, error) {
	d := Decay{Name: s.name, Start: s.from, Tau: s.tau, Intensity: s.intensity}
	p, err := s.process(ctx, s.cells)
	if err != nil {
		return d, err
	}
	d.Cells, d.States, d.W2Is = len(p.Mesh.Volume), p.Chain.Len(), "upper bound"
	if p.ExactW2() {
		d.W2Is = "exact"
	}
	if d.Gap, err = p.Gap(ctx); err != nil {
		return d, fmt.Errorf("%s: %w", s.name, err)
	}
	d.Times = append(logarithmic(0.01/d.Gap, 1/d.Gap, moments/2), linear(1/d.Gap, 8/d.Gap, moments/2)[1:]...)
	course, err := p.Decay(ctx, theory.Decay{Start: s.from, Times: d.Times})
	if err != nil {
		return d, fmt.Errorf("%s: %w", s.name, err)
	}
	d.Alone = d.Gap
	if s.intensity > 0 {
		without, err := p.With(0)
		if err != nil {
			return d, fmt.Errorf("%s: %w", s.name, err)
		}
		if d.Alone, err = without.Gap(ctx); err != nil {
			return d, fmt.Errorf("%s: %w", s.name, err)
		}
		d.Ratio, d.Root = course.Faster, course.FasterRoot
	}
	d.LogSobolev, d.Known = 2/d.Alone, s.known
	if !s.known {
		d.LogSobolev = math.Max(d.LogSobolev, course.LogSobolev)
	}
	for _, v := range course.Distances {
		d.Chi2, d.KL = append(d.Chi2, v.Chi2), append(d.KL, v.KL)
		d.W2, d.TV = append(d.W2, v.W2), append(d.TV, v.TV)
	}
	d.compare()
	return d, nil
}

// linear returns n numbers from a to b in equal steps.
func linear(a, b float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = a + (b-a)*float64(i)/float64(n-1)
	}
	return out
}

// compare sets what the bounds make of the decay.
func (d *Decay) compare() {
	n := 0
	for n < len(d.Times) && d.Chi2[n] > floor {
		n++
	}
	if n > 0 && d.Ratio != nil {
		d.Ratio, d.Root = d.Ratio[:n], d.Root[:n]
		d.Eta, d.Delta = slices.Min(d.Ratio), slices.Min(d.Root)
	}
	if n > 1 {
		d.Slope = math.Log(d.Chi2[n-2]/d.Chi2[n-1]) / (d.Times[n-1] - d.Times[n-2])
	}
	d.Promised, d.Printed = 2*(1+d.Eta)*d.Alone, 2*(1+d.Eta)/d.Alone
	c, hot := d.LogSobolev, d.Tau[len(d.Tau)-1]
	// A bound starts from a law, of χ² or KL from, and gets smaller at a rate.
	worst := func(found, from []float64, scale, power, rate float64) float64 {
		most := 0.0
		for s := range n {
			for t := s; t < n; t++ {
				if t == s && scale == 1 {
					continue
				}
				bound := scale * math.Pow(from[s], power) * math.Exp(-rate*(d.Times[t]-d.Times[s]))
				most = math.Max(most, found[t]/bound)
			}
		}
		return most
	}
	d.Theorem = worst(d.Chi2, d.Chi2, 1, 1, d.Promised)
	d.Transport = worst(d.W2, d.KL, math.Sqrt(2*c), 0.5, (1+d.Delta)/c)
	d.Scaled = worst(d.W2, d.KL, math.Sqrt(hot*c), 0.5, 2*(1+d.Delta)/c)
	d.Entropy = worst(d.KL, d.KL, 1, 1, 4*(1+d.Delta)/c)
}
