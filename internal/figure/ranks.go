package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// rankBins is the number of bars of a rank histogram, as in Vehtari et al.,
// "Rank-normalization, folding, and localization" (2021).
const rankBins = 20

// Ranks draws, for each parameter and ladder, how the ranks of its draws among
// those of all ladders are spread: a histogram whose bars stand on the number
// expected of ladders that agree. Then 95 % of the bars stay within the grey
// band. ess is the effective number of draws of one ladder, per parameter,
// which sets the width of that band; nil takes draws as independent, too
// narrow a band for most chains.
func Ranks(p []Ladders, ess []float64) (*Figure, error) {
	c := checkLadders(p)
	c.part("ranks")
	c.columns(column{"effective sample sizes", ess, len(p), positive | optional})
	if c.err != nil {
		return nil, c.err
	}
	ladders := len(p[0].Draws)
	shares, bands := make([][][]float64, len(p)), make([]float64, len(p))
	reach := 0.1 // the largest deviation from what is expected, relative to it
	for i, q := range p {
		n := float64(sampleOf(q).Draws) / float64(ladders)
		if ess != nil {
			n = math.Min(n, ess[i])
		}
		bands[i] = 1.96 * math.Sqrt((1-1.0/rankBins)*(1-1/float64(ladders))*rankBins/n)
		shares[i] = rankShares(q.Draws)
		for _, s := range shares[i] {
			least, most := extent(s...)
			reach = math.Max(reach, math.Max(1-least, most-1))
		}
		reach = math.Max(reach, math.Min(1.2*bands[i], 1))
	}
	columns := columnsFor(len(p), 4)
	panels := make([]*panel, len(p))
	for i, q := range p {
		panels[i] = rankPanel(q.Axis, shares[i], bands[i], reach)
		panels[i].y.silent = i%columns != 0
		if !panels[i].y.silent {
			panels[i].y.label = "ladder"
		}
	}
	onlyLowest(panels, columns)
	keys := legend{keyLine("expected number of ranks", lineExpected), keyArea("95 % of bars if the ladders agree", expected)}
	lay := grid(columns, []float64{math.Max(2.2, math.Min(0.7*float64(ladders), 8))}, []float64{7, 7})
	caption := sentences(sampleOf(p[0]).String(), fmt.Sprintf("half-way to the next ladder is ±%.0f %% of that number", 100*reach))
	return lay.compose(panels, keys, caption), nil
}

// rankPanel draws the ladders of one parameter under one another.
func rankPanel(a Axis, shares [][]float64, band, reach float64) *panel {
	ladders := float64(len(shares))
	p := &panel{title: a.label(), x: scale{label: "rank", min: 0, max: 1}, y: scale{min: 0.5, max: ladders + 0.5}}
	p.x.marks = []tick{{0, "0"}, {0.5, "½"}, {1, "1"}}
	unit := 0.48 / reach
	skip := (len(shares) + 11) / 12
	p.y.marks = []tick{}
	for l, s := range shares {
		middle := ladders - float64(l)
		if l%skip == 0 {
			p.y.marks = append(p.y.marks, tick{middle, strconv.Itoa(l + 1)})
		}
		bars := make([]float64, len(s))
		for k, v := range s {
			bars[k] = (v - 1) * unit
		}
		half := math.Min(band, reach) * unit
		p.add(box{expected, point{0, middle - half}, point{1, middle + half}},
			region{ladderColour(l), [][]point{steps(0, 1, middle, bars)}}, level{lineExpected, middle})
	}
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
