package sparse

import (
	"math"

	"github.com/r2sgld/r2sgld/potential"
)

// Choose weighs the sets of columns of a linear regression of which one made the
// response: each by its prior probability and its marginal likelihood. Second is the
// regression as other estimates of its columns and its response have it: what differs
// between the two fits is systematic, and counts as noise. Held columns belong to every
// set, with flat priors of their coefficients; prior is the probability of each other
// one, 0 a beta-binomial law with parameters 1 and 1. Errors are those of
// [potential.NewRegression]; there may be [Most] columns.
func Choose(first, second potential.Column, held []bool, prior float64) (*Posterior, error) {
	c, err := newCandidates(first)
	if err != nil {
		return nil, err
	}
	other, err := newCandidates(second)
	if err != nil {
		return nil, err
	}
	c.forced, c.prior = held, prior
	c.inflate(first, other.fit)
	return c.posterior(), nil
}

// newCandidates are the columns of a regression.
func newCandidates(c potential.Column) (*candidates, error) {
	n := len(c.Index)
	c.Weight, c.Index = 1, make([]int, n)
	for k := range c.Index {
		c.Index[k] = k
	}
	r, err := potential.NewRegression(n, []potential.Column{c}, 0)
	if err != nil {
		return nil, err
	}
	x, rank := r.LeastSquares()
	out := &candidates{gram: r.Gram(), rhs: make([]float64, n), fit: x, rank: rank,
		rss: r.Fit(0, x).RSS, rows: float64(len(c.Response)), inflation: 1}
	for j := range n {
		for k := range n {
			out.rhs[j] += out.gram[j*n+k] * x[k]
		}
	}
	return out, nil
}

// inflate sets how much the noise counts in the span of the candidates beyond
// its variance per row: by its autocorrelation, and by systematic errors, which a
// second fit shows.
//
// The first is the variance of sums of the scores Xᵀ·residual over blocks of
// consecutive rows, relative to that of independent residuals, on average over
// the directions of the span, and at least 1.
//
// The second: estimated states and derivatives have errors that are smooth
// functions of the states, correlated with the terms of the library, and that more
// rows do not average away. What they do to the fit is seen in a second estimate
// with an error of higher order: the fits differ by δ. Not δ itself is believed, but its
// length |Xδ|, as if it could lie anywhere in the span: that adds |Xδ|²/rank to
// the variance in each direction, as if the systematic error were noise of as
// many rows as there are terms. Then no direction has a spurious z² above
// their number, whatever the number of rows.
func (c *candidates) inflate(col potential.Column, second []float64) {
	n := len(c.rhs)
	variance := 0.0
	if free := c.rows - float64(c.rank); free >= 1 {
		variance = c.rss / free
	}
	size := 0.0
	for j, v := range c.fit {
		size += c.rhs[j] * v
	}
	variance = math.Max(variance, 1e-12*size/c.rows)
	if c.rank == 0 || !(variance > 0) {
		return
	}
	c.inflation = math.Max(1, c.blockwise(col)/variance)
	bias := 0.0
	for j := range n {
		for k := range n {
			bias += (second[j] - c.fit[j]) * c.gram[j*n+k] * (second[k] - c.fit[k])
		}
	}
	c.inflation += math.Max(0, bias) / float64(c.rank) / variance
}

// blockwise is the mean variance of the scores in the span, from their sums over
// some 40 blocks of at least 25 rows; 0 with fewer than 10 of those.
func (c *candidates) blockwise(col potential.Column) float64 {
	n, rows := len(c.rhs), len(col.Response)
	blocks := min(rows/25, 40)
	if blocks < 10 {
		return 0
	}
	e := newEvidence(c)
	f := newLadder(e)
	for a := range n {
		f.push(a)
	}
	sum, score, w := 0.0, make([]float64, n), make([]float64, n)
	for b := range blocks {
		clear(score)
		for t := b * rows / blocks; t < (b+1)*rows/blocks; t++ {
			x := col.Design[t*n : (t+1)*n]
			r := col.Response[t]
			if col.Offset != nil {
				r -= col.Offset[t]
			}
			for k, v := range x {
				r -= v * c.fit[k]
			}
			for k, v := range x {
				score[k] += v * r
			}
		}
		for i, a := range f.members {
			w[i] = score[e.order[a]] * e.unit[a]
			for m := range i {
				w[i] -= f.l[i][m] * w[m]
			}
			w[i] /= f.l[i][i]
			sum += w[i] * w[i]
		}
	}
	return sum / float64(len(f.members)) * float64(blocks) / float64(blocks-1)
}
