package rows

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
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

// about is of a law that is symmetric in z, by the log probability below one.
func about(z, below string) truncation {
	at := func(y string) string { return "(" + fmt.Sprintf(z, y) + ")" }
	return func(lo, hi string) string {
		switch {
		case lo == "":
			return fmt.Sprintf(below, at(hi))
		case hi == "":
			return fmt.Sprintf(below, "-"+at(lo))
		}
		return fmt.Sprintf("log_diff_exp(%s, %s)", fmt.Sprintf(below, at(hi)), fmt.Sprintf(below, at(lo)))
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
	between, ok := truncations()[s.name]
	if !ok {
		return nil, fmt.Errorf("%s cannot be truncated: its distribution function is not known; those of %s are", s.name,
			strings.Join(slices.Sorted(maps.Keys(truncations())), ", "))
	}
	given := expression.Arguments(text[found[4]:found[5]])
	if len(given) != 2 || strings.TrimSpace(given[0]+given[1]) == "" {
		return nil, fmt.Errorf("T[lo, hi] cuts a law to the values between two ends, one of which may be left out: T[0, ]; found T[%s]",
			text[found[4]:found[5]])
	}
	names, at, base, n := [2]string{"lo", "hi"}, found[4], s.draw, len(s.args)
	lowest, highest := -1, -1 // where the ends are among the arguments
	for i, end := range given {
		if strings.TrimSpace(end) == "" {
			names[i] = ""
		} else {
			if i == 0 {
				lowest = len(s.args)
			} else {
				highest = len(s.args)
			}
			s.args, s.with, s.written = append(s.args, names[i]), append(s.with, end), append(s.written, end)
			s.at, s.takes = append(s.at, at), append(s.takes, s.of)
		}
		at += len(end) + 1
	}
	s.terms = append(slices.Clone(s.terms), "-("+between(names[0], names[1])+")")
	s.draw = func(a []float64, rng *rand.Rand) float64 {
		const tries = 100_000
		for range tries {
			y := base(a[:n], rng)
			if (lowest < 0 || y >= a[lowest]) && (highest < 0 || y <= a[highest]) {
				return y
			}
		}
		return math.NaN()
	}
	return s, nil
}
