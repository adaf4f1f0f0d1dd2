package training

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/bnn/bnntest"
	"github.com/r2sgld/r2sgld/internal/foldertest"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/pace"
)

// blobsJob is a small training into a folder.
func blobsJob(t *testing.T, method, dir string) *Job {
	t.Helper()
	s, err := bnn.Method(method)
	if err != nil {
		t.Fatal(err)
	}
	s.Epochs, s.Batch, s.Seed = 8, 16, 3
	for i := range s.StepSize {
		s.StepSize[i] /= 20
	}
	s.Decay.After = 3
	s.Measure = bnn.Measure{Every: 4, Batches: 4, Test: 1}
	train := bnntest.Blobs(60, 1)
	mean, sd := train.Moments()
	return &Job{Request: job.Request{Name: "blobs", Config: map[string]any{"name": "blobs"}, Hash: "hash", Dir: dir, Checkpoint: time.Hour,
		Out: io.Discard, Terminal: io.Discard},
		Network:  bnn.Network{Kind: "mlp", Norm: "none", Activation: "tanh", Hidden: []int{5}, Input: [3]int{1, 2, 2}, Outputs: 3},
		Data:     bnn.Data{Train: train, Test: bnntest.Blobs(90, 2), Outside: bnntest.Blobs(30, 3), Mean: mean, SD: sd},
		Settings: s, Repeats: 2, Save: true,
		Engine: func(_ context.Context, s bnn.Setup) (bnn.Engine, error) { return bnntest.Open(s) }}
}

// Every method leaves a whole folder: scores per repetition, curves that can be
// followed, models, predictions, pictures.
func TestMethodsLeaveWholeFolders(t *testing.T) {
	pace.Slow(t)
	for _, method := range bnn.Methods() {
		t.Run(method, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			var out strings.Builder
			j := blobsJob(t, method, dir)
			j.Out = &out
			sum, err := j.Run(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if len(sum.Repeats) != 2 || sum.Metrics.Average == nil || !(sum.Metrics.Average.Accuracy > 0.5) {
				t.Errorf("summary %+v, average %+v: want two repetitions that learnt something", sum, sum.Metrics.Average)
			}
			if sum.Repeats[0].Metrics.Single.NLL == sum.Repeats[1].Metrics.Single.NLL {
				t.Error("both repetitions are the same: their streams must differ")
			}
			var read Summary
			text, err := os.ReadFile(filepath.Join(dir, "summary.json"))
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(text, &read); err != nil || math.Abs(read.Metrics.Average.NLL-sum.Metrics.Average.NLL) > 1e-12 {
				t.Errorf("summary.json reads as %+v, %v", read.Metrics.Average, err)
			}
			lines, err := os.ReadFile(filepath.Join(dir, "metrics.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			if n := bytes.Count(lines, []byte("\n")); n != 16 {
				t.Errorf("%d lines of metrics.jsonl, want 8 epochs of 2 repetitions", n)
			}
			for _, name := range []string{"predictions-2.npz", "figures/curves.svg", "figures/reliability.png", "figures/entropy.png"} {
				if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
					t.Error(err)
				}
			}
			if !strings.Contains(out.String(), "average of") {
				t.Errorf("the table is\n%s", out.String())
			}
		})
	}
}

// cutter ends a context after so many moves.
type cutter struct {
	bnn.Engine
	left   *int
	cancel func()
}

func (c cutter) Advance(m []bnn.Move, b bnn.Batch) ([]bnn.Outcome, error) {
	if *c.left--; *c.left == 0 {
		c.cancel()
	}
	return c.Engine.Advance(m, b)
}

// A training that is interrupted, in either repetition and in the middle of epochs, and
// resumed leaves the bytes of one that was not.
func TestResumeLeavesTheSameBytes(t *testing.T) {
	pace.Slow(t)
	whole := filepath.Join(t.TempDir(), "whole")
	if _, err := blobsJob(t, "r2sghmc", whole).Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	want := foldertest.Results(t, whole)
	dir := filepath.Join(t.TempDir(), "cut")
	for i, steps := range []int{7, 9, 20, 6, 1_000_000} {
		ctx, cancel := context.WithCancel(context.Background())
		j := blobsJob(t, "r2sghmc", dir)
		j.Resume = i > 0
		open := j.Engine
		j.Engine = func(ctx context.Context, s bnn.Setup) (bnn.Engine, error) {
			e, err := open(ctx, s)
			return cutter{e, &steps, cancel}, err
		}
		_, err := j.Run(ctx)
		cancel()
		var stopped *job.Interrupted
		if last := i == 4; last && err != nil || !last && !errors.As(err, &stopped) {
			t.Fatalf("part %d ends with %v", i+1, err)
		}
	}
	got := foldertest.Results(t, dir)
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s differs after interruptions:\n%.300s\nwant\n%.300s", name, got[name], text)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d files, want %d", len(got), len(want))
	}
}

// breaker is an engine whose losses are NaN from some step on.
type breaker struct {
	bnn.Engine
	left *int
}

func (b breaker) Advance(m []bnn.Move, batch bnn.Batch) ([]bnn.Outcome, error) {
	out, err := b.Engine.Advance(m, batch)
	if *b.left--; *b.left <= 0 {
		out[0].Loss = math.NaN()
	}
	return out, err
}

// A loss that is not finite ends the training with a word on what to do, and keeps the
// state before it.
func TestBrokenTrainingKeepsACheckpoint(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "broken")
	j := blobsJob(t, "sghmc", dir)
	j.Engine = func(_ context.Context, s bnn.Setup) (bnn.Engine, error) {
		e, err := bnntest.Open(s)
		steps := 10 // in the third epoch
		return breaker{e, &steps}, err
	}
	_, err := j.Run(context.Background())
	if err == nil || !strings.Contains(err.Error(), "step size") || !strings.Contains(err.Error(), "checkpoints") {
		t.Fatalf("the error is %v: want the step size and where the state is kept", err)
	}
	kept, _ := filepath.Glob(filepath.Join(dir, "checkpoints", "*"))
	if len(kept) == 0 {
		t.Error("no checkpoint was kept")
	}
	j = blobsJob(t, "sghmc", filepath.Join(t.TempDir(), "at once"))
	j.Settings.StepSize[0] = 1e300
	if _, err := j.Run(context.Background()); err == nil || !strings.Contains(err.Error(), "step size") {
		t.Errorf("the error is %v: want the step size", err)
	}
}

// --force puts a new training in place of an old one of more repetitions, and leaves
// what is not ours.
func TestForceReplacesATraining(t *testing.T) {
	pace.Slow(t)
	dir := filepath.Join(t.TempDir(), "run")
	if _, err := blobsJob(t, "r2sghmc", dir).Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(dir, "figures", "mine.svg")
	if err := os.WriteFile(own, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	fresh, again := filepath.Join(t.TempDir(), "fresh"), blobsJob(t, "sgdm", dir)
	again.Force, again.Repeats, again.Save = true, 1, false
	if _, err := again.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	same := blobsJob(t, "sgdm", fresh)
	same.Repeats, same.Save = 1, false
	if _, err := same.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	got, want := foldertest.Results(t, dir), foldertest.Results(t, fresh)
	if got[filepath.Join("figures", "mine.svg")] != "mine" {
		t.Error("a file that is not ours is gone")
	}
	delete(got, filepath.Join("figures", "mine.svg"))
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s of the old training is left", name)
		}
	}
}

// An engine that cannot be made leaves nothing behind.
func TestNothingIsWrittenWithoutAnEngine(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	j := blobsJob(t, "sghmc", dir)
	j.Engine = func(context.Context, bnn.Setup) (bnn.Engine, error) { return nil, errors.New("no such device") }
	_, err := j.Run(context.Background())
	var refused *job.Refused
	if !errors.As(err, &refused) {
		t.Errorf("the error is %v: want a refusal", err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a folder was made")
	}
}
