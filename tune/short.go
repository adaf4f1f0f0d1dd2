package tune

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/jump"
)

// TailShare is the share of the draws whose fall on each side of a variable [ShortTails] looks at.
const TailShare = 0.05

const (
	shortMost  = 8192 // draws in all, of which slopes are asked
	shortWork  = 16   // of as many gradients of a run one is a slope of a draw, at most
	shortShare = 0.15 // of the fall of their density that slopes do not explain
	shortError = 5.0  // standard errors: by chance once in 3 million
	leastTail  = 64   // draws
	perField   = 8    // of these for each field that makes the error smaller
	fieldRidge = 1e-6 // of the mean square of a field
	mostWays   = 256  // from draws, to see whether the density goes on
	edge       = 16   // draws, the outermost
	steepest   = 5.0  // by how much the energy rises more than three times what slopes promise there
)

// A Short tail is one side of a variable on which the draws end before the density does.
type Short struct {
	Variable int
	Upper    bool
	From     float64 // what the outermost twentieth of the draws lies beyond
	Share    float64 // of the fall of these draws that slopes do not explain; 1 is all of it
	SE       float64 // of Share
}

// ShortTails looks at the draws of the coldest rung, at temperature τ, of a run on p with settings s, chains of n × d numbers, for sides
// on which the density goes on where they end: into a place so narrow, like the neck of a funnel, that a
// run comes there too seldom to tell by R̂ and effective sample sizes. Let a tail be the draws of a
// variable x beyond a quantile c, and h the distance of x from c there, times that from a wall over the one between
// wall and c where a wall ends it, and 0 elsewhere. By integration by parts
//
//	E[dh/dx − h·∂U/τ] = 0
//
// on the upper side, and −dh/dx − h·∂U/τ on the lower has the expectation 0 for −h in place of h, where to U/τ belongs
// −log of the law that ladders begin at, if there is one. Where draws end at an e before, it is h(e) times their density
// there; the share is that over the share of draws in the tail. Only variables without walls in common with
// others are looked at, and sides on which the energy is finite, does not jump and is not as steep as a wall.
//
// The expectation of w·∇U/τ − ∇·w is 0 as well, wherever draws end in x, for a field w that moves other
// variables without walls alone, here h times a linear one. A combination of such fields that makes the error
// smaller is taken off, of the draws of each ladder what is best for those of the others, so that it has the expectation 0.
//
// Slopes are asked of most of the draws in all, and of few more where a side is told. Tails of some hundred effective
// draws or more suffice. Nothing is found once ctx is done.
func ShortTails(ctx context.Context, p r2sgld.Problem, s r2sgld.Settings, chains [][]float64, most int) (found []Short) {
	t := endsOf(ctx, p, s, chains)
	if t == nil || t.density.noisy || t.base != nil && t.base.noisy {
		return nil
	}
	x := evenly(chains, t.d, most)
	if TailShare*float64(len(x)*len(x[0])/t.d) < leastTail {
		return nil
	}
	slopes := t.slopes(x)
	if slopes == nil {
		return nil
	}
	lo, hi, alone := limits(t.walls, t.d)
	free := make([]bool, t.d)
	for j := range free {
		free[j] = !closed(t.walls, j, 1) && !closed(t.walls, j, -1)
	}
	for j := range t.d {
		for _, sign := range []float64{-1, 1} {
			wall := hi[j]
			if sign < 0 {
				wall = lo[j]
			}
			e := newEnding(x, slopes, t.d, j, sign, wall)
			if !alone[j] || e == nil {
				continue
			}
			s := e.short(free)
			if s.Share > shortShare && s.Share > shortError*s.SE && t.goesOn(e, free) {
				found = append(found, s)
			}
		}
	}
	return found
}

// limits are the walls of each variable, ±Inf without, and whether it has none in common with others.
func limits(walls *domain.Inequalities, d int) (lo, hi []float64, alone []bool) {
	lo, hi = slices.Repeat([]float64{math.Inf(-1)}, d), slices.Repeat([]float64{math.Inf(1)}, d)
	alone = slices.Repeat([]bool{true}, d)
	for i, row := range walls.A {
		several := floats.Count(func(v float64) bool { return v != 0 }, row) > 1
		for j, v := range row {
			switch at := walls.B[i] / v; {
			case v == 0:
			case several:
				alone[j] = false
			case v > 0:
				hi[j] = min(hi[j], at)
			default:
				lo[j] = max(lo[j], at)
			}
		}
	}
	for _, q := range walls.Quadratic {
		for _, j := range q.At {
			alone[j] = false
		}
	}
	return lo, hi, alone
}

// An ending is the tail of draws on one side of a variable.
type ending struct {
	d, variable int
	sign        float64     // of the side
	from, wall  float64     // c, and what ends the side, ±Inf without
	x, slopes   [][]float64 // of draws in the tail, by chains
	at          [][]int     // which of a chain they are
	h, fall     [][]float64 // h(x), and how it rises towards the side
	n           int         // draws of a chain
}

// newEnding is that of chains on one side, which a wall ends, ±Inf without; nil where draws there are too few.
func newEnding(chains, slopes [][]float64, d, variable int, sign, wall float64) *ending {
	all := slices.Concat(column(chains, variable, d)...)
	slices.Sort(all)
	far := int(TailShare * float64(len(all)))
	c := all[far]
	if sign > 0 {
		c = all[len(all)-1-far]
	}
	e, k := &ending{d: d, variable: variable, sign: sign, from: c, wall: wall, n: len(chains[0]) / d}, len(chains)
	e.x, e.slopes, e.at = make([][]float64, k), make([][]float64, k), make([][]int, k)
	e.h, e.fall = make([][]float64, k), make([][]float64, k)
	count := 0
	for i, chain := range chains {
		for at := 0; at < len(chain); at += d {
			out := sign * (chain[at+variable] - c)
			if !(out > 0) {
				continue
			}
			h, fall := out, 1.0
			if room := sign * (wall - c); !math.IsInf(room, 1) {
				h, fall = out*(room-out)/room, (room-2*out)/room
			}
			count++
			e.x[i], e.slopes[i] = append(e.x[i], chain[at:at+d]...), append(e.slopes[i], slopes[i][at:at+d]...)
			e.at[i], e.h[i], e.fall[i] = append(e.at[i], at/d), append(e.h[i], h), append(e.fall[i], fall)
		}
	}
	if count < leastTail {
		return nil
	}
	return e
}

// short is how the draws end.
func (e *ending) short(free []bool) Short {
	plain := make([][]float64, len(e.x))
	for i, h := range e.h {
		for k := range h {
			plain[i] = append(plain[i], e.fall[i][k]-h[k]*e.sign*e.slopes[i][k*e.d+e.variable])
		}
	}
	share, se := e.mean(plain)
	if fields := e.fields(free); fields != nil {
		if s, smaller := e.mean(rest(plain, fields)); smaller < se {
			share, se = s, smaller
		}
	}
	return Short{e.variable, e.sign > 0, e.from, share, se}
}

// mean is that of numbers of the tail, and its standard error if it is 0: then how many draws are in the tail
// is of no account.
func (e *ending) mean(of [][]float64) (mean, se float64) {
	all := make([][]float64, len(of))
	for i, v := range of {
		all[i] = make([]float64, e.n)
		for k, at := range e.at[i] {
			all[i][at] = v[k]
		}
	}
	tail := slices.Concat(of...)
	return diag.Mean(tail), diag.MCSEMean(all) * float64(len(of)*e.n) / float64(len(tail))
}

// fields are numbers of expectation 0 of each draw of the tail, by chains, one after the other for each
// draw: of as many linear fields as draws suffice for. nil is none.
func (e *ending) fields(free []bool) (all [][][]float64) {
	center, n := make([]float64, e.d), 0.0
	var others []int
	for k, is := range free {
		if is && k != e.variable {
			others = append(others, k)
		}
	}
	for _, chain := range e.x {
		for x := range slices.Chunk(chain, e.d) {
			floats.Add(center, x)
			n++
		}
	}
	floats.Scale(1/n, center)
	most := int(n) / perField
	if len(others) == 0 || most == 0 {
		return nil
	}
	of := radial
	switch {
	case len(others)*(e.d+1) <= most:
		of = linear
	case 2*len(others) <= most:
		of = diagonal
	}
	all = make([][][]float64, len(e.x))
	for i, chain := range e.x {
		for k, h := range e.h[i] {
			x := floats.SubTo(make([]float64, e.d), chain[k*e.d:][:e.d], center)
			f := of(x, e.slopes[i][k*e.d:][:e.d], others)
			floats.Scale(h, f)
			all[i] = append(all[i], f)
		}
	}
	return all
}

// radial is w·∇U − ∇·w of the field that moves others away from their mean, from which x is.
func radial(x, slope []float64, others []int) []float64 {
	sum := 0.0
	for _, k := range others {
		sum += x[k]*slope[k] - 1
	}
	return []float64{sum}
}

// diagonal is that of fields that move one of the others each, all alike or away from its mean.
func diagonal(x, slope []float64, others []int) (out []float64) {
	for _, k := range others {
		out = append(out, slope[k], x[k]*slope[k]-1)
	}
	return out
}

// linear is that of fields that move one of the others each, all alike or by how far a variable is from its mean.
func linear(x, slope []float64, others []int) (out []float64) {
	for _, k := range others {
		out = append(out, slope[k])
		for l, v := range x {
			f := v * slope[k]
			if l == k {
				f--
			}
			out = append(out, f)
		}
	}
	return out
}

// rest is what of numbers is left by the combination of fields that, with a constant, is nearest to those of the
// other chains.
func rest(of [][]float64, fields [][][]float64) [][]float64 {
	out := make([][]float64, len(of))
	for i := range of {
		out[i] = slices.Clone(of[i])
		if len(of[i]) == 0 {
			continue
		}
		for k, b := range nearest(of, fields, i) {
			for j := range out[i] {
				out[i][j] -= b * fields[i][j][k]
			}
		}
	}
	return out
}

// nearest are the factors of that combination for all chains but one; none where it is not known.
func nearest(of [][]float64, fields [][][]float64, but int) []float64 {
	q := len(fields[but][0])
	mean, to, n := make([]float64, q), 0.0, 0.0
	each := func(do func(f []float64, v float64)) {
		for i, all := range fields {
			for k, f := range all {
				if i != but {
					do(f, of[i][k])
				}
			}
		}
	}
	each(func(f []float64, v float64) {
		floats.Add(mean, f)
		to += v
		n++
	})
	floats.Scale(1/n, mean)
	a, b := mat.NewSymDense(q, nil), mat.NewVecDense(q, nil)
	each(func(f []float64, v float64) {
		f = floats.SubTo(make([]float64, q), f, mean)
		a.SymRankOne(a, 1, mat.NewVecDense(q, f))
		b.AddScaledVec(b, v-to/n, mat.NewVecDense(q, f))
	})
	scale := make([]float64, q) // by which all fields are as large
	for k := range scale {
		if scale[k] = 1 / math.Sqrt(a.At(k, k)); math.IsInf(scale[k], 1) {
			return nil
		}
	}
	for k := range q {
		for l := k; l < q; l++ {
			v := a.At(k, l) * scale[k] * scale[l]
			if l == k {
				v += fieldRidge
			}
			a.SetSym(k, l, v)
		}
		b.SetVec(k, b.AtVec(k)*scale[k])
	}
	var chol mat.Cholesky
	if !chol.Factorize(a) || chol.SolveVecTo(b, b) != nil {
		return nil
	}
	return floats.MulTo(scale, scale, b.RawVector().Data)
}

// goesOn reports whether the density goes on beyond draws of an ending: on short ways outwards from the outermost
// ones, and from others as far as an eighth of their spread in variables that are free as well, −log of it is finite, does not
// jump, and does not rise far beyond what slopes promise, as it does where a wall is soft.
func (t *ends) goesOn(e *ending, free []bool) bool {
	var draws [][]float64
	for _, c := range e.x {
		draws = slices.AppendSeq(draws, slices.Chunk(c, t.d))
	}
	out := func(x []float64) float64 { return e.sign * (x[e.variable] - e.from) }
	slices.SortStableFunc(draws, func(a, b []float64) int { return cmp.Compare(out(b), out(a)) })
	spread, far := make([]float64, t.d), out(draws[0])
	for k, is := range free {
		if is {
			spread[k] = diag.SD(slices.Concat(column(e.x, k, t.d)...))
		}
	}
	m := newMeter(t.density, t.d, nil, 1)
	defer m.close()
	var base *meter
	if t.base != nil {
		base = newMeter(t.base, t.d, nil, 1)
		defer base.close()
	}
	var beyond []float64 // three times what slopes promise
	for i := range mostWays {
		from, v := draws[i*len(draws)/mostWays], make([]float64, t.d)
		if i%2 == 0 {
			from = draws[min(i/2, len(draws)-1)]
		} else {
			for k, sd := range spread {
				v[k] = math.Copysign(sd/8, m.rng.Float64()-0.5)
			}
		}
		v[e.variable] = e.sign * min(far/16, e.sign*(e.wall-from[e.variable])/2)
		s, jumps, ok := t.along(m, base, from, v)
		if jumps || !ok {
			return false
		}
		if i%2 == 0 && i/2 < edge {
			beyond = append(beyond, s.Energy[1]-s.Energy[0]-3*max(0, s.Slope[0]))
		}
	}
	slices.Sort(beyond)
	return beyond[len(beyond)/2] < steepest
}

// along is −log of the density on the way from a point by v, and whether it jumps there, and is finite where it was looked at.
func (t *ends) along(m, base *meter, from, v []float64) (s jump.Segment, jumps, ok bool) {
	ok = true
	at := make([]float64, t.d)
	look := func(part float64) (energy, slope float64) {
		ok = m.finite(floats.AddScaledTo(at, from, part, v)) && ok
		energy, slope = m.energy[0]/t.tau, floats.Dot(m.a, v)/t.tau
		if base != nil {
			ok = base.finite(at) && ok
			energy, slope = energy+base.energy[0], slope+floats.Dot(base.a, v)
		}
		return energy, slope
	}
	s.At[1] = 1
	for k, part := range s.At {
		s.Energy[k], s.Slope[k] = look(part)
	}
	jumps = ok && s.Strays(1) && s.Narrow(look).Strays(1)
	return s, jumps, ok
}
