package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// partial is how many sums a scalar product is added up from.
const partial = 16

// dots writes the kernel that adds the scalar products of a and of one column or more to
// dst, n being a positive multiple of partial.
func (m *machine) dots() {
	build.TEXT("dots"+m.suffix, attr.NOSPLIT, "func(dst, a *float64, k **float64, columns, n int)")
	build.Pragma("noescape")
	build.Doc(fmt.Sprintf("dots%s is dots for vectors of %d lanes.", m.suffix, m.lanes))
	var dst, a, k, columns, n reg.Register
	for _, p := range []struct {
		name string
		r    *reg.Register
	}{{"dst", &dst}, {"a", &a}, {"k", &k}, {"columns", &columns}, {"n", &n}} {
		*p.r = build.Load(build.Param(p.name), build.GP64())
	}
	column, at := build.GP64(), build.GP64()
	sums := make([]vec, partial/m.lanes)
	for v := range sums {
		sums[v] = m.vector()
	}
	build.Label("column")
	build.MOVQ(operand.Mem{Base: k}, column)
	build.XORQ(at, at)
	for _, s := range sums {
		build.VXORPD(s, s, s)
	}
	build.Label("rows")
	for v, s := range sums {
		place := func(base reg.Register) operand.Mem {
			return operand.Mem{Base: base, Index: at, Scale: 8, Disp: 8 * m.lanes * v}
		}
		build.VADDPD(m.mul(m.load(place(a)), place(column)), s, s)
	}
	build.ADDQ(operand.U8(partial), at)
	build.CMPQ(at, n)
	build.JL(operand.LabelRef("rows"))
	for half := len(sums) / 2; half > 0; half /= 2 {
		for v := range half {
			build.VADDPD(sums[v+half], sums[v], sums[v])
		}
	}
	if m.wide {
		high := build.YMM()
		build.VEXTRACTF64X4(operand.U8(1), sums[0], high)
		build.VADDPD(high, sums[0].AsY(), sums[0].AsY())
	}
	high := build.XMM()
	low := sums[0].AsX()
	build.VEXTRACTF128(operand.U8(1), sums[0].AsY(), high)
	build.VADDPD(high, low, low)
	build.VHADDPD(low, low, low)
	build.VADDSD(operand.Mem{Base: dst}, low, low)
	build.VMOVSD(low, operand.Mem{Base: dst})
	build.ADDQ(operand.U8(8), dst)
	build.ADDQ(operand.U8(8), k)
	build.DECQ(columns)
	build.JNZ(operand.LabelRef("column"))
	build.VZEROUPPER()
	build.RET()
}
