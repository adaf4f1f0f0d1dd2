package quadrature

import (
	"math"
	"sync"
)

// A spectrum is the law of U under the uniform law on the domain, as masses a
// and b of two sets of nodes on common places u, ascending. Every node is
// shared by the two places around it, in proportion.
//
// Answers pair a with b: the error of ∬ k(U, U') with a kink at U = U' has a
// part that is quadratic in the error of one set, always of one sign, and this
// part averages out where two sets of unlike errors meet. That gains about four
// halvings of the cells.
type spectrum struct{ u, a, b []float64 }

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
	// Places are 1/1000 of the temperature apart at the bottom and grow in
	// proportion to the height above it.
	const places = 8_000
	scale := min(8*cold, top-low)
	if !(scale > 0) {
		scale = 1 // U is constant
	}
	step := 1.0 / places
	n := int(math.Log1p((top-low)/scale)/step) + 2
	s := &spectrum{u: make([]float64, n), a: make([]float64, n), b: make([]float64, n)}
	for i := range s.u {
		s.u[i] = scale * math.Expm1(float64(i)*step)
	}
	fill := func(h []float64, q *sample) {
		for i, u := range q.u {
			u -= low
			k := min(int(math.Log1p(u/scale)/step), n-2)
			part := (u - s.u[k]) / (s.u[k+1] - s.u[k])
			h[k] += (1 - part) * q.w[i]
			h[k+1] += part * q.w[i]
		}
	}
	var wait sync.WaitGroup
	wait.Go(func() { fill(s.a, &lv.a) })
	fill(s.b, &lv.b)
	wait.Wait()
	return s
}

// SwapProbability returns E min(1, exp((1/cold − 1/hot)(U1 − U2))), U1 and U2
// independent with temperatures cold and hot: how often the two exchange.
// Temperatures are positive and may be +Inf.
func (r *Region) SwapProbability(cold, hot float64) float64 {
	cold, hot = min(cold, hot), max(cold, hot)
	return r.settle(cold, func(s *spectrum) float64 {
		return 0.5 * (swap(s.u, s.a, s.b, 1/cold, 1/hot) + swap(s.u, s.b, s.a, 1/cold, 1/hot))
	})
}

// swap sums over pairs, the cold one from a and the hot one from b. Where
// u1 < u2, the cold weight of u1 times the hot weight of u2 times the
// acceptance is the hot weight of u1 times the cold weight of u2.
func swap(u, a, b []float64, cold, hot float64) float64 {
	var sum, zc, zh, belowA, belowB float64
	for i, e := range u {
		c, h := math.Exp(-cold*e), math.Exp(-hot*e)
		zc += a[i] * c
		zh += b[i] * h
		belowB += b[i] * h
		sum += a[i]*c*belowB + b[i]*c*belowA
		belowA += a[i] * h
	}
	return sum / (zc * zh)
}

// LocalBarrier returns ½ E|U − U'|, U and U' independent under exp(-beta U),
// beta ≥ 0.
func (r *Region) LocalBarrier(beta float64) float64 {
	return r.settle(1/beta, func(s *spectrum) float64 { return s.local(beta) })
}

// local is ½∫ F_a(1 − F_b) + F_b(1 − F_a) du.
func (s *spectrum) local(beta float64) float64 {
	var za, zb float64
	weight := make([]float64, len(s.u))
	for i, e := range s.u {
		w := math.Exp(-beta * e)
		weight[i] = w
		za += s.a[i] * w
		zb += s.b[i] * w
	}
	var sum, fa, fb, last float64 // the distribution functions up to last, unnormalised
	for i, e := range s.u {
		sum += (e - last) * (fa*(zb-fb) + fb*(za-fa))
		last = e
		fa += s.a[i] * weight[i]
		fb += s.b[i] * weight[i]
	}
	return 0.5 * sum / (za * zb)
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
