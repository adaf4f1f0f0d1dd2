package dynamics

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/potential"
)

// offsetOf is where in its text a fault of a formula is, −1 if unknown.
func offsetOf(err error) int {
	if e, ok := errors.AsType[*expression.Error](err); ok {
		return e.Offset
	}
	return -1
}

// known are the symbols with known values that a formula uses.
func (p *table) known(src string) ([]string, error) {
	symbols, err := expression.Names(src)
	return slices.DeleteFunc(symbols, func(s string) bool { _, ok := p.values[s]; return !ok }), err
}

// atRows evaluates a function of known symbols at the given rows, times scale.
// what names it in the error about rows where it is not finite.
func (p *table) atRows(rows []int, f *expression.Func, names []string, scale []float64, what string, path ...string) ([]float64, error) {
	const lanes = 64
	n := len(rows)
	eval := f.Evaluator(lanes)
	value, x, out := make([]float64, lanes), make([]float64, lanes*len(names)), make([]float64, n)
	data := make([][]float64, len(names))
	for v, name := range names {
		data[v] = p.values[name]
	}
	for from := 0; from < n; from += lanes {
		for v, d := range data {
			for i := range lanes {
				x[v*lanes+i] = d[rows[min(from+i, n-1)]]
			}
		}
		eval.Value(value, x)
		copy(out[from:], value)
	}
	for t := range out {
		if scale != nil {
			out[t] *= scale[t]
		}
		if math.IsNaN(out[t]) || math.IsInf(out[t], 0) || math.Abs(out[t]) > largest {
			at := make([]string, len(names))
			for v, name := range names {
				at[v] = fmt.Sprintf("%s = %v", name, data[v][rows[t]])
			}
			return nil, &ModelError{append([]string{"model"}, path...), -1, fmt.Errorf("%s is %v at %s:%d, where %s",
				what, out[t], p.file, p.line.At(rows[t]), strings.Join(at, ", "))}
		}
	}
	return out, nil
}

// linear returns the columns of a linear regression, without weights, or nil if
// an equation is not linear in the parameters.
func (p *table) linear() ([]potential.Column, error) {
	columns := make([]potential.Column, len(p.equations))
	for i, e := range p.equations {
		var coefficients [][]float64
		var offset []float64
		var err error
		if e.terms != nil {
			coefficients, offset, err = p.combination(i)
		} else {
			coefficients, offset, err = p.affine(i)
		}
		if err != nil || coefficients == nil {
			return nil, err
		}
		c := &columns[i]
		c.Index, c.Offset, c.Response = p.index(e), offset, p.Responses[i].Observed
		c.Design = make([]float64, 0, len(p.at[i])*len(coefficients))
		for t := range p.at[i] {
			for _, v := range coefficients {
				c.Design = append(c.Design, v[t])
			}
		}
	}
	return columns, nil
}

// hasPrior reports whether a parameter has a prior.
func (p *Problem) hasPrior(parameter string) bool {
	return slices.ContainsFunc(p.model.Priors, func(q Prior) bool { return q.Parameter == parameter })
}

// combination evaluates the terms of the library in equation i: those of free
// parameters, and the sum of the fixed ones.
func (p *table) combination(i int) (coefficients [][]float64, offset []float64, err error) {
	e, at, scale := p.equations[i], p.at[i], p.scale(i)
	coefficients, offset = [][]float64{}, make([]float64, len(at))
	for _, t := range e.terms {
		v, fixed := p.model.fixed(t.parameter)
		if fixed && v == 0 {
			continue
		}
		path := []string{"library", fmt.Sprint(t.entry)}
		names, err := p.known(t.text)
		if err != nil {
			return nil, nil, err
		}
		f, err := expression.Compile(t.text, names)
		if err != nil {
			return nil, nil, &ModelError{append([]string{"model"}, path...), offsetOf(err), err}
		}
		values, err := p.atRows(at, f, names, scale, fmt.Sprintf("the term %q", t.text), path...)
		if err != nil {
			return nil, nil, err
		}
		if !fixed && !slices.ContainsFunc(values, func(v float64) bool { return v != 0 }) && !p.hasPrior(t.parameter) {
			return nil, nil, &ModelError{append([]string{"model"}, path...), -1, fmt.Errorf(
				"the term %q is 0 in all rows of %q, so that the data say nothing of its coefficient: drop it from the library, or pin it (fixed: "+
					"{%q: 0})", t.text, e.state, t.parameter)}
		}
		if !fixed {
			coefficients = append(coefficients, values)
			continue
		}
		for t, x := range values {
			offset[t] += v * x
		}
	}
	return coefficients, offset, nil
}

// affine evaluates the coefficients of the parameters of equation i and what is
// left without them; nil if the equation is not affine in them.
func (p *table) affine(i int) (coefficients [][]float64, offset []float64, err error) {
	e, at := p.equations[i], p.at[i]
	path := []string{"equations", e.state}
	names, err := p.known(e.text)
	if err != nil {
		return nil, nil, err
	}
	constant, slopes, ok, err := expression.Affine(e.text, names, e.parameters)
	if err != nil {
		return nil, nil, &ModelError{append([]string{"model"}, path...), offsetOf(err), err}
	}
	if !ok {
		return nil, nil, nil
	}
	scale := p.scale(i)
	if offset, err = p.atRows(at, constant, names, scale, "the part without parameters", path...); err != nil {
		return nil, nil, err
	}
	coefficients = [][]float64{}
	for k, f := range slopes {
		v, err := p.atRows(at, f, names, scale, fmt.Sprintf("the coefficient of %q", e.parameters[k]), path...)
		if err != nil {
			return nil, nil, err
		}
		coefficients = append(coefficients, v)
	}
	return coefficients, offset, nil
}

// curves returns the columns of a nonlinear regression, without weights.
func (p *table) curves() ([]potential.ResidualColumn, error) {
	var columns []potential.ResidualColumn
	for i, e := range p.equations {
		names, err := p.known(e.text)
		if err != nil {
			return nil, err
		}
		f, err := expression.CompileWRT(e.text, slices.Concat(names, e.parameters), e.parameters)
		if err != nil {
			return nil, &ModelError{[]string{"model", "equations", e.state}, offsetOf(err), err}
		}
		curve := func(lanes int) func(value, grad, x []float64) { return f.Evaluator(lanes).Gradient }
		c := potential.ResidualColumn{Curve: curve, Index: p.index(e), Scale: p.scale(i), Response: p.Responses[i].Observed}
		for _, name := range names {
			c.Data = append(c.Data, pick(p.values[name], p.at[i]))
		}
		columns = append(columns, c)
	}
	return columns, nil
}
