package dynamics

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/r2sgld/r2sgld/internal/slope"
	"github.com/r2sgld/r2sgld/potential"
)

type symmetric = blas64.SymmetricBand

// fromLinear builds the likelihood of linear equations, with minibatches of
// integrals and without, and its curvature.
func (w *weakly) fromLinear(columns []potential.Column) (likelihood, whole potential.Potential, gram func([]float64) []float64, err error) {
	p := w.Problem
	l := w.lines(columns)
	for i, c := range l.integrals {
		p.collinear(p.equations[i], c.Design, len(c.Index))
	}
	by, err := w.reweight(l.estimate, func(q *weakly) (estimator, error) {
		columns, err := q.linear()
		if err != nil {
			return nil, err
		}
		return q.lines(columns).estimate, nil
	})
	if err != nil {
		return nil, nil, nil, err
	}
	l.lift(by)
	if p.Estimate, _, err = l.estimate(w.joint.white); err != nil {
		return nil, nil, nil, err
	}
	b := l.regression
	if p.model.Batch > 0 {
		if b, err = potential.NewRegression(l.dim, []potential.Column{l.column}, p.model.Batch); err != nil {
			return nil, nil, nil, err
		}
	}
	w.fitted = func(dst []float64, c int, x []float64) { predict(dst, &l.integrals[c], x) }
	g := l.regression.Gram()
	return b, l.regression, func([]float64) []float64 { return slices.Clone(g) }, nil
}

// lines are integrals of linear equations, and their regression.
type lines struct {
	dim            int
	integrals      []potential.Column // by equation
	design, target []float64          // of the functionals
	column         potential.Column   // whitened
	regression     *potential.Regression
}

// lines integrates the columns of linear equations.
func (w *weakly) lines(columns []potential.Column) *lines {
	d := len(w.Parameters)
	l := &lines{dim: d, integrals: w.integrate(columns), design: make([]float64, len(w.target)*d), target: slices.Clone(w.target)}
	for m, at := range w.joint.data {
		c := &l.integrals[at.response]
		l.target[m] -= c.Offset[at.row]
		for k, j := range c.Index {
			l.design[m*d+j] = c.Design[at.row*len(c.Index)+k]
		}
	}
	return l
}

// lift moves the parameters at which the integrals are fitted by −by.
func (l *lines) lift(by []float64) {
	for i := range l.integrals {
		c := &l.integrals[i]
		for t := range c.Offset {
			for k, j := range c.Index {
				c.Offset[t] += c.Design[t*len(c.Index)+k] * by[j]
			}
		}
	}
	for m := range l.target {
		for j, b := range by {
			l.target[m] -= l.design[m*l.dim+j] * b
		}
	}
}

// estimate is least squares of the whitened integrals.
func (l *lines) estimate(white *whitener) (x, residual []float64, err error) {
	l.column = potential.Column{Index: seq(l.dim), Design: white.design(l.design, l.dim), Response: white.vector(l.target), Weight: 1}
	if l.regression, err = potential.NewRegression(l.dim, []potential.Column{l.column}, 0); err != nil {
		return nil, nil, err
	}
	x, _ = l.regression.LeastSquares()
	residual = make([]float64, len(l.target))
	l.regression.Fitted(residual, 0, x)
	for m, y := range l.column.Response {
		residual[m] = y - residual[m]
	}
	return x, residual, nil
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
		for k, v := range w.right[m].Weight {
			t := w.right[m].From + k
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
// what the residuals have. The covariance is then moved to where the estimate is
// without what noise adds to it; by is how far the estimate with that covariance
// lies from there. Estimators are made by again for data with more noise.
func (w *weakly) reweight(estimate estimator, again func(*weakly) (estimator, error)) (by []float64, err error) {
	p := w.Problem
	// At first the errors of the left-hand sides alone.
	parts := make([][]slope.Stencil, len(w.target))
	for m, at := range w.joint.data {
		parts[m] = make([]slope.Stencil, len(p.model.States))
		state := slices.Index(p.model.States, p.equations[at.response].state)
		parts[m][state] = w.left[m].Times(w.sd[state])
	}
	w.joint.white = w.factor(parts)
	x, _, err := estimate(w.joint.white)
	if err != nil {
		return nil, err
	}
	x, residual, err := w.settle(estimate, x, 20)
	if err != nil {
		return nil, err
	}
	if p.model.Noise.Kind != "given" {
		if err := w.scaleNoise(residual); err != nil {
			return nil, err
		}
	}
	p.Estimate = x
	better := w.without(again)
	if w.joint.white, err = w.errorsOf(better); err != nil {
		return nil, err
	}
	if p.Estimate, _, err = estimate(w.joint.white); err != nil {
		return nil, err
	}
	for j, v := range p.Estimate {
		by = append(by, v-better[j])
	}
	for i, e := range p.equations {
		p.Noise[i] = w.sd[slices.Index(p.model.States, e.state)]
		for t := range p.Responses[i].SD {
			p.Responses[i].SD[t] /= p.Noise[i]
		}
	}
	for _, r := range p.Responses {
		p.Time = append(p.Time, r.Time...)
	}
	slices.Sort(p.Time)
	p.Time = slices.Compact(p.Time)
	return by, nil
}

// An estimator finds the parameters at which whitened residuals are least.
type estimator func(*whitener) (x, residual []float64, err error)

// settle repeats an estimate from x on until it agrees with its covariance, or as
// often as is said.
func (w *weakly) settle(estimate estimator, x []float64, rounds int) (_, residual []float64, err error) {
	for range rounds {
		if w.joint.white, err = w.errorsOf(x); err != nil {
			return nil, nil, err
		}
		last := x
		if x, residual, err = estimate(w.joint.white); err != nil {
			return nil, nil, err
		}
		still := true
		for j := range x {
			still = still && math.Abs(x[j]-last[j]) <= 1e-8*math.Abs(x[j])
		}
		if still {
			break
		}
	}
	return x, residual, nil
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
	for k, name := range w.model.States {
		_, _, v := w.series.existing(w.series.Values[name])
		if w.sd[k] *= factor; w.sd[k] <= 1e-14*math.Max(slices.Max(v), -slices.Min(v)) {
			return &ModelError{[]string{"model", "noise"}, -1, fmt.Errorf(
				"the equations fit the integrals exactly (noise of %q: %.1g): the noise cannot be estimated; give it: noise: {%s: …}", name, w.sd[k],
				name)}
		}
	}
	w.fewLeft(quoted(w.model.States), free)
	return nil
}

// fromCurves is fromLinear for equations that are not linear.
func (w *weakly) fromCurves() (likelihood, whole potential.Potential, gram func([]float64) []float64, err error) {
	p := w.Problem
	if p.model.Batch > 0 {
		return nil, nil, nil, needsIndependent()
	}
	columns, err := w.curves()
	if err != nil {
		return nil, nil, nil, err
	}
	f := w.functions(columns)
	start, err := w.start(f)
	if err != nil {
		return nil, nil, nil, err
	}
	fit := f.estimator(start)
	by, err := w.reweight(fit, func(q *weakly) (estimator, error) {
		columns, err := q.curves()
		if err != nil {
			return nil, err
		}
		return q.functions(columns).estimator(p.Estimate), nil
	})
	if err != nil {
		return nil, nil, nil, err
	}
	lift := f.lift(p.Estimate, by)
	if p.Estimate, _, err = fit(w.joint.white); err != nil {
		return nil, nil, nil, err
	}
	w.fitted = func(dst []float64, c int, x []float64) {
		_, value := f.design(x)
		for m, at := range w.joint.data {
			if at.response == c {
				dst[at.row] = value[m] + lift[m]
			}
		}
	}
	return f, f, f.Gram, nil
}

// functions are the integrals of curves.
func (w *weakly) functions(columns []potential.ResidualColumn) *functionals {
	f := &functionals{dim: len(w.Parameters), target: slices.Clone(w.target), sums: w.right}
	for i, c := range columns {
		c.Response = nil
		f.curves = append(f.curves, curveRows{c, len(w.at[i])})
	}
	for _, at := range w.joint.data {
		f.of = append(f.of, at.response)
	}
	return f
}

// estimator goes down from the last estimate, at first from start.
func (f *functionals) estimator(start []float64) estimator {
	return func(white *whitener) (x, residual []float64, err error) {
		f.blocks = []block{{0, len(f.target), white, 1}}
		if x, u := minimise(f, f.Gram, start); !math.IsNaN(u) {
			start = x
		}
		_, value := f.design(start)
		for m, y := range f.target {
			value[m] = y - value[m]
		}
		white.apply(value)
		return start, value, nil
	}
}

// lift is lines.lift for the fit at x, and returns what it adds to the functions.
func (f *functionals) lift(x, by []float64) []float64 {
	to := make([]float64, len(x))
	for j, v := range x {
		to[j] = v - by[j]
	}
	_, lift := f.design(x)
	_, value := f.design(to)
	for m, v := range value {
		lift[m] -= v
	}
	if !finite(lift) {
		return make([]float64, len(lift))
	}
	for m, v := range lift {
		f.target[m] -= v
	}
	return lift
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

// LogDensity is that of [Likelihood]: the data of all responses hang together.
func (w *weakly) LogDensity(data []int) func(dst, x []float64) bool {
	if data != nil {
		return chosen(w, w.Data(), data)
	}
	p := w.Problem
	start := make([]int, len(p.Responses)) // of each response among all data
	at := 0
	for _, c := range p.byName {
		start[c] = at
		at += len(p.Responses[c].Observed)
	}
	return func(dst, x []float64) bool {
		for c, r := range p.Responses {
			w.fitted(dst[start[c]:start[c]+len(r.Observed)], c, x)
		}
		stacked := make([]float64, len(dst))
		for m, q := range w.joint.data {
			stacked[m] = p.Responses[q.response].Observed[q.row] - dst[start[q.response]+q.row]
		}
		w.joint.white.apply(stacked)
		for m, q := range w.joint.data {
			z := stacked[m]
			dst[start[q.response]+q.row] = -z*z/2 - math.Log(w.joint.white.at(m)) - logRoot2Pi
		}
		return true
	}
}

// LogConstant is that of [Likelihood].
func (w *weakly) LogConstant() float64 {
	n := len(w.joint.data)
	return -float64(n)*logRoot2Pi - w.joint.white.logDet(n)
}

// Fitted is that of [Likelihood].
func (w *weakly) Fitted(c int, rows []int) func(dst, x []float64) {
	return picked(len(w.Responses[c].Observed), rows, func(dst, x []float64) { w.fitted(dst, c, x) })
}

// Name is that of [Likelihood].
func (w *weakly) Name() string {
	return fmt.Sprintf("weak form of %s (width %d)", w.observedStates(), w.width)
}

// Datum is that of [Likelihood].
func (w *weakly) Datum() (unit string, rows int) { return "test function", w.width }

// Effort is that of [Likelihood]: integrals are made once.
func (w *weakly) Effort() string { return "" }
