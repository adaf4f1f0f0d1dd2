package monotone

import (
	"math"

	"github.com/r2sgld/r2sgld/diag"
)

// What is measured.
const (
	near  = 0.01 // of the wall, in standard deviations of the prior
	level = 0.9  // of intervals
	bins  = 20   // of width near
)

// rays are the percentages along which responses are drawn.
func rays() []int { return []int{100, 50, 17} }

// rayDoses are those at which they are.
func rayDoses() []float64 {
	const n = 30
	out := make([]float64, n)
	for i := range out {
		out[i] = least / 2 * math.Pow(512, float64(i)/(n-1)) // to twice the largest dose
	}
	return out
}

// marks are what is thought of the draws of a method in a repetition.
type marks struct {
	Density float64 `json:"log_density"`       // of held-out growth, mean over rows
	RMSE    float64 `json:"rmse"`              // of its mean
	Covered float64 `json:"coverage"`          // share of held-out rows within intervals
	Rising  float64 `json:"rising"`            // share of doses of the design and draws at which the response rises
	Somehow float64 `json:"rising_draws"`      // share of draws with such a dose
	Near    float64 `json:"near_wall"`         // share of weights within near of 0
	Wall    float64 `json:"at_wall"`           // share of weights that are 0
	RHat    float64 `json:"rhat"`              // largest of log density and responses at the design
	ESS     float64 `json:"ess"`               // least of them
	Fit     float64 `json:"posterior_density"` // mean of the log density of draws under normal priors, up to a constant
}

// An outcome is marks and what figures need.
type outcome struct {
	Marks  marks
	Shares []float64 // of weights by their distance from 0, in bins of width near
	Rays   [][3][]float64
}

// judge measures the draws of ladders, as parameters.
func (e effort) judge(s *split, chains [][][]float64, k int) outcome {
	f := newForecast(s, chains)
	var out outcome
	m := &out.Marks
	m.Density, m.RMSE, m.Covered = f.heldOut()
	m.Rising, m.Somehow = f.rising()
	m.RHat, m.ESS, m.Fit = f.mixing()
	out.Shares = make([]float64, bins)
	at := 0
	from, end := s.form.walls()
	for _, x := range f.draws {
		for _, v := range x[from:end] {
			v = math.Abs(v)
			if v == 0 {
				at++
			}
			if i := int(v / near); v < bins*near {
				out.Shares[i]++
			}
		}
	}
	n := float64(len(f.draws) * (end - from))
	for i := range out.Shares {
		out.Shares[i] /= n
	}
	m.Near, m.Wall = out.Shares[0], float64(at)/n
	if k == 0 {
		out.Rays = f.along()
	}
	return out
}

// A forecast is the responses of all draws at all doses of the design.
type forecast struct {
	*split
	draws  [][]float64
	chains [][][]float64
	at     [][2]float64 // the design, in the units of the split
	f      [][]float64  // by dose and draw
	sigma  []float64    // by draw
}

func newForecast(s *split, chains [][][]float64) *forecast {
	f := &forecast{split: s, chains: chains}
	for _, c := range chains {
		f.draws = append(f.draws, c...)
	}
	for _, x := range f.draws {
		f.sigma = append(f.sigma, noise(x))
	}
	for _, a := range s.form.design() {
		z := s.standard(a)
		v := make([]float64, len(f.draws))
		for i, x := range f.draws {
			v[i] = response(x, z)
		}
		f.at, f.f = append(f.at, z), append(f.f, v)
	}
	return f
}

// heldOut are the mean log predictive density of the test rows, per unit of growth, the root mean square
// error of predictive means, in units of growth, and the share within intervals.
func (f *forecast) heldOut() (density, rmse, covered float64) {
	n := float64(len(f.test))
	for _, p := range f.test {
		v := f.f[f.place(p.z)]
		d, below, mean := predictive(p.y, v, f.sigma)
		density += (d - math.Log(f.sd)) / n
		rmse += (p.y - mean) * (p.y - mean) / n
		if tail := (1 - level) / 2; below >= tail && below <= 1-tail {
			covered++
		}
	}
	return density, math.Sqrt(rmse) * f.sd, covered / n
}

// predictive are the log density of y in the mixture of normal laws, the probability below it,
// and the mean.
func predictive(y float64, mean, sd []float64) (density, below, centre float64) {
	n := float64(len(mean))
	top := math.Inf(-1)
	logs := make([]float64, len(mean))
	for i, m := range mean {
		r := (y - m) / sd[i]
		logs[i] = -r*r/2 - math.Log(sd[i]*math.Sqrt(2*math.Pi))
		top = max(top, logs[i])
		below += math.Erfc(-r/math.Sqrt2) / 2 / n
		centre += m / n
	}
	sum := 0.0
	for _, l := range logs {
		sum += math.Exp(l - top)
	}
	return top + math.Log(sum/n), below, centre
}

// place is where in the design the inputs of a row are.
func (f *forecast) place(z [2]float64) int {
	for i, a := range f.at {
		if a == z {
			return i
		}
	}
	panic("a row is not of the design")
}

// rising are the share of doses of the design and draws at which the response rises
// with a dose that it is to fall with, and the share of draws in which it does somewhere.
func (f *forecast) rising() (share, draws float64) {
	all, some := 0, 0
	for _, x := range f.draws {
		rises := 0
		for _, z := range f.at {
			d := slope(x, z)
			for _, d := range d[:f.form.doses()] {
				if d > 0 {
					rises++
				}
			}
		}
		if all += rises; rises > 0 {
			some++
		}
	}
	n := float64(len(f.draws))
	return float64(all) / (n * float64(f.form.doses()*len(f.at))), float64(some) / n
}

// mixing are the largest R̂ and the least effective sample size of the log density and of the
// responses at the design, and the mean of the former.
func (f *forecast) mixing() (rhat, ess, fit float64) {
	ess = math.Inf(1)
	see := func(of func(i int) float64) {
		all := make([][]float64, len(f.chains))
		i := 0
		for c, chain := range f.chains {
			for range chain {
				all[c] = append(all[c], of(i))
				i++
			}
		}
		rhat, ess = max(rhat, diag.RHat(all)), min(ess, diag.ESSBulk(all))
	}
	grad, fitted := make([]float64, dim), newFit(f.train)
	density := make([]float64, len(f.draws))
	for i, x := range f.draws {
		density[i] = -fitted.misfit(grad, x) - deep(grad, x)
	}
	see(func(i int) float64 { return density[i] })
	for _, v := range f.f {
		see(func(i int) float64 { return v[i] })
	}
	return rhat, ess, diag.Mean(density)
}

// along are mean and ends of the interval of the response along the rays, in units of growth.
func (f *forecast) along() (out [][3][]float64) {
	for _, pct := range rays() {
		var ray [3][]float64
		for _, dose := range rayDoses() {
			z := f.standard(f.form.inputs(dose, pct))
			v := make([]float64, len(f.draws))
			for i, x := range f.draws {
				v[i] = f.sd * response(x, z)
			}
			ends := diag.Quantiles(v, (1-level)/2, (1+level)/2)
			for i, y := range []float64{diag.Mean(v), ends[0], ends[1]} {
				ray[i] = append(ray[i], y)
			}
		}
		out = append(out, ray)
	}
	return out
}
