package job

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A run that a later version wrote is not taken for one of this.
//
// Mutant it kills: no look at the schema.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]string{
		`{"schema": 1, "command": "sample"}`:                     "",
		`{"schema": 2, "command": "sample", "version": "0.9.0"}`: "was written by a later r2sgld (0.9.0, schema 2; this one reads 1)",
		`{"schema": "1"}`: "cannot be read as a run",
	} {
		if err := os.WriteFile(filepath.Join(dir, "run.json"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Read(dir); want == "" && err != nil || want != "" &&
			(err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), dir)) {
			t.Errorf("%s: %v, want …%s…", text, err, want)
		}
	}
}

// A folder of studies is told as what it is: they have a report, and a page while they run.
//
// Mutant it kills: no look for what studies leave.
func TestReadStudies(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, TaskFile), []byte(`{"schema": 1, "study": "multimodal"}`), 0o666); err != nil {
		t.Fatal(err)
	}
	_, _, err := Read(dir)
	for _, want := range []string{dir + " holds studies", dir + "/report.html", "r2sgld reproduce --web :8080"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want …%s…", err, want)
		}
	}
}
