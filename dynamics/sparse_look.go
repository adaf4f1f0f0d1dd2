package dynamics

import (
	"math"
	"slices"

	"github.com/r2sgld/r2sgld/potential"
)

// regressions are the linear regressions by which terms are chosen, one per
// equation, twice: what differs between the two is systematic.
//
// Noise of the states biases a regression on them, and estimated derivatives are
// noisier still. Therefore terms are chosen on the cubic smoothing splines through
// the states (through their logarithms for log-derivative) with the penalty of
// generalised cross-validation, and on their central differences, whatever the
// likelihood that they are sampled with. The second look has a tenth of the
// penalty and differences of the next order.
func (m *Model) regressions(s *Series) (equations []equation, first, second []potential.Column, err error) {
	own := *m
	if m.Likelihood != "log-derivative" {
		own.Likelihood = "derivative"
	}
	if m.Likelihood == "trajectory" && m.lognormal() {
		own.Likelihood = "log-derivative"
	}
	own.Noise, own.Batch = Noise{}, 0
	own.Fixed = slices.DeleteFunc(slices.Clone(m.Fixed), func(v Value) bool {
		return m.Likelihood == "trajectory" && slices.Contains(m.nuisances(), v.Name)
	})
	f := &faults{}
	equations, names := own.equations(f)
	if err := f.join(); err != nil {
		return nil, nil, nil, err
	}
	smooth := newSmoothing(s, m.States, own.Likelihood == "log-derivative")
	look := func(d Derivative, penalty float64) ([]potential.Column, error) {
		m := own
		if m.Derivative.Kind != "column" {
			m.Derivative = d
		}
		q := &table{Problem: &Problem{Parameters: names, model: &m, equations: equations}}
		if err := q.read(smooth.series(penalty)); err != nil {
			return nil, err
		}
		return q.linear()
	}
	if first, err = look(Derivative{Kind: "central"}, 1); err != nil {
		return nil, nil, nil, err
	}
	if second, err = look(Derivative{Kind: "savgol", Window: 5, Order: 4}, 0.1); err != nil {
		second, err = look(Derivative{Kind: "central"}, 0.1) // few rows
	}
	return equations, first, second, err
}

// A smoothing holds a spline through each state.
type smoothing struct {
	s       *Series
	names   []string
	log     bool
	row     [][]int
	values  [][]float64
	splines []*spline
	penalty []float64
}

// newSmoothing finds the penalties. States with fewer than 5 values, and with log
// those with values that are not positive, are left as they are.
func newSmoothing(s *Series, names []string, log bool) *smoothing {
	out := &smoothing{s: s, log: log}
	for _, name := range names {
		row, times, values := s.existing(s.Values[name])
		if n := len(values); n < 5 || log && slices.Min(values) <= 0 || slices.Min(values) == slices.Max(values) {
			continue
		}
		if log {
			for t, v := range values {
				values[t] = math.Log(v)
			}
		}
		spline := newSpline(times, (times[len(times)-1]-times[0])/float64(len(times)-1))
		out.names, out.row, out.values = append(out.names, name), append(out.row, row), append(out.values, values)
		out.splines, out.penalty = append(out.splines, spline), append(out.penalty, spline.choose(values))
	}
	return out
}

// series is the smoothed series, the penalties multiplied by a factor.
func (m *smoothing) series(factor float64) *Series {
	out := *m.s
	out.Values = map[string][]float64{}
	for _, name := range m.s.States {
		out.Values[name] = slices.Clone(m.s.Values[name])
	}
	for i, name := range m.names {
		p := m.splines[i].penalise(factor * m.penalty[i])
		rough := p.rough(p.curvatures(m.values[i]))
		for t, row := range m.row[i] {
			v := m.values[i][t] - rough[t]
			if m.log {
				v = math.Exp(v)
			}
			out.Values[name][row] = v
		}
	}
	return &out
}

// newCandidates are the columns of a regression.
func newCandidates(c potential.Column) (*candidates, error) {
	n := len(c.Index)
	c.Index, c.Weight = seq(n), 1
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
