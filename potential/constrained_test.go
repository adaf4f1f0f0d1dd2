package potential

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/domain"
)

// corner is a lopsided tetrahedron cut out of R³, with its projection.
func corner() func() func(near, x []float64) bool {
	p := must(domain.NewPolytope([][]float64{{-1, 0, 0.2}, {0, -2, 0}, {0.3, 0, -1}, {1, 2, 1}}, []float64{0, 0.1, 0, 2}, nil))
	return must(domain.Projection(p))
}

// differences checks that grad is the gradient of value at x, by central
// differences of step 1e-5, good to 1e-8 here where the third derivatives are at
// most 100 or (at the walls' shadows) jump by at most ξ = 50: 1e-5·50/2 = 2.5e-4.
func differences(t *rapid.T, tolerance float64, grad, x []float64, value func(x []float64) float64) {
	const h = 1e-5
	for j := range x {
		at := x[j]
		x[j] = at + h
		up := value(x)
		x[j] = at - h
		down := value(x)
		x[j] = at
		if want := (up - down) / (2 * h); math.Abs(grad[j]-want) > tolerance {
			t.Fatalf("∂/∂%d at %v is %v, differences say %v", j, x, grad[j], want)
		}
	}
}

// The energy is U + ½ξ dist² and the gradient is its own, on every state of a
// block; inside, nothing is added. A penalty without the ½, or one with the
// gradient of the wrong sign, disagrees with itself by half and twice ξ·dist.
func TestDistance(t *testing.T) {
	project := corner()
	rapid.Check(t, func(t *rapid.T) {
		xi, r := rapid.Float64Range(0.1, 50).Draw(t, "ξ"), rapid.IntRange(1, 3).Draw(t, "states")
		p := Distance(uneven, xi, project)
		block, one := p.Evaluator(r, nil), p.Evaluator(1, nil)
		x := rapid.SliceOfN(rapid.Float64Range(-2, 2), 3*r, 3*r).Draw(t, "x")
		energy, grad := make([]float64, r), make([]float64, 3*r)
		block.Eval(energy, grad, x)
		near, g := project(), make([]float64, 3)
		value := func(x []float64) float64 {
			u := []float64{0}
			one.Eval(u, make([]float64, 3), x)
			return u[0]
		}
		for i := range r {
			z, dz, q := make([]float64, 3), make([]float64, 3), make([]float64, 3)
			for j := range z {
				z[j], dz[j] = x[j*r+i], grad[j*r+i]
			}
			want := uneven.(scalar).f(g, z)
			if near(q, z) {
				d := math.Hypot(math.Hypot(z[0]-q[0], z[1]-q[1]), z[2]-q[2])
				want += xi * d * d / 2
			} else if [3]float64(dz) != [3]float64(g) {
				t.Fatalf("the gradient at %v inside is %v, want %v", z, dz, g)
			}
			if math.Abs(energy[i]-want) > 1e-12*(1+math.Abs(want)) {
				t.Fatalf("U(%v) = %v, want %v", z, energy[i], want)
			}
			differences(t, 3e-4, dz, z, value)
		}
	})
}

// In dual coordinates the energy is that of the point, and the gradient that of
// U(x(y)) − τ log|det J|. Without the determinant, with it on the wrong side or
// without τ it is off by up to τ(d + 1).
func TestMirrored(t *testing.T) {
	box := must(domain.NewBox([]float64{-1, 0, -2}, []float64{0.5, 1, 1}))
	simplex := must(domain.NewSimplex(3, 1.5))
	for _, d := range []domain.Domain{box, simplex} {
		m := must(domain.NewMirror(d))
		rapid.Check(t, func(t *rapid.T) {
			tau, r := rapid.Float64Range(0, 3).Draw(t, "τ"), rapid.IntRange(1, 3).Draw(t, "states")
			e := Mirrored(uneven, m, tau).Evaluator(r, nil)
			y := rapid.SliceOfN(rapid.Float64Range(-5, 5), 3*r, 3*r).Draw(t, "y")
			energy, grad := make([]float64, r), make([]float64, 3*r)
			e.Eval(energy, grad, y)
			x, g := make([]float64, 3), make([]float64, 3)
			for i := range r {
				z, dz := make([]float64, 3), make([]float64, 3)
				for j := range z {
					z[j], dz[j] = y[j*r+i], grad[j*r+i]
				}
				if m.Primal(x, z); energy[i] != uneven.(scalar).f(g, x) {
					t.Fatalf("U(x(%v)) is %v", z, energy[i])
				}
				differences(t, 1e-6, dz, z, func(z []float64) float64 {
					m.Primal(x, z)
					return uneven.(scalar).f(g, x) - tau*m.LogDet(z)
				})
			}
		})
	}
}

// An evaluation allocates nothing.
func TestConstrainedAllocateNothing(t *testing.T) {
	m := must(domain.NewMirror(must(domain.NewSimplex(3, 1))))
	energy, grad, x := make([]float64, 2), make([]float64, 6), []float64{0.3, -0.4, 0.5, 3, -0.2, 0.7}
	for i, p := range []Potential{Distance(uneven, 2, corner()), Mirrored(uneven, m, 2)} {
		e := p.Evaluator(2, nil)
		if n := testing.AllocsPerRun(100, func() { e.Eval(energy, grad, x) }); n != 0 {
			t.Errorf("%d: %v allocations", i, n)
		}
	}
}

func ExampleDistance() {
	disc, err := domain.NewBall([]float64{0, 0}, 1)
	if err != nil {
		panic(err)
	}
	project, err := domain.Projection(disc)
	if err != nil {
		panic(err)
	}
	flat := Func(2, func(grad, x []float64) float64 { clear(grad); return 0 })
	energy, grad := make([]float64, 1), make([]float64, 2)
	Distance(flat, 10, project).Evaluator(1, nil).Eval(energy, grad, []float64{3, 4})
	fmt.Printf("%.0f %.0f\n", energy, grad) // 4 from the disc: 10·4²/2
	// Output: [80] [24 32]
}

func ExampleMirrored() {
	interval, err := domain.NewBox([]float64{0}, []float64{2})
	if err != nil {
		panic(err)
	}
	m, err := domain.NewMirror(interval)
	if err != nil {
		panic(err)
	}
	tilted := Func(1, func(grad, x []float64) float64 { grad[0] = 3; return 3 * x[0] })
	energy, grad := make([]float64, 1), make([]float64, 1)
	Mirrored(tilted, m, 1).Evaluator(1, nil).Eval(energy, grad, []float64{0})
	fmt.Println(energy, grad) // y = 0 is x = 1, where ∂x/∂y is ½ and the determinant greatest
	// Output: [3] [1.5]
}
