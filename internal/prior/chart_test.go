package prior

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/diag"
	_ "github.com/r2sgld/r2sgld/internal/pace" // the seed
	"github.com/r2sgld/r2sgld/potential"
)

// energyAt is U and its gradient.
func energyAt(p potential.Potential, x []float64) (float64, []float64) {
	u, grad := make([]float64, 1), make([]float64, p.Dim())
	p.Evaluator(1, nil).Eval(u, grad, x)
	return u[0], grad
}

// chartOf is the chart of priors by their texts, "" being none, with a mode so many
// standard deviations from 0, each of size 1.
func chartOf(texts []string, mode, lo, hi []float64) *Chart {
	p := NewJoint(len(texts))
	for j, text := range texts {
		if text != "" {
			p.Set(j, must(Parse(text)))
		}
	}
	return p.Chart(mode, slices.Repeat([]float64{1}, len(texts)), lo, hi)
}

// anyChart draws a chart of one to three priors, some of them cut, some parameters
// far from 0, some near.
func anyChart(t *rapid.T) *Chart {
	n := rapid.IntRange(1, 3).Draw(t, "parameters")
	var texts []string
	var mode, lo, hi []float64
	for range n {
		text, p := anyPrior(t)
		texts, mode = append(texts, text), append(mode, rapid.SampledFrom([]float64{1, 4}).Draw(t, "mode"))
		a, b := math.Inf(-1), math.Inf(1)
		if rapid.Bool().Draw(t, "cut") {
			a, b = p.X(0.2), p.X(0.9)
		}
		if p.from < 0 && rapid.Bool().Draw(t, "positive") {
			least := math.Max(0, a)
			if most := math.Max(least+1, b); hasMass(p, least, most) {
				a, b = least, most
			}
		}
		lo, hi = append(lo, a), append(hi, b)
	}
	return chartOf(texts, mode, lo, hi)
}

// hasMass reports whether a prior cut to [lo, hi] is a law.
func hasMass(q *Prior, lo, hi float64) bool {
	cut := q.On(lo, hi)
	if cut == nil {
		return false
	}
	m := cut.X(0.5)
	return m-m == 0
}

// central is a point of the chart in the middle nine tenths of each prior.
func (c *Chart) central(t *rapid.T) []float64 {
	x, y := make([]float64, len(c.coordinates)), make([]float64, len(c.coordinates))
	for j, q := range c.coordinates {
		x[j] = q.prior.X(rapid.Float64Range(0.05, 0.95).Draw(t, "u"))
	}
	c.Coordinates(y, x)
	return y
}

// The base law's gradient is that of its energy, by central differences: 1e-5 of a
// distance to the nearer wall is good to 1e-6. It kills a slope that is not by y, and
// a logarithm's derivative left out.
func TestChartBaseGradient(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := anyChart(t)
		y := c.central(t)
		b := c.Base()
		_, grad := energyAt(b, y)
		for j, v := range y {
			q := c.coordinates[j]
			lo, hi := q.prior.Support()
			if q.logarithmic {
				lo, hi = math.Log(lo), math.Log(hi)
			}
			h := 1e-5 * min(1, v-lo, hi-v)
			if h < 1e-9 {
				continue
			}
			y[j] = v + h
			up, _ := energyAt(b, y)
			y[j] = v - h
			down, _ := energyAt(b, y)
			y[j] = v
			if g := (up - down) / (2 * h); math.Abs(g-grad[j]) > 1e-5*(1+math.Abs(g))+1e-14*(1+math.Abs(up))/h {
				t.Fatalf("gradient %d at %v: %v, by differences %v", j, y, grad[j], g)
			}
		}
	})
}

// The base law and the potential in the chart add up to U in y: U(x(y)) less the
// logarithm of the determinant, and so do their gradients. 1e-9 kills a prior that
// counts twice or not at all, in the energies or in the slopes, and the determinant
// taken the other way round. The priors are those of
// a model of predators and prey.
func TestChartAddsUp(t *testing.T) {
	inf := math.Inf(1)
	c := chartOf([]string{"normal(1, 0.5)", "normal(0.05, 0.05)", "normal(1, 0.5)", "normal(0.05, 0.05)",
		"lognormal(log(10), 1)", "lognormal(log(10), 1)", "lognormal(-1, 1)", "lognormal(-1, 1)"},
		[]float64{5, 1, 5, 1, 30, 6, 5, 1}, []float64{0, -inf, -inf, 0, 0, 0, 0, 0}, slices.Repeat([]float64{inf}, 8))
	if c == nil {
		t.Fatal("no chart")
	}
	inner := unlike8()
	rapid.Check(t, func(t *rapid.T) {
		y := c.central(t)
		x := make([]float64, len(y))
		c.Point(x, y)
		u, g := energyAt(inner, x)
		base, gBase := energyAt(c.Base(), y)
		v, gV := energyAt(potential.Charted(inner, c), y)
		want := u
		for j, q := range c.coordinates {
			slope := 1.0
			if q.logarithmic {
				slope = x[j]
				want -= y[j]
				g[j] -= 1 / x[j]
			}
			if w := g[j] * slope; math.Abs(gBase[j]+gV[j]-w) > 1e-9*(1+math.Abs(gBase[j])+math.Abs(w)) {
				t.Fatalf("∂/∂y%d: %v and %v, want %v", j, gBase[j], gV[j], w)
			}
		}
		if math.Abs(base+v-want) > 1e-9*(1+math.Abs(base)+math.Abs(v)) {
			t.Fatalf("energies %v and %v, want %v", base, v, want)
		}
	})
}

// unlike8 is a potential of eight parameters that are not alike.
func unlike8() potential.Potential {
	return potential.Func(8, func(grad, x []float64) float64 {
		u := 0.0
		for j, v := range x {
			a, next := float64(j+1), x[(j+1)%8]
			u += a*v*v/2 + 0.3*v*next
			grad[j] += a*v + 0.3*next
			grad[(j+1)%8] += 0.3 * v
		}
		return u
	})
}

// exp(−U₀) integrates to 1 over y: sums at 400,000 middles are good to 2e-3, also of
// densities with a jump at a cut. It kills the mass of a cut that is left out and the
// determinant.
func TestChartBaseIsNormalised(t *testing.T) {
	for _, c := range []struct {
		text   string
		mode   float64
		lo, hi float64
		want   bool // whether the coordinate is a logarithm
	}{
		{"normal(1, 0.5)", 4, 0, math.Inf(1), true}, {"normal(1, 0.5)", 1, 0, math.Inf(1), false},
		{"normal(1, 0.5)", 4, math.Inf(-1), math.Inf(1), false}, {"lognormal(-1, 1)", 3, math.Inf(-1), math.Inf(1), true},
		{"lognormal(-1, 1)", 3, 0.2, 0.9, false}, {"lognormal(-1, 1)", 3, -5, 0.9, true}, {"gamma(2.5, 3)", 2, 0, math.Inf(1), false},
		{"exponential(2)", 3, math.Inf(-1), math.Inf(1), true}, {"uniform(0, 3)", 3, math.Inf(-1), math.Inf(1), true},
		{"", 3, 0, 4, true}, {"", 3, -1, 4, false}, {"student_t(4, 1, 2)", 3, math.Inf(-1), 1.5, false},
		{"half_cauchy(1)", 3, 0, 50, true}, {"beta(2, 3)", 2.6, math.Inf(-1), math.Inf(1), true},
	} {
		chart := chartOf([]string{c.text}, []float64{c.mode}, []float64{c.lo}, []float64{c.hi})
		if chart == nil || chart.Logarithmic(0) != c.want {
			t.Errorf("%+v: logarithmic is not %v", c, c.want)
			continue
		}
		b := chart.Base().Evaluator(1, nil)
		energy, grad := make([]float64, 1), make([]float64, 1)
		const n = 400_000
		from, to := -60.0, 60.0
		if c.text == "student_t(4, 1, 2)" {
			from = -2000 // P below is 1e-11
		}
		sum := 0.0
		for k := range n {
			y := from + (to-from)*(float64(k)+0.5)/n
			if b.Eval(energy, grad, []float64{y}); !math.IsInf(energy[0], 1) {
				sum += math.Exp(-energy[0]) * (to - from) / n
			}
		}
		if math.Abs(sum-1) > 2e-3 {
			t.Errorf("%+v: the base law has mass %v", c, sum)
		}
	}
}

// Draws have the law of the priors, cut to the bounds, one coordinate independent of
// the other: Kolmogorov–Smirnov at 1e-7 each of five and correlations
// |r|√n < 5.4 (7e-8 each of ten). It kills draws in the wrong coordinates, one
// random number for all, and priors that are not cut.
func TestChartDraws(t *testing.T) {
	texts := []string{"normal(1, 0.5)", "lognormal(-1, 1)", "normal(0.05, 0.05)", "", "gamma(2, 3)"}
	inf := math.Inf(1)
	c := chartOf(texts, []float64{4, 4, 1, 1, 4}, []float64{0, -inf, 0, -1, 0.1}, []float64{inf, inf, inf, 2, 1.5})
	cdf := []func(x float64) float64{
		cutTo(distuv.Normal{Mu: 1, Sigma: 0.5}.CDF, 0, inf), distuv.LogNormal{Mu: -1, Sigma: 1}.CDF,
		cutTo(distuv.Normal{Mu: 0.05, Sigma: 0.05}.CDF, 0, inf), distuv.Uniform{Min: -1, Max: 2}.CDF,
		cutTo(distuv.Gamma{Alpha: 2, Beta: 3}.CDF, 0.1, 1.5),
	}
	const n = 20_000
	rng := rand.New(rand.NewPCG(7, 8))
	y, x := make([]float64, 5), make([]float64, 5)
	u := make([][]float64, 5)
	for range n {
		c.Draw(y, rng)
		c.Point(x, y)
		for j, v := range x {
			u[j] = append(u[j], cdf[j](v))
		}
	}
	for j := range u {
		for k := range j {
			r := 0.0
			for i := range n {
				r += 12 * (u[j][i] - 0.5) * (u[k][i] - 0.5) / n
			}
			if math.Abs(r)*math.Sqrt(n) > 5.4 {
				t.Errorf("parameters %d and %d are correlated: %.3f", j+1, k+1, r)
			}
		}
	}
	for j := range u {
		if p := diag.KSPValue(diag.KS(u[j], func(v float64) float64 { return v }), n); p < 1e-7 {
			t.Errorf("parameter %d: p = %.1g", j+1, p)
		}
	}
}

// cutTo is a distribution function on [lo, hi].
func cutTo(cdf func(float64) float64, lo, hi float64) func(float64) float64 {
	a, b := 0.0, 1.0
	if lo > 0 || lo == 0 && cdf(0) > 0 {
		a = cdf(lo)
	}
	if !math.IsInf(hi, 1) {
		b = cdf(hi)
	}
	return func(x float64) float64 { return (cdf(x) - a) / (b - a) }
}

// Coordinates and Point undo each other, Slopes is the derivative of Point, Covector
// turns gradients with it, and Point stays within the bounds whatever y is.
func TestChartMaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := anyChart(t)
		y := c.central(t)
		n := len(y)
		x, back := make([]float64, n), make([]float64, n)
		c.Point(x, y)
		c.Coordinates(back, x)
		slopes := c.Slopes(x)
		g := make([]float64, n)
		for j := range g {
			g[j] = float64(j) - 1.5
		}
		c.Covector(g, x)
		for j := range y {
			if math.Abs(back[j]-y[j]) > 1e-12*(1+math.Abs(y[j])) {
				t.Fatalf("coordinate %d: %v, back %v", j, y[j], back[j])
			}
			want := 1.0
			if c.Logarithmic(j) {
				want = math.Exp(y[j])
			}
			if math.Abs(slopes[j]-want) > 1e-12*want || math.Abs(g[j]-(float64(j)-1.5)*want) > 1e-12*want*float64(n) {
				t.Fatalf("coordinate %d: slope %v and covector %v, want %v", j, slopes[j], g[j], want)
			}
			y[j] = rapid.SampledFrom([]float64{-1e6, -50, 50, 700, 1e6}).Draw(t, "far")
		}
		c.Point(x, y)
		for j, v := range x {
			if lo, hi := c.coordinates[j].prior.Support(); !(v >= lo && v <= hi) {
				t.Fatalf("parameter %d is %v, beyond %v to %v", j, v, lo, hi)
			}
		}
	})
}

// There is no chart where a parameter has neither a prior nor both bounds, or a prior
// without mass within them. A parameter is a logarithm if it may be anything above 0
// and nothing below, and its mode is more than 2.5 standard deviations up.
func TestChartOfWhat(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		text   string
		lo, hi float64
	}{
		{"", -inf, inf}, {"", 0, inf}, {"", -inf, 1}, {"normal(0, 1)", 60, inf}, {"normal(0, 1)", -inf, -60},
		{"lognormal(0, 1)", -2, 0}, {"normal(0, 1)", 2, 1}, {"uniform(0, 1)", 2, 3},
	} {
		if chart := chartOf([]string{c.text, "normal(0, 1)"}, []float64{1, 1}, []float64{c.lo, -inf}, []float64{c.hi, inf}); chart != nil {
			t.Errorf("%+v has a chart", c)
		}
	}
	for mode, want := range map[float64]bool{2.49: false, 2.51: true, -4: false} {
		c := chartOf([]string{"", "half_normal(3)", "normal(3, 1)"}, []float64{mode, mode, mode}, []float64{0, -inf, 1e-6},
			[]float64{9, inf, inf})
		if c.Logarithmic(0) != want || c.Logarithmic(1) != want || c.Logarithmic(2) {
			t.Errorf("mode %g: logarithms %v %v %v", mode, c.Logarithmic(0), c.Logarithmic(1), c.Logarithmic(2))
		}
	}
	// Without a covariance there is nothing to be near.
	p := NewJoint(1)
	p.Set(0, must(Parse("lognormal(0, 1)")))
	if c := p.Chart([]float64{0.01}, []float64{0}, []float64{-inf}, []float64{inf}); c == nil || !c.Logarithmic(0) {
		t.Error("a positive parameter is no logarithm")
	}
}
