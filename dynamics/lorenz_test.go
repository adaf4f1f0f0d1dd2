package dynamics

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/r2sgld/r2sgld/stream"
)

// lorenz returns n rows of the Lorenz system (σ 10, ρ 28, β 8/3) by the
// classical Runge–Kutta method, with exact derivatives plus noise of sd 1.
func lorenz(n int) *Series {
	right := func(x [3]float64) [3]float64 {
		return [3]float64{10 * (x[1] - x[0]), x[0]*(28-x[2]) - x[1], x[0]*x[1] - 8./3*x[2]}
	}
	along := func(x, v [3]float64, h float64) [3]float64 {
		return [3]float64{x[0] + h*v[0], x[1] + h*v[1], x[2] + h*v[2]}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	s := &Series{File: "lorenz.csv", States: []string{"x", "y", "z"}, Values: map[string][]float64{}, Given: map[string][]float64{}}
	x := [3]float64{-8, 8, 27}
	const h = 0.01
	for i := range n {
		s.Time = append(s.Time, h*float64(i))
		s.Line.Add(i + 2)
		k1 := right(x)
		for j, name := range s.States {
			s.Values[name] = append(s.Values[name], x[j])
			s.Given[name] = append(s.Given[name], k1[j]+rng.NormFloat64())
		}
		k2 := right(along(x, k1, h/2))
		k3 := right(along(x, k2, h/2))
		k4 := right(along(x, k3, h))
		for j := range x {
			x[j] += h / 6 * (k1[j] + 2*k2[j] + 2*k3[j] + k4[j])
		}
	}
	return s
}

var lorenzEquations = []Equation{{"x", "sigma*(y - x)"}, {"y", "x*(rho - z) - y"}, {"z", "x*y - beta*z"}}

// With the exact right-hand side and known noise the estimates are normal:
// |z| < 5.4 for 18 of them is a false alarm in 1e-6. It kills equations
// assigned to a neighbouring state and offsets of the wrong sign.
func TestLorenz(t *testing.T) {
	s := lorenz(3000)
	m := &Model{States: s.States, Time: "time", Derivative: Derivative{Kind: "column"}, Equations: lorenzEquations,
		Noise: Noise{"given", []Value{{"x", 1}, {"y", 1}, {"z", 1}}}}
	check := func(p *Problem, want []float64) {
		t.Helper()
		for j, v := range want {
			sd := 0.0
			for _, l := range p.Factor[j] {
				sd = math.Hypot(sd, l)
			}
			if z := (p.Center[j] - v) / sd; math.Abs(z) > 5.4 {
				t.Errorf("%s = %v ± %v, want %v", p.Parameters[j], p.Center[j], sd, v)
			}
		}
	}
	p := must(Build(m, s))
	if !p.Linear || !cmp.Equal(p.Parameters, []string{"sigma", "rho", "beta"}) {
		t.Fatalf("linear %v, parameters %v", p.Linear, p.Parameters)
	}
	check(p, []float64{10, 28, 8. / 3})
	m.Equations, m.Library = nil, []string{"x", "y", "z", "x*y", "x*z"}
	p = must(Build(m, s))
	check(p, []float64{-10, 10, 0, 0, 0, 28, -1, 0, 0, -1, 0, 0, -8. / 3, 1, 0})
	m.Noise.Kind = "estimate"
	for c, sd := range must(Build(m, s)).Noise {
		// The sd of an estimated sd is 1/√(2n) = 0.013.
		if math.Abs(sd-1) > 5.2*0.013 {
			t.Errorf("noise of %s: %v", s.States[c], sd)
		}
	}
}

// Smoothed derivatives of the states themselves recover the equations: this
// kills a wrong unit of time.
func TestLorenzFromStatesAlone(t *testing.T) {
	s := lorenz(3000)
	for _, d := range []Derivative{{Kind: "central"}, {Kind: "savgol", Window: 7, Order: 4}, {Kind: "spline"}} {
		p := must(Build(&Model{States: s.States, Equations: lorenzEquations, Derivative: d}, s))
		for j, want := range []float64{10, 28, 8. / 3} {
			if math.Abs(p.Estimate[j]/want-1) > 0.01 {
				t.Errorf("%v: %s = %v, want %v", d, p.Parameters[j], p.Estimate[j], want)
			}
		}
	}
}

func FuzzModel(f *testing.F) {
	f.Add("x*(a - b*y)", "normal(0, 1)", "x")
	f.Add("a*x^b/(c + |y|)", "lognormal(log(2), 1/2)", "a")
	f.Add("-1e-3*a ** -(b)**t", "beta(1,(2,3))", "x*y + 1")
	f.Add("min(a, -b)*exp(−x·c)", "uniform(1, 0)", "1")
	s := wiggled(12, func(x, y float64) (float64, float64) { return x, y })
	f.Fuzz(func(t *testing.T, text, prior, term string) {
		if len(text)+len(prior)+len(term) > 200 {
			return
		}
		for _, m := range []*Model{
			{States: s.States, Time: "time", Equations: []Equation{{"x", text}}, Priors: []Prior{{"a", prior}}},
			{States: s.States, Time: "time", Library: []string{"x", term}, Fixed: []Value{{"y.x", 0}}, Likelihood: "log-derivative"},
			{States: s.States, Time: "time", Equations: []Equation{{"x", text}}, Likelihood: "weak"},
			{States: s.States, Time: "time", Library: []string{"x", term}, Derivative: Derivative{Kind: "spline"}},
		} {
			names, err := m.Parameters()
			p, failed := Build(m, s)
			if (p == nil) == (failed == nil) || err != nil && failed == nil {
				t.Fatalf("problem %v, error %v, names %v, error %v", p, failed, names, err)
			}
			if p == nil {
				continue
			}
			if len(p.Factor) != len(names) || !finite(p.Center) {
				t.Fatalf("factor %v, centre %v", p.Factor, p.Center)
			}
			for _, row := range p.Factor {
				if !finite(row) {
					t.Fatalf("factor %v", p.Factor)
				}
			}
			for _, e := range p.Print(p.Center, make([]float64, len(names))) {
				if strings.Count(e.LaTeX, "{") != strings.Count(e.LaTeX, "}") {
					t.Fatalf("%s", e.LaTeX)
				}
			}
		}
	})
}

func BenchmarkGram(b *testing.B) {
	e := must(Build(lotka(), lynxHare())).Potential.Evaluator(2, nil)
	x, energy, grad := make([]float64, 8), make([]float64, 2), make([]float64, 8)
	for b.Loop() {
		e.Eval(energy, grad, x)
	}
}

func benchmarkMinibatch(b *testing.B, m *Model) {
	s := lorenz(10001)
	m.States, m.Derivative.Kind, m.Batch = s.States, "column", 4096
	p := must(Build(m, s))
	e := p.Potential.Evaluator(2, stream.New(1, 0))
	x, energy, grad := make([]float64, 2*len(p.Parameters)), make([]float64, 2), make([]float64, 2*len(p.Parameters))
	for b.Loop() {
		e.Eval(energy, grad, x)
	}
}

func BenchmarkMinibatchTied(b *testing.B) { benchmarkMinibatch(b, &Model{Equations: lorenzEquations}) }

func BenchmarkMinibatchLibrary(b *testing.B) {
	benchmarkMinibatch(b, &Model{Library: []string{"x", "y", "z", "x*y", "x*z"}})
}

func BenchmarkMinibatchNonlinear(b *testing.B) {
	benchmarkMinibatch(b, &Model{Equations: []Equation{{"x", "sigma*tau*(y - x)"}, {"y", "x*(rho - z) - y"}, {"z", "x*y - beta*z"}},
		Start: []Value{{"sigma", 3}, {"tau", 3}, {"rho", 28}, {"beta", 3}}})
}
