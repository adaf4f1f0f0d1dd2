package tune

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/potential"
	"pgregory.net/rapid"
)

// bumps is a plane target with three modes, lopsided, on a ball.
func bumps(t *testing.T) r2sgld.Problem {
	t.Helper()
	ball, err := domain.NewBall([]float64{0.5, 0}, 4)
	if err != nil {
		t.Fatal(err)
	}
	p := potential.Func(2, func(grad, x []float64) float64 {
		grad[0] = 0.5*x[0] + 3*math.Sin(2*x[0])
		grad[1] = 2*x[1] + 0.4*x[0]
		grad[0] += 0.4 * x[1]
		return 0.25*x[0]*x[0] - 1.5*math.Cos(2*x[0]) + x[1]*x[1] + 0.4*x[0]*x[1]
	})
	return r2sgld.Problem{Potential: p, Domain: ball}
}

func tuned(t *testing.T, p r2sgld.Problem, s r2sgld.Settings) *Found {
	t.Helper()
	f, err := Tune(t.Context(), p, s, nil, func(*Found) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func text(t *testing.T, f *Found) string {
	t.Helper()
	b, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// What was found has the same bytes for any number of threads, and when the rounds
// were broken off after any of them and taken up from what was shown. Mutants:
// the probe's stream shared between rounds; the state of the tuner kept over
// rounds.
func TestTuneIsDetermined(t *testing.T) {
	p := bumps(t)
	s := r2sgld.Settings{Seed: 9, Ladders: 3, Threads: 1}
	var shown []string
	f, err := Tune(t.Context(), p, s, nil, func(f *Found) error {
		shown = append(shown, text(t, f))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := text(t, f)
	for _, threads := range []int{2, 4} {
		s.Threads = threads
		if got := text(t, tuned(t, p, s)); got != want {
			t.Errorf("%d threads: other bytes", threads)
		}
	}
	for i, b := range shown {
		from := &Found{}
		if err := json.Unmarshal([]byte(b), from); err != nil {
			t.Fatal(err)
		}
		g, err := Tune(t.Context(), p, s, from, func(*Found) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		if text(t, g) != want {
			t.Errorf("from round %d of %d: other bytes", i+1, len(shown))
		}
	}
	if r := f.Rounds[len(f.Rounds)-1].Rejection; !f.Done || slices.Max(r)-slices.Min(r) > 0.1 {
		t.Errorf("done %v, rejections %v", f.Done, r)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Tune(ctx, p, s, nil, func(*Found) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context gives %v", err)
	}
	stop := errors.New("stop")
	if _, err := Tune(t.Context(), p, s, nil, func(*Found) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("what show returns is lost: %v", err)
	}
}

// The JSON of what was found is exact, the uniform law included. Mutant: τ stored in
// place of 1/τ (+Inf has no JSON).
func TestFoundRoundTrip(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		number := rapid.Float64().Filter(func(v float64) bool { return v-v == 0 })
		vector := rapid.SliceOfN(number, 1, 4)
		f := &Found{
			Rounds: []Round{{Iterations: 1, Rejection: vector.Draw(r, "rejection"), Barrier: number.Draw(r, "barrier"), RoundTrips: 3, BlowUps: 1}},
			Beta:   append(vector.Draw(r, "beta"), 0), Diffusion: vector.Draw(r, "diffusion"),
			States: [][][]float64{{vector.Draw(r, "state")}}, Bias: number.Draw(r, "bias"), Done: rapid.Bool().Draw(r, "done"),
		}
		if rapid.Bool().Draw(r, "whitened") {
			f.Whitening = &r2sgld.Whitening{Center: vector.Draw(r, "center"), L: [][]float64{vector.Draw(r, "row")}}
		}
		b, err := json.Marshal(f)
		if err != nil {
			r.Fatal(err)
		}
		var g Found
		if err := json.Unmarshal(b, &g); err != nil {
			r.Fatal(err)
		}
		if d := cmp.Diff(f, &g); d != "" {
			r.Fatal(d)
		}
	})
	f := &Found{Beta: []float64{2, 0.5, 0}, Diffusion: []float64{0.1, 0.2, 0.3}}
	s := f.apply(r2sgld.Settings{})
	if want := []float64{0.2, 0.1, 0.3}; !slices.Equal(s.StepSize, want) { // η = β·ητ; ητ itself for the uniform law
		t.Errorf("step sizes %v, want %v", s.StepSize, want)
	}
	if want := []float64{0.5, 2, math.Inf(1)}; !slices.Equal(s.Temperature, want) {
		t.Errorf("temperatures %v, want %v", s.Temperature, want)
	}
}

// exactRound is what a round gives where every rung draws from N(0, τ diag(1, 1/2,
// 1/2, 1/2)), the law of U = (x₁² + 2x₂² + 2x₃² + 2x₄²)/2, and rejects exactly.
func exactRound(beta []float64, n int) (*r2sgld.Result, Round) {
	rng := rand.New(rand.NewPCG(uint64(len(beta)), 8))
	res := &r2sgld.Result{Names: []string{"a", "b", "c", "d"}}
	for range 2 {
		var l r2sgld.Ladder
		for _, b := range beta {
			x := make([]float64, 4*n)
			for i := range x {
				x[i] = rng.NormFloat64() / math.Sqrt(b)
				if i%4 > 0 {
					x[i] /= math.Sqrt2
				}
			}
			l.X, l.Energy = append(l.X, x), append(l.Energy, make([]float64, n))
		}
		res.Ladders = append(res.Ladders, l)
	}
	seen := Round{Iterations: n}
	for i := range len(beta) - 1 {
		seen.Rejection = append(seen.Rejection, 1-normalAcceptance(4, 1/beta[i], 1/beta[i+1]))
		seen.Barrier += seen.Rejection[i]
	}
	return res, seen
}

// From exact rejections the rounds come to equal ones: for a Gaussian a geometric
// ladder between the same ends, with rejections near a half. Mutants: the ladder
// made from r of the wrong order; pairs = barrier in place of twice that; the
// hot end moved. The states are the last ones of the nearest rungs, step sizes at
// temperature τ all the same ητ·β (a quadratic's curvature is the same).
func TestEqualRejections(t *testing.T) {
	p := r2sgld.Problem{Potential: potential.Func(4, func(grad, x []float64) float64 {
		u := 0.0
		for i, v := range x {
			c := 2.0
			if i == 0 {
				c = 1
			}
			grad[i] = c * v
			u += c * v * v / 2
		}
		return u
	})}
	tn, err := newTuner(t.Context(), p, r2sgld.Settings{Seed: 3, Ladders: 2, Start: make([]float64, 4)})
	if err != nil {
		t.Fatal(err)
	}
	f := &Found{Beta: []float64{1, 0.9, 0.5, 0.45, 0.4, 0.01}, Diffusion: make([]float64, 6)}
	for range 5 {
		res, seen := exactRound(f.Beta, 400)
		g, err := tn.learn(f, res, seen)
		if err != nil {
			t.Fatal(err)
		}
		if last := res.Ladders[1].X[0]; !slices.Equal(g.States[1][0], last[len(last)-4:]) {
			t.Fatal("the cold rung does not go on from its last draw")
		}
		f = g
	}
	_, seen := exactRound(f.Beta, 1)
	n := len(f.Beta) - 1
	if lo, hi := slices.Min(seen.Rejection), slices.Max(seen.Rejection); hi-lo > alike || lo < 0.4 || hi > 0.6 || f.Beta[0] != 1 ||
		f.Beta[n] != 0.01 {
		t.Errorf("ladder %v rejects %v", f.Beta, seen.Rejection)
	}
	for i := 1; i < n; i++ {
		if want := math.Pow(0.01, float64(i)/float64(n)); math.Abs(math.Log(f.Beta[i]/want)) > 0.25 {
			t.Errorf("rung %d at %g, want about %g", i+1, f.Beta[i], want)
		}
	}
	for i, h := range f.Diffusion {
		if eta := h * f.Beta[i]; math.Abs(eta*2/(2*Bias)-1) > 0.1 { // by the power iterations
			t.Errorf("rung %d: step %g, want %g", i+1, eta, 2*Bias/2)
		}
	}
	if f.Whitening != nil {
		t.Error("whitened without need")
	}
	res, _ := exactRound(f.Beta, 400)
	full := &r2sgld.Whitening{Center: make([]float64, 4), L: [][]float64{{1, 0, 0, 0}, {0.1, 0.7, 0, 0}, {0, 0, 0.7, 0}, {0, 0, 0, 0.7}}}
	if tn.whitening(res, full) != nil {
		t.Error("a whitening stays although none is as good")
	}
}

// The first steps of two rounds from the same states have noise of their own.
// Mutant: one seed for all rounds.
func TestRoundsHaveNoiseOfTheirOwn(t *testing.T) {
	box, err := domain.NewBox([]float64{0}, []float64{1})
	if err != nil {
		t.Fatal(err)
	}
	var seen []float64
	flat := potential.Func(1, func(grad, x []float64) float64 {
		grad[0] = 0
		seen = append(seen, x[0])
		return 0
	})
	tn, err := newTuner(t.Context(), r2sgld.Problem{Potential: flat, Domain: box}, r2sgld.Settings{Seed: 4, Ladders: 1, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	f := &Found{Beta: []float64{1, 0}, Diffusion: []float64{1e-4, 1e-4}, States: [][][]float64{{{0.5}, {0.5}}}}
	var paths [2][]float64
	for i := range paths {
		seen = seen[:0]
		if _, err := tn.round(t.Context(), f); err != nil {
			t.Fatal(err)
		}
		paths[i] = slices.Clone(seen[:8])
		f.Rounds = append(f.Rounds, Round{})
	}
	if paths[0][0] != paths[1][0] || slices.Equal(paths[0], paths[1]) {
		t.Errorf("%v and %v", paths[0], paths[1])
	}
}

// The number of pairs is that for rejections near a half, and stays where the one
// in use is about as good, or some may be spared. Mutants: no rest of 0.2; doubt of the wrong sign.
func TestPairs(t *testing.T) {
	for _, c := range []struct {
		barrier float64
		now     int
		spare   float64
		want    int
	}{{0, 5, 0, 1}, {0.9, 1, 0, 2}, {1.57, 3, 0, 3}, {1.57, 4, 0, 4}, {1.62, 3, 0, 3}, {1.62, 4, 0, 4}, {1.9, 3, 0, 4}, {1.3, 4, 0, 3},
		{5, 10, 0, 10}, {1000, 10, 0, mostRungs - 1},
		{8, 20, 0, 16}, {8, 20, 0.2, 20}, {7, 20, 0.2, 14}, {8.7, 14, 0.2, 18}, {8.4, 14, 0.2, 14}, {8.4, 14, 0, 17}} {
		if got := pairsFor(c.barrier, c.now, doubt, c.spare); got != c.want {
			t.Errorf("barrier %g, %d pairs now, %g to spare: %d, want %d", c.barrier, c.now, c.spare, got, c.want)
		}
	}
}

// Mutants: the ends left out; the neighbours turned round.
func TestBeside(t *testing.T) {
	beta := []float64{1, 0.5, 0}
	for _, c := range []struct {
		b    float64
		want []int
	}{{1, []int{0}}, {0.7, []int{0, 1}}, {0.5, []int{1}}, {0.1, []int{1, 2}}, {0, []int{2}}} {
		if got := beside(beta, c.b); !slices.Equal(got, c.want) {
			t.Errorf("β = %g: rungs %v", c.b, got)
		}
	}
}

// Mutants: states of one ladder given to all; the first state in place of the last.
func TestStatesFor(t *testing.T) {
	res := &r2sgld.Result{Ladders: make([]r2sgld.Ladder, 2)}
	for i := range res.Ladders {
		for r := range 3 {
			res.Ladders[i].X = append(res.Ladders[i].X, []float64{0, 0, float64(i), float64(r)})
			res.Ladders[i].Energy = append(res.Ladders[i].Energy, []float64{0, 0})
		}
	}
	got := statesFor([]float64{1, 0.8, 0.45, 0.1, 0}, []float64{1, 0.5, 0}, res)
	for i, rungs := range got {
		for k, want := range []float64{0, 1, 1, 2, 2} { // 0.8 is nearer to 1 than to 0.5
			if k == 1 {
				want = 0
			}
			if rungs[k][0] != float64(i) || rungs[k][1] != want {
				t.Errorf("ladder %d, rung %d: %v", i, k, rungs[k])
			}
		}
	}
}

// Mutants: an endless search for a finite point; a message without what to do.
func TestTuneErrors(t *testing.T) {
	interval, err := domain.NewBox([]float64{0, 0}, []float64{1, 1})
	if err != nil {
		t.Fatal(err)
	}
	flat := potential.Func(2, func(grad, x []float64) float64 {
		clear(grad)
		return 0
	})
	infinite := potential.Func(2, func(grad, x []float64) float64 { return math.Inf(1) })
	half, err := domain.NewHalfSpace([]float64{1, 0}, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		p     r2sgld.Problem
		start []float64
		want  string
	}{
		{r2sgld.Problem{Domain: interval}, nil, "no potential"},
		{r2sgld.Problem{Potential: flat}, nil, "give a starting point"},
		{r2sgld.Problem{Potential: flat, Domain: half}, nil, "give a starting point"},
		{r2sgld.Problem{Potential: infinite, Domain: interval}, nil,
			"not finite at any of 192 points of the domain, so that it is on less than 1.5 % of it: bound it more closely by where it is"},
		{r2sgld.Problem{Potential: infinite, Domain: half}, []float64{-1, 0}, "not finite at any of 192 points of the domain around the start"},
	} {
		_, err := Tune(t.Context(), c.p, r2sgld.Settings{Ladders: 2, Start: c.start}, nil, func(*Found) error { return nil })
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// One call tunes, samples and stops by the rule.
func ExampleSample() {
	ball, _ := domain.NewBall([]float64{0, 0}, 3)
	p := r2sgld.Problem{Domain: ball, Potential: potential.Func(2, func(grad, x []float64) float64 {
		grad[0], grad[1] = 10*x[0], x[1]-1
		return 5*x[0]*x[0] + x[1]*x[1]/2 - x[1]
	})}
	res, s, err := Sample(context.Background(), p, r2sgld.Settings{Seed: 1, Ladders: 4, Iterations: 20_000}, Until{})
	if err != nil {
		panic(err)
	}
	ok := Until{RHat: 1.01, ESS: 400}.Judge(res).Met
	fmt.Println(len(s.Temperature) > 1, ok)
	// Output: true true
}

// A warm-up that is ended, wherever it is, returns when no call of the potential is under
// way any more. Mutant: first or learn left to themselves.
func TestTuneEndsWithItsCalls(t *testing.T) {
	box, err := domain.NewBox([]float64{-1}, []float64{1})
	if err != nil {
		t.Fatal(err)
	}
	for _, last := range []int64{1, 1000, 2500, 5000, 7500, 10_000, 12_500, 15_000} {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var calls, open atomic.Int64
		u := potential.Func(1, func(grad, x []float64) float64 {
			open.Add(1)
			defer open.Add(-1)
			if n := calls.Add(1); n == last {
				stop()
				time.Sleep(5 * time.Millisecond) // a slow one
			} else if n > last {
				time.Sleep(time.Millisecond) // the stop is heard by a goroutine, which may have to wait for a core
			}
			grad[0] = 8 * x[0]
			return 4 * x[0] * x[0]
		})
		_, err := Tune(ctx, r2sgld.Problem{Potential: u, Domain: box, Names: []string{"x"}},
			r2sgld.Settings{Seed: 1, Ladders: 2, Threads: 1}, nil,
			func(*Found) error { return nil })
		if !errors.Is(err, context.Canceled) || open.Load() > 0 {
			t.Errorf("ended at call %d of %d: %d under way, %v", last, calls.Load(), open.Load(), err)
		}
		if more := calls.Load() - last; more > 100 {
			t.Errorf("%d calls after the last", more)
		}
	}
}
