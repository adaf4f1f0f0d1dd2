package training

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/bnn/score"
	"github.com/r2sgld/r2sgld/internal/figure"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/significance"
	"github.com/r2sgld/r2sgld/internal/text"
)

// A picture is a figure under its name.
type picture struct {
	name string
	make func() (*figure.Figure, error) // nil, nil where there is nothing to see
}

// leave draws and writes every figure, and the summary last. It returns the names of
// the figures.
func (x *execution) leave(ctx context.Context, sum *Summary) ([]string, error) {
	drawn := job.Pictures{Write: x.folder.WriteFile}
	for _, p := range []picture{
		{"curves", x.curves}, {"reliability", x.reliability}, {"entropy", x.entropies},
		{"index", x.index}, {"layers", x.layers}, {"reflections", x.reflections},
	} {
		f, err := p.make()
		if err := drawn.Add(ctx, p.name, f, err); err != nil {
			return nil, err
		}
	}
	sum.Warnings = append(sum.Warnings, drawn.Warnings...)
	return drawn.Names, x.folder.WriteJSON("summary.json", sum)
}

// scale says how much was run, for captions.
func (x *execution) scale() string {
	s := fmt.Sprintf("%s, %d training examples, %d epochs", x.Network.Kind, x.Data.Train.Len(), x.Settings.Epochs)
	if x.Repeats > 1 {
		s += fmt.Sprintf(", %d repetitions (95 %% intervals of the mean)", x.Repeats)
	}
	return s
}

// curves draws accuracy and NLL against the epoch.
func (x *execution) curves() (*figure.Figure, error) {
	epochs := make([][]bnn.Epoch, len(x.done))
	for i, f := range x.done {
		epochs[i] = f.Epochs
	}
	panel := func(name string, of func(*bnn.Scores) float64) figure.LearningPanel {
		single := Trail(epochs, func(e bnn.Epoch) *bnn.Scores { return e.Single }, of)
		average := Trail(epochs, func(e bnn.Epoch) *bnn.Scores { return e.Average }, of)
		return figure.LearningPanel{Metric: figure.Axis{Name: name},
			Methods: []figure.Learned{{Method: x.Settings.Method, Single: single, Average: average}}}
	}
	q := figure.Learning{Start: x.Settings.Average.From * float64(x.Settings.Epochs), Caption: x.scale(), Panels: []figure.LearningPanel{
		panel("accuracy", func(s *bnn.Scores) float64 { return s.Accuracy }),
		panel("NLL", func(s *bnn.Scores) float64 { return s.NLL })}}
	if x.regresses() {
		q.Panels = []figure.LearningPanel{panel("RMSE", x.rmse)}
	}
	if len(q.Panels[0].Methods[0].Single.Epoch) < 2 {
		return nil, nil
	}
	return figure.LearningCurves(q)
}

// Trail is a score of all repetitions along the epochs: means, and with two repetitions or
// more their 95 % t intervals. Epochs in which a repetition lacks the score are left out.
func Trail(repeats [][]bnn.Epoch, which func(bnn.Epoch) *bnn.Scores, of func(*bnn.Scores) float64) (t figure.Trail) {
	for i, e := range repeats[0] {
		var v []float64
		for _, epochs := range repeats {
			if s := which(epochs[i]); s != nil && !math.IsNaN(of(s)) {
				v = append(v, of(s))
			}
		}
		if len(v) < len(repeats) {
			continue
		}
		mean := significance.TInterval(v, level)
		t.Epoch, t.Value = append(t.Epoch, float64(e.Epoch)), append(t.Value, mean.Mean)
		if len(v) > 1 {
			t.Low, t.High = append(t.Low, mean.Lo), append(t.High, mean.Hi)
		}
	}
	return t
}

// reliability draws how confidence and accuracy go together, in the first repetition.
func (x *execution) reliability() (*figure.Figure, error) {
	var q []figure.Calibration
	for _, c := range []struct {
		title string
		of    *judged
	}{{"last model", x.done[0].Single}, {x.averageName(), x.done[0].Average}} {
		if c.of == nil || c.of.Reliability == nil {
			continue
		}
		k := figure.Calibration{Title: c.title}
		for i, b := range c.of.Reliability {
			k.Bins = append(k.Bins, figure.ConfidenceBin{Low: float64(i) / score.Bins, High: float64(i+1) / score.Bins,
				Count: b.Count, Confidence: b.Confidence, Accuracy: b.Accuracy})
		}
		q = append(q, k)
	}
	if len(q) == 0 {
		return nil, nil
	}
	return figure.Reliability(q, x.first())
}

func (x *execution) averageName() string {
	epochs := x.done[0].Epochs
	return fmt.Sprintf("average of %d models", epochs[len(epochs)-1].Kept)
}

// first says which repetition is shown.
func (x *execution) first() string {
	s := fmt.Sprintf("%s, %d test images", x.Settings.Method, x.Data.Test.Len())
	if x.Repeats > 1 {
		s += ", first repetition"
	}
	return s
}

// entropies draws how sure predictions are, in and out of distribution.
func (x *execution) entropies() (*figure.Figure, error) {
	if x.Data.Outside == nil {
		return nil, nil
	}
	q := figure.Entropies{Classes: x.Data.Train.Classes, In: "test images", Out: "out of distribution", Caption: x.first()}
	for _, c := range []struct {
		title string
		of    *judged
	}{{"last model", x.done[0].Single}, {x.averageName(), x.done[0].Average}} {
		if c.of != nil && c.of.Detection != nil {
			q.Panels = append(q.Panels, figure.Uncertainty{Title: c.title, In: c.of.Entropy, Out: c.of.Outside,
				AUROC: c.of.Detection.AUROC, FPR95: c.of.Detection.FPR95})
		}
	}
	if len(q.Panels) == 0 {
		return nil, nil
	}
	return figure.EntropyHistograms(q)
}

// index draws which rung each replica held, in the first repetition.
func (x *execution) index() (*figure.Figure, error) {
	f := x.done[0]
	return IndexFigure(f.Index, x.Settings.Temperature, x.Settings.Steps(x.Data.Train.Len()), f.RoundTrips)
}

// IndexFigure draws which rung, of these temperatures, each replica held, all of the
// record, with epochs of so many steps. It is nil of fewer than two sweeps or rungs.
func IndexFigure(x bnn.Index, temperature []float64, steps int, roundTrips int64) (*figure.Figure, error) {
	if len(temperature) < 2 || len(x.Iteration) < 2 {
		return nil, nil
	}
	rung := make([][]int, len(temperature))
	for r := range rung {
		for _, at := range x.Rung {
			rung[r] = append(rung[r], at[r])
		}
	}
	return figure.IndexProcess(figure.Index{First: x.Iteration[0], Every: x.Iteration[1] - x.Iteration[0], Rung: rung,
		Temperature: temperature, Epoch: steps, Window: len(x.Iteration), RoundTrips: int(roundTrips)})
}

// layers draws the temperatures of layers, when they were measured last.
func (x *execution) layers() (*figure.Figure, error) {
	for _, e := range slices.Backward(x.done[0].Epochs) {
		if e.Layers != nil {
			return LayerFigure(e.Layers, e.Temperature[0], fmt.Sprintf("%s, cold rung, epoch %d", x.Settings.Method, e.Epoch))
		}
	}
	return nil, nil
}

// LayerFigure draws temperatures and noise of tensors against the temperature that was
// set.
func LayerFigure(layers []bnn.Layer, set float64, caption string) (*figure.Figure, error) {
	exactly := func(v float64) figure.Estimate { return figure.Estimate{Value: v, Low: v, High: v} }
	var q []figure.Layer
	for _, l := range layers {
		q = append(q, figure.Layer{Name: l.Name, Kinetic: exactly(l.Kinetic), Configurational: exactly(l.Configurational),
			Injected: l.Injected, Minibatch: l.Minibatch})
	}
	return figure.LayerTemperatures(q, set, caption)
}

// reflections draws the share of the coordinates that met a wall, per rung and epoch.
func (x *execution) reflections() (*figure.Figure, error) {
	if !bnn.Reflects(x.Settings.Method) {
		return nil, nil
	}
	q := figure.Reflections{Caption: fmt.Sprintf("weights held in [−%g, %g], share of the coordinates reflected in a step; %s",
		x.Settings.Bound, x.Settings.Bound, x.first())}
	for r, tau := range x.Settings.Temperature {
		q.Layers = append(q.Layers, fmt.Sprintf("rung %d (temperature %g)", r+1, tau))
		var share []float64
		for _, e := range x.done[0].Epochs {
			share = append(share, e.Reflected[r])
		}
		q.Share = append(q.Share, share)
	}
	if !slices.ContainsFunc(q.Share, func(v []float64) bool { return slices.Max(v) > 0 }) {
		return nil, nil // nothing was reflected
	}
	for _, e := range x.done[0].Epochs {
		q.Epoch = append(q.Epoch, float64(e.Epoch))
	}
	return figure.ReflectionMap(q)
}

// show prints the end of a training.
func (x *execution) show(sum *Summary, figures []string) {
	var b strings.Builder
	b.WriteString("\n" + sum.Text(text.StyleOf(x.Out)) + "\n" + sum.Footer())
	fmt.Fprintf(&b, " wrote %s/: summary.json, metrics.jsonl, predictions-1", x.Dir)
	if x.Repeats > 1 {
		fmt.Fprintf(&b, "…%d", x.Repeats)
	}
	b.WriteString(".npz")
	if x.Save {
		b.WriteString(", models/")
	}
	fmt.Fprintf(&b, ", figures (%d)\n   %s/figures/: %s (.svg, .png)\n", len(figures), x.Dir, strings.Join(figures, " "))
	fmt.Fprint(x.Out, b.String())
	text.Warn(x.Terminal, sum.Warnings...)
}
