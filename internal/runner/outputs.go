package runner

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/store"
)

// figureNames are those of the figures that a run may write.
func figureNames() []string {
	return []string{"marginals", "pairs", "trace", "ranks", "fit", "residuals", "index", "trajectory", "rejection", "barrier", "modes",
		"predictive"}
}

// kind tells the folder of a run that has draws.
func kind() store.Kind {
	return store.Kind{Manifest: "run.json", Files: func(manifest []byte) ([]string, error) {
		if err := job.IsOf(manifest, "sample", "identify", "fit", fromGo); err != nil || manifest == nil {
			return needs("", 0), err
		}
		var m job.Manifest[struct {
			Sampler struct {
				Ladders int `json:"ladders"`
			} `json:"sampler"`
		}]
		if err := json.Unmarshal(manifest, &m); err != nil {
			return nil, errors.New("it is of no run of ours")
		}
		return needs(m.Command, m.Config.Sampler.Ladders), nil
	}}
}

// needs are the names that a run of a command writes, the tables of its own ladders among
// them; "" and 0 are any. Without a model there are no predictions, without equations no fits.
func needs(command string, ladders int) []string {
	var out []string
	for _, name := range append(store.RunFiles(), outputs()...) {
		switch {
		case name == "draws-#.csv" && ladders > 0:
			for i := range min(ladders, mostLadders) {
				out = append(out, fmt.Sprintf("draws-%d.csv", i+1))
			}
		case command == "sample" && (name == "predictive.json" || slices.Contains(ofData, name)):
		case command != "fit" && command != "" && slices.Contains(ofRows, name):
		case (command == "sample" || command == "fit") && slices.Contains(ofEquations, name):
		default:
			out = append(out, name)
		}
	}
	return out
}

// mostLadders bounds what a damaged manifest may ask for.
const mostLadders = 1 << 16

// ofEquations are the outputs of a run that identifies equations, but for those that fits of rows
// have too.
var ofEquations = append(job.FigureFiles("fit"), "equations.tex")

// ofRows are the outputs of a run that fits rows, and ofData those of any that fits data.
var ofRows, ofData = job.FigureFiles("predictive"), job.FigureFiles("residuals")

// outputs are the files that a run writes beside those of the store.
func outputs() []string {
	return append(job.FigureFiles(figureNames()...), "run.json", job.TunedFile, "summary.json", "predictive.json", "equations.tex")
}
