package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// Trajectories of data of which half of one state's values are missing can be compared,
// datum by datum; the file of predictive densities of another run is refused.
func TestCompareMissingValues(t *testing.T) {
	pace.Slow(t)
	dir := t.TempDir()
	var b strings.Builder
	b.WriteString("t,x,y\n")
	for i := range 13 {
		y := fmt.Sprint(5 - 0.3*float64(i%3))
		if i%2 == 1 {
			y = ""
		}
		fmt.Fprintf(&b, "%d,%g,%s\n", i, 8/(1+0.2*float64(i)), y)
	}
	write(t, dir, "data.csv", b.String())
	var runs []string
	for i, loss := range []string{"a", "a*x"} {
		file := write(t, dir, fmt.Sprintf("m%d.yaml", i), `name: decay
data: {file: data.csv, time: t, states: {x: x, y: y}}
model:
  equations: {x: "-x*(`+loss+`)", y: "b - y/4"}
  likelihood: trajectory
  noise: {x: 0.5, y: 0.5}
  constraints: ["a > 0", "a < 1", "b > 0", "b < 3"]
  fixed: {x.initial: 8, y.initial: 5}
sampler: {method: r-sgld, iterations: 200, burn_in: 40, step_size: 1.0e-4, ladders: 2}
`)
		runs = append(runs, filepath.Join(dir, fmt.Sprintf("r%d", i)))
		must(t, exitDone, "identify", file, "--out", runs[i], "--quiet")
	}
	must(t, exitDone, append([]string{"compare", "--quiet"}, runs...)...)
	other, err := os.ReadFile(filepath.Join(runs[0], "predictive.json"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, runs[1], "predictive.json", string(other))
	if err := os.Remove(filepath.Join(runs[1], ".r2sgld.files")); err != nil { // which tells that it was changed
		t.Fatal(err)
	}
	if code := run(context.Background(), []string{"compare", runs[1]}); code != exitUsage {
		t.Errorf("exit %d with the predictive densities of another run", code)
	}
}
