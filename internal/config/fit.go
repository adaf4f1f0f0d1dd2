package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/internal/config/key"
	"github.com/r2sgld/r2sgld/internal/config/sampler"
	"github.com/r2sgld/r2sgld/internal/config/system"
	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
	"github.com/r2sgld/r2sgld/internal/modes"
	"github.com/r2sgld/r2sgld/internal/regular"
	"github.com/r2sgld/r2sgld/internal/rows"
	"github.com/r2sgld/r2sgld/stream"
)

// textOrList is one text or a list of them.
func textOrList(name string, at *[]string) key.Key {
	return key.Given(name, "text or list", key.AnyOf(key.PlainText(), key.ListOf(key.PlainText())), func(l *key.Reader, n *yamlpos.Node) {
		if n.Kind == yamlpos.Scalar || l.List(n, "texts") {
			*at = system.Texts(n)
		}
	})
}

// fitKeys declares a configuration of fit.
func (l *loader) fitKeys() []key.Key {
	return []key.Key{
		l.nameKey(),
		key.Given("data", "file, or map", key.AnyOf(key.PlainText(), key.Section(tableKeys(&Table{}))), nil).Must().Tells("",
			"[the rows](#rows)"),
		key.Mapping("model", (&fitReader{}).modelKeys()).By(nil).Must().Tells("", "[parameters, likelihood, constraints](#models-of-rows)"),
		key.Mapping("sampler", l.Known()).By(nil).Tells("[method auto](#method-auto)", "[how to draw](#sampler)"),
		figuresKey(),
	}
}

// tableKeys declares the data section.
func tableKeys(t *Table) []key.Key {
	t.Missing = "refuse"
	return []key.Key{
		key.Text("file", &t.File).Must().Tells("", "CSV with a header line, UTF-8, or Parquet, a row per case; relative to the configuration. "+
			"Formulas take numbers; a column that stands in brackets holds categories. Of Parquet, columns of numbers and text are read: dates "+
			"are days, and times seconds, since 1970; rows are told by the lines that they would have in a CSV"),
		key.Text("sha256", &t.SHA256).Tells("not checked", "the run is refused if the file has another hash"),
		textOrList("where", &t.Where).Tells("all rows", "inequalities in the columns: rows that break one are left out"),
		key.Word("missing", &t.Missing, "refuse", "drop").Tells("`refuse`",
			"what becomes of a row where a column that the model takes is empty, NA, N/A or null"),
		key.Word("precision", &t.Precision, "float64", "float32").Tells("`float64`", "how numbers are kept: `float32` rounds each to the "+
			"nearest number of 32 bits once, which halves the memory that columns take; what is computed of them still has 64"),
	}
}

// A fitReader reads what fit has of its own.
type fitReader struct {
	*loader
	model    rows.Model
	resolved RowModel
}

// modelKeys declares the model section.
func (f *fitReader) modelKeys() []key.Key {
	wall := key.Object("type", "number")
	parameter := key.AnyOf(key.PlainText(), key.Object("type", "object", "additionalProperties", false,
		"properties", key.Object("prior", key.PlainText(), "min", wall, "max", wall, "shape", key.PlainText())))
	let := key.AnyOf(key.PlainText(), key.Object("type", "object", "required", []string{"columns"}, "additionalProperties", false,
		"properties", key.Object("columns", key.ListOf(key.PlainText()), "standardise", key.Object("type", "boolean"))))
	r := &f.resolved
	return []key.Key{
		key.Given("parameters", "`{name: prior, …}`", key.MapOf(parameter).With("minProperties", 1), f.parameters).Must().
			Tells("", "a law, `flat`, a shape, or `{prior, min, max, shape}`; `c[site]` has an entry for each level of a column, `c[4]` or "+
				"`c[1..4]` four, `beta[X]` one for each column of a block; [`b[site, 2]`](#matrices-and-joint-laws) is a matrix"),
		key.Given("let", "`{name: formula, …}`", key.MapOf(let), f.lets).
			Tells("none", "names for formulas of parameters and columns; `{columns: [a, b], standardise: true}` is a block `X`, for `X*beta`"),
		textOrList("likelihood", &r.Likelihood).Tells("this or `log_lik`", "`y ~ normal(mu, sigma)`: the [law](#laws) of a column in every row; "+
			"`[u, v] ~ multi_normal(mu, Sigma)`, of [several together](#matrices-and-joint-laws)"),
		textOrList("log_lik", &r.LogLik).Tells("", "formulas that are added to the log density of a row"),
		textOrList("constraints", &r.Constraints).Tells("none", "[inequalities](#constraints) in the parameters, such as `c[A] <= c[B]` or "+
			"`sum(c) < 1`"),
		textOrList("labels", &r.Labels).Tells("none", "of a mixture: vectors whose entries are of [components](#labels-of-components) that bear no "+
			"name; of one, all with the same entries"),
		outputsKey(f.outputs).Tells("none", "[numbers that follow](#outputs) from the parameters, such as `exp(b)` or `c[A] - c[B]`; "+
			"`effect[site]` has one for each level of a column"),
	}
}

// parameters reads the parameters with their priors.
func (f *fitReader) parameters(l *key.Reader, n *yamlpos.Node) {
	if !l.Map(n) {
		return
	}
	for _, e := range n.Fields {
		p := rows.Parameter{Name: e.Key.Text, Min: math.Inf(-1), Max: math.Inf(1)}
		said := Ordered{}
		switch {
		case e.Value.Kind == yamlpos.Map:
			keys := []key.Key{key.Text("prior", &p.Prior), key.Number("min", &p.Min), key.Number("max", &p.Max), key.Text("shape", &p.Shape)}
			if !l.Read(e.Value, keys) {
				continue
			}
			if !(p.Min < p.Max) {
				l.Report(e.Value, "min %g is not below max %g", p.Min, p.Max)
			}
			for _, k := range []struct {
				name  string
				value any
				given bool
			}{{"prior", p.Prior, p.Prior != ""}, {"min", p.Min, !math.IsInf(p.Min, 0)}, {"max", p.Max, !math.IsInf(p.Max, 0)},
				{"shape", p.Shape, p.Shape != ""}} {
				if k.given {
					said = said.With(k.name, k.value)
				}
			}
			f.resolved.Parameters = f.resolved.Parameters.With(p.Name, said)
		default:
			text, ok := l.Text(e.Value)
			if !ok {
				continue
			}
			if p.Prior = text; isShape(text) {
				p.Prior, p.Shape = "", text
			}
			f.resolved.Parameters = f.resolved.Parameters.With(p.Name, text)
		}
		f.model.Parameters = append(f.model.Parameters, p)
	}
}

// isShape reports whether a text is that of a shape rather than of a law.
func isShape(text string) bool {
	name, _, _ := strings.Cut(text, "(")
	return slices.Contains([]string{"simplex", "ordered", "positive_ordered", "cholesky_corr"}, name)
}

// lets reads names for formulas and blocks of columns.
func (f *fitReader) lets(l *key.Reader, n *yamlpos.Node) {
	if !l.Map(n) {
		return
	}
	for _, e := range n.Fields {
		t := rows.Let{Name: e.Key.Text}
		if e.Value.Kind != yamlpos.Map {
			text, ok := l.Text(e.Value)
			if !ok {
				continue
			}
			t.Text = text
			f.resolved.Let = f.resolved.Let.With(t.Name, text)
		} else {
			if !l.Read(e.Value, []key.Key{key.Texts("columns", &t.Columns, "columns").Must(), key.Boolean("standardise", &t.Standardise)}) ||
				t.Columns == nil {
				continue
			}
			f.resolved.Let = f.resolved.Let.With(t.Name, key.Object("columns", t.Columns, "standardise", t.Standardise))
		}
		f.model.Let = append(f.model.Let, t)
	}
}

// outputs reads formulas of what follows from the parameters.
func (f *fitReader) outputs(l *key.Reader, n *yamlpos.Node) {
	f.resolved.Outputs = readOutputs(l, n, func(e yamlpos.Field) {
		f.model.Outputs = append(f.model.Outputs, rows.Formula{Name: e.Key.Text, Text: e.Value.Text})
	})
}

// fit makes the run of a model of rows.
func (l *loader) fit() (*Run, error) {
	l.identify, l.OfModel, l.OfRows = true, true, true
	root := l.root
	l.Only(root, l.fitKeys())
	s := &Run{Command: "fit", Name: l.readName()}
	f := &fitReader{loader: l}
	data := f.table(root.Field("data"))
	if at := root.Field("model"); at == nil {
		l.ReportBare(root, "the model is missing: add, for instance, model: {parameters: {a: \"normal(0, 1)\", s: \"half_normal(1)\"}, "+
			"likelihood: \"y ~ normal(a, s)\"}")
	} else {
		l.Reader.Read(at, f.modelKeys())
	}
	l.Load(root.Field("sampler"))
	if err := l.Problems.Err(); err != nil {
		return nil, err
	}
	p := f.posterior(data)
	if p == nil {
		return nil, l.Problems.Err()
	}
	l.names, s.Rows, l.startless = p.Names, p, p.Indefinite
	f.domain(p)
	figures := l.readFigures(root.Field("figures"), l.names)
	l.readInit(l.Node.Field("init"))
	l.reference()
	l.suits()
	if err := l.Problems.Err(); err != nil {
		return nil, err
	}
	s.Resolved = Resolved{Name: s.Name, Data: data, Model: &f.resolved, Figures: figures}
	s.Problem = l.target(p.Potential)
	target, found, err := f.modes(s.Problem, p)
	if err != nil {
		return nil, err
	}
	if s.Outputs = p.Outputs; p.Labels != nil {
		f.alike(s.Problem, p, found)
	}
	by, warnings := f.minibatch(p, s.Problem, found)
	if err := l.Problems.Err(); err != nil {
		return nil, err
	}
	s.Warnings = append(warnings, f.idle()...)
	if by == nil && l.Method.Auto() && (l.Node.Field("kernel") == nil || l.Sampler.Kernel == sampler.Auto) {
		l.MoveBy(sampler.Exact) // a gradient goes through all rows: it costs much more than a step of any kernel
	}
	err = f.beginRun(s, p, by, target, found)
	if p.Labels != nil {
		shuffled(&s.Problem, p.Labels)
	}
	return s, err
}

// beginRun says where a run begins: by minibatches, unless nil, or by all rows, in the coordinates where more is known.
func (f *fitReader) beginRun(s *Run, p *rows.Posterior, by *rows.Minibatches, target modes.Target, found []modes.Mode) error {
	if by != nil {
		return f.beginByMinibatches(s, p, by, found)
	}
	standard, err := f.standardised(p, target, found)
	switch {
	case err != nil:
		return err
	case standard != nil:
		return f.begin(s, p, nil, standard)
	}
	return f.begin(s, p, f.firstMode(s, p, found), nil)
}

// shuffled has draws of a problem told in any order of their components.
func shuffled(p *r2sgld.Problem, labels *rows.Labels) {
	same := func(to, from []float64) { copy(to, from) }
	c := r2sgld.Chart{Point: same, Coordinates: same, Domain: p.Domain}
	if p.Chart != nil {
		c = *p.Chart
	}
	c.Symmetry = labels
	p.Chart = &c
}

const (
	labelTells = 20   // points that tell whether components are alike, and as many at modes; fewer of many rows
	labelTries = 1000 // points where the density may turn out not to be finite
)

// alike refuses labels of components that the density, or a constraint, tells apart, those of which
// no point tells, and those of several kinds of components. Points are scattered, and lie where the
// normal laws at the modes have their mass.
func (f *fitReader) alike(p r2sgld.Problem, of *rows.Posterior, found []modes.Mode) {
	inside := func(y []float64) bool { return p.Domain == nil || p.Domain.Contains(f.reduced(y)) }
	few := 1 + of.Labels.Tries(labelTells, of.Labels.Components()) // at the first point components may all be the same
	parts := of.Labels.Parts()
	x, full := make([]float64, p.Potential.Dim()), make([]float64, len(of.Names))
	look := func(tries int, draw func(x []float64) error) (told int, err error) {
		for ; tries > 0 && told < few && draw(x) == nil; tries-- {
			if copy(full, x); f.region.Slice != nil {
				f.region.Slice.Full(full, x)
			}
			tells, err := of.Labels.Alike(full, inside)
			if err != nil {
				return 0, err
			}
			if tells {
				told++
				parts = of.Labels.Alone(full, parts)
			}
		}
		return told, nil
	}
	told, err := look(labelTries, f.scattered(p, of))
	if err == nil && told < few {
		err = fmt.Errorf("−log density is finite at too few of %d points to tell whether components are alike: give the parameters priors "+
			"nearer to the data, or leave labels out", labelTries)
	}
	if err == nil && len(found) > 0 {
		rng, next := &stream.New(1, priorLadder).Of(1, stream.Start).Rand, 0
		_, err = look(few, func(x []float64) error {
			at := found[next%len(found)]
			next++
			(&modes.Mixture{Parts: []modes.Part{{Weight: 1, Center: at.X, L: at.L}}}).Draw(x, rng)
			return nil
		})
	}
	if err == nil && len(parts) > 0 {
		err = of.Labels.Only(parts)
	}
	if err != nil {
		f.Report(f.root.Field("model").Field("labels"), "%v", err)
	}
}

// firstMode is the mode to begin at; nil where there is none, or where it is a pole, of which
// s warns.
func (l *loader) firstMode(s *Run, p *rows.Posterior, found []modes.Mode) *modes.Mode {
	if len(found) == 0 {
		return nil
	}
	if l.region.Slice != nil {
		return &found[0]
	}
	at := pole(s.Problem, p, found[0].X)
	if at == nil {
		return &found[0]
	}
	s.Warnings = append(s.Warnings, fmt.Sprintf("the density grows without bound as %s: no mode is there to begin at, and the run may be slow "+
		"or wrong. %s.", at.goes, at.advice))
	return nil
}

// table reads where the rows are.
func (f *fitReader) table(n *yamlpos.Node) *Table {
	t := &Table{}
	keys := tableKeys(t)
	switch {
	case n == nil:
		f.ReportBare(f.root, "the data are missing: add, for instance, data: trial.csv")
	case n.Kind == yamlpos.Map:
		f.Reader.Read(n, keys)
	default:
		t.File, _ = f.Text(n)
	}
	if t.File == "" {
		return t
	}
	if !filepath.IsAbs(t.File) {
		t.File = filepath.Join(filepath.Dir(f.file), t.File)
	}
	if abs, err := filepath.Abs(t.File); err == nil {
		t.File = abs
	}
	return t
}

// posterior reads the rows and compiles the model.
func (f *fitReader) posterior(t *Table) *rows.Posterior {
	in := &system.Reader{Reader: &f.Reader, Root: f.root, File: f.file}
	at := f.root.Field("data")
	if at.Kind == yamlpos.Map {
		at = at.Field("file")
	}
	file, err := f.programs.open(t.File)
	if err != nil {
		f.Report(at, "%s cannot be read: %v", t.File, err)
		return nil
	}
	defer file.Close()
	if f.programs.Data != nil {
		t.SHA256 = ""
	}
	sum := sha256.New()
	size, err := io.Copy(sum, file)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		f.Report(at, "%s cannot be read: %v", t.File, regular.Why(err))
		return nil
	}
	now := hex.EncodeToString(sum.Sum(nil))
	if t.SHA256 != "" && t.SHA256 != now {
		f.Report(f.root.Field("data").Field("sha256"), "the data in %s are no longer those of this configuration (sha256 %s)", t.File, now)
		return nil
	}
	t.SHA256 = now
	m := f.model
	r := &f.resolved
	m.Likelihood, m.LogLik, m.Labels, m.Where, m.Drop = r.Likelihood, r.LogLik, r.Labels, t.Where, t.Missing == "drop"
	m.Constraints = r.Constraints
	m.Singles = t.Precision == "float32"
	lavish := thrift(size)
	p, err := rows.Build(m, file, t.File)
	if err != nil {
		lavish()
		in.Faults(err)
		return nil
	}
	if f.constrainsFixed(p) {
		lavish()
		return nil
	}
	runtime.AddCleanup(p, func(end func()) { end() }, lavish)
	return p
}

// constrainsFixed reports constraints on entries that are numbers, or follow from others.
func (f *fitReader) constrainsFixed(p *rows.Posterior) (faulty bool) {
	n := f.root.Field("model").Field("constraints")
	if n == nil {
		return false
	}
	items := n.Items
	if n.Kind == yamlpos.Scalar {
		items = []*yamlpos.Node{n}
	}
	for _, item := range items {
		words, _ := expression.Words(item.Text) // its errors are told where it is read
		for _, w := range words {
			if why := p.Fixed(w.Text); w.Name && why != "" {
				f.Problems, faulty = append(f.Problems, item.ProblemAt(w.Pos, why)), true
			}
		}
	}
	return faulty
}

// domain is where the parameters may be.
func (f *fitReader) domain(p *rows.Posterior) {
	model := f.root.Field("model")
	r := f.parameterDomain(p.Prior, model, p.Constraints)
	at := model.Key("constraints")
	if at == model {
		at = model.Key("parameters")
	}
	for _, o := range p.Orders {
		a := r.Unit(o[0], 1)
		a[o[1]] = -1
		r.Add(a, 0, p.Names[o[0]]+" <= "+p.Names[o[1]])
	}
	for _, of := range p.Equations {
		a := make([]float64, len(p.Names))
		names := make([]string, len(of))
		for i, j := range of {
			a[j], names[i] = 1, p.Names[j]
		}
		r.Equate(a, 1, strings.Join(names, " + ")+" = 1", at)
	}
	for _, of := range p.Balls {
		r.Ball(of)
	}
	if p.Balls != nil && p.Equations != nil {
		f.Report(at, "a simplex does not go with a cholesky_corr(k) of more than two rows, whose walls are balls: write the last share as "+
			"1 less the others")
		return
	}
	r.Settle(at)
	if len(f.Problems) > 0 {
		return
	}
	lo := slices.Clone(p.Prior.Lower)
	if _, err := domain.InequalitiesOf(r.Domain); err != nil {
		return // walls of other kinds may keep it from being negative
	} else if r.Domain != nil && r.Slice == nil {
		implied, _ := domain.BoundsOf(r.Domain, len(lo))
		for j, v := range implied {
			if !math.IsInf(v, -1) {
				lo[j] = max(lo[j], v+1e-9*math.Abs(v)+1e-12) // beyond rounding of the linear program
			}
		}
	}
	if name, why := p.Negative(lo); name != "" {
		f.Report(model.Field("parameters").Key(name), "%s", why)
	}
}
