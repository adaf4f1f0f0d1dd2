"""Values and gradients of formulas where floating point, taken literally, fails.

usage: formula-reference.py > expression/testdata/extreme.json

Needs mpmath. Prints where it comes from and a list of

  formula    in the language of the package expression, of x and y
  at         the variables
  value, gradient

Values are computed in 1000 digits from the formula's mathematics, written anew
in Python, gradients by central differences of width 1e-300 of them.
"""

import json

import mpmath
from mpmath import mpf

mpmath.mp.dps = 1000
exp, log, sqrt, pi = mpmath.exp, mpmath.log, mpmath.sqrt, mpmath.pi
erf, erfc = mpmath.erf, mpmath.erfc


def sigmoid(x):
    return 1 / (1 + exp(-x))


def phi(x):
    return erfc(-x / sqrt(mpf(2))) / 2


def density(x, mu, sigma):
    return exp(-(((x - mu) / sigma) ** 2) / 2) / (sigma * sqrt(2 * pi))


def number(text):
    """What a formula's decimal constant is in binary."""
    return mpf(float(text))


def neg_binomial(y, mu, phi):
    return log(mpmath.rf(phi, y) / mpmath.factorial(y)) + phi * log(phi / (mu + phi)) + y * log(mu / (mu + phi))


PHI = [3, 9.5, 12, 300, 1e5, 1e8, 1e16, 1e100, 1e150]

CASES = [
    ("-log(exp(x) + exp(y))", lambda x, y: -log(exp(x) + exp(y)), [(-800, -801), (900, 850), (0, -50), (1e5, 1e5)]),
    ("log(exp(-x^2) + exp(-y^2))", lambda x, y: log(exp(-x * x) + exp(-y * y)), [(40, 41), (-30, 29.5)]),
    ("log(0.25*exp(x) + 0.75*exp(y))", lambda x, y: log(exp(x) / 4 + 3 * exp(y) / 4), [(-1000, -1001), (1e-9, -1e-9)]),
    ("log(x*exp(-y^2) + (1 - x)*exp(-(y - 1)^2))",
     lambda x, y: log(x * exp(-y * y) + (1 - x) * exp(-(y - 1) ** 2)), [(0.25, 60), (0.5, -45)]),
    ("log(0.25*exp(normal_lpdf(x, 0, 1)) + 0.75*exp(normal_lpdf(y | 3, 0.5)))",
     lambda x, y: log(density(x, 0, 1) / 4 + 3 * density(y, 3, mpf(0.5)) / 4), [(50, 60), (-45, 30)]),
    ("log(exp(x) + exp(y) + exp(x + y))", lambda x, y: log(exp(x) + exp(y) + exp(x + y)), [(-800, -900), (500, 600)]),
    ("log(exp(x)*(exp(y) + exp(2*y)))", lambda x, y: log(exp(x) * (exp(y) + exp(2 * y))), [(-700, -700), (800, 1)]),
    ("log(exp(x)/(exp(y) + exp(-y)))", lambda x, y: log(exp(x) / (exp(y) + exp(-y))), [(-800, 750), (800, -720)]),
    ("log((exp(x) + exp(y))^3)", lambda x, y: 3 * log(exp(x) + exp(y)), [(-400, -401), (500, 499)]),
    ("log(sqrt(exp(x) + exp(y)))", lambda x, y: log(exp(x) + exp(y)) / 2, [(-900, -901)]),
    ("log((exp(x) + exp(y))^-2.5)", lambda x, y: number("-2.5") * log(exp(x) + exp(y)), [(-900, -901)]),
    ("log(3*exp(x) - 2*exp(y))", lambda x, y: log(3 * exp(x) - 2 * exp(y)), [(-800, -801), (800, 800.25)]),
    ("log(exp(x) + exp(2*x) - exp(y))", lambda x, y: log(exp(x) + exp(2 * x) - exp(y)), [(500, 600), (-800, -801)]),
    ("log(x*exp(y) + y*exp(-x) + 1)", lambda x, y: log(x * exp(y) + y * exp(-x) + 1), [(3, 800), (-800, 2)]),
    ("log(x*exp(-y^2) + y*exp(-x^2) + x*y*exp(-x*y))",
     lambda x, y: log(x * exp(-y * y) + y * exp(-x * x) + x * y * exp(-x * y)), [(30, 31), (50, 40)]),
    ("log(1 - exp(x)) + 0*y", lambda x, y: log(1 - exp(x)), [(-1e-20, 0), (-60, 0), (-800, 0)]),
    ("log(1 + exp(x)) - y", lambda x, y: log(1 + exp(x)) - y, [(800, 0), (-50, 0), (-400, 0)]),
    ("log(exp(x) - 1) + y", lambda x, y: log(exp(x) - 1) + y, [(800, 0), (1e-18, 0)]),
    ("log1p(exp(x)) + y", lambda x, y: log(1 + exp(x)) + y, [(900, 0), (-45, 0)]),
    ("log(expm1(x)) + y", lambda x, y: log(exp(x) - 1) + y, [(900, 0)]),
    ("log(sigmoid(x)) + y", lambda x, y: log(sigmoid(x)) + y, [(-800, 0), (50, 0)]),
    ("log(1 - sigmoid(x)) + y", lambda x, y: log(1 - sigmoid(x)) + y, [(800, 0), (-50, 0), (40, 0)]),
    ("log(1/(1 + exp(-x))) + y", lambda x, y: log(sigmoid(x)) + y, [(-800, 0), (45, 0)]),
    ("log(1 - 1/(1 + exp(-x))) + y", lambda x, y: log(1 - sigmoid(x)) + y, [(800, 0), (45, 0)]),
    ("log(x*sigmoid(y) + (1 - x)*sigmoid(-y))",
     lambda x, y: log(x * sigmoid(y) + (1 - x) * sigmoid(-y)), [(0.25, -800), (0.5, 800)]),
    ("log(Phi(x)) + y", lambda x, y: log(phi(x)) + y, [(-40, 0), (9, 0), (3, 0), (-1e5, 0)]),
    ("log(1 - Phi(x)) + y", lambda x, y: log(1 - phi(x)) + y, [(40, 0), (-9, 0)]),
    ("log(0.5*(1 + erf(x/sqrt(2)))) + y", lambda x, y: log(phi(x / sqrt(mpf(2)) * sqrt(mpf(2)))) + y, [(-38.5, 0)]),
    ("log(1 - erf(x)) + y", lambda x, y: log(erfc(x)) + y, [(40, 0), (7, 0)]),
    ("log(0.5*erfc(x)) + y", lambda x, y: log(erfc(x) / 2) + y, [(30, 0)]),
    ("log(Phi(x) - Phi(y))", lambda x, y: log(phi(x) - phi(y)), [(-40, -41)]),
    ("log(cosh(x)) + y", lambda x, y: log(mpmath.cosh(x)) + y, [(800, 0), (-1e4, 0)]),
    ("log(sinh(x)) + y", lambda x, y: log(mpmath.sinh(x)) + y, [(800, 0)]),
    ("xlogy(3, -expm1(-exp(x))) + xlogy(2, 1 + expm1(-exp(x))) + y",
     lambda x, y: 3 * log(1 - exp(-exp(x))) - 2 * exp(x) + y, [(4, 0), (-60, 0), (6.5, 1)]),
    ("xlogy(2, 1 - (1 - exp(-exp(x)))) + y", lambda x, y: -2 * exp(x) + y, [(4, 0), (7, 0)]),
    ("xlogy(3, exp(x)) + xlogy(1.5, sigmoid(y)) + xlogy(2, 1 - sigmoid(x))",
     lambda x, y: 3 * x + number("1.5") * log(sigmoid(y)) + 2 * log(1 - sigmoid(x)), [(-800, -900), (800, 30)]),
    ("xlogy(2, 1 - Phi(x)) + xlogy(0, exp(-exp(y)))", lambda x, y: 2 * log(1 - phi(x)) + 0 * y, [(40, 8), (-3, 2), (12, 700)]),
    ("log(0*(-expm1(-exp(x))) + (1 - 0)*(1 + expm1(-exp(x)))) + y", lambda x, y: -exp(x) + y, [(4, 0), (6, 0)]),
    ("log(1 - tanh(x)) + y", lambda x, y: log(1 - mpmath.tanh(x)) + y, [(40, 0), (500, 0)]),
    ("log10(exp(x) + exp(y))", lambda x, y: mpmath.log10(exp(x) + exp(y)), [(-800, -801)]),
    ("log2(exp(x) + exp(y))", lambda x, y: log(exp(x) + exp(y)) / log(mpf(2)), [(800, 801)]),
    ("log(2^x + 2^y)", lambda x, y: log(mpf(2) ** x + mpf(2) ** y), [(-1200, -1201), (1100, 1090)]),
    ("log(1 + x) + y", lambda x, y: log(1 + x) + y, [(1e-20, 0), (-1e-15, 0)]),
    ("log(1 - x^2) + y", lambda x, y: log(1 - x * x) + y, [(1e-9, 0)]),
    ("exp(x)/(1 + exp(x)) + y", lambda x, y: exp(x) / (1 + exp(x)) + y, [(800, 0), (-700, 0)]),
    ("1/(1 + exp(-x)) + y", lambda x, y: sigmoid(x) + y, [(-700, 0), (720, 0)]),
    ("exp(x)/(exp(x) + exp(y))", lambda x, y: exp(x) / (exp(x) + exp(y)), [(-800, -801), (900, 901), (1e6, 1e6)]),
    ("x*exp(-x^2)/(exp(-x^2) + exp(-y^2))",
     lambda x, y: x * exp(-x * x) / (exp(-x * x) + exp(-y * y)), [(40, 40.01)]),
    ("exp(x)/(1 + exp(x) + exp(y))", lambda x, y: exp(x) / (1 + exp(x) + exp(y)), [(800, 799)]),
    ("(1 + exp(x))^-2*exp(2*x) + y", lambda x, y: sigmoid(x) ** 2 + y, [(800, 0)]),
    ("x/exp(y)", lambda x, y: x / exp(y), [(1e-5, -705)]),
    ("log_sum_exp(x, y)", lambda x, y: log(exp(x) + exp(y)), [(-800, -801)]),
    ("log_diff_exp(x, y)", lambda x, y: log(exp(x) - exp(y)), [(800, 799), (-800, -801)]),
    ("log1m_exp(x) + y", lambda x, y: log(1 - exp(x)) + y, [(-1e-20, 0), (-60, 0)]),
    ("log1m(x) + y", lambda x, y: log(1 - x) + y, [(1e-20, 0)]),
    ("log_mix(x, y, 2*y)", lambda x, y: log(x * exp(y) + (1 - x) * exp(2 * y)), [(0.25, -800), (0.75, 900)]),
    ("logit(sigmoid(x)) + y", lambda x, y: x + y, [(800, 0), (-50, 0)]),
    ("normal_lccdf(x | y, 1)", lambda x, y: log(phi(y - x)), [(40, 0), (-8, 1)]),
    ("-log(x^500*exp(-y))", lambda x, y: y - 500 * log(abs(x)), [(500, 500), (0.001, 3), (-2000, 1)]),
    ("log(x^501*y)", lambda x, y: 500 * log(abs(x)) + log(x * y), [(-300, -2), (1e-5, 3)]),
    ("log(x^-301) + y", lambda x, y: -301 * log(x) + y, [(1e-9, 0), (50, 0)]),
    ("log(-x^401*sqrt(y^301)/y^1001)", lambda x, y: 401 * log(-x) - number("850.5") * log(y), [(-1e4, 1e-6)]),
    ("log(x^y)", lambda x, y: y * log(x), [(1e-5, 400), (30, 800), (1e-3, -900)]),
    ("log(x^y*exp(-x)*y)", lambda x, y: y * log(x) - x + log(y), [(700, 800), (0.01, 400)]),
    ("log((x^2 + 1)^999.5) - y", lambda x, y: number("999.5") * log(x * x + 1) - y, [(-30, 0)]),
    ("log((x^300)^3) + y", lambda x, y: 900 * log(abs(x)) + y, [(1e3, 0), (-1e-2, 0)]),
    ("log(x^3*exp(-x^2)) + y", lambda x, y: 3 * log(x) - x * x + y, [(1e-150, 0)]),
    ("neg_binomial_2_lpmf(0, x, y)", lambda x, y: neg_binomial(0, x, y), [(1e-6, 5), (1e9, 1e-3), *((0.7, p) for p in PHI)]),
    ("neg_binomial_2_lpmf(1, x, y)", lambda x, y: neg_binomial(1, x, y), [(1e3, 1e-30), *((3.5, p) for p in PHI)]),
    ("neg_binomial_2_lpmf(7, x, y)", lambda x, y: neg_binomial(7, x, y), [(1e-3, 1e10), *((2.5, p) for p in PHI)]),
    ("neg_binomial_2_lpmf(900, x, y)", lambda x, y: neg_binomial(900, x, y), [(700, p) for p in PHI]),
    ("neg_binomial_2_lpmf(3, x, 1e300) + y", lambda x, y: neg_binomial(3, x, mpf(1e300)) + y, [(4, 0)]),
    ("neg_binomial_2_log_lpmf(7, x, y)", lambda x, y: neg_binomial(7, exp(x), y),
     [(-800, 2), (800, 2), *((0.9, p) for p in PHI)]),
    ("neg_binomial_2_log_lpmf(900, x, y)", lambda x, y: neg_binomial(900, exp(x), y), [(6.5, p) for p in PHI]),
    ("hypot(x, y)", lambda x, y: sqrt(x * x + y * y), [(1e200, 1e200), (3e-200, 4e-200)]),
]


def gradient(f, at):
    h = mpf(10) ** -300
    for i in range(len(at)):
        up, down = list(at), list(at)
        up[i] += h
        down[i] -= h
        yield float((f(*up) - f(*down)) / (2 * h))


def main():
    out = []
    for formula, f, points in CASES:
        for at in points:
            x = [mpf(v) for v in at]
            out.append({"formula": formula, "at": list(at), "value": float(f(*x)), "gradient": list(gradient(f, x))})
    source = f"script/formula-reference.py, mpmath {mpmath.__version__}, {mpmath.mp.dps} digits"
    lines = ",\n".join("  " + json.dumps(c) for c in out)
    print(f'{{"source": {json.dumps(source)}, "cases": [\n{lines}\n]}}')


main()
