package quadrature

import (
	"math"
	"slices"
)

// A cell is a closed rectangle.
type cell struct{ x0, x1, y0, y1 float64 }

// A section is the boundary as seen by vertical lines.
type section struct {
	branches []branch
	walls    []vertical
	tiny     float64 // rounding error of a coordinate
}

// A cutter finds Ω ∩ cell, part by part. It holds a workspace: one goroutine at
// a time.
type cutter struct {
	*section
	below, touch []int
	lo, hi       []float64 // of touch: its range of x
	breaks       []float64
	active       []int
	edge         []crossing
	nodes        *nodes
}

// A crossing is where a vertical line meets the boundary.
type crossing struct {
	y    float64
	sign int
}

// nodes are quadrature nodes and their weights.
type nodes struct{ x, y, w []float64 }

func (n *nodes) reset() { n.x, n.y, n.w = n.x[:0], n.y[:0], n.w[:0] }

// grow makes room for m more nodes.
func (n *nodes) grow(m int) {
	to := len(n.w) + m
	if to > cap(n.x) || to > cap(n.y) || to > cap(n.w) {
		n.x, n.y, n.w = slices.Grow(n.x, m), slices.Grow(n.y, m), slices.Grow(n.w, m)
	}
	n.x, n.y, n.w = n.x[:to], n.y[:to], n.w[:to]
}

// cut appends nodes of a rule with nx × ny points for each part of Ω ∩ c. All
// weights are positive and all nodes lie in Ω.
func (k *cutter) cut(c cell, nx, ny int, n *nodes) {
	k.nodes = n
	k.meet(c)
	for i, l := range k.breaks[:len(k.breaks)-1] {
		if r := k.breaks[i+1]; r-l > 2*k.tiny {
			k.part(c, l, r, nx, ny)
		}
	}
}

// meet sorts the branches into those below c and those that touch it, and finds
// where their order along vertical lines changes.
func (k *cutter) meet(c cell) {
	k.below, k.touch, k.lo, k.hi = k.below[:0], k.touch[:0], k.lo[:0], k.hi[:0]
	k.breaks = append(k.breaks[:0], c.x0, c.x1)
	for i := range k.branches {
		b := &k.branches[i]
		if b.xl >= c.x1 || b.xr <= c.x0 || b.lowest() >= c.y1 {
			continue
		}
		if b.highest() <= c.y0 {
			k.below = append(k.below, i)
			continue
		}
		lo, hi := max(b.xl, c.x0), min(b.xr, c.x1)
		ya, yb := b.height(lo, k.tiny), b.height(hi, k.tiny)
		switch {
		case min(ya, yb) >= c.y1:
			continue
		case max(ya, yb) <= c.y0:
			k.below = append(k.below, i)
			continue
		}
		k.touch, k.lo, k.hi = append(k.touch, i), append(k.lo, lo), append(k.hi, hi)
		k.breaks = append(k.breaks, lo, hi)
		for _, y := range [2]float64{c.y0, c.y1} {
			if (ya < y) != (yb < y) && ya != y && yb != y {
				k.breaks = append(k.breaks, min(max(b.abscissa(y, k.tiny), lo), hi))
			}
		}
	}
	for _, v := range k.walls {
		if v.x > c.x0 && v.x < c.x1 && v.y0 < c.y1 && v.y1 > c.y0 {
			k.breaks = append(k.breaks, v.x)
		}
	}
	slices.Sort(k.breaks)
}

// probe is a place near the middle of [l, r] where no branch ends: ends that
// should meet may be apart by rounding.
func (k *cutter) probe(l, r float64) float64 {
	for _, share := range [...]float64{0.5, 0.47, 0.54, 0.43} {
		x, free := l+share*(r-l), true
		for _, list := range [2][]int{k.below, k.touch} {
			for _, i := range list {
				b := &k.branches[i]
				free = free && math.Abs(x-b.xl) > 2*k.tiny && math.Abs(x-b.xr) > 2*k.tiny
			}
		}
		if free {
			return x
		}
	}
	return 0.5 * (l + r)
}

// part does the part l < x < r of c, over which the branches keep their order.
func (k *cutter) part(c cell, l, r float64, nx, ny int) {
	mid, inside := k.probe(l, r), 0
	for _, i := range k.below {
		if b := &k.branches[i]; b.xl <= mid && mid < b.xr {
			inside += b.sign
		}
	}
	k.active = k.active[:0]
	left, right := anchor{l, 1}, anchor{r, 1}
	for j, i := range k.touch {
		if !(k.lo[j] <= mid && mid < k.hi[j]) {
			continue
		}
		b := &k.branches[i]
		switch y := b.height(mid, k.tiny); {
		case y <= c.y0:
			inside += b.sign
			continue
		case y >= c.y1:
			continue
		}
		k.active = append(k.active, i)
		if b.pl > left.p && l-b.xl < r-l {
			left = anchor{b.xl, b.pl}
		}
		if b.pr > right.p && b.xr-r < r-l {
			right = anchor{b.xr, b.pr}
		}
	}
	if len(k.active) == 0 {
		if inside > 0 {
			k.rectangle(cell{l, r, c.y0, c.y1}, nx, ny)
		}
		return
	}
	switch {
	case left.p > 1 && right.p > 1:
		k.curved(c, l, mid, inside, left, nx, ny)
		k.curved(c, mid, r, inside, right, nx, ny)
	case right.p > 1:
		k.curved(c, l, r, inside, right, nx, ny)
	default:
		k.curved(c, l, r, inside, left, nx, ny)
	}
}

// An anchor is a place near which heights are smooth in |x − at|^(1/p).
type anchor struct{ at, p float64 }

func (k *cutter) rectangle(c cell, nx, ny int) {
	gx := gauss(nx)
	for i, u := range gx.x {
		k.column(c.x0+u*(c.x1-c.x0), c.y0, c.y1, gx.w[i]*(c.x1-c.x0), gauss(ny))
	}
}

// column adds the nodes of g between (x, from) and (x, to), w being the weight
// of x.
func (k *cutter) column(x, from, to, w float64, g rule) {
	n, at := k.nodes, len(k.nodes.w)
	n.grow(len(g.x))
	xs, ys, ws := n.x[at:], n.y[at:], n.w[at:]
	for j, v := range g.x {
		xs[j], ys[j], ws[j] = x, from+v*(to-from), w*g.w[j]*(to-from)
	}
}

// curved integrates over x by x = at ± s^p, and between the branches over y.
func (k *cutter) curved(c cell, l, r float64, inside int, a anchor, nx, ny int) {
	from, to := l, r
	if a.p > 1 {
		from, to = a.stretch(l), a.stretch(r)
	}
	gx, gy := gauss(nx), gauss(ny)
	for i, u := range gx.x {
		x, w := from+u*(to-from), gx.w[i]*(to-from)
		if a.p > 1 {
			s := math.Abs(x)
			w *= a.p * math.Pow(s, a.p-1)
			x = min(max(a.at+math.Copysign(math.Pow(s, a.p), x), l), r)
		}
		k.heights(c, x)
		in, last := inside, c.y0
		for _, e := range k.edge {
			if in > 0 && e.y > last {
				k.column(x, last, e.y, w, gy)
			}
			in, last = in+e.sign, e.y
		}
	}
}

// stretch is ±|x − at|^(1/p).
func (a anchor) stretch(x float64) float64 {
	return math.Copysign(math.Pow(math.Abs(x-a.at), 1/a.p), x-a.at)
}

// heights fills edge with the crossings at x in ascending order, and the top of
// the cell.
func (k *cutter) heights(c cell, x float64) {
	k.edge = k.edge[:0]
	for _, i := range k.active {
		b := &k.branches[i]
		e := crossing{min(max(b.height(x, k.tiny), c.y0), c.y1), b.sign}
		j := len(k.edge)
		k.edge = append(k.edge, e)
		for ; j > 0 && k.edge[j-1].y > e.y; j-- {
			k.edge[j] = k.edge[j-1]
		}
		k.edge[j] = e
	}
	k.edge = append(k.edge, crossing{c.y1, 0})
}
