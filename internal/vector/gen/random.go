package main

import (
	"math"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/r2sgld/r2sgld/internal/vector/lane"
)

// random are the kernels of random numbers, of a key in every lane and the counter that
// the parameters low and high are.
var random = []definition{
	{"normals", 2, 1, func(m *machine, x []vec) []vec {
		a, b := m.philox(x[0])
		first, second := m.normals(a, b)
		return []vec{first, second}
	}},
	{"uniforms", 2, 1, func(m *machine, x []vec) []vec {
		a, b := m.philox(x[0])
		return []vec{m.uniform(a), m.uniform(b)}
	}},
}

// parameter is one in every lane.
func (m *machine) parameter(name string) vec {
	p, err := build.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	d := m.vector()
	build.VPBROADCASTQ(p.Addr, d)
	return d
}

func (m *machine) mulWords(a vec, b operand.Op) vec { return m.binary(build.VPMULUDQ, a, b) }

// philox returns what lane.Philox does. Words are the lower halves of 64 bits; what
// stands above them has no influence.
func (m *machine) philox(key vec) (a, b vec) {
	k0, k1 := key, m.right(key, 32)
	c0, c2 := m.parameter("low"), m.parameter("high")
	c1, c3 := m.right(c0, 32), m.right(c2, 32)
	for round := range lane.PhiloxRounds {
		if round > 0 {
			k0, k1 = m.addWords(k0, m.word(lane.PhiloxW0)), m.addWords(k1, m.word(lane.PhiloxW1))
		}
		p0, p1 := m.mulWords(c0, m.word(lane.PhiloxM0)), m.mulWords(c2, m.word(lane.PhiloxM1))
		c0 = m.xor(m.xor(m.right(p1, 32), c1), k0)
		c2 = m.xor(m.xor(m.right(p0, 32), c3), k1)
		c1, c3 = p1, p0
	}
	lower := m.word(math.MaxUint32)
	return m.or(m.left(c1, 32), m.and(c0, lower)), m.or(m.left(c3, 32), m.and(c2, lower))
}

// fraction is the number above 2^52 whose low bits are those of a, less c.
func (m *machine) fraction(a vec, c float64) vec {
	return m.sub(m.or(a, m.word(lane.TwoTo52)), m.number(c))
}

func (m *machine) uniform(a vec) vec {
	half := m.add(m.fraction(m.right(a, 12), 0x1p52), m.number(0.5))
	return m.mul(half, m.number(0x1p-52))
}

func (m *machine) normals(a, b vec) (x, y vec) {
	const bits = lane.QuarterBits
	r := m.sqrt(m.mul(m.logOf(m.uniform(a), nil), m.number(-2)))
	b = m.right(b, 12)
	f := m.fraction(m.and(b, m.word(1<<bits-1)), 1<<52+1<<(bits-1))
	f = m.mul(m.add(f, m.number(0.5)), m.number(math.Pi/2/(1<<bits)))
	s, c := m.inQuarter(f, m.load(m.number(0)))
	s, c = m.turn(m.right(b, bits), s, c)
	return m.mul(r, c), m.mul(r, s)
}
