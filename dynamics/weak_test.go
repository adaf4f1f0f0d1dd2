package dynamics

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// weakForm is that of a trial's series, with its law.
func weakForm(t *testing.T, m Model, s *Series) *Problem {
	t.Helper()
	m.Likelihood = "weak"
	p, err := Build(&m, s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// On straight lines, at uneven times and beside gaps, the integrals are exact: the
// mean slope is the slope, and the mean of what is known is its value at the
// center. 1e-10 kills a trapezoid rule (1e-2 here), weights not normalised, and
// integrals over rows that have no value.
func TestIntegralsAreExactForLines(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	times := unevenTimes(rng, 60)
	s := polynomial([]float64{7, -3}, times)
	s.Values["x"][20] = math.NaN()
	m := Model{States: []string{"x"}, Equations: []Equation{{"x", "a*t + b*x"}}, Noise: Noise{"given", []Value{{"x", 1e-6}}},
		Weak: Weak{Width: 11}}
	p := weakForm(t, m, s)
	fitted := make([]float64, p.Data())
	for k, x := range [][]float64{{1, 0}, {0, 1}} {
		p.Likelihood.Fitted(0, nil)(fitted, x)
		for i, center := range p.Responses[0].Time {
			near(t, "slope", p.Responses[0].Observed[i], -3, 1e-10)
			near(t, "integral", fitted[i], []float64{center, 7 - 3*center}[k], 1e-10)
		}
	}
	if p.Responses[0].Label != "mean dx/dt" || p.Likelihood.Name() != "weak form of x (width 11)" || len(p.Time) != p.Data() {
		t.Errorf("%s, %s, %d times", p.Responses[0].Label, p.Likelihood.Name(), len(p.Time))
	}
	if len(p.Warnings) == 0 || !strings.HasPrefix(p.Warnings[0], "1 of 60 values of x is missing (line ") {
		t.Errorf("%q", p.Warnings)
	}
}

// Integrals of 4t³ on even steps against ∫φ·4t³ dt for φ ∝ (1 − u²)⁴, that is
// 4c³ + 12cρ²/11 (⟨u²⟩ = 1/11), and of lines between the points. h² f″/12 = 2ch²
// is what lines add; 1e-9 beyond that kills another power of the bump and a radius
// that is off by a row.
func TestBumpHasItsShape(t *testing.T) {
	times := evenTimes(101, 0.05)
	s := polynomial([]float64{0, 0, 0, 4}, times)
	m := Model{States: []string{"x"}, Equations: []Equation{{"x", "a*x"}}, Noise: Noise{"given", []Value{{"x", 1}}}, Weak: Weak{Width: 41}}
	p := weakForm(t, m, s)
	fitted := make([]float64, p.Data())
	p.Likelihood.Fitted(0, nil)(fitted, []float64{1})
	for i, c := range p.Responses[0].Time {
		near(t, "mean of 4t³", fitted[i], 4*c*c*c+12*c/11+2*c*0.05*0.05, 1e-6)
	}
	near(t, "distance of centers", p.Responses[0].Time[1]-p.Responses[0].Time[0], 0.5, 1e-9)
}

// The covariance of the integrals by nudging each datum of each state, at the
// estimate, over equations and across them. The noise is small, so that what its
// square adds to predictions is lost beside the nudges. 1e-5 of the largest entry is that of
// the nudges; it kills equations taken as independent, the derivative by a state
// at a neighbouring row, and noise of one state given to another.
func TestWeakCovarianceByNudges(t *testing.T) {
	pace.Slow(t)
	c := predators(0.3)
	rng := rand.New(rand.NewPCG(3, 1))
	times := unevenTimes(rng, 40)
	for k := range times {
		times[k] /= 6
	}
	s := c.series(rng, times, c.clean(times), 0)
	m := c.model
	m.Noise, m.Weak.Width = Noise{"given", []Value{{"x", 3e-5}, {"y", 7e-5}}}, 9
	p := weakForm(t, m, s)
	n := len(p.Likelihood.(*weakly).joint.data)
	stacked := func() []float64 {
		q := weakForm(t, m, s)
		out := make([]float64, 0, n)
		for _, at := range q.Likelihood.(*weakly).joint.data {
			r := q.Responses[at.response]
			fitted := make([]float64, len(r.Observed))
			q.Likelihood.Fitted(at.response, nil)(fitted, p.Estimate)
			out = append(out, r.Observed[at.row]-fitted[at.row])
		}
		return out
	}
	want := mat.NewDense(n, n, nil)
	for k, name := range s.States {
		for row, v := range s.Values[name] {
			const step = 1e-4
			s.Values[name][row] = v + step
			a := stacked()
			s.Values[name][row] = v - step
			for j, b := range stacked() {
				a[j] = (a[j] - b) / (2 * step) * []float64{3e-5, 7e-5}[k]
			}
			s.Values[name][row] = v
			want.RankOne(want, 1, mat.NewVecDense(n, a), mat.NewVecDense(n, a))
		}
	}
	got := p.Likelihood.(*weakly).joint.white.dense(n)
	for a := range n {
		for b := range n {
			if math.Abs(got.At(a, b)-want.At(a, b)) > 1e-5*mat.Max(want) {
				t.Fatalf("covariance %d %d is %v, want %v", a, b, got.At(a, b), want.At(a, b))
			}
		}
		at := p.Likelihood.(*weakly).joint.data[a]
		near(t, "sd", p.Responses[at.response].SD[at.row]*p.Noise[at.response], math.Sqrt(want.At(a, a)), 1e-5)
	}
}

// A library and equations give the same weak form; a state whose values are a
// million times larger changes the estimates by that factor alone. 1e-6 kills
// absolute thresholds and sums in which the larger state drowns the other.
func TestWeakFormOfScaledStates(t *testing.T) {
	c := predators(0.1)
	times := evenTimes(100, 0.1)
	s := c.series(rand.New(rand.NewPCG(8, 1)), times, c.clean(times), 0)
	p := weakForm(t, c.model, s)
	library := Model{States: s.States, Library: []string{"x", "y", "x*y"}, Fixed: []Value{{"x.y", 0}, {"y.x", 0}}}
	q := weakForm(t, library, s)
	for j, sign := range []float64{1, -1, -1, 1} { // alpha, beta; y.y is −delta, y.x*y is gamma
		near(t, "library", q.Estimate[j], sign*p.Estimate[[]int{0, 1, 3, 2}[j]], 1e-6)
	}
	large := *s
	large.Values = map[string][]float64{"x": slices.Clone(s.Values["x"]), "y": s.Values["y"]}
	for k := range large.Values["x"] {
		large.Values["x"][k] *= 1e6
	}
	r := weakForm(t, c.model, &large)
	for j, factor := range []float64{1, 1, 1e6, 1} {
		near(t, "scaled", r.Estimate[j]*factor, p.Estimate[j], 1e-6)
		near(t, "scaled sd", r.spread(j)*factor, p.spread(j), 1e-6)
	}
	near(t, "scaled noise", r.Noise[0], 1e6*p.Noise[0], 1e-6)
}

// A minibatch of integrals is unbiased: the mean of 2000 batches lies within 4.9
// standard errors.
func TestWeakBatch(t *testing.T) {
	c := predators(0.1)
	times := evenTimes(200, 0.1)
	s := c.series(rand.New(rand.NewPCG(8, 1)), times, c.clean(times), 0)
	c.model.Batch = 7
	unbiased(t, weakForm(t, c.model, s), []float64{1.01, 0.1, 0.074, 1.5})
}

func TestBadWeakForms(t *testing.T) {
	c := predators(0.1)
	times := evenTimes(60, 0.1)
	s := c.series(rand.New(rand.NewPCG(8, 1)), times, c.clean(times), 0)
	for _, f := range []struct {
		spoil func(*Model)
		want  string
	}{
		{func(m *Model) { m.Weak.Width = 4 }, "model.weak.width: test functions of 4 rows: take from 5 to 58 of the 60 rows of trial.csv"},
		{func(m *Model) { m.Weak.Width = 59 }, "model.weak.width: test functions of 59 rows: take from 5 to 58 of the 60 rows of trial.csv"},
		{func(m *Model) { m.Weak.Width = 55 }, `model.weak.width: the equation of "x" has 2 parameters, and among the 60 rows of trial.csv, gaps aside, is room for 1 test function of 55 rows: take a smaller width`},
		{func(m *Model) { m.Noise.Kind = "paper" }, "model.noise: noise: paper belongs to likelihood: derivative; use estimate, or give it"},
		{func(m *Model) { m.Equations[0].Text = "alpha*x/(y-y)" }, `model.equations.x: the coefficient of "alpha" is +Inf at trial.csv:0`},
	} {
		m := c.model
		m.Likelihood, m.Equations = "weak", slices.Clone(m.Equations)
		f.spoil(&m)
		if p, err := Build(&m, s); err == nil || p != nil || !strings.HasPrefix(err.Error(), f.want) {
			t.Errorf("\n got %v\nwant %s", err, f.want)
		}
	}
}
