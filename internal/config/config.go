// Package config answers what the user asked for: it turns a configuration file
// and overrides of the command line into a problem and settings, with every
// default filled in, or into a list of all that is wrong with them.
package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/dynamics"
	"github.com/r2sgld/r2sgld/internal/config/key"
	"github.com/r2sgld/r2sgld/internal/config/region"
	"github.com/r2sgld/r2sgld/internal/config/sampler"
	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
	"github.com/r2sgld/r2sgld/internal/derived"
	"github.com/r2sgld/r2sgld/internal/regular"
	"github.com/r2sgld/r2sgld/internal/rows"
	"github.com/r2sgld/r2sgld/tune"
)

// Problems are all that is wrong with a configuration; their Error method
// prints them as a person wants to read them. Every error of this package is of
// this type.
type Problems = yamlpos.Problems

// A Problem is one entry of [Problems].
type Problem = yamlpos.Problem

// A Run is what a configuration asks for.
type Run struct {
	Command  string // sample or identify
	Name     string
	Problem  r2sgld.Problem
	Settings r2sgld.Settings   // without Hooks and Threads
	Until    *tune.Until       // of method auto, whose step sizes and temperatures are to be found; nil for others
	Model    *dynamics.Problem // of identify: the posterior, to explain the draws with
	Rows     *rows.Posterior   // of fit
	Outputs  derived.Outputs   // what is known of states beside their energies; nil where nothing is
	Program  []string          // outputs of the program that has the energies, of which Until is asked too
	Warnings []string          // what a user should know, though it is allowed
	Note     string            // what to say before it begins; "" is nothing
	Resolved Resolved
}

// firstRound is how many iterations the first round of method auto has, where nothing is said of it. They are few
// where gradients are dear: a model that is not linear in its parameters goes through all rows for each, and
// another program may take any time. Of those kernels that are unbiased have as many with programs as tell a
// standard deviation to a hundredth.
func (s *Run) firstRound(unbiased bool) int {
	dear := s.Model != nil && !s.Model.Linear
	switch {
	case unbiased && s.elsewhere():
		return 2000
	case unbiased && dear:
		return 500
	case dear || s.elsewhere():
		return 20_000
	}
	first, _, _ := tune.FirstRound(unbiased)
	return first
}

// elsewhere reports whether another program computes energies.
func (s *Run) elsewhere() bool {
	switch s.Resolved.Potential.(type) {
	case *Command, *Stan:
		return true
	}
	return false
}

// A loader is a configuration being read.
type loader struct {
	key.Reader
	programs Programs
	root     *yamlpos.Node
	file     string
	identify bool

	names []string           // of the coordinates
	fixed map[string]float64 // names in constraints that stand for numbers
	*sampler.Choice
	region *region.Region    // where states may be
	center []float64         // the mode of a model's posterior; nil if there is none
	white  *r2sgld.Whitening // in which a run of a model moves; nil in its coordinates
	// startless says why the density is 0 at a point, "" where it is not known to be; nil never is.
	startless func(x []float64) string
}

// Programs says what becomes of the programs that a configuration names.
type Programs struct {
	Context context.Context // they end with it, and so does a load, with its error; nil never ends
	// Allow is asked before one is started, with its name and arguments; an error is
	// reported as a problem and keeps it from being so. nil allows all.
	Allow func(args []string) error
	Tell  func(string) // is told what takes long; nil is not
	// Data stand for the content of the file of data, whose hash is then not asked for; nil is
	// what the file holds.
	Data []byte
	// Within is a folder: no file outside of it is read, as the configuration may be of somebody who
	// has no right to see others. "" is everywhere.
	Within string
}

// readable says why a file may not be read; nil where it may.
func (p Programs) readable(file string) error {
	if p.Within == "" {
		return nil
	}
	folder, err := filepath.Abs(p.Within)
	if err == nil {
		file, err = filepath.Abs(file)
	}
	if err == nil {
		file, err = filepath.Rel(folder, file)
	}
	if err != nil || !filepath.IsLocal(file) {
		return errors.New("it is not among the files that were sent with the configuration")
	}
	return nil
}

func (p Programs) tell(what string) {
	if p.Tell != nil {
		p.Tell(what)
	}
}

// open opens a file of data.
func (p Programs) open(file string) (io.ReadSeekCloser, error) {
	if p.Data != nil {
		return struct {
			io.ReadSeeker
			io.Closer
		}{bytes.NewReader(p.Data), io.NopCloser(nil)}, nil
	}
	if err := p.readable(file); err != nil {
		return nil, err
	}
	f, err := regular.Open(file)
	if err != nil {
		return nil, regular.Why(err)
	}
	return f, nil
}

// Load reads a configuration of the command sample or identify, with overrides
// such as "sampler.iterations=1000". What it does not say is filled in; step
// sizes that it does not give are measured on the target (deterministically,
// from the seed). The data that it names are read, their path relative to the
// configuration's folder. A program that computes its potential is started. The error
// is of type [Problems] and holds every fault.
func Load(command, path string, set []string) (*Run, error) {
	return Programs{}.Load(command, path, set)
}

// Parse is [Load] of a text; name stands for the path.
func Parse(command, name string, text []byte, set []string) (*Run, error) {
	return Programs{}.Parse(command, name, text, set)
}

// Load is [Load] where these programs may be started.
func (p Programs) Load(command, path string, set []string) (*Run, error) {
	return loaded(command, path, nil, set, p.run)
}

// Parse is [Parse] where these programs may be started.
func (p Programs) Parse(command, name string, text []byte, set []string) (*Run, error) {
	return loaded(command, name, text, set, p.run)
}

// loaded reads the configuration of a command from a file, or from a text if there is one,
// applies overrides and gives it to what makes sense of it.
func loaded[T any](command, path string, text []byte, set []string, read func(*loader, string) (T, error)) (none T, err error) {
	var root *yamlpos.Node
	if text == nil {
		root, err = yamlpos.ReadFile(path)
	} else {
		root, err = yamlpos.Parse(path, text)
	}
	if err == nil {
		err = misplaced(command, path, root)
	}
	if err != nil {
		return none, err
	}
	l := newLoader(false)
	l.root, l.file = root, path
	l.programs.Context = context.Background()
	for _, s := range set {
		var problems Problems
		if err := yamlpos.Set(root, s); errors.As(err, &problems) {
			l.Problems = append(l.Problems, problems...)
		}
	}
	return read(l, command)
}

// newLoader has read nothing yet.
func newLoader(identify bool) *loader {
	l := &loader{identify: identify, region: &region.Region{}}
	l.Choice = &sampler.Choice{Reader: &l.Reader, OfModel: identify}
	return l
}

// run makes the run of a command.
func (p Programs) run(l *loader, command string) (r *Run, err error) {
	if p.Context == nil {
		p.Context = l.programs.Context
	}
	l.programs = p
	switch command {
	case "sample":
		r, err = l.sample()
	case "identify":
		r, err = l.identification()
	case "fit":
		r, err = l.fit()
	default:
		return nil, Problems{{File: l.file, Message: fmt.Sprintf("runs of %q have no configuration; those of sample, identify and fit have",
			command)}}
	}
	if ended := l.programs.Context.Err(); ended != nil { // what was found may be cut short
		return nil, ended
	}
	if err == nil {
		r.Note = l.Note()
	}
	return r, err
}

// newRegion is a region in the coordinates, of which nothing is known yet.
func (l *loader) newRegion() *region.Region {
	return &region.Region{Reader: &l.Reader, Context: l.programs.Context, Names: l.names, Fixed: l.fixed, Folder: filepath.Dir(l.file),
		Readable: l.programs.readable, Parameters: l.identify}
}

// readDomain reads the domain section. Walls that the potential brings are added to it; it may
// name constraints of the program of the potential.
func (l *loader) readDomain(walls func(*region.Region) bool, program func() (region.Program, bool)) {
	l.region = l.newRegion()
	l.region.Program = program
	n := l.root.Field("domain")
	if walls != nil && walls(l.region) && (n == nil || n.Kind == yamlpos.Null) {
		l.region.Settle(l.root.Key("potential"))
		return
	}
	l.region.Read(n, l.root.Key("domain"))
}

// The names of runs and of variables, and the most of these.
var (
	runName = regexp.MustCompile(`^[\p{L}\p{N}_][\p{L}\p{N}._ +-]*$`)
)

const mostVariables = 10_000

// nameKey declares the name of the run.
func (l *loader) nameKey() key.Key {
	return key.Given("name", "text", key.PlainText(), nil).Also("pattern", runName.String()).Also("maxLength", 100).
		Tells("file name", "names the run folder; letters, digits and `. _ -`, at most 100")
}

// variablesKey declares the names of the coordinates.
func variablesKey() key.Key {
	return key.Given("variables", "list of names", key.ListOf(key.Object("type", "string", "pattern", key.VariableName.String())).
		With("maxItems", mostVariables).With("uniqueItems", true), nil).Must().
		Tells("", "coordinates, at most 10,000; letters, digits, `_`, a letter first, no function name")
}

// readName reads the name of the run, by default that of the file.
func (l *loader) readName() string {
	n := l.root.Field("name")
	if n == nil {
		base := filepath.Base(l.file)
		base = strings.TrimSuffix(base, filepath.Ext(base))
		if base = regexp.MustCompile(`[^\pL\pN._-]+`).ReplaceAllString(base, "-"); strings.Trim(base, ".-") == "" {
			base = "run"
		}
		return base
	}
	name, ok := l.Text(n)
	if ok && (!runName.MatchString(name) || len(name) > 100) {
		l.Report(n, "name %q is to name a folder: use letters, digits, and . _ - inside, at most 100", name)
	}
	return name
}

// readNames reads the names of the coordinates.
func (l *loader) readNames(n *yamlpos.Node) {
	if n == nil {
		l.ReportBare(l.root, "variables are missing: add, for instance, variables: [x, y]")
		return
	}
	if !l.List(n, "names") {
		return
	}
	if len(n.Items) > mostVariables {
		l.Report(n, "at most 10000 variables; found %d", len(n.Items))
		return
	}
	first := map[string]bool{}
	all := true
	for _, item := range n.Items {
		name, ok := l.Text(item)
		switch {
		case !ok:
		case !l.PlainName(item, "variable"):
			ok = false
		case first[name]:
			l.Report(item, "the variable %q is listed twice", name)
			ok = false
		}
		first[name] = true
		all = all && ok
		l.names = append(l.names, name)
	}
	if !all {
		l.names = nil
	}
}

// point reads a map of every coordinate's name to a number.
func (l *loader) point(n *yamlpos.Node) ([]float64, bool) {
	if !l.Section(n, l.names...) {
		return nil, false
	}
	x := make([]float64, len(l.names))
	all := true
	for i, name := range l.names {
		f := n.Field(name)
		if f == nil {
			l.Report(n, "%s lacks a value for %q", n.Name, name)
			all = false
			continue
		}
		v, ok := l.Float(f)
		x[i], all = v, all && ok
	}
	return x, all && len(n.Fields) == len(l.names)
}

// named returns the values of a point with their names.
func named(names []string, x []float64) Ordered {
	var o Ordered
	for i, name := range names {
		o = o.With(name, x[i])
	}
	return o
}

// readInit reads where replicas start. It needs the names and the domain.
func (l *loader) readInit(n *yamlpos.Node) {
	if n == nil || n.Kind == yamlpos.Null || l.names == nil {
		return
	}
	if n.Kind == yamlpos.Scalar {
		switch {
		case !slices.Contains(l.InitWords(), n.Text):
			l.Report(n, "init must be %s or a point such as %s; found %s", strings.Join(l.InitWords(), ", "), l.somePoint(nil), n)
		case n.Text == sampler.FromUniform && !bounded(l.region.Domain):
			l.Report(n, "init: uniform needs a bounded domain: bound every variable, or give a point such as {%s: 0}", l.names[0])
		default:
			l.Sampler.Init = n.Text
		}
		return
	}
	if n.Kind != yamlpos.List {
		if x, ok := l.startAt(n); ok {
			l.Sampler.Init = named(l.names, x)
		}
		return
	}
	var all []Ordered
	if len(n.Items) > 0 && !slices.ContainsFunc(n.Items, func(i *yamlpos.Node) bool { return i.Kind != yamlpos.Scalar }) {
		l.Report(n, "init must be a point such as %s, or a list of such points; found %s", l.somePoint(n), n)
		return
	}
	for _, item := range n.Items {
		if x, ok := l.startAt(item); ok {
			all = append(all, named(l.names, x))
		}
	}
	if len(n.Items) == 0 {
		l.Report(n, "init is a list of no points: leave it out, or give a point such as {%s: 0}", l.names[0])
	}
	l.Sampler.Init = all
}

// somePoint is a point as it is written, of the numbers of a list if these are as many as coordinates.
func (l *loader) somePoint(list *yamlpos.Node) string {
	const most = 4
	var parts []string
	for j, name := range l.names[:min(most, len(l.names))] {
		value := "0"
		if list != nil && len(list.Items) == len(l.names) && list.Items[j].Kind == yamlpos.Scalar {
			value = list.Items[j].Text
		}
		parts = append(parts, name+": "+value)
	}
	if len(l.names) > most {
		parts = append(parts, "…")
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// startAt reads a point where replicas start.
func (l *loader) startAt(n *yamlpos.Node) ([]float64, bool) {
	x, ok := l.point(n)
	if ok && l.region.Domain != nil && !l.region.Domain.Contains(x) && l.Method.Wall.Reflects() {
		l.Report(n, "the start %s lies outside the domain", pointText(l.names, x))
		return nil, false
	}
	if ok && l.startless != nil {
		if why := l.startless(x); why != "" {
			l.Report(n, "the density is 0 at the start %s: %s", pointText(l.names, x), why)
			return nil, false
		}
	}
	return x, ok
}

func pointText(names []string, x []float64) string {
	s := make([]string, len(x))
	for i, v := range x {
		s[i] = fmt.Sprintf("%s = %g", names[i], v)
	}
	return "(" + strings.Join(s, ", ") + ")"
}

// bounded reports whether d lies in a finite box.
func bounded(d domain.Domain) bool { return d != nil && domain.Bounded(d) }
