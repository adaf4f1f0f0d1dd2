package tune

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/r2sgld/r2sgld"
)

// lopsided is a covariance with correlations and unlike scales, and its root.
func lopsided() (*mat.SymDense, *mat.TriDense) {
	c := mat.NewSymDense(3, []float64{4, 1.2, -0.3, 1.2, 1, 0.02, -0.3, 0.02, 0.09})
	var chol mat.Cholesky
	chol.Factorize(c)
	var l mat.TriDense
	chol.LTo(&l)
	return c, &l
}

// slopes are those of −log(0.7 N(0, c) + 0.3 N(m, c)) at n draws of it, m being
// far in all coordinates.
func slopes(n int, rng *rand.Rand, far float64) []point {
	c, l := lopsided()
	var q mat.Dense
	_ = q.Inverse(c)
	m := mat.NewVecDense(3, []float64{far, far, far})
	seen := make([]point, n)
	for i := range seen {
		var x, a, b mat.VecDense
		x.MulVec(l, mat.NewVecDense(3, []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}))
		if rng.Float64() < 0.3 {
			x.AddVec(&x, m)
		}
		a.MulVec(&q, &x)
		b.SubVec(&x, m)
		ea := 0.7 * math.Exp(-mat.Dot(&x, &a)/2)
		var qb mat.VecDense
		qb.MulVec(&q, &b)
		eb := 0.3 * math.Exp(-mat.Dot(&b, &qb)/2)
		a.ScaleVec(ea/(ea+eb), &a)
		a.AddScaledVec(&a, eb/(ea+eb), &qb)
		seen[i].slope = a.RawVector().Data
	}
	return seen
}

// The mean square of slopes gives the covariance of a Gaussian at any temperature
// and that of one mode of two. The relative error of a quadratic form over n draws
// is √(2/n) = 0.01: 4.9 of these, by six entries. Mutants: β left out; draws in
// place of slopes (the mixture is 50 times as wide); the inverse not taken.
func TestLocalCovariance(t *testing.T) {
	const n = 20_000
	rng := rand.New(rand.NewPCG(1, 2))
	want, _ := lopsided()
	for _, far := range []float64{0, 14} {
		seen := slopes(n, rng, far)
		for i := range seen { // at temperature 5 slopes are those of 5 U
			for j := range seen[i].slope {
				seen[i].slope[j] *= math.Sqrt(5)
			}
		}
		c := localCovariance(t.Context(), seen, 1.0/5, nil)
		for i := range 3 {
			for j := range i + 1 {
				if tol := 4.9 * math.Sqrt(2.0/n*want.At(i, i)*want.At(j, j)); math.Abs(c.At(i, j)-want.At(i, j)) > tol {
					t.Errorf("modes %g apart: covariance (%d, %d) is %g, want %g", far, i, j, c.At(i, j), want.At(i, j))
				}
			}
		}
	}
	flat := make([]point, 10)
	for i := range flat {
		flat[i].slope = []float64{0, 0, 0}
	}
	if c := localCovariance(t.Context(), flat, 1, want); !mat.EqualApprox(c, want, 1e-12) {
		t.Errorf("without a slope the domain alone tells: %v", mat.Formatted(c))
	}
	if localCovariance(t.Context(), flat, 1, nil) != nil {
		t.Error("without slopes and domain nothing is known")
	}
}

// Whitening makes condition numbers at most 4 and does no more than that takes.
// Mutants: no diagonal stage; the factor returned transposed; centre forgotten.
func TestWhitening(t *testing.T) {
	center := []float64{1, 2, 3}
	cases := []struct {
		name     string
		c        []float64
		nothing  bool
		diagonal bool
	}{
		{"round", []float64{1, 0.3, 0, 0.3, 1, 0, 0, 0, 1.9}, true, false},
		{"scales", []float64{100, 0.3, 0, 0.3, 1, 0, 0, 0, 1e-4}, false, true},
		{"correlated", []float64{1, 0.9, 0, 0.9, 1, 0, 0, 0, 1}, false, false},
	}
	for _, c := range cases {
		cov := mat.NewSymDense(3, c.c)
		w := whitening(cov, center)
		if c.nothing {
			if w != nil {
				t.Errorf("%s: whitened", c.name)
			}
			continue
		}
		if w == nil || w.Center[2] != 3 {
			t.Fatalf("%s: %v", c.name, w)
		}
		if diagonal := w.L[1][0] == 0 && w.L[2][1] == 0; diagonal != c.diagonal {
			t.Errorf("%s: L is %v", c.name, w.L)
		}
		var square mat.Dense
		l := w.Matrix()
		square.Mul(l, l.T())
		for i := range 3 {
			if math.Abs(square.At(i, i)/cov.At(i, i)-1) > 1e-12 {
				t.Errorf("%s: variance %d is %g, want %g", c.name, i, square.At(i, i), cov.At(i, i))
			}
		}
		if !c.diagonal && !mat.EqualApprox(&square, cov, 1e-12) {
			t.Errorf("%s: L Lᵀ is %v", c.name, mat.Formatted(&square))
		}
	}
	if w := whitening(mat.NewSymDense(2, []float64{0, 0, 0, 1}), []float64{0, 0}); w != nil {
		t.Error("a direction without width cannot be whitened")
	}
}

// The condition number in coordinates L z, and what steps in them cost. Mutants:
// L for its inverse or transpose; a zero below the diagonal taken for the end.
func TestThrough(t *testing.T) {
	c, l := lopsided()
	w := &r2sgld.Whitening{Center: make([]float64, 3), L: make([][]float64, 3)}
	scales := &r2sgld.Whitening{Center: make([]float64, 3), L: make([][]float64, 3)}
	for i := range 3 {
		w.L[i], scales.L[i] = make([]float64, 3), make([]float64, 3)
		scales.L[i][i] = 2
		for j := range i + 1 {
			w.L[i][j] = l.At(i, j)
		}
	}
	if k := through(c, w); math.Abs(k-1) > 1e-9 {
		t.Errorf("whitened: %g", k)
	}
	if a, b := through(c, nil), through(c, scales); math.Abs(a/b-1) > 1e-9 || a < 40 {
		t.Errorf("%g and, all scales doubled, %g", a, b)
	}
	if effort(nil) != 0 || effort(scales) != 1 || effort(w) != 2 {
		t.Errorf("effort %d %d %d", effort(nil), effort(scales), effort(w))
	}
	scales.L[2][1] = 1e-3
	if effort(scales) != 2 || sufficient(50, scales) != 20 || sufficient(3, w) != 4 || sufficient(50, nil) != 4 {
		t.Error("what suffices")
	}
}
