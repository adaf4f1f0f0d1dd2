package rows

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/r2sgld/r2sgld/expression"
)

// A regression is −log density of rows of a normal law whose deviations from the mean are sums of
// products, and whose standard deviations are a product, of functions of the parameters θ and of the
// row t:
//
//	Σ_k by_k(θ)·design_kt ~ normal(0, scale(θ)·weight_t)
//
// The triangle R of the QR decomposition of design/weight tells as much of them as the rows do: the
// sum of squares is |R·by(θ)|². An evaluation takes as long whatever the number of rows, and loses no
// digits that rows would keep.
type regression struct {
	by, scale *expression.System
	of        []int     // coordinates of their variables
	rows      float64   // how many
	constant  float64   // of −log density
	triangle  []float64 // R, by rows
}

// regress returns the regression of a term; nil if it is none, or rows are so few that they are gone
// through sooner.
func (b *builder) regress(t term) *regression {
	if t.law == nil || t.law.name != "normal" || len(t.law.with) > 2 { // which is truncated
		return nil
	}
	given := map[string]func(row int) float64{}
	text := []string{"(" + t.law.with[0] + ") - (" + t.full[0] + ")", t.law.with[1]} // of the deviation and of its scale
	for i := range text {
		var err error
		if text[i], err = b.sums(text[i]); err == nil {
			text[i], err = b.picks(text[i], given)
		}
		if err != nil {
			return nil
		}
	}
	var data, parameters []string
	names, _ := expression.Names(strings.Join(text, " + "))
	for _, n := range names {
		switch {
		case given[n] != nil:
			data = append(data, n)
		case b.ofData(n):
			column := b.values(n)
			given[n], data = column.At, append(data, n)
		default:
			parameters = append(parameters, n)
		}
	}
	r := &regression{rows: float64(b.keep.Len()), constant: float64(b.keep.Len()) * math.Log(2*math.Pi) / 2}
	for _, n := range parameters {
		r.of = append(r.of, slices.Index(b.out.Names, n))
	}
	by, design, ok, err := expression.Separate(text[0], data, parameters)
	if !ok || err != nil {
		return nil
	}
	scale, weight, ok, err := expression.Separate(text[1], data, parameters)
	if !ok || err != nil {
		return nil
	}
	if r.by, r.scale = by, scale; !r.decompose(design.Evaluator(), weight.Evaluator(), data, given) {
		return nil
	}
	return r
}

// picks writes a formula out where entries are decided by the row: as the sum of all entries, each
// times a column that is 1 where it is that of the row.
func (b *builder) picks(text string, given map[string]func(row int) float64) (string, error) {
	words, err := expression.Words(text)
	if err != nil {
		return "", err
	}
	with := map[string]string{}
	for _, w := range words {
		if !w.Name || with[w.Text] != "" || !b.isPick(w.Text) {
			continue
		}
		p := b.pick(w.Text)
		var parts []string
		for level, j := range p.coordinate {
			if j < 0 { // of no row
				continue
			}
			is := w.Text + "=" + b.out.Names[j]
			given[is] = func(row int) float64 {
				if p.level[row] == level {
					return 1
				}
				return 0
			}
			parts = append(parts, expression.Quoted(b.out.Names[j])+"*`"+is+"`")
		}
		with[w.Text] = strings.Join(parts, " + ")
	}
	return replaced(text, with)
}

// decompose goes through the rows, some at a time. It reports whether all is finite, and sums take
// less time than the rows.
func (r *regression) decompose(design, weight *expression.SystemEvaluator, data []string, given map[string]func(row int) float64) bool {
	n, parameters := len(design.Value), len(r.of)
	if len(weight.Value) != 1 || float64(n*(n+parameters)) > r.rows*float64(8+len(data)) {
		return false
	}
	a := blas64.General{Rows: n + max(4*n, 256), Cols: n, Stride: n}
	a.Data = make([]float64, a.Rows*n)
	most, tau, work := a.Rows, make([]float64, n), []float64{0}
	lapack64.Geqrf(a, tau, work, -1)
	work = make([]float64, int(work[0]))
	a.Rows = n // the triangle so far; rows follow
	for t := range int(r.rows) {
		for v, name := range data {
			x := given[name](t)
			design.Input[parameters+v], weight.Input[parameters+v] = x, x
		}
		design.Values()
		weight.Values()
		by := weight.Value[0]
		r.constant += math.Log(by)
		for k, v := range design.Value {
			v /= by
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return false
			}
			a.Data[a.Rows*n+k] = v
		}
		if a.Rows++; a.Rows == most || t == int(r.rows)-1 {
			lapack64.Geqrf(a, tau, work, len(work)) // below the diagonal of a triangle reflectors stay 0
			a.Rows = n
		}
	}
	r.triangle = a.Data[: n*n : n*n]
	return !math.IsNaN(r.constant)
}

func (r *regression) evaluator() adder {
	e := &regressionEvaluator{r, r.by.Evaluator(), r.scale.Evaluator(), nil}
	e.slope = make([]float64, len(e.by.Value))
	return e
}

type regressionEvaluator struct {
	*regression
	by, scale *expression.SystemEvaluator
	slope     []float64 // of half the sum of squares, by by
}

// squares returns half the sum of squares in units of the weights, and writes its slope.
func (e *regressionEvaluator) squares() float64 {
	n, half := len(e.slope), 0.0
	clear(e.slope)
	for i := range n {
		row, v := e.triangle[i*n:(i+1)*n], 0.0
		for k := i; k < n; k++ {
			v += row[k] * e.by.Value[k]
		}
		half += v * v / 2
		for k := i; k < n; k++ {
			e.slope[k] += row[k] * v
		}
	}
	return half
}

func (e *regressionEvaluator) add(energy, grad, x []float64, r int) {
	n := len(e.of)
	for i := range r {
		for k, j := range e.of {
			e.by.Input[k], e.scale.Input[k] = x[j*r+i], x[j*r+i]
		}
		e.by.Jacobians()
		e.scale.Jacobians()
		s := e.scale.Value[0]
		half := e.squares() / (s * s)
		energy[i] += e.constant + e.rows*math.Log(s) + half
		by, scale := e.by.Jacobian[0], e.scale.Jacobian[0]
		for l, j := range e.of {
			g := (e.rows - 2*half) / s * scale[l]
			for k, slope := range e.slope {
				g += slope / (s * s) * by[k*n+l]
			}
			grad[j*r+i] += g
		}
	}
}
