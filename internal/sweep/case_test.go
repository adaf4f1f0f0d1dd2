package sweep

import (
	"context"
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/r2sgld/r2sgld/internal/config"
	"github.com/r2sgld/r2sgld/internal/foldertest"
	"github.com/r2sgld/r2sgld/internal/store"
	"github.com/r2sgld/r2sgld/internal/text"
)

// TestElsewhere: a run whose data lie in another place leaves what it leaves at home, the paths
// in run.json included; what was packed of it while it was made goes on to the same.
func TestElsewhere(t *testing.T) {
	dir := t.TempDir()
	data, file := filepath.Join(dir, "rows.csv"), filepath.Join(dir, "fit.yaml")
	text := "x,y\n"
	for _, row := range []string{"1,2.1", "2,2.9", "3,4.2", "4,4.8", "5,6.3"} {
		text += row + "\n"
	}
	must(t, os.WriteFile(data, []byte(text), 0o666))
	must(t, os.WriteFile(file, []byte("name: line\ndata: rows.csv\nmodel:\n  parameters: {a: \"normal(0, 5)\", b: \"normal(0, 5)\"}\n"+
		"  likelihood: y ~ normal(a + b*x, 1)\nsampler: {until: {ess: 200}}\n"), 0o666))
	r, err := config.Load("fit", file, nil)
	must(t, err)
	resolved, err := store.JSON(r.Resolved)
	must(t, err)
	run := Run{Command: "fit", Config: resolved, Dir: filepath.Join(dir, "here"), Threads: 1, Checkpoint: time.Minute}
	err = run.Make(t.Context())
	must(t, err)
	want := foldertest.Results(t, run.Dir)

	moved := filepath.Join(dir, "moved")
	must(t, os.Rename(data, moved))
	asked := ""
	run.Dir, run.Place = filepath.Join(dir, "elsewhere"), func(path string) string { asked = path; return moved }
	err = run.Make(t.Context())
	must(t, err)
	if asked != data {
		t.Errorf("the data are sought by the name %q", asked)
	}
	if got := foldertest.Results(t, run.Dir); !maps.Equal(got, want) || len(want) < 10 {
		t.Errorf("%d and %d files, %q and %q", len(want), len(got), want["run.json"], got["run.json"])
	}

	run.Dir = filepath.Join(dir, "interrupted")
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		for store.Marks(run.Dir) == 0 && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		stop()
	}()
	err = run.Make(ctx)
	if err == nil {
		t.Error("it is not interrupted")
	}
	err = run.Make(t.Context())
	must(t, err)
	if !maps.Equal(foldertest.Results(t, run.Dir), want) {
		t.Error("it goes on to something else")
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestInputs: the files of a configuration are its data, and nothing of one without.
func TestInputs(t *testing.T) {
	for text, want := range map[string][]string{
		`{"potential": "x^2"}`: nil, `{"data": {"file": "/a.csv"}, "model": {}}`: {"/a.csv"}, `{"potential": {"command": ["a"]}}`: nil,
	} {
		if got, err := config.Inputs([]byte(text)); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
}

// TestLine: a case is told by the worst of its parameters, and by the evidence of its data where
// there are any.
func TestLine(t *testing.T) {
	var r row
	must(t, json.Unmarshal([]byte(`{"parameters": [{"name": "a", "mean": 1, "sd": 2, "rhat": 1.5, "ess_bulk": 30, "ess_tail": 20},
		{"name": "b", "mean": null, "sd": 1, "rhat": 1.1, "ess_bulk": 40, "ess_tail": 50}], "log_evidence": {"estimate": 1, "se": 2},
		"marginal_likelihood": {"log": 3, "se": 4}, "seconds": 5, "warnings": ["a", "b"]}`), &r))
	var l Line
	l.tell(&r)
	if l.RHat != 1.5 || l.ESS != 20 || l.LogEvidence != 3 || l.LogEvidenceSE != 4 || l.Warnings != 2 || !math.IsNaN(l.Parameters[1].Mean) {
		t.Errorf("%+v", l)
	}
	r.Parameters[0].RHat = nil
	l = Line{}
	if l.tell(&r); !math.IsNaN(l.RHat) {
		t.Errorf("of unknown and known R̂ the largest is %g", l.RHat)
	}
	s := Summary{Keys: []string{"k"}, Parameters: []string{"a", "b", "c"}, Cases: []Line{l}}
	l.Case, l.Values = "cases/1", []string{"7"}
	s.Cases = []Line{l}
	if said := s.Text([]string{"c"}, text.Style{}); !strings.Contains(said, "log Z") || !strings.Contains(said, "2 parameters more") {
		t.Error(said)
	}
	if said := s.Text([]string{"c", "q"}, text.Style{}); !strings.Contains(said, `no parameter "q" to show; they are a, b, c`) ||
		!strings.Contains(said, "2 parameters more") {
		t.Error(said)
	}
	if csv := string(s.table()); csv != "case,k,a.mean,a.sd,b.mean,b.sd,c.mean,c.sd,rhat,ess,log_evidence,log_evidence_se,"+
		"seconds,warnings,failed\ncases/1,7,1,2,,1,,,,20,3,4,5,2,\n" {
		t.Error(csv)
	}
}
