package expression

import "math"

// An op is one operation of a graph or tape. Its meaning is apply.
type op uint8

const (
	opConst op = iota
	opInput
	opAdd
	opSub
	opMul
	opDiv
	opNeg
	opPower // a to the constant integer power node.n
	opPow
	opMin
	opMax
	opAtan2
	opLogAddExp
	opXLogY // 0 where x is 0
	opHypot
	opLogSum   // log(a·exp(b) + c·exp(d))
	opWeight   // the derivative of opLogSum by a
	opTimesExp // a·exp(b)
	opPeak     // log|a| + b, of which scales are made
	opNegBinomial
	opNegBinomialLog
	opNegBinomialPhi // the derivative of both by the last
	opSelect         // a ≤ b ? c : d
	opExp
	opLog
	opLog2
	opLog10
	opLog1p
	opExpm1
	opSqrt
	opCbrt
	opSin
	opCos
	opTan
	opAsin
	opAcos
	opAtan
	opSinh
	opCosh
	opTanh
	opAsinh
	opAcosh
	opAtanh
	opAbs
	opSign
	opFloor
	opSigmoid
	opSoftplus
	opErf
	opErfc
	opLgamma
	opDigamma
	opLogI0
	opBesselRatio // I₁/I₀, the derivative of log I₀
	opPhi         // Φ
	opLogNormal   // log Φ
	opMills       // φ/Φ, the derivative of log Φ
	opScale       // the scale of a sum of exponentials; it has no influence on values
	// Only tapes have the rest.
	opSinCos // both: dst and b
	opSoftplusSigmoid
	opMulAdd    // a·b + c
	opMulSub    // a·b − c
	opSubMul    // c − a·b
	opMulMulAdd // a·b + c·d
	opCopy
)

// A vertex is one value of a graph, written once for equal operations.
type vertex struct {
	op  op
	n   int     // input, or exponent of opPower
	val float64 // of opConst
	arg [4]int32
}

// A graph is a computation in static single assignment: the arguments of a
// vertex come before it.
type graph struct {
	v       []vertex
	known   map[vertexKey]int32
	natures []nature
	// plain keeps operations on exponentials as they are.
	plain bool
	// loose allows algebra that changes rounding. It is off while values are
	// built, which thereby equal the formula as written bit for bit but for
	// logarithms and quotients of exponentials, and on for derivatives.
	loose bool
}

type vertexKey struct {
	op   op
	n    int
	bits uint64
	arg  [4]int32
}

func newGraph() *graph { return &graph{known: map[vertexKey]int32{}} }

var arity = [...]int{
	opAdd: 2, opSub: 2, opMul: 2, opDiv: 2, opNeg: 1, opPower: 1, opPow: 2, opMin: 2, opMax: 2,
	opAtan2: 2, opLogAddExp: 2, opXLogY: 2, opSelect: 4, opNegBinomial: 3, opNegBinomialLog: 3, opNegBinomialPhi: 3,
	opHypot: 2, opLogSum: 4, opWeight: 4, opTimesExp: 2, opPeak: 2, opCbrt: 1, opAsinh: 1, opAcosh: 1, opAtanh: 1,
	opExp: 1, opLog: 1, opLog2: 1, opLog10: 1, opLog1p: 1, opExpm1: 1, opSqrt: 1, opSin: 1, opCos: 1, opTan: 1,
	opAsin: 1, opAcos: 1, opAtan: 1, opSinh: 1, opCosh: 1, opTanh: 1, opAbs: 1, opSign: 1, opFloor: 1,
	opSigmoid: 1, opSoftplus: 1, opErf: 1, opErfc: 1, opLgamma: 1, opDigamma: 1, opLogI0: 1, opBesselRatio: 1,
	opPhi: 1, opLogNormal: 1, opMills: 1, opScale: 1,
	opSinCos: 1, opSoftplusSigmoid: 1, opMulAdd: 3, opMulSub: 3, opSubMul: 3, opMulMulAdd: 4,
}

func (g *graph) put(v vertex) int32 {
	k := vertexKey{v.op, v.n, math.Float64bits(v.val), v.arg}
	if i, ok := g.known[k]; ok {
		return i
	}
	i := int32(len(g.v))
	g.natures = append(g.natures, g.natureOf(v))
	g.v = append(g.v, v)
	g.known[k] = i
	return i
}

func (g *graph) constant(c float64) int32 { return g.put(vertex{op: opConst, val: c}) }
func (g *graph) input(j int) int32        { return g.put(vertex{op: opInput, n: j}) }

func (g *graph) isConst(i int32) (float64, bool) {
	return g.v[i].val, g.v[i].op == opConst
}

func (g *graph) is(i int32, c float64) bool { return g.v[i].op == opConst && g.v[i].val == c }

// power returns a^n.
func (g *graph) power(a int32, n int) int32 {
	_, constant := g.isConst(a)
	switch {
	case n == 0:
		return g.constant(1)
	case n == 1:
		return a
	case constant:
		return g.multiplied(a, n)
	}
	return g.put(vertex{op: opPower, n: n, arg: [4]int32{a}})
}

// op returns the vertex of an operation, folded and simplified.
func (g *graph) op(o op, args ...int32) int32 {
	v := vertex{op: o}
	copy(v.arg[:], args)
	var c [4]float64
	folded := true
	for i, a := range args {
		x, ok := g.isConst(a)
		c[i] = x
		folded = folded && ok
	}
	if folded {
		y := apply(o, c[0], c[1], c[2], c[3])
		if g.plain || o != opExp || y > 0 && y < math.Inf(1) {
			return g.constant(y)
		}
		return g.put(v) // its logarithm is finite
	}
	if i, ok := g.exact(o, v.arg[0], v.arg[1]); ok {
		return i
	}
	if !g.loose && !g.plain {
		g.plain = true
		i, ok := g.stable(o, v.arg[0], v.arg[1])
		if g.plain = false; ok {
			return i
		}
	}
	if g.loose {
		if i, ok := g.rewrite(o, v.arg[0], v.arg[1]); ok {
			return i
		}
	}
	if (o == opAdd || o == opMul) && v.arg[0] > v.arg[1] {
		v.arg[0], v.arg[1] = v.arg[1], v.arg[0]
	}
	return g.put(v)
}

// exact applies identities that hold bit for bit (but for the sign of a zero).
func (g *graph) exact(o op, a, b int32) (int32, bool) {
	switch o {
	case opAdd, opSub:
		return g.exactSum(o, a, b)
	case opMul:
		if _, ok := g.isConst(a); ok {
			a, b = b, a
		}
		if g.is(b, 1) {
			return a, true
		}
		if g.is(b, -1) {
			return g.op(opNeg, a), true
		}
	case opDiv:
		if c, ok := g.isConst(b); ok {
			if f, e := math.Frexp(c); math.Abs(f) == 0.5 && e > -1000 && e < 1000 {
				return g.op(opMul, a, g.constant(1/c)), true
			}
		}
	case opNeg:
		switch v := g.v[a]; v.op {
		case opNeg:
			return v.arg[0], true
		case opSub:
			return g.op(opSub, v.arg[1], v.arg[0]), true
		}
	case opMin, opMax:
		if a == b {
			return a, true
		}
	case opXLogY:
		if g.is(a, 0) {
			return a, true
		}
	case opTimesExp:
		if g.is(a, 1) {
			return g.op(opExp, b), true
		}
		if g.is(b, 0) {
			return a, true
		}
	}
	return 0, false
}

// exactSum are those of sums and differences.
func (g *graph) exactSum(o op, a, b int32) (int32, bool) {
	if o == opAdd {
		if g.is(a, 0) {
			return b, true
		}
		if g.is(b, 0) {
			return a, true
		}
		if g.v[b].op == opNeg {
			return g.op(opSub, a, g.v[b].arg[0]), true
		}
		if g.v[a].op == opNeg {
			return g.op(opSub, b, g.v[a].arg[0]), true
		}
		return 0, false
	}
	if g.is(b, 0) {
		return a, true
	}
	if g.is(a, 0) {
		return g.op(opNeg, b), true
	}
	if g.v[b].op == opNeg {
		return g.op(opAdd, a, g.v[b].arg[0]), true
	}
	return 0, false
}

// rewrite applies algebra that changes rounding: constants gather at the left
// of products.
func (g *graph) rewrite(o op, a, b int32) (int32, bool) {
	switch o {
	case opNeg:
		if c, f, ok := g.scaled(a); ok {
			return g.op(opMul, g.constant(-c), f), true
		}
	case opMul:
		if _, ok := g.isConst(a); !ok {
			a, b = b, a
		}
		if c, ok := g.isConst(a); ok {
			if d, f, ok := g.scaled(b); ok && ordinary(c*d) {
				return g.op(opMul, g.constant(c*d), f), true
			}
			if g.v[b].op == opNeg {
				return g.op(opMul, g.constant(-c), g.v[b].arg[0]), true
			}
			return 0, false
		}
		for _, p := range [2][2]int32{{a, b}, {b, a}} {
			if c, f, ok := g.scaled(p[0]); ok {
				return g.op(opMul, g.constant(c), g.op(opMul, f, p[1])), true
			}
			if g.v[p[0]].op == opNeg {
				return g.op(opNeg, g.op(opMul, g.v[p[0]].arg[0], p[1])), true
			}
		}
	case opDiv:
		if c, ok := g.isConst(b); ok && ordinary(1/c) {
			return g.op(opMul, g.constant(1/c), a), true
		}
	case opAdd, opSub:
		return g.collect(o, a, b)
	}
	return 0, false
}

// collect makes c·f ± d·f one product.
func (g *graph) collect(o op, a, b int32) (int32, bool) {
	c, f, ok := g.scaled(a)
	if !ok {
		c, f = 1, a
	}
	d, h, ok := g.scaled(b)
	if !ok {
		d, h = 1, b
	}
	if f != h {
		return 0, false
	}
	if o == opSub {
		d = -d
	}
	if !ordinary(c + d) {
		return 0, false
	}
	return g.op(opMul, g.constant(c+d), f), true
}

// scaled takes a constant times f apart.
func (g *graph) scaled(i int32) (c float64, f int32, ok bool) {
	v := g.v[i]
	if v.op != opMul {
		return 0, 0, false
	}
	if c, ok := g.isConst(v.arg[0]); ok {
		return c, v.arg[1], true
	}
	c, ok = g.isConst(v.arg[1])
	return c, v.arg[0], ok
}

// ordinary says that c is far from where products overflow or lose digits.
func ordinary(c float64) bool {
	a := math.Abs(c)
	return a > 1e-100 && a < 1e100
}
