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
// model takes, 8 bytes a number: from n rows to 2n by no more than 1.3 times those of n.
//
// Mutants: garbage as much as columns; lines and rows one by one; densities of all rows at once.
func TestMemoryOfRows(t *testing.T) {
	pace.Slow(t)
	info, _ := debug.ReadBuildInfo()
	if slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		t.Skip("the race detector takes several times as much")
	}
	const n, columns, unused = 1_000_000, 5, 1
	unit := int64(1024) // of what the system tells
	if runtime.GOOS == "darwin" {
		unit = 1
	}
	peak := func(rows int) int64 {
		dir := t.TempDir()
		file, err := os.Create(filepath.Join(dir, "rows.csv"))
		if err != nil {
			t.Fatal(err)
		}
		w, rng := bufio.NewWriter(file), rand.New(rand.NewPCG(1, 2))
		fmt.Fprintln(w, "x1,x2,x3,x4,y,z")
		for range rows {
			var x [columns + unused]float64
			for j := range x {
				x[j] = rng.NormFloat64()
			}
			fmt.Fprintf(w, "%.6f,%.6f,%.6f,%.6f,%.6f,%.6f\n", x[0], x[1], x[2], x[3], x[4]+x[0], x[5])
		}
		config := filepath.Join(dir, "rows.yaml")
		text := "name: rows\ndata: rows.csv\nmodel:\n  parameters: {a: \"normal(0, 9)\", b1: \"normal(0, 9)\", b2: \"normal(0, 9)\", " +
			"b3: \"normal(0, 9)\", b4: \"normal(0, 9)\", s: half_normal(9)}\n  likelihood: y ~ normal(a + b1*x1 + b2*x2 + b3*x3 + b4*x4, s)\n"
		if err := errors.Join(w.Flush(), file.Close(), os.WriteFile(config, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
		p := start(t, "fit", config, "--quiet", "--out", filepath.Join(dir, "run"))
		if code := p.code(t); code != 0 {
			t.Fatalf("exit %d: %s", code, p.stderr.String())
		}
		return p.ProcessState.SysUsage().(*syscall.Rusage).Maxrss * unit
	}
	few, many := peak(n), peak(2*n)
	if grown, most := many-few, int64(1.3*8*columns*n); grown > most {
		t.Errorf("%d rows take %d bytes, twice as many %d: %d more, at most %d", n, few, many, grown, most)
	}
	t.Logf("%d and %d bytes", few, many)
}
