package domain

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// The first crossing with sums of exponentials of both signs and with products of
// them, along paths of all lengths: nothing outside of 500 samples before it, and
// outside just behind it. It kills bounds of the second derivative that do not hold,
// and a search that takes hundreds of evaluations.
func TestQuadricCrossings(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 1))
	all := []float64{-20, -20, -20}
	x, dir, y := make([]float64, 3), make([]float64, 3), make([]float64, 3)
	met, most := 0, 0
	for range pace.Soak(2000, 100000) {
		length := math.Exp(5*rng.Float64() - 3)
		for k := range x {
			x[k], dir[k] = rng.NormFloat64(), length*rng.NormFloat64()
		}
		h := make([][]float64, 3)
		for i := range h {
			h[i] = make([]float64, 3)
		}
		if rng.IntN(2) == 0 {
			for i := range h {
				for j := range h[:i+1] {
					h[i][j] = rng.NormFloat64()
					h[j][i] = h[i][j]
				}
			}
		}
		a := []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		q := bent(t, 0, a, h, true, rng.IntN(4) > 0, true).(*quadric)
		q.value = -q.Bind().Value(x) - math.Exp(2*rng.NormFloat64())
		m := must[*implicit](t)(NewImplicit([]Surface{q}, []string{"q"}, all, []float64{20, 20, 20}))
		tr := m.Tracer().(*implicitTracer)
		e, w := tr.Exit(x, dir, None)
		most = max(most, tr.Labour())
		g := q.Bind()
		at := func(s float64) float64 {
			for k := range y {
				y[k] = x[k] + s*dir[k]
			}
			return g.Value(y)
		}
		first := march(m, x, dir, 500)
		if w == None && first <= 1 || first < e-1e-12 {
			t.Fatalf("%+v from %v by %v: outside at %v, Exit says %v", q, x, dir, first, e)
		}
		if w != None {
			met++
			if behind := at(e + 1e-9); !(at(e) <= 0) || !(behind > 0) && e < 1-1e-9 {
				t.Fatalf("%+v from %v by %v: %g at the exit %v, %g behind it", q, x, dir, at(e), e, behind)
			}
		}
		copy(y, x)
		for k := range y {
			y[k] += dir[k]
		}
		if w != None && tr.Clear(x, y) {
			t.Fatalf("%+v from %v by %v: clear, and left at %v", q, x, dir, e)
		}
	}
	if met < 500 || most > 200 {
		t.Errorf("%d crossings, up to %d evaluations for one", met, most)
	}
}

// A path of any length and through places without a value ends after a bounded number
// of evaluations, and is given up then: sums of exponentials that are only sampled,
// with overflow and NaN beyond, from a box that is thin in a coordinate.
func TestLongSearchesAreGivenUp(t *testing.T) {
	evaluated := 0
	g := formula{3,
		func(x []float64) float64 {
			return math.Exp(x[0]) - math.Exp(x[1])*math.Sin(1e6*x[2]) - 0.35
		},
		func(g, x []float64) {
			evaluated++
			g[0], g[1], g[2] = math.Exp(x[0]), -math.Exp(x[1])*math.Sin(1e6*x[2]), -1e6*math.Exp(x[1])*math.Cos(1e6*x[2])
		}}
	inf := math.Inf(1)
	m := must[*implicit](t)(NewImplicit([]Surface{g}, []string{"g"}, []float64{-inf, -inf, 0}, []float64{0, inf, 1e-3}))
	members := must[Domain](t)(NewIntersection(m, must[*ball](t)(NewBall(make([]float64, 3), 1e9))))
	rng := rand.New(rand.NewPCG(17, 2))
	from, to, given := []float64{-3, -3, 1e-4}, make([]float64, 3), 0
	r := must[Reflector](t)(NewReflector(members, Specular, 0))
	for range 40 {
		for k := range to {
			to[k] = from[k] + math.Exp(20*rng.Float64())*rng.NormFloat64()
		}
		evaluated = 0
		if _, ok := r.Reflect(from, to, nil); !ok {
			given++
		}
		if evaluated > 300_000 {
			t.Fatalf("%d evaluations for one step", evaluated)
		}
	}
	if given == 0 {
		t.Error("no step was given up")
	}
}

// A constraint that is NaN in part of the box: outside there, and steps into that
// part are mirrored where the constraint ends to hold before it.
func TestNaNBehindTheWall(t *testing.T) {
	g := formula{1, func(x []float64) float64 { return 0.5 - math.Sqrt(x[0]) }, func(g, x []float64) { g[0] = -0.5 / math.Sqrt(x[0]) }}
	m := must[*implicit](t)(NewImplicit([]Surface{g}, []string{"sqrt(x) >= 0.5"}, []float64{-1}, []float64{1}))
	r := must[Reflector](t)(NewReflector(m, Specular, 0))
	for _, step := range []float64{0.1, 0.6, 0.75, 1.0, 1.7} {
		to := []float64{0.8 - step}
		hits, ok := r.Reflect([]float64{0.8}, to, nil)
		want, walls := 0.8-step, 0
		if want < 0.25 {
			want, walls = 0.5-want, 1
		}
		if !ok || hits != walls || math.Abs(to[0]-want) > 1e-12 {
			t.Errorf("by %v: to %v after %d mirrorings (%v), want %v", -step, to, hits, ok, want)
		}
	}
}

// Bad arguments are refused.
func TestQuadricRefuses(t *testing.T) {
	for _, c := range []struct {
		at, gradient []float64
		hessian      [][]float64
		want         string
	}{
		{nil, nil, nil, "must agree"},
		{[]float64{0}, []float64{1, 2}, nil, "must agree"},
		{[]float64{0, 0}, nil, [][]float64{{1, 2}, {3, 4}}, "symmetric"},
		{[]float64{0, 0}, nil, [][]float64{{1, 2}, {2}}, "elements"},
		{[]float64{0}, []float64{math.NaN()}, nil, "not finite"},
	} {
		if _, err := NewQuadric(c.at, 0, c.gradient, c.hessian); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want a message with %q", err, c.want)
		}
	}
}

// The box of an ellipse touches it on all sides; what is none, and what is empty, keeps
// the box that was there.
func TestQuadricBounds(t *testing.T) {
	inf := math.Inf(1)
	at, h := []float64{0, 1, -2}, [][]float64{{0, 0, 0}, {0, 4, 1}, {0, 1, 2}}
	for _, c := range []struct {
		name      string
		value     float64
		hessian   [][]float64
		logarithm bool
		reach     [3]float64 // from (·, 1 − 2/7, −2 + 1/7)
	}{
		{"ellipse", -3, h, false, [3]float64{inf, math.Sqrt((6 + 2./7) * 2 / 7), math.Sqrt((6 + 2./7) * 4 / 7)}},
		{"empty", 3, h, false, [3]float64{inf, inf, inf}},
		{"saddle", -3, [][]float64{{0, 0, 0}, {0, 1, 4}, {0, 4, 1}}, false, [3]float64{inf, inf, inf}},
		{"paraboloid", -3, [][]float64{{0, 0, 0}, {0, 0, 0}, {0, 0, 2}}, false, [3]float64{inf, inf, inf}},
		{"logarithms", -3, h, true, [3]float64{inf, inf, inf}},
	} {
		q := must[*quadric](t)(NewQuadric(at, c.value, []float64{0, 1, 0}, c.hessian))
		q = q.InLogarithms(func(int) bool { return c.logarithm }).(*quadric)
		lo, hi := []float64{-inf, -inf, -inf}, []float64{inf, inf, inf}
		q.Bounds(lo, hi)
		for j, centre := range []float64{0, 1 - 2./7, -2 + 1./7} {
			for _, side := range []struct{ found, want float64 }{{lo[j], centre - c.reach[j]}, {hi[j], centre + c.reach[j]}} {
				if side.found != side.want && !(math.Abs(side.found-side.want) < 1e-7) {
					t.Errorf("%s: coordinate %d reaches to %v, want %v", c.name, j, side.found, side.want)
				}
			}
		}
	}
}
