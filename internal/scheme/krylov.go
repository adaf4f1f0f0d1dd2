package scheme

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// krylov holds an orthonormal basis of the span of v, Av, A²v, … for a
// stochastic map A of masses, restricted to those of sum 0. It is orthonormal in
// L²(1/law), where a reversible map is symmetric, so that few vectors do.
type krylov struct {
	apply func(dst, mass []float64)
	law   []float64
	root  []float64
	basis [][]float64 // A q_j = Σ_{i ≤ j+1} proj(i, j) q_i, the q times 1/√law
	proj  *mat.Dense
	work  [2][]float64
}

// newKrylov takes a law of sum 1 that is about stationary. It will keep at most
// 400 vectors, and half a gigabyte.
func newKrylov(apply func(dst, mass []float64), law []float64) *krylov {
	size := min(400, 1<<26/len(law))
	k := &krylov{apply: apply, law: append([]float64(nil), law...), root: make([]float64, len(law)),
		proj: mat.NewDense(size+1, size, nil)}
	for i, m := range law {
		k.root[i] = math.Sqrt(max(m, 1e-30))
	}
	k.work = [2][]float64{make([]float64, len(law)), make([]float64, len(law))}
	return k
}

// start makes v, of sum 0, the first vector and returns its norm.
func (k *krylov) start(v []float64) float64 {
	k.basis = k.basis[:0]
	k.proj.Zero()
	q := k.next()
	floats.DivTo(q, v, k.root)
	norm := floats.Norm(q, 2)
	floats.Scale(1/norm, q)
	return norm
}

// next returns the next vector of the basis, to be filled.
func (k *krylov) next() []float64 {
	n := len(k.basis)
	if n < cap(k.basis) {
		k.basis = k.basis[:n+1]
	} else {
		k.basis = append(k.basis, nil)
	}
	if k.basis[n] == nil {
		k.basis[n] = make([]float64, len(k.law))
	}
	return k.basis[n]
}

// extend adds a vector and returns how many columns proj has and the norm of
// what was new.
func (k *krylov) extend() (columns int, rest float64) {
	j := len(k.basis) - 1
	v, w := k.work[0], k.work[1]
	floats.MulTo(v, k.basis[j], k.root)
	k.apply(w, v)
	floats.AddScaled(w, -floats.Sum(w), k.law) // rounding must not grow into the law
	q := k.next()
	floats.DivTo(q, w, k.root)
	for range 2 {
		for i, b := range k.basis[:j+1] {
			c := floats.Dot(q, b)
			k.proj.Set(i, j, k.proj.At(i, j)+c)
			floats.AddScaled(q, -c, b)
		}
	}
	rest = floats.Norm(q, 2)
	k.proj.Set(j+1, j, rest)
	if rest > 0 {
		floats.Scale(1/rest, q)
	}
	return j + 1, rest
}

// solve returns about the solution x of x − Ax = b, and how often it took A:
// that with the least residual in a space of as many dimensions as are needed to
// bring it down by the factor accuracy, or of all there are (GMRES).
func (k *krylov) solve(b []float64, accuracy float64) ([]float64, int) {
	norm := k.start(b)
	_, size := k.proj.Dims()
	var y *mat.VecDense
	n := 0
	for n < size {
		var rest float64
		n, rest = k.extend()
		if n%10 != 0 && n != size && rest > 1e-14 {
			continue
		}
		var left float64
		if y, left = k.least(n); left < accuracy || rest <= 1e-14 {
			break
		}
	}
	x := make([]float64, len(b))
	for j := range n {
		floats.AddScaled(x, norm*y.AtVec(j), k.basis[j])
	}
	floats.Mul(x, k.root)
	return x, n
}

// least returns the y that minimises ‖e_1 − (I − proj) y‖ for the first n
// columns, and that norm.
func (k *krylov) least(n int) (*mat.VecDense, float64) {
	a := mat.NewDense(n+1, n, nil)
	a.Scale(-1, k.proj.Slice(0, n+1, 0, n))
	for j := range n {
		a.Set(j, j, 1+a.At(j, j))
	}
	e := mat.NewVecDense(n+1, nil)
	e.SetVec(0, 1)
	var qr mat.QR
	qr.Factorize(a)
	y, r := new(mat.VecDense), new(mat.VecDense)
	if err := qr.SolveVecTo(y, false, e); err != nil && !errors.As(err, new(mat.Condition)) {
		panic(err) // the sizes fit
	}
	r.MulVec(a, y)
	r.SubVec(e, r)
	return y, mat.Norm(r, 2)
}

// leading returns the eigenvalue of A of largest real part on masses of sum 0, from
// the start v, right to about accuracy relative to its distance from 1.
func (k *krylov) leading(v []float64, accuracy float64) (float64, error) {
	k.start(v)
	_, size := k.proj.Dims()
	var off float64
	for n := 0; n < size; {
		var rest float64
		n, rest = k.extend()
		if n%20 != 0 && n != size && rest > 1e-14 {
			continue
		}
		value, last, err := ritz(k.proj.Slice(0, n, 0, n))
		if err != nil {
			return 0, err
		}
		// Nearly symmetric: the eigenvalue is off by the square of the residual
		// over its distance from the others, at most by the residual.
		off = rest * last / (1 - real(value))
		if off*min(1, off) < accuracy || rest <= 1e-14 {
			if math.Abs(imag(value)) > 1e-9*(1-real(value)) {
				return 0, fmt.Errorf("scheme: the slowest mode turns (eigenvalue %.6g): it has no single rate", value)
			}
			return real(value), nil
		}
	}
	return 0, fmt.Errorf("scheme: the slowest mode is known to %.1g only after %d iterations: take a larger step size", off, size)
}

// ritz returns the eigenvalue of largest real part of a square matrix, and the
// size of the last entry of its unit eigenvector.
func ritz(a mat.Matrix) (value complex128, last float64, err error) {
	var eigen mat.Eigen
	if !eigen.Factorize(a, mat.EigenRight) {
		return 0, 0, errors.New("scheme: eigenvalues did not converge")
	}
	values := eigen.Values(nil)
	best := 0
	for i, v := range values {
		if real(v) > real(values[best]) {
			best = i
		}
	}
	var vectors mat.CDense
	eigen.VectorsTo(&vectors)
	n := len(values)
	norm := 0.0
	for i := range n {
		norm = math.Hypot(norm, cmplx.Abs(vectors.At(i, best)))
	}
	return values[best], cmplx.Abs(vectors.At(n-1, best)) / norm, nil
}
