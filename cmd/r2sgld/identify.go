package main

import "github.com/spf13/cobra"

func identifyCommand() *cobra.Command {
	var c common
	cmd := &cobra.Command{
		Use:   "identify CONFIG.yaml",
		Short: "Posterior of the parameters of a dynamical system from a CSV time series, under constraints",
		Long: `Posterior of the parameters of a dynamical system from a CSV time series,
under constraints. The sampler section of the configuration may be left out: method
auto finds step sizes, a whitening and the rungs, and runs until R̂ and effective
sample sizes suffice. Defaults are, in the model section,
  likelihood: derivative   or log-derivative
  derivative: central      or savgol, column
  noise: estimate          or paper, {STATE: SD, …}`,
		Example: `  r2sgld identify examples/lynx-hare.yaml
  r2sgld identify examples/lynx-hare.yaml --json --quiet > summary.json`,
		Args: cobra.ExactArgs(1),
		RunE: c.load,
	}
	c.starting(cmd)
	return cmd
}
