package scheme

import (
	"fmt"

	"gonum.org/v1/gonum/floats"
)

// Stationary returns the law that the step leaves as it is. It eliminates one
// site after the other (Grassmann, Taksar and Heyman 1985): no number is
// subtracted, so that every mass is right to rounding, and the band of the
// kernel is kept.
func (k *Kernel) Stationary() (*Law, error) {
	mass, err := k.stationary()
	if err != nil {
		return nil, err
	}
	return k.law(mass, nil), nil
}

// stationary returns the masses of the sites, up to a factor.
func (k *Kernel) stationary() ([]float64, error) {
	n := len(k.rows)
	down, up := 0, 0 // the farthest that a row reaches
	for i := range k.rows {
		r := &k.rows[i]
		if len(r.chance) > 0 {
			down, up = max(down, i-r.first), max(up, r.first+len(r.chance)-1-i)
		}
	}
	// Entry (i, j) is band[i*width + j-i+down].
	width := down + up + 1
	band := make([]float64, n*width)
	for i := range k.rows {
		r := &k.rows[i]
		copy(band[i*width+r.first-i+down:], r.chance)
	}
	first := 0
	for j := n - 1; j > 0; j-- {
		least := max(0, j-down)
		row := band[j*width+least-j+down : j*width+down]
		out := floats.Sum(row)
		if !(out > 0) { // what is below is left for good, or has a law of its own
			if !leads(band, width, down, j) {
				return nil, fmt.Errorf("scheme: no step of size %g leads from one side of %g to the other: there are two stationary laws; take a "+
					"smaller step size", k.step.StepSize, k.place(j))
			}
			first = j
			break
		}
		for i := max(0, j-up); i < j; i++ {
			entry := &band[i*width+j-i+down]
			if *entry == 0 {
				continue
			}
			*entry /= out
			floats.AddScaled(band[i*width+least-i+down:][:j-least], *entry, row)
		}
	}
	mass := make([]float64, n)
	mass[first] = 1
	for j := first + 1; j < n; j++ {
		for i := max(first, j-up); i < j; i++ {
			mass[j] += mass[i] * band[i*width+j-i+down]
		}
		if mass[j] > 1e200 { // keep within the range of numbers
			floats.Scale(1e-200, mass[:j+1])
		}
	}
	return mass, nil
}

// leads reports whether steps lead to site j from all those below.
func leads(band []float64, width, down, j int) bool {
	there := make([]bool, j+1)
	there[j] = true
	left := j
	for before := left + 1; left < before; {
		before = left
		for i := j - 1; i >= 0; i-- {
			for to := max(0, i-down); to < min(j+1, i-down+width) && !there[i]; to++ {
				if there[to] && band[i*width+to-i+down] > 0 {
					there[i] = true
					left--
				}
			}
		}
	}
	return left == 0
}

// place returns where site i is.
func (k *Kernel) place(i int) float64 {
	switch {
	case k.walls > 0 && i == 0:
		return k.grid.lo
	case k.walls > 0 && i == len(k.rows)-1:
		return k.grid.hi
	}
	return k.grid.x[i-k.walls]
}
