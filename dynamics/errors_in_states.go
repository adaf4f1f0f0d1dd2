package dynamics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/r2sgld/r2sgld/potential"
)

// biased is the number of standard deviations of a coefficient that noise of the
// states on the right-hand sides may move it by: 2 leave a 90 % interval a third of
// the cases.
const biased = 2

// attenuation warns if noise of the states moves coefficients by more than biased
// standard deviations: regressions take the states on the right-hand sides for exact.
// How far is found as by [weakly.without], noise being added there alone, to the
// weighted columns of the regression. The mean of pairs must be above what
// fourfold their standard error could be.
func (p *slopes) attenuation(s *Series, weighted []potential.Column) {
	noise := p.stateNoise(s)
	if slices.Max(noise) == 0 {
		return
	}
	rng := rand.New(rand.NewPCG(1, 4))
	moves := make([][]float64, noisePairs) // by pair, of each coefficient
	for k := range moves {
		e := make([][]float64, len(noise))
		for i, sd := range noise {
			for range s.Rows() {
				e[i] = append(e[i], noiseShare*sd*rng.NormFloat64())
			}
		}
		moves[k] = make([]float64, len(p.Parameters))
		for _, sign := range []float64{1, -1} {
			x, err := p.leastSquaresWith(e, sign, weighted)
			if err != nil {
				return // states that formulas cannot do: nothing is told
			}
			for j, v := range x {
				moves[k][j] += (v - p.Estimate[j]) / (2 * noiseShare * noiseShare)
			}
		}
	}
	worst, name := biased*1.0, ""
	for j := range p.Parameters {
		mean, square, sd := 0.0, 0.0, 0.0
		for _, v := range moves {
			mean += v[j] / noisePairs
			square += v[j] * v[j] / noisePairs
		}
		for _, l := range p.Factor[j] {
			sd = math.Hypot(sd, l)
		}
		se := math.Sqrt(math.Max(0, square-mean*mean) / (noisePairs - 1))
		if r := math.Abs(mean) / sd; r > worst && !math.IsInf(r, 0) && math.Abs(mean) > 4*se {
			worst, name = r, p.Parameters[j]
		}
	}
	if name != "" {
		p.Warnings = append(p.Warnings, fmt.Sprintf("noise of the states biases the coefficients: the regression takes them for exact, which moves %s by about %.0f of its standard deviations. "+
			"No interval knows of it. Take likelihood: weak or trajectory, which know that states have noise.", name, worst))
	}
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
		if sd := p.noise[name]; sd > 2*leastNoise(v) && sd < math.Sqrt(0.5)*1e6*leastNoise(v) {
			out[k] = sd
		}
	}
	return out
}

// leastSquaresWith is the fit of weighted columns whose right-hand sides have states
// with sign·e added.
func (p *slopes) leastSquaresWith(e [][]float64, sign float64, weighted []potential.Column) ([]float64, error) {
	columns, err := p.table.with(p.model.States, e, sign).linear()
	if err != nil {
		return nil, err
	}
	for i := range columns {
		c := &columns[i]
		c.Design, c.Offset = p.white[i].design(c.Design, len(c.Index)), p.white[i].vector(c.Offset)
		c.Response, c.Weight = weighted[i].Response[:len(c.Response)], weighted[i].Weight
	}
	pad(columns)
	r, err := potential.NewRegression(len(p.Parameters), columns, 0)
	if err != nil {
		return nil, err
	}
	x, _ := r.LeastSquares()
	return x, nil
}
