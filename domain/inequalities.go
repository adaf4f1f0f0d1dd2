package domain

import "fmt"

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
	Q  []float64 // by rows, of length len(At)²; that of a ball of radius R if it is nil
	R  float64
}

// InequalitiesOf returns the walls of d: those of boxes, half-spaces, polytopes,
// simplices, balls, ellipsoids and convex polygons, of their products, intersections and
// affine images. It fails for domains of other kinds; d may be nil, all of space. A
// domain tells its own by a method Inequalities() (*Inequalities, error); of one that
// half-spaces describe they follow from these.
func InequalitiesOf(d Domain) (*Inequalities, error) {
	if d == nil {
		return &Inequalities{}, nil
	}
	if m, ok := d.(interface{ Inequalities() (*Inequalities, error) }); ok {
		return m.Inequalities()
	}
	if h, ok := linearOf(d); ok {
		return &Inequalities{A: h.A, B: h.B}, nil
	}
	hint := ""
	if _, ok := d.(*implicit); ok {
		hint = ". Of constraints the linear ones alone are: x^2 + y^2 <= 4 is a ball where it is written as one"
	}
	return nil, fmt.Errorf("%s is no set of linear inequalities and convex quadratic ones (inside a ball, not outside of it): give boxes, "+
		"half-spaces, "+
		"polytopes, simplices, balls, ellipsoids, or their products and intersections%s", kindOf(d), hint)
}

// add adds the walls of a domain of the coordinates at among n.
func (s *Inequalities) add(d Domain, at []int, n int) error {
	t, err := InequalitiesOf(d)
	if err != nil {
		return err
	}
	for i, row := range t.A {
		s.row(row, t.B[i], at, n)
	}
	for _, q := range t.Quadratic {
		inner := make([]int, len(q.At))
		for j, k := range q.At {
			inner[j] = at[k]
		}
		q.At = inner
		s.Quadratic = append(s.Quadratic, q)
	}
	return nil
}

// row adds a row of the coordinates at among n.
func (s *Inequalities) row(row []float64, b float64, at []int, n int) {
	a := make([]float64, n)
	for j, k := range at {
		a[k] = row[j]
	}
	s.A, s.B = append(s.A, a), append(s.B, b)
}

// each returns 0, 1 … n − 1.
func each(n int) []int {
	at := make([]int, n)
	for i := range at {
		at[i] = i
	}
	return at
}
