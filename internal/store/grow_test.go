package store

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// finished makes a run.
func finished(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(scratch(t), "run")
	if err := attempt(quick{}, dir, false); err != nil {
		t.Fatal(err)
	}
	return dir
}

// appendTo writes at the end of a file, which it makes if need be.
func appendTo(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	w, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// A record that was forged makes no file the run's that the run cannot have written so:
// only the log and the like grow, only arrays of draws have chunks.
//
// Mutants it kills: any file grows, in the record or by what follows; any folder holds
// chunks; any name is that of one.
func TestForgedRecord(t *testing.T) {
	for _, c := range []struct{ name, marks string }{
		{"figures/mine.svg", `{"name":"figures/mine.svg","bytes":0,"crc32c":0,"grows":true}`},
		{"figures/mine.svg", `{"name":"figures/mine.svg","bytes":-1,"crc32c":0,"grows":true}`},
		{"figures/mine.svg", `{"name":"figures/mine.svg","bytes":0,"crc32c":0,"grows":true,"closed":true}`},
		{"figures/trace.svg", `{"name":"figures/trace.svg","bytes":0,"crc32c":0,"grows":true}`},
		{"thesis/1.2", `{"name":"thesis","array":true}` + "\n" + `{"name":"draws.zarr","chunk":"1.2"}`},
		{"draws.zarr/posterior/mine.svg", `{"name":"draws.zarr/posterior","array":true}` + "\n" + `{"name":"draws.zarr","chunk":"mine.svg"}`},
		{"draws.zarr/posterior/x/mine.svg", `{"name":"draws.zarr/posterior/x/mine.svg","bytes":0,"crc32c":0,"grows":true}`},
		{"draws.zarr/posterior/x/0.mine.0", `{"name":"draws.zarr","chunk":"0.0"}`},
		{"draws.zarr/posterior/x/mine.svg", `{"name":"draws.zarr","chunk":"mine.svg"}`},
		{"log.jsonl", `{"name":"log.jsonl","bytes":0,"crc32c":0,"grows":true}`},
	} {
		dir := finished(t)
		file := filepath.Join(dir, filepath.FromSlash(c.name))
		_ = os.Remove(file)
		appendTo(t, file, "of the user")
		appendTo(t, filepath.Join(dir, recordName), c.marks+"\n")
		begun, err := overwrite(quick{}, dir, true)
		if data, gone := os.ReadFile(file); gone != nil || string(data) != "of the user" {
			t.Errorf("%s on record as %s: lost: %q, %v", c.name, c.marks, data, gone)
		}
		if err != nil && (begun || !strings.Contains(err.Error(), c.name) || !strings.Contains(err.Error(), "move it")) {
			t.Errorf("%s: begun %v: %v", c.name, begun, err)
		}
	}
}

// What a user wrote at the end of the log, or in it, is not dropped: the run is refused,
// as where a figure was changed. The log of a run that was killed, which may end in half a
// line or in zeros, is its own.
//
// Mutants it kills: a log that is never closed; one whose end is not looked at.
func TestAppendedLog(t *testing.T) {
	line := `{"time":"2026-01-01T00:00:00Z","level":"INFO","message":"of the user"}` + "\n"
	for _, text := range []string{"a note\n", line, "\n"} {
		dir := finished(t)
		appendTo(t, filepath.Join(dir, "log.jsonl"), text)
		before := held(t, dir)
		for _, force := range []bool{true, false} {
			begun, err := overwrite(quick{}, dir, force)
			if begun || err == nil || !strings.Contains(err.Error(), "log.jsonl in it was changed since the run wrote it") {
				t.Errorf("%q, force %v: begun %v: %v", text, force, begun, err)
			}
		}
		if after := held(t, dir); !maps.Equal(before, after) {
			t.Errorf("%q: changed: %v", text, changed(before, after))
		}
	}
	for _, c := range []struct {
		text string
		own  bool
	}{{line, true}, {line[:1], true}, {line[:30] + "\n" + line, true}, {"\x00\x00", true}, {"a note\n", false}, {line + "a note\n", false}} {
		dir := filepath.Join(scratch(t), "run")
		f, err := Create(quick{}, dir, anyRun, false)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Logger(); err != nil {
			t.Fatal(err)
		}
		appendTo(t, f.Path("log.jsonl"), c.text)
		if err := f.WriteJSON("run.json", report{1, "killed"}); err != nil {
			t.Fatal(err)
		}
		_ = f.release()
		for _, force := range []bool{false, true} {
			if _, err := overwrite(quick{}, dir, force); (err == nil) != c.own {
				t.Errorf("killed after %q, force %v: %v", c.text, force, err)
			}
		}
	}
}
