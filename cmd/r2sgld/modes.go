package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/r2sgld/r2sgld/internal/calibration"
	"github.com/r2sgld/r2sgld/internal/config"
	"github.com/r2sgld/r2sgld/internal/config/system"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/report"
	"github.com/r2sgld/r2sgld/internal/sweep"
	"github.com/r2sgld/r2sgld/internal/text"
)

func modesCommand() *cobra.Command {
	var c common
	cmd := &cobra.Command{
		Use:   "modes RUN",
		Short: "The basins of a run: places, weights with errors, what may be missing",
		Long: `The basins of a run of method auto, which looks for modes before its warm-up and when
it ends: where each has its minimum of −log density, how much of the draws is there and
how well that is known, how high the lowest way out of it climbs, which modes the draws
do not know, and how seldom starts may lead to one that was not found. The figure modes
of the run shows how they are joined.`,
		Example: `  r2sgld modes runs/flower-20261121-101300
  r2sgld modes runs/flower-20261121-101300 --json`,
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := unlessStopped(cmd.Context(), func() (*report.Basins, error) { return basinsIn(folderOf(args[0])) })
			if err != nil {
				return err
			}
			if c.json {
				return c.printJSON(b)
			}
			if !c.quiet {
				fmt.Fprint(c.stdout(), b.Text(text.StyleOf(c.stdout())))
				text.Warn(c.stderr(), b.Warnings()...)
			}
			return nil
		},
	}
	c.display(cmd)
	return cmd
}

// basinsIn are the modes of a run folder. It refuses one that has none, and says why.
func basinsIn(dir string) (*report.Basins, error) {
	refused := func(format string, args ...any) (*report.Basins, error) {
		return nil, &job.Refused{Err: fmt.Errorf(format, args...)}
	}
	f, m, err := job.Read(dir)
	switch {
	case err != nil:
		return refused("%w", err)
	case m.Command == "train":
		return refused("%s is a training, whose modes nobody counts: r2sgld compare %s shows its scores", dir, text.Word(dir))
	case m.Command == sweep.Command:
		return refused("%w", swept(dir))
	case m.Command == calibration.Command:
		return refused("%s is a calibration, whose modes nobody counts: what its ranks say is in %s/summary.json", dir, dir)
	case m.Command == "theory":
		return refused("%s is a measurement of theory, which has no draws: its modes, which are those of relaxation, are in %s/figures", dir, dir)
	case m.Command == "go":
		return refused("%s was written by a Go program, and says nothing of modes: tune.Run tells them (Outcome.Audit)", dir)
	}
	data, err := f.ReadFile("summary.json")
	if errors.Is(err, fs.ErrNotExist) {
		return refused("%s is not finished: r2sgld resume %s", dir, text.Word(dir))
	}
	if err != nil {
		return refused("%w", err)
	}
	b, err := report.ReadBasins(data)
	switch {
	case err != nil:
		return refused("%s: %w: the file was changed. Make the run anew", f.Path("summary.json"), err)
	case b.Modes == nil:
		return refused("%s: no modes were looked for: %s", dir, unsought(m.Config))
	}
	return b, nil
}

// unsought says why no modes were looked for in a run of a configuration, and what to do.
func unsought(configuration json.RawMessage) string {
	var r config.Resolved
	var of struct{ Model system.Model }
	if err := json.Unmarshal(configuration, &r); err != nil {
		return "its configuration cannot be read, run it again"
	}
	_ = json.Unmarshal(configuration, &of) // a model of other kinds has no batch
	anew := "run it again with sampler.method: auto"
	switch method := r.Sampler.Method; {
	case method != "auto":
		return fmt.Sprintf("method %s takes the settings that it is given; %s", method, anew)
	case r.Noise != nil && (r.Noise.Gradient != 0 || r.Noise.Energy != 0):
		return "its energies have noise; run it again without (noise)"
	case of.Model.Batch > 0:
		return "its energies are those of minibatches; run it again with all rows (model.batch)"
	case r.Sampler.Boundary != "" && r.Sampler.Boundary != "specular":
		return fmt.Sprintf("boundary %s does not keep the law; run it again with sampler.boundary: specular", r.Sampler.Boundary)
	case len(r.Sampler.Temperature) > 0 && r.Sampler.Temperature[0] != 1:
		return fmt.Sprintf("its coldest temperature is %g; run it again with 1", r.Sampler.Temperature[0])
	}
	return "its density is Gaussian and has one mode, or it has more than 100 variables, or the run is of a version that did not look; " +
		"of such run it again"
}
