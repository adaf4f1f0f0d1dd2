package weights

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
)

// An Array is a named array of a NumPy archive, the last dimension fastest: of 64-bit
// floating-point numbers, or of 64-bit integers where Values is nil.
type Array struct {
	Name     string
	Shape    []int
	Values   []float64
	Integers []int64
}

// EncodeNPZ returns the bytes of a NumPy archive of arrays (numpy.lib.format, version
// 1.0), which numpy.load reads. Equal arrays give equal bytes.
func EncodeNPZ(arrays []Array) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, t := range arrays {
		if t.Values != nil && t.Integers != nil {
			return nil, fmt.Errorf("array %s has floating-point numbers and integers: give one of them", t.Name)
		}
		size := len(t.Values) + len(t.Integers)
		if n, ok := product(t.Shape, size); !ok || n != size {
			return nil, fmt.Errorf("array %s has %d numbers, which do not fill the shape %v", t.Name, size, t.Shape)
		}
		f, err := w.Create(t.Name + ".npy")
		if err != nil {
			return nil, fmt.Errorf("array %s: %w", t.Name, err)
		}
		if _, err := f.Write(t.npy()); err != nil {
			return nil, fmt.Errorf("array %s: %w", t.Name, err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("arrays: %w", err)
	}
	return b.Bytes(), nil
}

// npy is the array as a .npy file: magic string, version, the length of the header, the
// header filled up with blanks to a multiple of 64 bytes, the numbers.
func (t Array) npy() []byte {
	var shape strings.Builder
	for _, n := range t.Shape {
		fmt.Fprintf(&shape, "%d, ", n)
	}
	const before = 10
	kind := "<f8"
	if t.Values == nil {
		kind = "<i8"
	}
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", kind, strings.TrimSuffix(shape.String(), " "))
	header += strings.Repeat(" ", 63-(before+len(header))%64) + "\n"
	out := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(header)))
	out = append(out, header...)
	for _, v := range t.Integers {
		out = binary.LittleEndian.AppendUint64(out, uint64(v))
	}
	return appendNumbers(out, t.Values, 8)
}
