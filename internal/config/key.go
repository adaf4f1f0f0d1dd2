package config

import (
	"fmt"
	"math"
	"strings"

	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
)

// A key is one key of a section, declared once: where its value goes and which it takes,
// and what the reference and the schema tell of it.
type key struct {
	name     string
	words    string  // the values it takes, in the reference
	shape    Ordered // the same as a JSON schema
	fallback string  // its default, in the reference
	doc      string
	needed   bool     // a section without it is wrong
	filled   bool     // it may not be left empty
	auto     autoRole // of keys of the sampler
	within   []key    // of a mapping: its keys
	// read takes a value that is there to its place; nil is done elsewhere.
	read func(*loader, *yamlpos.Node)
}

// tells adds the default and what the key means.
func (k key) tells(fallback, doc string) key {
	k.fallback, k.doc = fallback, doc
	return k
}

// must makes the key required.
func (k key) must() key {
	k.needed = true
	return k
}

// by reads the key by another function, nil by none here.
func (k key) by(read func(*loader, *yamlpos.Node)) key {
	k.read = read
	return k
}

// in tells other words for the values that the key takes.
func (k key) in(words string) key {
	k.words = words
	return k
}

// also adds a keyword to the schema, of what is checked elsewhere.
func (k key) also(keyword string, value any) key {
	k.shape = append(k.shape[:len(k.shape):len(k.shape)], Entry{keyword, value})
	return k
}

// read checks that n is a mapping of these keys and reads those that are there.
func (l *loader) read(n *yamlpos.Node, keys []key) bool {
	return l.Section(n, keyNames(keys)...) && l.take(n, keys, keyNames(keys)...)
}

// take reads some keys of the section n, in the order of their names.
func (l *loader) take(n *yamlpos.Node, keys []key, names ...string) bool {
	for _, name := range names {
		k := keyOf(keys, name)
		switch v := n.Field(name); {
		case k.read == nil:
		case v != nil:
			k.read(l, v)
		case k.needed:
			l.Report(n, "%s needs the key %q", n.Name, name)
		}
	}
	return true
}

func keyNames(keys []key) (names []string) {
	for _, k := range keys {
		names = append(names, k.name)
	}
	return names
}

// keyOf is the key of a name, which must be there.
func keyOf(keys []key, name string) key {
	for _, k := range keys {
		if k.name == name {
			return k
		}
	}
	panic("no key " + name)
}

// put sets a value, or makes a pointer to it.
func put[T any](at any, v T) {
	switch p := at.(type) {
	case *T:
		*p = v
	case **T:
		*p = &v
	}
}

// whole is a whole number from least to most, which goes to an *int or **int.
func whole[P *int | **int](name string, at P, least, most int) key {
	shape, words := object("type", "integer", "minimum", least, "maximum", most), grouped(least)+" … "+grouped(most)
	if most == maxIterations || most == math.MaxInt32 {
		words = "≥ " + grouped(least)
	}
	return key{name: name, words: words, shape: shape, read: func(l *loader, n *yamlpos.Node) {
		if v, ok := l.Int(n, least, most); ok {
			put(any(at), v)
		}
	}}
}

// grouped is a number as people read it: 5,000,000.
func grouped(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// A limit bounds a number: by a keyword of JSON schema, and what is said of one beyond it.
type limit struct {
	keyword string
	bound   float64
	fault   string
}

var (
	positive    = limit{"exclusiveMinimum", 0, "must be positive"}
	notNegative = limit{"minimum", 0, "must not be negative"}
)

func atMost(v float64) limit  { return limit{"maximum", v, fmt.Sprintf("must be at most %g", v)} }
func atLeast(v float64) limit { return limit{"minimum", v, fmt.Sprintf("must be at least %g", v)} }
func above(v float64) limit   { return limit{"exclusiveMinimum", v, fmt.Sprintf("must be above %g", v)} }
func below(v float64) limit   { return limit{"exclusiveMaximum", v, fmt.Sprintf("must be below %g", v)} }

// probability are the limits of a number between 0 and 1.
func probability() []limit {
	const fault = "is a probability between 0 and 1, both ends excluded"
	return []limit{{"exclusiveMinimum", 0, fault}, {"exclusiveMaximum", 1, fault}}
}

// says is the limit with other words for what lies beyond it.
func (m limit) says(fault string) limit {
	m.fault = fault
	return m
}

func (m limit) holds(v float64) bool {
	switch m.keyword {
	case "minimum":
		return v >= m.bound
	case "exclusiveMinimum":
		return v > m.bound
	case "maximum":
		return v <= m.bound
	}
	return v < m.bound
}

// number is a finite number within limits, the lower first, which goes to a *float64 or
// **float64.
func number[P *float64 | **float64](name string, at P, limits ...limit) key {
	k := key{name: name, words: "number", shape: object("type", "number")}
	signs := map[string]string{"minimum": " ≥ ", "exclusiveMinimum": " > ", "maximum": " ≤ ", "exclusiveMaximum": " < "}
	for i, m := range limits {
		if i > 0 && signs[m.keyword] == signs[limits[i-1].keyword] { // above 1 is positive
			k.words, k.shape = "number", k.shape[:len(k.shape)-1]
		}
		k.words += strings.Repeat(",", min(1, strings.Count(k.words, " "))) + signs[m.keyword] + fmt.Sprint(m.bound)
		k.shape = append(k.shape, Entry{m.keyword, m.bound})
	}
	return k.by(func(l *loader, n *yamlpos.Node) {
		if v, ok := l.limited(n, limits...); ok {
			put(any(at), v)
		}
	})
}

// limited reads a number within limits.
func (l *loader) limited(n *yamlpos.Node, limits ...limit) (float64, bool) {
	v, ok := l.Float(n)
	for _, m := range limits {
		if ok && !m.holds(v) {
			l.Report(n, "%s %s; found %s", n.Name, m.fault, n.Text)
			return 0, false
		}
	}
	return v, ok
}

// word is one of some words, which goes to a string of any type.
func word[S ~string](name string, at *S, words ...string) key {
	return key{name: name, words: "`" + strings.Join(words, "`, `") + "`", shape: object("enum", words),
		read: func(l *loader, n *yamlpos.Node) {
			if w, ok := l.Word(n, words...); ok {
				*at = S(w)
			}
		}}
}

// boolean is true or false.
func boolean[P *bool | **bool](name string, at P) key {
	return key{name: name, words: "true, false", shape: object("type", "boolean"), read: func(l *loader, n *yamlpos.Node) {
		if w, ok := l.Word(n, "true", "false"); ok {
			put(any(at), w == "true")
		}
	}}
}

// text is text that is not empty.
func text(name string, at *string) key {
	return key{name: name, words: "text", shape: plainText(), read: func(l *loader, n *yamlpos.Node) {
		if t, ok := l.Text(n); ok {
			*at = t
		}
	}}
}

func plainText() Ordered { return object("type", []string{"string", "number"}, "minLength", 1) }

// texts is a list of texts, called what they are in a message.
func texts(name string, at *[]string, what string) key {
	return key{name: name, words: "list of " + what, shape: listOf(plainText()), read: func(l *loader, n *yamlpos.Node) {
		if l.List(n, what) {
			*at = l.texts(n)
		}
	}}
}

// positives is a positive number or a list of them.
func positives(name string, at *[]float64) key {
	shape := object("type", "number", "exclusiveMinimum", 0)
	return key{name: name, words: "number > 0, or a list", shape: anyOf(shape, append(listOf(shape), Entry{"maxItems", maxRungs})),
		read: func(l *loader, n *yamlpos.Node) {
			if v := l.positives(n); v != nil {
				*at = v
			}
		}}
}

// mapping is a section within a section.
func mapping(name string, keys []key) key {
	return key{name: name, words: "map", within: keys, shape: section(keys), read: func(l *loader, n *yamlpos.Node) { l.read(n, keys) }}
}

// given is a value that functions of its own read, of a shape.
func given(name, words string, shape Ordered, read func(*loader, *yamlpos.Node)) key {
	return key{name: name, words: words, shape: shape, read: read}
}
