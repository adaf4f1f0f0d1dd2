package simulation

import (
	"context"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/r2sgld/r2sgld/diag"
)

// A Band is what many trajectories say of one state at each time. Of
// trajectories that ended before a time it knows nothing: it is of those that
// came so far, NaN if none did.
type Band struct {
	State                   string
	Mean, Median, Low, High []float64
	// ObservedLow and ObservedHigh are the interval of an observation: that of the
	// mixture of the noise about every trajectory. Nil: the noise is not known, or it
	// is that of logarithms and a trajectory falls below 0.
	ObservedLow, ObservedHigh []float64
	Below                     *float64 // the first of the times when one does; nil unless it bars the interval
}

// Ends are the two probabilities of the interval that holds level percent in the
// middle.
func Ends(level float64) (low, high float64) { return (1 - level/100) / 2, (1 + level/100) / 2 }

// Bands returns the band of every state with intervals that hold level percent,
// of an observation as well if noise is set and known. Its error is that of ctx.
func (r *Result) Bands(ctx context.Context, level float64, noise bool) ([]Band, error) {
	var sd [][]float64
	if noise {
		sd = r.Noise()
	}
	out := make([]Band, len(r.Model.States))
	for i, name := range r.Model.States {
		var err error
		if out[i], err = r.band(ctx, i, level, sd); err != nil {
			return nil, err
		}
		out[i].State = name
	}
	return out, nil
}

// Noise returns the standard deviations of the noise of each draw, by state; nil if
// they are not known.
func (r *Result) Noise() [][]float64 {
	if r.Model.Noise == nil {
		return nil
	}
	out := make([][]float64, len(r.Draws))
	for k, x := range r.Draws {
		out[k] = make([]float64, len(r.Model.States))
		r.Model.Noise(out[k], x)
	}
	return out
}

func (r *Result) band(ctx context.Context, i int, level float64, noise [][]float64) (Band, error) {
	d, n := len(r.Model.States), len(r.Times)
	b := Band{Mean: make([]float64, n), Median: make([]float64, n), Low: make([]float64, n), High: make([]float64, n)}
	if noise != nil && noise[0][i] == noise[0][i] {
		if r.Model.LogNormal {
			b.Below = r.below(i)
		}
		if b.Below == nil {
			b.ObservedLow, b.ObservedHigh = make([]float64, n), make([]float64, n)
		}
	}
	low, high := Ends(level)
	at, sd := make([]float64, 0, len(r.Paths)), make([]float64, 0, len(r.Paths))
	for k := range r.Times {
		if err := ctx.Err(); err != nil {
			return Band{}, err
		}
		at, sd = at[:0], sd[:0]
		for draw, path := range r.Paths {
			if v := path[k*d+i]; v-v == 0 {
				at = append(at, v)
				if b.ObservedLow != nil {
					sd = append(sd, noise[draw][i])
				}
			}
		}
		b.set(k, at, sd, low, high, r.Model.LogNormal)
	}
	return b, nil
}

// below returns the first of the times when a trajectory of state i is below 0 by
// more than errors of the solver make it; nil if none ever is.
func (r *Result) below(i int) *float64 {
	d, first := len(r.Model.States), len(r.Times)
	for _, path := range r.Paths {
		most := 0.0
		for k := i; k < len(path); k += d {
			if v := math.Abs(path[k]); v > most {
				most = v
			}
		}
		for k := range first {
			if path[k*d+i] < -1e-6*most {
				first = k
				break
			}
		}
	}
	if first == len(r.Times) {
		return nil
	}
	return &r.Times[first]
}

// set fills in what values say at time k.
func (b *Band) set(k int, at, sd []float64, low, high float64, logNormal bool) {
	if len(at) == 0 {
		for _, v := range [][]float64{b.Mean, b.Median, b.Low, b.High, b.ObservedLow, b.ObservedHigh} {
			if v != nil {
				v[k] = math.NaN()
			}
		}
		return
	}
	if len(at) == 1 {
		b.Mean[k], b.Median[k], b.Low[k], b.High[k] = at[0], at[0], at[0], at[0]
	} else {
		q := diag.Quantiles(at, low, 0.5, high)
		b.Mean[k], b.Low[k], b.Median[k], b.High[k] = diag.Mean(at), q[0], q[1], q[2]
	}
	if b.ObservedLow == nil {
		return
	}
	if !logNormal {
		b.ObservedLow[k], b.ObservedHigh[k] = mixture(at, sd, low), mixture(at, sd, high)
		return
	}
	logs := make([]float64, len(at))
	for i, v := range at {
		logs[i] = math.Log(math.Max(v, math.SmallestNonzeroFloat64)) // what falls below that is 0
	}
	b.ObservedLow[k], b.ObservedHigh[k] = math.Exp(mixture(logs, sd, low)), math.Exp(mixture(logs, sd, high))
}

// mixture is the quantile p of the mixture, with equal weights, of normal laws.
func mixture(mean, sd []float64, p float64) float64 {
	z := distuv.UnitNormal.Quantile(p)
	lo, hi := math.Inf(1), math.Inf(-1) // at lo every law has at most p below, at hi at least
	for i, m := range mean {
		lo, hi = math.Min(lo, m+z*sd[i]), math.Max(hi, m+z*sd[i])
	}
	n := float64(len(mean))
	x, before := (lo+hi)/2, math.Inf(1)
	for range 200 {
		below, density := 0.0, 0.0
		for i, m := range mean {
			u := (x - m) / sd[i]
			below += math.Erfc(-u / math.Sqrt2)
			density += math.Exp(-u*u/2) / sd[i]
		}
		gap := below/(2*n) - p
		if gap > 0 {
			hi = x
		} else {
			lo = x
		}
		was := x
		x -= gap * n * math.Sqrt(2*math.Pi) / density
		if !(x > lo && x < hi) || math.Abs(gap) > before/2 { // Newton's step leads nowhere
			x = (lo + hi) / 2
		}
		before = math.Abs(gap)
		if math.Abs(x-was) <= 1e-12*math.Max(math.Abs(x), 1e-3*(hi-lo)) || hi-lo <= 1e-14*math.Abs(x) {
			break
		}
	}
	return x
}

// Left is how many trajectories have come to each time.
func (r *Result) Left() []float64 {
	d := len(r.Model.States)
	out := make([]float64, len(r.Times))
	for k := range out {
		for _, path := range r.Paths {
			if v := path[k*d]; v == v {
				out[k]++
			}
		}
	}
	return out
}

// An Interval is a number over many trajectories: its median and an interval.
type Interval struct {
	Median float64 `json:"median"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
}

// interval of values; NaN without any.
func interval(v []float64, level float64) Interval {
	if len(v) == 0 {
		return Interval{math.NaN(), math.NaN(), math.NaN()}
	}
	low, high := Ends(level)
	q := diag.Quantiles(v, low, 0.5, high)
	return Interval{q[1], q[0], q[2]}
}
