package main

import (
	"fmt"
	"slices"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// begin begins a function and returns its parameters, of which numbers are whole ones.
func (m *machine) begin(name, signature string, params ...string) map[string]reg.Register {
	build.TEXT(name+m.suffix, attr.NOSPLIT, signature)
	build.Pragma("noescape")
	build.Doc(fmt.Sprintf("%s%s is %s for vectors of %d lanes.", name, m.suffix, name, m.lanes))
	of := map[string]reg.Register{}
	for _, p := range params {
		of[p] = build.Load(build.Param(p), build.GP64())
	}
	return of
}

// scratch returns registers for whole numbers.
func scratch(n int) []reg.Register {
	r := make([]reg.Register, n)
	for i := range r {
		r[i] = build.GP64()
	}
	return r
}

// inBytes makes a number of float64 that of their bytes.
func inBytes(r reg.Register) { build.SHLQ(operand.U8(3), r) }

// times writes the kernel that adds to dst, of as many states, the rows of columns times weights:
// dst[i·n + t] of row t and state i, w[c·r + i] of column c. It returns how many rows it has done.
func (m *machine) times(f form, states, vectors int) {
	p := m.begin(fmt.Sprintf("%sTimes%d", f.name, states), "func(dst, w *float64, k **"+f.number+", by *float64, columns, n, r int) int",
		"dst", "w", "k", "by", "columns", "n", "r")
	rows := vectors * m.lanes
	r := scratch(7)
	at, left, column, weight, by, next, stride := r[0], r[1], r[2], r[3], r[4], r[5], r[6]
	inBytes(p["r"])
	build.MOVQ(p["n"], stride)
	inBytes(stride)
	build.XORQ(at, at)
	build.Label("rows")
	build.LEAQ(operand.Mem{Base: at, Disp: rows}, next)
	build.CMPQ(next, p["n"])
	build.JG(operand.LabelRef("end"))
	build.LEAQ(operand.Mem{Base: p["dst"], Index: at, Scale: 8}, next)
	sums := make([]vec, states*vectors)
	for i := range states {
		for v := range vectors {
			sums[i*vectors+v] = m.load(operand.Mem{Base: next, Disp: 8 * m.lanes * v})
		}
		build.ADDQ(stride, next)
	}
	build.MOVQ(p["w"], weight)
	build.MOVQ(p["by"], by)
	build.XORQ(left, left)
	build.Label("columns")
	build.MOVQ(operand.Mem{Base: p["k"], Index: left, Scale: 8}, column)
	x, read := make([]vec, vectors), f.reader(m, operand.Mem{Base: by})
	for v := range x {
		x[v] = m.held(read(f.place(m, column, at, v)))
	}
	for i := range states {
		w := m.vector()
		build.VBROADCASTSD(operand.Mem{Base: weight, Disp: 8 * i}, w)
		for v := range x {
			build.VFMADD231PD(x[v], w, sums[i*vectors+v])
		}
	}
	build.ADDQ(p["r"], weight)
	build.ADDQ(operand.U8(scale), by)
	build.INCQ(left)
	build.CMPQ(left, p["columns"])
	build.JL(operand.LabelRef("columns"))
	build.LEAQ(operand.Mem{Base: p["dst"], Index: at, Scale: 8}, next)
	for i := range states {
		for v := range vectors {
			build.VMOVUPD(sums[i*vectors+v], operand.Mem{Base: next, Disp: 8 * m.lanes * v})
		}
		build.ADDQ(stride, next)
	}
	build.ADDQ(operand.U8(rows), at)
	build.JMP(operand.LabelRef("rows"))
	build.Label("end")
	m.end(at)
}

// partial is how many sums a scalar product is added up from.
const partial = 8

// dots writes the kernel that adds to dst[c·r + i], of as many states, the scalar products of
// a[i·stride …] with columns, n being a positive multiple of partial: some columns at a time, then
// those left over.
func (m *machine) dots(f form, states, columns int) {
	p := m.begin(fmt.Sprintf("%sDots%d", f.name, states), "func(dst, a *float64, k **"+f.number+", by *float64, columns, n, stride, r int)",
		"dst", "a", "k", "by", "columns", "n", "stride", "r")
	inBytes(p["stride"])
	inBytes(p["r"])
	for _, c := range slices.Compact([]int{columns, 1}) {
		name := fmt.Sprintf("by%d", c)
		build.Label(name)
		build.CMPQ(p["columns"], operand.U8(c))
		build.JL(operand.LabelRef("after" + name))
		m.products(f, name, p, states, c)
		build.ADDQ(operand.U8(8*c), p["k"])
		build.ADDQ(operand.U8(scale*c), p["by"])
		build.SUBQ(operand.U8(c), p["columns"])
		build.JMP(operand.LabelRef(name))
		build.Label("after" + name)
	}
	build.VZEROUPPER()
	build.RET()
}

// products adds those of some columns with each state.
func (m *machine) products(f form, name string, p map[string]reg.Register, states, columns int) {
	vectors := partial / m.lanes
	r := scratch(columns + 1 + (states+1)/2)
	at, a := r[columns], r[columns+1:] // of every other state
	for c := range columns {
		build.MOVQ(operand.Mem{Base: p["k"], Disp: 8 * c}, r[c])
	}
	sums := make([]vec, columns*states*vectors)
	for k := range sums {
		sums[k] = m.load(m.number(0))
	}
	column := func(c int) reader { return f.reader(m, operand.Mem{Base: p["by"], Disp: scale * c}) }
	if m.wide { // there is room for what columns are scaled by
		read := make([]reader, columns)
		for c := range read {
			read[c] = column(c)
		}
		column = func(c int) reader { return read[c] }
	}
	build.XORQ(at, at)
	build.Label("rows" + name)
	build.LEAQ(operand.Mem{Base: p["a"], Index: at, Scale: 8}, a[0])
	for i := range a[1:] {
		build.LEAQ(operand.Mem{Base: a[i], Index: p["stride"], Scale: 2}, a[i+1])
	}
	for v := range vectors {
		x := make([]operand.Op, columns)
		for c := range x {
			x[c] = column(c)(f.place(m, r[c], at, v))
		}
		for i := range states {
			of := operand.Mem{Base: a[i/2], Disp: 8 * m.lanes * v}
			if i%2 == 1 {
				of.Index, of.Scale = p["stride"], 1
			}
			y := m.load(of)
			for c := range columns {
				build.VFMADD231PD(x[c], y, sums[(c*states+i)*vectors+v])
			}
		}
	}
	build.ADDQ(operand.U8(partial), at)
	build.CMPQ(at, p["n"])
	build.JL(operand.LabelRef("rows" + name))
	for c := range columns {
		for i := range states {
			m.fold(sums[(c*states+i)*vectors:][:vectors], operand.Mem{Base: p["dst"], Disp: 8 * i})
		}
		build.ADDQ(p["r"], p["dst"])
	}
}

// fold adds eight sums, the upper half to the lower one until one is left, to a number.
func (m *machine) fold(sums []vec, dst operand.Mem) {
	y := sums[0].AsY()
	if m.wide {
		high := build.YMM()
		build.VEXTRACTF64X4(operand.U8(1), sums[0], high)
		build.VADDPD(high, y, y)
	} else {
		build.VADDPD(sums[1], sums[0], sums[0])
	}
	x, high := sums[0].AsX(), build.XMM()
	build.VEXTRACTF128(operand.U8(1), y, high)
	build.VADDPD(high, x, x)
	build.VHADDPD(x, x, x)
	build.VADDSD(dst, x, x)
	build.VMOVSD(x, dst)
}

// softplusSum writes the kernel of vector.Outcomes for n rows, a positive multiple of partial:
// the slopes to dst, and eight partial products and eight sums, which it takes from there, to parts.
func (m *machine) softplusSum() {
	p := m.begin("softplusSum", "func(dst, a, y, parts *float64, n int)", "dst", "a", "y", "parts", "n")
	vectors := partial / m.lanes
	place := func(base reg.Register, v int) operand.Mem { return operand.Mem{Base: base, Disp: 8 * m.lanes * v} }
	parts := make([]vec, 2*vectors)
	for v := range parts {
		parts[v] = m.load(place(p["parts"], v))
	}
	build.Label("rows")
	for v := range vectors {
		side := m.fnma(m.load(place(p["y"], v)), m.number(2), m.number(1))
		z := m.mul(m.load(place(p["a"], v)), side)
		e := m.exp(m.or(z, m.word(signBit)))
		above := m.choose(m.compare(z, atLeast, m.number(0)), m.number(1), e)
		e = m.add(e, m.number(1))
		build.VMULPD(e, parts[v], parts[v])
		build.VADDPD(m.most(m.load(m.number(0)), z), parts[vectors+v], parts[vectors+v])
		build.VMOVUPD(m.mul(m.div(above, e), side), place(p["dst"], v))
	}
	for _, base := range []string{"dst", "a", "y"} {
		build.ADDQ(operand.U8(8*partial), p[base])
	}
	build.SUBQ(operand.U8(partial), p["n"])
	build.JNZ(operand.LabelRef("rows"))
	for v := range parts {
		build.VMOVUPD(parts[v], place(p["parts"], v))
	}
	build.VZEROUPPER()
	build.RET()
}
