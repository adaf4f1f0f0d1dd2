package tune

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/potential"
)

// A plain law is an energy with its gradient, and independent draws.
type plain struct {
	d    int
	u    func(grad, x []float64) float64
	draw func(x []float64, rng *rand.Rand)
}

// law is the problem.
func (p plain) law() r2sgld.Problem { return r2sgld.Problem{Potential: potential.Func(p.d, p.u)} }

// chains are four of so many draws each.
func (p plain) chains(n int) [][]float64 {
	out, rng := make([][]float64, 4), rand.New(rand.NewPCG(21, 22))
	x := make([]float64, p.d)
	for i := range out {
		for range n {
			p.draw(x, rng)
			out[i] = append(out[i], x...)
		}
	}
	return out
}

// single is a law of one variable, by its energy, its slope and its quantiles.
func single(u, slope, quantile func(x float64) float64) plain {
	return plain{1, func(grad, x []float64) float64 {
		grad[0] = slope(x[0])
		return u(x[0])
	}, func(x []float64, rng *rand.Rand) { x[0] = quantile(1 - rng.Float64()) }}
}

// student is Student's law of d variables, the normal law for ν = ∞, with correlation r between any two.
func student(d int, nu, r float64) plain {
	own, all := 1/(1-r), r/(1-r)/(1+float64(d-1)*r) // the inverse of the scale is own·1 − all
	u := func(grad, x []float64) float64 {
		for j, v := range x {
			grad[j] = own*v - all*floats.Sum(x)
		}
		s := floats.Dot(x, grad)
		if math.IsInf(nu, 1) {
			return s / 2
		}
		floats.Scale((nu+float64(d))/(nu+s), grad)
		return (nu + float64(d)) / 2 * math.Log1p(s/nu)
	}
	return plain{d, u, func(x []float64, rng *rand.Rand) {
		scale, common := 1.0, math.Sqrt(r)*rng.NormFloat64()
		if !math.IsInf(nu, 1) {
			scale = math.Sqrt(nu / distuv.ChiSquared{K: nu, Src: rng}.Rand())
		}
		for j := range x {
			x[j] = scale * (common + math.Sqrt(1-r)*rng.NormFloat64())
		}
	}}
}

// beside is a law of the variables of both, which are independent.
func (p plain) beside(q plain) plain {
	return plain{p.d + q.d, func(grad, x []float64) float64 { return p.u(grad[:p.d], x[:p.d]) + q.u(grad[p.d:], x[p.d:]) },
		func(x []float64, rng *rand.Rand) {
			p.draw(x[:p.d], rng)
			q.draw(x[p.d:], rng)
		}}
}

// within is p between two values, with an energy of +Inf beyond.
func (p plain) within(lo, hi float64) plain {
	return plain{p.d, func(grad, x []float64) float64 {
		if x[0] < lo || x[0] > hi {
			return math.Inf(1)
		}
		return p.u(grad, x)
	}, func(x []float64, rng *rand.Rand) {
		for p.draw(x, rng); x[0] < lo || x[0] > hi; p.draw(x, rng) {
		}
	}}
}

// upper is the half of a symmetric law.
func (p plain) upper() plain {
	return plain{p.d, p.u, func(x []float64, rng *rand.Rand) {
		p.draw(x, rng)
		x[0] = math.Abs(x[0])
	}}
}

// skewed is p below 0 and q above.
func (p plain) skewed(q plain) plain {
	return plain{1, func(grad, x []float64) float64 {
		if x[0] < 0 {
			return p.u(grad, x)
		}
		return q.u(grad, x)
	}, func(x []float64, rng *rand.Rand) {
		if p.draw(x, rng); rng.IntN(2) == 0 {
			q.draw(x, rng)
			x[0] = math.Abs(x[0])
			return
		}
		x[0] = -math.Abs(x[0])
	}}
}

// plains are laws of one variable, and of two parts of which three draws in a hundred have one ten times as wide.
func plains() (normal, laplace, logistic, exponential, uneven plain) {
	normal = student(1, math.Inf(1), 0)
	laplace = single(math.Abs, func(x float64) float64 { return math.Copysign(1, x) },
		func(p float64) float64 { return math.Copysign(math.Log(min(p, 1-p)*2), p-0.5) })
	logistic = single(func(x float64) float64 { return x + 2*math.Log1p(math.Exp(-x)) }, func(x float64) float64 { return math.Tanh(x / 2) },
		func(p float64) float64 { return math.Log(p / (1 - p)) })
	exponential = single(func(x float64) float64 { return x }, func(float64) float64 { return 1 },
		func(p float64) float64 { return -math.Log(p) })
	uneven = plain{1, func(grad, x []float64) float64 {
		a, b := 0.97*math.Exp(-x[0]*x[0]/2), 0.003*math.Exp(-x[0]*x[0]/200)
		grad[0] = x[0] * (a + b/100) / (a + b)
		return -math.Log(a + b)
	}, func(x []float64, rng *rand.Rand) {
		if x[0] = rng.NormFloat64(); rng.Float64() < 0.03 {
			x[0] *= 10
		}
	}}
	return normal, laplace, logistic, exponential, uneven
}

// Slopes tell power laws of 3 degrees of freedom and fewer, on the side where they are and in the
// variables that have them, whatever these depend on, and nothing that falls faster, has a bound or
// ends. Draws are independent. The slope of Student's law is less than the limit of its exponent at
// every draw, 4 at most; those of 5 degrees have 6x²/(5 + x²), 4.8 from the quantile that 1 in 400 lie
// beyond; exponential tails 1 + log(1/2p), 6.3 ± 0.32, the error being that of the quantile and of the
// mean of 20 draws beyond it: thresholds are 6 standard errors away or more.
func TestSlopes(t *testing.T) {
	normal, laplace, logistic, exponential, uneven := plains()
	inf := math.Inf(1)
	var none []int
	for _, c := range []struct {
		name   string
		law    plain
		lo, hi float64 // of the first variable
		want   []int
	}{
		{"2.2 degrees", student(1, 2.2, 0), -inf, inf, []int{0}},
		{"2.5 degrees", student(1, 2.5, 0), -inf, inf, []int{0}},
		{"3 degrees", student(1, 3, 0), -inf, inf, []int{0}},
		{"5 degrees", student(1, 5, 0), -inf, inf, none},
		{"10 degrees", student(1, 10, 0), -inf, inf, none},
		{"Cauchy", student(1, 1, 0), -inf, inf, []int{0}},
		{"half of 2.5 degrees", student(1, 2.5, 0).upper(), 0, inf, []int{0}},
		{"2.5 degrees, with an energy of +Inf below 0", student(1, 2.5, 0).within(0, inf), -inf, inf, []int{0}},
		{"2.5 degrees below 0", student(1, 2.5, 0).skewed(normal), -inf, inf, []int{0}},
		{"2.5 degrees above 0", normal.skewed(student(1, 2.5, 0)), -inf, inf, []int{0}},
		{"2.5 degrees above 0, below a wall", normal.skewed(student(1, 2.5, 0)), -inf, 1e9, none},
		{"2.5 degrees between walls", student(1, 2.5, 0), -1e9, 1e9, none},
		{"two of 2.5 degrees", student(2, 2.5, 0.9), -inf, inf, []int{0, 1}},
		{"five of 2.5 degrees", student(5, 2.5, 0.5), -inf, inf, []int{0, 1, 2, 3, 4}},
		{"one beside five normal ones", student(1, 2.5, 0).beside(student(5, inf, 0.9)), -inf, inf, []int{0}},
		{"one beside forty normal ones", student(40, inf, 0.5).beside(student(1, 2.5, 0)), -inf, inf, []int{40}},
		{"normal", normal, -inf, inf, none},
		{"normal, depending on each other", student(2, inf, 0.99), -inf, inf, none},
		{"Laplace", laplace, -inf, inf, none},
		{"two of Laplace", laplace.beside(laplace), -inf, inf, none},
		{"logistic", logistic, -inf, inf, none},
		{"exponential", exponential, 0, inf, none},
		{"normal, with an energy of +Inf farther out", normal.within(-1.5, 1.5), -inf, inf, none},
		{"a narrow part and a wide one", uneven, -inf, inf, none},
	} {
		p := c.law.law()
		if c.lo > -inf || c.hi < inf {
			p.Domain = box(t, []float64{c.lo}, []float64{c.hi})
		}
		got := none
		for j, s := range slopesFarOut(t.Context(), p, r2sgld.Settings{}, c.law.chains(2000)) {
			if s.Heavy() {
				got = append(got, j)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: heavy are %v, want %v", c.name, got, c.want)
		}
	}
}

// Exponents are those of the density: 2 of Cauchy's law, by 0.01 for the farthest 20 of 8,000 draws lie
// beyond 100 and their median within 0.1 of 0; of Laplace's as in TestSlopes, where fewer draws may be
// effective and the smaller one of two sides is told. It needs 2,000 effective draws, all of the energy,
// and to know what keeps draws in.
func TestSlopesTellExponents(t *testing.T) {
	_, laplace, _, _, _ := plains()
	cauchy, five := student(1, 1, 0), student(1, 5, 0)
	of := func(p r2sgld.Problem, law plain, n int) []Slope {
		return slopesFarOut(t.Context(), p, r2sgld.Settings{}, law.chains(n))
	}
	if s := of(cauchy.law(), cauchy, 2000)[0]; !(math.Abs(s.Exponent-2) < 0.01) {
		t.Errorf("Cauchy: %+v", s)
	}
	if s := of(laplace.law(), laplace, 2000)[0]; !(math.Abs(s.Exponent-6) < 2) {
		t.Errorf("Laplace: %+v", s)
	}
	if s := of(cauchy.law(), cauchy, 300)[0]; s.Exponent == s.Exponent || s.Heavy() {
		t.Errorf("of 1,200 draws: %+v", s)
	}
	half := plain{1, func(grad, x []float64) float64 {
		u := five.u(grad, x) / 2
		grad[0] /= 2
		return u
	}, five.draw}
	p := half.law()
	p.Base = &r2sgld.Base{Potential: p.Potential}
	if s := of(p, five, 2000)[0]; !(s.Exponent > 4.5) {
		t.Errorf("half of the energy in the law that ladders begin at: %+v", s)
	}
	plane, err := domain.NewHalfSpace([]float64{1, 1}, 5)
	if err != nil {
		t.Fatal(err)
	}
	pair := student(2, 2.5, 0)
	cut, charted, noisy := pair.law(), pair.law(), pair.law()
	cut.Domain, charted.Chart, noisy.Potential = plane, &r2sgld.Chart{}, potential.Noisy(pair.law().Potential, 1, 0)
	for name, p := range map[string]r2sgld.Problem{"a wall of two variables": cut, "other coordinates": charted, "noise": noisy} {
		if s := of(p, pair, 2000); s != nil {
			t.Errorf("%s: %+v", name, s)
		}
	}
	for s, want := range map[Slope]bool{{3.9, 0.04}: true, {3.9, 0.06}: false, {}: false, {math.NaN(), math.NaN()}: false} {
		if s.Heavy() != want {
			t.Errorf("%+v: %v", s, !want)
		}
	}
}

// A run of a law of 2.5 degrees of freedom is told that its tail is heavy, whatever the seed: the slope
// is less than 3.5 at every draw but for what the median is off. That of a normal law is not, where the
// farthest 20 effective draws lie beyond 2.3 standard deviations, of an exponent of 7. At another
// temperature nothing is told.
func TestRunTellsSlopes(t *testing.T) {
	for seed := range uint64(3) {
		for _, c := range []struct {
			name string
			nu   float64
			tau  []float64
			want bool
		}{{"Student's", 2.5, nil, true}, {"normal", math.Inf(1), nil, false}, {"hot", 2.5, []float64{2}, false}} {
			s := r2sgld.Settings{Seed: seed + 1, Ladders: 4, Start: []float64{0}, Temperature: c.tau}
			out, err := Run(t.Context(), student(1, c.nu, 0).law(), s, Until{}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := out.Slopes; (got != nil) != (c.tau == nil) || got != nil && got[0].Heavy() != c.want {
				t.Errorf("%s, seed %d: %+v", c.name, seed+1, got)
			}
		}
	}
}
