package expression

import (
	"fmt"
	"slices"
	"strings"
)

// A Constraint is one inequality; its set is closed, whether it was written
// with < or with <=.
type Constraint struct {
	Text string // as written: left side, sign, right side
	// A linear constraint is A·x ≤ B; A (length d) is not 0.
	A []float64
	B float64
	// G is nil for a linear constraint; any other one is G(x) ≤ 0.
	G *Func
}

// Linear reports whether c is a half-space.
func (c *Constraint) Linear() bool { return c.G == nil }

// ParseConstraints reads one inequality such as "sigma > 1 + beta" or a chain
// such as "0 < x < 1", which gives one constraint per sign. An equation, and a
// constraint that its variables have no influence on, is an error.
func ParseConstraints(src string, variables []string) ([]Constraint, error) {
	return ParseConstraintsWith(src, variables, nil)
}

// ParseConstraintsWith is [ParseConstraints] where some names stand for numbers. What
// these decide alone is no constraint if it is true, and an error if it is false.
func ParseConstraintsWith(src string, variables []string, fixed map[string]float64) ([]Constraint, error) {
	chain, err := parse(src, true)
	if err != nil {
		return nil, err
	}
	held := make([][]string, len(chain.args)) // the names in each part that stand for numbers
	for i, part := range chain.args {
		part.walk(func(n *node) {
			if v, ok := fixed[n.text]; ok && n.kind == name {
				held[i] = append(held[i], fmt.Sprintf("%s is fixed at %v", n.text, v))
				n.kind, n.value, n.text = number, v, ""
			}
		})
	}
	if err := check(chain, variables); err != nil {
		return nil, unquoted(err, src, variables)
	}
	var cs []Constraint
	var errs Errors
	for i, sign := range strings.Fields(chain.text) {
		c, e := newConstraint(src, chain.args[i], chain.args[i+1], sign, variables)
		if known := slices.Concat(held[i], held[i+1]); e != nil && known != nil {
			if strings.HasSuffix(e.Message, alwaysTrue) {
				continue
			}
			e.Message = fmt.Sprintf("%q does not hold: %s", c.Text, strings.Join(slices.Compact(known), ", "))
		}
		if e != nil {
			errs = append(errs, e)
		}
		cs = append(cs, c)
	}
	if errs != nil {
		return nil, errs
	}
	return cs, nil
}

// unquoted adds to undefined names that the source has a variable whose
// backquotes are missing: x.x*y > 1 for `x.x*y` > 1.
func unquoted(err error, src string, variables []string) error {
	list, ok := err.(Errors)
	if !ok {
		return err
	}
	longest := ""
	for _, v := range variables {
		if Quoted(v) != v && len(v) > len(longest) && strings.Contains(strings.Join(strings.Fields(src), ""), v) {
			longest = v
		}
	}
	for _, e := range list {
		word := src[e.Offset : e.Offset+e.Length]
		if longest != "" && word[0] != '`' && strings.Contains(longest, word) {
			e.Message = fmt.Sprintf("%q is not defined; the name with signs in it is written in backquotes: %s", word, Quoted(longest))
		}
	}
	return list
}

func newConstraint(src string, left, right *node, sign string, variables []string) (Constraint, *Error) {
	c := Constraint{Text: src[left.pos:left.end] + " " + sign + " " + src[right.pos:right.end]}
	at := Error{Offset: left.pos, Length: right.end - left.pos}
	for i, side := range []*node{left, right} {
		if v, _ := constantValue(side); v != v && !side.mentions(variables) {
			at.Message = fmt.Sprintf("the %s side of %q is no number, whatever the variables", []string{"left", "right"}[i], c.Text)
			return c, &at
		}
	}
	if sign[0] == '>' {
		left, right = right, left
	}
	f := newFunc(&node{kind: operator, text: "-", args: []*node{left, right}}, variables, all(len(variables)))
	a, b, linear := f.Linear()
	v, constant := 0.0, !f.tree.mentions(variables)
	switch {
	case !linear && !constant:
		c.G = f
		return c, nil
	case linear && anyNonzero(a):
		c.A, c.B = a, 0-b
		return c, nil
	case linear:
		v = b
	default:
		v, _ = constantValue(f.tree)
	}
	truth := "is always false, whatever the variables"
	if v <= 0 {
		truth = alwaysTrue
	}
	at.Message = fmt.Sprintf("%q %s", c.Text, truth)
	return c, &at
}

const alwaysTrue = "is always true, whatever the variables"

func anyNonzero(a []float64) bool {
	for _, v := range a {
		if v != 0 {
			return true
		}
	}
	return false
}
