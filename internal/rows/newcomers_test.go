package rows

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// standardNormal fails where numbers are not those of independent standard normal variables: their distribution
// function is off by 2.7/√n at most, but for 9e-7 of all samples.
func standardNormal(t *testing.T, what string, z []float64) {
	t.Helper()
	z = slices.Sorted(slices.Values(z))
	most, n := 0.0, float64(len(z))
	for i, v := range z {
		p := distuv.UnitNormal.CDF(v)
		most = max(most, math.Abs(p-float64(i)/n), math.Abs(float64(i+1)/n-p))
	}
	if !(most*math.Sqrt(n) < 2.7) {
		t.Errorf("%s: off by %.2f/√n", what, most*math.Sqrt(n))
	}
}

// Entries for levels that a model has not seen have the law of their prior given the parameters of each draw, be
// it of one number, cut by walls, of numbers alone or of a row together; rows of one level share them, levels of
// different ones do not, and levels that are known keep theirs.
// Mutants: a level drawn for each row; arguments of the first draw; walls that are left out; rows of which each
// entry is drawn by itself.
func TestNewLevels(t *testing.T) {
	const table = "site,y\nA,1\nB,2\n"
	m := model([]Parameter{{Name: "c[site]", Prior: "normal(m, s)"}, {Name: "z[site]", Prior: "normal(2, 3)"},
		{Name: "p[site]", Prior: "normal(m, s)", Min: 0, Max: math.Inf(1)},
		{Name: "b[site, 2]", Prior: "multi_normal_cholesky([m, 0], [[s, 0], [1, 2]])"},
		{Name: "m", Prior: "normal(0, 1)"}, {Name: "s", Prior: "half_normal(1)"}},
		"y ~ normal(c[site], 1e-12)", "log(y) ~ normal(z[site], 1e-12)", "y^2 ~ normal(p[site], 1e-12)",
		"y^3 ~ normal(b[site, 1], 1e-12)", "y^4 ~ normal(b[site, 2], 1e-12)")
	p := build(t, m, table)
	o, err := p.On(strings.NewReader("site\nD\nE\nB\nD\n"), "new.csv")
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(o.New); got != "[{site [D E]}]" {
		t.Errorf("new levels %s", got)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var states [][]float64
	at := func(x []float64, name string) float64 { return x[slices.Index(p.Names, name)] }
	for range 4000 {
		x := make([]float64, len(p.Names))
		for j := range x {
			x[j] = rng.NormFloat64()
		}
		x[len(x)-2], x[len(x)-1] = 2*rng.Float64()-1, 0.5+rng.Float64() // with enough mass above 0
		states = append(states, x)
	}
	drawn, err := o.Draw(context.Background(), states, rng)
	if err != nil {
		t.Fatal(err)
	}
	z := map[string][]float64{}
	add := func(what string, v float64) { z[what] = append(z[what], v) }
	for k, x := range states {
		mu, s := at(x, "m"), at(x, "s")
		for i, name := range []string{"c[B]", "z[B]", "p[B]", "b[B,1]", "b[B,2]"} {
			v := drawn[i][k]
			if math.Abs(v[2]-at(x, name)) > 1e-9 || math.Abs(v[0]-v[3]) > 1e-9 || v[0] == v[1] {
				t.Fatalf("outcome %d at draw %d: %v, and %s is %v", i, k, v, name, at(x, name))
			}
		}
		for l, level := range []string{"D", "E"} {
			add("c "+level, (drawn[0][k][l]-mu)/s)
			add("z "+level, (drawn[1][k][l]-2)/3)
			v, below := (drawn[2][k][l]-mu)/s, distuv.UnitNormal.CDF(-mu/s)
			add("p "+level, distuv.UnitNormal.Quantile((distuv.UnitNormal.CDF(v)-below)/(1-below)))
			first := (drawn[3][k][l] - mu) / s
			second := (drawn[4][k][l] - first) / 2
			add("first of b "+level, first)
			add("second of b "+level, second)
			add("sum of b "+level, (first+second)/math.Sqrt2)
		}
		add("c of both", (drawn[0][k][0]-drawn[0][k][1])/(s*math.Sqrt2))
	}
	for what, v := range z {
		standardNormal(t, what, v)
	}
}

// Entries that have no prior to be drawn from, or one of all of them together, are refused for new levels, with
// file and line.
func TestNewLevelsWithoutALaw(t *testing.T) {
	for prior, want := range map[string]string{
		"": `new.csv:3: the column "site" holds "D", and the parameter c[site] has no such entry, nor a prior that one can be drawn from, ` +
			`such as normal(m, s) with parameters m and s`,
		"multi_normal([a, 0], [[1, 0], [0, 1]])": `has no such entry, nor can one be drawn: its prior multi_normal is of all entries together`,
	} {
		m := model([]Parameter{{Name: "c[site]", Prior: prior}, {Name: "a", Prior: "normal(0, 1)"}}, "y ~ normal(c[site], 1)")
		p := build(t, m, "site,y\nA,1\nB,2\n")
		if strings.HasPrefix(prior, "multi") { // of a vector whose entries are known once the data are
			if _, err := p.On(strings.NewReader("site\nA\nB\n"), "new.csv"); err != nil {
				t.Error(err)
			}
		}
		if _, err := p.On(strings.NewReader("site\nA\nD\n"), "new.csv"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", prior, err, want)
		}
	}
	m := model([]Parameter{{Name: "b[site, 2]", Prior: "normal(0, 1)"}}, "y ~ normal(b[site, kind], 1)")
	p := build(t, m, "site,kind,y\nA,1,1\nB,2,2\n")
	const want = `the column "kind" holds "3", and the parameter b[site, 2] has no such entry`
	if _, err := p.On(strings.NewReader("site,kind\nA,3\n"), "new.csv"); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("an index that counts: %v, want %q", err, want)
	}
}
