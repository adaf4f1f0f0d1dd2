package expression_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/r2sgld/r2sgld/expression"
)

const flower = "((x^2 + y^2)/10 - (cos(2*pi*x) + cos(2*pi*y)))/0.5"

var lanes = []int{1, 2, 16, 64}

func block(r int) []float64 {
	x := make([]float64, 2*r)
	for i := range x {
		x[i] = math.Remainder(float64(i)*0.7310585, 4)
	}
	return x
}

func BenchmarkExpression(b *testing.B) {
	f, err := expression.Compile(flower, []string{"x", "y"})
	if err != nil {
		b.Fatal(err)
	}
	for _, r := range lanes {
		b.Run(fmt.Sprint(r), func(b *testing.B) {
			e, x, value, grad := f.Evaluator(r), block(r), make([]float64, r), make([]float64, 2*r)
			for b.Loop() {
				e.Gradient(value, grad, x)
			}
		})
	}
}

func byHand(value, grad, x []float64) {
	r := len(value)
	for i := range r {
		u, v := x[i], x[r+i]
		su, cu := math.Sincos(2 * math.Pi * u)
		sv, cv := math.Sincos(2 * math.Pi * v)
		value[i] = ((u*u+v*v)/10 - (cu + cv)) / 0.5
		grad[i] = (u/5 + 2*math.Pi*su) / 0.5
		grad[r+i] = (v/5 + 2*math.Pi*sv) / 0.5
	}
}

func BenchmarkByHand(b *testing.B) {
	for _, r := range lanes {
		b.Run(fmt.Sprint(r), func(b *testing.B) {
			x, value, grad := block(r), make([]float64, r), make([]float64, 2*r)
			for b.Loop() {
				byHand(value, grad, x)
			}
		})
	}
}

func TestFlowerByHand(t *testing.T) {
	f, err := expression.Compile(flower, []string{"x", "y"})
	if err != nil {
		t.Fatal(err)
	}
	const r = 300 // more lanes than pass together
	x, want, value := block(r), make([]float64, 3*r), make([]float64, 3*r)
	byHand(want[:r], want[r:], x)
	f.Evaluator(r).Gradient(value[:r], value[r:], x)
	for i, v := range value {
		// 1e-13 kills a wrong factor, a lane that is left out and a row that is shifted.
		if math.Abs(v-want[i]) > 1e-13*(10+math.Abs(want[i])) {
			t.Errorf("%d: %v, by hand %v", i, v, want[i])
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"x", "name", "Noise", "β", "step_size", "stop_size", "beta", "delta"}
	for _, c := range []struct{ name, want string }{
		{"nmae", "name"}, {"X", "x"}, {"y", ""}, {"Β", "β"}, {"nois", "Noise"}, {"nos", ""}, {"stap_size", "step_size"},
		{"stepsize", "step_size"}, {"xy", ""}, {"", ""}, {"nothing", ""}, {"dleta", "delta"}, {"betta", "beta"},
	} {
		if got, ok := expression.Nearest(c.name, names); got != c.want || ok != (c.want != "") {
			t.Errorf("%q: %q, want %q", c.name, got, c.want)
		}
	}
}
