package rows

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/r2sgld/r2sgld/expression"
)

// expand writes a formula with parameters and columns alone: what let names, sums over the
// entries of a parameter and products of blocks are written out. Faults stand at their
// place in the text at the path, where the formula begins at a byte.
func (b *builder) expand(path []string, text string, begin int) (string, bool) {
	words, err := expression.Words(text)
	if err == nil {
		_, err = expression.Names(masked(text, words))
	}
	if err != nil {
		b.syntax(path, begin, err)
		return "", false
	}
	before := len(b.faults)
	compared := b.compare(path, words, begin)
	var out strings.Builder
	at, done := 0, 0
	put := func(from, to int, s string) {
		out.WriteString(text[at:from] + s)
		at = to
	}
	end := func(i int) { // what ends before word i
		for ; done < i; done++ {
			if s := compared.after[done]; s != "" {
				put(words[done].End, words[done].End, s)
			}
		}
	}
	for i := 0; i < len(words); i++ {
		w := words[i]
		end(i)
		if s := compared.before[i]; s != "" {
			put(w.Pos, w.Pos, s)
		}
		follows := func(k int, s string) bool { return i+k < len(words) && words[i+k].Text == s }
		switch {
		case compared.place[i] != "":
			put(w.Pos, w.End, compared.place[i])
		case !w.Name:
		case w.Text == "sum" && follows(1, "(") && follows(3, ")"):
			put(w.Pos, words[i+3].End, b.sum(path, begin, words[i+2]))
			i += 3
		case w.Text == "lag" && follows(1, "(") && follows(3, ",") && follows(5, ")"):
			put(w.Pos, words[i+5].End, b.lag(path, begin, words[i+2], words[i+4]))
			i += 5
		case w.Text == "lag" && follows(1, "("):
			b.fault(path, begin+w.Pos, "lag is written lag(y, 1): a column and a whole number of rows from 1 on")
		case follows(1, "("): // a function
		case b.blocks[w.Text].Columns != nil:
			if text, ok := b.times(path, begin, words, i); ok {
				put(w.Pos, words[i+2].End, text)
				i += 2
			}
		default:
			put(w.Pos, w.End, b.named(path, begin, w, text))
		}
	}
	end(len(words))
	return out.String() + text[at:], len(b.faults) == before
}

// times is the product X*beta that begins at word i, written out; false with a fault where there is none.
func (b *builder) times(path []string, begin int, words []expression.Word, i int) (string, bool) {
	w := words[i]
	if i+2 >= len(words) || words[i+1].Text != "*" {
		b.fault(path, begin+w.Pos, "%s is a block of columns: write %s*beta with a parameter beta[%s]", w.Text, w.Text, w.Text)
		return "", false
	}
	if besidePower(words, i) {
		b.fault(path, begin+w.Pos, "%s*%s beside ^ or after / may be read in two ways: put parentheses, (%[1]s*%[2]s)", w.Text, words[i+2].Text)
		return "", false
	}
	return b.product(path, begin, w, words[i+2]), true
}

// besidePower reports whether the product X*beta that begins at word i stands before ^, or
// after ^ or /, signs between them aside.
func besidePower(words []expression.Word, i int) bool {
	if i+3 < len(words) && words[i+3].Text == "^" {
		return true
	}
	i--
	for i > 0 && (words[i].Text == "-" || words[i].Text == "+") {
		i--
	}
	return i >= 0 && (words[i].Text == "^" || words[i].Text == "/")
}

// masked is a formula where sum and lag are functions that the language has, and comparisons
// differences, letter by letter, so that its syntax can be looked at.
func masked(text string, words []expression.Word) string {
	out := []byte(text)
	for i, w := range words {
		if compares(w) {
			copy(out[w.Pos:w.End], "-  "[:w.End-w.Pos])
		}
		if i+1 < len(words) && words[i+1].Text == "(" {
			switch w.Text {
			case "sum":
				copy(out[w.Pos:], "abs")
			case "lag":
				copy(out[w.Pos:], "max")
			}
		}
	}
	return string(out)
}

// named is what a name in a text stands for: a formula, or itself.
func (b *builder) named(path []string, begin int, w expression.Word, text string) string {
	if by := cmp.Or(b.lets[w.Text], b.factor(path, begin+w.Pos, w.Text)); by != "" {
		return "(" + by + ")"
	}
	b.known(path, begin, w)
	return text[w.Pos:w.End]
}

// syntax reports the faults of a formula at their places.
func (b *builder) syntax(path []string, begin int, err error) {
	all, ok := err.(expression.Errors)
	if !ok {
		b.fault(path, -1, "%w", err)
		return
	}
	for _, e := range all {
		b.fault(path, begin+e.Offset, "%s", e.Message)
	}
}

// known reports a name that is neither a parameter nor a column, and notes which columns
// are used.
func (b *builder) known(path []string, begin int, w expression.Word) {
	bare, index, indexed := strings.Cut(strings.TrimSuffix(w.Text, "]"), "[")
	v := b.vectors[bare]
	switch {
	case v != nil && !indexed && v.dims != nil:
		b.fault(path, begin+w.Pos, "%s has several entries: write %s[…], or sum(%s)", bare, bare, bare)
	case v != nil && indexed && v.dims == nil:
		b.fault(path, begin+w.Pos, "%s is one number: write it without an index, or declare %s", bare, w.Text)
	case v != nil && indexed && v.at(index) == nil:
		b.fault(path, begin+w.Pos, "%s is a matrix, an entry of which has two indices: write %s[%s, …]", bare, bare, index)
	case v != nil && indexed && len(b.levelled(v, index)) > 0:
		for _, i := range b.levelled(v, index) {
			b.levels[v.at(index)[i]] = true
		}
	case expression.Constant(bare) && slices.Contains(b.header, bare):
		b.fault(path, begin+w.Pos, "%q is a number in formulas, and a column of the data: give the column another name", bare)
	case v != nil || expression.Constant(bare):
	case indexed:
		b.fault(path, begin+w.Pos, "there is no parameter %q with an index%s", bare, near(bare, b.names()))
	case slices.Contains(b.header, bare):
		b.numbers[bare] = true
	case slices.ContainsFunc(b.Let, func(l Let) bool { return l.Name == bare }):
		b.later(path, begin+w.Pos, bare)
	default:
		b.fault(path, begin+w.Pos, "%q is neither a parameter, nor a column of the data, nor said by let%s", w.Text,
			near(w.Text, append(b.names(), b.header...)))
	}
}

// levelled are those indices of an entry of a parameter that are columns, whose level is that of the row.
func (b *builder) levelled(v *array, index string) (which []int) {
	for i, of := range v.at(index) {
		if slices.Contains(b.header, of) && b.blocks[v.dims[i]].Columns == nil {
			which = append(which, i)
		}
	}
	return which
}

// later reports a formula of let that takes itself or one below it. One above that is not known
// has a fault of its own.
func (b *builder) later(path []string, at int, name string) {
	for _, l := range b.Let {
		switch own := l.Name == path[len(path)-1]; {
		case own && l.Name == name:
			b.fault(path, at, "%s is said by itself: let takes what is above", name)
			return
		case own:
			b.fault(path, at, "%s is said further down: let takes what is above", name)
			return
		case l.Name == name:
			return
		}
	}
}

// names are those of the parameters and of let.
func (b *builder) names() (names []string) {
	for _, v := range b.sorted {
		names = append(names, v.bare)
	}
	for _, l := range b.Let {
		names = append(names, l.Name)
	}
	return names
}

// sum stands for the sum of a parameter's entries, which are not known before the data are
// read.
func (b *builder) sum(path []string, begin int, w expression.Word) string {
	if v := b.vectors[w.Text]; v == nil || v.dims == nil || v.corr > 0 {
		b.fault(path, begin+w.Pos, "sum adds the entries of a parameter that has several; %q has none", w.Text)
		return "0"
	}
	return "`" + w.Text + "[+]`"
}

// lag is the value of a column some rows before.
func (b *builder) lag(path []string, begin int, column, back expression.Word) string {
	n, err := strconv.Atoi(back.Text)
	switch {
	case !slices.Contains(b.header, column.Text):
		b.fault(path, begin+column.Pos, "lag takes a column of the data; %q is none%s", column.Text, near(column.Text, b.header))
	case err != nil || n < 1 || n > 1_000_000:
		b.fault(path, begin+back.Pos, "lag(%s, k) looks back by a whole number of rows from 1 on; found %s", column.Text, back.Text)
	default:
		b.numbers[column.Text] = true
		return fmt.Sprintf("`%s[-%d]`", column.Text, n)
	}
	return "0"
}

// product is a block of columns times the entries of a parameter, or of the row of a matrix that an index
// tells: entries that are named after the columns, or as many that are counted.
func (b *builder) product(path []string, begin int, block, with expression.Word) string {
	bare, index, indexed := strings.Cut(strings.TrimSuffix(with.Text, "]"), "[")
	v, l := b.vectors[bare], b.blocks[block.Text]
	last, counted := "", 0
	if v != nil && v.dims != nil && v.corr == 0 && len(v.dims) > 1 == indexed {
		last = v.dims[len(v.dims)-1]
		counted, _ = sized(last)
	}
	entries := l.Columns
	switch {
	case counted > 0 && counted != len(l.Columns):
		b.fault(path, begin+with.Pos, "the lengths of %s and %s differ, %d and %d: it is multiplied by a parameter %s[%s], or %[5]s[%[3]d], "+
			"an entry for each", block.Text, with.Text, len(l.Columns), counted, cmpName(with.Text), block.Text)
		return "0"
	case counted > 0:
		entries = numbered(counted)
	case last != block.Text:
		b.fault(path, begin+with.Pos, "%s is a block of columns: it is multiplied by a parameter %s[%s], an entry for each; %q is none",
			block.Text, cmpName(with.Text), block.Text, with.Text)
		return "0"
	}
	if indexed {
		index += ","
	}
	p := blocked{name: block.Text + "*" + with.Text, with: with.Text, entries: entries}
	var parts []string
	for i, c := range l.Columns {
		column := c
		if l.Standardise {
			column = l.Name + "[" + c + "]"
		}
		entry := bare + "[" + index + entries[i] + "]"
		b.known(path, begin, expression.Word{Text: entry, Name: true, Pos: with.Pos})
		p.columns = append(p.columns, column)
		parts = append(parts, fmt.Sprintf("%s*`%s`", expression.Quoted(column), entry))
	}
	text := "(" + strings.Join(parts, " + ") + ")"
	if !indexed { // entries of a row are looked up row by row
		b.products[text] = p
	}
	return text
}

// A blocked product is that of a block of columns and the entries of a parameter.
type blocked struct {
	name    string
	columns []string
	with    string   // the parameter
	entries []string // of it, one of each column
}

// cmpName is a name, or beta in place of what is none.
func cmpName(s string) string {
	if words, err := expression.Words(s); err == nil && len(words) == 1 && words[0].Name && !strings.Contains(s, "[") {
		return s
	}
	return "beta"
}
