package store

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// begun makes a run in a folder whose ladder has three rungs, with so many draws in chunks of
// 4 and buffers of 2, shifted by so much, and ends it if that is to be. It goes on from what
// a chain saved, if any, and returns what it saves.
func begun(t *testing.T, f *Folder, draws int, shift float64, from []byte, finish bool) []byte {
	t.Helper()
	r := &Run{Names: []string{"x"}, Temperature: []float64{1, 2, 4}}
	s, err := newWriter(f, r, &layout{names: r.Names, chains: 1, hot: 2, chunk: 4, buffer: 2})
	if err != nil {
		t.Fatal(err)
	}
	w := s.Chain(0)
	if from != nil {
		if err := w.UnmarshalBinary(from); err != nil {
			t.Fatal(err)
		}
	}
	for k := w.kept(); k < draws; k++ {
		x := float64(k) + shift
		if err := w.Keep([][]float64{{x}, {-x}, {1 / x}}, []float64{x, 2 * x, 3 * x}); err != nil {
			t.Fatal(err)
		}
	}
	state, err := w.AppendBinary(nil)
	if finish {
		err = errors.Join(err, f.WriteJSON("run.json", report{1, "a run"}), s.Finish(1))
	}
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	return state
}

// A chunk of draws that was changed since a run ended is the user's, as is one by a name
// that the run gives no chunk of that array: whoever would replace it or go on in it is
// refused. Those of a run that was killed are its own, by their size, even if it was to
// write others in the place of those on record.
//
// Mutants it kills: chunks ours by their names, or by those of other arrays; by the first of
// their draws alone; hot rungs not on record; the record of draws that were written anew.
func TestChangedChunks(t *testing.T) {
	dir := filepath.Join(scratch(t), "run")
	run := func(t *testing.T, how func(Files, string, Kind) (*Folder, error)) *Folder {
		t.Helper()
		f, err := how(quick{}, dir, anyRun)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	create := func(files Files, dir string, k Kind) (*Folder, error) { return Create(files, dir, k, false) }
	clean := func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	chunk := func(name string) string { return filepath.Join(dir, "draws.zarr", filepath.FromSlash(name)) }
	tried := func(t *testing.T, refused bool) {
		t.Helper()
		was := held(t, dir)
		f1, err1 := Create(quick{}, dir, anyRun, true)
		if err1 == nil {
			err1 = f1.Discard()
		}
		f2, err2 := Continue(quick{}, dir, anyRun)
		if err2 == nil {
			err2 = f2.Close()
		}
		for _, err := range []error{err1, err2} {
			if (err != nil) != refused || refused && !strings.Contains(err.Error(), "move it") {
				t.Errorf("refused %v: %v", refused, err)
			}
		}
		if now := held(t, dir); !maps.Equal(was, now) {
			t.Errorf("changed: %v", changed(was, now))
		}
	}
	flip := func(name string, at int) func(t *testing.T) {
		return func(t *testing.T) {
			data, err := os.ReadFile(chunk(name))
			if err != nil {
				t.Fatal(err)
			}
			data[at] ^= 1
			if err := os.WriteFile(chunk(name), data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, c := range map[string]struct {
		change  func(t *testing.T)
		refused bool
	}{
		"as it was":            {func(*testing.T) {}, false},
		"first draw":           {flip("posterior/x/0.0", 0), true},
		"last draw":            {flip("posterior/x/0.1", 15), true},
		"energy":               {flip("sample_stats/energy/0.1", 15), true},
		"hot rung":             {flip("tempered/x/0.0.1", 15), true},
		"hot energy":           {flip("tempered_stats/energy/0.0.0", 31), true},
		"notes after a draw":   {func(t *testing.T) { appendTo(t, chunk("posterior/x/0.0"), "mine") }, true},
		"a name of hot rungs":  {func(t *testing.T) { appendTo(t, chunk("posterior/x/0.0.0"), strings.Repeat("mine", 8)) }, true},
		"a name of cold rungs": {func(t *testing.T) { appendTo(t, chunk("tempered/x/0.0"), strings.Repeat("mine", 16)) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			clean()
			state := begun(t, run(t, create), 5, 0, nil, true)
			begun(t, run(t, Continue), 6, 0, state, true) // extended
			c.change(t)
			tried(t, c.refused)
			if _, err := Read(0, dir); (err != nil) != (c.refused && strings.HasSuffix(name, "draw")) {
				t.Errorf("read: %v", err)
			}
		})
	}
	t.Run("killed", func(t *testing.T) {
		clean()
		begun(t, run(t, create), 5, 0, nil, false)
		flip("posterior/x/0.0", 0)(t)
		tried(t, false)
		appendTo(t, chunk("posterior/x/0.0"), "mine")
		tried(t, true)
	})
	t.Run("killed when it was extended", func(t *testing.T) {
		clean()
		state := begun(t, run(t, create), 6, 0, nil, true)
		begun(t, run(t, Continue), 8, 1, state, false)
		tried(t, false)
		flip("tempered/x/0.0.1", 0)(t)
		tried(t, true)
	})
	t.Run("killed when it went on from before", func(t *testing.T) {
		clean()
		early := begun(t, run(t, create), 4, 0, nil, false)
		begun(t, run(t, Continue), 8, 0, early, true)
		begun(t, run(t, Continue), 6, 1, early, false)
		tried(t, false)
	})
	t.Run("killed when it began anew", func(t *testing.T) {
		clean()
		begun(t, run(t, create), 8, 0, nil, true)
		begun(t, run(t, Continue), 2, 1, nil, false)
		tried(t, false)
	})
}
