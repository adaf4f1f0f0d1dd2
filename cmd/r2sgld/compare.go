package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/r2sgld/r2sgld/compare"
	"github.com/r2sgld/r2sgld/runner"
	"github.com/r2sgld/r2sgld/store"
)

func compareCommand() *cobra.Command {
	var c common
	cmd := &cobra.Command{
		Use:   "compare RUN…",
		Short: "Models of the same data by log evidence, Bayes factors and leave-one-out prediction",
		Long: `Models of the same data by log evidence, Bayes factors and leave-one-out
prediction. RUN are run folders of identify, whose priors are flat on the domain
unless given: the evidence is that of method auto on a bounded domain. Runs of
sample are compared by log Z.`,
		Example: `  r2sgld compare runs/lynx-hare-logistic runs/lynx-hare`,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			runs := make([]compare.Run, len(args))
			for i, dir := range args {
				if slices.ContainsFunc(args[:i], func(other string) bool { return filepath.Clean(other) == filepath.Clean(dir) }) {
					return &runner.Refused{Err: fmt.Errorf("%s is given twice", dir)}
				}
				var err error
				if runs[i], err = runToCompare(dir); err != nil {
					return &runner.Refused{Err: err}
				}
			}
			t, err := compare.New(runs)
			if err != nil {
				return &runner.Refused{Err: err}
			}
			if c.json {
				return printJSON(t)
			}
			fmt.Print(t.Text())
			if !c.quiet {
				for _, w := range t.Warnings {
					fmt.Fprintln(os.Stderr, " ! "+w)
				}
			}
			return nil
		},
	}
	c.display(cmd)
	return cmd
}

// runToCompare reads what a comparison needs to know of a run folder.
func runToCompare(dir string) (compare.Run, error) {
	nan := math.NaN()
	r := compare.Run{Name: dir, LogEvidence: nan, SE: nan}
	f, err := store.Open(dir)
	if err != nil {
		return r, err
	}
	var m runner.Manifest[json.RawMessage]
	if err := f.ReadJSON("run.json", &m); err != nil {
		return r, fmt.Errorf("%s is no run folder: %w", dir, err)
	}
	type estimate struct {
		Log, Estimate, SE *float64
		Reason            string
	}
	var sum struct {
		Marginal *estimate `json:"marginal_likelihood"`
		LogZ     estimate  `json:"log_evidence"`
	}
	if err := f.ReadJSON("summary.json", &sum); errors.Is(err, fs.ErrNotExist) {
		return r, fmt.Errorf("%s is not finished: r2sgld resume %s", dir, dir)
	} else if err != nil {
		return r, err
	}
	e := sum.LogZ
	e.Log = e.Estimate
	if sum.Marginal != nil {
		e = *sum.Marginal
	}
	if e.Log != nil {
		r.LogEvidence = *e.Log
	}
	if e.SE != nil {
		r.SE = *e.SE
	}
	if r.SE < 0 || math.IsInf(r.LogEvidence, 0) {
		return r, fmt.Errorf("%s: a log evidence of %g ± %g is none: the summary was changed", dir, r.LogEvidence, r.SE)
	}
	if r.NoEvidence = e.Reason; r.NoEvidence == "" {
		r.NoEvidence = "no rung has the uniform law: use method auto on a bounded domain"
	}
	var p compare.Predictive
	if err := f.ReadJSON("predictive.json", &p); err == nil {
		r.Predictive = &p
	} else if !errors.Is(err, fs.ErrNotExist) {
		return r, err
	}
	return r, nil
}
