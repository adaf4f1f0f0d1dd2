package dynamics

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// A spring that hardens, driven: x″ = −x³ − 0.1x′ + 2 cos t, after its start.
func spring(k Equation, start []Value) trial {
	return trial{start: []float64{2, 0, 1, 0}, noise: []float64{0.15, 0.3, 1e-9, 1e-9},
		right: func(d, x []float64) {
			d[0], d[1], d[2], d[3] = x[1], -x[0]*x[0]*x[0]-0.1*x[1]+2*x[2], -x[3], x[2]
		},
		model: Model{States: []string{"x", "v", "c", "s"}, Likelihood: "weak", Equations: []Equation{k}, Start: start}}
}

// chaos are the x and y of the Lorenz system with noise of a fifth of their spread,
// of which the first equation alone is asked for: they are nearly collinear.
func chaos() trial {
	return trial{start: []float64{-8, 8, 27}, noise: []float64{1.6, 1.8, 1},
		right: func(d, x []float64) {
			d[0], d[1], d[2] = 10*(x[1]-x[0]), x[0]*(28-x[2])-x[1], x[0]*x[1]-8./3*x[2]
		},
		model:      Model{States: []string{"x", "y", "z"}, Likelihood: "weak", Equations: []Equation{{"x", "a*x + b*y"}}},
		parameters: []float64{-10, 10}}
}

// The mean error of estimates from data with noise ε and with −ε is what its square
// adds, in standard deviations; first orders cancel. On average over 4 pairs, which
// scatters by less than 0.06, it is at most 0.35, and without correction 1.5 (chaos,
// pulled towards 0) and 1.2 (spring, by the variance in the cube). Kills corrections
// of half or twice the size or of the wrong sign, and targets that are not moved by it.
func TestSquaresOfNoiseAreTakenOut(t *testing.T) {
	pace.Slow(t)
	duffing := spring(Equation{"v", "a*x^3 + b*v + e*c"}, nil)
	duffing.parameters = []float64{-1, -0.1, 2}
	curved := spring(Equation{"v", "-exp(a)*x^3 - b*v + e*c"}, []Value{{"a", 0.1}, {"b", 0.2}, {"e", 1.5}})
	curved.parameters = []float64{0, 0.1, 2}
	for name, c := range map[string]trial{"chaos": chaos(), "spring": duffing, "spring, not linear": curved} {
		h, n := 0.01, 2000
		if name != "chaos" {
			h, n = 0.05, 1200
		}
		times := evenTimes(n, h)
		clean := c.clean(times)
		rng := rand.New(rand.NewPCG(21, 7))
		const pairs = 4
		sum := make([]float64, len(c.parameters))
		for range pairs {
			s := c.series(rng, times, clean, 0)
			mirror := *s
			mirror.Values = map[string][]float64{}
			for k, name := range s.States {
				v := slices.Clone(s.Values[name])
				for i := range v {
					v[i] = 2*clean[k][i] - v[i]
				}
				mirror.Values[name] = v
			}
			for _, s := range []*Series{s, &mirror} {
				m := c.model
				p := must(Build(&m, s))
				if strings.Contains(strings.Join(p.Warnings, " "), "left in them") {
					t.Errorf("%s: %q", name, p.Warnings)
				}
				for j, v := range c.parameters {
					sum[j] += (p.Center[j] - v) / p.spread(j) / (2 * pairs)
				}
			}
		}
		for j, v := range sum {
			if math.Abs(v) > 0.35 {
				t.Errorf("%s: squares of noise move parameter %d by %.2f standard deviations", name, j, v)
			}
		}
	}
}

// The intervals of all seven coefficients of the Lorenz equations, with noise of 5 %,
// hold the truth in 86 to 94 of 100 repeats: counts within the 1e-7 quantiles of
// binomial laws, of each and of all together (repeats are independent; coefficients of
// one equation are not, so that all count as three). Kills intervals of half the width.
func TestCoverageOfChaos(t *testing.T) {
	pace.Slow(t)
	c := chaos()
	c.noise = []float64{0.4, 0.45, 0.43}
	c.model.Equations = []Equation{{"x", "a*x + b*y"}, {"y", "c*x + d*y + e*x*z"}, {"z", "f*z + g*x*y"}}
	c.parameters = []float64{-10, 10, 28, -1, -1, -8. / 3, 1}
	n := repeats(16)
	all := 0
	for j, z := range c.errors(t, evenTimes(1500, 0.01), n, 0) {
		inside := 0
		for _, v := range z {
			if math.Abs(v) < 1.6448536 {
				inside++
			}
		}
		all += inside
		if inside < quantile(n, 0.86, 1e-7) {
			t.Errorf("parameter %d in %d of %d intervals", j, inside, n)
		}
		t.Logf("parameter %d in %d of %d intervals", j, inside, n)
	}
	if k := 3 * n; all*3/7 < quantile(k, 0.86, 1e-7) || all*3/7 > quantile(k, 0.94, 1-1e-7) {
		t.Errorf("%d of %d intervals", all, 7*n)
	}
}

// Where more noise takes states out of what a formula can do, the estimate is left as
// it is and a warning says so.
func TestSquaresOfNoiseThatCannotBeTold(t *testing.T) {
	c := predators(0.3)
	c.model.Likelihood = "weak"
	times := evenTimes(200, 0.1)
	s := c.series(rand.New(rand.NewPCG(8, 1)), times, c.clean(times), 0)
	least := slices.Min(s.Values["y"])
	for k := range s.Values["y"] {
		s.Values["y"][k] += 0.01 - least
	}
	c.model.Equations = []Equation{{"x", "alpha*x - beta*x*log(y)"}}
	p := must(Build(&c.model, s))
	const want = "what noise of the states adds to the estimates is left in them: with a quarter more of its variance, model.equations.x: " +
		"the coefficient of \"beta\" is NaN at"
	if !strings.Contains(strings.Join(p.Warnings, "\n"), want) {
		t.Errorf("%q", p.Warnings)
	}
	if !finite(p.Estimate) {
		t.Errorf("%v", p.Estimate)
	}
}
