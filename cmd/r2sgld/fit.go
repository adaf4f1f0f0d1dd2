package main

import "github.com/spf13/cobra"

func fitCommand() *cobra.Command {
	var c common
	cmd := &cobra.Command{
		Use:   "fit CONFIG.yaml",
		Short: "Posterior of a model of rows of data, under constraints",
		Long: `Posterior of a model of rows of data, a CSV file with a header, under constraints:
regressions, groups, mixtures. In the model section,
  parameters: {a: "normal(0, 5)", s: "half_normal(1)", "c[site]": "normal(m, s)"}
              priors; c[site] has an entry for each level of the column site;
              flat, {prior: …, min: 0}, simplex(3), ordered(3) as well
  let: {eta: "a + b*x + c[site]"}
  likelihood: "y ~ bernoulli_logit(eta)"      or log_lik: a formula of a row
  constraints: ["c[A] <= c[B]", "a + s < 3"]`,
		Example: `  r2sgld fit examples/fit/o-rings.yaml`,
		Args:    takes(1, 1),
		RunE:    c.load,
	}
	c.starting(cmd)
	c.limited(cmd)
	c.staffed(cmd)
	return cmd
}
