package domain

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// A shape is a test domain with what is known about it exactly.
type shape struct {
	name     string
	d        Domain
	inside   []float64 // a point well inside
	inradius float64   // radius of the largest ball inside (or a lower bound of it)
	size     float64   // about the diameter
	volume   float64   // exact; 0 when not known
	// mean and second are E x_i and E x_i² under the uniform law, exact to 1e-6;
	// nil when Ω is unbounded.
	mean, second []float64
	// cdf is the distribution function of coordinate 0 under the uniform law,
	// exact to 1e-6, or nil.
	cdf func(x float64) float64
	// curved says that the rule nearest is visibly biased on this shape: the
	// same test that specular passes must fail under nearest.
	curved bool
	// far says that Nearest is not known.
	far bool
}

// testShapes returns every test domain.
func testShapes(t testing.TB) []shape {
	return append(append(solidShapes(t), planeShapes(t)...), implicitShapes(t)...)
}

// solidShapes returns the test domains that are no plane curves or polygons.
func solidShapes(t testing.TB) []shape {
	inf := math.Inf(1)
	half := must[Domain](t)(NewIntersection(must[*ball](t)(NewBall([]float64{0, 0}, 1.5)),
		must[*polytope](t)(NewHalfSpace([]float64{-2, 0}, 0))))
	return []shape{
		boxShape(t, "interval", []float64{-1}, []float64{2}),
		boxShape(t, "box2", []float64{-1, 0}, []float64{0.5, 3}),
		boxShape(t, "box3", []float64{-1, 0, 5}, []float64{0.5, 3, 5.25}),
		triangleShape(t, "triangle", [3][2]float64{{0, 0}, {3, 0}, {0.5, 1}}, 0.35),
		triangleShape(t, "wedge", [3][2]float64{{0, 0}, {2, -0.1}, {2, 0.25}}, 0.14),
		tetrahedronShape(t),
		{name: "simplex", d: must[*simplex](t)(NewSimplex(3, 2)), inside: []float64{0.4, 0.4, 0.4},
			inradius: 0.4, size: 2.8, volume: 8. / 6, mean: []float64{0.5, 0.5, 0.5}, second: []float64{0.4, 0.4, 0.4},
			cdf: func(x float64) float64 { return 1 - math.Pow(1-x/2, 3) }},
		ballShape(t, "disk", []float64{0.3, -2}, 1.5, func(u float64) float64 {
			return 0.5 + (u*math.Sqrt(1-u*u)+math.Asin(u))/math.Pi
		}),
		ballShape(t, "ball3", []float64{0.3, -2, 1}, 0.7, ballCDF),
		ballShape(t, "ball5", []float64{0, 1, 2, 3, 4}, 2, nil),
		ellipsoidShape(t),
		productShape(t),
		{name: "half disk", d: half, inside: []float64{0.7, 0}, inradius: 0.7, size: 3, volume: math.Pi * 1.125,
			mean: []float64{2 / math.Pi, 0}, second: []float64{0.5625, 0.5625}, curved: true,
			cdf: func(x float64) float64 {
				u := x / 1.5
				return 2 * (u*math.Sqrt(1-u*u) + math.Asin(u)) / math.Pi
			}},
		mappedShape(t),
		turnedBoxShape(t),
		{name: "half-space", d: must[*polytope](t)(NewHalfSpace([]float64{1, -2, 0.5}, 0.3)),
			inside: []float64{0, 1, 0}, inradius: 1, size: 1},
		{name: "quadrant", d: must[*box](t)(NewBox([]float64{0, -inf, -inf}, []float64{inf, 1, inf})),
			inside: []float64{1, 0, 0}, inradius: 1, size: 1},
		{name: "open wedge", d: must[*polytope](t)(NewPolytope([][]float64{{0, -1}, {-1, 8}}, []float64{0, 0}, nil)),
			inside: []float64{10, 0.6}, inradius: 0.6, size: 1},
		{name: "free product", d: must[*product](t)(NewProduct(3, Part{must[*ball](t)(NewBall([]float64{1}, 1)), []int{2}})),
			inside: []float64{0, 0, 1}, inradius: 1, size: 2},
	}
}

// ballCDF is the distribution function of a coordinate in the unit ball of R³.
func ballCDF(u float64) float64 { return 0.5 + (3*u-u*u*u)/4 }

func boxShape(t testing.TB, name string, lo, hi []float64) shape {
	s := shape{name: name, d: must[*box](t)(NewBox(lo, hi)), inradius: math.Inf(1), size: distance(lo, hi), volume: 1}
	for i, l := range lo {
		h := hi[i]
		s.inside = append(s.inside, (l+h)/2)
		s.mean = append(s.mean, (l+h)/2)
		s.second = append(s.second, (l*l+l*h+h*h)/3)
		s.inradius = math.Min(s.inradius, (h-l)/2)
		s.volume *= h - l
	}
	s.cdf = func(x float64) float64 { return (x - lo[0]) / (hi[0] - lo[0]) }
	return s
}

// triangleShape is a triangle, counterclockwise, as a polytope.
func triangleShape(t testing.TB, name string, v [3][2]float64, inradius float64) shape {
	var a [][]float64
	var b []float64
	for i, p := range v {
		q := v[(i+1)%3]
		row := []float64{q[1] - p[1], p[0] - q[0]}
		a, b = append(a, row), append(b, dot(row, p[:]))
	}
	s := shape{name: name, d: must[*polytope](t)(NewPolytope(a, b, nil)), inradius: inradius, size: 3}
	s.volume, s.mean, s.second = polygonMoments(v[:])
	s.inside = s.mean
	s.cdf = func(x float64) float64 { return areaLeftOf(v[:], x) / s.volume }
	return s
}

// tetrahedronShape is x = Vλ over the unit simplex, lopsided.
func tetrahedronShape(t testing.TB) shape {
	v := [4][]float64{{0, 0, 0}, {2, 0.3, 0}, {-0.5, 1, 0.2}, {0.4, 0.3, 1.5}}
	// λ = V⁻¹x ≥ 0, Σλ ≤ 1.
	m := mat.NewDense(3, 3, nil)
	for j := range 3 {
		m.SetCol(j, v[j+1])
	}
	var inv mat.Dense
	if err := inv.Inverse(m); err != nil {
		t.Fatal(err)
	}
	sum := make([]float64, 3)
	var a [][]float64
	for i := range 3 {
		row := make([]float64, 3)
		for j := range 3 {
			row[j] = -inv.At(i, j)
			sum[j] += inv.At(i, j)
		}
		a = append(a, row)
	}
	s := shape{name: "tetrahedron", d: must[*polytope](t)(NewPolytope(append(a, sum), []float64{0, 0, 0, 1}, nil)),
		inradius: 0.2, size: 2.5, volume: math.Abs(mat.Det(m)) / 6}
	for i := range 3 {
		one, two := 0.0, 0.0
		for _, p := range v {
			one += p[i]
			two += p[i] * p[i]
		}
		s.mean = append(s.mean, one/4)
		s.second = append(s.second, (two+one*one)/20)
	}
	s.inside = s.mean
	return s
}

func ballShape(t testing.TB, name string, c []float64, r float64, cdf func(u float64) float64) shape {
	d := float64(len(c))
	s := shape{name: name, d: must[*ball](t)(NewBall(c, r)), inside: c, inradius: r, size: 2 * r, mean: c, curved: true,
		volume: math.Exp(logBall(len(c))) * math.Pow(r, d)}
	for _, v := range c {
		s.second = append(s.second, v*v+r*r/(d+2))
	}
	if cdf != nil {
		s.cdf = func(x float64) float64 { return cdf((x - c[0]) / r) }
	}
	return s
}

func ellipsoidShape(t testing.TB) shape {
	c := []float64{1, -1, 0.5}
	// A⁻¹ of half-axes 2, 1, 0.4, turned.
	inv := mat.NewSymDense(3, []float64{2.2, 1.2, 0.1, 1.2, 1.4, -0.2, 0.1, -0.2, 0.3})
	var a mat.SymDense
	var ch mat.Cholesky
	if !ch.Factorize(inv) || ch.InverseTo(&a) != nil {
		t.Fatal("the matrix is not positive definite")
	}
	s := shape{name: "ellipsoid", d: must[*ellipsoid](t)(NewEllipsoid(c, &a)), inside: c, inradius: 0.4, size: 3.5, mean: c, curved: true,
		volume: 4 * math.Pi / 3 * math.Sqrt(mat.Det(inv))}
	for i, v := range c {
		s.second = append(s.second, v*v+inv.At(i, i)/5)
	}
	s.cdf = func(x float64) float64 { return ballCDF((x - 1) / math.Sqrt(2.2)) }
	return s
}

// productShape is a disk in coordinates 3 and 0 and a box in 1 and 2.
func productShape(t testing.TB) shape {
	disk := must[*ball](t)(NewBall([]float64{2, 0.5}, 0.8))
	box := must[*box](t)(NewBox([]float64{-1, 0}, []float64{1, 0.7}))
	return shape{name: "product", d: must[*product](t)(NewProduct(4, Part{disk, []int{3, 0}}, Part{box, []int{1, 2}})),
		inside: []float64{0.5, 0, 0.35, 2}, inradius: 0.35, size: 2.5, volume: math.Pi * 0.64 * 1.4,
		mean:   []float64{0.5, 0, 0.35, 2},
		second: []float64{0.25 + 0.16, 1. / 3, 0.49 / 3, 4 + 0.16}, curved: true,
		cdf: func(x float64) float64 {
			u := (x - 0.5) / 0.8
			return 0.5 + (u*math.Sqrt(1-u*u)+math.Asin(u))/math.Pi
		}}
}

// mappedShape is a cylinder behind a full matrix.
func mappedShape(t testing.TB) shape {
	disk := must[*ball](t)(NewBall([]float64{1, 0}, 1.2))
	box := must[*box](t)(NewBox([]float64{-1}, []float64{0.5}))
	p := must[*product](t)(NewProduct(3, Part{disk, []int{0, 2}}, Part{box, []int{1}}))
	l := mat.NewDense(3, 3, []float64{1, 0, 0, 0.5, 0.8, 0, -0.3, 0.4, 1.5})
	c := []float64{0.2, -0.1, 0.4}
	d := must[Domain](t)(Affine(p, c, l))
	mean, variance := []float64{1, -0.25, 0}, []float64{0.36, 2.25 / 12, 0.36}
	s := shape{name: "mapped", d: d, inradius: 0.4, size: 3, curved: true, far: true, volume: math.Pi * 1.44 * 1.5 / 1.2}
	s.inside = d.(*mapped).a.back(mean)
	s.mean = s.inside
	inv := d.(*mapped).a.inv
	for i, m := range s.mean {
		v := m * m
		for j, w := range variance {
			v += inv.At(i, j) * inv.At(i, j) * w
		}
		s.second = append(s.second, v)
	}
	return s
}

// turnedBoxShape is a box behind a full matrix: a parallelepiped with six faces.
func turnedBoxShape(t testing.TB) shape {
	b := boxShape(t, "", []float64{-1, 0, 2}, []float64{1, 3, 2.5})
	l := mat.NewDense(3, 3, []float64{2, 0.3, 0, 0.1, 1, -0.4, 0, 0.2, 0.5})
	d := must[Domain](t)(Affine(b.d, []float64{0, 1, 0}, l))
	var inv mat.Dense
	if err := inv.Inverse(l); err != nil {
		t.Fatal(err)
	}
	a := &affine{c: []float64{0, 1, 0}, l: l, inv: &inv}
	s := shape{name: "turned box", d: d, mean: a.back(b.mean), inradius: 0.4, size: 5, volume: b.volume / math.Abs(mat.Det(l))}
	for i, m := range s.mean {
		v := m * m
		for j := range b.mean {
			v += inv.At(i, j) * inv.At(i, j) * (b.second[j] - b.mean[j]*b.mean[j])
		}
		s.second = append(s.second, v)
	}
	s.inside = s.mean
	return s
}

// No domain has no bounds.
func TestBoundsOf(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		d      Domain
		lo, hi float64
	}{{nil, -inf, inf}, {must[*ball](t)(NewBall([]float64{1, 1}, 2)), -1, 3}} {
		lo, hi := BoundsOf(c.d, 2)
		if lo[0] != c.lo || lo[1] != c.lo || hi[0] != c.hi || hi[1] != c.hi {
			t.Errorf("%T: %v and %v", c.d, lo, hi)
		}
	}
}
