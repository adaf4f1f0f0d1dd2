package potential

import (
	"errors"
	"fmt"
	"math"

	"github.com/r2sgld/r2sgld/stream"
)

// A Curve returns a function that evaluates a model at a number of data rows at
// once, with a workspace of its own: it must allocate nothing per call. The
// function reads variable v of row i at x[v*lanes+i], first the data and then
// the parameters; it writes the model's value at row i into value[i] and its
// derivative by parameter j into grad[j*lanes+i].
type Curve func(lanes int) func(value, grad, x []float64)

// A ResidualColumn is one response of a nonlinear regression: N rows of
// response = scale·curve(data, p) + noise.
type ResidualColumn struct {
	Curve    Curve
	Data     [][]float64 // the curve's data variables, each of length N
	Index    []int       // the parameters of the curve, in its order
	Scale    []float64   // known factor of the curve, length N; nil is 1
	Response []float64   // length N
	Weight   float64     // 1/s², > 0
}

// Residuals is the negative log-likelihood of nonlinear regressions that share
// their parameters and their rows,
//
//	U(p) = ½ Σ_columns weight · Σ_rows (scale·curve(data, p) − response)².
//
// Minibatches are drawn as in [Regression].
type Residuals struct {
	dim, rows, batch int
	columns          []ResidualColumn
}

// rowLanes is the number of data rows evaluated at once: enough to hide the
// cost of interpreting a tape, few enough for the fastest cache.
const rowLanes = 64

// NewResiduals returns the regression of dim parameters on the given columns,
// which are kept, not copied. batch is the number of rows of a minibatch; 0 or
// at least N is all rows.
func NewResiduals(dim int, columns []ResidualColumn, batch int) (*Residuals, error) {
	if dim < 1 || len(columns) == 0 {
		return nil, errors.New("residuals: they need a parameter and a column")
	}
	p := &Residuals{dim, len(columns[0].Response), batch, columns}
	for i, c := range columns {
		ok := len(c.Response) == p.rows && p.rows > 0 && (c.Scale == nil || len(c.Scale) == p.rows)
		for _, d := range c.Data {
			ok = ok && len(d) == p.rows
		}
		for _, j := range c.Index {
			ok = ok && 0 <= j && j < dim
		}
		if !ok {
			return nil, fmt.Errorf("residuals, column %d: rows or parameters do not agree", i+1)
		}
		if !(c.Weight > 0) || math.IsInf(c.Weight, 0) {
			return nil, fmt.Errorf("residuals, column %d: the weight %g is not a positive number", i+1, c.Weight)
		}
	}
	if batch < 0 {
		return nil, fmt.Errorf("residuals: a minibatch of %d rows: take 0 for all rows", batch)
	}
	if batch == 0 || batch > p.rows {
		p.batch = p.rows
	}
	return p, nil
}

// Dim is the number of parameters.
func (p *Residuals) Dim() int { return p.dim }

// Rows is the number of rows N of the data.
func (p *Residuals) Rows() int { return p.rows }

// Fitted writes scale·curve of a column into dst (length N) for parameters x
// (length d), and its derivatives by the column's parameters into jacobian
// (N × len(Index), row by row) unless that is nil.
func (p *Residuals) Fitted(dst, jacobian []float64, c int, x []float64) {
	e := newColumnEvaluator(&p.columns[c], min(rowLanes, p.rows))
	n := len(e.Index)
	for from := 0; from < p.rows; from += e.lanes {
		size := min(e.lanes, p.rows-from)
		e.gather(nil, from, size)
		e.run(x, 1, 0)
		for i := range size {
			s := e.scale[i]
			dst[from+i] = s * e.value[i]
			if jacobian != nil {
				for k := range n {
					jacobian[(from+i)*n+k] = s * e.grad[k*e.lanes+i]
				}
			}
		}
	}
}

// Fit says how well the parameters x fit a column.
func (p *Residuals) Fit(c int, x []float64) Fit {
	fitted := make([]float64, p.rows)
	p.Fitted(fitted, nil, c, x)
	return NewFit(p.columns[c].Response, fitted, len(p.columns[c].Index))
}

// Gram returns the Gauss–Newton approximation of the second derivative of U at
// x over all data, d × d by rows: Σ weight·JᵀJ. It is exact for linear curves.
func (p *Residuals) Gram(x []float64) []float64 {
	g := make([]float64, p.dim*p.dim)
	fitted := make([]float64, p.rows)
	for i, c := range p.columns {
		n := len(c.Index)
		jacobian := make([]float64, p.rows*n)
		p.Fitted(fitted, jacobian, i, x)
		for t := range p.rows {
			row := jacobian[t*n : (t+1)*n]
			for a, j := range c.Index {
				for b, k := range c.Index {
					g[j*p.dim+k] += c.Weight * row[a] * row[b]
				}
			}
		}
	}
	return g
}

// columnEvaluator evaluates one column on up to lanes rows.
type columnEvaluator struct {
	*ResidualColumn
	lanes, size     int
	eval            func(value, grad, x []float64)
	value, grad, x  []float64
	scale, response []float64
}

func newColumnEvaluator(c *ResidualColumn, lanes int) *columnEvaluator {
	return &columnEvaluator{ResidualColumn: c, lanes: lanes, eval: c.Curve(lanes),
		value: make([]float64, lanes), grad: make([]float64, lanes*len(c.Index)),
		x:     make([]float64, lanes*(len(c.Data)+len(c.Index))),
		scale: make([]float64, lanes), response: make([]float64, lanes)}
}

// gather takes in size rows, rows[from], rows[from+1] and so on; nil rows are
// all rows in order. Lanes left over repeat the first row.
func (e *columnEvaluator) gather(rows []int, from, size int) {
	e.size = size
	for i := range e.lanes {
		t := from
		if i < size {
			t = from + i
		}
		if rows != nil {
			t = rows[t]
		}
		for v, d := range e.Data {
			e.x[v*e.lanes+i] = d[t]
		}
		e.response[i], e.scale[i] = e.Response[t], 1
		if e.Scale != nil {
			e.scale[i] = e.Scale[t]
		}
	}
}

// run evaluates the gathered rows at state i of a block x of r states.
func (e *columnEvaluator) run(x []float64, r, i int) {
	for k, j := range e.Index {
		at := (len(e.Data) + k) * e.lanes
		lane := e.x[at : at+e.lanes]
		v := x[j*r+i]
		for m := range lane {
			lane[m] = v
		}
	}
	e.eval(e.value, e.grad, e.x)
}

// add adds weight/2 Σ residual² of the rows last run to energy, and its
// gradient to grad, a block of r states, at state i.
func (e *columnEvaluator) add(energy, grad []float64, r, i int, weight float64) {
	sum := 0.0
	for m, s := range e.scale[:e.size] {
		residual := s*e.value[m] - e.response[m]
		sum += residual * residual
		e.value[m] = residual * s
	}
	energy[i] += weight / 2 * sum
	for k, j := range e.Index {
		sum = 0
		g := e.grad[k*e.lanes : k*e.lanes+e.size]
		for m, d := range g {
			sum += e.value[m] * d
		}
		grad[j*r+i] += weight * sum
	}
}

// Evaluator returns an evaluator for blocks of r states.
func (p *Residuals) Evaluator(r int, s *stream.Set) Evaluator {
	e := &residualsEvaluator{p: p, r: r}
	for i := range p.columns {
		e.columns = append(e.columns, newColumnEvaluator(&p.columns[i], min(rowLanes, p.batch)))
	}
	if p.batch < p.rows {
		e.rows = s.Subset(p.rows, p.batch)
	}
	return e
}

type residualsEvaluator struct {
	p       *Residuals
	r       int
	columns []*columnEvaluator
	rows    *stream.Subset // nil: all rows
}

func (e *residualsEvaluator) Eval(energy, grad, x []float64) {
	clear(energy)
	clear(grad)
	var rows []int
	if e.rows != nil {
		rows = e.rows.Draw()
	}
	scale := float64(e.p.rows) / float64(e.p.batch)
	for _, c := range e.columns {
		for from := 0; from < e.p.batch; from += c.lanes {
			c.gather(rows, from, min(c.lanes, e.p.batch-from))
			for i := range e.r {
				c.run(x, e.r, i)
				c.add(energy, grad, e.r, i, scale*c.Weight)
			}
		}
	}
}
