package main

import (
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// lineModel is a regression whose posterior and predictions are normal laws.
const lineModel = `name: line
data: line.csv
model:
  parameters: {a: "normal(0, 2)", b: "normal(0, 1)"}
  likelihood: "y ~ normal(a + b*x, 0.7)"
sampler: {until: {ess: 2000}}
`

const lineRows = "x,y\n-1.2,-0.4\n-0.3,1.1\n0.4,0.3\n1.1,2.2\n2.5,2.4\n3.1,4.0\n"

// array reads an array of a store that has one chunk, or one for each chain.
func array(t *testing.T, dir, name string) (shape []int, values []float64) {
	t.Helper()
	read := func(file string) []byte {
		b, err := os.ReadFile(filepath.Join(dir, "draws.zarr", filepath.FromSlash(name), file))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	var meta struct {
		Shape, Chunks []int
		Dtype         string
	}
	if err := json.Unmarshal(read(".zarray"), &meta); err != nil {
		t.Fatal(err)
	}
	chains := 1
	if meta.Chunks[0] < meta.Shape[0] {
		chains = meta.Shape[0]
	}
	for c := range chains {
		b := read(strconv.Itoa(c) + strings.Repeat(".0", len(meta.Shape)-1))
		n := 1
		for i, s := range meta.Shape {
			if i > 0 || chains == 1 {
				n *= s
			}
		}
		for k := range n {
			bits := binary.LittleEndian.Uint64(b[8*k:])
			if meta.Dtype == "<i8" {
				values = append(values, float64(int64(bits)))
			} else {
				values = append(values, math.Float64frombits(bits))
			}
		}
	}
	return meta.Shape, values
}

// The groups beside the posterior belong to its draws: the log density of each row is that by
// the draw that its coordinates name, predictions follow the draw, and data are the data.
func TestGroupsOfAFit(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "line.csv", lineRows)
	config := write(t, dir, "line.yaml", lineModel)
	out := filepath.Join(dir, "run")
	if code := run(t.Context(), []string{"fit", config, "--out", out, "--quiet"}); code != exitDone {
		t.Fatal(code)
	}
	x, y := []float64{-1.2, -0.3, 0.4, 1.1, 2.5, 3.1}, []float64{-0.4, 1.1, 0.3, 2.2, 2.4, 4.0}
	if _, got := array(t, out, "observed_data/y"); fmt.Sprint(got) != fmt.Sprint(y) {
		t.Errorf("observed %v", got)
	}
	if _, got := array(t, out, "constant_data/x"); fmt.Sprint(got) != fmt.Sprint(x) {
		t.Errorf("given %v", got)
	}
	if _, got := array(t, out, "log_likelihood/row"); fmt.Sprint(got) != "[2 3 4 5 6 7]" {
		t.Errorf("lines %v", got)
	}
	kept, a := array(t, out, "posterior/a")
	_, b := array(t, out, "posterior/b")
	_, at := array(t, out, "log_likelihood/draw")
	shape, log := array(t, out, "log_likelihood/y")
	same, drawn := array(t, out, "posterior_predictive/y")
	if len(shape) != 3 || shape[0] != kept[0] || shape[1] != len(at) || shape[2] != len(y) || fmt.Sprint(shape) != fmt.Sprint(same) ||
		shape[0]*shape[1] < 500 {
		t.Fatalf("shapes %v, %v of %v", shape, same, kept)
	}
	z := 0.0
	for c := range shape[0] {
		for k, draw := range at {
			for i := range y {
				j := c*kept[1] + int(draw)
				n := distuv.Normal{Mu: a[j] + b[j]*x[i], Sigma: 0.7}
				at := (c*shape[1]+k)*len(y) + i
				if got, want := log[at], n.LogProb(y[i]); !(math.Abs(got-want) < 1e-12*(1+math.Abs(want))) {
					t.Fatalf("chain %d, draw %g, row %d: log density %v, want %v", c, draw, i, got, want)
				}
				z += math.Pow((drawn[at]-n.Mu)/n.Sigma, 2)
			}
		}
	}
	// a sum of squares of normal numbers: two-sided 1e-7
	if n := float64(len(drawn)); math.Abs(z-n) > 5.4*math.Sqrt(2*n) {
		t.Errorf("predictions have squares of %.0f about their draws, want %.0f", z, n)
	}
	prior, draws := array(t, out, "prior/a")
	sum := 0.0
	for _, v := range draws {
		sum += v * v / 4
	}
	if n := float64(prior[1]); math.Abs(sum-n) > 5.4*math.Sqrt(2*n) {
		t.Errorf("%g draws of the prior have squares of %.0f", n, sum)
	}
	again := filepath.Join(dir, "again")
	if code := run(t.Context(), []string{"fit", config, "--out", again, "--quiet", "--threads", "1"}); code != exitDone {
		t.Fatal(code)
	}
	same2, second := array(t, again, "posterior_predictive/y")
	if fmt.Sprint(same2, second) != fmt.Sprint(same, drawn) {
		t.Error("one thread predicts otherwise")
	}
}

// Predictions of new rows have the mean and the quantiles of their law, a normal one, within
// what so many draws allow: six standard errors, 2e-9 for each number.
func TestPredictionsOfNewRows(t *testing.T) {
	pace.Slow(t)
	dir := t.TempDir()
	write(t, dir, "line.csv", lineRows)
	out := filepath.Join(dir, "run")
	if code := run(t.Context(), []string{"fit", write(t, dir, "line.yaml", lineModel), "--out", out, "--quiet"}); code != exitDone {
		t.Fatal(code)
	}
	data := write(t, dir, "new.csv", "y,x\n,0\n7,5\n,-40\n")
	if code := run(t.Context(), []string{"simulate", out, "--data", data, "--draws", "8000", "--quiet", "--keep"}); code != exitDone {
		t.Fatal(code)
	}
	file, err := os.Open(filepath.Join(out, "simulation", "simulation.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	table, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(table[0], " "); got != "line y.observed y.mean y.q5 y.q50 y.q95" || table[2][1] != "7" || table[1][1] != "" ||
		table[3][0] != "4" {
		t.Fatalf("%v", table)
	}
	// the posterior of a and b
	x, y := []float64{-1.2, -0.3, 0.4, 1.1, 2.5, 3.1}, []float64{-0.4, 1.1, 0.3, 2.2, 2.4, 4.0}
	precision, r := mat.NewSymDense(2, []float64{1.0 / 4, 0, 0, 1}), []float64{0, 0}
	for i := range x {
		for j, u := range []float64{1, x[i]} {
			r[j] += u * y[i] / 0.49
			for k, v := range []float64{1, x[i]} {
				if k >= j {
					precision.SetSym(j, k, precision.At(j, k)+u*v/0.49)
				}
			}
		}
	}
	var chol mat.Cholesky
	chol.Factorize(precision)
	var mean, cov mat.Dense
	if err := chol.SolveTo(&mean, mat.NewDense(2, 1, r)); err != nil {
		t.Fatal(err)
	}
	if err := chol.SolveTo(&cov, mat.NewDiagDense(2, []float64{1, 1})); err != nil {
		t.Fatal(err)
	}
	const ess, n = 2000, 3000 // of the parameters, and draws, at least
	for i, at := range []float64{0, 5, -40} {
		mu := mean.At(0, 0) + mean.At(1, 0)*at
		spread := cov.At(0, 0) + 2*at*cov.At(0, 1) + at*at*cov.At(1, 1)
		law := distuv.Normal{Mu: mu, Sigma: math.Sqrt(spread + 0.49)}
		for k, p := range []float64{math.NaN(), 0.05, 0.5, 0.95} {
			got, err := strconv.ParseFloat(table[i+1][2+k], 64)
			if err != nil {
				t.Fatal(err)
			}
			want, se := mu, math.Sqrt(spread/ess+0.49/n)
			if p == p {
				want = law.Quantile(p)
				se = math.Sqrt(p*(1-p)/ess) / law.Prob(want)
			}
			if !(math.Abs(got-want) < 6*se) {
				t.Errorf("x = %g, %s: %v, want %v ± %v", at, table[0][2+k], got, want, se)
			}
		}
	}
	text, err := os.ReadFile(filepath.Join(out, "simulation", "draws.csv"))
	if lines := strings.Count(string(text), "\n"); err != nil || lines < 3*n || !strings.HasPrefix(string(text), "draw,line,y\n1,2,") {
		t.Errorf("draws.csv has %d lines: %v", lines, err)
	}
	for _, args := range [][]string{{"--until", "+3"}, {"--data", filepath.Join(dir, "none.csv")},
		{"--data", write(t, dir, "bad.csv", "y\n1\n")}, {"--set", "a=1"}} {
		if code := run(t.Context(), append([]string{"simulate", out, "--out", filepath.Join(dir, "refused"), "--quiet"},
			args...)); code != exitUsage {
			t.Errorf("%v: exit code %d", args, code)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "refused")); err == nil {
		t.Error("what was refused left a folder")
	}
}

// Angles about π, on either side of the cut of the circle, are predicted as angles: their mean, an
// interval as wide as the law is, and errors along the circle. The prior of their mean is cut at 0.
// Mutants: means on the line; an observation that is not unrolled.
func TestPredictedAngles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "angle.csv", "y\n3.1\n-3.1\n3.0\n-2.95\n-3.2\n3.3\n2.9\n-3.0\n")
	out := filepath.Join(dir, "run")
	if code := run(t.Context(), []string{"fit", write(t, dir, "angle.yaml", `name: angle
data: angle.csv
model:
  parameters: {m: {prior: "von_mises(1, 0.1)", min: 0, max: 6.283185}}
  likelihood: "y ~ von_mises(m, 50)"
sampler: {until: {ess: 1000}}
`), "--out", out, "--quiet"}); code != exitDone {
		t.Fatal(code)
	}
	if code := run(t.Context(), []string{"simulate", out, "--draws", "4000", "--quiet"}); code != exitDone {
		t.Fatal(code)
	}
	text, err := os.ReadFile(filepath.Join(out, "simulation", "simulation.csv"))
	if err != nil {
		t.Fatal(err)
	}
	table, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	sin, cos := 0.0, 0.0
	for _, y := range []float64{3.1, -3.1, 3.0, -2.95, -3.2, 3.3, 2.9, -3.0} {
		sin, cos = sin+math.Sin(y), cos+math.Cos(y)
	}
	// given m the law of an angle is nearly normal, with variance 1/κ and some more: of 1/(2κ) its part
	at, sd := math.Atan2(sin, cos), math.Sqrt(1/50.0+1/(50*math.Hypot(sin, cos)))
	square := 0.0
	for row, cells := range table[1:] {
		var v [6]float64
		for k, c := range cells {
			if v[k], err = strconv.ParseFloat(c, 64); err != nil {
				t.Fatal(err)
			}
		}
		const n = 1000
		se := sd / math.Sqrt(n)
		if off := math.Remainder(v[2]-at, 2*math.Pi); !(math.Abs(off) < 6*se) || !(math.Abs(math.Abs(v[2])-math.Pi) < 0.2) {
			t.Errorf("row %d: mean %v, want %v", row, v[2], at)
		}
		if width := v[5] - v[3]; !(math.Abs(width-2*1.645*sd) < 6*3*se+0.02*sd) || !(v[3] < v[4] && v[4] < v[5]) {
			t.Errorf("row %d: the interval is %v … %v … %v, want a width of %v", row, v[3], v[4], v[5], 2*1.645*sd)
		}
		square += (v[1] - v[2]) * (v[1] - v[2]) / 8
	}
	var report struct {
		Outcomes []struct {
			Observed     int
			Within, RMSE float64
		}
	}
	if text, err = os.ReadFile(filepath.Join(out, "simulation", "simulation.json")); err == nil {
		err = json.Unmarshal(text, &report)
	}
	if err != nil || report.Outcomes[0].Within < 0.75 || math.Abs(report.Outcomes[0].RMSE-math.Sqrt(square)) > 1e-9 || square > 0.1 {
		t.Errorf("%+v, want an rmse of %v: %v", report, math.Sqrt(square), err)
	}
}
