package ode

import "math"

const (
	iterations = 3  // of the corrector, at most
	refresh    = 20 // steps after which a Jacobian is old
)

// newton holds the matrix of the corrector's iterations, I - h·l_0·J. Where
// columns of variations ride along with the state, J is that of the state, and
// theirs is the same for each: it leaves out the second derivatives of f.
type newton struct {
	n      int // of the state
	matrix []float64
	pivot  []int
	gamma  float64 // h·l_0
	age    int     // steps since the Jacobian was taken
	size   float64 // the Jacobian's norm
}

// reset prepares for states of n components; it allocates if they are more than ever.
func (w *newton) reset(n int) {
	if cap(w.pivot) < n {
		w.matrix, w.pivot = make([]float64, n*n), make([]int, n)
	}
	w.n, w.matrix, w.pivot = n, w.matrix[:n*n], w.pivot[:n]
	w.forget()
}

func (w *newton) forget() { w.gamma, w.age, w.size = 0, refresh, 0 }

// correct iterates from the prediction to the solution of the formula:
// h·f(t, z_0 + l_0·c) = z_1 + c, in m.change. It says whether it got there,
// and if not, whether the Jacobian was an old one.
func (m *lsoda) correct() (done, old bool) {
	use := m.use()
	l0 := use.l[m.order][0]
	enough := 0.5 / (float64(m.order+2) * use.error[m.order])
	m.finite = true
	copy(m.y, m.z[0])
	m.eval(m.f, m.t, m.y)
	fresh := false
	if m.stiff {
		var ok bool
		if fresh, ok = m.prepare(l0); !ok {
			return false, !fresh
		}
	}
	size := m.norm(m.z[0])
	clear(m.change)
	fastest, last := 0.0, 0.0
	for k := 0; ; k++ {
		moved := m.iterate(l0)
		if !(moved <= math.MaxFloat64) || !finite(m.y) {
			m.finite = false
			return false, m.stiff && !fresh
		}
		if moved <= 100*size*roundOff {
			return true, false
		}
		if k > 0 {
			r := min(moved/last, 1024)
			fastest = max(fastest, r)
			m.rate = max(0.2*m.rate, r)
		}
		if (k > 0 || m.stiff) && moved*min(1, 1.5*m.rate) <= enough {
			m.learn(fastest / math.Abs(m.h*l0))
			return true, false
		}
		if k == iterations-1 || k > 0 && moved > 2*last {
			return false, m.stiff && !fresh
		}
		last = moved
		m.eval(m.f, m.t, m.y)
	}
}

// learn takes an estimate of the Lipschitz constant from functional iterations.
func (m *lsoda) learn(slope float64) {
	if m.stiff {
		return
	}
	m.slopeNow = max(m.slopeNow, slope)
	if m.slopeNow > 0 {
		m.slope = m.slopeNow
	}
}

// iterate makes one correction with f at m.y and returns its norm.
func (m *lsoda) iterate(l0 float64) float64 {
	for i, f := range m.f {
		m.work[i] = m.h*f - m.z[1][i] - m.change[i]
	}
	if m.stiff {
		d := m.newton.n
		m.newton.solve(m.work[:d], 1)
		if d < m.n {
			m.newton.solve(m.work[d:], m.n/d-1)
		}
	}
	for i, d := range m.work {
		m.change[i] += d
		m.y[i] = m.z[0][i] + l0*m.change[i]
	}
	return m.norm(m.work)
}

// prepare makes the matrix of Newton's iterations fit the step: anew if it is
// old or was made for a step of another length. It says whether the Jacobian is
// of this step, and whether there is a matrix.
func (m *lsoda) prepare(l0 float64) (fresh, ok bool) {
	w, gamma := &m.newton, m.h*l0
	if w.age < refresh && math.Abs(gamma/w.gamma-1) <= 0.3 {
		return false, true
	}
	m.differentiate(w.matrix)
	w.age, w.gamma, w.size = 0, gamma, m.matrixNorm(w.matrix)
	m.rate = 0.7
	m.count.Decompositions++
	return true, w.factorize()
}

// differentiate takes the Jacobian at the prediction, by differences unless
// the system gives it.
func (m *lsoda) differentiate(j []float64) {
	m.count.Jacobians++
	if m.sys.Jacobian != nil {
		m.sys.Jacobian(j, m.t, m.y)
		return
	}
	n := m.newton.n
	least := 1000 * math.Abs(m.h) * roundOff * float64(n) * m.norm(m.f)
	if least == 0 {
		least = 1
	}
	for k := range n {
		y := m.y[k]
		m.y[k] = y + max(math.Sqrt(roundOff)*math.Abs(y), least/m.weight[min(k, m.control-1)])
		d := m.y[k] - y
		m.eval(m.work, m.t, m.y)
		m.y[k] = y
		for i := range n {
			j[i*n+k] = (m.work[i] - m.f[i]) / d
		}
	}
}

// matrixNorm is the norm that belongs to the weighted maximum norm.
func (m *lsoda) matrixNorm(a []float64) float64 {
	n, largest := m.newton.n, 0.0
	weight := m.weight[:min(n, m.control)]
	for i, w := range weight {
		sum := 0.0
		for k, v := range weight {
			sum += math.Abs(a[i*n+k]) / v
		}
		largest = max(largest, sum*w)
	}
	return largest
}

// factorize replaces the Jacobian in matrix by the triangular factors of
// I - gamma·J, with exchanges of rows; false if it is singular.
func (w *newton) factorize() bool {
	n, a := w.n, w.matrix
	for i := range a {
		a[i] *= -w.gamma
	}
	for i := range n {
		a[i*n+i]++
	}
	for k := range n {
		p := k
		for i := k + 1; i < n; i++ {
			if math.Abs(a[i*n+k]) > math.Abs(a[p*n+k]) {
				p = i
			}
		}
		w.pivot[k] = p
		if v := a[p*n+k]; v == 0 || v != v {
			w.age = refresh
			return false
		}
		if p != k {
			for c := range n {
				a[p*n+c], a[k*n+c] = a[k*n+c], a[p*n+c]
			}
		}
		top := a[k*n : k*n+n]
		for i := k + 1; i < n; i++ {
			row := a[i*n : i*n+n]
			r := row[k] / top[k]
			row[k] = r
			if r != 0 {
				for c := k + 1; c < n; c++ {
					row[c] -= r * top[c]
				}
			}
		}
	}
	return true
}

// solve replaces b, n rows of a width, by the solution of the factorized system
// for each column.
func (w *newton) solve(b []float64, width int) {
	n, a := w.n, w.matrix
	row := func(i int) []float64 { return b[i*width : (i+1)*width] }
	for k, p := range w.pivot { // whole rows were exchanged, so all exchanges come first
		if p != k {
			x, y := row(k), row(p)
			for c := range x {
				x[c], y[c] = y[c], x[c]
			}
		}
	}
	for i := range n {
		for k := range i {
			subtract(row(i), a[i*n+k], row(k))
		}
	}
	for i := n - 1; i >= 0; i-- {
		x := row(i)
		for k := i + 1; k < n; k++ {
			subtract(x, a[i*n+k], row(k))
		}
		for c := range x {
			x[c] /= a[i*n+i]
		}
	}
}

// subtract takes r·y from x.
func subtract(x []float64, r float64, y []float64) {
	for c, v := range y {
		x[c] -= r * v
	}
}
