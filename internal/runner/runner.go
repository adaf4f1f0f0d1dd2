// Package runner answers what becomes of a configuration: it samples, shows the
// progress, and leaves a run folder with draws, summary, figures and
// checkpoints.
package runner

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/dynamics"
	"github.com/r2sgld/r2sgld/internal/config"
	"github.com/r2sgld/r2sgld/internal/derived"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/report"
	"github.com/r2sgld/r2sgld/internal/rows"
	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/tune"
)

// A Job is a run to be made. Warnings of the job are shown with those of the run.
type Job struct {
	job.Request
	Method   string
	Problem  r2sgld.Problem
	Settings r2sgld.Settings
	Model    *dynamics.Problem // what identify fits; nil for others
	Rows     *rows.Posterior   // what fit fits; nil for others
	Outputs  derived.Outputs   // nil where nothing but the energy is known of states
	Program  []string          // outputs of the program that has the energies, of which Until is asked too
	Time     string            // what the data call the time, for figures
	Until    *tune.Until       // of method auto, which finds step sizes and temperatures itself and runs until then; nil for others

	Limits Limits   // of what it may take
	Bare   bool     // leaves figures out
	Shown  []string // parameters that figures show, the first that fit; nil is all, in their order

	Doubts []func() []string // of helpers, once the run is over: further warnings
}

// Of is the job that makes the run of a configuration.
func Of(r *config.Run) (*Job, error) {
	hash, err := r.Resolved.Hash()
	j := &Job{Request: job.Request{Command: r.Command, Name: r.Name, Warnings: r.Warnings, Config: r.Resolved, Hash: hash},
		Method: r.Resolved.Sampler.Method, Problem: r.Problem, Settings: r.Settings, Until: r.Until, Model: r.Model, Rows: r.Rows,
		Outputs: r.Outputs, Program: r.Program}
	if f := r.Resolved.Figures; f != nil {
		j.Bare, j.Shown = f.None, f.Parameters
	}
	if d := r.Resolved.Series(); d != nil {
		j.Time = cmp.Or(d.Time, "row")
	}
	return j, err
}

// Run makes the run and returns its summary, which is also in the folder. Its
// error is a *job.Refused if nothing was written, a job.Early or a *job.Interrupted if the
// context ended, and says where the checkpoint is if the run failed.
func (j *Job) Run(ctx context.Context) (*report.Summary, error) {
	if err := r2sgld.Check(ctx, j.Problem, j.Settings); ctx.Err() != nil {
		return nil, job.Early{Err: ctx.Err()}
	} else if err != nil {
		return nil, &job.Refused{Err: fmt.Errorf("%s: %w", j.Name, err)}
	}
	if j.Until == nil {
		if why := j.exceeded(j.Settings.Iterations); why != "" {
			return nil, &job.Refused{Err: fmt.Errorf("%s: %s. Raise thin, or the limit, or lower iterations", j.Name, why)}
		}
	}
	k := kind()
	if !j.Resume {
		k.Needs = needs(j.Command, max(1, j.Settings.Ladders))
	}
	j.Seed = &j.Settings.Seed
	folder, err := j.Open(k)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	x := &execution{Job: j, folder: folder, begun: time.Now()}
	sum, err := x.run(ctx)
	if err != nil {
		return nil, folder.Stopped(err)
	}
	folder.Log.Info("done", "draws", sum.Draws, "seconds", sum.Seconds)
	return sum, folder.Close()
}

func section(ladder int) string { return fmt.Sprintf("ladder %d", ladder+1) }

// states reads the newest whole checkpoint of this run, and how many iterations of all
// ladders are behind it; nil where sampling begins anew.
func (x *execution) states() (states [][]byte, iterations int, err error) {
	c, path, err := x.folder.Newest("sampling", x.Until != nil) // method auto knows its settings without any
	if c == nil || err != nil {
		return nil, 0, err
	}
	x.from = path
	for i := range max(1, x.Settings.Ladders) {
		b, ok := c.Section(section(i))
		if !ok {
			return nil, 0, fmt.Errorf("%s holds no state of ladder %d", path, i+1)
		}
		states = append(states, b)
	}
	return states, c.Iteration, nil
}

// answer prints what a run found, before predictions and figures are made.
func (x *execution) answer(sum *report.Summary) {
	var b strings.Builder
	b.WriteString("\n" + report.Table(sum.Parameters, text.StyleOf(x.Out)) + report.OutputTable(sum.Outputs, text.StyleOf(x.Out)))
	if len(sum.Equations) > 0 {
		b.WriteByte('\n')
	}
	for _, e := range sum.Equations {
		b.WriteString(" " + e.Text)
		for _, f := range sum.Fit {
			if f.State == e.State { // a state without data has no fit
				b.WriteString("        R² " + text.Number(f.R2, 2))
			}
		}
		b.WriteByte('\n')
	}
	if x.chosen != "" {
		b.WriteString("\n" + x.chosen)
	}
	fmt.Fprint(x.Out, b.String())
}

// show prints the end of a run.
func (x *execution) show(sum *report.Summary, figures []string, ladders int) {
	var b strings.Builder
	b.WriteString("\n" + sum.Footer())
	csv := "draws-1.csv"
	if ladders > 1 {
		csv = fmt.Sprintf("draws-1…%d.csv", ladders)
	}
	fmt.Fprintf(&b, " wrote %s/: summary.json, draws.zarr, %s", x.Dir, csv)
	if x.Bare {
		b.WriteString("\n")
	} else {
		fmt.Fprintf(&b, ", figures (%d)\n   %s/figures/: %s (.svg, .png)\n", len(figures), x.Dir, strings.Join(figures, " "))
		b.WriteString(x.unseen(sum.Parameters))
	}
	if x.Model != nil {
		if _, err := x.Model.System(); err == nil {
			fmt.Fprintf(&b, " next: r2sgld simulate %s\n", text.Word(x.Dir))
		}
	}
	fmt.Fprint(x.Out, b.String())
	again := x.Again
	if x.Until != nil && x.Until.Bias > 0 {
		again += " --set sampler.until.bias=null"
	}
	for _, w := range sum.Warnings {
		if x.Again != "" { // which the summary does not know
			w = strings.Replace(w, report.ByKernel, again+" "+report.ByKernel, 1)
		}
		x.Job.Warn(w) // which the summary holds
	}
	x.Job.Warn(sum.Misfits()...)
	if x.Model == nil {
		return
	}
	if n := x.Model.Likelihood.Undecided(); n > 0 { // of this process: not for the summary, which is the same after a resume
		x.Warn(fmt.Sprintf("%s trajectories took too many steps and were given up: their parameters count as impossible. Forbid them by "+
			"constraints, or loosen model.solver.", text.Count(int(n))))
	}
}
