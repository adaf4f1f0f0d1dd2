package runner

import (
	"math"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/internal/figure"
)

// ladderFigures draws what a ladder tells of itself.
func (x *execution) ladderFigures(res *r2sgld.Result, add func(string, *figure.Figure, error)) {
	tau := x.Settings.Temperature
	if len(tau) < 2 {
		return
	}
	stats := res.Swaps()
	first, rung := x.window.record()
	if len(rung[0]) > 1 {
		f, err := figure.IndexProcess(figure.Index{First: first, Rung: rung, Temperature: tau, RoundTrips: int(stats.RoundTrips)})
		add("index", f, err)
	}
	x.trajectory(add)
	swaps := figure.Swaps{Temperature: tau}
	beta := inverse(tau)
	swaps.Rejection = stats.Rejections()
	for _, p := range stats.Pairs[:len(swaps.Rejection)] {
		if p.Attempts == 0 {
			return
		}
		swaps.Attempts = append(swaps.Attempts, int(p.Attempts))
		swaps.Variance = append(swaps.Variance, p.Variance)
	}
	f, err := figure.Rejections(swaps)
	add("rejection", f, err)
	barrier, err := exchange.NewBarrier(beta, swaps.Rejection)
	if err != nil {
		add("barrier", nil, err)
		return
	}
	q := figure.Barrier{Rungs: beta, Total: stats.Barrier()}
	const grid = 256
	for i := range grid + 1 {
		b := beta[len(beta)-1] + (beta[0]-beta[len(beta)-1])*float64(i)/grid
		q.Inverse, q.Local = append(q.Inverse, b), append(q.Local, math.Max(0, barrier.Local(b)))
	}
	f, err = figure.LocalBarrier(q)
	add("barrier", f, err)
}

// inverse are the inverses of temperatures, which are numbers where those are infinite.
func inverse(temperature []float64) []float64 {
	beta := make([]float64, len(temperature))
	for i, t := range temperature {
		beta[i] = 1 / t
	}
	return beta
}

// mostSwaps is the number of swaps of the coldest rung above which their lines hide
// the paths.
const mostSwaps = 12

// trajectory draws the last steps of the coldest and a hot rung.
func (x *execution) trajectory(add func(string, *figure.Figure, error)) {
	first, cold, hot := x.window.paths()
	if len(cold) < 2 {
		return
	}
	begin, swaps := len(cold), 0
	for begin > 0 && (swaps < mostSwaps || !cold[begin-1].Swapped) {
		if begin--; cold[begin].Swapped {
			swaps++
		}
	}
	begin = min(begin, len(cold)-2)
	first, cold = first+begin, cold[begin:]
	if len(hot) > 0 {
		hot = hot[begin:]
	}
	tau := x.Settings.Temperature
	q := figure.Trajectory{First: first, Cold: cold, Hot: hot, Temperature: [2]float64{tau[0], tau[x.window.hot]},
		Section: len(x.Problem.Names) > 2}
	for i := range q.Axes {
		q.Axes[i] = figure.Axis{Name: x.Problem.Names[i]}
	}
	if d := x.Problem.Domain; d != nil {
		q.Inside = domain.Section(d, 0, 1)
		if d.Dim() == 2 && domain.Bounded(d) {
			lo, hi := domain.BoundsOf(d, 2)
			for i := range lo {
				q.View[i] = [2]float64{lo[i], hi[i]}
			}
		}
	}
	f, err := figure.TrajectoryPlot(q)
	add("trajectory", f, err)
}
