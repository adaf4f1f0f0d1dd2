package r2sgld

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/potential"
)

// A Whitening is the change of variables x = Center + L z. The kernel stays
// Euclidean in z, where domain and potential are mapped to, so that reflection
// uses the normal in z.
type Whitening struct {
	Center []float64
	L      [][]float64 // by rows, d × d, regular
}

// Matrix is L.
func (w *Whitening) Matrix() *mat.Dense {
	l := mat.NewDense(len(w.L), len(w.L), nil)
	for i, row := range w.L {
		l.SetRow(i, row)
	}
	return l
}

// Inverse returns the map from x to z = L⁻¹(x − Center). It fails if L is
// singular.
func (w *Whitening) Inverse() (func(z, x []float64), error) {
	var inverse mat.Dense
	// A warning of a large condition number is no fault: units may differ widely.
	var condition mat.Condition
	if err := inverse.Inverse(w.Matrix()); err != nil && (!errors.As(err, &condition) || math.IsInf(float64(condition), 1)) {
		return nil, fmt.Errorf("the whitening is singular: %w", err)
	}
	return func(z, x []float64) {
		for i := range z {
			z[i] = 0
			for j := range x {
				z[i] += inverse.At(i, j) * (x[j] - w.Center[j])
			}
		}
	}, nil
}

// A frame is the coordinates z that replicas move in: those x of the problem, whitened,
// or the dual ones of a mirror map. Draws are told in x, or in what the chart makes of it.
type frame struct {
	whitening *Whitening    // nil is none
	mirror    domain.Mirror // nil is none
	chart     *Chart        // nil is none
	inverse   func(z, x []float64)

	x, point []float64 // the workspace
}

// newFrame is that of a problem and its settings; its inverse is found by invert.
func newFrame(p Problem, s Settings) (f frame, err error) {
	f.whitening, f.chart = s.Whitening, p.Chart
	if !s.Mirror {
		return f, nil
	}
	if p.Domain == nil {
		return f, errors.New("a mirror map needs a domain")
	}
	f.mirror, err = domain.NewMirror(p.Domain)
	return f, err
}

// own returns f with a workspace for states of dimension n that are told by so many
// numbers.
func (f frame) own(n, told int) frame {
	f.x, f.point = make([]float64, n), make([]float64, told)
	return f
}

// invert finds the map from x to z.
func (f *frame) invert() (err error) {
	switch {
	case f.mirror != nil:
		f.inverse = f.mirror.Dual
	case f.whitening != nil:
		f.inverse, err = f.whitening.Inverse()
	default:
		f.inverse = func(z, x []float64) { copy(z, x) }
	}
	return err
}

// potential is u, of x, as a potential of z. The dual coordinates of a mirror map depend
// on the temperature.
func (f *frame) potential(u potential.Potential, tau float64) potential.Potential {
	if f.mirror != nil {
		u = potential.Mirrored(u, f.mirror, tau)
	}
	if w := f.whitening; w != nil {
		u = potential.Affine(u, w.Center, w.L)
	}
	return u
}

// domain is d, of x and nil for all of space, as a domain of z.
func (f *frame) domain(d domain.Domain) (domain.Domain, error) {
	if d == nil || f.mirror != nil {
		return nil, nil
	}
	if w := f.whitening; w != nil {
		return domain.Affine(d, w.Center, w.Matrix())
	}
	return d, nil
}

// out maps z to x. It returns z or the workspace.
func (f *frame) out(z []float64) []float64 {
	if f.mirror != nil {
		f.mirror.Primal(f.x, z)
		return f.x
	}
	w := f.whitening
	if w == nil {
		return z
	}
	for j, row := range w.L {
		sum := w.Center[j]
		for i, v := range row {
			sum += v * z[i]
		}
		f.x[j] = sum
	}
	return f.x
}

// shown maps z to what draws are told in. It returns z or the workspace.
func (f *frame) shown(z []float64) []float64 {
	x := f.out(z)
	if f.chart == nil {
		return x
	}
	f.chart.Point(f.point, x)
	return f.point
}
