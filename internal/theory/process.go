package theory

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/r2sgld/r2sgld/internal/mesh"
	"github.com/r2sgld/r2sgld/internal/reversible"
)

// A Process is a reversible process of one or two rungs on the cells of a mesh. With
// two, state i*n+j has the cold rung in its state i and the hot one in its state j of
// n. It may be read by several goroutines.
type Process struct {
	Mesh        *mesh.Mesh
	Temperature []float64 // of the rungs, rising
	Intensity   float64   // r of swaps
	Chain       *reversible.Chain
	Alone       *reversible.Chain // the same without swaps
	Rungs       []*Rung

	field *field
}

// A Rung is the process of one temperature.
type Rung struct {
	Temperature float64
	Chain       *reversible.Chain
	Cell        []int32   // of the mesh, for each state: those without mass are left out
	Energy      []float64 // U of each state, the least of the mesh being 0

	state []int32 // of each cell of the mesh, −1 for those left out
	mass  []float64
	edges []reversible.Edge
}

const mostStates = 5_000_000

// leastMass returns the lightest cells that are kept, relative to the heaviest of all
// rungs: the first for which those that are kept hang together. A run never sees
// lighter ones, and solvers lose digits to them; a gap that is a matter of the tails
// alone is another without them.
func leastMass() []float64 { return []float64{1e-40, 1e-100, 1e-250} }

// NewProcess cuts the domain of p into n cells along its longest side and returns the
// process of one or two rungs at temperatures tau that swap at rate intensity·min(1,
// S). It holds about 200 bytes a state; [Settings.Bytes] is what measuring takes.
func NewProcess(ctx context.Context, p Problem, tau []float64, intensity float64, n int) (*Process, error) {
	s := Settings{Temperature: tau, Intensity: intensity, Grid: n}
	if err := s.Validate(p); err != nil {
		return nil, err
	}
	m, err := mesh.New(ctx, p.Domain, n)
	if err != nil {
		return nil, fmt.Errorf("theory: %w", err)
	}
	if states := math.Pow(float64(len(m.Volume)), float64(len(tau))); states > mostStates {
		fits := float64(n) * math.Pow(mostStates/states, 1/float64(m.Dim*len(tau)))
		return nil, fmt.Errorf("theory: grid %d gives %d cells and %.3g states; at most %d fit, take a grid of about %d", n, len(m.Volume),
			states, mostStates, int(0.98*fits))
	}
	f, err := newField(p, m)
	if err != nil {
		return nil, err
	}
	out := &Process{Mesh: m, Temperature: slices.Clone(tau), field: f}
	for _, t := range tau {
		r, err := f.rung(t, 1/float64(len(tau)))
		if err != nil {
			return nil, err
		}
		out.Rungs = append(out.Rungs, r)
	}
	out.Chain = out.Rungs[0].Chain
	if len(tau) == 2 {
		out.Chain = reversible.Product(out.Rungs[0].Chain, out.Rungs[1].Chain)
	}
	out.Alone = out.Chain
	return out.With(intensity)
}

// With returns the same rungs with swaps of another intensity r ≥ 0.
func (p *Process) With(r float64) (*Process, error) {
	out := *p
	out.Intensity = r
	if out.Chain = p.Alone; r == 0 {
		return &out, nil
	}
	if len(p.Rungs) != 2 || !(r > 0) || math.IsInf(r, 1) {
		return nil, fmt.Errorf("theory: swaps of intensity %g between %d rungs; give a number ≥ 0, and two temperatures", r, len(p.Rungs))
	}
	var swaps []reversible.Edge
	pi := p.Alone.Mass()
	p.pairs(func(a, b int) {
		if c := r * min(pi[a], pi[b]); c > 0 {
			swaps = append(swaps, reversible.Edge{I: a, J: b, Weight: c})
		}
	})
	if swaps == nil {
		return &out, nil
	}
	var err error
	if out.Chain, err = p.Alone.Plus(swaps); err != nil {
		return nil, fmt.Errorf("theory: swaps: %w", err)
	}
	return &out, nil
}

// pairs calls f for any two states of two rungs that are each other's swap, once.
func (p *Process) pairs(f func(a, b int)) {
	cold, hot := p.Rungs[0], p.Rungs[1]
	n := hot.Chain.Len()
	for i, ci := range cold.Cell {
		for j := range hot.Cell {
			cj := hot.Cell[j]
			i2, j2 := cold.state[cj], hot.state[ci]
			if cj > ci && i2 >= 0 && j2 >= 0 {
				f(i*n+j, int(i2)*n+int(j2))
			}
		}
	}
}

// Gap returns the smallest eigenvalue that is not zero.
func (p *Process) Gap(ctx context.Context) (float64, error) { return gap(ctx, p.Chain) }

func gap(ctx context.Context, c *reversible.Chain) (float64, error) {
	s, err := spectrum(ctx, c, 1)
	if err != nil {
		return 0, err
	}
	return s.Values[0], nil
}

// spectrum returns the k slowest modes of a chain.
func spectrum(ctx context.Context, c *reversible.Chain, k int) (*reversible.Spectrum, error) {
	s, err := c.Spectrum(ctx, k)
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w; out of reach are a barrier of more than some 40 temperatures, a grid too coarse for a low one and swaps of an "+
			"intensity beyond some 1e15 gaps: raise the temperature or the grid, lower the intensity, or ask for fewer eigenvalues", err)
	}
	if err != nil {
		return nil, fmt.Errorf("theory: eigenvalues: %w", err)
	}
	return s, nil
}

// narrow says of a rung whose mass is in few cells where these are, and which grid has enough;
// "" if there is none. Fewer states than modes that are sought are none to tell them apart by.
func (p *Process) narrow() string {
	const enough, few = 50, 0.1 // cells along the mass, and part of all cells
	m := p.Mesh
	for _, r := range p.Rungs {
		lo, hi, most := make([]float64, m.Dim), make([]float64, m.Dim), 0.0
		for j := range m.Dim {
			lo[j], hi[j] = math.Inf(1), math.Inf(-1)
			for _, c := range r.Cell {
				v := m.Centroid[int(c)*m.Dim+j]
				lo[j], hi[j] = min(lo[j], v-m.Side[j]/2), max(hi[j], v+m.Side[j]/2)
			}
			most = max(most, (hi[j]-lo[j])/m.Side[j])
		}
		if most < enough && float64(len(r.Cell)) < few*float64(len(m.Volume)) {
			return fmt.Sprintf("at temperature %g all mass is in %d of %d cells, from %s to %s, too few to tell modes apart: bound the domain by "+
				"about that, or take a grid of %.0f", r.Temperature, len(r.Cell), len(m.Volume), p.field.problem.at(lo), p.field.problem.at(hi),
				math.Ceil(enough/most*float64(slices.Max(m.Shape[:m.Dim]))))
		}
	}
	return ""
}

// Modes returns the k slowest modes as they are drawn.
func (p *Process) Modes(ctx context.Context, k int) ([]Mode, error) {
	s, err := spectrum(ctx, p.Chain, k)
	if err != nil {
		return nil, err
	}
	return p.modes(s), nil
}

func (p *Process) modes(s *reversible.Spectrum) []Mode {
	out := make([]Mode, len(s.Values))
	for i, f := range s.Functions {
		out[i] = Mode{s.Values[i], p.conditional(f)}
	}
	return out
}

// conditional returns the means of f given where each rung is; see [Mode].
func (p *Process) conditional(f []float64) [][]float64 {
	out := make([][]float64, len(p.Rungs))
	for k, r := range p.Rungs {
		out[k] = make([]float64, len(p.Mesh.Volume))
		for c, s := range r.state {
			if s < 0 {
				out[k][c] = math.NaN()
			}
		}
	}
	if len(p.Rungs) == 1 {
		for s, c := range p.Rungs[0].Cell {
			out[0][c] = f[s]
		}
		return out
	}
	cold, hot := p.Rungs[0], p.Rungs[1]
	a, b := cold.Chain.Mass(), hot.Chain.Mass()
	for i, ci := range cold.Cell {
		for j, cj := range hot.Cell {
			v := f[i*len(b)+j]
			out[0][ci] += b[j] * v
			out[1][cj] += a[i] * v
		}
	}
	return out
}

// Start returns the density to π of the law π within the cell that holds x, for all
// rungs, and that cell.
func (p *Process) Start(x []float64) ([]float64, int, error) {
	c := p.cell(x)
	state := 0
	for _, r := range p.Rungs {
		s := int(r.state[c])
		if s < 0 {
			return nil, 0, fmt.Errorf("theory: the start %s lies where π at temperature %g has hardly any mass; start elsewhere",
				p.field.problem.at(x), r.Temperature)
		}
		state = state*len(r.Cell) + s
	}
	m := p.Chain.Mass()[state]
	if m < leastStart {
		return nil, 0, fmt.Errorf(
			"theory: the start %s lies where π gives a cell %.1g, and rounding would drown its decay: start where it is at least %g", p.field.problem.at(
				x), m, leastStart)
	}
	h := make([]float64, p.Chain.Len())
	h[state] = 1 / m
	return h, c, nil
}

// cell returns the cell of the mesh that holds x: of those at its place in the grid,
// or of all where the mesh leaves that out as a sliver, the one whose centroid is
// nearest.
func (p *Process) cell(x []float64) int {
	m := p.Mesh
	var at [2]int
	for j, v := range x {
		at[j] = min(max(int((v-m.Origin[j])/m.Side[j]), 0), m.Shape[j]-1)
	}
	place := int32(at[1]*m.Shape[0] + at[0])
	from, found := slices.BinarySearch(m.Index, place)
	to := from
	for to < len(m.Index) && m.Index[to] == place {
		to++
	}
	if !found {
		from, to = 0, len(m.Index)
	}
	best, least := from, math.Inf(1)
	for i := from; i < to; i++ {
		d := 0.0
		for j, v := range x {
			d += (v - m.Centroid[i*m.Dim+j]) * (v - m.Centroid[i*m.Dim+j])
		}
		if d < least {
			best, least = i, d
		}
	}
	return best
}
