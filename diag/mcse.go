package diag

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// MCSEMean returns the Monte Carlo standard error of the mean, sd/√ESSMean.
func MCSEMean(chains [][]float64) float64 { return of(chains, (*draws).mcseMean) }

// MCSESd returns the Monte Carlo standard error of the standard deviation, by
// the delta method on E(x - mean)² without assuming a normal law.
func MCSESd(chains [][]float64) float64 { return of(chains, (*draws).mcseSd) }

// MCSEQuantile returns the Monte Carlo standard error of the p quantile: half
// the distance between the order statistics at the 16 % and 84 % points of the
// beta law of the quantile's level.
func MCSEQuantile(chains [][]float64, p float64) float64 {
	return of(chains, func(d *draws) float64 { return d.mcseQuantile(p) })
}

func (d *draws) mcseMean() float64 { return SD(d.x) / math.Sqrt(d.essMean()) }

func (d *draws) mcseSd() float64 {
	m := Mean(d.x)
	square := func(v float64) float64 { return (v - m) * (v - m) }
	ess := d.ess(d.halve(square))
	squares := make([]float64, len(d.x))
	for i, v := range d.x {
		squares[i] = square(v)
	}
	second := Mean(squares)
	var spread float64 // of the squares; E s² - (E s)² would cancel
	for _, s := range squares {
		spread += (s - second) * (s - second)
	}
	return math.Sqrt(spread / float64(len(d.x)) / ess / second / 4)
}

func (d *draws) mcseQuantile(p float64) float64 {
	ess := d.essQuantile(p)
	if math.IsNaN(ess) {
		return ess
	}
	s, size := d.order(), float64(len(d.x))
	a, b := ess*p+1, ess*(1-p)+1
	low := math.Max(math.Floor(mathext.InvRegIncBeta(a, b, 0.1586553)*size), 1)
	high := math.Min(math.Ceil(mathext.InvRegIncBeta(a, b, 0.8413447)*size), size)
	return (s[int(high)-1].v - s[int(low)-1].v) / 2
}
