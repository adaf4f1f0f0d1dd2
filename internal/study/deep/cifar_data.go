package deep

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/bnn/images"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/study"
)

// A source is the images of the study, and where they are from.
type source struct {
	told                       string // "Fashion-MNIST"
	kind, folder               string
	outsideKind, outsideFolder string // "" is none
	data                       bnn.Data
}

// fashion is where Debian's package dataset-fashion-mnist puts its files.
const fashion = "/usr/share/datasets/fashion-mnist"

// sourceOf reads the images of a scale.
func sourceOf(o study.Options) (*source, error) {
	s := &source{told: "Fashion-MNIST", kind: string(images.IDX), folder: fashion}
	hint := "script/setup torch installs Fashion-MNIST"
	if o.Scale == study.Paper {
		s.told, s.kind, s.folder = "CIFAR-100", string(images.CIFAR100), "cifar-100-binary"
		if named := os.Getenv("R2SGLD_CIFAR100"); named != "" {
			s.folder = named
		}
		hint = "unpack https://www.cs.toronto.edu/~kriz/cifar-100-binary.tar.gz here, or name its folder by the environment variable " +
			"R2SGLD_CIFAR100; --scale small takes Fashion-MNIST"
	}
	train, test, err := images.Load(images.Kind(s.kind), s.folder)
	if err != nil {
		return nil, &job.Refused{Err: fmt.Errorf("%s: %w\n%s", s.told, err, hint)}
	}
	e := effortOf(o.Scale)
	if s.data.Train, err = some(train, e.train, o.Seed); err != nil {
		return nil, err
	}
	if s.data.Test, err = some(test, e.test, o.Seed); err != nil {
		return nil, err
	}
	s.data.Mean, s.data.SD = s.data.Train.Moments()
	if err := s.outside(os.Getenv("R2SGLD_OUTSIDE"), e.test, o.Seed); err != nil {
		return nil, &job.Refused{Err: fmt.Errorf("R2SGLD_OUTSIDE: %w", err)}
	}
	return s, nil
}

// some takes n of a set, all if n is 0.
func some(s *images.Set, n int, seed uint64) (*images.Set, error) {
	if n == 0 || n >= s.Len() {
		return s, nil
	}
	return s.Subset(n, seed)
}

// outside reads images of no class, at most n.
func (s *source) outside(named string, n int, seed uint64) error {
	if named == "" {
		return nil
	}
	kind, folder, ok := strings.Cut(named, ":")
	if !ok {
		return fmt.Errorf("%q: name it as KIND:FOLDER, such as idx:/data/mnist", named)
	}
	train, test, err := images.Load(images.Kind(kind), folder)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w; unset R2SGLD_OUTSIDE to do without", err)
		}
		return err
	}
	if test == nil {
		test = train
	}
	if test, err = some(test, n, seed); err != nil {
		return err
	}
	in := s.data.Train
	s.outsideKind, s.outsideFolder = kind, folder
	s.data.Outside, err = test.Fit(in.Channels, in.Height, in.Width)
	return err
}
