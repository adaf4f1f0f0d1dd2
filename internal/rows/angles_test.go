package rows

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"

	"github.com/r2sgld/r2sgld/internal/vector"
)

// Angles are summed up as the same numbers wherever the circle is cut: turned by any angle, the means
// of their draws, the draws about them and what was observed turn with it. So do those of other laws
// of a mixture.
// Mutants: means on the line; draws that are not unrolled; an observation that is not.
func TestAnglesAreUnrolled(t *testing.T) {
	const n, of = 500, 3
	p := build(t, model([]Parameter{{Name: "m", Prior: "normal(0, 1)"}},
		"y ~ mix(0.5, von_mises(m, 30), 0.5, von_mises(m + 1, 30))"), "y\n0.5\n1.1\n-0.2\n")
	o := p.Outcomes.Of[0]
	rng := rand.New(rand.NewPCG(3, 1))
	drawn := make([][]float64, n)
	for k := range drawn {
		for row := range of {
			drawn[k] = append(drawn[k], 0.4*float64(row)+0.5*rng.NormFloat64())
		}
	}
	drawn[7][1] = math.NaN()
	mean, _, straight := o.Straight(drawn)
	for row := range of {
		sin, cos := 0.0, 0.0
		for _, d := range drawn {
			if v := d[row]; v == v {
				sin, cos = sin+math.Sin(v), cos+math.Cos(v)
			}
		}
		if want := math.Atan2(sin, cos); !(math.Abs(mean[row]-want) < 1e-12) {
			t.Errorf("row %d: mean %v, want %v", row, mean[row], want)
		}
		for k, d := range drawn {
			if v := straight[k][row]; v == v && !(math.Abs(v-d[row]) < 1e-12) {
				t.Fatalf("%v became %v", d[row], v)
			}
		}
	}
	for _, by := range []float64{2, math.Pi - 0.4, math.Pi, -3, 100} {
		turned := o
		var values vector.Doubles
		for _, v := range o.Values() {
			values = append(values, angle.turned(v+by))
		}
		turned.numbers.each = values
		var cut [][]float64
		for _, d := range drawn {
			d = slices.Clone(d)
			for row := range d {
				d[row] = angle.turned(d[row] + by)
			}
			cut = append(cut, d)
		}
		m, observed, all := turned.Straight(cut)
		whole := m[0] - mean[0] - by // so many turns, the same of all
		if !(math.Abs(math.Remainder(whole, 2*math.Pi)) < 1e-12*(1+by*by)) {
			t.Errorf("turned by %g: the mean turns by %v", by, m[0]-mean[0])
		}
		same := func(a, b float64) bool { return math.Abs(a-b-by-whole) < 1e-12*(1+by*by) }
		for row := range of {
			if !same(m[row], mean[row]) || !same(observed[row], o.Values()[row]) {
				t.Errorf("turned by %g, row %d: mean %v, observed %v", by, row, m[row], observed[row])
			}
			for k := range all {
				if v := straight[k][row]; v == v && !same(all[k][row], v) {
					t.Fatalf("turned by %g, row %d: %v became %v", by, row, v, all[k][row])
				}
			}
		}
	}
}

// Numbers that are no angles stay as they are.
func TestNumbersStay(t *testing.T) {
	o := build(t, model([]Parameter{{Name: "m", Prior: "normal(0, 1)"}}, "y ~ normal(m, 1)"), "y\n9\n1\n").Outcomes.Of[0]
	drawn := [][]float64{{4, 1}, {-9, math.NaN()}}
	if mean, same, as := o.Straight(drawn); same[0] != 9 || &as[0] != &drawn[0] || mean[0] != -2.5 || mean[1] != 1 {
		t.Error("numbers that are no angles changed")
	}
}

// Angles are drawn in (−π, π] wherever their mean is, and those of priors all around between the
// walls that cut the circle: their distribution function stays within Kolmogorov's bound at 1e-7.
// Mutants: angles about a mean; priors that are cut off on one side.
func TestAnglesAreDrawnBetweenWalls(t *testing.T) {
	const n = 20_000
	bound := 3/math.Sqrt(n) + 4.0/n
	for _, c := range []struct{ lo, mu float64 }{{-math.Pi, 3}, {0, 0.3}, {0, -1}, {0, 40}, {-20, 2}} {
		p := build(t, model([]Parameter{{Name: "m", Prior: "normal(0, 1)"},
			{Name: "a", Prior: "von_mises(m, 2.5)", Min: c.lo, Max: c.lo + 2*math.Pi}}, "y ~ von_mises(a, 1)"), "y\n1\n2\n")
		lo, hi := slices.Clone(p.Prior.Lower), slices.Clone(p.Prior.Upper)
		f, _ := p.family(lo, hi)
		rng := rand.New(rand.NewPCG(5, 1))
		var y []float64
		for range n {
			x := make([]float64, 2)
			f.draw(x, rng)
			if !(x[1] >= lo[1] && x[1] <= hi[1]) {
				t.Fatalf("a prior between %v and %v drew %v", lo[1], hi[1], x[1])
			}
			// the angle from its mean, as a number on a circle that is cut at the wall
			y = append(y, angle.between(x[1]-x[0], 0, 2*math.Pi))
			if v := vonMises([]float64{c.mu + x[0], 2.5}, rng); !(v > -math.Pi && v <= math.Pi) {
				t.Fatalf("von_mises(%v, 2.5) drew %v", c.mu+x[0], v)
			}
		}
		slices.Sort(y)
		density := logDensities(t, "von_mises(0, 2.5)")
		worst, p0 := 0.0, 0.0
		for k := range y {
			from := 0.0
			if k > 0 {
				from = y[k-1]
			}
			p0 += quad.Fixed(func(v float64) float64 { return math.Exp(density(v)) }, from, y[k], 8, nil, 0)
			worst = max(worst, math.Abs(p0-float64(k)/n))
		}
		if !(worst < bound) {
			t.Errorf("%+v: the distribution functions differ by %.4f, bound %.4f", c, worst, bound)
		}
	}
}
