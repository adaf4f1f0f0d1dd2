package reversible_test

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/internal/reversible"
)

// drawn is a connected chain whose masses and weights span the given powers of ten.
func drawn(t *rapid.T, most int, powers float64) *reversible.Chain {
	n := rapid.IntRange(2, most).Draw(t, "states")
	power := rapid.Float64Range(-powers/2, powers/2)
	mass := make([]float64, n)
	var edges []reversible.Edge
	for i := range mass {
		mass[i] = math.Pow(10, power.Draw(t, "log mass"))
		if i > 0 {
			to := rapid.IntRange(0, i-1).Draw(t, "neighbour")
			edges = append(edges, reversible.Edge{I: i, J: to, Weight: math.Pow(10, power.Draw(t, "log weight"))})
		}
	}
	return must(must(reversible.New(mass, edges)).Plus(extra(t, n, powers)))
}

// extra is up to n edges.
func extra(t *rapid.T, n int, powers float64) (edges []reversible.Edge) {
	for range rapid.IntRange(0, n).Draw(t, "extra edges") {
		i, j := rapid.IntRange(0, n-1).Draw(t, "i"), rapid.IntRange(0, n-2).Draw(t, "j")
		if j >= i {
			j++
		}
		w := math.Pow(10, rapid.Float64Range(-powers/2, powers/2).Draw(t, "log weight"))
		edges = append(edges, reversible.Edge{I: i, J: j, Weight: w})
	}
	return edges
}

func function(t *rapid.T, n int) []float64 {
	return rapid.SliceOfN(rapid.Float64Range(-1, 1), n, n).Draw(t, "function")
}

func mean(c *reversible.Chain, f []float64) float64 {
	sum := 0.0
	for i, m := range c.Mass() {
		sum += m * f[i]
	}
	return sum
}

func product(c *reversible.Chain, f, g []float64) float64 {
	sum := 0.0
	for i, m := range c.Mass() {
		sum += m * f[i] * g[i]
	}
	return sum
}

// distance is that of L²(π).
func distance(c *reversible.Chain, f, g []float64) float64 {
	d := make([]float64, len(f))
	for i := range d {
		d[i] = f[i] - g[i]
	}
	return math.Sqrt(product(c, d, d))
}

// TestReversible has tolerances that a rate of c_ij/π_j, or columns of a row out
// of order, exceed at once.
func TestReversible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawn(t, 12, 6), drawn(t, 12, 6)
		p := reversible.Product(a, b)
		c := must(p.Plus(extra(t, p.Len(), 6)))
		for _, c := range []*reversible.Chain{a, p, c} {
			if d := c.Defect(); d > 1e-15 {
				t.Fatalf("defect %g", d)
			}
			if s := mean(c, ones(c.Len())); math.Abs(s-1) > 1e-13 {
				t.Fatalf("masses sum to %g", s)
			}
			f, g := function(t, c.Len()), function(t, c.Len())
			lf, lg := make([]float64, c.Len()), make([]float64, c.Len())
			c.Apply(lf, f)
			c.Apply(lg, g)
			size := math.Sqrt(product(c, lf, lf)*product(c, g, g)) + math.Sqrt(product(c, lg, lg)*product(c, f, f))
			if d := product(c, lf, g) - product(c, f, lg); math.Abs(d) > 1e-13*size+1e-100 {
				t.Fatalf("⟨Lf, g⟩ − ⟨f, Lg⟩ = %g of %g", d, size)
			}
			if d := c.Form(f) + product(c, f, lf); math.Abs(d) > 1e-12*size+1e-12*c.Form(f)+1e-100 {
				t.Fatalf("form %g, −⟨f, Lf⟩ = %g", c.Form(f), -product(c, f, lf))
			}
			if d := math.Abs(mean(c, lf)); d > 1e-13*math.Sqrt(product(c, lf, lf))+1e-100 {
				t.Fatalf("mean of Lf is %g", d)
			}
		}
	})
}

func ones(n int) []float64 {
	f := make([]float64, n)
	for i := range f {
		f[i] = 1
	}
	return f
}

// TestProductGenerator compares with the sum of the two generators.
func TestProductGenerator(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawn(t, 8, 4), drawn(t, 8, 4)
		p := reversible.Product(a, b)
		f := function(t, p.Len())
		got, want := make([]float64, p.Len()), make([]float64, p.Len())
		p.Apply(got, f)
		la, lb := make([]float64, a.Len()), make([]float64, b.Len())
		for i := range a.Len() {
			b.Apply(lb, f[i*b.Len():(i+1)*b.Len()])
			for j := range b.Len() {
				want[i*b.Len()+j] += lb[j]
			}
		}
		for j := range b.Len() {
			column := make([]float64, a.Len())
			for i := range column {
				column[i] = f[i*b.Len()+j]
			}
			a.Apply(la, column)
			for i := range column {
				want[i*b.Len()+j] += la[i]
			}
		}
		// A weight without the other's mass misses by far more.
		if d := distance(p, got, want); d > 1e-12*math.Sqrt(product(p, want, want))+1e-12 {
			t.Fatalf("generators differ by %g", d)
		}
	})
}

func TestScale(t *testing.T) {
	c := must(reversible.New([]float64{1, 3}, []reversible.Edge{{I: 0, J: 1, Weight: 2}, {I: 1, J: 0, Weight: 4}, {I: 0, J: 1}}))
	f := make([]float64, 2)
	c.Apply(f, []float64{0, 1})
	if f[0] != 6 || f[1] != -2 || c.Mass()[0] != 0.25 {
		t.Fatalf("rates %v under law %v: expected 6 and 2 under 1/4, 3/4", f, c.Mass())
	}
	c = must(c.Plus([]reversible.Edge{{I: 1, J: 0, Weight: 0.25}}))
	c.Apply(f, []float64{0, 1})
	if f[0] != 7 || f[1] != -2-1.0/3 {
		t.Fatalf("rates %v after more exchange: expected 7 and 7/3", f)
	}
}

func TestErrors(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		mass  []float64
		edges []reversible.Edge
		want  string
	}{
		{[]float64{1, 1, 1, 1}, []reversible.Edge{{I: 0, J: 1, Weight: 1}, {I: 1, J: 2}}, "3 parts"},
		{[]float64{1, 0}, nil, "state 1 is 0"},
		{[]float64{1, nan}, nil, "state 1 is NaN"},
		{[]float64{inf, 1}, nil, "state 0 is +Inf"},
		{[]float64{1e308, 1e308}, nil, "overflow"},
		{[]float64{1e-300, 1e100}, []reversible.Edge{{I: 0, J: 1, Weight: 1}}, "too little"},
		{[]float64{1}, nil, "at least 2"},
		{[]float64{1, 1}, []reversible.Edge{{I: 0, J: 2, Weight: 1}}, "numbered 0 to 1"},
		{[]float64{1, 1}, []reversible.Edge{{I: -1, J: 1, Weight: 1}}, "numbered 0 to 1"},
		{[]float64{1, 1}, []reversible.Edge{{I: 1, J: 1, Weight: 1}}, "to itself"},
		{[]float64{1, 1}, []reversible.Edge{{I: 0, J: 1, Weight: -1}}, "weight -1"},
		{[]float64{1, 1}, []reversible.Edge{{I: 0, J: 1, Weight: nan}}, "weight NaN"},
	} {
		if _, err := reversible.New(c.mass, c.edges); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("New(%v, %v): error %v, expected %q", c.mass, c.edges, err, c.want)
		}
	}
	two := must(reversible.New([]float64{1, 1}, []reversible.Edge{{I: 0, J: 1, Weight: 1}}))
	if _, err := two.Plus([]reversible.Edge{{I: 0, J: 5, Weight: 1}}); err == nil {
		t.Error("an edge to a state that does not exist was taken")
	}
	for _, k := range []int{-1, 0, 2} {
		if _, err := two.Spectrum(t.Context(), k); err == nil {
			t.Errorf("%d eigenvalues of two states", k)
		}
	}
	for _, f := range [][]float64{nil, {1}, {1, nan}, {1, 2, 3}} {
		if _, err := two.Solve(t.Context(), f); err == nil {
			t.Errorf("Solve(%v) was taken", f)
		}
		if _, err := two.Evolve(t.Context(), f, []float64{1}); err == nil {
			t.Errorf("Evolve(%v) was taken", f)
		}
	}
	for _, times := range [][]float64{{-1}, {2, 1}, {nan}, {inf}} {
		if _, err := two.Evolve(t.Context(), []float64{1, 2}, times); err == nil {
			t.Errorf("Evolve at %v was taken", times)
		}
	}
}
