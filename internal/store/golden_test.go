package store

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

func tiny() *ladders {
	return &ladders{
		Run: Run{Names: []string{"x", "a/b"}, Model: "tiny", Version: "0.1.0", Seed: 7, Thin: 2, BurnIn: 4, Temperature: []float64{0.5, 2},
			Groups: []Group{{Name: "observed_data",
				Arrays: []Array{{Name: "y", Dims: []string{"year"}, Shape: []int{2}, Values: []float64{30, 47.2}}}}}},
		X: [][][]float64{{{1, -2, 0.1, 3e-300}, {4, 5, 6, 7}}, {{math.NaN(), math.Inf(1), math.Inf(-1), 1e21}, {4, 5, 6, 7}}},
		U: [][][]float64{{{1, 0.25}, {8, 9}}, {{2, 3}, {8, 9}}},
	}
}

// The bytes of a tiny run are fixed: text as it is, numbers in hexadecimal
// up to the zeros that fill a chunk.
// Kills big-endian numbers, exchanged chunks, timestamps and map order.
func TestGoldenBytes(t *testing.T) {
	dir := scratch(t)
	f, err := Create(quick{}, dir, anyRun, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := keep(f, tiny(), 0); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	got := dump(t, dir)
	golden := filepath.Join("testdata", "tiny.txt")
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); diff != "" {
		t.Errorf("go test ./internal/store -run Golden -update, if this is meant:\n%s", diff)
	}
}

func dump(t *testing.T, dir string) string {
	var b bytes.Buffer
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Name() == recordName {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		name := filepath.ToSlash(rel)
		fmt.Fprintf(&b, "== %s\n", name)
		if c := filepath.Base(path)[0]; c >= '0' && c <= '9' {
			numbers := bytes.TrimRight(data, "\x00")
			if zeros := len(data) - len(numbers); zeros > 64 {
				fmt.Fprintf(&b, "%x and %d times 00\n", numbers, zeros)
			} else {
				fmt.Fprintf(&b, "%x\n", data)
			}
		} else if name != "draws.zarr/.zmetadata" { // repeats the others
			b.Write(data)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A store as others write it: float32, zlib, ragged chunks,
// vectors, prose in long_name.
func TestReadZarrOfOthers(t *testing.T) {
	d, err := Read(0, filepath.Join("testdata", "others.zarr"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"mu", "theta[0]", "theta[1]"}, d.Names); diff != "" {
		t.Error(diff)
	}
	want := [][]float64{{0, 2, 4, 6, 8}, {10, 12, 14, 16, 18}}
	if diff := cmp.Diff(want, d.X[1]); diff != "" {
		t.Error(diff)
	}
	if got := d.X[0]; got[0][4] != 2 || got[1][0] != 2.5 || got[1][4] != 4.5 {
		t.Errorf("mu: %v", got)
	}
	d, err = Read(3, filepath.Join("testdata", "others.zarr"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]float64{{2, 6}, {12, 16}}, d.X[1]); diff != "" || d.Kept != 5 || d.Stride != 2 {
		t.Errorf("%d draws, every %d-th: %s", d.Kept, d.Stride, diff)
	}
}

func TestZarrThatMakesNoSense(t *testing.T) {
	change := func(file, old, new string) func(dir string) error {
		return func(dir string) error {
			data, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil {
				return err
			}
			if !bytes.Contains(data, []byte(old)) {
				return fmt.Errorf("%s holds no %q", file, old)
			}
			return os.WriteFile(filepath.Join(dir, file), bytes.ReplaceAll(data, []byte(old), []byte(new)), 0o666)
		}
	}
	for want, damage := range map[string]func(dir string) error{
		"r2sgld resume": func(dir string) error { return os.Remove(filepath.Join(dir, ".zgroup")) },
		"too many levels": func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, ".zgroup")), os.Symlink(".zgroup", filepath.Join(dir, ".zgroup")))
		},
		"Zarr version 3":    func(dir string) error { return os.WriteFile(filepath.Join(dir, "zarr.json"), nil, 0o666) },
		"chunk 1.0 is gone": func(dir string) error { return os.Remove(filepath.Join(dir, "posterior/x/1.0")) },
		"none of its chunks": func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, "posterior/x/0.0")), os.Remove(filepath.Join(dir, "posterior/x/1.0")))
		},
		"chunk 0.0 has 7 bytes":      func(dir string) error { return os.Truncate(filepath.Join(dir, "posterior/x/0.0"), 7) },
		"compressor \"blosc\"":       change("posterior/x/.zarray", `"compressor": null`, `"compressor": {"id": "blosc"}`),
		"type \"\\u003ef8\"":         change("posterior/x/.zarray", `<f8`, `>f8`),
		"order \"F\"":                change("posterior/x/.zarray", `"C"`, `"F"`),
		"format 4 of Zarr":           change("posterior/x/.zarray", `"zarr_format": 2`, `"zarr_format": 4`),
		"too large":                  change("posterior/x/.zarray", "    2\n  ]", "    2000000000\n  ]"),
		"posterior/x/.zarray: inval": change("posterior/x/.zarray", `{`, `(`),
		"is no name of an array":     change("posterior/.zattrs", `"x"`, `"../x"`),
		"no such file":               change("posterior/.zattrs", `"x"`, `"y"`),
	} {
		f, err := Create(quick{}, scratch(t), anyRun, false)
		if err != nil {
			t.Fatal(err)
		}
		if err := keep(f, tiny(), 2); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(damage(f.Path("draws.zarr")), os.Remove(f.Path(recordName))); err != nil {
			t.Fatal(err)
		}
		_, err = Read(0, f.dir)
		if err == nil || !strings.Contains(err.Error(), strings.ReplaceAll(want, `\u003e`, ">")) || !strings.Contains(err.Error(), f.dir) {
			t.Errorf("%v, want …%s…", err, want)
		}
	}
}

// Whatever the metadata and the chunks of a store hold, reading it gives draws that hang
// together or an error, in memory that is in proportion to the files.
func FuzzReadZarr(f *testing.F) {
	folder := onRecord(f, f.TempDir(), quick{})
	if err := keep(folder, tiny(), 2); err != nil {
		f.Fatal(err)
	}
	read := func(name string) []byte {
		data, err := folder.ReadFile("draws.zarr/posterior/" + name)
		if err != nil {
			f.Fatal(err)
		}
		return data
	}
	array, group, about, chunk := read("x/.zarray"), read(".zattrs"), read("x/.zattrs"), read("x/0.0")
	f.Add(array, group, about, chunk)
	for _, shape := range []string{"[1000000000000000000, 0]", "[2000000000, 0]", "[2, 250000000]", "[1, 1, 4096]",
		"[0, 5]", "[1, 0, 500000000]"} {
		f.Add([]byte(`{"zarr_format": 2, "order": "C", "dtype": "<f8", "fill_value": 0, "chunks": [1, 256, 1], "shape": `+shape+`}`),
			[]byte("{}"), about, chunk)
		f.Add([]byte(`{"zarr_format": 2, "order": "C", "dtype": "|b1", "compressor": {"id": "zlib"}, "chunks": [1, 256], "shape": `+shape+`}`),
			group, about, chunk)
	}
	f.Fuzz(func(t *testing.T, array, group, about, chunk []byte) {
		dir := t.TempDir()
		for name, data := range map[string][]byte{".zgroup": []byte(`{"zarr_format": 2}`), "posterior/.zattrs": group,
			"posterior/x/.zarray": array,
			"posterior/x/.zattrs": about, "posterior/x/0.0": chunk, "posterior/x/0.0.0": chunk} {
			path := filepath.Join(dir, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, data, 0o666)); err != nil {
				t.Fatal(err)
			}
		}
		d, err := Read(100, dir)
		if err != nil {
			return
		}
		if err := checkNames(d.Names); err != nil || d.Stride < 1 {
			t.Error(err, d.Stride)
		}
		for j := range d.Names {
			for c := range d.X[j] {
				if len(d.X[j][c]) != d.Kept/d.Stride {
					t.Error("chains of other lengths")
				}
			}
		}
	})
}
