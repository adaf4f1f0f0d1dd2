package tune

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
)

// leaning is N((0, ½), diag(0.3², 1)) in a box, and log Z over its volume.
func leaning(t *testing.T) (r2sgld.Problem, float64) {
	t.Helper()
	box, err := domain.NewBox([]float64{-1, -1}, []float64{4, 1})
	if err != nil {
		t.Fatal(err)
	}
	p := r2sgld.Problem{Domain: box, Potential: potential.Func(2, func(grad, x []float64) float64 {
		grad[0], grad[1] = x[0]/0.09, x[1]-0.5
		return x[0]*x[0]/0.18 + (x[1]-0.5)*(x[1]-0.5)/2
	})}
	within := func(mean, sd, lo, hi float64) float64 {
		return math.Sqrt(math.Pi/2) * sd * (math.Erf((hi-mean)/sd/math.Sqrt2) - math.Erf((lo-mean)/sd/math.Sqrt2))
	}
	return p, math.Log(within(0, 0.3, -1, 4) * within(0.5, 1, -1, 1) / 10)
}

// A constant potential tells log Z without error: the run need not go on.
func TestEvidenceOfConstant(t *testing.T) {
	p, _ := leaning(t)
	p.Potential = potential.Func(2, func(grad, _ []float64) float64 {
		grad[0], grad[1] = 0, 0
		return 3
	})
	res, _, err := Sample(t.Context(), p, r2sgld.Settings{Ladders: 4, Iterations: 250, Kernel: kernel.HMC{Leapfrog: 1}}, Until{Evidence: 0.03})
	if err != nil {
		t.Fatal(err)
	}
	if e := Evidence(res); e.Error != 0 || e.GapError != 0 || math.Abs(e.Estimate+3) > 1e-12 || res.Ladders[0].Iterations != 250 {
		t.Errorf("%+v after %d iterations", e, res.Ladders[0].Iterations)
	}
}

// A run that ends with the evidence has the standard error asked for, and that is
// the error: over many seeds the squares of error over standard error follow χ² (false
// alarm 1e-6), with MALA, HMC and the harmonic kernel by turns. Mutants: standard errors of
// independent draws (autocorrelation times are about 3); the pairs' errors added as if
// they were independent; R̂ waited for; the standard error not looked at.
func TestEvidenceIsCalibrated(t *testing.T) {
	pace.Slow(t)
	seeds := 48
	if pace.Soaking() {
		seeds = 480
	}
	p, truth := leaning(t)
	var sum, squares float64
	for i := range seeds {
		s := r2sgld.Settings{Seed: uint64(i + 1), Ladders: 4, Iterations: 250}
		switch i % 3 {
		case 0:
			s.Kernel = kernel.HMC{Leapfrog: 1}
		case 1:
			s.Kernel = kernel.HMC{Leapfrog: 10}
		default:
			s.Kernel = kernel.Harmonic{}
		}
		u := Until{Evidence: 0.05}
		res, _, err := Sample(t.Context(), p, s, u)
		if err != nil {
			t.Fatal(err)
		}
		j := u.Judge(res)
		e := j.Evidence
		if !j.Met || !(e.Error <= u.Evidence) || j.RHat == j.RHat {
			t.Fatalf("seed %d: %+v", i+1, j)
		}
		z := (e.Estimate - truth) / e.Error
		sum += z
		squares += z * z
	}
	law := distuv.ChiSquared{K: float64(seeds)}
	if !(squares > law.Quantile(3e-7) && squares < law.Quantile(1-3e-7)) {
		t.Errorf("squared errors over squared standard errors add up to %.0f of %d", squares, seeds)
	}
	if z := sum / math.Sqrt(float64(seeds)); !(math.Abs(z) < 5.2) {
		t.Errorf("log Z is off by %.1f standard errors", z)
	}
}

// The run ends by its draws alone: threads change nothing. Mutant: the end by time.
func TestEvidenceDoesNotDependOnThreads(t *testing.T) {
	p, _ := leaning(t)
	var first *r2sgld.Result
	for _, threads := range []int{1, 3} {
		s := r2sgld.Settings{Seed: 9, Ladders: 3, Iterations: 100, Threads: threads, Kernel: kernel.HMC{Leapfrog: 1}}
		res, _, err := Sample(t.Context(), p, s, Until{Evidence: 0.05})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = res
			if n := res.Ladders[0].Iterations; n <= 100 {
				t.Errorf("one round, %d iterations, tells nothing of rounds", n)
			}
		}
		for i, l := range res.Ladders {
			if !slices.Equal(l.Energy[0], first.Ladders[i].Energy[0]) {
				t.Errorf("ladder %d differs with %d threads", i+1, threads)
			}
		}
	}
}

// Evidence that is not known is not met; what else is asked for is waited for.
func TestUntilEvidence(t *testing.T) {
	if j := (Until{Evidence: 1}).Judge(chains(500, 0)); j.Met || j.Done {
		t.Errorf("no temperatures: %+v", j)
	}
	p, _ := leaning(t)
	s := r2sgld.Settings{Seed: 2, Ladders: 4, Iterations: 250, Kernel: kernel.HMC{Leapfrog: 1}}
	res, _, err := Sample(t.Context(), p, s, Until{Evidence: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		u    Until
		want bool
	}{
		{Until{Evidence: 0.1}, true},
		{Until{Evidence: 1e-4}, false},
		{Until{Evidence: 0.1, ESS: 1}, true},
		{Until{Evidence: 0.1, ESS: 1e6}, false},
		{Until{Evidence: 0.1, RHat: 1.5}, true},
		{Until{Evidence: 0.1, RHat: 1 + 1e-9}, false},
	} {
		if j := c.u.Judge(res); j.Met != c.want {
			t.Errorf("%+v: %+v", c.u, j)
		}
	}
	if u := (Until{Evidence: 0.1}).WithDefaults(100); u.RHat != 0 || u.ESS != 0 || u.Iterations != 6400 {
		t.Errorf("defaults %+v", u)
	}
	if u := (Until{}).WithDefaults(100); u.RHat != 1.01 || u.ESS != 400 {
		t.Errorf("defaults %+v", u)
	}
}

// A plan says how long the evidence takes: the error of log Z falls as one over the root of
// the iterations, so that the run that goes by it is within a round or two (a factor of 4)
// of the plan. Mutants: the error not squared; R̂ and ESS waited for.
func TestForecastEvidence(t *testing.T) {
	p, _ := leaning(t)
	s := r2sgld.Settings{Seed: 4, Ladders: 4, Iterations: 100, BurnIn: 10, Thin: 1, Kernel: kernel.HMC{Leapfrog: 1}}
	u := Until{Evidence: 0.01}.WithDefaults(100)
	u.Iterations = 1 << 20
	plan, err := ForecastAuto(t.Context(), p, s, u)
	if err != nil {
		t.Fatal(err)
	}
	res, _, err := Sample(t.Context(), p, s, u)
	if err != nil {
		t.Fatal(err)
	}
	ran := float64(res.Ladders[0].Iterations)
	if r := ran / plan.Tuned.Needed; !plan.Tuned.Met || r < 0.25 || r > 4 {
		t.Errorf("%g iterations, planned %g", ran, plan.Tuned.Needed)
	}
}

// Of ladders that kept unlike numbers of draws, as those of an ended run or of draws left
// out, as many are taken as the shortest has.
func TestEvidenceOfUnlikeLadders(t *testing.T) {
	p, _ := leaning(t)
	res, err := r2sgld.Sample(t.Context(), p, r2sgld.Settings{Seed: 1, Ladders: 2, Threads: 1, Iterations: 400, Thin: 1,
		Temperature: []float64{1, 2, 4}, StepSize: []float64{0.01, 0.02, 0.04}, Kernel: kernel.HMC{Leapfrog: 1}})
	if err != nil {
		t.Fatal(err)
	}
	cut := func(l *r2sgld.Ladder, n int) {
		l.Energy = slices.Clone(l.Energy)
		for r := range l.Energy {
			l.Energy[r] = l.Energy[r][:n]
		}
	}
	cut(&res.Ladders[1], 300)
	got := Evidence(res)
	cut(&res.Ladders[0], 300)
	if want := Evidence(res); !reflect.DeepEqual(got, want) || want.Error != want.Error {
		t.Errorf("%+v, want that of the draws that both have: %+v", got, want)
	}
	cut(&res.Ladders[0], 200)
	got = Evidence(res)
	cut(&res.Ladders[1], 200)
	if want := Evidence(res); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}
