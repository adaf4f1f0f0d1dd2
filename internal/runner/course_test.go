package runner

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/r2sgld/r2sgld/dynamics"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/report"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
	"github.com/r2sgld/r2sgld/tune"
)

// growth is a job whose data are 3·exp(t/2) times log-normal noise, or with normal
// noise added, at eight times, and draws about the truth: a, x.initial, x.noise.
func growth(t *testing.T, noise string) (*Job, []float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 9))
	s := &dynamics.Series{File: "growth.csv", Values: map[string][]float64{}}
	for k := range 8 {
		at := float64(k)
		x, e := 3*math.Exp(at/2), 0.1*rng.NormFloat64()
		if noise == "lognormal" {
			x *= math.Exp(e)
		} else {
			x += e
		}
		s.Time, s.Values["x"] = append(s.Time, at), append(s.Values["x"], x)
	}
	m := &dynamics.Model{States: []string{"x"}, Equations: []dynamics.Equation{{State: "x", Text: "a*x"}}, Likelihood: "trajectory"}
	m.Noise.Kind = noise
	p, err := dynamics.Build(m, s)
	if err != nil {
		t.Fatal(err)
	}
	var draws []float64
	for range 400 {
		draws = append(draws, 0.5+1e-3*rng.NormFloat64(), 3+0.01*rng.NormFloat64(), 0.1*math.Exp(0.1*rng.NormFloat64()))
	}
	return &Job{Model: p, Time: "t"}, draws
}

// The curve of a trajectory is known between the rows, and an observation lies in its
// band with the noise of the draws: at t = 3.5 within 2 % of exp(±1.645·0.1) times
// the middle, or ±0.1645·(1 + what the parameters add). This kills straight lines
// between the rows (3 % off), no noise, and that of another law.
func TestCourses(t *testing.T) {
	for _, noise := range []string{"normal", "lognormal"} {
		j, draws := growth(t, noise)
		q, err := j.courses(t.Context(), draws)
		if err != nil {
			t.Fatal(err)
		}
		c := q.States[0]
		k := slices.Index(q.Time, 3.5)
		want := 3 * math.Exp(1.75)
		if k < 0 || math.Abs(c.Middle[k]/want-1) > 3e-3 {
			t.Fatalf("%s: median %v at %d, want %v", noise, c.Middle[k], k, want)
		}
		low, high := c.ObservedLow[k], c.ObservedHigh[k]
		if noise == "lognormal" {
			low, high = math.Log(low/want), math.Log(high/want)
		} else { // 0.0048 of the middle, some 0.083, by the parameters
			low, high = (low-want)/1.3, (high-want)/1.3
		}
		if math.Abs(low+0.1645) > 0.03 || math.Abs(high-0.1645) > 0.03 {
			t.Errorf("%s: band of observations %v … %v about the middle", noise, low, high)
		}
		if !(c.ObservedLow[k] < c.Low[k] && c.Low[k] < c.Middle[k]) {
			t.Errorf("%s: bands do not lie in one another", noise)
		}
	}
}

// Residuals of a trajectory are in units of the noise, of logarithms if it is
// log-normal: the number of each is of order one at every size of the state. This
// kills differences of the data themselves, which grow 33-fold.
func TestDeviations(t *testing.T) {
	for noise, name := range map[string]string{"normal": "x / noise", "lognormal": "log x / noise"} {
		j, draws := growth(t, noise)
		ps := []report.Parameter{{Mean: 0.5}, {Mean: 3}, {Mean: 0.1}}
		fit := j.responses(draws, ps)
		r := j.deviations(fit, draws)[0]
		if r.Axis.Name != name || r.SD != 1 {
			t.Errorf("%s: %q with noise %v", noise, r.Axis.Name, r.SD)
		}
		for i, y := range fit[0].Observed {
			at := 3 * math.Exp(float64(i)/2)
			want, room := (y-at)/0.1, 0.1+0.02*at // of medians of 400 draws
			if noise == "lognormal" {
				want, room = math.Log(y/at)/0.1, 0.2
			}
			if got := r.Observed[i] - r.Fitted[i]; math.Abs(got-want) > room {
				t.Errorf("%s: residual %d is %v, want %v", noise, i, got, want)
			}
		}
		if f, err := j.residuals(draws, ps); err != nil || f == nil {
			t.Error(err)
		}
		if f, err := j.fit(t.Context(), draws, ps); err != nil || f == nil {
			t.Error(err)
		}
	}
	j, _ := growth(t, "normal")
	if q, err := j.courses(t.Context(), []float64{math.NaN(), 3, 0.1}); err == nil || !strings.Contains(err.Error(), "blows up") {
		t.Errorf("a trajectory of no numbers: %v, %v", q, err)
	}
}

// In weak form the likelihood is of test functions, not of rows.
func TestWhat(t *testing.T) {
	s := &dynamics.Series{File: "decay.csv", Values: map[string][]float64{}}
	rng := rand.New(rand.NewPCG(1, 4))
	for k := range 120 {
		at := 0.05 * float64(k)
		s.Time, s.Values["x"] = append(s.Time, at), append(s.Values["x"], math.Exp(-at)+0.01*rng.NormFloat64())
	}
	for likelihood, want := range map[string]string{"weak": " test functions of 21 rows, weak form of x",
		"derivative": "118 rows, derivative of x"} {
		m := &dynamics.Model{States: []string{"x"}, Equations: []dynamics.Equation{{State: "x", Text: "a*x"}}, Likelihood: likelihood}
		m.Weak.Width = 21
		p, err := dynamics.Build(m, s)
		if err != nil {
			t.Fatal(err)
		}
		j := &Job{Model: p}
		j.Problem.Potential = p.Potential
		if got := j.what(); !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
}

// A gradient that takes long is told with its time and what comes of it, one that does not
// is not, and the rows of a model with minibatches are gone through for the first look
// alone.
func TestSlowGradientsAreTold(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	build := func(rows, batch int) *execution {
		s := &dynamics.Series{File: "growth.csv", Line: dynamics.RunsOf(make([]int, rows)...), Values: map[string][]float64{}}
		for k := range rows {
			at := 0.01 * float64(k)
			s.Time, s.Values["x"] = append(s.Time, at), append(s.Values["x"], 3+math.Sin(at)+0.001*rng.NormFloat64())
		}
		m := &dynamics.Model{States: []string{"x"}, Likelihood: "derivative", Batch: batch,
			Equations: []dynamics.Equation{{State: "x", Text: "a*x/(1 + b*x)"}}}
		p, err := dynamics.Build(m, s)
		if err != nil {
			t.Fatal(err)
		}
		x := &execution{Job: &Job{Model: p, Until: &tune.Until{}, Request: job.Request{Terminal: &strings.Builder{}}}}
		x.Problem.Potential = slowed{p.Potential}
		if rows < 1000 {
			x.Problem.Potential = p.Potential
		}
		x.tellGradient()
		return x
	}
	for _, c := range []struct {
		rows, batch int
		want        string
	}{{100, 0, ""}, {1000, 0, " for a first look at the potential, and rounds of thousands for each ladder\n"},
		{1000, 50, " for a first look at the potential, rounds go by minibatches\n"}} {
		got := build(c.rows, c.batch).Terminal.(*strings.Builder).String()
		if !strings.HasSuffix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%d rows, minibatches of %d: %q", c.rows, c.batch, got)
		}
	}
}

// slowed takes a while for each gradient.
type slowed struct{ potential.Potential }

func (p slowed) Exact() (potential.Potential, bool) {
	exact, noisy := potential.Exact(p.Potential)
	return slowed{exact}, noisy
}

func (p slowed) Evaluator(r int, s *stream.Set) potential.Evaluator {
	return slowEvaluator{p.Potential.Evaluator(r, s)}
}

type slowEvaluator struct{ potential.Evaluator }

func (e slowEvaluator) Eval(energy, grad, x []float64) {
	time.Sleep(slowGradient)
	e.Evaluator.Eval(energy, grad, x)
}
