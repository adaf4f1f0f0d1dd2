package tune

import (
	"math"
	"slices"
)

const (
	pieces = 8    // of the way between two rungs, on which λ is looked at
	enough = 0.25 // of the draws of two rungs must count, reweighted, to tell λ between them
)

// A course is the local barrier λ(β) = ½ E|U − U′| along a ladder, cold first.
// Between its nodes 1/λ is linear in β, as it is for normal laws.
type course struct{ beta, inverse []float64 }

// newCourse follows the pairs of a ladder. noisy adds the noise of the energies:
// to a swap with the penalty C = 2 it is what a wider law of U would be.
func newCourse(pairs []pair, noisy bool) course {
	var c course
	for i, p := range pairs {
		last := 0
		if i == len(pairs)-1 {
			last = 1
		}
		for k := range pieces + last {
			b := p.cold.Beta - p.delta*float64(k)/pieces
			local := p.local(b)
			if noisy {
				local = math.Hypot(local, math.Sqrt(p.noise/(2*math.Pi)))
			}
			c.beta = append(c.beta, b)
			c.inverse = append(c.inverse, 1/max(local, 1e-300))
		}
	}
	return c
}

// local is λ(β) between the two rungs: by the draws of both, reweighted, where
// enough of them count, else by interpolation.
func (p pair) local(beta float64) float64 {
	c, n := reweighted(p.cold, beta)
	h, m := reweighted(p.hot, beta)
	if all := float64(len(p.cold.U) + len(p.hot.U)); n+m >= enough*all && n+m > 0 {
		return (n*c + m*h) / (n + m)
	}
	c, h = p.cold.local(), p.hot.local()
	t := (p.cold.Beta - beta) / p.delta
	return 1 / ((1-t)/c + t/h)
}

// local is λ at the rung itself.
func (e *Energies) local() float64 {
	if len(e.U) < 2 {
		return e.SD / math.Sqrt(math.Pi)
	}
	l, _ := reweighted(e, e.Beta)
	return max(l, 1e-300)
}

// reweighted is ½ E|U − U′| at another inverse temperature, and the number of
// draws that count there.
func reweighted(e *Energies, beta float64) (local, n float64) {
	u := slices.Clone(e.U)
	slices.Sort(u)
	for len(u) > 0 && math.IsInf(u[len(u)-1], 1) {
		u = u[:len(u)-1]
	}
	if len(u) < 2 {
		return 0, 0
	}
	at := u[0] // the largest weight is 1
	if beta < e.Beta {
		at = u[len(u)-1]
	}
	var sum, below, w1, w2 float64 // Σ w w′ (u′ − u), Σ w (u − u₀), Σ w, Σ w²
	for _, v := range u {
		w := math.Exp((e.Beta - beta) * (v - at))
		sum += w * ((v-u[0])*w1 - below)
		below += w * (v - u[0])
		w1 += w
		w2 += w * w
	}
	if n = w1 * w1 / w2; n < 2 {
		return 0, 0
	}
	return sum / (w1*w1 - w2), n
}

// total is Λ, the integral of λ.
func (c course) total() float64 {
	sum := 0.0
	for i := range c.beta[1:] {
		sum += c.piece(i, c.beta[i+1])
	}
	return sum
}

// piece integrates λ from node i to β between it and the next.
func (c course) piece(i int, beta float64) float64 {
	width := c.beta[i] - c.beta[i+1]
	if k := (c.inverse[i+1] - c.inverse[i]) / width; math.Abs(k)*width > 1e-9*c.inverse[i] {
		return math.Log1p(k*(c.beta[i]-beta)/c.inverse[i]) / k
	}
	return (c.beta[i] - beta) / c.inverse[i]
}

// reach is the inverse temperature at which λ has added up to sum from the cold
// end; 0 if it does not.
func (c course) reach(sum float64) float64 {
	for i := range c.beta[1:] {
		all := c.piece(i, c.beta[i+1])
		if all < sum {
			sum -= all
			continue
		}
		lo, hi := c.beta[i+1], c.beta[i]
		for range 100 {
			if mid := lo + (hi-lo)/2; c.piece(i, mid) < sum {
				hi = mid
			} else {
				lo = mid
			}
		}
		return lo
	}
	return 0
}
