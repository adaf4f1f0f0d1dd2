// Package potential answers how deep a point is and which way is down. A
// potential is asked for a whole block of states at once; it knows nothing of
// domains, temperatures or swaps.
package potential

import "github.com/r2sgld/r2sgld/stream"

// A Potential is U on R^d, the target density being exp(-U/τ).
type Potential interface {
	// Dim is d ≥ 1.
	Dim() int
	// Evaluator returns an evaluator for blocks of r ≥ 1 states. Whatever it
	// draws at random (minibatches, synthetic noise) comes from s; it must take
	// its streams from s here, not later. Exact potentials ignore s, and it may
	// then be nil.
	Evaluator(r int, s *stream.Set) Evaluator
}

// An Evaluator evaluates a potential on blocks of r states. It owns its
// workspace: one goroutine at a time; it allocates nothing.
type Evaluator interface {
	// Eval writes U of every state into energy (length r) and ∇U into grad
	// (length d·r). Coordinate j of state i is x[j*r+i], and so is its partial
	// derivative in grad. All states of a call see the same minibatch; each
	// call draws a fresh one.
	Eval(energy, grad, x []float64)
}
