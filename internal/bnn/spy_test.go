package bnn_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/bnn/images"
	"github.com/r2sgld/r2sgld/kernel"
)

// A spy notes what an engine is asked for.
type spy struct {
	bnn.Engine
	start      []int32
	batches    [][]int32
	moves      [][]bnn.Move
	seeds      []uint64
	reads      int                          // calls of Losses
	recomputed int                          // calls of Recompute
	losses     func([]float64, bnn.Batch)   // changes what Losses answers
	fail       func(iteration int) error    // of Advance
	outcome    func(k int, o []bnn.Outcome) // changes what Advance answers
}

func (s *spy) Start(b bnn.Batch) ([]bnn.Outcome, error) {
	s.start = slices.Clone(b.Indices)
	return s.Engine.Start(b)
}

func (s *spy) Advance(m []bnn.Move, b bnn.Batch) ([]bnn.Outcome, error) {
	if s.fail != nil {
		if err := s.fail(len(s.moves) + 1); err != nil {
			return nil, err
		}
	}
	s.batches = append(s.batches, slices.Clone(b.Indices))
	s.moves = append(s.moves, slices.Clone(m))
	s.seeds = append(s.seeds, b.Augment.Seed)
	out, err := s.Engine.Advance(m, b)
	if s.outcome != nil && err == nil {
		s.outcome(len(s.moves), out)
	}
	return out, err
}

func (s *spy) Recompute(i int, b []bnn.Batch) error {
	s.recomputed++
	return s.Engine.Recompute(i, b)
}

func (s *spy) Losses(b bnn.Batch) ([]float64, error) {
	s.reads++
	out, err := s.Engine.Losses(b)
	if s.losses != nil && err == nil {
		s.losses(out, b)
	}
	return out, err
}

// watched trains with a spy at the engine.
func watched(t testing.TB, s bnn.Settings, change func(*spy)) (*spy, *bnn.Result, error) {
	w := &spy{Engine: open(t, s, perceptron)}
	if change != nil {
		change(w)
	}
	r, err := bnn.Train(t.Context(), w, cloudData(), s, bnn.Observer{Seconds: still})
	return w, r, err
}

// An epoch is a permutation of the training set cut into minibatches whose sizes differ by
// one at most, another one in each epoch and ladder; independent minibatches are of full
// size and hold no example twice.
func TestOrder(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := small(t, "sgdm")
		s.Epochs, s.Measure.Every = 3, 0
		s.Batch = rapid.IntRange(1, 50).Draw(r, "batch")
		s.Order = rapid.SampledFrom([]string{"shuffle", "independent"}).Draw(r, "order")
		plain := func(w *spy) { w.Engine = open(t, s, linear) }
		w, _, err := watched(t, s, plain)
		if err != nil {
			r.Fatal(err)
		}
		steps := s.Steps(50)
		if (steps-1)*s.Batch >= 50 || steps*s.Batch < 50 {
			r.Fatalf("%d iterations of an epoch", steps)
		}
		if len(w.batches) != 3*steps {
			r.Fatalf("%d iterations of 3 epochs of %d", len(w.batches), steps)
		}
		for e := range 3 {
			epoch := slices.Concat(w.batches[e*steps : (e+1)*steps]...)
			if s.Order == "shuffle" && distinct(epoch) != 50 {
				r.Fatalf("epoch %d is no permutation: %v", e+1, epoch)
			}
		}
		for k, b := range w.batches {
			even := len(b) == 50/steps || len(b) == (50+steps-1)/steps
			if s.Order == "independent" {
				even = len(b) == s.Batch
			}
			if distinct(b) != len(b) || !even {
				r.Fatalf("minibatch %d of %d examples is %v", k+1, s.Batch, b)
			}
		}
		if slices.Equal(w.batches[0], w.batches[steps]) && len(w.batches[0]) > 8 {
			r.Fatal("two epochs have the same order")
		}
		s.Ladder = 1
		if other, _, _ := watched(t, s, plain); slices.Equal(slices.Concat(other.batches...), slices.Concat(w.batches...)) {
			r.Fatal("two ladders have the same order")
		}
	})
}

func distinct(x []int32) int {
	x = slices.Clone(x)
	slices.Sort(x)
	return len(slices.Compact(x))
}

// Every minibatch has a seed of its own for its augmentation.
func TestAugmentationSeeds(t *testing.T) {
	s := small(t, "sgdm")
	s.Augment.Crop = 1
	w, _, err := watched(t, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(w.seeds)
	if n := len(slices.Compact(slices.Clone(w.seeds))); n != len(w.seeds) || n != 24 {
		t.Errorf("%d seeds of 24 minibatches", n)
	}
}

// A swap exchanges labels: the next move of a replica has step size, temperature and
// momentum of its new rung, rescaled as kernel.Block.Rescale does, and its state stays.
// Of the formula of the noise the 1e-12 kills one without the 2.
func TestSwapsTradeLabels(t *testing.T) {
	for _, released := range []bool{false, true} {
		s := small(t, "r2sghmc")
		s.Swap.Target, s.Swap.Window, s.AsReleased, s.Decay = 0.5, 1, released, kernel.Decay{}
		w, r, err := watched(t, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		rung, traded := []int{0, 1, 2, 3}, 0
		before := slices.Clone(rung)
		for k, moves := range w.moves {
			for i, m := range moves {
				eta, tau, mu := s.StepSize[rung[i]]/50, s.Temperature[rung[i]], 0.9
				share := 1 - mu
				if released {
					share -= eta / 20
				}
				if m.StepSize != eta || math.Abs(m.Noise/math.Sqrt(2*eta*share*tau)-1) > 1e-12 || m.Bound != 0.5 || m.Weight != 50 || m.Decay != 1 ||
					m.Momentum != mu {
					t.Fatalf("iteration %d, replica %d on rung %d: move %+v", k+1, i, rung[i], m)
				}
				was := before[i]
				scale, lean := 1.0, 0.0
				if was != rung[i] && !released {
					traded++
					scale, lean = rescaled(s.StepSize[was]/50, s.Temperature[was], eta, tau, mu)
				}
				if math.Abs(m.Scale-scale) > 1e-12 || math.Abs(m.Lean-lean) > 1e-12 {
					t.Fatalf("iteration %d, replica %d from rung %d to %d: scale %g and lean %g instead of %g and %g", k+1, i, was, rung[i],
						m.Scale, m.Lean, scale, lean)
				}
			}
			before = slices.Clone(rung)
			rung = r.Index.Rung[k]
		}
		if !released && traded < 10 {
			t.Errorf("%d labels traded: too few to see anything", traded)
		}
	}
}

// rescaled asks the kernel what becomes of a momentum 1 without slope, and of none
// with slope 1.
func rescaled(eta, tau, newEta, newTau, mu float64) (scale, lean float64) {
	b := kernel.NewBlock(1, 2)
	b.V = []float64{1, 0}
	b.Grad[1] = 1
	b.Rescale(0, math.Sqrt(2*eta*tau/(1+mu)), tau, math.Sqrt(2*newEta*newTau/(1+mu)), newTau)
	return b.V[0], b.V[1]
}

// Step sizes and temperatures follow the schedules: by epochs, cosine by iterations.
func TestSchedules(t *testing.T) {
	for _, c := range []struct {
		decay kernel.Decay
		want  func(k int) float64 // of iteration k of 24 in 6 epochs
	}{
		{kernel.Decay{}, func(int) float64 { return 1 }},
		{kernel.Decay{Kind: kernel.Exponential, Rate: 0.5, After: 2}, func(k int) float64 { return math.Pow(0.5, float64(max(0, (k-1)/4+1-2))) }},
		{kernel.Decay{Kind: kernel.Cosine, Cycles: 3}, func(k int) float64 { return (1 + math.Cos(math.Pi*float64((k-1)%8)/8)) / 2 }},
	} {
		s := small(t, "sghmc")
		s.Decay, s.Anneal = c.decay, bnn.Anneal{Divide: 2, Until: 3}
		w, _, err := watched(t, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		for k, moves := range w.moves {
			eta := 0.2 / 50 * c.want(k+1)
			tau := 0.05 / math.Pow(2, float64(min(k/4, 3)))
			m := moves[0]
			if math.Abs(m.StepSize/eta-1) > 1e-12 || math.Abs(m.Noise/math.Sqrt(2*eta*(1-0.9)*tau)-1) > 1e-12 {
				t.Fatalf("%s, iteration %d: step size %g and noise %g instead of %g and temperature %g", c.decay.Kind, k+1,
					m.StepSize, m.Noise, eta, tau)
			}
		}
	}
}

// With energies over all data, swaps look at nothing else: an engine that answers only
// there that cold rungs are badly off has every pair trade.
func TestFullEnergies(t *testing.T) {
	s := small(t, "resghmc")
	s.Swap.Scheme, s.Swap.Rule, s.Swap.Target, s.Swap.Every = "deo", "metropolis", 0, 2
	s.FullEnergies, s.Measure.Every = true, 0
	var calls [][]int32
	w, r, err := watched(t, s, func(w *spy) {
		w.losses = func(l []float64, b bnn.Batch) {
			calls = append(calls, slices.Clone(b.Indices))
			for i := range l {
				l[i] = 1e3 // equal for all: only the prior's part differs, and much less
			}
		}
		w.outcome = func(k int, o []bnn.Outcome) {
			for i := range o {
				o[i].Loss, o[i].Square = float64(1e6*(i+1)), 1
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	first := slices.Concat(calls[:4]...)
	if w.reads != 12*4 || distinct(first) != 50 || slices.IsSorted(first) || !slices.Equal(first, slices.Concat(calls[44:]...)) {
		t.Errorf("%d minibatches for 12 sweeps over 4, first %v", w.reads, first)
	}
	for _, p := range r.Swaps.Pairs {
		if p.Accepted != p.Attempts {
			t.Errorf("pair %d traded %d of %d times with equal energies", p.Cold, p.Accepted, p.Attempts)
		}
	}
}

// Energies over all data are for sweeps in which some pair attempts: of 24 in windows of
// three with gate last, every third; of two rungs under deo, every second; under rule
// indicator, whose level adapts to them, all.
func TestFullEnergiesWhereWanted(t *testing.T) {
	for _, c := range []struct {
		rungs, want int
		swap        exchange.Settings
	}{
		{4, 8, exchange.Settings{Scheme: "windowed-deo", Window: 3}},
		{2, 12, exchange.Settings{}},
		{4, 24, exchange.Settings{Scheme: "windowed-deo", Window: 3, Rule: "indicator"}},
	} {
		s := small(t, "resghmc")
		s.StepSize, s.Temperature = s.StepSize[:c.rungs], s.Temperature[:c.rungs]
		s.Swap, s.FullEnergies, s.Measure.Every = c.swap, true, 0
		w, _, err := watched(t, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		if w.reads != 4*c.want {
			t.Errorf("%+v: %d minibatches for %d sweeps over 4", c.swap, w.reads, c.want)
		}
	}
}

// A loss that is not finite is an error with the place, and the state from the end of
// the epoch before is saved. So is it when the engine fails.
func TestStops(t *testing.T) {
	s := small(t, "r2sghmc")
	broken := errors.New("out of memory")
	for _, what := range []string{"loss", "weights", "engine"} {
		w := &spy{Engine: open(t, s, perceptron)}
		w.outcome = func(k int, o []bnn.Outcome) {
			switch {
			case k == 11 && what == "loss":
				o[2].Loss = math.NaN()
			case k == 11 && what == "weights":
				o[2].Loss, o[2].Square = 0.25, math.Inf(1)
			}
		}
		w.fail = func(k int) error {
			if k == 11 && what == "engine" {
				return broken
			}
			return nil
		}
		var kept *bnn.Checkpoint
		_, err := bnn.Train(t.Context(), w, cloudData(), s,
			bnn.Observer{Seconds: still, Save: func(c *bnn.Checkpoint) error { kept = c; return nil }})
		if kept == nil || kept.Iteration != 8 {
			t.Fatalf("%s: kept %+v", what, kept)
		}
		var stopped *bnn.NotFinite
		if errors.As(err, &stopped) == (what == "engine") || what == "engine" && !errors.Is(err, broken) {
			t.Fatalf("%s: %v", what, err)
		}
		if what == "engine" {
			continue
		}
		if stopped.Epoch != 3 || stopped.Iteration != 11 || stopped.Last != kept || stopped.StepSize != s.StepSize[stopped.Rung] {
			t.Errorf("%s: %+v: %v", what, stopped, err)
		}
		if right := stopped.Loss == 0.25; right != (what == "weights") {
			t.Errorf("%s: the loss is %g", what, stopped.Loss)
		}
	}
}

// What cannot be trained is refused before the engine is asked for anything.
func TestRefused(t *testing.T) {
	s := small(t, "resghmc")
	for want, change := range map[string]func(*bnn.Settings, *bnn.Data){
		"no training examples":      func(_ *bnn.Settings, d *bnn.Data) { d.Train = nil },
		"batch 60 is larger":        func(s *bnn.Settings, _ *bnn.Data) { s.Batch = 60 },
		"makes a minibatch of one":  func(s *bnn.Settings, _ *bnn.Data) { s.Batch = 1 },
		"the engine has 4 replicas": func(s *bnn.Settings, _ *bnn.Data) { *s = small(t, "sghmc") },
		"examples of 3 numbers, the": func(_ *bnn.Settings, d *bnn.Data) {
			d.Test = &images.Set{Channels: 3, Height: 1, Width: 1, Values: make([]float32, 3)}
		},
	} {
		changed, data := s, cloudData()
		change(&changed, &data)
		if _, err := bnn.Train(t.Context(), open(t, s, perceptron), data, changed, bnn.Observer{}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("found %v, not %q", err, want)
		}
	}
}
