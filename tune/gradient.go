package tune

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/r2sgld/r2sgld"
)

const (
	slopePoints = 9
	slopeApart  = 0.1  // relative, of a gradient that is not that of the energy
	slopeSure   = 0.03 // likewise, where differences over two lengths agree on it
	slopeWider  = 10   // times as far apart are the others
)

// CheckGradient compares the gradient of an exact potential with differences of its
// energy at a few points, each along one direction drawn at random, in units of what the points
// differ by in every coordinate. It returns an
// error if they differ by more than a tenth at most of them, or by more than 3 % and three
// times what differences over ten times the length differ: kinks and rounding may spoil some.
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
	width, spread := make([]float64, d), covariance(x, d)
	for j := range width {
		if width[j] = math.Sqrt(spread.At(j, j)); width[j] == 0 {
			width[j] = 1
		}
	}
	bad, looked := 0, 0
	var worst error
	for i := 0; i < len(x) && looked < slopePoints; i += d {
		m.put(0, x[i:i+d])
		unit := m.aim(width)
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
		known, err := m.slopes(width, unit)
		if known {
			looked++
		}
		if err != nil {
			bad++
			worst = err
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

// aim has m.v be a direction drawn at random in units of the widths, of length 1. It returns how long a
// step of one such unit is.
func (m *meter) aim(width []float64) (unit float64) {
	for j := range m.v {
		m.v[j] = m.rng.NormFloat64()
	}
	normalise(m.v)
	floats.Mul(m.v, width)
	unit = norm(m.v)
	floats.Scale(1/unit, m.v)
	return unit
}

// slopes is an error if the gradient m.a at m.z is not how the energy rises along m.v, where that is known.
func (m *meter) slopes(width []float64, unit float64) (known bool, err error) {
	scaled := make([]float64, len(width))
	h := 1e-5 * min(1e3, max(1e-3, norm(floats.DivTo(scaled, m.z, width)))) * unit // a hundredth of the widths at most
	along, size := floats.Dot(m.v, m.a), norm(floats.MulTo(scaled, m.a, width))/unit
	slope, height, known := m.difference(h)
	if known && m.apart(slope, height, along, size, h) {
		err = fmt.Errorf("the gradient is not that of the energy: at %.6g, along %.3g, the energy rises by %.6g a unit length, and the "+
			"gradient says %.6g", m.z, m.v, slope, along)
	}
	return known, err
}

// apart reports whether a gradient of some size, so much of it along m.v, differs from the slope of the energy over h.
func (m *meter) apart(slope, height, along, size, h float64) bool {
	wide, _, known := m.difference(slopeWider * h)
	least, gap, unsure := max(math.Abs(along), 0.1*size), math.Abs(slope-along), 1e-7*height/h
	if !known {
		return gap > slopeApart*least+unsure
	}
	differ, sure := math.Abs(wide-slope), min(gap, math.Abs(wide-along))
	return gap > slopeApart*least+unsure || sure > slopeSure*least && differ < sure/3
}

// difference is how the energy rises along m.v at m.z, by its values so far on both sides, and the size of one of them.
func (m *meter) difference(h float64) (slope, height float64, finite bool) {
	if !m.gradient(m.b, h) {
		return math.NaN(), 0, false
	}
	above := m.energy[0]
	if !m.gradient(m.b, -h) {
		return math.NaN(), 0, false
	}
	return (above - m.energy[0]) / (2 * h), math.Abs(above), true
}

func norm(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s = math.Hypot(s, x)
	}
	return s
}
