package diag

import "math"

// A Summary is what is known of one parameter. What is not known is NaN.
type Summary struct {
	Name                   string
	Mean, SD               float64
	Mode                   float64 // the peak of Density, within the bounds; NaN if another may be as high
	Q5, Q25, Q50, Q75, Q95 float64 // quantiles
	MCSEMean, MCSESd       float64 // standard errors of Mean and SD from finite draws
	ESSBulk, ESSTail       float64
	RHat, NestedRHat       float64 // the nested one of many ladders alone
	Density                Density // with the bandwidth of [SheatherJones], at 512 places
	Tail                   Tail    // the heavier one
}

// shown is the number of places of a density in a Summary.
const shown = 512

// Summarize sums up one parameter: one slice of draws per ladder, of equal
// length. lo and hi bound the parameter for Mode, ∓Inf where there is no bound.
// Draws that do not vary have a mean, quantiles and a mode, but no R̂ and no
// effective sample size.
func Summarize(name string, chains [][]float64, lo, hi float64) Summary {
	nan := math.NaN()
	s := Summary{Name: name, Mean: nan, SD: nan, Mode: nan, Q5: nan, Q25: nan, Q50: nan, Q75: nan, Q95: nan,
		MCSEMean: nan, MCSESd: nan, ESSBulk: nan, ESSTail: nan, RHat: nan, NestedRHat: nan, Tail: Tail{nan, nan}}
	d := gather(chains)
	if d == nil {
		return s
	}
	s.Mean, s.SD = Mean(d.x), SD(d.x)
	s.Q5, s.Q25, s.Q50 = d.quantile(0.05), d.quantile(0.25), d.quantile(0.5)
	s.Q75, s.Q95 = d.quantile(0.75), d.quantile(0.95)
	sorted := d.increasing()
	h := sheatherJones(sorted, bandwidth(s.SD, s.Q75-s.Q25, d.x[0], len(d.x)), lo, hi)
	s.Density = KDEWith(d.x, lo, hi, h, shown)
	s.Mode = peak(chains, sorted, s.SD, h, lo, hi)
	s.MCSEMean, s.MCSESd = s.SD/math.Sqrt(d.essMean()), d.mcseSd()
	s.ESSBulk, s.ESSTail, s.RHat, s.NestedRHat = d.essBulk(), d.essTail(), d.rhat(), d.nestedRHat()
	s.Tail = d.tail(math.Min(s.ESSBulk, s.ESSTail))
	return s
}
