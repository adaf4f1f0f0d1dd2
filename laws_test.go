package r2sgld_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/potential"
)

// sigma bounds every z-score of a statistical test with a fixed seed: had the
// seed been random, one score would exceed it with probability 9.6e-7.
const sigma = 4.9

// longer multiplies the lengths of statistical runs when R2SGLD_SOAK is set.
func longer(n int) int {
	return pace.Soak(n, 20*n)
}

func readReference(t *testing.T, name string, into any) {
	t.Helper()
	b, err := os.ReadFile("testdata/reference/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// quadratic is U = ½ (x − μ)ᵀQ(x − μ).
func quadratic(mu []float64, q [][]float64) potential.Potential {
	return potential.Func(len(mu), func(grad, x []float64) float64 {
		u := 0.0
		for i, row := range q {
			grad[i] = 0
			for j, v := range row {
				grad[i] += v * (x[j] - mu[j])
			}
			u += 0.5 * grad[i] * (x[i] - mu[i])
		}
		return u
	})
}

// multimodal is the 25-mode target of the paper, by hand.
var multimodal = potential.Func(2, func(grad, x []float64) float64 {
	sx, cx := math.Sincos(2 * math.Pi * x[0])
	sy, cy := math.Sincos(2 * math.Pi * x[1])
	grad[0] = 0.4*x[0] + 4*math.Pi*sx
	grad[1] = 0.4*x[1] + 4*math.Pi*sy
	return 0.2*(x[0]*x[0]+x[1]*x[1]) - 2*(cx+cy)
})

// A functional is a number of interest whose expectation is known.
type functional struct {
	name string
	of   func(x []float64, u float64) float64
	want float64
}

// estimate returns mean and MCSE of f over the cold draws.
func estimate(res *r2sgld.Result, f functional) (mean, mcse float64) {
	chains := make([][]float64, len(res.Ladders))
	d := len(res.Names)
	n, sum := 0, 0.0
	for i, l := range res.Ladders {
		for k, u := range l.Energy[0] {
			v := f.of(l.X[0][k*d:(k+1)*d], u)
			chains[i] = append(chains[i], v)
			sum += v
			n++
		}
	}
	return sum / float64(n), diag.MCSEMean(chains)
}

func sample(t *testing.T, p r2sgld.Problem, s r2sgld.Settings) *r2sgld.Result {
	t.Helper()
	res, err := r2sgld.Sample(context.Background(), p, s)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// atTwoSteps samples p with the step sizes of s and with twice those, and holds
// the extrapolation E(η) + (E(η) − E(2η))/(2^order − 1), free of a bias of that
// order in η, against the truth. It logs the bias E(2η) − E(η) that the step η has. It
// kills: no reflection, projection (order ½: z > 20 here), a wrong normal, noise
// without the 2, and gradients or energies with a wrong factor.
func atTwoSteps(t *testing.T, p r2sgld.Problem, s r2sgld.Settings, order float64, fs []functional) {
	t.Helper()
	fine := sample(t, p, s)
	wide := s
	wide.Seed++
	wide.StepSize = nil
	for _, eta := range s.StepSize {
		wide.StepSize = append(wide.StepSize, 2*eta)
	}
	coarse := sample(t, p, wide)
	for _, res := range []*r2sgld.Result{fine, coarse} {
		if n := res.Tally(0).Outside; n != 0 {
			t.Errorf("%d draws outside", n)
		}
	}
	worst := 0.0
	for _, f := range fs {
		a, sa := estimate(fine, f)
		b, sb := estimate(coarse, f)
		weight := 1 / (math.Exp2(order) - 1)
		got, se := a+weight*(a-b), math.Hypot((1+weight)*sa, weight*sb)
		z := (got - f.want) / se
		worst = math.Max(worst, math.Abs(z))
		t.Logf("%-16s %9.5f ± %.5f at the step, bias %+.5f ± %.5f; extrapolated z %+.2f", f.name, a, sa, b-a, math.Hypot(sa, sb), z)
		if !(math.Abs(z) < sigma) {
			t.Errorf("%s: %.5f ± %.5f extrapolated, want %.5f (z = %.1f)", f.name, got, se, f.want, z)
		}
	}
	t.Logf("largest |z| %.2f", worst)
}

// reference is a file of testdata/reference.
type reference struct {
	Target struct {
		Mu    []float64
		Q     [][]float64
		Sigma [][]float64
		Alpha []float64
	}
	Domain struct {
		Lower, Upper, A, Center []float64
		B, Radius               float64
	}
	Truth struct {
		Mean, SD []float64
		Events   map[string]float64
		EU       float64 `json:"E_U"`
	}
}

// moments are the mean, the second moment about the true mean and the energy.
func (r reference) moments() []functional {
	fs := []functional{{"U", func(_ []float64, u float64) float64 { return u }, r.Truth.EU}}
	for j, m := range r.Truth.Mean {
		sd := r.Truth.SD[j]
		fs = append(fs,
			functional{fmt.Sprintf("x%d", j+1), func(x []float64, _ float64) float64 { return x[j] }, m},
			functional{fmt.Sprintf("var x%d", j+1), func(x []float64, _ float64) float64 { return (x[j] - m) * (x[j] - m) }, sd * sd})
	}
	return fs
}

// event is the probability that a statement is true.
func (r reference) event(t *testing.T, name string, is func(x []float64) bool) functional {
	t.Helper()
	p, ok := r.Truth.Events[name]
	if !ok {
		t.Fatalf("no event %q in the reference", name)
	}
	return functional{name, func(x []float64, _ float64) float64 {
		if is(x) {
			return 1
		}
		return 0
	}, p}
}

func settings(iterations int, eta float64) r2sgld.Settings {
	n := longer(iterations)
	return r2sgld.Settings{Seed: 20261121, Ladders: 4, Iterations: n, BurnIn: n / 20, Thin: 10, StepSize: []float64{eta}}
}

func must[D domain.Domain](d D, err error) domain.Domain {
	if err != nil {
		panic(err)
	}
	return d
}

func TestGaussianInBox(t *testing.T) {
	var r reference
	readReference(t, "gauss_box.json", &r)
	fs := append(r.moments(),
		r.event(t, "x1<0.5", func(x []float64) bool { return x[0] < 0.5 }),
		r.event(t, "x2>0", func(x []float64) bool { return x[1] > 0 }),
		r.event(t, "x3<0.5", func(x []float64) bool { return x[2] < 0.5 }),
		r.event(t, "x1>1 and x2<-0.5", func(x []float64) bool { return x[0] > 1 && x[1] < -0.5 }),
		r.event(t, "x1<0.05", func(x []float64) bool { return x[0] < 0.05 }))
	d := must(domain.NewBox(r.Domain.Lower, r.Domain.Upper))
	atTwoSteps(t, r2sgld.Problem{Potential: quadratic(r.Target.Mu, r.Target.Q), Domain: d}, settings(300_000, 2e-3), 1, fs)
}

// cholesky is the lower triangular L with LLᵀ = s.
func cholesky(s [][]float64) [][]float64 {
	l := make([][]float64, len(s))
	for i := range s {
		l[i] = make([]float64, len(s))
		for j := 0; j <= i; j++ {
			v := s[i][j]
			for k := range j {
				v -= l[i][k] * l[j][k]
			}
			if i == j {
				l[i][i] = math.Sqrt(v)
			} else {
				l[i][j] = v / l[j][j]
			}
		}
	}
	return l
}

func TestGaussianInHalfSpace(t *testing.T) {
	pace.Slow(t)
	var r reference
	readReference(t, "gauss_halfspace.json", &r)
	a, b := r.Domain.A, r.Domain.B
	fs := append(r.moments(),
		r.event(t, "x1<0", func(x []float64) bool { return x[0] < 0 }),
		r.event(t, "x2>0", func(x []float64) bool { return x[1] > 0 }),
		r.event(t, "a.x > b-0.1 (near the wall)", func(x []float64) bool { return a[0]*x[0]+a[1]*x[1]+a[2]*x[2] > b-0.1 }))
	// The density within a step of a wall that the drift pushes against is off by
	// order √η: the last event asks for steps well below 0.1. The whitening is
	// the Cholesky factor of the covariance.
	s := settings(700_000, 5e-4)
	s.Start = []float64{0.5, 0.5, 1}
	s.Whitening = &r2sgld.Whitening{Center: r.Target.Mu, L: cholesky(r.Target.Sigma)}
	atTwoSteps(t, r2sgld.Problem{Potential: quadratic(r.Target.Mu, r.Target.Q), Domain: must(domain.NewHalfSpace(a, b))}, s, 1, fs)
}

func TestGaussianInBall(t *testing.T) {
	pace.Slow(t)
	var r reference
	readReference(t, "gauss_ball.json", &r)
	p := r2sgld.Problem{Potential: quadratic(r.Target.Mu, r.Target.Q), Domain: must(domain.NewBall(r.Domain.Center, r.Domain.Radius))}
	atTwoSteps(t, p, settings(400_000, 2e-3), 1, r.moments())
	t.Run("from a guide", func(t *testing.T) {
		s := settings(100_000, 0)
		s.Temperature, s.StepSize = guidedRungs, guidedSteps(2e-3)
		s.Swap.Every = 200 // else swaps make the law, whatever steps are
		p.Guide, _ = fitted(t, p, 1)
		atTwoSteps(t, p, s, 1, r.moments())
	})
}

// dirichlet is U = −Σ (α_i − 1) log x_i with x_d+1 = 1 − Σ x_i.
func dirichlet(alpha []float64) potential.Potential {
	d := len(alpha) - 1
	return potential.Func(d, func(grad, x []float64) float64 {
		last := 1.0
		for _, v := range x {
			last -= v
		}
		u := -(alpha[d] - 1) * math.Log(last)
		for j, v := range x {
			u -= (alpha[j] - 1) * math.Log(v)
			grad[j] = (alpha[d]-1)/last - (alpha[j]-1)/v
		}
		return u
	})
}

// The gradient of the Dirichlet law is infinite at the walls. A step that lands
// within η of the wall, as a share η/sqrt(2η) of those in the layer of width
// sqrt(2η) does, where the law has mass of order η, is thrown across the domain
// by the drift η/x; it takes a time of order 1 (1/η steps) to come back. So the
// bias has order ½ there: η^{3/2}·1/η.
func TestDirichletOnSimplex(t *testing.T) {
	pace.Slow(t)
	for name, eta := range map[string]float64{"dirichlet.json": 1e-5, "simplex_flat.json": 2e-3} {
		t.Run(name, func(t *testing.T) {
			var r reference
			readReference(t, name, &r)
			fs := append(r.moments(),
				r.event(t, "x1<0.1", func(x []float64) bool { return x[0] < 0.1 }),
				r.event(t, "x2>0.5", func(x []float64) bool { return x[1] > 0.5 }),
				r.event(t, "x1>x2", func(x []float64) bool { return x[0] > x[1] }))
			p, order := dirichlet(r.Target.Alpha), 0.5
			if name == "simplex_flat.json" {
				fs = fs[1:] // U = 0
				order = 1
				p = potential.Func(2, func(grad, _ []float64) float64 { grad[0], grad[1] = 0, 0; return 0 })
			}
			s := settings(1_600_000, eta)
			s.Thin = 40
			atTwoSteps(t, r2sgld.Problem{Potential: p, Domain: must(domain.NewSimplex(2, 1))}, s, order, fs)
		})
	}
}

// The stationary variance of unadjusted SGLD on U = ½ Σ a_j x_j² is
// τ/(a(1 − ηa/2)): two coordinates, two temperatures that swap. At ηa = 0.1 and
// 0.4 it exceeds τ/a by 5 and 25 %, many standard errors: it kills noise without
// the 2, exchanged temperatures, and a kernel that corrects the bias.
func TestVarianceOfUnadjustedLangevin(t *testing.T) {
	a := []float64{1, 4}
	p := r2sgld.Problem{Potential: quadratic([]float64{0, 0}, [][]float64{{a[0], 0}, {0, a[1]}})}
	n := longer(400_000)
	res := sample(t, p, r2sgld.Settings{Seed: 5, Ladders: 4, Iterations: n, BurnIn: 1000, StepSize: []float64{0.1}, Start: []float64{0, 0}})
	for j, v := range a {
		want := 1 / (v * (1 - 0.1*v/2))
		got, se := estimate(res, functional{of: func(x []float64, _ float64) float64 { return x[j] * x[j] }})
		if z := (got - want) / se; math.Abs(z) > sigma {
			t.Errorf("variance of coordinate %d is %.5f ± %.5f, want %.5f (z = %.1f)", j+1, got, se, want, z)
		}
		if z := (got - 1/v) / se; z < 10 {
			t.Errorf("coordinate %d: the test could not tell %.5f from the exact %.5f", j+1, got, 1/v)
		}
	}
}

// Reflection has weak order 1, projection order ½, and both biases of E x² at
// both steps equal those of an independent deterministic computation. Each of 8
// coordinates is one sample of it. Budget: the four biases at |z| < 4.9; the
// orders at 4.9 standard errors, derived from those of the biases.
func TestOrderOfTheBoundary(t *testing.T) {
	pace.Slow(t)
	var r struct {
		Exact   float64 `json:"exact_Ex2"`
		Schemes map[string][]struct {
			Eta  float64
			Bias float64 `json:"bias_Ex2"`
		}
	}
	readReference(t, "boundary_order.json", &r)
	const d = 8
	lo, hi := make([]float64, d), make([]float64, d)
	for j := range d {
		lo[j], hi[j] = -1, 0.5
	}
	p := r2sgld.Problem{Potential: potential.Func(d, func(grad, x []float64) float64 {
		u := 0.0
		for j, v := range x {
			grad[j] = v
			u += v * v / 2
		}
		return u
	}), Domain: must(domain.NewBox(lo, hi))}
	square := functional{of: func(x []float64, _ float64) float64 {
		s := 0.0
		for _, v := range x {
			s += v * v
		}
		return s / d
	}}
	for rule, want := range map[domain.Rule]struct {
		scheme string
		order  float64
	}{
		domain.Specular: {"reflect", 1}, domain.Project: {"project", 0.5}} {
		var bias, se [2]float64
		for i, eta := range []float64{0.04, 0.01} {
			n := longer([]int{250_000, 500_000}[i])
			res := sample(t, p, r2sgld.Settings{Seed: 3, Ladders: 4, Iterations: n, BurnIn: 1000, Thin: 2, StepSize: []float64{eta}, Boundary: rule})
			got, s := estimate(res, square)
			bias[i], se[i] = got-r.Exact, s
			for _, ref := range r.Schemes[want.scheme] {
				if ref.Eta == eta {
					if z := (bias[i] - ref.Bias) / s; math.Abs(z) > sigma {
						t.Errorf("%s, step %g: bias of E x² %.5f ± %.5f, want %.5f (z = %.1f)", rule, eta, bias[i], s, ref.Bias, z)
					}
				}
			}
		}
		order := math.Log(bias[0]/bias[1]) / math.Log(4)
		err := math.Hypot(se[0]/bias[0], se[1]/bias[1]) / math.Log(4)
		t.Logf("%-8s order %.3f ± %.3f between steps 0.04 and 0.01", rule, order, err)
		// The approach to order 1 is slow: the exact local orders are 0.85 … 0.89 for
		// reflection and 0.45 … 0.46 for projection here.
		if order < want.order*0.85-sigma*err || order > want.order*1.1+sigma*err {
			t.Errorf("%s has order %.3f ± %.3f, want about %g", rule, order, err, want.order)
		}
	}
}
