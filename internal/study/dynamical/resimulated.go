package dynamical

import (
	"math"
	"math/rand/v2"

	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// resimulated is U(B) = ‖Θ(X(B))B − Ẋ‖²/(2m) of the key coefficients B as the paper's text
// has it: Ẋ are the exact derivatives on the true trajectory, without noise, X(B) is
// simulated with B in every evaluation by the six-stage method of order 5 in steps of 0.01,
// and the gradient Θᵀ(Θ·B − Ẋ)/m holds X(B) fixed. A trajectory stays where it leaves the
// true one's ranges by ten times their size.
type resimulated struct {
	library   library
	start     state
	mid, room state // of the true trajectory
	rates     []state
	dim       int
}

// rows is the number of times of the data, 0 … 100 by 0.01.
const rows = 10_001

// newResimulated is that of a variant whose coefficients are the key ones.
func newResimulated(v *variant) *resimulated {
	u := &resimulated{library: v.system.library, dim: len(v.parameters), rates: make([]state, rows)}
	var at [3]float64
	copy(at[:], v.system.initial)
	u.start = state{at[0], at[1], at[2]}
	u.room = state{math.Inf(1), math.Inf(1), math.Inf(1)}
	path := make([]state, rows)
	var truth key
	copy(truth[:], v.truth)
	u.simulate(path, &truth)
	lo, hi := u.start, u.start
	for _, s := range path {
		lo = state{min(lo.x, s.x), min(lo.y, s.y), min(lo.z, s.z)}
		hi = state{max(hi.x, s.x), max(hi.y, s.y), max(hi.z, s.z)}
	}
	u.mid = state{(lo.x + hi.x) / 2, (lo.y + hi.y) / 2, (lo.z + hi.z) / 2}
	u.room = state{10.5 * (hi.x - lo.x), 10.5 * (hi.y - lo.y), 10.5 * (hi.z - lo.z)}
	for t, x := range path {
		u.rates[t] = u.library.rate(x, &truth)
	}
	return u
}

// simulate writes the trajectory of b, which holds on where it leaves for good.
func (u *resimulated) simulate(path []state, b *key) {
	x := u.start
	path[0] = x
	for t := 1; t < len(path); t++ {
		next := u.advance(x, b)
		if !u.holds(next) {
			for ; t < len(path); t++ {
				path[t] = x
			}
			return
		}
		x = next
		path[t] = x
	}
}

// holds reports whether a trajectory may go on to s.
func (u *resimulated) holds(s state) bool {
	return math.Abs(s.x-u.mid.x) <= u.room.x && math.Abs(s.y-u.mid.y) <= u.room.y && math.Abs(s.z-u.mid.z) <= u.room.z
}

// advance is one step of Butcher's method of order 5 with six stages.
func (u *resimulated) advance(s state, b *key) state {
	const h = timeStep
	rate := u.library.rate
	k1 := rate(s, b)
	k2 := rate(state{s.x + h/4*k1.x, s.y + h/4*k1.y, s.z + h/4*k1.z}, b)
	k3 := rate(state{s.x + h/8*(k1.x+k2.x), s.y + h/8*(k1.y+k2.y), s.z + h/8*(k1.z+k2.z)}, b)
	k4 := rate(state{s.x + h*(k3.x-k2.x/2), s.y + h*(k3.y-k2.y/2), s.z + h*(k3.z-k2.z/2)}, b)
	k5 := rate(state{s.x + h/16*(3*k1.x+9*k4.x), s.y + h/16*(3*k1.y+9*k4.y), s.z + h/16*(3*k1.z+9*k4.z)}, b)
	k6 := rate(state{last(s.x, k1.x, k2.x, k3.x, k4.x, k5.x), last(s.y, k1.y, k2.y, k3.y, k4.y, k5.y), last(s.z, k1.z, k2.z, k3.z, k4.z, k5.z)}, b)
	return state{
		s.x + h/90*(7*(k1.x+k6.x)+32*(k3.x+k5.x)+12*k4.x),
		s.y + h/90*(7*(k1.y+k6.y)+32*(k3.y+k5.y)+12*k4.y),
		s.z + h/90*(7*(k1.z+k6.z)+32*(k3.z+k5.z)+12*k4.z),
	}
}

// last is where the last stage looks.
func last(x, k1, k2, k3, k4, k5 float64) float64 {
	return x + timeStep/7*(-3*k1+2*k2+12*k3-12*k4+8*k5)
}

// Dim implements potential.Potential.
func (u *resimulated) Dim() int { return u.dim }

// Evaluator implements potential.Potential. It draws minibatches.
func (u *resimulated) Evaluator(r int, s *stream.Set) potential.Evaluator {
	e := &resimulating{resimulated: u, r: r, rng: &s.Of(0, stream.Batch).Rand, path: make([]state, rows), order: make([]int, rows)}
	for i := range e.order {
		e.order[i] = i
	}
	return e
}

type resimulating struct {
	*resimulated
	r     int
	rng   *rand.Rand
	path  []state
	order []int // of rows, those of the minibatch first
	swaps [batchRows]int
}

// Eval implements potential.Evaluator.
func (e *resimulating) Eval(energy, grad, x []float64) {
	for i := range e.swaps {
		j := i + e.rng.IntN(rows-i)
		e.order[i], e.order[j], e.swaps[i] = e.order[j], e.order[i], j
	}
	clear(grad)
	for i := range e.r {
		var b key
		for j := range e.dim {
			b[j] = x[j*e.r+i]
		}
		e.simulate(e.path, &b)
		sum := 0.0
		for _, t := range e.order[:batchRows] {
			rate, want := e.library.rate(e.path[t], &b), e.rates[t]
			residual := [3]float64{rate.x - want.x, rate.y - want.y, rate.z - want.z}
			for _, r := range residual {
				sum += r * r
			}
			theta := e.library.theta(e.path[t])
			for j, c := range e.library.row {
				grad[j*e.r+i] += residual[c] * theta[j] / batchRows
			}
		}
		energy[i] = sum / (2 * batchRows)
	}
	for i := batchRows - 1; i >= 0; i-- { // so that the random stream is all that is remembered
		j := e.swaps[i]
		e.order[i], e.order[j] = e.order[j], e.order[i]
	}
}
