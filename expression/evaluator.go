package expression

import "github.com/r2sgld/r2sgld/internal/vector"

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
	if n == r {
		copy(m.in, x)
		m.run()
		copy(value, m.out[:n])
		copy(grad, m.out[n:])
		return
	}
	for from := 0; from < r; from += n {
		from := min(from, r-n) // the last lanes may be done twice
		for j := 0; j*n < len(m.in); j++ {
			copy(m.in[j*n:(j+1)*n], x[j*r+from:])
		}
		m.run()
		copy(value[from:], m.out[:n])
		for k := 1; k*n < len(m.out); k++ {
			copy(grad[(k-1)*r+from:], m.out[k*n:(k+1)*n])
		}
	}
}

// A machine is a tape with registers of n lanes each.
type machine struct {
	lanes   int
	in, out []float64
	steps   []step

	// One lane has the quick interpreter, unless the tape is too large for it.
	memory *[fewRegisters]float64
	code   []word
}

type step struct {
	op         op
	dst        []float64
	a, b, c, d []float64
	kernel     func(dst, a []float64) // of operations on one number
	f          func(float64) float64  // of those without a kernel
	together   func(dst, a, b, c, d []float64, w *workspace)
	w          *workspace
}

func newMachine(t *tape, n int) machine {
	m := machine{lanes: n}
	var memory []float64
	if n == 1 && t.registers <= fewRegisters {
		m.memory = new([fewRegisters]float64)
		memory = m.memory[:t.registers]
	} else {
		memory = make([]float64, t.registers*n)
	}
	register := func(i int32) []float64 { return memory[int(i)*n : int(i+1)*n : int(i+1)*n] }
	for _, c := range t.constants {
		r := register(c.register)
		for i := range r {
			r[i] = c.value
		}
	}
	m.in, m.out = memory[:t.inputs*n], memory[t.inputs*n:(t.inputs+t.outputs)*n]
	if m.memory != nil {
		m.code = words(t)
		return m
	}
	var w *workspace
	for _, in := range t.code {
		s := step{op: in.op, dst: register(in.dst),
			a: register(in.arg[0]), b: register(in.arg[1]), c: register(in.arg[2]), d: register(in.arg[3])}
		if int(in.op) < len(kernels) {
			s.kernel = kernels[in.op]
		}
		if int(in.op) < len(together) && together[in.op] != nil && n >= fewest {
			if w == nil {
				w = newWorkspace(n)
			}
			s.together, s.w = together[in.op], w
		}
		if int(in.op) < len(unaries) {
			s.f = unaries[in.op]
		}
		m.steps = append(m.steps, s)
	}
	return m
}

// until is the machine that stops after n instructions.
func (m machine) until(n int) machine {
	if m.memory != nil {
		m.code = m.code[:n]
	} else {
		m.steps = m.steps[:n]
	}
	return m
}

// fewLanes are done by loops: the call of a kernel costs more.
const fewLanes = 12

// run runs the tape. No product is fused with a sum: values are those of the formula as
// written.
func (m *machine) run() {
	switch {
	case m.memory != nil:
		runOne(m.memory, m.code)
	case m.lanes < fewLanes:
		m.runFew()
	default:
		for k := range m.steps {
			m.steps[k].many()
		}
	}
}

// many does an operation by kernels.
func (s *step) many() {
	switch s.op {
	case opAdd:
		vector.Add(s.dst, s.a, s.b)
	case opSub:
		vector.Sub(s.dst, s.a, s.b)
	case opMul:
		vector.Mul(s.dst, s.a, s.b)
	case opDiv:
		vector.Div(s.dst, s.a, s.b)
	case opMulAdd:
		vector.MulAdd(s.dst, s.a, s.b, s.c)
	case opMulSub:
		vector.MulSub(s.dst, s.a, s.b, s.c)
	case opSubMul:
		vector.SubMul(s.dst, s.a, s.b, s.c)
	case opMulMulAdd:
		vector.MulMulAdd(s.dst, s.a, s.b, s.c, s.d)
	case opMin:
		vector.Min(s.dst, s.a, s.b)
	case opMax:
		vector.Max(s.dst, s.a, s.b)
	case opSelect:
		vector.Select(s.dst, s.a, s.b, s.c, s.d)
	case opSinCos:
		vector.SinCos(s.dst, s.b, s.a)
	case opCopy:
		copy(s.dst, s.a)
	default:
		s.rare()
	}
}

// kernels are the operations on one number that package vector has.
var kernels = [...]func(dst, a []float64){
	opNeg: vector.Neg, opExp: vector.Exp, opLog: vector.Log, opLog1p: vector.Log1p, opExpm1: vector.Expm1,
	opSqrt: vector.Sqrt, opSin: vector.Sin, opCos: vector.Cos, opTan: vector.Tan, opTanh: vector.Tanh,
	opAbs: vector.Abs, opSigmoid: vector.Sigmoid, opSoftplus: vector.Softplus,
}

// rare does the operations on one number and those without a kernel.
func (s *step) rare() {
	dst := s.dst
	a := s.a[:len(dst)]
	switch {
	case s.kernel != nil:
		s.kernel(dst, a)
	case s.f != nil:
		for i, v := range a {
			dst[i] = s.f(v)
		}
	case s.together != nil:
		s.together(dst, a, s.b, s.c, s.d, s.w)
	default:
		b, c, d := s.b[:len(dst)], s.c[:len(dst)], s.d[:len(dst)]
		for i, v := range a {
			dst[i] = apply(s.op, v, b[i], c[i], d[i])
		}
	}
}
