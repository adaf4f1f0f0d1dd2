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
sample sizes suffice. In the model section,
  equations: {x: "a*x"}    or library: [poly(2)], terms of every equation;
                           sparse: true finds which of them belong to the model
  likelihood: derivative   slopes of the data (the default); or log-derivative,
                           of their logarithms
              weak         integrals of the data, where they have noise
              trajectory   the data themselves, by solutions of the equations;
                           states may be hidden, rows few
  derivative: central      or savgol, spline, column (first two likelihoods)
  noise: estimate          or paper, {STATE: SD, …}; of a trajectory normal,
                           lognormal
  priors: {a: "normal(0, 1)"}, constraints: ["a > 0"], fixed: {a: 1}`,
		Example: `  r2sgld identify examples/lynx-hare.yaml
  r2sgld identify examples/lynx-hare.yaml --json --quiet > summary.json`,
		Args: takes(1, 1),
		RunE: c.load,
	}
	c.starting(cmd)
	c.limited(cmd)
	c.staffed(cmd)
	return cmd
}
