package diag

import (
	"math"
	"math/bits"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/floats"
)

// ESSBulk returns the bulk effective sample size: that of the mean of the
// normal scores of the ranks. Like every effective sample size here it is at
// most S·log10(S) for S draws.
//
// Two limits of posterior's rule are kept: if the first pair of
// autocorrelations is not positive, or a chain has fewer than 12 draws, the
// result is S/2. ArviZ 0.23 has other values there, and S instead of NaN for
// constant draws or indicators; elsewhere the two agree. NaN for fewer than 6
// draws a chain.
func ESSBulk(chains [][]float64) float64 { return of(chains, (*draws).essBulk) }

// ESSTail returns the tail effective sample size: the smaller of those of the
// 5 % and 95 % quantiles. It is NaN if either indicator is constant, as with
// few distinct values.
func ESSTail(chains [][]float64) float64 { return of(chains, (*draws).essTail) }

// ESSMean returns the effective sample size for the mean.
func ESSMean(chains [][]float64) float64 { return of(chains, (*draws).essMean) }

// ESSSd returns the effective sample size for the standard deviation, that of
// |x - mean| (posterior 1.4; ArviZ 0.23 takes (x - mean)² instead).
func ESSSd(chains [][]float64) float64 { return of(chains, (*draws).essSd) }

// ESSSpread returns how many independent draws of a normal law would know its standard
// deviation as well as the draws know theirs, (SD/[MCSESd])²/2: fewer than those of the other
// sizes where a tail is heavy or seldom visited. It is NaN where there may be no variance
// ([Tail.Heavy]).
func ESSSpread(chains [][]float64) float64 { return of(chains, (*draws).essSpread) }

// ESSQuantile returns the effective sample size for the p quantile, that of
// the indicator x ≤ quantile. It is NaN unless 0 ≤ p ≤ 1.
func ESSQuantile(chains [][]float64, p float64) float64 {
	return of(chains, func(d *draws) float64 { return d.essQuantile(p) })
}

func of(chains [][]float64, f func(*draws) float64) float64 {
	d := gather(chains)
	if d == nil {
		return math.NaN()
	}
	return f(d)
}

func (d *draws) essBulk() float64 { return d.ess(d.normalScores(d.order())) }

func (d *draws) essTail() float64 {
	return math.Min(d.essQuantile(0.05), d.essQuantile(0.95))
}

func (d *draws) essMean() float64 {
	return d.ess(d.halve(func(v float64) float64 { return v }))
}

func (d *draws) essSd() float64 {
	m := Mean(d.x)
	return d.ess(d.halve(func(v float64) float64 { return math.Abs(v - m) }))
}

func (d *draws) essSpread() float64 {
	if d.tail(math.Min(d.essBulk(), d.essTail())).Heavy() {
		return math.NaN()
	}
	errors := SD(d.x) / d.mcseSd()
	return errors * errors / 2
}

func (d *draws) essQuantile(p float64) float64 {
	if !(p >= 0 && p <= 1) || d.isConstant() {
		return math.NaN()
	}
	if p == 1 { // the largest draw itself would give a constant indicator
		p = (float64(len(d.x)) - 0.5) / float64(len(d.x))
	}
	q := d.quantile(p)
	return d.ess(d.halve(func(v float64) float64 {
		if v <= q {
			return 1
		}
		return 0
	}))
}

func (d *draws) isConstant() bool {
	s := d.order()
	return alike(s[0].v, s[len(s)-1].v)
}

// ess returns the effective sample size of the mean of y, split chains one
// after the other.
func (d *draws) ess(y []float64) float64 {
	k, h := d.halves()
	if h < 3 || constant(y) {
		return math.NaN()
	}
	d.acov.start(y)
	n := float64(h)
	within := d.acov.at(0) * n / (n - 1)
	plus := within * (n - 1) / n
	if k > 1 {
		plus += Variance(d.acov.means)
	}
	if !(plus > 0) || math.IsInf(plus, 1) {
		return math.NaN()
	}
	size := float64(k * h)
	tau := autocorrelationTime(h, func(t int) float64 { return 1 - (within-d.acov.at(t))/plus })
	return size / math.Max(tau, 1/math.Log10(size))
}

// autocorrelationTime sums Geyer's initial monotone sequence of the
// autocorrelations rho of chains of n ≥ 3 draws, stop by stop as posterior does.
func autocorrelationTime(n int, rho func(lag int) float64) float64 {
	even, odd := 1.0, rho(1)
	kept := []float64{even, odd}
	t := 0
	for t < n-5 && even+odd > 0 {
		t += 2
		even, odd = rho(t), rho(t+1)
		if even+odd >= 0 {
			kept = append(kept, even, odd)
		} else {
			kept = append(kept, 0, 0)
		}
	}
	last := t
	if even > 0 {
		kept[last] = even
	}
	if last == 0 {
		return 2 // the rule counts lag 0 twice here
	}
	for t = 2; t <= last-2; t += 2 {
		if before := kept[t-2] + kept[t-1]; kept[t]+kept[t+1] > before {
			kept[t], kept[t+1] = before/2, before/2
		}
	}
	var sum float64
	for _, r := range kept[:last] {
		sum += r
	}
	return -1 + 2*sum + kept[last]
}

// directLags is the number of lags worked out one by one, as they are asked
// for; past it, a Fourier transform of all lags is cheaper.
const directLags = 160

// autocovariance averages the biased (1/n) autocovariances of chains of n
// draws, lag by lag or by the Fourier transform. Zero padding to 2n keeps that
// from wrapping; it is linear, so the spectra are added and turned back once.
type autocovariance struct {
	n        int
	centred  []float64 // the chains less their means
	means    []float64
	all      bool // lags holds every lag
	lags     []float64
	plan     *fourier.FFT
	spectrum []complex128
	power    []complex128
}

func newAutocovariance(k, n int) *autocovariance {
	return &autocovariance{n: n, centred: make([]float64, k*n), means: make([]float64, k)}
}

// start takes in the chains, one after the other in y.
func (a *autocovariance) start(y []float64) {
	a.all = false
	for c := range a.means {
		chain, centred := y[c*a.n:(c+1)*a.n], a.centred[c*a.n:(c+1)*a.n]
		m := chain[0]
		if !same(chain) { // so that a constant chain has variance 0, not rounding
			m = Mean(chain)
		}
		a.means[c] = m
		for i, v := range chain {
			centred[i] = v - m
		}
	}
}

// at returns the autocovariance at lag t < n, averaged over the chains.
func (a *autocovariance) at(t int) float64 {
	if a.all {
		return a.lags[t]
	}
	if t >= directLags {
		a.transform()
		return a.lags[t]
	}
	var sum float64
	for from := 0; from < len(a.centred); from += a.n {
		chain := a.centred[from : from+a.n]
		sum += floats.Dot(chain[:a.n-t], chain[t:])
	}
	return sum / float64(len(a.centred))
}

func (a *autocovariance) transform() {
	if a.plan == nil {
		size := smooth(2 * a.n)
		a.plan, a.lags = fourier.NewFFT(size), make([]float64, size)
		a.spectrum, a.power = make([]complex128, size/2+1), make([]complex128, size/2+1)
	}
	clear(a.power)
	for from := 0; from < len(a.centred); from += a.n {
		clear(a.lags[copy(a.lags, a.centred[from:from+a.n]):])
		a.plan.Coefficients(a.spectrum, a.lags)
		for i, z := range a.spectrum {
			re, im := real(z), imag(z)
			a.power[i] += complex(re*re+im*im, 0)
		}
	}
	a.plan.Sequence(a.lags, a.power)
	scale := 1 / (float64(len(a.lags)) * float64(len(a.centred)))
	for i := range a.lags {
		a.lags[i] *= scale
	}
	a.all = true
}

func same(x []float64) bool {
	for _, v := range x {
		if v != x[0] {
			return false
		}
	}
	return true
}

// smooth returns the least even number ≥ n of the form 2^a·3^b·5^c with b, c
// ≤ 2, which a transform handles fast.
func smooth(n int) int {
	best := 2 << bits.Len(uint(n))
	for _, odd := range []int{1, 3, 5, 9, 15, 25, 45, 75, 225} {
		s := 2 * odd
		for s < n {
			s *= 2
		}
		best = min(best, s)
	}
	return best
}
