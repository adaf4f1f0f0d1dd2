package domain

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"
)

// farkas returns multipliers y > 0 of constraints of which none can be spared for
// them to exclude each other: Σ y_i a_i = 0 and Σ y_i b_i ≤ 0, the largest 1. It
// returns nil where rounding hides them.
func farkas(g HalfSpaces, d int) []float64 {
	k := len(g.B)
	p := newProgram(g, d)
	rows := mat.NewDense(d, k, nil)
	for i, u := range p.unit {
		rows.SetCol(i, u)
	}
	var f mat.SVD
	if !f.Factorize(rows, mat.SVDFullV) {
		return nil
	}
	var v mat.Dense
	f.VTo(&v)
	y := make([]float64, k)
	sum, largest := 0.0, 0.0
	for i, row := range g.A {
		y[i] = v.At(i, k-1)
		sum += y[i]
		y[i] /= p.length(row)
		largest = max(largest, math.Abs(y[i]))
	}
	largest = math.Copysign(largest, sum)
	for i := range y {
		if y[i] /= largest; !(y[i] > 0) {
			return nil
		}
	}
	return y
}

// rayOf returns a direction, its largest element ±1, along which a polytope goes on
// without end: no constraint a_i·x ≤ b_i of d has a_i·r > 0. It returns nil where
// there is none, so that d is bounded or empty, or d is not given by linear
// constraints alone.
func rayOf(d Domain) []float64 {
	h, all := linearOf(d)
	if !all {
		return nil
	}
	n := d.Dim()
	p := newProgram(h, n)
	r := p.blind()
	if r == nil {
		r = p.recede()
	}
	if r == nil {
		return nil
	}
	largest := 0.0
	for j, s := range p.size {
		r[j] *= s
		largest = max(largest, math.Abs(r[j]))
	}
	for j, v := range r {
		if r[j] = v / largest; math.Abs(r[j]) < slim {
			r[j] = 0
		}
	}
	return r
}

// blind returns a direction that no row sees, if there is one.
func (p *program) blind() []float64 {
	n := len(p.size)
	r := make([]float64, n)
	next := 0
	for j := range n {
		if next == len(p.used) || p.used[next] != j {
			r[j] = 1
			return r
		}
		next++
	}
	rows := mat.NewDense(len(p.unit), n, nil)
	for i, u := range p.unit {
		rows.SetRow(i, u)
	}
	var f mat.SVD
	if !f.Factorize(rows, mat.SVDFullV) {
		return nil
	}
	if s := f.Values(nil); len(s) == n && s[n-1] > slim*s[0] {
		return nil
	}
	var v mat.Dense
	f.VTo(&v)
	return mat.Col(r, n-1, &v)
}

// recede returns a direction r, |r_j| ≤ 1, in which no row grows and the sum of the
// rows shrinks most, nil if none does.
func (p *program) recede() []float64 {
	m, n := len(p.unit), len(p.size)
	rows, side := make([][]float64, m, m+2*n), make([]float64, m+2*n)
	aim := make([]float64, n)
	for i, u := range p.unit {
		rows[i] = u
		for j, v := range u {
			aim[j] -= v
		}
	}
	for j := range n {
		for _, v := range []float64{1, -1} {
			side[len(rows)] = 1
			rows = append(rows, make([]float64, n))
			rows[len(rows)-1][j] = v
		}
	}
	s := newDictionary(n, rows, side)
	if f, err := s.maximise(context.Background(), aim); err != nil || f < 1e-9 {
		return nil
	}
	r := make([]float64, n)
	s.point(r)
	return r
}
