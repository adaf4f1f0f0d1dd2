package modes

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// tunnel goes from points of descents where the density is more than the cover down −log of
// what it is more, and from where that leads down E: so modes are found that no descent of E
// leads to (tunnelling, Levy and Montalvo 1985). It goes on while there are new ones; points
// that led to none tell the error of the cover.
func (s *Search) tunnel(ctx context.Context, t *Target, all []*descent) error {
	for len(s.Modes) < mostModes {
		if err := s.survey(ctx, t); err != nil {
			return err
		}
		marked := s.cover.marked(all)
		if len(marked) == 0 {
			return nil
		}
		marked = marked[:min(len(marked), lanes)]
		through := *t
		through.Energy = s.cover.residual(t.Energy)
		ways := make([]*descent, len(marked))
		for i, w := range marked {
			ways[i] = newDescent(&through, w.mark.x)
		}
		err := through.settle(ctx, ways, mostFine, rough, func(_ int, w *descent) bool { return w.e < -apparent })
		if err != nil {
			return err
		}
		var ends []*descent
		for _, w := range ways {
			if s.Gradients += int64(w.asked); w.begun {
				ends = append(ends, newDescent(t, w.x))
			}
		}
		known := len(s.Modes)
		if _, err := s.down(ctx, t, ends); err != nil {
			return err
		}
		if len(s.Modes) > known {
			continue
		}
		for _, w := range marked {
			s.cover.look(&w.view, w.mark.x, w.v, -1)
			p := s.cover[w.view.top]
			p.error = max(p.error, (-w.view.log-w.mark.e)/(1+math.Abs(w.mark.e)+w.view.far[w.view.top]))
		}
	}
	return nil
}

// marked are the descents of all whose marks the cover leaves, the plainest first.
func (c cover) marked(all []*descent) []*descent {
	var out []*descent
	for _, w := range all {
		if w.mark.rise == 0 {
			continue
		}
		c.look(&w.view, w.mark.x, w.v, -1)
		w.seen |= c.seen(&w.view, w.mark.e)
		if w.mark.rise = (-w.view.log - w.mark.e) / c.tolerance(w.view.top, w.mark.e, w.view.far[w.view.top]); w.mark.rise > 1 {
			out = append(out, w)
		} else {
			w.mark.rise = 0
		}
	}
	slices.SortStableFunc(out, func(a, b *descent) int { return cmp.Compare(b.mark.rise, a.mark.rise) })
	return out
}

// residual is −log of what exp(−E) is more than the cover, of which that is the unit: +Inf
// where it is not more. Of normal laws it is a sum of two squares.
func (c cover) residual(e potential.Potential) potential.Potential {
	top, sum := math.Inf(-1), 0.0
	for _, p := range c {
		top = max(top, p.log)
	}
	for _, p := range c {
		sum += math.Exp(p.log - top)
	}
	r := &residual{energy: e, fit: &Mixture{}, log: top + math.Log(sum)}
	for _, p := range c {
		weight := max(math.SmallestNonzeroFloat64, math.Exp(p.log-r.log))
		r.fit.Parts = append(r.fit.Parts, Part{Weight: weight, Center: p.center, L: p.l, inv: p.inv})
	}
	return r
}

type residual struct {
	energy potential.Potential
	fit    *Mixture
	log    float64 // of the mass of the fit
}

func (r *residual) Dim() int { return r.energy.Dim() }

func (r *residual) Evaluator(n int, s *stream.Set) potential.Evaluator {
	return &left{r.energy.Evaluator(n, s), r.fit.Evaluator(n, s), r.log, make([]float64, n), make([]float64, n*r.Dim())}
}

// left evaluates what is left of a density.
type left struct {
	of, fit      potential.Evaluator
	log          float64
	energy, grad []float64 // of the fit
}

// Eval implements potential.Evaluator.
func (r *left) Eval(energy, grad, x []float64) {
	r.of.Eval(energy, grad, x)
	r.fit.Eval(r.energy, r.grad, x)
	n := len(energy)
	for i, e := range energy {
		rise := r.energy[i] - r.log - e
		if !(rise > 0) {
			energy[i] = math.Inf(1)
			continue
		}
		part := -math.Expm1(-rise)
		energy[i] = -rise - math.Log(part)
		for j := i; j < len(grad); j += n {
			grad[j] = (grad[j] - r.grad[j]) / part
		}
	}
}

// Err is that of the potential.
func (r *left) Err() error { return potential.Err(r.of) }

// Close closes the potential.
func (r *left) Close() error { return potential.Close(r.of) }
