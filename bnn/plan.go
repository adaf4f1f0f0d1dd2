package bnn

import (
	"context"
	"errors"
)

// A Plan is what a short measurement says of a training to come.
type Plan struct {
	Parameters  int       // d
	Temperature []float64 // per rung
	Expected    []float64 // per rung, sd of U in equilibrium if the law is nearly Gaussian, τ sqrt(d/2)
	Energy      []float64 // per rung, mean of Ũ in the pilot
	SD          []float64 // per rung, sd of U between the pilot's models
	Noise       []float64 // per rung, sd of Ũ − U of a minibatch
	// LogAcceptance is per pair, ln of the mean probability of a swap by rule metropolis
	// with minibatch energies in equilibrium; Exact is the same with energies over all
	// data.
	LogAcceptance, Exact []float64
	Barrier              float64 // Λ = sqrt(d/2π) ln(τ_P/τ_1)
	Needed               int     // rungs between the same ends of which one swap in two succeeds, energies exact
	Ratio                float64 // of neighbouring temperatures then
	FullEvery            int     // iterations between sweeps with energies over all data that double the time
	RoundTrips           float64 // under rule metropolis in all epochs, at most: acceptances as in LogAcceptance, independent
	Iterations           int     // of the training
	Rate                 float64 // images times replicas per second
	Seconds              float64 // that the training will take, evaluation apart
	Memory               int64   // bytes: the most that the pilot used
	Device               int64
}

// Forecast measures for pilot iterations at the first step sizes and temperatures of s
// what a training will do. It moves the replicas of engine, which is of no further
// use for training.
func Forecast(ctx context.Context, engine Engine, data Data, s Settings, pilot int) (*Plan, error) {
	return nil, errors.New("no forecast")
}
