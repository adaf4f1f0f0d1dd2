package rows

import (
	"fmt"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/dynamics"
	"github.com/r2sgld/r2sgld/expression"
)

// strip is how many rows are evaluated at once: their numbers stay in the cache.
const strip = 128

// A rowwise is a formula that has a value in every row, given the parameters.
type rowwise struct {
	rows   int
	f      *expression.Func // first by what is of parameters, then of data
	single []int            // coordinates of its first variables
	picked []pick           // its next ones
	data   [][]float64      // its others
	names  []string         // of these
}

// A pick is a variable that is another coordinate in every row.
type pick struct {
	coordinate []int // by level
	level      []int // of each row
}

// rowwise compiles a formula of parameters and columns that is written out.
func (b *builder) rowwise(text string) (*rowwise, error) {
	out := &rowwise{}
	of, data := b.variables(out, text)
	var err error
	out.f, err = expression.CompileWRT(text, slices.Concat(of, data), of)
	return out, err
}

// variables tells out what each variable of the formula stands for, and returns those of
// parameters, single ones first, and those of data.
func (b *builder) variables(out *rowwise, text string) (of, data []string) {
	out.rows = len(b.keep)
	names, _ := expression.Names(text)
	var picked []string
	for _, n := range names {
		switch {
		case b.ofData(n):
			data = append(data, n)
			out.data, out.names = append(out.data, b.values(n)), append(out.names, n)
		case b.isPick(n):
			picked = append(picked, n)
			out.picked = append(out.picked, b.pick(n))
		default:
			of = append(of, n)
			j := slices.Index(b.out.Names, n)
			if out.single = append(out.single, j); j < 0 {
				b.fault([]string{"parameters"}, -1, "there is no entry %s (there are %s)", n, shortList(b.out.Names))
			}
		}
	}
	return append(of, picked...), data
}

// isPick reports whether a name is that of an entry which the row decides: its index is a
// column, and no entry is called so. The entries of a block are called like columns.
func (b *builder) isPick(name string) bool {
	bare, index, ok := strings.Cut(strings.TrimSuffix(name, "]"), "[")
	v := b.vectors[bare]
	if _, levels := b.series.Levels[index]; !ok || !levels || v == nil || b.blocks[v.index].Columns != nil {
		return false
	}
	if _, entry := v.entries[index]; entry {
		b.fault([]string{"parameters", v.Name}, -1, "%s may be the entry of that level or that of each row's: give the column %q another name", name, index)
		return false
	}
	return true
}

// values are those of a column in the rows that are used.
func (b *builder) values(name string) []float64 {
	column, back, ok := b.lagged(name)
	if !ok {
		column, back = name, 0
	}
	from := b.series.Values[column]
	out := make([]float64, len(b.keep))
	for i, row := range b.keep {
		out[i] = from[row-back]
	}
	return out
}

// pick is what a name with a column in brackets stands for.
func (b *builder) pick(name string) pick {
	bare, index, _ := strings.Cut(strings.TrimSuffix(name, "]"), "[")
	v, l := b.vectors[bare], b.series.Levels[index]
	p := pick{make([]int, len(l.Names)), make([]int, len(b.keep))}
	missing := make([]bool, len(l.Names))
	for i, level := range l.Names {
		j, ok := v.entries[strings.Join(strings.Fields(level), "")]
		p.coordinate[i], missing[i] = j, !ok
	}
	for i, row := range b.keep {
		if p.level[i] = l.Of[row]; missing[p.level[i]] {
			b.faults = append(b.faults, &dynamics.DataError{File: b.series.File, Line: b.series.Line[row],
				Text: fmt.Sprintf("the column %q holds %q, and the parameter %s has no such entry", index, l.Names[p.level[i]], v.Name)})
			return p
		}
	}
	return p
}

// A workspace evaluates n rows for one state.
type workspace struct {
	n              int
	e              *expression.Evaluator
	x, value, grad []float64
}

func (p *rowwise) strip(n int) *workspace {
	k := len(p.single) + len(p.picked)
	return &workspace{n, p.f.Evaluator(n), make([]float64, (k+len(p.data))*n), make([]float64, n), make([]float64, k*n)}
}

// load puts the data of the rows from one on into the workspace.
func (w *workspace) load(p *rowwise, from int) {
	at := (len(p.single) + len(p.picked)) * w.n
	for _, column := range p.data {
		copy(w.x[at:at+w.n], column[from:])
		at += w.n
	}
}

// set puts state i of r into the workspace.
func (w *workspace) set(p *rowwise, x []float64, i, r, from int) {
	at := 0
	for _, j := range p.single {
		fill(w.x[at:at+w.n], x[j*r+i])
		at += w.n
	}
	for _, g := range p.picked {
		for k, level := range g.level[from : from+w.n] {
			w.x[at+k] = x[g.coordinate[level]*r+i]
		}
		at += w.n
	}
}

// strips are a workspace for full strips and one for what is left.
type strips []*workspace

func (p *rowwise) strips() (s strips) {
	for from := 0; from < p.rows; from += strip {
		n := min(strip, p.rows-from)
		if s == nil || n != s[0].n {
			s = append(s, p.strip(n))
		}
	}
	return s
}

// at is the workspace for the rows from one on.
func (s strips) at(from, rows int) *workspace {
	if rows-from < s[0].n {
		return s[1]
	}
	return s[0]
}

// values returns what writes the value of every row at a state. It has a workspace of its own.
func (p *rowwise) values() func(dst, x []float64) {
	s := p.strips()
	return func(dst, x []float64) {
		for from := 0; from < p.rows; {
			w := s.at(from, p.rows)
			w.load(p, from)
			w.set(p, x, 0, 1, from)
			w.e.Value(dst[from:from+w.n], w.x)
			from += w.n
		}
	}
}

// part is the same in some rows.
func (p *rowwise) part(some []int) rowwise {
	q := *p
	q.rows, q.data, q.picked = len(some), nil, nil
	for _, column := range p.data {
		q.data = append(q.data, taken(column, some))
	}
	for _, g := range p.picked {
		q.picked = append(q.picked, pick{g.coordinate, taken(g.level, some)})
	}
	return q
}

func taken[T any](from []T, at []int) []T {
	out := make([]T, len(at))
	for i, k := range at {
		out[i] = from[k]
	}
	return out
}
