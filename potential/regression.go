package potential

import (
	"errors"
	"fmt"
	"math"

	"github.com/r2sgld/r2sgld/stream"
)

// A Column is one response of a linear regression: N rows of
// response = offset + design·p + noise.
type Column struct {
	Index    []int     // the parameters that the design's columns belong to, each once
	Design   []float64 // N × len(Index), row by row
	Offset   []float64 // the known part, length N; nil is 0
	Response []float64 // length N
	Weight   float64   // 1/s², > 0, s the standard deviation of the noise
}

// A Regression is the negative log-likelihood of linear regressions that share
// their parameters and their rows,
//
//	U(p) = ½ Σ_columns weight · Σ_rows (design·p + offset − response)².
//
// Over all data an evaluation costs O(d²) per state, whatever the number of
// rows: U is kept as its expansion around the least-squares solution, which is
// exact and loses no digits to cancellation.
//
// With minibatches the same expansion is summed over the rows of the batch, in one
// pass for all columns and states where they need no more than 8 values of a row.
// Every call draws batch rows afresh, uniformly without replacement, from the
// stream of replica 0 for [stream.Batch], and multiplies their sum by
// N/batch: energy and gradient are unbiased.
type Regression struct {
	dim, rows, batch, rank int
	columns                []column
	full                   quadratic
	records                *records // of minibatches; nil if they do not fit
}

type column struct {
	Column
	// packed holds, row by row, the residual at the expansion point and then
	// the row of the design.
	packed []float64
	// place of each pair of the column's parameters in quadratic.curve
	place []int
}

// NewRegression returns the regression of dim parameters on the given columns.
// batch is the number of rows of a minibatch; 0 or at least N is all rows.
// Design, Offset and Response must be finite; Response and Offset are kept, not
// copied.
func NewRegression(dim int, columns []Column, batch int) (*Regression, error) {
	if dim < 1 || len(columns) == 0 {
		return nil, errors.New("regression: it needs a parameter and a column")
	}
	p := &Regression{dim: dim, rows: len(columns[0].Response), batch: batch}
	for i, c := range columns {
		if err := c.check(dim, p.rows); err != nil {
			return nil, fmt.Errorf("regression, column %d: %w", i+1, err)
		}
	}
	switch {
	case batch < 0:
		return nil, fmt.Errorf("regression: a minibatch of %d rows: take 0 for all rows", batch)
	case batch == 0, batch > p.rows:
		p.batch = p.rows
	}
	p.layout(columns)
	p.expand()
	if p.batch < p.rows {
		p.records = newRecords(p.columns, p.rows)
	}
	return p, nil
}

func (c Column) check(dim, rows int) error {
	if rows == 0 || len(c.Response) != rows || len(c.Design) != rows*len(c.Index) ||
		c.Offset != nil && len(c.Offset) != rows {
		return fmt.Errorf("%d responses, %d offsets and %d design values for %d rows and %d parameters",
			len(c.Response), len(c.Offset), len(c.Design), rows, len(c.Index))
	}
	if !(c.Weight > 0) || math.IsInf(c.Weight, 0) {
		return fmt.Errorf("the weight %g is not a positive number", c.Weight)
	}
	seen := map[int]bool{}
	for _, j := range c.Index {
		if j < 0 || j >= dim || seen[j] {
			return fmt.Errorf("parameter %d is used twice or is none of the %d", j, dim)
		}
		seen[j] = true
	}
	for _, values := range [][]float64{c.Design, c.Offset, c.Response} {
		for _, v := range values {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return errors.New("a value is not finite")
			}
		}
	}
	return nil
}

// layout packs the columns and lays out the pairs of parameters that meet in
// one of them.
func (p *Regression) layout(columns []Column) {
	meet := make([]bool, p.dim*p.dim)
	for _, c := range columns {
		for _, j := range c.Index {
			for _, k := range c.Index {
				meet[j*p.dim+k] = true
			}
		}
	}
	place := make([]int, p.dim*p.dim)
	p.full = newQuadratic(p.dim)
	for jk, m := range meet {
		if m {
			place[jk] = len(p.full.with)
			p.full.with = append(p.full.with, jk%p.dim)
		}
		p.full.start[jk/p.dim+1] = len(p.full.with)
	}
	p.full.curve = make([]float64, len(p.full.with))
	for _, c := range columns {
		col := column{Column: c}
		col.Design = nil
		n := len(c.Index)
		col.packed = make([]float64, 0, len(c.Response)*(1+n))
		for t, y := range c.Response {
			e := -y
			if c.Offset != nil {
				e += c.Offset[t]
			}
			col.packed = append(col.packed, e)
			col.packed = append(col.packed, c.Design[t*n:(t+1)*n]...)
		}
		for _, j := range c.Index {
			for _, k := range c.Index {
				col.place = append(col.place, place[j*p.dim+k])
			}
		}
		p.columns = append(p.columns, col)
	}
}

// expand moves the expansion point from 0 to the least-squares solution, in
// three steps of iterative refinement on the data's own residuals.
func (p *Regression) expand() {
	sums := p.newSums()
	p.accumulate(&p.full, sums, nil)
	inverse, rank := pseudoInverse(p.Gram(), p.dim)
	p.rank = rank
	shift := make([]float64, p.dim)
	for range 3 {
		for j := range shift {
			shift[j] = 0
			for k, s := range p.full.slope {
				shift[j] -= inverse[j*p.dim+k] * s
			}
			p.full.centre[j] += shift[j]
		}
		for i := range p.columns {
			p.columns[i].shift(shift)
		}
		p.accumulate(&p.full, sums, nil)
	}
}

func (c *column) shift(by []float64) {
	w := 1 + len(c.Index)
	for t := 0; t < len(c.packed); t += w {
		row := c.packed[t : t+w]
		for k, j := range c.Index {
			row[0] += row[1+k] * by[j]
		}
	}
}

func (c *column) row(t int) []float64 {
	w := 1 + len(c.Index)
	return c.packed[t*w : (t+1)*w]
}

// newSums returns room for the sums of one column.
func (p *Regression) newSums() []float64 {
	n := 0
	for _, c := range p.columns {
		n = max(n, len(c.Index)+1)
	}
	return make([]float64, n*n)
}

// accumulate sums value, slope and curve of q over the given rows, scaled by
// N/len(rows); nil rows are all rows.
func (p *Regression) accumulate(q *quadratic, sums []float64, rows []int) {
	scale := 1.0
	if rows != nil {
		scale = float64(p.rows) / float64(len(rows))
	}
	q.value = 0
	clear(q.slope)
	clear(q.curve)
	for i := range p.columns {
		c := &p.columns[i]
		w := 1 + len(c.Index)
		sums := sums[:w*w]
		clear(sums)
		if rows == nil {
			for t := range p.rows {
				addProducts(sums, c.row(t))
			}
		} else {
			n := len(rows) &^ 3
			for t := 0; t < n; t += 4 {
				addFourProducts(sums, c.row(rows[t]), c.row(rows[t+1]), c.row(rows[t+2]), c.row(rows[t+3]))
			}
			for _, t := range rows[n:] {
				addProducts(sums, c.row(t))
			}
		}
		weight := scale * c.Weight
		q.value += weight / 2 * sums[0]
		for j, pj := range c.Index {
			q.slope[pj] += weight * sums[1+j]
			for k := range c.Index {
				a, b := min(j, k), max(j, k)
				q.curve[c.place[j*len(c.Index)+k]] += weight * sums[(1+a)*w+1+b]
			}
		}
	}
}

// addProducts adds the upper triangle of row·rowᵀ to sums.
func addProducts(sums, row []float64) {
	w := len(row)
	for j, a := range row {
		s := sums[j*w+j : (j+1)*w]
		for k, b := range row[j:] {
			s[k] += a * b
		}
	}
}

// addFourProducts is addProducts for four rows, with a quarter of the traffic.
func addFourProducts(sums, r0, r1, r2, r3 []float64) {
	w := len(r0)
	r1, r2, r3 = r1[:w], r2[:w], r3[:w]
	for j := range r0 {
		a, b, c, d := r0[j], r1[j], r2[j], r3[j]
		s := sums[j*w : (j+1)*w]
		for k := j; k < w; k++ {
			s[k] += a*r0[k] + b*r1[k] + c*r2[k] + d*r3[k]
		}
	}
}

// Dim is the number of parameters.
func (p *Regression) Dim() int { return p.dim }

// Rows is the number of rows N of the data.
func (p *Regression) Rows() int { return p.rows }

// LeastSquares returns the minimiser of U over R^d and the rank of its Gram
// matrix. With a rank below d the minimisers form a flat, and the one returned
// is the smallest in units of the columns' lengths.
func (p *Regression) LeastSquares() (estimate []float64, rank int) {
	return append([]float64(nil), p.full.centre...), p.rank
}

// Gram returns the second derivative of U over all data, d × d by rows: the
// precision matrix of exp(-U).
func (p *Regression) Gram() []float64 {
	g := make([]float64, p.dim*p.dim)
	for j := range p.dim {
		for i := p.full.start[j]; i < p.full.start[j+1]; i++ {
			g[j*p.dim+p.full.with[i]] = p.full.curve[i]
		}
	}
	return g
}

// Fitted writes offset + design·x of a column into dst (length N) for
// parameters x (length d).
func (p *Regression) Fitted(dst []float64, c int, x []float64) {
	col := &p.columns[c]
	w := 1 + len(col.Index)
	for t := range dst {
		dst[t] = 0
		if col.Offset != nil {
			dst[t] = col.Offset[t]
		}
		for k, j := range col.Index {
			dst[t] += col.packed[t*w+1+k] * x[j]
		}
	}
}

// Fit says how well the parameters x fit a column.
func (p *Regression) Fit(c int, x []float64) Fit {
	fitted := make([]float64, p.rows)
	p.Fitted(fitted, c, x)
	return NewFit(p.columns[c].Response, fitted, len(p.columns[c].Index))
}

// A Fit says how well a model explains a response.
type Fit struct {
	Rows int     // N
	RSS  float64 // residual sum of squares
	RMSE float64 // √(RSS/N)
	SD   float64 // residual standard deviation √(RSS/(N−p)); NaN unless N > p
	R2   float64 // 1 − RSS/Σ(response − mean)²; NaN for a constant response
}

// NewFit compares a response with what a model of p parameters fits to it.
func NewFit(response, fitted []float64, p int) Fit {
	f := Fit{Rows: len(response), SD: math.NaN(), R2: math.NaN()}
	mean := 0.0
	for _, y := range response {
		mean += y / float64(f.Rows)
	}
	var total float64
	for t, y := range response {
		f.RSS += (y - fitted[t]) * (y - fitted[t])
		total += (y - mean) * (y - mean)
	}
	f.RMSE = math.Sqrt(f.RSS / float64(f.Rows))
	if f.Rows > p {
		f.SD = math.Sqrt(f.RSS / float64(f.Rows-p))
	}
	if total > 0 {
		f.R2 = 1 - f.RSS/total
	}
	return f
}

// Evaluator returns an evaluator for blocks of r states.
func (p *Regression) Evaluator(r int, s *stream.Set) Evaluator {
	e := &regressionEvaluator{p: p, r: r, quadratic: p.full, delta: make([]float64, p.dim*r)}
	if p.batch < p.rows {
		e.rows = s.Subset(p.rows, p.batch)
		e.sums = p.newSums()
		e.quadratic.slope = make([]float64, p.dim)
		e.quadratic.curve = make([]float64, len(p.full.curve))
	}
	return e
}

type regressionEvaluator struct {
	quadratic
	p           *Regression
	r           int
	rows        *stream.Subset // nil: all rows
	sums, delta []float64
	products    products
}

func (e *regressionEvaluator) Eval(energy, grad, x []float64) {
	switch p := e.p; {
	case e.rows == nil:
	case p.records != nil:
		p.records.accumulate(&e.quadratic, &e.products, p.columns, e.rows.Draw(), float64(p.rows)/float64(p.batch))
	default:
		p.accumulate(&e.quadratic, e.sums, e.rows.Draw())
	}
	e.quadratic.eval(energy, grad, e.delta, x, e.r)
}
