package reversible

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
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
		clear(half.inverse) // smoothing meets the states, not their pairs
		for i, a := range first {
			if a >= 0 {
				half.inverse[a] += 1 / l.inverse[i]
			}
		}
		for a, d := range half.inverse {
			half.inverse[a] = 1 / d
		}
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
		if host >= 0 && (mate < 0 || bestHost > 2*bestMate) {
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
	r, x, c, v, d, w [][]float64 // per level; the first of several levels needs none
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
		if i == 0 && len(mg.levels) > 0 {
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
		mg.bottom.solve(x, r, s.c[k])
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
		mg.bottom.solve(x, r, s.c[k])
		return
	}
	l, c, v, d, w := &mg.levels[k], s.c[k], s.v[k], s.d[k], s.w[k]
	mg.cycle(s, k, c, r)
	l.apply(v, c)
	rho, alpha := floats.Dot(c, v), floats.Dot(c, r)
	if !(rho > 0) {
		copy(x, c)
		return
	}
	before := floats.Dot(r, r)
	floats.AddScaled(r, -alpha/rho, v)
	if floats.Dot(r, r) <= 0.0625*before {
		for i := range x {
			x[i] = alpha / rho * c[i]
		}
		return
	}
	mg.cycle(s, k, d, r)
	l.apply(w, d)
	gamma, beta, alpha2 := floats.Dot(d, v), floats.Dot(d, w), floats.Dot(d, r)
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

// A bottom solves the last level by elimination of one state after another. The
// conductances that arise between the others are sums of positive numbers, so
// that no digits cancel however far apart the rates are. The state with the
// largest conductances comes last: it takes up, unharmed, what rounding left of
// the sum of the right side.
type bottom struct {
	order []int     // of elimination
	c     []float64 // c[i*n+j], j > i in that order: conductance when i is eliminated
	pivot []float64
}

func newBottom(net network, excess []float64) bottom {
	n := len(excess)
	b := bottom{order: make([]int, n), c: make([]float64, n*n), pivot: make([]float64, n)}
	heaviest, most := 0, 0.0
	for i := range b.order {
		b.order[i] = i
		sum := 0.0
		for _, c := range net.c[net.start[i]:net.start[i+1]] {
			sum += c
		}
		if sum > most {
			heaviest, most = i, sum
		}
	}
	if n > 0 {
		b.order[heaviest], b.order[n-1] = n-1, heaviest
	}
	rest := make([]float64, n)
	for i, from := range b.order {
		rest[i] = excess[from]
		for j := i + 1; j < n; j++ {
			b.c[i*n+j] = net.at(from, b.order[j])
		}
	}
	for k := range n {
		b.eliminate(k, rest)
	}
	return b
}

// eliminate joins the neighbours of state k to each other in its place.
func (b *bottom) eliminate(k int, rest []float64) {
	n := len(rest)
	row := b.c[k*n : (k+1)*n]
	d := rest[k] + floats.Sum(row[k+1:])
	b.pivot[k] = d
	for i := k + 1; i < n && d > 0; i++ {
		if f := row[i] / d; f > 0 {
			rest[i] += f * rest[k]
			floats.AddScaled(b.c[i*n+i+1:(i+1)*n], f, row[i+1:])
		}
	}
}

// solve sets x to the solution; without excess, to that which is 0 at the state
// that comes last. work has the length of x.
func (b *bottom) solve(x, r, work []float64) {
	n := len(b.pivot)
	for k, from := range b.order {
		work[k] = r[from]
	}
	for k, d := range b.pivot {
		if d > 0 {
			floats.AddScaled(work[k+1:], work[k]/d, b.c[k*n+k+1:(k+1)*n])
		}
	}
	for k := n - 1; k >= 0; k-- {
		if b.pivot[k] > 0 {
			work[k] = (work[k] + floats.Dot(b.c[k*n+k+1:(k+1)*n], work[k+1:])) / b.pivot[k]
		} else {
			work[k] = 0
		}
		x[b.order[k]] = work[k]
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
		size := floats.Dot(r, z)
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
			beta = -floats.Dot(z, image) / curve
		}
		floats.AddScaledTo(dir, z, beta, dir)
		p.apply(image, dir)
		curve = floats.Dot(dir, image)
		if !(curve > 0) {
			break
		}
		step := floats.Dot(dir, r) / curve
		floats.AddScaled(x, step, dir)
		floats.AddScaled(r, -step, image)
	}
	if best > goal*1e8 {
		return fmt.Errorf("a linear system of %d states was solved to %.1e only, not %.1e: rates may be too far apart",
			len(x), tolerance*math.Sqrt(best/goal), tolerance)
	}
	return nil
}
