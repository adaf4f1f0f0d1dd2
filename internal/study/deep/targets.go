package deep

import (
	"fmt"
	"math"

	"github.com/r2sgld/r2sgld/internal/significance"
	"github.com/r2sgld/r2sgld/internal/study"
)

// A target is a cell of Table 1 of the paper in our units.
type target struct {
	network, method string
	mean, spread    float64 // spread is what the paper prints after ±, two standard deviations
}

// paperRepeats is how many repetitions the paper's means are of.
const paperRepeats = 10

// printed is Table 1 as it is printed, network by network, the methods in the order of [eight]:
// accuracy in per cent, NLL summed over 10,000 test images, and Brier in thousandths, which we read
// as means over the images and the 100 classes. Brier scores of ResNet20 cannot be of the same
// unit as those of ResNet56: they are lower at lower accuracy.
var printed = map[string][8][3][2]float64{
	"resnet20": {
		{{72.13, 0.60}, {9667, 108}, {2.78, 0.05}}, {{72.47, 0.45}, {9543, 157}, {2.75, 0.05}},
		{{73.49, 0.17}, {8913, 76}, {2.65, 0.02}}, {{75.01, 0.14}, {8552, 69}, {2.50, 0.01}},
		{{72.43, 0.35}, {9626, 94}, {2.75, 0.03}}, {{72.85, 0.51}, {9501, 167}, {2.73, 0.05}},
		{{73.77, 0.22}, {8953, 52}, {2.62, 0.02}}, {{75.38, 0.17}, {8489, 66}, {2.46, 0.02}}},
	"resnet56": {
		{{74.40, 0.71}, {9724, 169}, {3.59, 0.23}}, {{74.22, 0.66}, {9723, 214}, {3.23, 0.21}},
		{{77.98, 0.61}, {8303, 161}, {3.19, 0.20}}, {{78.87, 0.44}, {7406, 130}, {2.94, 0.06}},
		{{74.70, 0.68}, {9507, 106}, {3.53, 0.18}}, {{75.10, 0.55}, {9232, 158}, {3.36, 0.23}},
		{{78.41, 0.67}, {7711, 144}, {3.12, 0.11}}, {{79.39, 0.30}, {7155, 91}, {2.89, 0.02}}},
}

// targets are the cells of a column of Table 1: 0 is accuracy, 1 NLL and 2 Brier.
func targets(metric int) (out []target) {
	unit := []float64{1, 1e-4, 0.1}[metric]
	for _, network := range []string{"resnet20", "resnet56"} {
		for i, name := range eight() {
			cell := printed[network][i][metric]
			out = append(out, target{network, name, unit * cell[0], unit * cell[1]})
		}
	}
	return out
}

// A reached target is what our runs found for it.
type reached struct {
	Network, Method string
	Ours            study.Interval
	Mean, Spread    float64 // the paper's
	P               float64 // of a two-sided test, NaN where nothing was run
}

// Ran reports whether anything was run for it.
func (r reached) Ran() bool { return !math.IsNaN(r.P) }

// Differs reports whether our mean differs from the paper's, at 5 %.
func (r reached) Differs() bool { return r.P < 0.05 }

// Verdict is that in words.
func (r reached) Verdict() string {
	switch {
	case !r.Ran():
		return "not run"
	case r.Differs():
		return "differs"
	}
	return "no difference found"
}

// against sets our averages beside a column of Table 1. Of bottleneck56, which the paper's code calls
// ResNet56, the targets are those of ResNet56. P is adjusted by Holm's method.
func (m *inquiry) against(metric int) (out []reached) {
	var p []float64
	c := m.metrics()[metric]
	for _, t := range targets(metric) {
		kinds := []string{t.network}
		if t.network == "resnet56" {
			kinds = append(kinds, "bottleneck56")
		}
		for _, kind := range kinds {
			r := reached{toldNet(kind), told(t.method), study.Interval{Mean: math.NaN(), Half: math.NaN()}, t.mean, t.spread, math.NaN()}
			o := m.find(kind, t.method)
			if o == nil && kind != t.network {
				continue
			}
			if o != nil && m.Scale == study.Paper && len(o.complete()) > 1 {
				ours := o.column(func(r *run) float64 { return c.of(r.Average) })
				r.Ours = study.IntervalOf(ours)
				_, r.P = significance.Welch(significance.MeanSEOf(ours),
					significance.MeanSE{Mean: t.mean, SE: t.spread / 2 / math.Sqrt(paperRepeats), N: paperRepeats})
				p = append(p, r.P)
			}
			out = append(out, r)
		}
	}
	adjusted := significance.Holm(p)
	for i := range out {
		if out[i].Ran() {
			out[i].P, adjusted = adjusted[0], adjusted[1:]
		}
	}
	return out
}

// figures weighs a column of Table 1.
func (m *inquiry) figures(metric int) study.Claim {
	f := struct {
		Metric   int
		Reached  []reached
		Met, Run int
	}{Metric: metric, Reached: m.against(metric)}
	for _, r := range f.Reached {
		if r.Ran() {
			f.Run++
			if !r.Differs() {
				f.Met++
			}
		}
	}
	return m.prose().Claim("cifar-figures-"+[]string{"accuracy", "nll", "brier"}[metric], study.Among(f.Met, f.Run), f)
}

// targetRows are Table 1 beside what was found.
func (m *inquiry) targetRows() (out [][]string) {
	for k, c := range m.metrics()[:3] {
		for _, r := range m.against(k) {
			out = append(out, []string{r.Network, r.Method, c.name, fmt.Sprintf("%.4g ± %.2g", r.Mean, r.Spread), r.Ours.PlusMinus(), r.Verdict()})
		}
	}
	return out
}
