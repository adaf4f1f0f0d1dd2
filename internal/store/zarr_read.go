package store

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/r2sgld/r2sgld/internal/text"
)

// readZarr reads the posterior of an InferenceData store in Zarr v2: ours, or
// one written by ArviZ with zlib, gzip or no compression. Elements of
// array-valued parameters become parameters of their own, named x[0], x[1] as
// ArviZ names them.
func readZarr(most int, dir string) (*Draws, error) {
	d := &Draws{}
	if err := d.readZarr(most, dir); err != nil {
		return nil, fmt.Errorf("read %s: %w", dir, err)
	}
	return d, nil
}

func (d *Draws) readZarr(most int, dir string) error {
	if err := checkZarr(dir); err != nil {
		return err
	}
	from, err := originalOf(dir)
	if err != nil {
		return err
	}
	if err := d.readGroup(most, filepath.Join(dir, "posterior"), from); err != nil || !exists(filepath.Join(dir, "outputs", ".zattrs")) {
		return err
	}
	d.Outputs = &Draws{}
	return d.Outputs.readGroup(most, filepath.Join(dir, "outputs"), from)
}

// readGroup reads the arrays of a group.
func (d *Draws) readGroup(most int, group string, from *original) error {
	var attrs zarrAttributes
	if err := from.document(filepath.Join(group, ".zattrs"), &attrs, true); err != nil {
		return err
	}
	arrays, err := groupArrays(group, attrs)
	if err != nil {
		return err
	}
	room := float64(roomAnyway)
	for _, name := range arrays {
		a := zarrArray{whole: attrs.Library == library, from: from}
		if err := d.addArray(&a, filepath.Join(group, name), most, &room); err != nil {
			return err
		}
	}
	if len(d.Names) == 0 {
		return fmt.Errorf("%s holds no array with dimensions chain and draw", group)
	}
	if d.Chains() == 0 {
		return errors.New("draws without chains")
	}
	return checkNames(d.Names)
}

// checkZarr says why a folder cannot be read as a Zarr store.
func checkZarr(dir string) error {
	if exists(filepath.Join(dir, "zarr.json")) {
		return errors.New("it is Zarr version 3: write it with zarr_format=2")
	}
	if _, err := os.Stat(filepath.Join(dir, ".zgroup")); !errors.Is(err, fs.ErrNotExist) {
		return advice(err)
	}
	if filepath.Base(dir) == "draws.zarr" && exists(filepath.Join(dir, "posterior")) {
		return fmt.Errorf("the run is unfinished: go on with: r2sgld resume %s", text.Word(filepath.Dir(dir)))
	}
	return errors.New("it is no Zarr store: it has no .zgroup")
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// addArray adds the elements of an array with dimensions chain, draw, … and
// leaves others alone. Room is how many bytes may be taken up beyond those that its
// files account for; of our own arrays every chunk is there.
func (d *Draws) addArray(a *zarrArray, path string, most int, room *float64) error {
	name, dims, err := a.describe(path)
	if err != nil || len(dims) < 2 || dims[0] != "chain" || dims[1] != "draw" {
		return err
	}
	if err := a.check(len(dims)); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	chains, n := a.Shape[0], a.Shape[1]
	if len(d.Names) == 0 {
		d.Kept, d.Stride = n, strideOf(n, most)
	} else if shape := []int{d.Chains(), d.Kept}; !slices.Equal(shape, a.Shape[:2]) {
		return fmt.Errorf("%s: shape %v, but others have %v", path, a.Shape, shape)
	}
	if err := a.take(path, d.Stride, room); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	values, err := a.read(path, d.Stride)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	n /= d.Stride
	size := product(a.Shape[2:])
	for k := range size {
		x := make([][]float64, chains)
		for c := range x {
			x[c] = make([]float64, n)
			for i := range n {
				x[c][i] = values[(c*n+i)*size+k]
			}
		}
		d.Names, d.X = append(d.Names, elementName(name, k, a.Shape[2:], a.whole)), append(d.X, x)
	}
	return nil
}

func product(shape []int) int {
	n := 1
	for _, s := range shape {
		n *= s
	}
	return n
}

// elementName is that of an element of an array: of our own they count from 1, as in [Folded].
func elementName(name string, k int, shape []int, own bool) string {
	if len(shape) == 0 {
		return name
	}
	at := make([]int, len(shape))
	for i := len(shape) - 1; i >= 0; i-- {
		at[i] = k % shape[i]
		if k /= shape[i]; own {
			at[i]++
		}
	}
	return name + "[" + joinInts(at, ",") + "]"
}

// groupArrays lists the arrays of a group: in the order of the model where we
// wrote it, else by name.
func groupArrays(group string, attrs zarrAttributes) ([]string, error) {
	if attrs.Library == library && len(attrs.Parameters) > 0 {
		for _, p := range attrs.Parameters {
			if !fs.ValidPath(p) || p != filepath.Base(p) {
				return nil, fmt.Errorf("%s: %q is no name of an array", group, p)
			}
		}
		return attrs.Parameters, nil
	}
	entries, err := os.ReadDir(group)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if exists(filepath.Join(group, e.Name(), ".zarray")) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// document reads a metadata document; an absent one is empty if optional.
// Attributes of others that share a name with ours but not its type are left.
func (o *original) document(path string, v any, optional bool) error {
	data, err := o.read(path, mostDocument, 0)
	if optional && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	err = json.Unmarshal(data, v)
	switch other, ok := errors.AsType[*json.UnmarshalTypeError](err); {
	case ok && !optional:
		return fmt.Errorf("%s: %s: Zarr has no %s there", path, cmp.Or(other.Field, "all of it"), other.Value)
	case !ok && err != nil:
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// What a damaged shape can make us allocate, or look for, is bounded: an array, one of
// its chunks, the number of these, and that of chains times numbers in a draw.
const (
	maxArray   = 1 << 31
	maxChunk   = 1 << 27
	maxChunks  = 1 << 20
	maxColumns = 1 << 23
)

// roomAnyway is how many bytes draws may take up, whatever the size of their files,
// and roomPerByte how many more there are for a byte on disk: numbers of one byte
// become eight, and draws that are compressed hardly shrink to a fourth. What is inflated
// to pass by takes time alone.
const (
	roomAnyway  = 64 << 20
	roomPerByte = 64
	passAnyway  = 1 << 30
)

// take takes from room what every stride-th draw of an array needs, which must be in
// proportion to its files.
func (m *zarrArray) take(path string, stride int, room *float64) error {
	files, held := 0, 0.0
	err := filepath.WalkDir(path, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			files++
			held += float64(info.Size())
		}
		return err
	})
	if err != nil {
		return err
	}
	if n := float64(files) * float64(product(m.Chunks)*m.width()); m.Compressor != nil && n > passAnyway+roomPerByte*held {
		return fmt.Errorf("shape %v, chunks %v ask for %.3g bytes to be inflated, far more than its files hold: is it damaged?", m.Shape,
			m.Chunks, n)
	}
	*room += roomPerByte * held
	need := 8 * float64(product(m.Shape)/stride)
	if *room -= need; *room < 0 {
		return fmt.Errorf("shape %v asks for %.3g bytes of memory, far more than its files hold: is it damaged?", m.Shape, need)
	}
	return nil
}

// describe reads the metadata of an array.
func (m *zarrArray) describe(path string) (name string, dims []string, err error) {
	if err := m.from.document(filepath.Join(path, ".zarray"), m, false); err != nil {
		return "", nil, err
	}
	var attrs zarrAttributes
	if err := m.from.document(filepath.Join(path, ".zattrs"), &attrs, true); err != nil {
		return "", nil, err
	}
	name = filepath.Base(path)
	if attrs.LongName != "" && isEscaped(name, attrs.LongName) {
		name = attrs.LongName
	}
	return name, attrs.Dims, nil
}

// isEscaped says whether we could have named a folder so for this name, which
// tells our long_name from the prose of others.
func isEscaped(folder, name string) bool {
	safe := arrayNames([]string{name})[0]
	return len(folder) >= len(safe) && folder[:len(safe)] == safe && (len(folder) == len(safe) || folder[len(safe)] == '~')
}

func (m *zarrArray) check(dims int) error {
	switch {
	case m.Format != 2:
		return fmt.Errorf("format %d of Zarr: 2 is what can be read", m.Format)
	case len(m.Filters) > 0:
		return errors.New("filters are not supported: write it without")
	case m.Order != "C":
		return fmt.Errorf("order %q: C is what can be read", m.Order)
	case len(m.Chunks) != len(m.Shape) || dims != len(m.Shape):
		return fmt.Errorf("shape %v, chunks %v and %d named dimensions do not fit", m.Shape, m.Chunks, dims)
	case m.Compressor != nil && m.Compressor.ID != "zlib" && m.Compressor.ID != "gzip":
		return fmt.Errorf("compressor %q: zlib, gzip or none is what can be read", m.Compressor.ID)
	case m.width() == 0:
		return fmt.Errorf("type %q: little-endian numbers are what can be read", m.Dtype)
	}
	size, chunk, chunks := 1.0, 1.0, 1.0
	for i, s := range m.Shape {
		if s < 0 || m.Chunks[i] < 1 {
			return fmt.Errorf("shape %v, chunks %v", m.Shape, m.Chunks)
		}
		size *= float64(max(s, 1)) // however many are 0
		chunk *= float64(m.Chunks[i])
		chunks *= math.Ceil(float64(max(s, 1)) / float64(m.Chunks[i]))
	}
	if size > maxArray || chunk > maxChunk || chunks > maxChunks {
		return fmt.Errorf("shape %v, chunks %v are too large", m.Shape, m.Chunks)
	}
	if chains, each := float64(m.Shape[0]), float64(product(m.Shape[2:])); chains*each > maxColumns {
		return fmt.Errorf("shape %v: %g chains of %g numbers a draw are more than can be read", m.Shape, chains, each)
	}
	return nil
}

func (m *zarrArray) width() int {
	switch m.Dtype {
	case "<f8", "<i8", "<u8":
		return 8
	case "<f4", "<i4", "<u4":
		return 4
	case "<i2", "<u2":
		return 2
	case "|b1", "|i1", "|u1":
		return 1
	}
	return 0
}

func (m *zarrArray) value(b []byte) float64 {
	switch m.Dtype {
	case "<f8":
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	case "<f4":
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	case "<i8":
		return float64(int64(binary.LittleEndian.Uint64(b)))
	case "<u8":
		return float64(binary.LittleEndian.Uint64(b))
	case "<i4":
		return float64(int32(binary.LittleEndian.Uint32(b)))
	case "<u4":
		return float64(binary.LittleEndian.Uint32(b))
	case "<i2":
		return float64(int16(binary.LittleEndian.Uint16(b)))
	case "<u2":
		return float64(binary.LittleEndian.Uint16(b))
	case "|i1":
		return float64(int8(b[0]))
	}
	return float64(b[0])
}
