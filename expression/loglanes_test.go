package expression

import (
	"math"
	"testing"
)

// Kernels are those of the operations that they stand for.
func TestKernelsAreTheirs(t *testing.T) {
	x := []float64{0, 1, -1, 0.25, -0.3, 3, -40, 705, -745, 1e300, 5e-324, math.Inf(1), math.Inf(-1), math.NaN()}
	dst := make([]float64, len(x))
	for o, k := range kernels {
		if k == nil {
			continue
		}
		k(dst, x)
		for i, v := range x {
			if want := apply(op(o), v, 0, 0, 0); !same(dst[i], want) {
				t.Errorf("operation %d of %v: %v, want %v", o, v, dst[i], want)
			}
		}
	}
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
	if done != 5 {
		t.Errorf("%d operations", done)
	}
}
