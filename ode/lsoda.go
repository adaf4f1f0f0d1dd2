package ode

import (
	"errors"
	"math"
)

// The method of this file and its neighbours is LSODA's: multistep formulas of
// variable order and step on the Nordsieck array, Adams–Moulton (orders 1–12,
// functional iteration) where the system is not stiff, backward differentiation
// (orders 1–5, modified Newton) where it is, and a choice between them by the
// step that each could take. Sources: A. C. Hindmarsh, "ODEPACK, a systematized
// collection of ODE solvers", Scientific Computing (1983); K. Radhakrishnan and
// A. C. Hindmarsh, "Description and use of LSODE", LLNL UCRL-ID-113855 (1993);
// L. Petzold, "Automatic selection of methods for solving stiff and nonstiff
// systems of ordinary differential equations", SIAM J. Sci. Stat. Comput. 4
// (1983) 136–148.
//
// Errors are measured in the weighted maximum norm, max_i |e_i|/(atol_i +
// rtol·|y_i|), as LSODA does: its tests of order, of convergence and of
// stiffness are tuned to that norm.

const (
	roundOff   = 0x1p-52
	adamsOrder = 12
	bdfOrder   = 5
	// tries is how often in a row one step may fail before the trajectory is given up.
	tries = 20
	// share is what one step may err by, in tolerances. The errors of many steps
	// add up: with this share those of an orbit or of van der Pol's oscillator
	// at their end are near the tolerance that was asked for.
	share = 0.1
	// growth bounds the factor of the step: at the first change, after
	// accepted steps, and after a failure.
	growthFirst, growthLater, growthFailed = 1e4, 10, 2
)

var errLost = errors.New("the step fell below the resolution of time: the solution runs off to infinity or jumps there: " +
	"end earlier or loosen the tolerance")

// lsoda is a stepper. Vectors of length n; z[j] is h^j/j! times the j-th
// derivative of the solution at t.
type lsoda struct {
	sys    *System
	n      int // components
	family [2]family
	demands

	t, from, bound, h float64
	stiff             bool // the formulas in use: family[1], else family[0]
	order             int
	z                 [adamsOrder + 1][]float64
	good              []float64 // the last accepted state
	weight            []float64 // 1/(atol_i + rtol·|y_i|) of the components of the norm
	change, before    []float64 // the correction to h·y' of this step and the one that was saved
	y, f, work        []float64

	experience
	finite bool // the corrector met finite numbers only
	newton newton
	count  Stats
}

// demands are what is asked of a solution.
type demands struct {
	control    int // components of the norm, which come first
	rtol       float64
	atol       []float64
	first, max float64 // steps
}

// experience is what steps so far let the next ones do.
type experience struct {
	wait     int     // steps until the order and the step may change
	growth   float64 // the largest factor of the step
	patience int     // steps until the family may change
	rate     float64 // of convergence of the corrector, as remembered
	slope    float64 // Lipschitz constant, as the functional iterations of late show
	slopeNow float64 // the same since the order was chosen last
	bounded  bool    // stability has bounded the last step
}

func newLSODA(dim int, o *Options) stepper {
	m := &lsoda{n: dim, demands: demands{control: o.Control, rtol: max(share*o.RTol, 50*roundOff), first: o.First, max: o.Max}}
	m.atol = make([]float64, m.control)
	for i, a := range o.ATol {
		m.atol[i] = share * a
	}
	m.family = [2]family{adams(), bdf()}
	m.weight = make([]float64, m.control)
	for j := range m.z {
		m.z[j] = make([]float64, dim)
	}
	for _, v := range []*[]float64{&m.good, &m.change, &m.before, &m.y, &m.f, &m.work} {
		*v = make([]float64, dim)
	}
	m.newton.reset(dim)
	return m
}

// start begins at order 1 of Adams's formulas.
func (m *lsoda) start(sys *System, t, bound float64, y []float64) {
	m.sys, m.t, m.from, m.bound = sys, t, t, bound
	m.count = Stats{}
	m.stiff, m.order = false, 1
	m.wait, m.growth, m.patience = 2, growthFirst, patience
	m.rate, m.slope, m.slopeNow, m.bounded, m.finite = 0.7, 0, 0, false, true
	m.newton.reset(m.n / (1 + sys.columns))
	copy(m.z[0], y)
	m.weigh()
	m.eval(m.z[1], t, m.z[0])
	m.h = m.firstStep()
	for i := range m.z[1] {
		m.z[1][i] *= m.h
	}
}

// firstStep is the step at which a formula of order 0 would just keep the tolerance.
func (m *lsoda) firstStep() float64 {
	length := math.Abs(m.bound - m.t)
	h := m.first
	if h == 0 {
		tol := min(max(m.rtol, 100*roundOff), 1e-3)
		scale := max(math.Abs(m.t), math.Abs(m.bound))
		fast := m.norm(m.z[1])
		h = 1 / math.Sqrt(1/(tol*scale*scale)+tol*fast*fast)
	}
	return math.Copysign(min(h, length, m.max), m.bound-m.t)
}

func (m *lsoda) interval() (from, to float64) { return m.from, m.t }
func (m *lsoda) state() []float64             { return m.z[0] }
func (m *lsoda) stats() Stats                 { return m.count }

// at evaluates the Nordsieck polynomial of the last step.
func (m *lsoda) at(dst []float64, t float64) {
	s := (t - m.t) / m.h
	copy(dst, m.z[m.order])
	for j := m.order - 1; j >= 0; j-- {
		z := m.z[j]
		for i := range z {
			dst[i] = z[i] + s*dst[i]
		}
	}
}

func (m *lsoda) eval(dst []float64, t float64, y []float64) {
	m.count.Evaluations++
	m.sys.F(dst, t, y)
}

func (m *lsoda) weigh() {
	for i, a := range m.atol {
		m.weight[i] = 1 / max(a+m.rtol*math.Abs(m.z[0][i]), 0x1p-1000)
	}
}

// norm is the weighted maximum norm; NaN if any component that counts is.
func (m *lsoda) norm(v []float64) float64 {
	largest := 0.0
	for i, w := range m.weight {
		if a := math.Abs(v[i]) * w; a > largest || a != a {
			largest = a
		}
	}
	return largest
}

func (m *lsoda) use() *family {
	if m.stiff {
		return &m.family[1]
	}
	return &m.family[0]
}

// step takes one accepted step.
func (m *lsoda) step() error {
	if m.count.Steps == 0 && !finite(m.z[1]) {
		return errNotFinite
	}
	m.weigh()
	copy(m.good, m.z[0])
	start, landing := m.t, m.land()
	failed, rejected := 0, 0 // in a row: all; by the test of errors
	for {
		if start+m.h == start || failed == tries {
			if !m.finite {
				return errNotFinite
			}
			return errLost
		}
		m.t = start + m.h
		if landing && failed == 0 {
			m.t = m.bound
		}
		m.predict(1)
		done, old := m.correct()
		if done {
			err := m.norm(m.change) * m.use().error[m.order]
			if err <= 1 {
				m.from = start
				m.accept(err)
				return nil
			}
			rejected++
			m.retreat(start)
			m.reject(err, rejected)
		} else {
			m.retreat(start)
			if old { // the same step with a Jacobian of today
				m.newton.age = refresh
				continue
			}
			m.rescale(0.25, true)
		}
		m.growth = growthFailed
		failed++
		m.count.Rejected++
	}
}

// land shortens the step that would pass the bound and says whether this one ends there.
func (m *lsoda) land() bool {
	left := m.bound - m.t
	if math.Abs(m.h) < math.Abs(left)*(1-1e-12) {
		return false
	}
	m.rescale(left/m.h, true)
	return math.Abs(m.h) >= math.Abs(left)*(1-1e-12) // unless stability bounds it further
}

func (m *lsoda) retreat(start float64) {
	m.t = start
	m.predict(-1)
	copy(m.z[0], m.good)
}

// predict multiplies the Nordsieck array by Pascal's triangle (sign 1): the
// Taylor polynomial one step on; or by its inverse (sign -1).
func (m *lsoda) predict(sign float64) {
	for k := 0; k < m.order; k++ {
		for j := m.order - 1; j >= k; j-- {
			low, high := m.z[j], m.z[j+1]
			for i := range low {
				low[i] += sign * high[i]
			}
		}
	}
}

// rescale changes the step by a factor, which the largest step, the growth
// allowed and, for Adams's formulas, stability bound, unless it is exact.
func (m *lsoda) rescale(factor float64, exact bool) {
	if !exact {
		factor = min(factor, m.growth)
		factor /= max(1, math.Abs(m.h)*factor/m.max)
	}
	if !m.stiff {
		m.bounded = false
		reach := max(math.Abs(m.h)*m.slope, 1e-6)
		if factor*reach*1.00001 >= stable[m.order] {
			factor = min(factor, stable[m.order]/reach)
			m.bounded = true
		}
	}
	power := 1.0
	for j := 1; j <= m.order; j++ {
		power *= factor
		for i := range m.z[j] {
			m.z[j][i] *= power
		}
	}
	m.h *= factor
	m.wait = m.order + 1
}

// accept takes the correction of a step with scaled error err ≤ 1 and settles
// what the next one is like.
func (m *lsoda) accept(err float64) {
	l := m.use().l[m.order]
	for j := 0; j <= m.order; j++ {
		for i, c := range m.change {
			m.z[j][i] += l[j] * c
		}
	}
	m.count.Steps++
	m.newton.age++
	m.patience--
	if m.patience < 0 && m.switchFamily(err) {
		m.growth = growthLater
		return
	}
	m.wait--
	switch {
	case m.wait == 0:
		m.chooseOrder(err)
		m.growth = growthLater
	case m.wait == 1:
		copy(m.before, m.change)
	}
}

// reject settles order and step after the rejected-th failure of the test of errors.
func (m *lsoda) reject(err float64, rejected int) {
	if rejected < 3 {
		m.shrink(err, rejected)
		return
	}
	// The derivatives of high order are no good: once more from order 1.
	m.rescale(0.1, true)
	m.order, m.wait = 1, 5
	m.newton.age = refresh
	m.eval(m.f, m.t, m.z[0])
	for i, f := range m.f {
		m.z[1][i] = m.h * f
	}
}
