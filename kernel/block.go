// Package kernel answers how a replica moves: Langevin steps and the schedules
// of their step size and temperature. It knows nothing of other replicas.
package kernel

import "slices"

// A Block holds R replicas of dimension D, coordinate by coordinate: coordinate
// j of replica i is X[j*R+i].
type Block struct {
	R, D int
	From []float64 // the states before the move, length D·R
	X    []float64 // the states
	Grad []float64 // ∇U at X
	// Energy is U at X, length R. Energy and Grad always belong to X.
	Energy []float64
	// Base is U₀ at X, length R, and BaseGrad ∇U₀, laid out as Grad, of a base law
	// exp(−U₀) that temperatures do not touch: the law of a rung is exp(−U/τ − U₀).
	// nil is none.
	Base, BaseGrad []float64
	// Rung is the temperature that each replica holds, 0 the coldest.
	Rung []int
	// V is the momentum, laid out as X; nil for kernels without.
	V []float64
	// Hits are the mirrorings of the last step, per replica.
	Hits []int
}

// NewBlock returns a block of r replicas of dimension d at the origin, replica i
// on rung i.
func NewBlock(r, d int) *Block {
	b := &Block{R: r, D: d,
		From: make([]float64, r*d), X: make([]float64, r*d), Grad: make([]float64, r*d),
		Energy: make([]float64, r), Rung: make([]int, r), Hits: make([]int, r)}
	for i := range b.Rung {
		b.Rung[i] = i
	}
	return b
}

// Clone returns a copy of b with memory of its own.
func (b *Block) Clone() *Block {
	return &Block{R: b.R, D: b.D, From: slices.Clone(b.From), X: slices.Clone(b.X), Grad: slices.Clone(b.Grad),
		Energy: slices.Clone(b.Energy), Base: slices.Clone(b.Base), BaseGrad: slices.Clone(b.BaseGrad), Rung: slices.Clone(
			b.Rung), V: slices.Clone(b.V), Hits: slices.Clone(b.Hits)}
}

// State copies the state of replica i into dst (length D) and returns it.
func (b *Block) State(dst []float64, i int) []float64 {
	for j := range dst {
		dst[j] = b.X[j*b.R+i]
	}
	return dst
}

// Replica returns the replica that holds a rung.
func (b *Block) Replica(rung int) int {
	for i, r := range b.Rung {
		if r == rung {
			return i
		}
	}
	panic("kernel: no replica holds the rung")
}

// WithBase gives b room for a base law.
func (b *Block) WithBase() *Block {
	b.Base, b.BaseGrad = make([]float64, b.R), make([]float64, b.R*b.D)
	return b
}

// SlopeNotFinite reports whether the gradient of replica i is NaN or infinite.
func (b *Block) SlopeNotFinite(i int) bool {
	for j := i; j < len(b.Grad); j += b.R {
		if g := b.Grad[j]; g-g != 0 {
			return true
		}
	}
	return false
}

// NotFinite returns the first replica whose energy or gradient is NaN or
// infinite, -1 if there is none.
func (b *Block) NotFinite() int {
	for i, u := range b.Energy {
		if u-u != 0 {
			return i
		}
	}
	for j, g := range b.Grad {
		if g-g != 0 {
			return j % b.R
		}
	}
	return -1
}
