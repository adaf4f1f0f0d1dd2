package weights

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
)

// EncodeNPZ returns the bytes of a NumPy archive of arrays of 64-bit floating-point
// numbers (numpy.lib.format, version 1.0), which numpy.load reads. Equal tensors give
// equal bytes.
func EncodeNPZ(tensors []Tensor) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, t := range tensors {
		if n, ok := product(t.Shape, len(t.Values)); !ok || n != len(t.Values) {
			return nil, fmt.Errorf("array %s has %d numbers, which do not fill the shape %v", t.Name, len(t.Values), t.Shape)
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

// npy is the tensor as a .npy file: magic string, version, the length of the header, the
// header filled up with blanks to a multiple of 64 bytes, the numbers.
func (t Tensor) npy() []byte {
	var shape strings.Builder
	for _, n := range t.Shape {
		fmt.Fprintf(&shape, "%d, ", n)
	}
	const before = 10
	header := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%s), }", strings.TrimSuffix(shape.String(), " "))
	header += strings.Repeat(" ", 63-(before+len(header))%64) + "\n"
	out := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(header)))
	return appendNumbers(append(out, header...), t.Values, 8)
}
