package config

import (
	"testing"

	"github.com/r2sgld/r2sgld/dynamics"
	"github.com/r2sgld/r2sgld/internal/config/sampler"
)

// The first round of method auto is a fifth as long where gradients are dear.
//
// Mutant: as long as others.
func TestDearGradients(t *testing.T) {
	curved, linear := &dynamics.Problem{}, &dynamics.Problem{Linear: true}
	for name, c := range map[string]struct {
		run  Run
		want int
	}{
		"a formula":         {Run{Resolved: Resolved{Potential: "x^2"}}, 100_000},
		"another program":   {Run{Resolved: Resolved{Potential: &Command{}}}, 20_000},
		"a Stan program":    {Run{Resolved: Resolved{Potential: &Stan{}}}, 20_000},
		"a model":           {Run{Model: curved}, 20_000},
		"of linear systems": {Run{Model: linear}, 100_000},
	} {
		var s sampler.Sampler
		if s.SettleAuto(false, c.run.dear()); s.Iterations != c.want {
			t.Errorf("%s: %d iterations, want %d", name, s.Iterations, c.want)
		}
	}
}
