package prior

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/potential"
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
	law     func(a []float64) law // on the support
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
		"normal": {"mean, sd", 2, "((x - a)/b)^2/2", normal(1), nil, scaled(1),
			func(a []float64) law { return normalLaw().moved(a[0], a[1]) }},
		"half_normal": {"sd", 1, "(x/a)^2/2", func(a []float64) float64 { return math.Log(a[0] * math.Sqrt(math.Pi/2)) }, positive, scaled(0),
			func(a []float64) law { return halfNormalLaw().moved(0, a[0]) }},
		"lognormal": {"mean of log, sd of log", 2, "log(x) + ((log(x) - a)/b)^2/2", normal(1), positive, scaled(1),
			func(a []float64) law { return normalLaw().exponential(math.Exp(a[0]), a[1]) }},
		"exponential": {"rate", 1, "a*x", func(a []float64) float64 { return -math.Log(a[0]) }, positive, scaled(0),
			func(a []float64) law { return exponentialLaw().moved(0, 1/a[0]) }},
		"gamma": {"shape, rate", 2, "(1 - a)*log(x) + b*x",
			func(a []float64) float64 { return lgamma(a[0]) - a[0]*math.Log(a[1]) }, positive, bothPositive,
			func(a []float64) law { return gammaLaw(a[0]).moved(0, 1/a[1]) }},
		"inv_gamma": {"shape, scale", 2, "(1 + a)*log(x) + b/x",
			func(a []float64) float64 { return lgamma(a[0]) - a[0]*math.Log(a[1]) }, positive, bothPositive,
			func(a []float64) law { return gammaLaw(a[0]).reciprocal().moved(0, a[1]) }},
		"beta": {"a, b", 2, "(1 - a)*log(x) + (1 - b)*log(1 - x)",
			func(a []float64) float64 { return lgamma(a[0]) + lgamma(a[1]) - lgamma(a[0]+a[1]) },
			func([]float64) (lower, upper float64) { return 0, 1 }, bothPositive,
			func(a []float64) law { return betaLaw(a[0], a[1]) }},
		"uniform": {"lower, upper", 2, "0*x", func(a []float64) float64 { return math.Log(a[1] - a[0]) },
			func(a []float64) (lower, upper float64) { return a[0], a[1] }, func(a []float64) bool { return a[0] < a[1] },
			func(a []float64) law { return uniformLaw(a[0], a[1]) }},
		"cauchy": {"median, scale", 2, "log(1 + ((x - a)/b)^2)",
			func(a []float64) float64 { return math.Log(math.Pi * a[1]) }, nil, scaled(1),
			func(a []float64) law { return cauchyLaw().moved(a[0], a[1]) }},
		"half_cauchy": {"scale", 1, "log(1 + (x/a)^2)",
			func(a []float64) float64 { return math.Log(math.Pi * a[0] / 2) }, positive, scaled(0),
			func(a []float64) law { return halfCauchyLaw().moved(0, a[0]) }},
		"student_t": {"degrees of freedom, location, scale", 3, "(a + 1)/2*log(1 + ((x - b)/c)^2/a)",
			func(a []float64) float64 {
				return lgamma(a[0]/2) - lgamma((a[0]+1)/2) + math.Log(a[0]*math.Pi)/2 + math.Log(a[2])
			}, nil, func(a []float64) bool { return a[0] > 0 && a[2] > 0 },
			func(a []float64) law { return studentLaw(a[0]).moved(a[1], a[2]) }},
	}
}

// quadratic are the families whose energy is a polynomial of degree two or less.
var quadratic = []string{"normal", "half_normal", "exponential", "uniform"}

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

// Known reports whether a name is that of a prior.
func Known(name string) bool {
	_, ok := families()[name]
	return ok
}

// Parse reads a text such as normal(0, 1).
func Parse(text string) (*Prior, error) {
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
		suggestion := ""
		if best, ok := expression.Nearest(name, known); ok {
			suggestion = fmt.Sprintf("; did you mean %q?", best)
		}
		return nil, fmt.Errorf("unknown prior %q%s (known: %s)", name, suggestion, strings.Join(known, ", "))
	}
	usage := fmt.Errorf("%q: write %s(%s)", text, name, fam.arguments)
	if !ok || !strings.HasSuffix(rest, ")") {
		return nil, usage
	}
	given := expression.Arguments(strings.TrimSuffix(rest, ")"))
	if len(given) != fam.n {
		return nil, usage
	}
	var args []float64
	at := strings.Index(text, "(") + 1
	for _, s := range given {
		v, err := argument(s, at)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", text, err)
		}
		args = append(args, v)
		at += len(s) + 1
	}
	if !fam.valid(args) {
		return nil, fmt.Errorf("%w: %s", usage, fam.fault(args))
	}
	p := &Prior{law: fam.law(args), from: math.Inf(-1), to: math.Inf(1), mass: 1, quadratic: slices.Contains(quadratic, name)}
	if fam.support != nil {
		p.from, p.to = fam.support(args)
	}
	p.lo, p.hi = p.from, p.to
	constant := fam.constant(args)
	if constant-constant != 0 {
		return nil, fmt.Errorf("%q: its density cannot be computed: take less extreme arguments", text)
	}
	names := []string{"a", "b", "c"}[:fam.n]
	f, err := expression.CompileWRT("("+fam.energy+") + ("+strconv.FormatFloat(constant, 'g', -1, 64)+")", append(names, "x"), []string{"x"})
	if err != nil {
		return nil, fmt.Errorf("prior %q: %w", text, err)
	}
	p.curve = bind(f, args)
	return p, nil
}

// Numbers whose squares, or inverse squares, overflow in sums are no arguments.
const (
	largest  = 1e150
	smallest = 1e-150
)

// argument is the value of a formula without names that begins at byte at of a text.
func argument(src string, at int) (float64, error) {
	f, err := expression.Compile(src, nil)
	src = strings.TrimSpace(src)
	if err != nil {
		if faults, ok := errors.AsType[expression.Errors](err); ok {
			for _, f := range faults {
				f.Offset += at
			}
		}
		return 0, fmt.Errorf("argument %q: %w", src, err)
	}
	var v [1]float64
	f.Evaluator(1).Value(v[:], nil)
	switch size := math.Abs(v[0]); {
	case size-size != 0:
		return 0, fmt.Errorf("argument %q: %v is not a finite number", src, v[0])
	case size > largest:
		return 0, fmt.Errorf("the argument %s is too large to compute with: take one between %g and %g in size", src, smallest, largest)
	case size < smallest && size != 0:
		return 0, fmt.Errorf("the argument %s is too small to compute with: take one between %g and %g in size", src, smallest, largest)
	}
	return v[0], nil
}

// bind fixes the data variables of a formula, whose last variable is x, to constants.
func bind(f *expression.Func, data []float64) potential.Curve {
	return func(lanes int) func(value, grad, x []float64) {
		eval := f.Evaluator(lanes)
		all := make([]float64, (len(data)+1)*lanes)
		for v, d := range data {
			for i := range lanes {
				all[v*lanes+i] = d
			}
		}
		return func(value, grad, x []float64) {
			copy(all[len(data)*lanes:], x)
			eval.Gradient(value, grad, all)
		}
	}
}
