package bnntest_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/bnn/bnntest"
	"github.com/r2sgld/r2sgld/internal/bnn/images"
	_ "github.com/r2sgld/r2sgld/internal/pace" // the seed
)

func examples(n int) *images.Set {
	rng := rand.New(rand.NewPCG(1, 1))
	s := &images.Set{Name: "points", Channels: 1, Height: 1, Width: 3, Classes: 2}
	for i := range n {
		for range 3 {
			s.Values = append(s.Values, float32(rng.NormFloat64()))
		}
		s.Labels = append(s.Labels, int32(i%2))
		s.Targets = append(s.Targets, float32(i), 1)
	}
	return s
}

func open(t testing.TB, n bnn.Network) *bnntest.Engine {
	t.Helper()
	n.Kind, n.Input, n.Outputs = "mlp", [3]int{1, 1, 3}, 2
	e, err := bnntest.Open(bnn.Setup{Network: n, Replicas: 2, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Load(0, examples(10), []float64{0}, []float64{1}); err != nil {
		t.Fatal(err)
	}
	return e
}

// Gradients are derivatives of the loss: central differences of step 1e-5 have errors of
// 1e-9 or so, and 1e-6 kills any wrong term.
func TestGradient(t *testing.T) {
	for _, n := range []bnn.Network{
		{Norm: "none"}, {Norm: "none", Loss: "squared"},
		{Norm: "batch", Hidden: []int{4}, Activation: "tanh"}, {Norm: "none", Hidden: []int{4}, Activation: "tanh", Loss: "squared"},
		{Norm: "none", Hidden: []int{4}},
	} {
		e := open(t, n)
		b := bnn.Batch{Indices: []int32{1, 4, 7}}
		_, g, err := e.Gradient(1, b)
		if err != nil {
			t.Fatal(err)
		}
		s, _ := e.State(1)
		const h = 1e-5
		for j := range g {
			x := s.Parameters[j]
			var loss [2]float64
			for side := range loss {
				s.Parameters[j] = x + h*float64(2*side-1)
				if err := e.SetState(1, s); err != nil {
					t.Fatal(err)
				}
				losses, err := e.Losses(b)
				if err != nil {
					t.Fatal(err)
				}
				loss[side] = losses[1]
			}
			s.Parameters[j] = x
			if want := (loss[1] - loss[0]) / (2 * h); math.Abs(g[j]-want) > 1e-6 {
				t.Errorf("%+v: slope %d is %g instead of %g", n, j, g[j], want)
			}
		}
	}
}

// However far a step goes, walls fold it back to where mirroring one wall after the other
// leads, and the momentum turns at each.
func TestWalls(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		e := open(t, bnn.Network{Norm: "none"})
		bound := rapid.Float64Range(0.1, 2).Draw(r, "bound")
		s, _ := e.State(0)
		for j := range s.Parameters {
			s.Parameters[j] = rapid.Float64Range(-bound, bound).Draw(r, "x")
			s.Momenta[j] = rapid.Float64Range(-20, 20).Draw(r, "v")
		}
		if err := e.SetState(0, s); err != nil {
			r.Fatal(err)
		}
		still := bnn.Move{Scale: 1, Bound: math.Inf(1)}
		move := bnn.Move{Scale: 1, Momentum: 0.5, Bound: bound}
		out, err := e.Advance([]bnn.Move{move, still}, bnn.Batch{Indices: []int32{0}})
		if err != nil {
			r.Fatal(err)
		}
		after, _ := e.State(0)
		met := int64(0)
		for j, x := range s.Parameters {
			v := s.Momenta[j] / 2
			x += v
			if math.Abs(x) > bound {
				met++
			}
			for math.Abs(x) > bound {
				x, v = math.Copysign(2*bound, x)-x, -v
			}
			if math.Abs(after.Parameters[j]-x) > 1e-9 || math.Abs(after.Momenta[j]-v) > 1e-12 {
				if math.Abs(math.Abs(x)-bound) > 1e-9 { // at the wall it is chance on which side
					r.Fatalf("(%g, %g) becomes (%g, %g) instead of (%g, %g)", s.Parameters[j], s.Momenta[j], after.Parameters[j], after.Momenta[j], x, v)
				}
			}
		}
		if out[0].Reflected != met || out[1].Reflected != 0 {
			r.Fatalf("%d coordinates met a wall, not %d", out[0].Reflected, met)
		}
	})
}

// Evaluation centres by the buffers, training by the minibatch.
func TestBuffers(t *testing.T) {
	e := open(t, bnn.Network{Norm: "batch"})
	whole := bnn.Batch{Indices: []int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}
	if err := e.Recompute(0, []bnn.Batch{whole}); err != nil {
		t.Fatal(err)
	}
	logits, err := e.Predict(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	losses, err := e.Losses(whole)
	if err != nil {
		t.Fatal(err)
	}
	mean := 0.0
	for i := range 10 {
		a, b := float64(logits[2*i]), float64(logits[2*i+1])
		if i%2 == 1 {
			a, b = b, a
		}
		mean += math.Log1p(math.Exp(b-a)) / 10
	}
	if math.Abs(mean-losses[0]) > 1e-6 {
		t.Errorf("loss %g in evaluation, %g in training", mean, losses[0])
	}
}
