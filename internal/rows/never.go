package rows

import (
	"fmt"
	"strings"

	"github.com/r2sgld/r2sgld/expression"
)

// never reports a formula of parameters and data that is written so, and in some row has no value that what
// may have, whatever the parameters between their walls.
func (b *builder) never(t term, written, text string, of support, what string) bool {
	text, err := b.sums(text)
	if err != nil {
		return false // which is told of the whole term
	}
	f, err := b.rowwise(text)
	if err != nil || len(b.faults) > 0 || len(f.data)+len(f.products)+len(f.picked) == 0 || len(f.data) == len(f.f.Variables()) {
		return len(b.faults) > 0
	}
	ranges, between := f.f.Ranges(), func(j int) expression.Range {
		return expression.Range{Lo: b.out.Prior.Lower[j], Hi: b.out.Prior.Upper[j]}
	}
	var x []expression.Range
	for row := range f.rows {
		x = x[:0]
		for _, j := range f.single {
			x = append(x, between(j))
		}
		for _, p := range f.products {
			sum := expression.Point(0)
			for k, j := range p.coordinate {
				sum = sum.Plus(between(j).Times(expression.Point(p.columns[k][row])))
			}
			x = append(x, sum)
		}
		for _, p := range f.picked {
			x = append(x, between(p.coordinate[p.level[row]]))
		}
		for _, column := range f.data {
			x = append(x, expression.Point(column[row]))
		}
		r := ranges(x)
		is := ""
		switch {
		case !r.Finite():
			is = "not finite"
		case r.Hi < of.lo || of.open && r.Hi == of.lo:
			is = fmt.Sprintf("at most %g", r.Hi)
		case r.Lo > of.hi || of.open && r.Lo == of.hi:
			is = fmt.Sprintf("at least %g", r.Lo)
		default:
			continue
		}
		b.faultIn(row, "%s is %s, whatever the parameters: %s is %s", strings.TrimSpace(written), is, what, of.words)
		return true
	}
	return false
}
