package rows

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/internal/prior"
	"github.com/r2sgld/r2sgld/internal/vector"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// A Likelihood is −log of the probability of all rows, as a potential.
type Likelihood struct {
	rowwise  // log density of a row, but for what is constant
	parts    []part
	dim      int
	observed string    // what is explained
	hash     string    // of the values
	constant constants // what is added to every row
	total    float64   // of these
	walls    *prior.Joint
}

// A part is a part of −log density of all rows, but for what is constant.
type part interface{ evaluator() adder }

// An adder adds a part, and its gradient, to energies and gradients of r states.
type adder interface {
	add(energy, grad, x []float64, r int)
}

// A parted part is a sum over rows that are gone through.
type parted interface {
	part
	taken(some []int) parted    // the same in some rows
	chunks(size int) chunkAdder // of so many rows, the last of what is left
}

// A chunkAdder adds what the rows of a chunk have, from one on.
type chunkAdder interface {
	chunk(energy, grad, x []float64, r, from int)
}

// everyChunk adds all chunks of a part.
type everyChunk struct {
	chunkAdder
	rows, size int
}

func (e everyChunk) add(energy, grad, x []float64, r int) {
	for from := 0; from < e.rows; from += e.size {
		e.chunk(energy, grad, x, r, from)
	}
}

// chunkAdders adds what several parts have in a chunk.
type chunkAdders []chunkAdder

func (all chunkAdders) chunk(energy, grad, x []float64, r, from int) {
	for _, c := range all {
		c.chunk(energy, grad, x, r, from)
	}
}

// likelihood compiles the terms.
func (b *builder) likelihood() {
	out := &Likelihood{dim: len(b.out.Names), walls: b.out.Prior}
	varying := b.parted(out)
	if len(b.faults) > 0 {
		return
	}
	path := []string{"likelihood"}
	if len(varying) == 0 {
		b.fault(path, -1, "no parameter has any influence on the data")
		return
	}
	of, err := b.rowwise(joined(varying))
	if len(of.data)+len(of.products)+len(of.picked) == 0 {
		b.fault(path, -1, "it holds no column of the data: what is known of parameters alone is a prior")
	}
	if len(b.faults) > 0 {
		return
	}
	b.observe(out)
	out.total = out.constant.total()
	if err == nil {
		out.rowwise = *of
		err = b.summed(out, varying)
	}
	if err == nil {
		b.out.Likelihood, b.out.Priors = out, b.out.Potential
		b.out.Potential, err = potential.Sum(out, b.out.Potential)
	}
	if err != nil {
		b.fault(path, -1, "%w", err)
	}
}

// joined is the sum of terms.
func joined(terms []term) string {
	text := make([]string, len(terms))
	for i, t := range terms {
		text[i] = "(" + t.text + ")"
	}
	return strings.Join(text, " + ")
}

// summed has sums over rows, made once, stand for terms where they can, products of columns where these
// do, and rows for the others.
func (b *builder) summed(out *Likelihood, terms []term) error {
	var others []term
	for _, t := range terms {
		if r := b.regress(t); r != nil {
			out.parts = append(out.parts, r)
		} else if o := b.odds(t); o != nil {
			out.parts = append(out.parts, o)
		} else {
			others = append(others, t)
		}
	}
	switch {
	case out.parts == nil:
		out.parts = []part{&out.rowwise}
	case others != nil:
		rest, err := b.rowwise(joined(others))
		if err != nil {
			return err
		}
		out.parts = append(out.parts, rest)
	}
	return nil
}

// Summed reports whether no row is gone through once sums over them are made.
func (p *Likelihood) Summed() bool {
	return !slices.ContainsFunc(p.parts, func(q part) bool { _, rows := q.(parted); return rows })
}

// parted returns the terms that parameters change, with sums written out, and adds up the others.
func (b *builder) parted(out *Likelihood) (varying []term) {
	for i, t := range b.terms {
		switch {
		case len(b.faults) > 0 || b.missing(t):
			return nil
		case t.law == nil:
			b.never(t.text, t.text, line, "a log density")
		case i == 0 || t.law != b.terms[i-1].law: // which may have several terms
			b.check(t)
		}
	}
	if len(b.faults) > 0 {
		return nil
	}
	for _, t := range b.terms {
		text, err := b.sums(t.text)
		var names []string
		if err == nil {
			names, err = expression.Names(text)
		}
		switch {
		case err != nil:
		case slices.ContainsFunc(names, func(n string) bool { return !b.ofData(n) }):
			t.text = text
			varying = append(varying, t)
		default:
			err = b.constants(out, text, names)
		}
		if err != nil {
			b.fault(t.path, -1, "%w", err)
		}
	}
	return varying
}

// shortList are the first of many names.
func shortList(names []string) string {
	if len(names) > 20 {
		return strings.Join(names[:20], ", ") + " …"
	}
	return strings.Join(names, ", ")
}

// sums writes out sums over the entries of a parameter.
func (b *builder) sums(text string) (string, error) {
	words, err := expression.Words(text)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	at := 0
	for _, w := range words {
		bare, ok := strings.CutSuffix(w.Text, "[+]")
		if !ok || !w.Name {
			continue
		}
		var parts []string
		for _, j := range b.vectors[bare].order {
			parts = append(parts, expression.Quoted(b.out.Names[j]))
		}
		out.WriteString(text[at:w.Pos] + "(" + strings.Join(parts, " + ") + ")")
		at = w.End
	}
	return out.String() + text[at:], nil
}

// ofData reports whether a name is that of a column, of a lagged one or of one of a block.
func (b *builder) ofData(name string) bool {
	if _, _, ok := b.lagged(name); ok {
		return true
	}
	_, ok := b.data[name]
	return ok
}

// constants adds a term of data alone to every row.
func (b *builder) constants(out *Likelihood, text string, names []string) error {
	values, err := b.evaluated(text, names)
	if err != nil {
		return err
	}
	if i := values.first(func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }); i >= 0 {
		return fmt.Errorf("%s is %g in line %d of the data", text, values.at(i), b.series.Line.At(b.keep.At(i)))
	}
	out.constant.n = b.keep.Len()
	out.constant.add(values)
	return nil
}

// evaluated is a formula of columns in the rows that are used.
func (b *builder) evaluated(text string, names []string) (constants, error) {
	out := constants{n: b.keep.Len()}
	if words, _ := expression.Words(text); len(words) == 1 && len(names) == 1 {
		out.each = b.values(names[0])
		return out, nil
	}
	f, err := expression.Compile(text, names)
	if err != nil {
		return out, err
	}
	e, v, x := f.Evaluator(1), make([]float64, 1), make([]float64, len(names))
	var columns []vector.Column
	for _, n := range names {
		columns = append(columns, b.values(n))
	}
	if columns == nil {
		e.Value(v, x)
		out.one = v[0]
		return out, nil
	}
	values := make(vector.Doubles, out.n)
	for i := range values {
		for j, c := range columns {
			x[j] = c.At(i)
		}
		e.Value(v, x)
		values[i] = v[0]
	}
	out.each = values
	return out, nil
}

// Dim is the number of coordinates.
func (p *Likelihood) Dim() int { return p.dim }

// Rows is the number of rows.
func (p *Likelihood) Rows() int { return p.rows }

// Lanewise is true: all rows are used for every state by itself.
func (p *Likelihood) Lanewise() bool { return true }

// Evaluator returns an evaluator for blocks of r states. It goes through the data once a
// block.
func (p *Likelihood) Evaluator(r int, _ *stream.Set) potential.Evaluator {
	e := &evaluator{p: p, states: r}
	for _, q := range p.parts {
		e.parts = append(e.parts, q.evaluator())
	}
	return e
}

type evaluator struct {
	p      *Likelihood
	parts  []adder
	states int
	whole  *workspace // of one row
	of     func(x []float64) bool
}

// fill sets all numbers to v, at the speed of copies.
func fill(dst []float64, v float64) {
	if len(dst) == 0 {
		return
	}
	dst[0] = v
	for n := 1; n < len(dst); n *= 2 {
		copy(dst[n:], dst[:n])
	}
}

// sum adds four sums of every fourth number, and what is left.
func sum(v []float64) float64 {
	var a, b, c, d float64
	for ; len(v) >= 4; v = v[4:] {
		a, b, c, d = a+v[0], b+v[1], c+v[2], d+v[3]
	}
	a = (a + c) + (b + d)
	for _, x := range v {
		a += x
	}
	return a
}

// Eval writes −log density of all rows and its gradient.
func (e *evaluator) Eval(energy, grad, x []float64) {
	p, r := e.p, e.states
	clear(grad[:p.dim*r])
	fill(energy[:r], -p.total)
	for _, q := range e.parts {
		q.add(energy, grad, x, r)
	}
	for i, v := range energy[:r] {
		if v != v && e.overflows(x, i, r) {
			energy[i] = math.Inf(1)
		}
	}
}

// overflows reports whether the density of state i of r, which is NaN, is 0: infinite numbers alone made it so, as
// in 0·∞, or the state lies beyond a wall by rounding, as shares do.
func (e *evaluator) overflows(x []float64, i, r int) bool {
	p := &e.p.rowwise
	for j, lo := range e.p.walls.Lower {
		if v := x[j*r+i]; v < lo || v > e.p.walls.Upper[j] {
			return true
		}
	}
	if e.whole == nil {
		e.whole, e.of = p.strip(1), p.f.Overflows()
	}
	for row := range p.rows {
		e.whole.load(p, row)
		e.whole.set(p, x, i, r, row)
		if e.whole.e.Value(e.whole.value, e.whole.x); e.whole.value[0] != e.whole.value[0] {
			return e.of(e.whole.x)
		}
	}
	return true // the sum of rows
}

// LogDensity returns what writes the log density of some rows, of all for nil, at a state,
// and is true. It has a workspace of its own.
func (p *Likelihood) LogDensity(some []int) func(dst, x []float64) bool {
	of, constant := p.rowwise, p.constant
	if some != nil {
		of, constant = p.some(some), constant.part(some)
	}
	values := of.values()
	return func(dst, x []float64) bool {
		values(dst, x)
		for i := range constant.n {
			dst[i] += constant.at(i)
		}
		return true
	}
}

// Observed says what is explained: the left sides of the laws and the columns of other
// formulas, and a hash of their values in the rows that are used.
func (p *Likelihood) Observed() (what, sha256 string) { return p.observed, p.hash }

// observe finds what out explains.
func (b *builder) observe(out *Likelihood) {
	var what, columns []string
	for _, t := range b.terms {
		text := t.text
		if t.law != nil {
			text = "(" + strings.Join(t.full, ") + (") + ")"
		}
		names, _ := expression.Names(text)
		names = slices.DeleteFunc(names, func(n string) bool { return !b.ofData(n) })
		if columns = append(columns, names...); t.law != nil {
			names = t.y
		}
		what = append(what, names...)
	}
	slices.Sort(what)
	slices.Sort(columns)
	sum := sha256.New()
	w := bufio.NewWriter(sum)
	for _, n := range slices.Compact(columns) {
		fmt.Fprintln(w, n)
		values := b.values(n)
		for i := range values.Len() {
			_, _ = w.Write(append(strconv.AppendUint(w.AvailableBuffer(), math.Float64bits(values.At(i)), 16), '\n')) // a hash takes all
		}
	}
	_ = w.Flush()
	out.observed, out.hash = strings.Join(slices.Compact(what), ", "), hex.EncodeToString(sum.Sum(nil))
}
