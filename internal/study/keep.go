package study

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/r2sgld/r2sgld/internal/store"
)

// A Task is all that determines what a folder of studies will hold.
type Task struct {
	Study   string `json:"study"` // its name, or one that stands for several
	Scale   Scale  `json:"scale"`
	Seed    uint64 `json:"seed"`
	Program string `json:"program"` // a fingerprint of the program
}

// taskDocument is reproduce.json.
type taskDocument struct {
	Schema int `json:"schema"`
	Task
	Finished bool `json:"finished"` // nothing is left that could be run
}

const taskFile = "reproduce.json"

// A Desk is a folder in which the studies of a task end one by one: each is kept as it
// ends, so that a task that was stopped, however, goes on where it was.
type Desk struct {
	*store.Folder
	task  Task
	begun bool         // reproduce.json is of this task
	kept  atomic.Int64 // studies, for whoever asks while the folder changes
}

// TaskIn is the task of a folder that [Open] made, if it is one.
func TaskIn(dir string) (Task, bool) {
	d, ok := documentIn(dir)
	return d.Task, ok
}

func documentIn(dir string) (d taskDocument, ok bool) {
	f, err := store.Open(dir)
	return d, err == nil && f.ReadJSON(taskFile, &d) == nil && d.Schema == 1
}

// Open takes the folder of a task. One that holds a part of this task is gone on with,
// and so is a finished one, of which nothing is left to do, unless force is set: then it
// is begun anew. Any other folder that is not empty is an error, unless force is set.
func Open(dir string, t Task, force bool) (*Desk, error) {
	d, ok := documentIn(store.Newest(dir))
	if ok && d.Task == t && !(d.Finished && force) {
		f, err := store.Continue(store.Disk{}, dir, folders())
		return newDesk(f, t, true), err
	}
	f, err := store.Create(store.Disk{}, dir, folders(), force)
	if err != nil && ok {
		err = fmt.Errorf("%w. It holds studies of another task or of another build of the program: reproduce %s --scale %s --seed %d", err,
			d.Study, d.Scale, d.Seed)
	}
	return newDesk(f, t, false), err
}

func newDesk(f *store.Folder, t Task, begun bool) *Desk {
	d := &Desk{Folder: f, task: t, begun: begun}
	if f != nil {
		d.count()
	}
	return d
}

// sheet is the file of a study that is kept.
func sheet(name string) string { return "studies/" + name + ".study" }

// count looks how many studies are kept.
func (d *Desk) count() {
	n := 0
	entries, _ := os.ReadDir(filepath.Dir(d.Path(sheet("x")))) // which the first makes
	for _, e := range entries {
		if filepath.Ext(e.Name()) == filepath.Ext(sheet("x")) {
			n++
		}
	}
	d.kept.Store(int64(n))
}

// Count is the number of studies that are kept. It may be called at any time, by any
// goroutine.
func (d *Desk) Count() int { return int(d.kept.Load()) }

// Kept is the study of this name if the folder has it.
func (d *Desk) Kept(name string) (*Study, error) {
	if !d.begun {
		return nil, fs.ErrNotExist
	}
	text, err := d.ReadFile(sheet(name))
	if err != nil {
		return nil, err
	}
	return unpack(text)
}

// Keep writes a study that has ended and returns it as [Desk.Kept] will.
func (d *Desk) Keep(s *Study) (*Study, error) {
	text, err := pack(s)
	if err != nil {
		return nil, fmt.Errorf("keep study %s: %w", s.Name, err)
	}
	if !d.begun {
		if err := d.mark(false); err != nil {
			return nil, err
		}
		d.begun = true
	}
	if err := d.WriteFile(sheet(s.Name), text); err != nil {
		return nil, err
	}
	d.count()
	return unpack(text)
}

// Finish says that nothing is left of the task that could be run.
func (d *Desk) Finish() error { return d.mark(true) }

func (d *Desk) mark(finished bool) error {
	return d.WriteJSON(taskFile, taskDocument{1, d.task, finished})
}

func init() { gob.Register(json.RawMessage{}) }

// pack encodes a study, its results as JSON, behind a checksum.
func pack(s *Study) ([]byte, error) {
	out := *s
	results, err := store.JSON(s.Results)
	if err != nil {
		return nil, err
	}
	out.Results = json.RawMessage(results)
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(&out); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(b.Bytes())
	return append(sum[:], b.Bytes()...), nil
}

// unpack is the inverse of pack.
func unpack(text []byte) (*Study, error) {
	if len(text) < sha256.Size || sha256.Sum256(text[sha256.Size:]) != [sha256.Size]byte(text) {
		return nil, errors.New("the file is damaged")
	}
	s := new(Study)
	return s, gob.NewDecoder(bytes.NewReader(text[sha256.Size:])).Decode(s)
}
