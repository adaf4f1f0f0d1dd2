package config

import (
	"slices"

	"github.com/r2sgld/r2sgld/internal/config/key"
	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
)

// figuresKey declares the figures section.
func figuresKey() key.Key {
	return key.Given("figures", "`none`, or `{parameters: [a, b, …]}`", key.AnyOf(key.Object("const", "none"), key.Section(figureKeys())),
		nil).Tells("", "`none` draws none. What marginals, traces and ranks (the first 24) "+
		"and pairs (the first 8) show, in this order; two at least. All in theirs unless given. Draws and numbers do not depend on it; of a "+
		"finished run `r2sgld resume RUN --set 'figures.parameters=[a, b]'` draws others")
}

func figureKeys() []key.Key {
	return []key.Key{key.Given("parameters", "list of names", key.ListOf(key.PlainText()), nil).Tells("all",
		"what figures show, in this order")}
}

// readFigures reads the figures section; nil is none. No names are those that are not
// known because of other problems.
func (l *loader) readFigures(n *yamlpos.Node, names []string) *Figures {
	if n != nil && n.Kind == yamlpos.Scalar {
		if n.Text != "none" {
			l.Report(n, "figures are `none`, or a section {parameters: [a, b, …]}; found %s", n)
		}
		return &Figures{None: true}
	}
	if n == nil || !l.Only(n, figureKeys()) {
		return nil
	}
	at := n.Field("parameters")
	if at == nil || at.Kind == yamlpos.Null || !l.List(at, "parameters") {
		return nil
	}
	f := &Figures{}
	for _, item := range at.Items {
		name, ok := l.Text(item)
		switch {
		case !ok:
		case slices.Contains(f.Parameters, name):
			l.Report(item, "the parameter %q is listed twice", name)
		case names != nil && !slices.Contains(names, name):
			l.Report(item, "no parameter %q%s", name, yamlpos.Suggest(name, "parameters", names))
		}
		f.Parameters = append(f.Parameters, name)
	}
	if len(f.Parameters) == 1 && len(names) > 1 {
		l.Report(at, "one parameter makes no pair: list two or more")
	}
	return f
}
