package config

import (
	"path/filepath"
	"slices"
	"time"

	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/internal/command"
	"github.com/r2sgld/r2sgld/internal/config/key"
	"github.com/r2sgld/r2sgld/internal/config/region"
	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/tune"
)

func (c *Command) keys() []key.Key {
	return []key.Key{
		key.Texts("command", &c.Args, "words").Must().Tells("", "the program and its arguments, started for the handshake, for measurements and "+
			"for every ladder"),
		key.Number("timeout", &c.Timeout, key.Positive).Tells("60", "seconds that a block of states (one of each rung) may take"),
		key.Text("directory", &c.Directory).Tells("that of the configuration", "where the program is started"),
	}
}

// external is a potential that lives in another program.
type external struct {
	*Command
	at      *yamlpos.Node // that of the command
	program *command.Potential
}

// external reads one; nil where it is wrong.
func (l *loader) external(n *yamlpos.Node) *external {
	c := &Command{Timeout: 60, Directory: filepath.Dir(l.file)}
	near := func(names ...string) func(f yamlpos.Field) bool {
		return func(f yamlpos.Field) bool { _, ok := expression.Nearest(f.Key.Text, names); return ok }
	}
	if i := slices.IndexFunc(n.Fields, near("stan")); i >= 0 {
		l.Report(n.Fields[i].Key, "unknown key %q; did you mean \"stan\"?", n.Fields[i].Key.Text)
		return nil
	}
	if !slices.ContainsFunc(n.Fields, near(key.Names(c.keys())...)) {
		l.Report(n, `potential must be a formula, as "x^2/2", or be in another program, as {command: [python3, model.py]}, or in Stan, as `+
			`{stan: model.stan, data: data.json}`)
		return nil
	}
	if !l.Only(n, c.keys()) {
		return nil
	}
	if n.Field("command") == nil {
		l.Report(n, "a potential in another program needs the key \"command\", such as [python3, model.py]")
		return nil
	}
	if l.Take(n, c.keys(), "command"); c.Args == nil {
		return nil
	}
	l.Take(n, c.keys(), "timeout", "directory")
	if abs, err := filepath.Abs(c.Directory); err == nil {
		c.Directory = abs
	}
	return &external{Command: c, at: n.Field("command")}
}

// telling is what starts the program for its constraints; nil where there is none.
func (e *external) telling(l *loader) func() (region.Program, bool) {
	if e == nil {
		return nil
	}
	return func() (region.Program, bool) {
		p := e.started(l)
		return p, p != nil
	}
}

// started starts the program, if it is not yet; nil where something is wrong, which is reported.
func (e *external) started(l *loader) *command.Potential {
	if e.program == nil {
		e.program = l.program(e.at, e.Args, e.Directory, e.Timeout)
	}
	return e.program
}

// potential is that of the program, once everything else is read.
func (e *external) potential(l *loader) potential.Potential {
	if e == nil || len(l.Problems) > 0 || e.started(l) == nil {
		return nil
	}
	if names := e.program.ConstraintNames(); len(names) > 0 && l.root.Field("domain").Field("program") == nil {
		l.Report(e.at, "the program has constraints, and the domain does not say whether they hold: add domain: {program: [%s]}, or "+
			"{program: []} to leave them out", names[0])
		return nil
	}
	for _, w := range l.region.OfProgram {
		if err := tune.CheckConstraint(l.programs.Context, l.region.Domain, l.region.Inside, w.Name, w.Surface); err != nil {
			l.Report(w.At, "%s: %v", w.Name, err)
			return nil
		}
	}
	return l.checked(e.at, e.program)
}

// program starts a program for its handshake, and reports at the node what is wrong with it; nil
// where something is wrong already.
func (l *loader) program(n *yamlpos.Node, args []string, dir string, timeout float64) *command.Potential {
	if len(l.Problems) > 0 {
		return nil
	}
	if err := l.allowed(args); err != nil {
		l.Report(n, "%v", err)
		return nil
	}
	u, err := command.New(l.programs.Context, command.Settings{Args: args, Dir: dir, Names: l.names,
		Timeout: time.Duration(timeout * float64(time.Second))})
	if err != nil {
		l.Report(n, "%v", err)
		return nil
	}
	return u
}

// checked is the potential of a program, nil if there is none or it is wrong.
func (l *loader) checked(n *yamlpos.Node, u *command.Potential) potential.Potential {
	if u == nil {
		return nil
	}
	p := l.target(u)
	start := l.start()
	if start == nil && !bounded(l.region.Domain) {
		start = l.reduced(l.somewhere())
	}
	if err := tune.CheckGradient(l.programs.Context, p, start, 1); err != nil {
		l.Report(n, "%v", err)
		return nil
	}
	return u
}

// allowed asks whether a program may be run.
func (l *loader) allowed(args []string) error {
	if l.programs.Allow == nil {
		return nil
	}
	return l.programs.Allow(args)
}
