package config

import (
	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/internal/config/key"
	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
	"github.com/r2sgld/r2sgld/internal/derived"
)

// outputsKey declares formulas of what follows from draws.
func outputsKey(read func(*key.Reader, *yamlpos.Node)) key.Key {
	return key.Given("outputs", "`{name: formula, …}`", key.MapOf(key.PlainText()), read)
}

// readOutputs reads names and formulas, and returns them as written.
func readOutputs(l *key.Reader, n *yamlpos.Node, add func(e yamlpos.Field)) (said Ordered) {
	if n == nil || !l.Map(n) {
		return nil
	}
	for _, e := range n.Fields {
		if text, ok := l.Text(e.Value); ok {
			said = said.With(e.Key.Text, text)
			add(e)
		}
	}
	return said
}

// formulas reads what follows from the coordinates, and returns it as written too.
func (l *loader) formulas(n *yamlpos.Node) (*derived.Formulas, Ordered) {
	var names, texts []string
	said := readOutputs(&l.Reader, n, func(e yamlpos.Field) {
		name, text := e.Key.Text, e.Value.Text
		words, err := expression.Words(name)
		f, fault := expression.Compile(text, l.names)
		switch {
		case err != nil || len(words) != 1 || !words[0].Name || words[0].Text != name || expression.Constant(name):
			l.Report(e.Key, "an output is a name such as odds or effect[2]; found %q", name)
		case l.Formula(e.Value, fault):
		case len(f.Uses()) == 0:
			l.Report(e.Value, "%s names no variable: it is the same in every draw", text)
		}
		names, texts = append(names, name), append(texts, text)
	})
	if names == nil || len(l.Problems) > 0 {
		return nil, said
	}
	of, err := derived.New(names, texts, l.names)
	if err != nil {
		l.Report(n, "%v", err)
	}
	return of, said
}

// follow has a run tell what formulas make of its draws, beside what its program does.
func (l *loader) follow(s *Run, n *yamlpos.Node, of *derived.Formulas) {
	if of == nil {
		return
	}
	taken := map[string]string{}
	for _, name := range l.names {
		taken[name] = "a variable"
	}
	all := derived.Together{of}
	if s.Outputs != nil {
		for _, name := range s.Outputs.OutputNames() {
			taken[name] = "an output of the program"
		}
		all = derived.Together{s.Outputs, of}
	}
	for _, name := range of.OutputNames() {
		if taken[name] != "" {
			l.Report(n.Key(name), "%q is %s: give the output another name", name, taken[name])
		}
	}
	s.Outputs = all
}
