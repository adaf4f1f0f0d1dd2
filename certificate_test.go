package r2sgld_test

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mathext"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
)

// A stepBias is what is known of the bias of steps; see testdata/reference.
type stepBias struct {
	Exact float64 `json:"exact_Ex"`
	Box   map[domain.Rule][]struct {
		Eta  float64
		Bias float64 `json:"bias_Ex"`
	}
	Flower []struct {
		Steps []float64  `json:"lr"`
		U     [2]float64 `json:"cold_meanU_bias"`
	}
}

func readStepBias(t *testing.T) stepBias {
	var r stepBias
	readReference(t, "step_bias.json", &r)
	return r
}

// offCentre is U = 2(x − 0.3)² on [0, 1].
func offCentre() r2sgld.Problem {
	return r2sgld.Problem{Potential: potential.Func(1, func(grad, x []float64) float64 {
		v := x[0] - 0.3
		grad[0] = 4 * v
		return 2 * v * v
	}), Domain: must(domain.NewBox([]float64{0}, []float64{1}))}
}

// weigh is the mean of f over the draws of the run, those at half the step and those at a
// quarter, weighted by w, and its standard error.
func weigh(res *r2sgld.Result, w [3]float64, f func(x []float64, u float64) float64) (mean, se float64) {
	var chains [][]float64
	var all []float64
	d := len(res.Names)
	for _, l := range res.Ladders {
		c := make([]float64, len(l.Energy[0]))
		for k, of := range []r2sgld.Draws{l.Draws, l.Half, l.Quarter} {
			for i, u := range of.Energy[0] {
				c[i] += w[k] * f(of.X[0][i*d:(i+1)*d], u)
			}
		}
		chains, all = append(chains, c), append(all, c...)
	}
	return diag.Mean(all), diag.MCSEMean(chains)
}

// extrapolated is how draws are weighted for the bias, (D₁ + 2D₂)/3.
var extrapolated = [3]float64{2. / 3, 2, -8. / 3}

// parted is the estimated bias of f with the two parts of its error: that of chance, and
// what the extrapolation leaves, computed here once more. It kills: either of them left
// out, other weights, and a remainder without the twentieth.
func parted(t *testing.T, res *r2sgld.Result, f func(x []float64, u float64) float64) (bias, chance, rest float64) {
	t.Helper()
	d1, _ := weigh(res, [3]float64{2, -2, 0}, f)
	d2, _ := weigh(res, [3]float64{0, 4, -4}, f)
	bias, chance = weigh(res, extrapolated, f)
	rest = max(math.Abs(d1-d2)/3, math.Abs(bias)/20)
	got, se := res.Bias(f)
	if math.Abs(got-bias) > 1e-9*math.Abs(bias)+1e-12 || math.Abs(se-chance-rest/2) > 1e-6*se {
		t.Errorf("a bias of %g ± %g, want %g ± %g + %g/2", got, se, bias, chance, rest)
	}
	return bias, chance, rest
}

// coordinate is the first coordinate of a state.
func coordinate(x []float64, _ float64) float64 { return x[0] }

// energy is U at a state.
func energy(_ []float64, u float64) float64 { return u }

// The bias of E x of a Gaussian between two walls, at three steps with reflection. What the
// certificate estimates is known without Monte Carlo error: |z| < 4.9. It lies within 1.6 %
// of the bias, and the lengths make a standard error of 2 to 3 % of it (less in a soak), so
// that 20 % are at least 6 of them away, and the truth is within 4.9 of them and what the
// extrapolation is stated to leave. Refused steps are not mirrored but left out, so that the
// sets part more often.
//
// It kills: the factor 2 left out, a shadow with the full step (bias 0), halves with
// other variances (by the means at half the step and a quarter too), noise not shared or
// not mirrored with the step (the standard error grows by more than 3).
func TestCertificateBetweenWalls(t *testing.T) {
	pace.Slow(t)
	r := readStepBias(t)
	for rule, lengths := range map[domain.Rule][]int{domain.Specular: {250_000, 500_000, 1_000_000}, domain.Refuse: {400_000}} {
		for i, n := range lengths {
			rows := r.Box[rule][i : i+3]
			eta, truth := rows[0].Eta, rows[0].Bias
			res := sample(t, offCentre(), r2sgld.Settings{Seed: 1, Ladders: 4, Iterations: longer(n), BurnIn: 1000, Thin: 4,
				StepSize: []float64{eta}, Boundary: rule, Certificate: true})
			got, se, rest := parted(t, res, coordinate)
			t.Logf("%s, step %g: bias %.6f ± %.6f and %.6f, true %.6f", rule, eta, got, se, rest, truth)
			want := 0.0
			for k, row := range rows {
				want += extrapolated[k] * row.Bias
			}
			if z := (got - want) / se; math.Abs(z) > sigma {
				t.Errorf("%s, step %g: %.6f ± %.6f, want %.6f (z = %.1f)", rule, eta, got, se, want, z)
			}
			if off := math.Abs(got - truth); off > sigma*se+rest || rule == domain.Specular && (off > 0.2*truth || se > 0.03*truth) {
				t.Errorf("%s, step %g: %.6f ± %.6f, the bias is %.6f", rule, eta, got, se, truth)
			}
			for k, row := range rows {
				var only [3]float64
				only[k] = 1
				mean, se := weigh(res, only, coordinate)
				if z := (mean - r.Exact - row.Bias) / se; math.Abs(z) > sigma {
					t.Errorf("%s, step %g: draws with steps of %g have mean %.5f, want %.5f (z = %.1f)", rule, eta, row.Eta, mean, r.Exact+row.Bias, z)
				}
			}
		}
	}
}

// The bias is within two of its standard errors in 95 % of runs or more: of many seeds, no
// fewer are than a binomial law with that chance has with probability 1e-6. The last two
// have steps so large that the extrapolation is off by 6 and 8 %, many times what chance
// adds. It kills: the remainder left out.
func TestCertificateCovers(t *testing.T) {
	pace.Slow(t)
	type target struct {
		name  string
		p     r2sgld.Problem
		eta   float64
		n     int
		f     func(x []float64, u float64) float64
		truth float64
	}
	var targets []target
	for _, row := range readStepBias(t).Box[domain.Specular][:3] {
		targets = append(targets, target{"walls", offCentre(), row.Eta, 3000, coordinate, row.Bias})
	}
	line := r2sgld.Problem{Potential: quadratic([]float64{0}, [][]float64{{1}})}
	for _, eta := range []float64{1.1, 1.2} {
		targets = append(targets, target{"line", line, eta, 4000, func(x []float64, _ float64) float64 { return x[0] * x[0] },
			eta / 2 / (1 - eta/2)})
	}
	const runs = 60
	for _, c := range targets {
		covered := 0
		for seed := range uint64(runs) {
			s := r2sgld.Settings{Seed: seed, Ladders: 4, Iterations: longer(c.n) + 500, BurnIn: 500, StepSize: []float64{c.eta}, Certificate: true}
			if c.p.Domain == nil {
				s.Start = []float64{0}
			}
			got, se := sample(t, c.p, s).Bias(c.f)
			if math.Abs(got-c.truth) <= 2*se {
				covered++
			}
		}
		t.Logf("%s, step %g: %d of %d", c.name, c.eta, covered, runs)
		if covered < runs && mathext.RegIncBeta(float64(runs-covered), float64(covered+1), 1-0.9545) < 1e-6 { // of so few or fewer
			t.Errorf("%s, step %g: the truth is within two standard errors in %d of %d runs", c.name, c.eta, covered, runs)
		}
	}
}

// Means of functions: under U = x²/2 on the line, with gradients that have noise of
// standard deviation s, E x² is (1 + ηs²/2)/(1 − η/2), so that the noise of minibatches is
// part of the bias. It kills a function of the run's draws alone, energies that are not
// those of the draws, and a shadow without noise.
func TestCertificateOfAFunction(t *testing.T) {
	pace.Slow(t)
	n := longer(150_000)
	for _, noise := range []float64{0, 2} {
		p := r2sgld.Problem{Potential: potential.Noisy(quadratic([]float64{0}, [][]float64{{1}}), noise, 0)}
		off := func(eta float64) float64 { return eta / 2 * (1 + noise*noise) / (1 - eta/2) }
		for _, eta := range []float64{0.2, 0.1} {
			res := sample(t, p, r2sgld.Settings{Seed: 2, Ladders: 4, Iterations: n, BurnIn: 1000, Thin: 2, StepSize: []float64{eta},
				Start: []float64{0}, Certificate: true})
			want := extrapolated[0]*off(eta) + extrapolated[1]*off(eta/2) + extrapolated[2]*off(eta/4)
			for name, f := range map[string]func(x []float64, u float64) float64{
				"x²": func(x []float64, _ float64) float64 { return x[0] * x[0] },
				"2U": func(_ []float64, u float64) float64 { return 2 * u },
			} {
				got, se, rest := parted(t, res, f)
				if z := (got - want) / se; math.Abs(z) > sigma || math.Abs(got-off(eta)) > min(0.2*off(eta), sigma*se+rest) {
					t.Errorf("noise %g, step %g: bias of %s %.5f ± %.5f, true %.5f (z = %.1f)", noise, eta, name, got, se, off(eta), z)
				}
			}
			if b, se := res.Bias(func([]float64, float64) float64 { return 7 }); b != 0 || se != 0 {
				t.Errorf("a constant has the bias %g ± %g", b, se)
			}
			if g := res.Gradients(); g != int64(7*4*n) {
				t.Errorf("%d gradients are counted", g)
			}
		}
	}
}

// The flower with two rungs: E U of the cold one, whose bias is known with a standard
// error of its own; at the largest step it is the mean of the run's draws less that of the
// density. A run of the length of the tests sees it at the second, within 4.9 standard errors
// and what the extrapolation is stated to leave; R2SGLD_SOAK=1 holds three within 20 %.
func TestCertificateOnTheFlower(t *testing.T) {
	pace.Slow(t)
	var exact struct {
		Flower struct {
			Tau1 struct {
				U float64 `json:"mean_U"`
			}
		}
	}
	readReference(t, "multimodal.json", &exact)
	known := readStepBias(t).Flower
	steps, lengths := [][]float64{known[0].Steps}, []int{100_000}
	soak := pace.Soaking()
	if soak {
		steps, lengths = [][]float64{{0.002, 0.006}, known[0].Steps, known[1].Steps}, []int{8_000_000, 15_000_000, 40_000_000}
	}
	for i, step := range steps {
		s := r2sgld.Settings{Seed: 3, Ladders: 4, Iterations: lengths[i], BurnIn: 10_000, Thin: 10, MaxDraws: 1 << 20,
			Temperature: []float64{1, 10}, StepSize: step, Certificate: true}
		res := sample(t, r2sgld.Problem{Potential: multimodal, Domain: flower}, s)
		got, se, rest := parted(t, res, energy)
		truth, sd := weigh(res, [3]float64{1, 0, 0}, energy)
		truth -= exact.Flower.Tau1.U
		for _, row := range known {
			if row.Steps[0] == step[0] {
				truth, sd = row.U[0], row.U[1]
			}
		}
		t.Logf("steps %v: %.5f ± %.5f and %.5f, true %.5f ± %.5f", step, got, se, rest, truth, sd)
		off := math.Abs(got - truth)
		if off > sigma*math.Hypot(se, sd)+rest {
			t.Errorf("steps %v: %.5f ± %.5f, the bias is %.5f", step, got, se, truth)
		}
		if soak && off > 0.2*truth {
			t.Errorf("steps %v: %.5f ± %.5f is not within 20 %% of %.5f", step, got, se, truth)
		}
	}
}

// Rungs that trade under the same chance stay together: the standard errors are well
// below those of two runs apart, √2 MCSE: 2.7 and 3.7 times. It kills a shadow that trades by
// chance of its own or by that of another, one coupled by replica, and one whose replicas
// are never brought together again.
func TestCertificateTradesAlike(t *testing.T) {
	pace.Slow(t)
	p := r2sgld.Problem{Potential: quadratic([]float64{0, 0}, [][]float64{{1, 0.3}, {0.3, 2}})}
	res := sample(t, p, r2sgld.Settings{Seed: 4, Ladders: 4, Iterations: 50_000, BurnIn: 1000, Temperature: []float64{1, 2, 4, 8},
		StepSize: []float64{0.02}, Start: []float64{0, 0}, Certificate: true})
	apart := math.Sqrt2 * diag.MCSEMean(res.Chains(0))
	for name, w := range map[string][3]float64{"half and whole": {1, -1, 0}, "quarter and half": {0, 1, -1}} {
		_, se := weigh(res, w, coordinate)
		t.Logf("%s: %.5f, apart %.5f: %.1f times", name, se, apart, apart/se)
		if se > apart/2.2 {
			t.Errorf("%s differ by chance by %.5f, two runs apart by %.5f", name, se, apart)
		}
	}
}

// certified are runs that use all that a certificate must keep in step with.
func certified() map[string]func(p *r2sgld.Problem, s *r2sgld.Settings) {
	return map[string]func(p *r2sgld.Problem, s *r2sgld.Settings){
		"flower":   func(*r2sgld.Problem, *r2sgld.Settings) {},
		"whitened": func(_ *r2sgld.Problem, s *r2sgld.Settings) { s.Whitening = shear },
		"uniform": func(_ *r2sgld.Problem, s *r2sgld.Settings) {
			s.Temperature = []float64{1, 3, infinity}
			s.MaxDraws = 100
		},
		"estimated": func(_ *r2sgld.Problem, s *r2sgld.Settings) {
			s.Swap = exchange.Settings{Scheme: "seo", Every: 3, Estimate: exchange.Estimate{Every: 7}}
			s.Boundary = domain.Refuse
		},
		"full, free": func(_ *r2sgld.Problem, s *r2sgld.Settings) {
			s.FullEnergies, s.Boundary, s.Start = true, domain.Free, []float64{0, 0}
			s.Swap.Scheme, s.Penalty = "ape", &r2sgld.Penalty{Strength: 5, Distance: true}
		},
	}
}

// A certificate changes no draw, and neither threads nor stops change the certificate.
// It kills: streams shared with the run, a state that lacks the shadow, and draws that
// are not thinned out along with the run's.
func TestCertificateChangesNothing(t *testing.T) {
	pace.Slow(t)
	for name, bend := range certified() {
		p, s := small()
		s.Ladders, s.Iterations = 2, 1500
		bend(&p, &s)
		s.Review = review(2 * s.Iterations)
		plain := sample(t, p, s)
		s.Certificate = true
		want := sample(t, p, s)
		for i, l := range want.Ladders {
			if !reflect.DeepEqual(l.Draws, plain.Ladders[i].Draws) || !reflect.DeepEqual(l.Swaps, plain.Ladders[i].Swaps) {
				t.Errorf("%s: ladder %d has other draws with a certificate", name, i+1)
			}
			for _, finer := range []r2sgld.Draws{l.Half, l.Quarter} {
				if len(finer.Energy[0]) != len(l.Energy[0]) || reflect.DeepEqual(finer.X[0], l.X[0]) || reflect.DeepEqual(l.Half.X[0], l.Quarter.X[0]) {
					t.Errorf("%s: %d draws with smaller steps beside %d, or the same", name, len(finer.Energy[0]), len(l.Energy[0]))
				}
			}
		}
		var states [][]byte
		s.Checkpoint = &r2sgld.Checkpoint{Save: func(_ int, now [][]byte) error { states = now; return nil }}
		for _, at := range []int{1, 101, 1499, 1501, 2222} {
			s.Recorder, s.Resume, s.Threads = func(int) r2sgld.Recorder { return stopper(at) }, states, 1+at%2
			if _, err := r2sgld.Sample(context.Background(), p, s); err == nil {
				t.Fatalf("%s: no stop at %d", name, at)
			}
		}
		s.Recorder, s.Resume, s.Threads = nil, states, 4
		if got := finished(sample(t, p, s)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: the certificate of the resumed run differs", name)
		}
	}
}

// An iteration with its shadow allocates nothing.
func TestCertificateAllocatesNothing(t *testing.T) {
	pace.Slow(t)
	for name, bend := range certified() {
		p, s := small()
		s.Ladders, s.Threads, s.Certificate = 1, 1, true
		bend(&p, &s)
		s.MaxDraws = 10
		count := func(iterations int) float64 {
			s.Iterations = iterations
			return testing.AllocsPerRun(3, func() { sample(t, p, s) })
		}
		if few, many := count(1000), count(5000); many > few+20 {
			t.Errorf("%s: %v allocations in 1,000 iterations, %v in 5,000", name, few, many)
		}
	}
}

// Where the certificate would say nothing it is refused.
func TestCertificateRefuses(t *testing.T) {
	for want, bend := range map[string]func(s *r2sgld.Settings){
		"have none":         func(s *r2sgld.Settings) { s.Kernel = kernel.HMC{Leapfrog: 3} },
		"for momentum":      func(s *r2sgld.Settings) { s.Kernel = kernel.Momentum{Mu: 0.5} },
		"boundary project":  func(s *r2sgld.Settings) { s.Boundary = domain.Project },
		"boundary nearest":  func(s *r2sgld.Settings) { s.Boundary = domain.Nearest },
		"force that jumps":  func(s *r2sgld.Settings) { s.Boundary, s.Penalty = domain.Free, &r2sgld.Penalty{Strength: 1} },
		"outside the domai": func(s *r2sgld.Settings) { s.Boundary, s.Inside = domain.Free, true },
	} {
		p, s := small()
		s.Certificate, s.Start = true, []float64{0, 0}
		bend(&s)
		if err := r2sgld.Check(t.Context(), p, s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	p, s := small()
	if b, se := sample(t, p, s).MeanBias(0); b == b || se == se {
		t.Error("a bias without a certificate")
	}
}

func ExampleResult_MeanBias() {
	p := offCentre()
	res, err := r2sgld.Sample(context.Background(), p,
		r2sgld.Settings{Ladders: 4, Iterations: 100_000, BurnIn: 1000, StepSize: []float64{0.04}, Certificate: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	bias, se := res.MeanBias(0)
	fmt.Printf("steps of 0.04 shift the mean by %.3f, known to %.3f\n", bias, se)
	// Output: steps of 0.04 shift the mean by 0.006, known to 0.000
}
