package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
)

// growing are the files that grow, besides chunks of draws, and how each line of them begins.
// A record that says of any other that it grows is not believed.
var growing = map[string]string{"log.jsonl": `{"time":"`, "metrics.jsonl": `{"repeat":`}

var (
	arrayName = regexp.MustCompile(`^draws\.zarr/(posterior|sample_stats|tempered|tempered_stats)/[^/]+$`)
	chunkName = regexp.MustCompile(`^draws\.zarr/(?:(?:posterior|sample_stats)/[^/]+/([0-9]+\.[0-9]+)|tempered(?:_stats)?/[^/]+/([0-9]+)\.0(\.[0-9]+))$`)
	chunkMark = regexp.MustCompile(`^[0-9]+\.[0-9]+$`)
)

// sound returns a mark as far as a run may have made it, and whether it may.
func (m mark) sound() (mark, bool) {
	switch {
	case m.Chunk != "":
		return m, chunkMark.MatchString(m.Chunk)
	case m.Array:
		return m, arrayName.MatchString(m.Name) && m.Bytes >= 0
	}
	m.Grows = m.Grows && (growing[m.Name] != "" || chunkKey(m.Name) != "")
	return m, m.Bytes >= 0 && m.Rungs >= 0 && (m.Rungs == 0 && m.Block == 0 || m.Block > 0)
}

// A grower is a file of the run folder that grows. When it is closed, all of it is put on
// record.
type grower struct {
	File
	tally
	name   string
	folder *Folder
}

// Write writes at the end.
func (g *grower) Write(b []byte) (int, error) { return g.tally.Write(b) }

// Close makes durable what was written, and puts it on record.
func (g *grower) Close() error {
	err := g.Sync()
	if err = errors.Join(err, g.File.Close()); err != nil {
		return err
	}
	return g.folder.enter(mark{Name: g.name, Bytes: g.bytes, CRC32C: g.sum, Closed: true})
}

// Append opens a file of the run folder for writing at its end, whole lines at a time;
// what [Folder.WriteFile] wrote comes before. The caller closes it.
func (f *Folder) Append(name string) (File, error) {
	g, err := f.grow(name)
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", f.Path(name), advice(err))
	}
	return g, nil
}

// grow opens a file that grows, and puts on record that it does.
func (f *Folder) grow(name string) (*grower, error) {
	if growing[name] == "" {
		return nil, errors.New("it is no file that grows")
	}
	if err := f.free(name); err != nil {
		return nil, err
	}
	m := mark{Name: name}
	if marks := f.record.marks[name]; f.record.has(name) {
		m = marks[len(marks)-1]
	}
	if !m.Grows {
		m.Grows, m.Closed = true, false
		if err := f.enter(m); err != nil {
			return nil, err
		}
	}
	if err := apart(f.files, f.Path(name)); err != nil {
		return nil, err
	}
	g := &grower{name: name, folder: f}
	switch info, err := f.files.Stat(f.Path(name)); {
	case err == nil:
		g.bytes = info.Size()
		if g.sum, err = f.sum(name, mark{Bytes: g.bytes}, g.bytes); err != nil {
			return nil, err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	file, err := f.files.Append(f.Path(name))
	if err != nil {
		return nil, err
	}
	g.File, g.w = file, file
	f.record.keep(name, true)
	return g, nil
}

// grown reports whether what follows the first bytes of a file that grows are lines of the
// run, each maybe cut short. A machine that fails may leave zeros.
func (f *Folder) grown(name string, from, size int64) (bool, error) {
	head := growing[name]
	if head == "" || size-from > mostDocument {
		return false, nil
	}
	file, err := f.files.OpenAt(f.Path(name))
	if err != nil {
		return false, err
	}
	tail := make([]byte, size-from)
	_, err = file.ReadAt(tail, from)
	if err = errors.Join(err, file.Close()); err != nil {
		return false, err
	}
	for line := range bytes.Lines(tail) {
		line = bytes.Trim(line, "\x00\n")
		if !strings.HasPrefix(head, string(line[:min(len(line), len(head))])) {
			return false, nil
		}
	}
	return true, nil
}
