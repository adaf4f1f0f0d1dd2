package config

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/dynamics"
	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
	"github.com/r2sgld/r2sgld/internal/prior"
	"github.com/r2sgld/r2sgld/internal/regular"
	"github.com/r2sgld/r2sgld/tune"
)

func (l *loader) identification() (*Run, error) {
	l.identify = true
	root := l.root
	l.Section(root, "name", "data", "model", "sampler", "figures")
	s := &Run{Command: "identify", Name: l.readName()}
	data, columns := l.readData(root.Field("data"))
	model, resolved := l.readModel(root.Field("model"), columns)
	l.readSampler(root.Field("sampler"))
	l.findNames(model)
	l.fixed = map[string]float64{}
	if model != nil {
		for _, v := range model.Fixed {
			l.fixed[v.Name] = v.Value
		}
	}
	l.useConstraints(root.Field("model").Field("constraints"), model)
	series := l.readSeries(data, columns)
	if err := l.Problems.Err(); err != nil {
		return nil, err
	}
	p, err := dynamics.Build(model, series)
	if err != nil {
		l.modelFaults(err)
		return nil, l.Problems.Err()
	}
	s.Model = p
	l.names, l.center = p.Parameters, p.Center
	r := l.parameterDomain(p, root.Field("model"))
	figures := l.readFigures(root.Field("figures"), l.names)
	l.readInit(l.section.Field("init"))
	l.reference()
	l.suits()
	if err := l.Problems.Err(); err != nil {
		return nil, err
	}
	s.Resolved = Resolved{Name: s.Name, Data: data, Model: resolved, Figures: figures}
	l.sampling(s, p, r, model.Likelihood == trajectoryLikelihood)
	if err := l.Problems.Err(); err != nil {
		return nil, err
	}
	return s, nil
}

// useConstraints tells the model what its constraints allow, for the search of a
// mode, and that the terms they speak of belong to it. The domain itself is built
// later, with the priors.
func (l *loader) useConstraints(n *yamlpos.Node, m *dynamics.Model) {
	if n == nil || l.names == nil || m == nil {
		return
	}
	r := &region{d: len(l.names)}
	l.readConstraints(r, n)
	if d, err := r.domain(); err == nil && d != nil {
		m.Allowed = d.Contains
	}
	if m.Sparse == nil {
		return
	}
	for _, text := range plainTexts(n) {
		if names, err := expression.ConstraintNames(text); err == nil {
			m.Sparse.Keep = append(slices.Clip(m.Sparse.Keep), names...)
		}
	}
}

// sampling says how the posterior p on the domain r is sampled: in which
// coordinates, from where, and with which settings.
func (l *loader) sampling(s *Run, p *dynamics.Problem, r *region, trajectory bool) {
	s.Problem = r2sgld.Problem{Potential: p.Potential, Domain: l.domain, Names: l.names}
	whitening := &r2sgld.Whitening{Center: p.Center, L: p.Factor}
	if trajectory && l.method.auto() && (l.section.Field("kernel") == nil || l.sampler.Kernel == kernelAuto) {
		l.takeHMC() // a gradient costs much more than a step of any kernel
	}
	var chart *prior.Chart
	if trajectory && l.method.move.accepts() && l.method.auto() {
		chart = p.Chart(l.roomOf(r))
	}
	if chart != nil {
		if l.sampler.Init == fromUniform {
			l.Report(l.section.Field("init"), "method auto starts trajectories from the priors: drop init, or write init: prior")
		}
		s.Problem, whitening = l.charted(p, r, chart)
		l.roomInPriors(s.Problem, r, chart)
	}
	l.settleFit(p, r, chart != nil)
	if len(l.Problems) > 0 {
		return
	}
	l.settle(s, []float64{1, 3}, 200_000, 20_000, 20)
	if len(l.Problems) > 0 {
		return
	}
	switch start := s.Settings.Start; {
	case chart != nil && start != nil:
		s.Settings.Start = make([]float64, len(start))
		chart.Coordinates(s.Settings.Start, start)
	case chart == nil && l.sampler.Init == fromPrior:
		l.startFromPrior(s, p, r)
	}
	if l.sampler.Whiten == nil || *l.sampler.Whiten {
		s.Settings.Whitening = whitening
	}
}

// readData reads the data section.
func (l *loader) readData(n *yamlpos.Node) (*Data, dynamics.Columns) {
	d, c := &Data{}, dynamics.Columns{}
	if n == nil {
		l.reportBare(l.root, "the data are missing: add, for instance, data: {file: data.csv, time: t, states: {x: x}}")
		return d, c
	}
	if !l.Section(n, "file", "sha256", "time", "states", "derivatives") {
		return d, c
	}
	if n.Field("file") == nil {
		l.reportBare(l.root.Key("data"), "data needs the key \"file\"")
	} else if file, ok := l.Text(n.Field("file")); ok {
		if !filepath.IsAbs(file) {
			file = filepath.Join(filepath.Dir(l.file), file)
		}
		d.File = file
	}
	if k := n.Field("sha256"); k != nil {
		d.SHA256, _ = l.Text(k)
	}
	if k := n.Field("time"); k != nil {
		d.Time, _ = l.Text(k)
		c.Time = d.Time
	}
	if n.Field("states") == nil {
		l.reportBare(l.root.Key("data"), "data needs the key \"states\", which names a column for each state")
	}
	c.States, d.States = l.columnNames(n.Field("states"))
	c.Derivatives, d.Derivatives = l.columnNames(n.Field("derivatives"))
	l.ownColumns(n.Field("states"), c)
	return d, c
}

// ownColumns reports states that share a column, or have that of the time.
func (l *loader) ownColumns(n *yamlpos.Node, c dynamics.Columns) {
	for i, s := range c.States {
		at := n.Field(s.Name)
		if c.Time != "" && s.Column == c.Time {
			l.Report(at, "the column %q of state %q is that of the time: give the column with the values of %q", s.Column, s.Name, s.Name)
			continue
		}
		if j := slices.IndexFunc(c.States[:i], func(o dynamics.Named) bool { return o.Column == s.Column }); j >= 0 {
			l.Report(at, "the states %q and %q share the column %q: give each its own", c.States[j].Name, s.Name, s.Column)
		}
	}
}

// columnNames reads a map of states to columns.
func (l *loader) columnNames(n *yamlpos.Node) (columns []dynamics.Named, o Ordered) {
	if !l.Map(n) {
		return nil, nil
	}
	if len(n.Fields) == 0 {
		l.Report(n, "%s is empty; expected a column for each state", n.Name)
	}
	for _, f := range n.Fields {
		l.plainName(f.Key, "state")
		if column, ok := l.Text(f.Value); ok {
			columns = append(columns, dynamics.Named{Name: f.Key.Text, Column: column})
			o = append(o, Entry{f.Key.Text, column})
		}
	}
	return columns, o
}

// readModel reads the model section.
func (l *loader) readModel(n *yamlpos.Node, c dynamics.Columns) (*dynamics.Model, *Model) {
	m, r := &dynamics.Model{Time: c.Time}, &Model{}
	for _, s := range c.States {
		m.States = append(m.States, s.Name)
	}
	if n == nil {
		l.reportBare(l.root, "the model is missing: add, for instance, model: {equations: {x: \"a*x\"}}")
		return nil, r
	}
	if !l.Section(n, "equations", "library", "constraints", "fixed", "likelihood", "derivative", "weak", "states", "sparse", "solver", "noise", "priors", "start", "batch") {
		return nil, r
	}
	before := len(l.Problems)
	if q := n.Field("equations"); l.Map(q) {
		for _, f := range q.Fields {
			if text, ok := l.Text(f.Value); ok {
				m.Equations = append(m.Equations, dynamics.Equation{State: f.Key.Text, Text: text})
				r.Equations = append(r.Equations, Entry{f.Key.Text, text})
			}
		}
	}
	if q := n.Field("library"); l.List(q, "terms") {
		m.Library = l.texts(q)
	}
	r.Library = m.Library
	l.unread = len(l.Problems) > before
	if q := n.Field("constraints"); q != nil {
		r.Constraints = plainTexts(q)
	}
	m.Fixed, r.Fixed = l.values(n.Field("fixed"))
	m.Start, r.Start = l.values(n.Field("start"))
	m.Batch, _ = l.Int(n.Field("batch"), 0, maxIterations)
	r.Batch = m.Batch
	if q := n.Field("priors"); l.Map(q) {
		for _, f := range q.Fields {
			if l.parted(f) {
				continue
			}
			if text, ok := l.Text(f.Value); ok {
				m.Priors = append(m.Priors, dynamics.Prior{Parameter: f.Key.Text, Text: text})
				r.Priors = append(r.Priors, Entry{f.Key.Text, text})
			}
		}
	}
	l.readLikelihood(n, m, r)
	return m, r
}

// values reads a map of names to numbers.
func (l *loader) values(n *yamlpos.Node) (values []dynamics.Value, o Ordered) {
	if !l.Map(n) {
		return nil, nil
	}
	for _, f := range n.Fields {
		if l.parted(f) {
			continue
		}
		if v, ok := l.Float(f.Value); ok {
			values = append(values, dynamics.Value{Name: f.Key.Text, Value: v})
			o = append(o, Entry{f.Key.Text, v})
		}
	}
	return values, o
}

// parted reports a name with a point in it that was taken for two keys.
func (l *loader) parted(f yamlpos.Field) bool {
	if f.Value.Kind != yamlpos.Map || len(f.Value.Fields) == 0 {
		return false
	}
	name := f.Key.Text + "." + f.Value.Fields[0].Key.Text
	l.Report(f.Value, "%s holds keys: if the parameter %q is meant, write it in one, in quotes within --set, as in \"%s\"=1", f.Key.Text, name, name)
	return true
}

// texts reads the texts of a list.
func (l *loader) texts(n *yamlpos.Node) []string {
	var out []string
	for _, item := range n.Items {
		text, _ := l.Text(item)
		out = append(out, text)
	}
	return out
}

// plainTexts returns the texts of a list, or of a single scalar.
func plainTexts(n *yamlpos.Node) []string {
	if n.Kind == yamlpos.Scalar {
		return []string{n.Text}
	}
	var out []string
	for _, item := range n.Items {
		out = append(out, item.Text)
	}
	return out
}

// findNames asks the model for the names of its parameters.
func (l *loader) findNames(m *dynamics.Model) {
	if m == nil || l.unread || len(l.Problems) > 0 && len(m.States) == 0 {
		return
	}
	names, err := m.Parameters()
	if err != nil {
		l.modelFaults(err)
		return
	}
	l.names = names
}

// readSeries reads the data file and checks that it is the one of the
// configuration's hash, if there is one.
func (l *loader) readSeries(d *Data, c dynamics.Columns) *dynamics.Series {
	if d.File == "" || len(c.States) == 0 {
		return nil
	}
	file, err := regular.Open(d.File)
	if err != nil {
		l.dataFaults(&dynamics.DataError{File: d.File, Text: "cannot be read: " + regular.Why(err).Error()})
		return nil
	}
	defer file.Close()
	sum := sha256.New()
	series, err := dynamics.DecodeSeries(io.TeeReader(file, sum), d.File, c) // to its end, unless it is faulty
	if err != nil {
		l.dataFaults(err)
		return nil
	}
	now := hex.EncodeToString(sum.Sum(nil))
	if d.SHA256 != "" && d.SHA256 != now {
		l.Report(l.root.Field("data").Field("sha256"), "the data in %s are no longer those of this configuration (sha256 %s)", d.File, now)
	}
	d.SHA256 = now
	if abs, err := filepath.Abs(d.File); err == nil {
		d.File = abs
	}
	return series
}

// dataFaults reports what is wrong with a data file, at its lines.
func (l *loader) dataFaults(err error) {
	for _, e := range flatten(err) {
		var fault *dynamics.DataError
		if !errors.As(e, &fault) {
			l.modelFaults(e)
			continue
		}
		p := Problem{File: fault.File, Line: fault.Line, Column: max(1, fault.Column), Message: fault.Text}
		if fault.Line > 0 && fault.Column > 0 {
			p.Source, p.Column = sourceLine(fault.File, fault.Line, fault.Column)
		}
		if fault.Line == 0 {
			p = l.root.Field("data").Field("file").Problem(fault.File + ": " + fault.Text)
		}
		l.Problems = append(l.Problems, p)
	}
}

// sourceLine returns a line of a file, and the column in characters of its
// byte column; "" if it cannot be had.
func sourceLine(file string, line, column int) (string, int) {
	data, err := os.ReadFile(file)
	if err != nil {
		return "", column
	}
	r, err := dynamics.Text(bytes.NewReader(data), file)
	if err != nil {
		return "", column
	}
	text, _ := io.ReadAll(r)
	lines := strings.Split(string(text), "\n")
	if line > len(lines) {
		return "", column
	}
	s := strings.TrimSuffix(lines[line-1], "\r")
	if column <= len(s)+1 {
		column = utf8.RuneCountInString(s[:column-1]) + 1
	}
	return s, column
}

// modelFaults reports what is wrong with a model, at its keys.
func (l *loader) modelFaults(err error) {
	for _, e := range flatten(err) {
		var model *dynamics.ModelError
		var data *dynamics.DataError
		switch {
		case errors.As(e, &data):
			l.dataFaults(data)
		case errors.As(e, &model):
			n := l.find(model.Path)
			if model.Offset >= 0 && n.Kind == yamlpos.Scalar {
				l.formulaOr(n, model)
			} else {
				l.Report(n, "%v", model.Err)
			}
		default:
			l.Report(l.root.Key("model"), "%v", e)
		}
	}
}

// formulaOr reports the faults of an expression one by one, or a fault of
// another kind at its offset.
func (l *loader) formulaOr(n *yamlpos.Node, m *dynamics.ModelError) {
	if l.formula(n, m.Err) {
		return
	}
	l.Problems = append(l.Problems, n.ProblemAt(m.Offset, m.Err.Error()))
}

// find returns the node at a path, or the deepest key on the way to it.
func (l *loader) find(path []string) *yamlpos.Node {
	n, key := l.root, l.root
	for _, word := range path {
		next := n.Field(word)
		if i, err := strconv.Atoi(word); err == nil && n.Kind == yamlpos.List && i >= 1 && i <= len(n.Items) {
			next = n.Items[i-1]
		}
		if next == nil {
			return key
		}
		n, key = next, n.Key(word)
	}
	return n
}

// flatten returns the errors that err joins.
func flatten(err error) []error {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		var out []error
		for _, e := range many.Unwrap() {
			out = append(out, flatten(e)...)
		}
		return out
	}
	return []error{err}
}

// parameterDomain makes the domain of the parameters from the constraints and
// the supports of the priors.
func (l *loader) parameterDomain(p *dynamics.Problem, model *yamlpos.Node) *region {
	r := &region{d: len(l.names)}
	at := model.Key("constraints")
	if c := model.Field("constraints"); c != nil {
		l.readConstraints(r, c)
	}
	for j, name := range l.names {
		if lo := p.Prior.Lower[j]; !math.IsInf(lo, -1) {
			r.add(r.unit(j, -1), -lo, name+" >= "+strconv.FormatFloat(lo, 'g', -1, 64)+" (prior)")
		}
		if hi := p.Prior.Upper[j]; !math.IsInf(hi, 1) {
			r.add(r.unit(j, 1), hi, name+" <= "+strconv.FormatFloat(hi, 'g', -1, 64)+" (prior)")
		}
	}
	d, err := r.domain()
	if err != nil {
		l.Report(at, "the domain cannot be built: %v", err)
		return r
	}
	l.settleDomain(r, d, at)
	return r
}

// settleFit fills in what a fit provides: whitening, its step size, the start.
func (l *loader) settleFit(p *dynamics.Problem, r *region, charted bool) {
	s := &l.sampler
	if s.Whiten == nil && !l.method.auto() {
		whiten := p.Factor != nil && l.method.wall != mirrored
		s.Whiten = &whiten
	}
	switch {
	case s.Init == fromPrior && l.method.auto() && !charted:
		switch at := l.section.Field("init"); {
		case !p.Trajectory() || !l.method.move.accepts():
			l.Report(at, "with method auto init: prior needs likelihood trajectory and kernel hmc or mala")
		default:
			l.withoutPriors(at, p, r)
		}
	case s.Init != nil:
	case charted:
		s.Init = fromPrior
	case l.method.auto() && bounded(l.domain):
		s.Init = fromUniform
	}
	if s.Init == nil {
		start := p.Center
		if l.domain != nil && !l.domain.Contains(start) {
			start = l.inside
		}
		s.Init = named(l.names, start)
	}
	if !l.method.auto() && *s.Whiten && s.StepSize == nil {
		s.StepSize = []float64{whitenedStep(p, l.from())}
	}
}

// whitenedStep is the step size in whitened coordinates: 0.02 where the posterior
// has unit curvature, less by the square of its slope at the start where walls
// keep the start away from the mode, down to a hundredth: the start may be far
// from where the draws will be.
func whitenedStep(p *dynamics.Problem, start []float64) float64 {
	d := len(start)
	energy, g := make([]float64, 1), make([]float64, d)
	p.Whole.Evaluator(1, nil).Eval(energy, g, start)
	steep := 1.0
	for j := range d {
		slope := 0.0
		for i := range d {
			slope += p.Factor[i][j] * g[i]
		}
		steep = max(steep, slope*slope)
	}
	if !(steep < 100) {
		steep = 100
	}
	return tune.Readable(0.02 / steep)
}
