package dynamics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/r2sgld/r2sgld/internal/slope"
	"github.com/r2sgld/r2sgld/potential"
)

// A coefficient is biased where it lies more than biased standard deviations from where
// it should, 2 leaving a 90 % interval a third of the cases, and surely so where that is
// sure standard deviations of what says where it should.
const (
	biased = 2
	sure   = 3
)

// enough rows, the first of a series, are looked at: curves take long over many.
const enough = 1000

// attenuation warns if noise of the states moves coefficients by more than biased
// standard deviations: regressions take the states on the right-hand sides for exact.
// What steps between rows do is aside if that is told.
func (p *slopes) attenuation(s *Series, coarse bool) {
	var name string
	var by float64
	how := "integrals of the equations, whose errors know of it (likelihood: weak), put %s about %.1f of its standard deviations away"
	if !coarse && p.model.Derivative.Kind != "column" {
		name, by = p.fromWeak(s)
	}
	if name == "" && p.Linear {
		how = "the regression takes them for exact, which moves %s by about %.1f of its standard deviations"
		name, by = p.fromMoreNoise(s)
	}
	if name != "" {
		p.Warnings = append(p.Warnings, fmt.Sprintf("noise of the states, or steps too wide for their slopes, biases the coefficients: "+how+
			". No interval knows of it. Take likelihood: weak or trajectory, which know that states have noise.", name, by))
	}
}

// fromWeak is the coefficient farthest from its estimate by the weak form, in standard
// deviations; empty if none is biased or there is no such estimate.
func (p *slopes) fromWeak(s *Series) (name string, by float64) {
	m := *p.model
	m.Likelihood, m.Derivative, m.Noise, m.Weak, m.Batch, m.Priors, m.Start = "weak", Derivative{}, Noise{}, Weak{}, 0, nil, nil
	for j, v := range p.Estimate {
		m.Start = append(m.Start, Value{p.Parameters[j], v})
	}
	weak, err := build(&m, s.head(enough))
	if err != nil || weak.Likelihood.(*weakly).width < 2*leastWidth {
		return "", 0 // too few rows, or too far apart for good integrals
	}
	by = biased
	for j, v := range p.Estimate {
		shift := math.Abs(v - weak.Estimate[j])
		if r := shift / p.spread(j); r > by && !math.IsInf(r, 0) && shift > sure*weak.spread(j) {
			name, by = p.Parameters[j], r
		}
	}
	return name, by
}

// spread is the standard deviation of parameter j.
func (p *Problem) spread(j int) (sd float64) {
	for _, l := range p.Factor[j] {
		sd = math.Hypot(sd, l)
	}
	return sd
}

// fromMoreNoise is the coefficient that noise of the states moves farthest, in standard
// deviations, as found by noise that is added to the right-hand sides of the regression
// alone, in the way of [weakly.without]: it starts from the biased fit and tells too
// little where noise is strong. The mean of pairs must be above what fourfold their
// standard error could be.
func (p *slopes) fromMoreNoise(s *Series) (name string, by float64) {
	noise := p.stateNoise(s)
	if slices.Max(noise) == 0 {
		return "", 0
	}
	rng := rand.New(rand.NewPCG(1, 4))
	moves := make([][]float64, noisePairs) // by pair, of each coefficient
	for k := range moves {
		e := make([][]float64, len(noise))
		for i, sd := range noise {
			for range s.rows() {
				e[i] = append(e[i], noiseShare*sd*rng.NormFloat64())
			}
		}
		moves[k] = make([]float64, len(p.Parameters))
		for _, sign := range []float64{1, -1} {
			x, err := p.leastSquaresWith(e, sign)
			if err != nil {
				return "", 0 // states that formulas cannot do: nothing is told
			}
			for j, v := range x {
				moves[k][j] += (v - p.Estimate[j]) / (2 * noiseShare * noiseShare)
			}
		}
	}
	by = biased
	for j := range p.Parameters {
		mean, square := 0.0, 0.0
		for _, v := range moves {
			mean += v[j] / noisePairs
			square += v[j] * v[j] / noisePairs
		}
		se := math.Sqrt(math.Max(0, square-mean*mean) / (noisePairs - 1))
		if r := math.Abs(mean) / p.spread(j); r > by && !math.IsInf(r, 0) && math.Abs(mean) > 4*se {
			name, by = p.Parameters[j], r
		}
	}
	return name, by
}

// stateNoise is the noise of each state, or of its logarithm, 0 where differences
// show none, or more than half of the variance: those are values that time does not
// order, or steps too wide to tell.
func (p *slopes) stateNoise(s *Series) []float64 {
	if p.noise == nil {
		p.measureNoise(s, p.logarithmic())
	}
	out := make([]float64, len(p.model.States))
	for k, name := range p.model.States {
		_, _, v := s.existing(s.Values[name])
		if p.logs[name] {
			for t, x := range v {
				v[t] = math.Log(x)
			}
		}
		if sd := p.noise[name]; sd > 2*slope.LeastNoise(v) && sd < math.Sqrt(0.5)*1e6*slope.LeastNoise(v) {
			out[k] = sd
		}
	}
	return out
}

// leastSquaresWith is the fit of weighted columns whose right-hand sides have states
// with sign·e added.
func (p *slopes) leastSquaresWith(e [][]float64, sign float64) ([]float64, error) {
	columns, err := p.table.with(p.model.States, e, sign).linear()
	if err != nil {
		return nil, err
	}
	for i := range columns {
		c := &columns[i]
		c.Design, c.Offset = p.white[i].design(c.Design, len(c.Index)), p.white[i].vector(c.Offset)
		c.Response, c.Weight = p.weighted[i].Response[:len(c.Response)], p.weighted[i].Weight
	}
	pad(columns)
	r, err := potential.NewRegression(len(p.Parameters), columns, 0)
	if err != nil {
		return nil, err
	}
	x, _ := r.LeastSquares()
	return x, nil
}
