package expression

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// A formula's values lie in its range: finite ones between its ends, infinite ones where it has them.
// Mutants: products of two ends alone; inverses that forget 0; even powers of one sign.
func TestRangesHoldValues(t *testing.T) {
	ends := []float64{math.Inf(-1), -800, -3, -1, -0.5, 0, 0.25, 1, 2, 40, 800, math.Inf(1)}
	rapid.Check(t, func(t *rapid.T) {
		n := tree(3).Draw(t, "tree")
		f := newFunc(n, letters, nil)
		var box []Range
		for _, name := range letters {
			a, b := rapid.IntRange(0, len(ends)-1).Draw(t, name), rapid.IntRange(0, len(ends)-1).Draw(t, name)
			if a, b = min(a, b), max(a, b); a == b {
				a, b = max(0, a-1), min(len(ends)-1, max(1, b))
			}
			box = append(box, Range{Lo: ends[a], Hi: ends[b]})
		}
		r, e, v := f.Ranges()(box), f.Evaluator(1), make([]float64, 1)
		for range 40 {
			x := make([]float64, len(letters))
			for j, of := range box {
				lo, hi := max(of.Lo, -1e4), min(of.Hi, 1e4)
				x[j] = lo + (hi-lo)*rapid.SampledFrom([]float64{0, 1e-3, 0.2, 0.5, 0.7, 1}).Draw(t, "at")
			}
			e.Value(v, x)
			slack := 1e-9 * (1 + math.Abs(v[0]))
			switch {
			case v[0] != v[0]:
			case math.IsInf(v[0], 0):
				if !r.Infinite && !r.has(v[0]) {
					t.Fatalf("%s at %v is %v, of %+v in %v", f, x, v[0], r, box)
				}
			case v[0] < r.Lo-slack || v[0] > r.Hi+slack || !r.Finite():
				t.Fatalf("%s at %v is %v, of %+v in %v", f, x, v[0], r, box)
			}
		}
	})
}

// Ranges are not wider than need be where a value is never finite, or has a sign.
func TestRangesThatTell(t *testing.T) {
	at := func(src string, x ...Range) Range {
		f, err := Compile(src, letters)
		if err != nil {
			t.Fatal(err)
		}
		return f.Ranges()(append(x, make([]Range, 3-len(x))...))
	}
	all, above, two := Range{math.Inf(-1), math.Inf(1), false}, Range{0, math.Inf(1), false}, Point(-2)
	for src, want := range map[string]Range{"x*log(z)": {math.Inf(1), math.Inf(-1), false}, "x/0": {math.Inf(1), math.Inf(-1), true},
		"x*sqrt(z)": {0, 0, false}, "y*z": {math.Inf(-1), 0, false}, "exp(-y/0)": {0, 0, true},
		"1/(y + 1)": {0, 1, false}, "x^2 - z": {2, math.Inf(1), false},
		"sigmoid(x) + 1": {1, 2, false}, "abs(z - y)": {2, math.Inf(1), false}, "max(z, -1)*y": {math.Inf(-1), 0, false}} {
		z := two
		if src == "x*sqrt(z)" {
			z = Point(0)
		}
		if got := at(src, all, above, z); got != want && !(src == "x*log(z)" && got.void()) {
			t.Errorf("%s is %+v, want %+v", src, got, want)
		}
	}
}

// What infinite numbers made NaN is told from what no function takes.
func TestOverflows(t *testing.T) {
	for src, want := range map[string]bool{"exp(exp(3*x))*y": true, "exp(exp(x*x))*y - z": true, "log(-x)*z": false,
		"sqrt(y - x) + exp(exp(3*x))*y": false,
		"x/y - x/y":                     true, "log(-x) + log(y)*y": false, "z*asin(x)": false, "log(y)*y": true} {
		f, err := Compile(src, letters)
		if err != nil {
			t.Fatal(err)
		}
		x, v := []float64{5, 0, 1}, make([]float64, 1)
		if f.Evaluator(1).Value(v, x); v[0] == v[0] {
			t.Fatalf("%s is %v", src, v[0])
		}
		if got := f.Overflows()(x); got != want {
			t.Errorf("%s: %t", src, got)
		}
	}
}
