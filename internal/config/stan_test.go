package config

import (
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/stan"
)

// Who names a parameter where only coordinates of Stan's transforms are known hears once what these are.
func TestExplainTransform(t *testing.T) {
	m := &stanModel{Stan: &Stan{}, Model: &stan.Model{Names: []string{"w.free"}}}
	found := func() Problems {
		return Problems{{Message: "x is missing"}, {Message: `"w" is not defined; did you mean w.free?`}, {Message: "w.free twice"}}
	}
	p := found()
	m.explain(p)
	if p.Error() != found().Error() {
		t.Errorf("without transform: %v", p)
	}
	m.Transform = true
	m.explain(p)
	if p[0] != found()[0] || p[2] != found()[2] || !strings.Contains(p[1].Message, "did you mean w.free? With transform, ") ||
		!strings.HasSuffix(p[1].Message, "leave transform out") {
		t.Errorf("%v", p)
	}
}
