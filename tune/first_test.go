package tune

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/potential"
)

// straight are energies of the uniform law on [0, 1] where U = c x.
func straight(c float64) []float64 {
	u := make([]float64, 800)
	for i := range u {
		u[i] = c * (float64(i) + 0.5) / float64(len(u))
	}
	return u
}

// swapOfStraight is the swap probability between uniform law and β where U = c x,
// a = βc: ∫∫ exp(−a max(x, y)) dx dy over ∫ exp(−a y) dy.
func swapOfStraight(a float64) float64 {
	return 2 * (1 - math.Exp(-a)*(1+a)) / (a * a) / ((1 - math.Exp(-a)) / a)
}

// Sums over 800 points are within their spacing, a/800 relative. Mutants: the weight
// of the cold rung left out, of the other sign, or β in place of Δβ doubled.
func TestAcceptOfAStraightPotential(t *testing.T) {
	for _, a := range []float64{0.01, 1, 5, 20} {
		if got, want := accept(straight(2*a), 0.5), swapOfStraight(a); math.Abs(got/want-1) > a/800+1e-6 {
			t.Errorf("a = %g: %g, want %g", a, got, want)
		}
	}
}

// The first ladder: its hottest pair rejects a half, the others have one ratio, at
// most that of a half for a normal law. Mutants: the bisection turned; the cold
// end missed; the uniform law not appended.
func TestReach(t *testing.T) {
	const d = 4
	u := straight(1000)
	b := reach(u, 2, d)
	n := len(b)
	if b[0] != 2 || b[n-1] != 0 || n < 4 {
		t.Fatalf("ladder %v", b)
	}
	if r := accept(u, b[n-2]); math.Abs(r-0.5) > 1e-6 {
		t.Errorf("the hottest pair accepts %g", r)
	}
	if r := swapOfStraight(1000 * b[n-2]); math.Abs(r-0.5) > 0.005 {
		t.Errorf("the hottest pair accepts %g by the formula", r)
	}
	for i := 2; i < n-1; i++ {
		if math.Abs(b[i]/b[i-1]/(b[1]/b[0])-1) > 1e-9 {
			t.Errorf("not geometric: %v", b)
		}
	}
	if want := int(math.Ceil(math.Log(2/b[n-2])*math.Sqrt(d/(2*math.Pi))/0.5)) + 2; n != want {
		t.Errorf("%d rungs, want %d", n, want)
	}
	if b := reach(straight(0.1), 2, d); len(b) != 2 || b[0] != 2 || b[1] != 0 {
		t.Errorf("a weak potential needs one pair: %v", b)
	}
}

// Inverse temperatures whose products are 0 are found all the same. Mutant: the root of
// the product.
func TestReachOfHighEnergies(t *testing.T) {
	pace.Slow(t)
	const high = 1e290
	u := straight(1)
	for i := range u {
		u[i] *= high
	}
	b := reach(u, 1, 1)
	if r := accept(u, b[len(b)-2]); math.Abs(r-0.5) > 1e-6 {
		t.Errorf("the hottest pair, at inverse temperature %g, accepts %g", b[len(b)-2], r)
	}
}

// What energies are too large for numbers says where they grow, and what to do. Mutants:
// the first energy in place of the highest; said of all energies.
func TestHeights(t *testing.T) {
	for _, c := range []struct {
		power float64 // of 2x, of which 0 to 1 is the domain
		told  bool
	}{{1000, true}, {10, false}} {
		box, err := domain.NewBox([]float64{0}, []float64{1})
		if err != nil {
			t.Fatal(err)
		}
		p := r2sgld.Problem{Domain: box, Potential: potential.Func(1, func(grad, x []float64) float64 {
			u := math.Pow(2*x[0], c.power)
			grad[0] = c.power * u / x[0]
			return u
		})}
		tn, err := newTuner(context.Background(), p, r2sgld.Settings{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		want, x := "", slices.Max(tn.fill)
		if c.told {
			want = fmt.Sprintf("The energy grows to %.2g, at (%.4g)", math.Pow(2*x, c.power), x)
		}
		if said := tn.heights(); c.told != (said != "") || !strings.HasPrefix(said, want) {
			t.Errorf("%q, want %q", said, want)
		}
	}
}

// Mutants: τ in place of β; the width as a variance; no limit at infinite
// temperature.
func TestDiffusion(t *testing.T) {
	cases := []struct{ stiff, beta, widest, want float64 }{
		{100, 1, 10, 2 * Bias / 100},
		{100, 0.5, 10, 2 * Bias / 50},
		{1e-3, 1, 0.2, 0.02},
		{0, 1, 0.2, 0.02},
		{100, 0, 0.2, 0.02},
		{math.Inf(1), 1, 1, 0},
	}
	for _, c := range cases {
		if got := (&tuner{}).diffusion(c.stiff, c.beta, c.widest); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("%+v: %g", c, got)
		}
	}
}

// A box filled with a grid is as wide as its smallest side, in any coordinates; a
// whitening that undoes the sides makes it as wide as that of a unit cube.
// Mutants: largest eigenvalue; L not inverted; √12 left out.
func TestWidth(t *testing.T) {
	var x []float64
	const n = 40
	for i := range n {
		for j := range n {
			x = append(x, 5*(float64(i)+0.5)/n, 0.01*(float64(j)+0.5)/n)
		}
	}
	if w := width(x, 2, nil); math.Abs(w/0.01-1) > 0.01 {
		t.Errorf("width %g", w)
	}
	w := &r2sgld.Whitening{Center: []float64{0, 0}, L: [][]float64{{5, 0}, {0, 0.01}}}
	if w := width(x, 2, w); math.Abs(w-1) > 0.01 {
		t.Errorf("whitened: %g", w)
	}
	turned := make([]float64, len(x))
	for i := 0; i < len(x); i += 2 {
		turned[i], turned[i+1] = 0.6*x[i]-0.8*x[i+1], 0.8*x[i]+0.6*x[i+1]
	}
	if w := width(turned, 2, nil); math.Abs(w/0.01-1) > 0.01 {
		t.Errorf("turned: %g", w)
	}
	if c := covariance(x, 2); !mat.EqualApprox(c, mat.NewDiagDense(2, []float64{25. / 12, 1e-4 / 12}), 1e-2) {
		t.Errorf("covariance %v", mat.Formatted(c))
	}
}
