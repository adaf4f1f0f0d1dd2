package main

import (
	"fmt"
	"strings"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A definition is a kernel: a function of as many vectors as in says, with out results.
type definition struct {
	name    string
	out, in int
	body    func(m *machine, x []vec) []vec
}

var (
	results   = []string{"dst", "dst2"}
	arguments = []string{"a", "b", "c", "d"}
)

// kernel writes a function that returns how many of n lanes it has done: all, or those
// before a vector with an argument that it leaves to Go. Results may be where arguments
// are. Kernels of random numbers take keys and a counter.
func (m *machine) kernel(k definition, random bool) {
	names := append(append([]string{}, results[:k.out]...), arguments[:k.in]...)
	signature := "func(" + strings.Join(names, ", ") + " *float64, n int) int"
	if random {
		signature = "func(dst, dst2 *float64, a *uint64, n int, low, high uint64) int"
	}
	build.TEXT(k.name+m.suffix, attr.NOSPLIT, signature)
	build.Pragma("noescape")
	build.Doc(fmt.Sprintf("%s%s is %s for vectors of %d lanes.", k.name, m.suffix, k.name, m.lanes))
	at, left := build.GP64(), build.GP64()
	base := map[string]reg.Register{}
	for _, n := range names {
		base[n] = build.Load(build.Param(n), build.GP64())
	}
	build.Load(build.Param("n"), left)
	build.XORQ(at, at)
	place := func(n string) operand.Mem { return operand.Mem{Base: base[n], Index: at, Scale: 8} }
	m.stop = "stop"

	build.Label("next")
	build.CMPQ(left, operand.U8(m.lanes))
	build.JL(operand.LabelRef("few"))
	x := make([]vec, k.in)
	for i := range x {
		x[i] = m.vector()
		build.VMOVUPD(place(arguments[i]), x[i])
	}
	build.Label("body")
	y := k.body(m, x)
	build.CMPQ(left, operand.U8(m.lanes))
	build.JL(operand.LabelRef("last"))
	for i, v := range y {
		build.VMOVUPD(v, place(results[i]))
	}
	build.ADDQ(operand.U8(m.lanes), at)
	build.SUBQ(operand.U8(m.lanes), left)
	build.JNZ(operand.LabelRef("next"))
	m.end(at)

	build.Label("few")
	some := m.first(left)
	for i := range x {
		m.loadFirst(some, place(arguments[i]), x[i])
	}
	build.JMP(operand.LabelRef("body"))

	build.Label("last")
	some = m.first(left)
	for i, v := range y {
		m.storeFirst(some, v, place(results[i]))
	}
	build.ADDQ(left, at)
	build.Label("stop")
	m.end(at)
}

func (m *machine) end(at reg.Register) {
	build.Store(at, build.ReturnIndex(0))
	build.VZEROUPPER()
	build.RET()
}
