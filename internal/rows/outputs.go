package rows

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/internal/derived"
)

// A Formula is a number that follows from parameters.
type Formula struct {
	Name string // or name[site] with an entry for each level of a column, name[X] for each column of a block
	Text string
}

// derived finds what follows from a state: entries of labelled vectors, what formulas of parameters say,
// and correlations.
func (b *builder) derived() {
	formulas := b.formulas()
	switch l := b.out.Labels; {
	case l != nil && formulas != nil:
		b.out.Outputs = agreeing{l, formulas}
	case l != nil:
		b.out.Outputs = l
	case formulas != nil:
		b.out.Outputs = formulas
	}
}

// agreeing are the entries of labelled vectors, and what formulas make of states whose components bear the
// labels that states agree on.
type agreeing struct {
	labels   *Labels
	formulas *derived.Formulas
}

func (a agreeing) OutputNames() []string {
	return append(a.labels.OutputNames(), a.formulas.OutputNames()...)
}

func (a agreeing) Outputs(states [][]float64, seed int64) ([][]float64, error) {
	agreed := a.labels.Agree(states)
	out := a.labels.told(agreed)
	more, err := a.formulas.Outputs(agreed, seed)
	for s, v := range more {
		out[s] = append(out[s], v...)
	}
	return out, err
}

// formulas are those of outputs and of correlations; nil where there are none.
func (b *builder) formulas() *derived.Formulas {
	b.jumps = true
	matrices := b.correlations()
	var names, texts []string
	for _, o := range b.Outputs {
		path := []string{"outputs", o.Name}
		dims, ok := b.output(path, o)
		if !ok {
			continue
		}
		for name, text := range b.entriesOf(path, o, dims) {
			if slices.Contains(names, name) {
				b.fault(path, -1, "another output is called %s too", name)
			}
			names, texts = append(names, name), append(texts, text)
		}
	}
	names, texts = append(names, matrices.names...), append(texts, matrices.texts...)
	if len(names) > mostEntries {
		b.fault([]string{"outputs"}, -1, "they are %d numbers together: at most %d", len(names), mostEntries)
	}
	if len(b.faults) > 0 || names == nil {
		return nil
	}
	out, err := derived.New(names, texts, b.out.Names)
	if err != nil {
		b.fault([]string{"outputs"}, -1, "%w", err)
	}
	return out
}

// correlations are the entries below the diagonal of L Lᵀ for each Cholesky factor L of correlations, unless
// something else bears their name. Formulas of outputs may take all entries.
func (b *builder) correlations() (below struct{ names, texts []string }) {
	for _, v := range b.sorted {
		of := v.bare + "_corr"
		if v.corr == 0 || b.vectors[of] != nil || slices.Contains(b.header, of) || b.says(of) != "" {
			continue
		}
		for i := range v.corr {
			b.lets[entry(of, i, i)] = "1"
			for j := range i {
				var parts []string
				for k := range j + 1 {
					parts = append(parts, v.term(i, k)+"*"+v.term(j, k))
				}
				text := strings.Join(parts, " + ")
				b.lets[entry(of, i, j)], b.lets[entry(of, j, i)] = text, text
				below.names, below.texts = append(below.names, entry(of, i, j)), append(below.texts, text)
			}
		}
	}
	return below
}

// term is an entry of a Cholesky factor of correlations on its diagonal or below, in formulas of coordinates.
func (v *array) term(i, j int) string {
	if text, _ := v.derived(strconv.Itoa(i+1) + "," + strconv.Itoa(j+1)); text != "" {
		return text
	}
	return expression.Quoted(entry(v.bare, i, j))
}

// says is what says a name, let or an output; "" where none does.
func (b *builder) says(name string) string {
	for _, l := range b.Let {
		if l.Name == name {
			return "let"
		}
	}
	for _, o := range b.Outputs {
		if bare, _ := indexed(o.Name); bare == name {
			return "an output"
		}
	}
	return ""
}

// indexed parts a name from what stands in its brackets.
func indexed(name string) (bare string, dims []string) {
	bare, index, ok := strings.Cut(strings.Join(strings.Fields(name), ""), "[")
	if ok {
		dims = strings.Split(strings.TrimSuffix(index, "]"), ",")
	}
	return bare, dims
}

// output are the indices that an output has; ok is false, with a fault, where its name is none.
func (b *builder) output(path []string, o Formula) (dims []string, ok bool) {
	bare, dims := indexed(o.Name)
	words, err := expression.Words(o.Name)
	switch {
	case err != nil || len(words) != 1 || !words[0].Name || len(dims) > 2 || slices.Contains(dims, ""):
		b.fault(path, -1, "an output is a name such as odds, or one with an index such as effect[site] or effect[2]; found %q", o.Name)
	case b.vectors[bare] != nil:
		b.fault(path, -1, "%q is a parameter: give the output another name", bare)
	case slices.Contains(b.header, bare):
		b.fault(path, -1, "%q is a column of the data: give the output another name", bare)
	case b.says(bare) == "let":
		b.fault(path, -1, "%q is said by let: give the output another name", bare)
	case expression.Constant(bare):
		b.fault(path, -1, "%q is a number in formulas: give the output another name", bare)
	case b.out.Labels != nil && slices.ContainsFunc(b.bare(), func(v string) bool { return v+labelled == bare }):
		b.fault(path, -1, "%s is what labelled entries are called: give the output another name", bare)
	case len(dims) == 2 && dims[0] == dims[1] && !ordinal(dims[0]):
		b.fault(path, -1, "%s has %s in both indices: its formula cannot tell one from the other", o.Name, dims[0])
	default:
		for _, dim := range dims {
			if b.blocks[dim].Columns == nil && !b.levels[dim] && !ordinal(dim) {
				b.fault(path, -1, "the index %q of an output is a whole number from 1 on, a block of let, or a column that stands in "+
					"brackets elsewhere in the model%s", dim, near(dim, slices.Sorted(maps.Keys(b.levels))))
				return nil, false
			}
		}
		return dims, true
	}
	return nil, false
}

// ordinal reports whether an index is a number from 1 on.
func ordinal(dim string) bool {
	n, err := strconv.Atoi(dim)
	return err == nil && n > 0 && strconv.Itoa(n) == dim
}

// entriesOf are the names of an output's entries with their formulas, written out in coordinates; none with
// a fault.
func (b *builder) entriesOf(path []string, o Formula, dims []string) iter.Seq2[string, string] {
	text, begin := o.Text, 0
	if words, _ := expression.Words(text); slices.ContainsFunc(words, compares) { // which stand in parentheses
		text, begin = "("+text+")", -1
	}
	return func(yield func(name, text string) bool) {
		text, ok := b.expand(path, text, begin)
		if !ok {
			return
		}
		text, _ = b.sums(text)
		bare, _ := indexed(o.Name)
		for _, labels := range b.combined(dims) {
			own, ok := b.entryOf(path, o, text, dims, labels)
			if !ok {
				return
			}
			name := bare
			if labels != nil {
				name += "[" + strings.Join(labels, ",") + "]"
			}
			if b.lets[name] = own; !yield(name, own) {
				return
			}
		}
		b.lets[strings.Join(strings.Fields(o.Name), "")] = text
	}
}

// combined are the labels that indices of an output stand for, the first varying fastest.
func (b *builder) combined(dims []string) [][]string {
	all := [][]string{nil}
	for _, dim := range dims {
		labels := []string{dim}
		if !ordinal(dim) {
			labels, _ = b.labelsOf(nil, nil, dim)
		}
		var wider [][]string
		for _, l := range labels {
			for _, e := range all {
				wider = append(wider, append(slices.Clone(e), strings.Join(strings.Fields(l), "")))
			}
		}
		all = wider
	}
	return all
}

// entryOf is a formula of parameters and levels at some labels of these: of coordinates alone.
func (b *builder) entryOf(path []string, o Formula, text string, dims, labels []string) (string, bool) {
	text, varies, ok := b.inCoordinates(path, o.Text, 0, text, "an output", func(index string) string {
		if j := slices.Index(dims, index); j >= 0 {
			return labels[j]
		}
		return index
	})
	if ok && !varies {
		b.fault(path, -1, "%s names no parameter: it is the same in every draw", o.Text)
	}
	return text, ok && varies
}

// inCoordinates is a formula, written out, with the names of coordinates in quotes, whose indices are what at makes
// of those it has; varies is that it has any. Of what is no coordinate there is a fault at its place in what is said
// in what, which begins at a byte, and ok is false.
func (b *builder) inCoordinates(path []string, said string, begin int, text, what string, at func(index string) string) (
	out string, varies, ok bool) {
	var written strings.Builder
	from := 0
	words, _ := expression.Words(text)
	for i, w := range words {
		if !w.Name || i+1 < len(words) && words[i+1].Text == "(" || expression.Constant(w.Text) {
			continue
		}
		bare, index := indexed(w.Text)
		name := bare
		for k, of := range index {
			index[k] = at(of)
		}
		if index != nil {
			name += "[" + strings.Join(index, ",") + "]"
		}
		if why := b.unusable(name, what); why != "" {
			place := b.holds(said, w.Text)
			if place >= 0 {
				place += begin
			}
			b.fault(path, place, "%s", why)
			return "", false, false
		}
		written.WriteString(text[from:w.Pos] + expression.Quoted(name))
		from, varies = w.End, true
	}
	return written.String() + text[from:], varies, true
}

// unusable says why a name is not one that formulas of outputs, or of whatever else, take; "" where it is.
func (b *builder) unusable(name, what string) string {
	bare, index, _ := strings.Cut(strings.TrimSuffix(name, "]"), "[")
	v := b.vectors[bare]
	switch {
	case slices.Contains(b.out.Names, name):
		return ""
	case v == nil:
		return fmt.Sprintf("%s is a column of the data, and %s is of parameters alone", name, what)
	case len(b.levelled(v, index)) > 0:
		why := fmt.Sprintf("%s is of a row, and %s of none: write an entry such as %s", name, what, b.out.Names[v.order[0]])
		if what == "an output" {
			why += fmt.Sprintf(", or one output for each, name[%s]", v.at(index)[b.levelled(v, index)[0]])
		}
		return why
	}
	return b.noEntry(name)
}

// noEntry says that a parameter has no entry of a name, and which there are.
func (b *builder) noEntry(name string) string {
	bare, _ := indexed(name)
	var own []string
	for _, j := range b.vectors[bare].order {
		own = append(own, b.out.Names[j])
	}
	return fmt.Sprintf("there is no entry %s (there are %s)%s", name, shortList(own), near(name, own))
}

// holds is where a formula first has a name, itself or in what let says; −1 where it has not.
func (b *builder) holds(text, name string) int {
	words, _ := expression.Words(text)
	for _, w := range words {
		inner, _ := expression.Words(b.lets[w.Text])
		if w.Name && (w.Text == name || slices.ContainsFunc(inner, func(i expression.Word) bool { return i.Text == name })) {
			return w.Pos
		}
	}
	return -1
}
