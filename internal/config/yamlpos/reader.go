package yamlpos

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Reader turns nodes into Go values and collects every problem on the way. A
// nil or null node reads as absent: the second result of its methods is false,
// as it is where a problem was reported.
type Reader struct {
	Problems Problems
}

// Report reports a problem at n.
func (r *Reader) Report(n *Node, format string, args ...any) {
	r.Problems = append(r.Problems, n.Problem(fmt.Sprintf(format, args...)))
}

// Section checks that n is a mapping with none but the known keys.
func (r *Reader) Section(n *Node, known ...string) bool {
	if !r.Map(n) {
		return false
	}
	for _, f := range n.Fields {
		if !slices.Contains(known, f.Key.Text) {
			r.Report(f.Key, "unknown key %q%s", f.Key.Text, Suggest(f.Key.Text, "known keys", known))
		}
	}
	return true
}

// Map checks that n is a mapping, of any keys.
func (r *Reader) Map(n *Node) bool {
	if n == nil || n.Kind == Null {
		return false
	}
	if n.Kind != Map {
		r.Report(n, "%s must be a mapping of keys to values; found %s", n.Name, n)
		return false
	}
	return true
}

// Text reads text; a number written without quotes is text too.
func (r *Reader) Text(n *Node) (string, bool) {
	if n == nil {
		return "", false
	}
	if n.Kind == Scalar && n.Text == "" {
		r.Report(n, "%s is empty", n.Name)
		return "", false
	}
	if n.Kind != Scalar {
		r.Report(n, "%s must be text; found %s", n.Name, n)
		return "", false
	}
	return n.Text, true
}

// Word reads one of the given words.
func (r *Reader) Word(n *Node, words ...string) (string, bool) {
	text, ok := r.Text(n)
	if ok && !slices.Contains(words, text) {
		r.Report(n, "unknown %s %q%s", n.Name, text, Suggest(text, "accepted", words))
		return "", false
	}
	return text, ok
}

// Number returns the number that a scalar without quotes stands for.
func (n *Node) Number() (float64, bool) {
	if n.Kind != Scalar || n.quoted() {
		return 0, false
	}
	return Decimal(n.Text)
}

// Decimal parses a finite decimal number.
func Decimal(text string) (float64, bool) {
	v, ok := number(text)
	return v, ok && !math.IsInf(v, 0) && !math.IsNaN(v)
}

// Float reads a finite number.
func (r *Reader) Float(n *Node) (float64, bool) {
	if n == nil {
		return 0, false
	}
	if n.Kind == Scalar && !n.quoted() {
		if v, ok := number(n.Text); ok {
			if math.IsInf(v, 0) || math.IsNaN(v) {
				r.Report(n, "%s must be a finite number; found %s", n.Name, n.Text)
				return 0, false
			}
			return v, true
		}
	}
	hint := n.Hint()
	if _, ok := number(n.Text); ok && n.quoted() {
		hint = " in quotes: drop them"
	}
	r.Report(n, "%s must be a number; found %s%s", n.Name, n, hint)
	return 0, false
}

// number parses a decimal number; ok with an infinite v if it is too large.
func number(text string) (v float64, ok bool) {
	switch strings.ToLower(strings.TrimLeft(text, "+-.")) {
	case "inf", "infinity", "nan":
		return math.NaN(), true
	}
	if text == "" || strings.Trim(text, "0123456789+-.eE") != "" {
		return 0, false
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil || math.IsInf(v, 0)
}

// Int reads a whole number from least to most. 5e4 is one.
func (r *Reader) Int(n *Node, least, most int) (int, bool) {
	v, ok := r.Float(n)
	if !ok {
		return 0, false
	}
	switch {
	case v != math.Trunc(v):
		r.Report(n, "%s must be a whole number; found %s", n.Name, n.Text)
	case v < float64(least):
		r.Report(n, "%s must be at least %d; found %s", n.Name, least, n.Text)
	case v > float64(most):
		r.Report(n, "%s must be at most %d; found %s", n.Name, most, n.Text)
	default:
		return int(v), true
	}
	return 0, false
}

// Uint64 reads a whole number below 2^64.
func (r *Reader) Uint64(n *Node) (uint64, bool) {
	if n == nil {
		return 0, false
	}
	if n.Kind == Scalar && !n.quoted() {
		if v, err := strconv.ParseUint(n.Text, 10, 64); err == nil {
			return v, true
		}
	}
	r.Report(n, "%s must be a whole number from 0 to %d; found %s", n.Name, uint64(math.MaxUint64), n)
	return 0, false
}

// List checks that n is a list that is not empty.
func (r *Reader) List(n *Node, of string) bool {
	if n == nil {
		return false
	}
	if n.Kind != List {
		r.Report(n, "%s must be a list of %s; found %s%s", n.Name, of, n, n.Hint())
		return false
	}
	if len(n.Items) == 0 {
		r.Report(n, "%s is an empty list; expected %s", n.Name, of)
		return false
	}
	return true
}

// Floats reads a list of want finite numbers; want < 0 takes any length.
func (r *Reader) Floats(n *Node, want int) ([]float64, bool) {
	if !r.List(n, "numbers") {
		return nil, false
	}
	if want >= 0 && len(n.Items) != want {
		r.Report(n, "%s must be a list of %d numbers; found %d%s", n.Name, want, len(n.Items), n.Hint())
		return nil, false
	}
	all := true
	var out []float64
	for _, item := range n.Items {
		v, ok := r.Float(item)
		all = all && ok
		out = append(out, v)
	}
	return out, all
}
