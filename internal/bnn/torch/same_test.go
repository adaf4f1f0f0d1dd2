package torch

import (
	"reflect"
	"testing"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/pace"
)

var noisy = bnn.Move{Scale: 0.99, Lean: 1e-5, Weight: 20, Decay: 2, StepSize: 0.002, Noise: 0.01, Momentum: 0.9, Bound: 0.4}

// run makes steps on minibatches that depend on the step alone.
func run(t *testing.T, e bnn.Engine, from, to int) []bnn.Outcome {
	t.Helper()
	var last []bnn.Outcome
	for k := from; k < to; k++ {
		m := moves(e.Replicas(), noisy)
		for r := range m {
			m[r].Noise *= float64(r + 1)
		}
		b := bnn.Batch{
			Indices: []int32{int32(k % 20), 4, 5, int32((k * 7) % 20)},
			Augment: bnn.Augmentation{Crop: 1, Flip: true, Erase: 0.5, Seed: uint64(k)},
		}
		last = get[[]bnn.Outcome](t)(e.Advance(m, b))
	}
	return last
}

// Kills: noise keyed by the place in a process, numbers that depend on threads,
// replicas dealt in another order than gathered, a batch read by one replica and
// changed.
func TestSameNumbers(t *testing.T) {
	pace.Slow(t)
	s := mlp(5)
	var want []*bnn.State
	var wantOutcomes []bnn.Outcome
	for _, o := range []Options{{Threads: 1}, {Threads: 3}, {Threads: 2, Devices: []string{device, device}}} {
		e := open(t, s, o)
		get[[]bnn.Outcome](t)(e.Start(batch))
		outcomes := run(t, e, 0, 6)
		got := states(t, e)
		if want == nil {
			want, wantOutcomes = got, outcomes
		}
		if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(outcomes, wantOutcomes) {
			t.Errorf("other numbers with %+v", o)
		}
	}
}

// Kills: a state without the noise counter, the gradient or the buffers.
func TestResume(t *testing.T) {
	pace.Slow(t)
	s := resnet8(2)
	e := open(t, s, Options{Threads: 2})
	get[[]bnn.Outcome](t)(e.Start(batch))
	run(t, e, 0, 3)
	saved := states(t, e)
	want := run(t, e, 3, 6)
	fresh := open(t, s, Options{Threads: 1})
	for r, state := range saved {
		must(t, fresh.SetState(r, state))
	}
	if got := run(t, fresh, 3, 6); !reflect.DeepEqual(got, want) {
		t.Errorf("resumed %v, want %v", got, want)
	}
	if !reflect.DeepEqual(states(t, fresh), states(t, e)) {
		t.Error("other states after resuming")
	}
}

// Products in half precision give about the same losses.
func TestPrecisions(t *testing.T) {
	pace.Slow(t)
	losses := map[string]float64{}
	for _, precision := range []string{"float32", "tf32", "bfloat16"} {
		s := mlp(1)
		s.Precision = precision
		e := open(t, s, Options{})
		get[[]bnn.Outcome](t)(e.Start(batch))
		m := plain
		m.StepSize /= 10
		losses[precision] = get[[]bnn.Outcome](t)(e.Advance(moves(1, m), batch))[0].Loss
	}
	for precision, tolerance := range map[string]float64{"tf32": 1e-3, "bfloat16": 0.05} {
		near(t, precision, []float64{losses[precision]}, []float64{losses["float32"]}, tolerance)
	}
	if losses["bfloat16"] == losses["float32"] {
		t.Error("bfloat16 is float32")
	}
}

// Kills a leak of more than 8 KiB a step.
func TestNoGrowth(t *testing.T) {
	pace.Slow(t)
	steps := 1000
	if pace.Soaking() {
		steps = 10000
	}
	e := open(t, mlp(2), Options{})
	get[[]bnn.Outcome](t)(e.Start(batch))
	run(t, e, 0, 200)
	before := get[bnn.Usage](t)(e.Usage()).Resident
	run(t, e, 200, 200+steps)
	after := get[bnn.Usage](t)(e.Usage()).Resident
	t.Logf("resident: %d KiB after 200 steps, %d KiB after %d more", before>>10, after>>10, steps)
	if after-before > 8<<20 {
		t.Errorf("%d KiB more after %d steps", (after-before)>>10, steps)
	}
}
