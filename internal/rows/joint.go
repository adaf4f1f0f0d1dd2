package rows

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/r2sgld/r2sgld/expression"
)

// A joint law is a multivariate normal one of k numbers. Its arguments are k means and the lower triangle
// of a matrix by rows, the covariance or its Cholesky factor.
type joint struct {
	k      int
	matrix string // as the law calls it
}

// matrices are the joint laws, each with what its matrix is called.
var matrices = map[string]string{"multi_normal": covariance, "multi_normal_cholesky": "L"}

const covariance = "Sigma"

// A piece is a part of a text, and where it begins.
type piece struct {
	text string
	at   int
}

// A misplaced error is one at a byte of what was written.
type misplaced struct {
	at int
	error
}

func (p piece) fault(format string, args ...any) error {
	return &misplaced{p.at, fmt.Errorf(format, args...)}
}

// trimmed is a piece without spaces around it.
func (p piece) trimmed() piece {
	left := strings.TrimLeft(p.text, " \t")
	return piece{strings.TrimRight(left, " \t"), p.at + len(p.text) - len(left)}
}

// within are the pieces between commas of what stands between an opening and a closing text; ok is false
// where it does not.
func (p piece) within(opening, closing string) (all []piece, ok bool) {
	p = p.trimmed()
	inner, ok := strings.CutPrefix(p.text, opening)
	inner, closed := strings.CutSuffix(inner, closing)
	if !ok || !closed {
		return nil, false
	}
	at := p.at + len(opening)
	for _, a := range expression.Arguments(inner) {
		all = append(all, piece{a, at}.trimmed())
		at += len(a) + 1
	}
	return all, true
}

// entry names an entry of an argument of a joint law.
func entry(name string, at ...int) string {
	var index []string
	for _, i := range at {
		index = append(index, strconv.Itoa(i+1))
	}
	return name + "[" + strings.Join(index, ",") + "]"
}

// jointly reads the arguments of a joint law, which begin at a byte of what was written and end with a
// parenthesis.
func jointly(name, rest string, at int, entries func(name string) []string) (*said, error) {
	m := matrices[name]
	with, ok := piece{"(" + rest, at - 1}.within("(", ")")
	if !ok || len(with) != 2 {
		return nil, fmt.Errorf("write %s(mu, %s), of a list of means such as [a, b] and a matrix such as %s", name, m,
			map[bool]string{true: "[[v, c], [c, w]]", false: "diag_pre_multiply(s, L)"}[m == covariance])
	}
	mu, err := listOf(with[0], entries, "mu of "+name)
	if err != nil {
		return nil, err
	}
	rows, err := matrixOf(with[1], entries, m+" of "+name)
	if err != nil {
		return nil, err
	}
	k := len(mu)
	s := &said{law: law{of: line}, name: name, joint: &joint{k, m}}
	var y []string
	add := func(arg string, p piece, of support) {
		s.args, s.with, s.at, s.takes = append(s.args, arg), append(s.with, p.text), append(s.at, p.at), append(s.takes, of)
	}
	for i, p := range mu {
		y = append(y, entry("y", i))
		add(entry("mu", i), p, line)
	}
	square := !slices.ContainsFunc(rows, func(row []piece) bool { return len(row) != len(rows) })
	if square && len(rows) != k {
		return nil, with[0].fault("mu of %s has %d entries, and %s %d rows and columns", name, k, m, len(rows))
	}
	for _, row := range rows {
		if len(row) != k || len(rows) != k {
			return nil, with[1].fault("%s of %s has %d rows, one of %d, and mu %d entries: it is %d × %d", m, name, len(rows), len(row), k, k, k)
		}
	}
	for i, row := range rows {
		for j, p := range row {
			switch mirror := rows[j][i]; {
			case j == i:
				add(entry(m, i, i), p, positive)
			case j < i:
				add(entry(m, i, j), p, line)
			case m == covariance && !alike(p.text, mirror.text):
				return nil, p.fault("%s of %s is symmetric: [%d,%d] is %s, and [%d,%d] is %s", m, name, i+1, j+1, p.text, j+1, i+1, mirror.text)
			case m != covariance && !alike(p.text, "0"):
				return nil, p.fault("%s of %s is 0 above its diagonal; [%d,%d] is %s", m, name, i+1, j+1, p.text)
			}
		}
	}
	s.written = slices.Clone(s.with)
	s.terms = []string{name + "_lpdf(" + strings.Join(append(y, s.args...), ", ") + ")"}
	return s, nil
}

// single reads a law of one number.
func single(text string, entries func(name string) []string) (*said, error) {
	s, err := parse(text, entries)
	if err == nil && s.joint != nil {
		err = fmt.Errorf("laws of a mixture are of one number: %s is of several", s.name)
	}
	return s, err
}

// alike reports whether two formulas are the same number, or the same text but for spaces.
func alike(a, b string) bool {
	v, err := strconv.ParseFloat(a, 64)
	w, other := strconv.ParseFloat(b, 64)
	if err == nil && other == nil {
		return v == w
	}
	return strings.Join(strings.Fields(a), "") == strings.Join(strings.Fields(b), "")
}

// listOf reads a list of formulas, or the name of what has several entries.
func listOf(p piece, entries func(name string) []string, what string) ([]piece, error) {
	if all, ok := p.within("[", "]"); ok {
		return all, nil
	}
	var all []piece
	for _, e := range entries(p.text) {
		all = append(all, piece{e, p.at})
	}
	if all == nil {
		return nil, p.fault("%s is a list such as [a, b], or a parameter with as many entries; found %q", what, p.text)
	}
	return all, nil
}

// matrixOf reads a list of rows, the name of a matrix, or diag_pre_multiply of a list and a matrix, whose
// rows are multiplied by the entries of the list.
func matrixOf(p piece, entries func(name string) []string, what string) (rows [][]piece, err error) {
	if with, ok := p.within("diag_pre_multiply(", ")"); ok {
		if len(with) != 2 {
			return nil, p.fault("diag_pre_multiply has 2 arguments, a list and a matrix; found %d", len(with))
		}
		by, err := listOf(with[0], entries, "the first argument of diag_pre_multiply")
		if err != nil {
			return nil, err
		}
		if rows, err = matrixOf(with[1], entries, "the second argument of diag_pre_multiply"); err != nil {
			return nil, err
		}
		if len(by) != len(rows) {
			return nil, p.fault("diag_pre_multiply multiplies each row of a matrix: %s has %d entries, and %s %d rows", with[0].text, len(by),
				with[1].text, len(rows))
		}
		for i, row := range rows {
			for j, e := range row {
				if !alike(e.text, "0") {
					row[j].text = "(" + by[i].text + ")*(" + e.text + ")"
				}
			}
		}
		return rows, nil
	}
	list, ok := p.within("[", "]")
	if !ok {
		for range entries(p.text + "[1]") { // of a square one
			list = append(list, piece{fmt.Sprintf("%s[%d]", p.text, len(list)+1), p.at})
		}
	}
	for _, row := range list {
		of, err := listOf(row, entries, "a row of "+what)
		if err != nil {
			return nil, err
		}
		rows = append(rows, of)
	}
	if rows == nil {
		return nil, p.fault("%s is a matrix such as [[a, 0], [b, c]], or a parameter that is one; found %q", what, p.text)
	}
	return rows, nil
}

// drawn writes random numbers, one or those of a joint law: NaN where arguments give no law.
func (s *said) drawn(y, a []float64, rng *rand.Rand) {
	switch {
	case !s.lawful(a):
		fill(y, math.NaN())
		return
	case s.joint == nil:
		y[0] = s.draw(a, rng)
		return
	}
	l, _ := s.factor(a)
	z := make([]float64, s.joint.k)
	for i := range y {
		y[i], z[i] = a[i], rng.NormFloat64()
		for j := range i + 1 {
			y[i] += l.At(i, j) * z[j]
		}
	}
}

// factor is the Cholesky factor of the covariance that arguments say; ok is false where there is none.
func (s *said) factor(a []float64) (*mat.TriDense, bool) {
	k := s.joint.k
	l, of, next := mat.NewTriDense(k, mat.Lower, nil), mat.NewSymDense(k, nil), k
	for i := range k {
		for j := range i + 1 {
			l.SetTri(i, j, a[next])
			of.SetSym(i, j, a[next])
			next++
		}
	}
	if s.joint.matrix != covariance {
		return l, true
	}
	var c mat.Cholesky
	if !c.Factorize(of) {
		return nil, false
	}
	c.LTo(l)
	return l, true
}

// indefinite reports whether arguments, of which some may not be known, are those of a covariance that is
// not positive definite.
func (s *said) indefinite(a []float64) bool {
	if s.joint == nil || slices.ContainsFunc(a[s.joint.k:], func(v float64) bool { return math.IsNaN(v) }) {
		return false
	}
	_, ok := s.factor(a)
	return !ok
}

func (s *said) notDefinite() string {
	return fmt.Sprintf("%s of %s is not positive definite", s.joint.matrix, s.name)
}

// Indefinite says which covariance is not positive definite at a state, and in which line of the data; ""
// where all are.
func (p *Posterior) Indefinite(x []float64) string {
	for _, d := range p.descendants {
		if a := make([]float64, len(d.args)); d.law.joint != nil {
			for i, f := range d.args {
				f.Evaluator(1).Value(a[i:i+1], x)
			}
			if d.law.indefinite(a) {
				return d.law.notDefinite()
			}
		}
	}
	for _, o := range p.Outcomes.Of {
		if o.together == 0 || o.law.joint == nil {
			continue
		}
		with, a := make([][]float64, len(o.args)), make([]float64, len(o.args))
		for i, f := range o.args {
			with[i] = make([]float64, f.rows)
			f.values()(with[i], x)
		}
		for row, line := range p.Outcomes.Line.All() {
			for i := range a {
				a[i] = with[i][row]
			}
			if o.law.indefinite(a) {
				return fmt.Sprintf("%s in line %d of the data", o.law.notDefinite(), line)
			}
		}
	}
	return ""
}

// lawful reports whether arguments are those of a law.
func (s *said) lawful(a []float64) bool {
	for i, of := range s.takes {
		if !of.holds(a[i]) {
			return false
		}
	}
	return !s.indefinite(a)
}

// fits reports whether a joint law is a prior of a parameter, and a fault if not.
func (b *builder) fits(path []string, v *array, l *said) bool {
	n := len(v.rows(l)[0])
	switch {
	case v.dims == nil:
		b.fault(path, -1, "%s is a law of several numbers, and %s is one: write normal(mu, sigma)", l.name, v.bare)
	case strings.HasPrefix(v.Shape, "simplex"):
		b.fault(path, -1, "%s is no law of shares: a simplex has the prior dirichlet", l.name)
	case n != l.joint.k:
		b.fault(path, -1, "mu of %s has %d entries; %s has %d%s", l.name, l.joint.k, v.bare, n,
			map[bool]string{true: " in each row"}[len(v.dims) == 2])
	default:
		return true
	}
	return false
}

// rows are the coordinates of v that a law is of together: all of a vector or a row of a matrix, or each
// by itself.
func (v *array) rows(l *said) (all [][]int) {
	n := len(v.order) // rows
	switch {
	case l.joint != nil && len(v.dims) == 2:
		n = len(v.labels[0])
	case l.joint != nil:
		n = 1
	}
	for i := range n {
		var row []int
		for at := i; at < len(v.order); at += n {
			row = append(row, v.order[at])
		}
		all = append(all, row)
	}
	return all
}
