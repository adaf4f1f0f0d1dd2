package diag

import "math"

// A Tail tells how heavy draws are far out, on the heavier side: 1 − F(x) falls like
// x^(−1/Shape), so that variances exist below a shape of ½ and means below 1. From
// quantiles q(p), of the p part of the draws farthest out from the median, the shape is
// log(q(p)/q(4p))/log 4 (after Pickands 1975). It is the smaller one of two such ranges, the
// first beyond which 20 effective draws lie, and the next, for a small mode far out looks
// like a heavy tail in one. Shape is NaN where there are fewer than 640 effective draws, and
// where those 20 hold less than a third of the variance: a wide mode around a narrow one.
type Tail struct {
	Shape float64
	SE    float64
}

// Heavy tells that the shape is above ½ by two standard errors: errors of means, which rest
// on a variance, do not hold then.
func (t Tail) Heavy() bool { return t.Shape-2*t.SE > 0.5 }

// Rough tells that the shape is above ¼ by two standard errors: standard errors of sds, which rest
// on a fourth moment, do not hold then.
func (t Tail) Rough() bool { return t.Shape-2*t.SE > 0.25 }

// tail is the heavier tail of draws that are worth so many independent ones.
func (d *draws) tail(ess float64) Tail {
	const beyond, least = 20, 1. / 3
	n := float64(len(d.x))
	p := beyond / math.Min(ess, n)
	if !(p <= 1./32) {
		return Tail{math.NaN(), math.NaN()}
	}
	sorted := d.increasing()
	middle := sorted[len(sorted)/2]
	squares := func(x []float64) (sum float64) {
		for _, v := range x {
			sum += (v - middle) * (v - middle)
		}
		return sum
	}
	far, all := int(n*p), squares(sorted)
	side := func(out []float64, q func(p float64) float64) float64 {
		if squares(out) < least*all {
			return math.NaN()
		}
		return math.Min(math.Log(q(p)/q(4*p)), math.Log(q(4*p)/q(16*p))) / math.Log(4)
	}
	lower := side(sorted[:far], func(p float64) float64 { return middle - sorted[int(n*p)] })
	upper := side(sorted[len(sorted)-far:], func(p float64) float64 { return sorted[int(n*(1-p))] - middle })
	k := upper
	if math.IsNaN(k) || lower > k {
		k = lower
	}
	// The log of a quantile that m draws lie beyond has the error k/√m, and shares it with
	// those farther in.
	return Tail{k, math.Abs(k) * math.Sqrt(1./beyond-1./(4*beyond)) / math.Log(4)}
}
