package reversible

import (
	"cmp"
	"math"
	"slices"
)

// eigen returns the eigenvalues, rising, and eigenvectors, one a row, of a
// positive semidefinite matrix of n rows, which is lost. Jacobi's rotations find
// each eigenvalue to rounding relative to itself where the matrix, scaled to a
// diagonal of ones, is well conditioned (Demmel and Veselić 1992): eigenvalues
// that differ by many powers of ten do not spoil each other.
func eigen(a []float64, n int) (value, vector []float64) {
	const most = 60
	v := make([]float64, n*n)
	for i := range n {
		v[i*n+i] = 1
	}
	for range most {
		turned := false
		for p := range n {
			for q := p + 1; q < n; q++ {
				size := math.Sqrt(math.Abs(a[p*n+p])) * math.Sqrt(math.Abs(a[q*n+q]))
				if math.Abs(a[p*n+q]) > 1e-17*float64(n)*size {
					rotate(a, v, n, p, q)
					turned = true
				}
			}
		}
		if !turned {
			break
		}
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(a[i*n+i], a[j*n+j]) })
	value, vector = make([]float64, n), make([]float64, 0, n*n)
	for i, from := range order {
		value[i] = a[from*n+from]
		vector = append(vector, v[from*n:(from+1)*n]...)
	}
	return value, vector
}

// rotate makes a[p,q] vanish; the rows of v turn with it.
func rotate(a, v []float64, n, p, q int) {
	apq := a[p*n+q]
	theta := (a[q*n+q] - a[p*n+p]) / (2 * apq)
	t := 1 / (math.Abs(theta) + math.Hypot(1, theta))
	if theta < 0 {
		t = -t
	}
	cos := 1 / math.Hypot(1, t)
	sin := t * cos
	a[p*n+p] -= t * apq
	a[q*n+q] += t * apq
	a[p*n+q], a[q*n+p] = 0, 0
	for k := range n {
		if k != p && k != q {
			x, y := a[p*n+k], a[q*n+k]
			a[p*n+k], a[q*n+k] = cos*x-sin*y, sin*x+cos*y
			a[k*n+p], a[k*n+q] = a[p*n+k], a[q*n+k]
		}
		x, y := v[p*n+k], v[q*n+k]
		v[p*n+k], v[q*n+k] = cos*x-sin*y, sin*x+cos*y
	}
}
