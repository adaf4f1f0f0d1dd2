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
// Densities are normalised; outside their support they are -Inf. A bar may stand
// for their first comma, as in normal_lpdf(x | mu, sigma).
//
// The following are known by the names that they have in Stan and NumPy. A
// variable may have such a name; it is no function then.
//
//	fabs absolute power square inv reciprocal inv_square inv_sqrt cbrt hypot(a, b)
//	exp2 log2 log1m log1m_exp log1p_exp log_diff_exp(a, b) log_sum_exp(a, b, …) logaddexp(a, b)
//	log_mix(theta, a, b) logit inv_logit expit logistic log_inv_logit log1m_inv_logit
//	arcsin arccos arctan arctan2(y, x) asinh acosh atanh arcsinh arccosh arctanh
//	minimum(a, b) maximum(a, b) fmin(a, b) fmax(a, b)
//	Phi Phi_approx ndtr log_ndtr gammaln loggamma lbeta(a, b) xlogy(a, b) lmultiply(a, b) multiply_log(a, b)
//	std_normal_lpdf std_normal_lcdf normal_cdf(x, mu, sigma) normal_lccdf(x, mu, sigma)
//
// # Log space
//
// Logarithms of sums, products, quotients and powers of exponentials are taken
// without the exponentials: -log(exp(a) + exp(b)), log(w*exp(-x^2) + 1 - w),
// log(1 - exp(x)), log(sigmoid(x)), log(1 - Phi(x)) and log(cosh(x)) are right,
// and so are their gradients, where the exponentials overflow, underflow or
// cancel. The same holds for quotients such as exp(x)/(1 + exp(x)), and for
// logarithms of products of powers, such as log(x^500*exp(-x)). Elsewhere
// values differ by rounding only, and the logarithm of a negative number is NaN.
//
// # Length
//
// A formula may be of any length, such as a sum over 10,000 rows of data. It
// may nest 250 parentheses, and operators may follow each other 262,144 times:
// its tree is walked recursively, and Go ends a program whose stack is exhausted.
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
