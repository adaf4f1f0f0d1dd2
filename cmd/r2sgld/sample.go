package main

import (
	"cmp"
	"context"

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
		Args: cobra.ExactArgs(1),
		RunE: c.load,
	}
	c.starting(cmd)
	return cmd
}

// load runs the configuration that the command is given.
func (c *common) load(cmd *cobra.Command, args []string) error {
	r, err := unlessStopped(cmd.Context(), func() (*config.Run, error) { return config.Load(cmd.Name(), args[0], c.set) })
	if err != nil {
		return err
	}
	j, err := job(r)
	if err != nil {
		return err
	}
	return c.run(cmd, j)
}

// unlessStopped returns what load does, or that it was stopped as soon as the context
// ends: setting a problem up writes nothing, and may take long where its mode is
// looked for.
func unlessStopped[T any](ctx context.Context, load func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		v, err := load()
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, errEarly{ctx.Err()}
	}
}

// errEarly says that a command was stopped while its problem was set up.
type errEarly struct{ error }

func (e errEarly) Error() string { return "stopped before anything was begun; nothing was written." }

func (e errEarly) Unwrap() error { return e.error }

// job is the job that makes a run.
func job(r *config.Run) (*runner.Job, error) {
	hash, err := r.Resolved.Hash()
	j := &runner.Job{Command: r.Command, Name: r.Name, Method: r.Resolved.Sampler.Method, Problem: r.Problem, Settings: r.Settings, Until: r.Until, Warnings: r.Warnings,
		Model: r.Model, Config: r.Resolved, Hash: hash}
	if r.Resolved.Data != nil {
		j.Time = cmp.Or(r.Resolved.Data.Time, "row")
	}
	return j, err
}
