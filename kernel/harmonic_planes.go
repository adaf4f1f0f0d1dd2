package kernel

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/r2sgld/r2sgld/domain"
)

// gramRows is the number of linear walls up to which the products of all pairs of
// them are kept (1024 walls: 8 MB).
const gramRows = 1024

// planes are the linear walls a·x ≤ b of a flow, scaled so that aᵀP⁻¹a = 1: the
// coefficients a are of unit length in coordinates in which the Gaussian is round.
type planes struct {
	a      *matrix
	b      []float64
	h      []float64 // b − a·m
	turn   []float64 // P⁻¹a of each wall, along which it mirrors
	gram   []float64 // aᵀP⁻¹a of all pairs; nil where there are many
	margin []float64 // the slack of each wall that no rounding makes up for
}

func newPlanes(s *domain.Inequalities, mean []float64, cov *mat.SymDense) *planes {
	d, m := len(mean), whole(len(s.B))
	p := &planes{b: make([]float64, m), h: make([]float64, m), turn: make([]float64, m*d), margin: make([]float64, m)}
	for i := range p.b {
		p.b[i], p.h[i] = 1, 1 // of walls that are out of reach
	}
	if m == 0 {
		return p
	}
	rows := mat.NewDense(m, d, nil)
	for i, a := range s.A {
		v := mat.NewVecDense(d, p.turn[i*d:(i+1)*d])
		v.MulVec(cov, mat.NewVecDense(d, a))
		length := math.Sqrt(mat.Dot(mat.NewVecDense(d, a), v))
		v.ScaleVec(1/length, v)
		p.b[i] = s.B[i] / length
		p.h[i] = p.b[i]
		size := 1 + math.Abs(p.b[i])
		for j, c := range a {
			rows.Set(i, j, c/length)
			p.h[i] -= c / length * mean[j]
			size += math.Abs(c / length * mean[j])
		}
		p.margin[i] = clearance * size
	}
	p.a = newMatrix(rows)
	if len(s.B) > gramRows {
		return p
	}
	p.gram = make([]float64, len(s.B)*m)
	for i := range s.B {
		p.a.mul(p.gram[i*m:(i+1)*m], p.turn[i*d:(i+1)*d])
		p.gram[i*m+i] = 1
	}
	return p
}

// clearance is the share of its size by which a sum must be off a wall to be told
// inside without asking the domain.
const clearance = 1e-9

// A planePath is where a path is between linear walls.
type planePath struct {
	*planes
	slack []float64 // b − a·x ≥ 0
	rate  []float64 // a·u
	row   []float64 // the products of one wall with all, where they are not kept
}

// begin starts a path at x with velocity u.
func (p *planePath) begin(x, u []float64) {
	if len(p.b) == 0 {
		return
	}
	p.a.mulTwo(p.slack, p.rate, x, u)
	for i, b := range p.b {
		p.slack[i] = max(b-p.slack[i], 0)
	}
}

// first returns the wall that the path meets first before end, and when; end and
// −1 if there is none. In s = tan(t/2) the slack times 1 + s² is
// e − 2ρs + (2h − e)s², ρ being the rate. Its first root is at least e/(2ρ) where
// 2h ≥ e, and then there is none without ρ > 0, so that most walls need one product
// and no square root.
func (p *planePath) first(end float64) (s float64, wall int) {
	s, wall = end, -1
	for i := near(p.slack, p.rate, p.h, 0, 2*s); i < len(p.slack); i = near(p.slack, p.rate, p.h, i+nearWalls, 2*s) {
		for k := i; k < i+nearWalls; k++ {
			e, r, h := p.slack[k], p.rate[k], p.h[k]
			if e < 2*s*r || e > 2*h {
				if t := crossing(e, r, h); t < s {
					s, wall = t, k
				}
			}
		}
	}
	return s, wall
}

// nearWalls is the number of walls that near looks at together.
const nearWalls = 8

// nearOneByOne returns the place of the first eight walls, from i on, one of which
// may be hit before a time of which twice is given; len(slack) if there is none.
func nearOneByOne(slack, rate, h []float64, i int, twice float64) int {
	for k := i; k < len(slack); k++ {
		if e := slack[k]; e < twice*rate[k] || e > 2*h[k] {
			return k / nearWalls * nearWalls
		}
	}
	return len(slack)
}

// crossing is the first s > 0 where e − 2rs + (2h − e)s², e ≥ 0, becomes negative,
// and NaN, +Inf or below 0 if there is none.
func crossing(e, r, h float64) float64 {
	a := 2*h - e
	root := math.Sqrt(r*r - a*e)
	if r >= 0 {
		return e / (r + root)
	}
	return (r - root) / a
}

// mirror takes the path along to wall w and reflects it and u there.
func (p *planePath) mirror(u []float64, turn rotation, w int) {
	d, m := len(u), len(p.b)
	direction := p.turn[w*d : (w+1)*d]
	c := 2 * (turn.cos*p.rate[w] - turn.sin*(p.h[w]-p.slack[w]))
	row := p.row
	if p.gram != nil {
		row = p.gram[w*m : (w+1)*m]
	} else {
		p.a.mul(row, direction)
	}
	subtract(u, c, direction)
	advance(p.slack, p.rate, p.h, row, turn, c)
	p.slack[w], p.rate[w] = 0, -math.Abs(p.rate[w])
}

// follow takes the path along to a wall that is not linear, where u loses c times
// direction.
func (p *planePath) follow(turn rotation, direction []float64, c float64) {
	if len(p.b) > 0 {
		p.a.mul(p.row, direction)
		advance(p.slack, p.rate, p.h, p.row, turn, c)
	}
}

// advanceOneByOne takes slacks and rates along and subtracts c times row from the
// rates.
func advanceOneByOne(slack, rate, h, row []float64, turn rotation, c float64) {
	rate, h, row = rate[:len(slack)], h[:len(slack)], row[:len(slack)]
	for i, e := range slack {
		r := rate[i]
		rate[i] = float64(turn.cos*r) - float64(turn.sin*(h[i]-e)) - float64(c*row[i])
		e = float64(turn.cos*e) + float64(turn.versine*h[i]) - float64(turn.sin*r)
		if !(e > 0) {
			e = 0
		}
		slack[i] = e
	}
}

// land takes the slacks along to the end of the path.
func (p *planePath) land(turn rotation) {
	rate, h := p.rate[:len(p.slack)], p.h[:len(p.slack)]
	for i, e := range p.slack {
		p.slack[i] = turn.cos*e + turn.versine*h[i] - turn.sin*rate[i]
	}
}

// clear reports whether all slacks are beyond rounding.
func (p *planePath) clear(size float64) bool {
	margin := p.margin[:len(p.slack)]
	for i, e := range p.slack {
		if !(e > size*margin[i]) {
			return false
		}
	}
	return true
}

// subtract takes c times b from a.
func subtract(a []float64, c float64, b []float64) {
	b = b[:len(a)]
	for j, v := range b {
		a[j] -= c * v
	}
}
