package domain_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/tune"
)

// A sector that package domain does not know is sampled as it is to be: hot draws are
// independent and uniform on it (Kolmogorov and Smirnov, level 1e-7 each), cold ones have the
// means of their law within 5.5 errors (4e-8 each), and so has the evidence, whose error is
// that of 8 ladders, within 16 (9e-7 of Student's law of 7 degrees). It kills uniform draws
// or a volume that are not asked for, and a wall that is named by another number.
func TestOwnSector(t *testing.T) {
	pace.Slow(t)
	s := sector{radius: 2, angle: 2}
	p := r2sgld.Problem{Domain: s, Potential: potential.Func(2, func(grad, x []float64) float64 {
		grad[0], grad[1] = 3*x[0], 3*x[1]
		return 1.5 * (x[0]*x[0] + x[1]*x[1])
	})}
	res, used, err := tune.Sample(t.Context(), p, r2sgld.Settings{Seed: 3, Ladders: 8}, tune.Until{ESS: 4000})
	if err != nil {
		t.Fatal(err)
	}
	hottest := len(used.Temperature) - 1
	if !math.IsInf(used.Temperature[hottest], 1) {
		t.Fatalf("the hottest temperature is %v", used.Temperature[hottest])
	}
	var shares, angles []float64 // of the hottest rung
	squares, turns := make([][]float64, len(res.Ladders)), make([][]float64, len(res.Ladders))
	for i, l := range res.Ladders {
		for rung, of := range [][]float64{l.X[0], l.X[hottest]} {
			for x := range slices.Chunk(of, 2) {
				if !s.Contains(x) {
					t.Fatalf("%v is outside", x)
				}
				square, angle := x[0]*x[0]+x[1]*x[1], math.Atan2(x[1], x[0])
				if rung == 0 {
					squares[i], turns[i] = append(squares[i], square), append(turns[i], angle)
				} else {
					shares, angles = append(shares, square/4), append(angles, angle/2)
				}
			}
		}
	}
	flat := func(u float64) float64 { return u }
	for name, x := range map[string][]float64{"square": shares, "angle": angles} {
		if q := diag.KSPValue(diag.KS(x, flat), float64(len(x))); q < 1e-7 {
			t.Errorf("%s of hot draws: p %.2g of %d", name, q, len(x))
		}
	}
	// The square of the distance has the density exp(−1.5 s) on [0, 4].
	mass := (1 - math.Exp(-6)) / 1.5
	square := (1/1.5 - (4+1/1.5)*math.Exp(-6)) / 1.5 / mass
	for name, c := range map[string]struct {
		chains [][]float64
		want   float64
	}{"square": {squares, square}, "angle": {turns, 1}} {
		if mean := diag.Mean(slices.Concat(c.chains...)); math.Abs(mean-c.want) > 5.5*diag.MCSEMean(c.chains) {
			t.Errorf("%s of cold draws: mean %v, want %v", name, mean, c.want)
		}
	}
	volume, se, err := p.Mass(t.Context(), rand.New(rand.NewPCG(1, 1)))
	if err != nil || se != 0 || math.Abs(volume-math.Log(4)) > 1e-12 {
		t.Errorf("log area %v ± %v, %v", volume, se, err)
	}
	if e := tune.Evidence(res); math.Abs(volume+e.Estimate-math.Log(mass)) > 16*e.Error {
		t.Errorf("log Z %v ± %v, want %v", volume+e.Estimate, e.Error, math.Log(mass))
	}
}

// round is a ball written outside package domain.
type round struct {
	c []float64
	r float64
}

func (b round) Dim() int { return len(b.c) }

func (b round) Contains(x []float64) bool {
	s := 0.0
	for i, c := range b.c {
		s += (x[i] - c) * (x[i] - c)
	}
	return s <= b.r*b.r
}

func (b round) Bounds(lo, hi []float64) {
	for i, c := range b.c {
		lo[i], hi[i] = c-b.r, c+b.r
	}
}

func (b round) Convex() bool     { return true }
func (b round) ExactWalls() bool { return true }

func (b round) Uniform(context.Context) (*domain.Law, error) {
	return &domain.Law{Tries: 1, Draw: func(_ context.Context, x []float64, rng *rand.Rand) error {
		s := 0.0
		for i := range x {
			x[i] = rng.NormFloat64()
			s += x[i] * x[i]
		}
		r := math.Pow(rng.Float64(), 1/float64(len(x))) / math.Sqrt(s)
		for i, c := range b.c {
			x[i] *= r
			x[i] = c + b.r*x[i]
		}
		return nil
	}}, nil
}

func (b round) Interior(context.Context, *rand.Rand) ([]float64, error) {
	return slices.Clone(b.c), nil
}

func (b round) Image(c []float64, l *mat.Dense) (domain.Domain, error) {
	ours, err := domain.NewBall(b.c, b.r)
	if err != nil {
		return nil, err
	}
	return domain.Affine(ours, c, l)
}

func (b round) Tracer() domain.Tracer { return roundTracer{b} }

type roundTracer struct{ round }

func (b roundTracer) Walls() int { return 1 }

func (b roundTracer) Clear(_, to []float64) bool { return b.Contains(to) }

func (b roundTracer) Exit(x, dir []float64, on domain.Wall) (float64, domain.Wall) {
	a, h, c := 0.0, 0.0, -b.r*b.r
	for i, m := range b.c {
		e := x[i] - m
		a += dir[i] * dir[i]
		h += e * dir[i]
		c += e * e
	}
	if c > 0 || on == 0 {
		c = 0
	}
	root := math.Sqrt(h*h - a*c)
	t := (root - h) / a
	if h > 0 {
		t = -c / (h + root)
	}
	if !(t < 1) {
		return 1, domain.None
	}
	return t, 0
}

func (b roundTracer) Normal(n, x []float64, _ domain.Wall) {
	s := 0.0
	for i, c := range b.c {
		n[i] = x[i] - c
		s += n[i] * n[i]
	}
	s = math.Sqrt(s)
	for i := range n {
		n[i] /= s
	}
}

func (b roundTracer) Nearest(p, n, x []float64) bool {
	b.Normal(n, x, 0)
	for i, c := range b.c {
		p[i] = c + b.r*n[i]
	}
	return true
}

// A ball written again by a user is sampled like ours, bit for bit, whatever the rule and
// whether it is warmed up or not: nothing depends on which package a domain is of. It kills
// what is known of a ball but not asked of a domain.
func TestOwnBallIsOurs(t *testing.T) {
	own := round{[]float64{0.5, -1, 0.25}, 1.5}
	ours := built(domain.NewBall(own.c, own.r))
	u := potential.Func(3, func(grad, x []float64) float64 {
		grad[0], grad[1], grad[2] = 2*x[0], 4*(x[1]-0.3), x[2]+x[0]
		grad[0] += x[2]
		return x[0]*x[0] + 2*(x[1]-0.3)*(x[1]-0.3) + x[2]*x[2]/2 + x[0]*x[2]
	})
	alike := func(name string, run func(p r2sgld.Problem) (*r2sgld.Result, error)) {
		t.Helper()
		a, err := run(r2sgld.Problem{Potential: u, Domain: own})
		if err != nil {
			t.Fatal(name, err)
		}
		b, err := run(r2sgld.Problem{Potential: u, Domain: ours})
		if err != nil {
			t.Fatal(name, err)
		}
		for i, l := range a.Ladders {
			for rung, x := range l.X {
				if !slices.Equal(x, b.Ladders[i].X[rung]) || len(x) == 0 {
					t.Errorf("%s: draws of ladder %d, rung %d differ", name, i, rung)
				}
			}
			if a.Tally(0) != b.Tally(0) {
				t.Errorf("%s: the wall did %+v, and %+v", name, a.Tally(0), b.Tally(0))
			}
		}
	}
	for _, rule := range []domain.Rule{domain.Specular, domain.Nearest, domain.Project, domain.Refuse} {
		alike(string(rule), func(p r2sgld.Problem) (*r2sgld.Result, error) {
			return r2sgld.Sample(t.Context(), p, r2sgld.Settings{Seed: 4, Ladders: 2, Iterations: 3000, Boundary: rule,
				StepSize: []float64{0.02, 0.05, 0.1}, Temperature: []float64{1, 3, math.Inf(1)}})
		})
	}
	alike("whitened", func(p r2sgld.Problem) (*r2sgld.Result, error) {
		return r2sgld.Sample(t.Context(), p, r2sgld.Settings{Seed: 6, Ladders: 2, Iterations: 3000, StepSize: []float64{0.02},
			Whitening: &r2sgld.Whitening{Center: []float64{0.4, -0.9, 0}, L: [][]float64{{1, 0, 0}, {0.3, 0.5, 0}, {0, -0.2, 0.8}}}})
	})
	alike("tuned", func(p r2sgld.Problem) (*r2sgld.Result, error) {
		res, _, err := tune.Sample(t.Context(), p, r2sgld.Settings{Seed: 5, Ladders: 2}, tune.Until{ESS: 400})
		return res, err
	})
}
