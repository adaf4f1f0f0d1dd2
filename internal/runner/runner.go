// Package runner answers what becomes of a configuration: it samples, shows the
// progress, and leaves a run folder with draws, summary, figures and
// checkpoints.
package runner

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/dynamics"
	"github.com/r2sgld/r2sgld/internal/report"
	"github.com/r2sgld/r2sgld/internal/store"
	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/tune"
)

// A Job is a run to be made.
type Job struct {
	Command  string // of the program: sample or identify
	Name     string
	Method   string
	Problem  r2sgld.Problem
	Settings r2sgld.Settings
	Model    *dynamics.Problem // what identify fits; nil for sample
	Warnings []string          // of the configuration
	Time     string            // what the data call the time, for figures
	Config   any               // the resolved configuration, for run.json
	Again    string            // the command that makes such a run, for advice; "" is not known
	Hash     string            // of Config
	Accept   []string          // hashes of configurations whose checkpoints Resume takes
	Until    *tune.Until       // of method auto, which finds step sizes and temperatures itself and runs until then; nil for others

	Dir        string        // of the run folder
	Force      bool          // write into a folder that is not empty
	Resume     bool          // go on from the newest checkpoint in Dir
	Checkpoint time.Duration // between checkpoints
	Limits     Limits        // of what it may take
	AnyKernel  bool          // method auto may take another kernel than that of Settings
	Bare       bool          // leaves figures out
	Shown      []string      // parameters that figures show, the first that fit; nil is all, in their order
	Files      store.Files   // where Dir is; nil is store.Disk

	Out      io.Writer // takes the tables at the end
	Terminal io.Writer // takes progress and warnings; a line of a terminal.Screen is redrawn
}

// A Manifest is run.json: all that determines a run. C is any for writing and
// json.RawMessage for reading.
type Manifest[C any] struct {
	Schema  int    `json:"schema"`
	Command string `json:"command"`
	Name    string `json:"name"`
	Version string `json:"version"`
	Go      string `json:"go"`
	Arch    string `json:"arch"`
	Numbers string `json:"numbers"` // [r2sgld.Arithmetic]
	Seed    uint64 `json:"seed"`
	Hash    string `json:"hash"`
	// Previous are the hashes of the run before it was resumed with other
	// settings: checkpoints of those are its own as well.
	Previous []string `json:"previous,omitempty"`
	Config   C        `json:"config"`
}

// Interrupted says that a run was stopped and that its state is saved in Dir.
type Interrupted struct {
	Dir      string
	Done, Of int    // iterations of all ladders; 0 of 0 during the warm-up
	Rounds   bool   // whether a round of the warm-up is kept
	Unit     string // what they are; "" is iterations of all ladders
}

func (e *Interrupted) Error() string {
	of := ""
	switch {
	case e.Of == 0 && e.Rounds:
		return fmt.Sprintf("stopped during the warm-up; its last round is kept.\ngo on with: r2sgld resume %s", text.Word(e.Dir))
	case e.Of == 0:
		return fmt.Sprintf("stopped in the first round of the warm-up; there is no checkpoint yet.\ngo on with: r2sgld resume %s", text.Word(e.Dir))
	case e.Done <= e.Of: // a run that goes on from a finished one is not yet told how far
		of = "of the " + text.Count(e.Of) + " "
	}
	return fmt.Sprintf("stopped after %s %s%s, checkpoint written.\ngo on with: r2sgld resume %s",
		text.Count(e.Done), of, cmp.Or(e.Unit, "iterations of all ladders"), text.Word(e.Dir))
}

// Refused says that nothing was begun, because of what the user asked for.
type Refused struct{ Err error }

func (e *Refused) Error() string { return e.Err.Error() + "\nnothing was written." }

// Unwrap returns the reason.
func (e *Refused) Unwrap() error { return e.Err }

// Early says that a run was stopped before it has written anything, and by what.
type Early struct{ Err error }

func (e Early) Error() string { return "stopped before anything was begun; nothing was written." }

// Unwrap returns what stopped it.
func (e Early) Unwrap() error { return e.Err }

// Run makes the run and returns its summary, which is also in the folder. Its
// error is a *Refused if nothing was written, an Early or an *Interrupted if the context
// ended, and says where the checkpoint is if the run failed.
func (j *Job) Run(ctx context.Context) (*report.Summary, error) {
	if err := r2sgld.Check(ctx, j.Problem, j.Settings); ctx.Err() != nil {
		return nil, Early{ctx.Err()}
	} else if err != nil {
		return nil, &Refused{fmt.Errorf("%s: %w", j.Name, err)}
	}
	if j.Until == nil {
		if why := j.exceeded(j.Settings.Iterations); why != "" {
			return nil, &Refused{fmt.Errorf("%s: %s. Raise thin, or the limit, or lower iterations", j.Name, why)}
		}
	}
	folder, err := j.folder()
	if err != nil {
		return nil, &Refused{err}
	}
	defer folder.Close()
	if !j.Resume {
		if err := j.writeManifest(folder); err != nil { // last: a folder without it is no run
			return nil, Unfinished(folder, j.Dir, fmt.Errorf("%s: %w", j.Name, err))
		}
	}
	log, err := folder.Logger()
	if err != nil {
		return nil, Unfinished(folder, j.Dir, fmt.Errorf("%s: %w", j.Name, err))
	}
	x := &execution{Job: j, folder: folder, log: log, begun: time.Now()}
	sum, err := x.run(ctx)
	if err != nil {
		log.Error("stopped", "error", err.Error())
		return nil, Unfinished(folder, j.Dir, err)
	}
	log.Info("done", "draws", sum.Draws, "seconds", sum.Seconds)
	return sum, folder.Close()
}

// folder makes the run folder, or opens the one to go on in.
func (j *Job) folder() (*store.Folder, error) {
	files := j.Files
	if files == nil {
		files = store.Disk{}
	}
	if j.Resume {
		return store.Continue(files, j.Dir, Kind())
	}
	k := Kind()
	k.Needs = needs(j.Command, max(1, j.Settings.Ladders))
	return store.Create(files, j.Dir, k, j.Force)
}

// schema is that of the manifests that are written, and the last that can be read.
const schema = 1

// ReadManifest reads the manifest of the run in a folder of that name.
func ReadManifest(f *store.Folder, dir string) (Manifest[json.RawMessage], error) {
	var m Manifest[json.RawMessage]
	if err := f.ReadJSON("run.json", &m); err != nil {
		return m, fmt.Errorf("%s is no run folder: %w", dir, err)
	}
	if m.Schema > schema {
		return m, fmt.Errorf("%s was written by a later r2sgld (%s, schema %d; this one reads %d): take that one", dir, m.Version, m.Schema, schema)
	}
	return m, nil
}

func (j *Job) writeManifest(f *store.Folder) error {
	m := Manifest[any]{Schema: schema, Command: j.Command, Name: j.Name, Version: r2sgld.Version, Go: runtime.Version(), Arch: runtime.GOARCH, Numbers: r2sgld.Arithmetic(),
		Seed: j.Settings.Seed, Hash: j.Hash, Config: j.Config}
	for _, h := range j.Accept {
		if h != j.Hash {
			m.Previous = append(m.Previous, h)
		}
	}
	return f.WriteJSON("run.json", m)
}

// Unfinished says what became of the run before, where a run that did not finish was
// to take its place; the new one is kept if there is something to go on from. Of one
// that was to take no other's place it says how to begin anew if there is nothing.
func Unfinished(folder *store.Folder, dir string, err error) error {
	var stopped *Interrupted
	kept := errors.As(err, &stopped) || folder.Resumable(tunedFile)
	switch {
	case !folder.Beside() && kept:
		return err
	case !folder.Beside():
		return fmt.Errorf("%w\nthere is nothing to go on from: to begin anew in %s, pass --force", err, dir)
	case kept:
		return fmt.Errorf("%w\nuntil it is finished, what was in %s stays as it is", err, dir)
	}
	return errors.Join(fmt.Errorf("%w\nnothing is left of it: %s is as it was", err, dir), folder.Discard())
}

func section(ladder int) string { return fmt.Sprintf("ladder %d", ladder+1) }

// states reads the newest whole checkpoint of this run, and how many iterations of all
// ladders are behind it.
func (j *Job) states(folder *store.Folder, log *slog.Logger) (states [][]byte, iterations int, err error) {
	c, path, warnings, err := folder.NewestCheckpoint()
	for _, w := range warnings {
		text.Warn(j.Terminal, w)
		log.Warn(w)
	}
	if errors.Is(err, fs.ErrNotExist) && (j.Until != nil || len(warnings) == 0) {
		// It ended before the first checkpoint; or method auto knows its settings
		// without any.
		log.Info("no checkpoint: sampling begins anew")
		fmt.Fprintln(j.Terminal, "no checkpoint: sampling begins anew")
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	of := j.Hash
	if slices.Contains(j.Accept, c.Config) {
		of = c.Config
	}
	if err := c.Matches(r2sgld.Version, runtime.GOARCH, of); err != nil {
		return nil, 0, fmt.Errorf("%s: %w", path, err)
	}
	if w := c.Moved(r2sgld.Arithmetic()); w != "" {
		text.Warn(j.Terminal, w)
		log.Warn(w)
	}
	for i := range max(1, j.Settings.Ladders) {
		b, ok := c.Section(section(i))
		if !ok {
			return nil, 0, fmt.Errorf("%s holds no state of ladder %d", path, i+1)
		}
		states = append(states, b)
	}
	return states, c.Iteration, nil
}

// answer prints what a run found, before predictions and figures are made.
func (x *execution) answer(sum *report.Summary) {
	var b strings.Builder
	b.WriteString("\n" + report.Table(sum.Parameters, text.StyleOf(x.Out)))
	if len(sum.Equations) > 0 {
		b.WriteByte('\n')
	}
	for _, e := range sum.Equations {
		b.WriteString(" " + e.Text)
		for _, f := range sum.Fit {
			if f.State == e.State { // a state without data has no fit
				b.WriteString("        R² " + text.Number(f.R2, 2))
			}
		}
		b.WriteByte('\n')
	}
	if x.chosen != "" {
		b.WriteString("\n" + x.chosen)
	}
	fmt.Fprint(x.Out, b.String())
}

// show prints the end of a run.
func (x *execution) show(sum *report.Summary, figures []string, ladders int) {
	var b strings.Builder
	b.WriteString("\n" + sum.Footer())
	csv := "draws-1.csv"
	if ladders > 1 {
		csv = fmt.Sprintf("draws-1…%d.csv", ladders)
	}
	fmt.Fprintf(&b, " wrote %s/: summary.json, draws.zarr, %s, figures (%d)\n", x.Dir, csv, len(figures))
	fmt.Fprintf(&b, "   %s/figures/: %s (.svg, .png)\n", x.Dir, strings.Join(figures, " "))
	if len(figures) > 0 {
		b.WriteString(x.unseen(sum.Parameters))
	}
	if x.Model != nil {
		if _, err := x.Model.System(); err == nil {
			fmt.Fprintf(&b, " next: r2sgld simulate %s\n", text.Word(x.Dir))
		}
	}
	fmt.Fprint(x.Out, b.String())
	again := x.Again
	if x.Until != nil && x.Until.Bias > 0 {
		again += " --set sampler.until.bias=null"
	}
	for _, w := range sum.Warnings {
		if x.Again != "" { // which the summary does not know
			w = strings.Replace(w, report.ByKernel, again+" "+report.ByKernel, 1)
		}
		text.Warn(x.Terminal, w)
	}
	if x.Model == nil {
		return
	}
	if n, _ := x.Model.Undecided(); n > 0 { // of this process: not for the summary, which is the same after a resume
		text.Warn(x.Terminal, fmt.Sprintf("%s trajectories took too many steps and were given up: their parameters count as impossible. Forbid them by constraints, or loosen model.solver.", text.Count(int(n))))
	}
}
