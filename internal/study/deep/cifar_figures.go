package deep

import (
	"fmt"
	"math"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/figure"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/training"
)

// pictures are those of the report, by name.
func (m *inquiry) pictures() (map[string]study.Picture, error) {
	jobs := map[string]func() (*figure.Figure, error){"cifar-sweep": m.sweepCurves}
	for _, u := range m.subjects {
		if len(u.methods) > 1 {
			jobs["cifar-scores-"+u.kind] = func() (*figure.Figure, error) { return m.scoreDots(u) }
			jobs["cifar-curves-"+u.kind] = func() (*figure.Figure, error) { return m.curves(u) }
		}
		jobs["cifar-index-"+u.kind] = func() (*figure.Figure, error) { return m.indexOf(u) }
		jobs["cifar-layers-"+u.kind] = func() (*figure.Figure, error) { return m.layersOf(u) }
	}
	return study.Drawn(jobs)
}

// fewest is how many repetitions an interval in a picture is of at least: that of two
// is so wide that it hides the rest.
const fewest = 3

// estimate is the mean of a metric over repetitions, with its interval within what is
// possible.
func (c metric) estimate(v []float64) figure.Estimate {
	i := study.IntervalOf(v)
	if len(v) < fewest {
		i.Half = math.NaN()
	}
	e := estimate(i)
	e.Low, e.High = max(0, e.Low), min(c.most, e.High)
	return e
}

// scoreDots draws the first four metrics of all methods on a network.
func (m *inquiry) scoreDots(u subject) (*figure.Figure, error) {
	q := figure.ScoreTable{Caption: fmt.Sprintf("%s, %s, last of %d epochs, %s", toldNet(u.kind), m.source.told, m.epochs, times(u.repeats))}
	metrics := m.metrics()[:4]
	for _, c := range metrics {
		q.Metrics = append(q.Metrics, figure.Metric{Axis: figure.Axis{Name: c.name}, Better: c.better})
	}
	for _, name := range u.methods {
		o := m.find(u.kind, name)
		if len(o.complete()) == 0 {
			continue
		}
		row := figure.ScoreRow{Name: told(name), Method: o.settings.Method}
		for _, c := range metrics {
			row.Average = append(row.Average, c.estimate(o.column(func(r *run) float64 { return c.of(r.Average) })))
			row.Single = append(row.Single, c.estimate(o.column(func(r *run) float64 { return c.of(r.Single) })))
		}
		q.Rows = append(q.Rows, row)
	}
	if len(q.Rows) == 0 {
		return nil, nil
	}
	return figure.Scores(q)
}

// curves draws accuracy and NLL of the methods against the epoch: those of the paper,
// reflected ones and their partners in panels of their own.
func (m *inquiry) curves(u subject) (*figure.Figure, error) {
	q := figure.Learning{Start: math.NaN(), Columns: 2, Caption: fmt.Sprintf("%s, %s, means over %s", toldNet(u.kind), m.source.told,
		times(u.repeats))}
	halves := [][]string{{"sgdm", "sghmc", "cycsghmc", "resghmc", "ensemble"}, {"r-sgdm", "r-sghmc", "r-cycsghmc", "r2sghmc", "swag"}}
	for _, c := range []struct {
		name string
		of   func(*bnn.Scores) float64
	}{{"accuracy, %", func(s *bnn.Scores) float64 { return 100 * s.Accuracy }}, {"NLL", func(s *bnn.Scores) float64 { return s.NLL }}} {
		for _, names := range halves {
			panel := figure.LearningPanel{Metric: figure.Axis{Name: c.name}}
			for _, name := range names {
				o := m.find(u.kind, name)
				if o == nil || len(o.complete()) == 0 {
					continue
				}
				l := figure.Learned{Name: told(name), Method: name, Single: o.trail(func(e bnn.Epoch) *bnn.Scores { return e.Single }, c.of),
					Average: o.trail(func(e bnn.Epoch) *bnn.Scores { return e.Average }, c.of)}
				if len(l.Single.Epoch) > 1 {
					panel.Methods = append(panel.Methods, l)
				}
			}
			if len(panel.Methods) > 0 {
				q.Panels = append(q.Panels, panel)
			}
		}
	}
	if len(q.Panels) == 0 {
		return nil, nil
	}
	return figure.LearningCurves(q)
}

// trail is the mean of a score along the epochs.
func (o *outcome) trail(which func(bnn.Epoch) *bnn.Scores, of func(*bnn.Scores) float64) figure.Trail {
	var repeats [][]bnn.Epoch
	for _, r := range o.complete() {
		repeats = append(repeats, r.Epochs)
	}
	t := training.Trail(repeats, which, of)
	t.Low, t.High = nil, nil // bands of so many methods would hide each other
	return t
}

// indexOf draws which rung each net of r2SGHMC held in its first complete repetition.
func (m *inquiry) indexOf(u subject) (*figure.Figure, error) {
	o := m.find(u.kind, "r2sghmc")
	if o == nil || len(o.complete()) == 0 {
		return nil, nil
	}
	r := o.complete()[0]
	return training.IndexFigure(r.Index, o.settings.Temperature, o.settings.Steps(m.source.data.Train.Len()), r.RoundTrips)
}

// layersOf draws the temperatures of the layers of r2SGHMC when they were first measured.
func (m *inquiry) layersOf(u subject) (*figure.Figure, error) {
	o := m.find(u.kind, "r2sghmc")
	if o == nil || len(o.complete()) == 0 {
		return nil, nil
	}
	for _, e := range o.complete()[0].Epochs {
		if e.Layers != nil {
			return training.LayerFigure(e.Layers, e.Temperature[0], fmt.Sprintf("%s, r2SGHMC, cold rung, epoch %d of %d", toldNet(u.kind), e.Epoch,
				m.epochs))
		}
	}
	return nil, nil
}

// sweepCurves draws the sweep. Where all of a method failed, it has no value.
func (m *inquiry) sweepCurves() (*figure.Figure, error) {
	metrics := m.metrics()[:2]
	q := figure.Sweep{X: figure.Axis{Name: "first step size (divided by N)"},
		Caption: fmt.Sprintf("%s, %s, %d epochs, %s", toldNet(m.subjects[0].kind), m.source.told, m.sweepEpochs, times(m.sweeps))}
	for _, c := range metrics {
		q.Metrics = append(q.Metrics, figure.Axis{Name: c.name})
	}
	for _, name := range sweeping() {
		line := figure.SweepLine{Name: told(name), Method: name, Values: make([][]figure.Estimate, len(metrics))}
		for _, o := range m.of(name) {
			line.Step, line.Runs, line.Failed = append(line.Step, o.settings.StepSize[0]), append(line.Runs, len(o.runs)), append(line.Failed,
				o.failed())
			for k, c := range metrics {
				e := figure.Estimate{Value: math.NaN(), Low: math.NaN(), High: math.NaN()}
				if v := o.well(func(r *run) float64 { return c.of(r.Average) }); len(v) > 0 {
					e = c.estimate(v)
				}
				line.Values[k] = append(line.Values[k], e)
			}
		}
		q.Lines = append(q.Lines, line)
	}
	return figure.SweepCurves(q)
}

// well is a number of the runs that did not fail.
func (o *outcome) well(of func(*run) float64) (v []float64) {
	for _, r := range o.complete() {
		if o.came(r) {
			v = append(v, of(r))
		}
	}
	return v
}

// estimate is an interval in a picture.
func estimate(v study.Interval) figure.Estimate {
	if math.IsNaN(v.Half) {
		return figure.Estimate{Value: v.Mean, Low: v.Mean, High: v.Mean}
	}
	return figure.Estimate{Value: v.Mean, Low: v.Mean - v.Half, High: v.Mean + v.Half}
}
