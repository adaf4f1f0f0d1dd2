package expression

import "math"

// gradient returns the vertices of the derivatives of root by the inputs wrt,
// in reverse mode: one sweep from root to the inputs that writes, at compile
// time, the formula of every adjoint. Folding and sharing then work on values
// and derivatives alike.
func (g *graph) gradient(root int32, wrt []int) []int32 {
	g.loose = true
	defer func() { g.loose = false }()
	active := make([]bool, root+1)
	for _, j := range wrt {
		if i, ok := g.known[vertexKey{op: opInput, n: j}]; ok && i <= root {
			active[i] = true
		}
	}
	for i := range active {
		for _, a := range g.v[i].arg[:arity[g.v[i].op]] {
			active[i] = active[i] || active[a]
		}
	}
	s := sweep{graph: g, active: active, adjoint: make([]int32, root+1)}
	for i := range s.adjoint {
		s.adjoint[i] = none
	}
	s.adjoint[root] = g.constant(1)
	for i := root; i >= 0; i-- {
		if active[i] && s.adjoint[i] != none {
			s.back(i, g.v[i], s.adjoint[i])
		}
	}
	d := make([]int32, len(wrt))
	for k, j := range wrt {
		d[k] = g.constant(0)
		if i, ok := g.known[vertexKey{op: opInput, n: j}]; ok && i <= root && s.adjoint[i] != none {
			d[k] = s.adjoint[i]
		}
	}
	return d
}

const none = -1

type sweep struct {
	*graph
	active  []bool
	adjoint []int32
}

// to adds d to the adjoint of vertex i.
func (s *sweep) to(i int32, d int32) {
	switch {
	case s.is(d, 0):
	case s.adjoint[i] == none:
		s.adjoint[i] = d
	default:
		s.adjoint[i] = s.op(opAdd, s.adjoint[i], d)
	}
}

// back passes the adjoint w of vertex i on to its arguments.
func (s *sweep) back(i int32, v vertex, w int32) {
	if arity[v.op] == 1 {
		if d := s.slope(i, v, w); d != none {
			s.to(v.arg[0], d)
		}
		return
	}
	for k, a := range v.arg[:arity[v.op]] {
		if s.active[a] {
			if d := s.part(k, i, v, w); d != none {
				s.to(a, d)
			}
		}
	}
}

// slope returns w times the derivative of an operation on one number.
func (s *sweep) slope(i int32, v vertex, w int32) int32 {
	a, one := v.arg[0], s.constant(1)
	times := func(o op) int32 { return s.op(opMul, w, s.op(o, a)) }
	over := func(d int32) int32 { return s.op(opDiv, w, d) }
	square := func() int32 { return s.power(a, 2) }
	switch v.op {
	case opNeg:
		return s.op(opNeg, w)
	case opPower:
		return s.op(opMul, w, s.op(opMul, s.constant(float64(v.n)), s.power(a, v.n-1)))
	case opExp:
		return s.op(opMul, w, i)
	case opLog:
		return over(a)
	case opLog2:
		return s.op(opMul, s.constant(1/math.Ln2), over(a))
	case opLog10:
		return s.op(opMul, s.constant(1/math.Ln10), over(a))
	case opLog1p:
		return over(s.op(opAdd, one, a))
	case opExpm1:
		return times(opExp)
	case opSqrt:
		return s.op(opMul, s.constant(0.5), over(i))
	case opSin:
		return times(opCos)
	case opCos:
		return s.op(opNeg, times(opSin))
	case opTan:
		return s.op(opMul, w, s.op(opAdd, one, s.power(i, 2)))
	case opAsin, opAcos:
		d := over(s.op(opSqrt, s.op(opMul, s.op(opSub, one, a), s.op(opAdd, one, a))))
		if v.op == opAcos {
			d = s.op(opNeg, d)
		}
		return d
	case opAtan:
		return over(s.op(opAdd, one, square()))
	case opAsinh:
		return over(s.op(opHypot, one, a))
	case opAcosh:
		return over(s.op(opSqrt, s.op(opMul, s.op(opSub, a, one), s.op(opAdd, a, one))))
	case opAtanh:
		return over(s.op(opMul, s.op(opSub, one, a), s.op(opAdd, one, a)))
	case opCbrt:
		return over(s.op(opMul, s.constant(3), s.power(i, 2)))
	case opSinh:
		return times(opCosh)
	case opCosh:
		return times(opSinh)
	case opTanh:
		return s.op(opMul, w, s.op(opSub, one, s.power(i, 2)))
	case opAbs:
		return times(opSign)
	}
	return s.slopeSpecial(i, v, w)
}

func (s *sweep) slopeSpecial(i int32, v vertex, w int32) int32 {
	a := v.arg[0]
	times := func(d int32) int32 { return s.op(opMul, w, d) }
	switch v.op {
	case opSigmoid:
		return times(s.op(opMul, i, s.op(opSigmoid, s.op(opNeg, a))))
	case opSoftplus:
		return times(s.op(opSigmoid, a))
	case opErf, opErfc:
		d := times(s.op(opExp, s.op(opNeg, s.power(a, 2))))
		c := 2 / math.Sqrt(math.Pi)
		if v.op == opErfc {
			c = -c
		}
		return s.op(opMul, s.constant(c), d)
	case opLgamma:
		return times(s.op(opDigamma, a))
	case opLogI0:
		return times(s.op(opBesselRatio, a))
	case opPhi:
		d := s.op(opExp, s.op(opMul, s.constant(-0.5), s.power(a, 2)))
		return times(s.op(opMul, s.constant(1/math.Sqrt(2*math.Pi)), d))
	case opLogNormal:
		return times(s.op(opMills, a))
	}
	return none // sign, floor, scale
}

// part returns w times the derivative by argument k of an operation on several.
func (s *sweep) part(k int, i int32, v vertex, w int32) int32 {
	a, b, zero := v.arg[0], v.arg[1], s.constant(0)
	first := k == 0
	switch v.op {
	case opAdd:
		return w
	case opSub:
		if first {
			return w
		}
		return s.op(opNeg, w)
	case opMul:
		return s.op(opMul, w, v.arg[1-k])
	case opDiv:
		d := s.op(opDiv, w, b)
		if first {
			return d
		}
		return s.op(opNeg, s.op(opMul, d, i))
	case opPow:
		return s.powPart(first, i, v, w)
	case opMin:
		return s.pick(first, a, b, w)
	case opMax:
		return s.pick(first, b, a, w)
	case opAtan2:
		return s.atan2Part(first, a, b, w)
	case opLogAddExp:
		return s.op(opMul, w, s.op(opSigmoid, s.op(opSub, v.arg[k], v.arg[1-k])))
	case opXLogY:
		if first {
			return s.op(opMul, w, s.op(opLog, b))
		}
		return s.op(opMul, w, s.over(a, b))
	case opNegBinomial, opNegBinomialLog:
		return s.negBinomialPart(k, v, w)
	case opHypot:
		return s.op(opMul, w, s.op(opDiv, v.arg[k], i))
	case opTimesExp:
		if first {
			return s.op(opMul, w, s.op(opExp, b))
		}
		return s.op(opMul, w, i)
	case opLogSum:
		j := k &^ 1 // of the coefficient of the term
		d := s.op(opMul, w, s.op(opWeight, v.arg[j], v.arg[j+1], v.arg[2-j], v.arg[3-j]))
		if k != j {
			d = s.op(opMul, d, v.arg[j])
		}
		return d
	case opSelect:
		switch k {
		case 2:
			return s.op(opSelect, a, b, w, zero)
		case 3:
			return s.op(opSelect, a, b, zero, w)
		}
	}
	return none
}

// atan2Part is the slope of atan2(a, b).
func (s *sweep) atan2Part(first bool, a, b, w int32) int32 {
	d := s.op(opDiv, w, s.op(opAdd, s.power(a, 2), s.power(b, 2)))
	if first {
		return s.op(opMul, d, b)
	}
	return s.op(opNeg, s.op(opMul, d, a))
}

// pick is w for the first argument where a ≤ b, for the second elsewhere.
func (s *sweep) pick(first bool, a, b, w int32) int32 {
	if first {
		return s.op(opSelect, a, b, w, s.constant(0))
	}
	return s.op(opSelect, a, b, s.constant(0), w)
}

func (s *sweep) powPart(first bool, i int32, v vertex, w int32) int32 {
	a, b := v.arg[0], v.arg[1]
	if first {
		return s.op(opMul, w, s.op(opMul, b, s.pow(a, s.op(opSub, b, s.constant(1)))))
	}
	if c, ok := s.isConst(a); ok && c > 0 {
		return s.op(opMul, w, s.op(opMul, s.constant(math.Log(c)), i))
	}
	return s.op(opMul, w, s.op(opXLogY, i, a))
}
