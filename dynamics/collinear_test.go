package dynamics

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// The condition number of two columns of unit length at an angle α is
// √((1+cos α)/(1−cos α)), whatever their units. 1e-9 kills columns that are not
// scaled, the square of the number, and singular values of the normal matrix.
func TestDependence(t *testing.T) {
	for _, alpha := range []float64{1, 0.1, 1e-3, 1e-6} {
		design := []float64{1, 1e9 * math.Cos(alpha), 0, 1e9 * math.Sin(alpha), 0, 0}
		condition, rank, part := dependence(design, 2)
		near(t, "condition", condition, math.Cos(alpha/2)/math.Sin(alpha/2), 1e-9/alpha)
		if rank != 2 || len(part) != 2 {
			t.Errorf("rank %d, %v", rank, part)
		}
	}
	if condition, rank, part := dependence([]float64{1, 0, 2, 0, 1, 0}, 2); !math.IsInf(condition, 1) || rank != 1 || part[0] != 1 {
		t.Errorf("a term of zeros: %v, rank %d, %v", condition, rank, part)
	}
	if _, rank, _ := dependence([]float64{1, 2}, 2); rank != 1 {
		t.Errorf("rank %d of one row", rank)
	}
}

func TestCollinearTermsAreTold(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	s := &Series{File: "f.csv", States: []string{"x", "y", "z"}, Values: map[string][]float64{}, Given: map[string][]float64{},
		Line: RunsOf(seq(50)...),
		Time: evenTimes(50, 0.1)}
	for range 50 {
		x, noise := rng.NormFloat64(), rng.NormFloat64()
		s.Values["x"] = append(s.Values["x"], 1e6*x)
		s.Values["y"] = append(s.Values["y"], 1e-6*(x+0.02*noise))
		s.Values["z"] = append(s.Values["z"], rng.NormFloat64())
		s.Given["z"] = append(s.Given["z"], rng.NormFloat64())
	}
	m := &Model{States: s.States, Derivative: Derivative{Kind: "column"}, Equations: []Equation{{"z", "a*x + b*y + c*z"}}}
	tell := func(want string, spoil func(m *Model)) {
		t.Helper()
		n := *m
		spoil(&n)
		p := must(Build(&n, s))
		if want == "" && p.Warnings != nil || want != "" && (len(p.Warnings) != 1 || !strings.HasPrefix(p.Warnings[0], want)) {
			t.Errorf("%q, want %q", p.Warnings, want)
		}
	}
	const nearly = `the terms of a, b in the equation of "z" are nearly dependent (condition number 9`
	tell(nearly, func(*Model) {})
	tell("", func(m *Model) { m.Fixed = []Value{{"b", 1}} })
	tell("", func(m *Model) { m.Priors = []Prior{{"a", "normal(0, 1)"}} })
	tell(nearly, func(m *Model) { m.Priors = []Prior{{"c", "normal(0, 1)"}} })
	tell("", func(m *Model) { m.Equations = []Equation{{"z", "a*x + c*z"}} })
	tell(`the data determine only 2 of the 3 parameters of "z": the terms of a, b depend on each other; pin one (fixed: {a: …})`,
		func(m *Model) { m.Equations = []Equation{{"z", "a*x + b*2*x + c*z"}} })
	tell(`the data do not tell a, b of "z" apart (condition number `,
		func(m *Model) { m.Equations = []Equation{{"z", "a*x + b*(x + 1000*y) + c*z"}} })
}

// Of a product of two parameters the data tell one number: that is said, with the names,
// and a prior or a fixed value takes it away.
func TestRidge(t *testing.T) {
	warned := func(change func(m *Model)) bool {
		m := lotka()
		m.Equations[0].Text = "H*(alpha - exp(beta)*ka*kb*L)"
		change(m)
		return slices.ContainsFunc(must(Build(m, lynxHare())).Warnings, func(w string) bool {
			return strings.Contains(w, "determine only 5 of the 6 parameters") || strings.Contains(w, "determine only 4 of the 6 parameters")
		})
	}
	if !warned(func(*Model) {}) {
		t.Error("no warning of three parameters of which one product counts")
	}
	if warned(func(m *Model) { m.Fixed = []Value{{"beta", -3}, {"ka", 1}} }) {
		t.Error("a warning of a model that the data determine")
	}
	m := lotka()
	m.Equations[0].Text = "H*(alpha - exp(beta)*L)"
	if p := must(Build(m, lynxHare())); len(p.Warnings) > 0 {
		t.Errorf("%v", p.Warnings)
	}
}
