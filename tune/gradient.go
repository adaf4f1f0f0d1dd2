package tune

import (
	"context"
	"fmt"
	"math"

	"github.com/r2sgld/r2sgld"
)

const (
	slopePoints = 9
	slopeApart  = 0.1 // relative, of a gradient that is not that of the energy
)

// CheckGradient compares the gradient of an exact potential with differences of its
// energy at a few points, each along one direction drawn at random. It returns an
// error if they differ by more than a tenth at most of them: kinks and rounding may
// spoil some.
func CheckGradient(ctx context.Context, p r2sgld.Problem, start []float64, seed uint64) error {
	q, d := newProbe(p.Potential, seed), p.Potential.Dim()
	if q.exact == nil {
		return nil
	}
	x, err := q.scatter(ctx, p.Domain, start, d)
	if err != nil {
		return err
	}
	m := newMeter(q, d, nil, 1)
	defer m.close()
	bad, looked := 0, 0
	var worst error
	for i := 0; i < len(x) && looked < slopePoints; i += d {
		m.put(0, x[i:i+d])
		for j := range m.v {
			m.v[j] = m.rng.NormFloat64()
		}
		normalise(m.v)
		h := 1e-5 * max(1e-3, norm(m.z))
		if !m.gradient(m.a, 0) {
			if err := m.err(); err != nil {
				return err
			}
			continue
		}
		first := m.energy[0]
		m.gradient(m.a, 0)
		if err := m.err(); err != nil {
			return err
		}
		if m.energy[0] != first {
			return fmt.Errorf("the energy at %.6g is %.17g when asked once and %.17g when asked again: answers that depend on chance need "+
				"\"stochastic\": true in the handshake and the seed for their chance", m.z, first, m.energy[0])
		}
		along, size := 0.0, norm(m.a)
		for j, v := range m.v {
			along += v * m.a[j]
		}
		finite := m.gradient(m.b, h)
		above := m.energy[0]
		if !m.gradient(m.b, -h) || !finite {
			continue
		}
		looked++
		slope := (above - m.energy[0]) / (2 * h)
		if math.Abs(slope-along) > slopeApart*max(math.Abs(along), 0.1*size)+1e-7*math.Abs(above)/h {
			bad++
			worst = fmt.Errorf("the gradient is not that of the energy: at %.6g, along %.3g, the energy rises by %.6g a unit length, and the "+
				"gradient says %.6g", m.z, m.v, slope, along)
		}
	}
	if err := m.err(); err != nil {
		return err
	}
	if 2*bad > looked {
		return worst
	}
	return nil
}

func norm(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s = math.Hypot(s, x)
	}
	return s
}
