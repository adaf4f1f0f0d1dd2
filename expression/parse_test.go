package expression

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/r2sgld/r2sgld/internal/pace"
)

func at(t *testing.T, src string, x ...float64) float64 {
	t.Helper()
	f, err := Compile(src, letters[:len(x)])
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	v := make([]float64, 1)
	f.Evaluator(1).Value(v, x)
	return v[0]
}

func TestPrecedence(t *testing.T) {
	for src, want := range map[string]float64{
		"1 + 2*3": 7, "1 - 2 - 3": -4, "8/4/2": 1, "8/4*2": 4, "1/2": 0.5, "7/2": 3.5,
		"2^3^2": 512, "2**3**2": 512, "-2^2": -4, "(-2)^2": 4, "2^-1": 0.5, "2^-2^2": 1.0 / 16, "2^-1*6": 3,
		"--2": 2, "-+2": -2, "2--2": 4, "2*-3": -6, "-2*3": -6, "-2 + 3": 1, "+2": 2, "2 - -3^2": 11,
		"1e-3": 0.001, "1.5E+2": 150, ".5": 0.5, "5.": 5, "2·3": 6, "2×3−1": 5, "1e-400": 0,
		"2*3^2": 18, "-3^2*2": -18, "(1 + 2)*3": 9, "((((4))))": 4, "cos(pi)": -1, "sin(π/2)": 1, "pow(2, 3)": 8,
		"min(3, 1, 2)": 1, "max(1)": 1, " \t\n1\r": 1, "4^0.5": 2, "log(exp(2))": 2, "2^0.5^2": math.Pow(2, 0.25),
	} {
		if got := at(t, src); got != want {
			t.Errorf("%s is %v, want %v", src, got, want)
		}
		if got := at(t, "x + ("+src+")", 0); got != want {
			t.Errorf("as a tape %s is %v, want %v", src, got, want)
		}
	}
	if got := at(t, "-x^2", 3); got != -9 {
		t.Errorf("-x^2 at 3 is %v", got)
	}
}

func TestNamesShadowAndSeparate(t *testing.T) {
	f, err := Compile("pi*min + max(min, α_1)", []string{"pi", "min", "α_1"})
	if err != nil {
		t.Fatal(err)
	}
	v := make([]float64, 1)
	f.Evaluator(1).Value(v, []float64{2, 3, 5})
	if v[0] != 11 {
		t.Errorf("got %v, want 11", v[0])
	}
	names, err := Names("H*(alpha - beta*L) + exp(H)*pi + in - alpha")
	if want := []string{"H", "alpha", "beta", "L", "in"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("names %v, %v; want %v", names, err, want)
	}
}

var malformed = []struct {
	src, at, message string // the fault is the last place of at
}{
	{"", "", "the formula is empty"},
	{"  ", "", "the formula is empty"},
	{"x +", "", "a number, a name or ( is missing at the end"},
	{"x + * y", "*", `a number, a name or ( is missing before "*"`},
	{"2 ** ** y", "**", `a number, a name or ( is missing before "**"`},
	{"(x + y", "(", "this ( is never closed"},
	{"exp(x", "(", "this ( is never closed"},
	{"x + y)", ")", "this ) closes nothing"},
	{"()", ")", `a number, a name or ( is missing before ")"`},
	{"exp(x,)", ")", `an argument is missing before ")"`},
	{"max(,x)", ",", `a number, a name or ( is missing before ","`},
	{"2x", "x", `an operator is missing before "x"; products are written with *`},
	{"x y", "y", `an operator is missing before "y"; products are written with *`},
	{"x (y)", "x", `"x" is not a function; a product is written x*(…)`},
	{"2(y)", "(", `an operator is missing before "("; products are written with *`},
	{"(x)(y)", "(", `an operator is missing before "("; products are written with *`},
	{"(x y)", "y", `) or an operator is missing before "y"; products are written with *`},
	{"1e", "e", `an operator is missing before "e"; products are written with *`},
	{"1.2.3", ".3", `an operator is missing before ".3"; products are written with *`},
	{"1,5", ",", "a comma has a meaning only between the arguments of a function; decimals have a point"},
	{"x.x*y", "x.x", `"x.x" is not defined; variables are x, y, sigma`},
	{"x. y", ".", `"." has no meaning in a formula; a name has letters, digits and _ only, and dots between them`},
	{"x + `x*y", "`", "this ` is never closed"},
	{"x + ` `", "` `", "a name is missing between the backquotes"},
	{"y + `x * z`", "`x * z`", `"x*z" is not defined; variables are x, y, sigma`},
	{"`sigma`(2)", "`sigma`", `"sigma" is not a function; a product is written sigma*(…)`},
	{"[x]", "[", `"[" has no meaning in a formula; use ( )`},
	{"x ? 1 : 2", "?", `"?" has no meaning in a formula; formulas have no conditions, but abs, min and max`},
	{"x && y", "&&", `"&&" has no meaning in a formula; give each condition as an entry of its own`},
	{`"x`, `"`, `"\"" has no meaning in a formula`},
	{"max(x; 0)", ";", `";" has no meaning in a formula; commas part the arguments of a function`},
	{"x % 2", "%", `"%" has no meaning in a formula`},
	{"x²", "²", `"²" has no meaning in a formula; write ^2 or ^3`},
	{"√x", "√", `"√" has no meaning in a formula; write sqrt( )`},
	{"x!", "!", `"!" has no meaning in a formula; formulas have no conditions, but abs, min and max`},
	{"x < 1", "<", `"<" is not allowed here: a comparison is no number`},
	{"x = 1", "=", `"=" is not allowed here: a comparison is no number`},
	{"x + \xff", "\xff", "this byte is not UTF-8 text"},
	{"1e999", "1e999", "the number 1e999 is too large"},
	{"x + rho", "rho", `"rho" is not defined; variables are x, y, sigma`},
	{"x + sgima", "sgima", `"sgima" is not defined; did you mean "sigma"?`},
	{"x + Pi", "Pi", `"Pi" is not defined; did you mean "pi"?`},
	{"e^x", "e", `"e" is not defined; Euler's number is exp(1); variables are x, y, sigma`},
	{"sin*x", "sin", `"sin" is not defined as a variable; the function is written sin(…)`},
	{"sqr(x)", "sqr", `"sqr" is not a function; did you mean "sqrt"?`},
	{"ln(x)", "ln", `"ln" is not a function; did you mean "log"?`},
	{"atan2(x)", "atan2", "atan2 takes 2 arguments, not 1"},
	{"exp()", "exp", "exp takes 1 argument, not 0"},
	{"min()", "min", "min takes at least 1 argument, not 0"},
	{strings.Repeat("(", 300), "", "the formula is nested more than 250 deep"},
	{strings.Repeat("-", 300) + "x", "", "the formula is nested more than 250 deep"},
	{"x" + strings.Repeat("^x", 300), "", "the formula is nested more than 250 deep"},
	{strings.Repeat("x+", 300_000) + "x", "", "more than 262144 operators follow each other: put parts of the formula in parentheses"},
	{"log(x | y)", "|", `"|" has no meaning in a formula; formulas have no conditions, but abs, min and max`},
	{"normal_lpdf(x | y | sigma)", "|", `"|" has no meaning in a formula; formulas have no conditions, but abs, min and max`},
	{"log_sumexp(x, y)", "log_sumexp", `"log_sumexp" is not a function; did you mean "logsumexp"?`},
	{"inv_logti(x)", "inv_logti", `"inv_logti" is not a function; did you mean "inv_logit"?`},
}

func checkError(t *testing.T, src string, err error, fault, message string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Errorf("%.40q: error %v, want %q", src, err, message)
		return
	}
	if e.Message != message {
		t.Errorf("%.40q: message\n %q, want\n %q", src, e.Message, message)
	}
	switch place := strings.LastIndex(src, fault); {
	case len(src) > 100:
	case fault == "" && (e.Offset != len(src) || e.Length != 0) && strings.TrimSpace(src) != "":
		t.Errorf("%q: place %d+%d, want the end", src, e.Offset, e.Length)
	case fault != "" && (e.Offset != place || e.Length != len(fault)):
		t.Errorf("%q: place %d+%d, want %d+%d", src, e.Offset, e.Length, place, len(fault))
	}
}

func TestMalformedFormulas(t *testing.T) {
	for _, c := range malformed {
		_, err := Compile(c.src, []string{"x", "y", "sigma"})
		checkError(t, c.src, err, c.at, c.message)
	}
	_, err := Compile("rho + foo(y) + z", []string{"x"})
	var all Errors
	if !errors.As(err, &all) || len(all) != 4 {
		t.Errorf("want four errors at once, got %v", err)
	}
	_, err = Compile("rho", nil)
	checkError(t, "rho", err, "rho", `"rho" is not defined; there are no variables here`)
	_, err = Compile("rho", []string{"x"})
	checkError(t, "rho", err, "rho", `"rho" is not defined; the variable is x`)
}

// The longest formulas compile in well under a second each and exhaust no
// stack; exponents beyond maxPower are not multiplied out.
func TestLongFormulas(t *testing.T) {
	pace.Slow(t)
	for _, src := range []string{
		strings.Repeat("x+", 8000) + "y", strings.Repeat("y*", 8000) + "x", strings.Repeat("x^2-", 4000) + "1",
		strings.Repeat("2*(x+", 80) + "y" + strings.Repeat(")", 80), strings.Repeat("y/", 8000) + "x",
		"max(x" + strings.Repeat(",y", 8000) + ")", "x^16^5", strings.Repeat("sin(", 100) + "x" + strings.Repeat(")", 100),
	} {
		f, err := Compile(src, letters)
		if err != nil {
			t.Errorf("%.20s…: %v", src, err)
			continue
		}
		f.Linear()
		if s := f.String(); len(s) == 0 || len(f.LaTeX()) == 0 {
			t.Errorf("%.20s… prints as nothing", src)
		}
	}
}

func TestArguments(t *testing.T) {
	for src, want := range map[string][]string{
		"": {""}, "a, b": {"a", " b"}, "a,f(b, (c, d)),": {"a", "f(b, (c, d))", ""}, "x.x*y=1,µ(t,u)=2": {"x.x*y=1", "µ(t,u)=2"},
	} {
		if got := Arguments(src); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", src, got, want)
		}
	}
}

func FuzzCompile(f *testing.F) {
	for _, c := range malformed {
		if len(c.src) < 100 {
			f.Add(c.src)
		}
	}
	f.Add("((x^2 + y^2)/10 - (cos(2*pi*x) + cos(2*pi*y)))/0.5")
	f.Add("normal_lpdf(x, y, 1 + z^2) - logsumexp(x, y)·3^-x**2")
	f.Fuzz(func(t *testing.T, src string) {
		fn, err := Compile(src, letters)
		if err != nil {
			checkPlaces(t, src, err)
			return
		}
		x := []float64{0.3, -1.7, 2.9}
		v, w, g := make([]float64, 1), make([]float64, 1), make([]float64, 3)
		e := fn.Evaluator(1)
		e.Value(v, x)
		e.Gradient(w, g, x)
		if !same(v[0], w[0]) {
			t.Errorf("%q: Value %v, Gradient's value %v", src, v[0], w[0])
		}
		again, err := Compile(fn.String(), letters)
		if err != nil {
			t.Fatalf("%q printed as %q: %v", src, fn, err)
		}
		if again.Evaluator(1).Value(w, x); !same(v[0], w[0]) {
			t.Errorf("%q printed as %q", src, fn)
		}
		if a, b, ok := fn.Linear(); ok {
			l := b + a[0]*x[0] + a[1]*x[1] + a[2]*x[2]
			size := math.Abs(b) + math.Abs(a[0]) + math.Abs(a[1]) + math.Abs(a[2])
			if size < 1e6 && math.Abs(v[0]) < 1e6 && math.Abs(l-v[0]) > 1e-3 && !strings.ContainsAny(src, "eE0") && len(src) < 60 {
				t.Errorf("%q: linear %v %v is %v, want %v", src, a, b, l, v[0])
			}
		}
		if !utf8.ValidString(fn.LaTeX()) {
			t.Errorf("%q: bad LaTeX", src)
		}
	})
}

func checkPlaces(t *testing.T, src string, err error) {
	var all Errors
	if !errors.As(err, &all) {
		t.Fatalf("%q: an error of another type: %v", src, err)
	}
	for _, e := range all {
		if e.Offset < 0 || e.Length < 0 || e.Offset+e.Length > len(src) || e.Message == "" {
			t.Errorf("%q: error %+v", src, e)
		}
	}
}

func FuzzParseConstraints(f *testing.F) {
	for _, c := range wrongConstraints {
		f.Add(c.src)
	}
	f.Add("0 < x <= 1 - y")
	f.Add("x^2 + y^2 ≤ 4")
	f.Fuzz(func(t *testing.T, src string) {
		cs, err := ParseConstraints(src, letters)
		if err != nil {
			checkPlaces(t, src, err)
			return
		}
		for _, c := range cs {
			if c.Linear() == (c.A == nil) || c.Linear() && !anyNonzero(c.A) {
				t.Errorf("%q: %+v", src, c)
			}
			again, err := ParseConstraints(c.Text, letters)
			if err != nil || len(again) != 1 || again[0].Text != c.Text || again[0].B != c.B || !slices.Equal(again[0].A, c.A) {
				t.Errorf("%q read again: %v %+v", c.Text, err, again)
			}
		}
	})
}

// A likelihood over 10,000 rows written out compiles, and so does the deepest
// tree that is allowed; kills work that grows with the square of the length.
func TestFormulaOfManyRows(t *testing.T) {
	pace.Slow(t)
	var b strings.Builder
	want := 0.0
	for i := range 10_000 {
		y, x := float64(i%17)/4, float64(i%29)/8
		fmt.Fprintf(&b, " - normal_lpdf(%g | x + y*%g, exp(z))", y, x)
		d := y - (0.5 + 0.25*x)
		want += d*d/2 + math.Log(2*math.Pi)/2
	}
	f, err := Compile(b.String(), letters)
	if err != nil {
		t.Fatal(err)
	}
	v, g := make([]float64, 1), make([]float64, 3)
	f.Evaluator(1).Gradient(v, g, []float64{0.5, 0.25, 0})
	if math.Abs(v[0]-want) > 1e-9*want {
		t.Errorf("energy %v, want %v", v[0], want)
	}
	deep, err := Compile(strings.Repeat("x+", maxHeight)+"y", letters)
	if err != nil {
		t.Fatal(err)
	}
	if a, _, ok := deep.Linear(); !ok || a[0] != maxHeight {
		t.Errorf("linear: %v, %v", a, ok)
	}
	if len(deep.String()) < maxHeight || len(deep.LaTeX()) < maxHeight {
		t.Error("the longest sum prints as less")
	}
}
