package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/r2sgld/r2sgld/internal/text"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// A Response is one measured quantity over time and what the model says of it.
type Response struct {
	Axis     Axis      // d log H/dt, say
	Time     []float64 // of the observations, rising
	Observed []float64
	Fitted   []float64 // the model at its best parameters
	Low      []float64 // interval of the model's mean; nil is none
	High     []float64
	SD       float64 // of the noise; 0 is not known, and residuals take their own
	Of       int     // of so many observations these are some; 0 is all
	Each     string  // what an observation is called, in the singular; "" is observation
}

// counted says how many observations there are: rows, if all responses have as many.
func counted(r []Response) string {
	for _, q := range r[1:] {
		if len(q.Time) != len(r[0].Time) || q.Of != r[0].Of {
			return countOf(r, "observation")
		}
	}
	return countOf(r[:1], cmp.Or(r[0].Each, "observation"))
}

// countOf counts what is shown of all responses, and of how many.
func countOf(r []Response, noun string) string {
	shown, all := 0, 0
	for _, q := range r {
		shown += len(q.Time)
		all += max(q.Of, len(q.Time))
	}
	if all > shown {
		return fmt.Sprintf("%s of %s", text.Count(shown), text.Counted(all, noun))
	}
	return text.Counted(shown, noun)
}

func checkResponses(r []Response) error {
	c := &check{what: "fit"}
	c.panels(len(r))
	for i := range r {
		q := &r[i]
		n := len(q.Time)
		c.part("response %s", q.Axis.Name)
		c.must(n > 0, "no observations")
		c.ends(q.Low, q.High)
		c.columns(column{"", q.Observed, n, 0}, column{"", q.Fitted, n, 0}, column{"", q.Low, n, optional}, column{"", q.High, n, optional},
			column{"times", q.Time, n, ascending}, column{"noise sd", []float64{q.SD}, 1, nonNegative})
	}
	return c.err
}

// Fit draws the observations of each response against the model with the interval
// of its mean, which has a level in percent (90, say), and, if the sd of the
// noise is known, with that of an observation: uncertainty of the mean, taken as
// normal on either side, and noise together.
func Fit(r []Response, time Axis, level float64) (*Figure, error) {
	if err := checkResponses(r); err != nil {
		return nil, err
	}
	panels := make([]*panel, len(r))
	banded, noisy := false, false
	for i := range r {
		panels[i] = r[i].fitPanel(level)
		panels[i].x.label = time.label()
		least, _ := r[i].predictive(level)
		banded, noisy = banded || r[i].Low != nil, noisy || least != nil
	}
	onlyLowest(panels, 1)
	keys := legend{keyObserved("observed"), keyLine("model", linePosterior)}
	keys.add(banded, keyArea(fmt.Sprintf("%g %% of the model's mean", level), middle))
	keys.add(noisy, keyArea(fmt.Sprintf("%g %% of observations", level), whole))
	lay := mosaic{columns: 1, height: stacked(len(r), 2.6, 4.4)}
	return lay.compose(panels, keys, counted(r)), nil
}

// predictive returns the interval of an observation; nil unless both the
// interval of the mean and the noise are known.
func (r *Response) predictive(level float64) (low, high []float64) {
	if r.Low == nil || r.SD == 0 || !(level > 0 && level < 100) {
		return nil, nil
	}
	noise := r.SD * distuv.UnitNormal.Quantile(0.5+level/200)
	for i, f := range r.Fitted {
		low = append(low, f-math.Hypot(f-r.Low[i], noise))
		high = append(high, f+math.Hypot(r.High[i]-f, noise))
	}
	return low, high
}

func (r *Response) fitPanel(level float64) *panel {
	p := &panel{y: scale{label: r.Axis.label()}}
	c := Course{Middle: r.Fitted, Low: r.Low, High: r.High}
	c.ObservedLow, c.ObservedHigh = r.predictive(level)
	p.y.show(0.07, r.Observed, r.Fitted, r.Low, r.High, c.ObservedLow, c.ObservedHigh)
	p.x.show(0.02, r.Time)
	p.add(c.marks(r.Time, joined(r.Time, r.Observed))...)
	return p
}

// Residuals draws, for each response, observed less fitted over time, and
// sorted against the quantiles of the normal law with the band that holds each
// of them in 95 % of normal samples.
func Residuals(r []Response, time Axis) (*Figure, error) {
	if err := checkResponses(r); err != nil {
		return nil, err
	}
	var panels []*panel
	for i := range r {
		v := make([]float64, len(r[i].Time))
		for k := range v {
			v[k] = r[i].Observed[k] - r[i].Fitted[k]
		}
		sd := r[i].SD
		if sd == 0 {
			sd = deviation(v)
		}
		label := Axis{"residual of " + r[i].Axis.Name, r[i].Axis.Unit}.label()
		a, b := overTime(r[i].Time, v, sd), quantiles(v, sd)
		lo, hi := min(a.y.min, b.y.min), max(a.y.max, b.y.max)
		a.y = scale{label: label, min: lo, max: hi}
		b.y = scale{min: lo, max: hi, silent: true}
		a.x.label, b.x.label = time.label(), "normal quantile (sd)"
		panels = append(panels, a, b)
	}
	onlyLowest(panels, 2)
	keys := legend{keyObserved("residual"), keyLine("±2 sd", lineLimit),
		keyLine("zero; normal law", lineZero), keyArea("95 % of normal samples", expected)}
	lay := mosaic{columns: 2, height: stacked(len(r), 3, 4.6)}
	return lay.compose(panels, keys, countOf(r, "residual")), nil
}

func overTime(time, v []float64, sd float64) *panel {
	p := &panel{}
	p.y.show(0.1, v, []float64{-2 * sd, 2 * sd})
	p.x.show(0.03, time)
	p.add(level{lineZero, 0}, level{lineLimit, 2 * sd}, level{lineLimit, -2 * sd},
		dots{dotColour(len(v)), dotSize(len(v)), joined(time, v)})
	return p
}

// quantiles draws sorted v against normal quantiles at (i − 3/8)/(n + 1/4),
// Blom (1958). The i-th of n uniforms has the law Beta(i, n + 1 − i).
func quantiles(v []float64, sd float64) *panel {
	sorted := slices.Sorted(slices.Values(v))
	n := float64(len(v))
	norm := distuv.UnitNormal
	x, lo, hi := make([]float64, len(v)), make([]float64, len(v)), make([]float64, len(v))
	for i := range sorted {
		k := float64(i + 1)
		x[i] = norm.Quantile((k - 0.375) / (n + 0.25))
		lo[i] = sd * norm.Quantile(mathext.InvRegIncBeta(k, n+1-k, 0.025))
		hi[i] = sd * norm.Quantile(mathext.InvRegIncBeta(k, n+1-k, 0.975))
	}
	p := &panel{}
	p.x.show(0.08, x, []float64{-1, 1})
	p.y.show(0.05, sorted, lo, hi)
	p.add(band{expected, x, lo, hi},
		line{lineZero, []point{{p.x.min, sd * p.x.min}, {p.x.max, sd * p.x.max}}},
		dots{observed, dotSize(len(x)), joined(x, sorted)})
	return p
}
