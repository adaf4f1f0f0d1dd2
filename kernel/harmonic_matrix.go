package kernel

import "gonum.org/v1/gonum/mat"

// panelRows is the number of rows whose products are taken together.
const panelRows = 16

// whole is n rounded up to whole panels.
func whole(n int) int { return (n + panelRows - 1) / panelRows * panelRows }

// vector returns n zeros with room for whole panels behind them.
func vector(n int) []float64 { return make([]float64, n, whole(n)) }

// A matrix is kept by panels of 16 rows, column by column within each, rows of
// zeros at the end; or, where most elements are zero, by rows without them.
type matrix struct {
	cols  int
	panel []float64 // nil if sparse
	start []int     // row i has the elements start[i] ≤ k < start[i+1]
	with  []int     // their columns
	value []float64
}

// A sparse element costs as much as this many others.
const sparseCost = 8

func newMatrix(a mat.Matrix) *matrix {
	rows, cols := a.Dims()
	m := &matrix{cols: cols, start: make([]int, rows+1)}
	for i := range rows {
		for j := range cols {
			if v := a.At(i, j); v != 0 {
				m.with, m.value = append(m.with, j), append(m.value, v)
			}
		}
		m.start[i+1] = len(m.value)
	}
	if len(m.value)*sparseCost <= rows*cols {
		return m
	}
	panel := make([]float64, whole(rows)*cols)
	for i := range rows {
		for k := m.start[i]; k < m.start[i+1]; k++ {
			panel[i/panelRows*panelRows*cols+m.with[k]*panelRows+i%panelRows] = m.value[k]
		}
	}
	return &matrix{cols: cols, panel: panel}
}

// mul writes the product with x into dst, which has room for whole panels.
func (m *matrix) mul(dst, x []float64) { m.mulTwo(dst, dst, x, x) }

// mulTwo writes the products with x and y into a and b, which have room for whole
// panels. Sums are in the order of the columns, each product rounded.
func (m *matrix) mulTwo(a, b, x, y []float64) {
	if m.panel != nil {
		n := len(m.panel) / m.cols
		products(a[:n], b[:n], m.panel, x[:m.cols], y[:m.cols])
		return
	}
	for i := range len(m.start) - 1 {
		s, t := 0.0, 0.0
		for k := m.start[i]; k < m.start[i+1]; k++ {
			s += float64(m.value[k] * x[m.with[k]])
			t += float64(m.value[k] * y[m.with[k]])
		}
		a[i], b[i] = s, t
	}
}

// productsOneByOne writes the products of panels with x and y into a and b.
func productsOneByOne(a, b, panel, x, y []float64) {
	for i := 0; i < len(a); i += panelRows {
		var s, t [panelRows]float64
		for j, v := range x {
			w := y[j]
			for k, c := range (*[panelRows]float64)(panel[i*len(x)+j*panelRows:]) {
				s[k] += float64(c * v)
				t[k] += float64(c * w)
			}
		}
		copy(a[i:], s[:])
		copy(b[i:], t[:])
	}
}
