package report

import (
	"fmt"
	"strings"

	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/tune"
)

// limit says what limit ended a run that has not met u, and which key, or which flags, raise it.
func (s *Summary) limit(u tune.Until) (of, raise string) {
	switch {
	case s.Until.Capped != "":
		return " of disk or memory", "--max-disk, --max-memory"
	case u.Iterations > 0 && s.Iterations >= u.Iterations:
		return fmt.Sprintf(" of %s iterations a ladder", text.Count(int64(s.Iterations))), "sampler.until.iterations"
	case u.Seconds > 0:
		return fmt.Sprintf(" of %s s", text.Short(u.Seconds, 3)), "sampler.until.seconds"
	}
	return "", "sampler.until"
}

// unmet tells which of R̂ and ESS u asks for and a run has not reached, as in "R̂ 1.010 (now 1.03) was
// reached"; "" is neither.
func (s *Summary) unmet(u tune.Until) string {
	var all []string
	if u.RHat > 0 && !(s.Until.RHat <= u.RHat) {
		all = append(all, fmt.Sprintf("R̂ %s (now %s)", text.Number(u.RHat, 3), text.Number(s.Until.RHat, 3)))
	}
	if u.ESS > 0 && !(s.Until.ESS >= u.ESS) {
		of := map[bool]string{true: ", of a standard deviation"}[s.spread]
		all = append(all, fmt.Sprintf("ESS %s (now %s%s)", whole(u.ESS), whole(s.Until.ESS), of))
	}
	if all == nil && s.short {
		return "draws came as far as the density goes"
	}
	if all == nil {
		return ""
	}
	return strings.Join(all, " and ") + map[bool]string{true: " were", false: " was"}[len(all) > 1] + " reached"
}
