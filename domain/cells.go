package domain

import (
	"context"
	"math"
	"math/rand/v2"
)

// The grids by which thin sets of few dimensions are covered.
const (
	mostCellsDim = 3
	firstCells   = 1 << 14 // of the first grid, about
	mostCells    = 1 << 16 // that are kept
	mostLevels   = 20      // halvings of a side
	wellFilled   = 0.05    // share of the cells in the set that ends the search
	cellTrials   = 4000    // points that tell that share
)

// cellsOf returns a cover of a bounded set that is not convex, of at most three
// dimensions: the cells of a grid, halved again and again, in which the set may be by the
// slopes of its constraints in the middle and the corners of the cell, taken twice, or by
// the distance of its middle from the other parts of the set. A constraint that bends more
// than that within a cell of the first grid may hide a piece. It returns nil for other sets
// and where nothing of the set was seen.
func cellsOf(ctx context.Context, d Domain) (*cover, error) {
	if d.Dim() > mostCellsDim || Convex(d) {
		return nil, nil
	}
	return foundOf(d).cells.of(ctx, func() (*cover, error) { return halved(ctx, d) })
}

// A lattice is some of the cells of a grid of 2^level cells along each side.
type lattice struct {
	lo, side []float64
	at       [][mostCellsDim]int32
}

// halved finds the cover.
func halved(ctx context.Context, d Domain) (*cover, error) {
	n := d.Dim()
	lo, hi := BoundsOf(d, n)
	g := &lattice{lo: lo, side: make([]float64, n), at: make([][mostCellsDim]int32, 1)}
	for i := range lo {
		g.side[i] = hi[i] - lo[i]
	}
	look := newLooks(d)
	rng := rand.New(rand.NewPCG(0x5eed, 0xd2))
	for level := 1; level <= mostLevels; level++ {
		coarse := level*n < int(math.Log2(firstCells))
		finer, err := g.halve(ctx, look, coarse)
		if err != nil || len(finer.at) == 0 {
			return nil, err
		}
		g = finer
		if coarse {
			continue
		}
		seen, _, err := Count(ctx, d, cellTrials, cellTrials+1, func(x []float64) error { g.draw(x, rng); return nil })
		if err != nil {
			return nil, err
		}
		if seen > wellFilled*cellTrials || len(g.at) > mostCells/2 {
			break
		}
	}
	log := math.Log(float64(len(g.at)))
	for _, s := range g.side {
		log += math.Log(s)
	}
	return &cover{draw: g.draw, log: log}, nil
}

// halve keeps the halves of cells that look finds, all if all is set.
func (g *lattice) halve(ctx context.Context, look *looks, all bool) (*lattice, error) {
	n := len(g.lo)
	out := &lattice{lo: g.lo, side: make([]float64, n)}
	for i, s := range g.side {
		out.side[i] = s / 2
	}
	var some [][mostCellsDim]int32 // not yet looked at
	for k, at := range g.at {
		if err := ctx.Err(); k%heard == 0 && err != nil {
			return nil, err
		}
		for corner := range 1 << n {
			child := at
			for i := range n {
				child[i] = 2*at[i] + int32(corner>>i&1)
			}
			some = append(some, child)
		}
		switch {
		case all:
			out.at, some = append(out.at, some...), some[:0]
		case len(some) >= look.room() || k == len(g.at)-1:
			out.at, some = look.keep(out.at, some, out), some[:0]
		}
	}
	return out, nil
}

// looks are lookers that look at cells side by side.
type looks struct {
	crowd *Crowd
	may   []func(c, half []float64) bool
}

func newLooks(d Domain) *looks {
	l := &looks{crowd: NewCrowd(d)}
	n := 1
	if l.crowd != nil {
		d, n = l.crowd.Domain(), Crowded
	}
	for range n {
		l.may = append(l.may, looker(d))
	}
	return l
}

// room is how many cells are looked at side by side.
func (l *looks) room() int { return len(l.may) }

// keep appends those of some cells of a lattice that may hold points of the set.
func (l *looks) keep(to, some [][mostCellsDim]int32, g *lattice) [][mostCellsDim]int32 {
	n, half := len(g.lo), make([]float64, len(g.lo))
	for i, s := range g.side {
		half[i] = s / 2
	}
	for ; len(some) > 0; some = some[min(len(some), l.room()):] {
		found := make([]bool, min(len(some), l.room()))
		l.crowd.Do(len(found), func(k int) {
			c := make([]float64, n)
			for i := range c {
				c[i] = g.lo[i] + (float64(some[k][i])+0.5)*g.side[i]
			}
			found[k] = l.may[k](c, half)
		})
		for k, is := range found {
			if is {
				to = append(to, some[k])
			}
		}
	}
	return to
}

// draw writes a uniform point of the cells.
func (g *lattice) draw(x []float64, rng *rand.Rand) {
	at := g.at[rng.IntN(len(g.at))]
	for i, l := range g.lo {
		x[i] = l + (float64(at[i])+rng.Float64())*g.side[i]
	}
}

// looker returns what says whether d may have points in the cell c ± half.
func looker(d Domain) func(c, half []float64) bool {
	if members := membersOf(d); members != nil {
		var all []func(c, half []float64) bool
		for _, m := range members {
			all = append(all, looker(m))
		}
		return func(c, half []float64) bool {
			for _, look := range all {
				if !look(c, half) {
					return false
				}
			}
			return true
		}
	}
	if surfaces := surfacesOf(d); surfaces != nil {
		evals, grad, y := bindAll(surfaces), make([]float64, d.Dim()), make([]float64, d.Dim())
		return func(c, half []float64) bool {
			for _, g := range evals {
				if !mayHold(g, c, half, grad, y) {
					return false
				}
			}
			return true
		}
	}
	tr, p, u := d.Tracer(), make([]float64, d.Dim()), make([]float64, d.Dim())
	return func(c, half []float64) bool {
		return d.Contains(c) || !tr.Nearest(p, u, c) || distance(p, c) <= 1.01*norm(half)
	}
}

// mayHold reports whether g ≤ 0 may hold somewhere in the cell c ± half.
func mayHold(g SurfaceEval, c, half, grad, y []float64) bool {
	near := func(x []float64) bool {
		v := g.Gradient(grad, x)
		for i, h := range half {
			v -= 2 * math.Abs(grad[i]) * h
		}
		return v <= 0 || v != v && g.Value(x) == g.Value(x)
	}
	if near(c) {
		return true
	}
	for corner := range 1 << len(c) {
		for i, v := range c {
			y[i] = v + half[i]*float64(2*(corner>>i&1)-1)
		}
		if near(y) {
			return true
		}
	}
	return false
}
