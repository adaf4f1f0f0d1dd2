package kernel

import "gonum.org/v1/gonum/mat"

// A matrix is kept by rows: all of them, or, where most elements are zero, the
// others alone.
type matrix struct {
	rows, cols int
	dense      []float64 // nil if sparse
	start      []int     // row i has the elements start[i] ≤ k < start[i+1]
	with       []int     // their columns
	value      []float64
}

// A sparse element costs as much as this many dense ones.
const sparseCost = 4

func newMatrix(a mat.Matrix) *matrix {
	rows, cols := a.Dims()
	m := &matrix{rows: rows, cols: cols, start: make([]int, rows+1)}
	all := make([]float64, rows*cols)
	for i := range rows {
		for j := range cols {
			if v := a.At(i, j); v != 0 {
				all[i*cols+j] = v
				m.with, m.value = append(m.with, j), append(m.value, v)
			}
		}
		m.start[i+1] = len(m.value)
	}
	if len(m.value)*sparseCost > len(all) {
		return &matrix{rows: rows, cols: cols, dense: all}
	}
	return m
}

// mul writes the product with x into dst.
func (m *matrix) mul(dst, x []float64) {
	if m.dense == nil {
		for i := range dst {
			s := 0.0
			for k := m.start[i]; k < m.start[i+1]; k++ {
				s += m.value[k] * x[m.with[k]]
			}
			dst[i] = s
		}
		return
	}
	x = x[:m.cols]
	for i := range dst {
		row := m.dense[i*m.cols : (i+1)*m.cols]
		row = row[:len(x)]
		var s [4]float64
		j := 0
		for ; j+4 <= len(x); j += 4 {
			s[0] += row[j] * x[j]
			s[1] += row[j+1] * x[j+1]
			s[2] += row[j+2] * x[j+2]
			s[3] += row[j+3] * x[j+3]
		}
		for ; j < len(x); j++ {
			s[0] += row[j] * x[j]
		}
		dst[i] = (s[0] + s[1]) + (s[2] + s[3])
	}
}

// mulTwo writes the products with x and y into a and b.
func (m *matrix) mulTwo(a, b, x, y []float64) {
	if m.dense == nil {
		m.mul(a, x)
		m.mul(b, y)
		return
	}
	x, y = x[:m.cols], y[:m.cols]
	for i := range a {
		row := m.dense[i*m.cols : (i+1)*m.cols]
		row = row[:len(x)]
		var s0, s1, t0, t1 float64
		j := 0
		for ; j+2 <= len(x); j += 2 {
			v, w := row[j], row[j+1]
			s0 += v * x[j]
			t0 += v * y[j]
			s1 += w * x[j+1]
			t1 += w * y[j+1]
		}
		if j < len(x) {
			s0 += row[j] * x[j]
			t0 += row[j] * y[j]
		}
		a[i], b[i] = s0+s1, t0+t1
	}
}

// mulAt writes the product of a symmetric matrix with a vector that has the
// elements x at some places, and is zero elsewhere, into dst.
func (m *matrix) mulAt(dst, x []float64, at []int) {
	clear(dst)
	for k, i := range at {
		if m.dense != nil {
			subtract(dst, -x[k], m.dense[i*m.cols:(i+1)*m.cols])
			continue
		}
		for q := m.start[i]; q < m.start[i+1]; q++ {
			dst[m.with[q]] += m.value[q] * x[k]
		}
	}
}
