package dynamics

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/potential"
)

// dense is the covariance that a whitener stands for.
func (w *whitener) dense(n int) *mat.Dense {
	out := mat.NewDense(n, n, nil)
	for t := range n {
		e := make([]float64, n) // U⁻¹U⁻ᵀ e
		e[t] = 1
		w.apply(e)
		w.transpose(e)
		out.SetCol(t, e)
	}
	var inverse mat.Dense
	if err := inverse.Inverse(out); err != nil {
		panic(err)
	}
	return &inverse
}

// The covariance of savgol rows by brute force: columns of (W − J)·diag(noise) by
// nudging each datum of each state and estimating again. The tolerance 1e-6 of the
// largest entry is that of the nudges; it kills a J of another row or sign, noise
// of the other state left out, and stencils that are not moved past a missing
// value.
func TestCovarianceByNudges(t *testing.T) {
	pace.Slow(t)
	c := predators(0.3)
	rng := rand.New(rand.NewPCG(3, 1))
	times := unevenTimes(rng, 30)
	for k := range times {
		times[k] /= 5
	}
	s := c.series(rng, times, c.clean(times), 0)
	s.Values["x"][11] = math.NaN()
	for _, likelihood := range []string{"derivative", "log-derivative"} {
		m := c.model
		m.Likelihood, m.Derivative = likelihood, Derivative{Kind: "savgol", Window: 5, Order: 2}
		p := must(Build(&m, s))
		x := []float64{0.9, 0.12, 0.07, 1.6}
		residual := func(i int) []float64 { // the response about f at x
			q := must(Build(&m, s))
			out := make([]float64, len(q.Responses[i].Observed))
			q.Likelihood.Fitted(i, nil)(out, x)
			for t, y := range q.Responses[i].Observed {
				out[t] = y - out[t]
			}
			return out
		}
		for i, e := range p.equations {
			w := must(p.observed().whiten(i, x[2*i:2*i+2]))
			n := len(p.Responses[i].Observed)
			got, want := w.dense(n), mat.NewDense(n, n, nil)
			for _, name := range s.States {
				for row, v := range s.Values[name] {
					if math.IsNaN(v) {
						continue
					}
					step := 1e-4 // of the logarithm, or of the value
					up, down := v+step, v-step
					if likelihood == "log-derivative" {
						up, down = v*math.Exp(step), v*math.Exp(-step)
					}
					s.Values[name][row] = up
					a := residual(i)
					s.Values[name][row] = down
					b := residual(i)
					s.Values[name][row] = v
					for j := range a {
						a[j] = (a[j] - b[j]) / (2 * step) * p.observed().noise[name] / p.observed().noise[e.state]
					}
					want.RankOne(want, 1, mat.NewVecDense(n, a), mat.NewVecDense(n, a))
				}
			}
			precision := 0.0
			for a := range n {
				precision += 1 / want.At(a, a) / float64(n)
			}
			want.Scale(precision, want)
			for a := range n {
				want.Set(a, a, want.At(a, a)*(1+1e-4))
				for b := range n {
					if math.Abs(got.At(a, b)-want.At(a, b)) > 1e-6*mat.Max(want) {
						t.Fatalf("%s of %s: covariance %d %d is %v, want %v", likelihood, e.state, a, b, got.At(a, b), want.At(a, b))
					}
				}
			}
			trace := 0.0
			var inverse mat.Dense
			if err := inverse.Inverse(got); err != nil {
				t.Fatal(err)
			}
			for a := range n {
				trace += 1e-4 / 1.0001 * want.At(a, a) * inverse.At(a, a)
			}
			near(t, "data lost", w.lost(), trace, 1e-6)
		}
	}
}

// Rows of uneven times by hand: U is ½ Σ (r/(sd·s))² with sd in the ratio of
// 1/gap and Σ1/sd² = n. Kills weights by the gap, and scale-free ones that change
// what a given noise means where all gaps are alike.
func TestWeightsOfUnevenTimes(t *testing.T) {
	s := polynomial([]float64{1, 2, -1, 0.3}, []float64{0, 1, 3, 4, 4.5, 7, 7.3})
	m := &Model{States: []string{"x"}, Equations: []Equation{{"x", "a + b*x"}}, Noise: Noise{"given", []Value{{"x", 0.7}}}}
	p := must(Build(m, s))
	x, sum, precision := []float64{0.4, -0.2}, 0.0, 0.0
	for k := 1; k < 6; k++ {
		gap := s.Time[k+1] - s.Time[k-1]
		r := (s.Values["x"][k+1]-s.Values["x"][k-1])/gap - x[0] - x[1]*s.Values["x"][k]
		sum += r * r * gap * gap
		precision += gap * gap
	}
	near(t, "energy", energyOf(p.Whole, x), sum/precision*5/0.49/2, 1e-12)
	near(t, "energy of the nonlinear path", energyOf(second(p.nonlinear(t)), x), sum/precision*5/0.49/2, 1e-12)
	m.Noise = Noise{Kind: "paper"}
	p = must(Build(m, s))
	near(t, "paper", energyOf(p.Whole, x), p.Fit(0, x).RSS/10, 1e-12)
}

func second[A, B any](_ A, b B) B { return b }

// Every likelihood whose data hang together: log p(data) + log prior is
// −U + LogConstant, on the linear path and on the other, which agree. Kills a log
// determinant of another matrix, of the wrong sign or twice.
func TestLogConstantOfCorrelatedData(t *testing.T) {
	c := predators(0.3)
	rng := rand.New(rand.NewPCG(9, 1))
	times := evenTimes(80, 0.1)
	s := c.series(rng, times, c.clean(times), 0.05)
	for _, change := range []Model{
		{}, {Derivative: Derivative{Kind: "savgol", Window: 7, Order: 4}}, {Derivative: Derivative{Kind: "spline", Smoothing: 1e-4}},
		{Likelihood: "log-derivative", Derivative: Derivative{Kind: "spline"}}, {Likelihood: "weak"},
		{Likelihood: "weak", Noise: Noise{"given", []Value{{"x", 0.3}, {"y", 0.2}}}},
	} {
		linear, curved := change, change
		linear.States, linear.Equations = c.model.States, c.model.Equations
		linear.Priors = []Prior{{"beta", "lognormal(-2, 1)"}}
		curved.States, curved.Priors = linear.States, linear.Priors
		// The same equations where nothing is seen to be linear.
		curved.Equations = []Equation{{"x", "alpha*x - exp(log(beta))*x*y"}, {"y", "exp(log(gamma))*x*y - delta*y"}}
		curved.Start = []Value{{"alpha", 1}, {"beta", 0.1}, {"gamma", 0.08}, {"delta", 1}}
		p, q := must(Build(&linear, s)), must(Build(&curved, s))
		if !p.Linear || q.Linear {
			t.Fatal("the paths are not those meant")
		}
		for j := range p.Parameters {
			near(t, "estimate "+p.Parameters[j], q.Estimate[j], p.Estimate[j], 1e-5)
		}
		for _, r := range []*Problem{p, q} {
			terms, x := make([]float64, r.Data()), []float64{0.9, 0.12, 0.07, 1.6}
			if !r.Likelihood.LogDensity(nil)(terms, x) {
				t.Fatal("no likelihood")
			}
			left, right := sum(terms)+r.Prior.LogDensity()(x), r.Likelihood.LogConstant()-energyOf(r.Whole, x)
			if math.Abs(left-right) > 1e-9*(math.Abs(left)+math.Abs(r.Likelihood.LogConstant())) {
				t.Errorf("%s: log p(data, x) = %.12g, −U + constant = %.12g", r.Likelihood.Name(), left, right)
			}
			differences(t, r.Whole, x)
		}
		near(t, "noise", q.Noise[0], p.Noise[0], 1e-4)
		m := curved
		m.Batch = 10
		if _, err := Build(&m, s); (err == nil) != (change.Likelihood == "" && change.Derivative.Kind == "") ||
			err != nil && !strings.HasPrefix(err.Error(), "model.batch: a minibatch of equations that are not linear needs independent rows") {
			t.Errorf("%s: batch: %v", q.Likelihood.Name(), err)
		}
	}
}

// An evaluator of correlated curves allocates nothing.
func TestFunctionalsAllocateNothing(t *testing.T) {
	c := predators(0.3)
	c.model.Likelihood = "weak"
	c.model.Equations[0].Text = "alpha*x - x*y/beta^2"
	c.model.Start = []Value{{"beta", 3}}
	times := evenTimes(80, 0.1)
	p := must(Build(&c.model, c.series(rand.New(rand.NewPCG(9, 1)), times, c.clean(times), 0)))
	if _, ok := p.Whole.(*functionals); !ok {
		t.Fatalf("%T", p.Whole)
	}
	var eval potential.Evaluator = p.Whole.Evaluator(3, nil)
	x, energy, grad := []float64{1, 1, 1, 3, 3, 3, 0.1, 0.1, 0.1, 1, 1, 1}, make([]float64, 3), make([]float64, 12)
	if n := testing.AllocsPerRun(20, func() { eval.Eval(energy, grad, x) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if energy[0] != energy[2] || grad[0] != grad[2] {
		t.Error("equal states, other energies")
	}
}
