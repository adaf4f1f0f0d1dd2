package main

import (
	"github.com/spf13/cobra"

	"github.com/r2sgld/r2sgld/config"
	"github.com/r2sgld/r2sgld/runner"
)

func sampleCommand() *cobra.Command {
	var c common
	cmd := &cobra.Command{
		Use:   "sample CONFIG.yaml",
		Short: "Sample a density given by an expression on a constrained domain",
		Long: `Sample a density given by an expression on a constrained domain. The run folder
gets draws (Zarr for ArviZ, Stan CSV for R), a summary and figures.`,
		Example: `  r2sgld sample examples/flower.yaml
  r2sgld sample examples/flower.yaml --set sampler.iterations=200000 --seed 7 --out runs/flower`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := config.LoadSample(args[0], c.set)
			if err != nil {
				return err
			}
			j, err := sampleJob(s)
			if err != nil {
				return err
			}
			return c.run(cmd, j)
		},
	}
	c.starting(cmd)
	return cmd
}

func sampleJob(s *config.Sample) (*runner.Job, error) {
	hash, err := s.Resolved.Hash()
	return &runner.Job{Command: "sample", Name: s.Name, Method: s.Resolved.Sampler.Method, Problem: s.Problem, Settings: s.Settings,
		Config: s.Resolved, Hash: hash}, err
}
