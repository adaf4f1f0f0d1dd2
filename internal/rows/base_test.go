package rows

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// The law of priors has the density that they say and draws of that.
func TestBase(t *testing.T) {
	p := build(t, model([]Parameter{
		{Name: "c[site]", Prior: "normal(m, 2*s)"}, // said before what it is of
		{Name: "m", Prior: "normal(1, 3)"},
		{Name: "s", Prior: "half_normal(1)", Min: 0.5, Max: math.Inf(1)},
		{Name: "f", Prior: "flat", Min: -1, Max: 3},
	}, "deaths ~ normal(c[site] + f, 1)"), trial)
	b, _ := p.Base(p.Prior.Lower, p.Prior.Upper)
	if b == nil {
		t.Fatal("there is no law of the priors")
	}
	d := len(p.Names)
	m, s, f := slices.Index(p.Names, "m"), slices.Index(p.Names, "s"), slices.Index(p.Names, "f")
	x, u, g := make([]float64, d), make([]float64, 1), make([]float64, d)
	for j := range x {
		x[j] = 0.25 * float64(j+1)
	}
	x[s] = 0.75
	b.Potential.Evaluator(1, nil).Eval(u, g, x)
	mass := math.Log(2 * (1 - distuv.UnitNormal.CDF(0.5)))
	want := -normalLog(x[m], 1, 3) - (math.Ln2 + normalLog(x[s], 0, 1)) + mass + math.Log(4)
	for j := range x {
		if j != m && j != s && j != f {
			want -= normalLog(x[j], x[m], 2*x[s])
		}
	}
	if math.Abs(u[0]-want) > 1e-12*math.Abs(want) || math.Abs(b.LogMass-mass-math.Log(4)) > 1e-12 {
		t.Errorf("−log density is %v, want %v; log mass %v", u[0], want, b.LogMass)
	}
	const n = 20_000
	rng := rand.New(rand.NewPCG(1, 1))
	// what has the law of a uniform number: Kolmogorov's bound has 5e-8 for each
	marginals := make([][]float64, 4)
	for range n {
		b.Draw(x, rng)
		cut := 1 - distuv.UnitNormal.CDF(0.5)
		for k, v := range []float64{distuv.UnitNormal.CDF((x[m] - 1) / 3), (distuv.UnitNormal.CDF(x[s]) - 1 + cut) / cut, (x[f] + 1) / 4,
			distuv.UnitNormal.CDF((x[0] - x[m]) / (2 * x[s]))} {
			marginals[k] = append(marginals[k], v)
		}
	}
	for k, v := range marginals {
		slices.Sort(v)
		for i, p := range v {
			if off := math.Abs(p - (float64(i)+0.5)/n); !(off < 2.95/math.Sqrt(n)) {
				t.Fatalf("marginal %d is off by %.3f", k, off)
			}
		}
	}
}

// Shares are drawn by their Dirichlet law, beside priors of other kinds, and the law of all is
// normalised on the simplex: its density is that of shares but the last, less the logarithm of the area.
// Mutants: shares of other weights; a density in the shadow of the simplex.
func TestBaseOfShares(t *testing.T) {
	alpha := []float64{0.7, 2, 4}
	p := build(t, model([]Parameter{{Name: "w", Shape: "simplex(3)", Prior: "dirichlet(0.7, 2, 4)"}, {Name: "a", Prior: "normal(1, 3)"}},
		"deaths ~ normal(a, w[1] + w[2])"), trial)
	b, _ := p.Base(p.Prior.Lower, p.Prior.Upper)
	if b == nil {
		t.Fatal("there is no law of the priors")
	}
	x, u, g := []float64{0.2, 0.3, 0.5, 2}, make([]float64, 1), make([]float64, 4)
	b.Potential.Evaluator(1, nil).Eval(u, g, x)
	want := math.Log(3)/2 - normalLog(2, 1, 3)
	for k, a := range append(alpha, 6.7) {
		log, _ := math.Lgamma(a)
		if k == 3 {
			log = -log
		} else {
			log -= (a - 1) * math.Log(x[k])
		}
		want += log
	}
	if math.Abs(u[0]-want) > 1e-12 || math.Abs(b.LogMass-math.Log(3)/2) > 1e-12 {
		t.Errorf("−log density is %v, want %v; log mass %v", u[0], want, b.LogMass)
	}
	const n = 20_000
	rng := rand.New(rand.NewPCG(1, 1))
	marginals := make([][]float64, 3)
	for range n {
		b.Draw(x, rng)
		if math.Abs(x[0]+x[1]+x[2]-1) > 1e-12 {
			t.Fatalf("shares %v", x)
		}
		for k, a := range alpha { // a share has a beta law
			marginals[k] = append(marginals[k], distuv.Beta{Alpha: a, Beta: 6.7 - a}.CDF(x[k]))
		}
	}
	for k, v := range marginals {
		slices.Sort(v)
		for i, p := range v { // Kolmogorov's bound has 5e-8 for each
			if off := math.Abs(p - (float64(i)+0.5)/n); !(off < 2.95/math.Sqrt(n)) {
				t.Fatalf("share %d is off by %.3f", k, off)
			}
		}
	}
}

// Priors that have no law to draw from give none.
func TestNoBase(t *testing.T) {
	for name, of := range map[string][]Parameter{
		"numbers alone":         {{Name: "a", Prior: "normal(0, 1)"}},
		"flat without walls":    {{Name: "a", Prior: "normal(b, 1)"}, {Name: "b", Prior: "flat"}},
		"in a circle":           {{Name: "a", Prior: "normal(b, 1)"}, {Name: "b", Prior: "normal(a, 1)"}},
		"a scale less than 0":   {{Name: "a", Prior: "normal(0, b)"}, {Name: "b", Prior: "normal(0, 1)"}},
		"a shape less than 0":   {{Name: "a", Prior: "gamma(b, 1)"}, {Name: "b", Prior: "normal(2, 1)"}},
		"nothing within a wall": {{Name: "a", Prior: "normal(b, 1)", Min: 1e9, Max: math.Inf(1)}, {Name: "b", Prior: "normal(0, 1)"}},
	} {
		p := build(t, model(of, "deaths ~ normal(a, 1)"), trial)
		if b, _ := p.Base(p.Prior.Lower, p.Prior.Upper); b != nil {
			t.Errorf("%s: there is a law", name)
		}
	}
}

// Only entries of one law are alike: walls of one's own, and parameters without an order, are not.
func TestAlike(t *testing.T) {
	const table = "y\n1\n2\n"
	p := build(t, model([]Parameter{{Name: "a", Prior: "normal(0, 1)"}, {Name: "c", Shape: "ordered(3)", Prior: "normal(0, 2)"},
		{Name: "d", Shape: "positive_ordered(2)", Prior: "normal(a, 1)"}, {Name: "e[2]", Prior: "normal(0, 1)"}}, "y ~ normal(a + c[1] + d[1] + e[1], 1)"), table)
	free := func() (lo, hi []float64) {
		for range p.Names {
			lo, hi = append(lo, math.Inf(-1)), append(hi, math.Inf(1))
		}
		return lo, hi
	}
	lo, hi := free()
	if alike, log := p.Alike(lo, hi); len(alike) != 2 || !slices.Equal(alike[0], []int{1, 2, 3}) || !slices.Equal(alike[1], []int{4, 5}) ||
		math.Abs(log+math.Log(12)) > 1e-14 {
		t.Errorf("alike are %v, log %v, want [1 2 3] [4 5], −log 12", alike, log)
	}
	lo[2] = 0
	if alike, log := p.Alike(lo, hi); len(alike) != 1 || math.Abs(log+math.Ln2) > 1e-14 {
		t.Errorf("with a wall of c[2] alike are %v, log %v", alike, log)
	}
	x := []float64{9, 3, 1, 2, 5, 4, 1, 0}
	if Sort(x, [][]int{{1, 2, 3}, {4, 5}}); !slices.Equal(x, []float64{9, 1, 2, 3, 4, 5, 1, 0}) {
		t.Errorf("sorted: %v", x)
	}
	lo, hi = free()
	draw, rng := p.Draws(lo, hi), rand.New(rand.NewPCG(3, 3))
	for range 100 {
		if draw(x, rng); !(x[1] <= x[2] && x[2] <= x[3] && x[4] <= x[5]) {
			t.Fatalf("drawn out of order: %v", x)
		}
	}
}

// Shares that round to 0 have a density, or −log of it is +∞, and slopes that are numbers where it is one:
// of Dirichlet priors, of mixtures and of counts that were not seen. Priors of small α draw them, and
// where all gamma numbers round to 0, one share is 1 as often as its part of the α.
// Mutants: shares that are 0/0; logarithms of 0; slopes of 0/0.
func TestSharesThatAreZero(t *testing.T) {
	for _, likelihood := range []string{"y ~ mix(w[1], normal(0, 1), w[2], normal(1, 2), w[3], normal(3, 1))",
		"y ~ mix(w[1], normal(0, 1), w[2], normal(1, 2), w[3], normal(90, 1))",
		"y ~ mix(w[1], poisson(1), w[2] + w[3], poisson(2))", "k ~ binomial(4, w[1])", "k ~ poisson(w[1])", "k ~ binomial(0, 1 - w[2])",
		"c ~ categorical(w)", "k ~ neg_binomial_2(w[1], 2)"} {
		for _, alpha := range []string{"0.01, 0.01, 0.01", "3, 1, 0.5", "1, 1, 1"} {
			p := build(t, model([]Parameter{{Name: "w", Shape: "simplex(3)", Prior: "dirichlet(" + alpha + ")"}}, likelihood),
				"y,k,c\n1,0,2\n2,0,2\n")
			u, g := make([]float64, 1), make([]float64, 3)
			for _, x := range [][]float64{{0, 1, 0}, {0, 0.5, 0.5}, {-1e-17, 0, 1}, {1e-320, 1, 1e-310}, {-1e-17, 1, 1e-17}, {0.3, 0.3, 0.4}} {
				p.Potential.Evaluator(1, nil).Eval(u, g, x)
				if u[0] != u[0] || math.IsInf(u[0], -1) || x[0] >= 0.3 && u[0]-u[0] != 0 ||
					slices.ContainsFunc(g, func(v float64) bool { return v != v && u[0]-u[0] == 0 }) {
					t.Errorf("%s, dirichlet(%s) at %v: energy %v, slopes %v", likelihood, alpha, x, u, g)
				}
				if flat := alpha == "1, 1, 1"; x[0] == 0 && flat && u[0]-u[0] != 0 || x[0] <= 0 && !flat && !math.IsInf(u[0], 1) {
					t.Errorf("%s, dirichlet(%s) at %v: energy %v", likelihood, alpha, x, u)
				}
			}
		}
	}
	const n = 20_000
	c, rng, first := composition{[]int{0, 1}, []float64{2e-4, 6e-4}}, rand.New(rand.NewPCG(1, 1)), 0.0
	for range n {
		x := []float64{0, 0}
		c.draw(x, rng)
		if !(math.Abs(x[0]+x[1]-1) < 1e-15) {
			t.Fatalf("shares %v", x)
		}
		first += x[0] / n
	}
	if z := (first - 0.25) / math.Sqrt(0.25*0.75/n); !(math.Abs(z) < 5.5) { // a share has the mean α/Σα, and at most this spread
		t.Errorf("the mean of the first share is %v, want 1/4", first)
	}
}
