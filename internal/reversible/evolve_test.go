package reversible_test

import (
	"context"
	"math"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/reversible"
)

func evolve(t interface {
	Fatal(...any)
	Helper()
}, c *reversible.Chain, f []float64, times ...float64) [][]float64 {
	t.Helper()
	u, err := c.Evolve(context.Background(), f, times)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// TestTwoStates: with rates a and b all goes like e^{−(a+b)t}.
func TestTwoStates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.Float64Range(0.001, 0.999).Draw(t, "mass")
		w := math.Pow(10, rapid.Float64Range(-9, 9).Draw(t, "log weight"))
		c := must(reversible.New([]float64{p, 1 - p}, []reversible.Edge{{I: 0, J: 1, Weight: w}}))
		rate := w/p + w/(1-p)
		if s := spectrum(t, c, 1); !near(s.Values[0], rate, 1e-13) {
			t.Fatalf("gap %.15g, expected %.15g", s.Values[0], rate)
		}
		f := []float64{1 / p, 0}
		for _, x := range []float64{0, 1e-12, 1e-3, 1, 5, 30, 1e9} {
			u := evolve(t, c, f, x/rate)[0]
			decay := math.Exp(-x)
			if math.Abs(u[1]+math.Expm1(-x)) > 1e-13 || math.Abs(p*u[0]-p-(1-p)*decay) > 1e-13 {
				t.Fatalf("at %g relaxation times: %v, expected %v and %v", x, u, 1+(1-p)/p*decay, -math.Expm1(-x))
			}
		}
		u, err := c.Solve(context.Background(), f)
		if err != nil {
			t.Fatal(err)
		}
		if want := (f[0] - 1) / rate; math.Abs(u[0]-want) > 1e-12*math.Abs(want) || math.Abs(mean(c, u)) > 1e-14*math.Abs(want) {
			t.Fatalf("solution %v: expected %g first", u, want)
		}
	})
}

// exact is e^{tL} f from the dense decomposition, its mean apart.
func exact(c *reversible.Chain, f []float64, time float64) []float64 {
	value, function := dense(c)
	u, m := make([]float64, len(f)), mean(c, f)
	for i := range u {
		u[i] = f[i] - m
	}
	v := make([]float64, len(f))
	for i := range v {
		v[i] = m
	}
	for k := 1; k < len(value); k++ {
		a := product(c, u, function[k]) * math.Exp(-time*value[k])
		for i := range v {
			v[i] += a * function[k][i]
		}
	}
	return v
}

// TestEvolveAgainstDense: a Krylov space that stops a step early, forgets a pole
// or loses orthogonality misses by more than 1e-9 of the distance to equilibrium.
func TestEvolveAgainstDense(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawn(t, 60, 2)
		f := function(t, c.Len())
		if rapid.Bool().Draw(t, "point mass") {
			clear(f)
			i := rapid.IntRange(0, c.Len()-1).Draw(t, "point")
			f[i] = 1 / c.Mass()[i]
		}
		flat := ones(c.Len())
		for i := range flat {
			flat[i] = mean(c, f)
		}
		times := rapid.SliceOfN(rapid.Float64Range(-7, 4), 1, 6).Draw(t, "log times")
		for i := range times {
			times[i] = math.Pow(10, times[i])
		}
		slices.Sort(times)
		for i, u := range evolve(t, c, f, times...) {
			want := exact(c, f, times[i])
			if d := distance(c, u, want); d > 1e-9*distance(c, want, flat)+1e-11*distance(c, f, flat)+1e-12 {
				t.Fatalf("at %g: off by %g of %g from %g", times[i], d, distance(c, want, flat), distance(c, f, flat))
			}
		}
	})
}

// A constant has the solution 0, whatever rounding makes of its mean; one that is constant
// but for the last of its digits has that of these digits. With means taken once, the right
// side sums to 0 up to the rounding of the constant, and the system has no solution.
func TestSolveAlmostConstant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawn(t, 20, 2)
		constant := rapid.Float64Range(-1e3, 1e3).Draw(t, "constant")
		f := make([]float64, c.Len())
		for i := range f {
			f[i] = constant
		}
		u, err := c.Solve(context.Background(), f)
		if err != nil || slices.ContainsFunc(u, func(v float64) bool { return v != 0 }) {
			t.Fatalf("of %g: %v, %v", constant, u, err)
		}
		rest := make([]float64, c.Len())
		for i, v := range function(t, c.Len()) {
			f[i] = 1 + 1e-12*v
			rest[i] = f[i] - 1
		}
		if u, err = c.Solve(context.Background(), f); err != nil {
			t.Fatal(err)
		}
		v, err := c.Solve(context.Background(), rest)
		if err != nil {
			t.Fatal(err)
		}
		for i := range u {
			v[i] -= u[i]
		}
		// less than four times the rounding of 1 counts as nothing
		if slices.Max(rest)-slices.Min(rest) > 1e-14 && c.Form(v) > 1e-20*c.Form(u) {
			t.Fatalf("off by %g of %g", math.Sqrt(c.Form(v)), math.Sqrt(c.Form(u)))
		}
	})
}

// TestSolveAgainstDense likewise.
func TestSolveAgainstDense(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawn(t, 300, 8)
		f := function(t, c.Len())
		u, err := c.Solve(context.Background(), f)
		if err != nil {
			t.Fatal(err)
		}
		lu := make([]float64, c.Len())
		c.Apply(lu, u)
		m := mean(c, f)
		// ⟨u, f − m⟩ = E(u) to second order; a point's own equation to its rates
		work := 0.0
		for i, v := range f {
			work += c.Mass()[i] * u[i] * (v - m)
		}
		if !near(work, c.Form(u), 1e-10) && c.Form(u) > 1e-28 {
			t.Fatalf("⟨u, f⟩ = %.15g, E(u) = %.15g", work, c.Form(u))
		}
		// another solution differs by little in the norm of the form
		g := slices.Clone(u)
		for i := range g {
			g[i] = f[i] - m + lu[i]
		}
		v, err := c.Solve(context.Background(), g)
		if err != nil {
			t.Fatal(err)
		}
		if d := c.Form(v); d > 1e-18*c.Form(u) && d > 1e-28 {
			t.Fatalf("residual %g in the dual norm, of %g", math.Sqrt(d), math.Sqrt(c.Form(u)))
		}
	})
}

// TestSemigroup: e^{(s+t)L} = e^{tL} e^{sL} on a plane domain with slivers, from a
// point mass; mean and sign stay, and the distance to equilibrium falls.
func TestSemigroup(t *testing.T) {
	pace.Slow(t)
	c := flower(80, 10, modes25)
	f := make([]float64, c.Len())
	at := c.Len() / 3
	f[at] = 1 / c.Mass()[at]
	times := []float64{1e-6, 1e-3, 0.1, 1, 1.5, 30}
	all := evolve(t, c, f, times...)
	last := distance(c, f, ones(c.Len()))
	for i, u := range all {
		if m := mean(c, u); math.Abs(m-1) > 1e-13 {
			t.Errorf("at %g the mean is 1 + %g", times[i], m-1)
		}
		if low := slices.Min(u); low < 0 {
			t.Errorf("at %g the least density is %g", times[i], low)
		}
		now := distance(c, u, ones(c.Len()))
		if now > last {
			t.Errorf("at %g the distance rises from %g to %g", times[i], last, now)
		}
		last = now
	}
	for i, s := range times[:4] {
		u := evolve(t, c, all[i], 1.5-s)[0]
		if d := distance(c, u, all[4]); d > 1e-9*distance(c, all[4], ones(c.Len())) {
			t.Errorf("e^{1.5L} by way of %g differs by %g", s, d)
		}
	}
	gap := spectrum(t, c, 1).Values[0]
	ratio := distance(c, all[5], ones(c.Len())) / distance(c, all[4], ones(c.Len()))
	if rate := -math.Log(ratio) / (times[5] - times[4]); rate < gap {
		t.Errorf("decay at rate %g, slower than the gap %g", rate, gap)
	}
}

// TestModesDecay: each mode found decays at its own rate, also where others are
// 1e12 times as fast.
func TestModesDecay(t *testing.T) {
	c := flower(60, 12, modes25)
	s := spectrum(t, c, 5)
	for i, f := range s.Functions {
		for _, x := range []float64{1e-3, 1, 20} {
			u := evolve(t, c, f, x/s.Values[i])[0]
			if d := product(c, u, f); !near(d, math.Exp(-x), 1e-8) {
				t.Errorf("mode %d at %g relaxation times: %g, expected %g", i+1, x, d, math.Exp(-x))
			}
		}
	}
}

// TestTimes: none, zero, repeated, far apart, and none that moves a constant.
func TestTimes(t *testing.T) {
	c := flat(50, 1, 1)
	f := make([]float64, 50)
	f[0] = 50
	if u := evolve(t, c, f); len(u) != 0 {
		t.Errorf("%d results at no time", len(u))
	}
	u := evolve(t, c, f, 0, 0, 1e-300, 1e-9, 0.1, 0.1, 0.1+1e-9, 1e300)
	if !slices.Equal(u[0], f) || !slices.Equal(u[1], f) || !slices.Equal(u[4], u[5]) {
		t.Error("equal times have different results")
	}
	for i, want := range map[int][]float64{2: f, 6: u[5], 7: ones(50)} {
		if d := distance(c, u[i], want); d > 1e-6 {
			t.Errorf("result %d is off by %g", i, d)
		}
	}
	for _, v := range evolve(t, c, ones(50), 1, 2)[1] {
		if v != 1 {
			t.Fatalf("a constant became %g", v)
		}
	}
}

// TestTogether uses one chain from several goroutines.
func TestTogether(t *testing.T) {
	c := flower(24, 3, modes25)
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			s, err := c.Spectrum(context.Background(), 2)
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := c.Evolve(context.Background(), s.Functions[0], []float64{1}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}
