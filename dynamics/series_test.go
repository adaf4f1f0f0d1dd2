package dynamics

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var lynxColumns = Columns{Time: "year", States: []Named{{"H", "hare"}, {"L", "lynx"}}}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func lynxHare() *Series { return must(ReadSeries("../data/lynx_hare.csv", lynxColumns)) }

func TestReadSeries(t *testing.T) {
	s := lynxHare()
	if s.rows() != 21 || s.Time[0] != 1900 || s.Values["L"][20] != 8.6 || s.Values["H"][1] != 47.2 || s.Line.At(20) != 22 {
		t.Errorf("read %+v", s)
	}
	text := string(must(os.ReadFile("../data/lynx_hare.csv")))
	for name, spoilt := range map[string]string{
		"BOM":    "\ufeff" + text,
		"CRLF":   strings.ReplaceAll(text, "\n", "\r\n"),
		"blanks": strings.ReplaceAll(text, ",", " , ") + "\n  \n",
		"CR":     strings.ReplaceAll(text, "\n", "\r"),
		"quotes": strings.ReplaceAll(text, "hare", `"hare"`),
	} {
		u, err := DecodeSeries(strings.NewReader(spoilt), name, lynxColumns)
		if err != nil || u.rows() != 21 || u.Values["H"][20] != 24.7 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What is not to be differentiated may be as short as one row.
func TestShortSeries(t *testing.T) {
	c := lynxColumns
	c.Least = 1
	s, err := DecodeSeries(strings.NewReader("year,hare,lynx\n1900,1,2\n"), "f.csv", c)
	if err != nil || s.rows() != 1 || s.Values["L"][0] != 2 {
		t.Errorf("%+v, %v", s, err)
	}
	for text, want := range map[string]string{
		"year,hare,lynx\n":          "f.csv: 0 rows of data: at least 1 is needed",
		"year,hare,lynx\n1900,,2\n": `f.csv: 0 values of state "H" in column "hare": at least 1 is needed`,
	} {
		if _, err := DecodeSeries(strings.NewReader(text), "f.csv", c); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// Where no column is asked for, none is made up.
func TestHeaderOfNumbers(t *testing.T) {
	const want = "f.csv:1:1: the first line holds numbers: it must name the columns"
	if _, err := Header(strings.NewReader("1,2\n3,4\n"), "f.csv"); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestBadSeries(t *testing.T) {
	const head = "year,hare,lynx\n"
	const good = "1900,1,2\n1901,2,3\n1902,3,4\n"
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "f.csv: the file is empty"},
		{"only a BOM", "\ufeff", "f.csv: the file is empty"},
		{"no rows", head, "f.csv: 0 rows of data: at least 3 are needed"},
		{"one row", head + "1,1,1\n", "f.csv: 1 row of data: at least 3 are needed"},
		{"two rows", head + "1,1,1\n2,2,2\n", "f.csv: 2 rows of data: at least 3 are needed"},
		{"no header", good, `f.csv:1:1: the first line holds numbers: it must name the columns, for instance "year,hare,lynx"`},
		{"missing column", "year,har,lynx\n" + good,
			`f.csv:1:1: no column "hare" for state "H"; did you mean "har"? (columns: "year", "har", "lynx")`},
		{"many columns", "year,lynx," + strings.Repeat("x", 1<<20) + strings.Repeat(",z", 30) + "\n" + good,
			`f.csv:1:1: no column "hare" for state "H" (columns: "year", "lynx", "` + strings.Repeat("x", 40) + `…"` + strings.Repeat(`, "z"`, 17) +
				", and 13 more)"},
		{"missing time", "x,hare,lynx\n" + good, `f.csv:1:1: no column "year" for the time (columns: "x", "hare", "lynx")`},
		{"column twice", "year,hare,hare,lynx\n1,1,1,1\n", `f.csv:1:11: column "hare" comes twice`},
		{"semicolons", "year;hare;lynx\n1;2;3\n", "f.csv:1:1: the columns are not separated by commas: save the file as comma-separated values"},
		{"UTF-16", "\xff\xfey\x00", "f.csv:1:1: the file is UTF-16 text: save it as UTF-8"},
		{"ragged", head + good + "1903,4\n", "f.csv:5:1: 2 cells in this row, 3 in the header"},
		{"no time", head + good + ",4,4\n", `f.csv:5:1: an empty cell in column "year": remove the row or fill the value in`},
		{"time NaN", head + good + "nan,4,4\n", `f.csv:5:1: "nan" in column "year": not a finite number: remove the row or fill the value in`},
		{"few values", head + "1900,1,2\n1901,,3\n1902,3,4\n1903,NA,4\n", `f.csv: 2 values of state "H" in column "hare": at least 3 are needed`},
		{"Inf", head + good + "1903,-Inf,4\n", `f.csv:5:6: "-Inf" in column "hare": not a finite number: remove the row or fill the value in`},
		{"word", head + good + "1903,many,4\n", `f.csv:5:6: "many" in column "hare": not a number`},
		{"huge", head + good + "1903,1e400,4\n",
			`f.csv:5:6: "1e400" in column "hare": too large to compute with (at most 1e+150): change the unit`},
		{"large", head + good + "1903,1e200,4\n",
			`f.csv:5:6: "1e200" in column "hare": too large to compute with (at most 1e+150): change the unit`},
		{"duplicate time", head + good + "1901,4,5\n", "f.csv:5:1: year 1901 comes twice, first in line 3: keep one row for each time"},
		{"unsorted", head + good + "1899,4,5\n", "f.csv:5:1: year 1899 comes after 1902: sort the rows by time"},
		{"too close", head + good + "1902.0000000000002,4,5\n", "f.csv:5:1: year 1902 and 1902.0000000000002 are too close together to tell a " +
			"slope"},
		{"quote", head + "1900,\"1,2\n", `f.csv:2:11: extraneous or missing " in quoted-field`},
		{"open quote", head + "1900,\"1,2\n1901,2,3\n1902,3,4\n",
			`f.csv:2:1: a quotation mark that is opened in this row is not closed, or has letters behind it in line 4`},
		{"words", "year,hare,lynx\n1900,many,2\n1901,NA,3\n1902,few,a\n1903,few,5\n", `f.csv:2:6: "many" in column "hare": not a number, ` +
			`nor is one in any of 2 other rows` + "\n" + `f.csv:4:10: "a" in column "lynx": not a number`},
		{"grouped", head + good + "1903,2_000,4\n", `f.csv:5:6: "2_000" in column "hare": not a number`},
		{"hexadecimal", head + good + "1903,0x1p1,0X10\n", `f.csv:5:6: "0x1p1" in column "hare": not a number` + "\n" +
			`f.csv:5:12: "0X10" in column "lynx": not a number`},
		{"infinity", head + good + "1903,infinity,+inf\n",
			`f.csv:5:6: "infinity" in column "hare": not a finite number: remove the row or fill the value in` + "\n" +
				`f.csv:5:15: "+inf" in column "lynx": not a finite number: remove the row or fill the value in`},
		{"NaN", head + good + "1903,NaN,4\n", `f.csv:5:6: "NaN" in column "hare": not a number: leave the cell empty, or write NA, where a value is missing`},
		{"dash", head + good + "1903,-,4\n", `f.csv:5:6: "-" in column "hare": not a number: leave the cell empty, or write NA, where a value is missing`},
		{"zero bytes", head + good + "1903,\x00,4\n", "f.csv:5: the file holds a zero byte, so that it is no UTF-8 text: save it as " +
			"comma-separated values in UTF-8"},
		{"UTF-16 without a mark", "y\x00e\x00", "f.csv:1: the file holds a zero byte, so that it is no UTF-8 text: save it as comma-separated " +
			"values in UTF-8"},
		{"CR", "year,hare,lynx\r1900,many,2\r", `f.csv:2:6: "many" in column "hare": not a number`},
		{"unsorted twice", head + "1900,1,2\n1902,2,3\n1901,3,4\n1902,4,5\n", "f.csv:4:1: year 1901 comes after 1902: sort the rows by time\n" +
			"f.csv:5:1: year 1902 comes twice, first in line 3: keep one row for each time"},
		{"all at once", head + "1900,a,2\n1901,2,b\n1902,3\n",
			`f.csv:2:6: "a" in column "hare": not a number` + "\n" +
				`f.csv:3:8: "b" in column "lynx": not a number` + "\n" +
				`f.csv:4:1: 2 cells in this row, 3 in the header`},
		{"two columns", "year\n" + good, `f.csv:1:1: no column "hare" for state "H" (columns: "year")` + "\n" +
			`f.csv:1:1: no column "lynx" for state "L" (columns: "year")`},
		{"very many", head + "1899,1,2\n" + strings.Repeat("1,x,1\n", 50), "f.csv: and 30 more"},
	} {
		s, err := DecodeSeries(strings.NewReader(c.text), "f.csv", lynxColumns)
		if err == nil || s != nil {
			t.Errorf("%s: no error", c.name)
			continue
		}
		if got := err.Error(); got != c.want && (c.name != "very many" || !strings.HasSuffix(got, c.want)) {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
		var e *DataError
		if !errors.As(err, &e) || e.File != "f.csv" {
			t.Errorf("%s: not a DataError", c.name)
		}
	}
	for _, path := range []string{filepath.Join(t.TempDir(), "none.csv"), t.TempDir(), "/dev/zero"} {
		if _, err := ReadSeries(path, lynxColumns); err == nil || !strings.HasPrefix(err.Error(), path+": cannot be read: ") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func FuzzDecodeSeries(f *testing.F) {
	f.Add("year,hare,lynx\n1900,1,2\n1901,2,3\n1902,3,4\n")
	f.Add("\ufeffyear,hare,lynx\r\n1900,1,2\r\n")
	f.Add("year,\"ha\nre\",lynx\n1,,\n")
	f.Add("1;2;3\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := DecodeSeries(strings.NewReader(text), "f.csv", lynxColumns)
		if (s == nil) == (err == nil) {
			t.Fatalf("series %v, error %v", s, err)
		}
		if err != nil {
			return
		}
		for i := range s.Time {
			if i > 0 && !(s.Time[i] > s.Time[i-1]) {
				t.Fatal("times do not increase")
			}
			if math.IsNaN(s.Time[i]) || math.IsInf(s.Time[i]+s.Values["H"][i]+s.Values["L"][i], 0) {
				t.Fatal("a value is not finite")
			}
		}
		for _, d := range []Derivative{{}, {Kind: "savgol", Window: 3, Order: 1}, {Kind: "spline"}, {Kind: "column"}} {
			if _, err := s.slopes(d, s.States, false); err != nil && d.Kind == "" {
				t.Fatal(err)
			}
		}
	})
}

// polynomial returns a series of one state x = Σ c_k t^k on uneven times.
func polynomial(c []float64, times []float64) *Series {
	s := &Series{File: "f.csv", Time: times, States: []string{"x"}, Values: map[string][]float64{}, Line: RunsOf(make([]int, len(times))...)}
	for _, t := range times {
		v := 0.0
		for k := len(c) - 1; k >= 0; k-- {
			v = v*t + c[k]
		}
		s.Values["x"] = append(s.Values["x"], v)
	}
	return s
}

// Savitzky–Golay of order k is exact for polynomials of degree k on any times;
// 1e-9 kills the window taken off its centre, a wrong unit of time and weights
// that assume even times.
func TestSavgolIsExactForPolynomials(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		order := rapid.IntRange(1, 4).Draw(rt, "order")
		half := rapid.IntRange(order/2+1, 4).Draw(rt, "half")
		c := rapid.SliceOfN(rapid.Float64Range(-2, 2), order+1, order+1).Draw(rt, "c")
		gaps := rapid.SliceOfN(rapid.Float64Range(0.1, 0.4), 12, 12).Draw(rt, "gaps")
		times, at := []float64{}, -1.0
		for _, g := range gaps {
			at += g
			times = append(times, at)
		}
		d, err := polynomial(c, times).slopes(Derivative{Kind: "savgol", Window: 2*half + 1, Order: order}, []string{"x"}, false)
		if err != nil {
			rt.Fatal(err)
		}
		if len(d.Row) != 12-2*half || d.Row[0] != half {
			rt.Fatalf("rows %v", d.Row)
		}
		for i, row := range d.Row {
			want := 0.0
			for k := order; k >= 1; k-- {
				want = want*times[row] + float64(k)*c[k]
			}
			if math.Abs(d.Value[0][i]-want) > 1e-9*(1+math.Abs(want)) {
				rt.Fatalf("slope %v, want %v", d.Value[0][i], want)
			}
		}
	})
}

func TestSlopes(t *testing.T) {
	s := lynxHare()
	d := must(s.slopes(Derivative{}, []string{"L", "H"}, false))
	if len(d.Row) != 19 || d.Row[0] != 1 || math.Abs(d.Value[1][0]-20.1) > 1e-12 || math.Abs(d.Value[0][0]-2.9) > 1e-12 {
		t.Errorf("central: %v", d)
	}
	// A straight line over three even rows is the central difference; a
	// parabola too.
	for order := 1; order <= 2; order++ {
		g := must(s.slopes(Derivative{Kind: "savgol", Window: 3, Order: order}, []string{"L", "H"}, true))
		c := must(s.slopes(Derivative{Kind: "central"}, []string{"L", "H"}, true))
		for i := range c.Row {
			if math.Abs(g.Value[0][i]-c.Value[0][i]) > 1e-13 {
				t.Errorf("order %d row %d: %v, central %v", order, i, g.Value[0][i], c.Value[0][i])
			}
		}
	}
	p := polynomial([]float64{1, 2}, []float64{0, 1, 3, 7})
	if c := must(p.slopes(Derivative{}, []string{"x"}, false)); c.Value[0][0] != 2 || c.Value[0][1] != 2 {
		t.Errorf("line on uneven times: %v", c.Value)
	}
	p.Given = map[string][]float64{"x": {2, 6, 14, 30}}
	if c := must(p.slopes(Derivative{Kind: "column"}, []string{"x"}, true)); len(c.Row) != 4 || c.Value[0][1] != 2 {
		t.Errorf("given, of the logarithm: %v", c.Value)
	}
}

func TestBadDerivatives(t *testing.T) {
	s := lynxHare()
	for _, c := range []struct {
		d    Derivative
		want string
	}{
		{Derivative{Kind: "centrl"}, `model.derivative: unknown derivative "centrl"; did you mean "central"? (known: "central", "savgol", "spline", "column")`},
		{Derivative{Kind: "savgol", Window: 4, Order: 2}, "model.derivative.savgol: the window 4 must be odd and at least 3"},
		{Derivative{Kind: "savgol", Window: 5, Order: 5}, "model.derivative.savgol: the order 5 must be at least 1 and less than the window 5"},
		{Derivative{Kind: "savgol", Window: 21, Order: 2}, "model.derivative.savgol: the window of 21 rows leaves fewer than three of the 21 " +
			"rows of ../data/lynx_hare.csv"},
		{Derivative{Kind: "column"}, `data.derivatives: derivative: column needs the column with the derivative of "H": add data.derivatives: {H: …}`},
	} {
		if _, err := s.slopes(c.d, s.States, false); err == nil || err.Error() != c.want {
			t.Errorf("%+v:\n got %v\nwant %s", c.d, err, c.want)
		}
	}
	s.Values["H"][3] = 0
	if _, err := s.slopes(Derivative{}, s.States, true); err == nil ||
		err.Error() != "../data/lynx_hare.csv:5: H = 0: the likelihood log-derivative needs positive data; use derivative" {
		t.Errorf("not positive: %v", err)
	}
}

// Columns of a file that can be looked at beforehand have room for its rows from the first on, and are
// what they are where it cannot; the room is never more than the cells that the file may have.
//
// Mutants: columns that grow.
func TestColumnsAreAllocatedOnce(t *testing.T) {
	var text strings.Builder
	text.WriteString("x,g,y\n")
	for i := range 5000 {
		fmt.Fprintf(&text, "%d,%c,%d\n", i, 'a'+i%3, -i)
	}
	c := Columns{States: []Named{{"x", "x"}, {"y", "y"}}, Categories: []string{"g"}, Untimed: true}
	once := must(DecodeSeries(strings.NewReader(text.String()), "f.csv", c))
	grown := must(DecodeSeries(struct{ io.Reader }{strings.NewReader(text.String())}, "f.csv", c))
	if !reflect.DeepEqual(once, grown) {
		t.Error("columns depend on what reads them")
	}
	for name, column := range once.Values {
		if len(column) != 5000 || cap(column) > 5002 || once.Time != nil {
			t.Errorf("%d values of %s have room for %d", len(column), name, cap(column))
		}
	}
	if of := once.Levels["g"].Of; len(of) != 5000 || cap(of) > 5002 {
		t.Errorf("%d categories have room for %d", len(of), cap(of))
	}
	if lines, cells := extents(strings.NewReader("a,b\n" + strings.Repeat("\n", 99))); lines != 101 || cells != 104 {
		t.Errorf("%d lines and %d cells at most", lines, cells)
	}
}

// A Parquet file of another program is read as the text that it stands for: numbers, gaps and categories.
func TestParquetSeries(t *testing.T) {
	file := "../internal/parquet/testdata/types-snappy.parquet"
	f := must(os.Open(file))
	defer f.Close()
	if header := must(Header(f, file)); !slices.Equal(header[:3], []string{"id", "small", "x"}) || header[len(header)-1] != "last" {
		t.Errorf("columns %q", header)
	}
	s := must(ReadSeries(file, Columns{Least: 1, Categories: []string{"site"},
		States: []Named{{"id", "id"}, {"single", "single"}}}))
	nan := math.NaN()
	for name, want := range map[string][]float64{"id": {1, 2, 3, nan}, "single": {0.1, 1.5, nan, 3}} {
		for i, v := range s.Values[name] {
			if v != want[i] && !(v != v && want[i] != want[i]) {
				t.Errorf("row %d of %s: %g, want %g", i+1, name, v, want[i])
			}
		}
	}
	if l := s.Levels["site"]; !slices.Equal(l.Of, []int{0, 1, -1, 2}) || !slices.Contains(l.Names, "B, the second") {
		t.Errorf("categories %+v", l)
	}
}
