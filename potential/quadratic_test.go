package potential

import "testing"

// A potential is quadratic if it says so, through sums and affine coordinates; one whose
// form nobody knows, or with noise or a penalty around it, does not.
//
// Mutants: any term of a sum will do; functions are taken for quadratic.
func TestQuadratic(t *testing.T) {
	formula := func(text string) Potential {
		u, err := Formula(text, "x", "y")
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	square, quartic := formula("(x-1)^2/2 + x*y + 2*y^2"), formula("x^2 + y^4")
	plain := Func(2, func(grad, x []float64) float64 {
		grad[0], grad[1] = x[0], x[1]
		return (x[0]*x[0] + x[1]*x[1]) / 2
	})
	rows, err := NewRegression(2, []Column{{Index: []int{0, 1}, Design: []float64{1, 0, 1, 1}, Response: []float64{1, 2}, Weight: 1}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	sum := func(terms ...Potential) Potential {
		u, err := Sum(terms...)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	for i, c := range []struct {
		u    Potential
		want bool
	}{
		{square, true}, {quartic, false}, {plain, false}, {rows, true},
		{sum(square, rows), true}, {sum(square, quartic), false}, {sum(quartic, rows), false},
		{Affine(square, []float64{1, 2}, [][]float64{{1}, {2}}), true}, {Affine(plain, []float64{1, 2}, [][]float64{{1}, {2}}), false},
		{Noisy(square, 0.1, 0.1), false}, {Penalised(square, 1, func([]float64) bool { return false }), false},
	} {
		if Quadratic(c.u) != c.want {
			t.Errorf("potential %d: quadratic %v", i, !c.want)
		}
	}
	if _, err := Formula("x +", "x"); err == nil {
		t.Error("half a formula is one")
	}
}
