package domain

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// A Slice is the part of a linear domain on which equations hold, in coordinates z
// of its own: x = Origin + Span·z. Its methods may be called from several goroutines
// at once.
type Slice struct {
	Domain Domain     // of z: a [Polytope]
	Origin []float64  // a solution of the equations
	Span   *mat.Dense // d×k, independent columns that the equations do not see
	inv    *mat.Dense // k×d, Span⁻¹ on its range
}

// errEquations says that equations cannot be eliminated.
var errEquations = errors.New("equations cannot be eliminated")

// slim is the size, relative to the largest one, up to which a singular value of
// equations of unit length counts as zero, and so does what is left of a row.
const slim = 1e-11

// NewSlice eliminates the equations a_i·x = b_i from a linear domain of d ≥ 2
// coordinates: a box, a polytope, a simplex or what is made of such. In coordinates
// in which intervals that d gives have length one, the columns of Span are
// orthonormal. It fails where the equations contradict each other (and says by which
// multiples of them), where they leave a single point, and with an *[EmptyError]
// where they contradict a row of d. As with [Affine], a z in the domain may stand
// for an x that is beyond a wall, or off an equation, by rounding.
func NewSlice(d Domain, a [][]float64, b []float64) (*Slice, error) {
	h, all := linearOf(d)
	n := d.Dim()
	if !all {
		return nil, fmt.Errorf("%w from a domain of type %T: only linear constraints go with them", errEquations, d)
	}
	if len(a) == 0 || len(a) != len(b) {
		return nil, fmt.Errorf("%w: %d rows and %d right-hand sides: give one of each per equation, at least one", errEquations, len(a), len(b))
	}
	frame := newProgram(h, n)
	unit, side := mat.NewDense(len(a), n, nil), mat.NewVecDense(len(a), nil)
	for i, row := range a {
		if len(row) != n || !finite(row) || b[i]-b[i] != 0 || norm(row) == 0 {
			return nil, fmt.Errorf("%w: row %d is %v = %g: give %d finite coefficients, not all zero", errEquations, i, row, b[i], n)
		}
		u, s := make([]float64, n), b[i]
		for j, v := range row {
			u[j] = v * frame.size[j]
			s -= v * frame.mid[j]
		}
		l := norm(u)
		for j, v := range u {
			unit.Set(i, j, v/l)
		}
		side.SetVec(i, s/l)
	}
	s := &Slice{Origin: append([]float64(nil), frame.mid...)}
	if err := s.solve(unit, side, frame.size); err != nil {
		return nil, err
	}
	return s, s.restrict(h, frame)
}

// solve fills in Origin, which holds the middle of the frame, Span and its inverse.
func (s *Slice) solve(a *mat.Dense, b *mat.VecDense, size []float64) error {
	m, n := a.Dims()
	var f mat.SVD
	if !f.Factorize(a, mat.SVDFull) {
		return fmt.Errorf("%w: their singular values were not found", errEquations)
	}
	var u, v mat.Dense
	f.UTo(&u)
	f.VTo(&v)
	sigma := f.Values(nil)
	rank := 0
	for rank < len(sigma) && sigma[rank] > slim*sigma[0] {
		rank++
	}
	if rank == n {
		return fmt.Errorf("%w: they leave no more than one point: drop one", errEquations)
	}
	y := make([]float64, n) // the solution nearest to the middle of the frame
	rest := mat.VecDenseCopyOf(b)
	for k := range rank {
		c := mat.Dot(u.ColView(k), b)
		rest.AddScaledVec(rest, -c, u.ColView(k))
		for j := range y {
			y[j] += c / sigma[k] * v.At(j, k)
		}
	}
	if r := mat.Norm(rest, 2); r > 1e-9*math.Max(1, mat.Norm(b, 2)) {
		rest.ScaleVec(1/r, rest)
		return fmt.Errorf("%w: they contradict each other: %.3g times the %d rows, scaled to unit length, add up to 0 = %.3g", errEquations, rest.RawVector().Data, m, r)
	}
	s.Span, s.inv = mat.NewDense(n, n-rank, nil), mat.NewDense(n-rank, n, nil)
	for j, l := range size {
		s.Origin[j] += l * y[j]
		for k := range n - rank {
			s.Span.Set(j, k, l*v.At(j, rank+k))
			s.inv.Set(k, j, v.At(j, rank+k)/l)
		}
	}
	return nil
}

// restrict fills in Domain. Rows that do not see z must hold at Origin.
func (s *Slice) restrict(h halfspaces, frame *program) error {
	_, k := s.Span.Dims()
	var g halfspaces
	for i, row := range h.a {
		z := make([]float64, k)
		mat.NewVecDense(k, z).MulVec(s.Span.T(), mat.NewVecDense(len(row), row))
		side, l := h.b[i]-dot(row, s.Origin), 0.0
		for j, v := range row {
			l = math.Hypot(l, v*frame.size[j])
		}
		switch {
		case norm(z) > slim*l:
			g.add(z, side, h.name[i], h.wall[i])
		case side < -1e-9*l:
			return &EmptyError{Constraints: []int{int(h.wall[i])}, Names: []string{h.name[i] + ", with the equations"}}
		}
	}
	if len(g.b) == 0 {
		return fmt.Errorf("%w: no row is left that bounds what they leave free: sample all of R^%d", errEquations, k)
	}
	p, err := NewPolytope(g.a, g.b, g.name)
	s.Domain = p
	return err
}

// Full writes x = Origin + Span·z into x.
func (s *Slice) Full(x, z []float64) {
	l := s.Span.RawMatrix()
	for i, c := range s.Origin {
		x[i] = c + dot(z, l.Data[i*l.Stride:i*l.Stride+l.Cols])
	}
}

// Reduced writes the z of a point x of the slice into z; of any other x, that of the
// point nearest to it where intervals have length one.
func (s *Slice) Reduced(z, x []float64) {
	l := s.inv.RawMatrix()
	for k := range z {
		z[k] = 0
		for j, v := range l.Data[k*l.Stride : k*l.Stride+l.Cols] {
			z[k] += v * (x[j] - s.Origin[j])
		}
	}
}
