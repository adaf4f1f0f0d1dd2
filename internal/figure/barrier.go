package figure

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/r2sgld/r2sgld/internal/text"
	"gonum.org/v1/plot/vg"
)

// A Barrier is the local communication barrier along a path of inverse
// temperatures b.
type Barrier struct {
	Inverse []float64 // a rising grid of b ≥ 0
	Local   []float64 // λ̂(b) ≥ 0 there
	Rungs   []float64 // b of the rungs
	Total   float64   // Λ̂, the area; 0 integrates the grid
}

// LocalBarrier draws λ̂(b), how densely rungs must stand around inverse
// temperature b for swaps to be accepted: between two rungs the area is the
// rejection of the pair, and all of it the barrier Λ̂. Rungs that crowd at b = 0
// are spread by a scale of √b or ∛b; there λ is per unit of the root, so that
// areas stay what they are.
func LocalBarrier(q Barrier) (*Figure, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	total := q.Total
	root := q.root()
	x, height := make([]float64, len(q.Inverse)), make([]float64, len(q.Inverse))
	zero := make([]float64, len(x))
	for i, b := range q.Inverse {
		x[i], height[i] = root.of(b), q.Local[i]*root.slope(b)
		if i > 0 && q.Total == 0 {
			total += (b - q.Inverse[i-1]) * (q.Local[i] + q.Local[i-1]) / 2
		}
	}
	_, most := extent(height...)
	if most == 0 {
		most = 1
	}
	const width = 10 // cm
	p := &panel{y: scale{label: root.per("local barrier λ"), max: 1.08 * most}}
	lo, hi := extent(append(q.Inverse[:len(q.Inverse):len(q.Inverse)], q.Rungs...)...)
	p.x.min, p.x.max = widen(root.of(lo), root.of(hi), 0.02)
	p.x.label = "inverse temperature b = 1/τ"
	if root > 1 {
		p.x.label += ", on a scale of " + root.name()
		p.x.marks = root.marks(lo, hi, cm(width))
	}
	p.add(band{barrier, x, zero, height}, painted(func(pl *plane) {
		for _, b := range q.Rungs {
			at := pl.at(root.of(b), 0)
			pl.StrokeLine2(lineMark, at.X, at.Y, at.X, at.Y+7)
		}
	}), line{lineExchanged, joined(x, height)})
	keys := legend{keyLine(root.per("λ"), lineExchanged), keyArea(fmt.Sprintf("area: barrier Λ = %.3g", total), barrier)}
	keys.add(len(q.Rungs) > 0, keyMark("rung"))
	caption := ""
	if len(q.Rungs) > 0 {
		caption = text.Counted(len(q.Rungs), "rung")
	}
	lay := mosaic{columns: 1, width: cm(width), height: cm(4.8)}
	return lay.compose([]*panel{p}, keys, caption), nil
}

// A root is a scale of b^(1/root): 1, 2 or 3.
type root int

func (r root) of(b float64) float64 { return math.Pow(b, 1/float64(r)) }

// slope returns db over the root: what turns λ per b into λ per root.
func (r root) slope(b float64) float64 { return float64(r) * math.Pow(b, 1-1/float64(r)) }

func (r root) name() string { return [...]string{"b", "√b", "∛b"}[r-1] }

// per returns "λ(b)", or "λ per unit of √b".
func (r root) per(what string) string {
	if r == 1 {
		return what + "(b)"
	}
	return what + " per unit of " + r.name()
}

// root returns the lowest root that keeps rungs apart well: a higher one must
// widen the narrowest gap, as a share of the axis, by a half.
func (q *Barrier) root() root {
	best, widest := root(1), 0.0
	rungs := slices.Sorted(slices.Values(q.Rungs))
	rungs = slices.Compact(rungs)
	if len(rungs) < 3 {
		return best
	}
	for r := root(1); r <= 3; r++ {
		span := r.of(rungs[len(rungs)-1]) - r.of(rungs[0])
		gap := math.Inf(1)
		for i := 1; i < len(rungs); i++ {
			gap = math.Min(gap, (r.of(rungs[i])-r.of(rungs[i-1]))/span)
		}
		if gap > 1.5*widest {
			best, widest = r, gap
		}
	}
	return best
}

// marks marks round values of b: 0, the largest, and what fits between them of
// 1, 5, 2 times powers of ten.
func (r root) marks(lo, hi float64, room vg.Length) []tick {
	sty := letters(numberSize)
	var out []tick
	span := r.of(hi) - r.of(lo)
	place := func(b float64) vg.Length { return room * vg.Length((r.of(b)-r.of(lo))/span) }
	try := func(b float64) {
		t := tick{value: r.of(b), label: rounded(b, 1)}
		if b == 0 {
			t.label = "0"
		}
		for _, o := range out {
			apart := place(b) - room*vg.Length((o.value-r.of(lo))/span)
			if max(apart, -apart) < sty.Width(t.label)/2+sty.Width(o.label)/2+sty.Font.Size {
				return
			}
		}
		out = append(out, t)
	}
	if lo == 0 {
		try(0)
	}
	top := math.Floor(math.Log10(hi) + 1e-9)
	for _, digit := range [...]float64{1, 5, 2} {
		for e := 0.0; e < 6; e++ {
			b, _ := strconv.ParseFloat(fmt.Sprintf("%ge%g", digit, top-e), 64)
			if b >= lo && b <= hi*(1+1e-9) {
				try(b)
			}
		}
	}
	return out
}

func (q *Barrier) check() error {
	c := &check{what: "local barrier"}
	c.must(len(q.Inverse) >= 2, "give at least two inverse temperatures")
	c.columns(
		column{"", q.Inverse, anyLength, rising | nonNegative},
		column{"", q.Local, len(q.Inverse), nonNegative},
		column{"", q.Rungs, anyLength, nonNegative},
		column{"", []float64{q.Total}, anyLength, nonNegative})
	return c.err
}
