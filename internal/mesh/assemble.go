package mesh

import (
	"cmp"
	"math"
	"slices"
)

// What a cell of the grid is: outside, or whole with a number ≥ 0, or cut: then
// it is cutCell − k, k counting cut cells.
const (
	outside = -1
	cutCell = -2
)

// A part is a connected part of a cut cell, in units of the cell.
type part struct {
	area, momentU, momentV float64
	id                     int32 // of the cell of the mesh, −1 if left out
}

// An opening is a stretch [a, b] of a side of a cell that lies in Ω, in the
// direction of its coordinate, and the cell of the mesh it belongs to.
type opening struct {
	a, b float64
	id   int32
}

// A cutting is a cell of the grid that the wall passes through.
type cutting struct {
	cell  int32
	parts []part
	side  [4][]opening // by parts until they have ids
}

// A builder turns strands into a mesh.
type builder struct {
	*grid
	kind []int32 // of every cell of the grid: outside, id ≥ 0 or cutCell − k
	cuts []cutting
	m    *Mesh
}

// sliver is the share of a cell below which parts are left out.
const sliver = 1e-10

// assemble makes the mesh of a wall: strands of the loops that cross lines of
// the grid, and loose loops within one cell.
func (g *grid) assemble(strands, loose []strand) *Mesh {
	b := &builder{grid: g, m: &Mesh{Dim: 2, Side: g.side, Shape: g.n, Origin: g.lo}}
	b.kind = make([]int32, g.n[0]*g.n[1])
	for i := range b.kind {
		b.kind[i] = outside
	}
	slices.SortStableFunc(strands, func(p, q strand) int { return cmp.Compare(p.cell, q.cell) })
	for i := 0; i < len(strands); {
		j := i
		for j < len(strands) && strands[j].cell == strands[i].cell {
			j++
		}
		b.kind[strands[i].cell] = cutCell - int32(len(b.cuts))
		b.cuts = append(b.cuts, divide(strands[i:j]))
		i = j
	}
	b.fill()
	for _, s := range loose {
		b.pierce(s)
	}
	b.cells()
	b.faces()
	return b.m
}

// An end is where a strand enters or leaves a cell.
type end struct {
	at     float64
	strand int
	enters bool
}

// divide finds the parts of the cell through which strands pass. Going round the
// perimeter counter-clockwise, Ω lies between where a strand leaves and where
// the next one enters, which leads on to where that one leaves.
func divide(strands []strand) cutting {
	c := cutting{cell: strands[0].cell}
	ends := make([]end, 0, 2*len(strands))
	for k, s := range strands {
		ends = append(ends, end{s.in, k, true}, end{s.out, k, false})
	}
	slices.SortStableFunc(ends, func(p, q end) int { return cmp.Compare(p.at, q.at) })
	alternate(ends)
	next := make([]int, len(strands)) // the end at which the next strand enters
	for i, e := range ends {
		if !e.enters {
			next[e.strand] = (i + 1) % len(ends)
		}
	}
	seen := make([]bool, len(strands))
	for k := range strands {
		if seen[k] {
			continue
		}
		id := int32(len(c.parts))
		c.parts = append(c.parts, part{})
		for j := k; !seen[j]; {
			seen[j] = true
			p, s := &c.parts[id], &strands[j]
			p.area += s.area
			p.momentU += s.momentU
			p.momentV += s.momentV
			e := ends[next[j]]
			c.open(s.out, e.at, id)
			j = e.strand
		}
	}
	return c
}

// alternate exchanges neighbours that lie together so that strands enter and
// leave by turns.
func alternate(ends []end) {
	for i := 1; i+1 < len(ends); i++ {
		if ends[i].enters == ends[i-1].enters && ends[i+1].enters != ends[i].enters && ends[i+1].at-ends[i].at < 1e-9 {
			ends[i], ends[i+1] = ends[i+1], ends[i]
		}
	}
}

// open marks the perimeter from one point counter-clockwise to another as
// belonging to a part, and closes the part's area along it.
func (c *cutting) open(from, to float64, id int32) {
	s, last := int(from/2), int(to/2)
	a, b := from-2*float64(s), to-2*float64(last)
	if s == last && a <= b {
		c.openSide(s, a, b, id)
		return
	}
	c.openSide(s, a, 1, id)
	for s = (s + 1) % 4; s != last; s = (s + 1) % 4 {
		c.openSide(s, 0, 1, id)
	}
	c.openSide(s, 0, b, id)
}

// openSide marks the share a to b of a side, counter-clockwise.
func (c *cutting) openSide(s int, a, b float64, id int32) {
	if !(a < b) {
		return
	}
	if s == top || s == left { // their coordinates fall counter-clockwise
		a, b = 1-b, 1-a
	}
	c.side[s] = append(c.side[s], opening{a, b, id})
	if s == right {
		p := &c.parts[id]
		p.area += b - a
		p.momentU += 0.5 * (b - a)
		p.momentV += 0.5 * (b*b - a*a)
	}
}

// fill finds the cells that lie wholly in Ω: those next to an open side.
func (b *builder) fill() {
	for row := range b.n[1] {
		in := false
		for col := range b.n[0] {
			i := row*b.n[0] + col
			if k := b.kind[i]; k <= cutCell {
				in = covered(b.cuts[cutCell-k].side[right])
			} else if in {
				b.kind[i] = 0
			}
		}
	}
}

// covered reports whether openings take more than half of a side.
func covered(side []opening) bool {
	sum := 0.0
	for _, o := range side {
		sum += o.b - o.a
	}
	return sum > 0.5
}

// pierce takes a loop within one cell into account: a hole (clockwise) or an
// island.
func (b *builder) pierce(s strand) {
	k := b.kind[s.cell]
	if k > cutCell {
		c := cutting{cell: s.cell}
		c.parts = []part{{}}
		if k == 0 {
			for j := range 4 {
				c.openSide(j, 0, 1, 0)
			}
		}
		k = cutCell - int32(len(b.cuts))
		b.kind[s.cell] = k
		b.cuts = append(b.cuts, c)
	}
	p := &b.cuts[cutCell-k].parts[0]
	p.area += s.area
	p.momentU += s.momentU
	p.momentV += s.momentV
}

// cells numbers the cells of the mesh, row by row, and places them.
func (b *builder) cells() {
	count := 0
	for _, k := range b.kind {
		if k >= 0 {
			count++
		}
	}
	for i := range b.cuts {
		count += len(b.cuts[i].parts)
	}
	m := b.m
	m.Index, m.Volume = make([]int32, 0, count), make([]float64, 0, count)
	m.Centre, m.Centroid = make([]float64, 0, 2*count), make([]float64, 0, 2*count)
	whole := part{area: 1, momentU: 0.5, momentV: 0.5}
	for i, k := range b.kind {
		switch {
		case k >= 0:
			b.kind[i] = b.add(i, &whole)
		case k <= cutCell:
			b.number(&b.cuts[cutCell-k])
		}
	}
}

// number adds the parts of a cut cell to the mesh and renames its openings.
func (b *builder) number(c *cutting) {
	for j := range c.parts {
		c.parts[j].id = -1
		if c.parts[j].area > sliver {
			c.parts[j].id = b.add(int(c.cell), &c.parts[j])
		}
	}
	for s := range c.side {
		kept := c.side[s][:0]
		for _, o := range c.side[s] {
			if o.id = c.parts[o.id].id; o.id >= 0 {
				kept = append(kept, o)
			}
		}
		c.side[s] = kept
	}
}

// add puts a cell into the mesh.
func (b *builder) add(i int, p *part) int32 {
	m := b.m
	col, row := i%b.n[0], i/b.n[0]
	x0, x1 := b.line(0, col), b.line(0, col+1)
	y0, y1 := b.line(1, row), b.line(1, row+1)
	m.Index = append(m.Index, int32(i))
	m.Volume = append(m.Volume, p.area*b.side[0]*b.side[1])
	m.Centre = append(m.Centre, 0.5*(x0+x1), 0.5*(y0+y1))
	u, v := clamp01(p.momentU/p.area), clamp01(p.momentV/p.area)
	m.Centroid = append(m.Centroid, x0*(1-u)+x1*u, y0*(1-v)+y1*v)
	return int32(len(m.Index) - 1)
}

// faces joins the cells that share openings.
func (b *builder) faces() {
	m := b.m
	m.Faces = make([]Face, 0, 2*len(m.Index))
	var mine, theirs [1]opening
	for i := range b.kind {
		if b.kind[i] == outside {
			continue
		}
		start := len(m.Faces)
		col, row := i%b.n[0], i/b.n[0]
		if col+1 < b.n[0] {
			b.join(0, b.line(0, col+1), row, b.openings(i, right, &mine), b.openings(i+1, left, &theirs))
		}
		if row+1 < b.n[1] {
			b.join(1, b.line(1, row+1), col, b.openings(i, top, &mine), b.openings(i+b.n[0], bottom, &theirs))
		}
		if own := m.Faces[start:]; b.kind[i] <= cutCell || len(own) > 2 {
			m.Faces = m.Faces[:start+len(merge(own))]
		}
	}
}

// openings are those of a side of a cell of the grid.
func (b *builder) openings(i, side int, one *[1]opening) []opening {
	k := b.kind[i]
	switch {
	case k >= 0:
		one[0] = opening{0, 1, k}
		return one[:]
	case k <= cutCell:
		return b.cuts[cutCell-k].side[side]
	}
	return nil
}

// join adds the faces of two neighbours across axis; the line is where they
// meet, and at counts cells along it.
func (b *builder) join(axis int, line float64, at int, mine, theirs []opening) {
	other := 1 - axis
	for _, p := range mine {
		for _, q := range theirs {
			lo, hi := math.Max(p.a, q.a), math.Min(p.b, q.b)
			if hi-lo <= 1e-12 {
				continue
			}
			f := Face{I: p.id, J: q.id, Area: (hi - lo) * b.side[other], Distance: b.side[axis]}
			mid := 0.5 * (lo + hi)
			f.At[axis] = line
			f.At[other] = b.line(other, at)*(1-mid) + b.line(other, at+1)*mid
			b.m.Faces = append(b.m.Faces, f)
		}
	}
}

// merge sorts faces and joins those of the same two cells, in place.
func merge(faces []Face) []Face {
	if len(faces) < 2 {
		return faces
	}
	slices.SortStableFunc(faces, func(p, q Face) int {
		return cmp.Or(cmp.Compare(p.I, q.I), cmp.Compare(p.J, q.J))
	})
	kept := faces[:1]
	for _, f := range faces[1:] {
		l := &kept[len(kept)-1]
		if f.I != l.I || f.J != l.J {
			kept = append(kept, f)
			continue
		}
		for j := range f.At {
			l.At[j] = (l.At[j]*l.Area + f.At[j]*f.Area) / (l.Area + f.Area)
		}
		l.Area += f.Area
	}
	return kept
}
