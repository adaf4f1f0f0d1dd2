package expression

import (
	"math"
	"testing"
)

// What each spelling means, in other words.
var meanings = map[string]string{
	"fabs(x)": "abs(x)", "absolute(y)": "abs(y)", "power(x, 3)": "x^3", "square(y)": "y^2", "inv(x)": "1/x", "reciprocal(x)": "1/x",
	"inv_square(y)": "1/y^2", "inv_sqrt(x)": "1/sqrt(x)", "cbrt(x)": "x^(1/3)", "hypot(x, y)": "sqrt(x^2 + y^2)",
	"exp2(x)": "2^x", "log2(x)": "log(x)/log(2)", "log1m(y)": "log(1 - y)", "log1m_exp(y)": "log(1 - exp(y))",
	"log1p_exp(x)": "log(1 + exp(x))", "log_diff_exp(x, y)": "log(exp(x) - exp(y))", "log_sum_exp(x, y)": "log(exp(x) + exp(y))",
	"logaddexp(x, y)": "log(exp(x) + exp(y))", "log_mix(x, x, y)": "log(x*exp(x) + (1 - x)*exp(y))",
	"logit(x)": "log(x/(1 - x))", "inv_logit(x)": "1/(1 + exp(-x))", "expit(x)": "sigmoid(x)", "logistic(x)": "sigmoid(x)",
	"log_inv_logit(x)": "log(sigmoid(x))", "log1m_inv_logit(x)": "log(1 - sigmoid(x))",
	"arcsin(x)": "asin(x)", "arccos(x)": "acos(x)", "arctan(x)": "atan(x)", "arctan2(x, y)": "atan2(x, y)",
	"asinh(x)": "log(x + sqrt(x^2 + 1))", "acosh(1 + x)": "log(1 + x + sqrt((1 + x)^2 - 1))", "atanh(x)": "0.5*log((1 + x)/(1 - x))",
	"arcsinh(y)": "log(y + sqrt(y^2 + 1))", "arccosh(1 + x)": "acosh(1 + x)", "arctanh(x)": "atanh(x)",
	"minimum(x, y)": "min(x, y)", "maximum(x, y)": "max(x, y)", "fmin(x, y)": "min(x, y)", "fmax(x, y)": "max(x, y)",
	"Phi(y)": "0.5*(1 + erf(y/sqrt(2)))", "ndtr(y)": "Phi(y)", "log_ndtr(y)": "normal_lcdf(y, 0, 1)",
	"std_normal_lcdf(y)": "normal_lcdf(y, 0, 1)",
	"Phi_approx(y)":      "sigmoid(0.07056*y^3 + 1.5976*y)", "gammaln(x)": "lgamma(x)", "loggamma(x)": "lgamma(x)",
	"lbeta(x, 2)": "-log(x) - log(x + 1)", "xlogy(y, x)": "y*log(x)", "lmultiply(y, x)": "y*log(x)", "multiply_log(y, x)": "y*log(x)",
	"neg_binomial_2_lpmf(3, x, 2)":     "lgamma(5) - lgamma(2) - lgamma(4) + 2*log(2/(x + 2)) + 3*log(x/(x + 2))",
	"neg_binomial_2_log_lpmf(3, y, 2)": "lgamma(5) - lgamma(2) - lgamma(4) + 2*log(2/(exp(y) + 2)) + 3*log(exp(y)/(exp(y) + 2))",
	"std_normal_lpdf(y)":               "normal_lpdf(y, 0, 1)", "normal_cdf(y, x, 2)": "Phi((y - x)/2)", "normal_lccdf(y, x, 2)": "log(1 - Phi((y - x)/2))",
}

func TestSpellings(t *testing.T) {
	told := map[string]bool{}
	for src, meaning := range meanings {
		tree, _ := parse(src, false)
		told[tree.text] = true
		f, err := Compile(src, letters)
		if err != nil {
			t.Fatal(err)
		}
		g, err := Compile(meaning, letters)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range [][]float64{{0.3, -0.7, 0}, {0.9, -2, 0}} {
			v, w := make([]float64, 1), make([]float64, 1)
			d, e := make([]float64, 3), make([]float64, 3)
			f.Evaluator(1).Gradient(v, d, x)
			g.Evaluator(1).Gradient(w, e, x)
			v, w = append(v, d...), append(w, e...)
			for i := range v {
				if !(math.Abs(v[i]-w[i]) < 1e-13*(1+math.Abs(w[i]))) {
					t.Errorf("%s at %v is %v with its gradient, want %v", src, x, v, w)
					break
				}
			}
		}
	}
	for name := range spellings {
		if !told[name] {
			t.Errorf("%s is not in the test", name)
		}
	}
}

// A variable hides the function of a spelling, not of the language's own name.
func TestSpellingsMayBeVariables(t *testing.T) {
	if _, err := Compile("inv*2 + Phi/square", []string{"inv", "Phi", "square"}); err != nil {
		t.Error(err)
	}
	_, err := Compile("inv(2)", []string{"inv"})
	checkError(t, "inv(2)", err, "inv", `"inv" is not a function; a product is written inv*(…)`)
	for name, want := range map[string]bool{"sin": true, "π": true, "normal_lpdf": true, "Phi": false, "step": false} {
		if Reserved(name) != want {
			t.Errorf("%s reserved: %v", name, !want)
		}
	}
}
