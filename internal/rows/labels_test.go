package rows

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/combin"
	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/potential"
)

// The assignment is the best of all.
// Mutants it kills: assign without its potentials.
func TestAssign(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "n")
		cost := make([][]float64, n)
		for i := range cost {
			cost[i] = rapid.SliceOfN(rapid.Float64Range(-10, 10), n, n).Draw(t, "row")
		}
		sum := func(of []int) (s float64) {
			for i, j := range of {
				s += cost[i][j]
			}
			return s
		}
		got := assign(cost)
		if held := slices.Sorted(slices.Values(got)); !slices.Equal(held, numbers(n)) {
			t.Fatalf("%v holds a column twice", got)
		}
		for _, of := range combin.Permutations(n, n) {
			if sum(of) < sum(got)-1e-9 {
				t.Fatalf("%v costs %g, %v %g", got, sum(got), of, sum(of))
			}
		}
	})
}

// mixture is a posterior of three components.
func mixture(t *testing.T, labels ...string) *Posterior {
	t.Helper()
	m := Model{Parameters: []Parameter{free("a", "normal(0, 1)"), free("mu[3]", "normal(0, 5)"), free("sigma[3]", "half_normal(2)"),
		free("w", "")}, Labels: labels,
		LogLik: []string{"log(w[1]*exp(normal_lpdf(y, a + mu[1], sigma[1])) + w[2]*exp(normal_lpdf(y, a + mu[2], sigma[2])) + " +
			"w[3]*exp(normal_lpdf(y, a + mu[3], sigma[3])))"}}
	m.Parameters[3].Shape = "simplex(3)"
	p, err := Build(m, strings.NewReader("y\n-1\n0.2\n3\n"), "y.csv")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func free(name, prior string) Parameter {
	return Parameter{Name: name, Prior: prior, Min: math.Inf(-1), Max: math.Inf(1)}
}

// Draws of known components whose entries change places at random get their places back,
// numbered by the means of the first vector, also where no vector alone tells all components apart:
// the first two have one mean, the last two one standard deviation.
// Mutants it kills: laws that stay where they began; labels in the order of the first draw.
func TestLabels(t *testing.T) {
	p := mixture(t, "mu", "sigma", "w")
	rng := rand.New(rand.NewPCG(1, 2))
	var states, want [][]float64
	for range 500 {
		a := rng.NormFloat64()
		mu := []float64{-2 + 0.1*rng.NormFloat64(), -1.9 + 0.1*rng.NormFloat64(), 3 + 0.5*rng.NormFloat64()}
		sigma := []float64{0.5 + 0.05*rng.Float64(), 2 + 0.3*rng.NormFloat64(), 2 + 0.3*rng.NormFloat64()}
		w := []float64{0.2, 0.3, 0.5}
		want = append(want, slices.Concat(mu, sigma, w))
		x := slices.Concat([]float64{a}, mu, sigma, w)
		p.Labels.Shuffle(x, rng)
		states = append(states, x)
	}
	relabelled(t, p, states, want)
	names := p.Labels.OutputNames()
	if len(names) != 9 || names[0] != "mu_labelled[1]" || names[8] != "w_labelled[3]" {
		t.Errorf("names %v", names)
	}
}

// relabelled fails where outputs of states are not those that are wanted.
func relabelled(t *testing.T, p *Posterior, states, want [][]float64) {
	t.Helper()
	got, err := p.Labels.Outputs(states, 0)
	if err != nil {
		t.Fatal(err)
	}
	for s := range want {
		if !slices.Equal(got[s], want[s]) {
			t.Fatalf("draw %d is %v, was %v", s, got[s], want[s])
		}
	}
}

// A component that is known well keeps its place though another, of which less is known, is in a
// quarter of the draws on its other side.
// Mutants it kills: a distance that forgets the spread; a fit from one draw alone.
func TestLabelsBySpread(t *testing.T) {
	p := mixture(t, "mu", "sigma")
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(seed, 4))
		uniform := func(lo, hi float64) float64 { return lo + (hi-lo)*rng.Float64() }
		var states, want [][]float64
		for i := range 600 {
			wide := uniform(0.4, 3)
			if i%4 == 3 {
				wide = uniform(-1, -0.4)
			}
			mu := []float64{uniform(-0.1, 0.1), wide, uniform(19, 21)}
			sigma := []float64{uniform(0.9, 1.1), uniform(0.9, 1.1), uniform(0.9, 1.1)}
			want = append(want, slices.Concat(mu, sigma))
			x := slices.Concat([]float64{0}, mu, sigma, []float64{0.3, 0.3, 0.4})
			p.Labels.Shuffle(x, rng)
			states = append(states, x)
		}
		relabelled(t, p, states, want)
	}
}

// Which label an entry bears in a draw does not matter, and draws keep their numbers.
// Mutants it kills: laws that stay where they began.
func TestLabelsForgetWhatWasSaid(t *testing.T) {
	p := mixture(t, "mu", "sigma", "w")
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		n := rapid.IntRange(1, 60).Draw(t, "draws")
		gap := rapid.Float64Range(3, 10).Draw(t, "gap")
		var one, two [][]float64
		for range n {
			x := []float64{0, rng.NormFloat64() / 4, gap + rng.NormFloat64()/4, 2*gap + rng.NormFloat64()/4}
			for range 2 {
				x = append(x, 0.2+0.02*rng.Float64(), 0.3+0.02*rng.Float64(), 0.5)
			}
			y := slices.Clone(x)
			p.Labels.Shuffle(y, rng)
			one, two = append(one, x), append(two, y)
		}
		a, _ := p.Labels.Outputs(one, 0)
		b, _ := p.Labels.Outputs(two, 0)
		for s := range a {
			if !slices.Equal(a[s], b[s]) {
				t.Fatalf("draw %d is %v, and with other labels %v", s, a[s], b[s])
			}
		}
	})
}

// One vector that is named brings those with the same entries along, and not more.
func TestLabelsOfOneVector(t *testing.T) {
	if got := fmt.Sprint(mixture(t, "w").Labels.Vectors); got != "[w mu sigma]" {
		t.Errorf("labels of %s", got)
	}
	if got := fmt.Sprint(mixture(t, "mu", "sigma").Labels.Vectors); got != "[mu sigma]" {
		t.Errorf("labels of %s", got)
	}
}

// Components are alike where the density does not change as they change places: not where
// weights stay behind, nor where a constraint has them in order.
// Mutants it kills: Alike that compares nothing.
func TestComponentsAreAlike(t *testing.T) {
	x := []float64{0.3, -1, 0.2, 2.5, 0.5, 1, 1.5, 0.2, 0.3, 0.5}
	p := mixture(t, "w")
	if tells, err := p.Labels.Alike(x, everywhere); !tells || err != nil {
		t.Errorf("tells %v, %v", tells, err)
	}
	if _, err := p.Labels.Alike(x, func(x []float64) bool { return x[1] < x[2] }); err == nil || !strings.Contains(err.Error(), "1 and 2 of w, mu, sigma apart") {
		t.Errorf("in order: %v", err)
	}
	if _, err := mixture(t, "mu", "sigma").Labels.Alike(x, everywhere); err == nil || !strings.Contains(err.Error(), "1 and 2 of mu, sigma are not alike") {
		t.Errorf("weights stay behind: %v", err)
	}
	other := mixture(t, "w")
	prior, err := potential.Formula("`mu[1]`", other.Names...)
	if err != nil {
		t.Fatal(err)
	}
	other.Labels.priors = prior
	if _, err := other.Labels.Alike(x, everywhere); err == nil || !strings.Contains(err.Error(), "the priors tell 1 and 2 of w, mu, sigma apart") {
		t.Errorf("other priors: %v", err)
	}
	if tells, err := p.Labels.Alike([]float64{math.NaN(), -1, 0.2, 2.5, 0.5, 1, 1.5, 0.2, 0.3, 0.5}, everywhere); tells || err != nil {
		t.Errorf("where the density is NaN: tells %v, %v", tells, err)
	}
}

// Labels that are refused for vectors that they lack, or have too many of, are told with those that would do.
// Mutants: advice that would be refused.
func TestAdviceOnLabels(t *testing.T) {
	x := []float64{0.3, -1, 0.2, 2.5, 0.5, 1, 1.5, 0.2, 0.3, 0.5, 0.7, 0.1, 0.4}
	const good = "[mu, sigma, w]"
	for labels, want := range map[string]string{"w": good, "mu sigma": good, "w mu sigma b": good, "b": "", "mu sigma w": "alike"} {
		m := model([]Parameter{{Name: "a"}, {Name: "mu[3]", Prior: "normal(0, 2)"}, {Name: "sigma[3]", Prior: "half_normal(2)"},
			{Name: "w", Shape: "simplex(3)"}, {Name: "b[3]", Prior: "normal(0, 1)"}},
			"y ~ mix(w[1], normal(mu[1], sigma[1]), w[2], normal(mu[2], sigma[2]), w[3], normal(mu[3], sigma[3]))",
			"y ~ normal(b[1] + 2*b[2] + 3*b[3] + a, 1)")
		m.Labels = strings.Fields(labels)
		_, err := build(t, m, "y\n1\n2\n").Labels.Alike(x, everywhere)
		said := "alike"
		if err != nil {
			_, said, _ = strings.Cut(err.Error(), "Here labels: ")
			said, _, _ = strings.Cut(said, " would do")
		}
		if said != want {
			t.Errorf("labels: %s: %v", labels, err)
		}
	}
}

// Of vectors that change places in two sets, each without the other, those of the first bear labels;
// where all were named they are told apart.
// Mutants it kills: sets in which one component alone changes places; the largest set.
func TestLabelsOfTwoMixtures(t *testing.T) {
	build := func(labels ...string) *Labels {
		m := Model{Parameters: []Parameter{free("w", ""), free("v", ""), free("mu[3]", "normal(0, 5)"), free("nu[3]", "normal(0, 5)"),
			free("spare[3]", "normal(0, 1)")}, Labels: labels,
			Likelihood: []string{"y ~ mix(w[1], normal(mu[1], 1), w[2], normal(mu[2], 1), w[3], normal(mu[3], 1))",
				"z ~ mix(v[1], normal(nu[1], 1), v[2], normal(nu[2], 1), v[3], normal(nu[3], 1))"}}
		m.Parameters[0].Shape, m.Parameters[1].Shape = "simplex(3)", "simplex(3)"
		p, err := Build(m, strings.NewReader("y,z\n-1,3\n0.2,1\n3,2\n"), "y.csv")
		if err != nil {
			t.Fatal(err)
		}
		return p.Labels
	}
	x := []float64{0.2, 0.3, 0.5, 0.1, 0.3, 0.6, -1, 0, 1, 2, 3, 4, 0.1, 0.2, 0.3}
	for _, c := range []struct {
		labels []string
		want   string
	}{
		{[]string{"w"}, "[w mu]"},
		{[]string{"nu"}, "[nu v]"},
		{[]string{"spare"}, "[spare]"},
		{[]string{"w", "mu"}, "[w mu]"},
		{[]string{"w", "mu", "v", "nu"}, "the entries of w, mu change places without those of v, nu"},
		{[]string{"w", "mu", "spare"}, "the entries of w, mu change places without those of spare"},
	} {
		l := build(c.labels...)
		var err error
		if parts := l.Alone(x, l.Parts()); len(parts) > 0 {
			err = l.Only(parts)
		}
		if got := fmt.Sprint(l.Vectors); err == nil && got != c.want || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %s, %v, want %s", c.labels, got, err, c.want)
		}
	}
}

// Images are the other orders of the components, by the same maps for every point.
func TestImages(t *testing.T) {
	p := mixture(t, "w")
	images := p.Labels.Images([]float64{9, 1, 2, 3, 1, 2, 3, 1, 2, 3})
	seen := map[string]bool{}
	for _, x := range images {
		if seen[fmt.Sprint(x)] = true; x[0] != 9 || !slices.Equal(x[1:4], x[4:7]) || !slices.Equal(x[1:4], x[7:]) {
			t.Errorf("%v is no image", x)
		}
	}
	if len(seen) != 5 || seen[fmt.Sprint([]float64{9, 1, 2, 3, 1, 2, 3, 1, 2, 3})] {
		t.Errorf("%v are not the five others", images)
	}
}

// Each of the six orders has the same probability; components stay whole. Of χ² with 5 degrees
// of freedom 7e-7 lie beyond 36.9.
// Mutants it kills: orders that are not all as likely; a vector that goes alone.
func TestShuffle(t *testing.T) {
	p := mixture(t, "w")
	rng := rand.New(rand.NewPCG(5, 6))
	const n = 6000
	counts := map[string]int{}
	for range n {
		x := []float64{9, 1, 2, 3, 1.1, 2.1, 3.1, 1.2, 2.2, 3.2}
		p.Labels.Shuffle(x, rng)
		for k := 1; k <= 3; k++ {
			if x[0] != 9 || x[k+3] != x[k]+0.1 || x[k+6] != x[k]+0.2 {
				t.Fatalf("shuffled to %v", x)
			}
		}
		counts[fmt.Sprint(x[1:4])]++
	}
	chi := 0.0
	for _, c := range counts {
		chi += (float64(c) - n/6) * (float64(c) - n/6) / (n / 6)
	}
	if len(counts) != 6 || !(chi < 36.9) {
		t.Errorf("orders %v: χ² is %.1f", counts, chi)
	}
}
