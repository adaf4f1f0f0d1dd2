package study

import (
	"crypto/sha256"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/r2sgld/r2sgld/internal/job"
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

// A Desk is a folder in which the studies of a task end one by one: each is kept as it
// ends, so that a task that was stopped, however, goes on where it was.
type Desk struct {
	*store.Folder
	task   Task
	begun  bool            // reproduce.json is of this task
	kept   atomic.Int64    // studies, for whoever asks while the folder changes
	mu     sync.Mutex      // of what follows
	cases  map[string]bool // files of cases that are there
	closed bool            // a study that was abandoned writes nothing any more
}

// TaskIn is the task of a folder that [Open] made, if it is one.
func TaskIn(dir string) (Task, bool) {
	d, ok := documentIn(dir)
	return d.Task, ok
}

// Task is what the folder is of.
func (d *Desk) Task() Task { return d.task }

func documentIn(dir string) (d taskDocument, ok bool) {
	f, err := store.Open(dir)
	return d, err == nil && f.ReadJSON(job.TaskFile, &d) == nil && d.Schema == 1
}

// Open takes the folder of a task. One that holds a part of this task is gone on with,
// and so is a finished one, of which nothing is left to do, unless force is set: then it
// is begun anew. Any other folder that is not empty is an error, unless force is set.
func Open(dir string, t Task, force bool) (*Desk, error) {
	if _, err := store.Settle(store.Disk{}, dir); err != nil { // an exchange that was cut short
		return nil, err
	}
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
	d := &Desk{Folder: f, task: t, begun: begun, cases: map[string]bool{}}
	if f == nil {
		return d
	}
	for _, name := range d.list(sheet("x"), ".study") { // the last was maybe killed before its cases were gone
		d.clear(strings.TrimSuffix(name, ".study"))
	}
	d.count()
	for _, name := range d.list("cases/x", ".case") {
		d.cases["cases/"+name] = true
	}
	return d
}

// sheet is the file of a study that is kept.
func sheet(name string) string { return "studies/" + name + ".study" }

// count looks how many studies are kept.
func (d *Desk) count() {
	d.kept.Store(int64(len(d.list(sheet("x"), ".study"))))
}

// list lists the files beside one of this name with an ending.
func (d *Desk) list(like, ending string) (names []string) {
	entries, _ := os.ReadDir(filepath.Dir(d.Path(like))) // which the first file makes
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ending {
			names = append(names, e.Name())
		}
	}
	return names
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
	if err := d.write(sheet(s.Name), text); err != nil {
		return nil, err
	}
	d.count()
	d.clear(s.Name)
	return unpack(text)
}

// write writes a file, and first of all what task it is of.
func (d *Desk) write(name string, text []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return errClosed
	}
	if err := d.begin(); err != nil {
		return err
	}
	return d.WriteFile(name, text)
}

// begin writes what task the folder is of, unless it is there. d.mu is held.
func (d *Desk) begin() error {
	if d.begun {
		return nil
	}
	err := d.mark(false)
	d.begun = err == nil
	return err
}

// Cases keeps the cases of the study of a name, so long as it has not ended.
func (d *Desk) Cases(study string) Keeper { return &drawer{desk: d, study: study} }

// Begun reports whether a case of a study that has not ended is kept.
func (d *Desk) Begun() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.cases) > 0
}

// errClosed is the error of a study that goes on when its folder is closed.
var errClosed = errors.New("the folder of the study is closed")

// Close closes the folder. A study that has not ended keeps nothing from then on.
func (d *Desk) Close() error { return d.end(d.Folder.Close) }

// Discard is [store.Folder.Discard], and then as Close.
func (d *Desk) Discard() error { return d.end(d.Folder.Discard) }

func (d *Desk) end(how func() error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	return how()
}

// clear removes the cases of a study.
func (d *Desk) clear(study string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	_ = d.Remove("cases", func(file string) bool { // what is left of it is removed with the next study
		of, _, _ := strings.Cut(filepath.Base(file), ".")
		if of == study {
			delete(d.cases, file)
		}
		return of == study
	})
}

// A drawer holds the cases of a study.
type drawer struct {
	desk    *Desk
	study   string
	earlier atomic.Int64
}

// Earlier implements Keeper.
func (c *drawer) Earlier(more time.Duration) time.Duration {
	return time.Duration(c.earlier.Add(int64(more)))
}

func (c *drawer) file(name string) string {
	return fmt.Sprintf("cases/%s.%.12x.case", c.study, sha256.Sum256([]byte(name)))
}

// Find implements Keeper.
func (c *drawer) Find(name string) []byte {
	file := c.file(name)
	c.desk.mu.Lock()
	there := c.desk.cases[file]
	c.desk.mu.Unlock()
	if !there {
		return nil
	}
	text, err := c.desk.ReadFile(file)
	if err != nil {
		return nil // the file is gone: it is computed again
	}
	return text
}

// Keep implements Keeper.
func (c *drawer) Keep(name string, text []byte) error {
	file := c.file(name)
	if err := c.desk.write(file, text); err != nil {
		return err
	}
	c.desk.mu.Lock()
	defer c.desk.mu.Unlock()
	c.desk.cases[file] = true
	return nil
}

// Finish says that nothing is left of the task that could be run.
func (d *Desk) Finish() error { return d.mark(true) }

func (d *Desk) mark(finished bool) error {
	return d.WriteJSON(job.TaskFile, taskDocument{1, d.task, finished})
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
	return seal(&out)
}

// unpack is the inverse of pack.
func unpack(text []byte) (*Study, error) {
	s := new(Study)
	return s, unseal(text, s)
}
