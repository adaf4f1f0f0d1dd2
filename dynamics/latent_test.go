package dynamics

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// decay is a chain a → b of which b alone has data: a = a0·exp(−k·t), and with
// b(0) = 0, b = k·a0/(q−k)·(exp(−k·t) − exp(−q·t)).
func decay() (*Model, *Series) {
	const k, q, a0 = 1.5, 0.4, 5.0
	s := &Series{Time: []float64{0, 0.5, 1, 1.5, 2, 3, 4, 6}, States: []string{"b"}, Values: map[string][]float64{}}
	for i, t := range s.Time {
		b := k * a0 / (q - k) * (math.Exp(-k*t) - math.Exp(-q*t))
		s.Values["b"] = append(s.Values["b"], b+0.05*math.Cos(7*float64(i)))
		s.Line.Add(i + 2)
	}
	return &Model{States: []string{"b"}, Likelihood: "trajectory",
		Equations: []Equation{{"a", "-k*a"}, {"b", "k*a - q*b"}},
		Fixed:     []Value{{"b.initial", 0}},
		Priors:    []Prior{{"k", "lognormal(0, 1)"}, {"q", "lognormal(-1, 1)"}, {"a.initial", "normal(5, 3)"}, {"b.noise", "lognormal(-2, 1)"}},
	}, s
}

// A state without data is carried along: it has an initial value, no noise and no
// response, and its equation comes last. The energy is that of the closed form,
// which kills a wrong order of states and a noise scale that enters twice.
func TestStatesWithoutData(t *testing.T) {
	m, s := decay()
	p := must(Build(m, s))
	if want := []string{"k", "q", "a.initial", "b.noise"}; !slices.Equal(p.Parameters, want) {
		t.Fatalf("parameters %v, not %v", p.Parameters, want)
	}
	if len(p.Responses) != 1 || p.Responses[0].State != "b" || p.equations[0].state != "b" {
		t.Fatalf("responses %v, equations %v", p.Responses, p.equations)
	}
	if names := must(m.Parameters()); !slices.Equal(names, p.Parameters) {
		t.Errorf("parameters without data %v", names)
	}
	energy := func(x []float64) float64 {
		k, q, a0, noise := x[0], x[1], x[2], x[3]
		u := 0.0
		for i, at := range s.Time {
			b := k * a0 / (q - k) * (math.Exp(-k*at) - math.Exp(-q*at))
			r := (s.Values["b"][i] - b) / noise
			u += r*r/2 + math.Log(noise) + math.Log(2*math.Pi)/2
		}
		normal := func(x, m, s float64) float64 { return (x-m)*(x-m)/(2*s*s) + math.Log(s) + math.Log(2*math.Pi)/2 }
		for j, a := range [][2]float64{{0, 1}, {-1, 1}, {}, {-2, 1}} {
			if j != 2 {
				u += normal(math.Log(x[j]), a[0], a[1]) + math.Log(x[j])
			}
		}
		return u + normal(a0, 5, 3)
	}
	e, got, grad := p.Potential.Evaluator(1, nil), make([]float64, 1), make([]float64, 4)
	for _, x := range [][]float64{{1.5, 0.4, 5, 0.1}, {1.2, 0.5, 4, 0.2}, {0.7, 0.9, 6, 0.3}} {
		e.Eval(got, grad, x)
		if want := energy(x); math.Abs(got[0]-want) > 1e-3 { // kills a datum more or less (0.9 nats at the least); the solver is allowed a few 1e-4
			t.Errorf("at %v energy %v, not %v", x, got[0], want)
		}
	}
	y0 := make([]float64, 2)
	p.Initial(y0, []float64{1.5, 0.4, 5, 0.1})
	if states := must(p.System()).States(); !slices.Equal(states, []string{"b", "a"}) || y0[0] != 0 || y0[1] != 5 {
		t.Errorf("states %v start at %v", states, y0)
	}
	if math.Abs(p.Center[0]-1.5) > 0.5 || math.Abs(p.Center[1]-0.4) > 0.15 {
		t.Errorf("mode %v, simulated with 1.5, 0.4, 5", p.Center)
	}
}

// Only a trajectory can have them.
func TestStatesWithoutDataElsewhere(t *testing.T) {
	m, s := decay()
	m.Likelihood, m.Fixed, m.Priors = "derivative", nil, nil
	if _, err := Build(m, s); err == nil || !strings.Contains(err.Error(), `the data have no state "a"`) {
		t.Errorf("error %v", err)
	}
	m, s = decay()
	m.Equations[0].State, m.Priors = "a b", nil
	if _, err := Build(m, s); err == nil || !strings.Contains(err.Error(), `"a b" is no name of a state`) {
		t.Errorf("error %v", err)
	}
}
