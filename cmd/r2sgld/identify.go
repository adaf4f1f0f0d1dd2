package main

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/r2sgld/r2sgld/config"
	"github.com/r2sgld/r2sgld/runner"
)

func identifyCommand() *cobra.Command {
	var c common
	cmd := &cobra.Command{
		Use:   "identify CONFIG.yaml",
		Short: "Posterior of the parameters of a dynamical system from a CSV time series, under constraints",
		Long: `Posterior of the parameters of a dynamical system from a CSV time series, under
constraints. The sampler section of the configuration may be left out: the posterior
is whitened and the step size, the rungs and the number of iterations have defaults.`,
		Example: `  r2sgld identify examples/lynx-hare.yaml
  r2sgld identify examples/lynx-hare.yaml --json --quiet > summary.json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := config.LoadIdentify(args[0], c.set)
			if err != nil {
				return err
			}
			j, err := identifyJob(s)
			if err != nil {
				return err
			}
			return c.run(cmd, j)
		},
	}
	c.starting(cmd)
	return cmd
}

func identifyJob(s *config.Identify) (*runner.Job, error) {
	hash, err := s.Resolved.Hash()
	return &runner.Job{Command: "identify", Name: s.Name, Method: s.Resolved.Sampler.Method, Problem: s.Problem, Settings: s.Settings,
		Model: s.Model, Time: cmp.Or(s.Resolved.Data.Time, "row"), Config: s.Resolved, Hash: hash}, err
}
