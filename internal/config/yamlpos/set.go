package yamlpos

import (
	"fmt"
	"strings"
)

// Set applies an override "a.b=value" to the tree of root: the value, parsed as
// YAML, takes the place of the key's or is added. A key with a point in it stands
// in quotes of any kind: a."b.c"=value. Problems found in it later
// are told as of "--set a.b". The error is of type [Problems].
func Set(root *Node, assignment string) error {
	path, keys, value, found := cutAssignment(assignment)
	fail := func(format string, args ...any) error {
		return Problems{{File: "--set " + strings.TrimSpace(path), Message: fmt.Sprintf(format, args...)}}
	}
	if !found || path == "" {
		return fail("expected a.b=value, such as sampler.iterations=1000")
	}
	for _, k := range keys {
		if strings.TrimSpace(k) != k || k == "" {
			return fail("a key is missing: expected a.b=value, such as sampler.iterations=1000")
		}
	}
	last := keys[len(keys)-1]
	n, problems := parseValue("--set "+path, []byte(value))
	if len(problems) > 0 {
		return fail("%s", problems[0].Message)
	}
	n.source.override = true
	rename(n, last)
	at := root
	for i, k := range keys[:len(keys)-1] {
		next := at.value(k)
		if next == nil {
			next = &Node{Kind: Map, Name: k, source: n.source}
			at.put(k, next)
		}
		if next.Kind == Null {
			next.Kind = Map
		}
		if next.Kind != Map {
			return fail("%s holds %s, no keys", strings.Join(keys[:i+1], "."), next)
		}
		at = next
	}
	at.put(last, n)
	return nil
}

// cutAssignment cuts "a.b=value" at the first sign of equality, and what is before
// it at its points, but not within quotes.
func cutAssignment(s string) (path string, keys []string, value string, found bool) {
	key, from, quote := "", 0, byte(0)
	for i := range len(s) {
		c := s[i]
		switch {
		case quote != 0 && c != quote, quote == 0 && c != '.' && c != '=' && !strings.ContainsRune(quotes, rune(c)):
			continue
		case quote != 0:
			key, quote, from = key+s[from:i], 0, i+1
		case c == '.' || c == '=':
			keys = append(keys, key+s[from:i])
			if key, from = "", i+1; c == '=' {
				path = strings.TrimSpace(s[:i])
				keys[0] = strings.TrimLeft(keys[0], " ")
				keys[len(keys)-1] = strings.TrimRight(keys[len(keys)-1], " ")
				return path, keys, s[from:], true
			}
		default:
			key, quote, from = key+s[from:i], c, i+1
		}
	}
	return strings.TrimSpace(s), nil, "", false
}

// quotes are what a key of an override may stand in.
const quotes = "\"'`"

// put sets the value of a key.
func (n *Node) put(key string, value *Node) {
	for i, f := range n.Fields {
		if f.Key.Text == key {
			n.Fields[i] = Field{&Node{Kind: Scalar, Name: key, Text: key, source: value.source}, value}
			return
		}
	}
	n.Fields = append(n.Fields, Field{&Node{Kind: Scalar, Name: key, Text: key, source: value.source}, value})
}

// rename calls n by name, and the entries of a list accordingly.
func rename(n *Node, name string) {
	n.Name = name
	for i, item := range n.Items {
		rename(item, fmt.Sprintf("entry %d of %s", i+1, name))
	}
}
