package rows

import (
	"strings"

	"github.com/r2sgld/r2sgld/expression"
)

// compared are what a comparison of columns a and b is written as: 1 where it holds, 0
// elsewhere, in functions of a − b.
var compared = map[string][2]string{
	"<": {"max(-sign((", ")), 0)"}, ">": {"max(sign((", ")), 0)"},
	"<=": {"(1 - max(sign((", ")), 0))"}, ">=": {"(1 - max(-sign((", ")), 0))"},
	"==": {"(1 - abs(sign((", "))))"}, "=": {"(1 - abs(sign((", "))))"},
	"!=": {"abs(sign((", ")))"},
}

// comparisons are where the words of a formula are written otherwise: what stands before and
// after a word, and in place of it.
type comparisons struct {
	before, after map[int]string
	place         map[int]string
}

// compare finds the comparisons of a formula, each in parentheses of its own. Where slopes are asked for
// only columns are compared: of a parameter it would be a jump, which slopes do not know of.
func (b *builder) compare(path []string, words []expression.Word, begin int) comparisons {
	c := comparisons{map[int]string{}, map[int]string{}, map[int]string{}}
	for i, w := range words {
		if !compares(w) {
			continue
		}
		from, to, others := side(words, i, -1), side(words, i, 1), 0
		for _, o := range words[from : to+1] {
			if compares(o) {
				others++
			}
		}
		bare := from > 0 && words[from-1].Text == "(" && (from == 1 || !words[from-2].Name) && to+1 < len(words) && words[to+1].Text == ")"
		switch p := b.parameter(words[from : to+1]); {
		case !bare || others > 1 || from == i || to == i:
			b.fault(path, begin+w.Pos, "a comparison of columns is 1 or 0, and stands in parentheses of its own: (age %s 30)", w.Text)
		case p != "" && !b.jumps:
			b.fault(path, begin+w.Pos, "columns are compared, and %s is no column: the density would jump there, and its slope not know of it", p)
		}
		as := compared[w.Text]
		c.before[from], c.place[i], c.after[to] = as[0], ") - (", as[1]
	}
	return c
}

// compares reports whether a word is a sign that compares.
func compares(w expression.Word) bool {
	_, ok := compared[w.Text]
	return ok && !w.Name
}

// side is the last word in a direction that belongs to the side of the comparison at i.
func side(words []expression.Word, i, step int) int {
	open, closed := "(", ")"
	if step > 0 {
		open, closed = closed, open
	}
	depth := 0
	for j := i + step; j >= 0 && j < len(words); j += step {
		switch {
		case words[j].Text == closed:
			depth++
		case depth == 0 && (words[j].Text == open || words[j].Text == ","):
			return j - step
		case words[j].Text == open:
			depth--
		}
	}
	return max(0, min(len(words)-1, i+step*len(words)))
}

// parameter is the first name among words that stands for a parameter, or for what is made of
// one; "" if there is none.
func (b *builder) parameter(words []expression.Word) string {
	for _, w := range words {
		bare, _, _ := strings.Cut(w.Text, "[")
		inner, _ := expression.Words(b.lets[w.Text])
		if w.Name && (b.vectors[bare] != nil || b.parameter(inner) != "") {
			return w.Text
		}
	}
	return ""
}
