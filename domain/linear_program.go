package domain

import (
	"context"
	"math"
	"slices"
)

// A dictionary is a linear program in n free variables y, u_i·y ≤ h_i for m rows, by
// the simplex method in the form of Chvátal (Linear Programming, 1983): the variable of
// each of m lines (a slack, or one of y) is told by n others that are at zero,
//
//	value_i − Σ_q t_iq v_q.
//
// It begins at a point where every row holds, and goes on from where it stands when
// the objective changes. A change of line and column takes m·n operations.
type dictionary struct {
	m, n    int
	rows    [][]float64 // u, of length n
	h       []float64   // ≥ 0: rows hold at y = 0
	t       []float64   // m×n
	value   []float64   // of the lines
	line    []int       // what a line tells: row i's slack is i, y_j is ^j
	column  []int       // what is at zero, likewise
	d       []float64   // of the objective, by column
	top     float64     // the objective where the columns are at zero
	changes int         // since the dictionary was last made from rows
}

const (
	flat      = 1e-11 // slope of the objective, relative to its own, that counts as none
	tiny      = 1e-9  // elements that lines and columns are not changed by
	feasible  = 1e-12 // by which a slack may be negative for the sake of a larger element
	refresh   = 100   // changes after which a dictionary is made anew from its rows
	stalls    = 50    // changes without progress after which Bland's rule ends cycles
	perColumn = 200   // changes per column and objective at which it is given up
)

// newDictionary returns the dictionary of n variables at y = 0.
func newDictionary(n int, rows [][]float64, h []float64) *dictionary {
	m := len(rows)
	s := &dictionary{m: m, n: n, rows: rows, h: h, t: make([]float64, m*n), value: make([]float64, m),
		line: make([]int, m), column: make([]int, n), d: make([]float64, n)}
	s.reset()
	return s
}

func (s *dictionary) reset() {
	for i, u := range s.rows {
		copy(s.t[i*s.n:], u)
		s.line[i], s.value[i] = i, s.h[i]
	}
	for j := range s.column {
		s.column[j] = ^j
	}
	s.changes = 0
}

// again makes the dictionary of the same point from its rows, so that rounding does not
// add up. It reports false where that rounding has left no such dictionary.
func (s *dictionary) again() bool {
	var at []int              // the rows that hold with equality
	zero := make([]bool, s.n) // the y that have not moved
	for _, v := range s.column {
		if v >= 0 {
			at = append(at, v)
		} else {
			zero[^v] = true
		}
	}
	s.reset()
	for _, row := range at {
		i := slices.Index(s.line, row)
		best := -1
		for q, v := range s.column {
			if a := math.Abs(s.t[i*s.n+q]); v < 0 && !zero[^v] && a > tiny && (best < 0 || a > math.Abs(s.t[i*s.n+best])) {
				best = q
			}
		}
		if best < 0 {
			return false
		}
		s.change(i, best)
	}
	s.changes = 0
	return true
}

// change makes the variable of line i that of column q.
func (s *dictionary) change(i, q int) {
	n := s.n
	row := s.t[i*n : (i+1)*n]
	p := 1 / row[q]
	for k := range row {
		row[k] *= p
	}
	row[q] = p
	s.value[i] *= p
	for r := range s.m {
		other := s.t[r*n : (r+1)*n]
		f := other[q]
		if r == i || f == 0 {
			continue
		}
		other[q] = 0
		for k, v := range row {
			other[k] -= f * v
		}
		s.value[r] -= f * s.value[i]
		if v := s.value[r]; s.line[r] >= 0 && v < 0 && v > -feasible {
			s.value[r] = 0
		}
	}
	if f := s.d[q]; f != 0 {
		s.d[q] = 0
		for k, v := range row {
			s.d[k] -= f * v
		}
		s.top += f * s.value[i]
	}
	s.line[i], s.column[q] = s.column[q], s.line[i]
	s.changes++
}

// maximise returns the largest c·y, +Inf where there is none. It leaves y there.
func (s *dictionary) maximise(ctx context.Context, c []float64) (float64, error) {
	s.aim(c)
	size := norm(c)
	stalled := 0
	for range perColumn * (s.n + 10) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if s.changes >= refresh {
			if !s.again() {
				return 0, errLinear
			}
			s.aim(c)
		}
		q := s.enter(flat*size, stalled > stalls)
		if q < 0 {
			return s.top, nil
		}
		i := s.leave(q, stalled > stalls)
		if i < 0 {
			return math.Inf(1), nil
		}
		before := s.top
		s.change(i, q)
		if stalled++; s.top > before+flat*size {
			stalled = 0
		}
	}
	return 0, errLinear
}

// aim tells the objective c·y by the columns.
func (s *dictionary) aim(c []float64) {
	s.top = 0
	clear(s.d)
	for q, v := range s.column {
		if v < 0 {
			s.d[q] = c[^v]
		}
	}
	for i, v := range s.line {
		if v >= 0 {
			continue
		}
		s.top += c[^v] * s.value[i]
		for q, t := range s.t[i*s.n : (i+1)*s.n] {
			s.d[q] -= c[^v] * t
		}
	}
}

// enter returns the column along which the objective rises most, the first one that
// rises by Bland's rule; −1 if none does.
func (s *dictionary) enter(least float64, bland bool) int {
	best := -1
	for q, d := range s.d {
		if s.column[q] < 0 {
			d = math.Abs(d) // it may go both ways
		}
		switch {
		case !(d > least):
		case best < 0, bland && s.column[q] < s.column[best], !bland && d > math.Abs(s.d[best]):
			best = q
		}
	}
	return best
}

// leave returns the line whose slack is used up first along column q, among those at
// nearly the same distance the one with the largest element (Harris 1973), by Bland's
// rule the first; −1 if there is none.
func (s *dictionary) leave(q int, bland bool) int {
	sign := 1.0
	if s.column[q] < 0 && s.d[q] < 0 {
		sign = -1
	}
	room := feasible
	if bland {
		room = 0
	}
	end := math.Inf(1)
	for i, v := range s.line {
		if t := sign * s.t[i*s.n+q]; v >= 0 && t > tiny {
			end = math.Min(end, (math.Max(s.value[i], 0)+room)/t)
		}
	}
	best, most := -1, 0.0
	for i, v := range s.line {
		t := sign * s.t[i*s.n+q]
		if v < 0 || !(t > tiny) || math.Max(s.value[i], 0)/t > end {
			continue
		}
		if best < 0 || bland && v < s.line[best] || !bland && t > most {
			best, most = i, t
		}
	}
	return best
}

// point writes y.
func (s *dictionary) point(y []float64) {
	clear(y)
	for i, v := range s.line {
		if v < 0 {
			y[^v] = s.value[i]
		}
	}
}
