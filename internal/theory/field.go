package theory

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/r2sgld/r2sgld/internal/mesh"
	"github.com/r2sgld/r2sgld/internal/reversible"
)

// A field is the energies of the cells and faces of a mesh.
type field struct {
	problem    Problem
	mesh       *mesh.Mesh
	cell, face []float64 // less the least of cells; +∞ is no mass
	least      float64   // of cells
}

func newField(p Problem, m *mesh.Mesh) (*field, error) {
	cell, err := p.energies(len(m.Volume), func(x []float64, i int) { copy(x, m.Centroid[i*m.Dim:]) })
	if err != nil {
		return nil, err
	}
	face, err := p.energies(len(m.Faces), func(x []float64, i int) { copy(x, m.Faces[i].At[:]) })
	if err != nil {
		return nil, err
	}
	least := slices.Min(cell)
	if math.IsInf(least, 1) {
		return nil, fmt.Errorf("theory: the energy is +∞ in all %d cells: the law has no mass", len(cell))
	}
	for i := range cell {
		cell[i] -= least
	}
	for i := range face {
		face[i] -= least
	}
	return &field{problem: p, mesh: m, cell: cell, face: face, least: least}, nil
}

// flat reports whether U is constant.
func (f *field) flat() bool {
	for _, u := range [][]float64{f.cell, f.face} {
		for _, v := range u {
			if math.Abs(v) > 1e-13 {
				return false
			}
		}
	}
	return true
}

// rung returns the process at temperature tau, the lightest cells left out; they are
// those below a power of [leastMass].
func (f *field) rung(tau, power float64) (*Rung, error) {
	var apart *reversible.PartsError
	for _, least := range leastMass() {
		r := f.cut(tau, math.Pow(least, power))
		if len(r.Cell) < 2 {
			continue
		}
		if slices.ContainsFunc(r.edges, func(e reversible.Edge) bool { return math.IsInf(e.Weight, 1) }) {
			lowest := f.mesh.Faces[slices.Index(f.face, slices.Min(f.face))].At[:f.mesh.Dim]
			return nil, fmt.Errorf("theory: at temperature %g all mass is near %s, in less than one of %d cells: raise the temperature, bound the "+
				"domain closely around there, or measure in units of the width of the density", tau, f.problem.at(lowest), len(f.cell))
		}
		var err error
		if r.Chain, err = reversible.New(r.mass, r.edges); err == nil {
			return r, nil
		}
		if !errors.As(err, &apart) {
			return nil, fmt.Errorf("theory: temperature %g: %w", tau, err)
		}
	}
	if apart == nil {
		return nil, fmt.Errorf("theory: at temperature %g all mass is in one of %d cells: raise the temperature, or take more cells", tau,
			len(f.cell))
	}
	return nil, fmt.Errorf("theory: at temperature %g the cells that have a mass fall into %d parts, and nothing that a number can hold "+
		"passes between them: raise the temperature, or cut the domain", tau, apart.Parts)
}

// cut returns a rung without its chain, and without cells lighter than least times the
// heaviest.
func (f *field) cut(tau, least float64) *Rung {
	m := f.mesh
	r := &Rung{Temperature: tau, state: make([]int32, len(m.Volume))}
	mass := make([]float64, len(m.Volume))
	for i, v := range m.Volume {
		mass[i] = v * math.Exp(-f.cell[i]/tau)
	}
	total, heaviest := sum(mass), slices.Max(mass)
	for i, w := range mass {
		if r.state[i] = -1; w >= least*heaviest {
			r.state[i] = int32(len(r.Cell))
			r.Cell = append(r.Cell, int32(i))
			r.Energy = append(r.Energy, f.cell[i])
			r.mass = append(r.mass, w/total)
		}
	}
	for k, face := range m.Faces {
		i, j := r.state[face.I], r.state[face.J]
		w := tau * face.Area / face.Distance * math.Exp(-f.face[k]/tau) / total
		if i >= 0 && j >= 0 && w > 0 {
			r.edges = append(r.edges, reversible.Edge{I: int(i), J: int(j), Weight: w})
		}
	}
	return r
}

// notes says what the grid cannot tell: cells left out, and energies that change by
// more than a temperature from cell to cell.
func (f *field) notes(rungs []*Rung) (notes []string) {
	infinite, first := 0, -1
	for i, u := range f.cell {
		if math.IsInf(u, 1) {
			if infinite++; first < 0 {
				first = i
			}
		}
	}
	if infinite > 0 {
		notes = append(notes, fmt.Sprintf("the potential is not finite in %d of %d cells, the first at %s: they are taken for walls and left out",
			infinite, len(f.cell), f.problem.at(f.centroid(first))))
	}
	for _, r := range rungs {
		if out := len(f.cell) - len(r.Cell) - infinite; out > 0 {
			notes = append(notes, fmt.Sprintf(
				"at temperature %g %d of %d cells are so light that they are left out: the gap is that of the rest, of law and modes within them "+
					"nothing is said", r.Temperature, out, len(f.cell)))
		}
	}
	if note := f.coarse(rungs[0]); note != "" {
		notes = append(notes, note)
	}
	return notes
}

func (f *field) centroid(i int) []float64 {
	d := f.mesh.Dim
	return f.mesh.Centroid[i*d : i*d+d]
}

// seen is −log 1e-3: cells below 1e-3 of the largest density do not count, of the tails
// little is seen.
const seen = 7

// coarse is the note on a grid that may be too coarse for the cold rung.
func (f *field) coarse(r *Rung) string {
	worst, at := 0.0, -1
	for k, face := range f.mesh.Faces {
		a, b, c := f.cell[face.I]/r.Temperature, f.cell[face.J]/r.Temperature, f.face[k]/r.Temperature
		d := max(a, b, c) - min(a, b, c)
		if min(a, b) < seen && d > worst && !math.IsInf(d, 1) {
			worst, at = d, k
		}
	}
	if worst <= 1 {
		return ""
	}
	return fmt.Sprintf("the grid may be too coarse for temperature %g: near %s the energy changes by %.2g temperatures from one cell to "+
		"the next; %.2g times as many cells would follow it",
		r.Temperature, f.problem.at(f.mesh.Faces[at].At[:f.mesh.Dim]), worst, math.Ceil(worst))
}

func sum(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x
	}
	return s
}
