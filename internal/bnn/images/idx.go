package images

import (
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
)

// loadIDX reads the four files of the MNIST family.
func loadIDX(folder string) (train, test *Set, err error) {
	name := filepath.Base(filepath.Clean(folder))
	if train, err = readIDX(folder, name+", training", "train"); err != nil {
		return nil, nil, err
	}
	test, err = readIDX(folder, name+", test", "t10k", "test")
	return train, test, err
}

func readIDX(folder, name string, parts ...string) (*Set, error) {
	pictures, err := find(folder, IDX, variants(parts, "images", 3)...)
	if err != nil {
		return nil, err
	}
	labels, err := find(folder, IDX, variants(parts, "labels", 1)...)
	if err != nil {
		return nil, err
	}
	shape, pixels, err := readTensor(pictures, 3)
	if err != nil {
		return nil, err
	}
	count, classes, err := readTensor(labels, 1)
	if err != nil {
		return nil, err
	}
	if count[0] != shape[0] {
		return nil, fmt.Errorf("%s has %d labels, %s %d pictures: they do not belong together", labels, count[0], pictures, shape[0])
	}
	s := &Set{Name: name, Channels: 1, Height: shape[1], Width: shape[2], Pixels: pixels, Labels: make([]int32, len(classes))}
	for i, c := range classes {
		s.Labels[i] = int32(c)
	}
	return s, nil
}

// variants lists the names under which a file of the MNIST family is published.
func variants(parts []string, what string, dims int) (names []string) {
	for _, p := range parts {
		for _, dash := range []string{"-", "."} {
			n := fmt.Sprintf("%s-%s%sidx%d-ubyte", p, what, dash, dims)
			names = append(names, n, n+".gz")
		}
	}
	return names
}

// readTensor reads an IDX file of bytes: two zeros, the type (8: unsigned bytes), the
// number of dimensions; the dimensions, 32 bits each, big endian; the data.
func readTensor(path string, dims int) (shape []int, data []byte, err error) {
	data, err = readSized(path, 4+4*dims, func(head []byte) (int64, error) {
		magic, want := binary.BigEndian.Uint32(head), uint32(0x800+dims)
		if magic != want {
			return 0, fmt.Errorf("starts with %#08x, an IDX file of bytes in %d dimensions with %#08x: it is another file", magic, dims, want)
		}
		size := int64(1)
		for i := range dims {
			n := int(binary.BigEndian.Uint32(head[4+4*i:]))
			if n == 0 || size > math.MaxInt64/4/int64(n) {
				return 0, fmt.Errorf("dimension %d of the header is %d: the file is empty or damaged", i+1, n)
			}
			size *= int64(n)
			shape = append(shape, n)
		}
		return size + int64(len(head)), nil
	})
	return shape, data, err
}
