package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrMoved says that the name of a run folder no longer stands for it: it was moved, or
// removed, or another run writes there by now.
var ErrMoved = errors.New("is no longer the folder of this run: it was moved or removed, or another run writes there")

// A place is a file system on which nothing is changed once the name of a run folder stands
// for another: what is there then is not the run's.
type place struct {
	Files
	home   string
	folder fs.FileInfo
	lock   io.Closer
}

// ours says why the name stands no longer for the folder. A lock that is merely gone is no
// reason, one of another is.
func (p *place) ours() error {
	info, err := p.Stat(p.home)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	lock, ok := p.lock.(interface{ taken() bool })
	if err == nil && os.SameFile(info, p.folder) && !(ok && lock.taken()) {
		return nil
	}
	return fmt.Errorf("%s %w", p.home, ErrMoved)
}

// may says why nothing is written by these names: the folder is no longer ours, or one on the
// way within it is none by now, such as a link.
func (p *place) may(names ...string) error {
	if err := p.ours(); err != nil {
		return err
	}
	for _, name := range names {
		rel, err := filepath.Rel(p.home, name)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		for d := filepath.Dir(rel); d != "."; d = filepath.Dir(d) {
			at := filepath.Join(p.home, d)
			info, err := p.Stat(at)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			if err == nil && !info.IsDir() {
				return fmt.Errorf("%s is no folder any more, and nothing is written through a link: remove it", at)
			}
		}
	}
	return nil
}

func (p *place) Create(name string) (File, error) {
	if err := p.may(name); err != nil {
		return nil, err
	}
	return p.Files.Create(name)
}

func (p *place) Append(name string) (File, error) {
	if err := p.may(name); err != nil {
		return nil, err
	}
	return p.Files.Append(name)
}

func (p *place) OpenAt(name string) (FileAt, error) {
	if err := p.may(name); err != nil {
		return nil, err
	}
	return p.Files.OpenAt(name)
}

func (p *place) MkdirAll(name string) error {
	if err := p.may(filepath.Join(name, "in it")); err != nil {
		return err
	}
	return p.Files.MkdirAll(name)
}

func (p *place) Rename(from, to string) error {
	if err := p.may(from, to); err != nil {
		return err
	}
	return p.Files.Rename(from, to)
}

func (p *place) Remove(name string) error {
	if err := p.may(name); err != nil {
		return err
	}
	return p.Files.Remove(name)
}

func (p *place) RemoveAll(name string) error {
	if err := p.may(name); err != nil {
		return err
	}
	return p.Files.RemoveAll(name)
}
