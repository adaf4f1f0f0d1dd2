package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What was changed since a run wrote it is not read as its draws, whichever way it is named;
// what the run did not write is, and so are the same draws without the record. A run that
// is extended may have gone on in its last chunk.
//
// Mutants it kills: nothing compared, in either format or of other files; draws beyond
// those of before compared with the record of those alone; draws compared that do not count.
func TestChangedFiles(t *testing.T) {
	dir := filepath.Join(scratch(t), "run")
	f, err := Create(quick{}, dir, anyRun, false)
	if err != nil {
		t.Fatal(err)
	}
	d := autoregressive([]string{"a", "b"}, 2, 11)
	few := &ladders{Run: d.Run} // its first five
	for i := range d.X {
		few.X, few.U = append(few.X, nil), append(few.U, nil)
		for r := range d.X[i] {
			few.X[i], few.U[i] = append(few.X[i], d.X[i][r][:5*2]), append(few.U[i], d.U[i][r][:5])
		}
	}
	for _, l := range []*ladders{few, d} {
		if err := keep(f, l, 4); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.WriteFile("summary.json", []byte("{}\n")); err != nil {
		t.Fatal(err)
	}
	change := func(name string, at int) func() {
		path := filepath.Join(dir, name)
		was, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		is := []byte(string(was))
		is[at] ^= 1
		if err := os.WriteFile(path, is, 0o666); err != nil {
			t.Fatal(err)
		}
		return func() { _ = os.WriteFile(path, was, 0o666) }
	}
	refused := func(what string, want bool, err error) {
		t.Helper()
		if want != (err != nil && strings.Contains(err.Error(), what+" was changed since the run wrote it")) || !want && err != nil {
			t.Errorf("%s: refused: %v, want %v", what, err, want)
		}
	}
	read := func(path ...string) error { _, err := Read(0, path...); return err }
	zarr, csv := filepath.Join(dir, "draws.zarr"), filepath.Join(dir, "draws-2.csv")
	for _, c := range []struct {
		name string
		at   int
		want bool
	}{
		{"draws.zarr/posterior/a/0.0", 0, true}, {"draws.zarr/posterior/b/1.2", 8*3 - 1, true}, {"draws.zarr/posterior/b/1.1", 9, true},
		{"draws.zarr/posterior/b/1.2", 8 * 3, false}, // it holds three draws
		{"draws.zarr/posterior/a/.zarray", 20, true}, {"draws.zarr/sample_stats/lp/0.0", 0, false},
	} {
		undo := change(c.name, c.at)
		refused(filepath.Join(dir, c.name), c.want, read(dir))
		refused(filepath.Join(dir, c.name), c.want, read(zarr))
		undo()
	}
	undo := change("draws.zarr/posterior/a/0.0", 1)
	moved := filepath.Join(scratch(t), "draws.zarr")
	if err := os.CopyFS(moved, os.DirFS(zarr)); err != nil {
		t.Fatal(err)
	}
	refused(moved, false, read(moved))
	undo()
	undo = change("draws-2.csv", 200)
	refused(csv, true, read(csv))
	refused(csv, false, read(filepath.Join(dir, "draws-1.csv")))
	undo()
	refused(csv, false, read(csv))
	summary := func() error {
		f, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.ReadFile("summary.json")
		return err
	}
	refused("summary.json", false, summary())
	change("summary.json", 2)
	refused(filepath.Join(dir, "summary.json"), true, summary())
}
