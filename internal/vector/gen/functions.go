package main

import (
	"math"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/r2sgld/r2sgld/internal/vector/lane"
)

// functions are the kernels of elementary functions, step by step those of package lane.
var functions = []definition{
	{"exp", 1, 1, func(m *machine, x []vec) []vec { return []vec{m.exp(x[0])} }},
	{"expm1", 1, 1, func(m *machine, x []vec) []vec { return []vec{m.expm1(x[0])} }},
	{"sigmoid", 1, 1, func(m *machine, x []vec) []vec { return []vec{m.sigmoid(x[0])} }},
	{"softplus", 1, 1, func(m *machine, x []vec) []vec { return []vec{m.softplus(x[0])} }},
	{"softplusSigmoid", 2, 1, func(m *machine, x []vec) []vec {
		e := m.exp(m.or(x[0], m.word(signBit)))
		return []vec{m.softplusOf(x[0], e), m.sigmoidOf(x[0], e)}
	}},
	{"tanh", 1, 1, func(m *machine, x []vec) []vec { return []vec{m.tanh(x[0])} }},
	{"log", 1, 1, func(m *machine, x []vec) []vec {
		low := m.compare(x[0], atLeast, m.number(0x1p-1022))
		m.need(m.both(low, m.compare(x[0], atMost, m.number(math.MaxFloat64))))
		return []vec{m.logOf(x[0], nil)}
	}},
	{"log1p", 1, 1, func(m *machine, x []vec) []vec {
		low := m.compare(x[0], greater, m.number(-1))
		m.need(m.both(low, m.compare(x[0], atMost, m.number(math.MaxFloat64))))
		return []vec{m.log1p(x[0])}
	}},
	{"erf", 1, 1, func(m *machine, x []vec) []vec { return []vec{m.erf(x[0])} }},
	{"erfc", 1, 1, func(m *machine, x []vec) []vec { return []vec{m.erfc(x[0])} }},
	{"phi", 1, 1, func(m *machine, x []vec) []vec { return []vec{m.phi(x[0])} }},
	{"sinCos", 2, 1, func(m *machine, x []vec) []vec {
		s, c := m.sinCos(x[0])
		return []vec{s, c}
	}},
	{"sin", 1, 1, func(m *machine, x []vec) []vec {
		s, _ := m.sinCos(x[0])
		return []vec{s}
	}},
	{"cos", 1, 1, func(m *machine, x []vec) []vec {
		_, c := m.sinCos(x[0])
		return []vec{c}
	}},
	{"tan", 1, 1, func(m *machine, x []vec) []vec {
		s, c := m.sinCos(x[0])
		return []vec{m.div(s, c)}
	}},
}

// pair returns p[i] + p[i+1] r.
func (m *machine) pair(p []float64, r vec) vec { return m.fma(r, m.number(p[1]), m.number(p[0])) }

// parts returns what lane.parts does.
func (m *machine) parts(x vec) (t, k, r, high vec) {
	magic := m.number(lane.ToInteger)
	t = m.fma(x, m.number(1/math.Ln2), magic)
	k = m.sub(t, magic)
	high = m.fnma(k, m.number(lane.Ln2), x)
	return t, k, m.fnma(k, m.number(lane.Ln2Rest), high), high
}

func (m *machine) expPoly(r, z vec) vec {
	c := lane.ExpPoly[:]
	p0 := m.fma(z, m.pair(c[2:], r), m.pair(c, r))
	p1 := m.fma(z, m.pair(c[6:], r), m.pair(c[4:], r))
	p2 := m.fma(z, m.number(c[10]), m.pair(c[8:], r))
	zz := m.mul(z, z)
	return m.fma(zz, m.fma(zz, p2, p1), p0)
}

// within confines x to an interval and keeps NaN.
func (m *machine) within(x vec, low, high float64) vec {
	return m.most(m.load(m.number(low)), m.least(m.load(m.number(high)), x))
}

func (m *machine) exp(x vec) vec {
	t, k, r, _ := m.parts(m.within(x, -lane.ExpEdge, lane.ExpEdge))
	return m.power(t, k, r)
}

func (m *machine) expOf(x, c vec) vec {
	t, k, r, _ := m.parts(m.within(x, -lane.ExpEdge, lane.ExpEdge))
	return m.power(t, k, m.add(r, c))
}

func (m *machine) power(t, k, r vec) vec {
	z := m.mul(r, r)
	y := m.add(m.fma(z, m.expPoly(r, z), r), m.number(1))
	if m.wide {
		build.VSCALEFPD(k, y, y)
		return y
	}
	half := m.fma(k, m.number(0.5), m.number(lane.ToInteger))
	scale := func(n vec) vec { return m.left(m.addWords(n, m.word(1023)), 52) }
	return m.mul(m.mul(y, scale(half)), scale(m.subWords(t, half)))
}

func (m *machine) expm1(x vec) vec {
	small := m.compare(m.abs(x), less, m.number(lane.Tiny))
	t, k, r, high := m.parts(m.within(x, lane.Expm1Low, lane.Expm1High))
	c := m.fnma(k, m.number(lane.Ln2Rest), m.sub(high, r))
	z := m.mul(r, r)
	p := m.add(r, m.fma(z, m.expPoly(r, z), c))
	s := m.left(m.addWords(t, m.word(1023-1)), 52)
	y := m.fma(s, p, m.sub(s, m.number(0.5)))
	return m.choose(small, x, m.add(y, y))
}

func (m *machine) sigmoid(x vec) vec { return m.sigmoidOf(x, m.exp(m.or(x, m.word(signBit)))) }

// sigmoidOf and softplusOf take e = exp(−|x|).
func (m *machine) sigmoidOf(x, e vec) vec {
	one := m.load(m.number(1))
	above := m.choose(m.compare(x, atLeast, m.number(0)), one, e)
	return m.div(above, m.add(one, e))
}

func (m *machine) softplus(x vec) vec { return m.softplusOf(x, m.exp(m.or(x, m.word(signBit)))) }

func (m *machine) softplusOf(x, e vec) vec {
	l := m.log1p(e)
	return m.choose(m.compare(x, greater, m.number(0)), m.add(x, l), l)
}

func (m *machine) tanh(x vec) vec {
	a := m.abs(x)
	small := m.compare(a, less, m.number(lane.TanhEdge))
	one := m.load(m.number(1))
	z := m.mul(a, a)
	p := m.fma(z, m.load(m.number(lane.TanhP[2])), m.number(lane.TanhP[1]))
	p = m.fma(z, p, m.number(lane.TanhP[0]))
	q := m.fma(z, m.add(z, m.number(lane.TanhQ[2])), m.number(lane.TanhQ[1]))
	q = m.fma(z, q, m.number(lane.TanhQ[0]))
	p = m.mul(m.mul(a, z), p)
	e := m.add(m.exp(m.add(a, a)), one)
	d := m.div(m.choose(small, p, m.load(m.number(2))), m.choose(small, q, e))
	y := m.choose(small, m.add(a, d), m.sub(one, d))
	return m.or(m.abs(y), m.and(x, m.word(signBit)))
}

// logOf returns what lane.logOf does; c may be nil, for 0.
func (m *machine) logOf(u vec, c operand.Op) vec {
	l := lane.LogPoly[:]
	b := m.addWords(u, m.word(lane.LogShift))
	k := m.sub(m.or(m.right(b, 52), m.word(lane.TwoTo52)), m.number(lane.LogExcess))
	f := m.addWords(m.and(b, m.word(lane.FractionMask)), m.word(lane.RootHalfBits))
	f = m.sub(f, m.number(1))
	s := m.div(f, m.add(f, m.number(2)))
	z := m.mul(s, s)
	w := m.mul(z, z)
	odd := m.fma(w, m.load(m.number(l[6])), m.number(l[4]))
	odd = m.fma(w, m.fma(w, odd, m.number(l[2])), m.number(l[0]))
	even := m.fma(w, m.load(m.number(l[5])), m.number(l[3]))
	even = m.fma(w, even, m.number(l[1]))
	half := m.mul(m.mul(f, m.number(0.5)), f)
	r := m.fma(z, odd, m.mul(w, even))
	if c == nil {
		c = m.number(0)
	}
	low := m.fma(s, m.add(half, r), m.fma(k, m.number(lane.Ln2Low), c))
	return m.fma(k, m.number(lane.Ln2High), m.sub(f, m.sub(half, low)))
}

func (m *machine) log1p(x vec) vec {
	one := m.load(m.number(1))
	u := m.add(one, x)
	from := m.sub(u, one)
	rest := m.add(m.sub(one, m.sub(u, from)), m.sub(x, from))
	zero := m.compare(x, equal, m.number(0))
	return m.choose(zero, x, m.logOf(u, m.div(rest, u)))
}

func (m *machine) sinCos(x vec) (sin, cos vec) {
	m.need(m.compare(m.abs(x), less, m.number(lane.SinRange)))
	magic := m.number(lane.ToInteger)
	n := m.fma(x, m.number(2/math.Pi), magic)
	k := m.sub(n, magic)
	high := m.fnma(k, m.number(lane.HalfPi1), x)
	p := m.mul(k, m.number(lane.HalfPi2))
	r := m.sub(high, p)
	back := m.sub(r, high)
	c := m.sub(m.sub(high, m.sub(r, back)), m.add(p, back))
	c = m.sub(c, m.fms(k, m.number(lane.HalfPi2), p))
	c = m.fnma(k, m.number(lane.HalfPi3), c)
	sin, cos = m.inQuarter(r, c)
	return m.turn(n, sin, cos)
}

func (m *machine) inQuarter(r, c vec) (sin, cos vec) {
	s, d := lane.SinPoly[:], lane.CosPoly[:]
	z := m.mul(r, r)
	w := m.mul(z, z)
	v := m.mul(z, r)
	p := m.fma(w, m.pair(s[4:], z), m.pair(s[2:], z))
	p = m.fma(z, p, m.number(s[1]))
	e := m.fms(z, m.fnma(v, p, m.mul(c, m.number(0.5))), c)
	sin = m.sub(r, m.fnma(v, m.number(s[0]), e))

	q := m.fma(w, m.pair(d[4:], z), m.pair(d[2:], z))
	q = m.fma(w, q, m.pair(d, z))
	one := m.load(m.number(1))
	half := m.mul(z, m.number(0.5))
	top := m.sub(one, half)
	rest := m.sub(m.sub(one, top), half)
	e = m.fms(z, m.mul(z, q), m.mul(r, c))
	return sin, m.add(top, m.add(rest, e))
}

func (m *machine) turn(n, s, c vec) (sin, cos vec) {
	odd, half := m.left(n, 63), m.left(n, 62)
	sign := m.word(signBit)
	up, over := m.and(half, sign), m.and(m.xor(half, odd), sign)
	k := m.signs(odd)
	return m.xor(m.choose(k, c, s), up), m.xor(m.choose(k, s, c), over)
}
