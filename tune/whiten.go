package tune

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/r2sgld/r2sgld"
)

const (
	round     = 4.0  // ratio of the variances of directions below which no whitening is needed
	good      = 2.0  // factor by which a whitening may be worse than a new one and stay
	outlier   = 10.0 // mean squares at which a slope is an outlier
	manyNames = 400  // dimension above which only scales are whitened

	outlierRounds = 6
)

// whitening is x = center + L z that makes the variances of all directions of a
// covariance alike: nil if they are, diagonal if that will do.
func whitening(c *mat.SymDense, center []float64) *r2sgld.Whitening {
	d := c.SymmetricDim()
	if condition(c, nil) <= round {
		return nil
	}
	scale := make([]float64, d)
	for i := range scale {
		scale[i] = math.Sqrt(c.At(i, i))
		if !(scale[i] > 0) || math.IsInf(scale[i], 0) {
			return nil
		}
	}
	w := &r2sgld.Whitening{Center: center, L: make([][]float64, d)}
	for i := range w.L {
		w.L[i] = make([]float64, d)
		w.L[i][i] = scale[i]
	}
	if d > manyNames || condition(c, scale) <= sufficient(d, w) {
		return w
	}
	var chol mat.Cholesky
	if !chol.Factorize(c) {
		return w
	}
	var l mat.TriDense
	chol.LTo(&l)
	for i := range w.L {
		for j := range i + 1 {
			w.L[i][j] = l.At(i, j)
		}
	}
	return w
}

// condition is the ratio of the largest to the smallest eigenvalue of c, its
// coordinates divided by scale (nil: by 1); +Inf if that cannot be told.
func condition(c *mat.SymDense, scale []float64) float64 {
	d := c.SymmetricDim()
	s := mat.NewSymDense(d, nil)
	for i := range d {
		for j := range i + 1 {
			v := c.At(i, j)
			if scale != nil {
				v /= scale[i] * scale[j]
			}
			s.SetSym(i, j, v)
		}
	}
	if d > manyNames {
		lo, hi := math.Inf(1), 0.0
		for i := range d {
			lo, hi = min(lo, s.At(i, i)), max(hi, s.At(i, i))
		}
		return hi / lo
	}
	var e mat.EigenSym
	if !e.Factorize(s, false) {
		return math.Inf(1)
	}
	v := e.Values(nil)
	if !(v[0] > 0) {
		return math.Inf(1)
	}
	return v[d-1] / v[0]
}

// localCovariance is the inverse of the mean of β ∇U ∇Uᵀ at draws of the coldest
// rung, and of what the domain alone says: for a normal law it is the covariance,
// for several modes that of one of them, and where the density leans on a wall
// that of its layer. Slopes that are outliers by the mean count for less: next to
// a pole at a wall they have no variance. spread is the covariance of points that
// fill the domain; nil if it is not bounded. Once ctx is done the answer is nil.
func localCovariance(ctx context.Context, seen []point, beta float64, spread *mat.SymDense) *mat.SymDense {
	d := len(seen[0].slope)
	own := mat.NewSymDense(d, nil)
	var chol mat.Cholesky
	if spread != nil && (!chol.Factorize(spread) || chol.InverseTo(own) != nil) {
		return nil
	}
	weight := make([]float64, len(seen))
	slopes := mat.NewDense(d, len(seen), nil)
	for i, p := range seen {
		weight[i] = 1
		slopes.SetCol(i, p.slope)
	}
	var solved mat.Dense
	for range outlierRounds {
		h := mat.NewSymDense(d, nil)
		for i, p := range seen {
			if ctx.Err() != nil {
				return nil
			}
			h.SymRankOne(h, beta*weight[i]/float64(len(seen)), mat.NewVecDense(d, p.slope))
		}
		h.AddSym(h, own)
		if !chol.Factorize(h) {
			return nil
		}
		if chol.SolveTo(&solved, slopes) != nil { // all at once: one by one they take ten times as long
			return nil
		}
		for i, p := range seen {
			y := mat.NewVecDense(d, mat.Col(nil, i, &solved))
			weight[i] = min(1, outlier*float64(d)/(beta*mat.Dot(mat.NewVecDense(d, p.slope), y)))
		}
	}
	var c mat.SymDense
	if chol.InverseTo(&c) != nil {
		return nil
	}
	return &c
}

// sufficient is the condition number up to which a better whitening than w does not
// pay: steps in all directions at once cost about d/10 times those along axes.
func sufficient(d int, w *r2sgld.Whitening) float64 {
	if effort(w) == 0 {
		return round
	}
	return round * max(1, float64(d)/10)
}

// effort orders whitenings by what a step costs: none, along axes, in all directions.
func effort(w *r2sgld.Whitening) int {
	if w == nil {
		return 0
	}
	for i, row := range w.L {
		for _, v := range row[:i] {
			if v != 0 {
				return 2
			}
		}
	}
	return 1
}

// through is the condition number of the covariance c in the coordinates of w.
func through(c *mat.SymDense, w *r2sgld.Whitening) float64 {
	if w == nil {
		return condition(c, nil)
	}
	d := c.SymmetricDim()
	var y, z mat.Dense
	l := w.Matrix()
	if y.Solve(l, c) != nil || z.Solve(l, y.T()) != nil {
		return math.Inf(1)
	}
	s := mat.NewSymDense(d, nil)
	for i := range d {
		for j := range i + 1 {
			s.SetSym(i, j, (z.At(i, j)+z.At(j, i))/2)
		}
	}
	return condition(s, nil)
}
