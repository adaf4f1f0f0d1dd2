package report

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/r2sgld/r2sgld/internal/modes"
	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/tune"
)

// Basins are the modes of a run as its summary has them.
type Basins struct {
	Schema     int         `json:"schema"`
	Name       string      `json:"name"`
	Parameters []string    `json:"parameters"`
	Modes      *tune.Audit `json:"modes"` // nil where none were looked for
	sd         []float64   // of the parameters, NaN where it is not known
}

// number is one of a file, NaN where that has null or nothing.
type number struct{ v *float64 }

func (n *number) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &n.v) }

func (n number) float() float64 {
	if n.v == nil {
		return math.NaN()
	}
	return *n.v
}

// basinsOf is what a summary.json says of modes.
type basinsOf struct {
	Name       string `json:"name"`
	Parameters []struct {
		Name string `json:"name"`
		SD   number `json:"sd"`
	} `json:"parameters"`
	Modes *struct {
		Modes []struct {
			At       []number `json:"at"`
			Energy   number   `json:"energy"`
			Weight   number   `json:"weight"`
			SE       number   `json:"weight_se"`
			Expected number   `json:"expected"`
			Chance   number   `json:"expected_se"`
			ESS      number   `json:"ess"`
			Passages int      `json:"passages"`
			Starts   int      `json:"starts"`
		} `json:"modes"`
		Missing  []int  `json:"missing"`
		Rare     []int  `json:"rare"`
		Starts   int    `json:"starts"`
		Unseen   int    `json:"unseen"`
		RHat     number `json:"rhat"`
		ESS      number `json:"ess"`
		Barriers []struct {
			Between []int  `json:"between"`
			Energy  number `json:"energy"`
		} `json:"barriers"`
		Cores []modes.Core `json:"cores"`
	} `json:"modes"`
}

// ReadBasins reads what a summary.json says of modes. Errors name the key that makes no sense.
func ReadBasins(file []byte) (*Basins, error) {
	var f basinsOf
	if err := json.Unmarshal(file, &f); err != nil {
		return nil, err
	}
	b := &Basins{Schema: 1, Name: f.Name, Parameters: []string{}}
	for _, p := range f.Parameters {
		b.Parameters, b.sd = append(b.Parameters, p.Name), append(b.sd, p.SD.float())
	}
	m := f.Modes
	if m == nil {
		return b, nil
	}
	a := &tune.Audit{Modes: []tune.Visited{}, Missing: m.Missing, Rare: m.Rare, Starts: m.Starts, Unseen: m.Unseen,
		RHat: m.RHat.float(), ESS: m.ESS.float(), Cores: m.Cores}
	for _, v := range m.Modes {
		mode := tune.Visited{Energy: v.Energy.float(), Weight: v.Weight.float(), SE: v.SE.float(), Expected: v.Expected.float(),
			ExpectedSE: v.Chance.float(), ESS: v.ESS.float(), Passages: v.Passages, Starts: v.Starts}
		for _, x := range v.At {
			mode.At = append(mode.At, x.float())
		}
		a.Modes = append(a.Modes, mode)
	}
	for i, j := range m.Barriers {
		if len(j.Between) != 2 {
			return nil, fmt.Errorf("modes.barriers[%d].between has %s, not two", i, text.Counted(len(j.Between), "mode"))
		}
		a.Barriers = append(a.Barriers, modes.Join{Between: [2]int(j.Between), Energy: j.Energy.float()})
	}
	b.Modes = a
	return b, b.check()
}

// check reports the first key that makes no sense.
func (b *Basins) check() error {
	a := b.Modes
	if a.Starts < 0 || a.Unseen < 0 {
		return fmt.Errorf("modes.starts, modes.unseen: %d and %d are no numbers of starts", a.Starts, a.Unseen)
	}
	n := len(a.Modes)
	const rounding = 1e-9 // of sums: the share of all is 1 to some 1e-16
	share := func(v float64) bool { return v >= 0 && v <= 1+rounding }
	for i, v := range a.Modes {
		key := fmt.Sprintf("modes.modes[%d].", i)
		switch {
		case len(v.At) != len(b.Parameters):
			return fmt.Errorf("%sat has %s for %s", key, text.Counted(len(v.At), "number"), text.Counted(len(b.Parameters), "parameter"))
		case v.Energy != v.Energy:
			return fmt.Errorf("%senergy is not known", key)
		case !share(v.Weight):
			return fmt.Errorf("%sweight: %g is no share of the draws", key, v.Weight)
		case v.Expected == v.Expected && !share(v.Expected):
			return fmt.Errorf("%sexpected: %g is no share of the density", key, v.Expected)
		case v.SE < 0 || v.ExpectedSE < 0 || v.ESS < 0:
			return fmt.Errorf("%sweight_se, %sexpected_se, %sess: %g, %g and %g must not be negative", key, key, key, v.SE, v.ExpectedSE, v.ESS)
		case v.Passages < 0 || v.Starts < 0:
			return fmt.Errorf("%spassages, %sstarts: %d and %d must not be negative", key, key, v.Passages, v.Starts)
		}
	}
	for _, l := range []struct {
		key string
		of  []int
	}{{"missing", a.Missing}, {"rare", a.Rare}} {
		for i, k := range l.of {
			if k < 0 || k >= n {
				return fmt.Errorf("modes.%s[%d]: %d is none of %s, counted from 0", l.key, i, k, text.Counted(n, "mode"))
			}
		}
	}
	for i, c := range a.Cores {
		if c.Mode < 0 || c.Mode >= n || !share(c.Share) || !share(c.Expected) {
			return fmt.Errorf("modes.cores[%d]: %+v is no share of one of %s", i, c, text.Counted(n, "mode"))
		}
	}
	if len(a.Barriers) != 0 && len(a.Barriers) != n-1 {
		return fmt.Errorf("modes.barriers: %d join %s to one, not %d", n-1, text.Counted(n, "mode"), len(a.Barriers))
	}
	for i, j := range a.Barriers {
		if p, q := j.Between[0], j.Between[1]; p < 0 || q < 0 || p >= n || q >= n || p == q {
			return fmt.Errorf("modes.barriers[%d].between: %d and %d are not two of %s, counted from 0", i, p, q, text.Counted(n, "mode"))
		}
	}
	return nil
}

// Text lays the modes out for a terminal: a table and what may be missing.
func (b *Basins) Text(style text.Style) string {
	a := b.Modes
	shown := b.telling()
	head := []string{"mode"}
	for _, j := range shown {
		head = append(head, b.Parameters[j])
	}
	rows := [][]string{append(head, "energy", "barrier", "weight", "expected", "ESS", "passages", "starts")}
	missing := map[int]bool{}
	for _, i := range a.Missing {
		missing[i] = true
	}
	for i, v := range a.Modes {
		row := []string{fmt.Sprint(i + 1)}
		for _, j := range shown {
			row = append(row, text.Number(v.At[j], text.Decimals(b.sd[j])))
		}
		weight := shareText(v.Weight, v.SE)
		if missing[i] {
			weight = style.Warn("missing")
		}
		rows = append(rows, append(row, text.Number(v.Energy, 2), text.Number(b.way(i), 2), weight,
			shareText(v.Expected, v.ExpectedSE), whole(v.ESS), text.Count(v.Passages), text.Count(v.Starts)))
	}
	said := fmt.Sprintf(" %s: %s", b.Name, text.Counted(len(a.Modes), "mode"))
	if n := len(b.Parameters); len(shown) < n {
		said += fmt.Sprintf(", told apart by %d of %s", len(shown), text.Counted(n, "parameter"))
	}
	if a.RHat == a.RHat {
		said += fmt.Sprintf("; R̂ of their shares %s, ESS %s", text.Number(a.RHat, 3), whole(a.ESS))
	}
	return said + "\n\n" + text.Grid(rows, 1, style) + "\n" +
		" energy: −log density at the minimum; barrier: the lowest way out by straight lines, above it; " +
		"expected: weight by what was known before the run\n" +
		fmt.Sprintf(" %s led to these: a mode that fewer than 1 in %s of such starts lead to is missed with a probability of 5 %% or more\n",
			text.Counted(a.Starts, "start"), text.Count(max(1, a.Unseen)))
}

// shareText is a share with its standard error, if that is known and not 0 but for rounding.
func shareText(v, se float64) string {
	if se > 1e-6 {
		return text.PlusMinus(v, se)
	}
	return text.Number(v, 4)
}

// Warnings are those of modes that draws do not know, and of such as hardly any start led to.
func (b *Basins) Warnings() []string { return unknown(b.Parameters, b.Modes) }

// way is how high the lowest way out of a mode climbs above its minimum; NaN where that is
// not known. A mode's first join is that of its own minimum.
func (b *Basins) way(i int) float64 {
	for _, j := range b.Modes.Barriers {
		if j.Between[0] == i || j.Between[1] == i {
			return j.Energy - b.Modes.Modes[i].Energy
		}
	}
	return math.NaN()
}

// telling are the first parameters that tell the modes apart: all where there are few.
func (b *Basins) telling() []int {
	const apart = 0.25 // standard deviations
	var out []int
	at := b.Modes.Modes
	same := map[[2]int]bool{} // pairs that are not told apart yet
	for i := range at {
		for k := range i {
			same[[2]int{k, i}] = true
		}
	}
	few := len(b.Parameters) <= mostPlaced
	for j := range b.Parameters {
		told := few || len(at) < 2
		for pair := range same {
			if d := math.Abs(at[pair[0]].At[j] - at[pair[1]].At[j]); d > apart*b.sd[j] {
				delete(same, pair)
				told = true
			}
		}
		if told {
			out = append(out, j)
		}
		if len(out) == mostPlaced {
			break
		}
	}
	return out
}

// unknown warns of modes that few starts led to, and of those that the draws do not know.
func unknown(names []string, a *tune.Audit) []string {
	var out []string
	if n := len(a.Rare); n > 0 {
		v := a.Modes[a.Rare[0]]
		which := fmt.Sprintf("the mode near %s, which holds %s of the draws, was", place(names, v.At), text.Number(v.Weight, 2))
		if n > 1 {
			which = fmt.Sprintf("%d modes, the one near %s among them, were", n, place(names, v.At))
		}
		out = append(out, fmt.Sprintf("modes: %s found by six of %s or fewer: one more that is three times as hard to find would be missed "+
			"in one run of eight, and more often. Compare with other seeds.", which, text.Counted(a.Starts, "start")))
	}
	for _, i := range a.Missing {
		v := a.Modes[i]
		out = append(out, fmt.Sprintf("modes: the draws do not know the mode near %s, which holds about %s of the density by what was known "+
			"before the run: means, intervals and log Z lack it. Run longer (sampler.until), or start there too (sampler.init).",
			place(names, v.At), text.Number(v.Expected, 2)))
	}
	for _, c := range a.Cores {
		out = append(out, fmt.Sprintf("modes: of the draws at the narrow minimum near %s and around it %s lie there, and of the density %s: "+
			"steps "+
			"seldom find it, or seldom leave it, and R̂ and ESS need not show it. Means, intervals and log Z are off. Bound the variables "+
			"(domain), take variables in which it is not so narrow, or run longer.",
			place(names, a.Modes[c.Mode].At), text.Number(c.Share, 2), text.Number(c.Expected, 2)))
	}
	return out
}

// place is a point in words.
func place(names []string, at []float64) string {
	var parts []string
	for j, x := range at {
		if j == mostPlaced {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, fmt.Sprintf("%s = %s", names[j], text.Number(x, 3)))
	}
	return strings.Join(parts, ", ")
}
