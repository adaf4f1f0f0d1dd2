package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/r2sgld/r2sgld/internal/vector/lane"
)

// inRegions is the mask of |x| in one of the first so many regions.
func (m *machine) inRegions(x vec, regions int) mask {
	return m.compare(m.abs(x), less, m.number(lane.ErfEdges[regions-1]))
}

// place is the index by which row finds a column in a lane.
func (m *machine) place(column uint64) operand.Mem {
	if m.wide {
		return m.word(column)
	}
	return m.word((2*column+1)<<32 | 2*column)
}

// row is a number of c in every lane, that of its column.
func (m *machine) row(c [4]float64, columns vec) vec {
	memory := m.table(c)
	d := m.vector()
	if m.wide {
		build.VPERMPD(memory, columns, d)
	} else {
		build.VPERMPS(memory, columns, d)
	}
	return d
}

// erfOf returns what lane.erfOf does. Masks are compared for again where they are needed:
// there are not registers enough to keep them.
func (m *machine) erfOf(x, hi, lo vec) (y, tail vec) {
	columns := m.load(m.place(3))
	for r := 3; r > 0; r-- {
		columns = m.choose(m.inRegions(x, r), m.load(m.place(uint64(r-1))), columns)
	}
	square := m.mul(x, x)
	t := m.div(m.load(m.number(1)), square)
	t = m.choose(m.inRegions(x, 2), m.sub(m.abs(x), m.number(1)), t)
	t = m.choose(m.inRegions(x, 1), square, t)
	over := m.row(lane.ErfP[7], columns)
	for i := 6; i >= 0; i-- {
		over = m.fma(over, t, m.row(lane.ErfP[i], columns))
	}
	under := m.row(lane.ErfQ[8], columns)
	for i := 7; i >= 0; i-- {
		under = m.fma(under, t, m.row(lane.ErfQ[i], columns))
	}
	y = m.div(over, under)
	w := m.sub(y, m.number(0.5625))
	u := m.add(hi, w)
	c := m.add(m.add(m.sub(hi, u), w), lo)
	return y, m.div(m.expOf(u, c), m.abs(x))
}

func (m *machine) erfSquare(x vec) (y, hi, lo vec) {
	y = m.within(x, -lane.ErfEdges[3], lane.ErfEdges[3])
	hi = m.xor(m.mul(y, y), m.word(signBit))
	return y, hi, m.fnma(y, y, m.xor(hi, m.word(signBit)))
}

func (m *machine) erf(x vec) vec {
	y, hi, lo := m.erfSquare(x)
	q, tail := m.erfOf(y, hi, lo)
	near := m.fma(y, q, y)
	far := m.choose(m.inRegions(y, 2), m.add(q, m.number(lane.ErfOne)), m.sub(m.load(m.number(1)), tail))
	far = m.or(m.abs(far), m.and(x, m.word(signBit)))
	return m.choose(m.inRegions(y, 1), near, far)
}

func (m *machine) erfc(x vec) vec { return m.complement(m.erfSquare(x)) }

func (m *machine) complement(x, hi, lo vec) vec {
	number := func(c float64) vec { return m.load(m.number(c)) }
	negative := func() mask { return m.compare(x, less, m.number(0)) }
	y, tail := m.erfOf(x, hi, lo)
	tail = m.choose(negative(), m.sub(number(2), tail), tail)
	middle := m.choose(negative(), m.add(number(1), m.add(y, m.number(lane.ErfOne))), m.sub(number(1-lane.ErfOne), y))
	far := m.choose(m.inRegions(x, 2), middle, tail)
	near := m.sub(number(0.5), m.fma(x, y, m.sub(x, m.number(0.5))))
	near = m.choose(m.compare(x, less, m.number(0.25)), m.sub(number(1), m.fma(x, y, x)), near)
	return m.choose(m.inRegions(x, 1), near, far)
}

func (m *machine) phi(x vec) vec {
	x = m.within(x, -lane.PhiEdge, lane.PhiEdge)
	square := m.mul(x, x)
	y := m.mul(x, m.number(-lane.RootHalf))
	minus := m.load(m.number(-lane.RootHalf))
	lacks := m.fma(x, m.load(m.number(-lane.RootHalfRest)), m.fms(x, minus, y))
	half := m.load(m.number(-0.5))
	lo := m.fms(half, m.fms(x, x, square), m.div(lacks, y))
	return m.mul(m.complement(y, m.mul(square, m.number(-0.5)), lo), m.number(0.5))
}
