package main

import (
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/r2sgld/r2sgld/internal/config"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/outlook"
)

func theoryCommand() *cobra.Command {
	var c common
	cmd := &cobra.Command{
		Use:   "theory CONFIG.yaml",
		Short: "How fast reflected (replica exchange) diffusion mixes: gap, slow modes, decay, what swaps gain",
		Long: `How fast the reflected diffusion of a potential on a bounded domain of one or two
dimensions mixes, and what swaps between two temperatures gain: spectral gap, slow
modes, decay of distances beside bounds of theorems (that of W2 with constants that are
estimated). There are no random numbers in it: it is asked before a run. Times are step
size times iterations. In the configuration, beside name, variables, potential and domain,
  theory:
    temperature: 1        or [1, 10]: two replicas, which swap with
    intensity: 0          rate r·min(1, S)
    intensities: [1, 10]  at these, how the gap grows, and which suffices
    grid: 400             cells along the longest side (of two replicas: 300,
                          or 24 in the plane)
    eigenvalues: 5
    decay: {start: {x: 0.1}, times: [0.1, 1, 10], of: [chi2, kl, w2, tv]}`,
		Example: `  r2sgld theory examples/theory/interval.yaml
  r2sgld theory examples/theory/double-well.yaml --set theory.intensity=100
  r2sgld theory examples/theory/flower.yaml --json --quiet > gap.json`,
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return c.theory(cmd, args[0]) },
	}
	c.display(cmd)
	f := cmd.Flags()
	f.StringArrayVar(&c.set, "set", nil, "override a key, as in --set theory.grid=200 (repeatable)")
	f.StringVar(&c.out, "out", "", "run folder (default runs/NAME-TIME)")
	f.BoolVar(&c.force, "force", false, "write into a folder that is not empty; a run in it is replaced when the new one is finished")
	return cmd
}

// theory measures what a configuration asks for.
func (c *common) theory(cmd *cobra.Command, path string) error {
	t, err := unlessStopped(cmd.Context(), func() (*config.Theory, error) { return config.LoadTheory(path, c.set) })
	if err != nil {
		return err
	}
	hash, err := t.Resolved.Hash()
	if err != nil {
		return err
	}
	j := &outlook.Job{Problem: t.Problem, Settings: t.Settings, Intensities: t.Intensities, Fault: t.Fault,
		Request: job.Request{Name: t.Name, Again: again(cmd.Name(), path, c.set), Config: t.Resolved, Hash: hash,
			Dir: filepath.Clean(c.out), Force: c.force}}
	if c.out == "" {
		j.Dir = inRuns(t.Name, time.Now())
	}
	leaving(func() string {
		return "stopped; a measurement of theory is not resumed. Measure again: " + j.Again
	})
	j.Out, j.Terminal = c.screen()
	sum, err := j.Run(cmd.Context())
	if err != nil || !c.json {
		return err
	}
	return c.printJSON(sum)
}
