package diag_test

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/internal/pace"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"
)

// lehmer is the minimal standard generator of testdata/make-kde.py.
type lehmer int64

func (k *lehmer) uniform() float64 {
	*k = 16807 * *k % 2147483647
	return float64(*k) / 2147483647
}

// A mixture is normal laws, as (weight, mean, sd).
type mixture [][3]float64

// draws are n times its weight of each part in turn.
func (m mixture) draws(n int, k lehmer) []float64 {
	var out []float64
	for _, p := range m {
		for range int(math.Round(float64(n) * p[0])) {
			out = append(out, p[1]+p[2]*distuv.UnitNormal.Quantile(k.uniform()))
		}
	}
	return out
}

func (m mixture) density(x float64) float64 {
	f := 0.0
	for _, p := range m {
		f += p[0] * distuv.Normal{Mu: p[1], Sigma: p[2]}.Prob(x)
	}
	return f
}

// Bandwidths agree with ArviZ's and KDEpy's to the rounding of draws to their
// grid; 1e-3 kills a stage too few (1 %) and a range that is not the grid's.
// Densities at the means and a sd from them agree with direct sums; 1e-3 of the
// highest kills Silverman's bandwidth and a cell of shift.
func TestSheatherJonesReference(t *testing.T) {
	raw, err := os.ReadFile("testdata/kde.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []struct {
			Name              string
			N                 int
			Mixture           mixture
			Sum, ArviZ, KDEpy float64
			At, Density       []float64
		}
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	inf := math.Inf(1)
	for _, c := range file.Cases {
		x, sum := c.Mixture.draws(c.N, 2026), 0.0
		for _, v := range x {
			sum += v
		}
		if math.Abs(sum-c.Sum) > 1e-6 {
			t.Fatalf("%s: other draws than make-kde.py has: they sum to %g, not %g", c.Name, sum, c.Sum)
		}
		h := diag.SheatherJones(x, -inf, inf)
		for who, want := range map[string]float64{"ArviZ": c.ArviZ, "KDEpy": c.KDEpy} {
			if math.Abs(h/want-1) > 1e-3 {
				t.Errorf("%s: bandwidth %g, %s has %g", c.Name, h, who, want)
			}
		}
		d := diag.KDEWith(x, -inf, inf, c.ArviZ, 1<<14)
		for i, p := range c.At {
			if f := at(d, p); math.Abs(f-c.Density[i]) > 1e-3*slices.Max(c.Density) {
				t.Errorf("%s: density %g at %g, want %g", c.Name, f, p, c.Density[i])
			}
		}
	}
}

// The integrated squared error of two distant modes is near the best of any
// bandwidth (here 1.03 times): 1.3 times kills half and double the bandwidth
// (1.6 and 4 to 5). That of Silverman's rule is 60 and 290 times as large.
func TestSheatherJonesError(t *testing.T) {
	inf := math.Inf(1)
	for _, m := range []mixture{{{0.5, -2, 0.3}, {0.5, 2, 0.3}}, {{0.7, -3, 0.1}, {0.3, 3, 0.2}}} {
		x := m.draws(4000, 77)
		loss := func(h float64) float64 {
			d, sum := diag.KDEWith(x, -inf, inf, h, 4097), 0.0
			for i, v := range d.X {
				e := d.F[i] - m.density(v)
				sum += e * e * (d.X[1] - d.X[0])
			}
			return sum
		}
		h := diag.SheatherJones(x, -inf, inf)
		best := loss(h)
		for f := 0.25; f <= 4; f *= 1.2 {
			best = math.Min(best, loss(f*h))
		}
		if loss(h) > 1.3*best {
			t.Errorf("%v: error %.3g, the best is %.3g", m, loss(h), best)
		}
		if s := loss(diag.Bandwidth(x)); s < 30*loss(h) {
			t.Errorf("%v: error %.3g beside %.3g of Silverman's rule", m, loss(h), s)
		}
	}
}

// Half-normal draws with a wall at 0 are half of normal draws: their bandwidth is
// about that of both halves, for half as many. A quarter allows for the early
// stages, which know the number of draws in other powers, and kills one that
// takes the wall for a slope (a seventh as wide).
func TestSheatherJonesAtAWall(t *testing.T) {
	inf := math.Inf(1)
	var half, both []float64
	for _, v := range (mixture{{1, 0, 1}}).draws(5000, 5) {
		half, both = append(half, math.Abs(v)), append(both, v, -v)
	}
	h := diag.SheatherJones(half, 0, inf)
	all := diag.SheatherJones(both, -inf, inf) * math.Pow(2, 0.2)
	if math.Abs(h/all-1) > 0.25 {
		t.Errorf("bandwidth %g at a wall, %g of the mirrored draws", h, all)
	}
	if d := diag.KDEWith(half, 0, inf, h, 400); math.Abs(d.F[0]/0.798-1) > 0.1 {
		t.Errorf("density %g at the wall, want 0.798", d.F[0])
	}
}

// Shifted and scaled draws have the scaled bandwidth; whatever the draws, the
// bandwidth is positive and a density can be drawn with it.
func TestSheatherJonesOfAnything(t *testing.T) {
	pace.Slow(t)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 300).Draw(t, "n")
		k := lehmer(rapid.IntRange(1, 1<<30).Draw(t, "seed"))
		power := rapid.Float64Range(0.1, 12).Draw(t, "tail")
		digits := rapid.SampledFrom([]float64{1, 10, 1e6}).Draw(t, "digits")
		x, y := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i] = math.Round(digits*math.Pow(k.uniform(), -power)) / digits
			y[i] = 4 * x[i]
		}
		inf := math.Inf(1)
		h := diag.SheatherJones(x, -inf, inf)
		if !(h > 0) {
			t.Fatalf("bandwidth %g", h)
		}
		if g := diag.SheatherJones(y, -inf, inf); math.Abs(g/h-4) > 1e-6 {
			t.Fatalf("bandwidth %g of draws, %g of four times them", h, g)
		}
		if d := diag.KDEWith(x, -inf, inf, h, 100); len(d.F) != 100 || slices.ContainsFunc(d.F, math.IsNaN) {
			t.Fatalf("%d points", len(d.F))
		}
	})
}
func BenchmarkSheatherJones(b *testing.B) {
	x := mixture{{0.5, -2, 0.3}, {0.5, 2, 0.3}}.draws(40000, 1)
	for b.Loop() {
		diag.SheatherJones(x, math.Inf(-1), math.Inf(1))
	}
}
