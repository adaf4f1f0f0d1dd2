package figure

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// rankBins is the number of bars of a rank histogram, as in Vehtari et al.,
// "Rank-normalization, folding, and localization" (2021).
const rankBins = 20

// Ranks draws, for each parameter and ladder, how the ranks of its draws among
// those of all ladders are spread. Ladders that agree have level bars: 95 % of
// them within the grey band. ess is the effective number of draws of one
// ladder, per parameter, which sets the width of that band; nil takes draws as
// independent, too narrow a band for most chains.
func Ranks(p []Ladders, ess []float64) (*Figure, error) {
	if err := checkLadders(p); err != nil {
		return nil, err
	}
	if ess != nil && len(ess) != len(p) {
		return nil, errors.New("figure: ranks: give one effective sample size for each parameter, or nil")
	}
	ladders := len(p[0].Draws)
	columns := columnsFor(len(p), 4)
	panels := make([]*panel, len(p))
	for i, q := range p {
		n := float64(sampleOf(q).Draws) / float64(ladders)
		if ess != nil {
			if !(ess[i] > 0) {
				return nil, fmt.Errorf("figure: %s: effective sample size %g must be above 0", q.Axis.Name, ess[i])
			}
			n = math.Min(n, ess[i])
		}
		panels[i] = rankPanel(q, n)
		if i%columns == 0 {
			panels[i].y.label = "ladder"
		} else {
			panels[i].y.silent = true
		}
		panels[i].x.label = "rank"
	}
	keys := []key{keyArea("share of ranks", blue), keyArea("95 % of bars if the ladders agree", expected), keyLine("expected", lineExpected)}
	lay := mosaic{columns: columns, height: cm(math.Max(2.8, math.Min(0.5*float64(ladders)+0.6, 7)))}
	if columns < 3 {
		lay.width = cm(7)
	}
	caption := sentences(sampleOf(p[0]).String(), "each colour is a ladder")
	return lay.compose(panels, keys, caption), nil
}

// rankPanel draws the ladders of one parameter above one another. Each has n
// effective draws.
func rankPanel(q Ladders, n float64) *panel {
	shares := rankShares(q.Draws)
	ladders := float64(len(shares))
	p := &panel{title: q.Axis.label(), x: scale{min: 0, max: 1}, y: scale{min: 0.5, max: ladders + 0.5}}
	p.x.marks = []tick{{0, "0"}, {0.5, "½"}, {1, "1"}}
	half := 1.96 * math.Sqrt((1-1.0/rankBins)*(1-1/ladders)*rankBins/n)
	tallest := math.Max(2, 1+half)
	for _, s := range shares {
		_, top := extent(s...)
		tallest = math.Max(tallest, top)
	}
	unit := 0.92 / tallest // height of the expected share
	skip := (len(shares) + 11) / 12
	p.y.marks = []tick{}
	for l, s := range shares {
		base := ladders - float64(l) - 0.46 // the first on top
		if l%skip == 0 {
			p.y.marks = append(p.y.marks, tick{base + 0.46, strconv.Itoa(l + 1)})
		}
		scaled := make([]float64, len(s))
		for k, v := range s {
			scaled[k] = v * unit
		}
		p.add(func(pl *plane) {
			pl.fill(ladderColour(l), steps(0, 1, base, scaled))
		})
	}
	p.add(func(pl *plane) { // the band over the bars, see-through
		for l := range shares {
			base := ladders - float64(l) - 0.46
			c := expected
			c.A = 150
			pl.box(c, point{0, base + unit*math.Max(0, 1-half)}, point{1, base + unit*(1+half)})
			pl.hline(lineExpected, base+unit)
			pl.hline(lineGrid, base)
		}
	})
	return p
}

// rankShares returns, for each ladder, how many of its ranks fall in each bin,
// relative to the expected number. Equal draws share the mean of their ranks.
func rankShares(draws [][]float64) [][]float64 {
	type draw struct {
		value  float64
		ladder int
	}
	var all []draw
	for l, v := range draws {
		for _, x := range v {
			all = append(all, draw{x, l})
		}
	}
	slices.SortStableFunc(all, func(a, b draw) int { return cmp.Compare(a.value, b.value) })
	out := make([][]float64, len(draws))
	for l := range out {
		out[l] = make([]float64, rankBins)
	}
	for i := 0; i < len(all); {
		j := i + 1
		for j < len(all) && all[j].value == all[i].value {
			j++
		}
		bin := int(float64(i+j) / 2 / float64(len(all)) * rankBins)
		for ; i < j; i++ {
			l := all[i].ladder
			out[l][min(bin, rankBins-1)] += rankBins / float64(len(draws[l]))
		}
	}
	return out
}
