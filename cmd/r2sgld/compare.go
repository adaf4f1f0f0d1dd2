package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/internal/calibration"
	"github.com/r2sgld/r2sgld/internal/compare"
	"github.com/r2sgld/r2sgld/internal/config"
	"github.com/r2sgld/r2sgld/internal/job"

	"github.com/r2sgld/r2sgld/internal/sweep"
	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/internal/training"
)

func compareCommand() *cobra.Command {
	var c common
	cmd := &cobra.Command{
		Use:   "compare RUN…",
		Short: "Models of the same data by log evidence, Bayes factors and leave-one-out prediction; trainings by scores",
		Long: `Models of the same data by log evidence, Bayes factors and leave-one-out
prediction. RUN are run folders of identify, whose priors are flat on the domain
unless given, or of fit: the evidence is that of method auto on a bounded domain,
or with priors. Runs of sample are compared by log Z, and those of train by how
well they predict: with repetitions and one seed, repetition by repetition.`,
		Example: `  r2sgld compare runs/lynx-hare-logistic runs/lynx-hare
  r2sgld compare runs/fashion-r2sghmc runs/fashion-sgdm`,
		Args: takes(1, math.MaxInt),
		RunE: func(cmd *cobra.Command, args []string) error {
			for i, dir := range args {
				if slices.ContainsFunc(args[:i], func(other string) bool { return filepath.Clean(other) == filepath.Clean(dir) }) {
					return &job.Refused{Err: fmt.Errorf("%s is given twice", dir)}
				}
			}
			table, err := unlessStopped(cmd.Context(), func() (comparison, error) { return compared(args) })
			if err != nil {
				return err
			}
			return c.show(table)
		},
	}
	c.display(cmd)
	return cmd
}

// A comparison is a table of models or of trainings.
type comparison struct {
	table    any // as JSON
	text     func(text.Style) string
	warnings []string
}

// compared compares run folders.
func compared(dirs []string) (comparison, error) {
	trainings, err := onlyTrainings(dirs)
	switch {
	case err != nil:
		return comparison{}, &job.Refused{Err: err}
	case trainings:
		return compareTrainings(dirs)
	}
	return compareModels(dirs)
}

// compareModels compares runs of sample or identify.
func compareModels(dirs []string) (c comparison, err error) {
	runs := make([]compare.Run, len(dirs))
	for i, dir := range dirs {
		if runs[i], err = runToCompare(dir); err != nil {
			return c, &job.Refused{Err: err}
		}
	}
	t, err := compare.New(runs)
	if err != nil {
		return c, &job.Refused{Err: err}
	}
	return comparison{t, t.Text, t.Warnings}, nil
}

// show prints a comparison.
func (c *common) show(t comparison) error {
	if c.json {
		return c.printJSON(t.table)
	}
	fmt.Fprint(c.stdout(), t.text(text.StyleOf(c.stdout())))
	if !c.quiet {
		text.Warn(c.stderr(), t.warnings...)
	}
	return nil
}

// onlyTrainings reports whether all folders are of trainings. It refuses some that are
// beside some that are not.
func onlyTrainings(dirs []string) (bool, error) {
	var trained, other string
	for _, dir := range dirs {
		if command, _, err := commandIn(dir); err == nil && command == "train" {
			trained = dir
		} else {
			other = dir // or no run folder, which is told later
		}
	}
	if trained != "" && other != "" {
		return false, fmt.Errorf(
			"%s is a training and %s is none: trainings are compared by scores on test images, other runs by evidence. Compare each kind "+
				"by itself", trained, other)
	}
	return trained != "", nil
}

// compareTrainings compares runs of train.
func compareTrainings(dirs []string) (c comparison, err error) {
	all := make([]training.Compared, len(dirs))
	for i, dir := range dirs {
		_, m, err := commandIn(dir)
		if err != nil {
			return c, err
		}
		sum, err := job.Finished[training.Summary](dir)
		switch {
		case err != nil:
			return c, &job.Refused{Err: err}
		case sum == nil:
			return c, &job.Refused{Err: fmt.Errorf("%s is not finished: r2sgld resume %s", dir, text.Word(dir))}
		}
		var resolved config.ResolvedTraining
		if err := json.Unmarshal(m.Config, &resolved); err != nil {
			return c, &job.Refused{Err: fmt.Errorf("%s/run.json: %w", dir, err)}
		}
		all[i] = training.Compared{Name: dir, Summary: sum, Images: resolved.Data.SHA256}
	}
	t, err := training.Compare(all)
	if err != nil {
		return c, &job.Refused{Err: err}
	}
	return comparison{t, t.Text, t.Warnings}, nil
}

// incomparable says why what a command leaves in a folder is nothing to compare.
func incomparable(command, dir string) error {
	switch command {
	case "theory":
		return fmt.Errorf("%s is a measurement of theory, which has neither draws nor evidence to compare: its numbers are in %s/summary.json",
			dir, dir)
	case sweep.Command:
		return swept(dir)
	case calibration.Command:
		return fmt.Errorf("%s is a calibration, which has neither draws nor evidence of the data: its ranks are in %s/replications.csv", dir, dir)
	}
	return nil
}

// runToCompare reads what a comparison needs to know of a run folder.
func runToCompare(dir string) (compare.Run, error) {
	nan := math.NaN()
	r := compare.Run{Name: dir, LogEvidence: nan, SE: nan}
	f, m, err := job.Read(dir)
	if err != nil {
		return r, err
	}
	r.Hashes = append(m.Previous, m.Hash)
	if err := incomparable(m.Command, dir); err != nil {
		return r, err
	}
	type estimate struct {
		Log, Estimate, SE *float64
		Reason            string
	}
	var sum struct {
		Method     string
		Iterations int
		Marginal   *estimate `json:"marginal_likelihood"`
		LogZ       struct {
			estimate
			Bottleneck *exchange.Bottleneck
		} `json:"log_evidence"`
	}
	if err := f.ReadJSON("summary.json", &sum); errors.Is(err, fs.ErrNotExist) {
		return r, fmt.Errorf("%s is not finished: r2sgld resume %s", dir, text.Word(dir))
	} else if err != nil {
		return r, err
	}
	e := sum.LogZ.estimate
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
	if b := sum.LogZ.Bottleneck; b != nil && e.Log == nil {
		r.Lost, r.NoEvidence = true, fmt.Sprintf("%v. Run it again: %s", b, repeated(dir, m.Command, sum.Method, sum.Iterations))
	}
	var p compare.Predictive
	if err := f.ReadJSON("predictive.json", &p); err == nil {
		r.Predictive = &p
	} else if !errors.Is(err, fs.ErrNotExist) {
		return r, err
	}
	return r, nil
}

// repeated is the command that makes log Z known where it was lost in a bottleneck: method
// auto goes on until it is, for 64 times as long at most; others have the rungs they were given.
func repeated(dir, command, method string, iterations int) string {
	if method == "auto" {
		return fmt.Sprintf("r2sgld resume %s --set sampler.until.evidence=0.1 --set sampler.until.iterations=%d", text.Word(dir), 64*iterations)
	}
	return fmt.Sprintf("r2sgld %s CONFIG.yaml --set 'sampler={method: auto}' --out %s", command, text.Word(dir+"-auto"))
}
