package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A form is how the numbers of columns are kept.
type form struct {
	name, number string
	bytes        int // of a number
	states       int // that scalar products are made with at once, beside one
	reader       func(m *machine, by operand.Mem) reader
}

// A reader returns the vector that is kept at a place.
type reader func(at operand.Mem) operand.Op

// scale is how many bytes tell what the numbers of a column are scaled by.
const scale = 3 * 8

var (
	double = form{"double", "float64", 8, 2, func(*machine, operand.Mem) reader {
		return func(at operand.Mem) operand.Op { return at }
	}}
	single = form{"single", "float32", 4, 4, func(m *machine, _ operand.Mem) reader {
		return func(at operand.Mem) operand.Op { return m.widened(at) }
	}}
	standard = form{"standard", "float32", 4, 4, (*machine).standardised}
)

// place is where a vector begins, of the numbers from one on.
func (f form) place(m *machine, numbers, at reg.Register, v int) operand.Mem {
	return operand.Mem{Base: numbers, Index: at, Scale: uint8(f.bytes), Disp: f.bytes * m.lanes * v}
}

// block writes the kernels of blocks of columns.
func (m *machine) block(f form) {
	m.times(f, 1, 4)
	m.times(f, 4, 2)
	m.dots(f, 1, 4)
	m.dots(f, f.states, m.lanes/f.states)
}

// rows writes the kernel that makes rows of a column numbers of 64 bits, and returns how many it has done.
func (m *machine) rows(f form) {
	p := m.begin(f.name+"Rows", "func(dst *float64, a *"+f.number+", by *float64, n int) int", "dst", "a", "by", "n")
	const vectors = 2
	r := scratch(2)
	at, next := r[0], r[1]
	read := f.reader(m, operand.Mem{Base: p["by"]})
	build.XORQ(at, at)
	build.Label("rows")
	build.LEAQ(operand.Mem{Base: at, Disp: vectors * m.lanes}, next)
	build.CMPQ(next, p["n"])
	build.JG(operand.LabelRef("end"))
	for v := range vectors {
		build.VMOVUPD(m.held(read(f.place(m, p["a"], at, v))), double.place(m, p["dst"], at, v))
	}
	build.MOVQ(next, at)
	build.JMP(operand.LabelRef("rows"))
	build.Label("end")
	m.end(at)
}

// widened are numbers of 32 bits in memory.
func (m *machine) widened(at operand.Mem) vec {
	x := m.vector()
	build.VCVTPS2PD(at, x)
	return x
}

// standardised are (x − mean)/sd, by holding mean, 1/sd and sd. The quotient is rounded once: the
// product with the rounded reciprocal, corrected by what is left, is the number nearest to it
// (Brisebarre, Muller & Raina 2004) where nothing overflows or underflows, and nothing does of numbers of 32 bits.
func (m *machine) standardised(by operand.Mem) reader {
	var all [3]vec
	for i := range all {
		all[i] = m.vector()
		build.VBROADCASTSD(by.Offset(8*i), all[i])
	}
	mean, inverse, sd := all[0], all[1], all[2]
	return func(at operand.Mem) operand.Op {
		x := m.sub(m.widened(at), mean)
		q := m.mul(x, inverse)
		return m.fnma(inverse, m.fms(q, sd, x), q)
	}
}
