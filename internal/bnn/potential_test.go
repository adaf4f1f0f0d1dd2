package bnn_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/bnn/bnntest"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
)

var tanh = bnn.Network{Kind: "mlp", Norm: "none", Activation: "tanh", Hidden: []int{4}, Input: [3]int{1, 1, 2}, Outputs: 3}

// inMemory opens engines of a network in memory.
func inMemory(n bnn.Network) func(int) (bnn.Engine, error) {
	return func(replicas int) (bnn.Engine, error) { return bnntest.Open(bnn.Setup{Network: n, Replicas: replicas}) }
}

// Energies are N·loss + ½λ|θ|² of each state, gradients their differences: central ones of step 1e-5
// are good to 1e-8 here. Kills a mean for a sum, a decay that is left out or doubled,
// states mixed up, and examples beyond the first part left out.
func TestPotentialGradient(t *testing.T) {
	for _, n := range []int{50, 5000} {
		data := bnn.Data{Train: bnntest.Clouds(n, 0.4, 1)}
		p, err := bnn.NewPotential(inMemory(tanh), data, 3)
		if err != nil {
			t.Fatal(err)
		}
		const r = 3
		d := p.Dim()
		e := p.Evaluator(r, nil)
		x, grad, energy := make([]float64, d*r), make([]float64, d*r), make([]float64, r)
		rng := rand.New(rand.NewPCG(1, 2))
		for j := range x {
			x[j] = rng.NormFloat64()
		}
		e.Eval(energy, grad, x)
		up, down, scratch := make([]float64, r), make([]float64, r), make([]float64, d*r)
		for j := 0; j < len(x); j += 1 + len(x)*n/150000 {
			const h = 1e-5
			at := x[j]
			x[j] = at + h
			e.Eval(up, scratch, x)
			x[j] = at - h
			e.Eval(down, scratch, x)
			x[j] = at
			for i := range r {
				want := 0.0
				if j%r == i {
					want = grad[j]
				}
				if got := (up[i] - down[i]) / (2 * h); math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
					t.Fatalf("coordinate %d, state %d: %v, differences say %v", j/r, i, want, got)
				}
			}
		}
		if want := direct(t, data, x, r, 1); math.Abs(energy[1]-want) > 1e-9*want {
			t.Errorf("U is %v instead of %v", energy[1], want)
		}
		if err := errors.Join(potential.Err(e), potential.Close(e)); err != nil {
			t.Error(err)
		}
	}
}

// direct is U of a state of a block, example by example.
func direct(t *testing.T, data bnn.Data, x []float64, r, i int) float64 {
	t.Helper()
	e, err := bnntest.Open(bnn.Setup{Network: tanh, Replicas: 1})
	if err != nil {
		t.Fatal(err)
	}
	s, err := e.State(0)
	if err != nil {
		t.Fatal(err)
	}
	u := 0.0
	for j := range s.Parameters {
		s.Parameters[j] = x[j*r+i]
		u += 3 * x[j*r+i] * x[j*r+i] / 2
	}
	if err := errors.Join(e.SetState(0, s), e.Load(0, data.Train, nil, nil)); err != nil {
		t.Fatal(err)
	}
	for k := range data.Train.Len() {
		loss, _, err := e.Gradient(0, bnn.Batch{Indices: []int32{int32(k)}})
		if err != nil {
			t.Fatal(err)
		}
		u += loss
	}
	return u
}

// Networks without a posterior are refused, and engines that fail make NaN and say why.
func TestPotentialFaults(t *testing.T) {
	data := bnn.Data{Train: bnntest.Clouds(9, 0.4, 1)}
	for want, open := range map[string]func() (potential.Potential, error){
		"batch norm":            func() (potential.Potential, error) { return bnn.NewPotential(inMemory(perceptron), data, 1) },
		"no training examples":  func() (potential.Potential, error) { return bnn.NewPotential(inMemory(tanh), bnn.Data{}, 1) },
		"must be finite":        func() (potential.Potential, error) { return bnn.NewPotential(inMemory(tanh), data, -1) },
		"the engine in memory ": func() (potential.Potential, error) { return bnn.NewPotential(inMemory(bnn.Network{}), data, 1) },
	} {
		if _, err := open(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q instead of one with %q", err, want)
		}
	}
	var last *bnntest.Engine
	p, err := bnn.NewPotential(func(n int) (e bnn.Engine, err error) {
		last, err = bnntest.Open(bnn.Setup{Network: tanh, Replicas: n})
		return last, err
	}, data, 1)
	if err != nil {
		t.Fatal(err)
	}
	e := p.Evaluator(1, nil)
	x, grad, energy := make([]float64, p.Dim()), make([]float64, p.Dim()), make([]float64, 1)
	if e.Eval(energy, grad, x); potential.Err(e) != nil || math.Abs(energy[0]-9*math.Log(3)) > 1e-9 {
		t.Errorf("U at 0 is %v: %v", energy[0], potential.Err(e))
	}
	last.Fail = errors.New("out of order")
	e.Eval(energy, grad, x)
	last.Fail = nil
	if e.Eval(energy, grad, x); potential.Err(e) == nil || !math.IsNaN(energy[0]) || !math.IsNaN(grad[0]) {
		t.Errorf("U is %v after a failure: %v", energy, potential.Err(e))
	}
}

// The posterior of a small network by Hamiltonian Monte Carlo over all data.
func ExampleNewPotential() {
	network := bnn.Network{Kind: "mlp", Norm: "none", Activation: "tanh", Hidden: []int{4}, Input: [3]int{1, 1, 2}, Outputs: 3}
	open := func(replicas int) (bnn.Engine, error) {
		return bnntest.Open(bnn.Setup{Network: network, Replicas: replicas})
	}
	p, err := bnn.NewPotential(open, bnn.Data{Train: bnntest.Clouds(50, 0.4, 1)}, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := r2sgld.Sample(context.Background(), r2sgld.Problem{Potential: p}, r2sgld.Settings{
		Seed: 1, Iterations: 300, BurnIn: 100, Start: make([]float64, p.Dim()),
		StepSize: []float64{0.02}, Kernel: kernel.HMC{Leapfrog: 10}})
	if err != nil {
		fmt.Println(err)
		return
	}
	mean := 0.0
	for _, u := range r.Energies()[0] {
		mean += u / 200
	}
	start := 50 * math.Log(3) // three classes, all alike to a network of zeros
	fmt.Printf("%d parameters; mean energy below that of the start: %v; most trajectories accepted: %v\n", p.Dim(), mean < start,
		r.Acceptance()[0] > 0.5)
	// Output: 27 parameters; mean energy below that of the start: true; most trajectories accepted: true
}
