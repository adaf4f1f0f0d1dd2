package domain

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/internal/pace"
)

func diagonal(v ...float64) *mat.SymDense {
	s := mat.NewSymDense(len(v), nil)
	for i, x := range v {
		s.SetSym(i, i, x)
	}
	return s
}

func TestConstructorsRefuse(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	_, turned := NewProduct(2, Part{must[*box](t)(NewBox([]float64{0}, []float64{1})), []int{0, 1}})
	_, twice := NewProduct(2, Part{must[*box](t)(NewBox([]float64{0, 0}, []float64{1, 1})), []int{1, 1}})
	_, beyond := NewProduct(1, Part{must[*box](t)(NewBox([]float64{0}, []float64{1})), []int{1}})
	_, nothing := NewIntersection()
	_, unlike := NewIntersection(must[*box](t)(NewBox([]float64{0}, []float64{1})), must[*simplex](t)(NewSimplex(2, 1)))
	_, singular := Affine(must[*simplex](t)(NewSimplex(2, 1)), []float64{0, 0}, mat.NewDense(2, 2, []float64{1, 1, 1, 1}))
	_, shape := Affine(must[*simplex](t)(NewSimplex(2, 1)), []float64{0}, mat.NewDense(2, 2, []float64{1, 0, 0, 1}))
	fail := func(_ any, err error) error { return err }
	for name, err := range map[string]error{
		"empty box":           fail(NewBox(nil, nil)),
		"box bounds":          fail(NewBox([]float64{1}, []float64{1})),
		"box NaN":             fail(NewBox([]float64{nan}, []float64{1})),
		"box lengths":         fail(NewBox([]float64{0, 0}, []float64{1})),
		"box width":           fail(NewBox([]float64{-1e308}, []float64{1e308})),
		"box at infinity":     fail(NewBox([]float64{inf}, []float64{inf})),
		"half-space zero":     fail(NewHalfSpace([]float64{0, 0}, 1)),
		"half-space NaN":      fail(NewHalfSpace([]float64{1, nan}, 1)),
		"polytope empty":      fail(NewPolytope(nil, nil, nil)),
		"polytope ragged":     fail(NewPolytope([][]float64{{1}, {1, 2}}, []float64{1, 1}, nil)),
		"polytope right side": fail(NewPolytope([][]float64{{1}}, []float64{inf}, nil)),
		"polytope names":      fail(NewPolytope([][]float64{{1}}, []float64{1}, []string{"a", "b"})),
		"ball radius":         fail(NewBall([]float64{0}, -1)),
		"ball NaN":            fail(NewBall([]float64{nan}, 1)),
		"ellipsoid sign":      fail(NewEllipsoid([]float64{0, 0}, diagonal(1, -1))),
		"ellipsoid size":      fail(NewEllipsoid([]float64{0}, diagonal(1, 1))),
		"ellipsoid singular":  fail(NewEllipsoid([]float64{0, 0}, diagonal(1, 1e-16))),
		"simplex":             fail(NewSimplex(0, 1)),
		"simplex total":       fail(NewSimplex(2, 0)),
		"product part":        turned,
		"product twice":       twice,
		"product beyond":      beyond,
		"no members":          nothing,
		"unlike members":      unlike,
		"singular map":        singular,
		"map shape":           shape,
	} {
		if err == nil || !strings.Contains(err.Error(), ":") {
			t.Errorf("%s: error %v, want a remedy", name, err)
		}
	}
}

// Interior finds points inside every shape with room around them.
func TestInterior(t *testing.T) {
	for _, s := range testShapes(t) {
		rng := rand.New(rand.NewPCG(1, 1))
		x, err := Interior(t.Context(), s.d, rng)
		if err != nil || !s.d.Contains(x) {
			t.Errorf("%s: %v, %v", s.name, x, err)
			continue
		}
		if s.far {
			continue
		}
		if r := depth(s.d.Tracer(), x); !(r > 0.1*s.inradius) {
			t.Errorf("%s: %v is only %g inside, the inradius is %g", s.name, x, r, s.inradius)
		}
	}
	// Mixed linear and curved, far from the origin and small.
	far := must[Domain](t)(NewIntersection(must[*ball](t)(NewBall([]float64{1000, -1000}, 1)),
		must[*polytope](t)(NewHalfSpace([]float64{-1, 0}, -1000.95)), must[*ball](t)(NewBall([]float64{1000, -999.8}, 1))))
	if x, err := Interior(t.Context(), far, rand.New(rand.NewPCG(1, 1))); err != nil || !far.Contains(x) {
		t.Errorf("lens: %v, %v", x, err)
	}
	apart := must[Domain](t)(NewIntersection(must[*ball](t)(NewBall([]float64{0, 0}, 1)), must[*ball](t)(NewBall([]float64{3, 0}, 1))))
	if x, err := Interior(t.Context(), apart, rand.New(rand.NewPCG(1, 1))); !errors.Is(err, ErrNoInterior) {
		t.Errorf("two balls apart: %v, %v", x, err)
	}
}

// Unlike units in the coordinates do not make a domain look empty.
func TestInteriorOfUnlikeUnits(t *testing.T) {
	p := must[*polytope](t)(NewPolytope([][]float64{{-1, 0}, {1, 0}, {0, -1}, {0, 1}, {1e9, 1e-9}},
		[]float64{0, 1e-9, 0, 1e9, 1.5}, nil))
	x, err := Interior(t.Context(), p, rand.New(rand.NewPCG(1, 1)))
	if err != nil || !p.Contains(x) {
		t.Fatalf("%v, %v", x, err)
	}
	lo, hi := make([]float64, 2), make([]float64, 2)
	p.Bounds(lo, hi)
	if math.Abs(hi[0]-1e-9) > 1e-16 || math.Abs(hi[1]-1e9) > 1 || math.Abs(lo[0]) > 1e-16 || math.Abs(lo[1]) > 1 {
		t.Errorf("bounds %v %v", lo, hi)
	}
}

// Contradictory rows are found as an irreducible set, with names.
func TestEmptyPolytopeNamesTheContradiction(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	p := must[*polytope](t)(NewPolytope(
		[][]float64{{0, 1}, {-1, 0}, {1, 1}, {-1, -1}, {0, -1}, {1, 0}},
		[]float64{50, -3, 2, 90, 0, 10},
		[]string{"y < 50", "x > 3", "x + y < 2", "x + y > -90", "y > 0", "x < 10"}))
	_, err := Interior(t.Context(), p, rng)
	var e *EmptyError
	if !errors.As(err, &e) || !slices.Equal(e.Constraints, []int{1, 2, 4}) || e.Thin {
		t.Fatalf("%v (%+v)", err, e)
	}
	if want := `the domain is empty: "x > 3" and "x + y < 2" and "y > 0" exclude each other`; !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	if _, err := Uniform(t.Context(), p); !errors.As(err, &e) {
		t.Errorf("uniform law on nothing: %v", err)
	}
	thin := must[Domain](t)(NewIntersection(must[*polytope](t)(NewHalfSpace([]float64{1}, 0)),
		must[*polytope](t)(NewHalfSpace([]float64{-1}, 0))))
	if _, err := Interior(t.Context(), thin, rng); !errors.As(err, &e) || !e.Thin || len(e.Names) != 2 ||
		!strings.Contains(err.Error(), "no interior") {
		t.Errorf("x ≤ 0 and x ≥ 0: %v", err)
	}
	mixed := must[Domain](t)(NewIntersection(must[*ball](t)(NewBall([]float64{0, 0}, 9)), p))
	if _, err := Interior(t.Context(), mixed, rng); !errors.As(err, &e) || !slices.Equal(e.Constraints, []int{2, 3, 5}) {
		t.Errorf("behind a ball: %v %+v", err, e)
	}
}

// A constraint without a name is written in the coordinates of the whole.
func TestContradictionOfParts(t *testing.T) {
	part := must[*box](t)(NewBox([]float64{2.5}, []float64{math.Inf(1)}))
	p := must[*product](t)(NewProduct(3, Part{part, []int{2}}))
	d := must[Domain](t)(NewIntersection(p, must[*polytope](t)(NewHalfSpace([]float64{0, -2, 1}, 1)),
		must[*polytope](t)(NewHalfSpace([]float64{0, 1, 0}, 0.5))))
	_, err := Interior(t.Context(), d, rand.New(rand.NewPCG(1, 1)))
	var e *EmptyError
	if want := []string{"x2 >= 2.5", "-2*x1 + x2 <= 1", "x1 <= 0.5"}; !errors.As(err, &e) || !slices.Equal(e.Names, want) {
		t.Errorf("%v, want %q", err, want)
	}
}

// Random sets of half-spaces: Interior either returns a point inside or an
// irreducible contradiction.
func TestInteriorOrContradiction(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, m := rapid.IntRange(1, 4).Draw(t, "d"), rapid.IntRange(1, 12).Draw(t, "m")
		var a [][]float64
		var b []float64
		for range m {
			row := make([]float64, d)
			for j := range row {
				row[j] = float64(rapid.IntRange(-3, 3).Draw(t, "a"))
			}
			if norm(row) == 0 {
				row[0] = 1
			}
			a, b = append(a, row), append(b, float64(rapid.IntRange(-5, 5).Draw(t, "b")))
		}
		p, err := NewPolytope(a, b, nil)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(1, 1))
		x, err := Interior(t.Context(), p, rng)
		if err == nil {
			if !p.Contains(x) || depth(p.Tracer(), x) <= 0 {
				t.Fatalf("%v is not inside", x)
			}
			return
		}
		var e *EmptyError
		if !errors.As(err, &e) {
			t.Fatal(err)
		}
		for k := range e.Constraints { // irreducible
			var ra [][]float64
			var rb []float64
			for j, i := range e.Constraints {
				if j != k {
					ra, rb = append(ra, a[i]), append(rb, b[i])
				}
			}
			if len(ra) == 0 {
				t.Fatal("one row cannot be empty")
			}
			q, err := NewPolytope(ra, rb, nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Interior(t.Context(), q, rng); err != nil {
				t.Fatalf("%v is not irreducible: without %d: %v", e.Constraints, e.Constraints[k], err)
			}
		}
	})
}

// Volumes agree with the exact ones: closed forms to rounding, estimates within
// 4.9 standard errors.
func TestVolume(t *testing.T) {
	pace.Slow(t)
	for _, s := range testShapes(t) {
		log, se, err := Volume(t.Context(), s.d, rand.New(rand.NewPCG(2, 3)))
		if s.mean != nil && s.volume == 0 {
			continue // not known
		}
		if s.mean == nil {
			if err == nil {
				t.Errorf("%s: an unbounded domain has the volume %g", s.name, math.Exp(log))
			}
			continue
		}
		if off := log - math.Log(s.volume); err != nil || math.Abs(off) > 4.9*se+1e-12 || se > 0.02 {
			t.Errorf("%s: log volume off by %g, standard error %g, %v", s.name, off, se, err)
		}
	}
}

// A simplex given as a polytope of eight dimensions, 1/8! of its box, and of forty:
// billiard paths and cooled normal laws agree with the closed forms, and so do those in
// a turned cube of thirty. It kills: paths that are too short, a first law of another
// mass, momenta that walls do not mirror.
func TestHopelessRejection(t *testing.T) {
	pace.Slow(t)
	rng := rand.New(rand.NewPCG(6, 2))
	held := func(d Domain, want float64) {
		log, se, err := Volume(t.Context(), d, rng)
		if err != nil || math.Abs(log-want) > 4.9*se || se > 0.15 {
			t.Errorf("%d dimensions: log volume %g ± %g, want %g: %v", d.Dim(), log, se, want, err)
		}
	}
	for _, d := range []int{8, 40} {
		g, _ := math.Lgamma(float64(d) + 1)
		held(drawsOfSimplex(t, d, pace.Soak(1000, 20_000)), -g)
	}
	const d = 30
	var a [][]float64
	for k := range d { // reflections of the axes in a plane through the origin
		row := make([]float64, d)
		for j := range row {
			row[j] = -2 / float64(d)
		}
		row[k]++
		back := make([]float64, d)
		for j, v := range row {
			back[j] = -v
		}
		a = append(a, row, back)
	}
	b := make([]float64, 2*d)
	for i := range b {
		b[i] = 1 + float64(i%2)
	}
	held(must[*polytope](t)(NewPolytope(a, b, nil)), d*math.Log(3))
}

// drawsOfSimplex compares n uniform draws from the simplex of d dimensions, given as a
// polytope, with their law, as if they were independent.
func drawsOfSimplex(t *testing.T, d, n int) *polytope {
	h, _ := must[*simplex](t)(NewSimplex(d, 1)).HalfSpaces()
	p := must[*polytope](t)(NewPolytope(h.A, h.B, h.Names))
	law := must[*Law](t)(Uniform(t.Context(), p))
	if !math.IsInf(law.Tries, 1) {
		t.Fatal("drawn by rejection")
	}
	rng := rand.New(rand.NewPCG(5, 2))
	x := make([]float64, d)
	var sum, squares float64
	for range n {
		if err := law.Draw(t.Context(), x, rng); err != nil || !p.Contains(x) {
			t.Fatal(x, err)
		}
		sum += x[3]
		squares += x[3] * x[3]
	}
	// x_3 is Beta(1, d). The sd of its square, too, follows from the moments.
	k := float64(d)
	mean := 1 / (k + 1)
	second := 2 / ((k + 1) * (k + 2))
	fourth := 24 / ((k + 1) * (k + 2) * (k + 3) * (k + 4))
	z1 := (sum/float64(n) - mean) / math.Sqrt((second-mean*mean)/float64(n))
	z2 := (squares/float64(n) - second) / math.Sqrt((fourth-second*second)/float64(n))
	if math.Abs(z1) > 4.9 || math.Abs(z2) > 4.9 {
		t.Errorf("%d dimensions: z %.2f, %.2f", d, z1, z2)
	}
	return p
}

// Membership and the end of a step are the same in z as in x.
func TestAffineAgreesWithItsDomain(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for _, s := range testShapes(t) {
		d := len(s.inside)
		for _, full := range []bool{false, true} {
			l, c := mat.NewDense(d, d, nil), make([]float64, d)
			for i := range d {
				c[i] = rng.NormFloat64()
				for j := range d {
					if full && i > j {
						l.Set(i, j, 0.5*rng.NormFloat64())
					}
				}
				l.Set(i, i, (0.5+rng.Float64())*float64(1-2*(i%2)))
			}
			m, err := Affine(s.d, c, l)
			if err != nil {
				t.Fatalf("%s: %v", s.name, err)
			}
			var inv mat.Dense
			if err := inv.Inverse(l); err != nil {
				t.Fatal(err)
			}
			a := &affine{c: c, l: l, inv: &inv}
			z, x := make([]float64, d), make([]float64, d)
			lo, hi := make([]float64, d), make([]float64, d)
			m.Bounds(lo, hi)
			for range 2000 {
				for i, v := range a.back(s.inside) {
					z[i] = v + 0.5*s.size*rng.NormFloat64()
				}
				a.apply(x, z, true)
				in := m.Contains(z)
				if in != s.d.Contains(x) {
					t.Fatalf("%s (full %v): %v is inside %v, its image %v %v", s.name, full, z, in, x, s.d.Contains(x))
				}
				for i, v := range z {
					if in && (v < lo[i]-1e-9 || v > hi[i]+1e-9) {
						t.Fatalf("%s: %v is out of bounds %v, %v", s.name, z, lo, hi)
					}
				}
			}
		}
	}
}

func TestSection(t *testing.T) {
	box := must[*box](t)(NewBox([]float64{0, 0, math.Inf(-1)}, []float64{1, 2, math.Inf(1)}))
	p := must[*polytope](t)(NewPolytope([][]float64{{1, 1, 0}, {1, 1, 1}}, []float64{1, 0}, nil))
	both := &intersection{members: []Domain{box, p, must[*ball](t)(NewBall([]float64{0, 0, 0}, 1.5))}}
	tube := must[Surface](t)(NewQuadric([]float64{0, 0, 0}, -1, nil, [][]float64{{2, 0, 0}, {0, 0, 0}, {0, 0, 2}}))
	bowl := must[Surface](t)(NewQuadric([]float64{0, 0, 0}, 0, []float64{0, 0, -1}, [][]float64{{2, 0, 0}, {0, 2, 0}, {0, 0, 0}}))
	inf := math.Inf(1)
	curved := must[*implicit](t)(NewImplicit([]Surface{tube, bowl}, []string{"x² + z² ≤ 1", "x² + y² ≤ z"}, []float64{-inf, -inf, -inf},
		[]float64{inf, inf, inf}))
	for _, c := range []struct {
		d    Domain
		i, j int
		x, y float64
		want bool
	}{
		{curved, 0, 2, 0.6, 0.7, true}, {curved, 0, 2, 0.8, 0.7, false}, {curved, 2, 0, 0.7, 0.8, false},
		{box, 0, 1, 0.5, 1.5, true}, {box, 1, 0, 1.5, 0.5, true}, {box, 1, 0, 0.5, 1.5, false}, {box, 0, 2, 0.5, 99, true},
		{p, 0, 1, 0.4, 0.5, true}, {p, 0, 1, 0.6, 0.5, false},
		{both, 0, 1, 0.4, 0.5, true}, {both, 0, 1, 0.6, 0.5, false}, {both, 0, 2, 0.1, 1.6, false},
		{productShape(t).d, 0, 3, 0.5, 2.7, true}, {productShape(t).d, 3, 0, 0.5, 2.7, false},
		{productShape(t).d, 0, 1, 1.2, 0.9, true}, {productShape(t).d, 0, 1, 1.2, 1.1, false},
		{ellipsoidShape(t).d, 0, 2, 2.4, 0.5, true}, {ellipsoidShape(t).d, 0, 2, 2.6, 0.5, false},
		{must[*simplex](t)(NewSimplex(4, 1)), 2, 0, 0.6, 0.6, false},
	} {
		f := Section(c.d, c.i, c.j)
		if f == nil || f(c.x, c.y) != c.want {
			t.Errorf("%T %d, %d: (%g, %g) should be %v", c.d, c.i, c.j, c.x, c.y, c.want)
		}
	}
	if Section(p, 0, 2) != nil || Section(p, 1, 1) != nil || Section(curved, 0, 1) != nil {
		t.Error("no constraint speaks of these coordinates alone")
	}
}
