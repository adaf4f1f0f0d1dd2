package domain

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// errRound says that a domain could not be made round.
var errRound = errors.New("the domain cannot be made round")

// roundMap returns an affine map x = c + Lz under which a bounded linear domain (a
// polytope, a box, or what is made of such) of m walls is round: it holds the unit
// ball and lies in that of radius m, however thin it is and however it is turned. c is
// its analytic centre, where the product of the distances from the walls is largest,
// and the unit ball is Dikin's ellipsoid there (Nesterov & Nemirovskii 1994). As a
// whitening of a run it lets steps of one size go in all directions.
func roundMap(ctx context.Context, d Domain) (c []float64, l *mat.Dense, err error) {
	h, all := linearOf(d)
	if !all {
		return nil, nil, fmt.Errorf("%w: it has walls that are not linear", errRound)
	}
	if !Bounded(d) {
		return nil, nil, errUnbounded(errRound.Error(), d)
	}
	if c, err = Interior(ctx, d, rand.New(rand.NewPCG(1, 1))); err != nil {
		return nil, nil, err
	}
	n := len(c)
	frame := newProgram(h, n)
	l = mat.NewDense(n, n, nil)
	for j, s := range frame.size {
		l.Set(j, j, s)
	}
	a, s := mat.NewDense(len(h.B), n, nil), make([]float64, len(h.B))
	for i, row := range h.A {
		size := frame.length(row)
		for j, v := range row {
			a.Set(i, j, v*frame.size[j]/size)
		}
		if s[i] = (h.B[i] - dot(row, c)) / size; !(s[i] > 0) {
			return nil, nil, fmt.Errorf("%w: its middle was not found", errRound)
		}
	}
	return c, l, centralise(ctx, c, l, a, s)
}

// Newton's method ends where its decrement is below enough: the walls are then as
// far away as from the centre to within that share.
const (
	enough       = 1e-3
	newtonRounds = 500
)

// centralise moves c to the analytic centre and makes L such that Dikin's ellipsoid
// there is the unit ball. a and s are rows and slacks at c in z, and overwritten. Every round of
// Newton's method goes over to the coordinates of its own ellipsoid, so that rounding
// is that of a round domain.
func centralise(ctx context.Context, c []float64, l, a *mat.Dense, s []float64) error {
	m, n := a.Dims()
	step, move := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	for range newtonRounds {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i, v := range s {
			row := a.RawRowView(i)
			for j := range row {
				row[j] /= v
			}
		}
		var f mat.QR
		f.Factorize(a)
		var r mat.Dense
		f.RTo(&r)
		triangle, inverse := mat.NewTriDense(n, mat.Upper, nil), mat.NewTriDense(n, mat.Upper, nil)
		for j := range n {
			for k := j; k < n; k++ {
				triangle.SetTri(j, k, r.At(j, k))
			}
		}
		var condition mat.Condition
		if err := inverse.InverseTri(triangle); err != nil && (!errors.As(err, &condition) || math.IsInf(float64(condition), 1)) {
			return fmt.Errorf("%w: its walls leave a direction free", errRound)
		}
		l.Mul(l, inverse)
		a.Mul(a, inverse) // columns that are orthonormal
		for k := range n {
			sum := 0.0
			for i := range m {
				sum -= a.At(i, k)
			}
			step.SetVec(k, sum)
		}
		decrement := mat.Norm(step, 2)
		if decrement < enough {
			return nil
		}
		if decrement > 0.25 {
			step.ScaleVec(1/(1+decrement), step)
		}
		for i, v := range s {
			row := a.RawRowView(i)
			s[i] -= v * dot(row, step.RawVector().Data)
			for j := range row {
				row[j] *= v
			}
		}
		move.MulVec(l, step)
		for j := range c {
			c[j] += move.AtVec(j)
		}
	}
	return fmt.Errorf("%w: its centre was not found in %d rounds", errRound, newtonRounds)
}

// rounded is d in the coordinates of roundMap, with the map and the logarithm of its
// determinant; false where there is none.
func rounded(ctx context.Context, d Domain) (z Domain, a *affine, log float64, ok bool) {
	r, err := foundOf(d).round.of(ctx, func() (roundness, error) { return roundAnew(ctx, d) })
	return r.z, r.a, r.log, err == nil
}

func roundAnew(ctx context.Context, d Domain) (r roundness, err error) {
	c, l, err := roundMap(ctx, d)
	if err != nil {
		return r, err
	}
	if r.a = affineOf(c, l); r.a == nil {
		return r, errRound
	}
	r.log, _ = mat.LogDet(l)
	r.z, err = r.a.of(d)
	return r, err
}

// needle is how many times as long as it is wide a domain is at least for which
// [RoundSlice] has coordinates: the covariance of points in it then is too close to
// singular for settings to be found from it.
const needle = 1e6

// RoundSlice returns a domain of half-spaces that is more than a million times as long in
// some direction as in another as a slice of itself, in round coordinates; nil for others,
// and for those of which the rows speak of one coordinate each.
func RoundSlice(ctx context.Context, d Domain) *Slice {
	h := halfspacesOf(d)
	if !slices.ContainsFunc(h.A, func(a []float64) bool { return alone(a) < 0 }) {
		return nil
	}
	z, a, log, ok := rounded(ctx, d)
	if !ok {
		return nil
	}
	n := d.Dim()
	var f mat.SVD
	if !f.Factorize(a.l, mat.SVDNone) {
		return nil
	}
	if s := f.Values(nil); s[0] < needle*s[n-1] {
		return nil
	}
	unit := math.Exp(-log / float64(n))
	s := &Slice{Origin: a.c, Span: mat.NewDense(n, n, nil), inv: mat.NewDense(n, n, nil), Whole: d}
	s.Span.Scale(unit, a.l)
	s.inv.Scale(1/unit, a.inv)
	h = halfspacesOf(z)
	scaled := HalfSpaces{}
	for i, row := range h.A {
		scaled.add(row, h.B[i]/unit, h.Names[i], h.Walls[i])
	}
	var err error
	if s.Domain, err = NewPolytope(scaled.A, scaled.B, scaled.Names); err != nil {
		return nil
	}
	return s
}
