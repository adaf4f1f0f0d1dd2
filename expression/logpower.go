package expression

import "math"

// The logarithm of a product takes powers out, which overflow and underflow long before
// their logarithms do: log(x^500·y) is 500·log|x| + log(y). Of an odd power one factor
// stays, which has the sign.

// logProduct returns the logarithm of vertex i without its powers; none if it has none.
func (g *graph) logProduct(i int32) (int32, bool) {
	if v := g.v[i]; v.op == opPower && v.n%2 != 0 && v.n != -1 {
		return g.op(opMul, g.constant(float64(v.n)), g.logOrOp(v.arg[0])), true
	}
	rest, l, ok := g.powers(i)
	if !ok {
		return 0, false
	}
	if g.is(rest, 1) {
		return l, true
	}
	return g.op(opAdd, l, g.op(opLog, rest)), true
}

// logOrOp returns the logarithm of vertex i, without powers if it has some.
func (g *graph) logOrOp(i int32) int32 {
	if l, ok := g.logProduct(i); ok {
		return l
	}
	return g.op(opLog, i)
}

// powers takes the powers out of a product: vertex i is rest·exp(l). ok is false if there
// are none.
func (g *graph) powers(i int32) (rest, l int32, ok bool) {
	v := g.v[i]
	a, b := v.arg[0], v.arg[1]
	switch v.op {
	case opPower:
		if v.n != -1 {
			return g.wholePower(a, float64(v.n))
		}
	case opPow:
		return g.realPower(a, b)
	case opMul, opDiv:
		p, k, left := g.powers(a)
		q, m, right := g.powers(b)
		sum := opAdd
		if v.op == opDiv {
			sum = opSub
		}
		return g.op(v.op, p, q), g.op(sum, k, m), left || right
	case opNeg, opAbs:
		p, k, ok := g.powers(a)
		return g.op(v.op, p), k, ok
	case opSqrt:
		p, k, ok := g.powers(a)
		return g.op(opSqrt, p), g.op(opMul, g.constant(0.5), k), ok
	}
	return i, g.constant(0), false
}

// wholePower takes a^n apart.
func (g *graph) wholePower(a int32, n float64) (rest, l int32, ok bool) {
	rest = g.constant(1)
	if math.Mod(n, 2) != 0 {
		rest, n = a, n-1
	}
	return rest, g.op(opMul, g.constant(n), g.logOrOp(g.op(opAbs, a))), true
}

// realPower takes a^b apart. Where a may be negative and b varies, the power stays as it is
// there.
func (g *graph) realPower(a, b int32) (rest, l int32, ok bool) {
	one, zero := g.constant(1), g.constant(0)
	n, constant := g.isConst(b)
	base, _ := g.isConst(a)
	switch {
	case constant && n == math.Trunc(n):
		return g.wholePower(a, n)
	case constant || base > 0:
		return one, g.op(opMul, b, g.logOrOp(a)), true
	}
	negative, positive := g.op(opSelect, a, zero, a, one), g.op(opSelect, a, zero, one, a)
	return g.op(opPow, negative, b), g.op(opMul, b, g.op(opLog, positive)), true
}
