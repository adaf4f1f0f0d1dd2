package expression

import (
	"math"
	"strings"
)

// A written function is a formula of its arguments.
type written struct{ args, text string }

// densities are log densities, distribution functions below (lcdf) and above (lccdf) a value, by the names
// and in the parametrisations of Stan. Outside the support of a law they are −∞ or NaN.
var densities = map[string]written{
	"laplace_lpdf":            {"y mu sigma", "-log(2*sigma) - abs(y - mu)/sigma"},
	"double_exponential_lpdf": {"y mu sigma", "laplace_lpdf(y, mu, sigma)"},
	"logistic_lpdf":           {"y mu sigma", "-log(sigma) - (y - mu)/sigma - 2*softplus(-(y - mu)/sigma)"},
	"skew_normal_lpdf":        {"y xi omega alpha", "log(2) + normal_lpdf(y, xi, omega) + std_normal_lcdf(alpha*(y - xi)/omega)"},
	"inv_gamma_lpdf":          {"y alpha beta", "alpha*log(beta) - lgamma(alpha) - (alpha + 1)*log(y) - beta/y"},
	"weibull_lpdf":            {"y alpha sigma", "log(alpha/sigma) + (alpha - 1)*log(y/sigma) - (y/sigma)^alpha"},
	"von_mises_lpdf":          {"y mu kappa", "kappa*(cos(y - mu) - 1) - log(2*pi) - (log_i0(kappa) - kappa)"},

	"bernoulli_lpmf":       {"y theta", "log(y*theta + (1 - y)*(1 - theta))"},
	"bernoulli_logit_lpmf": {"y eta", "y*eta - softplus(eta)"},
	"binomial_lpmf":        {"y n theta", "xlogy(y, theta) + xlogy(n - y, 1 - theta) + lchoose(n, y)"},
	"binomial_logit_lpmf":  {"y n eta", "y*eta - n*softplus(eta) + lchoose(n, y)"},
	"lchoose":              {"n k", "lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)"},
	"poisson_lpmf":         {"y lambda", "xlogy(y, lambda) - lambda - lgamma(y + 1)"},
	"poisson_log_lpmf":     {"y eta", "y*eta - exp(eta) - lgamma(y + 1)"},

	"lognormal_lcdf":    {"y mu sigma", "normal_lcdf(log(y), mu, sigma)"},
	"lognormal_lccdf":   {"y mu sigma", "normal_lccdf(log(y), mu, sigma)"},
	"logistic_lcdf":     {"y mu sigma", "-softplus(-(y - mu)/sigma)"},
	"logistic_lccdf":    {"y mu sigma", "-softplus((y - mu)/sigma)"},
	"cauchy_lcdf":       {"y mu sigma", "log(atan2(sigma, mu - y)/pi)"},
	"cauchy_lccdf":      {"y mu sigma", "log(atan2(sigma, y - mu)/pi)"},
	"laplace_lcdf":      {"y mu sigma", "(y - mu - abs(y - mu))/(2*sigma) + log1p(-exp(-(y - mu + abs(y - mu))/(2*sigma))/2)"},
	"laplace_lccdf":     {"y mu sigma", "laplace_lcdf(-y, -mu, sigma)"},
	"exponential_lcdf":  {"y beta", "log1m_exp(exponential_lccdf(y, beta))"},
	"exponential_lccdf": {"y beta", "-beta*max(y, 0)"},
	"weibull_lcdf":      {"y alpha sigma", "log1m_exp(-(y/sigma)^alpha)"},
	"weibull_lccdf":     {"y alpha sigma", "-(y/sigma)^alpha"},
}

// function is the function of the language that w is.
func (w written) function() function {
	args := strings.Fields(w.args)
	return function{len(args), len(args), func(g *graph, a []int32) int32 {
		tree, err := parse(w.text, false)
		if err != nil {
			panic("expression: " + w.text + ": " + err.Error())
		}
		return g.buildOn(tree, func(j int) int32 { return a[j] }, args)
	}}
}

// far is from where on the Bessel functions have all digits by their asymptotic series, whose terms fall
// down to exp(−2x).
const far = 30

// series sums a series from its first term, 1, and the ratios of terms to those before.
func series(ratio func(k float64) float64) float64 {
	sum, term := 1.0, 1.0
	for k := 1.0; math.Abs(term) > 1e-17*sum; k++ {
		term *= ratio(k)
		sum += term
	}
	return sum
}

// asymptotic sums the series of √(2πx)·exp(−x)·I_ν(x) for large x, with m = 4ν² (Abramowitz & Stegun 9.7.1).
func asymptotic(m, x float64) float64 {
	return series(func(k float64) float64 { return ((2*k-1)*(2*k-1) - m) / (8 * k * x) })
}

// logI0 is log I₀(x), of the modified Bessel function of the first kind.
func logI0(x float64) float64 {
	x = math.Abs(x)
	if x > far {
		return x - math.Log(2*math.Pi*x)/2 + math.Log(asymptotic(0, x))
	}
	return math.Log1p(series(func(k float64) float64 { return x / 2 * x / 2 / (k * k) }) - 1)
}

// besselRatio is I₁(x)/I₀(x), the derivative of log I₀.
func besselRatio(x float64) float64 {
	if math.IsInf(x, 0) {
		return math.Copysign(1, x)
	}
	if a := math.Abs(x); a > far {
		return math.Copysign(asymptotic(4, a)/asymptotic(0, a), x)
	}
	q := x / 2 * x / 2
	return x / 2 * series(func(k float64) float64 { return q / (k * (k + 1)) }) / series(func(k float64) float64 { return q / (k * k) })
}
