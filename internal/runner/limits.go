package runner

import (
	"fmt"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/internal/report"
	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/tune"
)

// Limits are what a run may take, in bytes; 0 is no limit.
type Limits struct{ Disk, Memory float64 }

// exceeded says which limit a run to so many iterations per ladder would exceed, and by
// what; "" where none.
func (j *Job) exceeded(iterations int) string {
	c := tune.CostsOf(j.Settings, len(j.Problem.ReportedNames()), iterations, j.Until != nil)
	more := Beside(j.Rows)
	for _, l := range []struct {
		flag, what     string
		needs, allowed float64
	}{{"--max-disk", "on disk", c.Disk + more, j.Limits.Disk}, {"--max-memory", "of memory", c.Memory + 2*more, j.Limits.Memory}} {
		if l.allowed > 0 && l.needs > l.allowed {
			return fmt.Sprintf("%s iterations a ladder may take %s %s, more than the %s of %s", text.Count(iterations), text.Size(l.needs), l.what,
				text.Size(l.allowed), l.flag)
		}
	}
	return ""
}

// capped says that a run of method auto ended where its next round would have exceeded a
// limit.
func (x *execution) capped() string {
	return fmt.Sprintf("the run ended before its stopping rule was met: %s. Go on with: r2sgld resume %s, with a larger limit.",
		x.over, text.Word(x.Dir))
}

// put gives the store the draws of a run of method auto: those that are held, which are
// thinned as they grow.
func (x *execution) put(res *r2sgld.Result) error {
	x.drawn.Thin = max(1, x.Settings.Thin) * res.Ladders[0].Stride
	for i, l := range res.Ladders {
		chain, n := x.stream.Chain(i), len(l.Energy[0])
		rows, energies := make([][]float64, len(l.X)), make([]float64, len(l.X))
		for k := range n {
			for r, v := range l.X {
				d := len(v) / n
				rows[r], energies[r] = v[k*d:(k+1)*d], l.Energy[r][k]
			}
			if err := chain.Keep(rows, energies); err != nil {
				return err
			}
		}
	}
	return nil
}

// held is the number of draws of the coldest rung that are held.
func held(res *r2sgld.Result) int {
	n := 0
	for _, l := range res.Ladders {
		n += len(l.Energy[0])
	}
	return n
}

// tellHeld sets how many draws are held, and how thin they are.
func tellHeld(sum *report.Summary, res *r2sgld.Result) {
	sum.Draws, sum.Thin = held(res), sum.Thin*res.Ladders[0].Stride
}
