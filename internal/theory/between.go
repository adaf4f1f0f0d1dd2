package theory

import (
	"fmt"
	"math"
)

// Points between those of the grid at which U is asked for: so many in each cell, but
// more where cells are few.
const (
	leastLooks  = 16384
	looksOfCell = 4
	mostLooks   = 64
)

// spread[d−1] are the parts of a cell by which points of d dimensions go on: Roberts's
// generalised golden ratios, x² = x + 1 and x³ = x + 1.
var spread = [2][2]float64{{0.6180339887498949}, {0.7548776662466927, 0.5698402909980532}}

// between is the note on a barrier or a well narrower than a cell, which neither a centre
// nor a face meets. U is asked for at points spread over every cell, and held against its
// values at the centre of the cell, on its faces and at the centres beyond them: where U is
// smooth on the scale of a cell it lies between these, or close. As in [field.coarse] the
// tails do not count.
func (f *field) between(r *Rung) (string, error) {
	each := min(max(leastLooks/len(f.cell), looksOfCell), mostLooks)
	at := func(x []float64, i int) { f.within(x, i/each, i) }
	u, err := f.problem.energies(each*len(f.cell), at)
	if err != nil {
		return "", err
	}
	low, high, inner := f.around()
	var crossed, mass, missed float64
	barrier, well := 0.0, 0.0 // the worst, in temperatures
	over, under := -1, -1     // where
	for c, centre := range f.cell {
		weight, above, below := 0.0, false, false
		for i := c * each; i < (c+1)*each; i++ {
			v := u[i] - f.least
			weight += math.Exp(-v/r.Temperature) / float64(each)
			if d := (v - high[c]) / r.Temperature; inner[c] && d > 1 && low[c] < seen*r.Temperature {
				if above = true; d > barrier {
					barrier, over = d, i
				}
			}
			if d := (low[c] - v) / r.Temperature; d > 1 {
				if below = true; d > well {
					well, under = d, i
				}
			}
		}
		known := math.Exp(-centre / r.Temperature)
		mass += f.mesh.Volume[c] * known
		if below {
			missed += f.mesh.Volume[c] * (weight - known)
		}
		if above {
			crossed++
		}
	}
	x := make([]float64, f.mesh.Dim)
	switch {
	case under >= 0 && !(missed <= coarseError*mass):
		at(x, under)
		return fmt.Sprintf(unseen, r.Temperature, f.problem.at(x), well, "below", "a well with mass"), nil
	case f.mesh.Dim == 1 && crossed > 0, crossed > meeting:
		at(x, over)
		return fmt.Sprintf(unseen, r.Temperature, f.problem.at(x), barrier, "above", "a barrier"), nil
	}
	return "", nil
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
