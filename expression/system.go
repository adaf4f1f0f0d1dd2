package expression

import (
	"errors"
	"fmt"
	"slices"
)

// A System is several formulas in the same variables, compiled to one tape that
// shares what they have in common with each other and with their derivatives.
// It is immutable and may be used by several goroutines; evaluate it through
// [System.Evaluator].
type System struct {
	variables, outputs int
	rows               int   // of each Jacobian
	groups             []int // derivatives in each row
	tape               *tape
	values             int // instructions that the values need
}

// CompileSystem compiles formulas in the given variables with a Jacobian by each
// of the groups of variables wrt. The error is of type [Errors] or joins those
// of the formulas, in their order, each a [*SystemError].
func CompileSystem(src, variables []string, wrt ...[]string) (*System, error) {
	g, roots, err := buildAll(src, variables)
	if err != nil {
		return nil, err
	}
	s := &System{variables: len(variables), outputs: len(src), rows: len(src)}
	by, err := s.group(variables, wrt)
	if err != nil {
		return nil, err
	}
	s.assemble(g, append(slices.Clone(roots), g.jacobians(roots, by, s.groups)...))
	return s, nil
}

// CompilePull compiles the products of weights, which are variables, with the Jacobians of
// formulas: a system without values, whose Jacobians have one row. Its error is that of
// [CompileSystem].
func CompilePull(src, weights, variables []string, wrt ...[]string) (*System, error) {
	g, roots, err := buildAll(src, variables)
	if err != nil {
		return nil, err
	}
	s := &System{variables: len(variables), rows: 1}
	by, err := s.group(variables, wrt)
	if err != nil {
		return nil, err
	}
	sum := g.constant(0)
	for i, r := range roots {
		sum = g.op(opAdd, sum, g.op(opMul, g.input(slices.Index(variables, weights[i])), r))
	}
	s.assemble(g, g.jacobians([]int32{sum}, by, s.groups))
	return s, nil
}

// buildAll puts formulas into a graph.
func buildAll(src, variables []string) (*graph, []int32, error) {
	g := newGraph()
	roots := make([]int32, len(src))
	var errs []error
	for i, text := range src {
		tree, err := parse(text, false)
		if err == nil {
			err = check(tree, variables)
		}
		if err != nil {
			errs = append(errs, &SystemError{i, err})
			continue
		}
		roots[i] = g.build(tree, variables)
	}
	return g, roots, errors.Join(errs...)
}

// group keeps how many variables each group has, and returns their indices.
func (s *System) group(variables []string, wrt [][]string) (by []int, err error) {
	for _, names := range wrt {
		for _, v := range names {
			j := slices.Index(variables, v)
			if j < 0 {
				return nil, fmt.Errorf("differentiate by %q: it is none of the variables", v)
			}
			by = append(by, j)
		}
		s.groups = append(s.groups, len(names))
	}
	return by, nil
}

// A SystemError is a fault of one formula of a system.
type SystemError struct {
	Formula int // from 0
	Err     error
}

// Error is the fault, without the formula's number.
func (e *SystemError) Error() string { return e.Err.Error() }

// Unwrap returns the fault.
func (e *SystemError) Unwrap() error { return e.Err }

// jacobians returns, group after group, the derivatives of each root by the inputs
// of the group.
func (g *graph) jacobians(roots []int32, by, groups []int) (out []int32) {
	rows := make([][]int32, len(roots))
	for i, r := range roots {
		rows[i] = g.gradient(r, by)
	}
	from := 0
	for _, n := range groups {
		for _, row := range rows {
			out = append(out, row[from:from+n]...)
		}
		from += n
	}
	return out
}

// assemble makes the tape. What the values need was built first and thus comes
// first.
func (s *System) assemble(g *graph, out []int32) {
	e, roots := expandPowers(g, out)
	a := &assembler{
		graph: e, tape: &tape{inputs: s.variables, outputs: len(out), registers: s.variables + len(out)},
		uses: make([]int, len(e.v)), place: make([]int32, len(e.v)), absorbed: make([]bool, len(e.v)),
	}
	a.count(roots)
	a.outputs(roots)
	last := int32(-1)
	for _, i := range roots[:s.outputs] {
		last = max(last, i)
	}
	for i := range e.v {
		if int32(i) == last+1 {
			a.copies(roots, 0, s.outputs)
			s.values = len(a.tape.code)
		}
		a.emit(int32(i))
	}
	if int(last)+1 == len(e.v) {
		a.copies(roots, 0, s.outputs)
		s.values = len(a.tape.code)
	}
	a.copies(roots, s.outputs, len(roots))
	s.tape = a.tape
}

// copies copies the roots from … to−1 that have their value elsewhere.
func (a *assembler) copies(roots []int32, from, to int) {
	for k := from; k < to; k++ {
		i, dst := roots[k], int32(a.tape.inputs+k)
		if a.place[i] != dst && a.v[i].op != opConst {
			a.tape.code = append(a.tape.code, instruction{opCopy, dst, [4]int32{a.place[i]}})
		}
	}
}

// A SystemEvaluator evaluates a system at one state, or at a block of states. Write the
// variables into Input, call Values or Jacobians, and read the results in place. It owns
// its workspace: one goroutine at a time. It allocates nothing. Of a block of n states,
// what is said to be at j is at j*n+i for state i.
type SystemEvaluator struct {
	Input []float64 // the variables; kept between calls
	Value []float64 // of each formula
	// Jacobian is by group: the derivative of formula i by variable k of the group
	// at i*len(group)+k.
	Jacobian [][]float64

	all, values machine
	x, y        []float64 // Input; Value and then Jacobian
}

// Evaluator returns an evaluator for one state with a workspace of its own.
func (s *System) Evaluator() *SystemEvaluator { return s.Block(1) }

// Block returns an evaluator for blocks of n states with a workspace of its own.
func (s *System) Block(n int) *SystemEvaluator {
	e := &SystemEvaluator{all: newMachine(s.tape, n)}
	e.values = e.all.until(s.values)
	if e.x, e.y = e.all.in, e.all.out; e.all.width != n {
		e.x, e.y = make([]float64, s.tape.inputs*n), make([]float64, s.tape.outputs*n)
		e.all.write(e.y, 0, n, 0) // what is constant
	}
	memory := e.y
	cut := func(m int) []float64 {
		v := memory[: m*n : m*n]
		memory = memory[m*n:]
		return v
	}
	e.Input, e.Value = e.x, cut(s.outputs)
	for _, m := range s.groups {
		e.Jacobian = append(e.Jacobian, cut(s.rows*m))
	}
	return e
}

// Values evaluates the formulas into Value, bit for bit as [Func] does.
func (e *SystemEvaluator) Values() { e.run(&e.values, e.Value) }

// Jacobians evaluates the formulas into Value and their derivatives into
// Jacobian.
func (e *SystemEvaluator) Jacobians() { e.run(&e.all, e.y) }

func (e *SystemEvaluator) run(m *machine, y []float64) {
	if m.width == m.lanes {
		m.run()
		return
	}
	m.read(e.x, m.lanes, 0)
	m.run()
	m.write(y, 0, m.lanes, 0)
}
