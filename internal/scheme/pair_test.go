package scheme_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/scheme"
)

func pairStep(eta, attempt, noise, correction float64) scheme.PairStep {
	return scheme.PairStep{U: doubleWell, Lo: -1.6, Hi: 1.6, Temperature: [2]float64{0.5, 2}, StepSize: [2]float64{eta, eta},
		Attempt: attempt, EnergyNoise: noise, Correction: correction}
}

func joint(t testing.TB, s scheme.PairStep) *scheme.Joint {
	t.Helper()
	return must[*scheme.Joint](t)(must[*scheme.Pair](t)(scheme.NewPair(s)).Stationary())
}

// Acceptance is the mean of min(1, exp(m + vZ)), and in detailed balance with
// the penalty v²/2.
func TestAcceptanceProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, v := rapid.Float64Range(-30, 30).Draw(t, "m"), rapid.Float64Range(0, 8).Draw(t, "v")
		sum, norm := 0.0, 0.0
		for i := range 40001 {
			z := float64(i-20000) / 2000
			w := math.Exp(-z * z / 2)
			sum, norm = sum+w*math.Exp(min(0, m+v*z)), norm+w
		}
		if got := scheme.Acceptance(m, v); math.Abs(got-sum/norm) > 1e-6 {
			t.Fatalf("Acceptance(%g, %g) = %.9g, should be %.9g", m, v, got, sum/norm)
		}
		there, back := scheme.Acceptance(m-v*v/2, v), scheme.Acceptance(-m-v*v/2, v)
		if math.Abs(there-math.Exp(m)*back) > 1e-11*(there+math.Exp(m)*back) {
			t.Fatalf("m %g, v %g: %g there, %g back", m, v, there, back)
		}
	})
}

func FuzzAcceptance(f *testing.F) {
	f.Add(1.0, 0.5)
	f.Add(700.0, 1e-9)
	f.Add(-1e300, 1e150)
	f.Fuzz(func(t *testing.T, m, v float64) {
		if !(v >= 0) || math.IsInf(v*v, 0) || math.IsNaN(m) || math.IsInf(m, 0) {
			return
		}
		if p := scheme.Acceptance(m, v); !(p >= 0 && p <= 1) {
			t.Errorf("Acceptance(%g, %g) = %g", m, v, p)
		}
	})
}

// Two rungs that never swap keep the laws of each alone; those of the pair have
// half as many nodes, which shows at 1e-7.
func TestRungsApart(t *testing.T) {
	for _, rule := range rules {
		s := pairStep(0.02, 0, 0, 2)
		s.Rule, s.GradientNoise, s.StepSize[1] = rule, 1.5, 0.05
		j := joint(t, s)
		for i, got := range []*scheme.Law{j.Cold, j.Hot} {
			want := stationary(t, scheme.Step{U: doubleWell, Lo: -1.6, Hi: 1.6, Temperature: s.Temperature[i], StepSize: s.StepSize[i],
				GradientNoise: 1.5, Rule: rule})
			if d := scheme.W1(got, want); d > 1e-7 {
				t.Errorf("rule %s, rung %d: W1 %.3g to a rung alone", rule, i, d)
			}
		}
		if j.Swaps != 0 {
			t.Errorf("rungs apart swap at %g", j.Swaps)
		}
	}
}

// What noise in the energies costs: with C = 2 nothing (the error is that of the
// step, of order η), with another C a bias that no step size removes.
func TestSwapBias(t *testing.T) {
	pace.Slow(t)
	pi := must[*scheme.Law](t)(scheme.Target(doubleWell, -1.6, 1.6, 0.5))
	eta := []float64{0.04, 0.02, 0.01}
	if pace.Soaking() {
		eta = append(eta, 0.005, 0.0025)
	}
	n := len(eta) - 1
	w1 := func(noise, correction float64) (all []float64) {
		for _, e := range eta {
			j := joint(t, pairStep(e, 1, noise, correction))
			if j.Residual > 1e-10 {
				t.Errorf("η %g: residual %g", e, j.Residual)
			}
			all = append(all, scheme.W1(j.Cold, pi))
		}
		t.Logf("noise %g, C = %g: W1 %.4g", noise, correction, all)
		return all
	}
	exact, corrected, none, strong := w1(0, 0), w1(2, 2), w1(2, 0), w1(2, 1)
	for name, all := range map[string][]float64{"exact energies": exact, "C = 2": corrected} {
		if local := math.Log(all[0]/all[n]) / math.Log(eta[0]/eta[n]); math.Abs(local-1) > 0.35 {
			t.Errorf("%s: order %.3f, should be 1", name, local)
		}
	}
	for name, all := range map[string][]float64{"no correction": none, "C = 1": strong} {
		if all[n] < 0.1 {
			t.Errorf("%s: W1 %.3g at η = %g, should stay above 0.1", name, all[n], eta[n])
		}
	}
}

// As the step size falls, swaps in a share r·η of the iterations relax at the
// gap of the diffusion that swaps at intensity r, from the other program.
func TestRateAgainstGap(t *testing.T) {
	pace.Slow(t)
	cold, hot := must[*scheme.Diffusion](t)(scheme.NewDiffusion(doubleWell, -1.6, 1.6, 0.5)),
		must[*scheme.Diffusion](t)(scheme.NewDiffusion(doubleWell, -1.6, 1.6, 2))
	before := 0.0
	for _, r := range []float64{0, 1, 5} {
		gap := must[float64](t)(scheme.Gap(cold, hot, r, 12))
		if r == 0 && math.Abs(gap-min(cold.Rates()[1], hot.Rates()[1])) > 1e-12 {
			t.Errorf("rungs apart: gap %g", gap)
		}
		if gap < before {
			t.Errorf("the gap falls to %g at intensity %g", gap, r)
		}
		before = gap
		rate := func(eta float64) float64 {
			return must[float64](t)(must[*scheme.Pair](t)(scheme.NewPair(pairStep(eta, r*eta, 0, 2))).Rate())
		}
		// Linear in η: half of the step, half of the error.
		a, b := rate(0.01), rate(0.005)
		t.Logf("r = %g: rate %.6f, %.6f, extrapolated %.6f, gap %.6f", r, a, b, 2*b-a, gap)
		if math.Abs(2*b-a-gap) > 0.006*gap {
			t.Errorf("intensity %g: rate %.5g and %.5g, to the gap %.5g", r, a, b, gap)
		}
	}
}

// Without a force every attempt is a swap.
func TestFlatSwaps(t *testing.T) {
	s := scheme.PairStep{Lo: 0, Hi: 1, Temperature: [2]float64{1, 3}, StepSize: [2]float64{0.05, 0.02}, Attempt: 0.3, Rule: domain.Specular}
	j := joint(t, s)
	uniform := must[*scheme.Law](t)(scheme.Target(nil, 0, 1, 1))
	if math.Abs(j.Swaps-0.3) > 1e-12 || scheme.W1(j.Cold, uniform) > 1e-12 || scheme.W1(j.Hot, uniform) > 1e-12 {
		t.Errorf("swaps %g, W1 %g and %g", j.Swaps, scheme.W1(j.Cold, uniform), scheme.W1(j.Hot, uniform))
	}
}

func TestPairFaults(t *testing.T) {
	for name, spoil := range map[string]func(*scheme.PairStep){
		"temperatures": func(s *scheme.PairStep) { s.Temperature = [2]float64{2, 1} },
		"attempt":      func(s *scheme.PairStep) { s.Attempt = 1.5 },
		"noise":        func(s *scheme.PairStep) { s.EnergyNoise = -1 },
		"correction":   func(s *scheme.PairStep) { s.Correction = math.NaN() },
		"step size":    func(s *scheme.PairStep) { s.StepSize[1] = 0 },
		"rule":         func(s *scheme.PairStep) { s.Rule = domain.Free },
		"tiny":         func(s *scheme.PairStep) { s.StepSize[0] = 1e-6 },
	} {
		s := pairStep(0.04, 1, 0, 2)
		spoil(&s)
		if _, err := scheme.NewPair(s); err == nil {
			t.Errorf("%s: no error", name)
		} else {
			t.Log(err)
		}
	}
	d := must[*scheme.Diffusion](t)(scheme.NewDiffusion(nil, 0, 1, 1))
	e := must[*scheme.Diffusion](t)(scheme.NewDiffusion(nil, 0, 2, 1))
	for _, err := range []error{second(scheme.Gap(d, e, 1, 8)), second(scheme.Gap(d, d, -1, 8)), second(scheme.Gap(d, d, 1, 1))} {
		if err == nil {
			t.Error("no error")
		}
	}
}

func second(_ float64, err error) error { return err }
