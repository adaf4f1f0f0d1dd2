// Package forecast answers what a finished run says of what was not observed: of the
// trajectories of its system, or of other rows of a table; with tables and figures of it.
package forecast

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/ode"
)

// Options are what is asked for. Messages call them as the flags of simulate. A nil
// pointer is what was not asked for.
type Options struct {
	From      string   // parameters: draws, mean or mode (of each parameter by itself)
	Until     string   // last time, or +T: so much beyond the data; empty is the last of the data
	StartTime *float64 // that of a row of the data, or with Start; nil is the first of the data
	Start     []string // initial state, as in x=1,y=2; of states not given the model's
	Points    *int     // times, evenly spaced; nil is as dense as the data, from 500 to 5000
	Times     string   // file with the times in place of Until and Points, FILE or FILE:COLUMN
	Draws     int      // at most
	Level     float64  // of intervals, in percent
	Noise     *bool    // intervals of observations; nil is where the noise of the data is known
	Set       []string // parameters to change, as in beta=0.03
	Truth     []string // known parameters to compare with, as in sigma=10,rho=28
	Against   string   // run folder or file of data to compare with
	Apart     *float64 // distance from which on trajectories are apart; nil is 1
	Solver    ode.Method
	RTol      float64
	ATol      *float64 // of every state; nil is 1e-10 of the largest value of each
	Lyapunov  bool     // largest Lyapunov exponent at the mode
	Keep      bool     // writes every trajectory, or draw of the rows
	Data      string   // table of a model of rows; empty is that of the run
	Out       string   // folder; empty is that of the run, and simulation in it
	Force     bool     // writes into a folder that is not empty
	Seed      uint64   // of random observations
	Threads   int      // trajectories at once; changes no number. 0 is all processors
}

// A Result is what was found and what was written.
type Result struct {
	Told
	Dir     string   // the folder
	Files   []string // tables and report in it
	Figures []string // names of the figures
}

// Told is the content of simulation.json: a [*Report] or a [*RowReport].
type Told interface {
	Text(style text.Style) string // for a person
	Warned() []string
}

// A task is a simulation that can be made as asked.
type task interface {
	// results simulates and draws; figures are the names of those among the files.
	results(ctx context.Context) (files job.Sheaf, told Told, figures []string, err error)
}

// Make simulates the finished run in a folder, the equations of one of identify or the rows of
// one of fit, and writes what becomes of them. What cannot be done as asked is a
// [*job.Refused]. Once ctx is done it stops with its error. After any error nothing is left of
// it.
func Make(ctx context.Context, dir string, options Options) (*Result, error) {
	if err := options.check(); err != nil {
		return nil, &job.Refused{Err: err}
	}
	src, err := open(dir, "identify", "fit")
	if err != nil {
		return nil, err
	}
	p, err := options.task(src)
	if refused := (*job.Refused)(nil); err != nil && !errors.As(err, &refused) {
		err = &job.Refused{Err: err}
	}
	if err != nil {
		return nil, err
	}
	q := job.Request{Dir: filepath.Clean(cmp.Or(options.Out, filepath.Join(dir, "simulation"))), Force: options.Force}
	if err := free(q.Dir); err != nil {
		return nil, &job.Refused{Err: err}
	}
	r := &Result{Dir: q.Dir, Files: []string{"simulation.csv", "simulation.json"}}
	err = q.Draft(kind(), func(folder *job.Folder) error {
		files, told, figures, err := p.results(ctx)
		switch {
		case ctx.Err() != nil:
			return job.Early{Err: context.Cause(ctx), Before: "all was simulated"}
		case err != nil:
			return fmt.Errorf("%s: %w.\nnothing was written", src.run.Name, err)
		}
		r.Told, r.Figures = told, figures
		for _, f := range files {
			if f.Name == keptRows || f.Name == keptPaths {
				r.Files = append(r.Files, f.Name)
			}
		}
		return write(folder, files, told)
	})
	return r, err
}

// task is what options ask of a run.
func (o *Options) task(src *source) (task, error) {
	if src.run.Rows != nil {
		return o.ofRows(src)
	}
	if o.Data != "" {
		return nil, errors.New("--data belongs to runs of fit: compare trajectories with data by --against")
	}
	if err := src.system(); err != nil {
		return nil, err
	}
	return o.plan(src)
}

// What is written of all draws, if they are kept.
const (
	keptPaths = "trajectories.csv"
	keptRows  = "draws.csv"
)

func (p *plan) results(ctx context.Context) (job.Sheaf, Told, []string, error) {
	o, err := p.outcome(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	files, err := o.render(ctx)
	return files, o.report, o.figures, err
}

const (
	mostPoints = 1_000_000 // times at most
	farthest   = 1e150     // length of time
	leastRTol  = 2.3e-14   // no number is more exact
)

// check says what is wrong with options, whatever the run.
func (o *Options) check() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if !slices.Contains([]string{"draws", "mean", "mode"}, o.From) {
		bad("--from %s: must be draws, mean or mode", o.From)
	}
	if p := o.Points; p != nil && (*p < 2 || *p > mostPoints) {
		bad("--points %d: must be from 2 to %d", *p, mostPoints)
	}
	if o.Draws < 1 {
		bad("--draws %d: must be at least 1", o.Draws)
	}
	if !(o.Level > 0 && o.Level < 100) {
		bad("--level %g: must be between 0 and 100, in percent", o.Level)
	}
	if a := o.apart(); !(a > 0) || math.IsInf(a, 1) {
		bad("--apart %g: must be a positive distance", a)
	}
	if !(o.RTol >= leastRTol && o.RTol < 0.1) {
		bad("--rtol %g: must be at least %g and below 0.1", o.RTol, leastRTol)
	}
	if a := o.ATol; a != nil && (!(*a > 0) || math.IsInf(*a, 1)) {
		bad("--atol %g: must be positive and finite", *a)
	}
	if t := o.StartTime; t != nil && *t-*t != 0 {
		bad("--start-time %g: must be a finite time", *t)
	}
	if o.Threads < 0 {
		bad("--threads %d: must not be negative", o.Threads)
	}
	if o.Times != "" && (o.Until != "" || o.Points != nil) {
		bad("--times says it all: remove --until and --points")
	}
	if o.Against != "" && len(o.Truth) > 0 {
		bad("--truth and --against exclude each other")
	}
	if o.Apart != nil && o.Against == "" && len(o.Truth) == 0 {
		bad("--apart belongs to a comparison: add --truth or --against")
	}
	return errors.Join(errs...)
}

func (o *Options) apart() float64 {
	if o.Apart == nil {
		return 1
	}
	return *o.Apart
}
