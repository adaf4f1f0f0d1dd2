package runner

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/potential"
)

// A folder written from a result says seed, burn-in and thinning as they were, and is
// written into no folder that holds anything.
//
// Mutants it kills: the thinning of the settings where the result holds every fourth of
// those draws, and force.
func TestWrite(t *testing.T) {
	ball, err := domain.NewBall([]float64{0, 0}, 1)
	if err != nil {
		t.Fatal(err)
	}
	u := potential.Func(2, func(grad, x []float64) float64 { grad[0], grad[1] = 0, 0; return 0 })
	p := r2sgld.Problem{Potential: u, Domain: ball}
	s := r2sgld.Settings{Seed: 7, Ladders: 2, Iterations: 4020, BurnIn: 20, Thin: 2, StepSize: []float64{0.01}, MaxDraws: 700}
	res, err := r2sgld.Sample(t.Context(), p, s)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "ball")
	sum, err := Write(dir, p, s, res)
	if err != nil {
		t.Fatal(err)
	}
	stride := res.Ladders[0].Stride
	if stride < 2 || sum.Thin != 2*stride || sum.Draws != 2*2000/stride || sum.Seed != 7 {
		t.Errorf("every %d-th of %d draws, thin %d, seed %d", stride, sum.Draws, sum.Thin, sum.Seed)
	}
	for name, want := range map[string]string{"draws.zarr/posterior/.zattrs": `"burn_in": 20`, "draws-2.csv": "#   seed = 7", "run.json": `"burn_in": 20`} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: no %s: %v", name, want, err)
		}
	}
	if _, err := Write(dir, p, s, res); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Error(err)
	}
	if _, err := Write(dir+"-none", p, s, new(r2sgld.Result)); err == nil {
		t.Error("a result without draws is written")
	}
}

// A record of the last iterations that is none is an error.
func TestForgedWindow(t *testing.T) {
	w := newWindow(r2sgld.Settings{Temperature: []float64{1, 2}}, 1, nil)
	w.now, w.last, w.seen = []int{1, 0}, 9, 9
	good, err := w.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.UnmarshalBinary(good); err != nil {
		t.Fatal(err)
	}
	for _, at := range []int{7, 15, 17, 19, 21, len(good) - 1} { // the highest bytes of last, seen, labels
		forged := append([]byte(nil), good...)
		forged[at] = 0x7f
		if err := w.UnmarshalBinary(forged); err == nil {
			t.Errorf("byte %d: taken", at)
		}
	}
}
