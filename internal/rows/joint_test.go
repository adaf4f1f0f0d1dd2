package rows

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/dynamics"
)

// normalOf is the log density of a normal law of several numbers, by gonum.
func normalOf(off []float64, cov *mat.SymDense) float64 {
	var c mat.Cholesky
	var z mat.VecDense
	v := mat.NewVecDense(len(off), off)
	if !c.Factorize(cov) || c.SolveVecTo(&z, v) != nil {
		return math.Inf(-1)
	}
	return -mat.Dot(v, &z)/2 - c.LogDet()/2 - float64(len(off))*math.Log(2*math.Pi)/2
}

// scaledBy is the covariance of a correlation r and two standard deviations.
func scaledBy(r, s, t float64) *mat.SymDense {
	return mat.NewSymDense(2, []float64{s * s, r * s * t, 0, t * t})
}

const pairs = `g,h,u,v,x
A,1,0.3,1.1,0.5
B,2,-0.4,0.2,1
A,1,1.2,NA,2
B,1,0.7,2.2,-1
A,2,0.1,-0.8,0
`

// twoColumns is a model of two columns together: means by group, slopes by group, correlated between groups.
func twoColumns() Model {
	m := model([]Parameter{{Name: "mu[g, 2]", Prior: "multi_normal_cholesky([m, 0.5], diag_pre_multiply(t, K))"},
		{Name: "m", Prior: "normal(0, 1)"},
		{Name: "t[2]", Prior: "half_normal(1)"}, {Name: "K", Shape: "cholesky_corr(2)"}, {Name: "s[2]", Prior: "half_normal(1)"},
		{Name: "L", Shape: "cholesky_corr(2)", Prior: "lkj_corr_cholesky(2)"}},
		"[u, v] ~ multi_normal_cholesky(mu[g], diag_pre_multiply(s, L))")
	m.Drop = true
	return m
}

// The energy of joint laws and priors is that of gonum's, and its gradient that of differences. Rows with
// a missing cell are left out.
// Mutants: rows of a matrix that are columns; standard deviations of the other column.
func TestJointEnergy(t *testing.T) {
	p := build(t, twoColumns(), pairs)
	if got := fmt.Sprint(p.Names); got != "[mu[A,1] mu[B,1] mu[A,2] mu[B,2] m t[1] t[2] K[2,1] s[1] s[2] L[2,1]]" {
		t.Fatal(got)
	}
	if p.Left != 1 || p.Likelihood.Rows() != 4 {
		t.Fatalf("%d left out, %d used", p.Left, p.Likelihood.Rows())
	}
	want := func(x []float64) float64 {
		log := normalLog(x[4], 0, 1) + math.Log(3.0/4) + math.Log(1-x[10]*x[10]) - math.Ln2 // Beta(2, 2) and a uniform law on (−1, 1)
		for _, s := range []float64{x[5], x[6], x[8], x[9]} {
			log += normalLog(s, 0, 1) + math.Ln2
		}
		for g := range 2 {
			log += normalOf([]float64{x[g] - x[4], x[2+g] - 0.5}, scaledBy(x[7], x[5], x[6]))
		}
		for i, u := range []float64{0.3, -0.4, 0.7, 0.1} {
			g, v := []int{0, 1, 1, 0}[i], []float64{1.1, 0.2, 2.2, -0.8}[i]
			log += normalOf([]float64{u - x[g], v - x[2+g]}, scaledBy(x[10], x[8], x[9]))
		}
		return -log
	}
	rapid.Check(t, func(t *rapid.T) {
		x := make([]float64, len(p.Names))
		for j := range x {
			switch {
			case p.Prior.Upper[j] == 1:
				x[j] = rapid.Float64Range(-0.8, 0.8).Draw(t, "r")
			case p.Prior.Lower[j] == 0:
				x[j] = rapid.Float64Range(0.4, 2).Draw(t, "s")
			default:
				x[j] = rapid.Float64Range(-2, 2).Draw(t, "x")
			}
		}
		u, g := energy(p, x)
		if w := want(x); math.Abs(u-w) > 1e-10*(1+math.Abs(w)) {
			t.Fatalf("at %v: %v, want %v", x, u, w)
		}
		for j := range x {
			const h = 1e-5
			y := slices.Clone(x)
			y[j] += h
			up := want(y)
			y[j] -= 2 * h
			if d := (up - want(y)) / (2 * h); math.Abs(d-g[j]) > 1e-5*(1+math.Abs(d)+math.Abs(u)) {
				t.Fatalf("derivative %d is %v, by differences %v", j, g[j], d)
			}
		}
	})
}

// Every way to write a joint law says the same.
func TestJointLawsAreWritten(t *testing.T) {
	parameters := []Parameter{{Name: "m[2]"}, {Name: "s[2]"}, {Name: "L", Shape: "cholesky_corr(2)"}, {Name: "b[2, 2]"}, {Name: "r"}}
	x := []float64{0.2, -0.3, 0.7, 1.4, 0.6, 0.7, 0.84, 0, 1.12, 0.6} // b is the Cholesky factor of the covariance, by columns
	const table = "u,v,one\n0.3,1.1,1\n-0.4,0.2,1\n"
	want := -normalOf([]float64{0.1, 1.4}, scaledBy(0.6, 0.7, 1.4)) - normalOf([]float64{-0.6, 0.5}, scaledBy(0.6, 0.7, 1.4)) + math.Ln2
	for _, law := range []string{
		"multi_normal_cholesky(m, diag_pre_multiply(s, L))",
		"multi_normal_cholesky([m[1], m[2]], diag_pre_multiply([s[1], s[2]], [[1, 0], [r, sqrt(1 - r^2)]]))",
		"multi_normal_cholesky(m, [[s[1], 0.0], [L[2,1]*s[2], L[2, 2]*s[2]]])",
		"multi_normal_cholesky( m , [ [s[1]*L[1,1], 0 ], [L[2,1]*s[2], L[2,2]*s[2] + 0*L[1,2]]])",
		"multi_normal(m, [[s[1]^2, r*s[1]*s[2]], [ r*s[1] * s[2], s[2]^2]])",
		"multi_normal([m[one], m[2]], [[s[one]^2, r*s[1]*s[2]], [r*s[1]*s[2], s[2]^2]])",
		"multi_normal_cholesky(m, [[b[1,1], 0], [b[2,1], b[2,2]]])",
		"multi_normal_cholesky(m, [[b[one,1], 0], [b[2,one], b[2,2]]])",
	} {
		p, err := Build(model(parameters, "[u, v] ~ "+law), strings.NewReader(table), "t.csv")
		if err != nil {
			t.Errorf("%s: %v", law, err)
			continue
		}
		if u, _ := energy(p, x); math.Abs(u-want) > 1e-12*math.Abs(want) {
			t.Errorf("%s: %v, want %v", law, u, want)
		}
	}
}

// A covariance of columns and parameters is one, or the density is 0; what is at fault is told.
func TestIndefinite(t *testing.T) {
	m := model([]Parameter{{Name: "r"}, {Name: "b[2]", Prior: "multi_normal([0, 0], [[1, q], [q, 1]])"}, {Name: "q"}},
		"[u, v] ~ multi_normal(b, [[1, r*x], [r*x, 1]])")
	p := build(t, m, "u,v,x\n1,2,0.1\n3,4,1\n")
	for why, x := range map[string][]float64{
		"": {0.5, 0, 0, 0.5}, "Sigma of multi_normal is not positive definite": {0.5, 0, 0, 1},
		"Sigma of multi_normal is not positive definite in line 3 of the data": {1.5, 0, 0, 0.5},
	} {
		u, _ := energy(p, x)
		if got := p.Indefinite(x); got != why || math.IsInf(u, 1) != (why != "") {
			t.Errorf("at %v: %q, energy %v, want %q", x, got, u, why)
		}
	}
}

// Matrices have entries by row and column; either index may be that of the row of the table, and a block
// times a row is the sum of products.
// Mutants: levels of one column for both; a product by the first entry.
func TestMatrices(t *testing.T) {
	m := model([]Parameter{{Name: "b[g, X]"}, {Name: "a[2, h]"}, {Name: "c[ 2 , 1..3 ]"}},
		"u ~ normal(X*b[g] + a[2, h] + a[h, 1]*c[1,3] + 0*b[A,x] + X*b[B], 1)")
	m.Let = []Let{{Name: "X", Columns: []string{"x", "v"}}}
	m.Drop = true
	p := build(t, m, pairs)
	if got := fmt.Sprint(p.Names); got != "[b[A,x] b[B,x] b[A,v] b[B,v] "+
		"a[1,1] a[2,1] a[1,2] a[2,2] c[1,1] c[2,1] c[1,2] c[2,2] c[1,3] c[2,3]]" {
		t.Fatal(got)
	}
	at := map[string]float64{}
	x := make([]float64, len(p.Names))
	for j, n := range p.Names {
		x[j] = math.Sin(float64(3*j + 1))
		at[n] = x[j]
	}
	want := 0.0
	for i, u := range []float64{0.3, -0.4, 0.7, 0.1} {
		g, h := []string{"A", "B", "B", "A"}[i], []string{"1", "2", "1", "2"}[i]
		v, of := []float64{1.1, 0.2, 2.2, -0.8}[i], []float64{0.5, 1, -1, 0}[i]
		want -= normalLog(u, of*at["b["+g+",x]"]+v*at["b["+g+",v]"]+
			at["a[2,"+h+"]"]+at["a["+h+",1]"]*at["c[1,3]"]+of*at["b[B,x]"]+v*at["b[B,v]"], 1)
	}
	if u, _ := energy(p, x); math.Abs(u-want) > 1e-12*want {
		t.Errorf("%v, want %v", u, want)
	}
	m.Likelihood = []string{"u ~ normal(a[h, h], 1)"} // both
	want = 0
	for i, u := range []float64{0.3, -0.4, 1.2, 0.7, 0.1} {
		h := []string{"1", "2", "1", "1", "2"}[i]
		want -= normalLog(u, at["a["+h+","+h+"]"], 1)
	}
	if u, _ := energy(build(t, m, pairs), x); math.Abs(u-want) > 1e-12*want {
		t.Errorf("both indices of the row: %v, want %v", u, want)
	}
}

// standardPair looks at deviations from means in units of a normal law, whose coordinates are independent standard
// normal numbers: Kolmogorov's law gives p below 1e-8 each, and correlations beyond 5.8/√n 7e-9.
func standardPair(t *testing.T, what string, z [2][]float64) {
	t.Helper()
	n, r := len(z[0]), 0.0
	for k := range z {
		if p := diag.KSPValue(diag.KS(z[k], distuv.UnitNormal.CDF), float64(n)); p < 1e-8 {
			t.Errorf("%s: number %d has p = %.1g", what, k+1, p)
		}
		for i := range n {
			r += z[0][i] * z[1][i] / float64(2*n)
		}
	}
	if math.Abs(r) > 5.8/math.Sqrt(float64(n)) {
		t.Errorf("%s: a correlation of %.3f is left", what, r)
	}
}

// Draws of joint outcomes, of tables and of priors have the covariance that the law says.
// Mutants: draws without the entries below the diagonal; tables with one column in all.
func TestJointDraws(t *testing.T) {
	p := build(t, twoColumns(), pairs)
	x := []float64{0.5, -1, 2, 3, 0.1, 1, 1, 0.3, 0.7, 1.4, -0.6}
	away := func(u, v float64, g int) (float64, float64) {
		a := (u - x[g]) / 0.7
		return a, ((v-x[2+g])/1.4 + 0.6*a) / 0.8
	}
	rng := rand.New(rand.NewPCG(5, 5))
	var z, w, q [2][]float64
	const n = 5000
	states := slices.Repeat([][]float64{x}, n)
	drawn, err := p.Outcomes.Draw(t.Context(), states, rng)
	if err != nil || len(drawn) != 2 || p.Outcomes.Of[1].Name != "v" {
		t.Fatal(err)
	}
	im, err := p.Imitate()
	if err != nil {
		t.Fatal(err)
	}
	b, _ := p.Base(p.Prior.Lower, p.Prior.Upper)
	if b == nil {
		t.Fatal("there is no law of the priors")
	}
	y := make([]float64, len(x))
	for k := range n {
		for row, g := range []int{0, 1, 1, 0} {
			a, b := away(drawn[0][k][row], drawn[1][k][row], g)
			z[0], z[1] = append(z[0], a), append(z[1], b)
		}
		b.Draw(y, rng)
		for g := range 2 {
			a := (y[g] - y[4]) / y[5]
			q[0], q[1] = append(q[0], a), append(q[1], ((y[2+g]-0.5)/y[6]-y[7]*a)/math.Sqrt(1-y[7]*y[7]))
		}
		table, err := im.Table(x, rng)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(strings.TrimSpace(string(table)), "\n") {
			var u, v float64
			if i == 0 || i == 3 { // the header, and the row that is left out
				if i == 0 && line != "u,v,g" {
					t.Fatal(line)
				}
				continue
			}
			if _, err := fmt.Sscanf(strings.ReplaceAll(line, ",", " "), "%g %g", &u, &v); err != nil {
				t.Fatal(line, err)
			}
			a, b := away(u, v, []int{0, 0, 1, 0, 1, 0}[i])
			w[0], w[1] = append(w[0], a), append(w[1], b)
		}
	}
	standardPair(t, "outcomes", z)
	standardPair(t, "tables", w)
	standardPair(t, "priors", q)
	other := q
	for k := range q { // of two groups the rows are independent of each other
		other[k] = nil
	}
	for i := 0; i < len(q[0]); i += 2 {
		other[0], other[1] = append(other[0], q[0][i]), append(other[1], q[0][i+1])
	}
	standardPair(t, "priors of two groups", other)
}

// Rows that look back at what is drawn together are drawn one by one.
func TestJointImitationLooksBack(t *testing.T) {
	p := build(t, model([]Parameter{{Name: "a", Prior: "normal(0, 1)"}},
		"[u, v] ~ multi_normal_cholesky([a + lag(v, 1), 2*lag(u, 1)], [[1e-9, 0], [0, 1e-9]])"), "u,v\n1,2\n0,0\n0,0\n")
	im, err := p.Imitate()
	if err != nil {
		t.Fatal(err)
	}
	table, err := im.Table([]float64{10}, rand.New(rand.NewPCG(1, 1)))
	var u, v, last, next float64
	lines := strings.Split(strings.ReplaceAll(string(table), ",", " "), "\n")
	_, one := fmt.Sscan(lines[2], &u, &v)
	_, two := fmt.Sscan(lines[3], &last, &next)
	if err := errors.Join(err, one, two); err != nil || math.Abs(u-12)+math.Abs(v-2)+math.Abs(last-12)+math.Abs(next-24) > 1e-6 {
		t.Errorf("%v\n%s", err, table)
	}
}

// Of another table what is observed of a joint law is told, and what is not.
func TestJointOutcomesOfOtherRows(t *testing.T) {
	p := build(t, twoColumns(), pairs)
	for table, want := range map[string]string{
		"g,u,v\nA,1,2\nB,NA,3\n": "[] [1 NaN] [2 3]", "g,u\nA,1\n": "[v] [1] [NaN]", "g,v\nA,1\n": "[u] [NaN] [1]", "g\nA\n": "[] [NaN] [NaN]",
	} {
		o, err := p.On(strings.NewReader(table), "new.csv")
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(o.Lacking, o.Of[0].Values(), o.Of[1].Values()); got != want {
			t.Errorf("%q: %s, want %s", table, got, want)
		}
	}
}

// Labels are those of vectors beside matrices, which keep their rows; joint priors tell entries apart.
func TestLabelsBesideMatrices(t *testing.T) {
	parameters := []Parameter{{Name: "w", Shape: "simplex(2)"}, {Name: "mu[2]"}, {Name: "b[2, 2]"}, {Name: "L", Shape: "cholesky_corr(3)"},
		{Name: "c[g, 1]"}}
	m := model(parameters, "u ~ mix(w[1], normal(mu[1], 1), w[2], normal(mu[2], 1))", "x ~ normal(b[1, h] + c[g, 1]*L[3,2], 1)")
	m.Labels = []string{"w"}
	p := build(t, m, pairs)
	got := fmt.Sprint(p.Labels.Vectors, p.Labels.OutputNames())
	if got != "[w mu] [w_labelled[1] w_labelled[2] mu_labelled[1] mu_labelled[2]]" {
		t.Error(got)
	}
	for _, name := range []string{"b", "L", "c"} {
		m.Labels = []string{name}
		if _, err := Build(m, strings.NewReader(pairs), "t.csv"); err == nil || !strings.Contains(err.Error(), "is a matrix: labels are those") {
			t.Errorf("%s: %v", name, err)
		}
	}
	// an order of entries that are not alike is kept by chance, and not by sorting
	q := build(t, model([]Parameter{{Name: "c", Shape: "ordered(2)", Prior: "multi_normal([0, 1], [[1, 0.2], [0.2, 1]])"}},
		"u ~ normal(c[1] + c[2], 1)"), pairs)
	if alike, log := q.Alike(q.Prior.Lower, q.Prior.Upper); alike != nil || log != 0 {
		t.Errorf("alike are %v, %v", alike, log)
	}
}

// Faults of joint laws and matrices say what is wrong, and where in the text.
func TestJointFaults(t *testing.T) {
	parameters := []Parameter{{Name: "m[2]"}, {Name: "k[3]"}, {Name: "s"}, {Name: "L", Shape: "cholesky_corr(2)"},
		{Name: "b[g, 2]"}, {Name: "d[2,2]"}, {Name: "e[g, X]"}}
	const good = "[u, v] ~ multi_normal_cholesky(m, L)"
	for _, c := range []struct {
		likelihood string
		offset     int
		want       string
	}{
		{"[u, u] ~ multi_normal_cholesky(m, L)", 4, "u stands there twice"},
		{"[u+v, v , u + v] ~ multi_normal_cholesky(k, L)", 41, "mu of multi_normal_cholesky has 3 entries, and L 2 rows and columns"},
		{"[u+v, v , u + v] ~ multi_normal(k, [[1, 0, 0], [0, 1, 0], [0, 0, 1]])", 10, "u + v stands there twice"},
		{"[u, w] ~ multi_normal_cholesky(m, L)", 4, `"w" is neither a parameter, nor a column`},
		{"[u, v] ~ multi_normal_cholesky([s, z], L)", 35, `"z" is neither`},
		{"[u, v] ~ multi_normal_cholesky(k, [[1, 0, 0], [0, 1, 0], [0, 0, 1]])", 0,
			"[u, v] has 2 columns, and mu of multi_normal_cholesky 3 entries"},
		{"[u, v] ~ multi_normal([1, 2], [[1, 0], [0.5, 1]])", 35, "Sigma of multi_normal is symmetric: [1,2] is 0, and [2,1] is 0.5"},
		{"[u, v] ~ multi_normal([1, s], [[1, 2], [2, 1]])", -1, "Sigma of multi_normal is not positive definite"},
		{"[u, v] ~ multi_normal([1, s], [[1, 0], [0, -1]])", -1, "Sigma[2,2] of multi_normal is positive; found -1"},
		{"[u, v] ~ multi_normal([1, 2], [[1, 0, 3], [0, 1]])", 30, "one of 3"},
		{"[u, v] ~ multi_normal([1, 2], [[1, 0]])", 30, "has 1 rows"},
		{"[u, v, u + v] ~ multi_normal([1, 2, 3], [[1, 0, 0], [0, 1, 0], [0]])", 40, "one of 1"},
		{"[u, v] ~ multi_normal_cholesky([1, 2], [[1, 1], [0, 1]])", 44, "is 0 above its diagonal; [1,2] is 1"},
		{"[u, v] ~ multi_normal_cholesky([1, 2], [[s, 0], [L[3,1], 1]])", 49, "L[3,1] is no entry of L, which has 2 rows and columns"},
		{"[u, v] ~ multi_normal_cholesky([1, 2], d)", 39, "is 0 above its diagonal; [1,2] is d[1,2]"},
		{"[u, v] ~ multi_normal_cholesky(s, L)", 31,
			`mu of multi_normal_cholesky is a list such as [a, b], or a parameter with as many entries; found "s"`},
		{"[u, v] ~ multi_normal_cholesky(b, L)", 31, `found "b"`},
		{"[u, v] ~ multi_normal_cholesky(d[3], L)", 31, `found "d[3]"`},
		{"[u, v] ~ multi_normal_cholesky(m, m)", 34, `L of multi_normal_cholesky is a matrix such as`},
		{"[u, v] ~ multi_normal_cholesky(m, diag_pre_multiply(k, L))", 34, "k has 3 entries, and L 2 rows"},
		{"[u, v] ~ multi_normal_cholesky(m, diag_pre_multiply(m))", 34, "diag_pre_multiply has 2 arguments"},
		{"[u, v] ~ multi_normal_cholesky(m)", 9, "write multi_normal_cholesky(mu, L)"},
		{"[u, v] ~ multi_normal_cholesky", 9, "write multi_normal_cholesky(mu, L)"},
		{"[u, v] ~ multi_normal_cholesky(m, L) T[0, ]", 9, "cannot be truncated"},
		{"[u, v] ~ multi_norml(m, L)", 9, "did you mean multi_normal?"},
		{"[u, v] ~ normal(m[1], 1)", 0, "normal is a law of one column: write a law of each"},
		{"u ~ multi_normal_cholesky(m, L)", 0, "multi_normal_cholesky is a law of several columns: write [u, v] ~ multi_normal_cholesky(…)"},
		{"u ~ mix(0.5, multi_normal_cholesky(m, L), 0.5, normal(0, 1))", 4, "laws of a mixture are of one number"},
		{"u ~ normal(L, 1)", 11, "L has several entries"},
		{"u ~ normal(sum(L), 1)", 15, "sum adds the entries"},
		{"u ~ normal(b[g], 1)", 11, "b is a matrix, an entry of which has two indices: write b[g, …]"},
		{"u ~ normal(b[g, 3], 1)", 11, "there is no entry b[g,3]"},
		{"u ~ normal(b[h, 1], 1)", -1, `the column "h" holds "1", and the parameter b[g, 2] has no such entry`},
		{"u ~ normal(X*b[g], 1)", 13, "it is multiplied by a parameter beta[X]"},
		{"u ~ normal(X*e, 1)", 13, "it is multiplied by a parameter e[X]"},
	} {
		m := model(parameters, c.likelihood)
		m.Let = []Let{{Name: "X", Columns: []string{"x"}}}
		m.Drop = true
		_, err := Build(m, strings.NewReader(pairs), "t.csv")
		at := -1
		if where := (*dynamics.ModelError)(nil); errors.As(err, &where) {
			at = where.Offset
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || at != c.offset {
			t.Errorf("%s: at %d: %v, want %q at %d", c.likelihood, at, err, c.want, c.offset)
		}
	}
	for prior, want := range map[Parameter]string{
		{Name: "q", Prior: "multi_normal(m, d)"}:                               "Sigma of multi_normal is symmetric",
		{Name: "q", Prior: "multi_normal_cholesky(m, L)"}:                      "is a law of several numbers, and q is one",
		{Name: "q[3]", Prior: "multi_normal_cholesky(m, L)"}:                   "mu of multi_normal_cholesky has 2 entries; q has 3",
		{Name: "q[2, 3]", Prior: "multi_normal_cholesky(m, L)"}:                "mu of multi_normal_cholesky has 2 entries; q has 3",
		{Name: "q", Shape: "simplex(2)", Prior: "multi_normal_cholesky(m, L)"}: "is no law of shares",
		{Name: "q[2]", Prior: "multi_normal([0, 0], [[1, 3], [3, 1]])"}:        "Sigma of multi_normal is not positive definite",
		{Name: "q[2]", Prior: "multi_normal([0, 0], [[0, 0], [0, 1]])"}:        "Sigma[1,1] of multi_normal is positive; found 0",
		{Name: "q[2]", Prior: "multi_normal_cholesky([0, q[1]], L)"}:           "of q is of q[1] itself",
		{Name: "q[1,2,3]"}:                                                       "has one index, or two of a matrix",
		{Name: "q[2,]"}:                                                          "has one index, or two of a matrix",
		{Name: "q[2, gg]"}:                                                       `no column "gg"`,
		{Name: "q[200, 200]"}:                                                    "has 40000 entries: at most 10000",
		{Name: "q", Shape: "cholesky_corr(1)"}:                                   "cholesky_corr(k) with k from 2 on",
		{Name: "q", Shape: "cholesky_corr(200)"}:                                 "has 19900 entries: at most 10000",
		{Name: "q[2]", Shape: "cholesky_corr(2)"}:                                "leave the brackets out",
		{Name: "q", Shape: "cholesky_corr(2)", Prior: "normal(0, 1)"}:            "is lkj_corr_cholesky(eta); found normal(0, 1)",
		{Name: "q", Shape: "cholesky_corr(2)", Prior: "lkj_corr_cholesky(0)"}:    "eta of lkj_corr_cholesky is a positive number",
		{Name: "q", Shape: "cholesky_corr(2)", Prior: "lkj_corr_cholesky(1, 2)"}: "eta of lkj_corr_cholesky is a positive number",
		{Name: "q", Prior: "lkj_corr_cholesky(1)"}:                               "is the prior of a cholesky_corr(k), and q is none",
	} {
		m := model(append(slices.Clone(parameters), prior), good)
		m.Let = []Let{{Name: "X", Columns: []string{"x"}}}
		m.Drop = true
		if _, err := Build(m, strings.NewReader(pairs), "t.csv"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", prior, err, want)
		}
	}
	// a covariance of columns is told by its line, levels with commas by their name
	m := model([]Parameter{{Name: "m[2]"}}, "[u, v] ~ multi_normal(m, [[1, x], [x, 1]])")
	told := func(m Model, table, want string) {
		t.Helper()
		if _, err := Build(m, strings.NewReader(table), "t.csv"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	told(m, "u,v,x\n1,2,0\n1,2,1.5\n", "t.csv:3: Sigma of multi_normal is not")
	m = model([]Parameter{{Name: "c[g, 2]"}}, "u ~ normal(c[g, 1], 1)")
	told(m, "g,u\n\"a,b\",1\nc,2\n", `"a,b" has a comma`)
	told(model(parameters[:6], good), pairs, "t.csv:4: the value of v is missing")
}
