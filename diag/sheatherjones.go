package diag

import (
	"math"
	"slices"

	"github.com/r2sgld/r2sgld/internal/vector"
	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/floats"
)

const (
	plugInCells  = 1 << 14
	plugInLeast  = 50 // distinct draws; fewer do not tell a density's curvature
	plugInStages = 7
)

// SheatherJones returns the improved Sheather–Jones plug-in bandwidth of a
// Gaussian kernel density estimate of x, which supposes no shape and so keeps
// modes apart that [Bandwidth] smooths into each other. Draws and kernel are
// reflected at lo and hi as by [KDE]. Botev, Grotowski and Kroese, "Kernel
// density estimation via diffusion" (2010), seven stages, with the number of
// distinct draws for n. It supposes independent draws: strongly dependent ones
// look more detailed than they are.
//
// It is Bandwidth for fewer than 50 distinct draws and where there is no
// solution; and Bandwidth, if less, where the draws reach so far that the answer
// is not above two of the 16,384 cells they are counted in. NaN for fewer than 2 values, one that is not finite, or
// unless lo < hi.
func SheatherJones(x []float64, lo, hi float64) float64 {
	s := slices.Clone(x)
	slices.Sort(s)
	return sheatherJones(s, Bandwidth(x), lo, hi)
}

// sheatherJones is SheatherJones of sorted x, whose Bandwidth is rule.
func sheatherJones(x []float64, rule, lo, hi float64) float64 {
	if math.IsNaN(rule) || !(lo < hi) {
		return math.NaN()
	}
	least, largest := x[0], x[len(x)-1]
	n := 1
	for i, v := range x[1:] {
		if v != x[i] {
			n++
		}
	}
	if n < plugInLeast {
		return rule
	}
	clamp := func(v float64) float64 { return math.Min(math.Max(v, lo), hi) }
	reach := (largest - least) / 10
	g := grid{a: clamp(clamp(least) - reach), b: clamp(clamp(largest) + reach), cells: plugInCells}
	if g.step = (g.b - g.a) / plugInCells; !g.usable() {
		return rule
	}
	h := math.Sqrt(newPlugIn(g.share(x), len(x), n).solve()) * (g.b - g.a)
	if math.IsNaN(h) || h < 2*g.step && rule < h {
		return rule
	}
	return h
}

// A plugIn is draws on [0, 1] as seen by the cosine basis.
type plugIn struct {
	n     float64                     // draws
	terms [plugInStages + 1][]float64 // c²w^s of every cos(kπx), c its coefficient, w = (kπ)², by s from 2 on
	fade  []float64                   // room for e^−wt of every term
}

func newPlugIn(bins []float64, draws, distinct int) *plugIn {
	last := len(bins) - 1
	bins[0] *= 2 // as of smoother.apply
	bins[last] *= 2
	c := fourier.NewDCT(len(bins)).Transform(nil, bins)[1:]
	p := &plugIn{n: float64(distinct), fade: make([]float64, len(c))}
	for s := 2; s <= plugInStages; s++ {
		p.terms[s] = make([]float64, len(c))
	}
	for k, v := range c {
		v /= 2 * float64(draws)
		v *= v
		for s := range p.terms {
			if s >= 2 {
				p.terms[s][k] = v
			}
			v *= frequency(k)
		}
	}
	return p
}

// frequency is w of term k.
func frequency(k int) float64 { return math.Pi * math.Pi * float64((k+1)*(k+1)) }

// roughness estimates ‖f⁽ˢ⁾‖², the integral of the square of derivative s of
// the density smoothed by a Gaussian of variance t.
func (p *plugIn) roughness(s int, t float64) float64 {
	fade := p.fade[:0]
	for k := range p.fade {
		wt := frequency(k) * t
		if wt > 150 { // the rest is below rounding
			break
		}
		fade = append(fade, -wt)
	}
	vector.Exp(fade, fade)
	return 2 * floats.Dot(fade, p.terms[s][:len(fade)])
}

// next returns the squared bandwidth that is best if the density is as it looks
// at the squared bandwidth t: ξγ⁽⁵⁾(t) of the paper.
func (p *plugIn) next(t float64) float64 {
	f := p.roughness(plugInStages, t)
	for s := plugInStages - 1; s >= 2; s-- {
		odd := 1.0 // 1·3·…·(2s−1)
		for k := 3; k < 2*s; k += 2 {
			odd *= float64(k)
		}
		c := (1 + math.Pow(0.5, float64(s)+0.5)) / 3 * odd / math.Sqrt(2*math.Pi)
		f = p.roughness(s, math.Pow(2*c/(p.n*f), 2/float64(2*s+3)))
	}
	return math.Pow(2*p.n*math.Sqrt(math.Pi)*f, -0.4)
}

// solve returns the least fixed point of next from the square of a cell, if
// that is not below it, to a tenth; NaN if there is none.
func (p *plugIn) solve() float64 {
	low := math.Pow(1/float64(len(p.fade)), 2)
	high := low
	for !(p.next(high) < high) {
		if low, high = high, 2*high; low > 0.1 {
			return math.NaN()
		}
	}
	for range 24 {
		if middle := math.Sqrt(low * high); p.next(middle) < middle {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}
