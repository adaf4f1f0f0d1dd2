package dynamics

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/expression"
)

// forced is data for models of x and v with a time called s.
func forced() (*Model, *Series) {
	m := &Model{States: []string{"x", "v"}, Time: "s",
		Equations: []Equation{{"v", "-k*sin(x) - c*v + f*cos(s) + 0*t"}, {"x", "v"}}, Fixed: []Value{{"c", 0.3}}}
	n := 12
	s := &Series{Time: make([]float64, n), States: m.States, Values: map[string][]float64{"x": make([]float64, n), "v": make([]float64, n)},
		Line: RunsOf(make([]int, n)...)}
	for i := range n {
		s.Time[i] = 0.3 * float64(i)
		s.Values["x"][i], s.Values["v"][i] = math.Sin(s.Time[i])+0.1*float64(i%3), math.Cos(s.Time[i])
	}
	return m, s
}

// A system has the numbers of its formulas, with states in the order of the
// data and parameters in that of Index; its Jacobians are those of the formulas.
func TestSystemHasTheNumbersOfItsFormulas(t *testing.T) {
	p := must(Build(forced()))
	s := must(p.System())
	if !cmp.Equal(s.States(), []string{"x", "v"}) || !cmp.Equal(p.Parameters, []string{"k", "f"}) || !cmp.Equal(s.Index(), []int{0, 1}) {
		t.Fatalf("states %v, parameters %v, index %v", s.States(), p.Parameters, s.Index())
	}
	names := []string{"x", "v", "k", "f", "s"}
	formula := must(expression.Compile("-k*sin(x) - 0.3*v + f*cos(s)", names)).Evaluator(1)
	q := s.Parametric()
	rapid.Check(t, func(t *rapid.T) {
		z := make([]float64, 5)
		for j := range z {
			z[j] = rapid.Float64Range(-3, 3).Draw(t, names[j])
		}
		value, grad := make([]float64, 1), make([]float64, 5)
		formula.Gradient(value, grad, z)
		f, jy, jp := make([]float64, 2), make([]float64, 4), make([]float64, 4)
		q.Eval(f, jy, jp, z[4], z[:2], z[2:4])
		check := func(what string, got, want []float64) {
			for i := range want {
				if math.Abs(got[i]-want[i]) > 1e-13*(1+math.Abs(want[i])) {
					t.Fatalf("%s: %v, want %v", what, got, want)
				}
			}
		}
		check("f", f, []float64{z[1], value[0]})
		check("∂f/∂y", jy, []float64{0, 1, grad[0], grad[1]})
		check("∂f/∂p", jp, []float64{0, 0, grad[2], grad[3]})
		bound := s.At(z[2:4])
		dy, j := make([]float64, 2), make([]float64, 4)
		bound.F(dy, z[4], z[:2])
		bound.Jacobian(j, z[4], z[:2])
		if !cmp.Equal(dy, f) || !cmp.Equal(j, jy) {
			t.Fatalf("bound: %v, %v; free: %v, %v", dy, j, f, jy)
		}
		q.Eval(dy, nil, nil, z[4], z[:2], z[2:4])
		if !cmp.Equal(dy, f) {
			t.Fatalf("values alone: %v, %v", dy, f)
		}
	})
	y0 := make([]float64, 2)
	if p.Initial(y0, p.Estimate); !cmp.Equal(y0, []float64{0, 1}) || p.InitialTime() != 0 {
		t.Errorf("initial state %v at %v", y0, p.InitialTime())
	}
}

// A library is the sum of its terms; fixed ones are bound, those fixed at 0 absent.
func TestSystemOfALibrary(t *testing.T) {
	m, series := forced()
	m.Equations, m.Library = nil, []string{"1", "x", "x * v"}
	m.Fixed = []Value{{"x.1", 0}, {"v.x", -2}}
	p := must(Build(m, series))
	s := must(p.System())
	x := make([]float64, len(p.Parameters))
	for j, name := range p.Parameters {
		x[j] = map[string]float64{"x.x": 3, "x.x*v": 5, "v.1": 7, "v.x*v": 11}[name]
	}
	dy := make([]float64, 2)
	s.At(x).F(dy, 0, []float64{2, 10})
	if want := []float64{3*2 + 5*20, 7 - 2*2 + 11*20}; len(x) != 4 || !cmp.Equal(dy, want) {
		t.Errorf("%v at %v: %v, want %v", p.Parameters, x, dy, want)
	}
}

func TestSystemWithoutAnEquation(t *testing.T) {
	m, series := forced()
	m.Equations = m.Equations[:1]
	p := must(Build(m, series))
	if _, err := p.System(); err == nil || !strings.Contains(err.Error(), `model.equations: no equation for "x"`) {
		t.Error(err)
	}
}

func BenchmarkSystem(b *testing.B) {
	p := must(Build(lotka(), lynxHare()))
	q := must(p.System()).Parametric()
	f, jy, jp, y := make([]float64, 2), make([]float64, 4), make([]float64, 8), []float64{30, 4}
	b.Run("f", func(b *testing.B) {
		for b.Loop() {
			q.Eval(f, nil, nil, 0, y, p.Estimate)
		}
	})
	b.Run("jacobians", func(b *testing.B) {
		for b.Loop() {
			q.Eval(f, jy, jp, 0, y, p.Estimate)
		}
	})
}
