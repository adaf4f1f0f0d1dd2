package expression

import (
	"math"
	"slices"
	"strings"
)

// spellings are functions by the names that they have in Stan and NumPy. Unlike
// the names in functions, a variable may have one; it is no function then.
var spellings = map[string]function{
	"fabs": primitive(opAbs), "absolute": primitive(opAbs), "power": functions["pow"],
	"arcsin": primitive(opAsin), "arccos": primitive(opAcos), "arctan": primitive(opAtan), "arctan2": primitive(opAtan2),
	"asinh": primitive(opAsinh), "acosh": primitive(opAcosh), "atanh": primitive(opAtanh),
	"arcsinh": primitive(opAsinh), "arccosh": primitive(opAcosh), "arctanh": primitive(opAtanh),
	"minimum": primitive(opMin), "maximum": primitive(opMax), "fmin": primitive(opMin), "fmax": primitive(opMax),
	"log_sum_exp": chained(opLogAddExp), "logaddexp": primitive(opLogAddExp),
	"log2": primitive(opLog2), "cbrt": primitive(opCbrt), "hypot": primitive(opHypot),
	"inv_logit": primitive(opSigmoid), "expit": primitive(opSigmoid), "logistic": primitive(opSigmoid),
	"log1p_exp": primitive(opSoftplus), "gammaln": primitive(opLgamma), "loggamma": primitive(opLgamma),
	"Phi": primitive(opPhi), "ndtr": primitive(opPhi), "log_ndtr": primitive(opLogNormal), "std_normal_lcdf": primitive(opLogNormal),
	"xlogy": primitive(opXLogY), "lmultiply": primitive(opXLogY), "multiply_log": primitive(opXLogY),

	"square":     {1, 1, func(g *graph, a []int32) int32 { return g.power(a[0], 2) }},
	"inv":        {1, 1, func(g *graph, a []int32) int32 { return g.pow(a[0], g.constant(-1)) }},
	"reciprocal": {1, 1, func(g *graph, a []int32) int32 { return g.pow(a[0], g.constant(-1)) }},
	"inv_square": {1, 1, func(g *graph, a []int32) int32 { return g.pow(a[0], g.constant(-2)) }},
	"inv_sqrt":   {1, 1, func(g *graph, a []int32) int32 { return g.op(opDiv, g.constant(1), g.op(opSqrt, a[0])) }},
	"exp2":       {1, 1, func(g *graph, a []int32) int32 { return g.pow(g.constant(2), a[0]) }},
	"log1m":      {1, 1, func(g *graph, a []int32) int32 { return g.op(opLog1p, g.op(opNeg, a[0])) }},
	"log1m_exp":  {1, 1, func(g *graph, a []int32) int32 { return g.logDiffExp(g.constant(0), a[0]) }},
	"logit": {1, 1, func(g *graph, a []int32) int32 {
		return g.op(opSub, g.op(opLog, a[0]), g.op(opLog1p, g.op(opNeg, a[0])))
	}},
	"log_inv_logit": {1, 1, func(g *graph, a []int32) int32 {
		return g.op(opNeg, g.op(opSoftplus, g.op(opNeg, a[0])))
	}},
	"log1m_inv_logit": {1, 1, func(g *graph, a []int32) int32 { return g.op(opNeg, g.op(opSoftplus, a[0])) }},
	"log_diff_exp":    {2, 2, func(g *graph, a []int32) int32 { return g.logDiffExp(a[0], a[1]) }},
	"log_mix": {3, 3, func(g *graph, a []int32) int32 {
		return g.op(opLogSum, a[0], a[1], g.op(opSub, g.constant(1), a[0]), a[2])
	}},
	"Phi_approx": {1, 1, func(g *graph, a []int32) int32 {
		cubic := g.op(opMul, g.constant(0.07056), g.power(a[0], 3))
		return g.op(opSigmoid, g.op(opAdd, cubic, g.op(opMul, g.constant(1.5976), a[0])))
	}},
	"lbeta": {2, 2, func(g *graph, a []int32) int32 {
		return g.op(opSub, g.op(opAdd, g.op(opLgamma, a[0]), g.op(opLgamma, a[1])), g.op(opLgamma, g.op(opAdd, a[0], a[1])))
	}},
	"std_normal_lpdf": {1, 1, func(g *graph, a []int32) int32 {
		return g.op(opSub, g.op(opMul, g.constant(-0.5), g.power(a[0], 2)), g.constant(math.Log(2*math.Pi)/2))
	}},
	"neg_binomial_2_lpmf":     counted(opNegBinomial),
	"neg_binomial_2_log_lpmf": counted(opNegBinomialLog),
	"normal_cdf":              {3, 3, func(g *graph, a []int32) int32 { return g.op(opPhi, g.standard(a[0], a[1], a[2])) }},
	"normal_lccdf": {3, 3, func(g *graph, a []int32) int32 {
		return g.op(opLogNormal, g.op(opNeg, g.standard(a[0], a[1], a[2])))
	}},
}

// counted is an operation less log y!, of its first argument.
func counted(o op) function {
	return function{3, 3, func(g *graph, a []int32) int32 {
		return g.op(opSub, g.op(o, a...), g.op(opLgamma, g.op(opAdd, a[0], g.constant(1))))
	}}
}

// logDiffExp is log(exp(a) − exp(b)).
func (g *graph) logDiffExp(a, b int32) int32 {
	return g.op(opLogSum, g.constant(1), a, g.constant(-1), b)
}

// Reserved reports whether a name is that of a constant or a function of the
// language, which a variable had better not have: sin*x is hard to read.
func Reserved(name string) bool {
	_, ok := functions[name]
	return ok || Constant(name)
}

// density says that the first argument of a function may end with a bar, as in
// normal_lpdf(x | mu, sigma).
func density(name string) bool {
	ends := []string{"_lpdf", "_lpmf", "_lcdf", "_lccdf", "_cdf"}
	return slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(name, end) })
}
