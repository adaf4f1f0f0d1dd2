package main

import (
	"cmp"
	"encoding/json"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/report"
	"github.com/r2sgld/r2sgld/internal/store"
)

// A file without draws, or with warm-up alone, is no run to be told of.
func TestDiagnoseWithoutDraws(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"none.csv": "x\n", "warm.csv": "# num_warmup = 2\n# save_warmup = 1\nx\n1\n2\n"} {
		write(t, dir, name, text)
		if code := run(t.Context(), []string{"diagnose", "--quiet", filepath.Join(dir, name)}); code != exitUsage {
			t.Errorf("%s: exit %d, want %d", name, code, exitUsage)
		}
	}
}

// One chain does not count for two: neither a file that is given twice nor its copy. Chains
// that stand still, or part at the last draw, are two.
func TestDiagnoseOfOneChainTwice(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a": "1\n2\n3\n", "copy": "1\n2\n3\n", "b": "1\n2\n4\n", "still": "1\n1\n1\n",
		"calm": "1\n1\n1\n"} {
		write(t, dir, name+".csv", "x\n"+text)
	}
	for files, want := range map[string]int{"a b": 0, "still calm": 0, "a a": exitUsage, "b a copy": exitUsage} {
		args := []string{"diagnose", "--quiet"}
		for _, f := range strings.Fields(files) {
			args = append(args, filepath.Join(dir, f+".csv"))
		}
		if code := run(t.Context(), args); code != want {
			t.Errorf("%s: exit %d, want %d", files, code, want)
		}
	}
}

// Of a long chain every second draw is summarised, the second one first, and it
// is said that it is so. Kills draws that are counted after they are thinned.
func TestDiagnoseOfALongChain(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "chain.csv", "x\n"+strings.Repeat("-1\n1\n", mostRead/2)+"7\n")
	d, err := store.Read(mostRead, filepath.Join(dir, "chain.csv"))
	if err != nil {
		t.Fatal(err)
	}
	out := diagnosed(d)
	if out.Draws != mostRead+1 || out.Stride != 2 || out.Ladders != 1 || math.Abs(out.Parameters[0].Mean-1) > 1e-12 {
		t.Errorf("%+v", out)
	}
}

// What bears labels is summarised from the draws in the folder as the run itself did, in numbers and
// in a table of its own.
// Mutants: a diagnosis without outputs; the outputs of the parameters.
func TestDiagnoseOfOutputs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data := "y\n" + strings.Repeat("-2.1\n-1.9\n-2.4\n2.2\n1.8\n", 8)
	write(t, dir, "y.csv", data)
	out := filepath.Join(dir, "run")
	sum := summarisedIn(t, out, "fit", write(t, dir, "mix.yaml", `data: y.csv
model:
  parameters: {w: {shape: simplex(2), prior: "dirichlet(2, 2)"}, "m[2]": "normal(0, 3)"}
  likelihood: "y ~ mix(w[1], normal(m[1], 1), w[2], normal(m[2], 1))"
  labels: w
sampler: {until: {ess: 100}}
`))
	p := start(t, "diagnose", out, "--json")
	var got diagnosis
	if code := p.code(t); code != exitDone || json.Unmarshal(p.stdout.Bytes(), &got) != nil {
		t.Fatalf("exit %d: %s", code, &p.stderr)
	}
	slices.SortFunc(sum.Outputs, func(a, b report.Parameter) int { return cmp.Compare(a.Name, b.Name) }) // as in a folder
	if len(sum.Outputs) != 4 || !reflect.DeepEqual(got.Outputs, sum.Outputs) {
		t.Errorf("outputs %+v, want %+v", got.Outputs, sum.Outputs)
	}
	p = start(t, "diagnose", out)
	if code := p.code(t); code != exitDone || !strings.Contains(p.stdout.String(), "\n m_labelled[2] ") {
		t.Errorf("exit %d: %s", code, &p.stdout)
	}
}
