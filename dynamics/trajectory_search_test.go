package dynamics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/ode"
)

// noisy is data of a model at known parameters x with normal noise of a share of
// each state's spread.
func noisy(t *testing.T, m *Model, times, y0, x []float64, share float64, rng *rand.Rand) *Series {
	t.Helper()
	s := &Series{Time: times, States: m.States, Values: map[string][]float64{}, Line: RunsOf(make([]int, len(times))...)}
	for _, state := range m.States {
		s.Values[state] = make([]float64, len(times))
	}
	names, err := (&Model{States: m.States, Equations: m.Equations}).Parameters()
	if err != nil {
		t.Fatal(err)
	}
	p := &Problem{Parameters: names, model: m}
	if p.equations, _ = m.equations(&faults{}); p.equations == nil {
		t.Fatal("no equations")
	}
	system := must(p.System())
	solver := must(ode.NewSolver(len(y0), ode.Options{RTol: 1e-9}))
	out := make([]float64, len(times)*len(y0))
	if err := solver.Solve(system.At(x), times[0], y0, times, out); err != nil {
		t.Fatal(err)
	}
	for k, state := range m.States {
		v := s.Values[state]
		for i := range v {
			v[i] = out[i*len(y0)+k]
		}
		sd := 0.0
		for _, y := range v {
			sd += y * y / float64(len(v))
		}
		for i := range v {
			v[i] += share * math.Sqrt(sd) * rng.NormFloat64()
		}
	}
	return s
}

// The search finds the basin of the truth, without priors, in almost all of some
// data sets, two of whose systems are known for wrong basins: oscillations of
// FitzHugh and Nagumo, whose period aliases, and three turns of the chaos of
// Lorenz. The energy found is at most that of a descent from the truth.
func TestSearchFindsTheMode(t *testing.T) {
	pace.Slow(t)
	sets := 3
	if pace.Soaking() {
		sets = 30
	}
	steps := func(n int, h float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = float64(i) * h
		}
		return out
	}
	for _, c := range []struct {
		name  string
		m     *Model
		times []float64
		y0, x []float64
	}{
		{"FitzHugh–Nagumo", &Model{States: []string{"V", "R"}, Equations: []Equation{{"V", "c*(V - V^3/3 + R)"}, {"R", "-(V - a + b*R)/c"}}},
			steps(81, 0.25), []float64{-1, 1}, []float64{3, 0.2, 0.2}}, // c, a, b
		{"Lorenz", &Model{States: []string{"x", "y", "z"}, Equations: []Equation{{"x", "sigma*(y - x)"}, {"y", "x*(rho - z) - y"},
			{"z", "x*y - beta*z"}}},
			steps(61, 0.05), []float64{-8, 7, 27}, []float64{10, 28, 8.0 / 3}},
	} {
		missed := 0
		for set := range sets {
			rng := rand.New(rand.NewPCG(uint64(set), 11))
			c.m.Likelihood = ""
			s := noisy(t, c.m, c.times, c.y0, c.x, 0.1, rng)
			c.m.Likelihood = "trajectory"
			p, err := Build(c.m, s)
			if err != nil {
				t.Fatal(err)
			}
			f := p.search()
			start := slices.Concat(c.x, c.y0, slices.Repeat([]float64{1}, len(c.y0)))
			truth := f.descend(f.rescaled(start), len(c.times), 100)
			u, _ := energyAt(p.Potential, p.Center)
			if u > truth.u+0.01 {
				missed++
			}
		}
		if missed > sets/3 {
			t.Errorf("%s: %d of %d data sets end in a wrong basin", c.name, missed, sets)
		}
	}
}

// One compartment with absorption has two modes, which exchange the rates of
// absorption and elimination. The domain decides which one is found, though the
// other one is deeper by the prior.
func TestSearchStaysInTheDomain(t *testing.T) {
	s := must(ReadSeries("../data/theophylline.csv", Columns{Time: "hour", States: []Named{{"C", "concentration"}}}))
	m := &Model{States: []string{"C"}, Equations: []Equation{{"G", "-ka*G"}, {"C", "ka*G/V - ke*C"}}, Likelihood: "trajectory",
		Fixed: []Value{{"G.initial", 4.95}, {"C.initial", 0}}, Priors: []Prior{
			{"ka", "lognormal(-1, 1.5)"}, {"ke", "lognormal(-1, 1.5)"}, {"V", "lognormal(-1, 1)"}, {"C.noise", "lognormal(-1, 1)"}}}
	for _, order := range []float64{1, -1} {
		m.Allowed = func(x []float64) bool { return order*(x[0]-x[2]) > 0 } // ka against ke
		p := must(Build(m, s))
		if i, j := slices.Index(p.Parameters, "ka"), slices.Index(p.Parameters, "ke"); i != 0 || j != 2 || !m.Allowed(p.Center) ||
			p.Fit(0, p.Center).R2 < 0.97 {
			t.Errorf("%v: mode %v, R² %v", p.Parameters, p.Center, p.Fit(0, p.Center).R2)
		}
	}
	// A mode beyond the wall is found from within.
	m.Allowed = func(x []float64) bool { return x[0] > x[2] && x[0] < 0.5 }
	if p := must(Build(m, s)); p.Center[0] < p.Center[2] || p.Fit(0, p.Center).R2 < 0.97 {
		t.Errorf("mode %v, R² %v", p.Center, p.Fit(0, p.Center).R2)
	}
}
