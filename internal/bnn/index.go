package bnn

import "slices"

// mostNotes is how many sweeps an index holds before it forgets every second one.
const mostNotes = 4096

// note takes note of who holds which rung after iteration k, at one of Stride sweeps.
func (x *Index) note(k int, rung []int) {
	x.Sweeps++
	if (x.Sweeps-1)%x.Stride != 0 {
		return
	}
	if len(x.Iteration) == mostNotes {
		x.thin()
		if (x.Sweeps-1)%x.Stride != 0 {
			return
		}
	}
	x.Iteration = append(x.Iteration, k)
	x.Rung = append(x.Rung, slices.Clone(rung))
}

// thin forgets every second sweep. Checkpoints go on to hold what they held.
func (x *Index) thin() {
	x.Stride *= 2
	half := Index{Sweeps: x.Sweeps, Stride: x.Stride}
	for i := 0; i < len(x.Iteration); i += 2 {
		half.Iteration = append(half.Iteration, x.Iteration[i])
		half.Rung = append(half.Rung, x.Rung[i])
	}
	*x = half
}
