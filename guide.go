package r2sgld

import (
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
)

// A guide evaluates the law that a [Guide] describes, beside potential and base law.
type guide struct {
	potential    potential.Evaluator
	energy, grad []float64 // of the states last evaluated
}

func newGuide(g potential.Potential, r int) *guide {
	return &guide{g.Evaluator(r, nil), make([]float64, r), make([]float64, r*g.Dim())}
}

// lead makes of a block that is evaluated, with its base law if it has one, one whose base
// law is that of the guide, and whose energies lead from that to the density.
func (g *guide) lead(b *kernel.Block, based bool) {
	if g == nil {
		return
	}
	g.potential.Eval(g.energy, g.grad, b.X)
	for i, u := range g.energy {
		if b.Energy[i] -= u; based {
			b.Energy[i] += b.Base[i]
		}
	}
	for i, u := range g.grad {
		if b.Grad[i] -= u; based {
			b.Grad[i] += b.BaseGrad[i]
		}
	}
	copy(b.Base, g.energy)
	copy(b.BaseGrad, g.grad)
}

// told writes the energies U of a block into energy, and what they are more than those that
// rungs trade by into more. base is evaluated anew: kernels that refuse a step restore the
// block alone.
func (g *guide) told(energy, more []float64, b *kernel.Block, base potential.Evaluator) {
	copy(energy, b.Energy)
	if g == nil {
		return
	}
	copy(more, b.Base)
	if base != nil {
		base.Eval(g.energy, g.grad, b.X)
		for i, u := range g.energy {
			more[i] -= u
		}
	}
	for i, v := range more {
		energy[i] += v
	}
}
