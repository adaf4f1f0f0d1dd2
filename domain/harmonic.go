package domain

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Inequalities are the walls of a domain that linear and quadratic inequalities
// describe: it is the set of all x with A[i]·x ≤ B[i] and (x − C)ᵀQ(x − C) ≤ 1 for
// every quadratic one, up to the rounding of the transformations.
type Inequalities struct {
	A         [][]float64 // rows of length d, none of them zero
	B         []float64
	Quadratic []Quadratic
}

// A Quadratic is the inequality Σ_jk (x_at[j] − c_j) Q_jk (x_at[k] − c_k) ≤ 1, Q
// symmetric and positive definite on the coordinates that it speaks of; of an affine
// image of a product, on as many directions.
type Quadratic struct {
	At []int     // the coordinates that it speaks of
	C  []float64 // as many
	Q  []float64 // by rows, of length len(At)²; Scale·I if it is nil
	// Scale is 1/r² of a ball; used where Q is nil.
	Scale float64
}

// InequalitiesOf returns the walls of d: those of boxes, half-spaces, polytopes,
// simplices, balls, ellipsoids and convex polygons, of their products, intersections and
// affine images. It fails for domains of other kinds; d may be nil, all of space.
func InequalitiesOf(d Domain) (*Inequalities, error) {
	s := &Inequalities{}
	if d == nil {
		return s, nil
	}
	at := make([]int, d.Dim())
	for i := range at {
		at[i] = i
	}
	if err := s.add(d, at, len(at)); err != nil {
		return nil, err
	}
	return s, nil
}

// add adds the walls of a domain of the coordinates at among n.
func (s *Inequalities) add(d Domain, at []int, n int) error {
	switch d := d.(type) {
	case *Ball:
		s.Quadratic = append(s.Quadratic, Quadratic{At: at, C: d.c, Scale: 1 / (d.r * d.r)})
		return nil
	case *Ellipsoid:
		s.Quadratic = append(s.Quadratic, Quadratic{At: at, C: d.c, Q: d.a})
		return nil
	case *Polygon:
		if !d.convex() {
			return fmt.Errorf("a %s with corners that point inwards is no set of linear and quadratic inequalities", d.name)
		}
		s.edges(d, at, n)
		return nil
	case *mapped:
		return s.image(d, at, n)
	case *Product:
		for _, q := range d.parts {
			inner := make([]int, len(q.At))
			for j, k := range q.At {
				inner[j] = at[k]
			}
			if err := s.add(q.Domain, inner, n); err != nil {
				return err
			}
		}
		return nil
	case *Intersection:
		for _, m := range d.members {
			if err := s.add(m, at, n); err != nil {
				return err
			}
		}
		return nil
	}
	h, ok := linearOf(d)
	if !ok {
		return fmt.Errorf("a domain of type %T is no set of linear and quadratic inequalities: give boxes, half-spaces, polytopes, simplices, balls, ellipsoids, or their products and intersections", d)
	}
	for i, row := range h.a {
		a := make([]float64, n)
		for j, k := range at {
			a[k] = row[j]
		}
		s.A, s.B = append(s.A, a), append(s.B, h.b[i])
	}
	return nil
}

// edges adds the lines through the edges of a convex polygon.
func (s *Inequalities) edges(p *Polygon, at []int, n int) {
	for i, v := range p.v {
		w := p.v[(i+1)%len(p.v)]
		x, y := w[1]-v[1], v[0]-w[0] // outwards: the vertices run counter-clockwise
		l := math.Hypot(x, y)
		a := make([]float64, n)
		a[at[0]], a[at[1]] = x/l, y/l
		s.A, s.B = append(s.A, a), append(s.B, x/l*v[0]+y/l*v[1])
	}
}

// image adds the walls of the z with c + Lz in a domain: linear ones as (Lᵀa)·z ≤
// b − a·c, quadratic ones with LᵀQL about a z that c + Lz takes to their middle.
func (s *Inequalities) image(d *mapped, at []int, n int) error {
	inner, err := InequalitiesOf(d.d)
	if err != nil {
		return err
	}
	for i, row := range inner.A {
		z, b := d.a.row(row, inner.B[i])
		a := make([]float64, n)
		for j, k := range at {
			a[k] = z[j]
		}
		s.A, s.B = append(s.A, a), append(s.B, b)
	}
	m := len(at)
	for _, q := range inner.Quadratic {
		k := len(q.At)
		rows := mat.NewDense(k, m, nil)
		off, centre := mat.NewVecDense(m, nil), mat.NewVecDense(m, nil)
		for i, j := range q.At {
			rows.SetRow(i, d.a.l.RawRowView(j))
			off.SetVec(j, q.C[i]-d.a.c[j])
		}
		centre.MulVec(d.a.inv, off)
		product := mat.NewDense(m, m, nil)
		if q.Q == nil {
			product.Mul(rows.T(), rows)
			product.Scale(q.Scale, product)
		} else {
			product.Product(rows.T(), mat.NewDense(k, k, q.Q), rows)
		}
		s.Quadratic = append(s.Quadratic, Quadratic{At: at, C: centre.RawVector().Data, Q: product.RawMatrix().Data})
	}
	return nil
}
