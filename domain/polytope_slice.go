package domain

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// A Slice is the part of a linear domain on which equations hold, in coordinates z
// of its own: x = Origin + Span·z, det(SpanᵀSpan) = 1, so that volumes of z are the
// k-dimensional ones (lengths, areas …) of the slice. Its methods may be called from
// several goroutines at once.
type Slice struct {
	Domain Domain     // of z: a polytope; nil is all of R^k
	Origin []float64  // a solution of the equations
	Span   *mat.Dense // d×k, independent columns that the equations do not see
	// Whole is the slice among the points x: the domain and the equations, both up to
	// rounding (a billionth of intervals that the domain gives).
	Whole Domain
	inv   *mat.Dense // k×d, Span⁻¹ on its range
}

// The reasons for which equations cannot be eliminated.
var (
	ErrContradiction = errors.New("they contradict each other")
	ErrSinglePoint   = errors.New("they leave no more than one point")
	ErrCurved        = errors.New("only linear constraints go with them")
)

// errEquations says that equations cannot be eliminated.
var errEquations = errors.New("equations cannot be eliminated")

// slim is the size, relative to the largest one, up to which a singular value of
// equations of unit length counts as zero, and so does what is left of a row.
const slim = 1e-11

// NewSlice eliminates the equations a_i·x = b_i from a linear domain of d ≥ 2
// coordinates: a box, a polytope, a simplex or what is made of such, or nil, all of
// R^d. In coordinates in which intervals that d gives have length one, the columns of
// Span are orthogonal and equally long. It fails where the equations contradict each other
// (ErrContradiction, with the multiples of them that do), where they leave a single
// point (ErrSinglePoint), where d is curved (ErrCurved), and with an *[EmptyError]
// where they contradict a row of d.
// As with [Affine], a z in the domain may stand for an x that is beyond a wall, or
// off an equation, by rounding.
func NewSlice(d Domain, a [][]float64, b []float64) (*Slice, error) {
	if len(a) == 0 || len(a) != len(b) {
		return nil, fmt.Errorf("%w: %d rows and %d right-hand sides: give one of each per equation, at least one", errEquations, len(a), len(b))
	}
	h, n := HalfSpaces{}, len(a[0])
	if d != nil {
		all := true
		if h, all = linearOf(d); !all {
			return nil, fmt.Errorf("%w from %s: %w", errEquations, kindOf(d), ErrCurved)
		}
		n = d.Dim()
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
	g, err := s.restrict(h, frame)
	if err != nil {
		return nil, err
	}
	if err := s.measure(g); err != nil {
		return nil, err
	}
	s.Whole, err = s.around(h, a, b, frame)
	return s, err
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
		return fmt.Errorf("%w: %w: drop one", errEquations, ErrSinglePoint)
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
		return fmt.Errorf("%w: %w: %.3g times the %d rows, scaled to unit length, add up to 0 = %.3g", errEquations, ErrContradiction,
			rest.RawVector().Data, m, r)
	}
	s.Span, s.inv = mat.NewDense(n, n-rank, nil), mat.NewDense(n-rank, n, nil)
	for j, l := range size {
		s.Origin[j] += l * y[j]
		for k := range n - rank {
			if c := v.At(j, rank+k); math.Abs(c) > 1e-14 { // else a coordinate that is fixed
				s.Span.Set(j, k, l*c)
				s.inv.Set(k, j, c/l)
			}
		}
	}
	return nil
}

// restrict returns the rows of z. Rows that do not see z must hold at Origin.
func (s *Slice) restrict(h HalfSpaces, frame *program) (g HalfSpaces, err error) {
	_, k := s.Span.Dims()
	for i, row := range h.A {
		z := make([]float64, k)
		mat.NewVecDense(k, z).MulVec(s.Span.T(), mat.NewVecDense(len(row), row))
		side, l := h.B[i]-dot(row, s.Origin), frame.length(row)
		switch {
		case norm(z) > slim*l:
			g.add(z, side, h.Names[i], h.Walls[i])
		case side < -rounding*l:
			return g, fmt.Errorf("%w: on them %w", errEquations, &EmptyError{Constraints: []int{int(h.Walls[i])}, Names: []string{h.Names[i]}})
		}
	}
	return g, nil
}

// rounding is the share of the intervals of a domain by which points may be beyond a
// wall or off an equation.
const rounding = 1e-9

// length is that of a row in the coordinates of the program.
func (p *program) length(row []float64) float64 {
	l := 0.0
	for j, v := range row {
		l = math.Hypot(l, v*p.size[j])
	}
	return l
}

// measure scales z for volumes to be those of the slice, and fills in Domain.
func (s *Slice) measure(g HalfSpaces) error {
	_, k := s.Span.Dims()
	var f mat.SVD
	if !f.Factorize(s.Span, mat.SVDNone) {
		return fmt.Errorf("%w: the volume that they leave was not found", errEquations)
	}
	log := 0.0
	for _, v := range f.Values(nil) {
		log += math.Log(v) / float64(k)
	}
	unit := math.Exp(-log)
	s.Span.Scale(unit, s.Span)
	s.inv.Scale(1/unit, s.inv)
	for _, row := range g.A {
		for j := range row {
			row[j] *= unit
		}
	}
	if len(g.B) == 0 {
		return nil
	}
	var err error
	s.Domain, err = NewPolytope(g.A, g.B, g.Names)
	return err
}

// around is the polytope of h and the equations, each wall moved outwards by what
// rounding may do. It knows its bounds, those of the slice.
func (s *Slice) around(h HalfSpaces, a [][]float64, b []float64, frame *program) (Domain, error) {
	var w HalfSpaces
	add := func(row []float64, side float64, name string) {
		size := math.Abs(side)
		for j, v := range row {
			size += math.Abs(v * frame.mid[j])
		}
		w.add(row, side+rounding*frame.length(row)+0x1p-46*size, name, Wall(len(w.B)))
	}
	for i, row := range h.A {
		add(row, h.B[i], h.Names[i])
	}
	for i, row := range a {
		minus := make([]float64, len(row))
		for j, v := range row {
			minus[j] = -v
		}
		name := strings.Replace(rowText(row, b[i], nil), "<=", "=", 1)
		add(row, b[i], name)
		add(minus, -b[i], name)
	}
	p, err := newPolytope(w.A, w.B, w.Names)
	if err != nil {
		return nil, err
	}
	p.once.Do(func() { p.lo, p.hi = s.extent(context.Background()) })
	return p, nil
}

// extent returns the extent of every coordinate of x, (+Inf, −Inf) if the slice is
// empty.
func (s *Slice) extent(ctx context.Context) (lo, hi []float64) {
	_, k := s.Span.Dims()
	return extents(ctx, halfspacesOf(s.Domain), k, s.Origin, func(j int) []float64 { return mat.Row(nil, j, s.Span) })
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

// Dim is the number of coordinates z.
func (s *Slice) Dim() int { _, k := s.Span.Dims(); return k }
