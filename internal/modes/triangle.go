package modes

import "gonum.org/v1/gonum/mat"

// factor is the Cholesky factor of c, nil where it has none.
func factor(c *mat.SymDense) [][]float64 {
	var chol mat.Cholesky
	if c == nil || !chol.Factorize(c) {
		return nil
	}
	var l mat.TriDense
	chol.LTo(&l)
	rows := make([][]float64, c.SymmetricDim())
	for i := range rows {
		rows[i] = make([]float64, len(rows))
		for j := range i + 1 {
			rows[i][j] = l.At(i, j)
		}
	}
	return rows
}

// inverse is that of a lower triangle.
func inverse(l [][]float64) [][]float64 {
	n := len(l)
	inv := make([][]float64, n)
	for i := range inv {
		inv[i] = make([]float64, n)
		for j := range i + 1 {
			sum := 0.0
			if i == j {
				sum = 1
			}
			for k := j; k < i; k++ {
				sum -= l[i][k] * inv[k][j]
			}
			inv[i][j] = sum / l[i][i]
		}
	}
	return inv
}

// triangle is the lower triangle L with L Lᵀ = A Aᵀ, of a square matrix A; nil where there is
// none.
func triangle(a [][]float64) [][]float64 {
	c := mat.NewSymDense(len(a), nil)
	for i := range a {
		for j := range i + 1 {
			sum := 0.0
			for k := range a[i] {
				sum += a[i][k] * a[j][k]
			}
			c.SetSym(i, j, sum)
		}
	}
	return factor(c)
}

// root is the lower triangle R with Rᵀ R = h, nil where there is none.
func root(h *mat.SymDense) [][]float64 {
	d := h.SymmetricDim()
	turned := mat.NewSymDense(d, nil)
	for i := range d {
		for j := range i + 1 {
			turned.SetSym(i, j, h.At(d-1-i, d-1-j))
		}
	}
	c := factor(turned)
	if c == nil {
		return nil
	}
	r := make([][]float64, d)
	for i := range r {
		r[i] = make([]float64, d)
		for j := range i + 1 {
			r[i][j] = c[d-1-j][d-1-i]
		}
	}
	return r
}
