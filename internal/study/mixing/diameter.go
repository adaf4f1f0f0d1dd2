package mixing

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/mesh"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// Diameter is what the size and the shape of the domain do to the gap.
type Diameter struct {
	Families []Family  `json:"families"`  // domains of growing size
	Polygons []Polygon `json:"polygons"`  // convex, at random
	Necks    []Neck    `json:"dumbbells"` // two rooms and a passage that gets narrower
	Bent     []Neck    `json:"peanuts"`   // of one bound on the curvature of the wall
}

// A Family is domains of one shape that grow.
type Family struct {
	Name     string    `json:"name"`
	Shape    string    `json:"shape"`
	Kind     string    `json:"kind"` // free (U constant), convex (U convex) or modes
	Tau      []float64 `json:"temperature"`
	Diameter []float64 `json:"diameter"`
	Gap      []float64 `json:"gap"`
	Fit      Power     `json:"fit"`   // of the gap over the diameter
	Local    []float64 `json:"local"` // slopes between neighbours
}

// A Polygon is a convex one and the gaps of three laws on it.
type Polygon struct {
	Corners  [][2]float64 `json:"corners"`
	Diameter float64      `json:"diameter"`
	// Free, Convex and Modes are gap·diameter²/(τπ²) at τ = 1 for U = 0, U = |x|²/2 and the
	// 25 modes. The bound says that they are at least 1.
	Free   float64 `json:"free_over_bound"`
	Convex float64 `json:"convex_over_bound"`
	Modes  float64 `json:"modes_over_bound"`
	// LogSobolev is, of the same three laws, the least E(g)/Ent(g²) found over
	// (√(1+4π²)−1)/(2·diameter²).
	LogSobolev [3]float64 `json:"log_sobolev_over_bound"`
}

// logSobolevBound is the paper's, times the square of the diameter.
var logSobolevBound = (math.Sqrt(1+4*math.Pi*math.Pi) - 1) / 2

// A Neck is a domain that is not convex.
type Neck struct {
	Width    float64   `json:"width"` // where it is narrowest
	Diameter float64   `json:"diameter"`
	Kappa    Curvature `json:"kappa"` // least of the wall
	Gap      float64   `json:"gap"`
	Over     float64   `json:"gap_over_convex_bound"` // gap·diameter²/π²
}

// A Curvature is that of a wall; where there are corners there is none.
type Curvature struct {
	Known bool
	Value float64
}

// MarshalJSON writes the number, or null.
func (c Curvature) MarshalJSON() ([]byte, error) {
	if !c.Known {
		return []byte("null"), nil
	}
	return json.Marshal(c.Value)
}

// kinds of families.
const (
	free   = "free"
	convex = "convex"
	lumpy  = "modes"
)

// A family asks for one.
type family struct {
	name, of, kind string
	potential      potential.Potential
	tau            []float64
	intensity      float64
	cells          int
	shape          func(size float64) (domain.Domain, error)
	sizes          []float64
}

// families are all of them.
func (e effort) families() []family {
	line := func(size float64) (domain.Domain, error) { return centred(1, size) }
	box := func(size float64) (domain.Domain, error) { return centred(2, size) }
	one, hot, two := []float64{1}, []float64{10}, []float64{1, 10}
	some := logarithmic(0.25, 8, e.sizes)
	radii := logarithmic(0.25, 4, e.sizes)
	return []family{
		{"interval, U = 0", "interval", free, nil, one, 0, e.diameterLine, line, some},
		{"square, U = 0", "square", free, nil, one, 0, e.diameterPlane, box, some},
		{"disk, U = 0", "disk", free, nil, one, 0, e.diameterPlane, disk, radii},
		{"flower, U = 0", "flower", free, nil, one, 0, e.diameterPlane, flower, radii},
		{"interval, U = x²/2", "interval", convex, half(1), one, 0, e.diameterLine, line, logarithmic(0.25, 16, e.sizes)},
		{"disk, U = |x|²/2", "disk", convex, half(2), one, 0, e.diameterPlane, disk, logarithmic(0.25, 8, e.sizes)},
		{"interval, slice of the 25 modes, τ = 1", "interval", lumpy, modes(1), one, 0, e.diameterLine, line, some},
		{"interval, slice, τ 1 and 10, swaps at intensity 1", "interval, swaps at r = 1", lumpy, modes(1), two, 1, e.diameterPair, line, some},
		{"octagon, 25 modes, τ = 1", "octagon", lumpy, modes(2), one, 0, e.diameterPlane, octagon, radii},
		{"flower, 25 modes, τ = 1", "flower", lumpy, modes(2), one, 0, e.diameterPlane, flower, radii},
		{"flower, 25 modes, τ = 10", "flower, τ = 10", lumpy, modes(2), hot, 0, e.diameterPlane, flower, radii},
	}
}

// diameter computes the gaps of all domains.
func (e effort) diameter(ctx context.Context, o study.Options) (d Diameter, err error) {
	for _, part := range []func() error{part(ctx, o, e.grow, &d.Families), part(ctx, o, e.convexPolygons, &d.Polygons),
		part(ctx, o, e.narrow, &d.Necks), part(ctx, o, e.bend, &d.Bent)} {
		if err := part(); err != nil {
			return d, err
		}
	}
	return d, nil
}

// grow computes the families.
func (e effort) grow(ctx context.Context, o study.Options) ([]Family, error) {
	all := e.families()
	return each(ctx, o, "diameter", len(all), func(ctx context.Context, i int) (Family, error) {
		f := all[i]
		out := Family{Name: f.name, Shape: f.of, Kind: f.kind, Tau: f.tau}
		for _, size := range f.sizes {
			s, err := f.shape(size)
			if err != nil {
				return out, err
			}
			diameter, gap, err := problem{f.name, f.potential, s, f.tau, f.intensity}.sized(ctx, f.cells)
			if err != nil {
				return out, err
			}
			out.Diameter, out.Gap = append(out.Diameter, diameter), append(out.Gap, gap)
		}
		out.Fit, out.Local = powerOf(out.Diameter, out.Gap), locals(out.Diameter, out.Gap)
		return out, nil
	})
}

// sized is the diameter of the problem's domain and its gap.
func (p problem) sized(ctx context.Context, cells int) (diameter, gap float64, err error) {
	if diameter, err = mesh.Diameter(ctx, p.domain); err != nil {
		return 0, 0, fmt.Errorf("%s: %w", p.name, err)
	}
	gap, err = p.gap(ctx, cells)
	return diameter, gap, err
}

// over is the gap at temperature 1 over π²/diameter².
func (p problem) over(ctx context.Context, cells int) (diameter, ratio float64, err error) {
	p.tau = []float64{1}
	diameter, gap, err := p.sized(ctx, cells)
	return diameter, gap * square(diameter/math.Pi), err
}

// convexPolygons looks for a convex polygon below the bound.
func (e effort) convexPolygons(ctx context.Context, o study.Options) ([]Polygon, error) {
	return each(ctx, o, "polygons", e.polygons, func(ctx context.Context, i int) (Polygon, error) {
		p := Polygon{Corners: convexPolygon(stream.New(o.Seed, 0).Of(i, stream.Start))}
		shape, err := polygon(p.Corners...)
		if err != nil {
			return p, err
		}
		for k, x := range []struct {
			u    potential.Potential
			into *float64
		}{{nil, &p.Free}, {half(2), &p.Convex}, {modes(2), &p.Modes}} {
			law := problem{name: "convex polygon", potential: x.u, domain: shape, tau: []float64{1}}
			if p.Diameter, *x.into, err = law.over(ctx, e.diameterPlane); err != nil {
				return p, err
			}
			process, err := law.process(ctx, e.entropyPlane)
			if err != nil {
				return p, err
			}
			rate, err := process.Chain.LogSobolev(ctx)
			if err != nil {
				return p, fmt.Errorf("%s: %w", law.name, err)
			}
			p.LogSobolev[k] = rate * square(p.Diameter) / logSobolevBound
		}
		return p, nil
	})
}

// convexPolygon is the hull of 4 to 12 points of a disk, squeezed to 0.1 to 1 of its
// height, turned, and of a size of 1 to 4.
func convexPolygon(r *stream.Rand) [][2]float64 {
	points := make([][2]float64, 4+int(9*r.Float64()))
	squeeze, size := 0.1+0.9*r.Float64(), 1+3*r.Float64()
	turn := math.Pi * r.Float64()
	for i := range points {
		s, c := math.Sincos(2 * math.Pi * r.Float64())
		radius := size / 2 * math.Sqrt(r.Float64())
		x, y := radius*c, radius*s*squeeze
		points[i] = [2]float64{x*math.Cos(turn) - y*math.Sin(turn), x*math.Sin(turn) + y*math.Cos(turn)}
	}
	return mesh.Hull(points)
}

// narrow computes dumb-bells: two rooms of 1 by 1, a passage of length ½ between them.
func (e effort) narrow(ctx context.Context, o study.Options) ([]Neck, error) {
	widths := []float64{1, 0.5, 0.25, 0.125}
	return each(ctx, o, "dumb-bells", len(widths), func(ctx context.Context, i int) (Neck, error) {
		shape, err := dumbbell(widths[i])
		// Cells that divide the rooms and the passage.
		return neck(ctx, "dumb-bell", shape, err, 40*max(1, e.diameterPlane/40), Neck{Width: widths[i]})
	})
}

// neck is n with the gap on its shape.
func neck(ctx context.Context, name string, shape domain.Domain, err error, cells int, n Neck) (Neck, error) {
	if err != nil {
		return n, err
	}
	n.Diameter, n.Over, err = problem{name: name, domain: shape}.over(ctx, cells)
	n.Gap = n.Over * square(math.Pi/n.Diameter)
	return n, err
}

// dumbbell has a passage of this width; 1 makes it a rectangle.
func dumbbell(width float64) (domain.Domain, error) {
	if width == 1 {
		return rectangle([2]float64{0, 2.5}, [2]float64{0, 1})
	}
	low, high := 0.5-width/2, 0.5+width/2
	return polygon([2]float64{0, 0}, [2]float64{1, 0}, [2]float64{1, low}, [2]float64{1.5, low}, [2]float64{1.5, 0}, [2]float64{2.5, 0},
		[2]float64{2.5, 1}, [2]float64{1.5, 1}, [2]float64{1.5, high}, [2]float64{1, high}, [2]float64{1, 1}, [2]float64{0, 1})
}

// bend computes domains r = s(1 + c·sin 2θ) whose wall has a curvature of −1 where it is
// least: the larger, the narrower their waist.
func (e effort) bend(ctx context.Context, o study.Options) ([]Neck, error) {
	sizes := logarithmic(0.02, 100, e.sizes)
	return each(ctx, o, "peanuts", len(sizes), func(ctx context.Context, i int) (Neck, error) {
		c := waist(sizes[i])
		shape, err := domain.NewFlower(2, 1/c, sizes[i]*c*(1/c+0.5))
		kappa := (1 - 5*c) / (sizes[i] * square(1-c))
		return neck(ctx, "peanut", shape, err, e.diameterPlane, Neck{Width: 2 * sizes[i] * (1 - c), Kappa: Curvature{true, kappa}})
	})
}

// waist is c with which r = s(1 + c·sin 2θ) has least curvature −1. At the waist r =
// s(1−c) and r″ = 4sc, so that the curvature is (r − r″)/r² = (1 − 5c)/(s(1−c)²).
func waist(s float64) float64 {
	// s(1−c)² = 5c − 1, the root below 1.
	b := 2 + 5/s
	return 2 * (1 + 1/s) / (b + math.Sqrt(b*b-4*(1+1/s)))
}
