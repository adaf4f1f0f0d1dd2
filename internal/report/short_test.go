package report

import (
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/tune"
)

// Sides on which draws end before the density does are told in one warning, the worst by its variable, its side and what
// its slopes explain; nothing is where there are none.
func TestShort(t *testing.T) {
	names := []string{"mu", "tau"}
	s := new(Summary)
	if s.Short(names, nil); s.Warnings != nil {
		t.Error(s.Warnings)
	}
	s.Short(names, []tune.Short{{Variable: 0, Upper: true, From: 3, Share: 0.2, SE: 0.01}})
	s.Short(names, []tune.Short{{Variable: 0, Upper: true, From: 3, Share: 0.2, SE: 0.01}, {Variable: 1, From: -1.24, Share: 0.4, SE: 0.05}})
	for i, want := range []string{
		"above mu = 3, where 5 % of the draws are, they end before the density does: its slopes explain 80 ± 1 % of their fall. ",
		"below tau = −1.24, where 5 % of the draws are, they end before the density does: its slopes explain 60 ± 5 % of their fall, and so on 1 side more. ",
	} {
		if len(s.Warnings) != 2 || !strings.HasPrefix(s.Warnings[i], want) {
			t.Errorf("%q, want %q", s.Warnings, want)
		}
	}
}
