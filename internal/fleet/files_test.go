//go:build !nohub

package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/r2sgld/r2sgld/potential"
)

// briefOf writes files into a folder, and describes them.
func briefOf(t *testing.T, contents map[string][]byte) (b Brief) {
	t.Helper()
	dir := t.TempDir()
	for name, content := range contents {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Describe(path)
		if err != nil {
			t.Fatal(err)
		}
		b.Files = append(b.Files, f)
	}
	return b
}

// arrived holds that the files of a brief stand in a worker's folder, where place says.
func arrived(t *testing.T, dir string, b Brief, place func(string) string) {
	for _, f := range b.Files {
		at := place(f.Path)
		if !strings.HasPrefix(at, dir+"/") {
			t.Errorf("%s stands at %s", f.Path, at)
		}
		got, err := os.ReadFile(at)
		if want, _ := os.ReadFile(f.Path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is another, %v", f.Path, err)
		}
	}
	for _, path := range []string{"../../x", "/etc/passwd", "a/../../../../x", ".."} {
		if at := place(path); !strings.HasPrefix(at+"/", filepath.Dir(place("/x"))+"/") {
			t.Errorf("%s leads to %s", path, at)
		}
	}
}

// TestFiles: files of a run come to a worker once, whatever their paths are, and stay within its
// folder; one that has changed is refused.
func TestFiles(t *testing.T) {
	t.Parallel()
	data := make([]byte, 3*piece+17)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range data {
		data[i] = byte(rng.Uint32())
	}
	brief := briefOf(t, map[string][]byte{"a.csv": data, "empty.csv": nil, "sub/b.stan": []byte("parameters {}")})
	s := newSite(t, quartic(0), func(r *Run) { r.Brief = brief })
	s.trial(4, quartic(0))
	var pieces atomic.Int64
	ear, err := s.crew.conn.Subscribe(files(s.crew.id), func(*nats.Msg) { pieces.Add(1) })
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ear.Unsubscribe() }()
	dir := t.TempDir()
	for joined := 1; joined <= 2; joined++ {
		kill := s.worker(1, nil, func(w *Worker) {
			w.Dir = dir
			w.Make = func(_ context.Context, b Brief, place func(string) string) (potential.Potential, error) {
				arrived(t, dir, b, place)
				return quartic(0), nil
			}
		})
		for k := 0; k < 6000 && strings.Count(s.said(), "joins") < joined; k++ {
			time.Sleep(5 * time.Millisecond)
		}
		if kill(); pieces.Load() != 5 {
			t.Errorf("%d pieces were sent, 5 are needed", pieces.Load())
		}
	}
	for _, f := range brief.Files {
		if strings.HasSuffix(f.Path, "a.csv") {
			if err := os.WriteFile(f.Path, append(data[1:], 0), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.worker(1, nil)
	s.hears("it has changed since the run began")
	if left, _ := filepath.Glob(filepath.Join(dir, filesFolder, partPrefix+"*")); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
}

// TestBriefsThatAreNone: descriptions of files lead nowhere else.
func TestBriefsThatAreNone(t *testing.T) {
	t.Parallel()
	for _, f := range []File{{Path: "x", SHA256: "../../../../etc/passwd"}, {Path: "x", SHA256: strings.Repeat("/", 64)},
		{Path: "x", SHA256: strings.Repeat("a", 64), Size: -1}, {Path: "x"}} {
		if f.sound() {
			t.Errorf("%+v is taken", f)
		}
	}
	b := Brief{Files: []File{{Path: "/nowhere/x"}}}
	for _, p := range []pieceOf{{-1, 0}, {1, 0}, {0, -1}, {0, 0}, {0, 1 << 62}} {
		q, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if got := b.read(q); len(got) > 0 {
			t.Errorf("%+v reads %d bytes", p, len(got))
		}
	}
}

// TestSweep: what killed workers left goes after a while, and files that are asked for stay.
func TestSweep(t *testing.T) {
	t.Parallel()
	w := &Worker{Dir: t.TempDir()}
	old := time.Now().Add(-2 * keptUnused)
	for name, age := range map[string]time.Time{"files/old": old, "files/part-1": old, "files/new": time.Now(), "run-old/x": old} {
		path := filepath.Join(w.Dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, age, age); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(filepath.Join(w.Dir, "run-old"), old, old); err != nil {
		t.Fatal(err)
	}
	w.sweep()
	left, _ := filepath.Glob(filepath.Join(w.Dir, "*", "*"))
	if len(left) != 1 || filepath.Base(left[0]) != "new" {
		t.Errorf("left are %v", left)
	}
}
