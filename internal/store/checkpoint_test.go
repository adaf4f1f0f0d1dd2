package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func sampleCheckpoint(iteration int) *Checkpoint {
	return &Checkpoint{Version: "0.1.0", Arch: "amd64", Config: "c0ffee", Name: "flower", Iteration: iteration,
		Sections: []Section{{"ladder 1", []byte("state of one")}, {"empty", []byte{}}, {"ladder 2", []byte{0, 255, '\n'}}}}
}

func TestCheckpoints(t *testing.T) {
	f, err := Create(Disk{}, t.TempDir(), anyRun, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := f.NewestCheckpoint(); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), f.dir) {
		t.Errorf("no checkpoint: %v", err)
	}
	for i := range 5 {
		path, err := f.WriteCheckpoint(sampleCheckpoint(i))
		if err != nil {
			t.Fatal(err)
		}
		c, newest, warnings, err := f.NewestCheckpoint()
		if err != nil || len(warnings) > 0 || newest != path {
			t.Fatal(newest, warnings, err)
		}
		if diff := cmp.Diff(sampleCheckpoint(i), c); diff != "" {
			t.Fatal(diff)
		}
	}
	names, _ := filepath.Glob(f.Path("checkpoints/*"))
	if diff := cmp.Diff([]string{f.Path("checkpoints/000004"), f.Path("checkpoints/000005")}, names); diff != "" {
		t.Error(diff)
	}
	if err := os.Truncate(names[1], 20); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.Path("checkpoints/000017"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	c, path, warnings, err := f.NewestCheckpoint()
	if err != nil || c.Iteration != 3 || path != names[0] || len(warnings) != 2 || !strings.Contains(warnings[0], "000017 skipped: torn") ||
		!strings.Contains(warnings[1], names[1]) {
		t.Errorf("iteration %d of %s, %q, %v", c.Iteration, path, warnings, err)
	}
	if path, err := f.WriteCheckpoint(sampleCheckpoint(9)); err != nil || filepath.Base(path) != "000018" {
		t.Error(path, err)
	}
}

// Each cut and each flipped bit is noticed, and never panics.
func TestCheckpointCorruption(t *testing.T) {
	whole, err := sampleCheckpoint(7).AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := new(Checkpoint).UnmarshalBinary(whole); err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		if err := new(Checkpoint).UnmarshalBinary(whole[:i]); err == nil {
			t.Errorf("cut to %d bytes: not noticed", i)
		}
		for bit := range 8 {
			bad := append([]byte(nil), whole...)
			bad[i] ^= 1 << bit
			c := new(Checkpoint)
			if err := c.UnmarshalBinary(bad); err == nil {
				t.Errorf("bit %d of byte %d flipped: not noticed", bit, i)
			}
			if c.Sections != nil || c.Iteration != 0 {
				t.Errorf("byte %d: half read", i)
			}
		}
	}
	if err := new(Checkpoint).UnmarshalBinary(append(whole[:len(whole):len(whole)], 0)); err == nil {
		t.Error("a byte more: not noticed")
	}
}

// Whatever befalls the newest file, cut anywhere or any bit of it flipped, the
// one before is read, with a warning, and stays until there are newer ones; the damaged
// file, which is not what was written, is left alone.
func TestDamagedCheckpointIsSkipped(t *testing.T) {
	f, err := Create(quick{}, scratch(t), anyRun, false)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		if _, err := f.WriteCheckpoint(sampleCheckpoint(i)); err != nil {
			t.Fatal(err)
		}
	}
	newest := f.Path("checkpoints/000002")
	whole, err := os.ReadFile(newest)
	if err != nil {
		t.Fatal(err)
	}
	skipped := func(what string, i int, bad []byte) {
		t.Helper()
		if err := os.WriteFile(newest, bad, 0o666); err != nil {
			t.Fatal(err)
		}
		c, _, warnings, err := f.NewestCheckpoint()
		if err != nil || c.Iteration != 0 || len(warnings) != 1 || !strings.Contains(warnings[0], newest+" skipped: ") {
			t.Fatalf("%s %d: %v %v", what, i, warnings, err)
		}
	}
	for i := range whole {
		skipped("cut at", i, whole[:i])
		bad := slices.Clone(whole)
		bad[i] ^= 1 << (i % 8)
		skipped("flipped byte", i, bad)
	}
	for i := range 2 {
		if _, err := f.WriteCheckpoint(sampleCheckpoint(5 + i)); err != nil {
			t.Fatal(err)
		}
		names, _ := filepath.Glob(f.Path("checkpoints/*"))
		// one is damaged
		if want := []string{f.Path(checkpointName(1 + i)), f.Path(checkpointName(2 + i)),
			f.Path(checkpointName(3 + i))}; !slices.Equal(names, want) {
			t.Errorf("%v, want %v", names, want)
		}
	}
}

// counted counts the bytes that are read of files.
type counted struct {
	quick
	bytes *int64
}

type countedFile struct {
	FileAt
	bytes *int64
}

func (c counted) ReadFile(name string) ([]byte, error) {
	b, err := c.quick.ReadFile(name)
	*c.bytes += int64(len(b))
	return b, err
}

func (c counted) OpenAt(name string) (FileAt, error) {
	f, err := c.quick.OpenAt(name)
	return countedFile{f, c.bytes}, err
}

func (c countedFile) ReadAt(b []byte, at int64) (int, error) {
	*c.bytes += int64(len(b))
	return c.FileAt.ReadAt(b, at)
}

// Of a large file that is no checkpoint, whatever its begin says, hardly anything is read.
//
// Mutant it kills: any file read whole.
func TestLargeFileIsNoCheckpoint(t *testing.T) {
	whole, err := sampleCheckpoint(7).AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, begin := range map[string]string{"zeros": "", "magic": checkpointMagic, "prefix": checkpointMagic +
		"\x02\x00\x00\x00\xff\xff\xff\x7f",
		"header": string(whole[:len(whole)-40]), "more": string(whole)} {
		var read int64
		f, err := Create(counted{bytes: &read}, scratch(t), anyRun, false)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteCheckpoint(sampleCheckpoint(1)); err != nil {
			t.Fatal(err)
		}
		large := f.Path("checkpoints/000009")
		if err := errors.Join(os.WriteFile(large, []byte(begin), 0o666), os.Truncate(large, 1<<26)); err != nil {
			t.Fatal(err)
		}
		c, _, warnings, err := f.NewestCheckpoint()
		if err != nil || c.Iteration != 1 || len(warnings) != 1 || !strings.Contains(warnings[0], "000009 skipped: ") || read > 10_000 {
			t.Errorf("%s: %v, %q, %v; %d bytes read", name, c, warnings, err, read)
		}
	}
}

// A disk that is full at any operation costs the checkpoint that was to be
// written, never the one before, and leaves nothing else behind.
func TestCheckpointOnFullDisk(t *testing.T) {
	dir := scratch(t)
	f, err := Create(quick{}, dir, anyRun, false)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		if _, err := f.WriteCheckpoint(sampleCheckpoint(i)); err != nil {
			t.Fatal(err)
		}
	}
	for n := 1; ; n++ {
		files := &faulty{n: n, err: syscall.ENOSPC}
		_, err := onRecord(t, dir, files).WriteCheckpoint(sampleCheckpoint(9))
		if err == nil {
			if n < 7 || files.count != n-1 {
				t.Errorf("%d operations, %d tried", files.count, n)
			}
			return
		}
		if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "free some space") {
			t.Fatalf("operation %d: %v", n, err)
		}
		c, path, warnings, err2 := f.NewestCheckpoint()
		if err2 != nil || len(warnings) > 0 || c.Iteration != 1 && c.Iteration != 9 {
			t.Fatalf("operation %d: %v %v", n, warnings, err2)
		}
		if left, _ := filepath.Glob(f.Path("checkpoints/*" + temporary)); len(left) > 0 {
			t.Fatalf("operation %d: left %v", n, left)
		}
		if c.Iteration == 9 { // whole, though not known to be durable
			_ = os.Remove(path)
			for i := range 2 {
				if _, err := f.WriteCheckpoint(sampleCheckpoint(i)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

func TestCheckpointRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := &Checkpoint{Version: rapid.String().Draw(t, "version"), Iteration: rapid.Int().Draw(t, "iteration"), Sections: []Section{}}
		for range rapid.IntRange(0, 4).Draw(t, "sections") {
			c.Sections = append(c.Sections, Section{rapid.String().Draw(t, "name"), rapid.SliceOf(rapid.Byte()).Draw(t, "data")})
		}
		data, err := c.AppendBinary([]byte("prefix"))
		if err != nil {
			t.Fatal(err)
		}
		got := new(Checkpoint)
		if err := got.UnmarshalBinary(data[len("prefix"):]); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c, got, same); diff != "" {
			t.Fatal(diff)
		}
	})
}

func FuzzCheckpoint(f *testing.F) {
	whole, err := sampleCheckpoint(7).AppendBinary(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte(checkpointMagic))
	f.Fuzz(func(t *testing.T, data []byte) { _ = new(Checkpoint).UnmarshalBinary(data) })
}

// A run that goes on with other arithmetic is told so; features that change no number
// are none.
func TestMoved(t *testing.T) {
	c := &Checkpoint{Numbers: "amd64 v1 fma 00c0ffee"}
	for numbers, told := range map[string]bool{"amd64 v1 fma 00c0ffee": false, "amd64 v1 fma avx2 00c0ffee": false,
		"amd64 v3 fma 0badcafe": true} {
		if got := c.Moved(numbers); (got != "") != told || told && (!strings.Contains(got, c.Numbers) || !strings.Contains(got, numbers)) {
			t.Errorf("%s: %q", numbers, got)
		}
	}
	if got := new(Checkpoint).Moved("amd64 00c0ffee"); got != "" {
		t.Error(got)
	}
}

func TestCheckpointMatches(t *testing.T) {
	c := sampleCheckpoint(1)
	if err := c.Matches("0.1.0", "amd64", "c0ffee"); err != nil {
		t.Error(err)
	}
	for want, err := range map[string]error{
		"of version 0.1.0, this is 0.2.0":        c.Matches("0.2.0", "amd64", "c0ffee"),
		"made on amd64, this is arm64":           c.Matches("0.1.0", "arm64", "c0ffee"),
		"belongs to another configuration":       c.Matches("0.1.0", "amd64", "decaf"),
		"resume on amd64\nthe checkpoint belong": c.Matches("0.1.0", "arm64", "decaf"),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want …%s…", err, want)
		}
	}
}
