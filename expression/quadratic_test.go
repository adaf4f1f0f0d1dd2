package expression

import (
	"fmt"
	"testing"
)

// Polynomials of degree two are found by their structure, with their second
// derivatives; nothing else is, however flat its derivatives look.
func TestQuadratic(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"x^2 + y^2 + z^2 - 4", "[[2 0 0] [0 2 0] [0 0 2]]"},
		{"1.5*(x - 1000)^2 - 3*x*y/4 + z", "[[3 -0.75 0] [-0.75 0 0] [0 0 0]]"},
		{"-(x - y)*(x + y) + x*x", "[[0 0 0] [0 2 0] [0 0 0]]"},
		{"x*y*z", ""}, {"x^3", ""}, {"x/y", ""}, {"1/x", ""}, {"x^2 + floor(y)", ""}, {"max(x, y)", ""}, {"x^2 + abs(y)", ""},
		{"x^2*sign(y)", ""}, {"sqrt(x)^2", ""}, {"x^2.5", ""}, {"exp(x)", ""}, {"x^3/x", ""},
	} {
		f, err := Compile(c.src, []string{"x", "y", "z"})
		if err != nil {
			t.Fatal(err)
		}
		h, ok := f.Quadratic()
		if got := fmt.Sprint(h); ok != (c.want != "") || ok && got != c.want {
			t.Errorf("%s: %v %v, want %s", c.src, h, ok, c.want)
		}
	}
}

// What is quadratic by its structure, and what only nearly is.
func TestQuadraticFormula(t *testing.T) {
	for src, want := range map[string]bool{
		"x^2/2 + (y-1)^2 - x*y + 3": true, "-normal_lpdf(x, 2*y, 0.5) - normal_lpdf(y, " +
			"0, exp(1))": true, "pow(x - y, 2)*sqrt(2)": true, "2**3*x - pi^0.5": true,
		"(x^2)^1 + 1e-9*x^4": false, "x^2*y": false, "abs(x)^2": false, "max(x^2, 1)": false, "x^2/(1+y)": false,
		"-normal_lpdf(x^2, 0, 1)": false,
		"-normal_lpdf(x, 0, y)":   false, "2^x": false, "x^-1": false,
	} {
		f, err := Compile(src, []string{"x", "y"})
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := f.Quadratic(); ok != want {
			t.Errorf("%s: %v", src, ok)
		}
	}
}
