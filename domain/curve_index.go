package domain

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// planar is what curves and polygons share.
type planar struct {
	name   string
	tree   planeTree
	grid   planeGrid
	lo, hi [2]float64
	eps    float64 // rounding error of a coordinate
	area   float64
}

func (p *planar) Dim() int         { return 2 }
func (p *planar) Name() string     { return p.name }
func (p *planar) ExactWalls() bool { return true }

// Bounds writes the tightest box of a polygon, and one that is wider by at most the height
// of an arc of a curve.
func (p *planar) Bounds(lo, hi []float64) {
	copy(lo, p.lo[:])
	copy(hi, p.hi[:])
}

// Volume is the area.
func (p *planar) Volume(context.Context, *rand.Rand) (log, se float64, err error) {
	return math.Log(p.area), 0, nil
}

// A planeBox is an axis-parallel box by its centre and half widths. An empty
// one has hx = −Inf.
type planeBox struct{ cx, cy, hx, hy float64 }

// A planeTree is a binary tree of boxes over the pieces of a plane boundary in
// the order of the boundary: node 1 is the root, node i has the children 2i and
// 2i+1, and piece k is the leaf node leaves+k.
type planeTree struct {
	leaves int
	node   []planeBox
	disc   []planeDisc // about each piece
}

// A planeDisc holds a piece: a disc, cut by the strip |n·x − at| ≤ wide about the line
// through two points.
type planeDisc struct{ cx, cy, r, nx, ny, at, wide float64 }

// stripSlack, in rounding errors of a coordinate, is what a strip is wider by: twice what a
// path may begin beside the hit that it is to begin at.
const stripSlack = 2e6

// strip narrows the disc of a piece, all of which is within wide of the line through two
// points.
func (d *planeDisc) strip(ax, ay, bx, by, wide float64) {
	nx, ny := ay-by, bx-ax
	if l := math.Hypot(nx, ny); l > 0 {
		d.nx, d.ny = nx/l, ny/l
		d.at, d.wide = d.nx*ax+d.ny*ay, wide
	}
}

func newPlaneTree(piece []planeBox) planeTree {
	leaves := 1
	for leaves < len(piece) {
		leaves *= 2
	}
	t := planeTree{leaves: leaves, node: make([]planeBox, 2*leaves)}
	for i := range t.node {
		t.node[i].hx = math.Inf(-1)
	}
	copy(t.node[leaves:], piece)
	for _, b := range piece {
		t.disc = append(t.disc, planeDisc{cx: b.cx, cy: b.cy, r: math.Hypot(b.hx, b.hy) * (1 + 1e-12), wide: math.Inf(1)})
	}
	for i := leaves - 1; i > 0; i-- {
		t.node[i] = t.node[2*i].union(t.node[2*i+1])
	}
	return t
}

func (b planeBox) union(c planeBox) planeBox {
	if math.IsInf(b.hx, -1) {
		return c
	}
	if math.IsInf(c.hx, -1) {
		return b
	}
	x0, x1 := min(b.cx-b.hx, c.cx-c.hx), max(b.cx+b.hx, c.cx+c.hx)
	y0, y1 := min(b.cy-b.hy, c.cy-c.hy), max(b.cy+b.hy, c.cy+c.hy)
	// A little wider, so that rounding never loses a corner.
	wide := 4e-16 * max(math.Abs(x0), math.Abs(x1), math.Abs(y0), math.Abs(y1))
	return planeBox{(x0 + x1) / 2, (y0 + y1) / 2, (x1-x0)/2 + wide, (y1-y0)/2 + wide}
}

// A planeProbe is what a tree is searched with: a box and, unless (nx, ny) = 0,
// the line through its centre with that normal.
type planeProbe struct{ cx, cy, hx, hy, nx, ny float64 }

// segmentProbe holds the segment (x, y) + t (dx, dy), 0 ≤ t ≤ 1, widened by
// slack.
func segmentProbe(x, y, dx, dy, slack float64) planeProbe {
	return planeProbe{
		x + 0.5*dx, y + 0.5*dy,
		0.5*math.Abs(dx) + slack, 0.5*math.Abs(dy) + slack, -dy, dx,
	}
}

func (p *planeProbe) meets(b *planeBox) bool {
	x, y := b.cx-p.cx, b.cy-p.cy
	if math.Abs(x) > b.hx+p.hx || math.Abs(y) > b.hy+p.hy {
		return false
	}
	return !(math.Abs(p.nx*x+p.ny*y) > math.Abs(p.nx)*(b.hx+p.hx*1e-12)+math.Abs(p.ny)*(b.hy+p.hy*1e-12))
}

// seek returns the first leaf node, from node i on in depth-first order, whose
// box meets the probe; 0 when there is none.
func (t *planeTree) seek(i int, p *planeProbe) int {
	for i != 0 {
		if p.meets(&t.node[i]) {
			if i >= t.leaves {
				return i
			}
			i *= 2
			continue
		}
		i = afterNode(i)
	}
	return 0
}

// afterNode returns the node that follows the subtree of i; 0 at the end.
func afterNode(i int) int {
	i >>= bits.TrailingZeros(^uint(i))
	if i == 0 {
		return 0
	}
	return i + 1
}

// distance2 is the squared distance of (x, y) to the box; +Inf for an empty one.
func (b *planeBox) distance2(x, y float64) float64 {
	dx := max(math.Abs(x-b.cx)-b.hx, 0)
	dy := max(math.Abs(y-b.cy)-b.hy, 0)
	return dx*dx + dy*dy
}

// nearest visits pieces that may lie nearer to (x, y) than the root of best2.
// visit gets a piece and the best squared distance so far and returns the new
// best.
func (t *planeTree) nearest(x, y, best2 float64, visit func(piece int, best2 float64) float64) float64 {
	type entry struct {
		node int
		d2   float64
	}
	var stack [64]entry
	stack[0] = entry{1, t.node[1].distance2(x, y)}
	for n := 1; n > 0; {
		n--
		e := stack[n]
		if e.d2 > best2 {
			continue
		}
		if e.node >= t.leaves {
			best2 = visit(e.node-t.leaves, best2)
			continue
		}
		near := entry{2 * e.node, t.node[2*e.node].distance2(x, y)}
		far := entry{2*e.node + 1, t.node[2*e.node+1].distance2(x, y)}
		if far.d2 < near.d2 {
			near, far = far, near
		}
		stack[n], stack[n+1] = far, near
		n += 2
	}
	return best2
}

// gridSide is the number of cells along the longer side of a planeGrid.
const gridSide = 256

// farBlocks is how many times its size a block of cells must be from the boundary
// for one distance to serve all of them.
const farBlocks = 3

// A planeGrid cuts the bounding box of a plane domain into square cells. free
// holds, per cell, a lower bound of the distance from any point of the cell to
// the boundary, in quarters of a cell's side and at most 127: positive for cells
// wholly inside, negative for cells wholly outside, 0 for cells that the
// boundary may touch. A byte a cell keeps the grid in the fast cache.
//
// For the short steps that meet the wall it also keeps, per block of cells, the
// pieces of the boundary within reach of the block: piece[first[b]:first[b+1]].
type planeGrid struct {
	x0, y0, inverse float64
	nx, ny          uint
	free            []int8
	unit2           float64 // square of a quarter of a cell's side
	blocks          uint    // in a row
	reach           float64
	first           []int32
	piece           []int32
}

// A block has 1<<blockShift cells a side; gridReach is the reach of a planeGrid
// in cells.
const (
	blockShift = 2
	gridReach  = 24
)

// list fills in the pieces within reach of every block, in the order of the
// boundary.
func (g *planeGrid) list(t *planeTree) {
	side := 1 / g.inverse
	g.reach = gridReach * side
	g.blocks = g.nx>>blockShift + 1
	n := int(g.blocks * (g.ny>>blockShift + 1))
	count := make([]int32, n+1)
	each := func(visit func(block, piece int)) {
		for k := range t.node[t.leaves:] {
			b := &t.node[t.leaves+k]
			if math.IsInf(b.hx, -1) {
				continue
			}
			// A cell more than the reach, for rounding the cell number.
			wide := g.reach + side
			i0, i1 := g.span(b.cx-b.hx-wide-g.x0, b.cx+b.hx+wide-g.x0, g.nx)
			j0, j1 := g.span(b.cy-b.hy-wide-g.y0, b.cy+b.hy+wide-g.y0, g.ny)
			for j := j0; j <= j1; j++ {
				for i := i0; i <= i1; i++ {
					visit(j*int(g.blocks)+i, k)
				}
			}
		}
	}
	each(func(block, _ int) { count[block+1]++ })
	for c := range n {
		count[c+1] += count[c]
	}
	g.first = append([]int32(nil), count...)
	g.piece = make([]int32, count[n])
	each(func(block, piece int) {
		g.piece[count[block]] = int32(piece)
		count[block]++
	})
}

// span is the range of blocks between two coordinates from the grid's corner.
func (g *planeGrid) span(from, to float64, cells uint) (int, int) {
	return max(0, int(from*g.inverse)) >> blockShift, min(int(cells)-1, int(to*g.inverse)) >> blockShift
}

// pieces appends the pieces that the segment from (x, y) by (dx, dy) of length l
// may meet, widened by slack, in the order of the boundary. A short segment from
// inside the grid looks at the pieces near its block only.
func (g *planeGrid) pieces(dst []int32, t *planeTree, x, y, dx, dy, l, slack float64) []int32 {
	fx, fy := (x-g.x0)*g.inverse, (y-g.y0)*g.inverse
	if l+slack <= g.reach && fx >= 0 && fy >= 0 && fx < float64(g.nx) && fy < float64(g.ny) {
		b := uint(fy)>>blockShift*g.blocks + uint(fx)>>blockShift
		near := g.piece[g.first[b]:g.first[b+1]]
		n := len(dst)
		dst = slices.Grow(dst, len(near))[:n+len(near)]
		cx, cy, half := x+0.5*dx, y+0.5*dy, (0.5*l+slack)*(1+1e-12)
		for _, k := range near { // without branches, which nobody could foretell
			d := &t.disc[k]
			u, v, r := d.cx-cx, d.cy-cy, d.r+half
			f, g := d.nx*x+d.ny*y-d.at, d.nx*dx+d.ny*dy
			apart := math.Abs(f+f+g) - math.Abs(g) - 2*d.wide // both ends on one side of the strip
			dst[n] = k
			n += int((math.Float64bits(u*u+v*v-r*r) & math.Float64bits(apart)) >> 63)
		}
		return dst[:n]
	}
	probe := segmentProbe(x, y, dx, dy, slack)
	for i := t.seek(1, &probe); i != 0; i = t.seek(afterNode(i), &probe) {
		dst = append(dst, int32(i-t.leaves))
	}
	return dst
}

// newPlaneGrid builds the grid over a bounding box from the distance of a point
// to the boundary (at most `near` looked for) and exact membership.
func newPlaneGrid(lo, hi [2]float64, distance func(x, y, near float64) float64, inside func(x, y float64) bool) planeGrid {
	side := max(hi[0]-lo[0], hi[1]-lo[1]) / (gridSide - 2)
	g := planeGrid{x0: lo[0] - side, y0: lo[1] - side, inverse: 1 / side}
	g.nx = uint(math.Ceil((hi[0]-lo[0])/side)) + 2
	g.ny = uint(math.Ceil((hi[1]-lo[1])/side)) + 2
	g.free = make([]int8, g.nx*g.ny)
	unit := side / 4
	g.unit2 = unit * unit * (1 - 1e-6)
	// Half the diagonal of a cell, with room for rounding the cell number.
	reach := side*math.Sqrt2/2 + 1e-12*(math.Abs(lo[0])+math.Abs(lo[1])+side*gridSide)
	g.measure(0, 0, gridSide, math.Inf(1), reach, unit, distance)
	for j := range g.ny { // which side each cell is on: known from the cell to the left unless that is at the boundary
		sign := int8(0)
		for i := range g.nx {
			free := &g.free[j*g.nx+i]
			switch {
			case *free == 0:
				sign = 0
				continue
			case sign != 0:
			case inside(g.center(i, j, 1)):
				sign = 1
			default:
				sign = -1
			}
			*free *= sign
		}
	}
	return g
}

// center is the middle of n × n cells from (i, j) on.
func (g *planeGrid) center(i, j, n uint) (x, y float64) {
	half := 0.5 * float64(n)
	return g.x0 + (float64(i)+half)/g.inverse, g.y0 + (float64(j)+half)/g.inverse
}

// measure fills the free distances of n × n cells from (i, j) on, n a power of two:
// all from one distance where it is several times the size of the block, else by
// quarters. near bounds the distance of the middle.
func (g *planeGrid) measure(i, j, n uint, near, reach, unit float64, distance func(x, y, near float64) float64) {
	if i >= g.nx || j >= g.ny {
		return
	}
	x, y := g.center(i, j, n)
	d := distance(x, y, near)
	size := float64(n) / g.inverse
	if n > 1 && !(d > farBlocks*size) {
		half := n / 2
		near = (d + size*math.Sqrt2/4) * 1.000001
		for _, q := range [4][2]uint{{i, j}, {i + half, j}, {i, j + half}, {i + half, j + half}} {
			g.measure(q[0], q[1], half, near, reach, unit, distance)
		}
		return
	}
	for row := j; row < min(j+n, g.ny); row++ {
		for column := i; column < min(i+n, g.nx); column++ {
			cx, cy := g.center(column, row, 1)
			if free := math.Floor((d - math.Hypot(cx-x, cy-y) - reach) / unit); free > 0 {
				g.free[row*g.nx+column] = int8(min(free, 127))
			}
		}
	}
}

// at returns the entry of free for the cell of (x, y), −1 outside the grid and
// for NaN.
func (g *planeGrid) at(x, y float64) int {
	fx, fy := (x-g.x0)*g.inverse, (y-g.y0)*g.inverse
	if !(fx >= 0 && fy >= 0) {
		return -1
	}
	i, j := uint(fx), uint(fy)
	if i >= g.nx || j >= g.ny {
		return -1
	}
	return int(g.free[j*g.nx+i])
}

// clear reports that the step certainly lies inside: discs about its ends that
// lie inside cover it.
func (g *planeGrid) clear(from, to []float64) bool {
	x, y := from[0], from[1]
	dx, dy := to[0]-x, to[1]-y
	b := g.at(to[0], to[1])
	n := float64(g.at(x, y) + b)
	return b >= 0 && dx*dx+dy*dy < n*n*g.unit2
}

// glance is clear for many steps, coordinate by coordinate.
func (g *planeGrid) glance(may []bool, from, to []float64, stride int) {
	n := len(may)
	tx, ty := to[:n], to[stride:][:n]
	if from == nil {
		for i, x := range tx {
			if g.at(x, ty[i]) <= 0 {
				may[i] = true
			}
		}
		return
	}
	fx, fy := from[:n], from[stride:][:n]
	for i, x := range tx {
		y := ty[i]
		dx, dy := x-fx[i], y-fy[i]
		b := g.at(x, y)
		near := float64(g.at(fx[i], fy[i]) + b)
		if !(b >= 0 && dx*dx+dy*dy < near*near*g.unit2) {
			may[i] = true
		}
	}
}
