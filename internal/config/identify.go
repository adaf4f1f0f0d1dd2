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
	"github.com/r2sgld/r2sgld/internal/config/key"
	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
	"github.com/r2sgld/r2sgld/internal/prior"
	"github.com/r2sgld/r2sgld/internal/regular"
	"github.com/r2sgld/r2sgld/tune"
)

func (l *loader) identification() (*Run, error) {
	l.identify = true
	root := l.root
	l.Section(root, key.Names(l.identifyKeys())...)
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
	l.parameterDomain(p, root.Field("model"))
	figures := l.readFigures(root.Field("figures"), l.names)
	l.readInit(l.section.Field("init"))
	l.reference()
	l.suits()
	if err := l.Problems.Err(); err != nil {
		return nil, err
	}
	s.Resolved = Resolved{Name: s.Name, Data: data, Model: resolved, Figures: figures}
	l.sampling(s, p, model.Likelihood == trajectoryLikelihood)
	if err := l.Problems.Err(); err != nil {
		return nil, err
	}
	return s, nil
}

// identifyKeys declares a configuration of identify.
func (l *loader) identifyKeys() []key.Key {
	return []key.Key{
		l.nameKey(),
		key.Mapping("data", l.dataKeys(&Data{})).By(nil).Must().Tells("", "[the series](#data)"),
		key.Mapping("model", l.modelKeys(&Model{})).By(nil).Must().Tells("", "[equations, constraints, priors](#model)"),
		key.Mapping("sampler", l.samplerKnown()).By(nil).Tells("[method auto](#method-auto)", "[how to draw](#sampler)"),
		figuresKey(),
	}
}

// useConstraints tells the model what its constraints allow, for the search of a
// mode, and that the terms they speak of belong to it. The domain itself is built
// later, with the priors.
func (l *loader) useConstraints(n *yamlpos.Node, m *dynamics.Model) {
	if n == nil || l.names == nil || m == nil {
		return
	}
	r := l.newRegion()
	r.Constraints(n)
	if d, err := r.Build(); err == nil && d != nil {
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

// sampling says how the posterior p is sampled: in which
// coordinates, from where, and with which settings.
func (l *loader) sampling(s *Run, p *dynamics.Problem, trajectory bool) {
	s.Problem = r2sgld.Problem{Potential: p.Potential, Domain: l.region.Domain, Names: l.names}
	whitening := &r2sgld.Whitening{Center: p.Center, L: p.Factor}
	if trajectory && l.method.auto() && (l.section.Field("kernel") == nil || l.sampler.Kernel == kernelAuto) {
		l.moveBy(exact) // a gradient costs much more than a step of any kernel
	}
	var chart *prior.Chart
	if trajectory && l.traits().Metropolis && l.method.auto() {
		chart = p.Chart(l.region.Room())
	}
	if chart != nil {
		if l.sampler.Init == fromUniform {
			l.Report(l.section.Field("init"), "method auto starts trajectories from the priors: drop init, or write init: prior")
		}
		s.Problem, whitening = l.charted(p, chart)
		l.roomInPriors(s.Problem, chart)
	}
	l.settleFit(p, chart != nil)
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
		l.startFromPrior(s, p)
	}
	if l.sampler.Whiten == nil || *l.sampler.Whiten {
		s.Settings.Whitening = whitening
	}
}

// readData reads the data section.
func (l *loader) readData(n *yamlpos.Node) (*Data, dynamics.Columns) {
	d, c := &Data{}, dynamics.Columns{}
	if n == nil {
		l.ReportBare(l.root, "the data are missing: add, for instance, data: {file: data.csv, time: t, states: {x: x}}")
		return d, c
	}
	keys := l.dataKeys(d)
	if !l.Section(n, key.Names(keys)...) {
		return d, c
	}
	for _, k := range keys {
		if !k.Needed || n.Field(k.Name) != nil {
			l.Take(n, keys, k.Name)
			continue
		}
		means := ""
		if k.Name == "states" {
			means = ", which names a column for each state"
		}
		l.ReportBare(l.root.Key("data"), "data needs the key %q%s", k.Name, means)
	}
	if d.File != "" && !filepath.IsAbs(d.File) {
		d.File = filepath.Join(filepath.Dir(l.file), d.File)
	}
	c.Time, c.States, c.Derivatives = d.Time, columnsOf(d.States), columnsOf(d.Derivatives)
	l.ownColumns(n.Field("states"), c)
	return d, c
}

// dataKeys declares the data section.
func (l *loader) dataKeys(d *Data) []key.Key {
	columns := key.MapOf(key.PlainText()).With("minProperties", 1)
	return []key.Key{
		key.Text("file", &d.File).Must().Tells("", "CSV with a header line, UTF-8, at least 3 rows; relative to the configuration. Lines end in LF, CRLF or CR; numbers are "+
			"decimal (no `2_000`, no `0x10`). An empty cell, NA, N/A or null is a missing value of a state: the rest of its row is used, and "+
			"a warning counts them. NaN and Inf are errors"),
		key.Text("sha256", &d.SHA256).Tells("not checked", "the run is refused if the file has another hash"),
		key.Text("time", &d.Time).Tells("rows 0, 1, 2, …", "column of increasing times, which may be uneven"),
		key.Given("states", "`{state: column, …}`", columns, l.columnNames(&d.States)).Must().Tells("", "the states of the model"),
		key.Given("derivatives", "`{state: column, …}`", columns, l.columnNames(&d.Derivatives)).Tells("none", "for `derivative: column`"),
	}
}

// columnsOf are the columns of states.
func columnsOf(o Ordered) (columns []dynamics.Named) {
	for _, e := range o {
		columns = append(columns, dynamics.Named{Name: e.Key, Column: e.Value.(string)})
	}
	return columns
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
func (l *loader) columnNames(to *Ordered) func(*key.Reader, *yamlpos.Node) {
	state := func(f yamlpos.Field) bool {
		l.plainName(f.Key, "state")
		return true
	}
	return func(_ *key.Reader, n *yamlpos.Node) {
		if n.Kind == yamlpos.Map && len(n.Fields) == 0 {
			l.Report(n, "%s is empty; expected a column for each state", n.Name)
		}
		l.entries(to, state, l.entryText)(&l.Reader, n)
	}
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
	if l.Formula(n, m.Err) {
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
func (l *loader) parameterDomain(p *dynamics.Problem, model *yamlpos.Node) {
	r := l.newRegion()
	at := model.Key("constraints")
	r.Constraints(model.Field("constraints"))
	for j, name := range l.names {
		if lo := p.Prior.Lower[j]; !math.IsInf(lo, -1) {
			r.Add(r.Unit(j, -1), -lo, name+" >= "+strconv.FormatFloat(lo, 'g', -1, 64)+" (prior)")
		}
		if hi := p.Prior.Upper[j]; !math.IsInf(hi, 1) {
			r.Add(r.Unit(j, 1), hi, name+" <= "+strconv.FormatFloat(hi, 'g', -1, 64)+" (prior)")
		}
	}
	r.Settle(at)
	l.region = r
}

// settleFit fills in what a fit provides: whitening, its step size, the start.
func (l *loader) settleFit(p *dynamics.Problem, charted bool) {
	s := &l.sampler
	if s.Whiten == nil && !l.method.auto() {
		whiten := p.Factor != nil && l.method.wall != mirrored
		s.Whiten = &whiten
	}
	switch {
	case s.Init == fromPrior && l.method.auto() && !charted:
		switch at := l.section.Field("init"); {
		case !p.Trajectory() || !l.traits().Metropolis:
			l.Report(at, "with method auto init: prior needs likelihood trajectory and kernel hmc or mala")
		default:
			l.withoutPriors(at, p)
		}
	case s.Init != nil:
	case charted:
		s.Init = fromPrior
	case l.method.auto() && bounded(l.region.Domain):
		s.Init = fromUniform
	}
	if s.Init == nil {
		start := p.Center
		if l.region.Domain != nil && !l.region.Domain.Contains(start) {
			start = l.region.Inside
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
