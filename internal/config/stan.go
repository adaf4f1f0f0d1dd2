package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/internal/config/key"
	"github.com/r2sgld/r2sgld/internal/config/region"
	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
	"github.com/r2sgld/r2sgld/internal/stan"
	"github.com/r2sgld/r2sgld/potential"
)

// Stan is a potential that is a Stan program.
type Stan struct {
	File      string  `json:"stan"`
	Data      string  `json:"data,omitempty"`
	Transform bool    `json:"transform,omitempty"`
	Timeout   float64 `json:"timeout"` // seconds
	SHA256    string  `json:"sha256"`  // of the program, what it includes and its data
}

func (s *Stan) keys() []key.Key {
	return []key.Key{
		key.Text("stan", &s.File).Must().Tells("", "the file of the program"),
		key.Text("data", &s.Data).Tells("none", "a file of JSON with its data"),
		key.Boolean("transform", &s.Transform).Tells("`false`", "`true` samples in the coordinates of Stan's transforms, without walls"),
		key.Number("timeout", &s.Timeout, key.Positive).Tells("60", "seconds that a block of states may take"),
		key.Text("sha256", &s.SHA256).Tells("not checked", "the run is refused if the program, what it includes and its data have another hash"),
	}
}

// A stanModel is a Stan program with its data, compiled.
type stanModel struct {
	*Stan
	*stan.Model
	args []string
}

// readStan reads and compiles a Stan program; nil where it has reported why not. The names of
// the coordinates are its own.
func (l *loader) readStan(n *yamlpos.Node) *stanModel {
	s := &Stan{Timeout: 60}
	given := l.root.Field("variables")
	if !l.Read(n, s.keys()) || s.File == "" {
		return nil
	}
	for _, file := range []*string{&s.File, &s.Data} {
		if *file != "" && !filepath.IsAbs(*file) {
			*file = filepath.Join(filepath.Dir(l.file), *file)
		}
		if abs, err := filepath.Abs(*file); err == nil && *file != "" {
			*file = abs
		}
	}
	for _, f := range []struct{ key, file string }{{"stan", s.File}, {"data", s.Data}} {
		if err := l.programs.readable(f.file); f.file != "" && err != nil {
			l.Report(n.Field(f.key), "%s cannot be read: %v", f.file, err)
			return nil
		}
	}
	if !l.unchanged(n, s) {
		return nil
	}
	program, err := stan.Compile(l.programs.Context, s.File, l.allowed, l.programs.tell)
	if err != nil {
		l.Report(n.Field("stan"), "%v", err)
		return nil
	}
	m := &stanModel{Stan: s, args: program.Args(s.Data, s.Transform)}
	if m.Model, err = program.Model(l.programs.Context, s.Data, s.Transform); err != nil {
		at := n.Field("data")
		if at == nil {
			at = n.Field("stan")
		}
		l.Report(at, "%v", err)
		return nil
	}
	if given != nil && !slices.Equal(l.Texts(given), m.Names) {
		l.Report(given, "the variables are those of the Stan program: leave them out")
	}
	l.names = m.Names
	return m
}

// unchanged reads the program, what it includes and its data, and reports whether they are those of the configuration's
// hash, if there is one.
func (l *loader) unchanged(n *yamlpos.Node, s *Stan) bool {
	sum := sha256.New()
	add := func(part int, b []byte) {
		fmt.Fprintf(sum, "%d %d:", part, len(b))
		sum.Write(b)
	}
	program, included, err := stan.Sources(s.File)
	if err != nil {
		l.Report(n.Field("stan"), "%v", err)
		return false
	}
	add(0, program)
	if s.Data != "" {
		data, err := os.ReadFile(s.Data)
		if err != nil {
			l.Report(n.Field("data"), "%v", err)
			return false
		}
		add(1, data)
	}
	for _, b := range included {
		add(2, b.Text)
	}
	now := hex.EncodeToString(sum.Sum(nil))
	if s.SHA256 != "" && s.SHA256 != now {
		l.Report(n.Field("sha256"), "the Stan program or its data are no longer those of this configuration (sha256 %s)", now)
		return false
	}
	s.SHA256 = now
	return true
}

// walls adds the walls of the program's parameters to a region, and reports whether there are
// any.
func (m *stanModel) walls(r *region.Region) bool {
	if m == nil {
		return false
	}
	any := false
	for j, name := range m.Names {
		for side, b := range [2]float64{m.Upper[j], m.Lower[j]} {
			if math.IsInf(b, 0) {
				continue
			}
			a := make([]float64, len(m.Names))
			sign, text := 1.0, "<="
			if side == 1 {
				sign, text = -1, ">="
			}
			a[j] = sign
			r.Add(a, sign*b, fmt.Sprintf("%s %s %g, of the Stan program", name, text, b))
			any = true
		}
	}
	for _, row := range m.Rows {
		a := make([]float64, len(m.Names))
		for k, j := range row.Of {
			a[j] -= row.Times[k]
		}
		r.Add(a, -row.Least, "a bound of "+m.Names[row.Of[0]]+", of the Stan program")
		any = true
	}
	return any
}

// explain tells, at the first problem that names a coordinate of Stan's transforms, what these are.
func (m *stanModel) explain(problems Problems) {
	if m == nil || !m.Transform {
		return
	}
	for i, p := range problems {
		for _, name := range m.Names {
			if strings.Contains(p.Message, name) {
				stop := "."
				if strings.HasSuffix(p.Message, "?") {
					stop = ""
				}
				problems[i].Message += fmt.Sprintf("%s With transform, constraints, bounds, starts and outputs are of coordinates such as %s, what "+
					"Stan's transforms make of the parameters (a logarithm or a logit of one with bounds). For the parameters themselves leave "+
					"transform out", stop, expression.Quoted(name))
				return
			}
		}
	}
}

// potential is that of the program, once everything else is read.
func (m *stanModel) potential(l *loader, n *yamlpos.Node) potential.Potential {
	return l.checked(n, l.program(n, m.args, "", m.Timeout))
}

// starts sets where replicas start, if nothing else says so: where the program's density is
// finite, and of the way from there to a point inside the domain what the domain holds first.
func (m *stanModel) starts(l *loader) {
	if m == nil || l.Sampler.Init != nil || bounded(l.region.Domain) {
		return
	}
	var all []Ordered
	for _, x := range m.Starts {
		if toInside(l.region.Domain, l.region.Inside, x) {
			all = append(all, named(m.Names, x))
		}
	}
	if all != nil {
		l.Sampler.Init = all
	}
}
