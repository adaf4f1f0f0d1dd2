package figure

import (
	"math"
	"strconv"

	"github.com/r2sgld/r2sgld/internal/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Basins are those of an energy, −log of a density.
type Basins struct {
	Energy  []float64 // at the minima
	Weight  []float64 // shares of the draws, in [0, 1]
	Missing []int     // basins, counted from 0, that lack the draws that they should have
	Joins   []Join    // of all basins to one, the lowest first, those that are not known last
}

// A Join is where the groups of two basins, counted from 0, meet.
type Join struct {
	A, B   int
	Energy float64 // at least that of all minima of both groups; NaN is not known
}

// Disconnectivity draws basins as a tree (Becker and Karplus 1997): a leaf at the energy of
// each minimum, two branches joined at the barrier between them, dashed where that is not
// known. Where barriers are high energies are on a scale of their square or cube root. Fewer
// than two basins are no figure: nil.
func Disconnectivity(q Basins) (*Figure, error) {
	if err := q.check(); err != nil || len(q.Energy) < 2 {
		return nil, err
	}
	t := q.tree()
	r := root(1)
	switch {
	case t.top > 2000:
		r = 3
	case t.top > 50:
		r = 2
	}
	p := &panel{}
	height := stacked(1, 7, 8)
	p.y.label = "energy above the lowest minimum" + [...]string{"", ", on a scale of its square root", ", on a scale of its cube root"}[r-1]
	high := r.of(t.top)
	if r > 1 {
		p.y.marks, p.y.ruled = r.marks(0, t.top, height), true
	}
	above := 1.06 * high // of what is not known
	if len(q.Joins) > 0 && math.IsNaN(q.Joins[0].Energy) {
		above = 1.3 * high
	}
	p.y.min, p.y.max = -0.13*high, above+0.06*high
	p.x.min, p.x.max, p.x.label = -0.7, float64(len(q.Energy))-0.3, "mode"
	step := 1 + len(q.Energy)/40
	for at, leaf := range t.order {
		if at%step == 0 {
			p.x.marks = append(p.x.marks, tick{float64(at), strconv.Itoa(leaf + 1)})
		}
	}
	known, unknown := t.lines(r, above)
	p.add(lines{lineMark, known}, lines{lineExpected, unknown}, painted(func(pl *plane) { q.leaves(pl, t, r) }))
	keys := legend{keyDot("minimum, its area the weight", posterior, 2.4)}
	keys.add(len(known) > 0, keyLine("lowest way by straight lines", lineMark))
	keys.add(len(q.Missing) > 0, keyCross("without draws", lineFollowed))
	keys.add(len(unknown) > 0, keyLine("barrier not known", lineExpected))
	return mosaic{columns: 1, width: cm(13), height: height}.compose([]*panel{p}, keys, text.Counted(len(q.Energy), "mode")), nil
}

// leaves draws the minima.
func (q *Basins) leaves(pl *plane, t *tree, r root) {
	const labelled = 16 // weights that there is room for
	missing := map[int]bool{}
	for _, i := range q.Missing {
		missing[i] = true
	}
	sty := aligned(numberSize, draw.XCenter, draw.YTop)
	for at, i := range t.order {
		here := point{float64(at), r.of(t.nodes[i].level)}
		radius := vg.Length(0.8 + 4.2*math.Sqrt(q.Weight[i]))
		if missing[i] {
			radius = 3
			pl.draw(cross{lineFollowed, here})
		} else {
			pl.draw(dots{posterior, radius, []point{here}})
		}
		if len(q.Energy) <= labelled {
			spot := pl.at(here.x, here.y)
			pl.FillText(sty, vg.Point{X: spot.X, Y: spot.Y - radius - 1.5}, text.Short(q.Weight[i], 2))
		}
	}
}

// A tree is that of basins: the minima first, in the order of the basins, then what joins them.
type tree struct {
	nodes []node
	order []int   // leaves from left to right
	top   float64 // the highest level that is known, above 0
}

// A node is a minimum or a join; its level is an energy above that of the lowest minimum, NaN
// where it is not known.
type node struct {
	level  float64
	lowest float64 // of the minima below it
	kids   [2]int  // of a join
	x      float64
}

func (q *Basins) tree() *tree {
	t := &tree{}
	ground, n := math.Inf(1), len(q.Energy)
	for _, e := range q.Energy {
		ground = math.Min(ground, e)
	}
	group := make([]int, n) // the node on top of each leaf
	for i, e := range q.Energy {
		t.nodes = append(t.nodes, node{level: e - ground, lowest: e})
		t.top, group[i] = math.Max(t.top, e-ground), i
	}
	for _, j := range q.Joins {
		a, b := group[j.A], group[j.B]
		if t.nodes[b].lowest < t.nodes[a].lowest {
			a, b = b, a
		}
		t.nodes = append(t.nodes, node{level: j.Energy - ground, lowest: t.nodes[a].lowest, kids: [2]int{a, b}})
		if j.Energy-ground > t.top {
			t.top = j.Energy - ground
		}
		for i, g := range group {
			if g == a || g == b {
				group[i] = len(t.nodes) - 1
			}
		}
	}
	if t.top == 0 {
		t.top = 1
	}
	t.place(len(t.nodes)-1, n)
	return t
}

// place gives every node its x, the leaves from left to right. The first so many nodes are
// leaves.
func (t *tree) place(k, leaves int) {
	o := &t.nodes[k]
	if k < leaves {
		o.x = float64(len(t.order))
		t.order = append(t.order, k)
		return
	}
	for _, kid := range o.kids {
		t.place(kid, leaves)
	}
	o.x = (t.nodes[o.kids[0]].x + t.nodes[o.kids[1]].x) / 2
}

// lines are those of the joins, on a scale; what is not known is dashed at a height.
func (t *tree) lines(r root, above float64) (known, unknown [][]point) {
	level := func(k int) float64 {
		if e := t.nodes[k].level; e == e {
			return r.of(e)
		}
		return above
	}
	for k := len(t.order); k < len(t.nodes); k++ {
		o := t.nodes[k]
		a, b := t.nodes[o.kids[0]].x, t.nodes[o.kids[1]].x
		l := []point{{a, level(o.kids[0])}, {a, level(k)}, {b, level(k)}, {b, level(o.kids[1])}}
		if o.level == o.level {
			known = append(known, l)
		} else {
			unknown = append(unknown, l)
		}
	}
	return known, unknown
}

func (q *Basins) check() error {
	c := &check{what: "basins"}
	n := len(q.Energy)
	c.columns(column{"energy", q.Energy, anyLength, 0}, column{"weight", q.Weight, n, fraction})
	for _, i := range q.Missing {
		c.must(i >= 0 && i < n, "basin %d of %d is missing: count from 0", i, n)
	}
	c.must(n == 0 || len(q.Joins) == n-1, "%d joins of %d basins: one less than these makes a tree", len(q.Joins), n)
	if c.err != nil {
		return c.err
	}
	group, top := make([]int, n), append([]float64(nil), q.Energy...) // of every basin, and the highest of its group
	for i := range group {
		group[i] = i
	}
	for k, j := range q.Joins {
		c.must(j.A >= 0 && j.A < n && j.B >= 0 && j.B < n && group[j.A] != group[j.B],
			"join %d is between basins %d and %d of %d: it must be between two groups", k+1, j.A, j.B, n)
		if c.err != nil {
			return c.err
		}
		a, b := group[j.A], group[j.B]
		c.columns(column{"join " + strconv.Itoa(k+1), []float64{j.Energy}, 1, gappy})
		high := math.Max(top[a], top[b])
		c.must(!(j.Energy < high), "join %d is at %g, below %g in one of its groups: joins rise", k+1, j.Energy, high)
		for i, g := range group {
			if g == b {
				group[i] = a
			}
		}
		top[a] = math.Max(high, j.Energy) // NaN stays: nothing known may come after it
		c.must(!(k > 0 && q.Joins[k-1].Energy != q.Joins[k-1].Energy && j.Energy == j.Energy),
			"join %d is known after one that is not: those come last", k+1)
	}
	return c.err
}
