package mixing

import (
	"context"
	"fmt"
	"math"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/theory"
	"github.com/r2sgld/r2sgld/potential"
)

// half is U = |x|²/2.
func half(dim int) potential.Potential {
	return potential.Func(dim, func(grad, x []float64) float64 {
		u := 0.0
		for i, v := range x {
			grad[i] = v
			u += v * v / 2
		}
		return u
	})
}

// well is the double well U = 4(x² − 1)².
func well() potential.Potential {
	return potential.Func(1, func(grad, x []float64) float64 {
		d := x[0]*x[0] - 1
		grad[0] = 16 * d * x[0]
		return 4 * d * d
	})
}

// modes is the paper's energy, whose modes are the whole points: 25 of them on the
// plane within [−2, 2]², five on an interval, a slice of it.
func modes(dim int) potential.Potential {
	return potential.Func(dim, func(grad, x []float64) float64 {
		u := 0.0
		for i, v := range x {
			sin, cos := math.Sincos(2 * math.Pi * v)
			grad[i] = (v/5 + 2*math.Pi*sin) / 0.5
			u += (v*v/10 - cos) / 0.5
		}
		return u
	})
}

// interval is [low, high].
func interval(low, high float64) (domain.Domain, error) { return rectangle([2]float64{low, high}) }

// rectangle is the product of intervals.
func rectangle(sides ...[2]float64) (domain.Domain, error) {
	var low, high []float64
	for _, s := range sides {
		low, high = append(low, s[0]), append(high, s[1])
	}
	b, err := domain.NewBox(low, high)
	if err != nil {
		return nil, err
	}
	return b, nil
}

// centred is an interval or a square about the origin with sides of this length.
func centred(dim int, side float64) (domain.Domain, error) {
	sides := make([][2]float64, dim)
	for i := range sides {
		sides[i] = [2]float64{-side / 2, side / 2}
	}
	return rectangle(sides...)
}

// disk lies about the origin.
func disk(radius float64) (domain.Domain, error) {
	b, err := domain.NewBall([]float64{0, 0}, radius)
	if err != nil {
		return nil, err
	}
	return b, nil
}

// flower is the paper's, with five petals.
func flower(radius float64) (domain.Domain, error) {
	c, err := domain.NewFlower(5, 3, radius)
	if err != nil {
		return nil, err
	}
	return c, nil
}

func octagon(radius float64) (domain.Domain, error) {
	p, err := domain.NewOctagon(radius)
	if err != nil {
		return nil, err
	}
	return p, nil
}

func polygon(corners ...[2]float64) (domain.Domain, error) {
	p, err := domain.NewPolygon(corners)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// A problem is a law on a domain, with one rung or two.
type problem struct {
	name      string
	potential potential.Potential // nil is 0
	domain    domain.Domain
	tau       []float64 // of the rungs
	intensity float64
}

// process discretises the problem with n cells along the longest side.
func (p problem) process(ctx context.Context, n int) (*theory.Process, error) {
	out, err := theory.NewProcess(ctx, theory.Problem{Potential: p.potential, Domain: p.domain}, p.tau, p.intensity, n)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.name, err)
	}
	return out, nil
}

// gap is λ₁ on n cells along the longest side.
func (p problem) gap(ctx context.Context, n int) (float64, error) {
	process, err := p.process(ctx, n)
	if err != nil {
		return 0, err
	}
	gap, err := process.Gap(ctx)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", p.name, err)
	}
	return gap, nil
}
