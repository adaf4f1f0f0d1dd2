package sweep

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/r2sgld/r2sgld/internal/text"
)

// An Axis is a key of configurations and the values that it takes, as --set has them.
type Axis struct {
	Key    string   `json:"key"`
	Values []string `json:"values"`
}

// most is how many cases there may be.
const most = 10_000

// ParseAxis reads KEY=VALUES. Values are parted by commas, where these do not stand in
// brackets or quotes; 1..10 are whole numbers from 1 to 10.
func ParseAxis(said string) (Axis, error) {
	fail := func(format string, args ...any) (Axis, error) {
		return Axis{}, fmt.Errorf("--over %s: %s", text.Word(said), fmt.Sprintf(format, args...))
	}
	at := -1
	walk(said, func(i int, c byte) {
		if c == '=' && at < 0 {
			at = i
		}
	})
	if at < 1 || strings.TrimSpace(said[:at]) == "" {
		return fail("expected KEY=VALUES, such as sampler.seed=1..10 or sampler.ladders=2,4,8")
	}
	a := Axis{Key: strings.TrimSpace(said[:at])}
	list, closed := split(said[at+1:])
	if !closed {
		return fail("a bracket or a quote is not closed, or closed twice")
	}
	for _, v := range list {
		v = strings.TrimSpace(v)
		if v == "" {
			return fail("a value is missing")
		}
		from, to, isRange := span(v)
		switch {
		case !isRange:
			a.Values = append(a.Values, v)
		case to < from:
			return fail("%s goes down: write the smaller number first", v)
		case to-from >= most || len(a.Values) >= most:
			return fail("more than %s values", text.Count(most))
		default:
			for k := from; k <= to; k++ {
				a.Values = append(a.Values, strconv.FormatInt(k, 10))
			}
		}
	}
	for i, v := range a.Values {
		if slices.Contains(a.Values[:i], v) {
			return fail("%s is there twice", v)
		}
	}
	return a, nil
}

// span reads 1..10.
func span(v string) (from, to int64, ok bool) {
	a, b, ok := strings.Cut(v, "..")
	if !ok {
		return 0, 0, false
	}
	from, err := strconv.ParseInt(a, 10, 48)
	if err != nil {
		return 0, 0, false
	}
	to, err = strconv.ParseInt(b, 10, 48)
	return from, to, err == nil
}

// walk calls f for each byte that stands neither in brackets nor in quotes, and reports
// whether all of these are closed.
func walk(s string, f func(i int, c byte)) (closed bool) {
	var open []byte
	quote := byte(0)
	pairs := map[byte]byte{'[': ']', '{': '}', '(': ')'}
	for i := range len(s) {
		c := s[i]
		switch end := pairs[c]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case end != 0:
			open = append(open, end)
		case c == ']' || c == '}' || c == ')':
			if len(open) == 0 || open[len(open)-1] != c {
				return false
			}
			open = open[:len(open)-1]
		case len(open) == 0:
			f(i, c)
		}
	}
	return quote == 0 && len(open) == 0
}

// split cuts a text at its commas.
func split(s string) (parts []string, closed bool) {
	from := 0
	closed = walk(s, func(i int, c byte) {
		if c == ',' {
			parts, from = append(parts, s[from:i]), i+1
		}
	})
	return append(parts, s[from:]), closed
}

// grid is all combinations of the values of axes, the last of which changes fastest.
func grid(axes []Axis) (all [][]string, err error) {
	n := 1
	for i, a := range axes {
		if slices.ContainsFunc(axes[:i], func(b Axis) bool { return b.Key == a.Key }) {
			return nil, fmt.Errorf("--over %s is given twice: give all its values at once", a.Key)
		}
		if n *= len(a.Values); n > most {
			return nil, fmt.Errorf("--over: more than %s combinations", text.Count(most))
		}
	}
	all = [][]string{nil}
	for _, a := range axes {
		var next [][]string
		for _, before := range all {
			for _, v := range a.Values {
				next = append(next, append(slices.Clone(before), v))
			}
		}
		all = next
	}
	return all, nil
}
