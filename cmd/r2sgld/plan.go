package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/internal/config"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/report"
	"github.com/r2sgld/r2sgld/internal/runner"
	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/tune"
)

func planCommand() *cobra.Command {
	var c common
	var most time.Duration
	cmd := &cobra.Command{
		Use:   "plan CONFIG.yaml",
		Short: "What a run will do: acceptance, rungs needed, time, memory, after a short measurement",
		Long: `What a run of sample, identify or train will do, after a short measurement: how often
rungs will trade, how many rungs it takes, effective sample size, time, memory and
disk. With method auto, the ladder that it finds. Of a training: its time and memory,
how often rungs would trade by rule metropolis, and the ladder that would. Where the
measurement takes longer than --time it ends, and says what was not reached. Nothing is
written.`,
		Example: `  r2sgld plan examples/flower.yaml
  r2sgld plan examples/networks/fashion.yaml
  r2sgld plan examples/flower.yaml --set 'sampler.temperature=[1, 1000]' --json`,
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if most <= 0 {
				return &job.Refused{Err: fmt.Errorf("--time %s: must be positive, such as 10m", most)}
			}
			ctx, cancel := context.WithTimeoutCause(cmd.Context(), most, errLate)
			defer cancel()
			cmd.SetContext(ctx)
			err := c.plan(cmd, args[0])
			if err != nil && context.Cause(ctx) == errLate {
				return late(args[0], most, err)
			}
			return err
		},
	}
	c.display(cmd)
	f := cmd.Flags()
	f.DurationVar(&most, "time", 5*time.Minute, "how long the measurement may take")
	f.IntVar(&c.threads, "threads", 0, "ladders, or networks of a training, that run at once (default all processors)")
	f.StringArrayVar(&c.set, "set", nil, "override a key, as in --set sampler.iterations=100000 (repeatable)")
	f.Uint64Var(&c.seed, "seed", 1, "seed of all random numbers; overrides sampler.seed")
	return cmd
}

var errLate = errors.New("the time of the plan is over")

// tells is how long a measurement that is over time may take to say how far it came.
const tells = time.Second

// late is the error of a plan that took longer than it may.
func late(path string, most time.Duration, err error) error {
	where := "the measurement had not ended"
	if of, ok := errors.AsType[*tune.Unplanned](err); ok {
		where = of.Error()
	}
	return fmt.Errorf("%s: no plan within %s: %s. More is not known. Give it more time (--time %s), or see whether the density has a finite "+
		"integral and how long a gradient takes", path, most, where, 4*most)
}

// plan forecasts the run of a configuration.
func (c *common) plan(cmd *cobra.Command, path string) error {
	if cmd.Flags().Changed("seed") {
		c.set = append(c.set, fmt.Sprintf("sampler.seed=%d", c.seed))
	}
	if c.threads < 0 {
		return &job.Refused{Err: fmt.Errorf("--threads %d: must not be negative", c.threads)}
	}
	content, err := config.Text(path)
	if err != nil {
		return err
	}
	command := config.CommandOf(content)
	if command == "train" {
		w := c.stdout()
		if c.quiet {
			w = io.Discard
		}
		return c.planTraining(cmd, path, w)
	}
	if command == "theory" {
		return &job.Refused{Err: fmt.Errorf("%s is a configuration of theory, which has nothing to plan: r2sgld theory %s",
			path, text.Word(path))}
	}
	r, err := unlessStopped(cmd.Context(), func() (*config.Run, error) { return c.programs(cmd.Context()).Parse(command, path, content, c.set) })
	if err != nil {
		return err
	}
	r.Settings.Threads = c.threads
	_, progress := c.screen()
	work := report.StartWork(progress, r.Name, "measuring")
	plan, err := stoppedAfter(cmd.Context(), tells, func() (*tune.Plan, error) { return planned(cmd, r) })
	work.Stop()
	if err != nil {
		return unplanned(r, err)
	}
	more := runner.Beside(r.Rows)
	plan.Disk, plan.Memory = plan.Disk+more, plan.Memory+2*more
	switch {
	case c.json:
		err = c.printJSON(plan)
	case !c.quiet:
		fmt.Fprint(c.stdout(), report.PlanText(plan, text.StyleOf(c.stdout())))
	}
	text.Warn(progress, foreseen(r)...)
	if r.Settings.Unbiased() || r.Until != nil && r.Settings.Kernel == nil || r.Model != nil || err != nil {
		return err
	}
	at, err := unlessStopped(cmd.Context(), func() ([]float64, error) {
		return tune.SteepWall(cmd.Context(), r.Problem, r.Settings.Start, r.Settings.Seed)
	})
	if at != nil {
		text.Warn(progress, report.SteepWall(r.Problem, r.Settings, at, again(command, path, c.set)))
	}
	return err
}

// unplanned is the error of a run that cannot be planned, with what to do where it would end.
func unplanned(r *config.Run, err error) error {
	if _, blown := errors.AsType[*r2sgld.BlowUp](err); !blown {
		return fmt.Errorf("%s: %w", r.Name, err)
	}
	advice := "try a tenth of the step (sampler.step_size), or method: auto"
	if r.Until != nil {
		advice = "keep the domain away from there"
	}
	return fmt.Errorf("%s: %w.\nThe run would end there: %s", r.Name, err, advice)
}

// foreseen are the warnings of a run that are known before it.
func foreseen(r *config.Run) []string {
	if r.Model == nil {
		return r.Warnings
	}
	return slices.Concat(r.Model.Warnings, r.Warnings)
}

// planned is the plan of the run.
func planned(cmd *cobra.Command, r *config.Run) (*tune.Plan, error) {
	if r.Until != nil {
		return tune.ForecastAuto(cmd.Context(), r.Problem, r.Settings, *r.Until)
	}
	if err := r2sgld.Check(cmd.Context(), r.Problem, r.Settings); err != nil && cmd.Context().Err() == nil {
		return nil, &job.Refused{Err: err}
	}
	return tune.Forecast(cmd.Context(), r.Problem, r.Settings)
}
