package training

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/bnn/images"
	"github.com/r2sgld/r2sgld/internal/report"
	"github.com/r2sgld/r2sgld/internal/text"
)

// mostRates is how many swap rates stand in a line.
const mostRates = 5

// mostLines is about how many lines the table of a repetition has.
const mostLines = 25

// A table shows how far a training is: a line for every epoch, or for every few, and on
// a terminal a line below that is redrawn.
type table struct {
	*Job
	report.Lines
	every  int
	repeat int
	epochs int // complete, of this repetition
	begun  time.Time
	work   *report.Work

	mu    sync.Mutex
	at    bnn.Progress
	first int // iteration of this repetition's begin
}

func newTable(j *Job, w io.Writer) *table {
	t := &table{Job: j, every: max(1, (j.Settings.Epochs+mostLines-1)/mostLines)}
	t.Lines = report.Lines{W: w, Columns: t.columns(), Where: "metrics.jsonl"}
	return t
}

// begin starts a repetition.
func (t *table) begin(repeat int, from *bnn.Checkpoint) {
	t.repeat, t.epochs, t.begun, t.at, t.first = repeat, 0, time.Now(), bnn.Progress{}, 0
	if from != nil {
		t.epochs, t.first = from.Epoch, from.Iteration
		t.at.Iteration = from.Iteration
	}
	if t.Repeats > 1 {
		fmt.Fprintf(t.W, "repetition %d of %d\n", repeat+1, t.Repeats)
	}
	t.Begin()
	t.work = report.StartBar(t.W, t.Name, t.share, t.status)
}

// step takes note of an iteration.
func (t *table) step(p bnn.Progress) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.at = p
}

// share is that of the iterations that are done.
func (t *table) share() float64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return float64(t.at.Iteration) / float64(max(1, t.at.Iterations))
}

// status is what stands beside the bar.
func (t *table) status() string {
	t.mu.Lock()
	p := t.at
	t.mu.Unlock()
	if p.Iterations == 0 {
		return ""
	}
	spent := time.Since(t.begun)
	left := time.Duration(float64(spent) * float64(p.Iterations-p.Iteration) / float64(max(1, p.Iteration-t.first)))
	s := fmt.Sprintf("epoch %d/%d  %s images/s  left %s", p.Epoch, t.Settings.Epochs, speed(float64(p.Images)/spent.Seconds()),
		left.Round(time.Second))
	if t.Repeats > 1 {
		s = fmt.Sprintf("repetition %d/%d  ", t.repeat+1, t.Repeats) + s
	}
	return s
}

// epoch adds the line of an epoch.
func (t *table) epoch(e bnn.Epoch) {
	t.epochs = e.Epoch
	if e.Epoch%t.every != 0 && e.Epoch != t.Settings.Epochs && e.Epoch != 1 {
		return
	}
	t.Line(t.cells(e)...)
}

func (t *table) columns() []report.Column {
	loss := 17
	if t.Settings.Replicas() == 1 {
		loss = 9
	}
	c := []report.Column{{Title: "epoch", Width: 6}, {Title: "loss", Width: loss, Spare: 6}}
	if t.regresses() {
		c = append(c, report.Column{Title: "RMSE", Width: 10}, report.Column{Title: "average of", Width: 12, Spare: 5},
			report.Column{Title: "RMSE", Width: 10, Spare: 4})
	} else {
		c = append(c, report.Column{Title: "accuracy", Width: 10}, report.Column{Title: "NLL", Width: 8, Spare: 2},
			report.Column{Title: "average of", Width: 12, Spare: 5},
			report.Column{Title: "accuracy", Width: 10, Spare: 4}, report.Column{Title: "NLL", Width: 8, Spare: 3})
	}
	if t.Settings.Rungs() > 1 {
		c = append(c, report.Column{Title: "swaps", Width: 22, Spare: 9})
	}
	return append(c, report.Column{Title: "images/s", Width: 11, Spare: 8}, report.Column{Title: "left", Width: 9, Spare: 7})
}

func (t *table) cells(e bnn.Epoch) []string {
	loss := text.Short(e.Loss[0], 3)
	if n := len(e.Loss); n > 1 {
		loss += " … " + text.Short(e.Loss[n-1], 3)
	}
	cells := []string{fmt.Sprint(e.Epoch), loss}
	of := func(s *bnn.Scores) {
		switch {
		case s == nil && t.regresses():
			cells = append(cells, "–")
		case s == nil:
			cells = append(cells, "–", "–")
		case t.regresses():
			cells = append(cells, text.Short(t.rmse(s), 4))
		default:
			cells = append(cells, text.Number(s.Accuracy, 4), text.Short(s.NLL, 4))
		}
	}
	of(e.Single)
	models := "–"
	if e.Kept > 0 {
		models = fmt.Sprint(e.Kept)
	}
	cells = append(cells, models)
	of(e.Average)
	if t.Settings.Rungs() > 1 {
		var rates []string
		for _, p := range pairs(e.Pairs) {
			rates = append(rates, strings.Replace(text.Number(p.Rate, 2), "0.", ".", 1))
		}
		if n := len(rates); n > mostRates {
			rates = slices.Concat(rates[:2], []string{"…"}, rates[n-2:])
		}
		cells = append(cells, strings.Join(rates, " "))
	}
	spent := time.Since(t.begun)
	done := max(1, e.Iteration-t.first)
	all := t.Settings.Epochs * e.Iteration / e.Epoch
	left := time.Duration(float64(spent) * float64(all-e.Iteration) / float64(done))
	return append(cells, speed(e.Rate), left.Round(time.Second).String())
}

// examples says how many examples of which shape a set has.
func examples(s *images.Set) string {
	n := text.Count(s.Len())
	switch {
	case s.Pixels != nil:
		return fmt.Sprintf("%s images of %d × %d × %d", n, s.Channels, s.Height, s.Width)
	case s.Channels*s.Height == 1:
		return fmt.Sprintf("%s rows of %d numbers", n, s.Width)
	}
	return fmt.Sprintf("%s rows of %d × %d × %d numbers", n, s.Channels, s.Height, s.Width)
}

// answers says what is predicted.
func answers(s *images.Set, outputs int) string {
	switch {
	case s.Targets == nil:
		return fmt.Sprintf("%d classes", s.Classes)
	case outputs == 1:
		return "1 target"
	}
	return fmt.Sprintf("%d targets", outputs)
}

// introduction are the first lines.
func (x *execution) introduction() string {
	s, d := x.Settings, x.Data
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, %s", x.Name, examples(d.Train), answers(d.Train, x.Network.Outputs))
	if d.Test != nil {
		fmt.Fprintf(&b, ", %s to test", text.Count(d.Test.Len()))
	}
	fmt.Fprintf(&b, "\n%s, %s parameters, norm %s · method %s", x.Network.Kind, text.Count(x.engine.Layout().Size()), x.Network.Norm, s.Method)
	switch {
	case s.Method == "ensemble":
		fmt.Fprintf(&b, ", %d members", s.Members)
	case s.Rungs() > 1:
		fmt.Fprintf(&b, ", %d rungs (temperature %g … %g)", s.Rungs(), s.Temperature[0], s.Temperature[s.Rungs()-1])
	case s.Temperature[0] > 0:
		fmt.Fprintf(&b, ", temperature %g", s.Temperature[0])
	}
	if s.Bound > 0 {
		fmt.Fprintf(&b, ", weights in [−%g, %g]", s.Bound, s.Bound)
	}
	fmt.Fprintf(&b, " · %d epochs of batches of %d\n\n", s.Epochs, s.Batch)
	return b.String()
}
