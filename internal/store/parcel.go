package store

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ErrUnsettled says that a folder changed in earnest while it was packed: pack it again.
var ErrUnsettled = errors.New("the folder changed meanwhile")

// Pack writes the files of a folder, for [Unpack]. A run may be writing in it: what is packed
// is as if the run had been killed, with the newest checkpoint, or the error is ErrUnsettled.
// Checkpoints come before draws, so that the draws that they refer to are there.
func Pack(w io.Writer, dir string) error {
	before, err := recordIn(dir)
	if err != nil {
		return err
	}
	z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		name, bad := filepath.Rel(dir, path)
		switch {
		case errors.Is(err, fs.ErrNotExist): // an old checkpoint
			return nil
		case err != nil || bad != nil:
			return errors.Join(err, bad)
		case name == "." || d.Name() == lockName || strings.HasSuffix(name, temporary):
			return nil
		case d.IsDir():
			return t.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: filepath.ToSlash(name), Mode: 0o777})
		case !d.Type().IsRegular():
			return nil
		}
		return packFile(t, path, filepath.ToSlash(name))
	})
	if err := errors.Join(err, t.Close(), z.Close()); err != nil {
		return fmt.Errorf("pack %s: %w", dir, err)
	}
	after, err := recordIn(dir)
	if err == nil && !bytes.Equal(before, after) {
		err = ErrUnsettled
	}
	return err
}

// Marks grows whenever a run does something of note in its folder, as a checkpoint; 0 is that it
// has not begun.
func Marks(dir string) int64 {
	i, err := os.Stat(filepath.Join(dir, recordName))
	if err != nil {
		return 0
	}
	return i.Size()
}

// recordIn is the text of the record of a folder, which tells all that happens in it but for
// draws and lines of the log that follow others.
func recordIn(dir string) ([]byte, error) {
	b, err := os.ReadFile(filepath.Join(dir, recordName))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return b, err
}

func packFile(t *tar.Writer, path, name string) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := t.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o666, Size: info.Size()}); err != nil {
		return err
	}
	_, err = io.CopyN(t, f, info.Size()) // a log may have grown by now
	return err
}

// tarBlock is what the head of a file or folder takes in an archive.
const tarBlock = 512

var errLarge = errors.New("it is larger than it may be")

// Unpack makes the folder that was packed, durably; it must not be there. At most so many
// bytes are written, of which every file or folder takes a head, and nothing outside of it.
func Unpack(r io.Reader, dir string, most int64) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("unpack %s: %w", dir, advice(err))
		}
	}()
	z, err := gzip.NewReader(r)
	if err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	dirs := []string{dir}
	for t := tar.NewReader(z); ; {
		h, err := t.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(h.Name, "/")
		if !fs.ValidPath(name) || !filepath.IsLocal(filepath.FromSlash(name)) || name == "." {
			return fmt.Errorf("%q is no name of a file in a folder", h.Name)
		}
		if most -= tarBlock; most < 0 {
			return errLarge
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		switch h.Typeflag {
		case tar.TypeDir:
			err, dirs = os.Mkdir(path, 0o777), append(dirs, path)
		case tar.TypeReg:
			if most -= h.Size; most < 0 {
				return errLarge
			}
			err = unpackFile(t, path)
		default:
			err = fmt.Errorf("%q is neither a file nor a folder", h.Name)
		}
		if err != nil {
			return err
		}
	}
	return syncAll(Disk{}, nil, dirs)
}

func unpackFile(r io.Reader, path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|noFollow, 0o666)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
