package mesh

import (
	"context"
	"math"

	"github.com/r2sgld/r2sgld/domain"
)

// A sampler looks at a domain in the nodes of a grid.
type sampler struct {
	d      domain.Domain
	lo, hi [2]float64
	n      [2]int // cells along each side
	in     []bool // of node (i, j), −1 ≤ i ≤ n + 1: those beyond the box are outside
	x      [2]float64
}

// traced follows the wall of a domain of which only membership is known: it
// crosses between a node inside and one outside, where bisection finds it, and is
// straight in between. The grid has at least twice n cells along its longest
// side. A note says where it misses a thin barrier.
func traced(ctx context.Context, d domain.Domain, n int) (loops []loop, note string, err error) {
	fine := max(2*n, min(8*n, 256))
	lo, hi := domain.BoundsOf(d, 2)
	var s *sampler
	for range 3 { // bounds may be wide: look again where something was
		if s, err = newSampler(ctx, d, [2]float64(lo), [2]float64(hi), fine); err != nil {
			return nil, "", err
		}
		a, b, any := s.extent()
		if !any {
			return nil, "", errEmpty
		}
		wide := false
		for j := range 2 {
			wide = wide || b[j]-a[j] < 0.8*(hi[j]-lo[j])
			lo[j], hi[j] = math.Max(lo[j], a[j]), math.Min(hi[j], b[j])
		}
		if !wide {
			break
		}
	}
	if note, err = s.thin(ctx, n); err != nil {
		return nil, "", err
	}
	loops, err = s.loops(ctx)
	return loops, note, err
}

// newSampler asks for membership in every node.
func newSampler(ctx context.Context, d domain.Domain, lo, hi [2]float64, fine int) (*sampler, error) {
	s := &sampler{d: d, lo: lo, hi: hi}
	long := math.Max(hi[0]-lo[0], hi[1]-lo[1])
	for j := range 2 {
		s.n[j] = max(4, int(math.Round(float64(fine)*(hi[j]-lo[j])/long)))
	}
	s.in = make([]bool, (s.n[0]+3)*(s.n[1]+3))
	for j := range s.n[1] + 1 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for i := range s.n[0] + 1 {
			s.in[s.node(i, j)] = s.contains(s.coordinate(0, i), s.coordinate(1, j))
		}
	}
	return s, nil
}

func (s *sampler) contains(x, y float64) bool {
	s.x = [2]float64{x, y}
	return s.d.Contains(s.x[:])
}

// node numbers the nodes, the ring around the box among them.
func (s *sampler) node(i, j int) int { return (j+1)*(s.n[0]+3) + i + 1 }

// coordinate is that of a node; the ring lies on the box.
func (s *sampler) coordinate(axis, i int) float64 {
	return between(s.lo[axis], s.hi[axis], min(max(i, 0), s.n[axis]), s.n[axis])
}

// extent is a box around the nodes inside, one cell wider.
func (s *sampler) extent() (lo, hi [2]float64, any bool) {
	lo, hi = s.hi, s.lo
	for j := range s.n[1] + 1 {
		for i := range s.n[0] + 1 {
			if s.in[s.node(i, j)] {
				any = true
				for k, at := range [2]int{i, j} {
					lo[k] = math.Min(lo[k], s.coordinate(k, at-1))
					hi[k] = math.Max(hi[k], s.coordinate(k, at+1))
				}
			}
		}
	}
	return lo, hi, any
}

// loops joins the crossings of the edges between nodes to closed polygons, Ω on
// the left. Edge 2·node leads right from a node, 2·node + 1 up.
func (s *sampler) loops(ctx context.Context) ([]loop, error) {
	next := make([]int32, 2*len(s.in)) // the edge where the wall leaves a cell, by that where it enters, + 1
	for j := -1; j <= s.n[1]; j++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for i := -1; i <= s.n[0]; i++ {
			s.link(i, j, next)
		}
	}
	var out []loop
	for e := range next {
		if e%heard == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		var v [][2]float64
		for at := int32(e); next[at] != 0; {
			v = append(v, s.point(int(at)))
			at, next[at] = next[at]-1, 0
		}
		if l := polygon(v); len(l) > 2 {
			out = append(out, l)
		}
	}
	return out, nil
}

// link adds the one or two ways of the wall through a cell. Where the corners
// alternate, its centre says which of them hang together.
func (s *sampler) link(i, j int, next []int32) {
	n00, n10, n11, n01 := s.node(i, j), s.node(i+1, j), s.node(i+1, j+1), s.node(i, j+1)
	in := [5]bool{s.in[n00], s.in[n10], s.in[n11], s.in[n01], s.in[n00]}
	edge := [4]int{2 * n00, 2*n10 + 1, 2 * n01, 2*n00 + 1} // counter-clockwise
	var from, to []int
	for k := range 4 {
		switch {
		case in[k] && !in[k+1]:
			from = append(from, k)
		case !in[k] && in[k+1]:
			to = append(to, k)
		}
	}
	switch len(from) {
	case 1:
		next[edge[from[0]]] = int32(edge[to[0]]) + 1
	case 2:
		turn := 3
		if s.contains(0.5*(s.coordinate(0, i)+s.coordinate(0, i+1)), 0.5*(s.coordinate(1, j)+s.coordinate(1, j+1))) {
			turn = 1
		}
		for _, k := range from {
			next[edge[k]] = int32(edge[(k+turn)%4]) + 1
		}
	}
}

// point is where the wall crosses an edge.
func (s *sampler) point(e int) [2]float64 {
	n := e / 2
	i, j := n%(s.n[0]+3)-1, n/(s.n[0]+3)-1
	axis := e % 2
	p := [2]float64{s.coordinate(0, i), s.coordinate(1, j)}
	q := p
	if axis == 0 {
		q[0] = s.coordinate(0, i+1)
	} else {
		q[1] = s.coordinate(1, j+1)
	}
	a, b := p[axis], q[axis]
	if !s.in[n] {
		a, b = b, a
	}
	p[axis] = bisect(func(v float64) bool {
		x := p
		x[axis] = v
		return s.contains(x[0], x[1])
	}, a, b)
	return p
}
