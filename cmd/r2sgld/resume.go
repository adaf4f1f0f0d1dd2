package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/r2sgld/r2sgld/internal/calibration"
	"github.com/r2sgld/r2sgld/internal/config"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/runner"
	"github.com/r2sgld/r2sgld/internal/store"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/sweep"
	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/internal/training"
)

func resumeCommand() *cobra.Command {
	var c common
	var iterations int
	cmd := &cobra.Command{
		Use:   "resume RUN",
		Short: "Go on with a run from its newest checkpoint",
		Long: `Go on with a run from its newest checkpoint. The draws are those of a run that was
never interrupted. --iterations extends a run (of method auto: to so many iterations
at least), and so does --set sampler.until.ess=4000 with method auto; --set also
changes the step sizes, the cap or the swaps from here on, or what figures show
(figures.parameters=[a, b]) and outputs tell (model.outputs={or: exp(b)}), also of a
finished run. A training goes on to the
bytes of one that was never interrupted; it cannot be extended, and --set can change
its device alone. What is finished stays as it is.`,
		Example: `  r2sgld resume runs/flower-20261121-101300
  r2sgld resume runs/flower-20261121-101300 --iterations 200000
  r2sgld resume runs/fashion-20261121-101300 --set 'device=[cuda:0]'`,
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("iterations") {
				c.set = append(c.set, fmt.Sprintf("sampler.iterations=%d", iterations))
			}
			return c.resume(cmd, folderOf(args[0]))
		},
	}
	c.running(cmd)
	c.limited(cmd)
	c.staffed(cmd)
	c.sweeps.register(cmd)
	cmd.Flags().IntVar(&iterations, "iterations", 0, "iterations per ladder in all, burn-in included (default as begun)")
	return cmd
}

// folderOf is the name of a folder, without slashes at its end.
func folderOf(arg string) string {
	if dir := strings.TrimRight(arg, "/"); dir != "" {
		return dir
	}
	return arg[:min(1, len(arg))]
}

// reproduced is the command that goes on with the newest studies of a folder; "" is of a folder
// of anything else.
func reproduced(dir, newest string) string {
	t, ok := study.TaskIn(newest)
	force := ""
	if newest != dir {
		force = " --force"
	}
	if ok {
		return fmt.Sprintf("r2sgld reproduce %s --scale %s --seed %d --out %s%s", t.Study, t.Scale, t.Seed, text.Word(dir), force)
	}
	if _, ok = study.TaskIn(dir); ok { // what was to take their place has hardly begun
		return fmt.Sprintf("r2sgld reproduce … --out %s%s", text.Word(dir), force)
	}
	return ""
}

// resume goes on with the newest run of a folder, unless it is finished and in its place.
func (c *common) resume(cmd *cobra.Command, dir string) error {
	settled, err := store.Settle(store.Disk{}, dir)
	if err != nil {
		return &job.Refused{Err: err}
	}
	newest := store.Newest(dir)
	if again := reproduced(dir, newest); again != "" {
		if settled {
			return c.tellSettled(dir)
		}
		return &job.Refused{Err: fmt.Errorf("%s holds studies, of which nothing is resumed: give the command again, %s", dir, again)}
	}
	if newest != dir {
		fmt.Fprintf(c.stderr(), "%s: going on with the run that is to take the place of the one in it\n", dir)
	}
	command, m, err := commandIn(newest)
	if err != nil {
		return err
	}
	if settled && (command == "theory" || command == "go") {
		return c.tellSettled(dir)
	}
	if err := stays(command, dir, cmd.Flags().Changed("iterations"), c.set != nil); err != nil {
		return &job.Refused{Err: err}
	}
	if known, err := c.resumeOther(cmd, command, dir, newest, m); known || err != nil {
		return err
	}
	if c.set == nil && newest == dir {
		if done, err := c.runFinished(dir, m); done || err != nil {
			return err
		}
	}
	if err := store.Recorded(dir); err != nil {
		return &job.Refused{Err: err}
	}
	j, err := unlessStopped(cmd.Context(), func() (*runner.Job, error) { return c.resumedJob(cmd.Context(), dir, m) })
	if err != nil {
		return err
	}
	return c.run(cmd, j)
}

// resumeOther goes on with what is no run of sample, identify or fit, if a folder holds that.
func (c *common) resumeOther(cmd *cobra.Command, command, dir, newest string, m job.Manifest[json.RawMessage]) (known bool, err error) {
	ctx := cmd.Context()
	switch command {
	case calibration.Command:
		if done, err := ended[calibration.Summary](c, dir, newest, "ranks"); done || err != nil {
			return true, err
		}
		j, err := unlessStopped(ctx, func() (*calibration.Job, error) { return calibration.Resume(ctx, dir, m, c.programs(ctx)) })
		if err != nil {
			return true, err
		}
		return true, c.calibrate(ctx, j)
	case sweep.Command:
		if sum, err := job.Finished[sweep.Summary](dir); err != nil || sum == nil || sum.Failed == 0 {
			if done, err := ended[json.RawMessage](c, dir, newest, "cases"); done || err != nil {
				return true, err
			}
		}
		j, err := sweep.Resume(dir, m)
		if err != nil {
			return true, err
		}
		return true, c.sweep(ctx, j)
	case "train":
		if done, err := ended[training.Summary](c, dir, newest, "scores"); done || err != nil {
			return true, err
		}
		j, err := unlessStopped(ctx, func() (*training.Job, error) { return c.resumedTraining(dir, m) })
		if err != nil {
			return true, err
		}
		return true, c.train(cmd, j)
	}
	return false, nil
}

// stays says why what a command left in a folder is not gone on with, or not in another way.
func stays(command, dir string, longer, otherwise bool) error {
	switch {
	case command == "theory":
		return fmt.Errorf("%s is a measurement of theory, which is not resumed: it has no draws to go on from. Measure again: r2sgld theory "+
			"CONFIG.yaml", dir)
	case command == "go":
		return fmt.Errorf("%s was written by a Go program, which alone can go on with it: it has no configuration", dir)
	case command == "train" && longer:
		return errors.New("a training is not extended: its schedule and averages span its epochs. Start a new one with more of them " +
			"(sampler.epochs)")
	case (command == calibration.Command || command == sweep.Command) && (longer || otherwise):
		return fmt.Errorf("%s goes on as it was begun: start a new one for anything else", dir)
	}
	return nil
}

// ended reports whether what a folder holds, with such a summary, is finished and in its place,
// and then tells where its results are. If it is not, its files must be as they are on record.
func ended[S any](c *common, dir, newest, what string) (bool, error) {
	if newest == dir { // one beside it has yet to take its place
		sum, err := job.Finished[S](dir)
		if err != nil {
			return false, &job.Refused{Err: err}
		}
		if sum != nil {
			return true, c.tellFinished(dir, sum, what, "")
		}
	}
	if err := store.Recorded(dir); err != nil {
		return false, &job.Refused{Err: err}
	}
	return false, nil
}

// resumedJob makes the job of a run folder again.
func (c *common) resumedJob(ctx context.Context, dir string, m job.Manifest[json.RawMessage]) (*runner.Job, error) {
	programs := c.programs(ctx)
	name := filepath.Join(dir, "run.json")
	begun, err := programs.Parse(m.Command, name, m.Config, nil)
	if err != nil {
		return nil, err
	}
	r, err := programs.Parse(m.Command, name, m.Config, c.set)
	if err != nil {
		return nil, err
	}
	hash, err := begun.Resolved.Hash()
	if err := m.Intact(name, hash, err); err != nil {
		return nil, err
	}
	if now, before := r.Settings.Iterations, begun.Settings.Iterations; now < before {
		return nil, &job.Refused{Err: fmt.Errorf("a run of %d iterations can be extended, not cut to %d", before, now)}
	}
	if err := sameLaw(begun, r); err != nil {
		return nil, err
	}
	j, err := runner.Of(r)
	if err != nil {
		return nil, err
	}
	j.Again = "in a new run, r2sgld " + m.Command + " CONFIG.yaml" // a resumed one keeps its law
	j.Dir, j.Resume, j.Accept = dir, true, append([]string{m.Hash}, m.Previous...)
	return j, nil
}

// sameLaw refuses to mix draws of different settings in one run.
func sameLaw(begun, now *config.Run) error {
	a, err := begun.Resolved.Law()
	if err != nil {
		return err
	}
	b, err := now.Resolved.Law()
	if err != nil {
		return err
	}
	if a != b {
		return &job.Refused{Err: errors.New(
			"a resumed run can change sampler.step_size, sampler.cap, sampler.swap, sampler.until, figures, outputs and, unless its schedule " +
				"is cosine, sampler.iterations only: start a new run for anything else")}
	}
	return nil
}
