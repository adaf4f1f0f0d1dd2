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
	copy(u.start[:], v.system.initial)
	for i := range u.room {
		u.room[i] = math.Inf(1)
	}
	path := make([]state, rows)
	var truth key
	copy(truth[:], v.truth)
	u.simulate(path, truth)
	for i := range u.room {
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, x := range path {
			lo, hi = min(lo, x[i]), max(hi, x[i])
		}
		u.mid[i], u.room[i] = (lo+hi)/2, 10.5*(hi-lo)
	}
	for t, x := range path {
		u.rates[t] = u.library.rate(x, truth)
	}
	return u
}

// simulate writes the trajectory of b, which holds on where it leaves for good.
func (u *resimulated) simulate(path []state, b key) {
	x := u.start
	path[0] = x
	for t := 1; t < len(path); t++ {
		next := u.advance(x, b)
		for i, v := range next {
			if !(math.Abs(v-u.mid[i]) <= u.room[i]) {
				for ; t < len(path); t++ {
					path[t] = x
				}
				return
			}
		}
		x = next
		path[t] = x
	}
}

// advance is one step of Butcher's method of order 5 with six stages.
func (u *resimulated) advance(x state, b key) state {
	const h = timeStep
	rate := u.library.rate
	k1 := rate(x, b)
	k2 := rate(state{x[0] + h/4*k1[0], x[1] + h/4*k1[1], x[2] + h/4*k1[2]}, b)
	k3 := rate(state{x[0] + h/8*(k1[0]+k2[0]), x[1] + h/8*(k1[1]+k2[1]), x[2] + h/8*(k1[2]+k2[2])}, b)
	k4 := rate(state{x[0] + h*(k3[0]-k2[0]/2), x[1] + h*(k3[1]-k2[1]/2), x[2] + h*(k3[2]-k2[2]/2)}, b)
	var y state
	for i := range y {
		y[i] = x[i] + h/16*(3*k1[i]+9*k4[i])
	}
	k5 := rate(y, b)
	for i := range y {
		y[i] = x[i] + h/7*(-3*k1[i]+2*k2[i]+12*k3[i]-12*k4[i]+8*k5[i])
	}
	k6 := rate(y, b)
	for i := range y {
		y[i] = x[i] + h/90*(7*(k1[i]+k6[i])+32*(k3[i]+k5[i])+12*k4[i])
	}
	return y
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
		e.simulate(e.path, b)
		sum := 0.0
		for _, t := range e.order[:batchRows] {
			residual := e.library.rate(e.path[t], b)
			for c := range residual {
				residual[c] -= e.rates[t][c]
				sum += residual[c] * residual[c]
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
