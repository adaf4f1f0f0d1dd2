package reversible

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// A multigrid is a preconditioner for K + σM, K the Laplacian of a network, M
// its masses, σ ≥ 0: aggregation by two rounds of pairs and two steps of flexible
// conjugate gradients on every coarser level (Notay 2010, "An aggregation-based
// algebraic multigrid method"; Napov and Notay 2012). It is immutable and holds
// about 40 bytes per state and 12 per edge.
type multigrid struct {
	levels []level
	bottom bottom
}

// A level is K + diag(excess) on one grid.
type level struct {
	net       network
	up        []int // first entry of row i above the diagonal
	excess    []float64
	inverse   []float64 // of the diagonal
	aggregate []int32   // state of the next level, or alone
}

const (
	free  = -2 // not yet in an aggregate
	alone = -1 // well solved by smoothing, left out of the next level

	bottomSize = 120 // states solved directly
	quality    = 8.0 // largest condition number of a pair
	joining    = 1.3 // that of one more that joins an aggregate
	dominance  = 5.0 // excess over the sum of conductances from which a state stays alone
)

// newMultigrid prepares K + σ diag(mass).
func newMultigrid(net network, mass []float64, sigma float64) *multigrid {
	excess := make([]float64, len(mass))
	for i, m := range mass {
		excess[i] = sigma * m
	}
	mg := &multigrid{}
	for len(excess) > bottomSize {
		l := newLevel(net, excess)
		net, excess = l.coarsen()
		mg.levels = append(mg.levels, l)
	}
	mg.bottom = newBottom(net, excess)
	return mg
}

func newLevel(net network, excess []float64) level {
	n := len(excess)
	l := level{net: net, up: make([]int, n), excess: excess, inverse: make([]float64, n)}
	for i := range n {
		k, end := net.start[i], net.start[i+1]
		for ; k < end && int(net.col[k]) < i; k++ {
		}
		l.up[i] = k
		sum := excess[i]
		for _, c := range net.c[net.start[i]:end] {
			sum += c
		}
		l.inverse[i] = 1 / sum
	}
	return l
}

// coarsen sets the aggregates and returns the next level's problem.
func (l *level) coarsen() (network, []float64) {
	first, pairs := l.pair(quality)
	net, excess := l.restrict(first, pairs)
	if pairs > bottomSize {
		half := newLevel(net, excess)
		second, quads := half.pair(quality)
		if 4*quads > 3*len(l.excess) { // hardly fewer: take what pairs there are
			second, quads = half.pair(math.Inf(1))
		}
		net, excess = half.restrict(second, quads)
		for i, a := range first {
			if a >= 0 {
				first[i] = second[a]
			}
		}
	}
	l.aggregate = first
	return net, excess
}

// pair joins states in pairs of best quality: that of i and j, with diagonals d,
// is the condition number d_i d_j/((d_i + d_j) c_ij).
func (l *level) pair(limit float64) (aggregate []int32, count int) {
	n := len(l.excess)
	aggregate = make([]int32, n)
	for i := range aggregate {
		aggregate[i] = free
		if l.excess[i]*l.inverse[i]*(1+dominance) > dominance {
			aggregate[i] = alone
		}
	}
	for i := range aggregate {
		if aggregate[i] != free {
			continue
		}
		mate, host := -1, -1
		bestMate, bestHost := 1/limit, 1/min(joining, limit)
		if math.IsInf(limit, 1) {
			bestHost = 0
		}
		for k := l.net.start[i]; k < l.net.start[i+1]; k++ {
			j := l.net.col[k]
			q := l.net.c[k] * (l.inverse[i] + l.inverse[j])
			switch {
			case aggregate[j] == free && q > bestMate:
				mate, bestMate = int(j), q
			case aggregate[j] >= 0 && q > bestHost:
				host, bestHost = int(j), q
			}
		}
		if mate < 0 && host >= 0 {
			aggregate[i] = aggregate[host]
			continue
		}
		aggregate[i] = int32(count)
		if mate >= 0 {
			aggregate[mate] = int32(count)
		}
		count++
	}
	return aggregate, count
}

// restrict adds up the problem over aggregates.
func (l *level) restrict(aggregate []int32, count int) (network, []float64) {
	member, begin := members(aggregate, count)
	excess := make([]float64, count)
	w := network{start: make([]int, 1, count+1)}
	where := make([]int, count) // position + 1 in the row being written
	for a := range count {
		row := len(w.col)
		for _, i := range member[begin[a]:begin[a+1]] {
			excess[a] += l.excess[i]
			for k := l.net.start[i]; k < l.net.start[i+1]; k++ {
				b := aggregate[l.net.col[k]]
				switch {
				case int(b) == a:
				case b == alone:
					excess[a] += l.net.c[k]
				case where[b] > row:
					w.c[where[b]-1] += l.net.c[k]
				default:
					w.col, w.c = append(w.col, b), append(w.c, l.net.c[k])
					where[b] = len(w.col)
				}
			}
		}
		w.start = append(w.start, len(w.col))
	}
	return w.transpose(), excess
}

// members lists the states of each aggregate a at begin[a] to begin[a+1].
func members(aggregate []int32, count int) (member []int32, begin []int) {
	begin = make([]int, count+1)
	for _, a := range aggregate {
		if a >= 0 {
			begin[a+1]++
		}
	}
	for a := range count {
		begin[a+1] += begin[a]
	}
	member = make([]int32, begin[count])
	next := slices.Clone(begin)
	for i, a := range aggregate {
		if a >= 0 {
			member[next[a]] = int32(i)
			next[a]++
		}
	}
	return member, begin
}

// A scratch holds the vectors of one solve at a time, about 50 bytes per state.
type scratch struct {
	r, x, c, v, d, w [][]float64 // per level; the first level uses none of them
	top              [4][]float64
}

func (mg *multigrid) scratch() *scratch {
	s := &scratch{}
	sizes := make([]int, 0, len(mg.levels)+1)
	for _, l := range mg.levels {
		sizes = append(sizes, len(l.excess))
	}
	sizes = append(sizes, len(mg.bottom.pivot))
	for i, n := range sizes {
		if i == 0 {
			n = 0
		}
		for _, v := range []*[][]float64{&s.r, &s.x, &s.c, &s.v, &s.d, &s.w} {
			*v = append(*v, make([]float64, n))
		}
	}
	for i := range s.top {
		s.top[i] = make([]float64, sizes[0])
	}
	return s
}

// cycle sets x to about (K + σM)⁻¹ r on level k: smooth, correct, smooth.
func (mg *multigrid) cycle(s *scratch, k int, x, r []float64) {
	if k == len(mg.levels) {
		mg.bottom.solve(x, r)
		return
	}
	l := &mg.levels[k]
	l.forward(x, r)
	coarse := s.r[k+1]
	if len(coarse) > 0 {
		clear(coarse)
		for i, a := range l.aggregate {
			if a != alone { // what forward left: the entries above the diagonal
				sum := 0.0
				for e := l.up[i]; e < l.net.start[i+1]; e++ {
					sum += l.net.c[e] * x[l.net.col[e]]
				}
				coarse[a] += sum
			}
		}
		mg.correct(s, k+1)
		for i, a := range l.aggregate {
			if a != alone {
				x[i] += s.x[k+1][a]
			}
		}
	}
	l.backward(x, r)
}

// correct solves level k for s.r into s.x by two steps of flexible conjugate
// gradients; s.r is lost.
func (mg *multigrid) correct(s *scratch, k int) {
	r, x := s.r[k], s.x[k]
	if k == len(mg.levels) {
		mg.bottom.solve(x, r)
		return
	}
	l, c, v, d, w := &mg.levels[k], s.c[k], s.v[k], s.d[k], s.w[k]
	mg.cycle(s, k, c, r)
	l.apply(v, c)
	rho, alpha := inner(c, v), inner(c, r)
	if !(rho > 0) {
		copy(x, c)
		return
	}
	before := inner(r, r)
	for i := range r {
		r[i] -= alpha / rho * v[i]
	}
	if inner(r, r) <= 0.0625*before {
		for i := range x {
			x[i] = alpha / rho * c[i]
		}
		return
	}
	mg.cycle(s, k, d, r)
	l.apply(w, d)
	gamma, beta, alpha2 := inner(d, v), inner(d, w), inner(d, r)
	rho2 := beta - gamma*gamma/rho
	if !(rho2 > 0) {
		rho2, alpha2 = 1, 0
	}
	first, second := alpha/rho-gamma*alpha2/(rho*rho2), alpha2/rho2
	for i := range x {
		x[i] = first*c[i] + second*d[i]
	}
}

// forward is a Gauss–Seidel sweep from 0, upwards.
func (l *level) forward(x, r []float64) {
	for i, inv := range l.inverse {
		sum := r[i]
		begin, end := l.net.start[i], l.up[i]
		c := l.net.c[begin:end]
		for k, j := range l.net.col[begin:end] {
			sum += c[k] * x[j]
		}
		x[i] = sum * inv
	}
}

// backward is a Gauss–Seidel sweep from x, downwards.
func (l *level) backward(x, r []float64) {
	for i := len(l.inverse) - 1; i >= 0; i-- {
		sum := r[i]
		begin, end := l.net.start[i], l.net.start[i+1]
		c := l.net.c[begin:end]
		for k, j := range l.net.col[begin:end] {
			sum += c[k] * x[j]
		}
		x[i] = sum * l.inverse[i]
	}
}

// apply sets dst to (K + σM) f.
func (l *level) apply(dst, f []float64) {
	for i, e := range l.excess {
		dst[i] = e*f[i] - l.net.flow(i, f)
	}
}

// inner is the Euclidean scalar product.
func inner(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// A bottom solves the last level by elimination of one state after another. The
// conductances that arise between the others are sums of positive numbers, so
// that no digits cancel however far apart the rates are.
type bottom struct {
	c     []float64 // c[i*n+j], j > i: conductance when i is eliminated
	pivot []float64
}

func newBottom(net network, excess []float64) bottom {
	n := len(excess)
	b := bottom{c: make([]float64, n*n), pivot: make([]float64, n)}
	rest := slices.Clone(excess)
	for i := range n {
		for k := net.start[i]; k < net.start[i+1]; k++ {
			if j := int(net.col[k]); j > i {
				b.c[i*n+j] = net.c[k]
			}
		}
	}
	for k := range n {
		row := b.c[k*n : (k+1)*n]
		d := rest[k]
		for _, c := range row[k+1:] {
			d += c
		}
		b.pivot[k] = d
		for i := k + 1; i < n && d > 0; i++ {
			f := row[i] / d
			if f == 0 {
				continue
			}
			rest[i] += f * rest[k]
			for j := i + 1; j < n; j++ {
				b.c[i*n+j] += f * row[j]
			}
		}
	}
	return b
}

// solve sets x to the solution; without excess, to that which ends in 0.
func (b bottom) solve(x, r []float64) {
	n := len(b.pivot)
	copy(x, r)
	for k, d := range b.pivot {
		if d > 0 {
			v := x[k] / d
			for j := k + 1; j < n; j++ {
				x[j] += b.c[k*n+j] * v
			}
		}
	}
	for k := n - 1; k >= 0; k-- {
		if b.pivot[k] == 0 {
			x[k] = 0
			continue
		}
		sum := x[k]
		for j := k + 1; j < n; j++ {
			sum += b.c[k*n+j] * x[j]
		}
		x[k] = sum / b.pivot[k]
	}
}

// solve sets x to the solution of (K + σM) x = b, both of mean 0: b sums to 0 and
// so does x under mass. The error is below tolerance relative to the solution, in
// the norm of the Dirichlet form, as the preconditioner measures it.
func (mg *multigrid) solve(ctx context.Context, s *scratch, p *problem, x, b []float64, tolerance float64) error {
	const most, patience = 1000, 30
	r, z, dir, image := s.top[0], s.top[1], s.top[2], s.top[3]
	copy(r, b)
	clear(x)
	clear(dir)
	var goal, curve float64
	best, since := math.Inf(1), 0
	for iteration := range most {
		if err := ctx.Err(); err != nil {
			return err
		}
		mg.cycle(s, 0, z, r)
		p.centre(z)
		size := inner(r, z)
		if iteration == 0 {
			goal = size * tolerance * tolerance
		}
		if !(size > goal) {
			return nil
		}
		if size < best {
			best, since = size, 0
		} else if since++; since > patience { // rounding lets it go no further
			break
		}
		beta := 0.0
		if curve > 0 {
			beta = -inner(z, image) / curve
		}
		for i := range dir {
			dir[i] = z[i] + beta*dir[i]
		}
		p.apply(image, dir)
		curve = inner(dir, image)
		if !(curve > 0) {
			break
		}
		step := inner(dir, r) / curve
		for i := range x {
			x[i] += step * dir[i]
			r[i] -= step * image[i]
		}
	}
	if best > goal*1e8 {
		return fmt.Errorf("a linear system of %d states was solved to %.1e only, not %.1e: rates may be too far apart",
			len(x), tolerance*math.Sqrt(best/goal), tolerance)
	}
	return nil
}
