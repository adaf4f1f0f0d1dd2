package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"github.com/r2sgld/r2sgld/internal/calibration"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/report"
	"github.com/r2sgld/r2sgld/internal/store"
	"github.com/r2sgld/r2sgld/internal/sweep"
	"github.com/r2sgld/r2sgld/internal/text"
)

func diagnoseCommand() *cobra.Command {
	var c common
	cmd := &cobra.Command{
		Use:   "diagnose PATH…",
		Short: "Summary of draws in a run folder, a Zarr folder or Stan CSV files",
		Long: `Summary of draws in a run folder, a Zarr folder or Stan CSV files (ours or Stan's,
one file a chain): mean, sd, quantiles, mode, effective sample size, R̂; of a folder
those of its outputs too. Of a chain of more than 131,072 draws every second, fourth,
… is taken.`,
		Example: `  r2sgld diagnose runs/flower-20261121-101300
  r2sgld diagnose output_1.csv output_2.csv output_3.csv output_4.csv`,
		Args: takes(1, math.MaxInt),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, path := range args {
				command, _, err := commandIn(path)
				dir := folderOf(path)
				switch {
				case err != nil:
				case command == "train":
					return &job.Refused{Err: fmt.Errorf(
						"%s is a training, which keeps no draws of single parameters: its scores are in %s/summary.json, its epochs in %s/metrics.jsonl, "+
							"temperatures of layers and swaps in %s/figures; r2sgld compare %s shows the scores", dir, dir, dir, dir, text.Word(dir))}
				case command == sweep.Command:
					return &job.Refused{Err: swept(dir)}
				case command == calibration.Command:
					return &job.Refused{Err: fmt.Errorf(
						"%s is a calibration, which keeps no draws: its ranks are in %s/replications.csv, what they say in %s/summary.json", dir, dir, dir)}
				case command == "theory":
					return &job.Refused{Err: fmt.Errorf(
						"%s is a measurement of theory, which has no draws: its numbers are in %s/summary.json, its modes in %s/figures", dir, dir, dir)}
				}
			}
			d, err := unlessStopped(cmd.Context(), func() (*store.Draws, error) { return store.Read(mostRead, args...) })
			if err != nil {
				return &job.Refused{Err: err}
			}
			if d.Kept == 0 {
				return &job.Refused{Err: fmt.Errorf("%s: no draws, warm-up aside: was the run cut short?", args[0])}
			}
			if err := twice(d); err != nil {
				return &job.Refused{Err: fmt.Errorf("%s: %w", args[0], err)}
			}
			return c.diagnose(d)
		},
	}
	c.display(cmd)
	return cmd
}

// mostRead is the number of draws of a chain that are read, unless there are fewer.
const mostRead = 1 << 17

// twice says which chains are one and the same: of copies R̂ is 1 and the effective sample
// sizes add up, whatever they hold. Chains that stand still may be alike by themselves.
func twice(d *store.Draws) error {
	for b := range d.Chains() {
		for a := range b {
			same, moving := true, false
			for _, x := range d.X {
				same = same && slices.Equal(x[a], x[b])
				moving = moving || slices.Max(x[b]) > slices.Min(x[b])
			}
			if same && moving {
				return fmt.Errorf("ladders %d and %d hold the same draws: a file that is given twice, a copy, or runs of one seed: leave one out", a+1,
					b+1)
			}
		}
	}
	return nil
}

// diagnosis is what diagnose prints as JSON.
type diagnosis struct {
	Schema     int                `json:"schema"`
	Ladders    int                `json:"ladders"`
	Draws      int                `json:"draws"`  // over all ladders
	Stride     int                `json:"stride"` // the parameters are those of every so many-th
	Parameters []report.Parameter `json:"parameters"`
	Outputs    []report.Parameter `json:"outputs,omitempty"` // what the program says of draws, or what bears labels
}

func diagnosed(d *store.Draws) diagnosis {
	out := diagnosis{Schema: 1, Ladders: d.Chains(), Draws: d.Kept * d.Chains(), Stride: d.Stride}
	out.Parameters = described(d)
	if d.Outputs != nil {
		out.Outputs = described(d.Outputs)
	}
	return out
}

func described(d *store.Draws) (all []report.Parameter) {
	for j, name := range d.Names {
		all = append(all, report.Describe(name, d.X[j], math.Inf(-1), math.Inf(1)))
	}
	return all
}

func (c *common) diagnose(d *store.Draws) error {
	out := diagnosed(d)
	switch {
	case c.json:
		return c.printJSON(out)
	case !c.quiet:
		every := ""
		if out.Stride > 1 {
			every = fmt.Sprintf("; one draw in %d is summarised", out.Stride)
		}
		style := text.StyleOf(c.stdout())
		fmt.Fprintf(c.stdout(), " %s, %s%s\n\n%s", text.Counted(out.Draws, "draw"), text.Counted(out.Ladders, "ladder"), every,
			report.Table(out.Parameters, style))
		if out.Outputs != nil {
			fmt.Fprint(c.stdout(), "\n"+report.Table(out.Outputs, style))
		}
		text.Warn(c.stderr(), report.Doubts("parameters", out.Parameters, 0)...)
	}
	return nil
}
