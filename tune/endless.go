package tune

import (
	"context"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/domain"
)

const (
	endlessDraws = 4096 // in all, of which slopes are asked
	strayDraws   = 256  // likewise, where ladders do not agree
	wideTail     = 4.0  // how many times farther out than half the draws of a side a tenth of them lies
	endlessShare = 0.5  // of the fall of the draws' law that slopes do not explain
	endlessError = 5.0  // standard errors: by chance once in 3 million
	flatShare    = 0.9  // of the spread of draws that slopes do not explain
	leastPart    = 0.05 // of a variable in a direction, of the largest, that is told
	widestTurns  = 20   // power iterations
	unmixed      = 1.05 // R̂ from which ladders may be on their way
)

// An Endless tail is one side of a variable on which the draws end and the density does not. Where
// it is flat about all draws, the side is that end of the direction on which their mean is.
type Endless struct {
	Variable int
	Upper    bool
}

// EndlessTails looks at the draws of the coldest rung, chains of n × d numbers at its temperature
// τ of a run on p with settings s, for tails without an end. On one side of the median m of a variable x, let r = log|x − m|,
// and g(r) rise from 0 at half of the draws there to 1 at nine tenths. Under a law that can be
// normalised, integration by parts gives
//
//	E[(1 − (x − m)·∂U/τ)·g(r) + g′(r)] = 0,
//
// where to U/τ belongs −log of the law that ladders begin at, if there is one: the density of r
// must fall as fast as the draws do. Where the first part is missing, draws end because the run
// does: they spread farther the longer it is. Only tails are looked at whose outer tenth is far
// out, and sides that no wall closes. Where ladders have not come to agree in a variable that no
// wall closes, E[v·(x − m) v·∂U/τ] is looked at as well, with v the direction of such variables in
// which the draws spread most: it is 1 under such a law. Nothing is found once ctx is done.
func EndlessTails(ctx context.Context, p r2sgld.Problem, s r2sgld.Settings, chains [][]float64) []Endless {
	t := endsOf(ctx, p, s, chains)
	if t == nil {
		return nil
	}
	var found []Endless
	d, walls := t.d, t.walls
	x := evenly(chains, d, endlessDraws)
	slopes := sync.OnceValue(func() [][]float64 { return t.slopes(x) })
	var open []int
	lost := false
	for j := range d {
		if !closed(walls, j, 1) && !closed(walls, j, -1) {
			open = append(open, j)
			lost = lost || diag.RHat(column(x, j, d)) > unmixed
		}
	}
	if lost {
		few := evenly(chains, d, strayDraws)
		if of := t.slopes(few); of != nil {
			found = astray(few, of, d, open)
		}
	}
	for j := range d {
		if slices.ContainsFunc(found, func(e Endless) bool { return e.Variable == j }) {
			continue
		}
		for _, sign := range []float64{1, -1} {
			m, a, b := side(x, j, d, sign)
			if closed(walls, j, sign) || !(b > wideTail*a) || !(a > 0) {
				continue
			}
			of := slopes()
			if of == nil {
				return nil
			}
			if endless(x, of, j, d, sign, m, a, b) {
				found = append(found, Endless{j, sign > 0})
			}
		}
	}
	return found
}

// ends are what the ends of draws are looked at with.
type ends struct {
	d       int
	tau     float64
	density *probe
	base    *probe // of the law that ladders begin at; nil without
	walls   *domain.Inequalities
}

// endsOf are those of chains at the coldest temperature of s; nil where slopes are not exact, draws are in other coordinates
// than the potential, and walls are not known.
func endsOf(ctx context.Context, p r2sgld.Problem, s r2sgld.Settings, chains [][]float64) *ends {
	t := &ends{d: p.Potential.Dim(), tau: s.Coldest(), density: newProbe(p.Potential, 1).on(s.Threads), walls: &domain.Inequalities{}}
	if p.Domain != nil {
		var err error
		if t.walls, err = domain.InequalitiesOf(p.Domain); err != nil {
			return nil
		}
	}
	if t.density.ctx = ctx; p.Base != nil {
		t.base = newProbe(p.Base.Potential, 1).on(s.Threads)
		t.base.ctx = ctx
	}
	if t.density.exact == nil || t.base != nil && t.base.exact == nil || p.Chart != nil || len(chains[0])%t.d != 0 {
		return nil
	}
	return t
}

// slopes are those of −log of the density, at temperature tau, at draws; nil if one is not finite.
func (t *ends) slopes(x [][]float64) [][]float64 {
	all := slopesAt(t.density, x, t.d, t.tau, nil)
	if all == nil || t.base == nil {
		return all
	}
	return slopesAt(t.base, x, t.d, 1, all)
}

// evenly thins chains to about so many draws in all.
func evenly(chains [][]float64, d, draws int) [][]float64 {
	n := len(chains[0]) / d
	most := min(n, max(1, draws/len(chains)))
	out := make([][]float64, len(chains))
	for i, c := range chains {
		for k := range most {
			at := k * n / most * d
			out[i] = append(out[i], c[at:at+d]...)
		}
	}
	return out
}

// slopesAt are the slopes of an energy over τ at the draws, and of others that are there already; nil if one is not finite.
func slopesAt(q *probe, chains [][]float64, d int, tau float64, others [][]float64) [][]float64 {
	m := newMeter(q, d, nil, q.places(len(chains)*len(chains[0])/d))
	defer m.close()
	out := make([][]float64, len(chains))
	for i, c := range chains {
		if !m.each(c, func(_ float64, slope []float64) {
			for _, v := range slope {
				if v /= tau; others != nil {
					v += others[i][len(out[i])]
				}
				out[i] = append(out[i], v)
			}
		}) {
			return nil
		}
	}
	return out
}

// closed reports whether a wall may be met on the way out.
func closed(walls *domain.Inequalities, j int, sign float64) bool {
	return slices.ContainsFunc(walls.A, func(row []float64) bool { return row[j]*sign > 0 }) ||
		slices.ContainsFunc(walls.Quadratic, func(q domain.Quadratic) bool { return slices.Contains(q.At, j) })
}

// column is variable j of the draws.
func column(chains [][]float64, j, d int) [][]float64 {
	out := make([][]float64, len(chains))
	for i, c := range chains {
		for at := j; at < len(c); at += d {
			out[i] = append(out[i], c[at])
		}
	}
	return out
}

// astray are the ends of the direction of some variables in which the draws spread most, if slopes
// leave their spread unexplained.
func astray(chains, slopes [][]float64, d int, open []int) []Endless {
	mean, v := principal(chains, d, open)
	along := func(x, from []float64) (sum float64) {
		for k, j := range open {
			sum += v[k] * (x[j] - from[k])
		}
		return sum
	}
	of, none := make([][]float64, len(chains)), make([]float64, len(open))
	for i, c := range chains {
		for at := 0; at < len(c); at += d {
			of[i] = append(of[i], 1-along(c[at:at+d], mean)*along(slopes[i][at:at+d], none))
		}
	}
	if rest := diag.Mean(slices.Concat(of...)); !(rest > flatShare) || rest <= endlessError*diag.MCSEMean(of) {
		return nil
	}
	var found []Endless
	far := floats.Norm(v, math.Inf(1))
	outwards := floats.Dot(v, mean) > 0
	for k, j := range open {
		if math.Abs(v[k]) > leastPart*far {
			found = append(found, Endless{j, v[k] > 0 == outwards})
		}
	}
	return found
}

// principal returns the mean of the draws in some variables, and the direction of length 1 in which
// these spread most, as far as a few power iterations find it from the widest variable.
func principal(chains [][]float64, d int, of []int) (mean, v []float64) {
	mean, v = make([]float64, len(of)), make([]float64, len(of))
	k, most := 0, 0.0
	for i, j := range of {
		all := slices.Concat(column(chains, j, d)...)
		mean[i] = diag.Mean(all)
		if sd := diag.SD(all); sd > most {
			k, most = i, sd
		}
	}
	v[k] = 1
	next := make([]float64, len(of))
	for range widestTurns {
		clear(next)
		for _, c := range chains {
			for at := 0; at < len(c); at += d {
				z := 0.0
				for i, j := range of {
					z += v[i] * (c[at+j] - mean[i]) / most
				}
				for i, j := range of {
					next[i] += z * (c[at+j] - mean[i]) / most
				}
			}
		}
		if normalise(next) == 0 {
			break
		}
		v, next = next, v
	}
	return mean, v
}

// side returns the median of variable j, and how far out on one side half and nine tenths of
// the draws there lie.
func side(chains [][]float64, j, d int, sign float64) (m, a, b float64) {
	all := slices.Concat(column(chains, j, d)...)
	for i := range all {
		all[i] *= sign
	}
	slices.Sort(all)
	n := len(all)
	m = all[n/2]
	return sign * m, all[n/2+n/4] - m, all[n/2+n*9/20] - m
}

// endless reports whether the slopes leave the fall of the draws on a side unexplained.
func endless(chains, slopes [][]float64, j, d int, sign, m, a, b float64) bool {
	width := math.Log(b / a)
	of, fall, n := make([][]float64, len(chains)), 0.0, 0.0
	for i, c := range chains {
		for at := j; at < len(c); at += d {
			v, out := 0.0, sign*(c[at]-m)
			n++
			if out > a {
				v = (1 - (c[at]-m)*slopes[i][at]) * math.Min(1, math.Log(out/a)/width)
				if out < b {
					v += 1 / width
					fall += 1 / width
				}
			}
			of[i] = append(of[i], v)
		}
	}
	rest := diag.Mean(slices.Concat(of...))
	return rest > endlessShare*fall/n && rest > endlessError*diag.MCSEMean(of)
}
