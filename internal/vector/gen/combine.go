package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A combination is the kernel y + d·(w₀k₀ + w₁k₁ + …) of one term or more.
type combination struct {
	*machine
	dst, y, d, w, k, terms, at reg.Register
}

// combine writes it: blocks of four vectors, vectors, and what is left.
func (m *machine) combine() {
	build.TEXT("combine"+m.suffix, attr.NOSPLIT, "func(dst, y, d, w *float64, k **float64, terms, n int)")
	build.Pragma("noescape")
	build.Doc(fmt.Sprintf("combine%s is combine for vectors of %d lanes.", m.suffix, m.lanes))
	c := combination{machine: m, at: build.GP64()}
	var left reg.Register
	for _, p := range []struct {
		name string
		r    *reg.Register
	}{{"dst", &c.dst}, {"y", &c.y}, {"d", &c.d}, {"w", &c.w}, {"k", &c.k}, {"terms", &c.terms}, {"n", &left}} {
		*p.r = build.Load(build.Param(p.name), build.GP64())
	}
	build.XORQ(c.at, c.at)
	for _, vectors := range []int{4, 1} {
		name := fmt.Sprintf("by%d", vectors)
		build.Label(name)
		build.CMPQ(left, operand.U8(vectors*m.lanes))
		build.JL(operand.LabelRef("after" + name))
		c.body(name, vectors, nil)
		build.ADDQ(operand.U8(vectors*m.lanes), c.at)
		build.SUBQ(operand.U8(vectors*m.lanes), left)
		build.JMP(operand.LabelRef(name))
		build.Label("after" + name)
	}
	build.TESTQ(left, left)
	build.JZ(operand.LabelRef("end"))
	c.body("few", 1, m.first(left.(reg.GPVirtual)))
	build.Label("end")
	build.VZEROUPPER()
	build.RET()
}

// body does some vectors, or the lanes of one that a mask has.
func (c *combination) body(name string, vectors int, some mask) {
	k, w, left, row := build.GP64(), build.GP64(), build.GP64(), build.GP64()
	build.MOVQ(c.k, k)
	build.MOVQ(c.w, w)
	build.MOVQ(c.terms, left)
	place := func(base reg.Register, v int) operand.Mem {
		return operand.Mem{Base: base, Index: c.at, Scale: 8, Disp: 8 * c.lanes * v}
	}
	from := func(base reg.Register, v int) vec {
		x := c.vector()
		if some == nil {
			build.VMOVUPD(place(base, v), x)
		} else {
			c.loadFirst(some, place(base, v), x)
		}
		return x
	}
	weight := c.vector()
	term := func() {
		build.MOVQ(operand.Mem{Base: k}, row)
		build.VBROADCASTSD(operand.Mem{Base: w}, weight)
	}
	term()
	sum := make([]vec, vectors)
	for v := range sum {
		sum[v] = c.mul(weight, from(row, v))
	}
	build.Label("more" + name)
	build.DECQ(left)
	build.JZ(operand.LabelRef("done" + name))
	build.ADDQ(operand.U8(8), k)
	build.ADDQ(operand.U8(8), w)
	term()
	for v, s := range sum {
		build.VADDPD(c.mul(weight, from(row, v)), s, s)
	}
	build.JMP(operand.LabelRef("more" + name))
	build.Label("done" + name)
	for v, s := range sum {
		x := c.add(c.mul(s, from(c.d, v)), from(c.y, v))
		if some == nil {
			build.VMOVUPD(x, place(c.dst, v))
		} else {
			c.storeFirst(some, x, place(c.dst, v))
		}
	}
}
