package theory

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/r2sgld/r2sgld/internal/reversible"
)

// Acceleration is E_S(f)/E(f) − 1 of a function on the states, NaN of a constant.
func (p *Process) Acceleration(f []float64) float64 {
	e := p.Alone.Form(f)
	if e == 0 {
		return math.NaN()
	}
	return p.swapForm(f) / e
}

// swapForm is (r/2)∫ min(1, S)(f(x₂,x₁) − f(x₁,x₂))² dπ.
func (p *Process) swapForm(f []float64) float64 {
	if p.Intensity == 0 {
		return 0
	}
	pi, s := p.Alone.Mass(), 0.0
	p.pairs(func(a, b int) { s += min(pi[a], pi[b]) * (f[a] - f[b]) * (f[a] - f[b]) })
	return p.Intensity * s
}

// swaps says what trading gains, and E_S/E − 1 of the slowest mode without it.
func (p *Process) swaps(ctx context.Context, gap float64) (*Swaps, float64, error) {
	slow, err := spectrum(ctx, p.Alone, 1)
	if err != nil {
		return nil, 0, err
	}
	alone := slow.Values[0]
	s := &Swaps{p.Intensity, alone, gap/alone - 1, math.NaN(), math.NaN()}
	return s, p.Acceleration(slow.Functions[0]), nil
}

// A Saturation is the gap as a function of the intensity of swaps. It is concave and
// never falls.
type Saturation struct {
	Intensity []float64 `json:"intensity"`
	Gap       []float64 `json:"gap"`    // at each
	Limit     float64   `json:"limit"`  // of the gap for r → ∞
	Share     float64   `json:"share"`  // of the limit
	Enough    float64   `json:"enough"` // the least r whose gap is Share·Limit, to 1 %; 0 where none is needed
}

// Saturate returns the gaps of two rungs at several intensities r ≥ 0, their limit for
// r → ∞, and the r beyond which less than 1 − share of it is to be gained, 0 < share <
// 1. In the limit (x₁, x₂) and (x₂, x₁) are one state, which makes a process of its own.
func (p *Process) Saturate(ctx context.Context, intensity []float64, share float64) (*Saturation, error) {
	if len(p.Rungs) != 2 || !(share > 0 && share < 1) {
		return nil, fmt.Errorf("theory: saturation of %d rungs at share %g; give two temperatures and a share between 0 and 1", len(p.Rungs),
			share)
	}
	out := &Saturation{Intensity: slices.Clone(intensity), Share: share}
	for _, r := range intensity {
		g, err := p.gapAt(ctx, r)
		if err != nil {
			return nil, err
		}
		out.Gap = append(out.Gap, g)
	}
	fast, err := p.merged()
	if err != nil {
		return nil, err
	}
	if out.Limit, err = gap(ctx, fast); err != nil {
		return nil, err
	}
	out.Enough, err = p.enough(ctx, share*out.Limit)
	return out, err
}

func (p *Process) gapAt(ctx context.Context, r float64) (float64, error) {
	q, err := p.With(r)
	if err != nil {
		return 0, err
	}
	return q.Gap(ctx)
}

// enough is the least r whose gap is at least target, to 1 %. The gap rises with r.
func (p *Process) enough(ctx context.Context, target float64) (float64, error) {
	g, err := p.gapAt(ctx, 0)
	if err != nil || g >= target {
		return 0, err
	}
	lo, hi := 0.0, target
	for range 100 {
		if g, err = p.gapAt(ctx, hi); err != nil || g >= target {
			break
		}
		lo, hi = hi, 4*hi
	}
	if err != nil {
		return 0, err
	}
	if g < target {
		return 0, errors.New("theory: no intensity of swaps brings the gap near its limit: the grid is too coarse for these temperatures")
	}
	for lo < 0.99*hi {
		mid := math.Sqrt(lo) * math.Sqrt(hi)
		if lo == 0 {
			mid = hi / 4
		}
		if g, err = p.gapAt(ctx, mid); err != nil {
			return 0, err
		}
		if g >= target {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi, nil
}

// merged is the process for r → ∞: states that swap are one.
func (p *Process) merged() (*reversible.Chain, error) {
	pi := p.Alone.Mass()
	first := make([]int32, len(pi)) // the state that stands for each
	for i := range first {
		first[i] = int32(i)
	}
	p.pairs(func(a, b int) { first[max(a, b)] = int32(min(a, b)) })
	index, n := make([]int, len(pi)), 0
	for i, f := range first {
		if int(f) == i {
			index[i] = n
			n++
		} else {
			index[i] = index[f]
		}
	}
	mass := make([]float64, n)
	for i, m := range pi {
		mass[index[i]] += m
	}
	var edges []reversible.Edge
	add := func(a, b int, w float64) {
		if index[a] != index[b] && w > 0 {
			edges = append(edges, reversible.Edge{I: index[a], J: index[b], Weight: w})
		}
	}
	cold, hot := p.Rungs[0], p.Rungs[1]
	m := len(hot.mass)
	for _, e := range cold.edges {
		for j, w := range hot.mass {
			add(e.I*m+j, e.J*m+j, e.Weight*w)
		}
	}
	for i, w := range cold.mass {
		for _, e := range hot.edges {
			add(i*m+e.I, i*m+e.J, e.Weight*w)
		}
	}
	c, err := reversible.New(mass, edges)
	if err != nil {
		return nil, fmt.Errorf("theory: limit of swaps: %w", err)
	}
	return c, nil
}
