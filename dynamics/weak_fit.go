package dynamics

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/r2sgld/r2sgld/potential"
)

type symmetric = blas64.SymmetricBand

// fromLinear builds the likelihood of linear equations, with minibatches of
// integrals and without, and its curvature.
func (w *weakly) fromLinear(columns []potential.Column) (likelihood, whole potential.Potential, gram func([]float64) []float64, err error) {
	p := w.Problem
	d := len(p.Parameters)
	integrals := w.integrate(columns)
	for i, c := range integrals {
		p.collinear(p.equations[i], c.Design, len(c.Index))
	}
	design, target := make([]float64, len(w.target)*d), slices.Clone(w.target)
	for m, at := range w.joint.data {
		c := &integrals[at.response]
		target[m] -= c.Offset[at.row]
		for k, j := range c.Index {
			design[m*d+j] = c.Design[at.row*len(c.Index)+k]
		}
	}
	var r *potential.Regression
	var column potential.Column
	estimate := func(white *whitener) (x, residual []float64, err error) {
		column = potential.Column{Index: seq(d), Design: white.design(design, d), Response: white.vector(target), Weight: 1}
		if r, err = potential.NewRegression(d, []potential.Column{column}, 0); err != nil {
			return nil, nil, err
		}
		x, _ = r.LeastSquares()
		residual = make([]float64, len(target))
		r.Fitted(residual, 0, x)
		for m, y := range column.Response {
			residual[m] = y - residual[m]
		}
		return x, residual, nil
	}
	if err = w.reweight(estimate); err != nil {
		return nil, nil, nil, err
	}
	b := r
	if p.model.Batch > 0 {
		if b, err = potential.NewRegression(d, []potential.Column{column}, p.model.Batch); err != nil {
			return nil, nil, nil, err
		}
	}
	p.fitted = func(dst []float64, c int, x []float64) { predict(dst, &integrals[c], x) }
	g := r.Gram()
	return b, r, func([]float64) []float64 { return slices.Clone(g) }, nil
}

// integrate integrates the design and the offset of each equation.
func (w *weakly) integrate(columns []potential.Column) []potential.Column {
	out := make([]potential.Column, len(columns))
	for i, c := range columns {
		n, rows := len(c.Index), len(w.Responses[i].Observed)
		out[i] = potential.Column{Index: c.Index, Design: make([]float64, rows*n), Offset: make([]float64, rows)}
	}
	for m, at := range w.joint.data {
		c, o := &columns[at.response], &out[at.response]
		n := len(c.Index)
		for k, v := range w.right[m].weight {
			t := w.right[m].from + k
			if c.Offset != nil {
				o.Offset[at.row] += v * c.Offset[t]
			}
			for j := range n {
				o.Design[at.row*n+j] += v * c.Design[t*n+j]
			}
		}
	}
	return out
}

// reweight repeats an estimate with the covariance that the last one gives the
// errors until both agree, and settles the noise: if it is to be estimated, the
// noise of all states, whose ratios differences of the data give, is scaled to
// what the residuals have.
func (w *weakly) reweight(estimate func(*whitener) (x, residual []float64, err error)) error {
	p := w.Problem
	const rounds = 20
	// At first the errors of the left-hand sides alone.
	parts := make([][]stencil, len(w.target))
	for m, at := range w.joint.data {
		parts[m] = make([]stencil, len(p.model.States))
		state := slices.Index(p.model.States, p.equations[at.response].state)
		parts[m][state] = w.left[m].times(w.noise[state])
	}
	w.joint.white = w.factor(parts)
	x, residual, err := estimate(w.joint.white)
	if err != nil {
		return err
	}
	for range rounds {
		if w.joint.white, err = w.errorsOf(x); err != nil {
			return err
		}
		last := x
		if x, residual, err = estimate(w.joint.white); err != nil {
			return err
		}
		change, size := 0.0, 0.0
		for j := range x {
			change, size = math.Hypot(change, x[j]-last[j]), math.Hypot(size, x[j])
		}
		if change < 1e-6*size {
			break
		}
	}
	if p.model.Noise.Kind != "given" {
		if err := w.scaleNoise(residual); err != nil {
			return err
		}
		if x, _, err = estimate(w.joint.white); err != nil {
			return err
		}
	}
	p.Estimate, p.joint = x, &w.joint
	for i, e := range p.equations {
		p.Noise[i] = w.noise[slices.Index(p.model.States, e.state)]
		for t := range p.Responses[i].SD {
			p.Responses[i].SD[t] /= p.Noise[i]
		}
	}
	for _, r := range p.Responses {
		p.Time = append(p.Time, r.Time...)
	}
	slices.Sort(p.Time)
	p.Time = slices.Compact(p.Time)
	return nil
}

// scaleNoise scales the noise so that the mean square of the whitened residuals
// is 1, less the parameters.
func (w *weakly) scaleNoise(residual []float64) error {
	free := float64(len(residual)-len(w.Parameters)) - w.joint.white.lost()
	sum := 0.0
	for _, z := range residual {
		sum += z * z
	}
	factor := math.Sqrt(sum / free)
	if free < 0.5 || !(factor > 1e-13) || math.IsInf(factor, 0) {
		return &ModelError{[]string{"model", "noise"}, -1, fmt.Errorf(
			"%d integrals cannot tell the noise beside %d parameters; give it: noise: {%s: …}", len(residual), len(w.Parameters), w.model.States[0])}
	}
	for k := range w.noise {
		w.noise[k] *= factor
	}
	for k := range w.joint.white.factor.Data {
		w.joint.white.factor.Data[k] *= factor
	}
	for i := range w.Responses {
		for t := range w.Responses[i].SD {
			w.Responses[i].SD[t] *= factor
		}
	}
	return nil
}

// fromCurves is fromLinear for equations that are not linear.
func (w *weakly) fromCurves() (likelihood, whole potential.Potential, gram func([]float64) []float64, err error) {
	p := w.Problem
	if p.model.Batch > 0 {
		return nil, nil, nil, needsIndependent()
	}
	columns, err := p.curves()
	if err != nil {
		return nil, nil, nil, err
	}
	f := &functionals{dim: len(p.Parameters), target: w.target, sums: w.right}
	for i, c := range columns {
		c.Response = nil
		f.curves = append(f.curves, curveRows{c, len(p.rows.at[i])})
	}
	for _, at := range w.joint.data {
		f.of = append(f.of, at.response)
	}
	start, err := w.start(f)
	if err != nil {
		return nil, nil, nil, err
	}
	estimate := func(white *whitener) (x, residual []float64, err error) {
		f.blocks = []block{{0, len(w.target), white, 1}}
		if x, u := minimise(f, f.Gram, start); !math.IsNaN(u) {
			start = x
		}
		_, value := f.design(start)
		for m, y := range w.target {
			value[m] = y - value[m]
		}
		white.apply(value)
		return start, value, nil
	}
	if err = w.reweight(estimate); err != nil {
		return nil, nil, nil, err
	}
	p.fitted = func(dst []float64, c int, x []float64) {
		_, value := f.design(x)
		for m, at := range w.joint.data {
			if at.response == c {
				dst[at.row] = value[m]
			}
		}
	}
	return f, f, f.Gram, nil
}

// start fits each equation alone to its integrals, all of equal weight.
func (w *weakly) start(all *functionals) ([]float64, error) {
	p := w.Problem
	found := slices.Repeat([]float64{math.NaN()}, len(p.Parameters))
	for i, e := range p.equations {
		c := all.curves[i]
		index := c.Index
		c.Index = seq(len(index))
		f := &functionals{dim: len(index), curves: []curveRows{c}}
		for m, at := range w.joint.data {
			if at.response == i {
				f.of, f.sums, f.target = append(f.of, 0), append(f.sums, w.right[m]), append(f.target, w.target[m])
			}
		}
		f.blocks = []block{{0, len(f.target), nil, 1}}
		from := nans(len(index))
		for k, j := range index {
			for _, v := range p.model.Start {
				if v.Name == p.Parameters[j] {
					from[k] = v.Value
				}
			}
		}
		if len(index) == 0 {
			continue
		}
		x, u := search(f, f.Gram, from)
		if math.IsNaN(u) {
			return nil, &ModelError{[]string{"model", "equations", e.state}, -1, errNoStart()}
		}
		for k, j := range index {
			if math.IsNaN(found[j]) {
				found[j] = x[k]
			}
		}
	}
	return found, nil
}

// jointTerms is LogLikelihood where the data of all responses hang together.
func (p *Problem) jointTerms(dst, x []float64) {
	start := make([]int, len(p.Responses)) // of each response in dst
	at := 0
	for _, c := range p.byName {
		start[c] = at
		n := len(p.Responses[c].Observed)
		p.fitted(dst[at:at+n], c, x)
		at += n
	}
	stacked := make([]float64, len(dst))
	for m, q := range p.joint.data {
		stacked[m] = p.Responses[q.response].Observed[q.row] - dst[start[q.response]+q.row]
	}
	p.joint.white.apply(stacked)
	for m, q := range p.joint.data {
		z := stacked[m]
		dst[start[q.response]+q.row] = -z*z/2 - math.Log(p.joint.white.at(m)) - logRoot2Pi
	}
}
