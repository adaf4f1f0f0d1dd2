package potential

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/r2sgld/r2sgld/stream"
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

// A rowSampler draws rows uniformly without replacement by the first steps of a
// Fisher–Yates shuffle. It undoes them before the next draw, so that its only
// state is that of its random stream.
type rowSampler struct {
	rng    *rand.Rand
	order  []int
	picked []int
}

func newRowSampler(rows, batch int, s *stream.Set) *rowSampler {
	b := &rowSampler{rng: &s.Of(0, stream.Batch).Rand, order: make([]int, rows), picked: make([]int, batch)}
	for i := range b.order {
		b.order[i] = i
	}
	for i := range b.picked {
		b.picked[i] = i
	}
	return b
}

func (b *rowSampler) draw() []int {
	for i := len(b.picked) - 1; i >= 0; i-- {
		j := b.picked[i]
		b.order[i], b.order[j] = b.order[j], b.order[i]
	}
	for i := 0; i < len(b.picked); i += 2 {
		u := b.rng.Uint64() // enough for two
		b.pick(i, uint32(u))
		if i+1 < len(b.picked) {
			b.pick(i+1, uint32(u>>32))
		}
	}
	return b.order[:len(b.picked)]
}

// pick moves one of the rows at i and behind it to i, uniformly by the bits u
// (Lemire 2019).
func (b *rowSampler) pick(i int, u uint32) {
	n := uint32(len(b.order) - i)
	product := uint64(u) * uint64(n)
	if uint32(product) < n {
		for least := -n % n; uint32(product) < least; {
			product = uint64(b.rng.Uint32()) * uint64(n)
		}
	}
	j := i + int(product>>32)
	b.picked[i] = j
	b.order[i], b.order[j] = b.order[j], b.order[i]
}
