package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A configuration that somebody else has sent reads no file but those that came with it.
//
// Mutants: folders whose names begin alike taken for one; paths that lead out of it again.
func TestWithin(t *testing.T) {
	top := t.TempDir()
	sent := filepath.Join(top, "sent")
	put := func(path, text string) {
		t.Helper()
		path = filepath.Join(top, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"sent/a.csv", "sent-not/a.csv", "a.csv"} {
		put(name, "1,1\n")
	}
	put("a.stan", "parameters { real x; } model { }")
	put("rows.csv", "x,y\n1,1\n2,2.5\n3,2\n4,4\n")
	matrix := func(path string) string {
		return "variables: [x, y]\npotential: x^2 + y^2\ndomain: {constraints: {matrix: " + path + ", upper: [1]}}\n"
	}
	for name, c := range map[string]struct{ command, text, told string }{
		"sent":           {"sample", matrix(filepath.Join(sent, "a.csv")), ""},
		"matrix":         {"sample", matrix(filepath.Join(top, "a.csv")), "a.csv cannot be read: it is not among the files"},
		"way out":        {"sample", matrix(sent + "/../a.csv"), "a.csv cannot be read: it is not among the files"},
		"another folder": {"sample", matrix(sent + "-not/a.csv"), "a.csv cannot be read: it is not among the files"},
		"Stan":           {"sample", "potential: {stan: " + top + "/a.stan}\n", "a.stan cannot be read: it is not among the files"},
		"data": {"fit", "data: " + top + "/rows.csv\nmodel: {parameters: {a: \"normal(0, 1)\"}, likelihood: \"y ~ normal(a*x, 1)\"}\n",
			"it is not among the files"},
		"data of a model": {"identify", "data: {file: " + top + "/rows.csv, time: x, states: {y: y}}\nmodel: {library: {degree: 1}}\n",
			"it is not among the files"},
	} {
		_, err := Programs{Within: sent}.Parse(c.command, filepath.Join(top, "c.yaml"), []byte(c.text), nil)
		if c.told == "" && err != nil || c.told != "" && (err == nil || !strings.Contains(err.Error(), c.told)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Words of a program that are files are its files, wherever it is started from.
func TestExecuted(t *testing.T) {
	dir := t.TempDir()
	model := filepath.Join(dir, "model.py")
	if err := os.WriteFile(model, []byte("print(1)\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]string{
		`{"potential": {"command": ["python3", "model.py", "--fast"], "timeout": 60, "directory": "` + dir + `"}}`: {model},
		`{"potential": {"command": ["` + model + `", "` + dir + `"], "timeout": 60, "directory": "/"}}`:            {model},
		`{"potential": {"command": ["python3", "-m", "model"], "timeout": 60, "directory": "` + dir + `"}}`:        nil,
		`{"potential": "x^2"}`:              nil,
		`{"potential": {"stan": "m.stan"}}`: nil,
		`{}`:                                nil,
	} {
		if got := Executed([]byte(text)); !slices.Equal(got, want) {
			t.Errorf("%s: %q", text, got)
		}
	}
}
