package expression

import (
	"github.com/r2sgld/r2sgld/internal/vector"
	"github.com/r2sgld/r2sgld/internal/vector/opcode"
)

// maxLanes is how many lanes pass through a tape together: their registers stay
// in the cache.
const maxLanes = 128

// An Evaluator evaluates a function for blocks of r states. It owns its
// workspace: one goroutine at a time. It allocates nothing.
type Evaluator struct {
	f               *Func
	r               int
	value, gradient machine
}

// Evaluator returns an evaluator for blocks of r ≥ 1 states.
func (f *Func) Evaluator(r int) *Evaluator {
	n := min(r, maxLanes)
	return &Evaluator{f, r, newMachine(f.value, n), newMachine(f.gradient, n)}
}

// Value writes the values of r states into dst (length r). Variable j of state
// i is x[j*r+i].
func (e *Evaluator) Value(dst, x []float64) {
	e.each(&e.value, x, dst, nil)
}

// Gradient writes the values of r states into value (length r) and the partial
// derivatives into grad: that by the k-th variable of WRT, for state i, is
// grad[k*r+i]. The value is bit for bit that of Value.
func (e *Evaluator) Gradient(value, grad, x []float64) {
	e.each(&e.gradient, x, value, grad)
}

func (e *Evaluator) each(m *machine, x, value, grad []float64) {
	n, r := m.lanes, e.r
	_, _ = x[:len(e.f.variables)*r], value[:r]
	for from := 0; from < r; from += n {
		from := min(from, r-n) // the last lanes may be done twice
		m.read(x, r, from)
		m.run()
		m.write(value, 0, r, from)
		m.write(grad, 1, r, from)
	}
}

// A machine is a tape with registers of lanes, each as wide as a multiple of a vector:
// what is over does the last lane again.
type machine struct {
	lanes, width int
	in, out      []float64
	tape         []instruction
	code         []vector.Instruction
	w            *workspace

	// One lane has the quick interpreter, unless the tape is too large for it.
	memory *[fewRegisters]float64
	words  []word
}

// opcodes are the operations that package vector has.
var opcodes = [...]opcode.Op{
	opAdd: opcode.Add, opSub: opcode.Sub, opMul: opcode.Mul, opDiv: opcode.Div, opNeg: opcode.Neg,
	opMulAdd: opcode.MulAdd, opMulSub: opcode.MulSub, opSubMul: opcode.SubMul, opMulMulAdd: opcode.MulMulAdd,
	opCopy: opcode.Copy, opSqrt: opcode.Sqrt, opAbs: opcode.Abs, opMin: opcode.Min, opMax: opcode.Max, opSelect: opcode.Select,
	opExp: opcode.Exp, opLog: opcode.Log, opLog1p: opcode.Log1p, opExpm1: opcode.Expm1, opTanh: opcode.Tanh,
	opSigmoid: opcode.Sigmoid, opSoftplus: opcode.Softplus, opSoftplusSigmoid: opcode.SoftplusSigmoid,
	opSin: opcode.Sin, opCos: opcode.Cos, opTan: opcode.Tan,
	opErf: opcode.Erf, opErfc: opcode.Erfc, opPhi: opcode.Phi, opSinCos: opcode.SinCos,
}

func newMachine(t *tape, n int) machine {
	m := machine{lanes: n, width: n, tape: t.code}
	var memory []float64
	if n == 1 && t.registers <= fewRegisters {
		m.memory = new([fewRegisters]float64)
		memory = m.memory[:t.registers]
	} else {
		m.width = (n + vector.Width() - 1) / vector.Width() * vector.Width()
		memory = make([]float64, t.registers*m.width)
	}
	register := func(i int32) []float64 { return memory[int(i)*m.width : int(i+1)*m.width : int(i+1)*m.width] }
	for _, c := range t.constants {
		r := register(c.register)
		for i := range r {
			r[i] = c.value
		}
	}
	m.in, m.out = memory[:t.inputs*m.width], memory[t.inputs*m.width:(t.inputs+t.outputs)*m.width]
	if m.memory != nil {
		m.words = words(t)
		return m
	}
	m.code = make([]vector.Instruction, len(t.code))
	for k, in := range t.code {
		m.code[k] = vector.Instruction{Op: opcodes[in.op], Dst: register(in.dst),
			A: register(in.arg[0]), B: register(in.arg[1]), C: register(in.arg[2]), D: register(in.arg[3])}
		if int(in.op) < len(together) && together[in.op] != nil && m.w == nil {
			m.w = newWorkspace(m.width)
		}
	}
	return m
}

// until is the machine that stops after n instructions.
func (m machine) until(n int) machine {
	if m.memory != nil {
		m.words = m.words[:n]
	} else {
		m.code = m.code[:n]
	}
	return m
}

// read takes the inputs of the lanes from … of r.
func (m *machine) read(x []float64, r, from int) {
	if m.width == r {
		copy(m.in, x)
		return
	}
	for in := m.in; len(in) > 0; in, x = in[m.width:], x[r:] {
		some := x[from : from+m.lanes]
		copy(in, some)
		for i := m.lanes; i < m.width; i++ {
			in[i] = some[0]
		}
	}
}

// write writes the outputs from the k-th on, as many as dst has.
func (m *machine) write(dst []float64, k, r, from int) {
	out := m.out[k*m.width:]
	if m.width == r {
		copy(dst, out)
		return
	}
	for ; len(dst) > 0 && len(out) > 0; dst, out = dst[r:], out[m.width:] {
		for i, v := range out[:m.lanes] { // copy costs more for a few
			dst[from+i] = v
		}
	}
}

// run runs the tape. No product is fused with a sum: values are those of the formula as
// written.
func (m *machine) run() {
	if m.memory != nil {
		runOne(m.memory, m.words)
		return
	}
	for k := vector.Run(m.code); k < len(m.code); k++ {
		s := &m.code[k]
		m.rare(m.tape[k].op, s.Dst, s.A, s.B, s.C, s.D)
		k += vector.Run(m.code[k+1:])
	}
}

// rare does an operation that package vector does not have.
func (m *machine) rare(o op, dst, a, b, c, d []float64) {
	switch {
	case int(o) < len(unaries) && unaries[o] != nil:
		f := unaries[o]
		for i, v := range a {
			dst[i] = f(v)
		}
	case int(o) < len(together) && together[o] != nil:
		together[o](dst, a, b, c, d, m.w)
	default:
		for i, v := range a {
			dst[i] = apply(o, v, b[i], c[i], d[i])
		}
	}
}
