package expression

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Names of all kinds in one formula, printed and read again. It kills a dot
// taken for a number's and a quoted name cut at its signs.
func TestNamesWithDotsAndQuotes(t *testing.T) {
	names := []string{"x", "x.x", "x.1", "x.x*y", "H.initial", "a.b.2c", "x.x^2", "2"}
	src := "x.x - 2*x.1*.5 + `x.x * y`^2 - `H.initial`*(a.b.2c) + 1.5*x - `x.x^2` + `2`*2."
	f, err := Compile(src, names)
	if err != nil {
		t.Fatal(err)
	}
	want := "x.x - 2*x.1*0.5 + `x.x*y`^2 - H.initial*a.b.2c + 1.5*x - `x.x^2` + `2`*2"
	if f.String() != want {
		t.Errorf("printed\n %s, want\n %s", f, want)
	}
	var v [1]float64
	x := []float64{1, 2, 3, 5, 7, 11, 13, 17}
	f.Evaluator(1).Value(v[:], x)
	if w := 2 - 3 + 25 - 77 + 1.5 - 13 + 34.0; v[0] != w {
		t.Errorf("%v, want %v", v[0], w)
	}
	used, err := Names(src)
	if want := []string{"x.x", "x.1", "x.x*y", "H.initial", "a.b.2c", "x", "x.x^2", "2"}; err != nil || !cmp.Equal(used, want) {
		t.Errorf("names %v, %v", used, err)
	}
	used, err = ConstraintNames("0 < `x.x*y` <= x.x + exp(pi)")
	if want := []string{"x.x*y", "x.x"}; err != nil || !cmp.Equal(used, want) {
		t.Errorf("names %v, %v", used, err)
	}
}

func TestConstraintsAmongQuotedNames(t *testing.T) {
	names := []string{"x.x*y", "x.x", "z.z", "y.x"}
	for src, want := range map[string]Constraint{
		"`x.x*y` > 1 - z.z":      {Text: "`x.x*y` > 1 - z.z", A: []float64{-1, 0, -1, 0}, B: -1},
		"`x.x` <= `y.x` ":        {Text: "`x.x` <= `y.x`", A: []float64{0, 1, 0, -1}, B: 0},
		"y.x>1":                  {Text: "y.x > 1", A: []float64{0, 0, 0, -1}, B: -1},
		"2 * (` x.x *  y `) < 3": {Text: "2 * (` x.x *  y `) < 3", A: []float64{2, 0, 0, 0}, B: 3},
	} {
		got, err := ParseConstraints(src, names)
		if err != nil || len(got) != 1 || !cmp.Equal(got[0], want) {
			t.Errorf("%s: %+v, %v", src, got, err)
		}
	}
	for src, want := range map[string]string{
		"x.x*y > 1":      "column 5: \"y\" is not defined; the name with signs in it is written in backquotes: `x.x*y`",
		"`x.x*z` > 1":    "column 1: \"x.x*z\" is not defined; did you mean `x.x*y`?",
		"z > 1":          "column 1: \"z\" is not defined; did you mean z.z?",
		"x.x*w > 1":      "column 5: \"w\" is not defined; variables are `x.x*y`, x.x, z.z, y.x",
		"y.xx > 1":       "column 1: \"y.xx\" is not defined; did you mean \"y.x\"?",
		"x.x + `x.x*y >": "column 7: this ` is never closed",
	} {
		if _, err := ParseConstraints(src, names); err == nil || err.Error() != want {
			t.Errorf("%s:\n %v, want\n %s", src, err, want)
		}
	}
}

// Any name but one with a backquote or spaces is itself again when quoted.
func TestQuotedNamesAreThemselves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching("[a-zα-ω0-9_.*+^() é·/-]{1,12}").Draw(t, "name")
		s = strings.Join(strings.Fields(s), "")
		if s == "" || s == "pi" || s == "π" {
			return
		}
		names, err := Names("1 + " + Quoted(s) + "*2")
		if err != nil || !slices.Equal(names, []string{s}) {
			t.Fatalf("%q as %s: %q, %v", s, Quoted(s), names, err)
		}
		if _, err := Compile(Quoted(s)+" + nowhere_at_all", []string{s}); !errors.As(err, new(Errors)) {
			t.Fatal(err)
		}
	})
}

func TestSymbolOfDottedNames(t *testing.T) {
	for name, want := range map[string]string{
		"x.x*y": `\xi_{x,\, x y}`, "x.1": `\xi_{x,\, 1}`, "y.x^2": `\xi_{y,\, x^{2}}`, "H_in.x": `\xi_{H_{\mathrm{in}},\, x}`,
		"H.initial": `H\left(t_{0}\right)`, "H.noise": `\sigma_{H}`, "x.sin(x)/y": `\xi_{x,\, \frac{\sin\left(x\right)}{y}}`,
		"alpha": `\alpha`, "x_12": "x_{12}",
	} {
		if got := Symbol(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// The variables that stand in a formula are told by their places.
func TestUses(t *testing.T) {
	f, err := Compile("sin(2*c) + a*c + pi", []string{"a", "b", "c"})
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Uses(); !slices.Equal(got, []int{0, 2}) {
		t.Errorf("%v", got)
	}
}
