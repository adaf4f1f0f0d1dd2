package domain

import (
	"fmt"
	"math"
)

// polygon is the closed region inside a simple polygon.
type polygon struct {
	planar
	v      [][2]float64 // counter-clockwise
	normal [][2]float64 // outward, unit
}

// NewPolygon returns the region inside the polygon with the given vertices, in
// order, of either orientation. It needs at least three vertices, finite and
// different from each other, and edges that meet only at the vertices between
// neighbours. Wall w is the edge from vertex w to vertex w+1, counter-clockwise.
func NewPolygon(vertices [][2]float64) (Domain, error) {
	return newPolygon("polygon", vertices)
}

func newPolygon(name string, vertices [][2]float64) (Domain, error) {
	n := len(vertices)
	if n < 3 {
		return nil, fmt.Errorf("%s: %d vertices; give at least 3", name, n)
	}
	p := &polygon{planar: planar{name: name}, v: make([][2]float64, n), normal: make([][2]float64, n)}
	size, seen := 0.0, make(map[[2]float64]int, n)
	for i, v := range vertices {
		if m := math.Max(math.Abs(v[0]), math.Abs(v[1])); m < 1e150 {
			size = math.Max(size, m)
		} else {
			return nil, fmt.Errorf("%s: vertex %d is (%v, %v); coordinates must be finite and below 1e150", name, i+1, v[0], v[1])
		}
		key := [2]float64{v[0] + 0, v[1] + 0} // −0 is 0
		if j, ok := seen[key]; ok {
			return nil, fmt.Errorf("%s: vertices %d and %d are both (%v, %v); give every vertex once", name, j+1, i+1, v[0], v[1])
		}
		seen[key] = i
		p.v[i] = key
	}
	if size < 1e-100 {
		return nil, fmt.Errorf("%s: all coordinates are below 1e-100; measure it in other units", name)
	}
	if i, j, crosses := firstCrossing(p.v); crosses {
		return nil, fmt.Errorf("%s: edge %s meets edge %s; edges may share only the vertex between neighbours",
			name, edgeName(i, n), edgeName(j, n))
	}
	p.eps = 1e-15 * size
	p.measure()
	p.tree = edgeTree(p.v, p.eps)
	for i := range p.v {
		a, b := p.edge(i)
		p.tree.disc[i].strip(a[0], a[1], b[0], b[1], stripSlack*p.eps)
	}
	p.grid = newPlaneGrid(p.lo, p.hi, func(x, y, near float64) float64 {
		_, d2 := p.foot(x, y, near*near)
		return math.Sqrt(d2) - 4*p.eps
	}, func(x, y float64) bool { return p.winds([2]float64{x, y}) })
	p.grid.list(&p.tree)
	return p, nil
}

func edgeName(i, n int) string { return fmt.Sprintf("%d–%d", i+1, (i+1)%n+1) }

// measure turns the vertices counter-clockwise and fills what follows from them.
func (p *polygon) measure() {
	n := len(p.v)
	for i := range n {
		a, b := p.v[i], p.v[(i+1)%n]
		p.area += 0.5 * ((a[0]-p.v[0][0])*(b[1]-p.v[0][1]) - (a[1]-p.v[0][1])*(b[0]-p.v[0][0]))
	}
	if p.area < 0 {
		p.area = -p.area
		for i := range n / 2 {
			p.v[i], p.v[n-1-i] = p.v[n-1-i], p.v[i]
		}
	}
	p.lo, p.hi = p.v[0], p.v[0]
	for i, a := range p.v {
		b := p.v[(i+1)%n]
		l := math.Hypot(b[0]-a[0], b[1]-a[1])
		p.normal[i] = [2]float64{(b[1] - a[1]) / l, -(b[0] - a[0]) / l}
		for k := range 2 {
			p.lo[k], p.hi[k] = min(p.lo[k], a[k]), max(p.hi[k], a[k])
		}
	}
}

// Contains reports whether x lies inside or on an edge, exactly.
func (p *polygon) Contains(x []float64) bool {
	if free := p.grid.at(x[0], x[1]); free != 0 {
		return free > 0
	}
	return p.winds([2]float64{x[0], x[1]})
}

// winds decides membership by the winding number, with exact orientations.
func (p *polygon) winds(x [2]float64) bool {
	if !(x[0] <= p.hi[0]) {
		return false
	}
	turns := 0
	reach := 0.5 * (p.hi[0] - x[0])
	probe := planeProbe{cx: x[0] + reach, cy: x[1], hx: reach + p.eps}
	for i := p.tree.seek(1, &probe); i != 0; i = p.tree.seek(afterNode(i), &probe) {
		a, b := p.edge(i - p.tree.leaves)
		side := orient(a, b, x)
		if side == 0 && between(a, b, x) {
			return true
		}
		switch climb := climbs(a[1]-x[1], b[1]-x[1]); {
		case climb > 0 && side > 0, climb < 0 && side < 0:
			turns += climb
		}
	}
	return turns != 0
}

func (p *polygon) edge(i int) (a, b [2]float64) {
	if i+1 < len(p.v) {
		return p.v[i], p.v[i+1]
	}
	return p.v[i], p.v[0]
}

// foot returns the edge nearest to (x, y) and the squared distance, looked for
// within the root of best2.
func (p *polygon) foot(x, y, best2 float64) (int, float64) {
	edge := -1
	best2 = p.tree.nearest(x, y, best2, func(i int, best2 float64) float64 {
		qx, qy, _ := p.project(i, x, y)
		if d2 := (x-qx)*(x-qx) + (y-qy)*(y-qy); d2 < best2 {
			edge, best2 = i, d2
		}
		return best2
	})
	return edge, best2
}

// project returns the point of edge i nearest to (x, y) and its share of the
// edge.
func (p *polygon) project(i int, x, y float64) (qx, qy, s float64) {
	a, b := p.edge(i)
	ex, ey := b[0]-a[0], b[1]-a[1]
	s = min(max(((x-a[0])*ex+(y-a[1])*ey)/(ex*ex+ey*ey), 0), 1)
	if s == 1 {
		return b[0], b[1], s
	}
	return a[0] + s*ex, a[1] + s*ey, s
}

// NewOctagon returns the regular octagon with the given circumradius and a
// vertex at (0, radius). Its area is 2√2·radius².
func NewOctagon(radius float64) (Domain, error) {
	if err := positiveRadius("octagon", radius); err != nil {
		return nil, err
	}
	h := radius * math.Sqrt2 / 2
	return newPolygon("octagon", [][2]float64{
		{0, radius}, {-h, h}, {-radius, 0}, {-h, -h}, {0, -radius}, {h, -h}, {radius, 0}, {h, h},
	})
}

// NewCross returns the union of the rectangle |x| ≤ radius·sin 18°,
// |y| ≤ radius·sin 72° and its transpose.
func NewCross(radius float64) (Domain, error) {
	if err := positiveRadius("cross", radius); err != nil {
		return nil, err
	}
	s, l := radius*math.Sin(math.Pi/10), radius*math.Sin(4*math.Pi/10)
	return newPolygon("cross", [][2]float64{
		{l, -s}, {l, s}, {s, s}, {s, l}, {-s, l}, {-s, s},
		{-l, s}, {-l, -s}, {-s, -s}, {-s, -l}, {s, -l}, {s, -s},
	})
}

// NewStar returns the five-pointed star with its tips P_i at the angles
// 90° + 72°·i and distance radius, and after tip P_i the inner vertex
// 0.618 P_i + 0.382 P_(i+2) (that of the r2SGLD paper's code).
func NewStar(radius float64) (Domain, error) {
	if err := positiveRadius("star", radius); err != nil {
		return nil, err
	}
	tip := func(i int) (x, y float64) {
		sin, cos := math.Sincos(math.Pi/2 + 2*math.Pi*float64(i%5)/5)
		return radius * cos, radius * sin
	}
	var v [][2]float64
	for i := range 5 {
		px, py := tip(i)
		qx, qy := tip(i + 2)
		v = append(v, [2]float64{px, py}, [2]float64{0.618*px + 0.382*qx, 0.618*py + 0.382*qy})
	}
	return newPolygon("star", v)
}

// Convex reports that no vertex turns right, by exact orientations: the polygon
// is simple and counter-clockwise.
func (p *polygon) Convex() bool {
	n := len(p.v)
	for i := range n {
		if orient(p.v[i], p.v[(i+1)%n], p.v[(i+2)%n]) < 0 {
			return false
		}
	}
	return true
}

// Pieces are the edges.
func (p *polygon) Pieces() []Piece        { return edges(p.v) }
func (p *polygon) WallName(w Wall) string { return "edge " + edgeName(int(w), len(p.v)) }

// Inequalities are the lines through the edges of a convex polygon.
func (p *polygon) Inequalities() (*Inequalities, error) {
	if !p.Convex() {
		return nil, fmt.Errorf("a %s with corners that point inwards is no set of linear and quadratic inequalities", p.name)
	}
	s := &Inequalities{}
	for i, v := range p.v {
		w := p.v[(i+1)%len(p.v)]
		x, y := w[1]-v[1], v[0]-w[0] // outwards: the vertices run counter-clockwise
		l := math.Hypot(x, y)
		s.A, s.B = append(s.A, []float64{x / l, y / l}), append(s.B, x/l*v[0]+y/l*v[1])
	}
	return s, nil
}
