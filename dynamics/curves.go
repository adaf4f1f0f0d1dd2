package dynamics

import (
	"math"
	"slices"

	"github.com/r2sgld/r2sgld/potential"
)

// fromCurves is fromLinear for equations that are not linear.
func (p *slopes) fromCurves() (likelihood, whole potential.Potential, gram func([]float64) []float64, err error) {
	columns, err := p.curves()
	if err != nil {
		return nil, nil, nil, err
	}
	found := slices.Repeat([]float64{math.NaN()}, len(p.Parameters))
	p.white, p.apart = make([]*whitener, len(columns)), make([]*separable, len(columns))
	for i := range columns {
		if p.apart[i], err = p.separate(i, columns[i]); err != nil {
			return nil, nil, nil, err
		}
		x, fit, err := p.fitAlone(i, columns[i])
		if err != nil {
			return nil, nil, nil, err
		}
		for k, j := range columns[i].Index {
			if math.IsNaN(found[j]) {
				found[j] = x[k]
			}
		}
		if columns[i].Weight, err = p.weigh(i, fit); err != nil {
			return nil, nil, nil, err
		}
	}
	raw := slices.Clone(columns)
	own, err := apart(len(p.Parameters), columns)
	if err != nil {
		return nil, nil, nil, err
	}
	p.fitted = func(c int, rows []int) func(dst, x []float64) {
		f := own[c]
		if rows != nil {
			var err error
			if f, err = potential.NewResiduals(len(p.Parameters), []potential.ResidualColumn{curveAt(raw[c], rows)},
				0); err != nil { // there are no rows
				return func(_, _ []float64) {}
			}
		}
		return func(dst, x []float64) { f.Fitted(dst, nil, 0, x) }
	}
	if p.made != nil && p.model.Batch > 0 {
		return nil, nil, nil, needsIndependent()
	}
	w, err := p.together(raw)
	if err != nil {
		return nil, nil, nil, err
	}
	p.Estimate, _ = minimise(w, w.Gram, found)
	if p.model.Batch == 0 {
		return w, w, w.Gram, nil
	}
	weightRows(columns, p.white)
	b, err := potential.NewResiduals(len(p.Parameters), columns, p.model.Batch)
	return b, w, w.Gram, err
}

// together is the misfit of all columns: what is separable as a regression, the rest row
// by row.
func (p *slopes) together(columns []potential.ResidualColumn) (misfit, error) {
	var parts []misfit
	var sums []*separable
	var few, rest []potential.ResidualColumn
	var fewWhite, white []*whitener
	for i, c := range columns {
		if p.apart[i] != nil {
			sums, few, fewWhite = append(sums, p.apart[i]), append(few, c), append(fewWhite, p.white[i])
		} else {
			rest, white = append(rest, c), append(white, p.white[i])
		}
	}
	d := len(p.Parameters)
	if few != nil {
		f, err := reduce(d, sums, few, fewWhite)
		if err != nil {
			return nil, err
		}
		parts = append(parts, f)
	}
	switch {
	case rest == nil:
	case p.made != nil: // errors hang together
		f := &functionals{dim: d}
		for i, c := range rest {
			f.identity(c, white[i], c.Weight)
		}
		parts = append(parts, f)
	default:
		weightRows(rest, white)
		r, err := potential.NewResiduals(d, rest, 0)
		if err != nil {
			return nil, err
		}
		parts = append(parts, r)
	}
	return sumOf(parts...)
}

// apart are the columns, each by itself.
func apart(dim int, columns []potential.ResidualColumn) ([]*potential.Residuals, error) {
	own := make([]*potential.Residuals, len(columns))
	for i, c := range columns {
		var err error
		if own[i], err = potential.NewResiduals(dim, []potential.ResidualColumn{c}, 0); err != nil {
			return nil, err
		}
	}
	return own, nil
}

// weightRows divides rows by their standard deviations and gives all columns the
// rows of the longest: those added repeat the first with a scale of 0.
func weightRows(columns []potential.ResidualColumn, white []*whitener) {
	n := 0
	for _, c := range columns {
		n = max(n, len(c.Response))
	}
	for i := range columns {
		c := &columns[i]
		rows := len(c.Response)
		if white[i] == nil && rows == n {
			continue
		}
		scale := slices.Repeat([]float64{1}, rows)
		if c.Scale != nil {
			scale = slices.Clone(c.Scale)
		}
		white[i].apply(scale)
		c.Scale, c.Response = append(scale, make([]float64, n-rows)...), append(white[i].vector(c.Response), make([]float64, n-rows)...)
		data := c.Data
		c.Data = make([][]float64, len(data))
		for v, d := range data {
			c.Data[v] = append(slices.Clip(d), slices.Repeat([]float64{d[0]}, n-rows)...)
		}
	}
}

// fitAlone fits the parameters of equation i to its response alone.
func (p *slopes) fitAlone(i int, c potential.ResidualColumn) ([]float64, potential.Fit, error) {
	n := len(c.Index)
	start := make([]float64, n)
	for k, j := range c.Index {
		start[k] = math.NaN()
		for _, v := range p.model.Start {
			if v.Name == p.Parameters[j] {
				start[k] = v.Value
			}
		}
	}
	c.Weight, c.Index = 1, seq(n)
	r, err := potential.NewResiduals(max(n, 1), []potential.ResidualColumn{c}, 0)
	if err != nil {
		return nil, potential.Fit{}, err
	}
	if n == 0 {
		fit, err := p.whitenedFit(i, c, nil)
		return nil, fit, err
	}
	few, err := potential.NewResiduals(n, []potential.ResidualColumn{thinned(c)}, 0)
	if err != nil {
		return nil, potential.Fit{}, err
	}
	x, u := search(few, few.Gram, start)
	if few.Rows() < r.Rows() && !math.IsNaN(u) {
		var whole misfit = r
		if p.apart[i] != nil {
			if whole, err = reduce(n, []*separable{p.apart[i]}, []potential.ResidualColumn{c}, []*whitener{nil}); err != nil || !agree(whole, r, x) {
				p.apart[i], whole = nil, r
			}
		}
		x, u = minimise(whole, whole.Gram, x)
	}
	if math.IsNaN(u) {
		return nil, potential.Fit{}, &ModelError{[]string{"model", "equations", p.equations[i].state}, -1,
			errNoStart()}
	}
	fit, err := p.whitenedFit(i, c, x)
	return x, fit, err
}

// whitenedFit finds how the residuals of an equation about its fit x hang
// together, moves x to where the whitened ones are least, and returns the fit of
// those.
func (p *slopes) whitenedFit(i int, c potential.ResidualColumn, x []float64) (potential.Fit, error) {
	rounds := 1
	if p.made != nil {
		rounds = 2
	}
	for range rounds {
		var err error
		if p.white[i], err = p.whiten(i, x); err != nil {
			return potential.Fit{}, err
		}
		if w := p.white[i]; w != nil && len(x) > 0 {
			f, err := p.whitened(i, c, len(x))
			if err != nil {
				return potential.Fit{}, err
			}
			if y, u := minimise(f, f.Gram, x); !math.IsNaN(u) {
				copy(x, y)
			}
		}
	}
	r, err := potential.NewResiduals(max(len(x), 1), []potential.ResidualColumn{c}, 0)
	if err != nil {
		return potential.Fit{}, err
	}
	value := make([]float64, len(c.Response))
	r.Fitted(value, nil, 0, x)
	return potential.NewFit(p.white[i].vector(c.Response), p.white[i].vector(value), len(x)), nil
}

// whitened is the misfit of equation i alone, of n parameters, as it is whitened now.
func (p *slopes) whitened(i int, c potential.ResidualColumn, n int) (misfit, error) {
	if p.apart[i] != nil {
		return reduce(n, []*separable{p.apart[i]}, []potential.ResidualColumn{c}, p.white[i:i+1])
	}
	f := &functionals{dim: n}
	f.identity(c, p.white[i], 1)
	return f, nil
}

// thinned is every k-th row of a column, some 500 of them: enough to find where
// the best fit is.
func thinned(c potential.ResidualColumn) potential.ResidualColumn {
	k := (len(c.Response) + 499) / 500
	var rows []int
	for t := 0; t < len(c.Response); t += k {
		rows = append(rows, t)
	}
	return curveAt(c, rows)
}

// curveAt is a column at some rows.
func curveAt(c potential.ResidualColumn, rows []int) potential.ResidualColumn {
	data := c.Data
	c.Data = make([][]float64, len(data))
	for v, d := range data {
		c.Data[v] = pick(d, rows)
	}
	c.Response = pick(c.Response, rows)
	if c.Scale != nil {
		c.Scale = pick(c.Scale, rows)
	}
	return c
}
