package forecast

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/internal/figure"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/regular"
	"github.com/r2sgld/r2sgld/internal/report"
	"github.com/r2sgld/r2sgld/internal/rows"
	"github.com/r2sgld/r2sgld/internal/simulation"
	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/stream"
)

// A RowReport is what a simulation of a model of rows says, the content of simulation.json.
type RowReport struct {
	Schema   int             `json:"schema"`
	Name     string          `json:"name"` // of the run
	From     string          `json:"from"` // draws
	Draws    int             `json:"draws"`
	Of       int             `json:"of"` // draws of the run
	Seed     uint64          `json:"seed"`
	Data     string          `json:"data"` // the file
	Rows     int             `json:"rows"`
	Missing  int             `json:"missing"` // rows without a value that the model takes
	Level    float64         `json:"level"`
	Outcomes []OutcomeReport `json:"outcomes"`
	Warnings []string        `json:"warnings"`

	shown [][]string // the first rows, with a header
}

// An OutcomeReport is how well what was observed of an outcome is predicted. Numbers are null
// where nothing was observed.
type OutcomeReport struct {
	report.Prediction
	Observed int     `json:"observed"` // rows with a value of it
	Within   float64 `json:"within"`   // share of these within the interval of their row
	RMSE     float64 `json:"rmse"`     // root of the mean square of observed less predicted mean
}

// A rowTask predicts the rows of a table.
type rowTask struct {
	asked *Options
	src   *source
	of    *rows.Outcomes
	file  string
}

// ofRows plans predictions by a run of fit.
func (o *Options) ofRows(src *source) (*rowTask, error) {
	for flag, given := range map[string]bool{"--from": o.From != "draws", "--until": o.Until != "", "--start-time": o.StartTime != nil,
		"--start":  o.Start != nil,
		"--points": o.Points != nil, "--times": o.Times != "", "--set": o.Set != nil, "--truth": o.Truth != nil, "--against": o.Against != "",
		"--lyapunov": o.Lyapunov, "--noise": o.Noise != nil && !*o.Noise} {
		if given {
			return nil, fmt.Errorf("%s belongs to trajectories: %s is a run of fit, whose rows are predicted by its draws", flag, src.dir)
		}
	}
	t := &rowTask{asked: o, src: src, of: src.run.Rows.Outcomes, file: src.run.Resolved.Table().File}
	switch {
	case len(t.of.Of) == 0:
		return nil, fmt.Errorf("%s: %w", src.dir, rows.ErrNoLaw)
	case o.Data == "":
		return t, nil
	}
	file, err := regular.Open(o.Data)
	if err != nil {
		return nil, fmt.Errorf("--data: %s cannot be read: %v", o.Data, regular.Why(err))
	}
	defer file.Close()
	t.file = o.Data
	if t.of, err = src.run.Rows.On(file, o.Data); err != nil {
		return nil, fmt.Errorf("--data: %w", err)
	}
	if t.of.Line.Len() == 0 {
		return nil, fmt.Errorf("--data: %s: every row lacks a value that the model takes", o.Data)
	}
	return t, nil
}

// mostPredicted bounds how many numbers are drawn.
const mostPredicted = 100_000_000

func (t *rowTask) results(ctx context.Context) (job.Sheaf, Told, []string, error) {
	o, n := t.asked, t.of.Line.Len()
	states, of, err := t.src.draws(min(o.Draws, max(1, mostPredicted/n/len(t.of.Of))))
	if err != nil {
		return nil, nil, nil, err
	}
	r := &RowReport{Schema: 1, Name: t.src.run.Name, From: "draws", Draws: len(states), Of: of, Seed: o.Seed, Data: filepath.Base(t.file),
		Rows:    n,
		Missing: t.of.Missing, Level: o.Level}
	if r.Missing > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("no prediction of %s without a value that the model takes: the column line of "+
			"simulation.csv tells of which there is one.",
			text.Counted(r.Missing, "row")))
	}
	for _, name := range t.of.Lacking {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s has no column for %s: what is predicted together with it is compared without it.", r.Data,
			name))
	}
	for _, l := range t.of.New {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s holds %s that the fit has not seen, %s: what it has for them is drawn from its priors, "+
			"given the other parameters of each draw.", l.Column, text.Counted(len(l.Names), "level"), few(l.Names)))
	}
	if w := disagreement(t.src.parameters); w != "" {
		r.Warnings = append(r.Warnings, w)
	}
	drawn, err := t.of.Draw(ctx, states, &stream.New(o.Seed, 0).Of(0, predictive).Rand)
	if err != nil {
		return nil, nil, nil, err
	}
	var table columns
	table.add("line", floats(t.of.Line.Numbers()))
	var shown []figure.Predicted
	for i := range t.of.Of {
		of := &t.of.Of[i]
		mean, observed, straight := of.Straight(drawn[i])
		out := outcomeOf(of, mean, observed, straight, o.Level, &table)
		r.Outcomes = append(r.Outcomes, out)
		if out.Observed == n && n > 1 {
			shown = append(shown, figure.Predicted{Axis: figure.Axis{Name: of.Name}, Observed: observed, Drawn: straight,
				Of: figure.OutcomeOf(of.Discrete, of.Most)})
		}
	}
	r.shown = table.head(10)
	files, figures, err := t.render(ctx, r, table, drawn, shown)
	return files, r, figures, err
}

// few are the first of some names.
func few(names []string) string {
	if len(names) > 5 {
		names = append(slices.Clone(names[:5]), "…")
	}
	return strings.Join(names, ", ")
}

// outcomeOf is what draws say of an outcome, whose columns it adds to the table.
func outcomeOf(of *rows.Outcome, mean, observed []float64, drawn [][]float64, level float64, table *columns) OutcomeReport {
	low, high := simulation.Ends(level)
	least, median, most := spread(drawn, low, high)
	out := OutcomeReport{Prediction: report.Check(of.Name, observed, drawn, of.Statistics()...), Within: math.NaN(), RMSE: math.NaN()}
	within, square := 0.0, 0.0
	for k, y := range observed {
		if math.IsNaN(y) {
			continue
		}
		out.Observed++
		if square += (y - mean[k]) * (y - mean[k]); y >= least[k] && y <= most[k] {
			within++
		}
	}
	if out.Observed > 0 {
		out.Within, out.RMSE = within/float64(out.Observed), math.Sqrt(square/float64(out.Observed))
		table.add(of.Name+".observed", observed)
	}
	table.add(of.Name+".mean", mean)
	table.add(of.Name+".q"+decimal(100*low), least)
	table.add(of.Name+".q50", median)
	table.add(of.Name+".q"+decimal(100*high), most)
	return out
}

// render makes the files but for the report.
func (t *rowTask) render(ctx context.Context, r *RowReport, table columns, drawn [][][]float64, shown []figure.Predicted) (job.Sheaf,
	[]string, error) {
	data, err := table.text(ctx)
	if err != nil {
		return nil, nil, err
	}
	files := job.Sheaf{{Name: "simulation.csv", Data: data}}
	if t.asked.Keep {
		if data, err = t.all(ctx, drawn); err != nil {
			return nil, nil, err
		}
		files = append(files, job.File{Name: keptRows, Data: data})
	}
	pictures := job.Pictures{Write: files.Add}
	if shown != nil {
		f, err := figure.Predictive(shown[:min(len(shown), figure.MostPanels)], r.Level)
		if err := pictures.Add(ctx, "predictive", f, err); err != nil {
			return nil, nil, err
		}
	}
	r.Warnings = append(r.Warnings, pictures.Warnings...)
	return files, pictures.Names, ctx.Err()
}

// all is draws.csv: every draw of every row.
func (t *rowTask) all(ctx context.Context, drawn [][][]float64) ([]byte, error) {
	names := []string{"draw", "line"}
	for _, of := range t.of.Of {
		names = append(names, of.Name)
	}
	var b bytes.Buffer
	b.WriteString(header(names))
	for k := range drawn[0] {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for row, line := range t.of.Line.All() {
			b.WriteString(strconv.Itoa(k+1) + "," + strconv.Itoa(line))
			for i := range drawn {
				b.WriteByte(',')
				b.Write(number(b.AvailableBuffer(), drawn[i][k][row]))
			}
			b.WriteByte('\n')
		}
	}
	return b.Bytes(), nil
}

// spread are the quantiles of the draws of every row that are numbers.
func spread(drawn [][]float64, low, high float64) (least, median, most []float64) {
	var at []float64
	for k := range drawn[0] {
		at = at[:0]
		for _, d := range drawn {
			if v := d[k]; !math.IsNaN(v) {
				at = append(at, v)
			}
		}
		q := []float64{math.NaN(), math.NaN(), math.NaN()}
		if len(at) > 0 {
			q = diag.Quantiles(at, low, 0.5, high)
		}
		least, median, most = append(least, q[0]), append(median, q[1]), append(most, q[2])
	}
	return least, median, most
}

func floats(of []int) (out []float64) {
	for _, v := range of {
		out = append(out, float64(v))
	}
	return out
}

// head are the names and the first rows as a person reads them.
func (c *columns) head(most int) [][]string {
	out := [][]string{c.names}
	for k := range min(most, len(c.values[0])) {
		var cells []string
		for _, v := range c.values {
			cells = append(cells, text.Short(v[k], 4))
		}
		out = append(out, cells)
	}
	return out
}

// Text is what a person reads: the first rows and how well the outcomes are predicted.
func (r *RowReport) Text(style text.Style) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s of %s, %s of %s\n", r.Name, text.Counted(r.Rows, "row"), r.Data, text.Counted(r.Draws, "draw"), text.Count(r.Of))
	b.WriteString(text.Grid(r.shown, 0, style))
	if more := r.Rows - (len(r.shown) - 1); more > 0 {
		fmt.Fprintf(&b, " … and %s more in simulation.csv\n", text.Count(more))
	}
	for _, o := range r.Outcomes {
		if o.Observed > 0 {
			fmt.Fprintf(&b, " %s: %.0f %% of %s within the %g %% of their row, rmse %s\n", o.Outcome, 100*o.Within,
				text.Counted(o.Observed, "observation"), r.Level,
				text.Short(o.RMSE, 4))
		}
	}
	return b.String()
}

// Warned are the warnings.
func (r *RowReport) Warned() []string { return r.Warnings }
