package scheme

import (
	"fmt"
	"math"
)

// A Fit is a power law err = Constant·eta^Order, fitted by least squares to the
// logarithms.
type Fit struct {
	Order    float64   `json:"order"`
	SE       float64   `json:"se"` // standard error of Order, from the residuals
	Constant float64   `json:"constant"`
	Local    []float64 `json:"local"` // slope between each value of eta and the next
}

// Order fits the order of err in eta. It needs three or more pairs of positive
// numbers, no two neighbouring eta equal.
func Order(eta, err []float64) (Fit, error) {
	n := len(eta)
	if n < 3 || len(err) != n {
		return Fit{}, fmt.Errorf("scheme: an order needs three or more step sizes, each with its error: there are %d and %d", n, len(err))
	}
	x, y := make([]float64, n), make([]float64, n)
	var mx, my float64
	for i := range x {
		if !(eta[i] > 0 && err[i] > 0) || math.IsInf(eta[i]+err[i], 0) {
			return Fit{}, fmt.Errorf("scheme: step size %g with error %g: both must be positive and finite for an order", eta[i], err[i])
		}
		x[i], y[i] = math.Log(eta[i]), math.Log(err[i])
		mx += x[i] / float64(n)
		my += y[i] / float64(n)
	}
	var f Fit
	for i := 1; i < n; i++ {
		if eta[i] == eta[i-1] {
			return Fit{}, fmt.Errorf("scheme: step size %g is given twice", eta[i])
		}
		f.Local = append(f.Local, (y[i]-y[i-1])/(x[i]-x[i-1]))
	}
	var xx, xy, rest float64
	for i := range x {
		xx += (x[i] - mx) * (x[i] - mx)
		xy += (x[i] - mx) * (y[i] - my)
	}
	f.Order = xy / xx
	for i := range x {
		r := y[i] - my - f.Order*(x[i]-mx)
		rest += r * r
	}
	f.SE = math.Sqrt(rest / float64(n-2) / xx)
	f.Constant = math.Exp(my - f.Order*mx)
	return f, nil
}
