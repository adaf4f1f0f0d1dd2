package quadrature

import (
	"math"
	"sync"
)

// A spectrum is the law of U under the uniform law on the domain, by two sets of
// nodes. Nodes of nearly the same energy are gathered in bins, the same ones for
// both sets.
//
// Answers pair a with b: the error of ∬ k(U, U') with a kink at U = U' has a
// part that is quadratic in the error of one set, always of one sign, and this
// part averages out where two sets of unlike errors meet. That gains about four
// halvings of the cells.
type spectrum struct{ a, b bins }

// bins have a mass and a mean energy each, in ascending order.
type bins struct{ h, u []float64 }

// settled is the difference between successive levels at which an answer is
// accepted. Errors fall by about eight with each level, so that of the finer
// one is below a quarter of it.
const settled = 2e-6

// A spectrumKey names a spectrum by its level and the binary exponent of the
// coldest temperature that it serves.
type spectrumKey struct{ level, exponent int }

// spectrum returns that of level l, fine enough for temperatures from cold up;
// r.mu is held.
func (r *Region) spectrum(l int, cold float64) *spectrum {
	_, exponent := math.Frexp(cold)
	key := spectrumKey{l, exponent}
	s, ok := r.spectra[key]
	if !ok {
		s = newSpectrum(r.level(l), min(cold, math.Ldexp(0.5, exponent)))
		r.spectra[key] = s
	}
	return s
}

func newSpectrum(lv *level, cold float64) *spectrum {
	low, top := min(lv.a.low, lv.b.low), max(lv.a.top, lv.b.top)
	// Bins are 1/1000 of the temperature wide at the bottom and grow in
	// proportion to the height above it.
	const fineness = 8_000
	scale := min(8*cold, top-low)
	if !(scale > 0) {
		scale = 1 // U is constant
	}
	n := int(math.Log1p((top-low)/scale)*fineness) + 1
	gather := func(q *sample) (b bins) {
		b = bins{make([]float64, n), make([]float64, n)}
		for i, u := range q.u {
			u -= low
			k := min(int(math.Log1p(u/scale)*fineness), n-1)
			b.h[k] += q.w[i]
			b.u[k] += q.w[i] * u
		}
		for k, h := range b.h {
			if h > 0 {
				b.u[k] /= h
			}
		}
		return b
	}
	s := new(spectrum)
	var wait sync.WaitGroup
	wait.Go(func() { s.a = gather(&lv.a) })
	s.b = gather(&lv.b)
	wait.Wait()
	return s
}

// SwapProbability returns E min(1, exp((1/cold − 1/hot)(U1 − U2))), U1 and U2
// independent with temperatures cold and hot: how often the two exchange.
// Temperatures are positive and may be +Inf.
func (r *Region) SwapProbability(cold, hot float64) float64 {
	cold, hot = min(cold, hot), max(cold, hot)
	return r.settle(cold, func(s *spectrum) float64 {
		return 0.5 * (swap(s.a, s.b, 1/cold, 1/hot) + swap(s.b, s.a, 1/cold, 1/hot))
	})
}

// swap sums over pairs, the cold one from a and the hot one from b. Where
// u1 < u2, the cold weight of u1 times the hot weight of u2 times the
// acceptance is the hot weight of u1 times the cold weight of u2.
func swap(a, b bins, cold, hot float64) float64 {
	var sum, zc, zh, belowA, belowB float64
	for k, ha := range a.h {
		ua, hb, ub := a.u[k], b.h[k], b.u[k]
		ac, ah := ha*math.Exp(-cold*ua), ha*math.Exp(-hot*ua)
		bc, bh := hb*math.Exp(-cold*ub), hb*math.Exp(-hot*ub)
		zc, zh = zc+ac, zh+bh
		sum += ac*belowB + bc*belowA
		if ua >= ub {
			sum += ac * bh
		} else {
			sum += ah * bc
		}
		belowA, belowB = belowA+ah, belowB+bh
	}
	return sum / (zc * zh)
}

// LocalBarrier returns ½ E|U − U'|, U and U' independent under exp(-beta U),
// beta ≥ 0.
func (r *Region) LocalBarrier(beta float64) float64 {
	return r.settle(1/beta, func(s *spectrum) float64 { return s.local(beta) })
}

// local is ½ E|U − U'|, U from a and U' from b.
func (s *spectrum) local(beta float64) float64 {
	// Masses and first moments of the bins below.
	var sum, pa, pb, ma, mb float64
	for k, ha := range s.a.h {
		ua, hb, ub := s.a.u[k], s.b.h[k], s.b.u[k]
		ha *= math.Exp(-beta * ua)
		hb *= math.Exp(-beta * ub)
		sum += ha*(ua*pb-mb) + hb*(ub*pa-ma) + ha*hb*math.Abs(ua-ub)
		pa, pb = pa+ha, pb+hb
		ma, mb = ma+ha*ua, mb+hb*ub
	}
	return 0.5 * sum / (pa * pb)
}

// Barrier returns Λ, the integral of the local barrier over beta from 1/hot to
// 1/cold: the sum of the rejections of many close temperatures between the two.
func (r *Region) Barrier(cold, hot float64) float64 {
	cold, hot = min(cold, hot), max(cold, hot)
	return r.settle(cold, func(s *spectrum) float64 {
		g, sum := gauss(6), 0.0
		end := 1 / hot
		for to, k := 1/cold, 0; to > end; k++ {
			from := max(end, to/2)
			if k == 12 {
				from = end
			}
			for i, v := range g.x {
				sum += g.w[i] * (to - from) * s.local(from+v*(to-from))
			}
			to = from
		}
		return sum
	})
}

// settle refines the spectrum until f no longer changes.
func (r *Region) settle(cold float64, f func(s *spectrum) float64) float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !(cold > 0) {
		r.fail("temperature %v: it must be positive", cold)
		return math.NaN()
	}
	last := math.NaN()
	for l := 2; l <= maxLevel && r.err == nil; l++ {
		now := f(r.spectrum(l, cold))
		if math.Abs(now-last) <= settled*max(1, math.Abs(now)) {
			return now
		}
		last = now
	}
	r.fail("an exchange with temperature %v does not settle to 1e-6 (%.8g): U varies too fast on the domain", cold, last)
	return last
}
