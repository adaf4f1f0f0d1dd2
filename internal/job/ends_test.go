package job

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/store"
)

// A run that was stopped at its end is not told to be short of it.
func TestInterrupted(t *testing.T) {
	const next = ", checkpoint written.\ngo on with: r2sgld resume runs/a"
	for want, e := range map[string]Interrupted{
		"stopped after 1,000 of the 2,000 iterations of all ladders" + next:                 {Dir: "runs/a", Done: 1000, Of: 2000},
		"stopped after 2,000 iterations of all ladders, before results were written" + next: {Dir: "runs/a", Done: 2000, Of: 2000},
		"stopped after 3,000 iterations of all ladders" + next:                              {Dir: "runs/a", Done: 3000, Of: 2000},
		"stopped after 2 of the 3 epochs" + next:                                            {Dir: "runs/a", Done: 2, Of: 3, Unit: "epochs"},
	} {
		if got := e.Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Nobody is sent to a folder that is no longer that of the run.
func TestFailedElsewhere(t *testing.T) {
	f := &Folder{of: &Request{Name: "a", Dir: "runs/a"}}
	for want, err := range map[string]error{
		"resume runs/a": errors.New("no space left"),
		"resume FOLDER": fmt.Errorf("runs/a %w", store.ErrMoved),
	} {
		if got := f.Failed(err).Error(); !strings.HasSuffix(got, want) {
			t.Errorf("%q, want …%q", got, want)
		}
	}
}

// A sweep that fails goes on from the cases that it has: it is not told to begin anew, which would lose them.
//
// Mutant it kills: no look for cases.
func TestStoppedWithCases(t *testing.T) {
	for _, cases := range []bool{false, true} {
		q := &Request{Command: "sweep", Name: "s", Dir: filepath.Join(t.TempDir(), "s")}
		f, err := q.Open(KindOf("sweep", []string{"log.jsonl"}))
		if err != nil {
			t.Fatal(err)
		}
		if cases {
			if err := os.MkdirAll(filepath.Join(q.Dir, "cases/1"), 0o777); err != nil {
				t.Fatal(err)
			}
		}
		if told := f.Stopped(errors.New("no data")).Error(); strings.Contains(told, "--force") == cases {
			t.Errorf("cases %v: %s", cases, told)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
