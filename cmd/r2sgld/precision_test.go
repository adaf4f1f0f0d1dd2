package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/r2sgld/r2sgld/internal/foldertest"
	"github.com/r2sgld/r2sgld/internal/pace"
)

// A preciseRow is a row with numbers of all digits.
type preciseRow struct {
	X1 float64 `parquet:"x1"`
	X2 float64 `parquet:"x2"`
	X3 float64 `parquet:"x3"`
	Y  float64 `parquet:"y"`
	K  int32   `parquet:"k"`
	N  int32   `parquet:"n"`
	T  int64   `parquet:"t"`
}

func preciseRows(n int) (rows []preciseRow) {
	rng := rand.New(rand.NewPCG(21, 22))
	for i := range n {
		rows = append(rows, preciseRow{rng.NormFloat64(), 100 + rng.NormFloat64(), math.Exp(2 * rng.NormFloat64()), 3 + rng.NormFloat64(),
			rng.Int32N(2), rng.Int32N(9), 1_600_000_000 + int64(i)})
	}
	return rows
}

// table is a CSV file of rows whose numbers are passed through.
func table(rows []preciseRow, through func(v float64) float64) string {
	var csv strings.Builder
	csv.WriteString("x1,x2,x3,y,k,n,t\n")
	for _, r := range rows {
		fmt.Fprintf(&csv, "%v,%v,%v,%v,%d,%d,%d\n", through(r.X1), through(r.X2), through(r.X3), through(r.Y), r.K, r.N, r.T)
	}
	return csv.String()
}

// What a run of fit draws, keeps and predicts with precision: float32 is, byte for byte, what it does of numbers
// that are rounded to float32 before: by sums that are made once, products of columns and formulas, all rows or
// minibatches, whatever vectors there are, after a resumption, of another table, and of a Parquet file.
//
// Mutants: precision that is not asked for.
func TestFloat32IsRoundedData(t *testing.T) {
	pace.Slow(t)
	dir := t.TempDir()
	rows := preciseRows(1500)
	full := func(v float64) float64 { return v }
	rounded := func(v float64) float64 { return float64(float32(v)) }
	tables := map[string]string{"full.csv": table(rows, full), "rounded.csv": table(rows, rounded),
		"new-full.csv": table(rows[:40], full), "new-rounded.csv": table(rows[:40], rounded)}
	for name, text := range tables {
		write(t, dir, name, text)
	}
	if err := parquet.WriteFile(filepath.Join(dir, "full.parquet"), rows); err != nil {
		t.Fatal(err)
	}
	drawn := func(out string) map[string]string {
		files := foldertest.Results(t, out)
		for name := range files {
			if !strings.HasPrefix(name, "draws") && !strings.HasPrefix(name, "figures") && !strings.HasPrefix(name, "simulation") {
				delete(files, name)
			}
		}
		return files
	}
	const block = "  let: {X: {columns: [x1, x2, x3], standardise: %t}}\n"
	for name, model := range map[string]string{
		"sums": "  parameters: {a: \"normal(0, 5)\", \"beta[X]\": \"normal(0, 2)\", s: half_normal(2)}\n" + fmt.Sprintf(block, true) +
			"  likelihood: y ~ normal(a + X*beta, s)\n",
		"products": "  parameters: {a: \"normal(0, 5)\", \"beta[X]\": \"normal(0, 2)\"}\n" + fmt.Sprintf(block, true) +
			"  likelihood: k ~ bernoulli_logit(a + X*beta)\n",
		"formulas": "  parameters: {a: \"normal(0, 5)\", b: \"normal(0, 2)\", c: \"normal(0, 2)\"}\n" +
			"  likelihood: n ~ poisson_log(a + b*x1*log(x3)/9 + c*(t - 1600000000)/1000)\n",
		"minibatches": "  parameters: {a: \"normal(0, 5)\", \"beta[X]\": \"normal(0, 2)\"}\n" + fmt.Sprintf(block, false) +
			"  likelihood: k ~ bernoulli_logit(a + X*beta/100)\n",
	} {
		fitted := func(data, as string) map[string]string {
			config := write(t, dir, name+".yaml", "name: rows\ndata: "+data+"\nmodel:\n"+model+
				"sampler: {method: r2sgld, iterations: 600, burn_in: 200, step_size: 1e-4}\n")
			out := filepath.Join(dir, name+"-"+as)
			args := []string{"fit", config, "--out", out, "--quiet"}
			if name == "minibatches" {
				args = append(args, "--set", "sampler.minibatch=64")
			}
			p := start(t, args...)
			if code := p.code(t); code != exitDone {
				t.Fatalf("%s as %s: exit %d: %s", name, as, code, &p.stderr)
			}
			return drawn(out)
		}
		want := fitted("rounded.csv", "rounded")
		same(t, name, fitted("{file: full.csv, precision: float32}", "full"), want)
		switch name {
		case "products":
			for as, lanes := range map[string]string{"avx2": "cpu.avx512f=off", "plain": "cpu.avx512f=off,cpu.avx2=off"} {
				t.Setenv("GODEBUG", lanes)
				same(t, as, fitted("{file: full.csv, precision: float32}", as), want)
			}
			t.Setenv("GODEBUG", "")
		case "formulas":
			same(t, "Parquet", fitted("{file: full.parquet, precision: float32}", "parquet"), want)
		}
		for _, as := range []string{"rounded", "full"} {
			out := filepath.Join(dir, name+"-"+as)
			must(t, exitDone, "resume", out, "--quiet", "--iterations", "900")
			must(t, exitDone, "simulate", out, "--data", filepath.Join(dir, "new-"+as+".csv"), "--out", out+"-simulation", "--quiet")
		}
		for _, of := range []string{"", "-simulation"} {
			got, want := drawn(filepath.Join(dir, name+"-full"+of)), drawn(filepath.Join(dir, name+"-rounded"+of))
			for file := range want {
				if file != "simulation.json" && got[file] != want[file] {
					t.Errorf("%s: %s differs%s", name, file, of)
				}
			}
			if len(got) != len(want) || len(got) == 0 {
				t.Errorf("%s%s: %d and %d files", name, of, len(got), len(want))
			}
		}
	}
}

// Numbers beyond float32 are refused at their place with what to do, and so is another precision; nothing is written.
func TestFloat32Faults(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "rows.csv", "x,y\n1.5,2\n2.5,-3.5e38\n3,4\n")
	for precision, want := range map[string]string{
		"float32": "rows.csv:3:5: \"-3.5e38\" in column \"y\": too large for float32 (at most 3.402823e+38): change the unit",
		"float16": "unknown precision \"float16\"; did you mean",
	} {
		config := write(t, dir, "rows.yaml", "name: rows\ndata: {file: rows.csv, precision: "+precision+"}\nmodel: {"+
			"parameters: {a: \"normal(0, 1)\"}, likelihood: \"y ~ normal(a*x, 1)\"}\n")
		out := filepath.Join(dir, "run")
		p := start(t, "fit", config, "--out", out)
		if code := p.code(t); code != exitUsage || !strings.Contains(p.stderr.String(), want) {
			t.Errorf("%s: exit %d: %s, want %s", precision, code, &p.stderr, want)
		}
		if _, err := os.Stat(out); !os.IsNotExist(err) {
			t.Errorf("%s: something was written", precision)
		}
	}
}
