package rows

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/r2sgld/r2sgld/expression"
)

// A truncation returns the log probability, a formula, of the values of a law between two others; ""
// is no end.
type truncation func(lo, hi string) string

func truncations() map[string]truncation {
	const z = "(%s - mu)/sigma"
	return map[string]truncation{
		"normal":      about(z, "std_normal_lcdf(%s)"),
		"lognormal":   about("(log(%s) - mu)/sigma", "std_normal_lcdf(%s)"),
		"logistic":    about(z, "logistic_lcdf(%s, 0, 1)"),
		"cauchy":      about(z, "cauchy_lcdf(%s, 0, 1)"),
		"laplace":     about(z, "laplace_lcdf(%s, 0, 1)"),
		"exponential": falling("exponential_lccdf(%s, beta)"),
		"weibull":     falling("weibull_lccdf(%s, alpha, sigma)"),
	}
}

// about is of a law that is symmetric in z, by the log probability below one. What is between two
// ends is looked at on the lower side: far out on the upper one probabilities are 1 to the last digit.
func about(z, below string) truncation {
	at := func(y string) string { return "(" + fmt.Sprintf(z, y) + ")" }
	return func(lo, hi string) string {
		switch {
		case lo == "":
			return fmt.Sprintf(below, at(hi))
		case hi == "":
			return fmt.Sprintf(below, "-"+at(lo))
		}
		middle, half := fmt.Sprintf("abs(%s + %s)/2", at(lo), at(hi)), fmt.Sprintf("(%s - %s)/2", at(hi), at(lo))
		return fmt.Sprintf("log_diff_exp(%s, %s)", fmt.Sprintf(below, half+" - "+middle), fmt.Sprintf(below, "-"+half+" - "+middle))
	}
}

// falling is of a law of positive numbers by the log probability above one.
func falling(above string) truncation {
	return func(lo, hi string) string {
		switch {
		case lo == "":
			return "log1m_exp(" + fmt.Sprintf(above, hi) + ")"
		case hi == "":
			return fmt.Sprintf(above, lo)
		}
		return fmt.Sprintf("log_diff_exp(%s, %s)", fmt.Sprintf(above, lo), fmt.Sprintf(above, hi))
	}
}

var ends = regexp.MustCompile(`^(.*\))\s*T\s*\[(.*)\]\s*$`)

// outcome reads the law of an outcome, which may be truncated as in Stan: normal(mu, s) T[0, ].
func outcome(text string, entries func(name string) []string) (*said, error) {
	found := ends.FindStringSubmatchIndex(text)
	if found == nil {
		return parse(text, entries)
	}
	s, err := parse(text[:found[3]], entries)
	if err != nil {
		return nil, err
	}
	given := expression.Arguments(text[found[4]:found[5]])
	if len(given) != 2 || strings.TrimSpace(given[0]+given[1]) == "" {
		return nil, fmt.Errorf("a law is cut to the values between two ends by T[lo, hi], one of which may be left out: T[0, ]; found T[%s]",
			text[found[4]:found[5]])
	}
	cuts := false
	for i, end := range [2]float64{s.of.lo, s.of.hi} { // where the law itself ends nothing is cut off
		if v, err := strconv.ParseFloat(strings.TrimSpace(given[i]), 64); err == nil && v == end {
			given[i] = strings.Repeat(" ", len(given[i]))
		}
		cuts = cuts || strings.TrimSpace(given[i]) != ""
	}
	between, ok := truncations()[s.name]
	switch {
	case !cuts:
		return s, nil
	case !ok:
		return nil, fmt.Errorf("%s cannot be truncated: its distribution function is not known; those of %s are", s.name,
			strings.Join(slices.Sorted(maps.Keys(truncations())), ", "))
	}
	return s, s.cut(between, given, found[4])
}

// fromStart is the chance between two ends, the lower of which is in some rows where the law itself begins, at
// 0: there it is that below the upper one.
func (between truncation) fromStart(lo, hi string) string {
	cut, above := "max(sign("+lo+"), 0)", "1" // any end will do where none counts
	if hi != "" {
		above = "(" + hi + ")/2"
	}
	text := fmt.Sprintf("%s*(%s)", cut, between(fmt.Sprintf("(%s + (1 - %s)*%s)", lo, cut, above), hi))
	if hi != "" {
		text += fmt.Sprintf(" + (1 - %s)*(%s)", cut, between("", hi))
	}
	return text
}

// cut leaves of a law what is between two ends, the first of which begins at a byte of what was written.
func (s *said) cut(between truncation, given []string, at int) error {
	_, err := strconv.ParseFloat(strings.TrimSpace(given[0]), 64)
	n, names, varies := len(s.args), [2]string{}, err != nil && s.of.lo == 0 && strings.TrimSpace(given[0]) != ""
	for i, end := range given {
		if strings.TrimSpace(end) != "" {
			names[i] = [2]string{"lo", "hi"}[i]
			s.args, s.with, s.written = append(s.args, names[i]), append(s.with, end), append(s.written, end)
			takes := s.of
			if i == 0 && varies {
				takes = half
			}
			s.at, s.takes = append(s.at, at), append(s.takes, takes)
		}
		at += len(end) + 1
	}
	if varies {
		plain := between
		between = func(lo, hi string) string {
			if lo == "" {
				return plain(lo, hi)
			}
			return plain.fromStart(lo, hi)
		}
	}
	lo, hi := names[0], names[1]
	s.terms = append(slices.Clone(s.terms), "-("+between(lo, hi)+")")
	variables := append(slices.Clone(s.args), "y")
	to, err := expression.Compile(between(lo, "y"), variables)
	if err != nil {
		return err
	}
	all, err := expression.Compile(between(lo, hi), variables)
	if err != nil {
		return err
	}
	base := s.draw
	s.draw = func(a []float64, rng *rand.Rand) float64 {
		from, until := s.of.lo, s.of.hi
		if lo != "" {
			from = a[n]
		}
		if hi != "" {
			until = a[len(a)-1]
		}
		const tries = 100
		for range tries {
			if y := base(a[:n], rng); y >= from && y <= until {
				return y
			}
		}
		return inverse(a, from, until, all, to, rng)
	}
	return nil
}

// inverse draws between two ends, where chances may be small, by the log probability of all values and
// of those up to one: NaN where that is no number, as between ends in the wrong order.
func inverse(a []float64, from, until float64, all, to *expression.Func, rng *rand.Rand) float64 {
	x, v := append(slices.Clone(a), 0), make([]float64, 1)
	all.Evaluator(1).Value(v, x)
	at, want := to.Evaluator(1), v[0]+math.Log(1-rng.Float64())
	if !(from < until) || math.IsNaN(want) || math.IsInf(want, 0) {
		return math.NaN()
	}
	below := func(y float64) bool {
		x[len(a)] = y
		at.Value(v, x)
		return v[0] < want
	}
	switch step := 1.0; {
	case math.IsInf(from, -1):
		for from = until - step; !below(from) && step < math.MaxFloat64/2; from = until - step {
			step *= 2
		}
	case math.IsInf(until, 1):
		for until = from + step; below(until) && step < math.MaxFloat64/2; until = from + step {
			step *= 2
		}
	}
	for {
		y := from + (until-from)/2
		switch {
		case y == from || y == until:
			return y
		case below(y):
			from = y
		default:
			until = y
		}
	}
}
