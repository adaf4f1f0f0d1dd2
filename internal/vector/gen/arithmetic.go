package main

const signBit = 1 << 63

// arithmetic are the kernels of one or two instructions. No product is fused.
var arithmetic = []definition{
	{"add", 1, 2, func(m *machine, x []vec) []vec { return []vec{m.add(x[0], x[1])} }},
	{"sub", 1, 2, func(m *machine, x []vec) []vec { return []vec{m.sub(x[0], x[1])} }},
	{"mul", 1, 2, func(m *machine, x []vec) []vec { return []vec{m.mul(x[0], x[1])} }},
	{"div", 1, 2, func(m *machine, x []vec) []vec { return []vec{m.div(x[0], x[1])} }},
	{"minimum", 1, 2, func(m *machine, x []vec) []vec {
		return []vec{m.or(m.least(x[0], x[1]), m.least(x[1], x[0]))}
	}},
	{"maximum", 1, 2, func(m *machine, x []vec) []vec {
		sign := m.load(m.word(signBit))
		a, b := m.xor(x[0], sign), m.xor(x[1], sign)
		return []vec{m.xor(m.or(m.least(a, b), m.least(b, a)), sign)}
	}},
	{"mulAdd", 1, 3, func(m *machine, x []vec) []vec { return []vec{m.add(m.mul(x[0], x[1]), x[2])} }},
	{"mulSub", 1, 3, func(m *machine, x []vec) []vec { return []vec{m.sub(m.mul(x[0], x[1]), x[2])} }},
	{"subMul", 1, 3, func(m *machine, x []vec) []vec { return []vec{m.sub(x[2], m.mul(x[0], x[1]))} }},
	{"mulMulAdd", 1, 4, func(m *machine, x []vec) []vec {
		return []vec{m.add(m.mul(x[0], x[1]), m.mul(x[2], x[3]))}
	}},
	{"choose", 1, 4, func(m *machine, x []vec) []vec {
		return []vec{m.choose(m.compare(x[0], atMost, x[1]), x[2], x[3])}
	}},
	{"neg", 1, 1, func(m *machine, x []vec) []vec { return []vec{m.xor(x[0], m.word(signBit))} }},
	{"abs", 1, 1, func(m *machine, x []vec) []vec { return []vec{m.abs(x[0])} }},
	{"sqrt", 1, 1, func(m *machine, x []vec) []vec { return []vec{m.sqrt(x[0])} }},
}

func (m *machine) abs(a vec) vec { return m.and(a, m.word(signBit-1)) }
