package potential

import "math"

// EnergyNoise is the standard deviation of the noise that p puts on every energy
// given the state: 0 for exact energies, NaN where it is not known (minibatches).
// A potential that is not exact has a method EnergyNoise() float64.
func EnergyNoise(p Potential) float64 {
	if n, ok := p.(interface{ EnergyNoise() float64 }); ok {
		return n.EnergyNoise()
	}
	return 0
}

// EnergyNoise adds the synthetic noise to that of the potential.
func (p noisy) EnergyNoise() float64 { return math.Hypot(EnergyNoise(p.Potential), p.energy) }

// EnergyNoise is that of the potential.
func (p penalised) EnergyNoise() float64 { return EnergyNoise(p.Potential) }

// EnergyNoise is that of the potential.
func (p affine) EnergyNoise() float64 { return EnergyNoise(p.Potential) }

// EnergyNoise is that of independent terms.
func (p sum) EnergyNoise() float64 {
	variance := 0.0
	for _, t := range p {
		n := EnergyNoise(t)
		variance += n * n
	}
	return math.Sqrt(variance)
}

// EnergyNoise is not known for minibatches.
func (p *Regression) EnergyNoise() float64 { return batchNoise(p.batch, p.rows) }

// EnergyNoise is not known for minibatches.
func (p *Residuals) EnergyNoise() float64 { return batchNoise(p.batch, p.rows) }

func batchNoise(batch, rows int) float64 {
	if batch > 0 && batch < rows {
		return math.NaN()
	}
	return 0
}
