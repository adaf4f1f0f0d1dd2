package tune

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/domain"
)

const (
	outermost   = 20   // effective draws that a side is told by
	rarest      = 0.01 // of the draws, at most: an exponential tail has the exponent 1 + log(1/2p) there, 4.9
	mostOutside = 64   // draws of a side of which slopes are asked
	mostVerges  = 32   // sides, likewise
	onwards     = 10.0 // times as far out the energy is asked whether a tail goes on
	thirdMoment = 4.0  // exponent up to which there is none
)

// A Slope tells how the density of a variable x falls far out, by slopes of the energy: like
// |x − m|^−Exponent where the outermost draws are, m their median. An sd exists above an exponent
// of 3, its error above 5. It is NaN where it is not known.
type Slope struct {
	Exponent float64
	SE       float64
}

// Heavy tells that the exponent is below 4 by two standard errors. That of an exponential tail, which rises
// without end, is larger where it is asked.
func (s Slope) Heavy() bool { return s.Exponent > 0 && s.most() < thirdMoment }

// most is the largest that the exponent is by two standard errors.
func (s Slope) most() float64 { return s.Exponent + 2*s.SE }

// slopesFarOut are those of the draws of the coldest rung at temperature 1, of the side of each variable
// on which its density falls more slowly; nil where slopes are not exact, draws are in other
// coordinates than the potential, and walls are more than bounds. Where ladders visit a heavy tail
// less often than a run is long, draws do not show it and slopes do.
//
// Let w be a field of displacements of the variables without bounds, by x − m of the one in question, and c
// the divergence of w but for that variable. By integration by parts
//
//	−d log p(x)/d log|x − m| = E[w·∇U − c | x],
//
// the exponent, whose mean is taken over the draws beyond the quantile that 20 effective ones lie
// beyond. Of two fields, along a line and away from the middle, that with the smaller error is taken: given
// x, w·∇U is nearly constant under a normal law by the one, under Student's by the other. An exponent below
// 4 is forgotten unless the energy says that the tail goes on so ten times as far out: it does not beyond
// the wider of two parts, nor at a wall of +Inf.
func slopesFarOut(ctx context.Context, p r2sgld.Problem, s r2sgld.Settings, chains [][]float64) []Slope {
	d, walls := p.Potential.Dim(), &domain.Inequalities{}
	u, err := energy(p)
	if err == nil && p.Domain != nil {
		walls, err = domain.InequalitiesOf(p.Domain)
	}
	if err != nil || p.Chart != nil || !bounds(walls) {
		return nil
	}
	q := newProbe(u, 1).on(s.Threads)
	if q.ctx = ctx; q.noisy {
		return nil
	}
	var sides []verge
	free := make([]bool, d)
	for j := range d {
		open := func(sign float64) bool { return !closed(walls, j, sign) }
		free[j] = open(1) && open(-1)
		sides = append(sides, verges(chains, d, j, open)...)
	}
	slices.SortStableFunc(sides, func(a, b verge) int { return cmp.Compare(b.reach, a.reach) })
	out := slices.Repeat([]Slope{{math.NaN(), math.NaN()}}, d)
	few := slices.Concat(evenly(chains, d, endlessDraws)...)
	m := newMeter(q, d, nil, q.places(mostOutside))
	defer m.close()
	for _, side := range sides[:min(len(sides), mostVerges)] {
		if s, of := m.fall(side, ways(few, side, free)), &out[side.variable]; of.Exponent != of.Exponent || s.most() < of.most() {
			*of = s
		}
	}
	return out
}

// bounds reports whether all walls are of one variable each.
func bounds(walls *domain.Inequalities) bool {
	return len(walls.Quadratic) == 0 && !slices.ContainsFunc(walls.A, func(row []float64) bool {
		return floats.Count(func(v float64) bool { return v != 0 }, row) != 1
	})
}

// A verge is the outermost draws on one side of a variable.
type verge struct {
	variable int
	median   float64
	draws    []float64 // one after the other
	reach    float64   // how many times as far out they begin as half of the draws of the side
}

// verges are those of the open sides of a variable; none where draws are too few.
func verges(chains [][]float64, d, variable int, open func(sign float64) bool) (out []verge) {
	if !open(1) && !open(-1) {
		return nil
	}
	of := column(chains, variable, d)
	x := slices.Concat(of...)
	p := outermost / math.Min(float64(len(x)), math.Min(diag.ESSBulk(of), diag.ESSTail(of)))
	if !(p <= rarest) {
		return nil
	}
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, k int) int { return cmp.Compare(x[i], x[k]) })
	m, n, far := x[order[len(x)/2]], len(x)/len(chains), int(float64(len(x))*p)
	for _, sign := range []float64{-1, 1} {
		if open(sign) {
			v := verge{variable, m, nil, (x[order[far]] - m) / (x[order[len(x)/4]] - m)}
			most := min(far, mostOutside)
			for k := range most {
				i := order[k*far/most]
				v.draws = append(v.draws, chains[i/n][i%n*d:][:d]...)
			}
			out = append(out, v)
		}
		slices.Reverse(order)
	}
	return out
}

// A way moves a state x by w(x) where that is written, of divergence c but for the variable in question.
type way struct {
	along func(w, x []float64)
	c     float64
}

// ways are those along the line on which the draws spread with a variable, and away from their mean, in
// the variables that are free.
func ways(draws []float64, side verge, free []bool) [2]way {
	d, j := len(free), side.variable
	center, line, others := mean(draws, d), make([]float64, d), 0.0
	for x := range slices.Chunk(draws, d) {
		floats.AddScaled(line, x[j]-center[j], floats.SubTo(make([]float64, d), x, center))
	}
	floats.Scale(1/line[j], line)
	center[j] = side.median
	for k, is := range free {
		switch {
		case k == j:
		case is:
			others++
		default:
			line[k] = 0
		}
	}
	return [2]way{
		{func(w, x []float64) { floats.ScaleTo(w, x[j]-side.median, line) }, 0},
		{func(w, x []float64) {
			for k, v := range x {
				if w[k] = 0; free[k] || k == j {
					w[k] = v - center[k]
				}
			}
		}, others}}
}

// fall is how the density falls at a verge.
func (m *meter) fall(side verge, ways [2]way) Slope {
	n, w, energy, none := len(side.draws)/m.d, make([]float64, m.d), 0.0, Slope{math.NaN(), math.NaN()}
	var a [2][]float64
	if !m.each(side.draws, func(u float64, slope []float64) {
		x := side.draws[len(a[0])*m.d:][:m.d]
		for k, way := range ways {
			way.along(w, x)
			a[k] = append(a[k], floats.Dot(w, slope)-way.c)
		}
		energy += u
	}) {
		return none
	}
	way := ways[0]
	if diag.SD(a[1]) < diag.SD(a[0]) {
		way, a[0] = ways[1], a[1]
	}
	s := Slope{diag.Mean(a[0]), diag.SD(a[0]) / math.Sqrt(outermost)}
	switch {
	case s.Exponent <= 0: // the density falls inwards
		return none
	case !s.Heavy():
		return s
	}
	beyond := slices.Clone(side.draws)
	for x := range slices.Chunk(beyond, m.d) {
		way.along(w, x)
		floats.AddScaled(x, onwards-1, w)
	}
	if !m.each(beyond, func(u float64, _ []float64) { energy -= u }) {
		return none
	}
	// The joint density of d variables each of which falls with an exponent a falls with a + d − 1.
	if most := (thirdMoment + float64(m.d-1)) * math.Log(onwards); -energy > most*float64(n) {
		return none
	}
	return s
}
