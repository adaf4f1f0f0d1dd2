package rows

import (
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/expression"
)

// constraints writes those out, in coordinates alone, that take sums over entries or names of let.
func (b *builder) constraints() {
	for i, text := range b.Constraints {
		words, _ := expression.Words(text) // its errors are told where it is read
		if b.composed(words) {
			text = b.bySides(place("constraints", i, len(b.Constraints)), text, words)
		}
		b.out.Constraints = append(b.out.Constraints, text)
	}
}

// composed reports whether a text names anything but entries of parameters.
func (b *builder) composed(words []expression.Word) bool {
	for i, w := range words {
		called := i+1 < len(words) && words[i+1].Text == "("
		v := b.vectors[w.Text]
		switch {
		case !w.Name:
		case called && w.Text == "sum", !called && (b.says(w.Text) == "let" || slices.Contains(b.header, w.Text) || v != nil && v.dims != nil):
			return true
		}
	}
	return false
}

// bySides writes out what stands on either side of the signs of a constraint.
func (b *builder) bySides(path []string, text string, words []expression.Word) string {
	var out strings.Builder
	from := 0
	side := func(to int) {
		said := text[from:to]
		written, ok := b.expand(path, said, from)
		if ok {
			written, _ = b.sums(written)
			written, _, ok = b.inCoordinates(path, said, from, written, "a constraint", func(index string) string { return index })
		}
		if ok {
			out.WriteString(written)
		}
	}
	for _, w := range words {
		if slices.Contains([]string{"<", "<=", ">", ">=", "=", "==", "≤", "≥"}, w.Text) {
			side(w.Pos)
			out.WriteString(w.Text)
			from = w.End
		}
	}
	side(len(text))
	return out.String()
}
