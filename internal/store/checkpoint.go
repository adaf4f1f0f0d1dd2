package store

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A Checkpoint is the state of a run, in named sections of bytes.
type Checkpoint struct {
	Version   string `json:"version"`   // of the program
	Arch      string `json:"arch"`      // GOARCH
	Config    string `json:"config"`    // hash of the resolved configuration
	Numbers   string `json:"numbers"`   // floating-point arithmetic; "" is not known
	Name      string `json:"name"`      // of the run
	Iteration int    `json:"iteration"` // iterations done

	Sections []Section `json:"-"`
}

// A Section is a named part of a checkpoint.
type Section struct {
	Name string
	Data []byte
}

// Section returns the bytes of a section.
func (c *Checkpoint) Section(name string) ([]byte, bool) {
	for _, s := range c.Sections {
		if s.Name == name {
			return s.Data, true
		}
	}
	return nil, false
}

// Matches says why a run of this program version, GOARCH and configuration
// cannot go on from c, or nil if it can.
func (c *Checkpoint) Matches(version, arch, config string) error {
	var errs []error
	if c.Version != version {
		errs = append(errs, fmt.Errorf("the checkpoint is of version %s, this is %s: resume with version %s, or start anew", c.Version, version,
			c.Version))
	}
	if c.Arch != arch {
		errs = append(errs, fmt.Errorf("the checkpoint was made on %s, this is %s: floating-point results differ in the last bits, resume on %s",
			c.Arch, arch, c.Arch))
	}
	if c.Config != config {
		errs = append(errs, errors.New("the checkpoint belongs to another configuration: resume with the one in run.json, or start anew"))
	}
	return errors.Join(errs...)
}

// Moved says what it means that the run went on with other arithmetic; "" if it did
// not. Draws are as valid, but no longer those, to the last digit, of a run that was
// never moved.
func (c *Checkpoint) Moved(numbers string) string {
	last := func(s string) string { return s[strings.LastIndexByte(s, ' ')+1:] }
	if c.Numbers == "" || last(c.Numbers) == last(numbers) {
		return ""
	}
	return fmt.Sprintf("the checkpoint was made with other floating-point arithmetic (%s, here %s): from here on, draws may differ in the "+
		"last digit from those of a run that stayed there. They are as good.", c.Numbers, numbers)
}

// The container: magic, format version and length of the header (both 32 bits,
// little endian), the header as JSON, the sections one after another, and the
// SHA-256 of all that.
const (
	checkpointMagic  = "r2sgldCP"
	checkpointFormat = 2
	checkpointPrefix = len(checkpointMagic) + 8
	mostHeader       = 1 << 24 // bytes
)

var errForeign = errors.New("no checkpoint: it does not begin with " + checkpointMagic)

type checkpointHeader struct {
	Checkpoint
	Sections []sectionHeader `json:"sections"`
}

type sectionHeader struct {
	Name   string `json:"name"`
	Bytes  int    `json:"bytes"`
	CRC32C uint32 `json:"crc32c"`
}

// AppendBinary appends the container.
func (c *Checkpoint) AppendBinary(b []byte) ([]byte, error) {
	pieces, err := c.pieces()
	if err != nil {
		return nil, err
	}
	return append(b, slices.Concat(pieces...)...), nil
}

// pieces are the container in pieces, the sections among them as they are: they
// may be large.
func (c *Checkpoint) pieces() ([][]byte, error) {
	h := checkpointHeader{Checkpoint: *c, Sections: make([]sectionHeader, len(c.Sections))}
	for i, s := range c.Sections {
		h.Sections[i] = sectionHeader{s.Name, len(s.Data), crc32.Checksum(s.Data, castagnoli)}
	}
	header, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	begin := binary.LittleEndian.AppendUint32([]byte(checkpointMagic), checkpointFormat)
	begin = binary.LittleEndian.AppendUint32(begin, uint32(len(header)))
	pieces := [][]byte{append(begin, header...)}
	for _, s := range c.Sections {
		pieces = append(pieces, s.Data)
	}
	sum := sha256.New()
	for _, p := range pieces {
		sum.Write(p)
	}
	return append(pieces, sum.Sum(nil)), nil
}

// UnmarshalBinary reads a container and says what is wrong with one that is
// not whole. The sections share memory with data.
func (c *Checkpoint) UnmarshalBinary(data []byte) error {
	if len(data) < checkpointPrefix+sha256.Size {
		return fmt.Errorf("torn: %d bytes are too few for a checkpoint", len(data))
	}
	if string(data[:len(checkpointMagic)]) != checkpointMagic {
		return errForeign
	}
	body, sum := data[:len(data)-sha256.Size], data[len(data)-sha256.Size:]
	whole := sha256.Sum256(body) == [sha256.Size]byte(sum)
	format := binary.LittleEndian.Uint32(body[len(checkpointMagic):])
	if whole && format != checkpointFormat {
		return fmt.Errorf("it has format %d, this version reads format %d: resume with the version that wrote it, or start anew", format,
			checkpointFormat)
	}
	length := binary.LittleEndian.Uint32(body[len(checkpointMagic)+4:])
	rest := body[checkpointPrefix:]
	if uint64(length) > uint64(len(rest)) {
		return errors.New("torn: it ends within its header")
	}
	var h checkpointHeader
	if err := json.Unmarshal(rest[:length], &h); err != nil {
		return fmt.Errorf("damaged header: %w", err)
	}
	sections, err := readSections(h.Sections, rest[length:])
	if err != nil {
		return err
	}
	if !whole {
		return errors.New("damaged: its SHA-256 does not fit")
	}
	*c = h.Checkpoint
	c.Sections = sections
	return nil
}

func readSections(headers []sectionHeader, rest []byte) ([]Section, error) {
	sections := make([]Section, 0, len(headers))
	for _, h := range headers {
		if h.Bytes < 0 || h.Bytes > len(rest) {
			return nil, fmt.Errorf("torn: it ends within section %q", h.Name)
		}
		data := rest[:h.Bytes:h.Bytes]
		rest = rest[h.Bytes:]
		if crc32.Checksum(data, castagnoli) != h.CRC32C {
			return nil, fmt.Errorf("damaged: section %q has another checksum", h.Name)
		}
		sections = append(sections, Section{h.Name, data})
	}
	if len(rest) != 0 {
		return nil, fmt.Errorf("damaged: %d bytes follow the last section", len(rest))
	}
	return sections, nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

const keptCheckpoints = 2

// WriteCheckpoint writes the next file in checkpoints/, whole or not at all, and then
// removes those that the run wrote before, but for the newest. It returns the file's path.
// Draws that are streamed must be synced before.
func (f *Folder) WriteCheckpoint(c *Checkpoint) (string, error) {
	pieces, err := c.pieces()
	if err != nil {
		return "", fmt.Errorf("write checkpoint: %w", err)
	}
	numbers, err := f.checkpoints()
	if err != nil {
		return "", fmt.Errorf("write checkpoint: %w", err)
	}
	next := 1
	if len(numbers) > 0 {
		next = numbers[len(numbers)-1] + 1
	}
	err = f.writeFile(checkpointName(next), func(w io.Writer) error {
		for _, p := range pieces {
			if err := writeAll(w, p); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	numbers = slices.DeleteFunc(numbers, func(n int) bool { return !f.record.has(checkpointName(n)) })
	for _, n := range numbers[:max(0, len(numbers)+1-keptCheckpoints)] {
		if err := f.files.Remove(f.checkpointPath(n)); err != nil {
			return "", fmt.Errorf("remove old checkpoint %s (the new one is whole): %w", f.checkpointPath(n), advice(err))
		}
		f.record.keep(checkpointName(n), false)
	}
	return f.checkpointPath(next), nil
}

// NewestCheckpoint returns the newest whole checkpoint, its path, and one
// warning for each newer one that is torn or damaged. Without any whole
// checkpoint the error wraps [fs.ErrNotExist].
func (f *Folder) NewestCheckpoint() (c *Checkpoint, path string, warnings []string, err error) {
	numbers, err := f.checkpoints()
	if err != nil {
		return nil, "", nil, fmt.Errorf("read checkpoints: %w", err)
	}
	for _, n := range slices.Backward(numbers) {
		if f.before > 0 && n >= f.before {
			continue
		}
		path := f.checkpointPath(n)
		var data []byte
		most, err := f.told(path)
		if err == nil {
			data, err = readBounded(f.files, path, most)
		}
		c := new(Checkpoint)
		if err == nil {
			err = c.UnmarshalBinary(data)
		}
		if err == nil {
			return c, path, warnings, nil
		}
		f.record.keep(checkpointName(n), false) // it is not as it was written
		warnings = append(warnings, fmt.Sprintf("checkpoint %s skipped: %v", path, advice(err)))
	}
	return nil, "", warnings, fmt.Errorf("%s holds no whole checkpoint: start the run anew: %w", f.Path("checkpoints"), fs.ErrNotExist)
}

// Before has [Folder.NewestCheckpoint] look at those before the one in a file alone, and
// reports whether any of them is whole; if none is, nothing changes.
func (f *Folder) Before(path string) bool {
	was := f.before
	f.before, _ = strconv.Atoi(filepath.Base(path))
	if _, _, _, err := f.NewestCheckpoint(); err != nil {
		f.before = was
		return false
	}
	return true
}

// told is how many bytes a checkpoint has by what its header tells, so that of a file that is
// none no more than its begin is read; an error where that is not of a checkpoint.
func (f *Folder) told(path string) (int64, error) {
	info, err := f.files.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() < int64(checkpointPrefix) {
		return mostHeader, err // whoever reads it says why
	}
	file, err := f.files.OpenAt(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	begin := make([]byte, checkpointPrefix)
	if _, err := file.ReadAt(begin, 0); err != nil {
		return 0, err
	}
	length := int64(binary.LittleEndian.Uint32(begin[len(checkpointMagic)+4:]))
	switch {
	case string(begin[:len(checkpointMagic)]) != checkpointMagic:
		return 0, errForeign
	case length > mostHeader:
		return 0, fmt.Errorf("damaged: a header of %d bytes", length)
	}
	header := make([]byte, length)
	if _, err := file.ReadAt(header, int64(checkpointPrefix)); err != nil {
		return 0, fmt.Errorf("torn: it ends within its header: %w", err)
	}
	var h checkpointHeader
	if err := json.Unmarshal(header, &h); err != nil {
		return 0, fmt.Errorf("damaged header: %w", err)
	}
	size := int64(checkpointPrefix+sha256.Size) + length
	for _, s := range h.Sections {
		size += min(max(0, int64(s.Bytes)), mostCheckpoint)
	}
	return min(max(0, size), mostCheckpoint), nil
}

func checkpointName(n int) string { return fmt.Sprintf("checkpoints/%06d", n) }

func (f *Folder) checkpointPath(n int) string { return f.Path(checkpointName(n)) }

// checkpoints lists the numbers of what is in checkpoints/, ascending.
func (f *Folder) checkpoints() ([]int, error) {
	entries, err := f.files.ReadDir(f.Path("checkpoints"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, advice(err)
	}
	var numbers []int
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil && n > 0 && checkpointName(n) == "checkpoints/"+e.Name() {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

var (
	_ interface{ AppendBinary([]byte) ([]byte, error) } = (*Checkpoint)(nil)
	_ interface{ UnmarshalBinary([]byte) error }        = (*Checkpoint)(nil)
)
