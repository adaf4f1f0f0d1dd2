package modes

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/internal/vector"
	"github.com/r2sgld/r2sgld/kernel"
)

// widest is how many times as long as in the narrowest part steps are at most.
const widest = 16.

// Widths implements [r2sgld.Widths]: those of the parts in the coordinates of w, each by the direction in
// which it, or the normal law at a minimum that it holds, is narrowest. A place has that of a part with the
// probability that the part has there; the wide law does not count. Parts that are wide alike, within a
// factor √2, share one.
func (m *Mixture) Widths(w *r2sgld.Whitening) kernel.Widths {
	if w == nil {
		w = &r2sgld.Whitening{Center: make([]float64, m.Dim()), L: identity(m.Dim())}
	}
	to, err := w.Inverse()
	if err != nil {
		return kernel.Alike{}
	}
	of := &widths{m: &Mixture{}}
	var width []float64
	for _, p := range m.Parts {
		part, sd := p.in(w, to)
		if !(sd > 0) {
			return kernel.Alike{}
		}
		of.m.Parts, width = append(of.m.Parts, part), append(width, sd)
	}
	for _, o := range m.Minima {
		part, sd := (&Part{Center: o.X, L: o.L}).in(w, to)
		if sd > 0 {
			k := of.m.Owner(part.Center)
			width[k] = min(width[k], sd)
		}
	}
	least := slices.Min(width)
	for _, sd := range width {
		half := int(2*math.Log2(min(widest, sd/least)) + 1e-9) // octaves
		f := math.Ldexp(1, half/2)
		if half%2 == 1 {
			f *= math.Sqrt2
		}
		k := slices.Index(of.factors, f)
		if k < 0 {
			k, of.factors = len(of.factors), append(of.factors, f)
		}
		of.factor = append(of.factor, k)
	}
	return of
}

func identity(d int) [][]float64 {
	l := make([][]float64, d)
	for i := range l {
		l[i] = make([]float64, d)
		l[i][i] = 1
	}
	return l
}

// in is p in the coordinates z of w, as to tells them, and its standard deviation where it is narrowest;
// 0 where it has no width there.
func (p *Part) in(w *r2sgld.Whitening, to func(z, x []float64)) (part Part, sd float64) {
	var l mat.Dense
	_ = l.Solve(w.Matrix(), (&r2sgld.Whitening{L: p.L}).Matrix()) // a warning of a large condition number: w is regular
	var c mat.SymDense
	c.SymOuterK(1, &l)
	part = Part{Weight: p.Weight, Center: make([]float64, len(p.Center)), L: factor(&c)}
	to(part.Center, p.Center)
	var values mat.SVD
	if part.L == nil || !values.Factorize(&l, mat.SVDNone) {
		return Part{}, 0
	}
	return part, values.Values(nil)[len(p.Center)-1]
}

// widths are the widths of a mixture.
type widths struct {
	m       *Mixture
	factor  []int // of each part
	factors []float64
}

// Factors implements [kernel.Widths].
func (p *widths) Factors() []float64 { return p.factors }

// Odds implements [kernel.Widths].
func (p *widths) Odds(r int) func(logs, x []float64) {
	e := p.m.Evaluator(r, nil).(*mixed)
	return func(logs, x []float64) {
		for k := range p.m.Parts {
			e.log(k, x)
		}
		copy(e.top, e.logs[:r])
		for k := range p.m.Parts {
			vector.Max(e.top, e.top, e.logs[k*r:][:r])
		}
		clear(logs)
		clear(e.sum)
		for k, f := range p.factor {
			weights := e.weights[k*r:][:r]
			vector.Sub(weights, e.logs[k*r:][:r], e.top)
			vector.Exp(weights, weights)
			vector.Add(e.sum, e.sum, weights)
			vector.Add(logs[f*r:][:r], logs[f*r:][:r], weights)
		}
		for k := range p.factors {
			vector.Div(logs[k*r:][:r], logs[k*r:][:r], e.sum)
		}
		vector.Log(logs, logs)
	}
}
