package store

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/r2sgld/r2sgld/internal/regular"
)

// recordName is the file in which a run keeps on record what it writes: a line for each
// file, there before the file bears its name. What is not on record, or is not as it was
// written, is the user's, whatever it is called.
const recordName = ".r2sgld.files"

var errNoRecord = errors.New("it has no record (" + recordName + ") of what its run wrote, which tells its files from yours; " +
	"a copy without files whose names begin with a dot lacks it: copy " + recordName +
	" from where the run was made, or choose another folder")

// Recorded says what hinders a run in this folder, or the one that is to take its place,
// from going on: the record of what it wrote is missing.
func Recorded(dir string) error {
	for _, d := range []string{dir, Newest(dir)} {
		_, run := os.Lstat(filepath.Join(d, "run.json"))
		_, err := os.Lstat(filepath.Join(d, recordName))
		if run == nil && errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("the run in %s cannot go on: %w", d, errNoRecord)
		}
	}
	return nil
}

// A mark is a line of the record.
type mark struct {
	Name   string `json:"name"`             // of the file, slash-separated
	Bytes  int64  `json:"bytes"`            // that were written
	CRC32C uint32 `json:"crc32c"`           // of them
	Grows  bool   `json:"grows,omitempty"`  // others follow them
	Closed bool   `json:"closed,omitempty"` // it grew, and these are all
	Rungs  int    `json:"rungs,omitempty"`  // they are first bytes of so many equal parts of it
	Block  int64  `json:"block,omitempty"`  // that many of each part in turn
	Array  bool   `json:"array,omitempty"`  // it is the folder of an array of draws, with chunks of that many bytes
	Chunk  string `json:"chunk,omitempty"`  // chain and number of a chunk of each of these arrays, which is written anew
}

// A record is what was read of a record and added to it.
type record struct {
	mu     sync.Mutex
	found  bool              // there is one
	alien  bool              // which no run wrote
	torn   bool              // its last line is not whole
	marks  map[string][]mark // of files, by their names
	arrays map[string]int64  // folders, with the bytes of a chunk; 0 is not known
	chunks map[string]bool
	above  map[string]bool // folders that hold something of it
	mine   map[string]bool // files that are there, as they were written
}

func (r *record) add(m mark) {
	switch {
	case m.Chunk != "":
		r.chunks[m.Chunk] = true
		for a := range r.arrays {
			delete(r.marks, a+"/"+m.Chunk)
			delete(r.marks, a+"/"+strings.Replace(m.Chunk, ".", ".0.", 1))
		}
		return
	case m.Array:
		r.arrays[m.Name], r.above[m.Name] = m.Bytes, true
	case m.Closed: // what came before tells of less
		r.marks[m.Name] = []mark{m}
	default:
		r.marks[m.Name] = append(r.marks[m.Name], m)
	}
	for d := path.Dir(m.Name); d != "."; d = path.Dir(d) {
		r.above[d] = true
	}
}

// readRecord reads the record of the folder.
func (f *Folder) readRecord() error {
	r := &record{marks: map[string][]mark{}, arrays: map[string]int64{}, chunks: map[string]bool{}, above: map[string]bool{},
		mine: map[string]bool{}}
	data, err := readBounded(f.files, f.Path(recordName), mostDocument)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return advice(err)
	}
	r.found, r.torn = err == nil, len(data) > 0 && data[len(data)-1] != '\n'
	r.alien = len(data) > 0
	for line := range bytes.Lines(data) {
		r.alien = r.alien && !begins(line, `{"name":`)
		var m mark
		if json.Unmarshal(line, &m) != nil || !fs.ValidPath(m.Name) { // one that is cut short tells of nothing that is there
			continue
		}
		if m, ok := m.sound(); ok {
			r.add(m)
		}
	}
	f.record = r
	return nil
}

// begins reports whether a line, which may be cut short, begins with text.
func begins(line []byte, text string) bool {
	return bytes.HasPrefix(line, []byte(text)) || strings.HasPrefix(text, string(line))
}

// enter puts marks on record, durably.
func (f *Folder) enter(marks ...mark) error {
	r := f.record
	r.mu.Lock()
	defer r.mu.Unlock()
	var text bytes.Buffer
	if r.torn {
		text.WriteByte('\n')
	}
	for _, m := range marks {
		line, err := json.Marshal(m)
		if err != nil {
			return err
		}
		text.Write(append(line, '\n'))
	}
	if err := apart(f.files, f.Path(recordName)); err != nil {
		return err
	}
	file, err := f.files.Append(f.Path(recordName))
	if err != nil {
		return err
	}
	if err = writeAll(file, text.Bytes()); err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		r.torn = true
		return err
	}
	if !r.found {
		err = f.files.SyncDir(f.dir)
	}
	r.found, r.torn = true, false
	for _, m := range marks {
		r.add(m)
	}
	return err
}

// keep notes whether a file is there, as it was written. A folder that was opened for
// reading has no record.
func (r *record) keep(name string, there bool) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.mine[name] = there; !there {
		delete(r.mine, name)
	}
}

// has reports whether a file is there, as it was written.
func (r *record) has(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.mine[name]
}

// owned are the files that are there, as they were written.
func (r *record) owned() map[string]bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.mine)
}

// intact says whether what was read of a file, so many bytes, is what the run wrote: sum is
// the checksum of the first of them. Of a file that grows at least so many bytes count. What
// is not on record is as it should be.
func (r *record) intact(path, name string, size, least int64, sum func(int64) uint32) error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	marks := r.marks[name]
	r.mu.Unlock()
	known := false
	for _, m := range marks {
		if m.Bytes < least {
			continue
		}
		if known = true; (m.Bytes == size || m.Grows && m.Bytes < size) && sum(m.Bytes) == m.CRC32C {
			return nil
		}
	}
	if !known {
		return nil
	}
	last := marks[len(marks)-1]
	what := fmt.Sprintf("it has %d bytes, where the run wrote %d", size, last.Bytes)
	if size == last.Bytes || last.Grows && size > last.Bytes {
		what = fmt.Sprintf("the checksum of its %d bytes is not the one on record", last.Bytes)
	}
	return fmt.Errorf("%s was changed since the run wrote it: %s (%s). Put it back from a copy, or make the run anew; "+
		"to read it as it is, copy it into a folder of its own", path, what, recordName)
}

// sumOf gives checksums of the first bytes.
func sumOf(data []byte) func(int64) uint32 {
	return func(n int64) uint32 { return crc32.Checksum(data[:n], castagnoli) }
}

// An original is a thing to read, a file or a folder, with what is on record of it by the
// run in whose folder it lies, if there is such a record.
type original struct {
	root   string // as it was given
	name   string // in the folder of the run
	record *record
}

func originalOf(root string) (*original, error) {
	at, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	f := &Folder{dir: filepath.Dir(at), files: Disk{}}
	err = f.readRecord()
	return &original{root, filepath.Base(at), f.record}, err
}

// read reads a file whole that has at most so many bytes, of which at least so many count.
func (o *original) read(file string, most, least int64) ([]byte, error) {
	data, err := regular.Read(file, most)
	if err != nil {
		return nil, err
	}
	rel, err := filepath.Rel(o.root, file)
	if err == nil {
		err = o.record.intact(file, path.Join(o.name, filepath.ToSlash(rel)), int64(len(data)), least, sumOf(data))
	}
	return data, err
}

// free says what is in the way of a file to be written, unless it is the run's own.
func (f *Folder) free(name string) error {
	if f.record.has(name) {
		return nil
	}
	switch _, err := f.files.Stat(f.Path(name)); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("%s is in the way, and not what the run wrote: move it", f.Path(name))
}

// owns reports whether a regular file is one on record, and as it was written. Of a chunk of
// draws whose checksum is not on record yet, the size tells.
func (f *Folder) owns(name string) (bool, error) {
	r := f.record
	marks, chunk := r.marks[name], r.chunks[chunkKey(name)]
	whole, drawn := r.arrays[path.Dir(name)]
	if drawn = drawn && chunk; marks == nil && !drawn {
		return false, nil
	}
	info, err := f.files.Stat(f.Path(name))
	if err != nil {
		return false, err
	}
	fits := whole == 0 || info.Size() == whole
	if marks == nil {
		return fits || info.Size() == 0, nil
	}
	if drawn { // those before are of fewer draws
		marks = marks[len(marks)-1:]
	}
	for _, m := range marks {
		if info.Size() < m.Bytes || info.Size() > m.Bytes && !m.Grows {
			continue
		}
		sum, err := f.sum(name, m, info.Size())
		if err != nil {
			return false, err
		}
		own := sum == m.CRC32C
		if own && drawn {
			own = fits
		} else if own && info.Size() > m.Bytes {
			if own, err = f.grown(name, m.Bytes, info.Size()); err != nil {
				return false, err
			}
		}
		if own {
			r.keep(name, true)
			return true, nil
		}
	}
	return false, nil
}

// sum is the checksum of what a mark is of in a file of so many bytes.
func (f *Folder) sum(name string, m mark, size int64) (uint32, error) {
	if m.Bytes == 0 {
		return 0, nil
	}
	file, err := f.files.OpenAt(f.Path(name))
	if err != nil {
		return 0, err
	}
	parts := int64(max(1, m.Rungs))
	each, block := m.Bytes/parts, cmp.Or(m.Block, m.Bytes)
	sum, buffer := crc32.New(castagnoli), make([]byte, min(block, 1<<20))
	for at := int64(0); at < each && err == nil; at += block {
		for r := int64(0); r < parts && err == nil; r++ {
			_, err = io.CopyBuffer(sum, io.NewSectionReader(file, r*(size/parts)+at, min(block, each-at)), buffer)
		}
	}
	return sum.Sum32(), errors.Join(err, file.Close())
}

// A tally counts what goes through it, and sums it up.
type tally struct {
	w     io.Writer
	bytes int64
	sum   uint32
}

func (t *tally) Write(b []byte) (int, error) {
	n, err := len(b), error(nil)
	if t.w != nil {
		n, err = t.w.Write(b)
	}
	t.bytes += int64(n)
	t.sum = crc32.Update(t.sum, castagnoli, b[:n])
	return n, err
}

// through has what a function writes go through it.
func (t *tally) through(write func(io.Writer) error) func(io.Writer) error {
	return func(w io.Writer) error {
		t.w = w
		return write(t)
	}
}

// chunkKey is chain and number of a chunk of draws, by its name; "" is none.
func chunkKey(name string) string {
	if m := chunkName.FindStringSubmatch(name); m != nil {
		return m[1] + m[2] + m[3]
	}
	return ""
}
