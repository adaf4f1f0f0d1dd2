package config

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// withMatrix loads a configuration with constraints and files beside it.
func withMatrix(t *testing.T, constraints string, files map[string]string) (*Run, string, error) {
	t.Helper()
	dir := t.TempDir()
	files["f.yaml"] = "variables: [x, y, z]\npotential: \"x^2 + y^2 + z^2\"\ndomain:\n  box: {x: [-9, 9], y: [-9, 9], z: [-9, 9]}\n" +
		"  constraints: " + constraints + "\nsampler: {method: r2sgld, step_size: 0.01, iterations: 1000, burn_in: 100}\n"
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run, err := Load("sample", filepath.Join(dir, "f.yaml"), nil)
	return run, dir + "/", err
}

// A matrix is the same set as its rows written out, in any of its forms, and a
// resolved configuration needs no files. Mutants: columns not permuted, sides
// exchanged, a row left out.
func TestMatrixOfConstraints(t *testing.T) {
	text := `["x + 2*y <= 1", "y - z <= 2", "x + 2*y >= -3", "z <= 4"]`
	want, _, err := withMatrix(t, text, map[string]string{})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		constraints string
		files       map[string]string
	}{
		"header": {`[{matrix: A.csv, upper: b.csv, lower: l.csv, names: header}, "z <= 4"]`,
			map[string]string{"A.csv": "\ufeffz,y,x\r\n0,2,1\r\n-1, 1,0\r\n", "b.csv": "b\n1\n2\n", "l.csv": "-3\n-inf\n"}},
		"in order": {`{matrix: A.csv, upper: [1, 2, 4], lower: l.csv}`,
			map[string]string{"A.csv": "1,2,0\n0,1,-1\n0,0,1\n", "l.csv": "-3,-Inf,-.inf\n"}},
		"in place": {`[{matrix: [[2, 1], [1, 0]], names: [y, x], upper: [1, 9], lower: [-3, -9]}, "y - z <= 2", "z <= 4"]`, map[string]string{}},
		"one bound": {`["z <= 4", {matrix: A.csv, lower: -1}]`,
			map[string]string{"A.csv": "-1,-2,0\n0.3333333333333333,0.6666666666666666,0\n0,-.5,5e-1"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, dir, err := withMatrix(t, c.constraints, c.files)
			if err != nil {
				t.Fatal(err)
			}
			resolved := encode(t, got.Resolved)
			for f := range c.files {
				_ = os.Remove(dir + f)
			}
			again, err := Parse("sample", "run.json", resolved, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(encode(t, again.Resolved)), string(resolved)); diff != "" {
				t.Errorf("resolved again: %s", diff)
			}
			rng := rand.New(rand.NewPCG(1, 2))
			inside := 0
			for range 2000 {
				x := []float64{8 - 16*rng.Float64(), 8 - 16*rng.Float64(), 8 - 16*rng.Float64()}
				in := want.Problem.Domain.Contains(x)
				if got.Problem.Domain.Contains(x) != in || again.Problem.Domain.Contains(x) != in {
					t.Fatalf("%v inside: %v", x, !in)
				}
				if in {
					inside++
				}
			}
			if inside < 20 {
				t.Errorf("only %d points inside", inside)
			}
		})
	}
}

func TestWrongMatrices(t *testing.T) {
	for _, c := range []struct{ constraints, a, want string }{
		{`{matrix: A.csv, upper: 1}`, "1,1,0\n1,x,0\n", `A.csv:2:3: expected a number; found "x"`},
		{`{matrix: A.csv, upper: 1}`, "1,1,0\n\n1,,0\n", `A.csv:3:3: expected a number; found ""`},
		{`{matrix: A.csv, upper: 1}`, "1,1," + strings.Repeat("x", 1<<20) + "\n", `A.csv:1:5: expected a number; found "` +
			strings.Repeat("x", 40) + `…"`},
		{`{matrix: A.csv, upper: 1}`, "1,1,inf\n", `A.csv:1:5: expected a number; found "inf"`},
		{`{matrix: [[1, 1, 0]], upper: A.csv}`, "1\n+.inf..-\n", `A.csv:2:1: expected a number; found "+.inf..-"`},
		{`{matrix: [[1, 1, 0]], upper: A.csv}`, "1\n+-inf\n", `A.csv:2:1: expected a number; found "+-inf"`},
		{`{matrix: [[1, 1, 0]], upper: A.csv}`, "-inf\n1\n", `A.csv:1:1: expected a number; found "-inf"`},
		{`{matrix: [[1, 1, 0]], upper: A.csv}`, "nan\n1\n", `A.csv:1:1: expected a number; found "nan"`},
		{`{matrix: [[1, 1, 0]], upper: A.csv}`, "1e400\n1\n", `A.csv:1:1: expected a number; found "1e400"`},
		{`{matrix: [[1, 1, 0]], upper: A.csv}`, "0x5\n1\n", `A.csv:1:1: expected a number; found "0x5"`},
		{`{matrix: A.csv, upper: .inf}`, "1,1,1\n", `.inf bounds nothing: leave it out`},
		{`{matrix: A.csv, upper: .nan}`, "1,1,1\n", `.nan is not a number`},
		{`{matrix: [[1, 1, 0]], lower: A.csv}`, "1\n-+inf\n", `A.csv:2:1: expected a number; found "-+inf"`},
		{`{matrix: A.csv, upper: 1}`, "\xff\xfe1\x00,\x00", `A.csv:1:1: the file is UTF-16 text: save it as UTF-8`},
		{`{matrix: A.csv, upper: 1}`, "1,1,0\n1,\x00,0\n", `A.csv:2:1: the file holds a zero byte`},
		{`{matrix: A.csv, upper: 1}`, "1,1,0\n1_0,1,0x1p1\n", `A.csv:2:1: expected a number; found "1_0"`},
		{`{matrix: A.csv, upper: 1}`, "1,1,0\n0,0,0\n", `A.csv:2:1: this row holds zeros alone: it constrains nothing`},
		{`{matrix: A.csv, upper: 1}`, "1,1,0\n1,1\n", `A.csv:2:1: expected 3 numbers in this row, one for each of x, y, z; found 2`},
		{`{matrix: A.csv, upper: 1}`, "x,y,z\n1,1,0\n",
			`A.csv:1:1: the first line is no row of numbers; write names: header if it names the columns`},
		{`{matrix: A.csv, upper: 1, names: header}`, "x,w\n1,1\n", `A.csv:1:1: unknown variable "w"`},
		{`{matrix: A.csv, upper: 1, names: header}`, "x,x\n1,1\n", `A.csv:1:1: the variable "x" is named twice`},
		{`{matrix: A.csv, upper: 1, names: header}`, "1,1,1\n",
			`A.csv:1:1: the first line holds numbers: it must name the columns, by names: header`},
		{`{matrix: A.csv, upper: 1, names: [x, w]}`, "1,1\n", `f.yaml:5:53: unknown variable "w"`},
		{`{matrix: A.csv, upper: [1, 2]}`, "1,1,1\n", `f.yaml:5:39: expected 1 numbers, one for each row of the matrix; found 2`},
		{`{matrix: A.csv, upper: 1, lower: 1}`, "1,1,1\n",
			`A.csv:1:1: the lower side of this row, 1, must be below the upper one, 1; an equation is written as text`},
		{`{matrix: A.csv}`, "1,1,1\n", `f.yaml:5:16: a matrix of constraints needs upper: b.csv of A x <= b, lower: of A x >= b, or both`},
		{`{matrix: B.csv, upper: 1}`, "", `B.csv cannot be read: no such file or directory`},
		{`{matrix: A.csv, upper: 1}`, "", `f.yaml:5:25: the matrix has no rows`},
		{`{upper: 1}`, "", `f.yaml:5:16: constraints must be inequalities such as "x > 1 + y", or a matrix of them`},
		{`{matrix: A.csv, upper: -1}`, "1,1,1\n-1,-1,-1\n", `"row 1 of the matrix <= -1" and "row 2 of the matrix <= -1" exclude each other`},
	} {
		_, _, err := withMatrix(t, c.constraints, map[string]string{"A.csv": c.a})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s with %q:\n%v, want\n%s", c.constraints, c.a, err, c.want)
		}
	}
}

// Five hundred rows in fifty variables, half of the coefficients zero.
func TestLargeMatrix(t *testing.T) {
	pace.Slow(t)
	rng := rand.New(rand.NewPCG(3, 4))
	var names, rows, u []string
	for j := range 50 {
		names = append(names, fmt.Sprintf("x%d", j))
		u = append(u, names[j]+"^2")
	}
	for range 500 {
		var row []string
		for range 50 {
			row = append(row, fmt.Sprintf("%.6g", rng.NormFloat64()*float64(rng.IntN(2))))
		}
		rows = append(rows, strings.Join(row, ","))
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "A.csv"), []byte(strings.Join(rows, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	run, err := Parse("sample", filepath.Join(dir, "f.yaml"), []byte("variables: ["+strings.Join(names, ", ")+"]\npotential: \""+
		strings.Join(u, " + ")+"\"\ndomain: {constraints: {matrix: A.csv, upper: 3}}\nsampler: {method: r2sgld, step_size: 0.001, iterations: "+
		"1000, burn_in: 100}"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if x := make([]float64, 50); !run.Problem.Domain.Contains(x) {
		t.Error("the origin is outside")
	}
}

func encode(t *testing.T, r Resolved) []byte {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
