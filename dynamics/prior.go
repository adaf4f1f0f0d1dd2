package dynamics

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// family is a kind of prior. Its energy −log density is a formula in x and its
// arguments a, b, c, up to a constant that depends on the arguments alone.
type family struct {
	arguments string // for messages
	n         int
	energy    string
	constant  func(a []float64) float64
	// support of the density; nil is all numbers
	support func(a []float64) (lower, upper float64)
	valid   func(a []float64) bool
}

func positive(_ []float64) (lower, upper float64) { return 0, math.Inf(1) }

func scaled(at int) func([]float64) bool { return func(a []float64) bool { return a[at] > 0 } }

func bothPositive(a []float64) bool { return a[0] > 0 && a[1] > 0 }

func lgamma(x float64) float64 {
	v, _ := math.Lgamma(x)
	return v
}

// families returns the known priors, in the parametrisations of Stan.
func families() map[string]family {
	normal := func(at int) func([]float64) float64 {
		return func(a []float64) float64 { return math.Log(a[at] * math.Sqrt(2*math.Pi)) }
	}
	return map[string]family{
		"normal":      {"mean, sd", 2, "((x - a)/b)^2/2", normal(1), nil, scaled(1)},
		"half_normal": {"sd", 1, "(x/a)^2/2", func(a []float64) float64 { return math.Log(a[0] * math.Sqrt(math.Pi/2)) }, positive, scaled(0)},
		"lognormal":   {"mean of log, sd of log", 2, "log(x) + ((log(x) - a)/b)^2/2", normal(1), positive, scaled(1)},
		"exponential": {"rate", 1, "a*x", func(a []float64) float64 { return -math.Log(a[0]) }, positive, scaled(0)},
		"gamma": {"shape, rate", 2, "(1 - a)*log(x) + b*x",
			func(a []float64) float64 { return lgamma(a[0]) - a[0]*math.Log(a[1]) }, positive, bothPositive},
		"inv_gamma": {"shape, scale", 2, "(1 + a)*log(x) + b/x",
			func(a []float64) float64 { return lgamma(a[0]) - a[0]*math.Log(a[1]) }, positive, bothPositive},
		"beta": {"a, b", 2, "(1 - a)*log(x) + (1 - b)*log(1 - x)",
			func(a []float64) float64 { return lgamma(a[0]) + lgamma(a[1]) - lgamma(a[0]+a[1]) },
			func([]float64) (lower, upper float64) { return 0, 1 }, bothPositive},
		"uniform": {"lower, upper", 2, "0*x", func(a []float64) float64 { return math.Log(a[1] - a[0]) },
			func(a []float64) (lower, upper float64) { return a[0], a[1] }, func(a []float64) bool { return a[0] < a[1] }},
		"cauchy": {"median, scale", 2, "log(1 + ((x - a)/b)^2)",
			func(a []float64) float64 { return math.Log(math.Pi * a[1]) }, nil, scaled(1)},
		"half_cauchy": {"scale", 1, "log(1 + (x/a)^2)",
			func(a []float64) float64 { return math.Log(math.Pi * a[0] / 2) }, positive, scaled(0)},
		"student_t": {"degrees of freedom, location, scale", 3, "(a + 1)/2*log(1 + ((x - b)/c)^2/a)",
			func(a []float64) float64 {
				return lgamma(a[0]/2) - lgamma((a[0]+1)/2) + math.Log(a[0]*math.Pi)/2 + math.Log(a[2])
			}, nil, func(a []float64) bool { return a[0] > 0 && a[2] > 0 }},
	}
}

// fault says what is wrong with arguments that are not valid.
func (f family) fault(args []float64) string {
	if f.arguments == "lower, upper" {
		return fmt.Sprintf("%g is not below %g", args[0], args[1])
	}
	var out []string
	for i, name := range strings.Split(f.arguments, ", ") {
		alone := slices.Repeat([]float64{1}, f.n)
		if alone[i] = args[i]; !f.valid(alone) {
			out = append(out, fmt.Sprintf("%s %g is not positive", name, args[i]))
		}
	}
	return strings.Join(out, ", ")
}

// prior is a parsed prior.
type prior struct {
	curve        potential.Curve // −log density and its derivative, one parameter
	lower, upper float64         // support
	law          law             // on the support
}

// parsePrior reads a text such as normal(0, 1).
func parsePrior(text string) (*prior, error) {
	all := families()
	var known []string
	for name := range all {
		known = append(known, name)
	}
	sort.Strings(known)
	name, rest, ok := strings.Cut(strings.TrimSpace(text), "(")
	name = strings.TrimSpace(name)
	fam, found := all[name]
	if !found {
		return nil, fmt.Errorf("unknown prior %q%s (known: %s)", name, suggest(name, known), strings.Join(known, ", "))
	}
	usage := fmt.Errorf("%q: write %s(%s)", text, name, fam.arguments)
	if !ok || !strings.HasSuffix(rest, ")") {
		return nil, usage
	}
	var args []float64
	for _, s := range expression.Arguments(strings.TrimSuffix(rest, ")")) {
		v, err := constantOf(s)
		if err != nil {
			return nil, fmt.Errorf("%q: argument %q: %w", text, strings.TrimSpace(s), err)
		}
		if v != 0 && !computable(v) {
			return nil, fmt.Errorf("%q: the argument %s is too %s to compute with: take one between %g and %g in size", text, strings.TrimSpace(s), extreme(v), smallest, largest)
		}
		args = append(args, v)
	}
	if len(args) != fam.n {
		return nil, usage
	}
	if !fam.valid(args) {
		return nil, fmt.Errorf("%w: %s", usage, fam.fault(args))
	}
	p := &prior{lower: math.Inf(-1), upper: math.Inf(1), law: lawOf(name, args)}
	if fam.support != nil {
		p.lower, p.upper = fam.support(args)
	}
	if !finite([]float64{fam.constant(args)}) {
		return nil, fmt.Errorf("%q: its density cannot be computed: take less extreme arguments", text)
	}
	energy := "(" + fam.energy + ") + (" + strconv.FormatFloat(fam.constant(args), 'g', -1, 64) + ")"
	curve, err := compileCurve(energy, []string{"a", "b", "c"}[:fam.n], []string{"x"})
	if err != nil {
		return nil, fmt.Errorf("prior %q: %w", text, err)
	}
	p.curve = bind(curve, args)
	return p, nil
}

// bind fixes the data variables of a curve of one parameter to constants.
func bind(c potential.Curve, data []float64) potential.Curve {
	return func(lanes int) func(value, grad, x []float64) {
		eval := c(lanes)
		all := make([]float64, (len(data)+1)*lanes)
		for v, d := range data {
			for i := range lanes {
				all[v*lanes+i] = d
			}
		}
		return func(value, grad, x []float64) {
			copy(all[len(data)*lanes:], x)
			eval(value, grad, all)
		}
	}
}

// priors is the potential of independent priors, by parameter; nil is flat.
type priors []*prior

func (p priors) Dim() int { return len(p) }

func (p priors) Evaluator(r int, _ *stream.Set) potential.Evaluator {
	e := &priorsEvaluator{value: make([]float64, r)}
	for _, q := range p {
		var eval func(value, grad, x []float64)
		if q != nil {
			eval = q.curve(r)
		}
		e.eval = append(e.eval, eval)
	}
	return e
}

type priorsEvaluator struct {
	eval  []func(value, grad, x []float64)
	value []float64
}

func (e *priorsEvaluator) Eval(energy, grad, x []float64) {
	r := len(e.value)
	clear(energy[:r])
	clear(grad[:r*len(e.eval)])
	for j, eval := range e.eval {
		if eval == nil {
			continue
		}
		eval(e.value, grad[j*r:(j+1)*r], x[j*r:(j+1)*r])
		for i, u := range e.value {
			energy[i] += u
		}
	}
}

// curvature is the second derivative of a prior's energy at x, by differences,
// and 0 where that is negative or x lies at the end of the support.
func (p *prior) curvature(x float64) float64 {
	h := 1e-5 * math.Max(1e-3, math.Abs(x))
	if x-h <= p.lower || x+h >= p.upper {
		return 0
	}
	eval := p.curve(2)
	var value, grad [2]float64
	eval(value[:], grad[:], []float64{x - h, x + h})
	return math.Max(0, (grad[1]-grad[0])/(2*h))
}

// readPriors parses the model's priors and finds their supports, in which a
// trajectory's scales are positive.
func (p *Problem) readPriors() error {
	d := len(p.Parameters)
	p.priors, p.Quantiles = make(priors, d), make([]*Quantile, d)
	p.Lower, p.Upper = slices.Repeat([]float64{math.Inf(-1)}, d), slices.Repeat([]float64{math.Inf(1)}, d)
	if p.model.Likelihood == "trajectory" {
		for j, name := range p.Parameters {
			p.Lower[j], p.Upper[j] = p.model.bounds(name)
		}
	}
	for _, q := range p.model.Priors {
		j := slices.Index(p.Parameters, q.Parameter)
		parsed, err := parsePrior(q.Text)
		if err != nil {
			return err
		}
		p.priors[j] = parsed
		p.Lower[j], p.Upper[j] = max(p.Lower[j], parsed.lower), min(p.Upper[j], parsed.upper)
		p.Quantiles[j] = parsed.quantile().On(p.Lower[j], p.Upper[j])
	}
	return nil
}
