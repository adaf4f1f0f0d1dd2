package images

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A cifar is how one of the two data sets lies in its files: records of labels, then
// 3 × 32 × 32 bytes.
type cifar struct {
	kind        Kind
	name        string
	folder      string // in which it is unpacked
	train, test []string
	names       string // file with the names of the classes
	classes     int
	ranges      []int // of the labels of a record; the last is the one used
}

var (
	cifar10 = cifar{
		kind: CIFAR10, name: "CIFAR-10", folder: "cifar-10-batches-bin",
		train: []string{"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin", "data_batch_5.bin"},
		test:  []string{"test_batch.bin"}, names: "batches.meta.txt", classes: 10, ranges: []int{10},
	}
	cifar100 = cifar{
		kind: CIFAR100, name: "CIFAR-100", folder: "cifar-100-binary",
		train: []string{"train.bin"}, test: []string{"test.bin"},
		names: "fine_label_names.txt", classes: 100, ranges: []int{20, 100},
	}
)

const cifarPixels = 3 * 32 * 32

func loadCIFAR(folder string, c cifar) (train, test *Set, err error) {
	if info, err := os.Stat(filepath.Join(folder, c.folder)); err == nil && info.IsDir() {
		folder = filepath.Join(folder, c.folder)
	}
	if train, err = c.read(folder, ", training", c.train); err != nil {
		return nil, nil, err
	}
	if test, err = c.read(folder, ", test", c.test); err != nil {
		return nil, nil, err
	}
	train.Names, err = c.classNames(folder)
	return train, test, err
}

func (c cifar) read(folder, part string, files []string) (*Set, error) {
	s := &Set{Name: c.name + part, Channels: 3, Height: 32, Width: 32, Classes: c.classes}
	record := len(c.ranges) + cifarPixels
	for _, f := range files {
		path, err := find(folder, c.kind, f)
		if err != nil {
			return nil, err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("data: %w", err)
		}
		if len(b) == 0 || len(b)%record != 0 {
			return nil, fmt.Errorf("%s: has %d bytes, no multiple of the %d of a record of %s: cut short or another file: get it again", path,
				len(b), record, c.name)
		}
		for i := 0; len(b) > 0; i++ {
			for j, classes := range c.ranges {
				if int(b[j]) >= classes {
					return nil, fmt.Errorf("%s: label %d of record %d: those of %s are 0 … %d: damaged or another file: get it again", path, b[j],
						i+1, c.name, classes-1)
				}
			}
			s.Labels = append(s.Labels, int32(b[len(c.ranges)-1]))
			s.Pixels = append(s.Pixels, b[len(c.ranges):record]...)
			b = b[record:]
		}
	}
	return s, nil
}

// classNames reads one name a line; a folder without the file leaves classes nameless.
func (c cifar) classNames(folder string) ([]string, error) {
	path := filepath.Join(folder, c.names)
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	names := strings.Fields(string(b))
	if len(names) != c.classes {
		return nil, fmt.Errorf("%s: has %d names, %s has %d classes: get it again", path, len(names), c.name, c.classes)
	}
	return names, nil
}
