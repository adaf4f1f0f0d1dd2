package rows

import (
	"fmt"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/dynamics"
	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/internal/vector"
)

// strip is how many rows are evaluated at once: their numbers stay in the cache.
const strip = 128

// A rowwise is a formula that has a value in every row, given the parameters.
type rowwise struct {
	rows     int
	f        *expression.Func // first by what is of parameters, then of data
	single   []int            // coordinates of its first variables
	products []product        // its next ones
	picked   []pick           // and these
	data     []vector.Column  // its others
	names    []string         // of these, then of the columns of products
}

// A product is a variable that is the sum of columns times coordinates.
type product struct {
	coordinate []int
	columns    []vector.Column
}

// A pick is a variable that is another coordinate in every row.
type pick struct {
	coordinate []int // by level
	level      []int // of each row
}

// rowwise compiles a formula of parameters and columns that is written out.
func (b *builder) rowwise(text string) (*rowwise, error) {
	for written, of := range b.products {
		text = strings.ReplaceAll(text, written, "`"+of.name+"`")
	}
	out := &rowwise{}
	of, data := b.variables(out, text)
	var err error
	out.f, err = expression.CompileWRT(text, slices.Concat(of, data), of)
	return out, err
}

// variables tells out what each variable of the formula stands for, and returns those of
// parameters, single ones first, and those of data.
func (b *builder) variables(out *rowwise, text string) (of, data []string) {
	out.rows = b.keep.Len()
	names, _ := expression.Names(text)
	var products, picked, columns []string
	for _, n := range names {
		made, ok := b.made(n)
		switch {
		case ok:
			var p product
			for i, c := range made.columns {
				p.columns = append(p.columns, b.values(c))
				p.coordinate = append(p.coordinate, b.vectors[made.with].entries[made.entries[i]])
			}
			products, columns = append(products, n), append(columns, made.columns...)
			out.products = append(out.products, p)
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
	out.names = append(out.names, columns...)
	return slices.Concat(of, products, picked), data
}

// made is the product that a name stands for.
func (b *builder) made(name string) (blocked, bool) {
	for _, p := range b.products {
		if p.name == name {
			return p, true
		}
	}
	return blocked{}, false
}

// isPick reports whether a name is that of an entry which the row decides: an index is a column, and no
// entry is called so. The entries of a block are called like columns.
func (b *builder) isPick(name string) bool {
	bare, index, ok := strings.Cut(strings.TrimSuffix(name, "]"), "[")
	v := b.vectors[bare]
	if !ok || v == nil {
		return false
	}
	which := b.levelled(v, index)
	which = slices.DeleteFunc(which, func(i int) bool { _, ok := b.series.Levels[v.at(index)[i]]; return !ok })
	for _, i := range which {
		if of := v.at(index)[i]; slices.Contains(v.plain(i), of) {
			b.fault([]string{"parameters", v.Name}, -1, "%s may be the entry of that level or that of each row's: give the column %q another name",
				name, of)
			return false
		}
	}
	return len(which) > 0
}

// values are those of a column in the rows that are used. They are shared, and not to be
// changed.
func (b *builder) values(name string) vector.Column {
	if known, ok := b.used[name]; ok {
		return known
	}
	column, back, ok := b.lagged(name)
	if !ok {
		column, back = name, 0
	}
	from := b.data[column]
	if back == 0 && b.keep.Len() == from.Len() {
		return from
	}
	b.used[name] = from.Taken(b.keep.Len(), func(yield func(place, row int) bool) {
		for i, row := range b.keep.All() {
			if !yield(i, row-back) {
				return
			}
		}
	})
	return b.used[name]
}

// pick is what a name with columns in brackets stands for.
func (b *builder) pick(name string) pick {
	bare, index, _ := strings.Cut(strings.TrimSuffix(name, "]"), "[")
	v := b.vectors[bare]
	labels, columns := []string{""}, []string(nil)
	for i, of := range v.at(index) {
		names := []string{of}
		if l, ok := b.series.Levels[of]; ok && slices.Contains(b.levelled(v, index), i) {
			names, columns = l.Names, append(columns, of)
		}
		var longer []string
		for _, before := range labels {
			for _, n := range names {
				longer = append(longer, before+strings.Join(strings.Fields(n), "")+",")
			}
		}
		labels = longer
	}
	p := pick{level: b.cells(columns)}
	for i := range labels {
		labels[i] = strings.TrimSuffix(labels[i], ",")
		j, ok := v.entries[labels[i]]
		if !ok {
			j = -1
		}
		p.coordinate = append(p.coordinate, j)
	}
	for row, level := range p.level {
		if p.coordinate[level] >= 0 {
			continue
		}
		j, ok, why := b.meet(v, index, v.at(labels[level]))
		if !ok {
			b.unknown(v, index, labels[level], why, b.keep.At(row))
			return p
		}
		p.coordinate[level] = j
	}
	return p
}

// cells are the levels of each row that is used, of one column or of several together, the last of which
// counts fastest. They are shared, and not to be changed.
func (b *builder) cells(columns []string) []int {
	key := strings.Join(columns, ",")
	if known, ok := b.levelsOf[key]; ok {
		return known
	}
	out := b.series.Levels[columns[0]].Of
	if len(columns) > 1 || b.keep.Len() < len(out) {
		out = make([]int, b.keep.Len())
		for _, c := range columns {
			l := b.series.Levels[c]
			for row, k := range b.keep.All() {
				out[row] = out[row]*len(l.Names) + l.Of[k]
			}
		}
	}
	b.levelsOf[key] = out
	return out
}

// unknown reports that a parameter has no entry for the levels of a row, and why none is drawn.
func (b *builder) unknown(v *array, index, label, why string, row int) {
	if why != "" {
		why = ", " + why
	}
	for _, i := range b.levelled(v, index) {
		of := v.at(index)[i]
		if l, ok := b.series.Levels[of]; ok && !slices.Contains(v.plain(i), strings.Join(strings.Fields(l.Names[l.Of[row]]), "")) {
			b.faults = append(b.faults, &dynamics.DataError{File: b.series.File, Line: b.series.Line.At(row),
				Text: fmt.Sprintf("the column %q holds %q, and the parameter %s has no such entry%s", of, l.Names[l.Of[row]], v.Name, why)})
			return
		}
	}
	b.fault([]string{"parameters", v.Name}, -1, "there is no entry %s[%s]", v.bare, label)
}

// plain are the labels of a dimension as they stand in brackets.
func (v *array) plain(dim int) (all []string) {
	for _, l := range v.labels[dim] {
		all = append(all, strings.Join(strings.Fields(l), ""))
	}
	return all
}

// A workspace evaluates n rows for one state.
type workspace struct {
	n              int
	e              *expression.Evaluator
	x, value, grad []float64
	blocks         []*vector.Block // of the products
	each           []float64       // of the columns of one: its weights, or its part of the gradient
}

func (p *rowwise) strip(n int) *workspace {
	k := len(p.single) + len(p.products) + len(p.picked)
	w := &workspace{n: n, e: p.f.Evaluator(n), x: make([]float64, (k+len(p.data))*n), value: make([]float64, n), grad: make([]float64, k*n)}
	most := 0
	for _, g := range p.products {
		w.blocks = append(w.blocks, vector.NewBlock(g.columns))
		most = max(most, len(g.columns))
	}
	w.each = make([]float64, most)
	return w
}

// load puts the data of the rows from one on into the workspace.
func (w *workspace) load(p *rowwise, from int) {
	at := (len(p.single) + len(p.products) + len(p.picked)) * w.n
	for _, column := range p.data {
		room := w.x[at : at+w.n]
		copy(room, column.Rows(room, from))
		at += w.n
	}
	for _, b := range w.blocks {
		b.Rows(from, w.n)
	}
}

// set puts state i of r into the workspace.
func (w *workspace) set(p *rowwise, x []float64, i, r, from int) {
	at := 0
	for _, j := range p.single {
		fill(w.x[at:at+w.n], x[j*r+i])
		at += w.n
	}
	for k, g := range p.products {
		for c, j := range g.coordinate {
			w.each[c] = x[j*r+i]
		}
		fill(w.x[at:at+w.n], 0)
		w.blocks[k].Times(w.x[at:at+w.n], w.each[:len(g.coordinate)], 1)
		at += w.n
	}
	for _, g := range p.picked {
		for k, level := range g.level[from : from+w.n] {
			w.x[at+k] = x[g.coordinate[level]*r+i]
		}
		at += w.n
	}
}

// subtract takes the gradient of the rows last evaluated, from one on, from that of state i of r.
func (w *workspace) subtract(p *rowwise, grad []float64, i, r, from int) {
	at := 0
	for _, j := range p.single {
		grad[j*r+i] -= sum(w.grad[at : at+w.n])
		at += w.n
	}
	for k, g := range p.products {
		each := w.each[:len(g.coordinate)]
		clear(each)
		w.blocks[k].Dots(each, w.grad[at:at+w.n], 1)
		for c, j := range g.coordinate {
			grad[j*r+i] -= each[c]
		}
		at += w.n
	}
	for _, g := range p.picked {
		for k, level := range g.level[from : from+w.n] {
			grad[g.coordinate[level]*r+i] -= w.grad[at+k]
		}
		at += w.n
	}
}

// add adds −log density of the rows from one on, and its gradient, to those of r states.
func (w *workspace) add(p *rowwise, energy, grad, x []float64, r, from int) {
	w.load(p, from)
	for i := range r {
		w.set(p, x, i, r, from)
		w.e.Gradient(w.value, w.grad, w.x)
		energy[i] -= sum(w.value)
		w.subtract(p, grad, i, r, from)
	}
}

func (p *rowwise) evaluator() adder { return everyChunk{p.chunks(strip), p.rows, strip} }

func (p *rowwise) chunks(size int) chunkAdder { return rowwiseEvaluator{p, p.strips(size)} }

type rowwiseEvaluator struct {
	*rowwise
	strips strips
}

func (e rowwiseEvaluator) chunk(energy, grad, x []float64, r, from int) {
	e.strips.at(from, e.rows).add(e.rowwise, energy, grad, x, r, from)
}

// strips are a workspace for full strips and one for what is left.
type strips []*workspace

func (p *rowwise) strips(size int) (s strips) {
	for from := 0; from < p.rows; from += size {
		n := min(size, p.rows-from)
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
	s := p.strips(strip)
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

func (p *rowwise) taken(some []int) parted {
	q := p.some(some)
	return &q
}

// some is the same in some rows.
func (p *rowwise) some(rows []int) rowwise {
	q := *p
	q.rows, q.data, q.products, q.picked = len(rows), nil, nil, nil
	for _, column := range p.data {
		q.data = append(q.data, column.Taken(len(rows), slices.All(rows)))
	}
	for _, g := range p.products {
		q.products = append(q.products, g.taken(rows))
	}
	for _, g := range p.picked {
		q.picked = append(q.picked, g.taken(rows))
	}
	return q
}

func (p product) taken(some []int) product {
	var columns []vector.Column
	for _, column := range p.columns {
		columns = append(columns, column.Taken(len(some), slices.All(some)))
	}
	return product{p.coordinate, columns}
}

func (p pick) taken(some []int) pick { return pick{p.coordinate, taken(p.level, some)} }

// taken are the numbers of some rows.
func taken[T any](from []T, at []int) []T {
	out := make([]T, len(at))
	for i, k := range at {
		out[i] = from[k]
	}
	return out
}
