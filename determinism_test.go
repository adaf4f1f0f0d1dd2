package r2sgld_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
)

// small is a run that uses everything: noise, swaps, reflections, a schedule.
func small() (r2sgld.Problem, r2sgld.Settings) {
	return r2sgld.Problem{Potential: potential.Noisy(multimodal, 0.05, 0.05), Domain: must(domain.NewFlower(5, 3, 2))},
		r2sgld.Settings{Seed: 9, Ladders: 5, Iterations: 3000, BurnIn: 100, Thin: 3, Temperature: []float64{1, 3, 10},
			StepSize: []float64{1e-3, 2e-3, 4e-3}, Decay: kernel.Decay{Kind: kernel.Cosine, Cycles: 4}}
}

// The number of threads changes no bit of a result.
func TestThreadsChangeNothing(t *testing.T) {
	p, s := small()
	s.Threads = 1
	want := sample(t, p, s)
	for _, threads := range []int{2, 4, 16} {
		s.Threads = threads
		if !reflect.DeepEqual(sample(t, p, s), want) {
			t.Errorf("%d threads give other draws than one", threads)
		}
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	s.Threads = 0
	for _, procs := range []int{1, 2, 4} {
		runtime.GOMAXPROCS(procs)
		if !reflect.DeepEqual(sample(t, p, s), want) {
			t.Errorf("GOMAXPROCS %d gives other draws", procs)
		}
	}
}

// Another seed gives other draws, in every ladder; ladders differ.
func TestSeeds(t *testing.T) {
	p, s := small()
	a := sample(t, p, s)
	s.Seed++
	b := sample(t, p, s)
	for i := range a.Ladders {
		if reflect.DeepEqual(a.Ladders[i].X, b.Ladders[i].X) {
			t.Errorf("ladder %d has the same draws under two seeds", i+1)
		}
		if i > 0 && reflect.DeepEqual(a.Ladders[i].X, a.Ladders[0].X) {
			t.Errorf("ladders 1 and %d have the same draws", i+1)
		}
	}
}

// A thinned run is a slice of the whole one, and burn-in drops its beginning.
func TestThinningIsASlice(t *testing.T) {
	p, s := small()
	s.BurnIn, s.Thin = 0, 1
	whole := sample(t, p, s)
	s.BurnIn, s.Thin = 100, 7
	thin := sample(t, p, s)
	for l, ladder := range thin.Ladders {
		for r := range ladder.Energy {
			for i, u := range ladder.Energy[r] {
				if k := 100 + 7*(i+1) - 1; u != whole.Ladders[l].Energy[r][k] {
					t.Fatalf("ladder %d, rung %d: draw %d is not that of iteration %d", l+1, r+1, i, k+1)
				}
			}
		}
	}
}

// stopper ends a ladder at an iteration, and with it the others, none later.
type stopper int

var errStop = errors.New("stop here")

func (s stopper) Record(k int, _ *kernel.Block) error {
	if k == int(s) {
		return errStop
	}
	return nil
}

// A run stopped again and again at any iteration and resumed from the states it
// left, on other numbers of threads, ends with the bytes of the whole run.
func TestResumedRunIsTheWholeRun(t *testing.T) {
	p, s := small()
	want := sample(t, p, s)
	var states [][]byte
	stops := 0
	for _, at := range []int{1, 7, 99, 100, 101, 1500, 2999, 3000, 9999} {
		s.Threads = 1 + at%3
		s.Resume = states
		s.Recorder = func(int) r2sgld.Recorder { return stopper(at) }
		s.Checkpoint = &r2sgld.Checkpoint{Every: time.Millisecond, Save: func(_ int, now [][]byte) error {
			states = now
			return nil
		}}
		got, err := r2sgld.Sample(context.Background(), p, s)
		if err == nil {
			for i := range got.Ladders {
				got.Ladders[i].Resumed = 0
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("after %d stops the draws differ from those of the whole run", stops)
			}
			continue
		}
		if !errors.Is(err, errStop) {
			t.Fatal(err)
		}
		stops++
	}
	if stops != 8 {
		t.Fatalf("%d stops, want 8", stops)
	}
	if s.Resume = states; !reflect.DeepEqual(sample(t, p, s).Ladders[0].X, want.Ladders[0].X) {
		t.Fatal("a finished run resumed has other draws")
	}
}

// A run whose context ends says why, and a checkpoint that cannot be written is
// not lost on the way.
func TestStoppedRunSaysWhy(t *testing.T) {
	p, s := small()
	s.Iterations = 1 << 40
	full := errors.New("disk full")
	s.Checkpoint = &r2sgld.Checkpoint{Save: func(int, [][]byte) error { return full }}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	_, err := r2sgld.Sample(ctx, p, s)
	if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, full) {
		t.Errorf("%v", err)
	}
}

// A state of another run, a torn one, or one of another number of ladders is
// refused with an error, never a panic.
func TestResumeRefusesNonsense(t *testing.T) {
	p, s := small()
	s.Iterations = 200
	var states [][]byte
	s.Checkpoint = &r2sgld.Checkpoint{Save: func(_ int, now [][]byte) error { states = now; return nil }}
	sample(t, p, s)
	s.Checkpoint = nil
	for cut := 0; cut < len(states[2]); cut += 1 + cut/7 {
		torn := append([][]byte(nil), states...)
		torn[2] = states[2][:cut]
		s.Resume = torn
		if _, err := r2sgld.Sample(context.Background(), p, s); err == nil || !strings.Contains(err.Error(), "ladder 3") {
			t.Fatalf("a state cut to %d of %d bytes: %v", cut, len(states[2]), err)
		}
	}
	s.Resume = states[:3]
	if _, err := r2sgld.Sample(context.Background(), p, s); err == nil {
		t.Error("three states were taken for five ladders")
	}
}

// An energy that stops being finite ends the run with rung, iteration and
// state; what is saved is a state from before.
func TestBlowUp(t *testing.T) {
	p := r2sgld.Problem{Potential: potential.Func(2, func(grad, x []float64) float64 {
		grad[0], grad[1] = 4*x[0]*x[0]*x[0], x[1]
		return x[0]*x[0]*x[0]*x[0] + x[1]*x[1]/2
	})}
	var states [][]byte
	s := r2sgld.Settings{Iterations: 1000, Temperature: []float64{1, 50}, StepSize: []float64{1e-3, 1},
		Start: []float64{1, 1}, Hooks: r2sgld.Hooks{Checkpoint: &r2sgld.Checkpoint{Save: func(_ int, now [][]byte) error {
			states = now
			return nil
		}}}}
	_, err := r2sgld.Sample(context.Background(), p, s)
	var b *r2sgld.BlowUp
	if !errors.As(err, &b) || b.Rung != 2 || b.Temperature != 50 || b.StepSize != 1 || b.Iteration < 2 || len(b.State) != 2 ||
		!(math.Abs(b.State[0]) > 10) {
		t.Fatalf("%v", err)
	}
	if len(states) != 1 {
		t.Fatal("no states were saved")
	}
	s.Resume, s.StepSize = states, []float64{1e-3, 1e-3}
	if _, err := r2sgld.Sample(context.Background(), p, s); err != nil {
		t.Errorf("with a smaller step the saved run does not go on: %v", err)
	}
}

// The step of a ladder allocates nothing: runs of 2,000 and 12,000 iterations
// that keep one draw allocate equally often, up to what the runtime does beside
// them (goroutines, timers).
func TestStepsAllocateNothing(t *testing.T) {
	p, s := small()
	s.Ladders, s.Threads = 1, 1
	count := func(iterations int) float64 {
		s.Iterations, s.BurnIn = iterations, iterations-1
		s.Thin = 1
		return testing.AllocsPerRun(3, func() { sample(t, p, s) })
	}
	if few, many := count(2000), count(12000); many > few+20 {
		t.Errorf("%v allocations in 2,000 iterations, %v in 12,000", few, many)
	}
}

func TestFaultsOfSettings(t *testing.T) {
	p, good := small()
	cases := []struct {
		name string
		bend func(p *r2sgld.Problem, s *r2sgld.Settings)
		want string
	}{
		{"no potential", func(p *r2sgld.Problem, _ *r2sgld.Settings) { p.Potential = nil }, "no potential"},
		{"step", func(_ *r2sgld.Problem, s *r2sgld.Settings) { s.StepSize = []float64{1, -1, 2} }, "step size -1 of rung 2"},
		{"steps", func(_ *r2sgld.Problem, s *r2sgld.Settings) { s.StepSize = []float64{1, 2} }, "2 step sizes for 3 temperatures"},
		{"order", func(_ *r2sgld.Problem, s *r2sgld.Settings) { s.Temperature = []float64{1, 3, 2} }, "temperature 2 of rung 3"},
		{"NaN", func(_ *r2sgld.Problem, s *r2sgld.Settings) { s.Temperature = []float64{1, math.NaN(), 2} }, "temperature NaN of rung 2"},
		{"burn-in", func(_ *r2sgld.Problem, s *r2sgld.Settings) { s.BurnIn = 3000 }, "leaves no draw"},
		{"negative", func(_ *r2sgld.Problem, s *r2sgld.Settings) { s.Iterations = -1 }, "must not be negative"},
		{"start", func(_ *r2sgld.Problem, s *r2sgld.Settings) { s.Start = []float64{5, 0} }, "outside the domain"},
		{"start length", func(_ *r2sgld.Problem, s *r2sgld.Settings) { s.Start = []float64{0} }, "start has 1"},
		{"penalty", func(_ *r2sgld.Problem, s *r2sgld.Settings) { s.Penalty = &r2sgld.Penalty{Strength: 3} }, "boundary rule free"},
		{"rule", func(_ *r2sgld.Problem, s *r2sgld.Settings) { s.Boundary = "bounce" }, "bounce"},
		{"scheme", func(_ *r2sgld.Problem, s *r2sgld.Settings) { s.Swap.Scheme = "ring" }, "unknown swap scheme"},
		{"schedule", func(_ *r2sgld.Problem, s *r2sgld.Settings) { s.Decay.Kind = "fast" }, "unknown schedule"},
		{"no start", func(p *r2sgld.Problem, _ *r2sgld.Settings) { p.Domain = nil }, "give a starting point"},
		{"dimension", func(p *r2sgld.Problem, _ *r2sgld.Settings) {
			p.Domain = must(domain.NewBox([]float64{0}, []float64{1}))
		}, "dimension 1"},
		{"names", func(p *r2sgld.Problem, _ *r2sgld.Settings) { p.Names = []string{"a"} }, "1 names for 2"},
	}
	for _, c := range cases {
		q, s := p, good
		c.bend(&q, &s)
		if _, err := r2sgld.Sample(context.Background(), q, s); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", c.name, err, c.want)
		}
	}
}

// Whitening is a change of variables: with L = I and c = 0 the draws are those
// without it, and with a rotation and shear the law stays.
func TestWhitening(t *testing.T) {
	mu, q := []float64{0.5, 0.2}, [][]float64{{4, -1}, {-1, 2}}
	p := r2sgld.Problem{Potential: quadratic(mu, q), Domain: must(domain.NewBox([]float64{0, 0}, []float64{1.2, 2}))}
	s := settings(200_000, 1e-3)
	plain := sample(t, p, s)
	s.Whitening = &r2sgld.Whitening{Center: []float64{0, 0}, L: [][]float64{{1, 0}, {0, 1}}}
	same := sample(t, p, s)
	for i := range plain.Ladders {
		if !reflect.DeepEqual(plain.Ladders[i].X, same.Ladders[i].X) {
			t.Fatal("the identity as whitening changed the draws")
		}
	}
	s.Whitening = &r2sgld.Whitening{Center: []float64{0.4, 0.3}, L: [][]float64{{0.5, 0.1}, {0.3, 0.7}}}
	other := sample(t, p, s)
	for _, f := range []functional{
		{"x", func(x []float64, _ float64) float64 { return x[0] }, 0},
		{"y", func(x []float64, _ float64) float64 { return x[1] }, 0},
		{"x²", func(x []float64, _ float64) float64 { return x[0] * x[0] }, 0},
		{"xy", func(x []float64, _ float64) float64 { return x[0] * x[1] }, 0},
		{"U", func(_ []float64, u float64) float64 { return u }, 0},
	} {
		a, sa := estimate(plain, f)
		b, sb := estimate(other, f)
		// The step biases, about η × curvature / 4 of a variance, are a tenth of a
		// standard error here.
		if z := (a - b) / math.Hypot(sa, sb); math.Abs(z) > sigma {
			t.Errorf("E %s is %.4f plain and %.4f whitened (z = %.1f)", f.name, a, b, z)
		}
	}
	if n := other.Tally(0).Outside; n != 0 {
		t.Errorf("%d whitened draws outside", n)
	}
}

// A replica within 1e-13 of a wall where the potential is infinite has a step
// of length η/x = 10⁹: no number of mirrorings ends it, and staying put would
// repeat that forever. It must leave within a few iterations, and each such step
// must be counted.
func TestNoTrapAtSingularWall(t *testing.T) {
	p := r2sgld.Problem{Potential: dirichlet([]float64{2, 3, 4}), Domain: must(domain.NewSimplex(2, 1))}
	s := r2sgld.Settings{Iterations: 200, StepSize: []float64{1e-4}, Start: []float64{1e-13, 0.4}}
	res := sample(t, p, s)
	if n := res.Tally(0).Fallbacks; n < 1 || n > 20 {
		t.Errorf("%d fallbacks in 200 iterations", n)
	}
	if x := res.Ladders[0].X[0][2*199]; x < 1e-4 {
		t.Errorf("still at x1 = %g after 200 iterations", x)
	}
}

// What is wrong with a state is told: energies that grow beyond numbers, or the gradient
// alone, and how high the energy is there.
func TestBlowUpTellsEnergies(t *testing.T) {
	for energy, want := range map[float64]string{
		math.Inf(1):  "the energy is +Inf at (3): it grows beyond all numbers, or the density is 0 there",
		math.Inf(-1): "the energy is -Inf at (3): the density is infinite there (where it is 0 the energy is +Inf), or the step size",
		2.5e307:      "the gradient is not finite at (3), where the energy is 2.5e+307: the step size",
	} {
		if said := (&r2sgld.BlowUp{Rung: 1, Temperature: 1, Energy: energy, State: []float64{3}}).Error(); !strings.Contains(said, want) {
			t.Error(said)
		}
	}
}

// Rungs of the uniform law are told by the sign of infinity.
func TestBlowUpOfTheUniformLaw(t *testing.T) {
	b := &r2sgld.BlowUp{Rung: 2, Temperature: math.Inf(1), Energy: math.NaN(), State: []float64{1, -2}, Names: []string{"a", "s"}}
	if said := b.Error(); !strings.HasPrefix(said, "rung 2 (temperature ∞), iteration 0: the energy is NaN at (a = 1, s = -2)") {
		t.Error(said)
	}
	b.Temperature, b.StepSize, b.Energy = math.Sqrt(10), 0.1/3, 1
	if said := b.Error(); !strings.HasPrefix(said, "rung 2 (temperature 3.162),") || !strings.Contains(said, "step size 0.03333 ") {
		t.Error(said)
	}
}

// Ladders start at the given places by turns.
func TestMoreStarts(t *testing.T) {
	p, s := small()
	p.Potential, s.BurnIn, s.Thin = multimodal, 0, 1
	s.Start, s.MoreStarts, s.Iterations, s.Decay = []float64{0, 0}, [][]float64{{1, 0}, {0, 1}}, 1, kernel.Decay{}
	s.StepSize = []float64{1e-12, 1e-12, 1e-12}
	for i, l := range sample(t, p, s).Ladders {
		for j, want := range s.Points()[i%3] {
			if x := l.X[0][j]; math.Abs(x-want) > 1e-4 {
				t.Errorf("ladder %d starts at %v", i+1, l.X[0])
			}
		}
	}
	s.Start = nil
	if err := r2sgld.Check(t.Context(), p, s); err == nil || !strings.Contains(err.Error(), "give Start") {
		t.Errorf("more starts than none: %v", err)
	}
	s.Start, s.MoreStarts = []float64{0, 0}, [][]float64{{9, 9}}
	if err := r2sgld.Check(t.Context(), p, s); err == nil || !strings.Contains(err.Error(), "outside") {
		t.Errorf("a start outside: %v", err)
	}
}
