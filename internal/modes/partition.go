package modes

import (
	"math"
	"slices"
)

// A Partition tells near which of some modes a point is: at which the normal law is the densest. Between
// the modes of a valley, where none of their laws reaches, it is the first of them.
type Partition struct {
	modes int
	law   Mixture
	of    []int // the mode of each part
}

// NewPartition is that of some modes.
func NewPartition(all []Mode) *Partition {
	p, top := &Partition{modes: len(all)}, math.Inf(-1)
	for _, m := range all {
		top = max(top, m.Log)
	}
	for k, m := range all {
		p.law.Parts, p.of = append(p.law.Parts, Part{Weight: math.Exp(m.Log - top), Center: m.X, L: m.L}), append(p.of, k)
	}
	for first, of := range Pieces(all) {
		if len(of) > 1 {
			p.law.Parts, p.of = append(p.law.Parts, surround(all, of, top)), append(p.of, first)
		}
	}
	return p
}

// surround is the normal law that has the weight of several modes, and about their place and their extent.
func surround(all []Mode, several []int, top float64) Part {
	p, some := Part{}, pick(all, several)
	for _, m := range some {
		p.Weight += math.Exp(m.Log - top)
	}
	center, sd := extent(some)
	p.Center = center
	for j, s := range sd {
		p.L = append(p.L, make([]float64, len(sd)))
		p.L[j][j] = s
	}
	return p
}

// extent is the mean of several minima, and by how much they and the narrowest of their laws spread.
func extent(some []Mode) (mean, sd []float64) {
	mean, sd = make([]float64, len(some[0].X)), narrowest(some)
	for j := range mean {
		for _, m := range some {
			mean[j] += m.X[j] / float64(len(some))
		}
		for _, m := range some {
			sd[j] = math.Hypot(sd[j], (m.X[j]-mean[j])/math.Sqrt(max(1, float64(len(some)-1))))
		}
	}
	return mean, sd
}

// narrowest are the least standard deviations of each coordinate by the normal laws at several modes.
func narrowest(some []Mode) []float64 {
	least := slices.Repeat([]float64{math.Inf(1)}, len(some[0].X))
	for _, m := range some {
		for j, row := range m.L {
			sd := 0.0
			for _, l := range row {
				sd = math.Hypot(sd, l)
			}
			least[j] = min(least[j], sd)
		}
	}
	return least
}

// Near is the mode that x is near.
func (p *Partition) Near(x []float64) int { return p.of[p.law.Owner(x)] }

// Work is how many products of numbers tell it.
func (p *Partition) Work() int {
	d := len(p.law.Parts[0].Center)
	return len(p.of) * d * d
}
