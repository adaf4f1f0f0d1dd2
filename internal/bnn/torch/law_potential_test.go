package torch

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/bnn/bnntest"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/potential"
)

// A posterior is the same function in this engine and in memory, for several states at once: the
// engine's float64 numbers to 1e-12, float32 ones to 1e-4. Kills a layout, an activation or
// a sum that differs, and states that are mixed up between processes.
func TestPotentialIsThatInMemory(t *testing.T) {
	pace.Slow(t)
	const states = 3
	network, data := classifier(4), cloudData()
	want := evaluate(t, func(n int) (bnn.Engine, error) {
		return bnntest.Open(bnn.Setup{Network: network, Replicas: n})
	}, data, states)
	for precision, near := range map[string]float64{"float64": 1e-12, "float32": 1e-4} {
		got := evaluate(t, func(n int) (bnn.Engine, error) {
			return Open(context.Background(), bnn.Setup{Network: network, Replicas: n, Precision: precision},
				Options{Worker: worker(t), Devices: []string{device, device}})
		}, data, states)
		for i, v := range want {
			if !(math.Abs(got[i]-v) <= near*(1+math.Abs(v))) {
				t.Errorf("%s, number %d: %v instead of %v", precision, i, got[i], v)
			}
		}
	}
}

// evaluate returns energies and gradients of states at random.
func evaluate(t *testing.T, open func(int) (bnn.Engine, error), data bnn.Data, states int) []float64 {
	t.Helper()
	p, err := bnn.NewPotential(open, data, cloudDecay)
	must(t, err)
	rng := rand.New(rand.NewPCG(7, 8))
	x := make([]float64, states*p.Dim())
	for j := range x {
		x[j] = float64(float32(rng.NormFloat64()))
	}
	energy, grad := make([]float64, states), make([]float64, len(x))
	e := p.Evaluator(states, nil)
	e.Eval(energy, grad, x)
	must(t, errors.Join(potential.Err(e), potential.Close(e)))
	return append(energy, grad...)
}
