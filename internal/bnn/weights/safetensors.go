// Package weights answers how a network's draws are handed to others: weights as
// safetensors files, which PyTorch, JAX and many more load, predictions as archives of
// NumPy.
package weights

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// A Tensor is a named array, the last dimension fastest. No dimensions are one number.
type Tensor struct {
	Name   string
	Shape  []int
	Values []float64
}

// A File is what a safetensors file holds.
type File struct {
	Metadata map[string]string
	Tensors  []Tensor // in the order of their data
}

// metadataKey is the name that no tensor may bear.
const metadataKey = "__metadata__"

// An entry is what the header of a file says of a tensor.
type entry struct {
	Type    string `json:"dtype"` // F32 or F64
	Shape   []int  `json:"shape"`
	Offsets [2]int `json:"data_offsets"` // first byte, and the one after the last, of the data
}

// Encode returns the bytes of a file: the length of the header (64 bits, little
// endian), the header (JSON, filled up with blanks to a multiple of 8), the data.
// Numbers are F32 if float32 holds all of them exactly, else all are F64. Equal files
// give equal bytes.
func Encode(f *File) ([]byte, error) {
	width, kind := 4, "F32"
	if !f.single() {
		width, kind = 8, "F64"
	}
	var parts []string
	if len(f.Metadata) > 0 {
		m, err := json.Marshal(f.Metadata) // by keys in order
		if err != nil {
			return nil, fmt.Errorf("safetensors: metadata: %w", err)
		}
		parts = append(parts, fmt.Sprintf("%q:%s", metadataKey, m))
	}
	seen, at := map[string]bool{metadataKey: true}, 0
	for _, t := range f.Tensors {
		if seen[t.Name] {
			return nil, fmt.Errorf("safetensors: a second tensor of the name %q, or a name that is taken", t.Name)
		}
		seen[t.Name] = true
		if n, ok := product(t.Shape, len(t.Values)); !ok || n != len(t.Values) {
			return nil, fmt.Errorf("safetensors: tensor %q has %d numbers, which do not fill the shape %v", t.Name, len(t.Values), t.Shape)
		}
		name, err := json.Marshal(t.Name)
		if err != nil {
			return nil, fmt.Errorf("safetensors: name %q: %w", t.Name, err)
		}
		e := entry{kind, append([]int{}, t.Shape...), [2]int{at, at + width*len(t.Values)}}
		text, err := json.Marshal(e)
		if err != nil {
			return nil, fmt.Errorf("safetensors: tensor %q: %w", t.Name, err)
		}
		parts, at = append(parts, string(name)+":"+string(text)), e.Offsets[1]
	}
	header := "{" + strings.Join(parts, ",") + "}"
	header += strings.Repeat(" ", (8-len(header)%8)%8)
	b := make([]byte, 0, 8+len(header)+at)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(header)))
	b = append(b, header...)
	for _, t := range f.Tensors {
		b = appendNumbers(b, t.Values, width)
	}
	return b, nil
}

// single reports whether float32 holds every number, to the bit.
func (f *File) single() bool {
	for _, t := range f.Tensors {
		for _, v := range t.Values {
			if math.Float64bits(float64(float32(v))) != math.Float64bits(v) {
				return false
			}
		}
	}
	return true
}

func appendNumbers(b []byte, values []float64, width int) []byte {
	for _, v := range values {
		if width == 4 {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
		} else {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
	}
	return b
}

// product is the number of elements of a shape, if it is at most most.
func product(shape []int, most int) (n int, ok bool) {
	n = 1
	for _, d := range shape {
		switch {
		case d < 0:
			return 0, false
		case d > 0 && n > most/d:
			n = most + 1 // unless a later dimension is 0
		default:
			n *= d
		}
	}
	return n, n <= most
}
