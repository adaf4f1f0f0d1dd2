package diag

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/integrate/quad"
)

// KL returns the Kullback–Leibler divergence KL(p‖q) = Σ p log(p/q) in nats of
// the masses of a partition whose cells cover the domain exactly once. The
// expectation is under p; KL(p, q) and KL(q, p) differ. Masses are scaled to
// sum to 1; a cell with p = 0 adds nothing, one with q = 0 < p makes it +Inf.
// NaN for unequal lengths, no cells, a negative or infinite mass or a zero sum.
func KL(p, q []float64) float64 {
	sp, sq := total(p), total(q)
	if len(p) != len(q) || math.IsNaN(sp+sq) {
		return math.NaN()
	}
	var sum float64
	for i := range p {
		a, b := p[i]/sp, q[i]/sq
		switch {
		case a == 0:
		case b == 0:
			return math.Inf(1)
		default:
			sum += a * math.Log(a/b)
		}
	}
	return math.Max(sum, 0)
}

// total returns the sum of masses, or NaN if they are not masses.
func total(p []float64) float64 {
	var sum float64
	for _, v := range p {
		if !(v >= 0) {
			return math.NaN()
		}
		sum += v
	}
	if !(sum > 0) || math.IsInf(sum, 1) {
		return math.NaN()
	}
	return sum
}

// smoothed returns cell frequencies with ½ added to every count:
// (c + ½)/(n + K/2) over K cells. Leave cells of no true mass out beforehand.
func smoothed(counts []float64) []float64 {
	sum := float64(len(counts)) / 2
	for _, c := range counts {
		sum += c
	}
	p := make([]float64, len(counts))
	for i, c := range counts {
		p[i] = (c + 0.5) / sum
	}
	return p
}

// KLTruthToDraws returns KL(P‖P̂): P the exact masses, P̂ the frequencies of the draws
// with ½ added to every count. It weighs errors where the truth is, so a mode that was
// missed costs dearly.
func KLTruthToDraws(truth, counts []float64) float64 { return KL(truth, smoothed(counts)) }

// Wasserstein1 returns the distance ∫|F - G| between two samples on the line,
// of any sizes. Weights wx and wy, ≥ 0 and one for each value, are scaled to
// sum to 1; nil is equal weights. NaN for an empty sample, a value that is not
// finite, or weights that do not fit.
func Wasserstein1(x, y, wx, wy []float64) float64 {
	a, b := weigh(x, wx), weigh(y, wy)
	if a == nil || b == nil {
		return math.NaN()
	}
	var i, j int
	var sum float64
	at := math.Min(a[0].v, b[0].v)
	for i < len(a) && j < len(b) {
		var f, g float64
		if i > 0 {
			f = a[i-1].level
		}
		if j > 0 {
			g = b[j-1].level
		}
		next := math.Min(a[i].v, b[j].v)
		sum += math.Abs(f-g) * (next - at)
		at = next
		for ; i < len(a) && a[i].v == next; i++ {
		}
		for ; j < len(b) && b[j].v == next; j++ {
		}
	}
	for ; i < len(a); i++ { // the other sample has ended: its level is 1
		sum += (1 - before(a, i)) * (a[i].v - at)
		at = a[i].v
	}
	for ; j < len(b); j++ {
		sum += (1 - before(b, j)) * (b[j].v - at)
		at = b[j].v
	}
	return sum
}

// step is a value and the distribution function there.
type step struct{ v, level float64 }

func before(s []step, i int) float64 {
	if i == 0 {
		return 0
	}
	return s[i-1].level
}

// weigh returns the empirical distribution function, nil if there is none.
func weigh(x, w []float64) []step {
	if len(x) == 0 || !finite(x) || w != nil && len(w) != len(x) {
		return nil
	}
	order := sortedKeyed(x)
	all := float64(len(x))
	if w != nil {
		if all = total(w); math.IsNaN(all) {
			return nil
		}
	}
	s := make([]step, len(x))
	var sum float64
	for i, k := range order {
		if w == nil {
			sum = float64(i + 1)
		} else {
			sum += w[k.i]
		}
		s[i] = step{k.v, sum / all}
	}
	s[len(s)-1].level = 1
	return s
}

// Wasserstein1To returns ∫₀¹|F⁻¹(p) - quantile(p)| dp between a sample (with
// weights w as in Wasserstein1) and the law with that quantile function, which
// must not decrease and is called at 0 < p < 1 only. Gauss–Legendre quadrature
// of order 8 on each step of F⁻¹, cut where the two cross; steps that touch 0
// or 1 are halved towards it, for laws with tails.
func Wasserstein1To(x, w []float64, quantile func(p float64) float64) float64 {
	s := weigh(x, w)
	if s == nil {
		return math.NaN()
	}
	var sum, from float64
	for _, at := range s {
		to := at.level
		if to <= from {
			continue
		}
		gap := func(p float64) float64 { return math.Abs(at.v - quantile(p)) }
		cross := bisect(func(p float64) bool { return quantile(p) >= at.v }, from, to)
		sum += integrate(gap, from, cross) + integrate(gap, cross, to)
		from = to
	}
	return sum
}

// bisect returns where in [a, b] the monotone f turns from false to true: a
// or b itself if it does so outside.
func bisect(f func(float64) bool, a, b float64) float64 {
	eps := (b - a) * 0x1p-50
	if f(a + eps) {
		return a
	}
	if !f(b - eps) {
		return b
	}
	for b-a > eps {
		m := a + (b-a)/2
		if m <= a || m >= b {
			break
		}
		if f(m) {
			b = m
		} else {
			a = m
		}
	}
	return b
}

// integrate halves [a, b] towards 0 and 1 where it touches them.
func integrate(f func(float64) float64, a, b float64) float64 {
	if !(a < b) {
		return 0
	}
	const halvings = 50
	var sum float64
	if a == 0 && b == 1 {
		return integrate(f, 0, 0.5) + integrate(f, 0.5, 1)
	}
	for k := 0; k < halvings && a == 0; k++ {
		sum += quad.Fixed(f, b/2, b, 8, quad.Legendre{}, 0)
		b /= 2
	}
	for k := 0; k < halvings && b == 1; k++ {
		m := a + (1-a)/2
		if m >= 1 {
			return sum
		}
		sum += quad.Fixed(f, a, m, 8, quad.Legendre{}, 0)
		a = m
	}
	if a > 0 && b < 1 {
		sum += quad.Fixed(f, a, b, 8, quad.Legendre{}, 0)
	}
	return sum
}

// sortedCopy returns x in increasing order, nil if it is empty or not finite.
func sortedCopy(x []float64) []float64 {
	if len(x) == 0 || !finite(x) {
		return nil
	}
	s := slices.Clone(x)
	slices.Sort(s)
	return s
}
