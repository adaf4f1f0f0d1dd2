package domain_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/tune"
)

// A sector is the part of a disc whose angle with the x-axis is between 0 and angle, which
// is less than π. Walls 0 and 1 are its straight sides, wall 2 is the arc.
type sector struct{ radius, angle float64 }

func (s sector) Dim() int { return 2 }

func (s sector) Contains(x []float64) bool {
	return s.beyond(0, x) <= 0 && s.beyond(1, x) <= 0 && x[0]*x[0]+x[1]*x[1] <= s.radius*s.radius
}

func (s sector) Bounds(lo, hi []float64) {
	lo[0], lo[1] = -s.radius, 0
	hi[0], hi[1] = s.radius, s.radius
}

// beyond is how far x lies behind the line of a side.
func (s sector) beyond(side domain.Wall, x []float64) float64 {
	if side == 0 {
		return -x[1]
	}
	return math.Cos(s.angle)*x[1] - math.Sin(s.angle)*x[0]
}

// That its uniform law is known in closed form, and its volume, makes hot draws independent
// and the evidence free of the error of a volume.
func (s sector) Uniform(context.Context) (*domain.Law, error) {
	return &domain.Law{Tries: 1, Draw: func(_ context.Context, x []float64, rng *rand.Rand) error {
		r, angle := s.radius*math.Sqrt(rng.Float64()), s.angle*rng.Float64()
		x[0], x[1] = r*math.Cos(angle), r*math.Sin(angle)
		return nil
	}}, nil
}

func (s sector) Volume(context.Context, *rand.Rand) (log, se float64, err error) {
	return math.Log(s.angle * s.radius * s.radius / 2), 0, nil
}

func (s sector) Convex() bool       { return true }
func (s sector) ExactWalls() bool   { return true }
func (s sector) KnowsNearest() bool { return false }

func (s sector) WallName(w domain.Wall) string {
	return [3]string{"y >= 0", "the slanting side", "the arc"}[w]
}

func (s sector) Tracer() domain.Tracer { return sectorTracer{s} }

// It is convex: a path is clear if its end lies inside.
type sectorTracer struct{ sector }

func (s sectorTracer) Walls() int                     { return 3 }
func (s sectorTracer) Clear(_, to []float64) bool     { return s.Contains(to) }
func (s sectorTracer) Nearest(_, _, _ []float64) bool { return false }

func (s sectorTracer) Exit(x, dir []float64, on domain.Wall) (t float64, w domain.Wall) {
	t, w = 1, domain.None
	for side := range domain.Wall(2) {
		slack, rate := max(-s.beyond(side, x), 0), s.beyond(side, dir)
		if side == on {
			slack = 0
		}
		if rate > 0 && slack < t*rate {
			t, w = slack/rate, side
		}
	}
	a, b := dir[0]*dir[0]+dir[1]*dir[1], x[0]*dir[0]+x[1]*dir[1]
	c := min(x[0]*x[0]+x[1]*x[1]-s.radius*s.radius, 0)
	if on == 2 {
		c = 0
	}
	root := math.Sqrt(b*b - a*c)
	out := (root - b) / a
	if b > 0 { // without cancellation
		out = -c / (b + root)
	}
	if out < t {
		t, w = out, 2
	}
	return t, w
}

func (s sectorTracer) Normal(n, x []float64, w domain.Wall) {
	switch w {
	case 0:
		n[0], n[1] = 0, -1
	case 1:
		n[0], n[1] = -math.Sin(s.angle), math.Cos(s.angle)
	default:
		r := math.Hypot(x[0], x[1])
		n[0], n[1] = x[0]/r, x[1]/r
	}
}

// A domain of one's own, here a sector of a disc: its reflections are found exactly, its hot
// replicas drawn afresh from its uniform law, and log Z is relative to its area.
func ExampleDomain() {
	p := r2sgld.Problem{
		Domain: sector{radius: 2, angle: 2},
		Potential: potential.Func(2, func(grad, x []float64) float64 {
			grad[0], grad[1] = 3*x[0], 3*x[1]
			return 1.5 * (x[0]*x[0] + x[1]*x[1])
		}),
	}
	ctx := context.Background()
	res, s, err := tune.Sample(ctx, p, r2sgld.Settings{Seed: 1, Ladders: 4}, tune.Until{ESS: 1000})
	if err != nil {
		panic(err)
	}
	volume, _, err := p.Mass(ctx, nil)
	if err != nil {
		panic(err)
	}
	e := tune.Evidence(res)
	exact := math.Log(2 * (1 - math.Exp(-6)) / 3) // ∫ exp(−U) in polar coordinates
	fmt.Println("hottest temperature:", s.Temperature[len(s.Temperature)-1])
	fmt.Println("exact walls:", domain.ExactWalls(p.Domain), "outside:", res.Tally(0).Outside)
	fmt.Println("log Z within four errors:", math.Abs(volume+e.Estimate-exact) < 4*e.Error)
	// Output:
	// hottest temperature: +Inf
	// exact walls: true outside: 0
	// log Z within four errors: true
}
