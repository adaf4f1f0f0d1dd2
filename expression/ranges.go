package expression

import "math"

// A Range holds what a value may be: finite numbers from Lo to Hi, none where Lo is above Hi, and, beside
// these, infinite ones. Of a value that is NaN nothing is left.
type Range struct {
	Lo, Hi   float64
	Infinite bool
}

var (
	anything = Range{math.Inf(-1), math.Inf(1), true}
	nothing  = Range{math.Inf(1), math.Inf(-1), false}
)

// Point is the range of one number.
func Point(v float64) Range {
	if v-v != 0 {
		return Range{math.Inf(1), math.Inf(-1), v == v}
	}
	return Range{v, v, false}
}

// Finite reports whether the value may be finite.
func (r Range) Finite() bool { return r.Lo <= r.Hi }

func (r Range) void() bool { return !r.Finite() && !r.Infinite }

// has reports whether v is among the finite numbers.
func (r Range) has(v float64) bool { return r.Lo <= v && v <= r.Hi }

// with widens the finite numbers by one, or adds infinite ones.
func (r Range) with(v float64) Range {
	if v-v != 0 {
		r.Infinite = r.Infinite || v == v
		return r
	}
	return Range{min(r.Lo, v), max(r.Hi, v), r.Infinite}
}

// Plus is the range of a sum.
func (r Range) Plus(s Range) Range {
	out := Range{math.Inf(1), math.Inf(-1), !r.void() && !s.void() && (r.Infinite || s.Infinite)}
	if r.Finite() && s.Finite() {
		out.Lo, out.Hi = r.Lo+s.Lo, r.Hi+s.Hi
	}
	return out
}

// Times is the range of a product.
func (r Range) Times(s Range) Range {
	out := Range{math.Inf(1), math.Inf(-1), !r.void() && !s.void() && (r.Infinite || s.Infinite)}
	if r.Finite() && s.Finite() {
		for _, a := range [2]float64{r.Lo, r.Hi} {
			for _, b := range [2]float64{s.Lo, s.Hi} {
				v := a * b
				if a == 0 || b == 0 {
					v = 0 // also of numbers without bound
				}
				out.Lo, out.Hi = min(out.Lo, v), max(out.Hi, v)
			}
		}
	}
	return out
}

func (r Range) negative() Range { return Range{-r.Hi, -r.Lo, r.Infinite} }

// inverse is the range of 1/x.
func (r Range) inverse() Range {
	out := Range{math.Inf(1), math.Inf(-1), r.has(0)}
	switch {
	case !r.Finite() || r.Lo == 0 && r.Hi == 0:
	case r.Lo < 0 && r.Hi > 0:
		out.Lo, out.Hi = math.Inf(-1), math.Inf(1)
	case r.Lo == 0:
		out.Lo, out.Hi = 1/r.Hi, math.Inf(1)
	case r.Hi == 0:
		out.Lo, out.Hi = math.Inf(-1), 1/r.Lo
	default:
		out.Lo, out.Hi = 1/r.Hi, 1/r.Lo
	}
	if r.Infinite {
		out = out.with(0)
	}
	return out
}

// rising is the range of a function that does not fall, of numbers from least on.
func (r Range) rising(f func(float64) float64, least float64) Range {
	out := nothing
	if r.Hi >= least && r.Finite() {
		out.Lo, out.Hi = f(max(r.Lo, least)), f(r.Hi)
		if out.Lo == out.Hi && out.Lo-out.Lo != 0 && r.Hi-r.Hi == 0 {
			out = nothing.with(out.Lo) // a number whose image is infinite
		} else if least > math.Inf(-1) && r.has(least) {
			out = out.with(f(least))
		}
	}
	if r.Infinite {
		out = out.with(f(math.Inf(1)))
		if least == math.Inf(-1) {
			out = out.with(f(math.Inf(-1)))
		}
	}
	return out
}

// leasts are where functions that do not fall begin.
var leasts = map[op]float64{opExp: math.Inf(-1), opExpm1: math.Inf(-1), opAtan: math.Inf(-1), opTanh: math.Inf(-1),
	opSigmoid: math.Inf(-1), opSoftplus: math.Inf(-1), opSinh: math.Inf(-1), opAsinh: math.Inf(-1), opCbrt: math.Inf(-1),
	opErf: math.Inf(-1), opPhi: math.Inf(-1), opLogNormal: math.Inf(-1), opFloor: math.Inf(-1), opSign: math.Inf(-1),
	opLog: 0, opLog2: 0, opLog10: 0, opSqrt: 0, opLog1p: -1, opAcosh: 1}

// rangeOf is that of an operation whose arguments are in some.
func rangeOf(v vertex, a [4]Range) Range {
	if v.op != opSelect && v.op != opPow {
		for _, r := range a[:arity[v.op]] {
			if arity[v.op] < 3 && r.void() {
				return nothing
			}
		}
	}
	if least, ok := leasts[v.op]; ok {
		return a[0].rising(unaries[v.op], least)
	}
	switch v.op {
	case opAdd:
		return a[0].Plus(a[1])
	case opSub:
		return a[0].Plus(a[1].negative())
	case opMul:
		return a[0].Times(a[1])
	case opDiv:
		return a[0].Times(a[1].inverse())
	case opNeg:
		return a[0].negative()
	case opAbs:
		return a[0].absolute()
	case opPower:
		n, r := v.n, a[0]
		if n%2 == 0 {
			r = r.absolute()
		}
		out := r.rising(func(x float64) float64 { return math.Pow(x, math.Abs(float64(n))) }, math.Inf(-1))
		if n < 0 {
			out = out.inverse()
		}
		return out
	case opMin, opMax:
		if !a[0].Infinite && !a[1].Infinite {
			return Range{apply(v.op, a[0].Lo, a[1].Lo, 0, 0), apply(v.op, a[0].Hi, a[1].Hi, 0, 0), false}
		}
	}
	return anything
}

func (r Range) absolute() Range {
	if r.Lo >= 0 || !r.Finite() {
		return r
	}
	out := Range{math.Abs(r.Hi), -r.Lo, r.Infinite}
	if r.Hi >= 0 {
		out.Lo, out.Hi = 0, max(r.Hi, -r.Lo)
	}
	return out
}

// Ranges returns what finds the range of the function, given those of its variables: it holds all values
// that there are, and may hold others. It has a workspace of its own.
func (f *Func) Ranges() func(x []Range) Range {
	g := newGraph()
	root := g.build(f.tree, f.variables)
	of := make([]Range, root+1)
	return func(x []Range) Range {
		for i, v := range g.v[:root+1] {
			switch v.op {
			case opConst:
				of[i] = Point(v.val)
			case opInput:
				of[i] = x[v.n]
			default:
				var a [4]Range
				for k, j := range v.arg[:arity[v.op]] {
					a[k] = of[j]
				}
				of[i] = rangeOf(v, a)
			}
		}
		return of[root]
	}
}

// Overflows returns what reports, where the function is NaN, whether infinite numbers made it so, as in 0·∞,
// and no number that a function does not take.
func (f *Func) Overflows() func(x []float64) bool {
	g := newGraph()
	root := g.build(f.tree, f.variables)
	of, over := make([]float64, root+1), make([]bool, root+1)
	return func(x []float64) bool {
		for i, v := range g.v[:root+1] {
			var a [4]float64
			nan, inf := false, false
			over[i] = true
			for k, j := range v.arg[:arity[v.op]] {
				a[k] = of[j]
				if inf = inf || math.IsInf(a[k], 0); a[k] != a[k] {
					nan, over[i] = true, over[i] && over[j]
				}
			}
			switch v.op {
			case opConst:
				of[i] = v.val
			case opInput:
				of[i] = x[v.n]
			case opPower:
				of[i] = math.Pow(a[0], float64(v.n))
			default:
				of[i] = apply(v.op, a[0], a[1], a[2], a[3])
			}
			over[i] = over[i] && (nan || inf)
		}
		return over[root]
	}
}
