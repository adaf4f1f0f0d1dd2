package expression

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A formula that is taken apart is the sum of its products, derivatives included, and one
// that mixes parameters and data otherwise is told.
func TestSeparate(t *testing.T) {
	data, parameters := []string{"x", "y"}, []string{"a", "b", "c"}
	for _, c := range []struct {
		src   string
		terms int // 0: it cannot be taken apart
	}{
		{"a*x*(1 - x/b) - c*x*y", 3},
		{"a*(b*x + c*y)^2", 3},
		{"(a + x)*(b - y)/(c*x)", 4},
		{"-a*x*log(b/x)", 2}, {"x*log((a*x)^4)", 2},
		{"exp(a)*sin(x) + b^c*tanh(y) - x", 3},
		{"(a*x)^-2 + sqrt(b*y)", 2},
		{"a*x + b*x + c*x + a*y", 2},
		{"(x - a)^3", 4},
		{"2*x*y - 3", 1},
		{"a*b^2/c", 1},
		{"x/(1 + a*x)", 0},
		{"exp(a*x)", 0},
		{"x^a", 0},
		{"log(a + x)", 0},
		{"(a + x + b*y + c*x*y + x^2)^9*(a*y + b)^9", 0}, // of too many terms
	} {
		inner, outer, ok, err := Separate(c.src, data, parameters)
		if err != nil || ok != (c.terms > 0) {
			t.Errorf("%s: %v, %v", c.src, ok, err)
			continue
		}
		if !ok {
			continue
		}
		in, out := inner.Evaluator(), outer.Evaluator()
		if n := len(in.Value); n > c.terms || len(out.Value) != n {
			t.Errorf("%s: %d and %d factors, want %d", c.src, n, len(out.Value), c.terms)
		}
		whole, err := CompileWRT(c.src, append(append([]string{}, parameters...), data...), parameters)
		if err != nil {
			t.Fatal(err)
		}
		eval, rng := whole.Evaluator(1), rand.New(rand.NewPCG(1, 2))
		for range 20 {
			v := make([]float64, 5)
			for i := range v {
				v[i] = math.Exp(rng.NormFloat64())
			}
			copy(in.Input, v)
			copy(out.Input[3:], v[3:])
			in.Jacobians()
			out.Values()
			var want, grad, size = [1]float64{}, [3]float64{}, 1e-300
			eval.Gradient(want[:], grad[:], v)
			got, slope := 0.0, [3]float64{}
			for k, h := range out.Value {
				got += in.Value[k] * h
				size += math.Abs(in.Value[k] * h)
				for j := range slope {
					slope[j] += in.Jacobian[0][3*k+j] * h
					size += math.Abs(in.Jacobian[0][3*k+j] * h)
				}
			}
			for j := range slope {
				if !(math.Abs(slope[j]-grad[j]) <= 1e-13*size) {
					t.Errorf("%s: slope %d is %v, want %v", c.src, j, slope[j], grad[j])
				}
			}
			if !(math.Abs(got-want[0]) <= 1e-13*size) {
				t.Errorf("%s: %v, want %v", c.src, got, want[0])
			}
		}
	}
}
