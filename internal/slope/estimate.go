// Package slope has slopes of noisy values at uneven times as linear functions of them, how
// such functions hang together, and how much noise the values have.
package slope

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// An Estimate is the derivative of one state at some of its values.
type Estimate struct {
	First int // value i is the derivative at value First+i of the state
	Value []float64
	Made  []Stencil
}

// Central are the slopes of the chords over both gaps at the interior values.
func Central(times, v []float64) *Estimate {
	e := &Estimate{First: 1}
	for t := 1; t < len(v)-1; t++ {
		gap := times[t+1] - times[t-1]
		e.Value = append(e.Value, (v[t+1]-v[t-1])/gap)
		e.Made = append(e.Made, Stencil{t - 1, []float64{-1 / gap, 0, 1 / gap}, t})
	}
	return e
}

// SavitzkyGolay are the slopes of least-squares polynomials through the windows centred on
// values, which must leave one at least. An error is of the window about value at.
func SavitzkyGolay(times, v []float64, window, order int) (e *Estimate, at int, err error) {
	half := window / 2
	e = &Estimate{First: half}
	for t := half; t < len(v)-half; t++ {
		from := t - half
		weight := make([]float64, window)
		if err := slopeWeights(weight, times[from:from+window], times[t], order); err != nil {
			return nil, t, err
		}
		slope := 0.0
		for k, w := range weight {
			slope += w * (v[from+k] - v[t])
		}
		e.Value, e.Made = append(e.Value, slope), append(e.Made, Stencil{from, weight, t})
	}
	return e, 0, nil
}

// slopeWeights writes the weights of the values at the given times in the slope
// at time at of their least-squares polynomial.
func slopeWeights(weight, times []float64, at float64, order int) error {
	unit := 0.0
	for _, t := range times {
		unit = math.Max(unit, math.Abs(t-at))
	}
	if order == len(times)-1 && interpolated(weight, times, at, unit) {
		return nil
	}
	a := mat.NewDense(len(times), order+1, nil)
	for i, t := range times {
		power := 1.0
		for k := range order + 1 {
			a.Set(i, k, power)
			power *= (t - at) / unit
		}
	}
	var qr mat.QR
	qr.Factorize(a)
	if qr.Cond() > 1e12 {
		return errors.New("a polynomial of this order is not determined by its window")
	}
	// The slope is e₁ᵀ R⁻¹ Qᵀ f: solve Aᵀ w = e₁ with the smallest w.
	e := mat.NewVecDense(order+1, nil)
	e.SetVec(1, 1)
	var w mat.VecDense
	if err := qr.SolveVecTo(&w, true, e); err != nil {
		return err
	}
	for i := range weight {
		weight[i] = w.AtVec(i) / unit
	}
	return nil
}

// interpolated is slopeWeights for the polynomial through all values, at one of the
// times; false where these are too near each other for products of their differences.
func interpolated(weight, times []float64, at, unit float64) bool {
	m := slices.Index(times, at)
	if m < 0 {
		return false
	}
	weight[m] = 0
	for j, t := range times {
		if j > 0 && t-times[j-1] < 0.1*unit {
			return false
		}
		if j == m {
			continue
		}
		weight[j] = 1 / (t - at)
		for k, u := range times {
			if k != j && k != m {
				weight[j] *= (at - u) / (t - u)
			}
		}
		weight[m] -= 1 / (t - at)
	}
	return true
}
