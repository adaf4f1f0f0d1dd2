package r2sgld

import (
	"cmp"
	"math"

	"github.com/r2sgld/r2sgld/internal/vector/lane"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// An independence lets the coldest rung move into the law of the hottest. Trajectories of
// several steps evaluate the rung that is drawn afresh at each of them, and swaps see the
// last of these states alone. The others, y₁ … yₙ, are proposals: with the weights
// w = exp(−U/τ) of the coldest rung, it goes from x to one of them, yᵢ with probability
// w(yᵢ)/(w(x) + Σ w), and else stays. That keeps its law (iterated sampling importance
// resampling, Andrieu, Lee & Vihola 2018).
type independence struct {
	rng   *stream.Rand
	total float64        // log Σ w in the iteration so far
	moves []kernel.Moves // one number

	// the proposal so far: each with probability w/Σ w
	x, grad, baseGrad []float64
	energy, base      float64
}

// independence returns that of a ladder, nil where there are no proposals, or where energies are
// not those of the states.
func (r *run) independence(l *replicas) *independence {
	if _, noisy := potential.Exact(r.potential); noisy || !r.independent || !r.traits.Metropolis || r.traits.Steps < 2 ||
		cmp.Or(r.settings.Swap.Rule, "metropolis") != "metropolis" {
		return nil
	}
	d := l.block.D
	return &independence{rng: l.streams.Of(0, stream.Independence), total: math.Inf(-1), moves: make([]kernel.Moves, 1),
		x: make([]float64, d), grad: make([]float64, d), baseGrad: make([]float64, d)}
}

// note sees the state of the hottest rung after a step that is not the last of an iteration.
func (t *independence) note(l *replicas) {
	if t == nil {
		return
	}
	b := l.block
	i := b.Replica(l.fresh)
	log := -b.Energy[i] / l.at.Temperature[0]
	if log-log != 0 || b.SlopeNotFinite(i) || stayed(b, i) {
		return
	}
	if math.IsInf(t.total, -1) {
		t.total = log
	} else { // from the larger one, beside which the smaller may be lost
		t.total = max(t.total, log) + lane.Softplus(-math.Abs(log-t.total))
	}
	if lane.Log(t.rng.Float64()) >= log-t.total {
		return
	}
	t.energy = b.Energy[i]
	column(t.x, b.X, b.Stride, i)
	column(t.grad, b.Grad, b.Stride, i)
	if b.Base != nil {
		t.base = b.Base[i]
		column(t.baseGrad, b.BaseGrad, b.Stride, i)
	}
}

// settle ends the iteration.
func (t *independence) settle(l *replicas) {
	if t == nil || math.IsInf(t.total, -1) {
		return
	}
	b := l.block
	i := b.Replica(0)
	own := -b.Energy[i] / l.at.Temperature[0]
	t.moves[0].Proposed++
	goes := lane.Log(t.rng.Float64()) < -lane.Softplus(own-t.total)
	t.total = math.Inf(-1)
	if !goes {
		return
	}
	t.moves[0].Accepted++
	b.Energy[i] = t.energy
	for j := range t.x {
		b.X[j*b.Stride+i], b.Grad[j*b.Stride+i] = t.x[j], t.grad[j]
	}
	if b.Base != nil {
		b.Base[i] = t.base
		for j := range t.x {
			b.BaseGrad[j*b.Stride+i] = t.baseGrad[j]
		}
	}
}

// counted are the moves, none without proposals.
func (t *independence) counted() []kernel.Moves {
	if t == nil {
		return nil
	}
	return t.moves
}

// told is a copy of what was counted.
func (t *independence) told() kernel.Moves {
	if t == nil {
		return kernel.Moves{}
	}
	return t.moves[0]
}

// stayed reports whether replica i is where it was before the last step: no state could be drawn.
func stayed(b *kernel.Block, i int) bool {
	for j := i; j < len(b.X); j += b.Stride {
		if b.X[j] != b.From[j] {
			return false
		}
	}
	return true
}

// column copies coordinate by coordinate what a block has of lane i.
func column(dst, block []float64, stride, i int) {
	for j := range dst {
		dst[j] = block[j*stride+i]
	}
}
