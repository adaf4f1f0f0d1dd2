// Package run writes the folders of runs that Go programs make: what the command
// r2sgld leaves behind and diagnose, compare and other libraries read.
package run

import (
	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/internal/report"
	"github.com/r2sgld/r2sgld/internal/runner"
)

// Summary is what summary.json holds: docs/configuration.md tells of its fields.
type Summary = report.Summary

// Write writes the folder of a run that [r2sgld.Sample] or tune.Sample made, with the
// problem and the settings that it had: run.json, summary.json, draws.zarr and a
// draws-N.csv for each ladder: a run folder without figures. It is named as the folder,
// which must be empty or not there yet. The draws are those that the result holds: with
// MaxDraws, thinned as it says. It returns the summary. The folder cannot be resumed. It
// is an error if the result holds no draws; nothing is left behind then.
//
// Where the last temperature is +Inf and the domain bounded, the summary has log ∫ exp(−U)
// with its error. What steps of an inexact kernel add to it is told by a run with steps four
// times as long, half as long as that of the result, which Write makes.
func Write(dir string, p r2sgld.Problem, s r2sgld.Settings, res *r2sgld.Result) (*Summary, error) {
	return runner.Write(dir, p, s, res)
}
