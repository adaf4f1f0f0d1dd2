package expression

import (
	"math"
	"testing"
)

// Logarithms of powers are those of the formula as written also where bases are negative
// or 0, and so are their derivatives. What they are far out is in TestLogSpace.
//
// Mutants it kills: signs of odd powers lost; powers that vary taken of positive bases alone.
func TestLogOfPowers(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		formula   string
		x, y      float64
		value, dx float64 // the derivative is not looked at where the value is not finite
	}{
		{"log(x^2) + y", -3, 0, 2 * math.Log(3), -2. / 3},
		{"log(x^500) + y", -3, 0, 500 * math.Log(3), -500. / 3},
		{"log(x^501) + y", -3, 0, nan, 0},
		{"log(x^3*y)", -3, -2, math.Log(54), -1},
		{"log(x^3*y)", -3, 2, nan, 0},
		{"log(x^-3*y)", -3, -2, math.Log(2. / 27), 1},
		{"log(x^500*y)", 2, -2, nan, 0},
		{"log(-x^501) + y", -3, 0, 501 * math.Log(3), -501. / 3},
		{"log(x^2.5) + y", -3, 0, nan, 0},
		{"log(x^y)", -3, 2, 2 * math.Log(3), -2. / 3},
		{"log(x^y)", -3, 3, nan, 0},
		{"log(x^y*x)", -3, 3, 4 * math.Log(3), -4. / 3},
		{"log(x^y)", -3, 2.5, nan, 0},
		{"log(x^y)", 0, 2, -inf, 0},
		{"log(x^y)", 0, 0, 0, 0},
		{"log(x^2) + y", 0, 0, -inf, 0},
		{"log(x^-2) + y", 0, 0, inf, 0},
		{"log(x^2 + 1) + y", 0, 0, 0, 0},
	} {
		f, err := Compile(c.formula, letters[:2])
		if err != nil {
			t.Fatal(err)
		}
		value, grad := make([]float64, 1), make([]float64, 2)
		f.Evaluator(1).Gradient(value, grad, []float64{c.x, c.y})
		far := func(got, want float64) bool {
			return got != want && !(got != got && want != want) && !(math.Abs(got-want) <= 1e-14*math.Abs(want))
		}
		if far(value[0], c.value) || !math.IsInf(c.value, 0) && c.value == c.value && c.x != 0 && far(grad[0], c.dx) {
			t.Errorf("%s at %v, %v is %v with derivative %v, want %v and %v", c.formula, c.x, c.y, value[0], grad[0], c.value, c.dx)
		}
	}
}
