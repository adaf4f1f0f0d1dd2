package domain_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/domain"
)

// built returns d, or fails.
func built[D domain.Domain](d D, err error) domain.Domain {
	if err != nil {
		panic(err)
	}
	return d
}

// The inequalities of a domain say of a point what Contains does, unless it lies
// within rounding of a wall. It kills: a wall left out, coordinates of a part taken
// in another order, a radius for its inverse square, lines through edges the wrong way
// round, and images with the map or its centre left out.
func TestInequalitiesOf(t *testing.T) {
	inf := math.Inf(1)
	box := built(domain.NewBox([]float64{-1, -inf, 0}, []float64{0.5, 1, inf}))
	ball := built(domain.NewBall([]float64{0.3, -0.2}, 0.8))
	ellipsoid := built(domain.NewEllipsoid([]float64{0, 0.1, 0.2}, mat.NewSymDense(3, []float64{2, 0.5, 0, 0.5, 1, 0.3, 0, 0.3, 0.7})))
	polytope := built(domain.NewPolytope([][]float64{{1, 2, 0}, {-3, 1, 1}, {0, 0, -1}}, []float64{1, 2, 0.5}, nil))
	octagon := built(domain.NewOctagon(1.2))
	inner := built(domain.NewProduct(3, domain.Part{Domain: ball, At: []int{2, 0}},
		domain.Part{Domain: built(domain.NewBox([]float64{-0.5}, []float64{1})), At: []int{1}}))
	turned := mat.NewDense(3, 3, []float64{0.9, 0.3, 0, -0.4, 0.8, 0.2, 0.1, 0.5, 1.2})
	all := []domain.Domain{box, ball, ellipsoid, polytope, octagon, inner,
		built(domain.NewSimplex(3, 1.5)),
		built(domain.NewPolygon([][2]float64{{-1, -1}, {-0.5, 1}, {1.5, 0.5}})),
		built(domain.NewProduct(5, domain.Part{Domain: inner, At: []int{4, 1, 0}}, domain.Part{Domain: octagon, At: []int{3, 2}})),
		built(domain.NewIntersection(box, ellipsoid, inner, polytope)),
		built(domain.Affine(inner, []float64{0.1, -0.3, 0.2}, turned)),
		built(domain.NewProduct(4, domain.Part{Domain: built(domain.Affine(inner, []float64{0, 0.2, 0}, turned)), At: []int{3, 0, 2}}))}
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom(all).Draw(t, "domain")
		x := rapid.SliceOfN(rapid.Float64Range(-1.5, 1.5), d.Dim(), d.Dim()).Draw(t, "x")
		s, err := domain.InequalitiesOf(d)
		if err != nil {
			t.Fatal(err)
		}
		worst := -inf
		for i, a := range s.A {
			v := -s.B[i]
			for j, c := range a {
				v += c * x[j]
			}
			worst = max(worst, v)
		}
		for _, q := range s.Quadratic {
			worst = max(worst, excess(q, x))
		}
		if math.Abs(worst) > 1e-12 && d.Contains(x) != (worst < 0) {
			t.Errorf("%T: the inequalities leave %g at %v, and it contains it: %v", d, -worst, x, d.Contains(x))
		}
	})
	if s, err := domain.InequalitiesOf(nil); err != nil || len(s.A)+len(s.Quadratic) > 0 {
		t.Errorf("all of space: %v, %v", s, err)
	}
}

// excess is (x − c)ᵀQ(x − c) − 1.
func excess(q domain.Quadratic, x []float64) float64 {
	v, n := -1.0, len(q.At)
	for j, at := range q.At {
		if q.Q == nil {
			v += (1 / (q.R * q.R)) * (x[at] - q.C[j]) * (x[at] - q.C[j])
			continue
		}
		for k, to := range q.At {
			v += (x[at] - q.C[j]) * q.Q[j*n+k] * (x[to] - q.C[k])
		}
	}
	return v
}

// Domains with other walls, and corners that point inwards, are told, within
// products and intersections too.
func TestInequalitiesOfOthers(t *testing.T) {
	flower := built(domain.NewFlower(5, 3, 1))
	cross := built(domain.NewCross(1))
	ball := built(domain.NewBall([]float64{0, 0}, 1))
	for _, d := range []domain.Domain{flower, cross, built(domain.NewIntersection(ball, cross)),
		built(domain.NewProduct(4, domain.Part{Domain: ball, At: []int{0, 1}}, domain.Part{Domain: flower, At: []int{2, 3}}))} {
		if s, err := domain.InequalitiesOf(d); err == nil {
			t.Errorf("%T: %v", d, s)
		}
	}
}
