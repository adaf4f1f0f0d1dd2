package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"

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
		return fmt.Sprintf("%s of %s", thousands(shown), count(all, noun))
	}
	return count(shown, noun)
}

func (r *Response) check() error {
	what := "response " + r.Axis.Name
	n := len(r.Time)
	if n == 0 {
		return fmt.Errorf("figure: %s: no observations", what)
	}
	columns := [][]float64{r.Observed, r.Fitted}
	if r.Low != nil || r.High != nil {
		columns = append(columns, r.Low, r.High)
	}
	if err := sameLength(what, n, columns...); err != nil {
		return err
	}
	if !slices.IsSorted(r.Time) {
		return fmt.Errorf("figure: %s: times must rise", what)
	}
	for _, c := range append(columns, r.Time, []float64{r.SD}) {
		if err := finite(what, c...); err != nil {
			return err
		}
	}
	if r.SD < 0 {
		return fmt.Errorf("figure: %s: noise sd %g must not be negative", what, r.SD)
	}
	return nil
}

func checkResponses(r []Response) error {
	if err := panelCount(len(r)); err != nil {
		return err
	}
	for i := range r {
		if err := r[i].check(); err != nil {
			return err
		}
	}
	return nil
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
		banded = banded || r[i].Low != nil
		least, _ := r[i].predictive(level)
		noisy = noisy || least != nil
	}
	onlyLowest(panels, 1)
	keys := []key{keyDot("observed", observed, 1.8), keyLine("model", linePosterior)}
	if banded {
		keys = append(keys, keyArea(fmt.Sprintf("%g %% of the model's mean", level), middle))
	}
	if noisy {
		keys = append(keys, keyArea(fmt.Sprintf("%g %% of observations", level), whole))
	}
	lay := mosaic{columns: 1, height: cm(math.Max(2.6, math.Min(4.4, 16/float64(len(r)))))}
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
	least, most := r.predictive(level)
	lo, hi := extent(slices.Concat(r.Observed, r.Fitted, r.Low, r.High, least, most)...)
	p.y.min, p.y.max = widen(lo, hi, 0.07)
	first, last := extent(r.Time...)
	p.x.min, p.x.max = widen(first, last, 0.02)
	line, dots := make([]point, len(r.Time)), make([]point, len(r.Time))
	for i, t := range r.Time {
		line[i], dots[i] = point{t, r.Fitted[i]}, point{t, r.Observed[i]}
	}
	p.add(func(pl *plane) {
		if least != nil {
			pl.band(whole, r.Time, least, most)
		}
		if r.Low != nil {
			pl.band(middle, r.Time, r.Low, r.High)
		}
		n := len(dots)
		if n > manyDots {
			pl.dots(dotColour(n), dotSize(n), dots)
		}
		pl.line(linePosterior, line)
		if n <= manyDots {
			pl.dots(observed, dotSize(n), dots)
		}
	})
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
		res := make([]point, len(r[i].Time))
		v := make([]float64, len(res))
		for k, t := range r[i].Time {
			v[k] = r[i].Observed[k] - r[i].Fitted[k]
			res[k] = point{t, v[k]}
		}
		sd := r[i].SD
		if sd == 0 {
			sd = deviation(v)
		}
		label := Axis{"residual of " + r[i].Axis.Name, r[i].Axis.Unit}.label()
		a, b := overTime(res, sd), quantiles(v, sd)
		lo, hi := min(a.y.min, b.y.min), max(a.y.max, b.y.max)
		a.y = scale{label: label, min: lo, max: hi}
		b.y = scale{min: lo, max: hi, silent: true}
		a.x.label, b.x.label = time.label(), "normal quantile (sd)"
		panels = append(panels, a, b)
	}
	onlyLowest(panels, 2)
	keys := []key{keyDot("residual", observed, 1.8), keyLine("±2 sd", lineLimit),
		keyLine("zero; normal law", lineZero), keyArea("95 % of normal samples", expected)}
	lay := mosaic{columns: 2, height: cm(math.Max(3, math.Min(4.6, 16/float64(len(r)))))}
	return lay.compose(panels, keys, countOf(r, "residual")), nil
}

func overTime(res []point, sd float64) *panel {
	p := &panel{}
	lo, hi := -2*sd, 2*sd
	for _, q := range res {
		lo, hi = math.Min(lo, q.y), math.Max(hi, q.y)
	}
	p.y.min, p.y.max = widen(lo, hi, 0.1)
	p.x.min, p.x.max = widen(res[0].x, res[len(res)-1].x, 0.03)
	p.add(func(pl *plane) {
		pl.hline(lineZero, 0)
		pl.hline(lineLimit, 2*sd)
		pl.hline(lineLimit, -2*sd)
		pl.dots(dotColour(len(res)), dotSize(len(res)), res)
	})
	return p
}

// quantiles draws sorted v against normal quantiles at (i − 3/8)/(n + 1/4),
// Blom (1958). The i-th of n uniforms has the law Beta(i, n + 1 − i).
func quantiles(v []float64, sd float64) *panel {
	sorted := slices.Sorted(slices.Values(v))
	n := float64(len(v))
	norm := distuv.UnitNormal
	pts := make([]point, len(v))
	x, lo, hi := make([]float64, len(v)), make([]float64, len(v)), make([]float64, len(v))
	for i, s := range sorted {
		k := float64(i + 1)
		x[i] = norm.Quantile((k - 0.375) / (n + 0.25))
		pts[i] = point{x[i], s}
		lo[i] = sd * norm.Quantile(mathext.InvRegIncBeta(k, n+1-k, 0.025))
		hi[i] = sd * norm.Quantile(mathext.InvRegIncBeta(k, n+1-k, 0.975))
	}
	p := &panel{}
	p.x.min, p.x.max = widen(math.Min(x[0], -1), math.Max(x[len(x)-1], 1), 0.08)
	low, high := extent(slices.Concat(sorted, lo, hi)...)
	p.y.min, p.y.max = widen(low, high, 0.05)
	p.add(func(pl *plane) {
		pl.band(expected, x, lo, hi)
		pl.line(lineZero, []point{{p.x.min, sd * p.x.min}, {p.x.max, sd * p.x.max}})
		pl.dots(observed, dotSize(len(pts)), pts)
	})
	return p
}
