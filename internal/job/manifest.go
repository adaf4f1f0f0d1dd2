package job

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/internal/store"
)

// A Manifest is run.json: all that determines a run. C is any for writing and
// json.RawMessage for reading.
type Manifest[C any] struct {
	Schema  int     `json:"schema"`
	Command string  `json:"command"`
	Name    string  `json:"name"`
	Version string  `json:"version"`
	Go      string  `json:"go"`
	Arch    string  `json:"arch"`
	Numbers string  `json:"numbers,omitempty"` // [r2sgld.Arithmetic]
	Seed    *uint64 `json:"seed,omitempty"`    // nil without random numbers
	Hash    string  `json:"hash"`
	// Previous are the hashes of the run before it was resumed with other
	// settings: checkpoints of those are its own as well.
	Previous []string `json:"previous,omitempty"`
	Config   C        `json:"config"`
}

// schema is that of the manifests that are written, and the last that can be read.
const schema = 1

// WriteManifest writes run.json.
func (f *Folder) WriteManifest() error {
	q := f.of
	m := Manifest[any]{Schema: schema, Command: q.Command, Name: q.Name, Version: r2sgld.Version, Go: runtime.Version(), Arch: runtime.GOARCH,
		Seed: q.Seed, Hash: q.Hash, Config: q.Config}
	if q.Seed != nil {
		m.Numbers = r2sgld.Arithmetic()
	}
	for _, h := range q.Accept {
		if h != q.Hash {
			m.Previous = append(m.Previous, h)
		}
	}
	return f.WriteJSON("run.json", m)
}

// TaskFile is what studies have in the place of run.json.
const TaskFile = "reproduce.json"

// Read opens the folder of a run for reading, with its manifest.
func Read(dir string) (*store.Folder, Manifest[json.RawMessage], error) {
	var m Manifest[json.RawMessage]
	f, err := store.Open(dir)
	if err != nil {
		return nil, m, err
	}
	switch err := f.ReadJSON("run.json", &m); {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Stat(f.Path(TaskFile)); err == nil {
			return nil, m, fmt.Errorf("%s holds studies, which r2sgld reproduce made, not a run: as each ends, %s/report.html tells what it "+
				"found. To see on a page how far they are, give r2sgld reproduce --web :8080", dir, dir)
		}
		return nil, m, fmt.Errorf("%s is no run folder: it has no run.json. Give the folder that a run wrote", dir)
	case err != nil:
		return nil, m, fmt.Errorf("%s cannot be read as a run: %w", dir, err)
	}
	if m.Schema > schema {
		return nil, m, fmt.Errorf("%s was written by a later r2sgld (%s, schema %d; this one reads %d): take that one", dir,
			m.Version, m.Schema, schema)
	}
	return f, m, nil
}

// Finished reads the summary of a run; nil while there is none.
func Finished[S any](dir string) (*S, error) {
	f, err := store.Open(dir)
	if err != nil {
		return nil, err
	}
	sum := new(S)
	if err := f.ReadJSON("summary.json", sum); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	return sum, nil
}

// Intact is a *Refused if the configuration in the manifest, a file of this name, has
// another hash than the manifest says.
func (m *Manifest[C]) Intact(name, hash string, err error) error {
	if err != nil || hash != m.Hash {
		return &Refused{errors.Join(err, fmt.Errorf("%s was changed by hand, or another build of r2sgld wrote it: its hash is not that of its configuration", name))}
	}
	return nil
}

// IsOf says why the text of run.json is not that of one of these commands; nil is no
// text, which is none of another.
func IsOf(manifest []byte, commands ...string) error {
	if manifest == nil {
		return nil
	}
	var m Manifest[json.RawMessage]
	switch err := json.Unmarshal(manifest, &m); {
	case err != nil || m.Schema == 0 || m.Command == "" || m.Hash == "":
		return errors.New("it is of no run of ours")
	case !slices.Contains(commands, m.Command):
		return fmt.Errorf("it is a run of the command %q, which this one (%s) does not replace", m.Command, strings.Join(commands, ", "))
	}
	return nil
}

// KindOf tells the folders of one command by the files that it may leave beside run.json.
func KindOf(command string, files []string) store.Kind {
	return store.Kind{Manifest: "run.json", Files: func(manifest []byte) ([]string, error) {
		return append([]string{"run.json"}, files...), IsOf(manifest, command)
	}}
}
