package store

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// ReadZarr reads the posterior of an InferenceData store in Zarr v2: ours, or
// one written by ArviZ with zlib, gzip or no compression. Elements of
// array-valued parameters become parameters of their own, named x[0], x[1] as
// ArviZ names them. Of sample_stats it reads what is a number per draw.
func ReadZarr(dir string) (*Draws, error) {
	d, err := readZarr(dir)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", dir, err)
	}
	return d, nil
}

func readZarr(dir string) (*Draws, error) {
	if err := checkZarr(dir); err != nil {
		return nil, err
	}
	d := &Draws{}
	a, err := d.readChains(filepath.Join(dir, "posterior"), &d.Chains)
	if err != nil {
		return nil, err
	}
	if a.Library == library {
		d.Version, d.Model, d.Thin = a.Version, a.Model, a.Thin
		if a.BurnIn != nil {
			d.BurnIn = *a.BurnIn
		}
		d.Seed, _ = strconv.ParseUint(a.Seed, 10, 64)
		d.Temperature = []float64{a.Tau}
	}
	if err := d.readStats(filepath.Join(dir, "sample_stats"), d.Chains); err != nil {
		return nil, err
	}
	if warm := filepath.Join(dir, "warmup_posterior"); exists(warm) {
		if _, err := d.readChains(warm, &d.Warmup); err != nil {
			return nil, err
		}
		if err := d.readStats(filepath.Join(dir, "warmup_sample_stats"), d.Warmup); err != nil {
			return nil, err
		}
	}
	if a.Library == library {
		if err := d.readTempered(dir); err != nil {
			return nil, err
		}
		if err := d.readObserved(filepath.Join(dir, "observed_data")); err != nil {
			return nil, err
		}
	}
	return d, d.check()
}

// checkZarr says why a folder cannot be read as a Zarr store.
func checkZarr(dir string) error {
	if exists(filepath.Join(dir, "zarr.json")) {
		return errors.New("it is Zarr version 3: write it with zarr_format=2")
	}
	if exists(filepath.Join(dir, ".zgroup")) {
		return nil
	}
	if filepath.Base(dir) == "draws.zarr" && exists(filepath.Join(dir, "posterior")) {
		return fmt.Errorf("the run is unfinished: go on with: r2sgld resume %s", filepath.Dir(dir))
	}
	return errors.New("it is no Zarr store: it has no .zgroup")
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// readChains reads a group of parameters into chains of one rung.
func (d *Draws) readChains(group string, chains *[]Chain) (zarrAttributes, error) {
	var attrs zarrAttributes
	if err := readDocument(filepath.Join(group, ".zattrs"), &attrs, true); err != nil {
		return attrs, err
	}
	arrays, err := groupArrays(group, attrs)
	if err != nil {
		return attrs, err
	}
	var names []string
	var columns [][]float64 // chains × draws each
	var shape []int
	for _, name := range arrays {
		a, err := readArray(filepath.Join(group, name))
		if err != nil {
			return attrs, err
		}
		if len(a.Shape) < 2 || a.Dims[0] != "chain" || a.Dims[1] != "draw" {
			continue
		}
		if shape == nil {
			shape = a.Shape[:2]
		} else if !slices.Equal(shape, a.Shape[:2]) {
			return attrs, fmt.Errorf("%s: shape %v, but others have %v", filepath.Join(group, name), a.Shape, shape)
		}
		for k, c := range a.elements() {
			names = append(names, elementName(a.Name, k, a.Shape[2:]))
			columns = append(columns, c)
		}
	}
	if len(names) == 0 {
		return attrs, fmt.Errorf("%s holds no array with dimensions chain and draw", group)
	}
	if d.Names != nil && !slices.Equal(d.Names, names) {
		return attrs, fmt.Errorf("%s has other parameters than posterior", group)
	}
	d.Names = names
	*chains = make([]Chain, shape[0])
	for i := range *chains {
		(*chains)[i].X = [][]float64{interleave(columns, i*shape[1], shape[1])}
	}
	return attrs, nil
}

// interleave turns columns into draws, from one row on.
func interleave(columns [][]float64, from, n int) []float64 {
	x := make([]float64, 0, n*len(columns))
	for i := range n {
		for _, c := range columns {
			x = append(x, c[from+i])
		}
	}
	return x
}

// elements splits an array with dimensions chain, draw, … into one column for
// each element.
func (a *Array) elements() [][]float64 {
	rows := a.Shape[0] * a.Shape[1]
	if rows == 0 {
		size := 1
		for _, s := range a.Shape[2:] {
			size *= s
		}
		return make([][]float64, size)
	}
	size := len(a.Values) / rows
	columns := make([][]float64, size)
	for k := range columns {
		columns[k] = make([]float64, rows)
		for i := range rows {
			columns[k][i] = a.Values[i*size+k]
		}
	}
	return columns
}

func elementName(name string, k int, shape []int) string {
	if len(shape) == 0 {
		return name
	}
	at := make([]int, len(shape))
	for i := len(shape) - 1; i >= 0; i-- {
		at[i] = k % shape[i]
		k /= shape[i]
	}
	return name + "[" + joinInts(at, ",") + "]"
}

func (d *Draws) readStats(group string, chains []Chain) error {
	if !exists(group) {
		return nil
	}
	arrays, err := groupArrays(group, zarrAttributes{})
	if err != nil {
		return err
	}
	n := length(chains, len(d.Names))
	for _, name := range arrays {
		a, err := readArray(filepath.Join(group, name))
		if err != nil {
			return err
		}
		if !slices.Equal(a.Dims, []string{"chain", "draw"}) {
			continue
		}
		if !slices.Equal(a.Shape, []int{len(chains), n}) {
			return fmt.Errorf("%s: shape %v, but the posterior has %v", filepath.Join(group, name), a.Shape, []int{len(chains), n})
		}
		for i := range chains {
			v := a.Values[i*n : (i+1)*n]
			switch {
			case a.Name == "energy" && d.Temperature != nil: // ours: the energy is U
				chains[i].Energy = [][]float64{v}
			case a.Name == "lp" && d.Temperature != nil: // −U/τ
			default:
				chains[i].Stats = append(chains[i].Stats, Column{a.Name, v})
			}
		}
	}
	return nil
}

// readTempered adds the hot rungs.
func (d *Draws) readTempered(dir string) error {
	group := filepath.Join(dir, "tempered")
	if !exists(group) {
		return nil
	}
	var attrs zarrAttributes
	if err := readDocument(filepath.Join(group, ".zattrs"), &attrs, false); err != nil {
		return err
	}
	n, hot := d.N(), -1
	columns := make([][]float64, len(attrs.Parameters))
	for j, name := range attrs.Parameters {
		a, err := readArray(filepath.Join(group, name))
		if err != nil {
			return err
		}
		if len(a.Shape) != 3 || a.Shape[0] != len(d.Chains) || a.Shape[2] != n || hot >= 0 && a.Shape[1] != hot {
			return fmt.Errorf("%s: shape %v does not fit the posterior", filepath.Join(group, name), a.Shape)
		}
		columns[j], hot = a.Values, a.Shape[1]
	}
	for i := range d.Chains {
		for r := range hot {
			d.Chains[i].X = append(d.Chains[i].X, interleave(columns, (i*hot+r)*n, n))
		}
	}
	stats := filepath.Join(dir, "tempered_stats")
	if path := filepath.Join(stats, "temperature"); exists(path) {
		a, err := readArray(path)
		if err != nil {
			return err
		}
		d.Temperature = append(d.Temperature, a.Values...)
	}
	path := filepath.Join(stats, "energy")
	if !exists(path) {
		return nil
	}
	a, err := readArray(path)
	if err != nil {
		return err
	}
	if !slices.Equal(a.Shape, []int{len(d.Chains), hot, n}) {
		return fmt.Errorf("%s: shape %v does not fit the posterior", path, a.Shape)
	}
	for i := range d.Chains {
		for r := range hot {
			d.Chains[i].Energy = append(d.Chains[i].Energy, a.Values[(i*hot+r)*n:(i*hot+r+1)*n])
		}
	}
	return nil
}

func (d *Draws) readObserved(group string) error {
	if !exists(group) {
		return nil
	}
	arrays, err := groupArrays(group, zarrAttributes{})
	if err != nil {
		return err
	}
	for _, name := range arrays {
		a, err := readArray(filepath.Join(group, name))
		if err != nil {
			return err
		}
		d.Observed = append(d.Observed, *a)
	}
	return nil
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

// readDocument reads a metadata document; an absent one is empty if optional.
// Attributes of others that share a name with ours but not its type are left.
func readDocument(path string, v any, optional bool) error {
	data, err := os.ReadFile(path)
	if optional && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	err = json.Unmarshal(data, v)
	if _, other := errors.AsType[*json.UnmarshalTypeError](err); err != nil && !(other && optional) {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// maxArray bounds what a damaged shape can make us allocate.
const maxArray = 1 << 31

// readArray reads an array of numbers of any shape, as float64.
func readArray(path string) (*Array, error) {
	var meta zarrArray
	name, dims, err := meta.describe(path)
	if err != nil {
		return nil, err
	}
	a := &Array{Name: name, Dims: dims, Shape: meta.Shape}
	if a.Values, err = meta.read(path); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return a, nil
}

// describe reads the metadata of an array.
func (m *zarrArray) describe(path string) (name string, dims []string, err error) {
	if err := readDocument(filepath.Join(path, ".zarray"), m, false); err != nil {
		return "", nil, err
	}
	var attrs zarrAttributes
	if err := readDocument(filepath.Join(path, ".zattrs"), &attrs, true); err != nil {
		return "", nil, err
	}
	name = filepath.Base(path)
	if attrs.LongName != "" && isEscaped(name, attrs.LongName) {
		name = attrs.LongName
	}
	if err := m.check(len(attrs.Dims)); err != nil {
		return "", nil, fmt.Errorf("%s: %w", path, err)
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
	size := 1.0
	chunk := 1.0
	for i, s := range m.Shape {
		if s < 0 || m.Chunks[i] < 1 {
			return fmt.Errorf("shape %v, chunks %v", m.Shape, m.Chunks)
		}
		size *= float64(s)
		chunk *= float64(m.Chunks[i])
	}
	if size > maxArray || chunk > maxArray {
		return fmt.Errorf("shape %v, chunks %v are too large", m.Shape, m.Chunks)
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

var errNoChunk = errors.New("none of its chunks is there")

// read reads all chunks. A chunk at the edge is stored whole; one that is not
// there holds the fill value.
func (m *zarrArray) read(path string) ([]float64, error) {
	total, perChunk := 1, 1
	for i, s := range m.Shape {
		total *= s
		perChunk *= m.Chunks[i]
	}
	if total == 0 {
		return nil, nil
	}
	if !m.anyChunk(path) {
		return nil, errNoChunk
	}
	values := make([]float64, total)
	fill := m.fill()
	for i := range values {
		values[i] = fill
	}
	at := make([]int, len(m.Shape)) // of the chunk
	for {
		data, err := m.readChunk(filepath.Join(path, m.chunkName(at)), perChunk*m.width())
		if err != nil {
			return nil, err
		}
		if data != nil {
			m.place(values, data, at, 0, 0, 0)
		}
		i := len(at) - 1
		for ; i >= 0; i-- {
			if at[i]++; at[i]*m.Chunks[i] < m.Shape[i] {
				break
			}
			at[i] = 0
		}
		if i < 0 {
			return values, nil
		}
	}
}

func (m *zarrArray) anyChunk(path string) bool {
	entries, err := os.ReadDir(path)
	return err == nil && slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return e.Name()[0] >= '0' && e.Name()[0] <= '9'
	})
}

func (m *zarrArray) fill() float64 {
	switch v := m.Fill.(type) {
	case float64:
		return v
	case bool:
		if v {
			return 1
		}
		return 0
	case string:
		if x, err := strconv.ParseFloat(v, 64); err == nil {
			return x
		}
	}
	return math.NaN()
}

func (m *zarrArray) chunkName(at []int) string {
	if m.Separator == "/" && len(at) > 0 {
		return filepath.FromSlash(joinInts(at, "/"))
	}
	return joinChunk(at)
}

// readChunk returns the bytes of a chunk, nil if it is not there.
func (m *zarrArray) readChunk(path string, size int) ([]byte, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if m.Compressor != nil {
		if data, err = inflate(m.Compressor.ID, data, size); err != nil {
			return nil, fmt.Errorf("chunk %s: %w", filepath.Base(path), err)
		}
	}
	if len(data) != size {
		return nil, fmt.Errorf("chunk %s has %d bytes instead of %d", filepath.Base(path), len(data), size)
	}
	return data, nil
}

func inflate(id string, data []byte, size int) ([]byte, error) {
	var r io.ReadCloser
	var err error
	if id == "gzip" {
		r, err = gzip.NewReader(bytes.NewReader(data))
	} else {
		r, err = zlib.NewReader(bytes.NewReader(data))
	}
	if err != nil {
		return nil, err
	}
	data, err = io.ReadAll(io.LimitReader(r, int64(size)+1))
	return data, errors.Join(err, r.Close())
}

// place copies the part of a chunk that lies within the array, dimension by
// dimension; to and from are the positions reached so far.
func (m *zarrArray) place(values []float64, data []byte, at []int, dim, to, from int) {
	if dim == len(at) { // a number without dimensions
		values[to] = m.value(data[from*m.width():])
		return
	}
	first := at[dim] * m.Chunks[dim]
	if dim == len(at)-1 {
		m.row(values[to*m.Shape[dim]+first:], data[from*m.Chunks[dim]*m.width():], min(m.Chunks[dim], m.Shape[dim]-first))
		return
	}
	for i := range min(m.Chunks[dim], m.Shape[dim]-first) {
		m.place(values, data, at, dim+1, to*m.Shape[dim]+first+i, from*m.Chunks[dim]+i)
	}
}

// row copies n numbers.
func (m *zarrArray) row(values []float64, data []byte, n int) {
	w := m.width()
	for i := range n {
		values[i] = m.value(data[i*w:])
	}
}
