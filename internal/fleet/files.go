package fleet

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/r2sgld/r2sgld/potential"
)

// Describe says what a file is.
func Describe(path string) (File, error) {
	sum, err := hashOf(path)
	if err != nil {
		return File{}, err
	}
	i, err := os.Stat(path)
	if err != nil {
		return File{}, err
	}
	return File{Path: path, SHA256: sum, Size: i.Size()}, nil
}

// sound reports whether a description is one: its hash becomes the name of a file.
func (f *File) sound() bool {
	b, err := hex.DecodeString(f.SHA256)
	return err == nil && len(b) == sha256.Size && f.Size >= 0
}

// read reads the piece of a file that a worker asks for: nothing where there is none.
func (b *Brief) read(question []byte) []byte {
	var p pieceOf
	if err := json.Unmarshal(question, &p); err != nil || p.File < 0 || p.File >= len(b.Files) || p.At < 0 {
		return nil
	}
	f, err := os.Open(b.Files[p.File].Path)
	if err != nil {
		return nil
	}
	defer f.Close()
	to := make([]byte, piece)
	n, err := f.ReadAt(to, p.At)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil
	}
	return to[:n]
}

// In a worker's folder: files by their hash, those that come, and trees of a run.
const (
	filesFolder = "files"
	partPrefix  = "part-"
	treePrefix  = "run-"
	keptUnused  = 30 * 24 * time.Hour
)

// sweep removes files that no run has asked for in a while, and what workers left that were killed.
func (w *Worker) sweep() {
	for _, pattern := range []string{treePrefix + "*", filepath.Join(filesFolder, "*")} {
		old, _ := filepath.Glob(filepath.Join(w.Dir, pattern))
		for _, path := range old {
			if i, err := os.Lstat(path); err == nil && time.Since(i.ModTime()) > keptUnused {
				_ = os.RemoveAll(path)
			}
		}
	}
}

// make fetches the files of a brief, which stand in a folder of their own by the paths that they
// have among each other, and makes its potential, which lives as long as all does.
func (w *Worker) make(ctx, all context.Context, conn *nats.Conn, o offer, b Brief) (potential.Potential, error) {
	of, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	if w.made.potential != nil && bytes.Equal(of, w.made.of) {
		return w.made.potential, nil
	}
	w.unmake()
	if w.made.tree, err = os.MkdirTemp(w.Dir, treePrefix); err != nil {
		return nil, err
	}
	place := func(path string) string {
		return filepath.Join(w.made.tree, filepath.Clean("/"+filepath.ToSlash(path)))
	}
	for i, f := range b.Files {
		if !f.sound() {
			return nil, fmt.Errorf("file %q: its description is none", f.Path)
		}
		at := filepath.Join(w.Dir, filesFolder, strings.ToLower(f.SHA256))
		if err := w.fetch(ctx, conn, o.Run, i, f, at); err != nil {
			return nil, fmt.Errorf("file %s: %w", f.Path, err)
		}
		if err := stand(place(f.Path), at); err != nil {
			return nil, fmt.Errorf("file %s: %w", f.Path, err)
		}
	}
	u, err := w.Make(all, b, place)
	if err != nil {
		return nil, err
	}
	w.made.of, w.made.potential = of, u
	return u, nil
}

// unmake forgets the potential that was made last.
func (w *Worker) unmake() {
	if w.made.tree != "" {
		_ = os.RemoveAll(w.made.tree)
	}
	w.made = made{}
}

// stand has a file stand in a tree as well, by a link.
func stand(to, at string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	err := os.Link(at, to)
	if err == nil || errors.Is(err, os.ErrExist) {
		return nil
	}
	if at, err = filepath.Abs(at); err != nil { // some file systems have no other links
		return err
	}
	return os.Symlink(at, to)
}

// fetch writes a file of the run, unless it is there.
func (w *Worker) fetch(ctx context.Context, conn *nats.Conn, run string, number int, f File, to string) error {
	if known, err := hashOf(to); err == nil && known == strings.ToLower(f.SHA256) {
		now := time.Now()
		return os.Chtimes(to, now, now)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	out, err := os.CreateTemp(filepath.Dir(to), partPrefix)
	if err != nil {
		return err
	}
	defer os.Remove(out.Name())
	defer out.Close()
	sum := sha256.New()
	for at := int64(0); at < f.Size; {
		q, err := json.Marshal(pieceOf{number, at})
		if err != nil {
			return err
		}
		m, err := conn.RequestWithContext(within(ctx, patience), files(run), q)
		if err != nil {
			return errLost
		}
		if len(m.Data) == 0 {
			return errors.New("the run cannot read it any more")
		}
		if _, err := io.MultiWriter(out, sum).Write(m.Data); err != nil {
			return err
		}
		at += int64(len(m.Data))
	}
	if hex.EncodeToString(sum.Sum(nil)) != strings.ToLower(f.SHA256) {
		return errors.New("it has changed since the run began")
	}
	if err := out.Close(); err != nil {
		return err
	}
	return os.Rename(out.Name(), to)
}

func hashOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
