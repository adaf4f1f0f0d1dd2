// Package mesh answers which cells make up a domain of one or two dimensions.
//
// An interval is cut into equal cells. A domain of the plane is laid into a grid
// over its box; the cells that its wall cuts keep the part that lies in the
// domain, with the area of that part and the lengths of the parts of its faces.
// Functions on the mesh are known at the centres of whole cells, cut or not, so
// that the flux through a face is its length times the difference of two
// neighbours over their distance (Purvis & Burkhalter 1979; Ng, Min & Gibou
// 2009): second order, and exact for linear functions in all cells but those
// that the wall cuts.
package mesh

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/r2sgld/r2sgld/domain"
)

// A Mesh is a domain Ω cut into cells. Cell i is Index[i] in the grid; a cell of
// the grid that the wall cuts in several parts gives one cell of the mesh for
// each of them, so that nothing leaks through a wall thinner than a cell.
type Mesh struct {
	Dim      int        // 1 or 2
	Side     [2]float64 // of a whole cell; Side[1] is 0 in one dimension
	Shape    [2]int     // cells of the grid along each coordinate, those outside counted; Shape[1] = 1 in one dimension
	Origin   [2]float64 // lower left corner of the grid
	Index    []int32    // of cell i in the grid: row*Shape[0] + column, rising
	Centre   []float64  // Centre[i*Dim+j]: centre of the whole cell, where functions are known; may lie outside Ω for a cut cell
	Centroid []float64  // of the part in Ω, likewise: where a potential is evaluated
	Volume   []float64  // length or area of the part in Ω, > 0
	Faces    []Face     // each once, I < J, sorted by (I, J)
	Note     string     // a sentence without its full stop: the thin part of the wall that the cells miss; empty if none was found
}

// A Face is what two neighbouring cells share.
type Face struct {
	I, J     int32
	Area     float64    // 1 in one dimension; length of the part of the face in Ω
	Distance float64    // between the two centres
	At       [2]float64 // middle of that part; At[1] is 0 in one dimension
}

// Limits of the grids that New accepts: up to about 1 and 2 GiB of memory.
const (
	mostLine  = 1 << 24
	mostPlane = 4096
)

// New cuts d, of dimension 1 or 2 and bounded, into a mesh with n cells along
// the longest side of its tightest box (n from 2 to 4096, in one dimension to
// 2^24); the other side has as many cells as make them nearly square, so that a
// rectangle along the axes has no cut cell. Parts below 1e-10 of a cell are left
// out.
//
// Areas and faces are exact to rounding where the wall is known: curves,
// polygons, boxes, balls, simplices, and other convex domains with exact walls
// such as polytopes, ellipsoids and their intersections. Other domains are looked
// at in the nodes of a grid at least twice as fine as the mesh; their wall is
// found by bisection between nodes and is straight from one to the next: second
// order in the size of a cell, and features below half a cell may go unseen; of thin
// barriers between nodes inside that paths from one to the other meet, Note tells.
//
// It fails for a domain that is unbounded, empty or falls into several parts,
// where n is too small to see that the parts hang together, and where a barrier between
// them is thinner than the cells.
func New(ctx context.Context, d domain.Domain, n int) (*Mesh, error) {
	if err := check(d); err != nil {
		return nil, fmt.Errorf("mesh: %w", err)
	}
	most := mostPlane
	if d.Dim() == 1 {
		most = mostLine
	}
	if n < 2 || n > most {
		return nil, fmt.Errorf("mesh: a grid of %d; give from 2 to %d cells along the longest side", n, most)
	}
	var m *Mesh
	var err error
	if d.Dim() == 1 {
		m, err = newLine(ctx, d, n)
	} else {
		m, err = newPlane(ctx, d, n)
	}
	if err != nil {
		return nil, fmt.Errorf("mesh: %w", err)
	}
	return m, nil
}

// check looks at what every answer here needs.
func check(d domain.Domain) error {
	if d == nil {
		return errors.New("there is no domain: give a bounded one")
	}
	if k := d.Dim(); k != 1 && k != 2 {
		return fmt.Errorf("the domain has %d coordinates; cells are made on an interval or in the plane only", k)
	}
	if !domain.Bounded(d) {
		lo, hi := domain.BoundsOf(d, d.Dim())
		for j := range lo {
			if lo[j] > hi[j] {
				return errEmpty
			}
		}
		return errors.New("the domain is unbounded: add bounds on every coordinate")
	}
	return nil
}

var errEmpty = errors.New("the domain is empty, or so thin that no point of it was found: loosen a constraint")

// newPlane falls back on finer grids only to say which would do.
func newPlane(ctx context.Context, d domain.Domain, n int) (*Mesh, error) {
	m, parts, err := cut(ctx, d, n)
	if err != nil || parts == 1 {
		return m, err
	}
	finest, then := n, parts
	for finer := 2 * n; finer <= min(8*n, max(2*n, 1024), mostPlane); finer *= 2 {
		_, p, err := cut(ctx, d, finer)
		if err == nil && p == 1 {
			return nil, fmt.Errorf("a grid of %d is too coarse for the narrowest passage of the domain: it falls into %d parts; give %d cells "+
				"along the longest side", n, parts, finer)
		}
		if err == nil {
			finest, then = finer, p
		}
	}
	if then != parts { // of a domain that falls apart by itself there are as many whatever the grid
		return nil, fmt.Errorf("a grid of %d is too coarse, for the domain is thinner than its cells somewhere: it falls into %d parts, and "+
			"with %d cells "+
			"along the longest side into %d; a thin domain is best described by one coordinate along it", n, parts, finest, then)
	}
	return nil, fmt.Errorf("the domain falls into %d parts: nothing mixes between them; give one of them at a time", parts)
}

// cut makes the mesh and counts the parts into which it falls.
func cut(ctx context.Context, d domain.Domain, n int) (m *Mesh, parts int, err error) {
	loops, note, err := outline(ctx, d, n)
	if err != nil {
		return nil, 0, err
	}
	g := newGrid(loops, n)
	var strands []strand
	var loose []strand
	for _, l := range loops {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		s, ok := g.walk(l)
		if ok {
			strands = append(strands, s...)
		} else {
			loose = append(loose, s...)
		}
	}
	m = g.assemble(strands, loose)
	m.Note = note
	if len(m.Index) == 0 {
		return nil, 0, errEmpty
	}
	return m, m.parts(), nil
}

// Total returns the length or the area of the mesh, the sum of all cells.
func (m *Mesh) Total() float64 {
	sum := 0.0
	for _, v := range m.Volume {
		sum += v
	}
	return sum
}

// parts counts the parts that no face connects.
func (m *Mesh) parts() int {
	trees, n := newForest(len(m.Index)), len(m.Index)
	for _, f := range m.Faces {
		if trees.join(f.I, f.J) {
			n--
		}
	}
	return n
}

// newLine cuts an interval.
func newLine(ctx context.Context, d domain.Domain, n int) (*Mesh, error) {
	a, b, err := ends(ctx, d, n)
	if err != nil {
		return nil, err
	}
	m := &Mesh{Dim: 1, Side: [2]float64{(b - a) / float64(n), 0}, Shape: [2]int{n, 1}, Origin: [2]float64{a, 0}}
	m.Index, m.Faces = make([]int32, n), make([]Face, n-1)
	m.Centre, m.Volume = make([]float64, n), make([]float64, n)
	for i := range n {
		l, r := between(a, b, i, n), between(a, b, i+1, n)
		m.Index[i], m.Centre[i], m.Volume[i] = int32(i), 0.5*(l+r), m.Side[0]
		if i+1 < n {
			m.Faces[i] = Face{int32(i), int32(i + 1), 1, m.Side[0], [2]float64{r, 0}}
		}
	}
	m.Centroid = append([]float64(nil), m.Centre...)
	return m, nil
}

// between is the i-th of n + 1 points from a to b, the same from either end.
func between(a, b float64, i, n int) float64 {
	return (a*float64(n-i) + b*float64(i)) / float64(n)
}

// ends finds the interval that d is: exactly where it is known to be one and its
// bounds belong to it, else by bisection from nodes, four for each of n cells and at
// least 2^16.
func ends(ctx context.Context, d domain.Domain, n int) (a, b float64, err error) {
	lo, hi := domain.BoundsOf(d, 1)
	in := func(x float64) bool { return d.Contains([]float64{x}) }
	if in(lo[0]) && in(hi[0]) && domain.Convex(d) {
		return lo[0], hi[0], nil
	}
	nodes := max(4*min(n, 1<<18), 1<<16)
	look := domain.Excursions(d)
	runs, first, last := 0, 0, 0
	was := false
	for i := 0; i <= nodes; i++ {
		if i%heard == 0 && ctx.Err() != nil {
			return 0, 0, ctx.Err()
		}
		is := in(between(lo[0], hi[0], i, nodes))
		if is && was {
			if gap, at := missed(in, look, between(lo[0], hi[0], i-1, nodes), between(lo[0], hi[0], i, nodes)); gap > 0 {
				return 0, 0, fmt.Errorf("a gap %.2g wide at %.6g parts the domain: nothing mixes between the parts; give one of them at a time", gap,
					at)
			}
		}
		if is && !was {
			runs++
			if runs == 1 {
				first = i
			}
		}
		if is {
			last = i
		}
		was = is
	}
	switch {
	case runs == 0:
		return 0, 0, errEmpty
	case runs > 1:
		return 0, 0, fmt.Errorf("the domain falls into %d parts: nothing mixes between them; give one of them at a time", runs)
	}
	a, b = between(lo[0], hi[0], first, nodes), between(lo[0], hi[0], last, nodes)
	if first > 0 {
		a = bisect(in, a, between(lo[0], hi[0], first-1, nodes))
	}
	if last < nodes {
		b = bisect(in, b, between(lo[0], hi[0], last+1, nodes))
	}
	if !(a < b) {
		return 0, 0, errEmpty
	}
	return a, b, nil
}

// heard is the number of nodes after which a loop looks whether it is to end.
const heard = 1024

// bisect finds where in ends between inside and outside.
func bisect(in func(float64) bool, inside, outside float64) float64 {
	for range 60 {
		m := 0.5 * (inside + outside)
		if m == inside || m == outside {
			break
		}
		if in(m) {
			inside = m
		} else {
			outside = m
		}
	}
	return inside
}

// clamp01 moves v into [0, 1].
func clamp01(v float64) float64 { return math.Min(math.Max(v, 0), 1) }
