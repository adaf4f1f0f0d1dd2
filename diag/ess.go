package diag

import (
	"math"
	"math/bits"

	"gonum.org/v1/gonum/dsp/fourier"
)

// ESSBulk returns the bulk effective sample size: that of the mean of the
// normal scores of the ranks. Like every effective sample size here it is at
// most S·log10(S) for S draws.
//
// Two limits of posterior's rule are kept: if the first pair of
// autocorrelations is not positive, or a chain has fewer than 12 draws, the
// result is S/2. ArviZ goes on to other values there, and returns S instead of
// NaN for constant draws; elsewhere the two agree.
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
	return s[len(s)-1].v-s[0].v < constantBelow
}

// ess returns the effective sample size of the mean of y, split chains one
// after the other.
func (d *draws) ess(y []float64) float64 {
	k, h := d.halves()
	if h < 3 || constant(y) {
		return math.NaN()
	}
	acov := d.acov.mean(y, k)
	n := float64(h)
	within := acov[0] * n / (n - 1)
	plus := within * (n - 1) / n
	if k > 1 {
		means := make([]float64, k)
		for c := range means {
			means[c] = Mean(y[c*h : (c+1)*h])
		}
		plus += Variance(means)
	}
	if !(plus > 0) || math.IsInf(plus, 1) {
		return math.NaN()
	}
	size := float64(k * h)
	tau := autocorrelationTime(acov, within, plus)
	return size / math.Max(tau, 1/math.Log10(size))
}

// autocorrelationTime sums Geyer's initial monotone sequence, stop by stop as
// posterior does. It overwrites acov, of length at least 3, with the
// autocorrelations kept.
func autocorrelationTime(acov []float64, within, plus float64) float64 {
	rho := func(t int) float64 { return 1 - (within-acov[t])/plus }
	kept := acov // entry t is read before it is written
	even, odd := 1.0, rho(1)
	kept[0], kept[1] = even, odd
	t := 0
	for t < len(acov)-5 && even+odd > 0 {
		t += 2
		even, odd = rho(t), rho(t+1)
		if even+odd >= 0 {
			kept[t], kept[t+1] = even, odd
		} else {
			kept[t], kept[t+1] = 0, 0
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

// autocovariance averages the biased (1/n) autocovariances of chains of n
// draws by the Fourier transform. Zero padding to 2n keeps it from wrapping;
// the transform is linear, so the spectra are added and turned back once.
type autocovariance struct {
	n        int
	plan     *fourier.FFT
	padded   []float64
	spectrum []complex128
	power    []complex128
}

func newAutocovariance(n int) *autocovariance {
	size := smooth(2 * n)
	return &autocovariance{
		n: n, plan: fourier.NewFFT(size), padded: make([]float64, size),
		spectrum: make([]complex128, size/2+1), power: make([]complex128, size/2+1),
	}
}

// mean returns the autocovariances of lags 0 to n-1, averaged over the k
// chains in y. The slice is reused by the next call.
func (a *autocovariance) mean(y []float64, k int) []float64 {
	clear(a.power)
	for c := range k {
		chain := y[c*a.n : (c+1)*a.n]
		if same(chain) {
			continue
		}
		m := Mean(chain)
		for i, v := range chain {
			a.padded[i] = v - m
		}
		clear(a.padded[a.n:])
		a.plan.Coefficients(a.spectrum, a.padded)
		for i, z := range a.spectrum {
			re, im := real(z), imag(z)
			a.power[i] += complex(re*re+im*im, 0)
		}
	}
	a.plan.Sequence(a.padded, a.power)
	scale := 1 / (float64(len(a.padded)) * float64(a.n) * float64(k))
	for i := range a.n {
		a.padded[i] *= scale
	}
	return a.padded[:a.n]
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
