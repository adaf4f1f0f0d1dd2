package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/r2sgld/r2sgld/internal/config"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/runner"
	"github.com/r2sgld/r2sgld/internal/store"
)

// A Run is an ordinary run that is a case, as it is made here or on another machine.
type Run struct {
	Command    string
	Config     []byte // with every default filled in
	Dir        string // the run folder; what it holds is gone on with
	Force      bool   // another run in it is replaced
	Threads    int
	Checkpoint time.Duration
	Limits     runner.Limits
	Programs   config.Programs
	// Place says where a file that Config names is; nil is where Config says.
	Place func(path string) string
}

// Make makes the run, or goes on with it.
func (r Run) Make(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx) // and so the programs of the configuration
	defer stop()
	run, err := r.load(ctx)
	if err != nil {
		return err
	}
	j, err := runner.Of(run)
	if err != nil {
		return err
	}
	begun, err := hashIn(store.Newest(r.Dir))
	if err != nil {
		return err
	}
	j.Dir, j.Resume, j.Checkpoint, j.Limits = r.Dir, begun == j.Hash, r.Checkpoint, r.Limits
	j.Force = r.Force || begun == "" // one that was killed before it had a manifest leaves a folder
	j.Settings.Threads = r.Threads
	j.Out, j.Terminal = io.Discard, io.Discard
	_, err = j.Run(ctx)
	return err
}

// load reads the configuration, with its files where they stand now. It names them as before,
// so that the run has the bytes of one made there.
func (r Run) load(ctx context.Context) (run *config.Run, err error) {
	const name = "the configuration of the case"
	p, text := r.Programs, r.Config
	p.Context = ctx
	data := config.DataFile(text)
	switch {
	case r.Place == nil:
		return p.Parse(r.Command, name, text, nil)
	case data != "":
		if p.Data, err = os.ReadFile(r.Place(data)); err != nil {
			return nil, err
		}
		return p.Parse(r.Command, name, text, nil)
	}
	if text, err = config.Moved(text, r.Place); err != nil {
		return nil, err
	}
	if run, err = p.Parse(r.Command, name, text, nil); err != nil {
		return nil, err
	}
	run.Resolved.Named(r.Config)
	return run, nil
}

// hashIn is that of the run in a folder; "" without.
func hashIn(dir string) (string, error) {
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	f, err := store.Open(dir)
	if err != nil {
		return "", err
	}
	var m job.Manifest[json.RawMessage]
	if err := f.ReadJSON("run.json", &m); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return m.Hash, nil
}

// A row is what the table needs of the summary of a run; nil is not known.
type row struct {
	Hash       string `json:"hash"`
	Parameters []struct {
		Name string   `json:"name"`
		Mean *float64 `json:"mean"`
		SD   *float64 `json:"sd"`
		RHat *float64 `json:"rhat"`
		ESS  *float64 `json:"ess_bulk"`
		Tail *float64 `json:"ess_tail"`
	} `json:"parameters"`
	LogZ struct {
		Estimate *float64 `json:"estimate"`
		SE       *float64 `json:"se"`
	} `json:"log_evidence"`
	Marginal *struct {
		Log *float64 `json:"log"`
		SE  *float64 `json:"se"`
	} `json:"marginal_likelihood"`
	Seconds  float64  `json:"seconds"`
	Warnings []string `json:"warnings"`
}

// finished reads the summary of a run in a folder; nil where it has none of this hash.
func finished(dir, hash string) (*row, error) {
	if store.Newest(dir) != dir {
		return nil, nil
	}
	if known, err := hashIn(dir); err != nil || known != hash {
		return nil, err
	}
	r, err := job.Finished[row](dir)
	if r == nil || r.Hash != hash {
		return nil, err
	}
	return r, nil
}

// whole says why the folder that another machine made is not that of a case.
func whole(dir, hash string) error {
	r, err := finished(dir, hash)
	if err == nil && r == nil {
		err = fmt.Errorf("%s is not the finished run that was asked for", dir)
	}
	return err
}
