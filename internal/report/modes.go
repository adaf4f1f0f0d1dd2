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
	if w := s.rare(a); w != "" {
		s.Warnings = append(s.Warnings, w)
	}
	for _, i := range a.Missing {
		v := a.Modes[i]
		s.Warnings = append(s.Warnings,
			fmt.Sprintf("modes: the draws do not know the mode near %s, which holds about %s of the density by what was known before the run: "+
				"means, intervals and log Z lack it. Run longer (sampler.until), or start there too (sampler.init).",
				s.place(v.At), text.Number(v.Expected, 2)))
	}
}

// rare is a warning of modes that few starts led to; nothing where there are none.
func (s *Summary) rare(a *tune.Audit) string {
	if len(a.Rare) == 0 {
		return ""
	}
	v := a.Modes[a.Rare[0]]
	which := fmt.Sprintf("the mode near %s, which holds %s of the draws, was", s.place(v.At), text.Number(v.Weight, 2))
	if n := len(a.Rare); n > 1 {
		which = fmt.Sprintf("%d modes, the one near %s among them, were", n, s.place(v.At))
	}
	return fmt.Sprintf("modes: %s found by two of %s or fewer: one more that is as hard to find would be missed in one run of eight, and more often. "+
		"Compare with other seeds.",
		which, text.Counted(a.Starts, "start"))
}

// place is a point in words.
func (s *Summary) place(at []float64) string {
	var parts []string
	for j, x := range at {
		if j == mostPlaced {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, fmt.Sprintf("%s = %s", s.Parameters[j].Name, text.Number(x, 3)))
	}
	return strings.Join(parts, ", ")
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
	return fmt.Sprintf("%s · %s led there: one that fewer than 1 in %d lead to may be missed\n", line,
		text.Counted(a.Starts, "start"), a.Unseen)
}
