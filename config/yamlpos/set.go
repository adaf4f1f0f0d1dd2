package yamlpos

import (
	"fmt"
	"strings"
)

// Set applies an override "a.b=value" to the tree of root: the value, parsed as
// YAML, takes the place of the key's or is added. Problems found in it later
// are told as of "--set a.b". The error is of type [Problems].
func Set(root *Node, assignment string) error {
	path, value, found := strings.Cut(assignment, "=")
	path = strings.TrimSpace(path)
	keys := strings.Split(path, ".")
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
		next := at.Field(k)
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
