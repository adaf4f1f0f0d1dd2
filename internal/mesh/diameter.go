package mesh

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/r2sgld/r2sgld/domain"
)

// Diameter returns the largest distance of two points of d, a bounded domain of
// one or two dimensions: exact to rounding for intervals, boxes, polygons and
// simplices, to 1e-9 of itself for all others whose wall New knows. For the rest
// it is that of the wall that New finds with 512 cells: too small by at most about
// 1e-5 of itself where the wall is smooth at its ends, and by 1/250 at corners.
func Diameter(ctx context.Context, d domain.Domain) (float64, error) {
	if err := check(d); err != nil {
		return 0, fmt.Errorf("diameter: %w", err)
	}
	if d.Dim() == 1 {
		a, b, err := ends(ctx, d, 1<<14)
		if err != nil {
			return 0, fmt.Errorf("diameter: %w", err)
		}
		return b - a, nil
	}
	loops, _, err := outline(ctx, d, 512)
	if err != nil {
		return 0, fmt.Errorf("diameter: %w", err)
	}
	return widest(hull(spots(loops), spot.place)), nil
}

// A spot is a point of the wall and, on a curved stretch, the parameters around.
type spot struct {
	x, y  float64
	s     *stretch // nil where straight
	t, dt float64
}

// spots are the ends of all stretches, and points along those that are curved.
func spots(loops []loop) []spot {
	const steps = 16
	var out []spot
	for _, l := range loops {
		for i := range l {
			s := &l[i]
			dt := (s.b - s.a) / steps
			x, y, _, _ := s.at(0.5 * (s.a + s.b))
			bend := math.Hypot(x-0.5*(s.x0+s.x1), y-0.5*(s.y0+s.y1))
			if bend <= 1e-12*math.Hypot(s.x1-s.x0, s.y1-s.y0) {
				out = append(out, spot{x: s.x0, y: s.y0}, spot{x: s.x1, y: s.y1})
				continue
			}
			for k := range steps + 1 {
				p := spot{s: s, t: s.a + float64(k)*dt, dt: dt}
				p.x, p.y, _, _ = s.at(p.t)
				out = append(out, p)
			}
		}
	}
	return out
}

func (p spot) place() (x, y float64) { return p.x, p.y }

func (p spot) distance(q spot) float64 { return math.Hypot(p.x-q.x, p.y-q.y) }

// widest is the largest distance of two points, moved along curved stretches as
// far apart as they go.
func widest(h []spot) float64 {
	reach, far := make([]float64, len(h)), make([]spot, len(h)) // of each spot: how far another is, and which
	for i, p := range h {
		for j, q := range h[:i] {
			d := p.distance(q)
			if d >= reach[i] {
				reach[i], far[i] = d, q
			}
			if d >= reach[j] {
				reach[j], far[j] = d, p
			}
		}
	}
	best := slices.Max(reach)
	close := best * (1 - 1e-4) // spots are nearer to the true ends than that
	for i, p := range h {
		if reach[i] >= close && (p.s != nil || far[i].s != nil) {
			best = math.Max(best, apart(p, far[i]))
		}
	}
	return best
}

// apart moves p and q by turns until their distance grows no more.
func apart(p, q spot) float64 {
	d := p.distance(q)
	for range 50 {
		p = p.away(q)
		q = q.away(p)
		next := p.distance(q)
		if next-d <= 1e-13*d {
			return math.Max(d, next)
		}
		d = next
	}
	return d
}

// away is the point within a step along p's stretch that is farthest from q, by
// golden sections.
func (p spot) away(q spot) spot {
	if p.s == nil {
		return p
	}
	const golden = 0.6180339887498949
	at := func(t float64) spot {
		r := p
		r.t = t
		r.x, r.y, _, _ = p.s.at(t)
		return r
	}
	a, b := math.Max(p.t-p.dt, p.s.a), math.Min(p.t+p.dt, p.s.b)
	l, r := at(b-golden*(b-a)), at(a+golden*(b-a))
	for range 40 {
		if l.distance(q) > r.distance(q) {
			b, r = r.t, l
			l = at(b - golden*(b-a))
		} else {
			a, l = l.t, r
			r = at(a + golden*(b-a))
		}
	}
	for _, s := range []spot{l, r} {
		if s.distance(q) > p.distance(q) {
			p = s
		}
	}
	return p
}
