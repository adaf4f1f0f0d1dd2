// Package key answers what a section of a configuration may hold: a key is declared once,
// and reading, messages, reference and schema follow from that.
package key

import (
	"fmt"
	"math"
	"strings"

	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
)

// A Key is one key of a section, declared once: where its value goes and which it takes,
// and what the reference and the schema tell of it.
type Key struct {
	Name     string
	Words    string  // the values it takes, in the reference
	Shape    Ordered // the same as a JSON schema
	Fallback string  // its default, in the reference
	Doc      string
	Needed   bool  // a section without it is wrong
	Filled   bool  // it may not be left empty
	Within   []Key // of a mapping: its keys
	// read takes a value that is there to its place; nil is done elsewhere.
	read func(*Reader, *yamlpos.Node)
}

// Tells adds the default and what the key means.
func (k Key) Tells(fallback, doc string) Key {
	k.Fallback, k.Doc = fallback, doc
	return k
}

// Must makes the key required.
func (k Key) Must() Key {
	k.Needed = true
	return k
}

// By reads the key by another function, nil by none here.
func (k Key) By(read func(*Reader, *yamlpos.Node)) Key {
	k.read = read
	return k
}

// In tells other words for the values that the key takes.
func (k Key) In(words string) Key {
	k.Words = words
	return k
}

// Also adds a keyword to the schema, of what is checked elsewhere.
func (k Key) Also(keyword string, value any) Key {
	k.Shape = k.Shape.With(keyword, value)
	return k
}

// Names are the names of keys.
func Names(keys []Key) (names []string) {
	for _, k := range keys {
		names = append(names, k.Name)
	}
	return names
}

// Of is the key of a name, which must be there.
func Of(keys []Key, name string) Key {
	for _, k := range keys {
		if k.Name == name {
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

// Many is the largest whole number of keys without a limit of their own.
const Many = 1_000_000_000_000

// Whole is a whole number from least to most, which goes to an *int or **int.
func Whole[P *int | **int](name string, at P, least, most int) Key {
	shape, words := Object("type", "integer", "minimum", least, "maximum", most), grouped(least)+" … "+grouped(most)
	if most == Many || most == math.MaxInt32 {
		words = "≥ " + grouped(least)
	}
	return Key{Name: name, Words: words, Shape: shape, read: func(l *Reader, n *yamlpos.Node) {
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

// MostNumbers is the largest number of entries of a list of positive numbers.
const MostNumbers = 512

// A Limit bounds a number: by a keyword of JSON schema, and what is said of one beyond it.
type Limit struct {
	keyword string
	bound   float64
	fault   string
}

// What numbers mostly are.
var (
	Positive    = Limit{"exclusiveMinimum", 0, "must be positive"}
	NotNegative = Limit{"minimum", 0, "must not be negative"}
)

// AtMost allows v and less.
func AtMost(v float64) Limit { return Limit{"maximum", v, fmt.Sprintf("must be at most %g", v)} }

// AtLeast allows v and more.
func AtLeast(v float64) Limit { return Limit{"minimum", v, fmt.Sprintf("must be at least %g", v)} }

// Above allows what is more than v.
func Above(v float64) Limit { return Limit{"exclusiveMinimum", v, fmt.Sprintf("must be above %g", v)} }

// Below allows what is less than v.
func Below(v float64) Limit { return Limit{"exclusiveMaximum", v, fmt.Sprintf("must be below %g", v)} }

// Probability are the limits of a number between 0 and 1.
func Probability() []Limit {
	const fault = "is a probability between 0 and 1, both ends excluded"
	return []Limit{{"exclusiveMinimum", 0, fault}, {"exclusiveMaximum", 1, fault}}
}

// Says is the limit with other words for what lies beyond it.
func (m Limit) Says(fault string) Limit {
	m.fault = fault
	return m
}

func (m Limit) holds(v float64) bool {
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

// Number is a finite number within limits, the lower first, which goes to a *float64 or
// **float64.
func Number[P *float64 | **float64](name string, at P, limits ...Limit) Key {
	k := Key{Name: name, Words: "number", Shape: Object("type", "number")}
	signs := map[string]string{"minimum": " ≥ ", "exclusiveMinimum": " > ", "maximum": " ≤ ", "exclusiveMaximum": " < "}
	for i, m := range limits {
		if i > 0 && signs[m.keyword] == signs[limits[i-1].keyword] { // above 1 is positive
			k.Words, k.Shape = "number", k.Shape[:len(k.Shape)-1]
		}
		k.Words += strings.Repeat(",", min(1, strings.Count(k.Words, " "))) + signs[m.keyword] + fmt.Sprint(m.bound)
		k.Shape = k.Shape.With(m.keyword, m.bound)
	}
	return k.By(func(l *Reader, n *yamlpos.Node) {
		if v, ok := l.Limited(n, limits...); ok {
			put(any(at), v)
		}
	})
}

// Word is one of some words, which goes to a string of any type.
func Word[S ~string](name string, at *S, words ...string) Key {
	return Key{Name: name, Words: "`" + strings.Join(words, "`, `") + "`", Shape: Object("enum", words),
		read: func(l *Reader, n *yamlpos.Node) {
			if w, ok := l.Word(n, words...); ok {
				*at = S(w)
			}
		}}
}

// Seed is a whole number below 2^64, which makes a pointer to it.
func Seed(name string, at **uint64) Key {
	shape := Object("type", "integer", "minimum", 0, "maximum", uint64(math.MaxUint64))
	return Given(name, "0 … 2⁶⁴ − 1", shape, func(r *Reader, n *yamlpos.Node) {
		if v, ok := r.Uint64(n); ok {
			*at = &v
		}
	})
}

// Boolean is true or false.
func Boolean[P *bool | **bool](name string, at P) Key {
	return Key{Name: name, Words: "true, false", Shape: Object("type", "boolean"), read: func(l *Reader, n *yamlpos.Node) {
		if w, ok := l.Word(n, "true", "false"); ok {
			put(any(at), w == "true")
		}
	}}
}

// Text is text that is not empty.
func Text(name string, at *string) Key {
	return Key{Name: name, Words: "text", Shape: PlainText(), read: func(l *Reader, n *yamlpos.Node) {
		if t, ok := l.Text(n); ok {
			*at = t
		}
	}}
}

func PlainText() Ordered { return Object("type", []string{"string", "number"}, "minLength", 1) }

// Texts is a list of texts, called what they are in a message.
func Texts(name string, at *[]string, what string) Key {
	return Key{Name: name, Words: "list of " + what, Shape: ListOf(PlainText()), read: func(l *Reader, n *yamlpos.Node) {
		if l.List(n, what) {
			*at = l.Texts(n)
		}
	}}
}

// Positives is a positive number or a list of them.
func Positives(name string, at *[]float64) Key {
	shape := Object("type", "number", "exclusiveMinimum", 0)
	return Key{Name: name, Words: "number > 0, or a list", Shape: AnyOf(shape, ListOf(shape).With("maxItems", MostNumbers)),
		read: func(l *Reader, n *yamlpos.Node) {
			if v := l.Positives(n); v != nil {
				*at = v
			}
		}}
}

// Mapping is a section within a section.
func Mapping(name string, keys []Key) Key {
	return Key{Name: name, Words: "map", Within: keys, Shape: Section(keys), read: func(l *Reader, n *yamlpos.Node) { l.Read(n, keys) }}
}

// Part is a section within a section, to which it makes a pointer.
func Part[T any](name string, at **T, keys func(*T) []Key) Key {
	return Mapping(name, keys(new(T))).By(func(r *Reader, n *yamlpos.Node) {
		v := new(T)
		if r.Read(n, keys(v)) {
			*at = v
		}
	})
}

// Given is a value that functions of its own read, of a shape.
func Given(name, words string, shape Ordered, read func(*Reader, *yamlpos.Node)) Key {
	return Key{Name: name, Words: words, Shape: shape, read: read}
}

// With reads a value by a function that reports to the same reader.
func With(read func(*yamlpos.Node)) func(*Reader, *yamlpos.Node) {
	return func(_ *Reader, n *yamlpos.Node) { read(n) }
}
