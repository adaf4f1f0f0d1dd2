package reversible_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/reversible"
)

func spectrum(t interface {
	Fatal(...any)
	Helper()
}, c *reversible.Chain, k int) *reversible.Spectrum {
	t.Helper()
	s, err := c.Spectrum(context.Background(), k)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func near(got, want, relative float64) bool { return math.Abs(got-want) <= relative*math.Abs(want) }

// flat has n equal cells of [0, length] at temperature tau, without energy.
func flat(n int, length, tau float64) *reversible.Chain {
	h := length / float64(n)
	mass := make([]float64, n)
	var edges []reversible.Edge
	for i := range mass {
		mass[i] = h
		if i > 0 {
			edges = append(edges, reversible.Edge{I: i - 1, J: i, Weight: tau / h})
		}
	}
	return must(reversible.New(mass, edges))
}

// TestIntervalExact knows the discrete eigenvalues; a coarse level with a wrong
// network, or convergence of the values alone, leaves more than 1e-10.
func TestIntervalExact(t *testing.T) {
	pace.Slow(t)
	for _, n := range []int{2, 3, 7, 100, 400, 20000} {
		const length, tau = 2, 3
		s := spectrum(t, flat(n, length, tau), min(3, n-1))
		h := length / float64(n)
		for i, v := range s.Values {
			want := 4 * tau / (h * h) * math.Pow(math.Sin(float64(i+1)*math.Pi*h/(2*length)), 2)
			if !near(v, want, 1e-11) {
				t.Errorf("%d cells, eigenvalue %d: %.15g, expected %.15g", n, i+1, v, want)
			}
			// the cosine of the cell centres, by its angle to the function found
			f := make([]float64, n)
			for j := range f {
				f[j] = math.Sqrt2 * math.Cos(float64(i+1)*math.Pi*(float64(j)+0.5)/float64(n))
			}
			if a := math.Abs(product(flat(n, length, tau), f, s.Functions[i])); !near(a, 1, 1e-12) {
				t.Errorf("%d cells, function %d is off by an angle of %g", n, i+1, math.Acos(a))
			}
		}
	}
}

func TestThreeStates(t *testing.T) {
	// masses 1/3 and rates 1 along a path: 1 and 3
	c := must(reversible.New(ones(3), []reversible.Edge{{I: 0, J: 1, Weight: 1}, {I: 1, J: 2, Weight: 1}}))
	s := spectrum(t, c, 2)
	if !near(s.Values[0], 1, 1e-14) || !near(s.Values[1], 3, 1e-14) {
		t.Fatalf("eigenvalues %v: expected 1 and 3", s.Values)
	}
	slow, fast := math.Sqrt(1.5), math.Sqrt(0.5)
	for i, want := range [][]float64{{slow, 0, -slow}, {fast, -2 * fast, fast}} {
		if d := distance(c, s.Functions[i], want); d > 1e-14 {
			t.Errorf("function %d is %v: expected %v", i, s.Functions[i], want)
		}
	}
}

// dense is the full decomposition of −L by gonum.
func dense(c *reversible.Chain) (value []float64, function [][]float64) {
	n := c.Len()
	a := mat.NewSymDense(n, nil)
	f, lf := make([]float64, n), make([]float64, n)
	for j := range n {
		f[j] = 1
		c.Apply(lf, f)
		f[j] = 0
		for i := range j + 1 {
			a.SetSym(i, j, -lf[i]*math.Sqrt(c.Mass()[i]/c.Mass()[j]))
		}
	}
	var e mat.EigenSym
	if !e.Factorize(a, true) {
		panic("no decomposition")
	}
	var v mat.Dense
	e.VectorsTo(&v)
	for k := range n {
		u := make([]float64, n)
		for i := range u {
			u[i] = v.At(i, k) / math.Sqrt(c.Mass()[i])
		}
		function = append(function, u)
	}
	return e.Values(nil), function
}

// TestAgainstDense asks for all or some of the modes. The dense decomposition is
// right to rounding of the largest eigenvalue.
func TestAgainstDense(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawn(t, 40, 4)
		n := c.Len()
		k := rapid.IntRange(1, n-1).Draw(t, "k")
		s := spectrum(t, c, k)
		want, _ := dense(c)
		for i, v := range s.Values {
			if math.Abs(v-want[i+1]) > 1e-10*want[i+1]+1e-13*want[n-1] {
				t.Fatalf("eigenvalue %d of %d is %.15g: expected %.15g", i+1, k, v, want[i+1])
			}
		}
		orthonormal(t, c, s)
		if more := spectrum(t, must(c.Plus(extra(t, n, 4))), 1); more.Values[0] < s.Values[0]*(1-1e-12) {
			t.Fatalf("more exchange lowers the gap from %.15g to %.15g", s.Values[0], more.Values[0])
		}
	})
}

// orthonormal checks scalar products, means and Rayleigh quotients.
func orthonormal(t interface {
	Fatalf(string, ...any)
	Helper()
}, c *reversible.Chain, s *reversible.Spectrum) {
	t.Helper()
	for i, f := range s.Functions {
		if m := mean(c, f); math.Abs(m) > 1e-12 {
			t.Fatalf("function %d has mean %g", i+1, m)
		}
		if !near(c.Form(f), s.Values[i], 1e-12) {
			t.Fatalf("function %d has form %g, eigenvalue %g", i+1, c.Form(f), s.Values[i])
		}
		for j, g := range s.Functions[:i+1] {
			want := 0.0
			if i == j {
				want = 1
			}
			if d := product(c, f, g) - want; math.Abs(d) > 1e-11 {
				t.Fatalf("functions %d and %d: product off by %g", i+1, j+1, d)
			}
		}
	}
}

// TestRepeated finds every copy of repeated eigenvalues.
func TestRepeated(t *testing.T) {
	var edges []reversible.Edge
	const n = 30
	for i := range n {
		for j := range i {
			edges = append(edges, reversible.Edge{I: i, J: j, Weight: 1})
		}
	}
	complete := must(reversible.New(ones(n), edges)) // n, n − 1 times
	for _, v := range spectrum(t, complete, n-1).Values {
		if !near(v, n, 1e-12) {
			t.Fatalf("eigenvalue %g of the complete graph: expected %d", v, n)
		}
	}
	side := flat(60, 1, 1)
	one := append([]float64{0}, spectrum(t, side, 6).Values...)
	var sums []float64
	for _, a := range one {
		for _, b := range one {
			sums = append(sums, a+b)
		}
	}
	slices.Sort(sums)
	square := reversible.Product(side, side)
	s := spectrum(t, square, 12)
	for i, v := range s.Values {
		if !near(v, sums[i+1], 1e-10) {
			t.Errorf("eigenvalue %d of the square: %.15g, expected %.15g", i+1, v, sums[i+1])
		}
	}
	orthonormal(t, square, s)
}

// TestProductSpectrum: the eigenvalues of independent processes are sums.
func TestProductSpectrum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawn(t, 10, 4), drawn(t, 20, 4)
		all := func(c *reversible.Chain) []float64 {
			return append([]float64{0}, spectrum(t, c, c.Len()-1).Values...)
		}
		var sums []float64
		for _, x := range all(a) {
			for _, y := range all(b) {
				sums = append(sums, x+y)
			}
		}
		slices.Sort(sums)
		k := min(6, len(sums)-1)
		for i, v := range spectrum(t, reversible.Product(a, b), k).Values {
			if !near(v, sums[i+1], 1e-10) {
				t.Fatalf("eigenvalue %d: %.15g, expected %.15g", i+1, v, sums[i+1])
			}
		}
	})
}

// TestSwaps: without exchange the gap is the smaller one; it grows with it. The
// largest r finds no modes where pairs are aggregated as if smoothing met pairs.
func TestSwaps(t *testing.T) {
	n := 40
	if pace.Soaking() {
		n = 300
	}
	cold, hot := interval(n, double, 1), interval(n, double, 5)
	p := reversible.Product(cold, hot)
	last := 0.0
	for i, r := range []float64{0, 0.01, 1, 100, 1e4, 1e8} {
		c := must(p.Plus(swaps(p, n, r)))
		s := spectrum(t, c, 5)
		orthonormal(t, c, s)
		if want := spectrum(t, cold, 1).Values[0]; i == 0 && !near(s.Values[0], want, 1e-10) {
			t.Errorf("gap %.15g without exchange: expected %.15g", s.Values[0], want)
		}
		if s.Values[0] < last*(1-1e-11) {
			t.Errorf("gap falls from %.15g to %.15g at r = %g", last, s.Values[0], r)
		}
		last = s.Values[0]
	}
}

// path joins neighbours.
func path(mass, weight []float64) *reversible.Chain {
	var edges []reversible.Edge
	for i, w := range weight {
		edges = append(edges, reversible.Edge{I: i, J: i + 1, Weight: w})
	}
	return must(reversible.New(mass, edges))
}

// pathGap is its gap by inverse iteration, with flows summed from the lighter
// side, where nothing cancels.
func pathGap(mass, weight []float64) float64 {
	c := path(mass, weight)
	total := 0.0
	for _, m := range mass {
		total += m
	}
	n := c.Len()
	f, g, left, right := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n+1)
	for i := range f {
		f[i] = float64(i)
	}
	for range 60 {
		share, sum := 0.0, mean(c, f)
		for i := n - 1; i >= 0; i-- {
			f[i] -= sum
			right[i] = right[i+1] + c.Mass()[i]*f[i]
		}
		for i := range n - 1 {
			share += c.Mass()[i]
			left[i+1] = left[i] + c.Mass()[i]*f[i]
			flow := left[i+1]
			if share > 0.5 {
				flow = -right[i+1]
			}
			g[i+1] = g[i] + flow/(weight[i]/total)
		}
		m := mean(c, g)
		for i := range g {
			g[i] -= m
		}
		size := math.Sqrt(product(c, g, g))
		for i := range f {
			f[i] = -g[i] / size
		}
	}
	return c.Form(f)
}

// TestDeepWells has gaps down to 1e-12 of the next eigenvalue, and tails of mass
// down to e^{−270}. A last level fixed at a light state finds no modes at all.
func TestDeepWells(t *testing.T) {
	const n = 300
	for _, depth := range []float64{3, 10, 20, 30} {
		u := func(x float64) float64 { return depth*(x*x-1)*(x*x-1) + 0.1*x }
		h := 4.0 / n
		mass, weight := make([]float64, n), make([]float64, n-1)
		for i := range mass {
			mass[i] = math.Exp(-u(-2 + (float64(i)+0.5)*h))
			if i > 0 {
				weight[i-1] = math.Exp(-u(-2+float64(i)*h)) / (h * h)
			}
		}
		s := spectrum(t, path(mass, weight), 5)
		if want := pathGap(mass, weight); !near(s.Values[0], want, 1e-10) {
			t.Errorf("depth %g: gap %.15g, expected %.15g", depth, s.Values[0], want)
		}
	}
}

// TestSlivers has cells so small that rates reach 1e13 times the gap. Rotations
// to absolute accuracy, or a residual of 1e-3, are off by more than 1e-10.
func TestSlivers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 300).Draw(t, "cells")
		mass, weight := ones(n), make([]float64, n-1)
		for i := range weight {
			weight[i] = float64(n * n)
		}
		for range rapid.IntRange(0, 6).Draw(t, "slivers") {
			mass[rapid.IntRange(0, n-1).Draw(t, "cell")] = math.Pow(10, rapid.Float64Range(-13, 0).Draw(t, "log size"))
		}
		s := spectrum(t, path(mass, weight), min(3, n-1))
		if want := pathGap(mass, weight); !near(s.Values[0], want, 1e-10) {
			t.Fatalf("gap %.15g, expected %.15g", s.Values[0], want)
		}
	})
}

// TestThreads: the bytes do not depend on the number of threads.
func TestThreads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	c := flower(60, 8, modes25)
	var first *reversible.Spectrum
	var evolved [][]float64
	for _, threads := range []int{1, 2, 3, 8} {
		runtime.GOMAXPROCS(threads)
		s := spectrum(t, c, 5)
		e, err := c.Evolve(t.Context(), s.Functions[4], []float64{0.01, 1})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first, evolved = s, e
		}
		for i := range s.Values {
			if s.Values[i] != first.Values[i] || !slices.Equal(s.Functions[i], first.Functions[i]) {
				t.Errorf("eigenvalue %d is not the same with %d threads", i+1, threads)
			}
		}
		for i := range e {
			if !slices.Equal(e[i], evolved[i]) {
				t.Errorf("evolution is not the same with %d threads", threads)
			}
		}
	}
}

// TestFour has two planes of two dimensions.
func TestFour(t *testing.T) {
	n := 7
	if pace.Soaking() {
		n = 24
	}
	cold, hot := interval(n, double, 1), interval(n, double, 5)
	p := reversible.Product(reversible.Product(cold, cold), reversible.Product(hot, hot))
	want := spectrum(t, cold, 1).Values[0]
	s := spectrum(t, p, 2)
	if !near(s.Values[0], want, 1e-10) || !near(s.Values[1], want, 1e-10) {
		t.Errorf("eigenvalues %v: expected %g twice", s.Values, want)
	}
	s = spectrum(t, must(p.Plus(swaps(p, n*n, 1))), 2)
	if s.Values[0] < want*(1-1e-11) {
		t.Errorf("gap falls to %g", s.Values[0])
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := flat(300, 1, 1)
	f := ones(300)
	f[0] = 2
	if _, err := c.Spectrum(ctx, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("Spectrum: %v", err)
	}
	if _, err := c.Solve(ctx, f); !errors.Is(err, context.Canceled) {
		t.Errorf("Solve: %v", err)
	}
	if _, err := c.Evolve(ctx, f, []float64{1}); !errors.Is(err, context.Canceled) {
		t.Errorf("Evolve: %v", err)
	}
}

// A change of the unit of time scales eigenvalues, times and solutions, however far:
// what is squared on the way neither overflows nor vanishes.
func TestAnyUnitOfTime(t *testing.T) {
	const n = 50
	path := func(rate float64) []float64 {
		mass, edges := make([]float64, n), []reversible.Edge(nil)
		for i := range mass {
			if mass[i] = 1; i > 0 {
				edges = append(edges, reversible.Edge{I: i - 1, J: i, Weight: rate})
			}
		}
		c, err := reversible.New(mass, edges)
		if err != nil {
			t.Fatal(err)
		}
		s, err := c.Spectrum(t.Context(), 3)
		if err != nil {
			t.Fatalf("rate %g: %v", rate, err)
		}
		at := make([]float64, n)
		at[0] = n
		h, err := c.Evolve(t.Context(), at, []float64{0, 2 / rate, 50 / rate})
		if err != nil {
			t.Fatalf("rate %g: %v", rate, err)
		}
		u, err := c.Solve(t.Context(), at)
		if err != nil {
			t.Fatalf("rate %g: %v", rate, err)
		}
		return append([]float64{s.Values[0] / rate, s.Values[1] / rate, s.Values[2] / rate, u[0] * rate}, append(h[1], h[2]...)...)
	}
	want := path(1)
	for _, rate := range []float64{1e-290, 1e-200, 1e-80, 1e80, 1e200, 1e290} {
		for i, v := range path(rate) {
			if math.Abs(v-want[i]) > 1e-8*(1+math.Abs(want[i])) {
				t.Errorf("rate %g: number %d is %g, not %g", rate, i, v, want[i])
			}
		}
	}
}
