package expression

// A tape is a straight-line program on registers, each of which holds one
// number per lane. The inputs come first, then the outputs, constants and
// intermediate values.
type tape struct {
	inputs, outputs, registers int
	code                       []instruction
	constants                  []fill
}

type instruction struct {
	op  op
	dst int32
	arg [4]int32 // operations on one number with two results write arg[1] too
}

type fill struct {
	register int32
	value    float64
}

// newTape compiles the vertices out of g to a tape on that many inputs.
func newTape(g *graph, inputs int, out ...int32) *tape {
	e, roots := expandPowers(g, out)
	a := &assembler{
		graph: e, tape: &tape{inputs: inputs, outputs: len(out), registers: inputs + len(out)},
		uses: make([]int, len(e.v)), place: make([]int32, len(e.v)), absorbed: make([]bool, len(e.v)),
	}
	a.count(roots)
	a.outputs(roots)
	for i := range e.v {
		a.emit(int32(i))
	}
	for k, i := range roots {
		if dst := int32(inputs + k); a.place[i] != dst && e.v[i].op != opConst {
			a.tape.code = append(a.tape.code, instruction{opCopy, dst, [4]int32{a.place[i]}})
		}
	}
	return a.tape
}

// expandPowers returns what out needs of g, with powers that are multiples of ½ multiplied out.
func expandPowers(g *graph, out []int32) (*graph, []int32) {
	needed := make([]bool, len(g.v))
	for _, i := range out {
		needed[i] = true
	}
	for i := len(g.v) - 1; i >= 0; i-- {
		if needed[i] {
			for _, a := range g.v[i].arg[:arity[g.v[i].op]] {
				needed[a] = true
			}
		}
	}
	e, at := newGraph(), make([]int32, len(g.v))
	e.plain = true
	for i, v := range g.v {
		if !needed[i] {
			continue
		}
		for k := range arity[v.op] {
			v.arg[k] = at[v.arg[k]]
		}
		if v.op == opPower {
			at[i] = e.multiplied(v.arg[0], v.n)
		} else if n, ok := e.halves(v); ok {
			at[i] = e.op(opMul, e.multiplied(v.arg[0], n), e.op(opSqrt, v.arg[0]))
		} else {
			at[i] = e.put(v)
		}
	}
	roots := make([]int32, len(out))
	for k, i := range out {
		roots[k] = at[i]
	}
	return e, roots
}

// halves returns n of a power n + ½, which is a^n √a.
func (g *graph) halves(v vertex) (n int, ok bool) {
	if v.op != opPow {
		return 0, false
	}
	c, ok := g.isConst(v.arg[1])
	n = int(min(max(c, 0), maxPower))
	return n, ok && n > 0 && c == float64(n)+0.5
}

func (g *graph) multiplied(a int32, n int) int32 {
	switch {
	case n < 0:
		return g.op(opDiv, g.constant(1), g.multiplied(a, -n))
	case n == 1:
		return a
	case n%2 == 1:
		return g.op(opMul, g.multiplied(a, n-1), a)
	}
	h := g.multiplied(a, n/2)
	return g.op(opMul, h, h)
}

// An assembler puts the vertices of a graph into registers.
type assembler struct {
	*graph
	tape     *tape
	uses     []int   // reads still to come
	place    []int32 // register of a vertex; none before it has one
	absorbed []bool  // products that are part of their only reader
	free     []int32
}

func (a *assembler) count(roots []int32) {
	for i := range a.v {
		a.place[i] = none
		for _, b := range a.v[i].arg[:arity[a.v[i].op]] {
			a.uses[b]++
		}
	}
	for _, i := range roots {
		a.uses[i] += 2 // never free, never absorbed
	}
	for _, v := range a.v {
		if v.op != opAdd && v.op != opSub {
			continue
		}
		for _, b := range v.arg[:2] {
			if a.v[b].op == opMul && a.uses[b] == 1 {
				a.absorbed[b] = true
			}
		}
	}
	// At most one product of a difference can be absorbed.
	for _, v := range a.v {
		if v.op == opSub && a.absorbed[v.arg[0]] && a.absorbed[v.arg[1]] {
			a.absorbed[v.arg[0]] = false
		}
	}
}

// outputs gives the roots and inputs their registers.
func (a *assembler) outputs(roots []int32) {
	for i, v := range a.v {
		if v.op == opInput {
			a.place[i] = int32(v.n)
			a.uses[i]++
		}
	}
	for k, i := range roots {
		r := int32(a.tape.inputs + k)
		if c, ok := a.isConst(i); ok {
			a.tape.constants = append(a.tape.constants, fill{r, c})
			a.place[i] = r
		} else if a.place[i] == none {
			a.place[i] = r
		}
	}
}

func (a *assembler) register() int32 {
	if n := len(a.free); n > 0 {
		r := a.free[n-1]
		a.free = a.free[:n-1]
		return r
	}
	a.tape.registers++
	return int32(a.tape.registers - 1)
}

// read returns the register of a vertex and frees it after its last use.
func (a *assembler) read(i int32) int32 {
	a.uses[i]--
	if a.uses[i] == 0 {
		a.free = append(a.free, a.place[i])
	}
	return a.place[i]
}

func (a *assembler) write(i int32) int32 {
	if a.place[i] == none {
		a.place[i] = a.register()
	}
	return a.place[i]
}

func (a *assembler) emit(i int32) {
	v := a.v[i]
	switch {
	case v.op == opInput || a.absorbed[i]:
		return
	case v.op == opConst:
		a.uses[i]++ // a constant keeps its register
		if a.place[i] == none {
			a.place[i] = int32(a.tape.registers)
			a.tape.registers++
			a.tape.constants = append(a.tape.constants, fill{a.place[i], v.val})
		}
		return
	case pairs[v.op].both != 0:
		a.emitPair(i, v)
		return
	}
	in := instruction{op: v.op}
	operands := v.arg[:arity[v.op]]
	if v.op == opAdd || v.op == opSub {
		in.op, operands = a.fuse(v)
	}
	for k, b := range operands {
		in.arg[k] = a.read(b)
	}
	in.dst = a.write(i)
	a.tape.code = append(a.tape.code, in)
}

// fuse joins a sum with the products in it.
func (a *assembler) fuse(v vertex) (op, []int32) {
	x, y := v.arg[0], v.arg[1]
	px, py := a.v[x].arg, a.v[y].arg
	switch left, right := a.absorbed[x], a.absorbed[y]; {
	case v.op == opAdd && left && right:
		return opMulMulAdd, []int32{px[0], px[1], py[0], py[1]}
	case v.op == opAdd && left:
		return opMulAdd, []int32{px[0], px[1], y}
	case v.op == opAdd && right:
		return opMulAdd, []int32{py[0], py[1], x}
	case left:
		return opMulSub, []int32{px[0], px[1], y}
	case right:
		return opSubMul, []int32{py[0], py[1], x}
	}
	return v.op, v.arg[:2:2]
}

// pairs are functions that cost little more together than one of them.
var pairs = [...]struct{ first, second, both op }{
	opSin: {opSin, opCos, opSinCos}, opCos: {opSin, opCos, opSinCos},
	opSoftplus: {opSoftplus, opSigmoid, opSoftplusSigmoid}, opSigmoid: {opSoftplus, opSigmoid, opSoftplusSigmoid},
	opCopy: {},
}

// emitPair emits both functions of a pair together if both are needed.
func (a *assembler) emitPair(i int32, v vertex) {
	p := pairs[v.op]
	j, both := a.known[vertexKey{op: p.first + p.second - v.op, arg: v.arg}]
	switch {
	case !both:
		in := instruction{op: v.op, arg: [4]int32{a.read(v.arg[0])}}
		in.dst = a.write(i)
		a.tape.code = append(a.tape.code, in)
	case i < j:
		x := a.read(v.arg[0])
		dst, other := a.write(i), a.write(j)
		if v.op != p.first {
			dst, other = other, dst
		}
		a.tape.code = append(a.tape.code, instruction{p.both, dst, [4]int32{x, other}})
	default:
		a.read(v.arg[0]) // came with the other
	}
}
