package expression

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestLinear(t *testing.T) {
	for _, c := range []struct {
		src string
		a   []float64 // nil: not linear
		b   float64
	}{
		{"0", []float64{0, 0, 0}, 0}, {"x", []float64{1, 0, 0}, 0}, {"3", []float64{0, 0, 0}, 3},
		{"2*x - y/4 + 3", []float64{2, -0.25, 0}, 3}, {"-(x - 2)*3", []float64{-3, 0, 0}, 6},
		{"(x + y)/(1 + 1)", []float64{0.5, 0.5, 0}, 0}, {"x*pi", []float64{math.Pi, 0, 0}, 0},
		{"sqrt(4)*z + exp(0)", []float64{0, 0, 2}, 1}, {"x - x", []float64{0, 0, 0}, 0}, {"x^1", []float64{1, 0, 0}, 0},
		{"z - (x - (y - 1))", []float64{-1, 1, 1}, -1}, {"2^3*x", []float64{8, 0, 0}, 0},
		{"x*y", nil, 0}, {"x^2", nil, 0}, {"1/x", nil, 0}, {"2^x", nil, 0}, {"abs(x)", nil, 0}, {"min(x, y)", nil, 0},
		{"x*x - x*x", nil, 0}, {"x/y*y", nil, 0}, {"x/0", nil, 0}, {"1e308*1e308*x", nil, 0}, {"sin(x)^2 + cos(x)^2", nil, 0},
	} {
		f, err := Compile(c.src, letters)
		if err != nil {
			t.Fatal(err)
		}
		a, b, ok := f.Linear()
		if ok != (c.a != nil) || !slices.Equal(a, c.a) || b != c.b {
			t.Errorf("%s: %v %v %v, want %v %v", c.src, a, b, ok, c.a, c.b)
		}
	}
}

// affineText draws a formula that is affine in y and z, whatever x does.
func affineText(t *rapid.T, depth int) string {
	if depth == 0 {
		return rapid.SampledFrom([]string{"y", "z", "x", "2", "y"}).Draw(t, "leaf")
	}
	known := func() string {
		return rapid.SampledFrom([]string{"(1 + x^2)", "3", "exp(sin(x))", "(2 - cos(x))"}).Draw(t, "k")
	}
	a := affineText(t, depth-1)
	switch rapid.IntRange(0, 5).Draw(t, "kind") {
	case 0:
		return "(" + a + " + " + affineText(t, depth-1) + ")"
	case 1:
		return "(" + a + " - " + affineText(t, depth-1) + ")"
	case 2:
		return known() + "*" + a
	case 3:
		return "(" + a + "*" + known() + ")"
	case 4:
		return "(" + a + "/" + known() + ")"
	}
	return "(-" + a + ")"
}

// 1e-12 kills a lost sign, term or factor.
func TestAffineCoefficients(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := affineText(t, 4)
		c0, c, ok, err := Affine(src, []string{"x"}, []string{"y", "z"})
		if err != nil || !ok {
			t.Fatalf("%s: %v, %v", src, ok, err)
		}
		x := []float64{rapid.Float64Range(-2, 2).Draw(t, "x"), 1.75, -0.6}
		sum, v := 0.0, make([]float64, 1)
		size := 1.0
		for j, f := range []*Func{c0, c[0], c[1]} {
			f.Evaluator(1).Value(v, x[:1])
			p := []float64{1, x[1], x[2]}[j]
			sum += v[0] * p
			size += math.Abs(v[0])
		}
		f, err := Compile(src, letters)
		if err != nil {
			t.Fatal(err)
		}
		if f.Evaluator(1).Value(v, x); math.Abs(v[0]-sum) > 1e-12*size {
			t.Fatalf("%s is %v, its form (%s) + (%s)y + (%s)z is %v", src, v[0], c0, c[0], c[1], sum)
		}
	})
}

func TestAffine(t *testing.T) {
	states := []string{"H", "L"}
	for _, c := range []struct {
		src    string
		params []string
		want   []string // c0, c…; nil: not affine
	}{
		{"H*(alpha - beta*L)", []string{"alpha", "beta"}, []string{"0", "H", "-H*L"}},
		{"L*(-gamma + delta*H)", []string{"gamma", "delta"}, []string{"0", "-L", "L*H"}},
		{"H^2 + k*sin(L)/2", []string{"k"}, []string{"H^2", "sin(L)/2"}},
		{"H - L", []string{"k"}, []string{"H - L", "0"}},
		{"k*m*H", []string{"k", "m"}, nil},
		{"k^2*H", []string{"k"}, nil},
		{"H/(1 + k)", []string{"k"}, nil},
		{"exp(k)*H", []string{"k"}, nil},
		{"H^k", []string{"k"}, nil},
	} {
		c0, cs, ok, err := Affine(c.src, states, c.params)
		if err != nil || ok != (c.want != nil) {
			t.Errorf("%s: %v, %v", c.src, ok, err)
			continue
		}
		for j, f := range append([]*Func{c0}, cs...) {
			if ok && f.String() != c.want[j] {
				t.Errorf("%s: coefficient %d is %s, want %s", c.src, j, f, c.want[j])
			}
		}
	}
	if _, _, _, err := Affine("H*q", states, []string{"k"}); err == nil {
		t.Error("unknown name: no error")
	}
}

func TestConstraints(t *testing.T) {
	for _, c := range []struct {
		src string
		a   [][]float64 // nil rows are not linear
		b   []float64
	}{
		{"x > 1 + y", [][]float64{{-1, 1, 0}}, []float64{-1}},
		{"0 < x < 1", [][]float64{{-1, 0, 0}, {1, 0, 0}}, []float64{0, 1}},
		{"1 >= x >= 2*y", [][]float64{{1, 0, 0}, {-1, 2, 0}}, []float64{1, 0}},
		{"x^2 + y^2 <= 4", [][]float64{nil}, []float64{0}},
		{"x ≥ 2*y", [][]float64{{-1, 2, 0}}, []float64{0}},
		{"(x + y)/2 ≤ (3)", [][]float64{{0.5, 0.5, 0}}, []float64{3}},
	} {
		cs, err := ParseConstraints(c.src, letters)
		if err != nil || len(cs) != len(c.a) {
			t.Errorf("%s: %v %v", c.src, cs, err)
			continue
		}
		for i, k := range cs {
			if !slices.Equal(k.A, c.a[i]) || k.B != c.b[i] || k.Linear() != (c.a[i] != nil) {
				t.Errorf("%s, %d: %v ≤ %v, want %v ≤ %v", c.src, i, k.A, k.B, c.a[i], c.b[i])
			}
		}
	}
	cs, err := ParseConstraints(" (x+1)^2 <  y < 3", letters)
	if err != nil || cs[0].Text != "(x+1)^2 < y" || cs[1].Text != "y < 3" || cs[0].G.String() != "(x + 1)^2 - y" {
		t.Errorf("%+v %v", cs, err)
	}
}

var wrongConstraints = []struct{ src, at, message string }{
	{"x + y", "", "a constraint needs one of <=, <, >= and >"},
	{"x = 1", "=", "a constraint is an inequality: an equation leaves a set without volume; eliminate a variable instead"},
	{"0 < x == 1", "==", "a constraint is an inequality: an equation leaves a set without volume; eliminate a variable instead"},
	{"x != 1", "!=", `a constraint is an inequality: what "!=" excludes has no volume; leave it out`},
	{"1 < 2", "1 < 2", `"1 < 2" is always true, whatever the variables`},
	{"x < 1 > 2", "1 > 2", `"1 > 2" is always false, whatever the variables`},
	{"x - x > sqrt(2)", "x - x > sqrt(2)", `"x - x > sqrt(2)" is always false, whatever the variables`},
	{"log(-1) < x", "log(-1) < x", `the left side of "log(-1) < x" is no number, whatever the variables`},
	{"y < x^2 > 0/0", "x^2 > 0/0", `the right side of "x^2 > 0/0" is no number, whatever the variables`},
	{"x <", "", "a number, a name or ( is missing at the end"},
	{"< x", "<", `a number, a name or ( is missing before "<"`},
	{"x < 1 and y < 2", "and", `an operator is missing before "and"; products are written with *`},
	{"x < rho", "rho", `"rho" is not defined; variables are x, y, z`},
	{"(x < 1)", "<", `"<" is not allowed here: a comparison is no number`},
	{"x => 1", "=>", "=> is no comparison: write >="},
	{"x =< 1", "=<", "=< is no comparison: write <="},
	{"x < 1, y < 2", ",", "a comma has a meaning only between the arguments of a function; decimals have a point"},
}

func TestWrongConstraints(t *testing.T) {
	for _, c := range wrongConstraints {
		_, err := ParseConstraints(c.src, letters)
		checkError(t, c.src, err, c.at, c.message)
	}
}

func TestPrint(t *testing.T) {
	for _, c := range []struct{ src, plain, latex string }{
		{"x/2*(y+1)", "x/2*(y + 1)", `\frac{x}{2} \left(y + 1\right)`},
		{"-x^2", "-x^2", `-x^{2}`}, {"(-x)^2", "(-x)^2", `\left(-x\right)^{2}`},
		{"2^-x", "2^(-x)", `2^{-x}`}, {"(x^y)^z", "(x^y)^z", `\left(x^{y}\right)^{z}`},
		{"x-(y-z)", "x - (y - z)", `x - \left(y - z\right)`}, {"x*-2", "x*-2", `x \left(-2\right)`},
		{"2*3", "2*3", `2 \cdot 3`}, {"1e-7*x", "1e-07*x", `1 \cdot 10^{-7} x`},
		{"sqrt(x)+abs(y)", "sqrt(x) + abs(y)", `\sqrt{x} + \left|y\right|`},
		{"sin(pi*x)^2", "sin(pi*x)^2", `\left(\sin\left(\pi x\right)\right)^{2}`},
		{"normal_lpdf(x,y,z)", "normal_lpdf(x, y, z)", `\operatorname{normal\_lpdf}\left(x, y, z\right)`},
		{"x ** 0.5 − y·z", "x^0.5 - y*z", `x^{0.5} - y z`},
	} {
		f, err := Compile(c.src, letters)
		if err != nil {
			t.Fatal(err)
		}
		if s := f.String(); s != c.plain {
			t.Errorf("%s: %q, want %q", c.src, s, c.plain)
		}
		if s := f.LaTeX(); s != c.latex {
			t.Errorf("%s: %q, want %q", c.src, s, c.latex)
		}
	}
	for s, want := range map[string]string{
		"x": "x", "alpha": `\alpha`, "x1": "x_{1}", "theta_max": `\theta_{\mathrm{max}}`, "rate": `\mathrm{rate}`, "k_1": "k_{1}",
	} {
		if got := Symbol(s); got != want {
			t.Errorf("Symbol(%s) is %s, want %s", s, got, want)
		}
	}
}

// Names that stand for numbers are put in: what they decide alone holds or does not.
func TestConstraintsWithNumbers(t *testing.T) {
	fixed := map[string]float64{"b": 5, "c": -2}
	cs, err := ParseConstraintsWith("0 < a < b + c", []string{"a"}, fixed)
	if err != nil || len(cs) != 2 || cs[1].A[0] != 1 || cs[1].B != 3 {
		t.Errorf("%+v, %v", cs, err)
	}
	for _, text := range []string{"b > 3", "c^2 <= 4"} {
		if cs, err := ParseConstraintsWith(text, []string{"a"}, fixed); err != nil || len(cs) != 0 {
			t.Errorf("%s: %+v, %v", text, cs, err)
		}
	}
	for text, want := range map[string]string{
		"b < 3":   `column 1: "b < 3" does not hold: b is fixed at 5`,
		"b < c":   `column 1: "b < c" does not hold: b is fixed at 5, c is fixed at -2`,
		"d < b":   `column 1: "d" is not defined; the variable is a`,
		"a > a+1": `column 1: "a > a+1" is always false, whatever the variables`,
	} {
		if _, err := ParseConstraintsWith(text, []string{"a"}, fixed); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
