package rows

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/internal/prior"
	"github.com/r2sgld/r2sgld/potential"
)

const (
	mostEntries = 10_000 // of a parameter
	mostBytes   = 200    // of the name of a coordinate, which a folder bears; /, for instance, takes three there
)

// coordinates gives every entry of every parameter its place.
func (b *builder) coordinates() {
	for _, v := range b.sorted {
		path := []string{"parameters", v.Name}
		entries, ok := b.entries(path, v)
		if !ok {
			continue
		}
		v.order = nil
		for _, e := range entries {
			if !b.entry(path, v, e) {
				return
			}
		}
		b.shape(path, v)
	}
	if n := len(b.out.Names); n > mostEntries {
		b.fault([]string{"parameters"}, -1, "they have %d entries together: at most %d", n, mostEntries)
	}
}

// entry gives an entry its place, by its labels.
func (b *builder) entry(path []string, v *array, labels []string) bool {
	plain, name := make([]string, len(labels)), v.bare
	for i, l := range labels {
		if plain[i] = strings.Join(strings.Fields(l), ""); len(labels) > 1 && strings.Contains(plain[i], ",") {
			b.fault(path, -1, "%q has a comma, which parts the indices of a matrix: rename it in the data", l)
			return false
		}
	}
	index := strings.Join(plain, ",")
	if labels != nil {
		name += "[" + index + "]"
	}
	if _, twice := v.entries[index]; twice || strings.ContainsAny(index, "[]`") {
		b.fault(path, -1, "%q cannot be told in brackets, or is another level but for spaces: rename it in the data", strings.Join(labels, ", "))
		return false
	}
	if n := len(name) + 2*len(unfit.FindAllString(name, -1)); n > mostBytes {
		b.fault(path, -1, "the entry %.40s… has a name of %d bytes: at most %d, that a folder can bear it%s", name, n, mostBytes,
			b.written(v, labels))
		return false
	}
	v.entries[index] = len(b.out.Names)
	v.order = append(v.order, len(b.out.Names))
	b.out.Names = append(b.out.Names, name)
	return true
}

// unfit are letters that names of folders do not have.
var unfit = regexp.MustCompile(`[/\\%\pC]`)

// written says where in the data the level of an entry is first written, if it is one.
func (b *builder) written(v *array, labels []string) string {
	for i, dim := range v.dims {
		if l, ok := b.series.Levels[dim]; ok {
			row := slices.IndexFunc(l.Of, func(k int) bool { return k >= 0 && l.Names[k] == labels[i] })
			return fmt.Sprintf(". Shorten it in %s:%d", b.series.File, b.series.Line.At(row))
		}
	}
	return ""
}

// entries are what stands in the brackets of a parameter, a label for each dimension; those of a matrix
// by columns.
func (b *builder) entries(path []string, v *array) (all [][]string, ok bool) {
	if v.corr > 0 {
		if all = v.below(); len(all) > mostEntries {
			b.fault(path, -1, "%s has %d entries: at most %d", v.bare, len(all), mostEntries)
		}
		return all, len(all) <= mostEntries
	}
	all, v.labels = [][]string{nil}, nil
	for _, dim := range v.dims {
		labels, ok := b.labelsOf(path, v, dim)
		if !ok {
			return nil, false
		}
		if v.labels = append(v.labels, labels); len(all)*len(labels) > mostEntries {
			b.fault(path, -1, "%s has %d entries: at most %d", v.bare, len(all)*len(labels), mostEntries)
			return nil, false
		}
		var wider [][]string
		for _, l := range labels {
			for _, e := range all {
				wider = append(wider, append(slices.Clone(e), l))
			}
		}
		all = wider
	}
	return all, true
}

// labelsOf are those of a dimension of a parameter: numbers, the columns of a block, or the levels of a
// column that are used.
func (b *builder) labelsOf(path []string, v *array, dim string) (names []string, ok bool) {
	if l, ok := b.blocks[dim]; ok {
		return l.Columns, true
	}
	if n, ok := sized(dim); ok {
		if n < 1 || n > mostEntries {
			b.fault(path, -1, "%s has 1 to %d entries; found %d", v.bare, mostEntries, n)
			return nil, false
		}
		return numbered(n), true
	}
	l := b.series.Levels[dim]
	used := make([]bool, len(l.Names))
	for _, i := range b.keep.All() {
		used[l.Of[i]] = true
	}
	for i, name := range l.Names {
		if used[i] {
			names = append(names, name)
		}
	}
	return names, true
}

// sized is how many entries an index says, as 4 or 1..4; ok is false where it names something.
func sized(dim string) (n int, ok bool) {
	n, err := strconv.Atoi(strings.TrimPrefix(dim, "1.."))
	return n, err == nil
}

// shapes are what a parameter may be, with how many indices its entries have.
var shapes = map[string]int{"simplex": 1, "ordered": 1, "positive_ordered": 1, "cholesky_corr": 2}

// shaped gives a parameter the indices that its shape has.
func (b *builder) shaped(path []string, v *array) {
	kind, rest, _ := strings.Cut(v.Shape, "(")
	n, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(rest, ")")))
	switch {
	case v.Shape == "":
	case shapes[kind] == 0 || err != nil || n < 2 || n > mostEntries:
		b.fault(path, -1, "a shape is simplex(k), ordered(k), positive_ordered(k) or cholesky_corr(k) with k from 2 on; found %q", v.Shape)
	case v.dims != nil:
		b.fault(path, -1, "%s has a size by its shape, %s: leave the brackets out", v.bare, v.Shape)
	default:
		v.dims = slices.Repeat([]string{strconv.Itoa(n)}, shapes[kind])
		if kind == "cholesky_corr" {
			v.corr = n
		}
	}
}

// at are the indices that stand in brackets, one for each dimension; nil where they are not as many.
func (v *array) at(index string) []string {
	all := []string{index}
	if len(v.dims) > 1 {
		all = strings.Split(index, ",")
	}
	if len(all) != len(v.dims) {
		return nil
	}
	return all
}

// listed are the entries of a vector, or of a row of a matrix such as mu[site], where they are known; nil
// where a name is that of none.
func (b *builder) listed(name string) (all []string) {
	name = strings.Join(strings.Fields(name), "")
	bare, row, indexed := strings.Cut(strings.TrimSuffix(name, "]"), "[")
	v := b.vectors[bare]
	if v == nil {
		return nil
	}
	dims, at := v.dims, ""
	switch {
	case len(dims) == 0 || indexed != (len(dims) == 2):
		return nil
	case indexed:
		at = row + ","
		if n, ok := sized(dims[0]); ok {
			if i, err := strconv.Atoi(row); err == nil && (i < 1 || i > n) {
				return nil
			}
		}
	}
	last := len(dims) - 1
	labels := b.blocks[dims[last]].Columns
	if n, ok := sized(dims[last]); ok && n <= mostEntries {
		labels = numbered(n)
	} else if labels == nil && v.labels != nil {
		labels = v.labels[last]
	}
	for _, l := range labels {
		index := at + strings.Join(strings.Fields(l), "")
		if text, _ := v.derived(index); v.corr > 0 && text != "" {
			all = append(all, text)
		} else {
			all = append(all, bare+"["+index+"]")
		}
	}
	return all
}

// numbered are 1 … n.
func numbered(n int) (out []string) {
	for i := range n {
		out = append(out, strconv.Itoa(i+1))
	}
	return out
}

// shape makes the constraints of a parameter.
func (b *builder) shape(path []string, v *array) {
	switch kind, _, _ := strings.Cut(v.Shape, "("); kind {
	case "cholesky_corr":
		b.out.Balls = append(b.out.Balls, v.triangle()[1:]...) // the first is an interval
	case "simplex":
		b.out.Equations = append(b.out.Equations, v.order)
		if v.Min > 0 || v.Max < 1 {
			b.fault(path, -1, "entries of a simplex lie between 0 and 1: say what else holds by constraints")
		}
		v.Min = 0
	case "positive_ordered":
		v.Min = max(v.Min, 0)
		fallthrough
	case "ordered":
		b.out.ordered = append(b.out.ordered, v.order)
		for i := range v.order[1:] {
			b.out.Orders = append(b.out.Orders, [2]int{v.order[i], v.order[i+1]})
		}
	}
}

// priors finds the law of every coordinate.
func (b *builder) priors() {
	out := b.out
	out.Prior = prior.NewJoint(len(out.Names))
	out.Proper = len(out.Equations) == 0
	var terms []string // of laws of other parameters
	for _, v := range b.sorted {
		path := []string{"parameters", v.Name}
		text := strings.TrimSpace(v.Prior)
		for _, j := range v.order {
			out.Prior.Lower[j], out.Prior.Upper[j] = v.Min, v.Max
		}
		switch name, _, _ := strings.Cut(text, "("); {
		case v.corr > 0 || name == lkj:
			out.lone = append(out.lone, b.correlated(path, v, text)...)
			out.Proper = false
		case (text == "" || text == "flat") && strings.HasPrefix(v.Shape, "simplex"):
			out.lone = append(out.lone, b.dirichlet(path, v, "dirichlet(1"+strings.Repeat(", 1", len(v.order)-1)+")")...)
		case text == "" || text == "flat":
			out.Proper = out.Proper && !math.IsInf(v.Max-v.Min, 1)
		case name == "dirichlet":
			out.lone = append(out.lone, b.dirichlet(path, v, text)...)
		default:
			own, ok := b.priorOf(path, v, text)
			if !ok {
				continue
			}
			terms = append(terms, own...)
			out.Proper = out.Proper && own == nil
		}
	}
	if len(b.faults) > 0 {
		return
	}
	terms = append(slices.Clone(out.lone), terms...)
	out.Potential, out.terms = out.Prior, terms
	if out.LogMass = b.logMass(); len(terms) > 0 || out.LogMass != 0 {
		u, err := potential.Formula(minus(out.LogMass, terms), out.Names...)
		if err == nil {
			out.Potential, err = out.Prior.Add(u)
		}
		if err != nil {
			b.fault([]string{"parameters"}, -1, "%w", err)
		}
	}
}

// logMass is the logarithm of the mass that the priors have between their walls, before they
// are normalised there: those with numbers for arguments, flat ones between two walls, and
// those of simplices, by their area.
func (b *builder) logMass() (sum float64) {
	blocked := make([]bool, len(b.out.Names))
	for _, of := range b.out.blocks {
		for _, j := range of.coordinates() {
			blocked[j] = true
		}
	}
	for _, of := range b.out.Equations {
		sum += logArea(len(of))
		for _, j := range of {
			blocked[j] = true
		}
	}
	for j := range blocked {
		if !blocked[j] && !b.out.inherits(j) {
			_, log := b.out.Prior.On(j, b.out.Prior.Lower[j], b.out.Prior.Upper[j])
			sum += log
		}
	}
	return sum
}

// logArea is the logarithm of the area of a simplex of k shares over that of its shadow, in which
// its density is told.
func logArea(k int) float64 { return math.Log(float64(k)) / 2 }

// minus is the formula of a number less terms.
func minus(v float64, terms []string) string {
	text := strconv.FormatFloat(v, 'g', -1, 64)
	for _, t := range terms {
		text += " - (" + t + ")"
	}
	return text
}

// priorOf gives the entries of a parameter their prior: of numbers alone a law of their
// own, else terms of the log density.
func (b *builder) priorOf(path []string, v *array, text string) (terms []string, ok bool) {
	name, rest, _ := strings.Cut(text, "(")
	names, syntax := expression.Names("max(0, " + strings.TrimSuffix(rest, ")") + ")")
	if prior.Known(name) && syntax == nil && len(names) == 0 {
		return nil, b.priorOfNumbers(path, v, text)
	}
	l, err := parse(text, b.listed)
	if err != nil {
		b.fault(path, -1, "%w", err)
		return nil, false
	}
	if b.hides(path, l) || l.joint != nil && !b.fits(path, v, l) {
		return nil, false
	}
	if l.of.discrete {
		b.fault(path, -1, "%s is a law of whole numbers: parameters are real", l.name)
		return nil, false
	}
	before := len(b.faults)
	for i, a := range l.with {
		a, _ = b.expand(path, a, -1)
		names, _ := expression.Names(a)
		for _, n := range names {
			switch j := slices.Index(b.out.Names, n); {
			case len(b.faults) > before:
			case j < 0:
				b.fault(path, -1, "the prior %s is of parameters, and %q is none with one value", text, n)
			case slices.Contains(v.order, j):
				b.fault(path, -1, "the prior %s of %s is of %s itself, which makes it no law: write it of other parameters, or of numbers", text,
					v.bare, n)
			}
		}
		l.with[i] = a
	}
	if l.name == "von_mises" && !(v.Max-v.Min <= 2*math.Pi+1e-3) {
		b.fault(path, -1, "von_mises is the law of an angle, whose density has no end: give it walls at most 2π apart, as in "+
			"{prior: \"%s\", min: -3.141593, max: 3.141593}", text)
	}
	if len(b.faults) > before {
		return nil, false
	}
	if err := b.descends(v, l); err != nil {
		b.fault(path, -1, "%w", err)
		return nil, false
	}
	for _, row := range v.rows(l) {
		var names []string
		for _, j := range row {
			names = append(names, expression.Quoted(b.out.Names[j]))
			b.out.Prior.Lower[j], b.out.Prior.Upper[j] = max(v.Min, l.of.lo), min(v.Max, l.of.hi)
		}
		own, err := l.density(names...)
		if err != nil {
			b.fault(path, -1, "%w", err)
			return nil, false
		}
		terms = append(terms, own...)
	}
	return terms, true
}

// priorOfNumbers gives the entries of a parameter a law of their own.
func (b *builder) priorOfNumbers(path []string, v *array, text string) bool {
	q, err := prior.Parse(text)
	if err != nil {
		b.fault(path, -1, "%w", err)
		return false
	}
	for _, j := range v.order {
		if b.out.Prior.Set(j, q); b.out.Prior.Cut[j] == nil {
			b.fault(path, -1, "the prior %s has no mass between its walls", text)
			return false
		}
	}
	return true
}

// leastShare is the least number with all digits. Shares that round to 0, or below, have no density.
const leastShare = 0x1p-1022

// dirichlet is the prior of a simplex.
func (b *builder) dirichlet(path []string, v *array, text string) (terms []string) {
	_, rest, _ := strings.Cut(text, "(")
	with := expression.Arguments(strings.TrimSuffix(rest, ")"))
	if kind, _, _ := strings.Cut(v.Shape, "("); kind != "simplex" || len(with) != len(v.order) || !strings.HasSuffix(rest, ")") {
		b.fault(path, -1, "dirichlet is the prior of a simplex, with a number for each of its entries; found %s for %d", text, len(v.order))
		return nil
	}
	sum, log, c := 0.0, 0.0, &composition{order: v.order}
	for i, a := range with {
		alpha, err := strconv.ParseFloat(strings.TrimSpace(a), 64)
		if err != nil || !(alpha > 0) || math.IsInf(alpha, 1) {
			b.fault(path, -1, "the arguments of dirichlet are positive numbers; found %q", a)
			return nil
		}
		sum, c.alpha = sum+alpha, append(c.alpha, alpha)
		l, _ := math.Lgamma(alpha)
		log -= l
		if alpha != 1 {
			share := expression.Quoted(b.out.Names[v.order[i]])
			terms = append(terms, fmt.Sprintf("%g*log(max(%s, %g)) + log(max(sign(%s), 0))", alpha-1, share, leastShare, share))
		}
	}
	b.out.blocks = append(b.out.blocks, c)
	l, _ := math.Lgamma(sum)
	return append(terms, strconv.FormatFloat(log+l, 'g', -1, 64))
}
