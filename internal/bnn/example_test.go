package bnn_test

import (
	"context"
	"fmt"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/bnn/bnntest"
	"github.com/r2sgld/r2sgld/kernel"
)

// Three clouds of points are told apart by a small network: one rung at temperature 1,
// whose models of the last 120 epochs are averaged.
func ExampleTrain() {
	s, err := bnn.Method("sghmc")
	if err != nil {
		fmt.Println(err)
		return
	}
	s.Epochs, s.Batch, s.WeightDecay, s.Seed = 300, 10, 1, 1
	s.StepSize, s.Temperature, s.Decay = []float64{0.1}, []float64{1}, kernel.Decay{}
	network := bnn.Network{Kind: "mlp", Norm: "none", Activation: "tanh", Hidden: []int{5}, Input: [3]int{1, 1, 2}, Outputs: 3}
	engine, err := bnntest.Open(s.Setup(network))
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := bnn.Train(context.Background(), engine, cloudData(), s, bnn.Observer{})
	if err != nil {
		fmt.Println(err)
		return
	}
	last := r.Epochs[len(r.Epochs)-1]
	fmt.Printf("%d models averaged: accuracy %.2f\n", r.Kept, last.Average.Accuracy)
	mean := 0.0
	for _, e := range r.Epochs[180:] {
		mean += e.Single.NLL / 120
	}
	fmt.Println("the average predicts better than its models do one by one:", last.Average.NLL < mean)
	fmt.Println("departures from the law:", s.Bias(false))
	// Output:
	// 120 models averaged: accuracy 0.97
	// the average predicts better than its models do one by one: true
	// departures from the law: []
}
