package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/r2sgld/r2sgld/internal/config"
	"github.com/r2sgld/r2sgld/internal/runner"
	"github.com/r2sgld/r2sgld/internal/text"
)

func sampleCommand() *cobra.Command {
	var c common
	cmd := &cobra.Command{
		Use:   "sample CONFIG.yaml",
		Short: "Sample a density given by an expression on a constrained domain",
		Long: `Sample a density given by an expression on a constrained domain. The run folder
gets draws (Zarr for ArviZ, Stan CSV for R), a summary and figures.

Expressions have the operators + - * / ^, the constant pi and the functions
  exp log log10 log1p expm1 sqrt pow(a, b)
  sin cos tan asin acos atan atan2(y, x) sinh cosh tanh
  abs sign floor min(a, b, …) max(a, b, …)
  sigmoid softplus logsumexp(a, b, …) erf erfc lgamma
  normal_lpdf normal_lcdf lognormal_lpdf cauchy_lpdf (x, mu, sigma)
  student_t_lpdf(x, nu, mu, sigma) exponential_lpdf(x, rate)
  gamma_lpdf(x, shape, rate) beta_lpdf(x, a, b) uniform_lpdf(x, a, b)`,
		Example: `  r2sgld sample examples/flower.yaml
  r2sgld sample examples/flower.yaml --set sampler.iterations=200000 --seed 7 --out runs/flower`,
		Args: takes(1, 1),
		RunE: c.load,
	}
	c.starting(cmd)
	c.limited(cmd)
	c.staffed(cmd)
	return cmd
}

// load runs the configuration that the command is given.
func (c *common) load(cmd *cobra.Command, args []string) error {
	r, err := unlessStopped(cmd.Context(), func() (*config.Run, error) { return c.programs(cmd.Context()).Load(cmd.Name(), args[0], c.set) })
	if err != nil {
		return err
	}
	return c.runOf(cmd, r, again(cmd.Name(), args[0], c.set))
}

// runOf makes the run that a configuration asks for; again is the command that makes it.
func (c *common) runOf(cmd *cobra.Command, r *config.Run, again string) error {
	j, err := runner.Of(r)
	if err != nil {
		return err
	}
	if r.Note != "" && !c.quiet {
		fmt.Fprintln(c.stderr(), " "+r.Note)
	}
	j.Again = again
	return c.run(cmd, j)
}

// again is the command that makes a run, as a shell takes it.
func again(command, file string, set []string) string {
	words := []string{"r2sgld", command, file}
	for _, s := range set {
		words = append(words, "--set", s)
	}
	return text.Words(words...)
}
