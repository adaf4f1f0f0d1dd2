package store

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A run that is finished anew with other groups leaves no array of those before, and nothing of what is not
// its own is removed.
// Mutants: arrays that stay; arrays of others that go.
func TestGroupsWrittenAnew(t *testing.T) {
	dir := filepath.Join(scratch(t), "run")
	f, err := Create(quick{}, dir, anyRun, false)
	if err != nil {
		t.Fatal(err)
	}
	d := autoregressive([]string{"a", "b"}, 2, 11)
	outputs := func(names ...string) []Group {
		g := Group{Name: "outputs", Arrays: []Array{Numbered("chain", 2, 1), Numbered("draw", 3, 1)}}
		for _, n := range names {
			g.Arrays = append(g.Arrays, Array{Name: n, Dims: []string{"chain", "draw"}, Shape: []int{2, 3}, Values: make([]float64, 6)})
		}
		return []Group{d.Groups[0], g}
	}
	observed := d.Groups[:1]
	at := filepath.Join(dir, "draws.zarr", "outputs")
	for _, c := range []struct {
		groups []Group
		want   []string
	}{
		{outputs("x", "y"), []string{".zattrs", ".zgroup", "chain", "draw", "x", "y"}},
		{outputs("y", "z"), []string{".zattrs", ".zgroup", "chain", "draw", "y", "z"}},
		{observed, nil},
		{outputs("x"), []string{".zattrs", ".zgroup", "chain", "draw", "x"}},
	} {
		d.Groups = c.groups
		if err := keep(f, d, 4); err != nil {
			t.Fatal(err)
		}
		var got []string
		entries, err := os.ReadDir(at)
		for _, e := range entries {
			got = append(got, e.Name())
		}
		if !slices.Equal(got, c.want) || c.want != nil && err != nil {
			t.Errorf("%v, want %v: %v", got, c.want, err)
		}
	}
	own := filepath.Join(at, "x", "mine.txt")
	if err := os.WriteFile(own, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	d.Groups = observed
	if err := keep(f, d, 4); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(own); err != nil {
		t.Errorf("a file of the user is gone: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "draws.zarr", "observed_data", "year")); err != nil {
		t.Error(err)
	}
}
