package evidence

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/r2sgld/r2sgld/internal/config"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/store"
	"github.com/r2sgld/r2sgld/internal/study/studytest"
)

// The study at a glance is whole, tells the same twice but for times, and its errors
// are small: at two seeds and a standard error of 0.1 none is beyond 4.9 of it, or two and
// a half gaps if that is more. Kills:
// the volume forgotten or taken twice, seeds that do not change the run, threads or times
// in results.
func TestEvidenceAtAGlance(t *testing.T) {
	pace.Slow(t)
	a, b := studytest.Glance(t, Run, 1), studytest.Glance(t, Run, 2)
	if out := studytest.Whole(t, a); len(out.Claims) != 4 || out.Pictures != 2 {
		t.Errorf("%d claims, %d pictures", len(out.Claims), out.Pictures)
	}
	studytest.Documented(t, a, "../../../docs/studies.md", "versions")
	r := a.Results.(*Results)
	if len(r.Problems) != 5 || len(r.Timings) != 5 || a.Title != Title {
		t.Fatalf("%d problems, %d timings, %q", len(r.Problems), len(r.Timings), a.Title)
	}
	for _, p := range r.Problems {
		for _, x := range p.Runs {
			if !(math.Abs(x.Error) < 2.45*x.bar()) || !(x.SE < 0.11) || x.Calls < 1000 || x.Rungs < 2 {
				t.Errorf("%s: %+v", p.ID, x)
			}
		}
		if p.Runs[0].LogZ == p.Runs[1].LogZ {
			t.Errorf("%s: both seeds give %g", p.ID, p.Runs[0].LogZ)
		}
	}
	for _, x := range r.Timings {
		for _, s := range x.Seconds {
			if !(s > 0 && s < 60) {
				t.Errorf("%s: %g CPU seconds", x.Case, s)
			}
		}
	}
	a.Results.(*Results).Timings, b.Results.(*Results).Timings = nil, nil
	for _, pair := range [][2]any{{a.Results, b.Results}, {a.Claims, b.Claims}} {
		x, err := store.JSON(pair[0])
		if err != nil {
			t.Fatal(err)
		}
		y, err := store.JSON(pair[1])
		if diff := cmp.Diff(string(x), string(y)); diff != "" || err != nil {
			t.Error(diff, err)
		}
	}
	for i := range a.Sections {
		if x, y := a.Sections[i], b.Sections[i]; x.Title != "Time" && !cmp.Equal(x.Tables, y.Tables) {
			t.Errorf("section %q depends on the machine's speed", x.Title)
		}
	}
}

// The examples are the configurations of the study. Kills: an example with another
// target, domain or end.
func TestExamplesAreTheProblems(t *testing.T) {
	found, err := filepath.Glob("../../../examples/evidence/*.yaml")
	if err != nil || len(found) != len(tasks()) {
		t.Fatalf("%d examples: %v", len(found), err)
	}
	for _, x := range tasks() {
		file := "../../../examples/evidence/" + x.file + ".yaml"
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(b), "# "+x.id+":") || !strings.Contains(string(b), "r2sgld sample examples/evidence/"+x.file+".yaml") {
			t.Errorf("%s says neither which problem nor how to run it", file)
		}
		example, err := config.Load("sample", file, nil)
		if err != nil {
			t.Fatal(err)
		}
		own, err := config.Parse("sample", x.file, []byte(x.text(target)), nil)
		if err != nil {
			t.Fatal(err)
		}
		example.Resolved.Potential, own.Resolved.Potential = nil, nil // spaces differ; it is compared by value
		if diff := cmp.Diff(studytest.JSON(t, example.Resolved), studytest.JSON(t, own.Resolved)); diff != "" {
			t.Errorf("%s: %s", file, diff)
		}
		if d := example.Problem.Potential.Dim(); d != x.dim {
			t.Fatalf("%s: %d variables", file, d)
		}
		for k := range 50 {
			at := point(x.dim, k)
			if u, v := energy(example.Problem.Potential, at), energy(own.Problem.Potential, at); !(math.Abs(u-v) <= 1e-12*math.Abs(v)) {
				t.Errorf("%s: U = %g, not %g, at %v", file, u, v, at)
			}
		}
	}
}

// Sums over runs. Kills: the root left out, an error of the other sign not seen, a bar
// that is the smaller of both, one standard error for two.
func TestSettle(t *testing.T) {
	p := Problem{Runs: []Trial{
		{Error: 0.03, SE: 0.02, Gap: -0.01, Calls: 100}, // beyond gap and one error, within two
		{Error: -0.04, SE: 0.01, Gap: 0.05, Calls: 300}, // within the gap
		{Error: 0.01, SE: 0.02, Gap: 0, Calls: 200},     // within one error
		{Error: -0.2, SE: 0.03, Gap: 0.1, Calls: 200},   // beyond all
	}}
	p.settle()
	if want := math.Sqrt((9 + 16 + 1 + 400) * 1e-4 / 4); math.Abs(p.RMS-want) > 1e-15 || math.Abs(p.Mean+0.05) > 1e-15 {
		t.Errorf("rms %g, mean %g", p.RMS, p.Mean)
	}
	if p.Covered != (Covered{Gap: 1, SE: 1, Bar: 3}) {
		t.Errorf("%+v", p.Covered)
	}
	if p.calls() != 200 || math.Abs(p.stated()-0.02) > 1e-15 {
		t.Errorf("%g calls, %g stated", p.calls(), p.stated())
	}
}
