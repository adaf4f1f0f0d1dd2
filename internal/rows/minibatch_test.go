package rows

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// counted is a model of 311 rows, of which some terms are of data alone, with groups.
func counted(t *testing.T) *Posterior {
	t.Helper()
	text, names := logisticRows(311, 3)
	p, err := Build(Model{
		Parameters: []Parameter{wide("u[c]", "normal(0, 1)"), wide("beta[X]", "normal(0, 1)"), wide("s", "normal(0, 1)")},
		Let:        []Let{{Name: "X", Columns: names}},
		Likelihood: []string{"y ~ poisson(exp(s*(X*beta)/9 + u[c]))"}, LogLik: []string{"-x1^2"},
	}, strings.NewReader(text), "rows.csv")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// anchorsOf are two places with the same widths.
func anchorsOf(d int) (all []Anchor) {
	rng := rand.New(rand.NewPCG(8, 9))
	for range 2 {
		a := Anchor{}
		for i := range d {
			row := make([]float64, d)
			row[i] = 0.1
			a.X, a.L = append(a.X, rng.NormFloat64()), append(a.L, row)
		}
		all = append(all, a)
	}
	return all
}

// The mean of what all chunks would tell is the likelihood of all rows and its gradient, and
// at a mode every minibatch tells these.
func TestMinibatchesAreUnbiased(t *testing.T) {
	p := counted(t)
	d := len(p.Names)
	about := anchorsOf(d)
	for _, n := range []int{1, 20, 200} {
		m, err := p.Minibatches(n, about)
		if err != nil {
			t.Fatal(err)
		}
		const r = 3
		x, rng := make([]float64, d*r), rand.New(rand.NewPCG(4, uint64(n)))
		for j := range d {
			x[j*r], x[j*r+1], x[j*r+2] = rng.NormFloat64(), about[0].X[j], about[1].X[j]
		}
		want, slope := make([]float64, r), make([]float64, d*r)
		p.Likelihood.Evaluator(r, nil).Eval(want, slope, x)
		one := *m
		one.drawn = 1
		e := one.evaluator(r)
		u, g := make([]float64, r), make([]float64, d*r)
		mean, slopes := make([]float64, r), make([]float64, d*r)
		chunks := float64(m.chunks())
		for q := range m.chunks() {
			e.draw = func() []int { return []int{q} }
			e.Eval(u, g, x)
			for i := range u {
				mean[i] += u[i] / chunks
				if i > 0 && math.Abs(u[i]-want[i]) > 1e-9*(1+math.Abs(want[i])) {
					t.Errorf("%d rows, chunk %d: %v at mode %d, of all rows %v", n, q, u[i], i, want[i])
				}
			}
			for i := range g {
				slopes[i] += g[i] / chunks
				if i%r > 0 && math.Abs(g[i]-slope[i]) > 1e-9*(1+math.Abs(slope[i])) {
					t.Errorf("%d rows, chunk %d: slope %v at mode %d, of all rows %v", n, q, g[i], i%r, slope[i])
				}
			}
		}
		for i, v := range slices.Concat(mean, slopes) {
			if w := slices.Concat(want, slope)[i]; math.Abs(v-w) > 1e-9*(1+math.Abs(w)) {
				t.Errorf("%d rows: number %d is %v on average, of all rows %v", n, i, v, w)
			}
		}
	}
}

// The spread of slopes is that of minibatches drawn by streams. The relative variance of that of
// n normal numbers is 2/(n−1), as if one look told all; slopes are means of many rows, and 5.5 standard
// errors are passed by chance in 4e-8 of all cases, of which there are 5.
func TestSpreadOfMinibatches(t *testing.T) {
	p := counted(t)
	d := len(p.Names)
	about := anchorsOf(d)[:1]
	m, err := p.Minibatches(64, about)
	if err != nil {
		t.Fatal(err)
	}
	spread, _ := m.Spread(about[0], func([]float64) bool { return true })
	// the same of one draw after the other
	const looks, n = 8, 4000
	rng := rand.New(rand.NewPCG(2, uint64(m.whole.rows)))
	variance := make([]float64, d)
	set := stream.New(5, 0)
	e := m.Evaluator(1, set)
	u, g, x := make([]float64, 1), make([]float64, d), make([]float64, d)
	for range looks {
		for j := range x {
			x[j] = about[0].X[j] + 0.1*rng.NormFloat64()
		}
		sum, squares := make([]float64, d), make([]float64, d)
		for k := range n {
			set.Begin(k + 1)
			e.Eval(u, g, x)
			for j, v := range g {
				v *= 0.1
				sum[j] += v
				squares[j] += v * v
			}
		}
		for j := range variance {
			variance[j] += (squares[j] - sum[j]*sum[j]/n) / (n - 1) / looks
		}
	}
	c := float64(m.chunks())
	left := (c - float64(m.drawn)) / c // drawn without replacement
	want := spread / float64(m.Rows()) * left
	if got := slices.Max(variance); math.Abs(got/want-1) > 5.5*math.Sqrt(2./n) {
		t.Errorf("slopes vary by %v, told %v", got, want)
	}
}

// A minibatch follows from the streams, allocates nothing, and has no more rows than there are.
func TestMinibatchesInUse(t *testing.T) {
	p := counted(t)
	about := anchorsOf(len(p.Names))
	if _, err := p.Minibatches(311, about); err == nil {
		t.Error("a minibatch of all rows is taken")
	}
	bad := about[0]
	bad.X = slices.Clone(bad.X)
	bad.X[0] = 1e6
	if _, err := p.Minibatches(20, []Anchor{bad}); err == nil {
		t.Error("a mode where the density is 0 is taken")
	}
	m, err := p.Minibatches(20, about)
	if err != nil {
		t.Fatal(err)
	}
	d := len(p.Names)
	draw := func(k int) float64 {
		set := stream.New(1, 3)
		e := m.Evaluator(2, set)
		u := make([]float64, 2)
		set.Begin(k)
		e.Eval(u, make([]float64, 2*d), make([]float64, 2*d))
		return u[0]
	}
	if draw(5) != draw(5) || draw(5) == draw(6) {
		t.Error("minibatches do not follow from the iteration")
	}
	exact, noisy := potential.Exact(m)
	if !noisy || exact.Dim() != d || potential.Lanewise(m) || !math.IsNaN(potential.EnergyNoise(m)) {
		t.Error("minibatches are taken for all rows")
	}
	e := m.Evaluator(2, stream.New(1, 0))
	u, g, x := make([]float64, 2), make([]float64, 2*d), make([]float64, 2*d)
	if n := testing.AllocsPerRun(50, func() { e.Eval(u, g, x) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// The energy of few rows is that of all up to what drawing them leaves: N·sd/√n of the numbers that
// rows add, where sd is their standard deviation over all rows, of which 5.5 are passed by chance in
// 4e-8 of all cases, of which there are 12. Where sums are made it is that of all rows up to
// rounding. No more rows are gone through than are asked for.
//
// Mutants: rows of all, which count for several; rows that count once.
func TestFewCountForAll(t *testing.T) {
	const all, n = 3000, 500
	for _, c := range []struct {
		likelihood []string
		constant   string
		sampled    int // of the terms, the last ones
	}{
		{[]string{"w ~ poisson_log(b*x + c[g])"}, "-x^2", 1},
		{[]string{"y ~ normal(a + b*x, s)", "w ~ poisson_log(X*beta)"}, "-w", 1},
		{[]string{"y ~ normal(a, s)"}, "-x^2", 0},
		{[]string{"log(y) ~ student_t(4, a + b*x, s)", "w ~ poisson_log(b*x)"}, "-x^2", 2},
	} {
		build := func(likelihood ...string) *Posterior {
			p, err := Build(Model{
				Parameters: []Parameter{wide("a", "normal(0, 5)"), wide("b", "normal(0, 5)"), wide("beta[X]", "normal(0, 1)"),
					wide("c[g]", "normal(0, 5)"), wide("s", "lognormal(0, 1)")},
				Let:        []Let{{Name: "X", Columns: []string{"x", "year"}, Standardise: true}},
				Likelihood: likelihood, LogLik: []string{c.constant},
			}, strings.NewReader(normalRows(all)), "y.csv")
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		p := build(c.likelihood...)
		few, visited := p.Likelihood.few(n), 0
		for _, q := range slices.Concat(few.made.parts, few.rest.parts) {
			if rows, ok := q.(*rowwise); ok {
				visited += rows.rows
			}
		}
		if most := min(1, c.sampled) * n; visited != most {
			t.Errorf("%q: %d rows are gone through, want %d", c.likelihood, visited, most)
		}
		d := len(p.Names)
		rng := rand.New(rand.NewPCG(6, 7))
		u, want, g, x := make([]float64, 1), make([]float64, 1), make([]float64, d), make([]float64, d)
		for range 3 {
			for j := range x {
				x[j] = rng.NormFloat64() / 2
			}
			x[d-1] = 0.5 + rng.Float64()
			sd := 0.0
			if c.sampled > 0 {
				values := make([]float64, all)
				build(c.likelihood[len(c.likelihood)-c.sampled:]...).Likelihood.values()(values, x)
				sd = stat.StdDev(values, nil)
			}
			p.Likelihood.Evaluator(1, nil).Eval(want, g, x)
			few.Evaluator(1, nil).Eval(u, g, x)
			if off := math.Abs(u[0] - want[0]); !(off <= 5.5*all*sd/math.Sqrt(n)+1e-10*math.Abs(want[0])) {
				t.Errorf("%q at %v: %v by few rows, %v by all, rows vary by %v", c.likelihood, x, u[0], want[0], sd)
			}
		}
	}
}

// Few rows stand for all where more than 20,000 are gone through: not where their sums are made.
//
// Mutants: few rows for any.
func TestFewWhereRowsAreMany(t *testing.T) {
	for _, c := range []struct {
		rows       int
		likelihood string
		part       float64
	}{
		{manyRows / 2, "w ~ poisson_log(b*x)", 1},
		{manyRows + 5000, "w ~ poisson_log(b*x)", 0.8},
		{manyRows + 5000, "y ~ normal(b*x, 1)", 1},
	} {
		p, err := Build(Model{Parameters: []Parameter{wide("b", "normal(0, 5)")}, Likelihood: []string{c.likelihood}},
			strings.NewReader(normalRows(c.rows)), "y.csv")
		if err != nil {
			t.Fatal(err)
		}
		if _, part := potential.Few(p.Likelihood); part != c.part {
			t.Errorf("%s of %d rows: a part of %g, want %g", c.likelihood, c.rows, part, c.part)
		}
	}
}
