package torch

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/bnn/images"
	"github.com/r2sgld/r2sgld/internal/pace"
)

// mlp is a small network of 3×4×4 pixels and 5 classes.
func mlp(replicas int) bnn.Setup {
	return bnn.Setup{
		Network:  bnn.Network{Kind: "mlp", Hidden: []int{7}, Activation: "tanh", Input: [3]int{3, 4, 4}, Outputs: 5},
		Replicas: replicas, Seed: 1,
	}
}

// resnet8 is a small network with batch norm.
func resnet8(replicas int) bnn.Setup {
	return bnn.Setup{
		Network:  bnn.Network{Kind: "resnet8", Input: [3]int{3, 8, 8}, Outputs: 5},
		Replicas: replicas, Seed: 1,
	}
}

// pictures is a set of n pictures at random for a network.
func pictures(n int, net bnn.Network) *images.Set {
	rng := rand.New(rand.NewPCG(1, 2))
	s := &images.Set{Name: "test", Channels: net.Input[0], Height: net.Input[1], Width: net.Input[2], Classes: net.Outputs}
	s.Pixels = make([]byte, n*s.Channels*s.Height*s.Width)
	for i := range s.Pixels {
		s.Pixels[i] = byte(rng.Uint32())
	}
	for range n {
		s.Labels = append(s.Labels, int32(rng.IntN(net.Outputs)))
	}
	return s
}

// open opens an engine with 20 pictures as set 0, closed at the test's end.
func open(t testing.TB, s bnn.Setup, o Options) bnn.Engine {
	t.Helper()
	if o.Worker == "" {
		o.Worker = worker(t)
	}
	if o.Devices == nil {
		o.Devices = []string{device}
	}
	e, err := Open(context.Background(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	set := pictures(20, s.Network)
	mean, sd := make([]float64, set.Channels), make([]float64, set.Channels)
	for c := range mean {
		mean[c], sd[c] = 0.45+0.01*float64(c), 0.25+0.02*float64(c)
	}
	must(t, e.Load(0, set, mean, sd))
	return e
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// get returns the first of two results, the second being nil.
func get[T any](t testing.TB) func(T, error) T {
	return func(x T, err error) T {
		t.Helper()
		must(t, err)
		return x
	}
}

var (
	batch = bnn.Batch{Indices: []int32{3, 1, 4, 1, 5, 9, 2, 6}}
	plain = bnn.Move{Scale: 1, Weight: 20, Decay: 2, StepSize: 0.004, Momentum: 0.9, Bound: math.Inf(1)}
)

func moves(n int, m bnn.Move) []bnn.Move {
	all := make([]bnn.Move, n)
	for i := range all {
		all[i] = m
	}
	return all
}

func states(t testing.TB, e bnn.Engine) []*bnn.State {
	t.Helper()
	all := make([]*bnn.State, e.Replicas())
	for r := range all {
		all[r] = get[*bnn.State](t)(e.State(r))
	}
	return all
}

func TestCalls(t *testing.T) {
	pace.Slow(t)
	for _, s := range []bnn.Setup{mlp(3), resnet8(2)} {
		t.Run(s.Network.Kind, func(t *testing.T) { calls(t, s) })
	}
}

func calls(t *testing.T, s bnn.Setup) {
	e := open(t, s, Options{})
	layout := e.Layout()
	first := states(t, e)
	if got, want := len(first[0].Parameters), layout.Size(); got != want || want == 0 {
		t.Fatalf("%d parameters, layout of %d", got, want)
	}
	if got, want := len(first[0].Buffers), layout.BufferSize(); got != want {
		t.Fatalf("%d buffers, layout of %d", got, want)
	}
	started := get[[]bnn.Outcome](t)(e.Start(batch))
	losses := get[[]float64](t)(e.Losses(batch))
	before := states(t, e)
	for r, o := range started {
		loss, gradient, err := e.Gradient(r, batch)
		must(t, err)
		if loss != o.Loss || losses[r] != loss {
			t.Errorf("replica %d: losses %v, %v, %v of one batch", r, loss, o.Loss, losses[r])
		}
		if !reflect.DeepEqual(gradient, before[r].Gradient) {
			t.Errorf("replica %d: two gradients of one batch", r)
		}
	}
	out := get[[]float32](t)(e.Predict(0, 0))
	if len(out) != 20*s.Network.Outputs {
		t.Errorf("%d outputs of 20 examples", len(out))
	}
	if after := states(t, e); !reflect.DeepEqual(before, after) {
		t.Error("a call that changes nothing changed a state")
	}
	get[[]bnn.Outcome](t)(e.Advance(moves(s.Replicas, plain), batch))
	after := states(t, e)
	if after[0].Step != 1 || reflect.DeepEqual(after[0].Parameters, before[0].Parameters) {
		t.Error("a move did not move")
	}
	must(t, e.SetState(0, first[0]))
	if got := get[*bnn.State](t)(e.State(0)); !reflect.DeepEqual(got, first[0]) {
		t.Error("a state set is not the state got")
	}
	must(t, e.Recompute(0, []bnn.Batch{batch, {Indices: []int32{7, 8, 10}}}))
	if u := get[bnn.Usage](t)(e.Usage()); u.Resident < 1<<20 || u.Peak < u.Resident/2 || u.CPU <= 0 {
		t.Errorf("usage %+v", u)
	}
}
