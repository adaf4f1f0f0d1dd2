package key

import (
	"fmt"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
)

// Only checks that n is a mapping with none but these keys.
func (r *Reader) Only(n *yamlpos.Node, keys []Key) bool {
	if !r.Map(n) {
		return false
	}
	names := Names(keys)
	for _, f := range n.Fields {
		if slices.Contains(names, f.Key.Text) {
			continue
		}
		hint := deeper(f.Key, f.Key.Text, keys)
		begins := func(name string) bool { return strings.HasPrefix(name, f.Key.Text+"_") }
		if i := slices.IndexFunc(names, begins); hint == "" && i >= 0 && !slices.ContainsFunc(names[i+1:], begins) {
			hint = fmt.Sprintf("; did you mean %q?", names[i])
		}
		if _, near := expression.Nearest(f.Key.Text, names); hint == "" && !near {
			// A name of a section is less likely to be meant than one that stands here: it begins alike.
			name, ok := expression.Nearest(f.Key.Text, Section(keys).names())
			if ok && strings.HasPrefix(name, f.Key.Text[:min(2, len(f.Key.Text))]) {
				hint = deeper(f.Key, name, keys)
			}
		}
		if hint == "" {
			hint = yamlpos.Suggest(f.Key.Text, "known keys", names)
		}
		r.Report(f.Key, "unknown key %q%s", f.Key.Text, hint)
	}
	return true
}

// deeper says where the key is that is meant by k, if it stands within one of these keys; "" is nowhere, or in
// several places alike.
func deeper(k *yamlpos.Node, meant string, keys []Key) string {
	var best []string
	for _, at := range Section(keys).places(meant[strings.LastIndex(meant, ".")+1:], "") {
		fits := strings.HasSuffix("."+at, "."+meant) // a part of the way may be said
		less := len(best) == 0 || strings.Count(at, ".") < strings.Count(best[0], ".")
		switch {
		case !fits || slices.Contains(best, at):
		case less:
			best = []string{at}
		case strings.Count(at, ".") == strings.Count(best[0], "."):
			best = append(best, at)
		}
	}
	if len(best) != 1 {
		return ""
	}
	if set, ok := k.Override(); ok {
		above, last := strings.CutSuffix("."+set, "."+k.Text)
		if !last {
			above = ""
		}
		return fmt.Sprintf("; did you mean %q?", strings.TrimPrefix(above+"."+best[0], "."))
	}
	last := strings.LastIndex(best[0], ".")
	return fmt.Sprintf("; did you mean %q within %q?", best[0][last+1:], best[0][:last])
}

// places are the ways to keys of a name, such as swap.scheme, within what has a schema, which is
// at some place itself.
func (o Ordered) places(name, at string) (found []string) {
	o.walk(at, func(way string) {
		if way[strings.LastIndex(way, ".")+1:] == name {
			found = append(found, way)
		}
	})
	return found
}

// names are those of all keys within what has a schema.
func (o Ordered) names() (found []string) {
	o.walk("", func(way string) { found = append(found, way[strings.LastIndex(way, ".")+1:]) })
	return found
}

// walk visits the ways to all keys within what has a schema, which is at some place itself.
func (o Ordered) walk(at string, visit func(way string)) {
	for _, e := range o {
		switch v := e.Value.(type) {
		case []Ordered:
			for _, one := range v {
				one.walk(at, visit)
			}
		case Ordered:
			if e.Key != "properties" {
				continue
			}
			for _, p := range v {
				way := strings.TrimPrefix(at+"."+p.Key, ".")
				visit(way)
				if within, ok := p.Value.(Ordered); ok {
					within.walk(way, visit)
				}
			}
		}
	}
}
