package report

import (
	"fmt"
	"strings"

	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/tune"
)

// mostTold are the modes of which the summary tells on the terminal, and coordinates of a
// place that a warning tells.
const (
	mostTold   = 4
	mostPlaced = 4
)

// Found completes s by the modes that were looked for before the run, and what its draws
// know of them. a may be nil: nothing was looked for.
func (s *Summary) Found(a *tune.Audit) {
	if s.Modes = a; a == nil {
		return
	}
	names := make([]string, len(s.Parameters))
	for j, p := range s.Parameters {
		names[j] = p.Name
	}
	s.Warnings = append(s.Warnings, unknown(names, a)...)
}

// Sighted is the line of the terminal about the search for modes before a run; nothing where
// none were looked for.
func Sighted(g *tune.Sighting) string {
	if g == nil {
		return ""
	}
	line := fmt.Sprintf(" %s from %s (%s)",
		text.Counted(g.Modes, "mode"), text.Counted(g.Starts, "start"), text.Counted(g.Gradients, "gradient"))
	if g.Guided {
		them := "them"
		if g.Modes == 1 {
			them = "it"
		}
		line += "; ladders begin at a law fitted to " + them
		switch {
		case g.Left != g.Left:
		case g.Barrier == g.Barrier:
			line += fmt.Sprintf(": barrier %s → %s", text.Short(g.Barrier, 2), text.Short(g.Left, 2))
		default:
			line += ": barrier " + text.Short(g.Left, 2)
		}
	}
	return line + "\n"
}

// modes is the line of the terminal about modes; nothing where none were looked for.
func (s *Summary) modes() string {
	a := s.Modes
	if a == nil {
		return ""
	}
	var weights []string
	for i, v := range a.Modes {
		if i == mostTold {
			weights = append(weights, "…")
			break
		}
		w := text.Number(v.Weight, 3)
		if v.SE > 0 {
			w = text.PlusMinus(v.Weight, v.SE)
		}
		weights = append(weights, w)
	}
	line := " " + text.Counted(len(a.Modes), "mode")
	if len(a.Modes) > 1 {
		line += ": " + strings.Join(weights, ", ")
	}
	return fmt.Sprintf("%s · %s led there: one that fewer than 1 in %s lead to may be missed\n", line,
		text.Counted(a.Starts, "start"), text.Count(a.Unseen))
}
