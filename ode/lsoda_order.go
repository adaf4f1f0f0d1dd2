package ode

import "math"

const (
	// patience is how many steps a family is kept at least.
	patience = 20
	// advantage is how many times longer the steps of the stiff family must be to pay for its Newton iterations.
	advantage = 5
)

// A candidate is an order, with the factor by which its step could change.
type candidate struct {
	order  int
	factor float64
}

// factor is by how much a step with the scaled error err of a formula of
// order q may change; bias > 1 keeps a distance.
func factor(err float64, q int, bias float64) float64 {
	return 1 / (bias * (math.Exp(math.Log(err)/float64(q+1)) + 1e-6))
}

// within bounds a factor by the stability of Adams's formula of order q.
func (m *lsoda) within(f float64, q int) float64 {
	if m.stiff {
		return f
	}
	return min(f, stable[q]/max(math.Abs(m.h)*m.slope, 1e-6))
}

// best chooses among the order and its neighbours; up is 0 where the order may not rise.
func (m *lsoda) best(err, up float64) candidate {
	m.slopeNow = 0
	q, use := m.order, m.use()
	same := candidate{q, m.within(factor(err, q, 1.2), q)}
	c := same
	if up > 0 {
		c = candidate{q + 1, up}
		if same.factor >= up {
			c = same
		}
	}
	if q > 1 {
		down := m.within(factor(m.norm(m.z[q])*use.down[q], q-1, 1.3), q-1)
		if down > c.factor {
			c = candidate{q - 1, down}
		}
	}
	return c
}

// chooseOrder settles the order and the step after an accepted step.
func (m *lsoda) chooseOrder(err float64) {
	q, use := m.order, m.use()
	up := 0.0
	if q < use.orders {
		for i, c := range m.change {
			m.work[i] = c - m.before[i]
		}
		up = m.within(factor(m.norm(m.work)*use.up[q], q+1, 1.4), q+1)
	}
	c := m.best(err, up)
	reach := max(math.Abs(m.h)*m.slope, 1e-6)
	bound := !m.stiff && c.order <= q && c.factor*reach*1.00001 >= stable[c.order]
	if c.factor < 1.1 && !bound {
		m.wait = 3
		return
	}
	if c.order > q {
		l := use.l[q][q] / float64(q+1)
		for i, d := range m.change {
			m.z[q+1][i] = l * d
		}
	}
	m.order = c.order
	m.rescale(c.factor, false)
}

// shrink settles the order and the step after a step with the error err > 1.
func (m *lsoda) shrink(err float64, rejected int) {
	c := m.best(err, 0)
	if c.order < m.order {
		c.factor = min(c.factor, 1)
	}
	if rejected > 1 {
		c.factor = min(c.factor, 0.2)
	}
	m.order = c.order
	m.rescale(c.factor, false)
}

// switchFamily compares the steps that the two families could take after a
// step with the error err and says whether it changed the family.
func (m *lsoda) switchFamily(err float64) bool {
	f, order, change := 0.0, m.order, false
	if m.stiff {
		f, change = m.towardsAdams(err)
	} else {
		f, order, change = m.towardsBDF(err)
	}
	if !change {
		return false
	}
	m.stiff = !m.stiff
	m.patience = patience
	m.slope, m.slopeNow = 0, 0
	m.newton.forget()
	m.order = order
	m.rescale(f, false)
	return true
}

// towardsBDF says by which factor and at which order the stiff family would
// go on, and whether that pays.
func (m *lsoda) towardsBDF(err float64) (f float64, order int, change bool) {
	q := m.order
	low := min(q, bdfOrder)
	if err <= 100*roundOff*m.norm(m.z[0]) || m.slopeNow == 0 {
		// Round-off hides the error: change only if stability bounds the step.
		return 2, low, m.bounded
	}
	c, reach := m.family[1].constant[low], math.Abs(m.h)*m.slope
	stiff := err * c / m.family[0].constant[q]
	if q > bdfOrder {
		stiff = m.norm(m.z[low+1]) * c * factorial(low+1)
	}
	// Roots are dear, and most steps far from a change: no step of the stiff
	// family that is long enough has a larger error.
	if stiff > power(max(1.2, reach/stable[q])/(1.2*advantage), low+1) {
		return 0, low, false
	}
	adams := factor(err, q, 1.2)
	limited := 2 * adams
	if reach*adams > 1e-5 {
		limited = stable[q] / reach
	}
	f = factor(stiff, low, 1.2)
	return f, low, f >= advantage*min(adams, limited)
}

// power is x^n for n ≥ 0.
func power(x float64, n int) float64 {
	p := 1.0
	for range n {
		p *= x
	}
	return p
}

// towardsAdams is the reverse; the Lipschitz constant is the Jacobian's norm.
func (m *lsoda) towardsAdams(err float64) (f float64, change bool) {
	q, reach := m.order, math.Abs(m.h)*m.newton.size
	if reach > 1.3*stable[q] { // stability would shorten the step by more than 1/1.2
		return 0, false
	}
	other := err * m.family[0].constant[q] / m.family[1].constant[q]
	f = factor(other, q, 1.2)
	limited := 2 * f
	if reach*f > 1e-5 {
		limited = stable[q] / reach
	}
	f = min(f, limited)
	if f < factor(err, q, 1.2) { // an advantage of 5 to 1 for the steps, 5 times the work
		return f, false
	}
	// Round-off must not be what the step rests on.
	other *= power(max(f, 1e-3), q+1)
	return f, other > 1000*roundOff*m.norm(m.z[0])
}
