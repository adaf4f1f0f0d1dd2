package images

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// An array is an array of NumPy.
type array struct {
	name  string // "train.npz: array x"
	kind  byte   // u, i, f or b, as in NumPy's dtype
	width int    // bytes of an element
	shape []int
	data  []byte // little endian, the last dimension fastest
}

// header is the dictionary at the start of a .npy file as NumPy writes it.
var header = regexp.MustCompile(`^\{'descr': '([^']*)', 'fortran_order': (True|False), 'shape': \(([0-9, ]*)\), \}\s*$`)

// readArray reads a file of a .npz archive: the magic string, a version, the length of
// the dictionary, the dictionary, the data (numpy.lib.format). Only arrays of C order
// and plain numbers are taken; the checksum of the archive covers all.
func readArray(path string, f *zip.File) (a *array, err error) {
	a = &array{name: fmt.Sprintf("%s: array %s", path, strings.TrimSuffix(f.Name, ".npy"))}
	if f.UncompressedSize64 > deflateRatio*(f.CompressedSize64+1) || f.UncompressedSize64 > math.MaxInt64 {
		return nil, fmt.Errorf("%s: %d bytes cannot hold %d: damaged: save it again", a.name, f.CompressedSize64, f.UncompressedSize64)
	}
	z, err := f.Open()
	if err != nil {
		return nil, damaged(a.name, err)
	}
	defer z.Close()
	r := bufio.NewReader(z)
	text, start, err := readHeader(r)
	if err != nil {
		return nil, damaged(a.name, err)
	}
	if err := a.parse(text); err != nil {
		return nil, fmt.Errorf("%s: %w", a.name, err)
	}
	want, left := int64(a.width), int64(f.UncompressedSize64)-start
	for _, n := range a.shape { // each product is within the data, so none overflows
		if n == 0 || want > left/int64(n) {
			return nil, fmt.Errorf("%s: is empty or cut short: shape %v of %d-byte numbers, %d bytes of data: save it again", a.name,
				a.shape, a.width, left)
		}
		want *= int64(n)
	}
	if want != left {
		return nil, fmt.Errorf("%s: shape %v of %d-byte numbers needs %d bytes of data, found %d: save it again", a.name,
			a.shape, a.width, want, left)
	}
	if a.data, err = io.ReadAll(r); err != nil {
		return nil, damaged(a.name, err)
	}
	if int64(len(a.data)) != want {
		return nil, damaged(a.name, io.ErrUnexpectedEOF)
	}
	return a, nil
}

// readHeader returns the dictionary of a .npy file and where the data start.
func readHeader(r io.Reader) (text string, start int64, err error) {
	head := make([]byte, 10)
	if _, err := io.ReadFull(r, head); err != nil {
		return "", 0, err
	}
	if string(head[:6]) != "\x93NUMPY" {
		return "", 0, fmt.Errorf("no array of NumPy")
	}
	size := int64(binary.LittleEndian.Uint16(head[8:]))
	start = 10
	if head[6] > 1 { // versions 2 and 3: 32 bits of length
		more := make([]byte, 2)
		if _, err := io.ReadFull(r, more); err != nil {
			return "", 0, err
		}
		size |= int64(binary.LittleEndian.Uint16(more)) << 16
		start = 12
	}
	b, err := io.ReadAll(io.LimitReader(r, min(size, 1<<16)))
	if err == nil && int64(len(b)) != size {
		err = io.ErrUnexpectedEOF
	}
	return string(b), start + size, err
}

// parse reads the dictionary.
func (a *array) parse(text string) error {
	m := header.FindStringSubmatch(text)
	if m == nil {
		return fmt.Errorf("header %.80q is not of a plain array: save it with numpy.savez", text)
	}
	if m[2] == "True" {
		return fmt.Errorf("is stored by columns: save numpy.ascontiguousarray of it")
	}
	switch m[1] {
	case "|b1", "|u1", "|i1", "<u2", "<i2", "<u4", "<i4", "<u8", "<i8", "<f4", "<f8":
	default:
		return fmt.Errorf("has elements of type %q: make them uint8 (pixels), int64 (labels) or float32", m[1])
	}
	a.kind, a.width = m[1][1], int(m[1][2]-'0')
	for _, n := range strings.FieldsFunc(m[3], func(r rune) bool { return r == ',' || r == ' ' }) {
		v, err := strconv.ParseInt(n, 10, 32)
		if err != nil {
			return fmt.Errorf("shape (%s): %w", m[3], err)
		}
		a.shape = append(a.shape, int(v))
	}
	if len(a.shape) == 0 {
		return fmt.Errorf("is a single number: an array with a row for each example was expected")
	}
	return nil
}

// floats returns the elements of an array of floats; NaN and infinities are errors.
func (a *array) floats() ([]float32, error) {
	out := make([]float32, len(a.data)/a.width)
	for i := range out {
		v := math.Float64frombits(a.bits(i))
		if a.width == 4 {
			v = float64(math.Float32frombits(uint32(a.bits(i))))
		}
		out[i] = float32(v)
		if x := float64(out[i]); math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, fmt.Errorf("%s: element %d is %g: remove what is not a finite float32", a.name, i, v)
		}
	}
	return out, nil
}

// labels returns the elements of an array of integers.
func (a *array) labels() ([]int32, error) {
	out := make([]int32, len(a.data)/a.width)
	for i := range out {
		v := int64(a.bits(i))
		if shift := 64 - 8*a.width; a.kind == 'i' {
			v = v << shift >> shift // the sign
		}
		if v < 0 || v > 1<<20 {
			return nil, fmt.Errorf("%s: label %d of example %d: labels count from 0", a.name, v, i+1)
		}
		out[i] = int32(v)
	}
	return out, nil
}

// bits returns element i, without sign.
func (a *array) bits(i int) (v uint64) {
	for j := range a.width {
		v |= uint64(a.data[i*a.width+j]) << (8 * j)
	}
	return v
}
