package dynamics

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
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

// Predictive draws replicated data of response c at parameters x into dst, which
// has the length of the response: what the model predicts with noise as the
// likelihood has it. It is false, and dst untouched, with noise: paper, which has
// none.
func (p *Problem) Predictive(dst []float64, c int, x []float64, rng *rand.Rand) bool {
	if p.path == nil && p.Noise == nil {
		return false
	}
	noise := make([]float64, len(dst))
	for t := range noise {
		noise[t] = rng.NormFloat64()
	}
	p.fitted(dst, c, x)
	if p.path == nil {
		p.white[c].color(noise)
		for t, e := range noise {
			dst[t] += p.Noise[c] * e
		}
		return true
	}
	s := p.path.noise[p.stateOf(c)].at(x, 1, 0)
	for t, e := range noise {
		if p.path.lognormal {
			dst[t] *= math.Exp(s * e)
		} else {
			dst[t] += s * e
		}
	}
	return true
}

// color is the inverse of apply: it replaces v by Uᵀv.
func (w *whitener) color(v []float64) {
	switch {
	case w == nil:
	case w.sd != nil:
		for t, sd := range w.sd {
			v[t] *= sd
		}
	default:
		blas64.Tbmv(blas.Trans, w.factor, blas64.Vector{N: len(v), Inc: 1, Data: v})
	}
}
