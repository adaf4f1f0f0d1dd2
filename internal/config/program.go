package config

import (
	"path/filepath"
	"time"

	"github.com/r2sgld/r2sgld/internal/command"
	"github.com/r2sgld/r2sgld/internal/config/key"
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

// external reads a potential that lives in another program and starts it.
func (l *loader) external(n *yamlpos.Node, r *Resolved) potential.Potential {
	c := &Command{Timeout: 60, Directory: filepath.Dir(l.file)}
	if !l.Section(n, key.Names(c.keys())...) {
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
	r.Potential = c
	return l.started(n.Field("command"), c.Args, c.Directory, c.Timeout)
}

// started starts the program of a potential, and reports at the node what is wrong with it; nil
// where something is wrong already.
func (l *loader) started(n *yamlpos.Node, args []string, dir string, timeout float64) potential.Potential {
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
