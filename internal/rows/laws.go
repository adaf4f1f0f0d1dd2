package rows

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/r2sgld/r2sgld/expression"
)

// A law is a distribution of y given arguments, by the name and in the parametrisation
// that it has in Stan.
type law struct {
	args  []string // their names in the terms
	terms []string // whose sum is the log density of y
	of    support
	draw  func(a []float64, rng *rand.Rand) float64 // a random number, given the arguments
}

// A support is which values have a density.
type support struct {
	words    string // "a whole number from 0 on"
	lo, hi   float64
	discrete bool
	open     bool    // its ends are outside
	period   float64 // by which values that are one differ; 0 is none
}

var (
	line     = support{words: "a number", lo: math.Inf(-1), hi: math.Inf(1)}
	angle    = support{words: "an angle", lo: math.Inf(-1), hi: math.Inf(1), period: 2 * math.Pi}
	positive = support{words: "positive", hi: math.Inf(1), open: true}
	half     = support{words: "at least 0", hi: math.Inf(1)}
	unit     = support{words: "between 0 and 1", hi: 1, open: true}
	chance   = support{words: "from 0 to 1", hi: 1}
	counts   = support{words: "a whole number from 0 on", hi: math.Inf(1), discrete: true}
	binary   = support{words: "0 or 1", hi: 1, discrete: true}
)

// holds reports whether v has a density.
func (s support) holds(v float64) bool {
	return !math.IsInf(v, 0) && v >= s.lo && v <= s.hi && !(s.open && (v == s.lo || v == s.hi)) && !(s.discrete && v != math.Floor(v))
}

// laws are all that are known. Terms of data alone are summed once, so each that can be
// is a term of its own.
func laws() map[string]law {
	args := func(names ...string) []string { return names }
	return map[string]law{
		"normal":      {args("mu", "sigma"), args("normal_lpdf(y, mu, sigma)"), line, normal},
		"student_t":   {args("nu", "mu", "sigma"), args("student_t_lpdf(y, nu, mu, sigma)"), line, student},
		"cauchy":      {args("mu", "sigma"), args("cauchy_lpdf(y, mu, sigma)"), line, cauchy},
		"laplace":     {args("mu", "sigma"), args("laplace_lpdf(y, mu, sigma)"), line, laplace},
		"logistic":    {args("mu", "sigma"), args("logistic_lpdf(y, mu, sigma)"), line, logistic},
		"skew_normal": {args("xi", "omega", "alpha"), args("skew_normal_lpdf(y, xi, omega, alpha)"), line, skewNormal},
		"von_mises":   {args("mu", "kappa"), args("von_mises_lpdf(y, mu, kappa)"), angle, vonMises},
		"lognormal": {args("mu", "sigma"), args("lognormal_lpdf(y, mu, sigma)"), positive,
			func(a []float64, rng *rand.Rand) float64 { return math.Exp(normal(a, rng)) }},
		"exponential": {args("beta"), args("log(beta) - beta*y"), half,
			func(a []float64, rng *rand.Rand) float64 { return rng.ExpFloat64() / a[0] }},
		"gamma": {args("alpha", "beta"), args("gamma_lpdf(y, alpha, beta)"), positive, gamma},
		"inv_gamma": {args("alpha", "beta"), args("inv_gamma_lpdf(y, alpha, beta)"), positive,
			func(a []float64, rng *rand.Rand) float64 { return 1 / gamma(a, rng) }},
		"weibull": {args("alpha", "sigma"), args("weibull_lpdf(y, alpha, sigma)"), positive,
			func(a []float64, rng *rand.Rand) float64 { return a[1] * math.Pow(rng.ExpFloat64(), 1/a[0]) }},
		"beta": {args("alpha", "beta"), args("beta_lpdf(y, alpha, beta)"), unit, beta},
		"half_normal": {args("sigma"), args("log(2) + normal_lpdf(y, 0, sigma)"), half,
			func(a []float64, rng *rand.Rand) float64 { return a[0] * math.Abs(rng.NormFloat64()) }},
		"half_cauchy": {args("sigma"), args("log(2) + cauchy_lpdf(y, 0, sigma)"), half,
			func(a []float64, rng *rand.Rand) float64 { return math.Abs(cauchy([]float64{0, a[0]}, rng)) }},
		"half_student_t": {args("nu", "sigma"), args("log(2) + student_t_lpdf(y, nu, 0, sigma)"), half,
			func(a []float64, rng *rand.Rand) float64 { return math.Abs(student([]float64{a[0], 0, a[1]}, rng)) }},
		"bernoulli": {args("theta"), args("bernoulli_lpmf(y, theta)"), binary, bernoulli},
		"bernoulli_logit": {args("eta"), args("bernoulli_logit_lpmf(y, eta)"), binary,
			func(a []float64, rng *rand.Rand) float64 { return bernoulli([]float64{sigmoid(a[0])}, rng) }},
		"binomial": {args("n", "theta"), args("xlogy(y, theta) + xlogy(n - y, 1 - theta)", "lchoose(n, y)"), counts, binomial},
		"binomial_logit": {args("n", "eta"), args("y*eta - n*softplus(eta)", "lchoose(n, y)"), counts,
			func(a []float64, rng *rand.Rand) float64 { return binomial([]float64{a[0], sigmoid(a[1])}, rng) }},
		"poisson": {args("lambda"), args("xlogy(y, lambda) - lambda", "-lgamma(y + 1)"), counts, poisson},
		"poisson_log": {args("eta"), args("y*eta - exp(eta)", "-lgamma(y + 1)"), counts,
			func(a []float64, rng *rand.Rand) float64 { return poisson([]float64{math.Exp(a[0])}, rng) }},
		"neg_binomial_2": {args("mu", "phi"), args("neg_binomial_2_lpmf(y, mu, phi)"), counts, negBinomial},
		"neg_binomial_2_log": {args("eta", "phi"), args("neg_binomial_2_log_lpmf(y, eta, phi)"), counts,
			func(a []float64, rng *rand.Rand) float64 { return negBinomial([]float64{math.Exp(a[0]), a[1]}, rng) }},
	}
}

func normal(a []float64, rng *rand.Rand) float64 { return a[0] + a[1]*rng.NormFloat64() }

func student(a []float64, rng *rand.Rand) float64 {
	return distuv.StudentsT{Nu: a[0], Mu: a[1], Sigma: a[2], Src: rng}.Rand()
}

func cauchy(a []float64, rng *rand.Rand) float64 {
	return a[0] + a[1]*math.Tan(math.Pi*(rng.Float64()-0.5))
}

func laplace(a []float64, rng *rand.Rand) float64 {
	return a[0] + a[1]*(rng.ExpFloat64()-rng.ExpFloat64())
}

// logistic does not go by package distuv, whose density at v0.17 is that of another law.
func logistic(a []float64, rng *rand.Rand) float64 {
	u := rng.Float64()
	return a[0] + a[1]*(math.Log(u)-math.Log1p(-u))
}

// skewNormal goes by a normal number and another's absolute value (Azzalini 1986).
func skewNormal(a []float64, rng *rand.Rand) float64 {
	d := a[2] / math.Hypot(1, a[2])
	return a[0] + a[1]*(d*math.Abs(rng.NormFloat64())+rng.NormFloat64()/math.Hypot(1, a[2]))
}

// vonMises returns an angle in (−π, π].
func vonMises(a []float64, rng *rand.Rand) float64 {
	return angle.turned(angle.turned(a[0]) + deviation(a[1], rng))
}

// deviation is that of a von Mises number from its mean (Best & Fisher 1979).
func deviation(kappa float64, rng *rand.Rand) float64 {
	switch {
	case kappa < 1e-8: // uniform, to all digits
		return math.Pi * (2*rng.Float64() - 1)
	case kappa > 1e8: // normal, likewise
		return rng.NormFloat64() / math.Sqrt(kappa)
	}
	tau := 1 + math.Sqrt(1+4*kappa*kappa)
	rho := (tau - math.Sqrt(2*tau)) / (2 * kappa)
	r := (1 + rho*rho) / (2 * rho)
	if kappa < 1e-5 { // where rho has lost its digits
		r = 1/kappa + kappa
	}
	for {
		z := math.Cos(math.Pi * rng.Float64())
		f := (1 + r*z) / (r + z)
		c, u := kappa*(r-f), 1-rng.Float64()
		if c*(2-c) > u || math.Log(c/u)+1 >= c {
			return math.Copysign(math.Acos(max(-1, min(f, 1))), rng.Float64()-0.5)
		}
	}
}

func gamma(a []float64, rng *rand.Rand) float64 {
	return distuv.Gamma{Alpha: a[0], Beta: a[1], Src: rng}.Rand()
}

func beta(a []float64, rng *rand.Rand) float64 {
	return distuv.Beta{Alpha: a[0], Beta: a[1], Src: rng}.Rand()
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

func bernoulli(a []float64, rng *rand.Rand) float64 {
	if rng.Float64() < a[0] {
		return 1
	}
	return 0
}

func binomial(a []float64, rng *rand.Rand) float64 {
	return distuv.Binomial{N: a[0], P: a[1], Src: rng}.Rand()
}

func poisson(a []float64, rng *rand.Rand) float64 {
	if !(a[0] <= math.MaxFloat64) {
		return math.NaN()
	}
	return distuv.Poisson{Lambda: a[0], Src: rng}.Rand()
}

// negBinomial is a Poisson number whose mean is a gamma number of mean mu and shape phi.
func negBinomial(a []float64, rng *rand.Rand) float64 {
	if a[0] == 0 {
		return 0
	}
	return poisson([]float64{gamma([]float64{a[1], a[1] / a[0]}, rng)}, rng)
}

// A said is a law with its arguments: normal(mu, s).
type said struct {
	law
	name    string
	with    []string
	written []string  // with, before anything is written out
	at      []int     // where they begin in what was written
	takes   []support // which values they may have
	joint   *joint    // of a law of several numbers together; nil of others
}

// takes is which values an argument of a law may have.
func takes(law, arg string) support {
	arg, _, _ = strings.Cut(arg, "_") // of several of a name
	switch arg {
	case "sigma", "omega", "nu", "phi", "beta":
		return positive
	case "kappa":
		return half
	case "alpha": // of skew_normal it is any
		if law != "skew_normal" {
			return positive
		}
	case "mu":
		if law == "neg_binomial_2" {
			return half
		}
	case "lambda":
		return half
	case "theta":
		return chance
	case "n":
		return counts
	}
	return line
}

// mix is the name of the law that is one of several with a probability each.
const mix = "mix"

// parse reads a law with its arguments. Entries are those of a parameter that is counted, by
// its name: they are arguments of laws that take as many as there are.
func parse(text string, entries func(name string) []string) (*said, error) {
	name, rest, called := strings.Cut(text, "(")
	at := len(name) + 1
	name, rest = strings.TrimSpace(name), strings.TrimRight(rest, " \t")
	if matrices[name] != "" {
		return jointly(name, rest, at, entries)
	}
	all, more := laws(), nominals()
	l, ok := all[name]
	many, several := more[name]
	if !ok && !several && name != mix {
		known := slices.Sorted(maps.Keys(all))
		known = slices.Concat(known, slices.Sorted(maps.Keys(more)), slices.Sorted(maps.Keys(matrices)))
		if near, ok := expression.Nearest(name, known); ok {
			return nil, fmt.Errorf("there is no law %q: did you mean %s?", name, near)
		}
		return nil, fmt.Errorf("there is no law %q; there are %s, and %s of several", name, strings.Join(known, ", "), mix)
	}
	usage := fmt.Sprintf("%s(%s)", name, strings.Join(l.args, ", "))
	switch {
	case name == mix:
		usage = "mix(w, normal(a, s), 1 - w, normal(b, s)), a weight before each law"
	case several:
		usage = many.usage
	}
	if !called || !strings.HasSuffix(rest, ")") {
		return nil, fmt.Errorf("%q is no law with its arguments: write %s", strings.TrimSpace(text), usage)
	}
	out := &said{law: l, name: name}
	for _, a := range expression.Arguments(strings.TrimSuffix(rest, ")")) {
		each := []string{a}
		if listed := entries(strings.TrimSpace(a)); several && listed != nil {
			each = listed
		}
		for range each {
			out.at = append(out.at, at)
		}
		out.with = append(out.with, each...)
		at += len(a) + 1
	}
	out.written = slices.Clone(out.with)
	if several && len(out.with) > 1 {
		l = many.of(len(out.with))
		out.law = l
	}
	switch {
	case several && len(out.with) < 2:
		return nil, fmt.Errorf("%s has two arguments or more: write %s", name, usage)
	case name == mix && (len(out.with) < 4 || len(out.with)%2 == 1):
		return nil, fmt.Errorf("a mixture has two laws or more: write %s", usage)
	case name == mix:
		return out.mixed(entries)
	case len(out.with) != len(l.args):
		return nil, fmt.Errorf("%s has %d arguments; found %d", usage, len(l.args), len(out.with))
	}
	for _, a := range l.args {
		out.takes = append(out.takes, takes(name, a))
	}
	return out, nil
}

// mixed is the law whose arguments are weights and laws in turn, those of the laws among its
// own. What the weights add up to does not count.
func (s *said) mixed(entries func(name string) []string) (*said, error) {
	out := &said{name: mix}
	var parts []*said
	var density, weights []string
	var weight []int // where in the arguments it is; those of the law follow
	for k := 0; k < len(s.with); k += 2 {
		p, err := single(s.with[k+1], entries)
		switch {
		case err != nil:
			return nil, err
		case p.name == mix:
			return nil, fmt.Errorf("a mixture of mixtures is one: write all its laws in one mix(…)")
		case k > 0 && p.of != parts[0].of:
			return nil, fmt.Errorf("laws of a mixture have the same values; those of %s are %s, those of %s %s", parts[0].name, parts[0].of.words,
				p.name, p.of.words)
		}
		suffix := fmt.Sprintf("_%d", k/2+1)
		weight = append(weight, len(out.args))
		own := map[string]string{"y": "y"}
		add := func(arg, text string, at int, takes support) {
			own[arg] = arg + suffix
			out.args, out.with, out.at, out.takes = append(out.args, arg+suffix), append(out.with, text), append(out.at, at),
				append(out.takes, takes)
		}
		add("w", s.with[k], s.at[k], half)
		for i, a := range p.args {
			add(a, p.with[i], s.at[k+1]+p.at[i], p.takes[i])
		}
		var terms []string
		for _, t := range p.terms {
			t, err := replaced(t, own)
			if err != nil {
				return nil, err
			}
			terms = append(terms, t)
		}
		weights = append(weights, "w"+suffix)
		density = append(density, fmt.Sprintf("w%s*exp(%s)", suffix, strings.Join(terms, " + ")))
		parts = append(parts, p)
	}
	out.written, out.of = slices.Clone(out.with), parts[0].of
	out.terms = []string{"log(" + strings.Join(density, " + ") + ") - log(" + strings.Join(weights, " + ") + ")"}
	out.draw = func(a []float64, rng *rand.Rand) float64 {
		total := 0.0
		for _, i := range weight {
			total += a[i]
		}
		if total == 0 {
			return math.NaN()
		}
		u := total * rng.Float64()
		for k, i := range weight {
			if u -= a[i]; u < 0 || k == len(weight)-1 {
				return parts[k].draw(a[i+1:i+1+len(parts[k].args)], rng)
			}
		}
		return math.NaN()
	}
	return out, nil
}

// density returns the terms of the log density of a value, or of those of a joint law, each a formula.
func (s *said) density(y ...string) ([]string, error) {
	with := map[string]string{"y": y[0]}
	if s.joint != nil {
		for i, v := range y {
			with[entry("y", i)] = v
		}
	}
	for i, a := range s.args {
		with[a] = s.with[i]
	}
	var out []string
	for _, t := range s.terms {
		t, err := replaced(t, with)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// replaced is a formula with others in place of names.
func replaced(text string, with map[string]string) (string, error) {
	words, err := expression.Words(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	at := 0
	for i, w := range words {
		by, ok := with[w.Text]
		if !ok || !w.Name || i+1 < len(words) && words[i+1].Text == "(" {
			continue
		}
		b.WriteString(text[at:w.Pos] + "(" + by + ")")
		at = w.End
	}
	return b.String() + text[at:], nil
}
