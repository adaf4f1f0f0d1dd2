// Package job answers what a run folder is while it is being made, whatever command makes
// it: who asked for what, its manifest, the build beside an earlier run, the lock, log and
// checkpoints, its figures, and what is left of it when it ends early.
package job

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"runtime"
	"slices"
	"time"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/internal/store"
	"github.com/r2sgld/r2sgld/internal/text"
)

// A Request is what every job is asked: what is run, where it goes and who watches.
type Request struct {
	Command  string // of the program
	Name     string
	Seed     *uint64  // of all random numbers; nil without any
	Warnings []string // of the configuration
	Config   any      // the resolved configuration, for run.json
	Again    string   // the command that makes such a run, for advice; "" is not known
	Hash     string   // of Config
	Accept   []string // hashes of configurations whose checkpoints Resume takes

	Dir        string        // of the run folder
	Force      bool          // write into a folder that is not empty
	Resume     bool          // go on from the newest checkpoint in Dir
	Checkpoint time.Duration // between checkpoints
	Files      store.Files   // where Dir is; nil is store.Disk

	Out      io.Writer // takes the tables at the end
	Terminal io.Writer // takes progress and warnings; a line of a text.Screen is redrawn
}

// files is where the folder is.
func (q *Request) files() store.Files {
	if q.Files == nil {
		return store.Disk{}
	}
	return q.Files
}

// Warn shows warnings as they arise.
func (q *Request) Warn(warnings ...string) { text.Warn(q.Terminal, warnings...) }

// A Folder is a run folder that is being made.
type Folder struct {
	*store.Folder
	Log *slog.Logger
	of  *Request
}

// Open makes the folder of a new run, with run.json and a log, or opens the one to go on
// in. Its error is a *Refused if nothing was written.
func (q *Request) Open(k store.Kind) (*Folder, error) {
	var of *store.Folder
	var err error
	if q.Resume {
		of, err = store.Continue(q.files(), q.Dir, k)
	} else {
		of, err = store.Create(q.files(), q.Dir, k, q.Force)
	}
	if err != nil {
		return nil, &Refused{err}
	}
	f := &Folder{Folder: of, of: q}
	if !q.Resume {
		err = f.WriteManifest() // a folder without it is no run
	}
	if err == nil {
		f.Log, err = f.Logger()
	}
	if err != nil {
		return nil, errors.Join(f.unfinished(fmt.Errorf("%s: %w", q.Name, err)), f.Close())
	}
	return f, nil
}

// Stopped notes why the run did not finish, and says what becomes of it.
func (f *Folder) Stopped(err error) error {
	f.Log.Error("stopped", "error", err.Error())
	return f.unfinished(err)
}

// unfinished says what became of the run before, where a run that did not finish was
// to take its place; the new one is kept if there is something to go on from. Of one
// that was to take no other's place it says how to begin anew if there is nothing.
func (f *Folder) unfinished(err error) error {
	var stopped *Interrupted
	kept := errors.As(err, &stopped) || f.Resumable(TunedFile) || f.Resumable(casesFolder)
	switch {
	case errors.Is(err, store.ErrMoved), f.Bound(), !f.Beside() && kept:
		return err
	case !f.Beside():
		return fmt.Errorf("%w\nthere is nothing to go on from: to begin anew in %s, pass --force", err, f.of.Dir)
	case kept:
		return fmt.Errorf("%w\nuntil it is finished, what was in %s stays as it is", err, f.of.Dir)
	}
	return errors.Join(fmt.Errorf("%w\nnothing is left of it: %s is as it was", err, f.of.Dir), f.Discard())
}

// TunedFile holds what a warm-up has found, for an interrupted run to go on from.
const TunedFile = "tuned.json"

// casesFolder holds the runs of a sweep, each of which is gone on with by itself.
const casesFolder = "cases"

// Failed says of an error that a mended run goes on.
func (f *Folder) Failed(err error) error {
	if errors.Is(err, store.ErrMoved) {
		return fmt.Errorf("%s: %w\nwherever it is now, go on there from its last checkpoint with: r2sgld resume FOLDER", f.of.Name, err)
	}
	return fmt.Errorf("%s: %w\nonce that is mended, go on from the last checkpoint with: r2sgld resume %s", f.of.Name,
		err, text.Word(f.of.Dir))
}

// Save writes a checkpoint of a run that has made so many iterations.
func (f *Folder) Save(iterations int, sections ...store.Section) error {
	path, err := f.WriteCheckpoint(&store.Checkpoint{Version: r2sgld.Version, Arch: runtime.GOARCH, Numbers: r2sgld.Arithmetic(),
		Config: f.of.Hash, Name: f.of.Name, Iteration: iterations, Sections: sections})
	if err == nil {
		f.Log.Info("checkpoint", "path", path, "iteration", iterations)
	}
	return err
}

// Newest is the newest whole checkpoint of this run, and its path. Where none was written,
// or, if anew, none is whole, it is nil: what then begins anew.
func (f *Folder) Newest(what string, anew bool) (*store.Checkpoint, string, error) {
	c, path, warnings, err := f.NewestCheckpoint()
	for _, w := range warnings {
		f.warn(w)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && (anew || len(warnings) == 0):
		none := fmt.Sprintf("no checkpoint: %s begins anew", what)
		f.Log.Info(none)
		fmt.Fprintln(f.of.Terminal, none)
		return nil, "", nil
	case err != nil:
		return nil, "", err
	}
	of := f.of.Hash
	if slices.Contains(f.of.Accept, c.Config) {
		of = c.Config
	}
	if err := c.Matches(r2sgld.Version, runtime.GOARCH, of); err != nil {
		return nil, "", fmt.Errorf("%s: %w", path, err)
	}
	if w := c.Moved(r2sgld.Arithmetic()); w != "" {
		f.warn(w)
	}
	return c, path, nil
}

// Skip has [Folder.Newest] leave out a checkpoint that nothing can go on from, with a warning,
// and reports whether there is one before it.
func (f *Folder) Skip(path string, why error) bool {
	if !f.Before(path) {
		return false
	}
	f.warn(fmt.Sprintf("checkpoint %s skipped: %v", path, why))
	return true
}

func (f *Folder) warn(w string) {
	f.of.Warn(w)
	f.Log.Warn(w)
}

// Draft makes a folder whose files are all written at once, or not at all: they lie beside
// what is there until write is done with them.
func (q *Request) Draft(k store.Kind, write func(*Folder) error) error {
	of, err := store.Draft(q.files(), q.Dir, k, q.Force)
	if err != nil {
		return &Refused{err}
	}
	defer of.Close()
	if err = write(&Folder{Folder: of, of: q}); err == nil {
		err = of.Install()
	}
	switch {
	case err == nil:
		return of.Close()
	case of.Beside() && !of.Bound(): // else the exchange is bound to be made
		err = errors.Join(err, of.Discard())
	}
	return err
}
