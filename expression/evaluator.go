package expression

import "math"

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
}

type step struct {
	op         op
	dst        []float64
	a, b, c, d []float64
	f          func(float64) float64 // of the operations without a loop of their own
}

func newMachine(t *tape, n int) machine {
	memory := make([]float64, t.registers*n)
	register := func(i int32) []float64 { return memory[int(i)*n : int(i+1)*n : int(i+1)*n] }
	for _, c := range t.constants {
		r := register(c.register)
		for i := range r {
			r[i] = c.value
		}
	}
	m := machine{lanes: n, in: memory[:t.inputs*n], out: memory[t.inputs*n : (t.inputs+t.outputs)*n]}
	for _, in := range t.code {
		s := step{op: in.op, dst: register(in.dst),
			a: register(in.arg[0]), b: register(in.arg[1]), c: register(in.arg[2]), d: register(in.arg[3])}
		if int(in.op) < len(unaries) {
			s.f = unaries[in.op]
		}
		m.steps = append(m.steps, s)
	}
	return m
}

// run runs the tape. The conversions of products to float64 forbid fused
// multiply-adds: the bits are the same on all machines.
func (m *machine) run() {
	for k := range m.steps {
		s := &m.steps[k]
		dst := s.dst
		a, b := s.a[:len(dst)], s.b[:len(dst)]
		switch s.op {
		case opAdd:
			for i, v := range a {
				dst[i] = v + b[i]
			}
		case opSub:
			for i, v := range a {
				dst[i] = v - b[i]
			}
		case opMul:
			for i, v := range a {
				dst[i] = v * b[i]
			}
		case opMulAdd:
			c := s.c[:len(dst)]
			for i, v := range a {
				dst[i] = float64(v*b[i]) + c[i]
			}
		case opMulSub:
			c := s.c[:len(dst)]
			for i, v := range a {
				dst[i] = float64(v*b[i]) - c[i]
			}
		case opSubMul:
			c := s.c[:len(dst)]
			for i, v := range a {
				dst[i] = c[i] - float64(v*b[i])
			}
		case opMulMulAdd:
			c, d := s.c[:len(dst)], s.d[:len(dst)]
			for i, v := range a {
				dst[i] = float64(v*b[i]) + float64(c[i]*d[i])
			}
		case opSinCos:
			sincosLanes(dst, b, a)
		default:
			s.rare()
		}
	}
}

// rare does the operations whose loops need not be near each other.
func (s *step) rare() {
	dst := s.dst
	a, b := s.a[:len(dst)], s.b[:len(dst)]
	switch s.op {
	case opDiv:
		for i, v := range a {
			dst[i] = v / b[i]
		}
	case opNeg:
		for i, v := range a {
			dst[i] = -v
		}
	case opExp:
		for i, v := range a {
			dst[i] = math.Exp(v)
		}
	case opLog:
		for i, v := range a {
			dst[i] = math.Log(v)
		}
	case opSqrt:
		for i, v := range a {
			dst[i] = math.Sqrt(v)
		}
	case opAbs:
		for i, v := range a {
			dst[i] = math.Abs(v)
		}
	case opCopy:
		copy(dst, a)
	default:
		c, d := s.c[:len(dst)], s.d[:len(dst)]
		if s.f != nil {
			for i, v := range a {
				dst[i] = s.f(v)
			}
			return
		}
		for i, v := range a {
			dst[i] = apply(s.op, v, b[i], c[i], d[i])
		}
	}
}
