"""PySINDy and ours on the Lorenz system: script/peers-dynamics.py [R2SGLD]

R2SGLD is our program; without it PySINDy alone. The data are 2001 rows of one
trajectory (σ 10, ρ 28, β 8/3, from (−8, 8, 27), step 0.01) with normal noise of
0 to 20 % of the standard deviation of each state; the library holds the ten
monomials of degree 2 and less; seven of the thirty coefficients are not zero.

Error is the Euclidean norm of the coefficients' error over that of the
coefficients, of ours that of the posterior means. Of PySINDy's methods each row
is the best, by that error, of the thresholds 0.1, 0.2 and 0.5, which nobody can
choose without the truth (of ConstrainedSR3, whose bounds need an l1 penalty, of
weights 50, 100 and 250 too); ours has no threshold. Extra and missing are terms
found that are not there and terms there that are not found; violated, of two
bounds on sums of coefficients. Medians over the noise's repeats, of violations
the mean; found is the share of repeats with the structure exact.
Seconds are CPU seconds: of PySINDy the fit alone at one threshold, of ours the
whole program on one thread, from start-up to files and figures.
"""

import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
import warnings

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
warnings.filterwarnings("ignore")

import numpy as np
import pysindy
from scipy.integrate import solve_ivp

STEP, ROWS = 0.01, 2001
LEVELS = (0, 0.01, 0.05, 0.10, 0.20)
THRESHOLDS = (0.1, 0.2, 0.5)
REPEATS = int(os.environ.get("REPEATS", 5))  # of a noise level
COVERAGE_REPEATS = int(os.environ.get("COVERAGE_REPEATS", 50))
COVERAGE_LEVELS = (0.01, 0.05)
TERMS = ("1", "x", "y", "z", "x^2", "x*y", "x*z", "y^2", "y*z", "z^2")  # in PySINDy's order
TIMES = STEP * np.arange(ROWS)
TRUTH = np.zeros((3, len(TERMS)))
for state, term, value in ((0, "x", -10), (0, "y", 10), (1, "x", 28), (1, "y", -1), (1, "x*z", -1), (2, "z", -8 / 3), (2, "x*y", 1)):
    TRUTH[state, TERMS.index(term)] = value
# What a user may know: pairs of coefficients whose sum is 0 within a bound. x is driven by y − x, and the quadratic
# terms of y and z exchange energy and make none.
BOUNDS = (((0, "x"), (0, "y"), 0.05), ((1, "x*z"), (2, "x*y"), 0.01))


def place(coefficient):
    return coefficient[0], TERMS.index(coefficient[1])


def clean():
    def lorenz(_, s):
        return [10 * (s[1] - s[0]), s[0] * (28 - s[2]) - s[1], s[0] * s[1] - 8 / 3 * s[2]]

    return solve_ivp(lorenz, (0, TIMES[-1]), [-8, 8, 27], t_eval=TIMES, rtol=1e-10, atol=1e-10).y.T


def noisy(states, level, seed):
    return states + level * states.std(0) * np.random.default_rng(seed).standard_normal(states.shape)


class Score:
    """What a method found, over repeats."""

    def __init__(self):
        self.rows = []

    def add(self, coefficients, seconds):
        found, there = coefficients != 0, TRUTH != 0
        violated = sum(abs(coefficients[place(a)] + coefficients[place(b)]) > bound + 1e-6 for a, b, bound in BOUNDS)
        self.rows.append((np.linalg.norm(coefficients - TRUTH) / np.linalg.norm(TRUTH), (found & ~there).sum(),
                          (there & ~found).sum(), seconds, violated))

    def line(self, name):
        error, extra, missing, seconds, _ = np.median(self.rows, axis=0)
        violated = np.mean([r[4] for r in self.rows])
        exact = np.mean([r[1] + r[2] == 0 for r in self.rows])
        return f"{name:34} {error:10.2e} {exact:7.0%} {extra:7.0f} {missing:8.0f} {seconds:9.3f} {violated:9.1f}"


HEAD = f"{'':34} {'error':>10} {'found':>7} {'extra':>7} {'missing':>8} {'CPU s':>9} {'violated':>9}"


# PySINDy

def polynomials(bias=True):
    return pysindy.PolynomialLibrary(degree=2, include_bias=bias)


def smoothed():
    return pysindy.SmoothedFiniteDifference(smoother_kws={"window_length": 11})


def weak():
    return pysindy.WeakPDELibrary(function_library=polynomials(False), spatiotemporal_grid=TIMES, is_uniform=True,
                                  include_bias=True, K=200, H_xt=0.25)


def constrained():
    left, right = np.zeros((2 * len(BOUNDS), *TRUTH.shape)), np.zeros(2 * len(BOUNDS))
    for i, (a, b, bound) in enumerate(BOUNDS):
        for k, sign in ((2 * i, 1), (2 * i + 1, -1)):
            left[k][place(a)] = left[k][place(b)] = sign
            right[k] = bound
    left = left.reshape(len(left), -1)
    return {"constraint_lhs": left, "constraint_rhs": right, "inequality_constraints": True, "constraint_order": "target"}


THEIRS = {
    "PySINDy, differences, STLSQ": lambda h: pysindy.SINDy(pysindy.STLSQ(threshold=h), polynomials()),
    "PySINDy, smoothed, STLSQ": lambda h: pysindy.SINDy(pysindy.STLSQ(threshold=h), polynomials(), smoothed()),
    "PySINDy, weak form, STLSQ": lambda h: pysindy.SINDy(pysindy.STLSQ(threshold=h), weak()),
}
THEIRS_CONSTRAINED = {
    "PySINDy, smoothed, STLSQ, no bounds": THEIRS["PySINDy, smoothed, STLSQ"],
    "PySINDy, smoothed, ConstrainedSR3": lambda h: pysindy.SINDy(
        pysindy.ConstrainedSR3(regularizer="l1", reg_weight_lam=500 * h, max_iter=1000, **constrained()), polynomials(), smoothed()),
}


def fit(build, data, threshold):
    np.random.seed(1)  # the weak form draws its domains
    model = build(threshold)
    begin = time.process_time()
    model.fit(data, t=TIMES)
    seconds = time.process_time() - begin
    coefficients = model.coefficients()
    return np.where(np.abs(coefficients) < threshold, 0, coefficients), seconds  # the l1 penalty leaves small ones


def best(build, data):
    return min((fit(build, data, h) for h in THRESHOLDS), key=lambda m: np.linalg.norm(m[0] - TRUTH))


def bagged(data):
    """5 and 95 % quantiles of a hundred fits to rows drawn with replacement."""
    np.random.seed(1)
    model = pysindy.SINDy(pysindy.EnsembleOptimizer(pysindy.STLSQ(threshold=0.5), bagging=True, n_models=100), polynomials(), smoothed())
    begin = time.process_time()
    model.fit(data, t=TIMES)
    low, high = np.quantile(model.optimizer.coef_list, (0.05, 0.95), axis=0)
    return low, high, time.process_time() - begin


# Ours

WEAK = "r2sgld, weak form, sparse"
OURS = {
    "r2sgld, spline, sparse": "likelihood: derivative\n  derivative: {spline: {}}",
    WEAK: "likelihood: weak",
}


def ours(program, data, likelihood, bounds=False):
    """Means, 5 and 95 % quantiles of all coefficients, zero for dropped terms, and CPU seconds."""
    name = lambda c: f"`{'xyz'[c[0]]}.{c[1]}`"
    constraints = [f'"-{bound} <= {name(a)} + {name(b)} <= {bound}"' for a, b, bound in BOUNDS] if bounds else []
    with tempfile.TemporaryDirectory() as folder:
        table = np.column_stack([TIMES, data])
        np.savetxt(f"{folder}/lorenz.csv", table, delimiter=",", header="t,x,y,z", comments="", fmt="%.12g")
        with open(f"{folder}/lorenz.yaml", "w") as f:
            f.write("name: lorenz\ndata: {file: lorenz.csv, time: t, states: {x: x, y: y, z: z}}\nmodel:\n"
                    f"  library: [{', '.join(json.dumps(t) for t in TERMS)}]\n  sparse: true\n"
                    f"  constraints: [{', '.join(constraints)}]\n  {likelihood}\n")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([program, "identify", f"{folder}/lorenz.yaml", "--threads", "1", "--quiet", "--out", f"{folder}/run"], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        with open(f"{folder}/run/summary.json") as f:
            summary = json.load(f)
    found = np.zeros((3, *TRUTH.shape))
    for p in summary["parameters"]:
        state, term = p["name"].strip("`").split(".", 1)
        found[:, "xyz".index(state), TERMS.index(re.sub(r"\s", "", term))] = p["mean"], p["q5"], p["q95"]
    return *found, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def identification(program, states):
    print(f"Lorenz, {ROWS} rows, library of degree 2; medians of {REPEATS} repeats\n  noise {HEAD}")
    for level in LEVELS:
        scores = {}
        for seed in range(REPEATS if level else 1):
            data = noisy(states, level, seed)
            for name, build in THEIRS.items():
                scores.setdefault(name, Score()).add(*best(build, data))
            for name, likelihood in OURS.items() if program else ():
                mean, _, _, seconds = ours(program, data, likelihood)
                scores.setdefault(name, Score()).add(mean, seconds)
        for name, score in scores.items():
            print(f"  {level:5.0%} {score.line(name)}", flush=True)


def constraints(program, states, level=0.05):
    print(f"With |x.x + x.y| <= 0.05 and |y.xz + z.xy| <= 0.01, noise {level:.0%}; {REPEATS} repeats\n        {HEAD}")
    scores = {}
    for seed in range(REPEATS):
        data = noisy(states, level, seed)
        for name, build in THEIRS_CONSTRAINED.items():
            scores.setdefault(name, Score()).add(*best(build, data))
        for name, likelihood in OURS.items() if program else ():
            mean, _, _, seconds = ours(program, data, likelihood, bounds=True)
            scores.setdefault(name, Score()).add(mean, seconds)
    for name, score in scores.items():
        print(f"        {score.line(name)}", flush=True)


def coverage(program, states):
    there = TRUTH != 0
    print(f"90 % intervals of the seven coefficients over {COVERAGE_REPEATS} repeats: share that holds the truth, of all seven and of the "
          "worst;\nmean width by that of the truth; terms extra in all repeats; CPU seconds each")
    for level in COVERAGE_LEVELS:
        methods = {"PySINDy, smoothed, 100 bagged STLSQ": bagged}
        if program:  # the weak form alone is for noise in the states; a regression on noisy states is biased
            methods[WEAK] = lambda data: ours(program, data, OURS[WEAK])[1:]
        for name, method in methods.items():
            holds, widths, extra, seconds = [], [], 0, []
            for seed in range(COVERAGE_REPEATS):
                low, high, used = method(noisy(states, level, 1000 + seed))
                holds.append(((low <= TRUTH) & (TRUTH <= high))[there])
                widths.append(((high - low) / np.abs(TRUTH))[there])
                extra += int(((low != 0) | (high != 0))[~there].sum())
                seconds.append(used)
            holds = np.array(holds)
            print(f"  {level:5.0%} {name:36} {holds.mean():6.1%} {holds.mean(0).min():6.1%} {np.mean(widths):9.4f} {extra:5d} {np.mean(seconds):8.3f}", flush=True)


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else None
    states = clean()
    identification(program, states)
    print()
    constraints(program, states)
    print()
    coverage(program, states)
    from importlib.metadata import version

    print(f"\nPython {sys.version.split()[0]}, PySINDy {version('pysindy')}, NumPy {version('numpy')}")


if __name__ == "__main__":
    main()
