package vector

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/vector/opcode"
)

// Programs have the bits of their instructions done one by one without kernels, also
// where results are over arguments and where a kernel leaves lanes to package lane.
func TestProgramsHaveTheSameBits(t *testing.T) {
	const registers = 9
	each(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		for run := range pace.Soak(3000, 300000) {
			lanes := run % 20
			if run%3 > 0 {
				lanes = run % 5 * Width()
			}
			memory := make([][]float64, registers)
			for k := range memory {
				for range lanes {
					memory[k] = append(memory[k], argument(r))
				}
			}
			code := make([]Instruction, r.IntN(6))
			plain := make([]Instruction, len(code))
			other := make([][]float64, registers)
			for k := range other {
				other[k] = slices.Clone(memory[k])
			}
			stop := len(code)
			for k := range code {
				p := r.Perm(registers)[:5]
				if r.IntN(2) == 0 {
					p[0] = p[1] // over an argument
				}
				o := opcode.Op(r.IntN(int(opcode.Ops)))
				if o == opcode.Other && stop == len(code) {
					stop = k
				}
				code[k] = Instruction{o, memory[p[0]], memory[p[1]], memory[p[2]], memory[p[3]], memory[p[4]]}
				plain[k] = Instruction{o, other[p[0]], other[p[1]], other[p[2]], other[p[3]], other[p[4]]}
			}
			if done := Run(code); done != stop {
				t.Fatalf("%d instructions done, want %d", done, stop)
			}
			was := kernels
			kernels = new(table)
			for k := range plain[:stop] {
				plain[k].from(0)
			}
			kernels = was
			for k := range memory {
				if !slices.EqualFunc(memory[k], other[k], same) {
					t.Fatalf("%d lanes, %v: register %d is %v, want %v", lanes, code, k, memory[k], other[k])
				}
			}
		}
	})
}

// Every operation is done, and by the kernel of programs where there is one.
func TestEveryOperation(t *testing.T) {
	const guard = 12345.678
	each(t, func(t *testing.T) {
		n := 2 * Width()
		var x [5][]float64
		for k := range x {
			x[k] = slices.Repeat([]float64{1}, n)
		}
		for o := opcode.Other + 1; o < opcode.Ops; o++ {
			x[0][0] = guard
			in := []Instruction{{o, x[0], x[1], slices.Clone(x[2]), x[3], x[4]}}
			if kernels.program != nil {
				if done, _ := kernels.program(&in[0].Op, 1, n); done != 1 {
					t.Errorf("operation %d is not the kernel's", o)
				}
			} else if Run(in); x[0][0] == guard {
				t.Errorf("operation %d is not done", o)
			}
		}
	})
}

// The kernel of programs reads instructions where the generator puts them.
func TestInstructionsAreWhereKernelsReadThem(t *testing.T) {
	var s Instruction
	for k, at := range []uintptr{unsafe.Offsetof(s.Dst), unsafe.Offsetof(s.A), unsafe.Offsetof(s.B), unsafe.Offsetof(s.C),
		unsafe.Offsetof(s.D)} {
		if unsafe.Sizeof(uintptr(0)) == 8 && at != 8+24*uintptr(k) {
			t.Errorf("slice %d is at %d", k, at)
		}
	}
}
