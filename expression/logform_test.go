package expression

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"pgregory.net/rapid"
)

// Formulas where floating point taken literally overflows, underflows or
// cancels, against values and gradients in 1000 digits.
func TestLogSpace(t *testing.T) {
	text, err := os.ReadFile("testdata/extreme.json")
	if err != nil {
		t.Fatal(err)
	}
	var reference struct {
		Cases []struct {
			Formula  string
			At       []float64
			Value    float64
			Gradient []float64
		}
	}
	if err := json.Unmarshal(text, &reference); err != nil {
		t.Fatal(err)
	}
	for _, c := range reference.Cases {
		f, err := Compile(c.Formula, letters[:2])
		if err != nil {
			t.Fatal(err)
		}
		value, grad := make([]float64, 1), make([]float64, 2)
		f.Evaluator(1).Gradient(value, grad, c.At)
		check := func(what string, got, want float64) {
			if !(math.Abs(got-want) <= 1e-12*math.Abs(want)) {
				t.Errorf("%s of %s at %v is %v, want %v", what, c.Formula, c.At, got, want)
			}
		}
		check("value", value[0], c.Value)
		for j, d := range c.Gradient {
			check("derivative by "+letters[j], grad[j], d)
		}
	}
}

// Logarithms of negative sums are NaN, whatever the sizes of their terms.
func TestLogOfNegativeSums(t *testing.T) {
	for _, formula := range []string{
		"log(exp(x) - exp(y))", "log(2*exp(x) - 3*exp(y))", "log(0.01*exp(x) - exp(y))", "log(-exp(x) - exp(y))", "log_diff_exp(x, y)",
	} {
		f, err := Compile(formula, letters[:2])
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range []float64{-800, -700, 0, 3, 700, 800} {
			var v, grad [2]float64
			f.Evaluator(1).Gradient(v[:1], grad[:], []float64{x, x + 1})
			if v[0] == v[0] {
				t.Errorf("%s at %v, %v is %v", formula, x, x+1, v[0])
			}
		}
	}
}

// rounded is the value of a tree of exponentials at x as floating point has it,
// with a bound of its error to first order; ok is false where something
// overflows, vanishes or cancels.
func rounded(n *node, x []float64) (v, err float64, ok bool) {
	var a, e [2]float64
	for i, m := range n.args {
		if a[i], e[i], ok = rounded(m, x); !ok {
			return 0, 0, false
		}
	}
	v = interpret(n, x)
	p, q := math.Abs(a[0]), math.Abs(a[1])
	switch n.text {
	case "+", "-":
		err = e[0] + e[1]
	case "*":
		err = p*e[1] + q*e[0]
	case "/":
		err = (e[0] + math.Abs(v)*e[1]) / q
	case "exp":
		err = v * e[0]
	case "log":
		err = e[0] / p
	case "sigmoid":
		err = e[0]
	case "^":
		err = q * math.Abs(v) * e[0] / p
	}
	err += 4e-16 * math.Abs(v)
	size := math.Abs(v)
	return v, err, v != v || v == 0 && err == 0 || n.kind == name || n.kind == number || size > 1e-250 && size < 1e250 && err < 1e-6*size
}

// exponentials draws a formula with logarithms and quotients of exponentials.
func exponentials(t *rapid.T, depth int) *node {
	if depth == 0 {
		if rapid.IntRange(0, 3).Draw(t, "constant") == 0 {
			return literal(rapid.SampledFrom([]float64{1, 1, 0.3, 2}).Draw(t, "c"))
		}
		return &node{kind: name, text: rapid.SampledFrom(letters).Draw(t, "v")}
	}
	arg := func() *node { return exponentials(t, rapid.IntRange(0, depth-1).Draw(t, "depth")) }
	f := rapid.SampledFrom([]string{"exp", "exp", "log", "log", "sigmoid", "+", "+", "-", "*", "/", "^", "minus"}).Draw(t, "f")
	switch f {
	case "exp", "log", "sigmoid":
		return &node{kind: call, text: f, args: []*node{arg()}}
	case "minus":
		return minus(arg())
	case "^":
		return &node{kind: operator, text: f, args: []*node{arg(), literal(rapid.SampledFrom([]float64{2, 3, 0.5, 1.5}).Draw(t, "n"))}}
	}
	return &node{kind: operator, text: f, args: []*node{arg(), arg()}}
}

// Log space changes no value that floating point gets right, nor its gradient,
// and accepts nothing: the logarithm of a negative number is none.
func TestLogSpaceKeepsWhatIsRight(t *testing.T) {
	compared := 0
	rapid.Check(t, func(t *rapid.T) {
		n := &node{kind: call, text: "log", args: []*node{exponentials(t, 5)}}
		if rapid.Bool().Draw(t, "quotient") {
			n = &node{kind: operator, text: "/", args: []*node{exponentials(t, 3), exponentials(t, 3)}}
		}
		x := make([]float64, len(letters))
		for j := range x {
			x[j] = rapid.SampledFrom([]float64{-3.7, -2, -1, -0.3, 0, 0.5, 1, 1, 2, 3.1}).Draw(t, "x")
		}
		want, err, ok := rounded(n, x)
		if !ok {
			return
		}
		compared++
		var v, w [1]float64
		var g, h [3]float64
		newFunc(n, letters, all(3)).Evaluator(1).Gradient(v[:], g[:], x)
		asWritten(n).Evaluator(1).Gradient(w[:], h[:], x)
		if !(math.Abs(v[0]-want) <= 100*err || v[0] != v[0] && want != want) {
			t.Fatalf("%s at %v is %v, want %v ± %v", plain(n, false), x, v[0], want, err)
		}
		for j, d := range h {
			if want == want && !(math.Abs(g[j]-d) <= 1e-6*(1+math.Abs(d)+err*1e12)) && d-d == 0 {
				t.Fatalf("derivative %d of %s at %v is %v, want %v", j, plain(n, false), x, g[j], d)
			}
		}
	})
	if compared == 0 {
		t.Error("no value could be compared")
	}
}
