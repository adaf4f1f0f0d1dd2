// Package quadrature answers what the exact law exp(-U/τ) on a plane domain is:
// its moments, the masses of cells, and how well two temperatures exchange.
//
// A domain is cut into the parts of rectangular cells that lie in it, bounded by
// smooth pieces of its boundary. Within a part the sections along vertical lines
// depend smoothly on x, so that Gauss–Legendre rules converge exponentially; the
// parts cover the domain exactly once. Every answer is computed at two
// resolutions, which are refined until they agree.
package quadrature

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/potential"
)

// A Region is the family of laws exp(-U/τ) on a plane domain. Its methods may
// be called from several goroutines at once, and do not depend on their number.
type Region struct {
	section
	u               potential.Potential
	box             cell
	size            float64 // the longer side of box
	area, perimeter float64

	mu      sync.Mutex
	workers []*worker
	levels  []level
	moments map[float64]settledMoments
	spectra map[spectrumKey]*spectrum
	err     error
}

// New returns the laws of the potential u, which must be smooth, on d: a curve,
// a polygon, a bounded box, a simplex or a ball in the plane. Of a noisy
// potential the exact part counts. It fails where the pieces of the boundary do
// not enclose the area that Green's theorem says.
func New(u potential.Potential, d domain.Domain) (*Region, error) {
	if u == nil {
		return nil, errors.New("quadrature: give a potential")
	}
	exact, _ := potential.Exact(u)
	if exact == nil {
		return nil, errors.New("quadrature: the potential is noisy and its exact part is not known")
	}
	if exact.Dim() != 2 {
		return nil, fmt.Errorf("quadrature: the potential has %d coordinates; the exact law is computed in the plane", exact.Dim())
	}
	pieces, err := domain.Boundary(d)
	if err != nil {
		return nil, fmt.Errorf("quadrature: %w", err)
	}
	lo, hi := domain.BoundsOf(d, 2)
	r := &Region{u: exact, box: cell{lo[0], hi[0], lo[1], hi[1]},
		moments: make(map[float64]settledMoments), spectra: make(map[spectrumKey]*spectrum)}
	r.size = max(hi[0]-lo[0], hi[1]-lo[1])
	r.tiny = 4e-16 * max(r.size, math.Abs(lo[0]), math.Abs(hi[0]), math.Abs(lo[1]), math.Abs(hi[1]))
	r.branches, r.walls = branches(pieces, r.tiny)
	r.perimeter, r.area = outline(pieces)
	covered, cells := 0.0, 8
	for ; cells <= 128 && !(math.Abs(covered-r.area) <= 1e-9*r.area); cells *= 2 {
		covered = r.covered(cells)
	}
	if cells > 128 {
		return nil, fmt.Errorf("quadrature: the sections cover an area of %.12g, the boundary encloses %.12g: it is too rough", covered, r.area)
	}
	return r, nil
}

// outline returns the length of the boundary and ½∮(x dy − y dx).
func outline(pieces []domain.Piece) (length, area float64) {
	g := gauss(12)
	for _, p := range pieces {
		for i, b := range p.Knots[1:] {
			a := p.Knots[i]
			for k, u := range g.x {
				x, y, dx, dy := p.At(a + u*(b-a))
				w := g.w[k] * (b - a)
				length += w * math.Hypot(dx, dy)
				area += w * 0.5 * (x*dy - y*dx)
			}
		}
	}
	return length, area
}

// covered is the area of the sections in cells × cells cells.
func (r *Region) covered(cells int) float64 {
	var n nodes
	k := &cutter{section: &r.section}
	sum := 0.0
	for i := range cells {
		for j := range cells {
			n.reset()
			k.cut(r.box.part(i, j, cells, cells), 16, 1, &n)
			for _, w := range n.w {
				sum += w
			}
		}
	}
	return sum
}

// part is cell (i, j) of nx × ny equal ones; neighbours share their sides bit
// for bit.
func (c cell) part(i, j, nx, ny int) cell {
	at := func(a, b float64, i, n int) float64 {
		if i == n {
			return b
		}
		return a + (b-a)*float64(i)/float64(n)
	}
	return cell{at(c.x0, c.x1, i, nx), at(c.x0, c.x1, i+1, nx), at(c.y0, c.y1, j, ny), at(c.y0, c.y1, j+1, ny)}
}

// Area returns the area of the domain.
func (r *Region) Area() float64 { return r.area }

// Perimeter returns the length of the boundary.
func (r *Region) Perimeter() float64 { return r.perimeter }

// Err returns the first failure: an answer that did not settle to 1e-6 or an
// energy that is not finite. Where it is nil all answers are to be trusted, unless
// U has wells, or the boundary features, so narrow that no node of either of two
// sets of some thousands falls into them: below about a thousandth of the
// domain's size. None is to be trusted that was given after a failure.
func (r *Region) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// fail keeps the first failure; r.mu is held.
func (r *Region) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("quadrature: "+format, args...)
	}
}

// blockSize is the number of states evaluated together.
const blockSize = 256

// A worker cuts cells and evaluates energies. One goroutine at a time.
type worker struct {
	cutter
	nodes
	eval            potential.Evaluator
	x, energy, grad []float64
	u               []float64
}

func (r *Region) worker() *worker {
	return &worker{cutter: cutter{section: &r.section}, eval: r.u.Evaluator(blockSize, nil),
		x: make([]float64, 2*blockSize), energy: make([]float64, blockSize), grad: make([]float64, 2*blockSize)}
}

// evaluate sets u to the energies of the nodes.
func (w *worker) evaluate() {
	n := len(w.nodes.x)
	if cap(w.u) < n {
		w.u = make([]float64, n+n/2)
	}
	w.u = w.u[:n]
	for from := 0; from < n; from += blockSize {
		m := min(blockSize, n-from)
		copy(w.x, w.nodes.x[from:from+m])
		copy(w.x[blockSize:], w.nodes.y[from:from+m])
		for i := m; i < blockSize; i++ { // the last block is filled up with its first state
			w.x[i], w.x[blockSize+i] = w.x[0], w.x[blockSize]
		}
		w.eval.Eval(w.energy, w.grad, w.x)
		copy(w.u[from:], w.energy[:m])
	}
}

// each runs f(worker, i) for 0 ≤ i < n on all processors; r.mu is held.
func (r *Region) each(n int, f func(w *worker, i int)) {
	var next atomic.Int64
	var wait sync.WaitGroup
	for k := range min(runtime.GOMAXPROCS(0), n) {
		if k == len(r.workers) {
			r.workers = append(r.workers, r.worker())
		}
		w := r.workers[k]
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(w, i)
			}
		})
	}
	wait.Wait()
}
