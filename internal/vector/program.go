package vector

import "github.com/r2sgld/r2sgld/internal/vector/opcode"

// An Instruction is an operation of a program on slices as long as Dst. Those that the
// operation does not have are not looked at.
type Instruction struct {
	Op              opcode.Op
	Dst, A, B, C, D []float64
}

// Width is how many lanes a vector of this processor has. Programs on a multiple of as
// many are quick.
func Width() int { return max(kernels.width, 1) }

// Run does instructions, all on as many lanes, one after the other, up to one whose
// operation is opcode.Other. It returns how many it has done.
func Run(code []Instruction) int {
	for k := 0; k < len(code); k++ {
		at := 0
		if lanes := len(code[k].Dst); kernels.program != nil && lanes > 0 && lanes&(kernels.width-1) == 0 {
			done, lane := kernels.program(&code[k].Op, len(code)-k, lanes)
			k, at = k+done, lane
			if k == len(code) {
				return k
			}
		}
		if code[k].Op == opcode.Other {
			return k
		}
		code[k].from(at)
	}
	return len(code)
}

// unaries are the operations on one number.
var unaries = [opcode.Ops]func(dst, a []float64){
	opcode.Copy: func(dst, a []float64) { copy(dst, a) }, opcode.Neg: Neg, opcode.Sqrt: Sqrt, opcode.Abs: Abs,
	opcode.Exp: Exp, opcode.Log: Log, opcode.Log1p: Log1p, opcode.Expm1: Expm1, opcode.Tanh: Tanh,
	opcode.Sigmoid: Sigmoid, opcode.Softplus: Softplus, opcode.Sin: Sin, opcode.Cos: Cos, opcode.Tan: Tan,
	opcode.Erf: Erf, opcode.Erfc: Erfc, opcode.Phi: Phi,
}

// binaries are those on two, and on one with two results.
var binaries = [opcode.Ops]func(dst, a, b []float64){
	opcode.Add: Add, opcode.Sub: Sub, opcode.Mul: Mul, opcode.Div: Div, opcode.Min: Min, opcode.Max: Max,
	opcode.SinCos:          func(dst, a, b []float64) { SinCos(dst, b, a) },
	opcode.SoftplusSigmoid: func(dst, a, b []float64) { SoftplusSigmoid(dst, b, a) },
}

// from does an instruction for lanes from at on.
func (s *Instruction) from(at int) {
	dst, a := s.Dst[at:], s.A[at:]
	if f := unaries[s.Op]; f != nil {
		f(dst, a)
		return
	}
	b := s.B[at:]
	if f := binaries[s.Op]; f != nil {
		f(dst, a, b)
		return
	}
	c := s.C[at:]
	switch s.Op {
	case opcode.MulAdd:
		MulAdd(dst, a, b, c)
	case opcode.MulSub:
		MulSub(dst, a, b, c)
	case opcode.SubMul:
		SubMul(dst, a, b, c)
	case opcode.MulMulAdd:
		MulMulAdd(dst, a, b, c, s.D[at:])
	case opcode.Select:
		Select(dst, a, b, c, s.D[at:])
	}
}
