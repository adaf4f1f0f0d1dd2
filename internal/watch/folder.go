package watch

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/store"
)

// A Folder is the folder of a run, read while it grows. Nothing is written there, and nothing
// outside it is read.
type Folder struct {
	dir   string
	stale fs.FileInfo // the log of the run before, as it was

	at   string // where the newest run is
	is   *job.Manifest[json.RawMessage]
	log  fs.FileInfo
	read int64  // bytes of the log
	part []byte // of a line
	told history
}

// Open reads the folder of a run, be it at work or not.
func Open(dir string) (*Folder, error) {
	if _, _, err := job.Read(store.Newest(dir)); err != nil {
		return nil, err
	}
	return &Folder{dir: dir}, nil
}

// Coming reads the folder of a run that is about to begin, or to go on, in this process.
func Coming(dir string) *Folder {
	f := &Folder{dir: dir}
	f.stale, _ = os.Lstat(filepath.Join(store.Newest(dir), logName))
	return f
}

const (
	logName = "log.jsonl"
	figures = "figures"
	// mostOf are the bytes that are read of a file: whoever writes more there is not us.
	mostOf = 64 << 20
)

// picture is the name of a figure.
var picture = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}\.svg$`)

// Facts are those of now.
func (f *Folder) Facts() Facts {
	if at := store.Newest(f.dir); at != f.at {
		f.forget(at)
	}
	root, err := os.OpenRoot(f.at)
	if err != nil {
		f.forget("")
		return f.facts(nil)
	}
	defer root.Close()
	if !f.catchUp(root) {
		return f.facts(nil)
	}
	if f.is == nil {
		f.is = readJSON[job.Manifest[json.RawMessage]](root, "run.json")
	}
	return f.facts(root)
}

// forget begins anew with another folder.
func (f *Folder) forget(at string) { *f = Folder{dir: f.dir, stale: f.stale, at: at} }

// facts completes what the log tells; root is nil where there is nothing to be read yet.
func (f *Folder) facts(root *os.Root) Facts {
	q := f.told.Facts
	q.Folder = f.dir
	if root == nil {
		q.State = Beginning
		return q
	}
	if f.is != nil {
		q.Name, q.Command = f.is.Name, f.is.Command
	}
	q.Rounds, q.Course, q.Epochs, q.Warnings = slices.Clone(q.Rounds), slices.Clone(q.Course), slices.Clone(q.Epochs), slices.Clone(q.Warnings)
	q.Figures = pictures(root)
	switch q.State {
	case Done, Stopped:
	default:
		if !store.Writing(f.dir) {
			q.State = Left
		} else if q.State == "" {
			q.State = Beginning
		}
	}
	return q
}

// catchUp reads what the log has more than before, and reports whether it is that of the run.
func (f *Folder) catchUp(root *os.Root) bool {
	file, info, err := regular(root, logName)
	if err != nil {
		return false
	}
	defer file.Close()
	if f.stale != nil && os.SameFile(info, f.stale) && info.Size() == f.stale.Size() {
		return false
	}
	f.stale = nil
	if f.log != nil && !os.SameFile(info, f.log) || info.Size() < f.read {
		f.forget(f.at)
	}
	f.log = info
	if info.Size() == f.read || info.Size() > mostOf {
		return true
	}
	more, err := io.ReadAll(io.NewSectionReader(file, f.read, info.Size()-f.read))
	if err != nil {
		return true
	}
	f.read += int64(len(more))
	ended := f.told.Ended
	f.part = append(f.part, more...)
	for {
		line, rest, whole := bytes.Cut(f.part, []byte("\n"))
		if !whole {
			break
		}
		f.told.read(line)
		f.part = rest
	}
	f.part = bytes.Clone(f.part)
	if f.told.State == Done && f.told.Ended != ended {
		if s := readJSON[summary](root, "summary.json"); s != nil {
			f.told.summed(s)
		}
	}
	return true
}

// Figure is a picture of the run.
func (f *Folder) Figure(name string) ([]byte, error) {
	if !picture.MatchString(name) {
		return nil, fs.ErrNotExist
	}
	root, err := os.OpenRoot(store.Newest(f.dir))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	within, err := root.OpenRoot(figures)
	if err != nil {
		return nil, err
	}
	defer within.Close()
	return contents(within, name, mostOf)
}

// pictures lists the figures.
func pictures(root *os.Root) (found []Figure) {
	entries, err := fs.ReadDir(root.FS(), figures)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && picture.MatchString(e.Name()) && len(found) < mostFigures {
			found = append(found, Figure{e.Name(), info.ModTime().UnixMilli()})
		}
	}
	return found
}

// regular opens a regular file, and no link to one.
func regular(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, errors.New("no regular file")
	}
	file, err := root.Open(name)
	if err != nil {
		return nil, nil, err
	}
	now, err := file.Stat()
	if err == nil && !os.SameFile(info, now) {
		err = errors.New("was exchanged")
	}
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return file, now, nil
}

// readJSON reads a file of JSON; nil is one that is not there, or none.
func readJSON[T any](root *os.Root, name string) *T {
	v := new(T)
	text, err := contents(root, name, mostOf)
	if err != nil || json.Unmarshal(text, v) != nil {
		return nil
	}
	return v
}

// contents reads a regular file of at most so many bytes.
func contents(root *os.Root, name string, most int64) ([]byte, error) {
	file, info, err := regular(root, name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info.Size() > most {
		return nil, errors.New("is too large")
	}
	return io.ReadAll(io.LimitReader(file, most))
}
