package key

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
)

// A Reader reads sections of declared keys.
type Reader struct{ yamlpos.Reader }

// Read checks that n is a mapping of these keys and reads those that are there.
func (r *Reader) Read(n *yamlpos.Node, keys []Key) bool {
	return r.Only(n, keys) && r.Take(n, keys, Names(keys)...)
}

// Take reads some keys of the section n, in the order of their names.
func (r *Reader) Take(n *yamlpos.Node, keys []Key, names ...string) bool {
	for _, name := range names {
		k := Of(keys, name)
		switch v := n.Field(name); {
		case k.read == nil:
		case v != nil:
			k.read(r, v)
		case k.Needed:
			r.Report(n, "%s needs the key %q", n.Name, name)
		}
	}
	return true
}

// Limited reads a number within limits.
func (r *Reader) Limited(n *yamlpos.Node, limits ...Limit) (float64, bool) {
	v, ok := r.Float(n)
	for _, m := range limits {
		if ok && !m.holds(v) {
			r.Report(n, "%s %s; found %s", n.Name, m.fault, n.Text)
			return 0, false
		}
	}
	return v, ok
}

// Numbers reads a list of at most so many numbers within limits; nil if absent or wrong.
func (r *Reader) Numbers(n *yamlpos.Node, most int, limits ...Limit) (out []float64) {
	if !r.List(n, "numbers") {
		return nil
	}
	if len(n.Items) > most {
		r.Report(n, "%s must have at most %d entries; found %d", n.Name, most, len(n.Items))
		return nil
	}
	for _, item := range n.Items {
		if v, ok := r.Limited(item, limits...); ok {
			out = append(out, v)
		}
	}
	if len(out) < len(n.Items) {
		return nil
	}
	return out
}

// Positives reads a positive number or a list of them; nil if absent or wrong.
func (r *Reader) Positives(n *yamlpos.Node) []float64 {
	if n == nil || n.Kind == yamlpos.List {
		return r.Numbers(n, MostNumbers, Positive)
	}
	if v, ok := r.Limited(n, Positive); ok {
		return []float64{v}
	}
	return nil
}

// Members reads a list of some of the known names, none of them twice, and returns where
// they stand among these; what they are is for messages.
func (r *Reader) Members(n *yamlpos.Node, what, list string, known []string) (at []int, ok bool) {
	if !r.List(n, what+"s") {
		return nil, false
	}
	for _, item := range n.Items {
		name, ok := r.Text(item)
		j := slices.Index(known, name)
		switch {
		case !ok:
		case j < 0:
			r.Report(item, "unknown %s %q%s", what, name, yamlpos.Suggest(name, list, known))
		case slices.Contains(at, j):
			r.Report(item, "the %s %q is listed twice", what, name)
		default:
			at = append(at, j)
		}
	}
	return at, len(at) == len(n.Items)
}

// Texts reads the texts of a list.
func (r *Reader) Texts(n *yamlpos.Node) []string {
	var out []string
	for _, item := range n.Items {
		text, _ := r.Text(item)
		out = append(out, text)
	}
	return out
}

// ReportBare reports a problem at n without showing the source: of a whole
// section, or of what is missing.
func (r *Reader) ReportBare(n *yamlpos.Node, format string, args ...any) {
	r.Report(n, format, args...)
	r.Problems[len(r.Problems)-1].Source = ""
}

// Formula reports the errors of an expression at their places in the text of
// n, or returns false if err is no such.
func (r *Reader) Formula(n *yamlpos.Node, err error) bool {
	var list expression.Errors
	if !errors.As(err, &list) {
		return false
	}
	for _, e := range list {
		r.Problems = append(r.Problems, n.ProblemAt(e.Offset, e.Message))
	}
	return true
}

// VariableName is what names of variables and states look like.
var VariableName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

// PlainName checks that the text of n can name a variable or a state.
func (r *Reader) PlainName(n *yamlpos.Node, what string) bool {
	name := n.Text
	switch {
	case !VariableName.MatchString(name) || strings.HasSuffix(name, "__"):
		r.Report(n, "%q cannot name a %s: use letters, digits and underscores, a letter first%s", name, what, n.Hint())
	case len(name) > 100:
		r.Report(n, "the name of this %s is longer than 100 letters", what)
	case expression.Reserved(name):
		r.Report(n, "%q is the name of a function or a constant: call the %s otherwise", name, what)
	default:
		return true
	}
	return false
}
