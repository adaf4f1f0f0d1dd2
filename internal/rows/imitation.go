package rows

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/internal/vector"
)

// An Imitation draws tables like that of a model, in which its parameters are known.
type Imitation struct {
	mu       sync.Mutex
	from     *builder
	numbers  map[string]vector.Column // those that laws are of, as they were drawn last
	outcomes []*imitated
	forward  bool // later rows look back at what is drawn
}

// An imitated outcome is drawn in all rows at once, or row by row.
type imitated struct {
	columns []string                                 // one unless the law is joint
	into    []vector.Doubles                         // the numbers of these
	draws   []func(dst, x []float64, rng *rand.Rand) // one, or one of each row
	back    [][]lagged                               // of each row, where it looks back at
	value   []float64
}

// A lagged number is that of a column some rows before, in the place where a formula has it.
type lagged struct {
	column string
	row    int // of the table
	at     []float64
}

// mostForward bounds how many rows are drawn one by one.
const mostForward = 5000

// Imitate returns what draws tables. Its error says why there can be none: a formula says no
// law, a law is of a formula, or something beside the arguments of the laws looks at what they
// are of.
func (p *Posterior) Imitate() (*Imitation, error) {
	b := p.from
	im := &Imitation{from: b, numbers: maps.Clone(b.data)}
	of := map[string]bool{}
	for i, t := range b.terms {
		switch {
		case t.law == nil:
			return nil, fmt.Errorf("%w", ErrNoLaw)
		case i > 0 && t.law == b.terms[i-1].law:
			continue
		}
		for _, y := range t.y {
			switch {
			case !slices.Contains(b.header, y):
				return nil, fmt.Errorf("%s is a formula: data can be drawn where each law is of a column, such as y ~ %s(…)", y, t.law.name)
			case of[y]:
				return nil, fmt.Errorf("two laws are of the column %s: it cannot be drawn from both", y)
			}
			of[y] = true
		}
	}
	for _, text := range b.Where {
		names, _ := expression.ConstraintNames(text)
		for _, n := range names {
			if of[n] {
				return nil, fmt.Errorf("data.where looks at %s, which would be drawn: data that are chosen by it cannot be", n)
			}
		}
	}
	for i := range p.Outcomes.Of {
		o := &p.Outcomes.Of[i]
		for _, a := range o.args {
			for _, n := range a.names {
				column, _, lag := b.lagged(n)
				block, index, _ := strings.Cut(strings.TrimSuffix(n, "]"), "[")
				switch {
				case lag && of[column]:
					im.forward = true
				case of[n] || b.blocks[block].Columns != nil && of[index]:
					return nil, fmt.Errorf("the law of %s takes %s of the same row, which would be drawn", o.Name, n)
				}
			}
		}
		if b.levels[o.Name] {
			return nil, fmt.Errorf("%s tells which entry of a parameter a row has, and would be drawn", o.Name)
		}
		im.numbers[o.Name] = vector.Doubles(slices.Clone(vector.All(b.data[o.Name])))
	}
	if im.forward && b.keep.Len() > mostForward {
		return nil, fmt.Errorf("rows that look back at what is drawn are drawn one by one, %d at most: these are %d", mostForward, b.keep.Len())
	}
	for i := 0; i < len(p.Outcomes.Of); i += p.Outcomes.Of[i].together {
		im.outcomes = append(im.outcomes, im.imitated(p.Outcomes.Of[i:]))
	}
	return im, nil
}

// imitated makes what draws the first of some outcomes, with those that its law is of together.
func (im *Imitation) imitated(from []Outcome) *imitated {
	b, o := im.from, &from[0]
	out := &imitated{value: make([]float64, o.together*b.keep.Len())}
	for _, of := range from[:o.together] {
		out.columns, out.into = append(out.columns, of.Name), append(out.into, im.numbers[of.Name].(vector.Doubles))
	}
	if !im.forward {
		out.draws = append(out.draws, o.Draws())
		return out
	}
	for i, row := range b.keep.All() {
		one := Outcome{law: o.law, together: o.together}
		var back []lagged
		for _, a := range o.args {
			part := a.some([]int{i})
			for v, n := range part.names {
				if column, by, ok := b.lagged(n); ok {
					at := make(vector.Doubles, 1)
					part.data[v], back = at, append(back, lagged{column, row - by, at})
				}
			}
			one.args = append(one.args, &part)
		}
		out.draws, out.back = append(out.draws, one.Draws()), append(out.back, back)
	}
	return out
}

// Table draws a table at a state: a CSV file with the columns that the model takes. It may be
// called by several goroutines. Its error says which number could not be drawn.
func (im *Imitation) Table(x []float64, rng *rand.Rand) ([]byte, error) {
	im.mu.Lock()
	defer im.mu.Unlock()
	b := im.from
	set := func(o *imitated, i int, drawn func(k int) float64) error {
		for k, column := range o.columns {
			v := drawn(k)
			if v-v != 0 {
				return fmt.Errorf("%s is %g in line %d", column, v, b.series.Line.At(b.keep.At(i)))
			}
			o.into[k][b.keep.At(i)] = v
		}
		return nil
	}
	if !im.forward {
		for _, o := range im.outcomes {
			o.draws[0](o.value, x, rng)
			for i := range b.keep.Len() {
				if err := set(o, i, func(k int) float64 { return o.value[k*b.keep.Len()+i] }); err != nil {
					return nil, err
				}
			}
		}
		return im.text(), nil
	}
	for i := range b.keep.Len() {
		for _, o := range im.outcomes {
			for _, l := range o.back[i] {
				l.at[0] = im.numbers[l.column].At(l.row)
			}
			o.draws[i](o.value[:len(o.columns)], x, rng)
			if err := set(o, i, func(k int) float64 { return o.value[k] }); err != nil {
				return nil, err
			}
		}
	}
	return im.text(), nil
}

// text is the table as it is.
func (im *Imitation) text() []byte {
	b := im.from
	levels := slices.Sorted(maps.Keys(b.levels)) // by their own names, be they numbers
	numbers := slices.DeleteFunc(slices.Sorted(maps.Keys(b.numbers)), func(n string) bool { return b.levels[n] })
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	var header []string
	for _, n := range slices.Concat(numbers, levels) {
		header = append(header, b.columns[n])
	}
	_ = w.Write(header) // to memory, as all that follows
	for row := range b.series.Line.Len() {
		var cells []string
		for _, n := range numbers {
			cell := ""
			if v := im.numbers[n].At(row); !math.IsNaN(v) {
				cell = strconv.FormatFloat(v, 'g', -1, 64)
			}
			cells = append(cells, cell)
		}
		for _, n := range levels {
			cell := ""
			if l := b.series.Levels[n]; l.Of[row] >= 0 {
				cell = l.Names[l.Of[row]]
			}
			cells = append(cells, cell)
		}
		_ = w.Write(cells)
	}
	w.Flush()
	return out.Bytes()
}
