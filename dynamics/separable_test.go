package dynamics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// grown is a long series of logistic growth with feeding, and noise.
func grown(rows int) *Series {
	rng := rand.New(rand.NewPCG(5, 6))
	s := &Series{States: []string{"H", "L"}, Time: make([]float64, rows), Line: RunsOf(seq(rows)...), Values: map[string][]float64{}}
	for t := range rows {
		s.Time[t] = 0.01 * float64(t)
		s.Values["H"] = append(s.Values["H"], 5+3*math.Sin(s.Time[t])+0.001*rng.NormFloat64())
		s.Values["L"] = append(s.Values["L"], 3+2*math.Cos(s.Time[t])+0.001*rng.NormFloat64())
	}
	return s
}

// Sums over many rows that are made once are those over the rows: energies, slopes and
// curvatures of separable equations, alone and beside one that is not, with independent
// errors, with rows of unlike weight and with errors that hang together.
func TestSeparableEquationsAreThoseOfTheRows(t *testing.T) {
	pace.Slow(t)
	const rows = manyRows + 10
	uneven := grown(rows)
	for i := range uneven.Time {
		uneven.Time[i] += 0.003 * math.Sin(float64(i*i))
	}
	for _, c := range []struct {
		name, second string
		derivative   Derivative
		series       *Series
		likelihood   string
	}{
		{"both", "L*(d*H - g)^2", Derivative{}, grown(rows), "derivative"},
		{"one of two", "L*(d*H/(1 + g*H))", Derivative{}, grown(rows), "derivative"},
		{"logarithms", "L*(d*H - g)^2", Derivative{}, grown(rows), "log-derivative"},
		{"uneven", "L*(d*H - g)^2", Derivative{}, uneven, "derivative"},
		{"together", "L*(d*H/(1 + g*H))", Derivative{Kind: "savgol", Window: 5, Order: 2}, grown(rows), "derivative"},
	} {
		m := &Model{States: []string{"H", "L"}, Time: "t", Likelihood: c.likelihood, Derivative: c.derivative,
			Equations: []Equation{{"H", "r*H*(1 - H/K) - b*H*L"}, {"L", c.second}}}
		if (c.name == "both" || c.name == "uneven") && !pace.Soaking() { // "logarithms" has the same equations
			continue
		}
		p, err := Build(m, c.series)
		if err != nil {
			t.Fatal(err)
		}
		if p.observed().apart[0] == nil || (p.observed().apart[1] == nil) != (c.second != "L*(d*H - g)^2") {
			t.Errorf("%s: taken apart: %v, %v", c.name, p.observed().apart[0] != nil, p.observed().apart[1] != nil)
		}
		if e := p.Likelihood.Effort(); (p.observed().apart[1] == nil) != strings.Contains(e,
			fmt.Sprintf("%d rows of L, which", len(p.Responses[1].Observed))) || strings.Contains(e, "H") {
			t.Errorf("%s: the effort is %q", c.name, e)
		}
		columns, err := p.observed().curves()
		if err != nil {
			t.Fatal(err)
		}
		for i := range columns {
			columns[i].Weight = 1 / (p.Noise[i] * p.Noise[i])
		}
		byRows := *p.observed()
		byRows.apart = make([]*separable, len(columns))
		want, err := byRows.together(columns)
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.observed().together(columns)
		if err != nil {
			t.Fatal(err)
		}
		sameMisfits(t, c.name, got, want, p.Estimate)
	}
}

// sameMisfits compares two at states near x, a block of them at once.
func sameMisfits(t *testing.T, name string, got, want misfit, x []float64) {
	t.Helper()
	const r = 3
	d, rng := len(x), rand.New(rand.NewPCG(2, 2))
	block := make([]float64, d*r)
	for j, v := range x {
		for i := range r {
			block[j*r+i] = v * (1 + 0.05*rng.NormFloat64())
		}
	}
	u, v, g, h := make([]float64, r), make([]float64, r), make([]float64, d*r), make([]float64, d*r)
	got.Evaluator(r, nil).Eval(u, g, block)
	want.Evaluator(r, nil).Eval(v, h, block)
	for i := range u {
		near(t, name+": energy", u[i], v[i], 1e-11)
	}
	for j := range d {
		size := 0.0
		for i := range r {
			size = math.Max(size, math.Abs(h[j*r+i]))
		}
		for i := range r {
			if !(math.Abs(g[j*r+i]-h[j*r+i]) <= 1e-8*size) {
				t.Errorf("%s: slope %d is %v, want %v", name, j, g[j*r+i], h[j*r+i])
			}
		}
	}
	a, b := got.Gram(x), want.Gram(x)
	for k := range a {
		if !(math.Abs(a[k]-b[k]) <= 1e-9*math.Sqrt(b[k/d*(d+1)]*b[k%d*(d+1)])) {
			t.Errorf("%s: curvature %d is %v, want %v", name, k, a[k], b[k])
		}
	}
}

// Products that cancel to all digits are left to the rows.
func TestSumsThatLoseDigitsAreNotUsed(t *testing.T) {
	s := grown(manyRows + 10)
	for i := range s.Values["H"] {
		s.Values["H"][i] += 1e6
	}
	m := &Model{States: []string{"H", "L"}, Time: "t", Likelihood: "derivative", Start: []Value{{"c", 1e6}, {"a", 1}},
		Equations: []Equation{{"H", "a*(H - c)^4"}, {"L", "b*L*exp(k)"}}}
	p, err := Build(m, s)
	if err != nil {
		t.Fatal(err)
	}
	if p.observed().apart[0] != nil || p.observed().apart[1] == nil {
		t.Errorf("taken apart: %v, %v", p.observed().apart[0] != nil, p.observed().apart[1] != nil)
	}
}
