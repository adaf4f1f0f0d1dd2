package tune

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
)

// A density that is infinite at a wall is told though no draw is in the layer where its
// slopes are steep; one that is finite is not, however steep and wherever its mass is: a
// law within a millionth of the wall, a slope without bound of a finite density, a mode at
// 5, and one whose infinite corner holds next to nothing. The same holds of poles inside and
// of cusps. Draws are of the law of x by inverse distribution functions or nearly so, those
// of the layer left out; y is normal.
//
// Mutants: no points on the way but the draw; slopes in place of their product with the
// distance; ways that end where U turns.
func TestInfinite(t *testing.T) {
	half := box(t, []float64{0, math.Inf(-1)}, []float64{math.Inf(1), math.Inf(1)})
	sides := func(p float64) (side, q float64) { return math.Copysign(1, p-0.5), math.Abs(2*p - 1) }
	for _, c := range []struct {
		name   string
		within domain.Domain
		want   bool
		u      func(x float64) (slope float64)
		draw   func(p float64) float64
	}{
		{"x^-0.5 e^-x", half, true, func(x float64) float64 { return 0.5/x + 1 }, func(p float64) float64 { return 0.01 + p*p*2 }},
		{"x^-0.9 in units of 1e-9", half, true, func(x float64) float64 { return 0.9/x + 1e9 },
			func(p float64) float64 { return 1e-9 * (1e-3 + math.Pow(p, 10)) }},
		{"exponential", half, false, func(float64) float64 { return 1 }, func(p float64) float64 { return -math.Log1p(-p) }},
		{"exponential, a millionth wide", half, false, func(float64) float64 { return 1e6 },
			func(p float64) float64 { return -1e-6 * math.Log1p(-p) }},
		{"e^-50√x", half, false, func(x float64) float64 { return 25 / math.Sqrt(x) }, func(p float64) float64 { return 2.5e-3 * p * p }},
		{"x^2 e^-x", half, false, func(x float64) float64 { return 1 - 2/x }, func(p float64) float64 { return 1 - 2*math.Log1p(-p) }},
		{"a mode at 5, infinite at 0", half, false, func(x float64) float64 { return 0.5/x + 5*(x-5) },
			func(p float64) float64 { return 5 + 2*(p-0.5) }},
		{"|x-0.3|^-0.7", nil, true, func(x float64) float64 { return 0.7 / (x - 0.3) }, func(p float64) float64 {
			side, q := sides(p)
			return 0.3 + side*math.Pow(0.01+0.99*q, 1/0.3)
		}},
		{"Laplace", nil, false, func(x float64) float64 { return math.Copysign(1, x) }, func(p float64) float64 {
			side, q := sides(p)
			return -side * math.Log1p(-q)
		}},
		{"e^-√|x|", nil, false, func(x float64) float64 { return math.Copysign(0.5/math.Sqrt(math.Abs(x)), x) }, func(p float64) float64 {
			side, q := sides(p)
			return side * 9 * q * q
		}},
		{"Cauchy", nil, false, func(x float64) float64 { return 2 * x / (1 + x*x) },
			func(p float64) float64 { return math.Tan(math.Pi * (p - 0.5)) }},
	} {
		u := potential.Func(2, func(grad, x []float64) float64 {
			grad[0], grad[1] = c.u(x[0]), x[1]
			return 0
		})
		rng := rand.New(rand.NewPCG(1, 2))
		x := make([]float64, 0, 8*mostStates)
		for i := range 4 * mostStates {
			x = append(x, c.draw((float64(i)+0.5)/(4*mostStates)), rng.NormFloat64())
		}
		if got := newProbe(u, 1).infinite(c.within, x, 2, math.MaxInt); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func box(t *testing.T, lo, hi []float64) domain.Domain {
	t.Helper()
	b, err := domain.NewBox(lo, hi)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Method auto tells of poles inside, on lines and at points as well, whatever the seed, and
// not of what is smooth or has a cusp.
//
// Mutants: straight ways alone; ways that end where U turns.
func TestPolesInside(t *testing.T) {
	pace.Slow(t)
	for u, want := range map[string]bool{
		"0.7*log(abs(x)) + 0*y":                 true,
		"0.3*log(abs(x-0.3137)) + 0*y":          true,
		"0.7*log(abs(x-y))":                     true,
		"1.2*log((x-0.3137)^2+(y+0.1)^2)/2 + x": true,
		"0.5*log(abs(x^2+y^2-0.5))":             true,
		"3*abs(x) + y^2/2":                      false,
		"8*(x^2+y^2)^0.25":                      false,
		"20*((1.5*x)^2-1)^2 + y^2/2":            false,
		"2*log(1+(9*x)^2/3) + y":                false,
		"8*x^2 + 60*(y-x^2)^2":                  false,
	} {
		p := formula(t, u, box(t, []float64{-1, -1}, []float64{1, 1}))
		for seed := uint64(1); seed <= pace.Soak[uint64](2, 20); seed++ {
			f, _, _, err := Options{}.warmUp(t.Context(), p, r2sgld.Settings{Seed: seed, Ladders: 4}, Until{}.WithDefaults(1000))
			if err != nil || f.Singular != want {
				t.Errorf("%s, seed %d: told %v, error %v", u, seed, f != nil && f.Singular, err)
			}
		}
	}
}

// Differences by which curvatures are measured stay inside a narrow domain far from the
// origin, and steps fit it: draws have the law of x^-0.5 there, but for the layer that steps
// hardly enter, and are told of.
//
// Mutant: differences as long as those of wide domains.
func TestPoleFarFromTheOrigin(t *testing.T) {
	for _, at := range []float64{0, 1000} {
		w := 1e-6 * max(at, 1e-3)
		u := potential.Func(1, func(g, x []float64) float64 {
			g[0] = 0.5 / (x[0] - at + w)
			return 0.5 * math.Log(x[0]-at+w)
		})
		p := r2sgld.Problem{Potential: u, Domain: box(t, []float64{at - w}, []float64{at + w})}
		f, err := Tune(t.Context(), p, r2sgld.Settings{Seed: 1, Ladders: 4}, nil, func(*Found) error { return nil })
		if err != nil || !f.Singular {
			t.Errorf("near %g: %+v, error %v", at, f, err)
		}
	}
}

// The warm-up tells it, and so does what looks at a run of given length, of draws in the
// coordinates of the potential alone: those of a chart are other numbers, and of others.
func TestInfiniteAtWallOfRuns(t *testing.T) {
	half := box(t, []float64{0}, []float64{math.Inf(1)})
	p := r2sgld.Problem{Domain: half, Potential: potential.Func(1, func(grad, x []float64) float64 {
		grad[0] = 0.5/x[0] + 1
		return 0.5*math.Log(x[0]) + x[0]
	})}
	s := r2sgld.Settings{Seed: 1, Ladders: 4, Start: []float64{1}}
	s.Kernel = kernel.HMC{Leapfrog: 10} // whose trajectories do not enter the layer
	f, err := Tune(context.Background(), p, s, nil, func(*Found) error { return nil })
	if err != nil || !f.Singular {
		t.Errorf("%v: a density that is infinite at 0 is not told", err)
	}
	res, err := r2sgld.Sample(context.Background(), p,
		r2sgld.Settings{Seed: 1, Ladders: 4, Start: []float64{1}, StepSize: []float64{1e-2}, Iterations: 4000})
	if err != nil {
		t.Fatal(err)
	}
	if !Singular(p, r2sgld.Settings{Seed: 1}, res) {
		t.Error("a run of given length")
	}
	p.Chart = &r2sgld.Chart{Point: func(x, y []float64) { x[0] = y[0] }}
	if Singular(p, r2sgld.Settings{Seed: 1}, res) {
		t.Error("draws of a chart are taken for states")
	}
}

// Slopes that grow without bound at a wall where the density falls to 0 drive draws back, and are
// harmless to trajectories; where the density is infinite they are not, nor are those of a spike.
//
// Mutants: all are harmless; so is what drives draws away; so is what lies deep.
func TestRepelled(t *testing.T) {
	var falls, grows, spike, edge, inside []point
	for i := range mostStates {
		x := (float64(i) + 0.001) / mostStates
		falls = append(falls, point{at: []float64{x, 0}, slope: []float64{-1 / x, 0}, energy: -math.Log(x)})
		grows = append(grows, point{at: []float64{x, 0}, slope: []float64{1 / x, 0}, energy: math.Log(x)})
		z := x - 0.5005
		spike = append(spike, point{at: []float64{x, 0}, slope: []float64{z / (z*z + 1e-9), 0}, energy: math.Log(z*z+1e-9) / 2})
		z = x + 1e-7 - 0.001/mostStates // a spike whose middle the first draw has just passed
		inside = append(inside, point{at: []float64{x, 0}, slope: []float64{1, 0}, energy: x})
		edge = append(edge, point{at: []float64{x, 0}, slope: []float64{z / (z*z + 1e-14), 0}, energy: math.Log(z*z+1e-14) / 2})
	}
	edge[0].slope[0] *= -1
	inside[mostStates-2].slope[0] = 1e6 // high, but not at the end
	for name, c := range map[string]struct {
		seen []point
		want bool
	}{"falls to 0": {falls, false}, "infinite": {grows, true}, "spike": {spike, true}, "spike at the edge": {edge, true},
		"high inside": {inside, true}} {
		if !singular(c.seen, nil) || singular(c.seen, repelled) != c.want {
			t.Errorf("%s: singular %v, with what is repelled aside %v, want true and %v", name, singular(c.seen, nil),
				singular(c.seen, repelled), c.want)
		}
	}
}
