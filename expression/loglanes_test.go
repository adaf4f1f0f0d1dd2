package expression

import (
	"math"
	"slices"
	"testing"

	"github.com/r2sgld/r2sgld/internal/vector"
	"github.com/r2sgld/r2sgld/internal/vector/opcode"
)

// Operations of package vector are those that they stand for.
func TestOpcodesAreTheirs(t *testing.T) {
	special := []float64{0, 1, -1, 0.25, -0.3, 3, -40, 705, -745, 1e300, 5e-324, math.Inf(1), math.Inf(-1), math.NaN()}
	n := len(special)
	var x [5][]float64
	for k := range x {
		x[k] = append(slices.Clone(special[k:]), special[:k]...)
	}
	for o, code := range opcodes {
		if code == opcode.Other {
			continue
		}
		in := vector.Instruction{Op: code, Dst: make([]float64, n), A: x[0], B: slices.Clone(x[1]), C: x[2], D: x[3]}
		if done := vector.Run([]vector.Instruction{in}); done != 1 {
			t.Fatalf("operation %d is not done", o)
		}
		for i, a := range x[0] {
			switch op(o) {
			case opSinCos, opSoftplusSigmoid:
				p := pairs[opSin]
				if op(o) == opSoftplusSigmoid {
					p = pairs[opSoftplus]
				}
				if y, z := unaries[p.first](a), unaries[p.second](a); !same(in.Dst[i], y) || !same(in.B[i], z) {
					t.Errorf("operation %d of %v: %v and %v, want %v and %v", o, a, in.Dst[i], in.B[i], y, z)
				}
				continue
			}
			y := in.Dst[i]
			want := apply1(op(o), a, x[1][i], x[2][i], x[3][i])
			if !same(y, want) {
				t.Errorf("operation %d of %v: %v, want %v", o, a, y, want)
			}
		}
	}
}

// apply1 is apply for the operations that only tapes have too.
func apply1(o op, a, b, c, d float64) float64 {
	switch o {
	case opMulAdd:
		return float64(a*b) + c
	case opMulSub:
		return float64(a*b) - c
	case opSubMul:
		return c - float64(a*b)
	case opMulMulAdd:
		return float64(a*b) + float64(c*d)
	case opCopy:
		return a
	}
	return apply(o, a, b, c, d)
}

// Operations on several numbers for all lanes at once are those of apply, wherever their
// arguments are.
func TestTogetherAsAlone(t *testing.T) {
	special := []float64{0, math.Copysign(0, -1), 1, -1, 0.25, -0.3, 3, -40, 705, -745, 1e300, -1e-300, 5e-324,
		math.Inf(1), math.Inf(-1), math.NaN()}
	var x [4][]float64
	n := 1
	for range x {
		n *= len(special)
	}
	for i := range n {
		for k, j := 0, i; k < 4; k, j = k+1, j/len(special) {
			x[k] = append(x[k], special[j%len(special)])
		}
	}
	dst, w, done := make([]float64, n), newWorkspace(n), 0
	for o, f := range together {
		if f == nil {
			continue
		}
		f(dst, x[0], x[1], x[2], x[3], w)
		for i, y := range dst {
			if want := apply(op(o), x[0][i], x[1][i], x[2][i], x[3][i]); !same(y, want) {
				t.Fatalf("operation %d of %v %v %v %v: %v, want %v", o, x[0][i], x[1][i], x[2][i], x[3][i], y, want)
			}
		}
		done++
	}
	if done != 8 {
		t.Errorf("%d operations", done)
	}
}

// Powers that are halves are products with a root, and finite where powers are.
func TestHalfPowers(t *testing.T) {
	f, err := Compile("x^1.5 + x^4.5", []string{"x"})
	if err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(f.gradient.code, func(in instruction) bool { return in.op == opPow }) {
		t.Error("a power is left")
	}
	e, value, grad := f.Evaluator(3), make([]float64, 3), make([]float64, 3)
	e.Gradient(value, grad, []float64{0, 2, 0.3})
	for i, x := range []float64{0, 2, 0.3} {
		y, d := math.Pow(x, 1.5)+math.Pow(x, 4.5), 1.5*math.Sqrt(x)+4.5*math.Pow(x, 3.5)
		if math.Abs(value[i]-y) > 4e-16*y || math.Abs(grad[i]-d) > 8e-16*d {
			t.Errorf("at %v: %v and %v, want %v and %v", x, value[i], grad[i], y, d)
		}
	}
}

// Functions of one argument that cost little more together are one instruction.
func TestPairs(t *testing.T) {
	f, err := Compile("softplus(x) + sin(2*x)", []string{"x"})
	if err != nil {
		t.Fatal(err)
	}
	var found []op
	for _, in := range f.gradient.code {
		found = append(found, in.op)
	}
	for _, o := range []op{opSoftplusSigmoid, opSinCos} {
		if !slices.Contains(found, o) {
			t.Errorf("operations %v lack %d", found, o)
		}
	}
	if len(found) != 5 {
		t.Errorf("%d operations", len(found))
	}
}
