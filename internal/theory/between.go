package theory

import (
	"context"
	"fmt"
	"math"

	"github.com/r2sgld/r2sgld/potential"
)

// Points between those of the grid at which U is asked for: so many in all, spread over the
// cells, where formulas answer, and fewer of what may be slow, as another program; some in
// every cell at least. On a line a barrier thinner than a millionth of the domain goes unseen.
const (
	looks       = 1 << 20
	slowLooks   = 1 << 14
	looksOfCell = 4
	looksAtOnce = 1 << 16
)

// spread[d−1] are the parts of a cell by which points of d dimensions go on: Roberts's
// generalised golden ratios, x² = x + 1 and x³ = x + 1.
var spread = [2][2]float64{{0.6180339887498949}, {0.7548776662466927, 0.5698402909980532}}

// A look is what points between those of the grid tell of a rung.
type look struct {
	low, high     []float64 // see [field.around]
	inner         []bool
	barrier, well float64 // the worst, in temperatures
	over, under   int     // where, of all points; −1: none
	crossed       int     // cells with a barrier
	mass, missed  float64 // of the grid, and beside it
	hindered      float64 // by how many cells' resistance the grid is too low
}

// apart is by how many temperatures energies between the points of the grid lie beyond those at
// them where these do not follow U.
const apart = 0.05

// uneven is by what part of itself the mass of a cell is more or less than its centre tells where
// U is not followed; a slope of a temperature across half a cell makes it 0.18.
const uneven = 0.2

// missing is the note on a barrier or a well narrower than a cell, which neither a centre
// nor a face meets. U is asked for at points spread over every cell, and held against its
// values at the centre of the cell, on its faces and at the centres beyond them: where U is
// smooth on the scale of a cell it lies between these, or close. As in [field.coarse] the
// tails do not count. share is about by what part of itself the gap is wrong for what is missing,
// +∞ for what is noted away from the walls: there no coarser grid tells of it.
func (f *field) missing(ctx context.Context, r *Rung) (note string, share float64, err error) {
	all := slowLooks
	if potential.Lanewise(f.problem.Potential) {
		all = looks
	}
	each := max(all/len(f.cell), looksOfCell)
	at := func(x []float64, i int) { f.within(x, i/each, i) }
	l := look{over: -1, under: -1}
	l.low, l.high, l.inner = f.around()
	step := max(1, looksAtOnce/each) // cells
	for from := 0; from < len(f.cell); from += step {
		if ctx.Err() != nil {
			return "", 0, ctx.Err()
		}
		to := min(from+step, len(f.cell))
		u, err := f.problem.energies((to-from)*each, func(x []float64, i int) { at(x, from*each+i) })
		if err != nil {
			return "", 0, err
		}
		for c := from; c < to; c++ {
			l.cell(f, r, c, u[(c-from)*each:(c-from+1)*each])
		}
	}
	share = l.missed/l.mass + l.hindered/float64(len(f.cell))
	x := make([]float64, f.mesh.Dim)
	away := func(i int) float64 {
		if l.inner[i/each] {
			return math.Inf(1)
		}
		return share
	}
	switch {
	case l.well > 1 && !(l.missed <= coarseError*l.mass):
		at(x, l.under)
		return fmt.Sprintf(unseen, r.Temperature, f.problem.at(x), l.well, "below", "a well with mass"), away(l.under), nil
	case f.mesh.Dim == 1 && l.crossed > 0, l.crossed > meeting:
		at(x, l.over)
		return fmt.Sprintf(unseen, r.Temperature, f.problem.at(x), l.barrier, "above", "a barrier"), away(l.over), nil
	}
	return "", share, nil
}

// cell looks at the energies u of points in cell c.
func (l *look) cell(f *field, r *Rung, c int, u []float64) {
	weight, resistance, above, below := 0.0, 0.0, false, false
	for i, v := range u {
		v -= f.least
		weight += math.Exp(-v/r.Temperature) / float64(len(u))
		if d := (v - l.high[c]) / r.Temperature; l.inner[c] && d > apart && l.low[c] < seen*r.Temperature {
			resistance += math.Expm1(d) / float64(len(u))
			if above = above || d > 1; d > l.barrier {
				l.barrier, l.over = d, c*len(u)+i
			}
		}
		if d := (l.low[c] - v) / r.Temperature; d > apart {
			if below = true; d > l.well {
				l.well, l.under = d, c*len(u)+i
			}
		}
	}
	known := math.Exp(-f.cell[c] / r.Temperature)
	l.mass += f.mesh.Volume[c] * known
	if below || math.Abs(weight-known) > uneven*known {
		l.missed += f.mesh.Volume[c] * math.Abs(weight-known)
	}
	l.hindered += resistance
	if above {
		l.crossed++
	}
}

const unseen = "the grid is too coarse for temperature %g: between its points, at %s, the energy is %.2g temperatures %s what it is at " +
	"them: " +
	"%s is missing in the numbers, and in their error; take more cells"

// meeting is how many cells of the plane a point belongs to at most. A barrier that is no
// more than a point stops nothing there.
const meeting = 4

// within writes point i, of the points spread over all cells, into x: where the domain
// leaves it out the centroid of cell c.
func (f *field) within(x []float64, c, i int) {
	m := f.mesh
	place := [2]int{int(m.Index[c]) % m.Shape[0], int(m.Index[c]) / m.Shape[0]}
	for j := range x {
		_, part := math.Modf(spread[len(x)-1][j] * float64(i+1))
		x[j] = m.Origin[j] + m.Side[j]*(float64(place[j])+part)
	}
	if !f.problem.Domain.Contains(x) {
		copy(x, f.centroid(c))
	}
}

// around returns, for each cell, the least and the largest energy at its centre, on its
// faces and at the centres beyond them, and whether it has a face on every side.
func (f *field) around() (low, high []float64, inner []bool) {
	n := len(f.cell)
	low, high, inner = make([]float64, n), make([]float64, n), make([]bool, n)
	copy(low, f.cell)
	copy(high, f.cell)
	faces := make([]int, n)
	for k, face := range f.mesh.Faces {
		a, b := f.cell[face.I], f.cell[face.J]
		for _, c := range [2]int32{face.I, face.J} {
			low[c], high[c] = min(low[c], a, b, f.face[k]), max(high[c], a, b, f.face[k])
			faces[c]++
		}
	}
	for c, k := range faces {
		inner[c] = k >= 2*f.mesh.Dim
	}
	return low, high, inner
}
