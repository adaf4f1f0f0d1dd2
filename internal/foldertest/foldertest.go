// Package foldertest reads the folders of runs for tests.
package foldertest

import (
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Files are the files below a folder by their slash-separated names, but for the record
// and the lock; none if there is no folder.
func Files(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if os.IsNotExist(err) && path == dir {
			return nil
		}
		if err != nil || d.IsDir() || d.Name() == ".lock" || d.Name() == ".r2sgld.files" {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		out[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Results are those of the [Files] of a run that are the same whenever it is made:
// without log and checkpoints, and what is JSON without times.
func Results(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := Files(t, dir)
	for name, text := range out {
		switch {
		case strings.HasPrefix(name, "checkpoints") || name == "log.jsonl":
			delete(out, name)
		case name == "summary.json" || name == "metrics.jsonl":
			out[name] = Untimed(t, text)
		}
	}
	return out
}

// Untimed is a sequence of JSON values without what only times, each on a line.
func Untimed(t testing.TB, text string) string {
	t.Helper()
	var out bytes.Buffer
	for d := json.NewDecoder(strings.NewReader(text)); ; {
		var v any
		if err := d.Decode(&v); err == io.EOF {
			return out.String()
		} else if err != nil {
			t.Fatalf("%v in %q", err, text)
		}
		drop(v)
		if err := json.NewEncoder(&out).Encode(v); err != nil {
			t.Fatal(err)
		}
	}
}

// drop removes the keys of times.
func drop(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range []string{"seconds", "steps_per_second", "images_per_second", "peak_bytes"} {
			delete(v, key)
		}
		for _, e := range v {
			drop(e)
		}
	case []any:
		for _, e := range v {
			drop(e)
		}
	}
}
