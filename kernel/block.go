// Package kernel answers how a replica moves: Langevin steps and the schedules
// of their step size and temperature. It knows nothing of other replicas.
package kernel

// A Block holds R replicas of dimension D, coordinate by coordinate: coordinate
// j of replica i is X[j*Stride+i]. Replicas of several ladders may stand side by side, as
// many of each: [Block.Ladder] is the block of one of them.
type Block struct {
	R, D   int
	Rungs  int       // of a ladder: R, or a part of it
	Stride int       // from one coordinate to the next: R, or more where others stand beside
	From   []float64 // the states before the move, length (D−1)·Stride + R
	X      []float64 // the states
	Grad   []float64 // ∇U at X
	// Energy is U at X, length R. Energy and Grad always belong to X.
	Energy []float64
	// Base is U₀ at X, length R, and BaseGrad ∇U₀, laid out as Grad, of a base law
	// exp(−U₀) that temperatures do not touch: the law of a rung is exp(−U/τ − U₀).
	// nil is none.
	Base, BaseGrad []float64
	// Rung is the temperature that each replica holds, 0 the coldest; in a ladder no two
	// hold the same.
	Rung []int
	// V is the momentum, laid out as X; nil for kernels without.
	V []float64
	// Hits are the mirrorings of the last step, per replica.
	Hits []int
}

// NewBlock returns a block of one ladder, of r replicas of dimension d at the origin,
// replica i on rung i.
func NewBlock(r, d int) *Block { return NewBlocks(1, r, d) }

// NewBlocks returns a block of several ladders, each as NewBlock returns it.
func NewBlocks(ladders, rungs, d int) *Block {
	r := ladders * rungs
	b := &Block{R: r, D: d, Rungs: rungs, Stride: r,
		From: make([]float64, r*d), X: make([]float64, r*d), Grad: make([]float64, r*d),
		Energy: make([]float64, r), Rung: make([]int, r), Hits: make([]int, r)}
	for i := range b.Rung {
		b.Rung[i] = i % rungs
	}
	return b
}

// Ladder returns ladder m of b as a block of its own, in the memory of b. It stays
// that for as long as b has the slices that it has.
func (b *Block) Ladder(m int) *Block {
	from, to := m*b.Rungs, (m+1)*b.Rungs
	states := func(v []float64) []float64 {
		if v == nil {
			return nil
		}
		return v[from : len(v)-b.R+to]
	}
	part := &Block{R: b.Rungs, D: b.D, Rungs: b.Rungs, Stride: b.Stride, From: states(b.From), X: states(b.X), Grad: states(b.Grad),
		Energy: b.Energy[from:to], BaseGrad: states(b.BaseGrad), Rung: b.Rung[from:to], V: states(b.V), Hits: b.Hits[from:to]}
	if b.Base != nil {
		part.Base = b.Base[from:to]
	}
	return part
}

// Copy takes b to where from is, a block of as many replicas of the same dimension.
func (b *Block) Copy(from *Block) {
	for j := range b.D {
		to, at := j*b.Stride, j*from.Stride
		for _, v := range [][2][]float64{{b.From, from.From}, {b.X, from.X}, {b.Grad, from.Grad}, {b.BaseGrad, from.BaseGrad}, {b.V, from.V}} {
			if v[0] != nil && v[1] != nil {
				copy(v[0][to:to+b.R], v[1][at:])
			}
		}
	}
	copy(b.Energy, from.Energy)
	copy(b.Base, from.Base)
	copy(b.Rung, from.Rung)
	copy(b.Hits, from.Hits)
}

// Slot is where what is kept of the rung that replica i holds stands among as many as
// there are replicas: those of a ladder side by side, the coldest first.
func (b *Block) Slot(i int) int { return i - i%b.Rungs + b.Rung[i] }

// State copies the state of replica i into dst (length D) and returns it.
func (b *Block) State(dst []float64, i int) []float64 {
	for j := range dst {
		dst[j] = b.X[j*b.Stride+i]
	}
	return dst
}

// Replica returns the first replica that holds a rung.
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
	for j := i; j < len(b.Grad); j += b.Stride {
		if g := b.Grad[j]; g-g != 0 {
			return true
		}
	}
	return false
}

// NotFinite returns the first replica whose energy or gradient is NaN or
// infinite, -1 if there is none.
func (b *Block) NotFinite() int {
	if b.R == b.Stride && finite(b.Energy) && finite(b.Grad) {
		return -1
	}
	for i, u := range b.Energy {
		if u-u != 0 {
			return i
		}
	}
	for at := 0; at < len(b.Grad); at += b.Stride {
		for i, g := range b.Grad[at : at+b.R] {
			if g-g != 0 {
				return i
			}
		}
	}
	return -1
}

// finite reports whether no number of v is NaN or infinite, by their sum: it is false also
// where that is too large.
func finite(v []float64) bool {
	var a, b, c, d float64
	for ; len(v) >= 4; v = v[4:] {
		a += v[0]
		b += v[1]
		c += v[2]
		d += v[3]
	}
	for _, x := range v {
		a += x
	}
	a += b + c + d
	return a-a == 0
}
