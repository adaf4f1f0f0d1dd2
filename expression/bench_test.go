package expression

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// logistic is −log of a posterior: 20 rows of two covariates.
func logistic() string {
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString("(a^2 + b^2 + c^2)/8")
	for i := range 20 {
		fmt.Fprintf(&b, " + softplus(%v*(a + b*%.3f + c*%.3f))", 1-i%2*2, r.NormFloat64(), r.NormFloat64())
	}
	return b.String()
}

// BenchmarkGradient tells the time of a gradient for a lane.
func BenchmarkGradient(b *testing.B) {
	for _, f := range []struct {
		name, formula string
		variables     []string
	}{
		{"flower", "((x^2 + y^2)/10 - (cos(2*pi*x) + cos(2*pi*y)))/0.5", []string{"x", "y"}},
		{"logistic", logistic(), []string{"a", "b", "c"}},
		{"mixture", "-log(0.3*exp(-(x - 2)^2/2 - y^2) + 0.7*exp(-(x + 2)^2/2 - (y - 1)^2))", []string{"x", "y"}},
		{"rosenbrock", "(1 - x)^2 + 100*(y - x^2)^2", []string{"x", "y"}},
	} {
		formula, err := Compile(f.formula, f.variables)
		if err != nil {
			b.Fatal(err)
		}
		for _, lanes := range []int{1, 2, 8, 64, 256} {
			b.Run(fmt.Sprintf("%s/%d", f.name, lanes), func(b *testing.B) {
				r := rand.New(rand.NewPCG(3, 4))
				x := make([]float64, lanes*len(f.variables))
				for i := range x {
					x[i] = r.NormFloat64()
				}
				value, grad := make([]float64, lanes), make([]float64, len(x))
				e := formula.Evaluator(lanes)
				for b.Loop() {
					e.Gradient(value, grad, x)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(lanes), "ns/lane")
			})
		}
	}
}
