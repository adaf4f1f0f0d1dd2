package main

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/store"
)

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
