package store

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// compressed makes a store of one array x, in chunks of one chain that hold so many numbers,
// of which that many count, the k-th of chain c being c + k/1000 where it is below most.
func compressed(t *testing.T, chains, n, chunk, most int) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name string, data []byte) {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, data, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	write(".zgroup", []byte(`{"zarr_format": 2}`))
	write("posterior/x/.zattrs", []byte(`{"_ARRAY_DIMENSIONS": ["chain", "draw"]}`))
	write("posterior/x/.zarray", fmt.Appendf(nil, `{"zarr_format": 2, "order": "C", "dtype": "<f8", "fill_value": 0, "filters": null,
  "compressor": {"id": "zlib", "level": 1}, "shape": [%d, %d], "chunks": [1, %d]}`, chains, n, chunk))
	for c := range chains {
		var file bytes.Buffer
		w := zlib.NewWriter(&file)
		numbers := make([]byte, 0, 8*most)
		for k := range min(chunk, most) {
			numbers = binary.LittleEndian.AppendUint64(numbers, math.Float64bits(float64(c)+float64(k)/1000))
		}
		zeros := make([]byte, 1<<20)
		_, err := w.Write(numbers)
		for rest := 8 * (chunk - len(numbers)/8); rest > 0 && err == nil; rest -= len(zeros) {
			_, err = w.Write(zeros[:min(rest, len(zeros))])
		}
		if err = errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		write(fmt.Sprintf("posterior/x/%d.0", c), file.Bytes())
	}
	return dir
}

// What small chunks inflate to is not held in memory where few of the draws are asked for,
// and these are the right ones; where it is out of all proportion it is not even inflated.
//
// Mutants it kills: chunks inflated whole, chunks inflated without a bound, draws of another
// stride.
func TestInflatedChunks(t *testing.T) {
	pace.Slow(t)
	const n = 1 << 22
	dir := compressed(t, 2, n, n, n/8)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	d, err := Read(64, dir)
	runtime.ReadMemStats(&after)
	if err != nil || d.Stride != n/64 || d.Kept != n {
		t.Fatal(d, err)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 8*n/2 {
		t.Errorf("%d bytes of memory for 128 draws", used)
	}
	for c, x := range d.X[0] {
		for i, v := range x {
			k, want := (i+1)*d.Stride-1, 0.0
			if k < n/8 {
				want = float64(c) + float64(k)/1000
			}
			if v != want {
				t.Fatalf("chain %d, draw %d: %g, want %g", c, k, v, want)
			}
		}
	}
	bomb := compressed(t, 4, 8, 8, 8)
	about := filepath.Join(bomb, "posterior/x/.zarray")
	text, err := os.ReadFile(about)
	if err == nil {
		err = os.WriteFile(about, bytes.ReplaceAll(text, []byte(" 8]"), []byte(" 134217728]")), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Read(64, bomb); err == nil || !strings.Contains(err.Error(), "to be inflated") {
		t.Error(err)
	}
}

// What is wrong with metadata and chunks is said in the words of Zarr, once.
func TestBadZarrIsTold(t *testing.T) {
	for want, damage := range map[string]func([]byte) []byte{
		"posterior/x/.zarray: shape: Zarr has no number 2.5 there": func(b []byte) []byte {
			return bytes.ReplaceAll(b, []byte("[2, 8]"), []byte("[2.5, 8]"))
		},
		"posterior/x/.zarray: all of it: Zarr has no array there": func([]byte) []byte { return []byte("[1]") },
	} {
		dir := compressed(t, 2, 8, 8, 8)
		file := filepath.Join(dir, "posterior/x/.zarray")
		text, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(file, damage(text), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err = Read(0, dir); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v, want …%s", err, want)
		}
	}
	for want, size := range map[string]int{"is cut short: it becomes less than 64 bytes": 8, "it becomes more than 64 bytes": 9} {
		dir := compressed(t, 2, 8, size, size)
		about, chunk := filepath.Join(dir, "posterior/x/.zarray"), filepath.Join(dir, "posterior/x/1.0")
		text, err := os.ReadFile(about)
		if err == nil {
			err = os.WriteFile(about, bytes.ReplaceAll(text, []byte("[1, 9]"), []byte("[1, 8]")), 0o666)
		}
		if info, failed := os.Stat(chunk); failed == nil && size == 8 {
			err = errors.Join(err, os.Truncate(chunk, info.Size()-12))
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err = Read(0, dir); err == nil || !strings.HasSuffix(err.Error(), want) || errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%v, want …%s", err, want)
		}
	}
}
