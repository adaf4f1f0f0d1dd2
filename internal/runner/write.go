package runner

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/report"
	"github.com/r2sgld/r2sgld/internal/store"
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

// Write writes the folder of a run that a Go program made; package run tells of it.
func Write(dir string, p r2sgld.Problem, s r2sgld.Settings, res *r2sgld.Result) (*report.Summary, error) {
	if len(res.Ladders) == 0 || held(res) == 0 {
		return nil, errors.New("write a run: the result holds no draws")
	}
	s.Ladders = len(res.Ladders)
	p.Guide = res.Guide
	if p.Names == nil {
		p.Names = res.Names
	}
	config := made{p.ReportedNames(), res.Ladders[0].Iterations, s.BurnIn, max(1, s.Thin), s.StepSize, s.Temperature, s.Ladders}
	hash, err := hashOf(config)
	if err != nil {
		return nil, err
	}
	x := &execution{Job: &Job{Problem: p, Settings: s, Request: job.Request{Command: fromGo, Name: filepath.Base(filepath.Clean(dir)),
		Seed: &s.Seed, Dir: dir, Config: config, Hash: hash, Terminal: io.Discard}}}
	var sum *report.Summary
	err = x.Draft(kind(), func(folder *job.Folder) error {
		x.folder = folder
		if sum, err = x.writeResult(context.Background(), res); err != nil {
			return fmt.Errorf("write a run: %w", err)
		}
		return nil
	})
	if refused := new(job.Refused); errors.As(err, &refused) {
		err = refused.Err
	}
	if err != nil {
		return nil, err
	}
	return sum, nil
}

func (x *execution) writeResult(ctx context.Context, res *r2sgld.Result) (*report.Summary, error) {
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
	sum := report.New(x.Name, fromGo, x.Problem, x.Settings, res, nil, 0)
	if err := x.measureVolume(ctx); err != nil {
		return nil, err
	}
	if err := x.weigh(ctx, res, sum); err != nil {
		return nil, err
	}
	if x.Problem.Base == nil {
		sum.OneSided()
	}
	tellHeld(sum, res)
	if err := x.folder.WriteJSON("summary.json", sum); err != nil {
		return nil, err
	}
	return sum, x.folder.WriteManifest()
}

// hashOf is the checksum of a configuration.
func hashOf(config any) (string, error) {
	text, err := store.JSON(config)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}
