package rows

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
)

// logisticRows is a table of n rows with columns x1 …, c of two levels and y, 0 or 1.
func logisticRows(n, columns int) (text string, names []string) {
	rng := rand.New(rand.NewPCG(1, 2))
	var csv strings.Builder
	for j := range columns {
		names = append(names, fmt.Sprintf("x%d", j+1))
	}
	csv.WriteString(strings.Join(names, ",") + ",c,y\n")
	for range n {
		for range columns {
			fmt.Fprintf(&csv, "%.4g,", 2+rng.NormFloat64())
		}
		fmt.Fprintf(&csv, "%c,%d\n", 'A'+rng.IntN(2), rng.IntN(2))
	}
	return csv.String(), names
}

func wide(name, prior string) Parameter {
	return Parameter{Name: name, Prior: prior, Min: math.Inf(-1), Max: math.Inf(1)}
}

// A block times its parameter is the sum that is written out, in energies, gradients and the
// densities of single rows; rows are those of full strips and of others.
func TestBlockIsTheSumWrittenOut(t *testing.T) {
	text, names := logisticRows(311, 5)
	const r = 3
	for _, standardise := range []bool{false, true} {
		scaled := func(j int) string { return names[j] }
		if standardise {
			scaled = func(j int) string {
				mean, square := 0.0, 0.0
				column := columnOf(text, j)
				for _, v := range column {
					mean += v / float64(len(column))
				}
				for _, v := range column {
					square += (v - mean) * (v - mean)
				}
				return fmt.Sprintf("((%s - %.17g)/%.17g)", names[j], mean, math.Sqrt(square/float64(len(column)-1)))
			}
		}
		var sum []string
		for j := range names {
			sum = append(sum, fmt.Sprintf("beta[%d]*%s", j+1, scaled(j)))
		}
		build := func(beta, let, eta string) *Posterior {
			m := Model{Parameters: []Parameter{wide("u[c]", "normal(0, 1)"), wide(beta, "normal(0, 1)"), wide("s", "normal(0, 1)")},
				Likelihood: []string{"y ~ bernoulli_logit(s*(" + eta + ") + u[c])"}, LogLik: []string{"-(" + eta + ")^2/100"}}
			if let != "" {
				m.Let = []Let{{Name: let, Columns: names, Standardise: standardise}}
			}
			p, err := Build(m, strings.NewReader(text), "rows.csv")
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		block, written := build("beta[X]", "X", "X*beta"), build("beta[5]", "", strings.Join(sum, " + "))
		d := len(block.Names)
		x, rng := make([]float64, d*r), rand.New(rand.NewPCG(3, 4))
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		var u, g [2][]float64
		for k, p := range []*Posterior{block, written} {
			u[k], g[k] = make([]float64, r), make([]float64, d*r)
			p.Likelihood.Evaluator(r, nil).Eval(u[k], g[k], x)
		}
		some := []int{0, 310, 17, 130}
		var rows [2][]float64
		for k, p := range []*Posterior{block, written} {
			rows[k] = make([]float64, len(some))
			p.Likelihood.LogDensity(some)(rows[k], x[:d])
		}
		for _, both := range [][2][]float64{u, g, rows} {
			for i, v := range both[0] {
				if w := both[1][i]; math.Abs(v-w) > 1e-10*(1+math.Abs(w)) {
					t.Errorf("standardised %v: number %d is %v by the block and %v written out", standardise, i, v, w)
				}
			}
		}
	}
}

// columnOf are the numbers of a column of a table.
func columnOf(text string, j int) (v []float64) {
	for _, line := range strings.Split(strings.TrimSpace(text), "\n")[1:] {
		var x float64
		fmt.Sscan(strings.Split(line, ",")[j], &x)
		v = append(v, x)
	}
	return v
}

func cpuSeconds(b *testing.B) float64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// BenchmarkLogistic is the gradient of a logistic regression of 20 columns, as they are or standardised, by rows,
// by what columns are kept as and by states at once: 17 MB of data in 64 bits, and 168 MB, more than caches hold.
func BenchmarkLogistic(b *testing.B) {
	const columns = 20
	for _, rows := range []int{100_000, 1_000_000} {
		b.Run(fmt.Sprint(rows), func(b *testing.B) {
			text, names := logisticRows(rows, columns)
			for _, standardise := range []string{"", "standardised"} {
				for _, bits := range []int{64, 32} {
					p, err := Build(Model{
						Parameters: []Parameter{wide("a", "normal(0, 5)"), wide("beta[X]", "normal(0, 1)")},
						Let:        []Let{{Name: "X", Columns: names, Standardise: standardise != ""}},
						Likelihood: []string{"y ~ bernoulli_logit(a + X*beta)"},
						Singles:    bits == 32,
					}, strings.NewReader(text), "rows.csv")
					if err != nil {
						b.Fatal(err)
					}
					for _, r := range []int{1, 4, 8} {
						b.Run(fmt.Sprintf("float%d%s/%d", bits, standardise, r), func(b *testing.B) {
							spent := gradientSeconds(b, p.Likelihood, r)
							b.ReportMetric(spent*1e9/float64(rows*r), "cpu-ns/row")
							b.ReportMetric(float64(bits/8*rows*(columns+1))/spent/1e9, "GB/cpu-s") // each number is read from memory once
						})
					}
				}
			}
		})
	}
}

// gradientSeconds is the CPU time of the gradients of r states.
func gradientSeconds(b *testing.B, p *Likelihood, r int) float64 {
	b.Helper()
	x, g, u := make([]float64, p.dim*r), make([]float64, p.dim*r), make([]float64, r)
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range x {
		x[i] = rng.NormFloat64() / 10
	}
	e := p.Evaluator(r, nil)
	e.Eval(u, g, x)
	begun := cpuSeconds(b)
	for b.Loop() {
		e.Eval(u, g, x)
	}
	return (cpuSeconds(b) - begun) / float64(b.N)
}
