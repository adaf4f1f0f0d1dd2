package dynamics

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// gaps is a file with missing values of both states, in every spelling.
const gaps = "year,hare,lynx\n1900,1,9\n1901,2,8\n1903,,7\n1904,5,NA\n1905,6,6\n1906,na,5\n1907,N/A,4\n1909,9,3\n1910,8, null " +
	"\n1911,7,2\n1912,6,1\n"

// Missing values are told, have no derivative, and are stepped over: the chord of
// the neighbours that exist, with their gap, and rows of an equation are those
// where all states it needs have values. Kills a gap of one row too few, values
// read as 0, and rows dropped for a state that the equation does not need.
func TestMissingValues(t *testing.T) {
	s := must(DecodeSeries(strings.NewReader(gaps), "f.csv", lynxColumns))
	m := &Model{States: []string{"H", "L"}, Equations: []Equation{{"H", "a*H + b*L"}, {"L", "c*L"}}, Noise: Noise{Kind: "paper"}}
	p := must(Build(m, s))
	h, l := p.Responses[0], p.Responses[1]
	if want := []float64{1901, 1905, 1909, 1911}; !cmp.Equal(h.Time, want) {
		t.Errorf("times of H %v, want %v", h.Time, want)
	}
	want := []float64{(5. - 1) / 4, (9. - 5) / 5, (8. - 6) / 5, (6. - 8) / 2}
	for k, v := range want {
		near(t, "derivative of H", h.Observed[k], v, 1e-12)
	}
	if want := []float64{1901, 1903, 1905, 1906, 1907, 1909, 1911}; !cmp.Equal(l.Time, want) || !cmp.Equal(p.Time, want) {
		t.Errorf("times of L %v, of all %v, want %v", l.Time, p.Time, want)
	}
	near(t, "derivative of L", l.Observed[1], (6.-8)/4, 1e-12)
	told := "3 of 11 values of H are missing (lines 4, 7, 8); 2 of 11 values of L are missing (lines 5, 10): " +
		"rows without a value have no derivative there, and gaps widen its differences."
	if len(p.Warnings) != 1 || p.Warnings[0] != told {
		t.Errorf("%q", p.Warnings)
	}
	// The energy has 4 + 7 rows, each column by itself.
	x := []float64{0.3, 0.1, -0.2}
	near(t, "energy", energyOf(p.Whole, x), p.Fit(0, x).RSS/8+p.Fit(1, x).RSS/14, 1e-12)
	if p.Data() != 11 || p.Fit(0, x).Rows != 4 {
		t.Errorf("%d data", p.Data())
	}
	_, general := p.nonlinear(t)
	near(t, "energy of the nonlinear path", energyOf(general, x), energyOf(p.Whole, x), 1e-12)
	m.Noise = Noise{}
	p = must(Build(m, s))
	_, general = p.nonlinear(t)
	near(t, "weighted energy of the nonlinear path", energyOf(general, x), energyOf(p.Whole, x), 1e-9)
	terms := make([]float64, p.Data())
	p.Likelihood.LogDensity(nil)(terms, x)
	near(t, "log likelihood", sum(terms), p.Likelihood.LogConstant()-energyOf(p.Whole, x), 1e-12)
}

func TestManyMissingValues(t *testing.T) {
	text := "year,hare,lynx\n"
	for k := range 40 {
		cell := "1"
		if k%2 == 0 && k > 1 {
			cell = ""
		}
		text += fmt.Sprintf("%d,%s,%d\n", k, cell, k)
	}
	s := must(DecodeSeries(strings.NewReader(text), "f.csv", lynxColumns))
	if got := s.missing("H"); got != "19 of 40 values of H are missing (lines 4, 6, 8, 10, 12, 14, 16, 18, …)" || s.missing("L") != "" {
		t.Error(got)
	}
	for row := range s.Time { // L only where H is not
		if !math.IsNaN(s.Values["H"][row]) {
			s.Values["L"][row] = math.NaN()
		}
	}
	m := &Model{States: s.States, Equations: []Equation{{"H", "a*L"}}}
	if _, err := Build(m, s); err == nil || err.Error() != `f.csv: no row has a derivative of "H" and values of "L": too many values are missing` {
		t.Errorf("%v", err)
	}
	m.Likelihood, s.Values["L"] = "weak", nans(40)
	const none = `model.weak.width: the equation of "H" has 1 parameter, and among the 40 rows of f.csv, gaps aside, is room for ` +
		"no test function of 13 rows: take a smaller width"
	if _, err := Build(m, s); err == nil || err.Error() != none {
		t.Errorf("%v", err)
	}
}

// In a file of one column a blank line is an empty cell, up to the last line that is not
// blank; beside others it is left out. Quotation marks are not blank.
func TestBlankLines(t *testing.T) {
	c := Columns{States: []Named{{"x", "x"}}}
	for _, f := range []struct{ text, lines, values string }{
		{"x\n1\n\n\n4\n5\n", "[2 3 4 5 6]", "[1 NaN NaN 4 5]"},
		{"x\r\n1\r\n\r\n3\r\n4\r\n\r\n", "[2 3 4 5]", "[1 NaN 3 4]"},
		{"x\r1\r\r3\r4\r\r", "[2 3 4 5]", "[1 NaN 3 4]"},
		{"\ufeffx\n\n2\n \t\n4\n5\n  \n\n \n", "[2 3 4 5 6]", "[NaN 2 NaN 4 5]"},
		{"x\n1\n\"\"\n3\n\" \"\n5", "[2 3 4 5 6]", "[1 NaN 3 NaN 5]"},
		{"x\n1\n2\n3\n\"\"\n\n\" \"\n\n", "[2 3 4 5 6 7]", "[1 2 3 NaN NaN NaN]"},
		{"x\n1\n2\n3\n\"\"", "[2 3 4 5]", "[1 2 3 NaN]"},
		{"\"x\"\n1\n\"2\n\"\n\n\"\n\"\n\n8\n", "[2 3 5 6 8 9]", "[1 2 NaN NaN NaN 8]"},
		{"x,y\n1,1\n\n \n2,2\n3,3\n", "[2 5 6]", "[1 2 3]"},
		{"x\n1\n2\n" + strings.Repeat("\n", 10_000) + "10003\n" + strings.Repeat(" \n", 10_000), "", ""}, // more than is read at once
	} {
		s, err := DecodeSeries(strings.NewReader(f.text), "f.csv", c)
		if err != nil {
			t.Errorf("%.40q: %v", f.text, err)
			continue
		}
		if f.lines == "" {
			if n := s.rows(); n != 10_003 || s.Line.At(n-1) != n+1 || s.Values["x"][n-1] != float64(n) {
				t.Errorf("%d rows", n)
			}
			continue
		}
		if lines, values := fmt.Sprint(s.Line.Numbers()), fmt.Sprint(s.Values["x"]); lines != f.lines || values != f.values {
			t.Errorf("%q: lines %s, values %s, want %s, %s", f.text, lines, values, f.lines, f.values)
		}
	}
	s := must(DecodeSeries(strings.NewReader("g\nb\n\na\n\n"), "f.csv", Columns{Least: 1, Categories: []string{"g"}}))
	if got := fmt.Sprint(s.Levels["g"]); got != "{[a b] [1 -1 0]}" {
		t.Errorf("categories %s", got)
	}
	// what may not be missing is told at its line
	_, err := DecodeSeries(strings.NewReader("x\n1\n\n3\n"), "f.csv", Columns{Time: "x"})
	if want := `f.csv:3:1: an empty cell in column "x": remove the row or fill the value in`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// A gap in a file of one column keeps the values behind it in their rows. Kills what draws
// them together: x = t² then has other slopes.
func TestBlankLineKeepsTime(t *testing.T) {
	s := must(DecodeSeries(strings.NewReader("x\n0\n1\n\n\n16\n25\n36\n"), "f.csv", Columns{States: []Named{{"x", "x"}}}))
	p := must(Build(&Model{States: []string{"x"}, Equations: []Equation{{"x", "a*x"}}}, s))
	if want := []float64{1, 4, 5}; !cmp.Equal(p.Responses[0].Time, want) {
		t.Errorf("times %v, want %v", p.Responses[0].Time, want)
	}
	near(t, "slope over the gap", p.Responses[0].Observed[0], 16./4, 1e-12)
	if len(p.Warnings) == 0 || !strings.Contains(p.Warnings[0], "2 of 7 values of x are missing (lines 4, 5)") {
		t.Errorf("%q", p.Warnings)
	}
}

// Categories that are one number in two spellings, as where a program wrote some of them with a
// point, would be two groups.
func TestCategoriesAreWrittenAlike(t *testing.T) {
	const want = `f.csv:4:3: "1.0" in column "g" is the number that "1" is, and each would be a category of its own: write them alike`
	c := Columns{Least: 1, Categories: []string{"g"}}
	_, err := DecodeSeries(strings.NewReader("n,g\n1,1\n2,b\n3,1.0\n4,1.0\n5,2\n"), "f.csv", c)
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// Categories name parameters, in UTF-8: those of another encoding would look alike.
func TestCategoriesAreUTF8(t *testing.T) {
	const want = `f.csv:3:3: "Andr\xe8" in column "g" is no UTF-8 text: save the file as UTF-8`
	c := Columns{Least: 1, Categories: []string{"g"}}
	_, err := DecodeSeries(strings.NewReader("n,g\n1,André\n2,Andr\xe8\n"), "f.csv", c)
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
