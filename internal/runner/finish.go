package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/report"
	"github.com/r2sgld/r2sgld/internal/store"
	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/tune"
)

// round shows a round of warm-up.
func (x *execution) round(f *tune.Found) {
	nan := math.NaN()
	r := f.Rounds[len(f.Rounds)-1]
	kernel := "warm-up"
	if !x.Settings.Unbiased() && f.Leapfrog > 0 {
		kernel = "hmc"
	}
	round := report.Round{Name: fmt.Sprintf("%s %d", kernel, len(f.Rounds)), RoundTrips: r.RoundTrips, Rejection: r.Rejection,
		RHat: nan, ESS: nan, LogZ: nan, LogZError: nan, Seconds: time.Since(x.begun).Seconds()}
	x.line(f.Modes.Problem(x.Problem), round, "warm-up", "kernel", kernel, "round", len(f.Rounds), "iterations", r.Iterations,
		"barrier", r.Barrier, "rungs", len(f.Beta))
}

// line shows a round of the warm-up or of the run on p, which has log Z if p has a law at
// infinite temperature, be it a fitted one, and writes it to the log under a message, with more
// that is known of it.
func (x *execution) line(p r2sgld.Problem, r report.Round, message string, more ...any) {
	if x.table == nil {
		x.table = report.NewRounds(x.Terminal, p.HasReference())
	}
	x.table.Line(r)
	x.folder.Log.Info(message, append(more, "draws", r.Draws, "round_trips", r.RoundTrips, "rejection", r.Rejection, "rhat", r.RHat,
		"ess", r.ESS, "log_z", r.LogZ, "log_z_error", r.LogZError, "seconds", r.Seconds)...)
}

// Warn shows warnings as they arise, and writes them to the log.
func (x *execution) Warn(warnings ...string) {
	x.Job.Warn(warnings...)
	for _, w := range warnings {
		x.folder.Log.Warn(w)
	}
}

// atOnce is how many iterations lead nowhere: a run that ends within them began badly.
const atOnce = 10

// explain says what an unfinished run means to the user.
func (x *execution) explain(ctx context.Context, err error) error {
	s := x.Settings
	var blown *r2sgld.BlowUp
	var whole told
	if cause := context.Cause(ctx); errors.Is(cause, store.ErrMoved) {
		err = cause
	}
	switch {
	case errors.Is(err, store.ErrMoved):
		return x.folder.Failed(err)
	case errors.As(err, new(*r2sgld.BadState)):
		return fmt.Errorf("%s: %s: %w\nthere is no checkpoint before it to go on from: put back from a copy what was changed, or start the run "+
			"anew with --force", x.Name, x.from, err)
	case errors.As(err, &whole):
		return whole.error
	case errors.As(err, &blown) && x.stream == nil:
		return fmt.Errorf("%s: %w", x.Name, err)
	case errors.As(err, &blown):
		steps := slices.Clone(s.StepSize)
		if len(steps) > 0 {
			steps[blown.Rung-1], _ = strconv.ParseFloat(fmt.Sprintf("%.3g", steps[blown.Rung-1]/10), 64)
		}
		advice := fmt.Sprintf("A checkpoint from before is kept; try a tenth of the step: r2sgld resume %s --set %s",
			text.Word(x.Dir), text.Word("sampler.step_size="+strings.ReplaceAll(fmt.Sprint(steps), " ", ",")))
		switch exact := strings.TrimSpace(x.Again + " " + report.ByKernel + "hmc"); {
		case math.IsInf(blown.Energy, 1) && s.Traits().Coupled && x.Until != nil:
			advice = "Take a kernel that refuses steps there: " + exact
		case math.IsInf(blown.Energy, 1) && s.Traits().Coupled:
			advice += ", or a kernel that refuses steps there: " + exact
		case x.Until != nil || s.Traits().Paths:
			advice = "A checkpoint from before is kept. The energy is not finite in a corner of the domain: keep the domain away from there."
		}
		if blown.Iteration <= atOnce && x.Until == nil {
			advice += ".\nSteps went wrong at once: a start nearer to the mass (sampler.init), or a smaller domain, has less steep slopes"
		}
		return fmt.Errorf("%s: %w.\n%s", x.Name, err, advice)
	case ctx.Err() != nil && x.unsaved == nil:
		_, none := x.folder.ReadFile(job.TunedFile)
		return &job.Interrupted{Dir: x.Dir, Done: x.reached, Of: x.goal, Rounds: none == nil}
	}
	if !x.folder.Resumable(job.TunedFile) {
		return fmt.Errorf("%s: %w", x.Name, err)
	}
	return x.folder.Failed(err)
}

// finish makes and writes all that a finished run leaves behind and shows the
// tables.
func (x *execution) finish(ctx context.Context, res *r2sgld.Result, seconds float64) (*report.Summary, error) {
	x.work = report.StartWork(x.Terminal, x.Name, "summing up")
	x.work.NotedIn(x.folder.Log)
	defer x.work.Stop()
	sum := report.New(x.Name, x.Method, x.Problem, x.Settings, res, x.slopes, seconds)
	var before struct {
		Iterations     int      `json:"iterations"`
		StepsPerSecond *float64 `json:"steps_per_second"`
	}
	if x.Resume && x.folder.ReadJSON("summary.json", &before) == nil && before.StepsPerSecond != nil {
		sum.Extends(before.Iterations, *before.StepsPerSecond)
	}
	sum.Hash = x.Hash
	names, err := x.leave(ctx, res, sum)
	x.work.Stop()
	if err != nil {
		return nil, x.explain(ctx, err)
	}
	if err := x.folder.Install(); err != nil {
		return nil, fmt.Errorf("%s: %w", x.Name, err)
	}
	x.show(sum, names, len(res.Ladders))
	return sum, nil
}

// leave completes the summary and writes every file, summary.json last. It
// returns the names of the figures.
func (x *execution) leave(ctx context.Context, res *r2sgld.Result, sum *report.Summary) (figures []string, err error) {
	x.work.Doing("log Z")
	if err := x.weigh(ctx, res, sum); err != nil {
		return nil, err
	}
	x.work.Doing("checks of steps")
	x.doubts(res, sum)
	if x.Model != nil {
		if err := x.identified(ctx, res, sum); err != nil {
			return nil, err
		}
	}
	if x.Rows != nil {
		sum.Warnings = append(sum.Warnings, x.seams(res)...)
		if sum.Marginal, err = x.restricted(ctx, sum.LogEvidence); err != nil {
			return nil, err
		}
	}
	if x.Outputs != nil {
		x.work.Doing("outputs")
		if err := x.outputs(ctx, res, sum); err != nil {
			return nil, err
		}
		sum.Warnings = append(sum.Warnings, x.doubtful(sum)...)
	}
	x.answer(sum)
	if x.Model != nil || x.Rows != nil {
		x.work.Doing("predictions")
		if err := x.predict(ctx, res); err != nil {
			return nil, err
		}
	}
	if x.Rows != nil {
		if err := x.predictive(ctx, res, sum); err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	x.work.Doing("writing draws")
	if x.Until != nil {
		if err := x.put(res); err != nil {
			return nil, err
		}
	}
	if err := x.stream.Finish(cmp.Or(x.Settings.Threads, runtime.GOMAXPROCS(0))); err != nil {
		return nil, err
	}
	if figures, err = x.figures(ctx, res, sum); err != nil {
		return nil, err
	}
	return figures, x.folder.WriteJSON("summary.json", sum)
}

// doubts completes the warnings of a summary by what is known of the problem and of the
// warm-up.
func (x *execution) doubts(res *r2sgld.Result, sum *report.Summary) {
	sum.Warnings = append(sum.Warnings, x.Warnings...)
	for _, more := range x.Doubts {
		sum.Warnings = append(sum.Warnings, more()...)
	}
	if x.Problem.Base == nil { // far out in a prior U has no bound, and the backward mean no variance
		sum.OneSided()
	}
	if x.found == nil && tune.Singular(x.Problem, x.Settings, res) {
		sum.Singular()
	}
	var guide *tune.Modes
	if x.found == nil {
		sum.Widened(tune.StepBias(x.Problem, x.Settings, res))
	} else {
		guide = x.found.Modes
	}
	sum.Barred(tune.Unstable(x.Problem, x.Settings, guide, res))
	if f := x.found; f != nil {
		sum.Tuned(f)
		j := x.judgement
		sum.Found(x.audit)
		sum.Gradients += x.searched
		sum.Short(res.Names, j.Short)
		sum.Until = &report.Until{Capped: x.over}
		sum.Stopped(*x.Until, j)
		tellHeld(sum, res)
		if x.over != "" {
			sum.Warnings = append(sum.Warnings, x.capped())
		}
	}
}

// acrossSeam is the share of draws near either wall of an angle from which on they lie at both.
const acrossSeam = 0.01

// seams warn of angles whose draws lie at both walls, which are one place.
func (x *execution) seams(res *r2sgld.Result) (warnings []string) {
	for _, j := range x.Rows.Angles() {
		lo, hi, all := 0.0, 0.0, 0.0
		from, to := x.Rows.Prior.Lower[j], x.Rows.Prior.Upper[j]
		near := (to - from) / 20
		for _, c := range res.Chains(j) {
			for _, v := range c {
				if all++; v < from+near {
					lo++
				} else if v > to-near {
					hi++
				}
			}
		}
		if min(lo, hi) > acrossSeam*all {
			warnings = append(warnings, fmt.Sprintf("%s is an angle, and its draws lie at both its walls, which are one place: its mean, sd and "+
				"quantiles are those of a line. Move its walls by half a turn.", x.Rows.Names[j]))
		}
	}
	return warnings
}

// identified completes the summary of a run that identifies a model.
func (x *execution) identified(ctx context.Context, res *r2sgld.Result, sum *report.Summary) (err error) {
	sum.Explain(x.equations(sum.Parameters), x.fits(sum.Parameters))
	sum.LaTeX = x.latex(sum.Parameters)
	if len(x.Model.Terms) > 0 {
		sum.Coefficients, x.chosen = x.coefficients(sum.Parameters)
	}
	if w := x.against(res); w != "" {
		sum.Warnings = append(sum.Warnings, w)
	}
	if err := x.folder.WriteFile("equations.tex", []byte(sum.LaTeX+"\n")); err != nil {
		return err
	}
	if sum.Marginal, err = x.marginal(ctx, sum.LogEvidence); err != nil {
		return err
	}
	sum.Warnings = slices.Insert(sum.Warnings, 0, x.Model.Warnings...) // what the data do not tell comes first
	return nil
}
