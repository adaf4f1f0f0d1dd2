package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/r2sgld/r2sgld/internal/vector/opcode"
)

// inPrograms are the kernels of operations; the others have none of their own.
var inPrograms = [opcode.Ops]string{
	opcode.Add: "add", opcode.Sub: "sub", opcode.Mul: "mul", opcode.MulAdd: "mulAdd", opcode.MulSub: "mulSub",
	opcode.SubMul: "subMul", opcode.MulMulAdd: "mulMulAdd", opcode.Neg: "neg", opcode.Div: "div", opcode.SinCos: "sinCos",
	opcode.Sqrt: "sqrt", opcode.Abs: "abs", opcode.Min: "minimum", opcode.Max: "maximum", opcode.Select: "choose",
	opcode.Exp: "exp", opcode.Log: "log", opcode.Log1p: "log1p", opcode.Expm1: "expm1", opcode.Tanh: "tanh",
	opcode.Sigmoid: "sigmoid", opcode.Softplus: "softplus", opcode.SoftplusSigmoid: "softplusSigmoid",
	opcode.Sin: "sin", opcode.Cos: "cos", opcode.Tan: "tan",
	opcode.Erf: "erf", opcode.Erfc: "erfc", opcode.Phi: "phi",
}

// The places of the fields of vector.Instruction, whose slices begin with a pointer.
const (
	resultAt    = 8
	sliceBytes  = 24
	instruction = resultAt + 5*sliceBytes
)

// A program writes the kernel of programs: it does n instructions, and returns how many
// it has done and, of the next one, how many lanes. Lanes are a multiple of those of a
// vector.
type program struct {
	*machine
	code, left, width, at reg.GPVirtual
	result                reg.GPVirtual
	argument              [4]reg.GPVirtual
}

func (m *machine) program(kernels []definition) {
	build.TEXT("program"+m.suffix, attr.NOSPLIT, "func(code *uint8, n, lanes int) (done, at int)")
	build.Pragma("noescape")
	build.Doc("program" + m.suffix + " does instructions.")
	p := &program{machine: m, code: build.GP64(), left: build.GP64(), width: build.GP64(), at: build.GP64(), result: build.GP64()}
	build.Load(build.Param("code"), p.code)
	build.Load(build.Param("n"), p.left)
	build.Load(build.Param("lanes"), p.width)
	for i := range p.argument {
		p.argument[i] = build.GP64()
	}
	m.stop = "stop"

	build.Label("next")
	op := build.GP32()
	build.MOVBLZX(operand.Mem{Base: p.code}, op)
	build.XORQ(p.at, p.at)
	build.MOVQ(operand.Mem{Base: p.code, Disp: resultAt}, p.result)
	build.MOVQ(operand.Mem{Base: p.code, Disp: resultAt + sliceBytes}, p.argument[0])
	build.MOVQ(operand.Mem{Base: p.code, Disp: resultAt + 2*sliceBytes}, p.argument[1])
	p.decide(op, 0, len(inPrograms))
	for o := range inPrograms {
		if k := p.kernelOf(opcode.Op(o), kernels); k != nil {
			p.operation(opcode.Op(o), *k)
		}
	}
	build.Label("done")
	build.XORQ(p.at, p.at)
	build.Label("stop")
	done := build.GP64()
	build.Load(build.Param("n"), done)
	build.SUBQ(p.left, done)
	build.Store(done, build.ReturnIndex(0))
	build.Store(p.at, build.ReturnIndex(1))
	build.VZEROUPPER()
	build.RET()
}

func (p *program) kernelOf(o opcode.Op, kernels []definition) *definition {
	if o == opcode.Copy {
		return &definition{"copy", 1, 1, func(m *machine, x []vec) []vec { return x }}
	}
	for i := range kernels {
		if kernels[i].name == inPrograms[o] {
			return &kernels[i]
		}
	}
	return nil
}

func label(o opcode.Op) string {
	if o == opcode.Other {
		return "stop"
	}
	return "op" + string(rune('a'+o/26)) + string(rune('a'+o%26))
}

// decide jumps to the operation, which is one of from … to−1.
func (p *program) decide(op reg.GPVirtual, from, to int) {
	if to-from == 1 {
		build.JMP(operand.LabelRef(label(opcode.Op(from))))
		return
	}
	middle := (from + to) / 2
	above := "from" + label(opcode.Op(middle))
	build.CMPL(op, operand.U8(middle))
	build.JCC(operand.LabelRef(above))
	p.decide(op, from, middle)
	build.Label(above)
	p.decide(op, middle, to)
}

// operation does an instruction for all lanes.
func (p *program) operation(o opcode.Op, k definition) {
	build.Label(label(o))
	for i := 2; i < k.in; i++ {
		build.MOVQ(operand.Mem{Base: p.code, Disp: resultAt + (i+1)*sliceBytes}, p.argument[i])
	}
	lanes := label(o) + "lanes"
	build.Label(lanes)
	x := make([]vec, k.in)
	for i := range x {
		x[i] = p.vector()
		build.VMOVUPD(operand.Mem{Base: p.argument[i], Index: p.at, Scale: 8}, x[i])
	}
	y := k.body(p.machine, x)
	build.VMOVUPD(y[0], operand.Mem{Base: p.result, Index: p.at, Scale: 8})
	if k.out == 2 {
		build.VMOVUPD(y[1], operand.Mem{Base: p.argument[1], Index: p.at, Scale: 8})
	}
	build.ADDQ(operand.U8(p.lanes), p.at)
	build.CMPQ(p.at, p.width)
	build.JLT(operand.LabelRef(lanes))
	build.ADDQ(operand.U8(instruction), p.code)
	build.DECQ(p.left)
	build.JNZ(operand.LabelRef("next"))
	build.JMP(operand.LabelRef("done"))
}
