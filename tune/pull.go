package tune

import (
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/stream"
)

// pulled has every second point of draw made of one of the box that holds the domain, pulled
// to the wall that is nearest: so that small pieces of the domain are found as well as large
// ones. Where no such point lies in the domain, that of draw stays.
func pulled(d domain.Domain, rng *stream.Rand, draw func(x []float64) error) func(x []float64) error {
	lo, hi := domain.BoundsOf(d, d.Dim())
	crowd := domain.NewCrowd(d)
	points := make([]pull, 1)
	if crowd != nil {
		d, points = crowd.Domain(), make([]pull, domain.Crowded)
	}
	for i := range points {
		points[i] = newPull(d)
	}
	next, second := 0, false
	return func(x []float64) error {
		if next == 0 {
			for i := range points {
				if err := points[i].draw(draw, second, lo, hi, rng); err != nil {
					return err
				}
				second = !second
			}
			crowd.Do(len(points), func(i int) { points[i].pull() })
		}
		p := &points[next]
		next = (next + 1) % len(points)
		copy(x, p.x)
		p.drawn() // numbers of those after it are to come
		return nil
	}
}

// A pull makes a point of one of the box around a domain.
type pull struct {
	d                    domain.Domain
	trace                domain.Tracer
	second               bool   // whether it does
	drawn                func() // takes the numbers to where the point was drawn
	x, far, near, normal []float64
}

func newPull(d domain.Domain) pull {
	n := d.Dim()
	return pull{d: d, trace: d.Tracer(), x: make([]float64, n), far: make([]float64, n), near: make([]float64, n), normal: make([]float64, n)}
}

// draw draws the point of the domain, and that of the box if there is a second.
func (p *pull) draw(draw func(x []float64) error, second bool, lo, hi []float64, rng *stream.Rand) error {
	p.second = second
	if err := draw(p.x); err != nil {
		return err
	}
	for j := range p.far {
		if second {
			p.far[j] = lo[j] + (hi[j]-lo[j])*rng.Float64()
		}
	}
	p.drawn = rng.Here()
	return nil
}

// pull moves the point to the wall that is nearest to that of the box, if this is outside.
func (p *pull) pull() {
	const inwards = 1e-6 // of the way
	if !p.second || p.d.Contains(p.far) || !p.trace.Nearest(p.near, p.normal, p.far) {
		return
	}
	for j := range p.far {
		p.near[j] += inwards * (p.near[j] - p.far[j])
	}
	if p.d.Contains(p.near) {
		copy(p.x, p.near)
	}
}
