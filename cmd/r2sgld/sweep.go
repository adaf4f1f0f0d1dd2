package main

import (
	"cmp"
	"context"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/r2sgld/r2sgld/internal/cases"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/runner"
	"github.com/r2sgld/r2sgld/internal/sweep"
)

// sweepFlags are those of a sweep, new or resumed.
type sweepFlags struct {
	jobs int
	show []string
}

func (s *sweepFlags) register(cmd *cobra.Command) {
	cmd.Flags().IntVar(&s.jobs, "jobs", 0, "cases at once on this machine; changes no draw (default all processors, by --threads)")
	cmd.Flags().StringSliceVar(&s.show, "show", nil, "parameters in the table on the terminal (default the first)")
}

func sweepCommand() *cobra.Command {
	var c common
	var over []string
	cmd := &cobra.Command{
		Use:   "sweep CONFIG.yaml --over KEY=VALUES",
		Short: "A run for every value of keys, and one table",
		Long: `A run of sample, identify or fit, by what the configuration is of, for every value of a
key, or for every combination of values where --over is given several times. Values are
parted by commas; 1..10 are whole numbers; lists stand in brackets. Each run has a
folder of its own in that of the sweep, as if it were made alone, with
--set KEY=VALUE; summary.json and cases.csv hold one line for each. r2sgld resume goes on
with a sweep: cases that are done stay, others go on from their checkpoints. A case that
fails is told in the table, and the others go on.`,
		Example: `  r2sgld sweep examples/flower.yaml --over sampler.seed=1..10
  r2sgld sweep examples/flower.yaml --over 'sampler.temperature=[1,5],[1,10]' --over sampler.swap.scheme=deo,adj`,
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			j, err := unlessStopped(cmd.Context(), func() (*sweep.Job, error) {
				return sweep.New(cmd.Context(), args[0], c.set, over, c.programs(cmd.Context()))
			})
			if err != nil {
				return err
			}
			return c.sweep(cmd.Context(), j)
		},
	}
	c.starting(cmd)
	c.limited(cmd)
	c.staff.register(cmd)
	c.shown(cmd)
	c.sweeps.register(cmd)
	cmd.Flags().StringArrayVar(&over, "over", nil, "a key as in --set and its values, as in --over sampler.seed=1..10 (repeatable)")
	return cmd
}

// sweep makes the cases of a job.
func (c *common) sweep(ctx context.Context, j *sweep.Job) (err error) {
	if j.Dir, err = c.place(j.Name+"-sweep", j.Dir); err != nil {
		return err
	}
	if c.sweeps.jobs < 0 {
		return &job.Refused{Err: fmt.Errorf("--jobs %d: must not be negative", c.sweeps.jobs)}
	}
	leavingRun(j.Dir, j.Resume)
	all := runtime.GOMAXPROCS(0)
	j.Hands = cmp.Or(c.sweeps.jobs, min(j.Cases(), max(1, all/max(1, c.threads))))
	j.Threads = cmp.Or(c.threads, max(1, all/j.Hands))
	j.Shown, j.Programs = c.sweeps.show, c.programs(ctx)
	j.Limits = func(dir string) runner.Limits {
		l := c.limits(dir)
		l.Memory /= float64(j.Hands)
		return l
	}
	j.Force, j.Checkpoint = c.force, c.checkpoint
	j.Out, j.Terminal = c.screen()
	j.Tally = new(cases.Tally)
	end, err := c.page(&j.Request, casesOf(j.Tally))
	if err != nil {
		return err
	}
	defer end()
	h, err := c.helpers(j.Dir, j.Terminal)
	if err != nil {
		return err
	}
	j.Others = h.list(j.Name, j.Hash)
	sum, err := j.Run(ctx)
	h.close()
	offeredNoMore(j.Dir, err)
	if sum == nil || !c.json {
		return err
	}
	if told := c.printJSON(sum); told != nil {
		return told
	}
	return err
}

// swept says where the runs of a sweep are, to whom it takes for one.
func swept(dir string) error {
	return fmt.Errorf("%s is a sweep: its runs are in %s/cases, what they found in %s/cases.csv. Name one of them", dir, dir, dir)
}
