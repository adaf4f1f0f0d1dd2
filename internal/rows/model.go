// Package rows answers how probable the rows of a table are: it reads what a model says of
// its columns and makes a posterior of that.
package rows

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/dynamics"
	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/internal/derived"
	"github.com/r2sgld/r2sgld/internal/prior"
	"github.com/r2sgld/r2sgld/internal/vector"
	"github.com/r2sgld/r2sgld/potential"
)

// A Model is what is said of the rows of a table.
type Model struct {
	Parameters []Parameter
	Let        []Let
	Likelihood []string // "y ~ normal(mu, sigma)"
	LogLik     []string // formulas that are added to the log density of a row
	Where      []string // inequalities that the rows fulfil which are used
	// Constraints are inequalities between parameters.
	Constraints []string
	Labels      []string // of components: vectors whose entries change places together
	Outputs     []Formula
	Drop        bool // rows with missing values are left out; else they are a fault
	Singles     bool // numbers are kept as float32, where that is fine enough
}

// A Parameter has one coordinate or several.
type Parameter struct {
	Name     string  // a, or c[site] with an entry for each level of a column, c[4], beta[X]; b[site, 2]
	Prior    string  // a law, or flat
	Shape    string  // simplex(3), ordered(3), positive_ordered(3), cholesky_corr(3); "" is all numbers
	Min, Max float64 // walls; ±Inf without
}

// A Let is a name for a formula, or for a block of columns.
type Let struct {
	Name        string
	Text        string
	Columns     []string // of a block
	Standardise bool     // the columns of a block have mean 0 and standard deviation 1
}

// Idle returns the parameters that neither a formula of the model nor one of more names, their
// own priors aside, in their order.
func (m *Model) Idle(more []string) (names []string) {
	named := map[string]bool{}
	read := func(text, but string) {
		words, _ := expression.Words(text) // where it is wrong, that is told elsewhere
		for _, w := range words {
			if bare, _, _ := strings.Cut(w.Text, "["); bare != but {
				named[bare], named[strings.TrimSuffix(bare, "_corr")] = true, true // L_corr[2,1] is of L
			}
		}
	}
	for _, p := range m.Parameters {
		bare, _, _ := strings.Cut(p.Name, "[")
		read(p.Prior, bare)
	}
	for _, l := range m.Let {
		read(l.Text, l.Name)
	}
	for _, o := range m.Outputs {
		read(o.Text, "")
	}
	for _, text := range slices.Concat(m.Likelihood, m.LogLik, more) {
		read(text, "")
	}
	for _, p := range m.Parameters {
		if bare, _, _ := strings.Cut(p.Name, "["); !named[bare] {
			names = append(names, p.Name)
		}
	}
	return names
}

// A Posterior is a model with its data.
type Posterior struct {
	Names      []string // of the coordinates
	Prior      *prior.Joint
	Potential  potential.Potential // −log density, of likelihood and priors
	Priors     potential.Potential // that of the priors alone
	Likelihood *Likelihood
	Drawn      *Minibatches // that gradients take; nil where they take all rows
	Proper     bool         // Prior holds the law of every coordinate

	Constraints []string // in coordinates alone

	Orders    [][2]int // coordinates of which the first is at most the second
	Equations [][]int  // coordinates whose sum is 1
	Balls     [][]int  // coordinates whose squares add up to 1 at most
	Left      int      // rows that are left out

	Labels  *Labels         // nil without
	Outputs derived.Outputs // what follows from a state; nil where nothing is asked for

	// Outcomes are what the laws of the likelihood are of, in the rows that are used.
	Outcomes *Outcomes

	// LogMass is the logarithm of the mass that priors had between their walls: Potential has
	// them normalised there.
	LogMass float64

	ordered     [][]int  // coordinates of each parameter with an order
	terms       []string // of the log density of priors that are no law of one parameter by numbers
	lone        []string // of them, those that are of no other parameters
	descendants []*descendant
	blocks      []block
	from        *builder
}

// An array is a parameter with its coordinates.
type array struct {
	*Parameter
	bare    string
	dims    []string       // what is declared in brackets: one of a vector, two of a matrix
	corr    int            // rows of a Cholesky factor of correlations; 0 of others
	labels  [][]string     // of the entries, by dimension
	entries map[string]int // coordinates by what stands in brackets; "" of a single number
	order   []int          // coordinates, those of a matrix by columns
}

// A builder makes a posterior.
type builder struct {
	Model
	faults   []error
	header   []string
	columns  map[string]string // what those of the header are called in the file
	vectors  map[string]*array
	sorted   []*array
	blocks   map[string]Let
	products map[string]blocked       // by how they are written out
	levelsOf map[string][]int         // of the rows that are used, by the columns that pick
	data     map[string]vector.Column // of numbers, with the standardised ones of blocks
	used     map[string]vector.Column // in the rows that are used, where these are not all
	lets     map[string]string        // expanded
	numbers  map[string]bool          // columns that formulas hold
	levels   map[string]bool          // columns that stand in brackets
	scales   map[string]scale         // of the standardised columns of blocks
	terms    []term
	series   *dynamics.Series
	keep     dynamics.Runs // rows
	least    int           // values of each column; −1 is none
	jumps    bool          // formulas may compare parameters: nothing asks for their slopes
	fresh    *newcomers    // of rows of another table; nil of the model's own
	out      *Posterior
}

// A term is a part of the log density of a row.
type term struct {
	path []string
	text string
	law  *said    // of y; nil of a formula
	y    []string // as written, one unless the law is joint
	full []string // y, written out
}

// Build makes the posterior of a model and the table in r, a file of that name. Its faults
// are joined, each a [*dynamics.ModelError] or a [*dynamics.DataError].
func Build(m Model, r io.ReadSeeker, file string) (*Posterior, error) {
	b := &builder{Model: m, vectors: map[string]*array{}, blocks: map[string]Let{}, products: map[string]blocked{},
		used: map[string]vector.Column{}, levelsOf: map[string][]int{}, lets: map[string]string{}, numbers: map[string]bool{},
		levels: map[string]bool{}, scales: map[string]scale{}, least: 1, out: &Posterior{}}
	header, err := dynamics.Header(r, file)
	if err != nil {
		return nil, err
	}
	b.heads(header, file)
	for _, step := range []func(){
		b.declare, b.define, b.read, func() { b.table(r, file) }, b.coordinates, b.priors, b.likelihood, b.outcomes, b.labels,
		b.constraints, b.derived,
	} {
		if len(b.faults) == 0 {
			step()
		}
		if len(b.faults) > 0 {
			return nil, errors.Join(b.faults...)
		}
	}
	b.out.from = b
	return b.out, nil
}

// heads names columns as formulas do, which know no spaces.
func (b *builder) heads(header []string, file string) {
	b.header, b.columns = nil, map[string]string{}
	for _, h := range header {
		plain := strings.Join(strings.Fields(h), "")
		if other, ok := b.columns[plain]; ok {
			b.faults = append(b.faults, &dynamics.DataError{File: file, Line: 1,
				Text: fmt.Sprintf("the columns %q and %q are told apart by spaces alone: rename one", other, h)})
		}
		b.header, b.columns[plain] = append(b.header, plain), h
	}
}

func (b *builder) fault(path []string, offset int, format string, args ...any) {
	b.faults = append(b.faults, &dynamics.ModelError{Path: append([]string{"model"}, path...), Offset: offset,
		Err: fmt.Errorf(format, args...)})
}

// declare finds which parameters there are.
func (b *builder) declare() {
	for i := range b.Parameters {
		p := &b.Parameters[i]
		v := &array{Parameter: p, entries: map[string]int{}}
		bare, index, _ := strings.Cut(p.Name, "[")
		v.bare = strings.TrimSpace(bare)
		if index = strings.Join(strings.Fields(strings.TrimSuffix(index, "]")), ""); index != "" {
			v.dims = strings.Split(index, ",")
		}
		path := []string{"parameters", p.Name}
		words, err := expression.Words(p.Name)
		switch {
		case err != nil || len(words) != 1 || !words[0].Name:
			b.fault(path, -1, "a parameter is a name such as a, or one with an index such as c[site] or c[4]; found %q", p.Name)
			continue
		case slices.Contains(b.header, v.bare):
			b.fault(path, -1, "%q is a column of the data: give the parameter another name", v.bare)
		case b.vectors[v.bare] != nil:
			b.fault(path, -1, "the parameter %q comes twice", v.bare)
		case len(v.dims) > 2 || slices.Contains(v.dims, ""):
			b.fault(path, -1, "a parameter has one index, or two of a matrix, as in b[site, 2]; found %q", p.Name)
		case expression.Constant(v.bare):
			b.fault(path, -1, "%q is a number in formulas: give the parameter another name", v.bare)
		case expression.Reserved(v.bare):
			b.fault(path, -1, "%q is a function of formulas: give the parameter another name", v.bare)
		}
		b.shaped(path, v)
		b.vectors[v.bare], b.sorted = v, append(b.sorted, v)
	}
	if len(b.Parameters) == 0 {
		b.fault([]string{"parameters"}, -1, "there are none: add, for instance, parameters: {a: \"normal(0, 1)\"}")
	}
}

// define expands what let names.
func (b *builder) define() {
	for _, l := range b.Let {
		path := []string{"let", l.Name}
		switch words, err := expression.Words(l.Name); {
		case err != nil || len(words) != 1 || words[0].Text != l.Name || !words[0].Name || strings.Contains(l.Name, "["):
			b.fault(path, -1, "%q is no name for a formula: use letters, digits and _", l.Name)
			continue
		case b.vectors[l.Name] != nil:
			b.fault(path, -1, "%q is a parameter: give the formula another name", l.Name)
			continue
		case slices.Contains(b.header, l.Name):
			b.fault(path, -1, "%q is a column of the data: give the formula another name", l.Name)
			continue
		}
		if l.Columns != nil {
			l.Columns = slices.Clone(l.Columns)
			b.blocks[l.Name] = l
			for i, c := range l.Columns {
				c = strings.Join(strings.Fields(c), "")
				l.Columns[i] = c
				if b.column(path, -1, c) {
					b.numbers[c] = true
				}
			}
			continue
		}
		if text, ok := b.expand(path, l.Text, 0); ok {
			b.lets[l.Name] = text
		}
	}
	for _, v := range b.sorted { // whose index may be a block
		for _, dim := range v.dims {
			b.dimension(v, dim)
		}
	}
}

// dimension notes the column whose levels an index of a parameter is of.
func (b *builder) dimension(v *array, dim string) {
	path := []string{"parameters", v.Name}
	_, isCount := sized(dim)
	_, isBlock := b.blocks[dim]
	switch {
	case isCount || isBlock:
	case strings.Contains(dim, ".."):
		b.fault(path, -1, "entries count from 1: %s[1..4], or %s[4], has four", v.bare, v.bare)
	case b.column(path, -1, dim):
		b.levels[dim] = true
	}
}

// column reports whether the data have a column, and a fault if not.
func (b *builder) column(path []string, offset int, name string) bool {
	if slices.Contains(b.header, name) {
		return true
	}
	b.fault(path, offset, "the data have no column %q%s (columns: %s)", name, near(name, b.header), strings.Join(b.header, ", "))
	return false
}

// near asks whether another name is meant.
func near(name string, known []string) string {
	if best, ok := expression.Nearest(name, known); ok {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return ""
}

// whence notes the columns of an inequality in columns.
func (b *builder) whence(path []string, text string) {
	fault := func(offset int, err error) {
		b.faults = append(b.faults, &dynamics.ModelError{Path: path, Offset: offset, Err: err})
	}
	names, err := expression.ConstraintNames(text)
	if err != nil {
		fault(0, err)
	}
	for _, n := range names {
		if !slices.Contains(b.header, n) {
			fault(-1, fmt.Errorf("the data have no column %q%s", n, near(n, b.header)))
		}
		b.numbers[n] = true
	}
	words, _ := expression.Words(text) // its errors are those above
	for _, w := range words {
		if expression.Constant(w.Text) && slices.Contains(b.header, w.Text) {
			fault(w.Pos, fmt.Errorf("%q is a number in formulas, and a column of the data: give the column another name", w.Text))
		}
	}
}
