package runner

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/report"
	"github.com/r2sgld/r2sgld/store"
)

// fromGo is the command of a run that a Go program made.
const fromGo = "go"

// made is what run.json says of the settings of such a run.
type made struct {
	Variables   []string  `json:"variables"`
	Iterations  int       `json:"iterations"`
	BurnIn      int       `json:"burn_in"`
	Thin        int       `json:"thin"`
	StepSize    []float64 `json:"step_size"`
	Temperature []float64 `json:"temperature"`
	Ladders     int       `json:"ladders"`
}

// Write writes the folder of a run that [r2sgld.Sample] or tune.Sample made, with the
// problem and the settings that it had: run.json, summary.json, draws.zarr and a
// draws-N.csv for each ladder, all but the figures of one by the program, which
// diagnoses it. It is named as the folder, which must be empty or not there yet. The
// draws are those that the result holds: with MaxDraws, thinned as it says. It returns the
// summary. The folder cannot be resumed.
func Write(dir string, p r2sgld.Problem, s r2sgld.Settings, res *r2sgld.Result) (*report.Summary, error) {
	if len(res.Ladders) == 0 || held(res) == 0 {
		return nil, errors.New("write a run: the result holds no draws")
	}
	name := filepath.Base(filepath.Clean(dir))
	folder, err := store.Draft(store.Disk{}, dir, Kind(), false)
	if err != nil {
		return nil, err
	}
	s.Ladders = len(res.Ladders)
	if p.Names == nil {
		p.Names = res.Names
	}
	x := &execution{Job: &Job{Command: fromGo, Name: name, Problem: p, Settings: s, Dir: dir,
		Config: made{p.ReportedNames(), res.Ladders[0].Iterations, s.BurnIn, max(1, s.Thin), s.StepSize, s.Temperature, s.Ladders}}, folder: folder}
	sum, err := x.writeResult(res)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("write a run: %w", err), folder.Discard())
	}
	return sum, folder.Close()
}

func (x *execution) writeResult(res *r2sgld.Result) (*report.Summary, error) {
	x.drawn = x.description()
	var err error
	if x.stream, err = x.folder.NewWriter(x.drawn, len(res.Ladders)); err != nil {
		return nil, err
	}
	if err := x.put(res); err != nil {
		return nil, err
	}
	if err := x.stream.Finish(runtime.GOMAXPROCS(0)); err != nil {
		return nil, err
	}
	sum := report.New(x.Name, fromGo, x.Problem, x.Settings, res, 0)
	tellHeld(sum, res)
	if err := x.folder.WriteJSON("summary.json", sum); err != nil {
		return nil, err
	}
	if x.Hash, err = hashOf(x.Config); err != nil {
		return nil, err
	}
	if err := x.writeManifest(x.folder); err != nil {
		return nil, err
	}
	return sum, x.folder.Install()
}

// hashOf is the checksum of a configuration.
func hashOf(config any) (string, error) {
	text, err := store.JSON(config)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}
