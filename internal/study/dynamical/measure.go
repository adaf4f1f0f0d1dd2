package dynamical

import (
	"errors"
	"math"

	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/dynamics"
	"github.com/r2sgld/r2sgld/internal/simulation"
	"github.com/r2sgld/r2sgld/ode"
)

// A score is what a run is judged by. Slices follow the quantities of the variant.
type score struct {
	Mode, Mean, SD []float64
	Peaks          []int     // of the density estimates, of the key coefficients
	ESS            []float64 // bulk, of the key coefficients
	Error          float64   // of the modes of the key coefficients: root mean square of their relative errors
	ErrorAll       float64   // root mean square of the errors of all modes
	Around         float64   // root mean square of the relative distances of the draws from the truth, key coefficients
	Off            float64   // distance from the exact law, see ruler.distance
	Parting        float64   // when the trajectory of the modes leaves the true one by 1 unit; the last time if never
	Apart          [2]float64
	Swaps          float64
	Outside        [2][2]int // iterations of a rung outside the domain: by rung; burn-in and later
	Hits           int64     // reflections
	Fallbacks      int64
	Seconds        float64
	Sum            [32]byte // of the cold draws
	Ended          int      // the iteration at which the energy was no longer finite; 0: never
}

// A ruler measures runs of a variant.
type ruler struct {
	v        *variant
	exact    *dynamics.Problem // over all data
	mean, sd []float64         // exact, of the quantities
	walls    []float64         // their distances, see distances
	system   *dynamics.System
	times    []float64
	true     []float64 // the true trajectory, by rows
	spread   []float64 // standard deviation of each of its states
}

// How finely trajectories are followed and told.
const (
	timeStep  = 0.01
	tolerance = 1e-10
	apartBy   = 1.0
	farthest  = 10.0 // of distances in standard deviations: where a trajectory ended
)

func newRuler(v *variant, exact *dynamics.Problem) (*ruler, error) {
	r := &ruler{v: v, exact: exact}
	r.law()
	walls, err := v.bounds()
	if err != nil {
		return nil, err
	}
	r.walls = r.distances(walls)
	if r.system, err = exact.System(); err != nil {
		return nil, err
	}
	for k := 0; float64(k)*timeStep <= v.system.end+timeStep/2; k++ {
		r.times = append(r.times, float64(k)*timeStep)
	}
	if r.true, err = r.follow(v.truth); err != nil {
		return nil, err
	}
	n := len(v.system.states)
	for i := range n {
		var one []float64
		for k := i; k < len(r.true); k += n {
			one = append(one, r.true[k])
		}
		r.spread = append(r.spread, diag.SD(one))
	}
	return r, nil
}

// law computes mean and standard deviation of the quantities.
func (r *ruler) law() {
	for _, q := range r.v.quantities {
		mean, variance := 0.0, 0.0
		for j := range r.v.parameters {
			mean += q.weight[j] * r.exact.Center[j]
		}
		for k := range r.v.parameters {
			along := 0.0
			for j := range r.v.parameters {
				along += q.weight[j] * r.exact.Factor[j][k]
			}
			variance += along * along
		}
		r.mean, r.sd = append(r.mean, mean), append(r.sd, math.Sqrt(variance))
	}
}

// follow returns the trajectory of parameters x from the initial state of the
// data; NaN after it has ended.
func (r *ruler) follow(x []float64) ([]float64, error) {
	n := len(r.v.system.states)
	s, err := ode.NewSolver(n, ode.Options{Method: ode.DOP853, RTol: tolerance, ATol: []float64{tolerance}, Steps: 200_000})
	if err != nil {
		return nil, err
	}
	out := make([]float64, n*len(r.times))
	var blown *ode.BlowUp
	if err := s.Solve(r.system.At(x), 0, r.v.system.initial, r.times, out); err != nil && !errors.As(err, &blown) {
		return nil, err
	}
	return out, nil
}

// chains are the draws of each quantity, of a run whose draws are rows of x.
func (r *ruler) chains(x []float64) [][]float64 {
	d := len(r.v.parameters)
	out := make([][]float64, len(r.v.quantities))
	for k, q := range r.v.quantities {
		out[k] = make([]float64, len(x)/d)
		for i := range out[k] {
			out[k][i] = q.of(x[i*d : (i+1)*d])
		}
	}
	return out
}

// measure judges the cold draws of a run.
func (r *ruler) measure(x []float64) score {
	var s score
	inf := math.Inf(1)
	chains := r.chains(x)
	for _, c := range chains {
		s.Mode = append(s.Mode, diag.Mode(c, -inf, inf))
		s.Mean, s.SD = append(s.Mean, diag.Mean(c)), append(s.SD, diag.SD(c))
	}
	for _, k := range r.v.key {
		s.Peaks = append(s.Peaks, peaks(chains[k]))
		s.ESS = append(s.ESS, diag.ESSBulk([][]float64{chains[k]}))
		e := s.Mode[k]/r.v.quantities[k].truth - 1
		s.Error += e * e / float64(len(r.v.key))
		truth := r.v.quantities[k].truth
		a, b := (s.Mean[k]-truth)/truth, s.SD[k]/truth
		s.Around += (a*a + b*b) / float64(len(r.v.key))
	}
	s.Error, s.Around = math.Sqrt(s.Error), math.Sqrt(s.Around)
	for j := range r.v.parameters {
		e := s.Mode[j] - r.v.truth[j]
		s.ErrorAll += e * e / float64(len(r.v.parameters))
	}
	s.ErrorAll = math.Sqrt(s.ErrorAll)
	s.Off = r.distance(s.Mean, s.SD)
	r.simulate(&s)
	return s
}

// distance is how far means and standard deviations are from the exact ones: for
// each key coefficient the Wasserstein distance of order 2 of normal laws, in
// exact standard deviations; the root of their mean square.
func (r *ruler) distance(mean, sd []float64) float64 {
	sum := 0.0
	for _, k := range r.v.key {
		a, b := (mean[k]-r.mean[k])/r.sd[k], sd[k]/r.sd[k]-1
		sum += (a*a + b*b) / float64(len(r.v.key))
	}
	return math.Sqrt(sum)
}

// simulate follows the trajectory of the modes and sees how it leaves the true
// one.
func (r *ruler) simulate(s *score) {
	d := len(r.v.parameters)
	path, err := r.follow(s.Mode[:d])
	if err != nil {
		s.Parting, s.Apart = 0, [2]float64{farthest, farthest}
		return
	}
	var ok bool
	if s.Parting, ok = simulation.Parting(r.times, path, r.true, apartBy); !ok {
		s.Parting = r.times[len(r.times)-1]
	}
	n := len(r.v.system.states)
	middle := len(r.times) / 2
	for part, span := range [2][2]int{{0, middle + 1}, {middle, len(r.times)}} {
		sum := 0.0
		for k := span[0]; k < span[1]; k++ {
			for i := range n {
				e := (path[k*n+i] - r.true[k*n+i]) / r.spread[i]
				sum += e * e
			}
		}
		s.Apart[part] = math.Sqrt(sum / float64((span[1]-span[0])*n))
		if !(s.Apart[part] < farthest) {
			s.Apart[part] = farthest
		}
	}
}

// What counts as a peak: a local maximum of the kernel density estimate with
// Silverman's bandwidth that rises above the deepest saddle towards a higher one by
// at least this share of the highest density.
const prominent = 0.1

// peaks counts the peaks of the density of draws.
func peaks(x []float64) int { return prominentPeaks(density(x).F, prominent) }

// density is the estimate that modes and peaks are of.
func density(x []float64) diag.Density {
	return diag.KDE(x, math.Inf(-1), math.Inf(1), 513)
}

// prominentPeaks counts the maxima of f whose prominence is at least a share of the
// largest value. A plateau is one maximum.
func prominentPeaks(f []float64, share float64) int {
	top := 0.0
	for _, v := range f {
		top = max(top, v)
	}
	n := 0
	for i, v := range f {
		if i > 0 && f[i-1] >= v || v == 0 {
			continue // not the first of a rise
		}
		j := i
		for j+1 < len(f) && f[j+1] == v {
			j++
		}
		if j+1 < len(f) && f[j+1] > v {
			continue
		}
		saddle := 0.0
		if left, ok := saddleTo(f[:i], v, true); ok {
			saddle = max(saddle, left)
		}
		if right, ok := saddleTo(f[j+1:], v, false); ok {
			saddle = max(saddle, right)
		}
		if v-saddle >= share*top {
			n++
		}
	}
	return n
}

// saddleTo is the lowest value on the way to the next one that is higher than v (or
// as high, to the left), and whether there is one.
func saddleTo(f []float64, v float64, left bool) (float64, bool) {
	lowest := v
	for k := range f {
		w := f[k]
		if left {
			w = f[len(f)-1-k]
		}
		if w > v || left && w == v {
			return lowest, true
		}
		lowest = min(lowest, w)
	}
	return 0, false
}
