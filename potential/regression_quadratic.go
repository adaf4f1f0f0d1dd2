package potential

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// A quadratic is value + slopeᵀδ + ½ δᵀ curve δ with δ = x − centre. Row j of
// the symmetric matrix curve has its entries at start[j] ≤ i < start[j+1], in
// columns with[i].
type quadratic struct {
	centre, slope []float64
	value         float64
	start, with   []int
	curve         []float64
}

func newQuadratic(dim int) quadratic {
	return quadratic{centre: make([]float64, dim), slope: make([]float64, dim), start: make([]int, dim+1)}
}

// eval writes energies and gradients of r states; delta is workspace of the
// length of x.
func (q *quadratic) eval(energy, grad, delta, x []float64, r int) {
	for j, c := range q.centre {
		for i := j * r; i < (j+1)*r; i++ {
			delta[i] = x[i] - c
		}
	}
	energy = energy[:r]
	for i := range energy {
		energy[i] = q.value
	}
	for j, slope := range q.slope {
		g := grad[j*r : (j+1)*r]
		for i := range g {
			g[i] = slope
		}
		for m := q.start[j]; m < q.start[j+1]; m++ {
			c, k := q.curve[m], q.with[m]*r
			for i, d := range delta[k : k+r] {
				g[i] += c * d
			}
		}
		for i, d := range delta[j*r : (j+1)*r] {
			energy[i] += (g[i] + slope) * d / 2
		}
	}
}

// pseudoInverse returns the inverse of a positive semidefinite matrix (d × d by
// rows), scaled to a unit diagonal first, on the span of its eigenvectors with
// eigenvalues above 1e-13 of the largest, and their number.
func pseudoInverse(a []float64, d int) (inverse []float64, rank int) {
	scale := make([]float64, d)
	for j := range scale {
		if v := a[j*d+j]; v > 0 {
			scale[j] = 1 / math.Sqrt(v)
		}
	}
	s := mat.NewSymDense(d, nil)
	for j := range d {
		for k := j; k < d; k++ {
			s.SetSym(j, k, a[j*d+k]*scale[j]*scale[k])
		}
	}
	inverse = make([]float64, d*d)
	var e mat.EigenSym
	if !e.Factorize(s, true) {
		return inverse, 0
	}
	values := e.Values(nil)
	var v mat.Dense
	e.VectorsTo(&v)
	for m, lambda := range values {
		if lambda <= 1e-13*values[d-1] {
			continue
		}
		rank++
		for j := range d {
			for k := range d {
				inverse[j*d+k] += scale[j] * v.At(j, m) / lambda * v.At(k, m) * scale[k]
			}
		}
	}
	return inverse, rank
}
