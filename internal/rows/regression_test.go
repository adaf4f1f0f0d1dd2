package rows

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// table is n rows with a year, a number near a large one, a second number, a positive y and k, a
// count w, and g of three levels.
func normalRows(n int) string {
	rng := rand.New(rand.NewPCG(5, 6))
	var csv strings.Builder
	csv.WriteString("year,x,y,w,g\n")
	for i := range n {
		fmt.Fprintf(&csv, "%d,%.6g,%.6g,%d,%c\n", 1900+i%100, rng.NormFloat64(), math.Exp(3+rng.NormFloat64()/3), 1+i%4, 'A'+rng.IntN(3))
	}
	return csv.String()
}

// summed builds a model of 700 rows.
func summed(t *testing.T, likelihood ...string) *Likelihood {
	t.Helper()
	p, err := Build(Model{
		Parameters: []Parameter{wide("a", "normal(0, 5)"), wide("b", "normal(0, 5)"), wide("beta[X]", "normal(0, 1)"), wide("c[g]", "normal(0, 5)"),
			wide("s", "lognormal(0, 1)")},
		Let:        []Let{{Name: "X", Columns: []string{"x", "year"}, Standardise: true}},
		Likelihood: likelihood,
	}, strings.NewReader(normalRows(700)), "y.csv")
	if err != nil {
		t.Fatal(err)
	}
	return p.Likelihood
}

// Sums that are made once have the energies and gradients of the rows, at any state, up to what
// rounding leaves: 1e-10 of the energy; for slopes 1e-12, some ten times what 700 additions round, of
// the largest sum of sizes, as slopes of rows cancel where the likelihood is near its mode. Means of
// other forms, and other laws, are gone through row by row.
//
// Mutants: weights that do not count in the constant, or in the squares; a scale without its slope; rows
// at the end that are left out; the entry of another level.
func TestRegressionIsItsRows(t *testing.T) {
	for _, c := range []struct {
		likelihood []string
		parts      string // what each part is
	}{
		{[]string{"y ~ normal(a + b*x, s)"}, "s"},
		{[]string{"y ~ normal(a + b*year, s)"}, "s"},
		{[]string{"log(y) ~ normal(a + X*beta + c[g], s)"}, "s"},
		{[]string{"y - a*x ~ normal(c[g]*x + b^2, s*sqrt(w))"}, "s"},
		{[]string{"y ~ normal(s*c[g] + a*b*x, exp(b)/w)"}, "s"},
		{[]string{"y ~ normal(a*lag(y, 1) + b*lag(y, 2), s)"}, "s"},
		{[]string{"y ~ normal(sum(c)*x, 2)"}, "s"},
		{[]string{"y ~ normal(a, s)", "log(y) ~ normal(b*x, s)"}, "ss"},
		{[]string{"y ~ normal(a, s)", "w ~ poisson_log(b*x)"}, "sr"},
		{[]string{"w ~ poisson_log(b*x)", "y ~ student_t(4, a, s)"}, "r"},
		{[]string{"y ~ normal(a + exp(b*x), s)"}, "r"},
		{[]string{"y ~ normal(a, s + w)"}, "r"},
	} {
		p := summed(t, c.likelihood...)
		var parts string
		for _, q := range p.parts {
			if _, rows := q.(*rowwise); rows {
				parts += "r"
			} else {
				parts += "s"
			}
		}
		if parts != c.parts || p.Summed() != !strings.Contains(parts, "r") {
			t.Errorf("%q: %s, want %s", c.likelihood, parts, c.parts)
			continue
		}
		one := p.rowwise.chunks(1)
		rapid.Check(t, func(t *rapid.T) {
			const r = 3
			rng, scale := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)), rapid.Float64Range(0.1, 3).Draw(t, "scale")
			x := make([]float64, p.dim*r)
			for i := range x {
				if x[i] = scale * rng.NormFloat64(); i >= (p.dim-1)*r {
					x[i] = math.Exp(x[i])
				}
			}
			u, g, v, h := make([]float64, r), make([]float64, len(x)), make([]float64, r), make([]float64, len(x))
			p.Evaluator(r, nil).Eval(u, g, x)
			fill(v, -p.total)
			p.rowwise.evaluator().add(v, h, x, r)
			size := sizes(one, p.rowwise.rows, x, r)
			for i := range r {
				if !(math.Abs(u[i]-v[i]) <= 1e-10*math.Abs(v[i])) {
					t.Fatalf("%q: energy %v, by rows %v", c.likelihood, u[i], v[i])
				}
				for j := range p.dim {
					if !(math.Abs(g[j*r+i]-h[j*r+i]) <= 1e-12*size[i]) {
						t.Fatalf("%q: slope %d is %v, by rows %v of size %v", c.likelihood, j, g[j*r+i], h[j*r+i], size[i])
					}
				}
			}
		})
	}
}

// sizes are, for each of r states, the largest over the coordinates of the sum of the rows' |slopes|.
func sizes(one chunkAdder, rows int, x []float64, r int) []float64 {
	u, g, size, most := make([]float64, r), make([]float64, len(x)), make([]float64, len(x)), make([]float64, r)
	for from := range rows {
		clear(g)
		one.chunk(u, g, x, r, from)
		for j := range g {
			size[j] += math.Abs(g[j])
			most[j%r] = max(most[j%r], size[j])
		}
	}
	return most
}

// Columns whose spread is a millionth of their size lose no more digits in sums than in rows: near
// the least squares, far from 0, both know energies to 1e-7.
func TestRegressionFarFromZero(t *testing.T) {
	var csv strings.Builder
	csv.WriteString("t,y\n")
	rng := rand.New(rand.NewPCG(7, 8))
	for i := range 500 {
		fmt.Fprintf(&csv, "%d,%g\n", 1_600_000_000+10*i, 3+float64(i)/100+rng.NormFloat64())
	}
	p, err := Build(Model{Parameters: []Parameter{wide("a", "flat"), wide("b", "flat"), wide("s", "flat")},
		Likelihood: []string{"y ~ normal(a + b*t, s)"}}, strings.NewReader(csv.String()), "t.csv")
	if err != nil {
		t.Fatal(err)
	}
	if !p.Likelihood.Summed() {
		t.Fatal("rows are gone through")
	}
	for _, off := range []float64{0, 1e-5, -1e-4} { // of the slope, the line turned about its middle
		b := 0.001 + off
		x := []float64{3 - 1_600_000_000*0.001 - off*1_600_002_500, b, 1}
		u, v, g := []float64{0}, []float64{0}, make([]float64, 3)
		p.Likelihood.Evaluator(1, nil).Eval(u, g, x)
		p.Likelihood.rowwise.evaluator().add(v, make([]float64, 3), x, 1)
		if !(math.Abs(u[0]-v[0]) <= 1e-7*v[0]) {
			t.Errorf("energy %v, by rows %v", u[0], v[0])
		}
	}
}

func TestRegressionAllocatesNothing(t *testing.T) {
	p := summed(t, "y ~ normal(a + X*beta + c[g], s)")
	e, u, g, x := p.Evaluator(2, nil), make([]float64, 2), make([]float64, 2*p.dim), make([]float64, 2*p.dim)
	fill(x, 1)
	if n := testing.AllocsPerRun(10, func() { e.Eval(u, g, x) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkRegression is a gradient of a linear regression of 10,000 rows and 20 columns.
func BenchmarkRegression(b *testing.B) {
	text, names := logisticRows(10_000, 20)
	p, err := Build(Model{Parameters: []Parameter{wide("a", "normal(0, 5)"), wide("beta[X]", "normal(0, 1)"), wide("s", "lognormal(0, 1)")},
		Let: []Let{{Name: "X", Columns: names}}, Likelihood: []string{"y ~ normal(a + X*beta, s)"}}, strings.NewReader(text), "rows.csv")
	if err != nil {
		b.Fatal(err)
	}
	x, u, g := make([]float64, p.Likelihood.dim), make([]float64, 1), make([]float64, p.Likelihood.dim)
	fill(x, 0.3)
	for name, e := range map[string]adder{"sums": p.Likelihood.parts[0].evaluator(), "rows": p.Likelihood.rowwise.evaluator()} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				e.add(u, g, x, 1)
			}
		})
	}
}

// Levels of rows that are left out have no entries, and count for none; matrices are summed too.
// Mutants: levels that are left out count for the first entry.
func TestRegressionOfLevelsLeftOut(t *testing.T) {
	m := model([]Parameter{{Name: "c[g]"}, {Name: "b[g, 2]"}, {Name: "s"}}, "y ~ normal(c[g] + b[g,1]*x + b[g,2]*w, s)")
	m.Drop = true
	p := build(t, m, normalRows(700)+"2000,NA,1,1,D\n").Likelihood
	if !p.Summed() || p.rows != 700 {
		t.Fatalf("summed: %t; %d rows", p.Summed(), p.rows)
	}
	x := []float64{1, -2, 3, 0.4, -0.5, 0.6, 0.7, -0.8, 0.9, 1.5}
	u, g, v, h := []float64{0}, make([]float64, len(x)), []float64{-p.constant.total()}, make([]float64, len(x))
	p.Evaluator(1, nil).Eval(u, g, x)
	p.rowwise.evaluator().add(v, h, x, 1)
	if math.Abs(u[0]-v[0]) > 1e-10*v[0] {
		t.Errorf("energy %v, by rows %v", u[0], v[0])
	}
	for j := range x {
		if math.Abs(g[j]-h[j]) > 1e-9*v[0] {
			t.Errorf("slope %d is %v, by rows %v", j, g[j], h[j])
		}
	}
}
