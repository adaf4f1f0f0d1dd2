package domain

import "math"

// dual finds the projection of a point onto {x : Ux ≤ h}, rows of unit length,
// by an active-set method on the problem dual to it (as in Goldfarb & Idnani
// 1983): min ½|Uᵀλ|² − λ·(Ux − h), λ ≥ 0, projection x − Uᵀλ. Where rounding
// stops that, it goes on by coordinate descent (Hildreth's method).
type dual struct {
	lambda, z, chol []float64
	rows            []int // the passive set: rows with λ > 0
	in              []bool
}

func newDual(m, d int) *dual {
	k := min(m, d) + 1
	return &dual{lambda: make([]float64, m), z: make([]float64, k), chol: make([]float64, k*k),
		rows: make([]int, 0, k), in: make([]bool, m)}
}

// gramAt is the product of rows i and j.
func gramAt(unit, gram []float64, d, m, i, j int) float64 {
	if gram != nil {
		return gram[i*m+j]
	}
	return dot(unit[i*d:(i+1)*d], unit[j*d:(j+1)*d])
}

// primal sets p = x − Uᵀλ.
func (s *dual) primal(p, x, unit []float64) {
	d := len(x)
	copy(p, x)
	for i, l := range s.lambda {
		if l == 0 {
			continue
		}
		for j, u := range unit[i*d : (i+1)*d] {
			p[j] -= l * u
		}
	}
}

// project writes the projection of x into p. It reports false when the set
// seems empty or the iteration does not reach 1e-12 of the scale of the problem.
func (s *dual) project(p, x, unit, h, gram []float64) bool {
	m, d := len(h), len(x)
	for i := range s.lambda {
		s.lambda[i], s.in[i] = 0, false
	}
	s.rows = s.rows[:0]
	scale := 0.0
	for _, v := range x {
		scale = math.Max(scale, math.Abs(v))
	}
	for _, v := range h {
		scale = math.Max(scale, math.Abs(v))
	}
	tol := 1e-14 * scale
	for range 3*m + 10 {
		s.primal(p, x, unit)
		worst, k := tol, -1
		for i := range m {
			if e := dot(unit[i*d:(i+1)*d], p) - h[i]; e > worst && !s.in[i] {
				worst, k = e, i
			}
		}
		if k < 0 {
			return true
		}
		if !s.add(k, x, unit, h, gram) {
			return s.descend(p, x, unit, h, 1e-12*scale)
		}
	}
	return s.descend(p, x, unit, h, 1e-12*scale)
}

// add lets row k join the passive set and solves for its multipliers, dropping
// rows whose multiplier would turn negative. It reports false when no
// multipliers do.
func (s *dual) add(k int, x, unit, h, gram []float64) bool {
	s.rows, s.in[k] = append(s.rows, k), true
	for {
		at := s.solve(x, unit, h, gram)
		last := len(s.rows) - 1
		share, drop := 1.0, -1
		switch {
		case at < last:
			return false
		case at == last:
			// Row k is a combination z of the others: trade them for it.
			share = math.Inf(1)
			for j, i := range s.rows[:last] {
				if s.z[j] > 0 && s.lambda[i] < share*s.z[j] {
					share, drop = s.lambda[i]/s.z[j], j
				}
			}
			if drop < 0 {
				return false // no point satisfies all of them
			}
			for j, i := range s.rows[:last] {
				s.lambda[i] -= share * s.z[j]
			}
			s.lambda[k] += share
		default:
			for j, i := range s.rows {
				if s.z[j] > 0 {
					continue
				}
				if a := s.lambda[i] / (s.lambda[i] - s.z[j]); drop < 0 || a < share {
					share, drop = a, j
				}
			}
			if drop < 0 {
				for j, i := range s.rows {
					s.lambda[i] = s.z[j]
				}
				return true
			}
			if drop == last { // rounding: the new row gains nothing
				return false
			}
			for j, i := range s.rows {
				s.lambda[i] += share * (s.z[j] - s.lambda[i])
			}
		}
		i := s.rows[drop]
		s.lambda[i], s.in[i] = 0, false
		s.rows = append(s.rows[:drop], s.rows[drop+1:]...)
	}
}

// solve solves G z = Ux − h on the passive set by Cholesky's factorisation and
// returns the size of the set. It returns less, the place of the row, when a
// row depends on the rows before it; z then combines those rows to that row.
func (s *dual) solve(x, unit, h, gram []float64) int {
	d, m, k := len(x), len(h), len(s.rows)
	for a, i := range s.rows {
		for b := 0; b <= a; b++ {
			v := gramAt(unit, gram, d, m, i, s.rows[b])
			for c := 0; c < b; c++ {
				v -= s.chol[a*k+c] * s.chol[b*k+c]
			}
			if b < a {
				s.chol[a*k+b] = v / s.chol[b*k+b]
				continue
			}
			if v < 1e-13 {
				copy(s.z, s.chol[a*k:a*k+a])
				s.back(a, k)
				return a
			}
			s.chol[a*k+a] = math.Sqrt(v)
		}
		v := dot(unit[i*d:(i+1)*d], x) - h[i]
		for c := 0; c < a; c++ {
			v -= s.chol[a*k+c] * s.z[c]
		}
		s.z[a] = v / s.chol[a*k+a]
	}
	s.back(k, k)
	return k
}

// back substitutes in the transpose of the leading n rows of the factor.
func (s *dual) back(n, k int) {
	for a := n - 1; a >= 0; a-- {
		v := s.z[a]
		for c := a + 1; c < n; c++ {
			v -= s.chol[c*k+a] * s.z[c]
		}
		s.z[a] = v / s.chol[a*k+a]
	}
}

// descend is Hildreth's method from the multipliers at hand.
func (s *dual) descend(p, x, unit, h []float64, tol float64) bool {
	d := len(x)
	s.primal(p, x, unit)
	for range 20000 {
		worst := 0.0
		for i, l := range s.lambda {
			row := unit[i*d : (i+1)*d]
			step := math.Max(dot(row, p)-h[i], -l)
			if step == 0 {
				continue
			}
			s.lambda[i] += step
			for j, u := range row {
				p[j] -= step * u
			}
			worst = math.Max(worst, math.Abs(step))
		}
		if worst <= tol {
			return true
		}
	}
	return false
}
