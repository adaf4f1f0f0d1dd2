package domain

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Inside, a projection is the identity bit for bit. Outside, no point of Ω is
// nearer than its point p, which lies on the wall; where Ω is convex, p satisfies
// (x − p)·(u − p) ≤ 0 for all u ∈ Ω, as the nearest point alone does (kills a
// product or an intersection that projects onto the violated member alone).
func TestProjection(t *testing.T) {
	rng := rand.New(rand.NewPCG(42, 1))
	disc := solidShapes(t)[12]
	if disc.name != "half disk" {
		t.Fatal(disc.name)
	}
	nested := disc
	nested.name, nested.inside = "product with a half disk", []float64{0, 0.7, 0.2}
	nested.d = must[*product](t)(NewProduct(3, Part{disc.d, []int{1, 0}}, Part{must[*box](t)(NewBox([]float64{0}, []float64{1})), []int{2}}))
	for _, s := range append(append(solidShapes(t), nested), planeShapes(t)...) {
		if s.far || s.mean == nil {
			continue
		}
		d := len(s.inside)
		project := must[func() func(p, x []float64) bool](t)(Projection(s.d))()
		law := must[*Law](t)(Uniform(t.Context(), s.d))
		x, p, u, q := make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d)
		for range 200 {
			for i, v := range s.inside {
				x[i] = v + s.size*rng.NormFloat64()
			}
			if outside := project(p, x); outside == s.d.Contains(x) {
				t.Fatalf("%s: outside is %v at %v", s.name, outside, x)
			} else if !outside {
				if !same(p, x) {
					t.Fatalf("%s: %v inside became %v", s.name, x, p)
				}
				continue
			}
			for i := range q { // on the wall: beyond p it is outside
				q[i] = p[i] + 1e-7*(x[i]-p[i])
			}
			if s.d.Contains(q) {
				t.Fatalf("%s: %v, the projection of %v, is not on the wall", s.name, p, x)
			}
			if project(u, p); distance(u, p) > 1e-12*s.size { // p ∈ Ω but for rounding
				t.Fatalf("%s: %v, the projection of %v, is %g away from Ω", s.name, p, x, distance(u, p))
			}
			gap := distance(x, p)
			for range 40 {
				if err := law.Draw(t.Context(), u, rng); err != nil {
					t.Fatal(err)
				}
				c := 0.0
				for i := range u {
					c += (x[i] - p[i]) * (u[i] - p[i])
				}
				if distance(u, x) < gap-1e-9*s.size || Convex(s.d) && c > 1e-9*s.size*gap {
					t.Fatalf("%s: %v is not the projection of %v: see %v", s.name, p, x, u)
				}
			}
		}
	}
}

// From nowhere and from where squares overflow there is no nearest point; a box
// clamps all the same. Open sides stay open.
func TestProjectionFromFarAway(t *testing.T) {
	inf := math.Inf(1)
	box := must[*box](t)(NewBox([]float64{-1, -inf}, []float64{inf, 2}))
	disc := must[*ball](t)(NewBall([]float64{0, 0}, 1))
	for _, d := range []Domain{box, disc, must[*polygon](t)(NewStar(1)), must[*curve](t)(NewHeart(1)), must[*simplex](t)(NewSimplex(2, 1))} {
		project := must[func() func(p, x []float64) bool](t)(Projection(d))()
		p := make([]float64, 2)
		for _, x := range [][]float64{{math.NaN(), 0}, {0, math.NaN()}, {inf, 0}, {0, -inf}, {-1e200, -1e200}} {
			if !project(p, x) && d != Domain(box) {
				t.Errorf("%T: %v is inside", d, x)
			}
			if want := []float64{-1, -1e200}; d == Domain(box) && x[0] == -1e200 {
				if !same(p, want) {
					t.Errorf("%T: %v became %v", d, x, p)
				}
			} else if !math.IsNaN(p[0]) || !math.IsNaN(p[1]) {
				t.Errorf("%T: %v became %v", d, x, p)
			}
		}
	}
}

func TestProjectionIsRefused(t *testing.T) {
	star := must[*polygon](t)(NewStar(1))
	disc := must[*ball](t)(NewBall([]float64{0, 0}, 1))
	mapped := must[Domain](t)(Affine(star, []float64{0, 0}, mat.NewDense(2, 2, []float64{1, 0.5, 0, 2})))
	for _, d := range []Domain{
		implicitShapes(t)[0].d, mapped,
		must[Domain](t)(NewIntersection(disc, star)),
		must[Domain](t)(NewIntersection(disc, mapped)),
		must[*product](t)(NewProduct(2, Part{mapped, []int{0, 1}})),
	} {
		if _, err := Projection(d); !errors.Is(err, ErrNoNearest) {
			t.Errorf("%T: %v", d, err)
		} else {
			t.Log(err)
		}
	}
}

func TestProjectionsAllocateNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(42, 2))
	for _, s := range testShapes(t) {
		of, err := Projection(s.d)
		if err != nil {
			continue
		}
		project, d := of(), len(s.inside)
		x, p := make([]float64, d), make([]float64, d)
		step := func() {
			for i, v := range s.inside {
				x[i] = v + 0.7*s.size*rng.NormFloat64()
			}
			project(p, x)
		}
		for range 50 { // workspaces grow
			step()
		}
		if n := testing.AllocsPerRun(100, step); n != 0 {
			t.Errorf("%s: %v allocations", s.name, n)
		}
	}
}
