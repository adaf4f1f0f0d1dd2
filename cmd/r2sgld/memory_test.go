package main

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"syscall"
	"testing"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// What a whole run of fit takes of memory grows with the rows by little more than the columns that the
// model takes, 8 bytes a number, or 4 with precision: float32: from n rows to 2n by no more than 1.3 times those
// of n; columns that are standardised take no more then.
//
// Mutants: garbage as much as columns; lines and rows one by one; densities of all rows at once.
func TestMemoryOfRows(t *testing.T) {
	pace.Slow(t)
	info, _ := debug.ReadBuildInfo()
	if slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		t.Skip("the race detector takes several times as much")
	}
	const n = 1_000_000
	dir := t.TempDir()
	few, many := manyRows(t, dir, n), manyRows(t, dir, 2*n)
	const sums = "  parameters: {a: \"normal(0, 9)\", b1: \"normal(0, 9)\", b2: \"normal(0, 9)\", b3: \"normal(0, 9)\", " +
		"b4: \"normal(0, 9)\", s: half_normal(9)}\n  likelihood: y ~ normal(a + b1*x1 + b2*x2 + b3*x3 + b4*x4, s)\n"
	for _, c := range []struct {
		precision, model, as string
		bytes                int
	}{
		{"float64", sums, "sums", 8},
		{"float32", "  parameters: {a: \"normal(0, 9)\", \"b[X]\": \"normal(0, 9)\", s: half_normal(9)}\n" +
			"  let: {X: {columns: [x1, x2, x3, x4], standardise: true}}\n  likelihood: y ~ normal(a + X*b, s)\n", "standardised", 4},
	} {
		peak := func(file string) int64 { return peakOf(t, file, c.precision, c.model) }
		before, after := peak(few), peak(many)
		if grown, most := after-before, int64(1.3*float64(c.bytes*readColumns*n)); grown > most {
			t.Errorf("%s in %s: %d rows take %d bytes, twice as many %d: %d more, at most %d", c.as, c.precision, n, before, after, grown, most)
		}
		t.Logf("%s in %s: %d and %d bytes", c.as, c.precision, before, after)
	}
}

// readColumns is how many of the columns of [manyRows] models take.
const readColumns = 5

// manyRows writes a table of so many rows, of which a column is not taken.
func manyRows(t *testing.T, dir string, rows int) string {
	t.Helper()
	file, err := os.Create(filepath.Join(dir, fmt.Sprintf("rows-%d.csv", rows)))
	if err != nil {
		t.Fatal(err)
	}
	w, rng := bufio.NewWriter(file), rand.New(rand.NewPCG(1, 2))
	fmt.Fprintln(w, "x1,x2,x3,x4,y,z")
	for range rows {
		var x [readColumns + 1]float64
		for j := range x {
			x[j] = rng.NormFloat64()
		}
		fmt.Fprintf(w, "%.6f,%.6f,%.6f,%.6f,%.6f,%.6f\n", x[0], x[1], x[2], x[3], x[4]+x[0], x[5])
	}
	if err := errors.Join(w.Flush(), file.Close()); err != nil {
		t.Fatal(err)
	}
	return file.Name()
}

// peakOf is how many bytes of memory a fit took at most.
func peakOf(t *testing.T, file, precision, model string) int64 {
	t.Helper()
	dir := t.TempDir()
	config := write(t, dir, "rows.yaml", "name: rows\ndata: {file: "+file+", precision: "+precision+"}\nmodel:\n"+model)
	p := start(t, "fit", config, "--quiet", "--out", filepath.Join(dir, "run"))
	if code := p.code(t); code != 0 {
		t.Fatalf("exit %d: %s", code, p.stderr.String())
	}
	unit := int64(1024) // of what the system tells
	if runtime.GOOS == "darwin" {
		unit = 1
	}
	return p.ProcessState.SysUsage().(*syscall.Rusage).Maxrss * unit
}
