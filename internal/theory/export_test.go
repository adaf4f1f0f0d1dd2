package theory

import "context"

// QuantileW2 is exact, for one rung on an interval.
func (p *Process) QuantileW2(h []float64) float64 { return p.quantileW2(h) }

// SobolevW2 is the upper bound.
func (p *Process) SobolevW2(ctx context.Context, h []float64) (float64, error) {
	unit, err := p.unit()
	if err != nil {
		return 0, err
	}
	return sobolevW2(ctx, h, unit)
}
