package domain

import (
	"math"
	"slices"
	"sync"
	"testing"
)

// planeShapes returns the polygons and the closed curves. Their moments come
// from fine polygons by Green's formula, independent of the code under test.
func planeShapes(t testing.TB) []shape {
	shapes := planeShapesOnce()
	if shapes == nil {
		t.Fatal("a plane shape cannot be made")
	}
	return append([]shape(nil), shapes...)
}

// planeShapesOnce makes them once; they are never changed.
var planeShapesOnce = sync.OnceValue(func() (shapes []shape) {
	made := func(d Domain, err error) Domain {
		if err != nil {
			panic(err)
		}
		return d
	}
	return []shape{
		planeShape("flower", made(NewFlower(5, 3, 2)), flowerPoint, true),
		planeShape("heart", made(NewHeart(2)), heartPoint, true),
		planeShape("ellipse curve", made(NewCurve("ellipse", ellipsePoint)), ellipsePoint, true),
		planeShape("octagon", made(NewOctagon(2)), nil, false),
		planeShape("cross", made(NewCross(2)), nil, false),
		planeShape("star", made(NewStar(2)), nil, false),
		planeShape("saw", made(NewPolygon(saw())), nil, false),
	}
})

func flowerPoint(theta float64) (x, y float64) {
	r := 2 / 3.5 * (math.Sin(5*theta) + 3)
	return r * math.Cos(theta), r * math.Sin(theta)
}

func heartPoint(theta float64) (x, y float64) {
	s := math.Sin(theta)
	return 0.2 * 16 * s * s * s,
		0.2 * (13*math.Cos(theta) - 5*math.Cos(2*theta) - 2*math.Cos(3*theta) - math.Cos(4*theta))
}

// saw is a lopsided non-convex polygon with more edges than are tried one by
// one, clockwise.
func saw() [][2]float64 {
	v := [][2]float64{{3, 0.5}, {3, 0}, {0, 0}}
	for i := range 20 {
		v = append(v, [2]float64{0.15 * float64(i), 1 + 0.05*float64(i)}, [2]float64{0.15*float64(i) + 0.1, 0.4})
	}
	return v
}

func planeShape(name string, d Domain, gamma func(float64) (float64, float64), curved bool) shape {
	var v [][2]float64
	exact := 0.0
	switch d := d.(type) {
	case *curve:
		v, exact = sampled(gamma, 1<<14), d.area
	case *polygon:
		v, exact = d.v, d.area
	}
	area, mean, second := polygonMoments(v)
	s := shape{name: name, d: d, volume: exact, mean: mean, second: second, curved: curved}
	lo, hi := make([]float64, 2), make([]float64, 2)
	d.Bounds(lo, hi)
	s.size = math.Hypot(hi[0]-lo[0], hi[1]-lo[1])
	g := gridOf(d)
	deep := slices.Max(g.free)
	tr, q, n := d.Tracer(), make([]float64, 2), make([]float64, 2)
	for i, free := range g.free {
		if free < deep {
			continue
		}
		x := []float64{g.x0 + (float64(uint(i)%g.nx)+0.5)/g.inverse, g.y0 + (float64(uint(i)/g.nx)+0.5)/g.inverse}
		if !tr.Nearest(q, n, x) {
			panic("no nearest point")
		}
		if r := math.Hypot(q[0]-x[0], q[1]-x[1]); r > s.inradius {
			s.inradius, s.inside = r, x
		}
	}
	s.cdf = tabulated(v, area, lo[0], hi[0])
	return s
}

// tabulated is the distribution function of x under the uniform law on the
// polygon, by linear interpolation in a table made at the first call.
func tabulated(v [][2]float64, area, lo, hi float64) func(x float64) float64 {
	const cells = 1000
	table := sync.OnceValue(func() *[cells + 1]float64 {
		var table [cells + 1]float64
		for i := range table {
			table[i] = areaLeftOf(v, lo+(hi-lo)*float64(i)/cells) / area
		}
		return &table
	})
	return func(x float64) float64 {
		f := min(max((x-lo)/(hi-lo)*cells, 0), cells)
		i := min(int(f), cells-1)
		return table()[i] + (f-float64(i))*(table()[i+1]-table()[i])
	}
}

func gridOf(d Domain) *planeGrid {
	switch d := d.(type) {
	case *curve:
		return &d.grid
	case *polygon:
		return &d.grid
	}
	return nil
}

func sampled(gamma func(float64) (float64, float64), n int) [][2]float64 {
	v := make([][2]float64, n)
	for i := range v {
		v[i][0], v[i][1] = gamma(2 * math.Pi * float64(i) / float64(n))
	}
	return v
}

// polygonMoments returns the signed area and E x_i, E x_i² under the uniform
// law on the polygon.
func polygonMoments(v [][2]float64) (area float64, mean, second []float64) {
	mean, second = make([]float64, 2), make([]float64, 2)
	for i, a := range v {
		b := v[(i+1)%len(v)]
		w := a[0]*b[1] - a[1]*b[0]
		area += w / 2
		for k := range 2 {
			mean[k] += w * (a[k] + b[k]) / 6
			second[k] += w * (a[k]*a[k] + a[k]*b[k] + b[k]*b[k]) / 12
		}
	}
	for k := range 2 {
		mean[k] /= area
		second[k] /= area
	}
	return area, mean, second
}

// areaLeftOf is the signed area of the part of the polygon with x ≤ c, the line
// integral of min(x, c) dy.
func areaLeftOf(v [][2]float64, c float64) float64 {
	sum := 0.0
	for i, a := range v {
		b := v[(i+1)%len(v)]
		dy := b[1] - a[1]
		lo, hi := min(a[0], b[0]), max(a[0], b[0])
		switch {
		case hi <= c:
			sum += dy * (lo + hi) / 2
		case lo >= c:
			sum += dy * c
		default:
			s := (c - lo) / (hi - lo)
			sum += dy * (s*(lo+c)/2 + (1-s)*c)
		}
	}
	return sum
}
