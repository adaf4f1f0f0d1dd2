package yamlpos

import (
	"regexp"
	"strings"
)

// several are words or numbers, with spaces, commas or semicolons between them.
var several = regexp.MustCompile(`^[\w.+-]+(?:[\s,;]+[\w.+-]+)+$`)

// decimal is a number with a comma in the place of its point.
var decimal = regexp.MustCompile(`^[+-]?\d+,\d+$`)

// Hint says how n is written if it is a text of several words where a list, or an entry of one, is
// expected, or a list that holds such a text; "" is of anything else.
func (n *Node) Hint() string {
	switch {
	case n.Kind == Scalar && decimal.MatchString(n.Text):
		return ": decimals have a point, " + strings.Replace(n.Text, ",", ".", 1) + ", and lists stand in brackets, [" + parted(n.Text) + "]"
	case n.Kind == Scalar && several.MatchString(n.Text) && strings.HasPrefix(n.Name, "entry "):
		return ": commas part the entries of a list: " + parted(n.Text)
	case n.Kind == Scalar && several.MatchString(n.Text):
		return ": write [" + parted(n.Text) + "]"
	case n.Kind == List:
		var all []string
		more := false
		for _, item := range n.Items {
			more = more || item.Kind == Scalar && several.MatchString(item.Text)
			all = append(all, parted(item.Text))
		}
		if more {
			return ": commas part the entries of a list: [" + strings.Join(all, ", ") + "]"
		}
	}
	return ""
}

// parted are words with commas between them.
func parted(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n,;", r) }), ", ")
}

// mend reports entries of a list in brackets that are one text, such as max(x, y) < 1, which a comma
// in it cuts.
func (t *tree) mend(list *Node) {
	var parts []string
	var first *Node
	open := 0
	for _, e := range list.Items {
		if e.Kind != Scalar || e.style != plain {
			parts, open = nil, 0
			continue
		}
		if open <= 0 {
			parts, first, open = nil, e, 0
		}
		parts = append(parts, e.Text)
		if open += strings.Count(e.Text, "(") - strings.Count(e.Text, ")"); open == 0 && len(parts) > 1 {
			t.report(first, "a comma in brackets begins another entry: put all of it in quotes: %q", strings.Join(parts, ", "))
		}
	}
}
