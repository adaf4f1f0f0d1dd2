package rows

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/internal/prior"
)

// newcomers are entries of parameters for levels that a model has not seen. Of each state they are drawn from
// their prior given the other parameters, and follow its coordinates.
type newcomers struct {
	of     *Posterior
	at     map[string]int // coordinates, by names
	laws   []newcomer
	levels []NewLevels
}

// NewLevels are levels of a column that a model has not seen.
type NewLevels struct {
	Column string
	Names  []string
}

// A newcomer is an entry, or a row of entries that are drawn together.
type newcomer struct {
	coordinates []int
	law         *said                   // nil of numbers alone
	args        []*expression.Evaluator // of the law
	own         *prior.Prior
	lo, hi      float64
}

// mostCut is how many draws of a law are made for one between the walls of a parameter, at most.
const mostCut = 1000

// coordinate is that of an entry of v whose index of a dimension is new; why says why it has no law to be drawn
// from, or is "".
func (n *newcomers) coordinate(v *array, index []string, dim int) (j int, why string) {
	name := v.bare + "[" + strings.Join(index, ",") + "]"
	if j, ok := n.at[name]; ok {
		return j, ""
	}
	first := v.order[0]
	c := newcomer{lo: n.of.Prior.Lower[first], hi: n.of.Prior.Upper[first]}
	names := []string{name}
	if i := slices.IndexFunc(n.of.descendants, func(d *descendant) bool { return d.order[0] == first }); i >= 0 {
		d := n.of.descendants[i]
		c.law = d.law
		for _, f := range d.args {
			c.args = append(c.args, f.Evaluator(1))
		}
		switch {
		case d.law.joint == nil:
		case dim > 0 || len(v.dims) < 2 || !slices.Contains(v.plain(1), index[1]):
			return 0, fmt.Sprintf("nor can one be drawn: its prior %s is of all entries together", d.law.name)
		default:
			names = nil
			for _, l := range v.plain(1) {
				names = append(names, v.bare+"["+index[0]+","+l+"]")
			}
		}
	} else if c.own, _ = n.of.Prior.On(first, c.lo, c.hi); c.own == nil {
		return 0, "nor a prior that one can be drawn from, such as normal(m, s) with parameters m and s"
	}
	for _, name := range names {
		j := len(n.of.Names) + len(n.at)
		n.at[name], c.coordinates = j, append(c.coordinates, j)
	}
	n.laws = append(n.laws, c)
	return n.at[name], ""
}

// note keeps a level that is new.
func (n *newcomers) note(column, level string) {
	i := slices.IndexFunc(n.levels, func(l NewLevels) bool { return l.Column == column })
	if i < 0 {
		i = len(n.levels)
		n.levels = append(n.levels, NewLevels{Column: column})
	}
	if of := &n.levels[i]; !slices.Contains(of.Names, level) {
		of.Names = append(of.Names, level)
	}
}

// joined are states with what is drawn for each.
func (n *newcomers) joined(states [][]float64, rng *rand.Rand) [][]float64 {
	if n == nil || len(n.at) == 0 {
		return states
	}
	out := make([][]float64, len(states))
	for s, x := range states {
		out[s] = append(slices.Clip(slices.Clone(x)), make([]float64, len(n.at))...)
		for i := range n.laws {
			n.laws[i].draw(out[s], x, rng)
		}
	}
	return out
}

// draw writes the entries at a state: NaN where arguments give no law, or next to nothing of it between walls.
func (c *newcomer) draw(dst, x []float64, rng *rand.Rand) {
	if c.own != nil {
		dst[c.coordinates[0]] = c.own.X(rng.Float64())
		return
	}
	a, y := make([]float64, len(c.args)), make([]float64, len(c.coordinates))
	for i, e := range c.args {
		e.Value(a[i:i+1], x)
	}
	for range mostCut {
		c.law.drawn(y, a, rng)
		outside := false
		for i, v := range y {
			y[i] = c.law.of.between(v, c.lo, c.hi)
			outside = outside || y[i] < c.lo || y[i] > c.hi
		}
		if !outside {
			break
		}
		fill(y, math.NaN())
	}
	for i, j := range c.coordinates {
		dst[j] = y[i]
	}
}

// meet is the coordinate of the entry of v at some labels, of which one is of a level that is new; ok is false where
// there is none, and why may say more of that.
func (b *builder) meet(v *array, index string, labels []string) (j int, ok bool, why string) {
	if b.fresh == nil {
		return 0, false, ""
	}
	first, levelled := -1, b.levelled(v, index)
	for i, l := range labels {
		_, counted := sized(v.dims[i])
		switch known := slices.Contains(v.plain(i), l); {
		case known:
		case counted || !slices.Contains(levelled, i):
			return 0, false, ""
		case first < 0:
			first = i
		}
	}
	if j, why = b.fresh.coordinate(v, labels, first); why != "" {
		return 0, false, why
	}
	for _, i := range levelled {
		if !slices.Contains(v.plain(i), labels[i]) {
			b.fresh.note(v.at(index)[i], labels[i])
		}
	}
	return j, true, ""
}
