package images

import (
	"archive/zip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// loadNPZ reads one file with both sets or with one, or train.npz and test.npz.
func loadNPZ(path string) (train, test *Set, err error) {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		if _, err := os.Stat(filepath.Join(path, "train.npz")); err == nil {
			if train, err = readNPZ(filepath.Join(path, "train.npz"), ""); err == nil {
				test, err = optional(filepath.Join(path, "test.npz"))
			}
			return train, test, err
		}
		if path, err = onlyNPZ(path); err != nil {
			return nil, nil, err
		}
	} else if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("no folder or file %s: %s: %w", path, source[NPZ], fs.ErrNotExist)
	}
	if train, err = readNPZ(path, "train"); err == nil {
		test, err = readNPZ(path, "test")
		return train, test, err
	}
	if missing := (*missingArray)(nil); !errors.As(err, &missing) || missing.other {
		return nil, nil, err
	}
	train, err = readNPZ(path, "")
	return train, nil, err
}

func optional(path string) (*Set, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return readNPZ(path, "")
}

// onlyNPZ returns the one .npz file of a folder.
func onlyNPZ(folder string) (string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return "", fmt.Errorf("data: %w", err)
	}
	var found []string
	for _, e := range entries {
		switch strings.ToLower(filepath.Ext(e.Name())) {
		case ".npz":
			found = append(found, e.Name())
		case ".mat":
			err = fmt.Errorf("%s: %s is a file of MATLAB: make a .npz file of it: scipy.io.loadmat reads it, numpy.savez writes it", folder,
				e.Name())
		}
	}
	switch {
	case len(found) == 1:
		return filepath.Join(folder, found[0]), nil
	case len(found) > 1:
		return "", fmt.Errorf("%s: %s: which of these? name the file, or call them train.npz and test.npz", folder, strings.Join(found, ", "))
	case err != nil:
		return "", err
	}
	return "", fmt.Errorf("%s: no .npz file: %s: %w", folder, source[NPZ], fs.ErrNotExist)
}

// A missingArray is an array that is not in a file.
type missingArray struct {
	path  string
	names []string
	found []string
	other bool // the file has another array of the set that was sought
}

func (e *missingArray) Error() string {
	return fmt.Sprintf("%s: no array %s: it has %s: rename them", e.path, strings.Join(e.names, " or "), strings.Join(e.found, ", "))
}

// readNPZ reads the set of a part: train, test, or "" of files with one set.
func readNPZ(path, part string) (*Set, error) {
	z, err := zip.OpenReader(path)
	if err != nil {
		return nil, fmt.Errorf("%s: no .npz file, or cut short: save it again: %w", path, err)
	}
	defer z.Close()
	pictures, noX := pick(path, &z.Reader, part, "x", "images")
	answers, noY := pick(path, &z.Reader, part, "y", "labels")
	if noX != nil || noY != nil {
		if missing := (*missingArray)(nil); (noX == nil || noY == nil) && errors.As(errors.Join(noX, noY), &missing) {
			missing.other = true
			return nil, missing
		}
		return nil, noX
	}
	s := &Set{Name: filepath.Base(path)}
	if part != "" {
		s.Name += ", " + strings.Replace(part, "train", "training", 1)
	}
	x, err := readArray(path, pictures)
	if err != nil {
		return nil, err
	}
	y, err := readArray(path, answers)
	if err != nil {
		return nil, err
	}
	if x.shape[0] != y.shape[0] {
		return nil, fmt.Errorf("%s has %d rows, %s %d: there must be one label for each example", x.name, x.shape[0], y.name, y.shape[0])
	}
	if err := s.inputs(x); err != nil {
		return nil, err
	}
	return s, s.answers(y)
}

// pick finds the array of a part that has one of the names.
func pick(path string, z *zip.Reader, part string, names ...string) (*zip.File, error) {
	e := &missingArray{path: path}
	for _, n := range names {
		if part == "" {
			e.names = append(e.names, n)
			continue
		}
		e.names = append(e.names, n+"_"+part, part+"_"+n)
	}
	for _, f := range z.File {
		name := strings.TrimSuffix(f.Name, ".npy")
		if slices.Contains(e.names, name) {
			return f, nil
		}
		e.found = append(e.found, name)
	}
	return nil, e
}

// inputs takes pixels or features and settles their layout.
func (s *Set) inputs(x *array) error {
	last := false // whether the channels come last
	switch n := x.shape; len(n) {
	case 2:
		s.Channels, s.Height, s.Width = 1, 1, n[1]
	case 3:
		s.Channels, s.Height, s.Width = 1, n[1], n[2]
		s.Name += " (N×H×W)"
	case 4:
		first := n[1] == 1 || n[1] == 3
		last = n[3] == 1 || n[3] == 3
		switch {
		case first == last:
			return fmt.Errorf("%s: shape %v: where the channels are cannot be told: one of N×C×H×W and N×H×W×C with 1 or 3 channels was expected",
				x.name, n)
		case first:
			s.Channels, s.Height, s.Width = n[1], n[2], n[3]
			s.Name += " (N×C×H×W)"
		default:
			s.Height, s.Width, s.Channels = n[1], n[2], n[3]
			s.Name += " (N×H×W×C)"
		}
	default:
		return fmt.Errorf("%s: shape %v: pictures N×H×W, N×H×W×C or N×C×H×W, or features N×d were expected", x.name, n)
	}
	switch {
	case x.kind == 'f':
		v, err := x.floats()
		if err != nil {
			return err
		}
		s.Values = v
		if last {
			s.Values = planes(v, s.Channels, s.Height*s.Width)
		}
	case x.kind == 'u' && x.width == 1 && len(x.shape) > 2:
		s.Pixels = x.data
		if last {
			s.Pixels = planes(x.data, s.Channels, s.Height*s.Width)
		}
	default:
		return fmt.Errorf("%s: elements of type %c%d, shape %v: pixels must be uint8, features float32 or float64", x.name,
			x.kind, x.width, x.shape)
	}
	return nil
}

// planes brings the channels of every example before its pixels.
func planes[T byte | float32](v []T, channels, pixels int) []T {
	out := make([]T, len(v))
	for start := 0; start < len(v); start += channels * pixels {
		for c := range channels {
			for p := range pixels {
				out[start+c*pixels+p] = v[start+p*channels+c]
			}
		}
	}
	return out
}

// answers takes labels or targets.
func (s *Set) answers(y *array) (err error) {
	switch {
	case len(y.shape) > 2:
		return fmt.Errorf("%s: shape %v: labels N or N×1, or targets N×k were expected", y.name, y.shape)
	case y.kind == 'f':
		s.Targets, err = y.floats()
	case len(y.shape) == 2 && y.shape[1] != 1:
		return fmt.Errorf("%s: shape %v of integers: labels N or N×1 were expected (targets of a regression are floats)", y.name, y.shape)
	default:
		s.Labels, err = y.labels()
	}
	return err
}
