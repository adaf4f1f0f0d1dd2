package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A machine is an instruction set: what differs between the two stands here.
type machine struct {
	wide      bool // AVX-512
	lanes     int
	suffix    string
	constants map[uint64]operand.Mem
	tables    map[[4]float64]operand.Mem
	masks     operand.Mem
	stop      string // label of the way out before lanes that the kernel leaves to Go
}

type (
	vec  = reg.VecVirtual
	mask = reg.Register
)

func newMachine(wide bool) *machine {
	m := &machine{wide: wide, lanes: 4, suffix: "AVX2", constants: map[uint64]operand.Mem{}, tables: map[[4]float64]operand.Mem{}}
	if wide {
		m.lanes, m.suffix = 8, "AVX512"
	}
	m.masks = build.GLOBL("masks"+m.suffix, attr.RODATA|attr.NOPTR)
	for i := range 16 {
		word := uint64(0)
		if i < 8 {
			word = math.MaxUint64
		}
		build.DATA(8*i, operand.U64(word))
	}
	return m
}

func (m *machine) vector() vec {
	if m.wide {
		return build.ZMM()
	}
	return build.YMM()
}

// word is a constant in every lane.
func (m *machine) word(b uint64) operand.Mem {
	if c, ok := m.constants[b]; ok {
		return c
	}
	c := build.GLOBL(fmt.Sprintf("c%016x%s", b, m.suffix), attr.RODATA|attr.NOPTR)
	for i := range m.lanes {
		build.DATA(8*i, operand.U64(b))
	}
	m.constants[b] = c
	return c
}

func (m *machine) number(x float64) operand.Mem { return m.word(math.Float64bits(x)) }

// table is four numbers side by side, twice in a vector of eight lanes.
func (m *machine) table(c [4]float64) operand.Mem {
	if t, ok := m.tables[c]; ok {
		return t
	}
	t := build.GLOBL(fmt.Sprintf("table%d%s", len(m.tables), m.suffix), attr.RODATA|attr.NOPTR)
	for i := range m.lanes {
		build.DATA(8*i, operand.U64(math.Float64bits(c[i%4])))
	}
	m.tables[c] = t
	return t
}

// load returns a copy of a constant or register.
func (m *machine) load(a operand.Op) vec {
	d := m.vector()
	build.VMOVUPD(a, d)
	return d
}

// held returns what is in a register or in memory in a register.
func (m *machine) held(a operand.Op) vec {
	if v, ok := a.(vec); ok {
		return v
	}
	return m.load(a)
}

// binary returns what an instruction makes of a and b, of which b may be in memory.
func (m *machine) binary(f func(...operand.Op), a vec, b operand.Op) vec {
	d := m.vector()
	f(b, a, d)
	return d
}

func (m *machine) add(a vec, b operand.Op) vec { return m.binary(build.VADDPD, a, b) }
func (m *machine) sub(a vec, b operand.Op) vec { return m.binary(build.VSUBPD, a, b) }
func (m *machine) mul(a vec, b operand.Op) vec { return m.binary(build.VMULPD, a, b) }
func (m *machine) div(a vec, b operand.Op) vec { return m.binary(build.VDIVPD, a, b) }

// least is b where a and b tie or one of them is NaN; so is most.
func (m *machine) least(a vec, b operand.Op) vec { return m.binary(build.VMINPD, a, b) }
func (m *machine) most(a vec, b operand.Op) vec  { return m.binary(build.VMAXPD, a, b) }

func (m *machine) sqrt(a vec) vec {
	d := m.vector()
	build.VSQRTPD(a, d)
	return d
}

// fma returns a·b + c; a or c may be in memory, not both.
func (m *machine) fma(b vec, a, c operand.Op) vec {
	if _, memory := c.(operand.Mem); memory {
		if _, memory := a.(operand.Mem); !memory {
			d := m.load(a)
			build.VFMADD213PD(c, b, d)
			return d
		}
	}
	d := m.load(c)
	build.VFMADD231PD(a, b, d)
	return d
}

// fnma returns c − a·b.
func (m *machine) fnma(b vec, a, c operand.Op) vec {
	d := m.load(c)
	build.VFNMADD231PD(a, b, d)
	return d
}

// fms returns a·b − c.
func (m *machine) fms(b vec, a, c operand.Op) vec {
	d := m.load(c)
	build.VFMSUB231PD(a, b, d)
	return d
}

func (m *machine) bitwise(narrow func(b, a, d operand.Op), wide func(...operand.Op), a vec, b operand.Op) vec {
	if m.wide {
		return m.binary(wide, a, b)
	}
	d := m.vector()
	narrow(b, a, d)
	return d
}

func (m *machine) and(a vec, b operand.Op) vec { return m.bitwise(build.VPAND, build.VPANDQ, a, b) }
func (m *machine) or(a vec, b operand.Op) vec  { return m.bitwise(build.VPOR, build.VPORQ, a, b) }
func (m *machine) xor(a vec, b operand.Op) vec { return m.bitwise(build.VPXOR, build.VPXORQ, a, b) }

func (m *machine) addWords(a vec, b operand.Op) vec { return m.binary(build.VPADDQ, a, b) }
func (m *machine) subWords(a vec, b operand.Op) vec { return m.binary(build.VPSUBQ, a, b) }

func (m *machine) left(a vec, n uint64) vec {
	return m.binary2(build.VPSLLQ, a, operand.Imm(n))
}

func (m *machine) right(a vec, n uint64) vec {
	return m.binary2(build.VPSRLQ, a, operand.Imm(n))
}

func (m *machine) binary2(f func(...operand.Op), a vec, n operand.Op) vec {
	d := m.vector()
	f(n, a, d)
	return d
}

// Predicates of compare: false where a number is NaN.
const (
	equal   = 0x00
	less    = 0x11
	atMost  = 0x12
	atLeast = 0x1d
	greater = 0x1e
)

func (m *machine) compare(a vec, predicate uint64, b operand.Op) mask {
	if m.wide {
		k := build.K()
		build.VCMPPD(operand.Imm(predicate), b, a, k)
		return k
	}
	d := m.vector()
	build.VCMPPD(operand.Imm(predicate), b, a, d)
	return d
}

// signs is the mask of the sign bits.
func (m *machine) signs(a vec) mask {
	if !m.wide {
		return a
	}
	k := build.K()
	build.VPMOVQ2M(a, k)
	return k
}

// choose returns a where the mask is set and b elsewhere; a may be in memory.
func (m *machine) choose(k mask, a operand.Op, b vec) vec {
	if m.wide { // avo takes what VBLENDMPD writes for an argument, alive from the beginning
		d := m.load(b)
		build.VMOVUPD(a, k, d)
		return d
	}
	d := m.vector()
	build.VBLENDVPD(k, a, b, d)
	return d
}

// both is the intersection of two masks.
func (m *machine) both(a, b mask) mask {
	if m.wide {
		k := build.K()
		build.KANDW(a, b, k)
		return k
	}
	return m.and(a.(vec), b)
}

// need leaves the vector to Go unless the mask is set in all lanes.
func (m *machine) need(k mask) {
	bits := build.GP32()
	if m.wide {
		build.KMOVW(k, bits)
		build.CMPL(bits, operand.U32(0xff))
	} else {
		build.VMOVMSKPD(k, bits)
		build.CMPL(bits, operand.U32(0xf))
	}
	build.JNE(operand.LabelRef(m.stop))
}

// first returns the mask of the first n < lanes lanes.
func (m *machine) first(n reg.GPVirtual) mask {
	at, end := build.GP64(), build.GP64()
	build.LEAQ(m.masks.Offset(64), end)
	build.MOVQ(n, at)
	build.NEGQ(at)
	d := m.vector()
	build.VMOVUPD(operand.Mem{Base: end, Index: at, Scale: 8}, d)
	if !m.wide {
		return d
	}
	k := build.K()
	build.VPMOVQ2M(d, k)
	return k
}

// loadFirst loads the lanes of a mask; the others are 1, an ordinary argument of all.
func (m *machine) loadFirst(k mask, from operand.Mem, d vec) {
	if m.wide {
		build.VMOVUPD(m.number(1), d)
		build.VMOVUPD(from, k, d)
		return
	}
	build.VMASKMOVPD(from, k, d)
	build.VBLENDVPD(k, d, m.load(m.number(1)), d)
}

func (m *machine) storeFirst(k mask, a vec, to operand.Mem) {
	if m.wide {
		build.VMOVUPD(a, k, to)
	} else {
		build.VMASKMOVPD(a, k, to)
	}
}
