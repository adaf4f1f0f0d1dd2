// Package sparse finds which columns of a linear regression belong to it: probabilities of
// all sets of columns, and of each column, by enumeration or by a chain over sets.
package sparse

import (
	"math"
	"math/bits"
)

// A support says which candidates a model has.
type support [Most / 64]uint64

// Most is how many columns may be chosen from.
const Most = 256

// Has reports whether column j is in the set.
func (s *support) Has(j int) bool { return s[j/64]>>(j%64)&1 == 1 }

func (s *support) flip(j int) { s[j/64] ^= 1 << (j % 64) }

func (s *support) size() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// candidates are the terms of which some make a linear regression
// y = Xβ + noise, as far as the choice depends on them: the choice needs no
// rows but their Gram matrix.
type candidates struct {
	gram []float64 // XᵀX, d × d by rows
	rhs  []float64 // Xᵀy
	fit  []float64 // least squares
	rank int       // of gram
	rss  float64   // of the fit of all candidates
	rows float64   // of y
	// forced candidates belong to every model; their coefficients have flat
	// priors. nil is none
	forced []bool
	prior  float64 // probability of each other candidate; 0 is beta-binomial(1, 1)
	// inflation ≥ 1 multiplies the variance of the noise in the span of X: see
	// inflation
	inflation float64
}

// A Posterior is what columns have come to.
type Posterior struct {
	// Inclusion is the probability of each column, Mean and SD are of its coefficient
	// over all sets, those without it included.
	Inclusion, Mean, SD []float64
	Models              []Model // the likeliest, the best first
}

// A Model is a set of columns.
type Model struct {
	support
	Probability float64
}

// evidence computes the weight of supports.
type evidence struct {
	c          *candidates
	d          int
	order      []int     // the forced candidates, then the others
	unit       []float64 // 1/length of each column in the order
	gram, rhs  []float64 // of columns of unit length, in the order
	total      float64   // y'y less the part of the forced, inflated
	freedom    float64   // rows less the forced
	held       int       // how many are forced
	shrink     []float64 // g/(1+g) at the nodes of g
	logNode    []float64 // log of the node's prior weight
	logOnePlus []float64 // ½ log(1+g)
}

// collinear is the squared distance of a column of unit length from the span of
// others below which it is in it.
const collinear = 1e-10

func newEvidence(c *candidates) *evidence {
	d := len(c.rhs)
	e := &evidence{c: c, d: d, unit: make([]float64, d), gram: make([]float64, d*d), rhs: make([]float64, d)}
	for pass := range 2 {
		for j := range d {
			if (c.forced != nil && c.forced[j]) == (pass == 0) {
				e.order = append(e.order, j)
			}
		}
		if pass == 0 {
			e.held = len(e.order)
		}
	}
	for a, j := range e.order {
		if e.unit[a] = 1 / math.Sqrt(c.gram[j*d+j]); e.unit[a]-e.unit[a] != 0 {
			e.unit[a] = 0
		}
		e.rhs[a] = c.rhs[j] * e.unit[a]
	}
	for a, j := range e.order {
		for b, k := range e.order {
			e.gram[a*d+b] = c.gram[j*d+k] * e.unit[a] * e.unit[b]
		}
	}
	l := newLadder(e)
	for a := range e.held {
		l.push(a) // a collinear one adds nothing
	}
	held := l.explained()
	for a := e.held; a < d; a++ {
		l.push(a)
	}
	e.freedom = c.rows - float64(e.held)
	explained := l.explained() - held
	e.total = math.Max(math.Max(c.rss, 1e-12*explained)+explained/c.inflation, math.SmallestNonzeroFloat64)
	e.nodes(explained)
	return e
}

// nodes lays out the quadrature over g of the slab β ~ normal(0, g·s²·(XᵀX)⁻¹),
// s² the noise's variance in the span: 1/g ~ χ²₁/m (Zellner and Siow 1980), m the
// rows less what the inflation takes, at least the number of candidates. In
// log g the integrand is smooth, and the trapezoidal rule of step ½ has ten
// digits.
func (e *evidence) nodes(explained float64) {
	m := math.Max(e.c.rows/e.c.inflation, float64(e.d))
	noise := e.c.rss / e.c.rows
	const step = 0.5
	top := math.Max(math.Log(m), math.Log(explained)-math.Log(noise*e.c.inflation))
	if !(top < 80) {
		top = 80
	}
	for u := math.Log(m) - 4; u < top+16; u += step {
		g := math.Exp(u)
		e.shrink = append(e.shrink, g/(1+g))
		e.logOnePlus = append(e.logOnePlus, math.Log1p(g)/2)
		e.logNode = append(e.logNode, math.Log(step)+(math.Log(m)-u-math.Log(2*math.Pi)-m/g)/2)
	}
	last := len(e.logNode) - 1 // has the rest of the tail, where slabs have no weight
	e.logNode[last] = math.Log(math.Exp(e.logNode[last]) + math.Max(0, 1-math.Exp(logSum(e.logNode))))
}

func logSum(v []float64) float64 {
	top := math.Inf(-1)
	for _, x := range v {
		top = math.Max(top, x)
	}
	if math.IsInf(top, -1) {
		return top
	}
	sum := 0.0
	for _, x := range v {
		sum += math.Exp(x - top)
	}
	return top + math.Log(sum)
}

// weight is the log of prior times marginal likelihood of a support of so many terms
// that explains r = R of y'y beyond the forced ones.
func (e *evidence) weight(size int, r float64, nodes []float64) float64 {
	return e.logPrior(size) + logSum(e.likelihoods(nodes, size, r))
}

func (e *evidence) logPrior(k int) float64 {
	m := e.d - e.held
	if p := e.c.prior; p > 0 {
		return float64(k)*math.Log(p) + float64(m-k)*math.Log1p(-p)
	}
	all, _ := math.Lgamma(float64(m + 2))
	in, _ := math.Lgamma(float64(k + 1))
	out, _ := math.Lgamma(float64(m - k + 1))
	return in + out - all
}

// likelihoods writes per node of g the log of its weight times the marginal
// likelihood of size terms that explain r, relative to none.
func (e *evidence) likelihoods(nodes []float64, size int, r float64) []float64 {
	r /= e.c.inflation
	for i, q := range e.shrink {
		l := e.logNode[i] - float64(size)*e.logOnePlus[i]
		nodes[i] = l - e.freedom/2*math.Log1p(-math.Min(q*r/e.total, 1-1e-15))
	}
	return nodes
}

// A ladder is a Cholesky factor that grows and shrinks by one candidate at its
// end, with z = L⁻¹Xᵀy: the sum of z² is what they explain.
type ladder struct {
	e       *evidence
	members []int // places in the order
	l       [][]float64
	z       []float64
}

func newLadder(e *evidence) *ladder { return &ladder{e: e} }

// push adds the candidate at place a of the order, or reports that it is in the
// span of those that are there.
func (f *ladder) push(a int) bool {
	k := len(f.members)
	if k == len(f.l) {
		f.l = append(f.l, make([]float64, f.e.d))
	}
	row := f.l[k]
	gram := f.e.gram[a*f.e.d:]
	pivot, z := gram[a], f.e.rhs[a]
	for i, b := range f.members {
		v := gram[b]
		for m, w := range f.l[i][:i] {
			v -= w * row[m]
		}
		v /= f.l[i][i]
		row[i] = v
		pivot -= v * v
		z -= v * f.z[i]
	}
	if !(pivot > collinear) {
		return false
	}
	row[k] = math.Sqrt(pivot)
	f.members = append(f.members, a)
	f.z = append(f.z, z/row[k])
	return true
}

func (f *ladder) pop() {
	f.members = f.members[:len(f.members)-1]
	f.z = f.z[:len(f.z)-1]
}

func (f *ladder) clear() { f.members, f.z = f.members[:0], f.z[:0] }

func (f *ladder) explained() float64 {
	sum := 0.0
	for _, v := range f.z {
		sum += v * v
	}
	return sum
}

// moments writes the mean and the second moment of the coefficients of the
// members, in the order of the ladder, in their own units, averaged over g.
// nodes is room for the nodes; held of the members are forced.
func (f *ladder) moments(mean, square, nodes []float64, held int) {
	e, k := f.e, len(f.members)
	r := 0.0
	for _, v := range f.z[held:] {
		r += v * v
	}
	e.likelihoods(nodes, k-held, r)
	sum, q1, q2 := logSum(nodes), 0.0, 0.0
	for i, q := range e.shrink {
		w := math.Exp(nodes[i] - sum)
		q1 += w * q
		q2 += w * q * q
	}
	// The variance of the noise s² given g, averaged: E s², E s²·q.
	n := math.Max(e.freedom-2, 1)
	s, sq := (e.total-q1*r/e.c.inflation)/n, (q1*e.total-q2*r/e.c.inflation)/n
	// β = L⁻ᵀ(z of the forced, q·z of the others) + noise of covariance
	// s²·L⁻ᵀ diag(1, q) L⁻¹, by columns of L⁻¹.
	column := make([]float64, k)
	for j := range k {
		mean[j], square[j] = 0, 0
	}
	shift := make([]float64, k) // dβ/dq
	for i := range k {
		for j := i; j >= 0; j-- { // row i of L⁻¹, from its diagonal
			v := 0.0
			if j == i {
				v = 1
			}
			for m := j + 1; m <= i; m++ {
				v -= column[m] * f.l[m][j]
			}
			column[j] = v / f.l[j][j]
		}
		for j := range i + 1 {
			v := column[j] * e.unit[f.members[j]]
			if i < held {
				mean[j] += v * f.z[i]
				square[j] += v * v * s * e.c.inflation
			} else {
				mean[j] += v * f.z[i] * q1
				shift[j] += v * f.z[i]
				square[j] += v * v * sq * e.c.inflation
			}
		}
	}
	for j := range k {
		square[j] += (q2-q1*q1)*shift[j]*shift[j] + mean[j]*mean[j]
	}
}
