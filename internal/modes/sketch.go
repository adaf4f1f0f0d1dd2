package modes

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// sketch is t by what E may be taken for, and the part of the work that it takes; t itself, and 1,
// where there is nothing less.
func (t Target) sketch() (Target, float64) {
	few, part := potential.Few(t.Energy)
	if part < 1 {
		t.Energy = few
	}
	return t, part
}

// refined are the modes that descents by all of E lead to from those of a sketch, which took a part
// of the work.
func (s *Search) refined(ctx context.Context, t Target, part float64) (*Search, error) {
	t.idle = &idle{}
	defer t.idle.close()
	out := &Search{Starts: s.Starts, Gradients: int64(part * float64(s.Gradients))}
	all := make([]*descent, len(s.Modes))
	for i, m := range s.Modes {
		all[i] = newDescent(&t, m.X)
	}
	home, err := out.down(ctx, &t, all)
	if err != nil {
		return nil, err
	}
	for i, k := range home {
		if k >= 0 {
			out.Modes[k].Starts += s.Modes[i].Starts
			out.Settled += s.Modes[i].Starts
		}
	}
	out.Settled = min(out.Settled, s.Settled) // a start may count for several modes
	out.sort()
	return out, nil
}

// tied is the sketch of t whose energies and slopes at the modes are those of all of E: it differs
// from E near a mode by what the second derivatives of the two do.
func (s *Search) tied(t Target) (Target, float64, error) {
	sketch, part := t.sketch()
	if part == 1 {
		return t, 1, nil
	}
	p := &tied{Potential: sketch.Energy}
	all, few := newEvaluator(t.Energy, 1), newEvaluator(sketch.Energy, 1)
	defer all.close()
	defer few.close()
	for _, m := range s.Modes {
		for _, v := range []*evaluator{all, few} {
			v.set(0, m.X)
			if err := v.run(); err != nil {
				return t, 1, err
			}
		}
		slope := slices.Clone(all.slopeOf(0))
		floats.Sub(slope, few.slopeOf(0))
		p.at.Parts = append(p.at.Parts, Part{Weight: 1, Center: m.X, L: m.L, inv: inverse(m.L)}) // which evaluators share
		p.rise, p.slope = append(p.rise, all.energy[0]-few.energy[0]), append(p.slope, slope)
	}
	sketch.Energy = p
	return sketch, part, nil
}

// A tied potential has at each of some modes, and in the basin around it, a linear function added.
type tied struct {
	potential.Potential
	at    Mixture
	rise  []float64
	slope [][]float64
}

// Lanewise is that of the sketch.
func (p *tied) Lanewise() bool { return potential.Lanewise(p.Potential) }

func (p *tied) Evaluator(r int, s *stream.Set) potential.Evaluator {
	return &tiedEvaluator{p.Potential.Evaluator(r, s), p, make([]float64, p.Dim())}
}

type tiedEvaluator struct {
	potential.Evaluator
	p *tied
	x []float64
}

// Err is that of the sketch.
func (e *tiedEvaluator) Err() error { return potential.Err(e.Evaluator) }

// Close closes the sketch.
func (e *tiedEvaluator) Close() error { return potential.Close(e.Evaluator) }

func (e *tiedEvaluator) Eval(energy, grad, x []float64) {
	e.Evaluator.Eval(energy, grad, x)
	r := len(x) / len(e.x)
	for i := range r {
		for j := range e.x {
			e.x[j] = x[j*r+i]
		}
		k := e.p.at.Owner(e.x)
		energy[i] += e.p.rise[k]
		for j, slope := range e.p.slope[k] {
			energy[i] += slope * (e.x[j] - e.p.at.Parts[k].Center[j])
			grad[j*r+i] += slope
		}
	}
}
