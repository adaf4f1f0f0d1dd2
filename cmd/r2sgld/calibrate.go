package main

import (
	"cmp"
	"context"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/r2sgld/r2sgld/internal/calibration"
	"github.com/r2sgld/r2sgld/internal/cases"
)

func calibrateCommand() *cobra.Command {
	var c common
	var replications int
	cmd := &cobra.Command{
		Use:   "calibrate CONFIG.yaml",
		Short: "Are the posteriors of a model right? Ranks of parameters drawn from its priors",
		Long: `Simulation-based calibration of a model of fit, or of one of identify with likelihood
trajectory: parameters are drawn from the priors, data from the model by them, and the
parameters are ranked among the draws of the posterior of those data. If priors,
likelihood and sampler fit each other, ranks are uniform, of every parameter and of the
log likelihood. The folder gets summary.json, replications.csv and the figure
calibration, and r2sgld resume goes on with it.`,
		Example: `  r2sgld calibrate examples/fit/o-rings.yaml --replications 400`,
		Args:    takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			j, err := unlessStopped(cmd.Context(), func() (*calibration.Job, error) {
				of, err := calibration.Read(args[0], c.set, replications)
				if err != nil {
					return nil, err
				}
				return of.Job(cmd.Context(), c.programs(cmd.Context()))
			})
			if err != nil {
				return err
			}
			return c.calibrate(cmd.Context(), j)
		},
	}
	c.starting(cmd)
	c.staff.register(cmd)
	c.shown(cmd)
	cmd.Flags().IntVar(&replications, "replications", 200, "how often parameters and data are drawn")
	return cmd
}

// calibrate makes the replications of a job.
func (c *common) calibrate(ctx context.Context, j *calibration.Job) (err error) {
	if j.Dir, err = c.place(j.Name+"-calibration", j.Dir); err != nil {
		return err
	}
	leavingRun(j.Dir, j.Resume)
	j.Force, j.Checkpoint, j.Threads = c.force, c.checkpoint, cmp.Or(c.threads, runtime.GOMAXPROCS(0))
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
	if err != nil || !c.json {
		return err
	}
	return c.printJSON(sum)
}
