package expression

import (
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/internal/vector/lane"
)

var letters = []string{"x", "y", "z"}

// interpret is the meaning of a tree, told plainly.
func interpret(n *node, x []float64) float64 {
	switch n.kind {
	case number:
		return n.value
	case name:
		for j, v := range letters {
			if v == n.text {
				return x[j]
			}
		}
		return math.Pi
	}
	a := make([]float64, len(n.args))
	for i, m := range n.args {
		a[i] = interpret(m, x)
	}
	if n.kind == call {
		return interpretCall(n.text, a)
	}
	switch {
	case n.kind == negate:
		return -a[0]
	case n.text == "+":
		return a[0] + a[1]
	case n.text == "-":
		return a[0] - a[1]
	case n.text == "*":
		return a[0] * a[1]
	case n.text == "/":
		return a[0] / a[1]
	}
	return interpretCall("pow", a)
}

var plainFunctions = map[string]func(float64) float64{
	"exp": lane.Exp, "log": lane.Log, "log10": math.Log10, "log1p": lane.Log1p, "expm1": lane.Expm1,
	"sqrt": math.Sqrt, "sin": lane.Sin, "cos": lane.Cos, "tan": lane.Tan, "asin": math.Asin, "acos": math.Acos, "atan": math.Atan,
	"sinh": math.Sinh, "cosh": math.Cosh, "tanh": lane.Tanh, "abs": math.Abs, "floor": math.Floor,
	"erf": lane.Erf, "erfc": lane.Erfc, "sigmoid": lane.Sigmoid, "softplus": lane.Softplus,
	"sign": func(x float64) float64 {
		if x == 0 || x != x {
			return x
		}
		return math.Copysign(1, x)
	},
	"lgamma": func(x float64) float64 { l, _ := math.Lgamma(x); return l },
}

// integerPower is a^n by repeated squaring, as the tape does it.
func integerPower(a float64, n int) float64 {
	if n < 0 {
		return 1 / integerPower(a, -n)
	}
	switch {
	case n == 0:
		return 1
	case n == 1:
		return a
	case n%2 == 1:
		return integerPower(a, n-1) * a
	}
	h := integerPower(a, n/2)
	return h * h
}

func interpretCall(f string, a []float64) float64 {
	if f, ok := plainFunctions[f]; ok {
		return f(a[0])
	}
	switch v := a[0]; f {
	case "pow":
		if n := a[1]; n == math.Trunc(n) && math.Abs(n) <= maxPower {
			return integerPower(v, int(n))
		}
		if n := math.Trunc(a[1]); n > 0 && n <= maxPower && a[1] == n+0.5 {
			return integerPower(v, int(n)) * math.Sqrt(v)
		}
		return math.Pow(v, a[1])
	case "atan2":
		return math.Atan2(v, a[1])
	case "min":
		for _, b := range a[1:] {
			v = min(v, b)
		}
		return v
	case "max":
		for _, b := range a[1:] {
			v = max(v, b)
		}
		return v
	case "logsumexp":
		for _, b := range a[1:] {
			v = logAddExp(v, b)
		}
		return v
	}
	return math.NaN()
}

// tree draws a formula of the operations that interpret knows.
func tree(depth int) *rapid.Generator[*node] {
	return rapid.Custom(func(t *rapid.T) *node {
		if depth == 0 || rapid.IntRange(0, 9).Draw(t, "leaf") == 0 {
			if rapid.Bool().Draw(t, "constant") {
				return &node{kind: number, value: rapid.SampledFrom([]float64{0, 0.5, 1, 2, 3, 0.3, 1e200, 7}).Draw(t, "c")}
			}
			return &node{kind: name, text: rapid.SampledFrom(append(letters, "pi")).Draw(t, "v")}
		}
		arg := func() *node { return tree(depth-1).Draw(t, "arg") }
		one := make([]string, 0, len(functions))
		for _, s := range sortedFunctions() {
			if plainFunctions[s] != nil {
				one = append(one, s)
			}
		}
		switch k := rapid.IntRange(0, 9).Draw(t, "kind"); {
		case k < 5:
			op := rapid.SampledFrom([]string{"+", "-", "*", "/", "+", "-", "*"}).Draw(t, "op")
			return &node{kind: operator, text: op, args: []*node{arg(), arg()}}
		case k == 5:
			// An exponent with a variable may be an integer at run time, where
			// only a constant one is taken by multiplication.
			e := &node{kind: number, value: rapid.SampledFrom([]float64{0, 1, 2, 3, 4, 5, 8, 13, 0.3, 1.5, 40.5}).Draw(t, "n")}
			if rapid.Bool().Draw(t, "negative") {
				e = &node{kind: negate, text: "-", args: []*node{e}}
			}
			return &node{kind: operator, text: "^", args: []*node{arg(), e}}
		case k == 6:
			return &node{kind: negate, text: "-", args: []*node{arg()}}
		case k == 7:
			f := rapid.SampledFrom([]string{"atan2", "min", "max", "logsumexp"}).Draw(t, "f")
			return &node{kind: call, text: f, args: []*node{arg(), arg()}}
		default:
			return &node{kind: call, text: rapid.SampledFrom(one).Draw(t, "f"), args: []*node{arg()}}
		}
	})
}

func point(t *rapid.T) []float64 {
	x := make([]float64, len(letters))
	for j := range x {
		x[j] = rapid.OneOf(rapid.Float64(), rapid.Float64Range(-3, 3),
			rapid.SampledFrom([]float64{0, 1, -1, math.NaN(), math.Inf(1), math.Inf(-1), 1e300, 5e-324, 1e7})).Draw(t, "x")
	}
	return x
}

// same is equality of bits, but that all NaNs are one and so are both zeros.
func same(a, b float64) bool { return a == b || a != a && b != b }

// asWritten compiles a tree without log space.
func asWritten(n *node) *Func {
	g := newGraph()
	g.plain = true
	return g.compile(n, letters, all(3))
}

// Bits, not tolerances: this kills every slip of folding, sharing, fusing and
// of the registers. Positive and negative zero pass as equal, and what grows
// out of them (1/0, atan2) is left out by the interpreter's own second opinion.
func TestTapeEqualsInterpreter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := tree(5).Draw(t, "tree")
		x := point(t)
		f := asWritten(n)
		want := interpret(n, x)
		if zeroSensitive(n, x) {
			return
		}
		var value, again, grad = make([]float64, 1), make([]float64, 1), make([]float64, 3)
		e := f.Evaluator(1)
		e.Value(value, x)
		if !same(value[0], want) {
			t.Fatalf("%s at %v is %v, want %v", f, x, value[0], want)
		}
		e.Gradient(again, grad, x)
		if math.Float64bits(value[0]) != math.Float64bits(again[0]) && value[0] == value[0] {
			t.Fatalf("%s at %v: Value %v, Gradient's value %v", f, x, value[0], again[0])
		}
		printed, err := parse(f.String(), false)
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		g := asWritten(printed)
		if g.Evaluator(1).Value(again, x); !same(again[0], value[0]) {
			t.Fatalf("%s printed and read again is %s", f, g)
		}
	})
}

// zeroSensitive reports a zero whose sign decides a value: it is an argument of
// / or atan2 or a power.
func zeroSensitive(n *node, x []float64) bool {
	for _, a := range n.args {
		if zeroSensitive(a, x) {
			return true
		}
		if (n.text == "/" || n.text == "atan2" || n.text == "^" || n.text == "lgamma") && interpret(a, x) == 0 {
			return true
		}
	}
	return false
}

// A constant to a half-integer power has the bits of a variable that is so large.
func TestHalfPowersOfConstants(t *testing.T) {
	for _, n := range []string{"1.5", "2.5", "7.5", "16.5"} {
		for _, c := range []string{"pi", "0.3", "7", "2"} {
			value := func(text string, x float64) float64 {
				f, err := Compile(text, []string{"x"})
				if err != nil {
					t.Fatal(err)
				}
				v := make([]float64, 1)
				f.Evaluator(1).Value(v, []float64{x})
				return v[0]
			}
			if got, want := value(c+"^"+n+" + 0*x", 1), value("x^"+n, value(c, 0)); got != want {
				t.Errorf("%s^%s is %v, of a variable %v", c, n, got, want)
			}
		}
	}
}

// Lanes do not touch each other, however many there are.
func TestLanesAreIndependent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := newFunc(tree(4).Draw(t, "tree"), letters, all(3))
		r := rapid.SampledFrom([]int{2, 3, 127, 128, 129, 300}).Draw(t, "r")
		x := make([]float64, 3*r)
		for i := range x {
			x[i] = math.Sin(float64(i)) * 3
		}
		value, grad := make([]float64, r), make([]float64, 3*r)
		f.Evaluator(r).Gradient(value, grad, x)
		one, v, g := f.Evaluator(1), make([]float64, 1), make([]float64, 3)
		for _, i := range []int{0, 1, r / 2, r - 1} {
			one.Gradient(v, g, []float64{x[i], x[r+i], x[2*r+i]})
			if !same(v[0], value[i]) || !same(g[0], grad[i]) || !same(g[2], grad[2*r+i]) {
				t.Fatalf("%s, lane %d of %d differs", f, i, r)
			}
		}
	})
}

// A formula printed with values is read again as the formula at these values,
// bit for bit: a sign moves through * and / and into sums only. Kills signs
// that move out of powers or past the wrong side, and missing parentheses.
func TestTextWithValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := tree(4).Draw(t, "tree")
		x := make([]float64, len(letters))
		known := map[string]Value{}
		for j, name := range letters {
			x[j] = rapid.SampledFrom([]float64{-3, -1, -0.75, 0.3, 1, 2.5}).Draw(t, "x")
			v := Value{Text: strconv.FormatFloat(math.Abs(x[j]), 'g', -1, 64), Negative: x[j] < 0}
			if rapid.Bool().Draw(t, "product") {
				v.Text, v.Binding = strconv.FormatFloat(math.Abs(x[j]/2), 'g', -1, 64)+"·2", Product
			}
			if known[name] = v; rapid.IntRange(0, 3).Draw(t, "unknown") == 0 {
				delete(known, name)
			}
		}
		src := plain(n, false)
		text, err := Text(func(s string) (Value, bool) { v, ok := known[s]; return v, ok }, src)
		if err != nil {
			t.Fatal(err)
		}
		again, err := parse(text, false)
		if err != nil {
			t.Fatalf("%s printed as %s: %v", src, text, err)
		}
		if zeroSensitive(n, x) {
			return
		}
		if got, want := interpret(again, x), interpret(n, x); !same(got, want) {
			t.Fatalf("%s printed as %s: %v, want %v", src, text, got, want)
		}
	})
}
