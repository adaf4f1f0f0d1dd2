package main

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

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
