package store

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// streamed is what a stream is told of draws with two hot rungs.
func streamed() *Run {
	return &Run{Names: []string{"x", "a/b"}, Model: "m", Version: "0.1.0", Seed: 7, Thin: 2, BurnIn: 4,
		Temperature: []float64{0.5, 2, math.Inf(1)},
		Groups: []Group{{Name: "observed_data", Arrays: []Array{{Name: "y", Dims: []string{"t"}, Shape: []int{2},
			Values: []float64{1, 2}}}}}}
}

// draw is the k-th of a chain; another epoch draws otherwise.
func draw(chain, k, epoch int) (x [][]float64, energy []float64) {
	v := float64(1000*k+chain) + float64(epoch)/7
	return [][]float64{{v, -v}, {v + 0.1, v + 0.2}, {v + 0.3, 1 / v}}, []float64{v / 3, v / 5, math.Inf(1)}
}

// small is a stream with chunks of 8 draws, 4 of them at once.
func small(files Files, dir string, chains int) (*Writer, error) {
	d := streamed()
	l := &layout{names: d.arrayNames(), chains: chains, hot: 2, chunk: 8, buffer: 4}
	f := &Folder{dir: dir, home: dir, files: files}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	if _, err := f.onRecord(false); err != nil {
		return nil, err
	}
	return newWriter(f, d, l)
}

// onRecord is a folder with what it has on record.
func onRecord(t interface {
	Helper()
	Fatal(...any)
}, dir string, files Files) *Folder {
	t.Helper()
	f := &Folder{dir: dir, home: dir, files: files}
	if faulty, ok := files.(*faulty); ok {
		f.files = faulty.quick
	}
	if _, err := f.onRecord(false); err != nil {
		t.Fatal(err)
	}
	f.files = files
	return f
}

// tree is the content of every file below a folder, as a digest.
func tree(dir string) (map[string]string, error) {
	all := map[string]string{}
	return all, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Name() == recordName {
			return err
		}
		data, err := os.ReadFile(path)
		all[strings.TrimPrefix(path, dir)] = fmt.Sprintf("%d bytes %x", len(data), sha256.Sum256(data))
		return err
	})
}

func TestStreamRefuses(t *testing.T) {
	dir := t.TempDir()
	f := onRecord(t, dir, quick{})
	for want, change := range map[string]func(*Run) int{
		"without parameters":      func(d *Run) int { d.Names = nil; return 1 },
		"parameter 2 has no name": func(d *Run) int { d.Names[1] = ""; return 1 },
		"shape [2] holds 2":       func(d *Run) int { d.Groups[0].Arrays[0].Values = nil; return 1 },
		"is not positive":         func(d *Run) int { d.Temperature[1] = math.NaN(); return 1 },
		"without chains":          func(*Run) int { return 0 },
		"both named":              func(d *Run) int { d.Names[1] = "x"; return 1 },
		"temperature 0 is not po": func(d *Run) int { d.Temperature[1] = 0; return 1 },
	} {
		d := streamed()
		chains := change(d)
		if _, err := f.NewWriter(d, chains); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want …%s…", err, want)
		}
	}
	s, err := small(quick{}, dir, 2)
	if err != nil {
		t.Fatal(err)
	}
	w := s.Chain(1)
	if err := w.Keep([][]float64{{1, 2}}, []float64{1}); err == nil || !strings.Contains(err.Error(), "the ladder has 3") {
		t.Error(err)
	}
	if err := w.Keep([][]float64{{1, 2}, {1, 2}, {1}}, []float64{1, 2, 3}); err == nil || !strings.Contains(err.Error(), "1 parameters") {
		t.Error(err)
	}
	for k := range 9 {
		if err := w.Keep(draw(1, k, 0)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Finish(1); err == nil || !strings.Contains(err.Error(), "chain 2 kept 9 draws where chain 1 kept 0") {
		t.Error(err)
	}
	state, err := w.AppendBinary([]byte("prefix"))
	if err != nil {
		t.Fatal(err)
	}
	state = state[len("prefix"):]
	for i := range state {
		if err := w.UnmarshalBinary(state[:i]); err == nil {
			t.Errorf("a state cut to %d bytes was taken", i)
		}
	}
	if err := os.Truncate(filepath.Join(dir, "draws.zarr/tempered/x/1.0.0"), 8); err != nil {
		t.Fatal(err)
	}
	if err := w.UnmarshalBinary(state); err == nil || !strings.Contains(err.Error(), "1.0.0 has 8 bytes instead of 128") {
		t.Error(err)
	}
	if err := os.Remove(filepath.Join(dir, "draws.zarr/posterior/x/1.0")); err != nil {
		t.Fatal(err)
	}
	if err := w.UnmarshalBinary(state); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "start the run anew") {
		t.Error(err)
	}
}

// Whatever byte of the draws on disk is changed between a checkpoint and a resume, the
// file is named; what the checkpoint does not speak of may change.
//
// Mutants it kills: sizes compared alone, checksums of the last flush, of one rung.
func TestDamagedDraws(t *testing.T) {
	pace.Slow(t)
	dir := t.TempDir()
	s, err := small(quick{}, dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	w := s.Chain(0)
	for k := range 3*s.layout.chunk/2 + 1 {
		if err := w.Keep(draw(0, k, 0)); err != nil {
			t.Fatal(err)
		}
	}
	state, err := w.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	resume := func() error { return newChainWriter(s, s.layout, 0).UnmarshalBinary(state) }
	if err := resume(); err != nil {
		t.Fatal(err)
	}
	for i := range w.tracks {
		tr := &w.tracks[i]
		for chunk := range 2 {
			path := tr.file(s.root, 0, chunk)
			whole, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for at := range whole {
				written := chunk*s.layout.chunk+at/bytesPerItem%s.layout.chunk < w.flushed
				whole[at] ^= 0x40
				if err := os.WriteFile(path, whole, 0o666); err != nil {
					t.Fatal(err)
				}
				whole[at] ^= 0x40
				if err := resume(); (err != nil) != written || written && !strings.Contains(err.Error(), path+" is damaged") {
					t.Fatalf("%s, byte %d: %v", path, at, err)
				}
			}
			if err := os.WriteFile(path, whole, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Draws that were changed on disk while a run went on come into no table of draws: the file is
// named. What is not of the cold rung, and what was put back, is not in the way.
//
// Mutants it kills: the checksum of the first chunk for all, chunks that are not looked at.
func TestChangedDrawsAreNotCopied(t *testing.T) {
	for _, n := range []int{5, 8, 21} { // the last chunk is full, or not
		s, err := small(quick{}, t.TempDir(), 1)
		if err != nil {
			t.Fatal(err)
		}
		w := s.Chain(0)
		for k := range n {
			if err := w.Keep(draw(0, k, 0)); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.complete(); err != nil {
			t.Fatal(err)
		}
		if err := w.stanCSV(io.Discard); err != nil {
			t.Fatalf("%d draws as they were written: %v", n, err)
		}
		for i := range w.tracks {
			for chunk := range (n + 7) / 8 {
				path := w.tracks[i].file(s.root, 0, chunk)
				whole, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				whole[0] ^= 0x40
				err = os.WriteFile(path, whole, 0o666)
				said := w.stanCSV(io.Discard)
				if cold := i < w.l.cold(); (said != nil) != cold || cold && !strings.Contains(said.Error(), path+" is damaged") {
					t.Errorf("%d draws, %s: %v", n, path, said)
				}
				whole[0] ^= 0x40
				if err := errors.Join(err, os.WriteFile(path, whole, 0o666)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// A run that has not finished is not mistaken for one that has, neither a new
// one nor one that is made again; one that is extended can be read as it was.
func TestUnfinished(t *testing.T) {
	dir := t.TempDir()
	f, err := Create(quick{}, dir, anyRun, false)
	if err != nil {
		t.Fatal(err)
	}
	unfinished := func(when string) {
		t.Helper()
		for _, path := range []string{dir, f.Path("draws.zarr")} {
			if _, err := Read(0, path); err == nil || !strings.Contains(err.Error(), "unfinished: go on with: r2sgld resume "+dir) {
				t.Errorf("%s: %v", when, err)
			}
		}
	}
	next := func(s *Writer, from, to int) *Writer {
		t.Helper()
		if s == nil {
			if s, err = small(quick{}, dir, 1); err != nil {
				t.Fatal(err)
			}
		}
		for k := from; k < to; k++ {
			if err := s.Chain(0).Keep(draw(0, k, 0)); err != nil {
				t.Fatal(err)
			}
		}
		return s
	}
	s := next(nil, 0, 9)
	unfinished("new")
	if err := s.Finish(1); err != nil {
		t.Fatal(err)
	}
	length := func(want int) {
		t.Helper()
		if d, err := Read(0, dir); err != nil || d.Kept != want || d.X[0][0][want-1] != 1000*float64(want-1) {
			t.Fatalf("%v, want %d draws", err, want)
		}
	}
	length(9)
	state, err := s.Chain(0).AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	again, err := small(quick{}, dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Chain(0).UnmarshalBinary(state); err != nil {
		t.Fatal(err)
	}
	next(again, 9, 30)
	length(9)
	if err := again.Finish(1); err != nil {
		t.Fatal(err)
	}
	length(30)
	next(nil, 0, 4)
	unfinished("anew")
	if err := f.WriteJSON("run.json", 1); err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteCheckpoint(sampleCheckpoint(1)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"draws.zarr", "draws-1.csv"} {
		if err := os.RemoveAll(f.Path(name)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Read(0, dir); err == nil || !strings.Contains(err.Error(), "r2sgld resume "+dir) {
		t.Error(err)
	}
}

// Between visits to the disk a draw costs no memory, and these leave none
// behind: after thirty times as many draws the heap is no larger.
func TestStreamMemory(t *testing.T) {
	d := streamed()
	d.Temperature = []float64{1, 2, 4, 8, 16, 32, 64, 128}
	s, err := onRecord(t, scratch(t), quick{}).NewWriter(d, 1)
	if err != nil {
		t.Fatal(err)
	}
	x, u := make([][]float64, 8), make([]float64, 8)
	for r := range x {
		x[r] = make([]float64, 2)
	}
	w := s.Chain(0)
	keep := func() {
		if err := w.Keep(x, u); err != nil {
			t.Fatal(err)
		}
	}
	if n := testing.AllocsPerRun(w.l.buffer/2, keep); n > 0 {
		t.Errorf("%g allocations per draw", n)
	}
	few, many := 100_000, 300_000
	if pace.Soaking() {
		many = 3_000_000
	}
	var heap [2]uint64
	for i, n := range []int{few, many} {
		for w.kept() < n {
			keep()
		}
		if err := s.Sync(); err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		heap[i] = m.HeapAlloc
	}
	if heap[1] > heap[0]+1<<20 { // a draw is 200 bytes
		t.Errorf("%d bytes after %d draws, %d after %d", heap[0], few, heap[1], many)
	}
}

// What a layout costs over all chains: buffers of at most 64 MB, chunks of a
// power of two of draws.
func TestLayoutPolicy(t *testing.T) {
	for _, c := range []struct{ dim, rungs, chains, chunk, buffer int }{
		{1, 1, 1, 65536, 65536},
		{2, 1, 4, 65536, 16384},
		{2, 8, 4, 8192, 2048},
		{2, 16, 4, 4096, 1024},
		{100, 8, 4, 4096, 1024},
		{1000, 8, 4, 1024, 256},
		{10_000, 1, 4, 512, 128},
		{10_000, 8, 4, 256, 16},
		{1_000_000, 8, 4, 256, 1},
	} {
		l := &layout{names: make([]string, c.dim), chains: c.chains, hot: c.rungs - 1}
		l.fit()
		if l.chunk != c.chunk || l.buffer != c.buffer || l.chunk%l.buffer != 0 {
			t.Errorf("%+v: chunk %d, buffer %d", c, l.chunk, l.buffer)
		}
		if bytes := 8 * l.buffer * l.width() * l.chains; bytes > bufferMost && l.buffer > 1 {
			t.Errorf("%+v: %d bytes in memory", c, bytes)
		}
	}
}
