package multimodal

import (
	"errors"
	"math"
	"slices"

	"github.com/r2sgld/r2sgld/internal/quadrature"
)

// half is half the side of the square that the scores look at: [-5, 5]².
const half = 5

// cut marks a cell that is not wholly inside Ω: its points are asked one by one.
const cut = 1 << 15

// cells are squares of side width, aligned with 0, over [-5,5]². Those of
// positive mass are numbered 0 … K-1; K stands for all that is outside Ω.
type cells struct {
	width  float64
	side   int                     // cells along an axis
	code   []uint16                // per square: its number, maybe with cut
	mass   []float64               // exact, per number; sums to 1
	inside func(x, y float64) bool // exact membership in Ω
}

// cellsOf returns cells from the mass and the area inside Ω of every square.
func cellsOf(mass, area []float64, inside func(x, y float64) bool, width float64) (*cells, error) {
	side := int(math.Round(2 * half / width))
	c := &cells{width: width, side: side, inside: inside, code: make([]uint16, side*side)}
	number := make([]int, side*side)
	for i, m := range mass {
		number[i] = -1
		if m > 1e-13 { // below that it is rounding
			number[i] = len(c.mass)
			c.mass = append(c.mass, m)
		}
	}
	if len(c.mass) == 0 || len(c.mass) >= cut {
		return nil, errors.New("cells: none of positive mass, or more than 32,767 of them")
	}
	for i := range c.code {
		switch k := number[i]; {
		case k < 0:
			c.code[i] = uint16(len(c.mass))
			if n := c.neighbour(number, i); n >= 0 {
				c.code[i] = uint16(n) | cut
			}
		case area[i] > width*width*(1-1e-9):
			c.code[i] = uint16(k)
		default:
			c.code[i] = uint16(k) | cut
		}
	}
	return c, nil
}

// neighbour is the number of a cell that touches square i, one that shares a
// side if there is one; -1 is none.
func (c *cells) neighbour(number []int, i int) int {
	x, y := i%c.side, i/c.side
	for _, d := range [][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {1, -1}, {-1, 1}, {-1, -1}} {
		u, v := x+d[0], y+d[1]
		if u >= 0 && u < c.side && v >= 0 && v < c.side && number[v*c.side+u] >= 0 {
			return number[v*c.side+u]
		}
	}
	return -1
}

// K is the number of cells of positive mass.
func (c *cells) K() int { return len(c.mass) }

// index returns the number of the cell of (x, y), K outside Ω. A point of Ω in a
// square without mass, which rounding alone can make, counts to its neighbour.
func (c *cells) index(x, y float64) int {
	i, j := math.Floor(x/c.width)+float64(c.side/2), math.Floor(y/c.width)+float64(c.side/2)
	if !(i >= 0 && j >= 0 && i < float64(c.side) && j < float64(c.side)) {
		return len(c.mass)
	}
	k := c.code[int(j)*c.side+int(i)]
	if k&cut != 0 && !c.inside(x, y) {
		return len(c.mass)
	}
	return int(k &^ cut)
}

// score scores draws given by the number in each cell, the number outside
// last. Counts are smoothed by ½: over K+1 cells where the outside counts as lost
// mass, over K where the draws outside are discarded.
func (c *cells) score(counts []int) Score {
	all := 0
	for _, n := range counts {
		all += n
	}
	k := float64(len(c.mass))
	in := float64(all - counts[len(c.mass)])
	var s Score
	for i, p := range c.mass {
		n := float64(counts[i]) + 0.5
		s.KLAll += p * math.Log(p*(float64(all)+0.5*(k+1))/n)
		q := n / (in + 0.5*k)
		ratio := math.Log(p / q)
		s.KLIn += p * ratio
		s.KLBack -= q * ratio
	}
	if all > 0 {
		s.Outside = 1 - in/float64(all)
	}
	return s
}

// bins is the number of intervals of the marginals, 0.01 wide over [-5,5].
const bins = 1000

// A marginal is the exact law of one coordinate on bins.
type marginal struct {
	cumulative []float64 // at the upper end of each bin
}

// newMarginal returns the law of x (axis 0) or y (axis 1) of r at temperature 1.
func newMarginal(r *quadrature.Region, axis int) *marginal {
	g := quadrature.Grid{X0: -half, Y0: -half, DX: 2.0 * half / bins, DY: 2 * half, NX: bins, NY: 1}
	if axis == 1 {
		g.DX, g.DY, g.NX, g.NY = g.DY, g.DX, 1, bins
	}
	m := r.Masses(1, g)
	sum := 0.0
	for i, p := range m {
		sum += p
		m[i] = sum
	}
	return &marginal{m}
}

// bin is the bin of v, the last or first one beyond ±5.
func bin(v float64) int {
	i := (v + half) * (bins / (2 * half))
	switch {
	case !(i > 0):
		return 0
	case i >= bins:
		return bins - 1
	}
	return int(i)
}

// distance is the 1-Wasserstein distance of draws, given by the number in each
// bin, to the law.
func (m *marginal) distance(counts []int) float64 {
	all := 0
	for _, n := range counts {
		all += n
	}
	if all == 0 {
		return math.NaN()
	}
	below, sum := 0, 0.0
	for i, n := range counts {
		below += n
		sum += math.Abs(float64(below)/float64(all) - m.cumulative[i])
	}
	return sum * 2 * half / bins
}

// modes is the number of modes: one around every whole point of [-2,2]².
const modes = 25

// modeGrid holds the square around every mode.
func modeGrid() quadrature.Grid {
	return quadrature.Grid{X0: -2.5, Y0: -2.5, DX: 1, DY: 1, NX: 5, NY: 5}
}

// mode is the number of the mode whose unit square holds (x, y), row by row from
// (-2,-2); modes itself for none.
func mode(x, y float64) int {
	i, j := math.Floor(x+2.5), math.Floor(y+2.5)
	if !(i >= 0 && j >= 0 && i < 5 && j < 5) {
		return modes
	}
	return int(j)*5 + int(i)
}

// A measure is the truth of a domain in every form that draws are compared with.
type measure struct {
	cells *cells
	x, y  *marginal
	modes []float64 // exact masses
}

// masses are what the truth of a domain is made of.
type masses struct {
	Width      float64   // of a cell
	Mass, Area []float64 // of cells
	X, Y       []float64 // of marginals, cumulative
	Modes      []float64
}

// massesOf computes those of the law of r at temperature 1. width must divide 5.
func massesOf(r *quadrature.Region, width float64) (masses, error) {
	side := int(math.Round(2 * half / width))
	if side < 2 || math.Abs(float64(side)*width-2*half) > 1e-9 || side%2 != 0 {
		return masses{}, errors.New("cells: the width must divide 5")
	}
	g := quadrature.Grid{X0: -half, Y0: -half, DX: width, DY: width, NX: side, NY: side}
	area := r.Masses(math.Inf(1), g)
	for i := range area {
		area[i] *= r.Area()
	}
	return masses{width, r.Masses(1, g), area, newMarginal(r, 0).cumulative, newMarginal(r, 1).cumulative, r.Masses(1, modeGrid())}, nil
}

// measure returns the truth; inside tells exactly what belongs to Ω.
func (t masses) measure(inside func(x, y float64) bool) (*measure, error) {
	c, err := cellsOf(t.Mass, t.Area, inside, t.Width)
	if err != nil {
		return nil, err
	}
	return &measure{c, &marginal{t.X}, &marginal{t.Y}, t.Modes}, nil
}

// newMeasure returns the truth of r at temperature 1.
func newMeasure(r *quadrature.Region, inside func(x, y float64) bool, width float64) (*measure, error) {
	t, err := massesOf(r, width)
	if err != nil {
		return nil, err
	}
	return t.measure(inside)
}

// A span is a stretch of draws: from From to before To.
type span struct{ from, to int }

// tallies are the numbers of draws in cells, bins and modes up to some draw.
type tallies struct {
	cell, x, y, mode []int
}

func (m *measure) tallies() tallies {
	return tallies{make([]int, m.cells.K()+1), make([]int, bins), make([]int, bins), make([]int, modes+1)}
}

func (t tallies) clone() tallies {
	return tallies{slices.Clone(t.cell), slices.Clone(t.x), slices.Clone(t.y), slices.Clone(t.mode)}
}

// minus returns the tallies of the draws of t that are not of u.
func (t tallies) minus(u tallies) tallies {
	t = t.clone()
	for _, p := range [][2][]int{{t.cell, u.cell}, {t.x, u.x}, {t.y, u.y}, {t.mode, u.mode}} {
		for i, n := range p[1] {
			p[0][i] -= n
		}
	}
	return t
}

// scores scores stretches of draws x (n × 2, draw by draw), which are looked at
// once. A stretch that ends past the last draw has scores NaN.
func (m *measure) scores(x []float64, spans []span) []Score {
	ends := []int{0}
	for _, s := range spans {
		ends = append(ends, s.from, s.to)
	}
	slices.Sort(ends)
	ends = slices.Compact(ends)
	at := make(map[int]tallies, len(ends))
	t, done := m.tallies(), 0
	for _, end := range ends {
		if 2*end > len(x) {
			break
		}
		m.count(t, x[2*done:2*end])
		at[end], done = t.clone(), end
	}
	out := make([]Score, len(spans))
	for i, s := range spans {
		if last, ok := at[s.to]; ok {
			out[i] = m.score(last.minus(at[s.from]))
		} else {
			out[i] = noScore()
		}
	}
	return out
}

// count adds draws to t.
func (m *measure) count(t tallies, x []float64) {
	outside := m.cells.K()
	for i := 0; i+1 < len(x); i += 2 {
		u, v := x[i], x[i+1]
		k := m.cells.index(u, v)
		t.cell[k]++
		t.x[bin(u)]++
		t.y[bin(v)]++
		if k == outside {
			t.mode[modes]++
		} else {
			t.mode[mode(u, v)]++
		}
	}
}

// score scores one tally.
func (m *measure) score(t tallies) Score {
	s := m.cells.score(t.cell)
	s.W1X, s.W1Y = m.x.distance(t.x), m.y.distance(t.y)
	all := 0
	for _, n := range t.mode {
		all += n
	}
	lost := 1.0
	for i, p := range m.modes {
		share := float64(t.mode[i]) / float64(all)
		s.Modes += math.Abs(p-share) / 2
		lost -= p
		if p > rare && t.mode[i] > 0 {
			s.Found++
		}
	}
	s.Modes += math.Abs(lost-float64(t.mode[modes])/float64(all)) / 2
	return s
}

// rare is the mass up to which a mode need not be found.
const rare = 1e-3

// worthFinding is the number of modes that hold more than 1/1000.
func (m *measure) worthFinding() int {
	n := 0
	for _, p := range m.modes {
		if p > rare {
			n++
		}
	}
	return n
}

// A Score says how far draws are from the truth. Sums over cells, natural
// logarithms.
type Score struct {
	KLAll   float64 // KL(truth‖draws), draws outside Ω being lost mass
	KLIn    float64 // KL(truth‖draws) of the draws inside
	KLBack  float64 // KL(draws‖truth) of the draws inside
	Outside float64 // share of draws outside Ω
	W1X     float64 // 1-Wasserstein distance of the x marginals, all draws
	W1Y     float64 // of y
	Modes   float64 // total variation between the weights of the modes, draws outside lost
	Found   float64 // modes of mass above 1/1000 that hold a draw
}

// noScore is the score of draws that are not there.
func noScore() Score {
	n := math.NaN()
	return Score{n, n, n, n, n, n, n, n}
}
