package quadrature

import "math"

// A Grid is NX × NY cells; cell (i, j) is [X0 + i·DX, X0 + (i+1)·DX] ×
// [Y0 + j·DY, Y0 + (j+1)·DY] and has index j·NX + i. DX, DY > 0.
type Grid struct {
	X0, Y0, DX, DY float64
	NX, NY         int
}

// A share is a part of a cell of a grid.
type share struct {
	cell
	owner int
	depth int
}

const (
	chunk    = 32    // cells that a worker takes at a time
	maxDepth = 14    // halvings of a cell
	accepted = 1e-10 // difference of two rules on a cell, of the whole mass
)

// Masses returns the probability of every cell of g within the domain at
// temperature tau > 0 (+Inf: the uniform law). Neighbouring cells share their
// sides bit for bit, so that every point of the domain in the grid counts once:
// the masses add up to one where g covers the domain.
func (r *Region) Masses(tau float64, g Grid) []float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if g.NX < 1 || g.NY < 1 || !(g.DX > 0 && g.DY > 0) || g.X0-g.X0 != 0 || g.Y0-g.Y0 != 0 {
		r.fail("grid %+v: its cells need a place, a width and a height", g)
		return nil
	}
	mass := make([]float64, g.NX*g.NY)
	m := r.settledMoments(tau)
	if r.err != nil {
		return mass
	}
	beta, shift, z := 1/tau, m.low, m.z
	most := r.size / float64(cellsAt(m.level))
	for round := r.shares(g, most); len(round) > 0; {
		coarse, fine := make([]float64, len(round)), make([]float64, len(round))
		r.each((len(round)+chunk-1)/chunk, func(w *worker, i int) {
			lo, hi := i*chunk, min((i+1)*chunk, len(round))
			w.integrate(round[lo:hi], coarse[lo:hi], fine[lo:hi], beta, shift, most)
		})
		var next []share
		for i, s := range round {
			switch d := math.Abs(fine[i] - coarse[i]); {
			case d <= accepted*z:
				mass[s.owner] += fine[i] / z
			case s.depth == maxDepth || d != d:
				r.fail("the mass of a cell near (%.6g, %.6g) does not settle: the potential or the boundary is too rough there", s.x0, s.y0)
				return mass
			default:
				next = s.split(next)
			}
		}
		round = next
	}
	return mass
}

// split appends the halves of a slender share or the quarters of another.
func (s share) split(to []share) []share {
	nx, ny := 2, 2
	if w, h := s.x1-s.x0, s.y1-s.y0; w > 4*h {
		ny = 1
	} else if h > 4*w {
		nx = 1
	}
	for i := range nx {
		for j := range ny {
			to = append(to, share{s.part(i, j, nx, ny), s.owner, s.depth + 1})
		}
	}
	return to
}

// shares are the parts of the cells of g in the bounds of the domain, cut into
// parts of at most most × most.
func (r *Region) shares(g Grid, most float64) []share {
	var out []share
	for i := range g.NX {
		x0, x1 := max(r.box.x0, g.X0+float64(i)*g.DX), min(r.box.x1, g.X0+float64(i+1)*g.DX)
		if x0 > x1 {
			continue
		}
		for j := range g.NY {
			c := cell{x0, x1, max(r.box.y0, g.Y0+float64(j)*g.DY), min(r.box.y1, g.Y0+float64(j+1)*g.DY)}
			if c.y0 > c.y1 {
				continue
			}
			mx, my := max(1, int(math.Ceil((x1-x0)/most))), max(1, int(math.Ceil((c.y1-c.y0)/most)))
			for p := range mx {
				for q := range my {
					out = append(out, share{c.part(p, q, mx, my), j*g.NX + i, 0})
				}
			}
		}
	}
	return out
}

// points are the sizes of the coarse and the fine rule for a side, most being
// the length for which nine points are enough.
func points(side, most float64) (coarse, fine int) {
	switch {
	case side > 0.5*most:
		return 6, 9
	case side > 0.1*most:
		return 4, 7
	}
	return 3, 5
}

// integrate writes ∫ exp(-β(U - shift)) over every share by two rules.
func (w *worker) integrate(round []share, coarse, fine []float64, beta, shift, most float64) {
	w.nodes.reset()
	var ends [2 * chunk]int
	for i, s := range round {
		cx, fx := points(s.x1-s.x0, most)
		cy, fy := points(s.y1-s.y0, most)
		w.cut(s.cell, cx, cy, &w.nodes)
		ends[2*i] = len(w.nodes.w)
		w.cut(s.cell, fx, fy, &w.nodes)
		ends[2*i+1] = len(w.nodes.w)
	}
	w.evaluate()
	from := 0
	for i := range round {
		for k, sum := range [2]*float64{&coarse[i], &fine[i]} {
			to := ends[2*i+k]
			for j := from; j < to; j++ {
				*sum += w.w[j] * math.Exp(-beta*(w.u[j]-shift))
			}
			from = to
		}
	}
}
