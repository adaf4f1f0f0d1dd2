package deep

import (
	"context"
	"testing"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/bnn/bnntest"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/study/studytest"
)

// tiny are images and an effort for the engine in memory.
func tiny() (*source, effort) {
	s := &source{told: "blobs", kind: "npz", folder: "/data/blobs.npz", outsideKind: "npz", outsideFolder: "/data/other.npz",
		data: bnn.Data{Train: bnntest.Blobs(90, 1), Test: bnntest.Blobs(120, 2), Outside: bnntest.Blobs(30, 3)}}
	s.data.Mean, s.data.SD = s.data.Train.Moments()
	return s, effort{subjects: []subject{{"mlp", everyone(), 2}}, epochs: 5, batch: 16, step: 0.1, fall: 0.01, heat: 1, bound: 4, target: 0.5,
		from: 0.6, draws: 3, steps: []float64{0.1, 1, 1e4, 1e200}, sweepEpochs: 3, sweeps: 2}
}

// inMemory opens the engine in memory.
func inMemory(_ context.Context, s bnn.Setup, _ string) (bnn.Engine, error) { return bnntest.Open(s) }

// on is a machine of these devices.
func on(devices ...string) machine { return machine{devices, "float32"} }

func glance(t *testing.T, devices ...string) *study.Study {
	t.Helper()
	from, e := tiny()
	s, err := conduct(context.Background(), study.Options{Scale: study.Smoke, Seed: 1}, e, from, on(devices...), inMemory)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The study leaves a whole report with every method in its tables, and diverged
// trainings are counted.
func TestWholeReport(t *testing.T) {
	s := glance(t, "cpu", "cpu")
	out := studytest.Whole(t, s)
	studytest.Documented(t, s, "../../../docs/studies.md")
	if len(out.Claims) != 19 || len(s.Settings) != 12+16 || out.Pictures != 5 {
		t.Errorf("%d claims, %d settings, %d pictures", len(out.Claims), len(s.Settings), out.Pictures)
	}
	table := s.Sections[1].Tables[0]
	if len(table.Rows) != 12 {
		t.Errorf("%d rows of scores, want every method, both ladders with exact gates, and both baselines", len(table.Rows))
	}
	for _, r := range s.Results.(results).Methods {
		if v := r.Average["nll"]; !(v.Half > 0) { // kills repetitions of one stream
			t.Errorf("%s: NLL %v: repetitions must differ", r.Method, v)
		}
	}
	for _, r := range s.Results.(results).Sweep {
		switch huge := r.StepSize[0] == 1e200; {
		case huge && !bnn.Reflects(r.Method) && r.Diverged != 2, r.StepSize[0] == 0.1 && r.Diverged != 0:
			t.Errorf("%s with step %g: %d of 2 diverged", r.Method, r.StepSize[0], r.Diverged)
		}
	}
}

// Numbers do not depend on how many trainings run at once.
func TestDevicesChangeNoNumber(t *testing.T) {
	one, four := glance(t, "cpu"), glance(t, "cpu", "cpu", "cpu", "cpu")
	if a, b := studytest.JSON(t, one.Results), studytest.JSON(t, four.Results); a != b {
		t.Errorf("one device gives\n%.300s\nfour give\n%.300s", a, b)
	}
}
