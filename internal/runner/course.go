package runner

import (
	"context"
	"fmt"
	"math"

	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/internal/figure"
	"github.com/r2sgld/r2sgld/internal/report"
	"github.com/r2sgld/r2sgld/internal/simulation"
	"github.com/r2sgld/r2sgld/internal/text"
)

// Curves of a trajectory have knotsPerRow points from row to row, but at least
// leastKnots and at most mostKnots in all.
const (
	knotsPerRow = 10
	leastKnots  = 300
	mostKnots   = 2000
)

// some returns at most bandDraws of the draws x, n × d, evenly spread.
func some(x []float64, d int) [][]float64 {
	n := len(x) / d
	used := min(n, bandDraws)
	out := make([][]float64, used)
	for i := range out {
		k := i * n / used
		out[i] = x[k*d : (k+1)*d]
	}
	return out
}

// courses are the data of a trajectory and what draws x, n × d, say of it, between
// the rows as well: the median, the band of trajectories and that of observations.
func (j *Job) courses(ctx context.Context, x []float64) (*figure.Courses, error) {
	m := j.Model
	model, err := simulation.Of(m)
	if err != nil {
		return nil, err
	}
	from, to := m.InitialTime(), m.Time[len(m.Time)-1]
	knots := max(leastKnots, min(knotsPerRow*len(m.Time), mostKnots))
	o := simulation.Options{From: from, Times: simulation.Grid(from, to, knots+1), Solver: m.Likelihood.Solver(), Threads: j.Settings.Threads}
	r, err := simulation.Run(ctx, model, some(x, len(m.Parameters)), o)
	if err != nil {
		return nil, err
	}
	bands, err := r.Bands(ctx, level, true)
	if err != nil {
		return nil, err
	}
	q := &figure.Courses{TimeAxis: figure.Axis{Name: j.Time}, Time: o.Times, Level: level, End: math.NaN(), Name: "median",
		Caption: text.Counted(len(m.Time), "row")}
	q.Time = q.Time[:reached(bands)]
	byState := map[string]simulation.Band{}
	for _, b := range bands {
		byState[b.State] = b
	}
	for _, r := range m.Responses[:min(len(m.Responses), figure.MostPanels)] {
		b := byState[r.State]
		n := len(q.Time)
		c := figure.Course{Axis: figure.Axis{Name: r.Label}, Middle: b.Median[:n], Low: b.Low[:n], High: b.High[:n],
			DataTime: r.Time, Data: r.Observed}
		// log-normal noise may be so wide that it has no numbers
		if b.ObservedLow != nil && finite(b.ObservedLow[:n]) && finite(b.ObservedHigh[:n]) {
			c.ObservedLow, c.ObservedHigh = b.ObservedLow[:n], b.ObservedHigh[:n]
		}
		q.States = append(q.States, c)
	}
	return q, nil
}

// reached is how many of the times any trajectory comes to.
func reached(bands []simulation.Band) int {
	n := len(bands[0].Median)
	for _, b := range bands {
		for n > 0 && !finite(b.Median[n-1:n]) {
			n--
		}
	}
	return n
}

// deviations are the data and the middle of the fit of a trajectory in units of
// the noise, of their logarithms if its noise is log-normal: their differences are
// standard normal if the model holds. fit is that of responses.
func (j *Job) deviations(fit []figure.Response, x []float64) []figure.Response {
	m := j.Model
	states := m.States()
	noise := make([][]float64, len(states)) // by state and draw
	sd, logNormal := make([]float64, len(states)), false
	for _, draw := range some(x, len(m.Parameters)) {
		logNormal = m.Likelihood.ObservationNoise(sd, draw)
		for i, v := range sd {
			noise[i] = append(noise[i], v)
		}
	}
	scale := map[string]float64{}
	for i, v := range noise {
		scale[states[i]] = diag.Quantiles(v, 0.5)[0]
	}
	out := make([]figure.Response, len(fit))
	for c, r := range fit {
		s := scale[m.Responses[c].State]
		unit := func(v []float64) []float64 {
			u := make([]float64, len(v))
			for t, y := range v {
				if logNormal {
					y = math.Log(y)
				}
				u[t] = y / s
			}
			return u
		}
		name := r.Axis.Name
		if logNormal {
			name = fmt.Sprintf("log %s", name)
		}
		out[c] = figure.Response{Axis: figure.Axis{Name: name + " / noise"}, Time: r.Time, Observed: unit(r.Observed),
			Fitted: unit(r.Fitted), SD: 1, Of: r.Of}
	}
	return out
}

// fit draws data and model.
func (j *Job) fit(ctx context.Context, x []float64, ps []report.Parameter) (*figure.Figure, error) {
	if !j.Model.Trajectory() {
		return figure.Fit(j.responses(x, ps), figure.Axis{Name: j.Time}, level)
	}
	q, err := j.courses(ctx, x)
	if err != nil {
		return nil, err
	}
	return figure.Forecast(*q)
}

// residuals draws what the model leaves of the data.
func (j *Job) residuals(x []float64, ps []report.Parameter) (*figure.Figure, error) {
	r := j.responses(x, ps)
	if j.Model.Trajectory() {
		r = j.deviations(r, x)
	}
	return figure.Residuals(r, figure.Axis{Name: j.Time})
}
