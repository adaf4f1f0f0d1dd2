package rows

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// BenchmarkLogistic is the gradient of a logistic regression of 20 columns, by row.
func BenchmarkLogistic(b *testing.B) {
	const rows, columns = 100_000, 20
	rng := rand.New(rand.NewPCG(1, 2))
	var csv strings.Builder
	var names []string
	for j := range columns {
		names = append(names, fmt.Sprintf("x%d", j+1))
	}
	csv.WriteString(strings.Join(names, ",") + ",y\n")
	for range rows {
		for range columns {
			fmt.Fprintf(&csv, "%.4g,", rng.NormFloat64())
		}
		fmt.Fprintf(&csv, "%d\n", rng.IntN(2))
	}
	p, err := Build(Model{
		Parameters: []Parameter{{Name: "a", Prior: "normal(0, 5)", Min: math.Inf(-1), Max: math.Inf(1)},
			{Name: "beta[X]", Prior: "normal(0, 1)", Min: math.Inf(-1), Max: math.Inf(1)}},
		Let:        []Let{{Name: "X", Columns: names}},
		Likelihood: []string{"y ~ bernoulli_logit(a + X*beta)"},
	}, strings.NewReader(csv.String()), "rows.csv")
	if err != nil {
		b.Fatal(err)
	}
	for _, r := range []int{1, 8} {
		b.Run(fmt.Sprint(r), func(b *testing.B) {
			d := columns + 1
			x, g, u := make([]float64, d*r), make([]float64, d*r), make([]float64, r)
			for i := range x {
				x[i] = rng.NormFloat64() / 10
			}
			e := p.Likelihood.Evaluator(r, nil)
			for b.Loop() {
				e.Eval(u, g, x)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows)/float64(r), "ns/row")
		})
	}
}
