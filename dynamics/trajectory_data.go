package dynamics

import (
	"math"
	"slices"
)

// fittedPath copies the values of response c at its times out of a solution.
func (p *Problem) fittedPath(dst []float64, c int, y []float64) {
	d := len(p.model.States)
	n := 0
	for at := p.stateOf(c); at < len(y); at += d {
		if v := p.path.data[at]; v == v {
			dst[n] = y[at]
			n++
		}
	}
}

// stateOf is the place of response c among the states of the data.
func (p *Problem) stateOf(c int) int { return slices.Index(p.model.States, p.Responses[c].State) }

// pathTerms is LogLikelihood of a trajectory: −Inf where there is none.
func (p *Problem) pathTerms(dst, x []float64) {
	y := p.path.solution(x)
	for _, c := range p.byName {
		observed := p.Responses[c].Observed
		terms := dst[:len(observed)]
		dst = dst[len(terms):]
		p.fittedPath(terms, c, y)
		s := p.path.noise[p.stateOf(c)].at(x, 1, 0)
		for t, z := range terms {
			r, constant := observed[t]-z, logRoot2Pi+math.Log(s)
			if p.path.lognormal {
				r = math.Log(observed[t]) - math.Log(z)
				constant += math.Log(observed[t])
			}
			terms[t] = -r*r/(2*s*s) - constant
			if math.IsNaN(terms[t]) {
				terms[t] = math.Inf(-1)
			}
		}
	}
}
