package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// An interrupted is a stream that is killed, restored from one of its
// checkpoints, made anew and extended, while its law may change with each
// life. Epochs say which life drew what is there now.
type interrupted struct {
	dir         string
	s           *Writer
	epoch       int
	epochs      [][]int
	checkpoints []struct {
		states [][]byte
		kept   []int
	}
}

func (m *interrupted) keep(chain, n int) error {
	for range n {
		k := len(m.epochs[chain])
		x, u := draw(chain, k, m.epoch)
		if err := m.s.Chain(chain).Keep(x, u); err != nil {
			return err
		}
		m.epochs[chain] = append(m.epochs[chain], m.epoch)
	}
	return nil
}

func (m *interrupted) checkpoint(t *rapid.T) {
	var states [][]byte
	var kept []int
	for i := range m.epochs {
		b, err := m.s.Chain(i).AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		states, kept = append(states, b), append(kept, len(m.epochs[i]))
	}
	if err := m.s.Sync(); err != nil {
		t.Fatal(err)
	}
	m.checkpoints = append(m.checkpoints, struct {
		states [][]byte
		kept   []int
	}{states, kept})
}

func (m *interrupted) restart(t *rapid.T, files Files) {
	var err error
	if m.s, err = small(files, m.dir, len(m.epochs)); err != nil {
		t.Fatal(err)
	}
	at := rapid.IntRange(0, len(m.checkpoints)-1).Draw(t, "from")
	m.checkpoints = m.checkpoints[:at+1]
	c := m.checkpoints[at]
	for i := range m.epochs {
		if err := m.s.Chain(i).UnmarshalBinary(c.states[i]); err != nil {
			t.Fatal(err)
		}
		m.epochs[i] = m.epochs[i][:c.kept[i]]
	}
	if rapid.Bool().Draw(t, "other law") {
		m.epoch++
	}
}

// fail lets the disk fill up, once, while draws are kept; the process dies.
func (m *interrupted) fail(t *rapid.T) {
	files := &faulty{n: rapid.IntRange(1, 60).Draw(t, "operation"), err: syscall.ENOSPC}
	for _, w := range m.s.writers {
		w.s.files = files
	}
	if err := m.keep(0, 9); err != nil && !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	m.restart(t, quick{})
}

func (m *interrupted) finish(t *rapid.T) {
	n := 0
	for _, e := range m.epochs {
		n = max(n, len(e))
	}
	for i, e := range m.epochs {
		if err := m.keep(i, n-len(e)); err != nil {
			t.Fatal(err)
		}
	}
	m.checkpoint(t)
	if err := m.s.Finish(2); err != nil {
		t.Fatal(err)
	}
	m.compare(t)
}

// compare holds the folder against that of a run that was never interrupted.
func (m *interrupted) compare(t *rapid.T) {
	dir := m.dir + "-reference"
	defer os.RemoveAll(dir)
	s, err := small(quick{}, dir, len(m.epochs))
	if err != nil {
		t.Fatal(err)
	}
	for i, epochs := range m.epochs {
		for k, e := range epochs {
			if err := s.Chain(i).Keep(draw(i, k, e)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := s.Finish(1); err != nil {
		t.Fatal(err)
	}
	want, err := tree(dir)
	if err != nil {
		t.Fatal(err)
	}
	got, err := tree(m.dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
}

// However often a run is killed, with a full disk or without, restored from
// whichever checkpoint, and extended, its folder is byte for byte that of a run
// that was not. Kills leaving draws of another life behind the end, in the last
// chunk or in later ones, and checkpoints that forget the buffer.
func TestInterruptedStream(t *testing.T) {
	pace.Slow(t)
	root := scratch(t)
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp(root, "")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		m := &interrupted{dir: dir, epochs: make([][]int, rapid.IntRange(1, 2).Draw(t, "chains"))}
		if m.s, err = small(quick{}, dir, len(m.epochs)); err != nil {
			t.Fatal(err)
		}
		m.checkpoint(t)
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			switch rapid.IntRange(0, 6).Draw(t, "step") {
			case 0, 1:
				if err := m.keep(0, rapid.IntRange(0, 20).Draw(t, "draws")); err != nil {
					t.Fatal(err)
				}
			case 2:
				if err := m.keep(len(m.epochs)-1, rapid.IntRange(0, 9).Draw(t, "draws")); err != nil {
					t.Fatal(err)
				}
			case 3:
				m.checkpoint(t)
			case 4:
				m.restart(t, quick{})
			case 5:
				m.fail(t)
			case 6:
				m.finish(t)
			}
		}
		m.finish(t)
	})
}

// Whichever operation finds the disk full, the error says so, the checkpoint
// taken before still holds, and once there is room the run goes on from it to the
// same bytes. Kills errors that get lost and states that claim draws that are
// not on disk.
func TestStreamOnFullDisk(t *testing.T) {
	pace.Slow(t)
	root := scratch(t)
	reference := filepath.Join(root, "reference")
	if _, err := live(quick{}, reference, nil); err != nil {
		t.Fatal(err)
	}
	want, err := tree(reference)
	if err != nil {
		t.Fatal(err)
	}
	step := 7
	if pace.Soaking() {
		step = 1
	}
	for n := 1; ; n += step {
		dir := filepath.Join(root, fmt.Sprint(n))
		files := &faulty{n: n, err: syscall.ENOSPC, dead: n%2 == 0}
		state, err := live(files, dir, nil)
		if err == nil {
			if files.count >= n {
				t.Fatalf("operation %d failed unnoticed", n)
			}
			if n < 100 {
				t.Errorf("only %d operations tried", n)
			}
			break
		}
		if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "free some space") {
			t.Fatalf("operation %d: %v", n, err)
		}
		f, err := Continue(quick{}, dir, anyRun)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		if _, err := live(quick{}, dir, state); err != nil {
			t.Fatalf("operation %d: %v", n, err)
		}
		if f != nil {
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}
		got, err := tree(dir)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("operation %d: %s", n, diff)
		}
		_ = os.RemoveAll(dir)
	}
}

// live keeps 21 draws, from a saved state on, with a checkpoint after every
// third, and returns the last that could be taken: after a failure even that of
// the failure, if it can.
func live(files Files, dir string, from []byte) (state []byte, err error) {
	s, err := small(files, dir, 1)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, advice(err))
	}
	w := s.Chain(0)
	if from != nil {
		if err := w.UnmarshalBinary(from); err != nil {
			return nil, err
		}
	}
	state = from
	save := func() error {
		b, err := w.AppendBinary(nil)
		if err == nil {
			err = s.Sync()
		}
		if err == nil {
			state = b
		}
		return err
	}
	for k := w.kept(); k < 21; k++ {
		if err := w.Keep(draw(0, k, 0)); err != nil {
			_ = save() // as a run does that ends
			return state, err
		}
		if k%3 == 0 {
			if err := save(); err != nil {
				return state, err
			}
		}
	}
	if err := save(); err != nil {
		return state, err
	}
	return state, s.Finish(1)
}
