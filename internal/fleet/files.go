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
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/r2sgld/r2sgld/internal/regular"
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

// A catalogue is files that were described, by their paths: each is read once.
type catalogue map[string]File

func (c catalogue) of(path string) (f File, err error) {
	f, known := c[path]
	if !known {
		if f, err = Describe(path); err == nil {
			c[path] = f
		}
	}
	return f, err
}

// sound reports whether a description is one: its hash becomes the name of a file.
func (f *File) sound() bool {
	b, err := hex.DecodeString(f.SHA256)
	return err == nil && len(b) == sha256.Size && f.Size >= 0
}

// read reads the piece of a file that a worker asks for: nothing where there is none.
func (b *Brief) read(question []byte) []byte {
	var p pieceOf
	if err := json.Unmarshal(question, &p); err != nil || p.File < 0 || p.File >= len(b.Files) {
		return nil
	}
	f, err := os.Open(b.Files[p.File].Path)
	if err != nil {
		return nil
	}
	defer f.Close()
	return p.of(f)
}

// of is the piece of a file, nothing where there is none.
func (p *pieceOf) of(f io.ReaderAt) []byte {
	if p.At < 0 {
		return nil
	}
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
	casePrefix  = "case-"
	caseFolder  = "case" // in that
	keptUnused  = 30 * 24 * time.Hour
)

// sweep removes files that no run has asked for in a while, and what workers left that were killed.
func (w *Worker) sweep() {
	for _, pattern := range []string{treePrefix + "*", casePrefix + "*", filepath.Join(filesFolder, "*")} {
		old, _ := filepath.Glob(filepath.Join(w.Dir, pattern))
		for _, path := range old {
			if i, err := os.Lstat(path); err == nil && time.Since(i.ModTime()) > keptUnused {
				_ = os.RemoveAll(path)
			}
		}
	}
}

// make fetches the files of a brief, which stand in a folder of their own, and makes its
// potential, which lives as long as all does.
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
	place, err := w.furnish(ctx, b.Files, w.made.tree, func(ctx context.Context, i int, f File) (io.ReadCloser, error) {
		return io.NopCloser(&pieces{ctx: ctx, conn: conn, from: files(o.Run), of: i, left: f.Size}), nil
	})
	if err != nil {
		return nil, err
	}
	u, err := w.Make(all, b, place)
	if err != nil {
		return nil, err
	}
	w.made.of, w.made.potential = of, u
	return u, nil
}

// An opener opens a file where it is, which has a number.
type opener = func(ctx context.Context, i int, f File) (io.ReadCloser, error)

// furnish has files stand in a tree by the paths that they have among each other, and returns
// where. Those that are not here are opened elsewhere.
func (w *Worker) furnish(ctx context.Context, files []File, tree string, open opener) (place func(path string) string, err error) {
	place = func(path string) string {
		return filepath.Join(tree, filepath.Clean("/"+filepath.ToSlash(path)))
	}
	for i, f := range files {
		if !f.sound() {
			return nil, fmt.Errorf("file %q: its description is none", f.Path)
		}
		at := filepath.Join(w.Dir, filesFolder, strings.ToLower(f.SHA256))
		err := w.fetch(f, at, func() (io.ReadCloser, error) { return open(ctx, i, f) })
		if err == nil {
			err = stand(place(f.Path), at)
		}
		if err != nil {
			return nil, cause(ctx, fmt.Errorf("file %s: %w", f.Path, err))
		}
	}
	return place, nil
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

// fetch writes a file that is opened elsewhere, unless it is there.
func (w *Worker) fetch(f File, to string, open func() (io.ReadCloser, error)) error {
	if known, err := hashOf(to); err == nil && known == strings.ToLower(f.SHA256) {
		now := time.Now()
		return os.Chtimes(to, now, now)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	in, err := open()
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.CreateTemp(filepath.Dir(to), partPrefix)
	if err != nil {
		return err
	}
	defer os.Remove(out.Name())
	defer out.Close()
	sum := sha256.New()
	if _, err := io.Copy(io.MultiWriter(out, sum), io.LimitReader(in, f.Size+1)); err != nil {
		return err
	}
	if hex.EncodeToString(sum.Sum(nil)) != strings.ToLower(f.SHA256) {
		return errors.New("it has changed since the run began")
	}
	if err := out.Close(); err != nil {
		return err
	}
	return os.Rename(out.Name(), to)
}

// pieces reads a file of a run piece by piece.
type pieces struct {
	ctx      context.Context
	conn     *nats.Conn
	from     string // subject
	of       int    // number of the file
	at, left int64
	piece    []byte
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.piece) == 0 {
		if p.left <= 0 {
			return 0, io.EOF
		}
		q, err := json.Marshal(pieceOf{p.of, p.at})
		if err != nil {
			return 0, err
		}
		m, err := p.conn.RequestWithContext(within(p.ctx, patience), p.from, q)
		if err != nil {
			return 0, errLost
		}
		if len(m.Data) == 0 {
			return 0, errors.New("the run cannot read it any more")
		}
		p.piece, p.at, p.left = m.Data, p.at+int64(len(m.Data)), p.left-int64(len(m.Data))
	}
	n := copy(b, p.piece)
	p.piece = p.piece[n:]
	return n, nil
}

// Unchanged says which of the files of a program, whose hashes another machine has told, is another one here
// or not there.
func Unchanged(executed map[string]string) error {
	for _, path := range slices.Sorted(maps.Keys(executed)) {
		sum, err := hashOf(path)
		if err == nil && sum != executed[path] {
			err = fmt.Errorf("%s is not what it is where the case comes from (sha256 %.12s there, %.12s here)", path, executed[path], sum)
		}
		if err != nil {
			return fmt.Errorf("%w: a program that computes a potential must be the same on all machines, at the same path", err)
		}
	}
	return nil
}

func hashOf(path string) (string, error) {
	f, err := regular.Open(path)
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
