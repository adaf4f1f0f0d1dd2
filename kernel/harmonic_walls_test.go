package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/stream"
)

// Four walls at a time are the walls one by one, bit for bit.
func TestHarmonicWideIsOneByOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	same := func(a, b []float64) bool {
		for i, v := range a {
			if math.Float64bits(v) != math.Float64bits(b[i]) {
				return false
			}
		}
		return true
	}
	for _, rows := range []int{16, 32, 160} {
		for _, cols := range []int{1, 3, 50} {
			panel, x, y := normals(rng, rows*cols), normals(rng, cols), normals(rng, cols)
			a, b, c, d := make([]float64, rows), make([]float64, rows), make([]float64, rows), make([]float64, rows)
			products(a, b, panel, x, y)
			productsOneByOne(c, d, panel, x, y)
			if !same(a, c) || !same(b, d) {
				t.Errorf("%d × %d: products differ", rows, cols)
			}
		}
		slack, rate, h, row := normals(rng, rows), normals(rng, rows), normals(rng, rows), normals(rng, rows)
		for i := range slack {
			slack[i] *= slack[i]
		}
		slack[3], rate[3], h[3], row[3] = 0, 0, 0, 0
		slack2, rate2 := append([]float64(nil), slack...), append([]float64(nil), rate...)
		turn := newRotation(0.3)
		advance(slack, rate, h, row, turn, 0.7)
		advanceOneByOne(slack2, rate2, h, row, turn, 0.7)
		if !same(slack, slack2) || !same(rate, rate2) {
			t.Errorf("%d walls: they are taken along differently", rows)
		}
		for i := 0; i < rows; i += nearWalls {
			for _, twice := range []float64{0, 0.01, 0.3, 2} {
				far := make([]float64, rows)
				for k := range far {
					far[k] = slack[k] + 1
				}
				for _, h := range [][]float64{h, far} {
					if a, b := near(slack, rate, h, i, twice), nearOneByOne(slack, rate, h, i, twice); a != b {
						t.Errorf("%d walls from %d: near at %d and %d", rows, i, a, b)
					}
				}
			}
		}
	}
}

// A box of 540 coordinates has 1,080 walls, too many for the products of all pairs,
// and sparse ones. Means of 15 truncated normals, 36 coordinates and 100 draws each:
// |z| < 6, 15 scores of 2e-9 each (of errors known to 5 %). It kills: a sparse
// product with elements left out.
func TestManyWalls(t *testing.T) {
	const n = 540
	lo, hi := make([]float64, n), make([]float64, n)
	for j := range n {
		lo[j], hi[j] = -1-float64(j%3), 0.5
	}
	box := must(domain.NewBox(lo, hi))
	precision := mat.NewSymDense(n, nil)
	for j := range n {
		precision.SetSym(j, j, 1+float64(j%5))
	}
	f := must(newFlow(&gaussian{Mean: make([]float64, n), Precision: precision}, box, Harmonic{}))
	if f.plane.gram != nil || f.plane.a.panel != nil || f.root.panel != nil {
		t.Fatal("1,080 sparse walls are kept as few dense ones")
	}
	o := f.Orbit()
	b, at := NewBlock(1, n), NewAt(1)
	(&Schedule{StepSize: []float64{1}, Temperature: []float64{1}}).Set(at, 1)
	noise := stream.New(4, 0).Lanes(1, stream.Kernel)
	// Coordinate j is a normal of variance 1/(1+j%5) on [−1 − j%3, ½].
	var sum, square [15]float64
	hits := 0
	const draws = 100
	for range draws {
		o.Move(b, at, noise)
		hits += b.Hits[0]
		for c := range sum {
			mean := 0.0
			for j := c; j < n; j += 15 {
				mean += b.X[j] / (n / 15)
			}
			sum[c] += mean / draws
			square[c] += mean * mean / draws
		}
		if o.Stuck[0] {
			t.Fatal("stuck")
		}
	}
	for c := range sum {
		s := math.Sqrt(float64(1 + c%5))
		phi := func(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }
		cdf := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
		a, e := s*(-1-float64(c%3)), s*0.5
		want := (phi(a) - phi(e)) / (cdf(e) - cdf(a)) / s
		// Draws are negatively correlated, if at all.
		if z := (sum[c] - want) / math.Sqrt((square[c]-sum[c]*sum[c])/draws); !(math.Abs(z) < 6) {
			t.Errorf("law %d: mean %.4f, want %.4f (z = %.1f)", c, sum[c], want, z)
		}
	}
	t.Logf("%d mirrorings a draw", hits/draws)
}

// An end near a wall is shown to the domain, and the replica stays if it lies
// outside. It kills: an end that is not looked at.
func TestHarmonicEndsAreLookedAt(t *testing.T) {
	g := &gaussian{Mean: []float64{0}, Precision: mat.NewSymDense(1, []float64{1})}
	f := must(newFlow(g, must(domain.NewBox([]float64{-1}, []float64{1})), Harmonic{}))
	f.inside = must(domain.NewBox([]float64{-0.9}, []float64{0.9}))
	for i := range f.plane.margin {
		f.plane.margin[i] = 1e-3
	}
	const n = 2000
	o, b, at, noise := f.Orbit(), NewBlock(n, 1), NewAt(1), stream.New(6, 0).Lanes(n, stream.Kernel)
	clear(b.Rung)
	(&Schedule{StepSize: []float64{1}, Temperature: []float64{1}}).Set(at, 1)
	o.Move(b, at, noise)
	near, stuck := 0, 0
	for i, x := range b.X {
		if o.Stuck[i] {
			stuck++
			if x != 0 {
				t.Errorf("a replica that is stuck is at %g", x)
			}
		}
		if math.Abs(x) > 0.998 { // the margin is 1e-3 (1 + 1)(1 + mirrorings)
			near++
		}
	}
	if stuck == 0 || near > 0 {
		t.Errorf("%d replicas are stuck, %d within the margin of a wall", stuck, near)
	}
}
