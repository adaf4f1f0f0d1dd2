package potential

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/stream"
)

// A line is a grid on an interval, nodes at from + i·step.
type line struct {
	from, step float64
	n          int
}

func (l line) at(i int) float64 { return l.from + float64(i)*l.step }

// stationary returns the law that the steps x − η∇U(x) + sqrt(2ητ)·normal of
// plain Langevin dynamics leave as it is, on the nodes of a grid, by its transition
// probabilities: no simulation. Sums over nodes at most half a standard deviation
// of a step apart are integrals to rounding. U is asked through its evaluator.
func (l line) stationary(t *testing.T, u Potential, eta, tau float64) []float64 {
	sd := math.Sqrt(2 * eta * tau)
	if l.step > 0.5*sd {
		t.Fatalf("the grid of step %g is too coarse for steps of %g", l.step, sd)
	}
	e, reach := u.Evaluator(1, nil), int(math.Ceil(8*sd/l.step))
	grad, x, energy := []float64{0}, []float64{0}, []float64{0}
	first, rows := make([]int, l.n), make([][]float64, l.n)
	for i := range rows {
		x[0] = l.at(i)
		e.Eval(energy, grad, x)
		mean := x[0] - eta*grad[0]
		middle := int(math.Round((mean - l.from) / l.step))
		first[i] = max(middle-reach, 0)
		sum := 0.0
		for j := first[i]; j <= min(middle+reach, l.n-1); j++ {
			z := (l.at(j) - mean) / sd
			rows[i] = append(rows[i], math.Exp(-z*z/2))
			sum += rows[i][j-first[i]]
		}
		for j := range rows[i] {
			rows[i][j] /= sum
		}
	}
	p, q := make([]float64, l.n), make([]float64, l.n)
	for i := range p {
		p[i] = 1 / float64(l.n)
	}
	for range 200_000 {
		clear(q)
		for i, row := range rows {
			for j, v := range row {
				q[first[i]+j] += p[i] * v
			}
		}
		change := 0.0
		for i := range q {
			change += math.Abs(q[i] - p[i])
		}
		if p, q = q, p; change < 1e-12 {
			return p
		}
	}
	t.Fatal("no stationary law")
	return nil
}

// flat is U = 0 on the line.
var flat = Func(1, func(grad, _ []float64) float64 { grad[0] = 0; return 0 })

// proximal is U = 0 on [0, 1] with the penalty dist²/(2λ), and the grid of its law
// that has a node on both walls.
func proximal(lambda float64) (Potential, line) {
	interval := must(domain.NewBox([]float64{0}, []float64{1}))
	return Distance(flat, 1/lambda, must(domain.Projection(interval))), line{-1.25, 1. / 128, 448 + 1}
}

// outside is the mass of a law on the grid beyond [0, 1], half of that of the
// walls' nodes.
func (l line) outside(p []float64) float64 {
	m := 0.0
	for i, v := range p {
		switch x := l.at(i); {
		case x < 0 || x > 1:
			m += v
		case x == 0 || x == 1:
			m += v / 2
		}
	}
	return m
}

// beta is U = −τ (log x + 2 log(2 − x)) on [0, 2] in dual coordinates, whose law
// at temperature τ is that of 2·Beta(2, 3): mean 4/5, second moment 4/5.
func beta(tau float64) Potential {
	u := Func(1, func(grad, x []float64) float64 {
		grad[0] = -tau * (1/x[0] - 2/(2-x[0]))
		return -tau * (math.Log(x[0]) + 2*math.Log(2-x[0]))
	})
	return Mirrored(u, must(domain.NewMirror(must(domain.NewBox([]float64{0}, []float64{2})))), tau)
}

// Proximal Langevin dynamics on [0, 1] with U = 0 are outside for the share
// sqrt(2πλτ)/(1 + sqrt(2πλτ)) of the time, less a bias of the step η: to first
// order in it Euler's law has the extra weight 1 − ηΔU/2 + η|∇U|²/(4τ), which
// outside, where ΔU = 1/λ and E dist² = λτ, is 1 − η/(4λ), so that of the mass m
// outside the part (1 − m)η/(4λ) is missing. (The wall, where ΔU jumps, makes 8 to
// 10 % less of it at η = λ/40.) Twice the mass at η less that at 2η is right to
// 3e-4. A penalty without the ½ or twice it has √2 or √½ of the width outside,
// the wrong sign no law at all.
func TestProximalLaw(t *testing.T) {
	pace.Slow(t)
	for _, lambda := range []float64{0.04, 0.1} {
		u, l := proximal(lambda)
		for _, tau := range []float64{1, 0.5} {
			width := math.Sqrt(2 * math.Pi * lambda * tau)
			truth := width / (1 + width)
			eta := lambda / 40
			fine, coarse := l.outside(l.stationary(t, u, eta, tau)), l.outside(l.stationary(t, u, 2*eta, tau))
			if share := (truth/fine - 1) / ((1 - truth) * eta / (4 * lambda)); share < 0.85 || share > 1 {
				t.Errorf("λ = %g, τ = %g: the bias at η = λ/40 is %.3f of the first order", lambda, tau, share)
			}
			if e := (2*fine-coarse)/truth - 1; math.Abs(e) > 3e-4 {
				t.Errorf("λ = %g, τ = %g: the mass outside is %g of the true one away", lambda, tau, e)
			}
		}
	}
}

// Mirrored Langevin dynamics have the right mean of a beta law at every step, for
// the mean of their gradient, a − (a + b) share, is zero; their second moment is off by
// a multiple of the step: half the step, half the bias, and extrapolated it is
// right to a multiple of the square. At any temperature: a determinant without τ
// is another law, as is none or one of the wrong sign.
func TestMirroredLawOfOne(t *testing.T) {
	m := must(domain.NewMirror(must(domain.NewBox([]float64{0}, []float64{2}))))
	l := line{-18, 0.125, 8*30 + 1}
	for _, tau := range []float64{1, 0.5, 2} {
		moments := func(h float64) (mean, second float64) {
			for i, v := range l.stationary(t, beta(tau), h/tau, tau) {
				x := []float64{0}
				m.Primal(x, []float64{l.at(i)})
				mean += v * x[0]
				second += v * x[0] * x[0]
			}
			return mean, second
		}
		_, coarse := moments(0.1)
		mean, fine := moments(0.05)
		if math.Abs(mean-0.8) > 1e-9 {
			t.Errorf("τ = %g: the mean is %.12g", tau, mean)
		}
		if r := (coarse - 0.8) / (fine - 0.8); math.Abs(r-2) > 0.1 || math.Abs(fine-0.8) > 0.005 {
			t.Errorf("τ = %g: the bias of the second moment is %g, and %.3f of that at twice the step", tau, fine-0.8, r)
		}
		if e := 2*fine - coarse - 0.8; math.Abs(e) > 2e-4 {
			t.Errorf("τ = %g: extrapolated, the second moment is off by %g", tau, e)
		}
	}
}

// lanes is the number of chains of a simulation.
const lanes = 128

// A simulation runs plain Langevin dynamics in independent chains.
type simulation struct {
	u      Potential
	start  []float64 // of every chain
	h, tau float64   // the step is η = h/τ: noise of variance 2h
	time   float64   // steps times h; a tenth of it comes before
	out    int       // the number of observables
	see    func(f, x []float64)
}

// means returns the mean of every observable along every chain at step h, from
// streams of its own.
func (s simulation) means(ladder int, h float64) [][]float64 {
	d := len(s.start)
	streams, e := stream.New(20_260_101, ladder), s.u.Evaluator(lanes, nil)
	x, grad, energy := make([]float64, d*lanes), make([]float64, d*lanes), make([]float64, lanes)
	rng, sums := make([]*stream.Rand, lanes), make([][]float64, lanes)
	for i := range lanes {
		rng[i], sums[i] = streams.Of(i, stream.Kernel), make([]float64, s.out)
		for j, v := range s.start {
			x[j*lanes+i] = v
		}
	}
	steps, z, f := int(s.time/h), make([]float64, d), make([]float64, s.out)
	for k := -steps / 10; k < steps; k++ {
		e.Eval(energy, grad, x)
		for i := range lanes {
			for j := range z {
				at := j*lanes + i
				x[at] += -h/s.tau*grad[at] + math.Sqrt(2*h)*rng[i].NormFloat64()
				z[j] = x[at]
			}
			if k < 0 {
				continue
			}
			s.see(f, z)
			for o, v := range f {
				sums[i][o] += v / float64(steps)
			}
		}
	}
	return sums
}

// check compares the means at step h and 2h, extrapolated to 0, with the truth.
// The means of the chains are independent and, by the length of the chains, nearly
// normal: |t| < 5.8 at 127 degrees of freedom has a false alarm of 6e-8 for each
// of at most nine. The bias that is left is a multiple of h².
func (s simulation) check(t *testing.T, truth []float64) {
	t.Helper()
	if pace.Soaking() {
		s.time *= 20
	}
	fine, coarse := s.means(0, s.h), s.means(1, 2*s.h)
	for o, want := range truth {
		mean, square := 0.0, 0.0
		for i := range lanes {
			v := 2*fine[i][o] - coarse[i][o]
			mean += v / lanes
			square += v * v / lanes
		}
		se := math.Sqrt((square - mean*mean) / (lanes - 1))
		if z := (mean - want) / se; !(math.Abs(z) < 5.8) {
			t.Errorf("observable %d is %.6g ± %.2g, want %.6g: z = %.1f", o, mean, se, want, z)
		}
		t.Logf("observable %d: %.6g ± %.2g, want %.6g", o, mean, se, want)
	}
}

// On a convex plane domain of area A and perimeter P, exp(−dist²/(2λτ)) has the
// mass P·sqrt(πλτ/2) + 2πλτ outside (Steiner's formula): along the sides and
// around the corners. Here a lopsided triangle, right angle at the origin.
func TestProximalLawOnTriangle(t *testing.T) {
	pace.Slow(t)
	const lambda, tau = 0.05, 2
	triangle := must(domain.NewPolytope([][]float64{{-1, 0}, {0, -1}, {1, 3}}, []float64{0, 0, 3}, nil))
	project := must(domain.Projection(triangle))
	u := Distance(Func(2, func(grad, _ []float64) float64 { clear(grad); return 0 }), 1/lambda, project)
	near, find := make([]float64, 2), project()
	sides := (1 + 3 + math.Sqrt(10)) * math.Sqrt(math.Pi*lambda*tau/2)
	corners := 2 * math.Pi * lambda * tau
	total := 1.5 + sides + corners
	simulation{u: u, start: []float64{0.5, 0.3}, h: lambda * tau / 40, tau: tau, time: 50, out: 2,
		see: func(f, x []float64) {
			f[0], f[1] = 0, 0
			if find(near, x) {
				f[0] = 1
				f[1] = (x[0]-near[0])*(x[0]-near[0]) + (x[1]-near[1])*(x[1]-near[1])
			}
		}}.check(t, []float64{(sides + corners) / total, (sides + 2*corners) * lambda * tau / total})
}

// reference reads the exact mean and covariance of a target.
func reference(t *testing.T, name string) (truth []float64) {
	t.Helper()
	var r struct {
		Truth struct {
			Mean []float64   `json:"mean"`
			Cov  [][]float64 `json:"cov"`
		} `json:"truth"`
	}
	b := must(os.ReadFile("../testdata/reference/" + name))
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	truth = append(truth, r.Truth.Mean...)
	for i, row := range r.Truth.Cov {
		for j := range i + 1 {
			truth = append(truth, row[j]+r.Truth.Mean[i]*r.Truth.Mean[j])
		}
	}
	return truth
}

// mirroredTo simulates τU in the dual coordinates of d at temperature τ, whose law
// is exp(−U) at any τ, and compares all first and second moments.
func mirroredTo(t *testing.T, d domain.Domain, tau, h, time float64, name string, f func(grad, x []float64) float64) {
	t.Helper()
	m := must(domain.NewMirror(d))
	n := d.Dim()
	u := Func(n, func(grad, x []float64) float64 {
		v := f(grad, x)
		for j := range grad {
			grad[j] *= tau
		}
		return tau * v
	})
	truth, x := reference(t, name), make([]float64, n)
	simulation{u: Mirrored(u, m, tau), start: make([]float64, n), h: h, tau: tau, time: time, out: len(truth),
		see: func(f, y []float64) {
			m.Primal(x, y)
			at := copy(f, x)
			for i, v := range x {
				for _, w := range x[:i+1] {
					f[at] = v * w
					at++
				}
			}
		}}.check(t, truth)
}

// Mirrored Langevin dynamics of the Dirichlet law (2, 3, 4) on the simplex. Left
// out, the determinant makes it (1, 2, 3), with the wrong sign (0, 1, 2), without
// τ (1.5, 2.5, 3.5): means off by 25 %, 100 % and 10 %, at standard errors of 1 %.
func TestMirroredDirichlet(t *testing.T) {
	mirroredTo(t, must(domain.NewSimplex(2, 1)), 2, 0.05, 200, "dirichlet.json", func(grad, x []float64) float64 {
		rest := 1 - x[0] - x[1]
		grad[0], grad[1] = -1/x[0]+3/rest, -2/x[1]+3/rest
		return -math.Log(x[0]) - 2*math.Log(x[1]) - 3*math.Log(rest)
	})
}

// Mirrored Langevin dynamics of a correlated Gaussian in a box. The force on the
// walls is finite: without the determinant the chain would run away.
func TestMirroredGaussianInBox(t *testing.T) {
	pace.Slow(t)
	var r struct {
		Target struct {
			Mu []float64   `json:"mu"`
			Q  [][]float64 `json:"Q"`
		} `json:"target"`
		Domain struct {
			Lower []float64 `json:"lower"`
			Upper []float64 `json:"upper"`
		} `json:"domain"`
	}
	if err := json.Unmarshal(must(os.ReadFile("../testdata/reference/gauss_box.json")), &r); err != nil {
		t.Fatal(err)
	}
	box := must(domain.NewBox(r.Domain.Lower, r.Domain.Upper))
	mirroredTo(t, box, 0.5, 0.1, 600, "gauss_box.json", func(grad, x []float64) float64 {
		u := 0.0
		for i, row := range r.Target.Q {
			grad[i] = 0
			for j, q := range row {
				grad[i] += q * (x[j] - r.Target.Mu[j])
			}
			u += 0.5 * (x[i] - r.Target.Mu[i]) * grad[i]
		}
		return u
	})
}
