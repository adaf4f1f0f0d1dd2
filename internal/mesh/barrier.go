package mesh

import (
	"context"
	"fmt"
	"math"

	"github.com/r2sgld/r2sgld/domain"
)

// A looker is what [domain.Excursions] returns.
type looker = func(x, dir []float64) (t float64, ok bool)

// A barrier is a part of the wall that lies between neighbouring nodes, both of them
// inside.
type barrier struct {
	at      [2]float64 // where it was met
	width   float64    // there: the least that was met
	edges   int        // that it crosses
	blocked []uint8    // for each node, 1 if it crosses the edge to the right, 2 the one up
}

// barriers follows straight paths along the lines of the grid through nodes that lie
// inside, of four edges at most, and looks whether they leave the domain.
func (s *sampler) barriers(ctx context.Context) (*barrier, error) {
	b := &barrier{width: math.Inf(1), blocked: make([]uint8, len(s.in))}
	look := domain.Excursions(s.d)
	for axis := range 2 {
		for line := range s.n[1-axis] + 1 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			for i := 0; i < s.n[axis]; {
				k := i
				for k < min(i+4, s.n[axis]) && s.in[s.on(axis, line, k)] && s.in[s.on(axis, line, k+1)] {
					k++
				}
				if k == i {
					i++
					continue
				}
				i = s.meet(b, look, axis, line, i, k)
			}
		}
	}
	return b, nil
}

// on is node k of a line along an axis.
func (s *sampler) on(axis, line, k int) int {
	if axis == 0 {
		return s.node(k, line)
	}
	return s.node(line, k)
}

// meet follows the path from node i of the line to node k and returns the node to go on
// from.
func (s *sampler) meet(b *barrier, look looker, axis, line, i, k int) int {
	var from, dir [2]float64
	from[axis], from[1-axis] = s.coordinate(axis, i), s.coordinate(1-axis, line)
	dir[axis] = s.coordinate(axis, k) - from[axis]
	in := func(v float64) bool {
		x := from
		x[axis] = v
		return s.contains(x[0], x[1])
	}
	t, out := look(from[:], dir[:])
	q := from[axis] + t*dir[axis]
	if !out || in(q) {
		return k
	}
	e := i
	for s.coordinate(axis, e+1) <= q {
		e++
	}
	right := bisect(in, s.coordinate(axis, e+1), q)
	begin := bisect(in, s.coordinate(axis, e), q)
	node := s.on(axis, line, e)
	if b.blocked[node]&(1<<axis) == 0 {
		b.blocked[node] |= 1 << axis
		b.edges++
	}
	if right-begin < b.width {
		b.width, b.at = right-begin, from
		b.at[axis] = begin
	}
	return e + 1
}

// missed looks for a gap of an interval between two places inside; 0 if there is none.
func missed(in func(v float64) bool, look looker, a, b float64) (width, at float64) {
	t, out := look([]float64{a}, []float64{b - a})
	q := a + t*(b-a)
	if !out || in(q) {
		return 0, 0
	}
	at = bisect(in, a, q)
	return bisect(in, b, q) - at, at
}

// parts counts the pieces into which the nodes inside fall, with or without the barrier.
func (s *sampler) parts(blocked []uint8) int {
	trees, n := newForest(len(s.in)), 0
	for _, in := range s.in {
		if in {
			n++
		}
	}
	for j := range s.n[1] + 1 {
		for i := range s.n[0] + 1 {
			at := s.node(i, j)
			for axis, next := range [2]int{s.node(i+1, j), s.node(i, j+1)} {
				if !s.in[at] || !s.in[next] || blocked != nil && blocked[at]&(1<<axis) != 0 {
					continue
				}
				if trees.join(int32(at), int32(next)) {
					n--
				}
			}
		}
	}
	return n
}

// thin says what is amiss where the grid misses a barrier: an error where that parts the
// domain, a note elsewhere.
func (s *sampler) thin(ctx context.Context, n int) (note string, err error) {
	b, err := s.barriers(ctx)
	if err != nil || b.edges == 0 {
		return "", err
	}
	cell := math.Max(s.hi[0]-s.lo[0], s.hi[1]-s.lo[1]) / float64(n)
	what := fmt.Sprintf("a barrier %.2g thick at (%.4g, %.4g) is thinner than the cells of %.2g", b.width, b.at[0], b.at[1], cell)
	finer := "no grid that fits resolves it, give one piece at a time"
	if k := math.Ceil(float64(n) * cell / b.width); k <= mostPlane {
		finer = fmt.Sprintf("give %d cells along the longest side, or one piece at a time", int(k))
	}
	if with, without := s.parts(b.blocked), s.parts(nil); with > without {
		return "", fmt.Errorf("%s and parts the domain, %d pieces where the grid sees %d: %s", what, with, without, finer)
	}
	return fmt.Sprintf("%s, and is left out where it crosses %d lines of the grid between nodes inside", what, b.edges), nil
}
