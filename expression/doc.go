// Package expression answers what a formula says: its value, its gradient, and
// whether it is linear. One tape serves potentials, constraints and the
// right-hand sides of differential equations.
//
// # Language
//
// A formula has numbers (2, .5, 1e-3), names, parentheses, calls and, from weak
// to strong,
//
//	a + b   a - b         from the left
//	a * b   a / b         from the left; all numbers are real: 1/2 is 0.5
//	-a      +a            -x^2 is -(x^2)
//	a ^ b   a ** b        from the right: 2^3^2 is 2^9; 2^-1 is 0.5
//
// The signs − · × ≤ ≥ may stand for - * * <= >=. A name is a letter or _ and
// then letters, digits and _, or such names and numbers joined by dots: H.initial,
// x.y, x.1. Any other name stands in backquotes, as in `x.x*y` > 1; spaces
// between them do not count. The one constant is pi, also written π; a variable
// of that name hides it. Neither e nor inf is a constant: the silent meaning
// 2.718… of a parameter e would be worse than having to write exp(1).
// Functions and variables have separate names: only a call means a function.
//
// # Functions
//
//	exp log log10 log1p expm1 sqrt pow(a, b)
//	sin cos tan asin acos atan atan2(y, x) sinh cosh tanh
//	abs sign floor min(a, b, …) max(a, b, …)
//	sigmoid softplus logsumexp(a, b, …) erf erfc lgamma
//	normal_lpdf(x, mu, sigma) normal_lcdf(x, mu, sigma) lognormal_lpdf(x, mu, sigma)
//	cauchy_lpdf(x, mu, sigma) student_t_lpdf(x, nu, mu, sigma)
//	exponential_lpdf(x, rate) gamma_lpdf(x, shape, rate) beta_lpdf(x, a, b) uniform_lpdf(x, a, b)
//
// Densities are normalised; outside their support they are -Inf.
//
// # Derivatives at kinks
//
// abs, sign and floor have the derivative 0 at their kinks and jumps. Where
// arguments of min or max tie, the first of them has the whole derivative. sqrt
// has the derivative +Inf at 0, so that sqrt(x^2 + y^2) has none (NaN) at the
// origin. The derivative of a^b by b is 0 where a^b is 0. Outside the support of
// a density the derivatives mean nothing.
//
// # Implicit surfaces
//
// For a function g with the set g ≤ 0, Evaluator(1) is the scalar view: with x
// of length d, Value(v, x) and Gradient(v, n, x) on a v of length 1 give g and
// its outward, not normalised, normal n.
package expression
