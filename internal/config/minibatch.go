package config

import (
	"fmt"
	"math"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/internal/config/sampler"
	"github.com/r2sgld/r2sgld/internal/modes"
	"github.com/r2sgld/r2sgld/internal/rows"
	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/tune"
)

const (
	mostAnchors = 8
	worthAnchor = 20.0 // of −log density above the deepest mode: further up is next to no mass

	// What minibatches that are not given aim at: as many rows as make a tenth of the noise
	// that would halve the steps, in place of the rows that trajectories of kernel HMC take for
	// an effective draw.
	leastAuto    = 512
	littleNoise  = 0.1
	hmcGradients = 10
)

// minibatch settles which rows a gradient takes, about the modes that were found, and returns
// what draws them; nil takes all.
func (f *fitReader) minibatch(p *rows.Posterior, dom r2sgld.Problem, found []modes.Mode) (*rows.Minibatches, []string) {
	asked := f.Sampler.Minibatch
	if f.Sampler.Minibatch = nil; asked == nil {
		return nil, nil
	}
	at, all := f.Node.Field("minibatch"), p.Likelihood.Rows()
	n, given := asked.(int)
	switch metropolis := f.Traits().Metropolis || f.Traits().Paths; {
	case !given && (metropolis || len(found) == 0):
		return nil, nil
	case metropolis:
		f.Report(at, "kernel %s accepts by the energy over all rows: leave minibatch out, or take kernel: sgld", f.Sampler.Kernel)
		return nil, nil
	case len(found) == 0:
		f.Report(at, "minibatches are taken about a mode, and descents from the priors found none: leave minibatch out, or bound the parameters")
		return nil, nil
	case !given && (all <= leastAuto || p.Likelihood.Summed()):
		return nil, nil
	case given && n >= all:
		return nil, []string{fmt.Sprintf("a minibatch of %s is all of the %s: gradients take all.", text.Count(n), text.Counted(all, "row"))}
	}
	about := f.anchors(found)
	build := func(n int) *rows.Minibatches {
		m, err := p.Minibatches(n, about)
		if err != nil {
			f.Report(at, "%v", err)
			return nil
		}
		return m
	}
	if !given {
		n = leastAuto
	}
	m := build(n)
	if m == nil {
		return nil, nil
	}
	spread, heavy := m.Spread(about[0], func(x []float64) bool { return dom.Domain == nil || dom.Domain.Contains(f.reduced(x)) })
	quiet := int(min(float64(all), max(leastAuto, math.Ceil(spread/littleNoise), math.Ceil(heavy))))
	if !given {
		if quiet >= all {
			return nil, nil
		}
		if steps := (1 + spread/float64(quiet)) / tune.Bias; steps*float64(quiet) > hmcGradients*float64(all) {
			return nil, nil
		}
		if m = build(quiet); m == nil {
			return nil, nil
		}
	}
	f.Sampler.Minibatch, p.Drawn = m.Rows(), m
	return m, dear(p.Likelihood, m.Rows(), quiet, spread/float64(m.Rows()), heavy/float64(m.Rows()))
}

// dear warns of minibatches of n rows whose energies have noise that is far from normal, and of those that
// cost more than others, of which quiet rows make a tenth of the noise that would halve the steps and none
// that is far from normal, or than all rows.
func dear(of *rows.Likelihood, n, quiet int, noise, kurtosis float64) []string {
	switch {
	case kurtosis > 1:
		advice := fmt.Sprintf("take minibatch: %d", quiet)
		if quiet >= of.Rows() {
			advice = "leave minibatch out"
		}
		return []string{fmt.Sprintf("a few rows tell so much more than others that the energies of minibatches of %s have noise far from normal "+
			"(excess kurtosis %.2g), which swaps take it for, and standard deviations may be wrong by a fifth and more: %s.",
			text.Counted(n, "row"), kurtosis, advice)}
	case of.Summed():
		return []string{"a gradient of all rows takes less time here than one of a minibatch, for it comes down to sums that are made once: " +
			"leave minibatch out."}
	case noise > 1:
		advice := fmt.Sprintf("minibatch: %d makes a tenth", quiet)
		if quiet >= of.Rows() {
			advice = "all rows make none: leave minibatch out"
		}
		return []string{fmt.Sprintf("minibatches of %s vary %.2g times as much as they bend: steps must be %.2g times as short for the same "+
			"bias. %s.", text.Counted(n, "row"), noise, 1+noise, advice)}
	}
	return nil
}

// anchors are the modes that minibatches are taken about, in the coordinates of the rows.
func (f *fitReader) anchors(found []modes.Mode) (all []rows.Anchor) {
	for _, m := range found[:min(len(found), mostAnchors)] {
		if m.Energy > found[0].Energy+worthAnchor {
			break
		}
		a := rows.Anchor{X: m.X, L: m.L}
		if s := f.region.Slice; s != nil {
			d := len(f.names)
			a = rows.Anchor{X: make([]float64, d), L: make([][]float64, d)}
			s.Full(a.X, m.X)
			for j := range d {
				a.L[j] = make([]float64, len(m.X))
				for k := range m.X {
					for i, row := range m.L {
						a.L[j][k] += s.Span.At(j, i) * row[k]
					}
				}
			}
		}
		all = append(all, a)
	}
	return all
}

// beginByMinibatches says where a run by minibatches begins, and in which coordinates: ladders
// begin at the modes by turns.
func (f *fitReader) beginByMinibatches(s *Run, p *rows.Posterior, m *rows.Minibatches, found []modes.Mode) error {
	u, err := potential.Sum(m, p.Priors)
	if err != nil {
		return err
	}
	s.Problem = f.target(u)
	if f.Sampler.Init == sampler.FromPrior {
		f.Report(f.Node.Field("init"), "init: prior goes with all rows: leave init out, which begins at the modes, or give a point")
	}
	if f.Sampler.Init == nil {
		var points []Ordered
		for _, a := range f.anchors(found) {
			points = append(points, named(f.names, a.X))
		}
		if f.Sampler.Init = points; len(points) == 1 {
			f.Sampler.Init = points[0]
		}
	}
	if err := f.Problems.Err(); err != nil {
		return err
	}
	f.whiten(&r2sgld.Whitening{Center: found[0].X, L: found[0].L})
	f.settle(s, []float64{1, 3}, 100_000, 10_000, 10)
	return f.Problems.Err()
}
