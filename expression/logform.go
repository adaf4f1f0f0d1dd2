package expression

import (
	"math"
	"slices"

	"github.com/r2sgld/r2sgld/internal/vector/lane"
)

// Logarithms and quotients of exponentials are taken in log space, where they
// neither overflow nor underflow: log(exp(a) + exp(b)) is not the logarithm of
// 0 at a = b = -800. For that a vertex is read as a sum of terms c·exp(l), in
// which everything that is no exponential goes to the coefficient c, of any
// sign. Where the formula as written has a finite right value, the rewritten
// one has it too, and it is NaN where that is.

// A term is c·exp(l).
type term struct{ c, l int32 }

// A nature says what the logarithm of a vertex may be known by.
type nature uint8

const (
	common  nature = iota
	curve          // a sigmoid curve or a tail: the logarithm is better known than the value
	growing        // an exponential, which overflows
)

func (g *graph) natureOf(v vertex) nature {
	a, b := g.natures[:], v.arg
	switch v.op {
	case opExp, opTimesExp, opSinh, opCosh, opExpm1:
		return growing
	case opSigmoid, opPhi, opErf, opErfc, opTanh:
		return curve
	case opAdd, opSub, opMul, opDiv:
		return max(a[b[0]], a[b[1]])
	case opNeg, opPower, opSqrt, opAbs:
		return a[b[0]]
	case opPow:
		if g.v[b[0]].val > 0 {
			return curve // 2^x is exact for whole x; its logarithm is known
		}
		return a[b[0]]
	}
	return common
}

// stable returns what stands for an operation on exponentials, if there is
// something better than the operation itself.
func (g *graph) stable(o op, a, b int32) (int32, bool) {
	switch o {
	case opLog:
		return g.log(a)
	case opLog1p:
		if g.natures[a] != common {
			return g.log(g.op(opAdd, g.constant(1), a))
		}
	case opXLogY:
		return g.timesLog(a, b)
	case opLog2:
		return g.logBase(a, math.Ln2)
	case opLog10:
		return g.logBase(a, math.Ln10)
	case opDiv:
		return g.quotient(a, b)
	case opMul:
		if g.isExp(a) && g.isExp(b) {
			p, q := g.product(a), g.product(b)
			return g.op(opTimesExp, g.op(opMul, p.c, q.c), g.op(opAdd, p.l, q.l)), true
		}
	}
	return 0, false
}

// log returns the logarithm of vertex i where it is not plainly computed.
func (g *graph) log(i int32) (int32, bool) {
	if g.natures[i] != common {
		if l, ok := g.logOf(g.merged(i)); ok {
			return l, true
		}
	}
	if l, ok := g.logProduct(i); ok {
		return l, true
	}
	v := g.v[i]
	switch {
	case v.op == opAdd && g.is(v.arg[0], 1):
		return g.put(vertex{op: opLog1p, arg: [4]int32{v.arg[1]}}), true
	case v.op == opAdd && g.is(v.arg[1], 1):
		return g.put(vertex{op: opLog1p, arg: [4]int32{v.arg[0]}}), true
	case v.op == opSub && g.is(v.arg[0], 1):
		return g.put(vertex{op: opLog1p, arg: [4]int32{g.op(opNeg, v.arg[1])}}), true
	}
	return 0, false
}

// timesLog is the product of a vertex with the logarithm of another where that is not plainly
// computed: 0 where the first is, also if the logarithm is none.
func (g *graph) timesLog(a, b int32) (int32, bool) {
	if g.natures[b] == common {
		return 0, false
	}
	l, ok := g.log(b)
	if !ok {
		return 0, false
	}
	return g.op(opMul, a, g.op(opMax, l, g.constant(-math.MaxFloat64))), true
}

// isExp says that vertex i is c·exp(l) as it stands.
func (g *graph) isExp(i int32) bool { return g.v[i].op == opExp || g.v[i].op == opTimesExp }

func (g *graph) logBase(i int32, log float64) (int32, bool) {
	if g.natures[i] == common {
		return 0, false
	}
	l, ok := g.log(i)
	return g.op(opDiv, l, g.constant(log)), ok
}

// logOf returns the logarithm of a sum of terms; none if they have no
// exponential.
func (g *graph) logOf(terms []term) (int32, bool) {
	if g.ordinary(terms) {
		return 0, false
	}
	if len(terms) == 1 {
		return g.op(opAdd, terms[0].l, g.logOrOp(terms[0].c)), true
	}
	if len(terms) > 2 {
		plus, minus, ok := g.signs(terms)
		if !ok || len(plus) == 0 {
			t := g.scaledSum(terms)
			return g.op(opAdd, g.op(opLog, t.c), t.l), true
		}
		terms = []term{g.logSum(plus)}
		if len(minus) > 0 {
			m := g.logSum(minus)
			terms = append(terms, term{g.constant(-1), m.l})
		}
	}
	return g.logSum(terms).l, true
}

// ordinary says that no term has an exponential.
func (g *graph) ordinary(terms []term) bool {
	for _, t := range terms {
		if !g.is(t.l, 0) {
			return false
		}
	}
	return true
}

// signs parts terms with constant coefficients by sign, with the coefficients'
// magnitudes.
func (g *graph) signs(terms []term) (plus, minus []term, ok bool) {
	for _, t := range terms {
		switch c, constant := g.isConst(t.c); {
		case !constant:
			return nil, nil, false
		case c < 0:
			minus = append(minus, term{g.constant(-c), t.l})
		default:
			plus = append(plus, t)
		}
	}
	return plus, minus, true
}

// logSum folds terms, whose sums from the left have logarithms, into one with
// the coefficient 1.
func (g *graph) logSum(terms []term) term {
	one := g.constant(1)
	s := terms[0]
	for _, t := range terms[1:] {
		if s.c == one && t.c == one {
			s.l = g.op(opLogAddExp, s.l, t.l)
		} else {
			s = term{one, g.op(opLogSum, s.c, s.l, t.c, t.l)}
		}
	}
	if s.c != one {
		s = term{one, g.op(opAdd, s.l, g.op(opLog, s.c))}
	}
	return s
}

// factor is a sum of terms as one term.
func (g *graph) factor(terms []term) term {
	if len(terms) == 1 {
		return terms[0]
	}
	for _, t := range terms {
		if !g.positive(t.c) {
			return g.scaledSum(terms)
		}
	}
	return g.logSum(terms)
}

// scaledSum is a sum of terms, which may have any sign, as one term on a common
// scale, which is 1 unless they are large or small.
func (g *graph) scaledSum(terms []term) term {
	if len(terms) == 1 {
		return terms[0]
	}
	peak := int32(none)
	for _, t := range terms {
		p := t.l
		if c, ok := g.isConst(t.c); ok {
			p = g.op(opAdd, p, g.constant(math.Log(math.Abs(c))))
		} else {
			p = g.op(opPeak, t.c, t.l)
		}
		if peak == none {
			peak = p
		} else {
			peak = g.op(opMax, peak, p)
		}
	}
	scale := g.op(opScale, peak)
	var sum int32
	for i, t := range terms {
		x := g.op(opTimesExp, t.c, g.op(opSub, t.l, scale))
		if i == 0 {
			sum = x
		} else {
			sum = g.op(opAdd, sum, x)
		}
	}
	return term{sum, scale}
}

// merged returns the terms of vertex i, those on one scale joined.
func (g *graph) merged(i int32) []term {
	var out []term
	at := map[int32]int{}
	for _, t := range g.terms(i, false, nil) {
		if k, ok := at[t.l]; ok {
			out[k].c = g.op(opAdd, out[k].c, t.c)
			continue
		}
		at[t.l] = len(out)
		out = append(out, t)
	}
	first := out[0]
	if out = slices.DeleteFunc(out, func(t term) bool { return g.is(t.c, 0) }); len(out) == 0 {
		return []term{first}
	}
	return out
}

// terms adds those of vertex i, or of its negative, to out.
func (g *graph) terms(i int32, negative bool, out []term) []term {
	v := g.v[i]
	switch {
	case g.natures[i] == common:
	case v.op == opAdd || v.op == opSub:
		if c, ok := g.complement(v); ok {
			i = c
			break
		}
		out = g.terms(v.arg[0], negative, out)
		return g.terms(v.arg[1], negative != (v.op == opSub), out)
	case v.op == opNeg:
		return g.terms(v.arg[0], !negative, out)
	case v.op == opExpm1 || v.op == opSinh || v.op == opCosh:
		one, c, l := g.constant(1), g.constant(-1), g.constant(0)
		if v.op != opExpm1 {
			one = g.constant(0.5)
			if c = one; v.op == opSinh {
				c = g.constant(-0.5)
			}
			l = g.op(opNeg, v.arg[0])
		}
		if negative {
			one, c = g.op(opNeg, one), g.op(opNeg, c)
		}
		return append(out, term{one, v.arg[0]}, term{c, l})
	}
	t := g.product(i)
	if negative {
		t.c = g.op(opNeg, t.c)
	}
	return append(out, t)
}

// product returns vertex i as one term.
func (g *graph) product(i int32) term {
	one, zero := g.constant(1), g.constant(0)
	if g.natures[i] == common {
		return term{i, zero}
	}
	v := g.v[i]
	a, b := v.arg[0], v.arg[1]
	of := func(i int32) term { return g.factor(g.merged(i)) }
	switch v.op {
	case opExp:
		return term{one, a}
	case opTimesExp:
		return term{a, b}
	case opSigmoid:
		return term{one, g.op(opNeg, g.op(opSoftplus, g.op(opNeg, a)))}
	case opPhi:
		return term{one, g.op(opLogNormal, a)}
	case opErfc:
		return term{g.constant(2), g.op(opLogNormal, g.op(opMul, g.constant(-math.Sqrt2), a))}
	case opMul:
		p, q := of(a), of(b)
		return term{g.op(opMul, p.c, q.c), g.op(opAdd, p.l, q.l)}
	case opDiv:
		p, q := of(a), of(b)
		return term{g.op(opDiv, p.c, q.c), g.op(opSub, p.l, q.l)}
	case opPower:
		p := of(a)
		return term{g.power(p.c, v.n), g.op(opMul, g.constant(float64(v.n)), p.l)}
	case opSqrt:
		p := of(a)
		return term{g.op(opSqrt, p.c), g.op(opMul, g.constant(0.5), p.l)}
	case opAbs:
		p := of(a)
		return term{g.op(opAbs, p.c), p.l}
	case opPow:
		if c, ok := g.isConst(a); ok {
			return term{one, g.op(opMul, g.constant(math.Log(c)), b)}
		}
		p := of(a)
		return term{g.pow(p.c, b), g.op(opMul, b, p.l)}
	}
	return term{i, zero}
}

// complement is what 1 + or 1 − a sigmoid curve is without cancellation.
func (g *graph) complement(v vertex) (int32, bool) {
	a, b := v.arg[0], v.arg[1]
	if v.op == opAdd && g.is(b, 1) {
		a, b = b, a
	}
	if !g.is(a, 1) {
		return 0, false
	}
	w, x := g.v[b], g.v[b].arg[0]
	minus := v.op == opSub
	if !minus {
		x = g.op(opNeg, x)
	}
	switch {
	case minus && (w.op == opSigmoid || w.op == opPhi):
		return g.op(w.op, g.op(opNeg, x)), true
	case w.op == opErf:
		return g.op(opErfc, x), true
	case w.op == opTanh:
		return g.op(opMul, g.constant(2), g.op(opSigmoid, g.op(opMul, g.constant(-2), x))), true
	case minus && w.op == opMul && g.is(w.arg[0], 0.5) && g.v[w.arg[1]].op == opErfc:
		b, w = w.arg[0], g.v[w.arg[1]]
	case minus && w.op == opMul && g.is(w.arg[1], 0.5) && g.v[w.arg[0]].op == opErfc:
		b, w = w.arg[1], g.v[w.arg[0]]
	default:
		return 0, false
	}
	return g.op(opMul, b, g.op(opErfc, g.op(opNeg, w.arg[0]))), true
}

// quotient returns a/b where b has exponentials: exp(x)/(1 + exp(x)) is
// sigmoid(x), exp(x)/exp(y) is exp(x − y).
func (g *graph) quotient(a, b int32) (int32, bool) {
	if g.natures[b] != growing {
		return 0, false
	}
	over := g.merged(b)
	above := g.merged(a)
	if g.ordinary(over) {
		return 0, false
	}
	paired := len(over) == 2 && g.positive(over[0].c) && g.positive(over[1].c)
	for _, t := range above {
		paired = paired && (t.l == over[0].l || t.l == over[1].l)
	}
	if !paired && len(over) > 1 && g.ordinary(above) {
		return 0, false
	}
	whole := g.scaledSum(over)
	sum := g.constant(0)
	for _, t := range above {
		var x int32
		if paired {
			x = g.share(t, over)
		} else {
			x = g.op(opTimesExp, g.op(opDiv, t.c, whole.c), g.op(opSub, t.l, whole.l))
		}
		sum = g.op(opAdd, sum, x)
	}
	return sum, true
}

func (g *graph) positive(i int32) bool {
	c, ok := g.isConst(i)
	return ok && c > 0
}

// share is t over the sum of two terms with positive constants, one of which
// has its exponential.
func (g *graph) share(t term, of []term) int32 {
	one, other := of[0], of[1]
	if t.l != one.l {
		one, other = other, one
	}
	c, d := g.v[one.c].val, g.v[other.c].val
	l := g.op(opAdd, g.op(opSub, one.l, other.l), g.constant(math.Log(c/d)))
	return g.op(opMul, g.op(opDiv, t.c, one.c), g.op(opSigmoid, l))
}

// logSum is log(c·exp(l) + d·exp(m)), also where the exponentials overflow,
// underflow or cancel, or the sum is near 1.
func logSum(c, l, d, m float64) float64 {
	if m > l {
		c, l, d, m = d, m, c, l
	}
	r := below(l, m)
	s, rest := nearOne(c, d, r, rise(r))
	switch {
	case math.Abs(rest) < 0.5:
		return l + lane.Log1p(rest)
	case math.Abs(s) > 1e-280 || s != s:
		return l + lane.Log(s)
	}
	// A coefficient is tiny or 0, or all is.
	p, q := l+lane.Log(math.Abs(c)), m+lane.Log(math.Abs(d))
	top := max(p, q)
	if math.IsInf(top, -1) {
		return top
	}
	return top + lane.Log(math.Copysign(lane.Exp(p-top), c)+math.Copysign(lane.Exp(q-top), d))
}

// below is how far the smaller of two exponents is below the other, at most 0.
func below(l, m float64) float64 {
	if l == m {
		return 0 // also where both are infinite
	}
	return -math.Abs(m - l)
}

// nearby is how far below 0 sums of exponentials are taken by expm1.
const nearby = -1

// rise is what nearOne takes of exp(r): exp(r) − 1 nearby.
func rise(r float64) float64 {
	if r > nearby {
		return lane.Expm1(r)
	}
	return lane.Exp(r)
}

// nearOne returns s = c + d·exp(r) for r ≤ 0, and s − 1, given rise(r).
func nearOne(c, d, r, rise float64) (s, rest float64) {
	e := float64(d * rise)
	if r > nearby {
		return (c + d) + e, ((c - 1) + d) + e
	}
	return c + e, (c - 1) + e
}

// weight is exp(l)/(c·exp(l) + d·exp(m)), the derivative of logSum by c.
func weight(c, l, d, m float64) float64 {
	r := below(l, m)
	if m > l {
		s, _ := nearOne(d, c, r, rise(r))
		return lane.Exp(l-m) / s
	}
	s, _ := nearOne(c, d, r, rise(r))
	return 1 / s
}

// timesExp is c·exp(l): 0 where c is, and finite where the product is.
func timesExp(c, l float64) float64 {
	switch {
	case c == 0 && l < math.Inf(1):
		return 0
	case math.Abs(l) > 700 && !math.IsInf(l, 0) && c == c:
		return math.Copysign(lane.Exp(l+lane.Log(math.Abs(c))), c)
	}
	return c * lane.Exp(l)
}

// farScale is how large an exponent may be before sums get a scale.
const farScale = 30

// scale is what exponents near a are taken from: 0 for those of moderate size.
func scale(a float64) float64 {
	if math.Abs(a) > farScale && !math.IsInf(a, 0) {
		return a
	}
	return 0
}
