package main

import (
	"context"
	"math"
	"math/rand/v2"
	"time"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/bnn/images"
	"github.com/r2sgld/r2sgld/internal/bnn/torch"
)

const (
	examples = 4096
	classes  = 100
)

// move is the step of loop.py's sghmc, with momentum turned at the walls.
var move = bnn.Move{
	Scale: 1, Weight: examples, Decay: 5e-4 * examples, StepSize: 1e-4 / examples,
	Noise: math.Sqrt(2 * 1e-4 / examples * 0.1 * 0.05), Momentum: 0.9, Bound: 4,
}

// An ours is replicas of ResNet20 in our worker, with images at random.
type ours struct {
	engine bnn.Engine
	moves  []bnn.Move
	order  []int32
}

// openOurs starts the worker on a device; threads replicas move at once.
func openOurs(replicas, threads int, device, precision string) (*ours, error) {
	engine, err := torch.Open(context.Background(), bnn.Setup{
		Network:  bnn.Network{Kind: "resnet20", Input: [3]int{3, 32, 32}, Outputs: classes},
		Replicas: replicas, Seed: 1, Precision: precision,
	}, torch.Options{Devices: []string{device}, Threads: threads})
	if err != nil {
		return nil, err
	}
	o := &ours{engine: engine, moves: make([]bnn.Move, replicas)}
	for i := range o.moves {
		o.moves[i] = move
	}
	rng := rand.New(rand.NewPCG(1, 1))
	set := &images.Set{Name: "random", Channels: 3, Height: 32, Width: 32, Classes: classes}
	set.Pixels = make([]byte, examples*3*32*32)
	for i := range set.Pixels {
		set.Pixels[i] = byte(rng.Uint32())
	}
	for range examples {
		set.Labels = append(set.Labels, rng.Int32N(classes))
	}
	for _, i := range rng.Perm(examples) {
		o.order = append(o.order, int32(i))
	}
	half := []float64{0.5, 0.5, 0.5}
	if err := engine.Load(0, set, half, half); err != nil {
		return nil, err
	}
	_, err = engine.Start(bnn.Batch{Indices: o.order[:2]})
	return o, err
}

// run makes steps of all replicas.
func (o *ours) run(batch, steps int) (cost, error) {
	before, err := o.engine.Usage()
	if err != nil {
		return cost{}, err
	}
	start := time.Now()
	for i := range steps {
		at := i * batch % examples
		if at+batch > examples {
			at = 0
		}
		if _, err := o.engine.Advance(o.moves, bnn.Batch{Indices: o.order[at : at+batch]}); err != nil {
			return cost{}, err
		}
	}
	elapsed := time.Since(start)
	after, err := o.engine.Usage()
	return cost{elapsed, seconds(after.CPU - before.CPU)}, err
}
