package tune

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/r2sgld/r2sgld/domain"
)

const (
	steep   = 0.05            // least power of the inverse distance from a wall that counts
	nearest = 1.0 / 96        // share of the draws that must come near a wall so
	closest = 1.0 / (1 << 20) // of their distance, where the power still holds
)

// An approach is the straight way of a draw down the slope to a wall.
type approach struct {
	from, way, slope []float64
	length           float64 // in standard deviations of the draws
}

// infinite reports whether the density is infinite at a wall: whether at the draws x,
// n × d, that are nearest to it, and down to a millionth of their distance, U falls like
// a multiple of the logarithm of the distance. Steps hardly enter such a layer, so that
// the slopes at draws need not tell.
func (q *probe) infinite(within domain.Domain, x []float64, d int) bool {
	if within == nil || q.exact == nil || len(x) == 0 {
		return false
	}
	seen := q.slopes().around(x, d, nil)
	need := max(4, int(float64(len(seen))*nearest))
	m := newMeter(q.slopes(), d, nil)
	defer m.close()
	for _, near := range approaches(within.Tracer(), seen) {
		if len(near) < need {
			continue
		}
		slices.SortFunc(near, func(a, b approach) int { return cmp.Compare(a.length, b.length) })
		if !slices.ContainsFunc(near[:need], func(a approach) bool { return !a.infinite(m) }) {
			return true
		}
	}
	return false
}

// infinite reports whether U falls like a multiple of the logarithm of the distance left
// all the way: beyond a mode it rises first.
func (a approach) infinite(m *meter) bool {
	if -floats.Dot(a.slope, a.way) < steep {
		return false
	}
	for left := 0.5; left >= closest; left /= 2 {
		for j := range m.z {
			m.z[j] = a.from[j] + (1-left)*a.way[j]
		}
		if !m.gradient(m.a, 0) || -left*floats.Dot(m.a, a.way) < steep {
			return false
		}
	}
	return true
}

// approaches are those of every wall, down the slopes in units in which the draws are
// equally wide in all coordinates, and no longer than ten of these.
func approaches(t domain.Tracer, seen []point) [][]approach {
	all := make([][]approach, t.Walls())
	if len(seen) == 0 {
		return all
	}
	width := widths(seen)
	for _, p := range seen {
		a, norm := approach{from: p.at, slope: p.slope, way: make([]float64, len(p.at))}, 0.0
		for j, s := range p.slope {
			norm = math.Hypot(norm, s*width[j])
		}
		for j, s := range p.slope {
			a.way[j] = -10 * s * width[j] / norm * width[j]
		}
		if !(norm > 0) || math.IsInf(norm, 0) {
			continue
		}
		if part, w := t.Exit(p.at, a.way, domain.None); w != domain.None {
			for j := range a.way {
				a.way[j] *= part
			}
			a.length = 10 * part
			all[w] = append(all[w], a)
		}
	}
	return all
}

// widths are the standard deviations of the coordinates.
func widths(seen []point) []float64 {
	w, one := make([]float64, len(seen[0].at)), make([]float64, len(seen))
	for j := range w {
		for i, p := range seen {
			one[i] = p.at[j]
		}
		w[j] = stat.StdDev(one, nil)
	}
	return w
}
