package expression

import (
	"math"

	"gonum.org/v1/gonum/mathext"

	"github.com/r2sgld/r2sgld/internal/vector/lane"
)

// A function of the language: how many arguments it takes and the vertex it is.
type function struct {
	min, max int // number of arguments; max 0 is any number
	build    func(g *graph, a []int32) int32
}

func primitive(o op) function {
	return function{arity[o], arity[o], func(g *graph, a []int32) int32 { return g.op(o, a...) }}
}

// chained folds a function of two arguments over any number of them.
func chained(o op) function {
	return function{1, 0, func(g *graph, a []int32) int32 {
		v := a[0]
		for _, b := range a[1:] {
			v = g.op(o, v, b)
		}
		return v
	}}
}

// lookup finds a function by its name.
func lookup(name string) (function, bool) {
	f, ok := functions[name]
	if !ok {
		f, ok = spellings[name]
	}
	if w, known := densities[name]; known {
		return w.function(), true
	}
	if joints[name] != nil {
		return joint(name), true
	}
	return f, ok
}

var functions = map[string]function{
	"exp": primitive(opExp), "log": primitive(opLog), "log10": primitive(opLog10),
	"log1p": primitive(opLog1p), "expm1": primitive(opExpm1), "sqrt": primitive(opSqrt),
	"sin": primitive(opSin), "cos": primitive(opCos), "tan": primitive(opTan),
	"asin": primitive(opAsin), "acos": primitive(opAcos), "atan": primitive(opAtan), "atan2": primitive(opAtan2),
	"sinh": primitive(opSinh), "cosh": primitive(opCosh), "tanh": primitive(opTanh),
	"abs": primitive(opAbs), "sign": primitive(opSign), "floor": primitive(opFloor),
	"sigmoid": primitive(opSigmoid), "softplus": primitive(opSoftplus),
	"erf": primitive(opErf), "erfc": primitive(opErfc), "lgamma": primitive(opLgamma), "log_i0": primitive(opLogI0),
	"min": chained(opMin), "max": chained(opMax), "logsumexp": chained(opLogAddExp),

	"pow":              {2, 2, func(g *graph, a []int32) int32 { return g.pow(a[0], a[1]) }},
	"normal_lpdf":      {3, 3, normal},
	"lognormal_lpdf":   {3, 3, lognormal},
	"cauchy_lpdf":      {3, 3, cauchy},
	"student_t_lpdf":   {4, 4, studentT},
	"exponential_lpdf": {2, 2, exponential},
	"gamma_lpdf":       {3, 3, gamma},
	"beta_lpdf":        {3, 3, beta},
	"uniform_lpdf":     {3, 3, uniform},
	"normal_lcdf": {3, 3, func(g *graph, a []int32) int32 {
		return g.op(opLogNormal, g.standard(a[0], a[1], a[2]))
	}},
}

// maxPower is the largest exponent that is taken by multiplication.
const maxPower = 16

func (g *graph) pow(a, b int32) int32 {
	if c, ok := g.isConst(b); ok {
		if c == 0.5 {
			return g.op(opSqrt, a)
		}
		if n := int(max(-100, min(c, 100))); float64(n) == c && n >= -maxPower && n <= maxPower {
			if n < 0 && g.natures[a] == growing && !g.loose && !g.plain {
				return g.op(opDiv, g.constant(1), g.power(a, -n))
			}
			return g.power(a, n)
		}
	}
	if _, ok := g.isConst(a); ok { // the same bits as of a variable
		if n, ok := g.halves(vertex{op: opPow, arg: [4]int32{a, b}}); ok {
			return g.op(opMul, g.multiplied(a, n), g.op(opSqrt, a))
		}
	}
	return g.op(opPow, a, b)
}

func (g *graph) standard(x, mu, sigma int32) int32 {
	return g.op(opDiv, g.op(opSub, x, mu), sigma)
}

// sum adds vertices from the left.
func (g *graph) sum(a ...int32) int32 {
	s := a[0]
	for _, b := range a[1:] {
		s = g.op(opAdd, s, b)
	}
	return s
}

// where is v if a ≤ b and -Inf otherwise.
func (g *graph) where(a, b, v int32) int32 {
	return g.op(opSelect, a, b, v, g.constant(math.Inf(-1)))
}

func normal(g *graph, a []int32) int32 {
	z := g.standard(a[0], a[1], a[2])
	v := g.op(opMul, g.constant(-0.5), g.power(z, 2))
	v = g.op(opSub, v, g.op(opLog, a[2]))
	return g.op(opSub, v, g.constant(math.Log(2*math.Pi)/2))
}

func lognormal(g *graph, a []int32) int32 {
	l := g.op(opLog, a[0])
	v := g.op(opSub, normal(g, []int32{l, a[1], a[2]}), l)
	return g.op(opSelect, a[0], g.constant(0), g.constant(math.Inf(-1)), v)
}

func cauchy(g *graph, a []int32) int32 {
	z := g.standard(a[0], a[1], a[2])
	v := g.op(opNeg, g.op(opLog1p, g.power(z, 2)))
	v = g.op(opSub, v, g.op(opLog, a[2]))
	return g.op(opSub, v, g.constant(math.Log(math.Pi)))
}

func studentT(g *graph, a []int32) int32 {
	nu, half := a[1], g.constant(0.5)
	z := g.standard(a[0], a[2], a[3])
	n1 := g.op(opMul, half, g.op(opAdd, nu, g.constant(1)))
	v := g.op(opSub, g.op(opLgamma, n1), g.op(opLgamma, g.op(opMul, half, nu)))
	v = g.op(opSub, v, g.op(opMul, half, g.op(opLog, g.op(opMul, g.constant(math.Pi), nu))))
	v = g.op(opSub, v, g.op(opLog, a[3]))
	return g.op(opSub, v, g.op(opMul, n1, g.op(opLog1p, g.op(opDiv, g.power(z, 2), nu))))
}

func exponential(g *graph, a []int32) int32 {
	v := g.op(opSub, g.op(opLog, a[1]), g.op(opMul, a[1], a[0]))
	return g.where(g.constant(0), a[0], v)
}

func gamma(g *graph, a []int32) int32 {
	x, shape, rate := a[0], a[1], a[2]
	v := g.op(opSub, g.op(opMul, shape, g.op(opLog, rate)), g.op(opLgamma, shape))
	v = g.op(opAdd, v, g.op(opXLogY, g.op(opSub, shape, g.constant(1)), x))
	return g.where(g.constant(0), x, g.op(opSub, v, g.op(opMul, rate, x)))
}

func beta(g *graph, a []int32) int32 {
	x, one := a[0], g.constant(1)
	v := g.sum(g.op(opLgamma, g.op(opAdd, a[1], a[2])),
		g.op(opNeg, g.op(opLgamma, a[1])), g.op(opNeg, g.op(opLgamma, a[2])),
		g.op(opXLogY, g.op(opSub, a[1], one), x),
		g.op(opXLogY, g.op(opSub, a[2], one), g.op(opSub, one, x)))
	return g.where(g.constant(0), x, g.where(x, one, v))
}

func uniform(g *graph, a []int32) int32 {
	v := g.op(opNeg, g.op(opLog, g.op(opSub, a[2], a[1])))
	return g.where(a[1], a[0], g.where(a[0], a[2], v))
}

// apply is the meaning of every operation of a graph but opInput and opPower.
func apply(o op, a, b, c, d float64) float64 {
	switch o {
	case opAdd:
		return a + b
	case opSub:
		return a - b
	case opMul:
		return a * b
	case opDiv:
		return a / b
	case opNeg:
		return -a
	case opPow:
		return math.Pow(a, b)
	case opMin:
		return min(a, b)
	case opMax:
		return max(a, b)
	case opAtan2:
		return math.Atan2(a, b)
	case opLogAddExp:
		return logAddExp(a, b)
	case opXLogY:
		if a == 0 && b == b {
			return 0
		}
		return a * lane.Log(b)
	case opSelect:
		if a <= b {
			return c
		}
		return d
	case opNegBinomial:
		return negBinomialOf(shapeOf(c), a, b)
	case opNegBinomialLog:
		return negBinomialOfLog(shapeOf(c), a, b)
	case opNegBinomialPhi:
		return shapeOf(c).slope(a, b)
	case opHypot:
		return math.Hypot(a, b)
	case opLogSum:
		return logSum(a, b, c, d)
	case opWeight:
		return weight(a, b, c, d)
	case opTimesExp:
		return timesExp(a, b)
	case opPeak:
		return lane.Log(math.Abs(a)) + b
	}
	return unaries[o](a)
}

// unaries are the operations on one number.
var unaries = [...]func(float64) float64{
	opNeg: func(a float64) float64 { return -a },
	opExp: lane.Exp, opLog: lane.Log, opLog2: math.Log2, opLog10: math.Log10, opLog1p: lane.Log1p, opExpm1: lane.Expm1,
	opSqrt: math.Sqrt, opCbrt: math.Cbrt, opSin: lane.Sin, opCos: lane.Cos, opTan: lane.Tan,
	opAsin: math.Asin, opAcos: math.Acos, opAtan: math.Atan,
	opSinh: math.Sinh, opCosh: math.Cosh, opTanh: lane.Tanh, opAsinh: math.Asinh, opAcosh: math.Acosh, opAtanh: math.Atanh,
	opAbs: math.Abs, opSign: sign, opFloor: math.Floor,
	opSigmoid: lane.Sigmoid, opSoftplus: lane.Softplus,
	opErf: lane.Erf, opErfc: lane.Erfc, opPhi: lane.Phi,
	opLgamma:  func(a float64) float64 { l, _ := math.Lgamma(a); return l },
	opDigamma: mathext.Digamma,
	opLogI0:   logI0, opBesselRatio: besselRatio,
	opLogNormal: logNormal, opMills: mills, opScale: scale,
}

func sign(a float64) float64 {
	switch {
	case a > 0:
		return 1
	case a < 0:
		return -1
	}
	return a // 0 or NaN
}

func logAddExp(a, b float64) float64 {
	if a == b {
		return a + math.Ln2
	}
	return max(a, b) + lane.Log1p(lane.Exp(-math.Abs(a-b)))
}

// tailSeries is 1 − 1/z² + 3/z⁴ − 15/z⁶ + …, to which −z Φ(z)/φ(z) tends for
// z → −∞; at z = −30 the next term is below 1e-14.
func tailSeries(z float64) float64 {
	y := 1 / (z * z)
	return 1 - y*(1-3*y*(1-5*y*(1-7*y*(1-9*y))))
}

const farTail = -30

func logNormal(z float64) float64 {
	switch {
	case z > 0:
		return lane.Log1p(-lane.Phi(-z))
	case z >= farTail || z != z:
		return lane.Log(lane.Phi(z))
	case math.IsInf(z, -1):
		return z
	}
	return -z*z/2 - lane.Log(-z) - math.Log(2*math.Pi)/2 + lane.Log(tailSeries(z))
}

func mills(z float64) float64 {
	if z >= farTail || z != z {
		return lane.Exp(-z*z/2) / math.Sqrt(2*math.Pi) / lane.Phi(z)
	}
	return -z / tailSeries(z)
}
