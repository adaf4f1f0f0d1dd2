"""Weights of modes and log Z of five targets by several programs: script/peers-modes.py JSON [TARGET…]

Targets have several modes of known weight and a known integral, both computed here by
quadrature and symmetry:

normals  two normal laws in 20 dimensions, 0.7 at 2, …, 2 with sd 0.5 and 0.3 at −2, …, −2
         with sd 1, in the box [−6, 6]^20 where x1 + x2 ≤ 5
island   exp(3x) on a disc of radius 1 and a disc of radius 0.03 at (3, 0), which has
         73 % of the mass
mixture  means of three normal components of sd 1 and equal share, from 18 numbers, with
         normal(0, 5) as their prior: six orders of one weight. r2sgld is not told of labels
eggbox   (2 + cos(x/2) cos(y/2))^5 on [0, 10π]²: 18 peaks, of which walls halve eight and
         quarter two
shells   two thin shells of radius 2 in ten dimensions, 1/4 at 3.5 and 3/4 at −3.5

Programs run as their users would run them, with the settings that they have if nothing is
said, and are told of walls so:

r2sgld     method auto, box and constraints in the configuration
dynesty    NestedSampler, the unit cube onto the box (the prior of mixture by its quantiles),
           log-likelihood −1e300 outside the constraints
UltraNest  ReactiveNestedSampler, likewise; from ten dimensions on with slices of 2d steps by
           populations of 100, of which its documentation tells
NUTS       PyStan, 4 chains of 1,000 draws after 1,000; bounds of parameters, that of x2
           depends on x1; the island by reject(), for it has no bounds
emcee      4d walkers, 32 at least, from uniform draws of the domain (mixture: from its prior);
           10,000 steps, of which the first half is dropped; log-density −inf outside
Pigeons    where `julia` with Pigeons is on the PATH: see script/peers-modes.jl

Writes every run to JSON and prints a table in Markdown. Weights are shares of the draws. A
run is right where the weight of every mode of 5 % or more is within a quarter of the exact
one, and says that it may be wrong where a program warns: r2sgld by a warning or a stopping rule that is
not met, NUTS by R̂ above 1.01, emcee by less than 50 autocorrelation times, UltraNest by its
test of insertion ranks. Seconds are CPU seconds, user and system, of the program
and its children; imports and the compiling of Stan programs are not counted, start and
figures of r2sgld are. A run is stopped after LIMIT CPU seconds (120), and no more seeds of it are run.
SEEDS (3) is how many seeds there are. With TARGET… only these are run; PROGRAMS names
some programs. What JSON already holds is not run again, so that a stopped call can be gone
on with. Stan's programs are compiled into a folder beside JSON.
"""

import contextlib
import csv
import datetime
import io
import json
import math
import os
import platform
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from importlib.metadata import version
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
warnings.filterwarnings("ignore")

import numpy as np
from scipy import integrate, special, stats

TREE = Path(__file__).resolve().parents[1]
SEEDS = int(os.environ.get("SEEDS", 3))
LIMIT = float(os.environ.get("LIMIT", 120))  # CPU seconds of a run
OUTSIDE = -1e300
TICK = os.sysconf("SC_CLK_TCK")
NUMBERS = [-4.1, -3.6, -3.2, -2.9, -2.5, -2.0, -1.2, -0.6, -0.1, 0.3, 0.8, 1.4, 2.9, 3.4, 3.8, 4.1, 4.7, 5.2]


class Target:
    """A density of d variables: log-likelihoods and regions are of many points, rows of x.

    mode numbers the mode of each row, shown the one that the table has. prior is None for a box."""

    def __init__(self, low, high, d, log, mode, shown, truth, yaml, stan, inside=None, prior=None, command="sample", data=None):
        self.low, self.high, self.d, self.log, self.mode, self.shown, self.truth = low, high, d, log, mode, shown, truth
        self.yaml, self.stan, self.inside, self.prior, self.command, self.data = yaml, stan, inside, prior, command, data

    def cube(self, u):
        return self.prior(u) if self.prior else self.low + (self.high - self.low) * u

    def volume(self):
        """log of what the mean over the cube is to be multiplied by."""
        return 0.0 if self.prior else self.d * math.log(self.high - self.low)

    def likelihood(self, x):
        x = np.atleast_2d(x)
        return np.where(self.inside(x), self.log(x), OUTSIDE) if self.inside else self.log(x)


# Two normal laws in 20 dimensions.
def normals():
    parts = ((0.7, 2.0, 0.5), (0.3, -2.0, 1.0))

    at = [(math.log(w) - 20 * math.log(s) - 10 * math.log(2 * math.pi), m, 0.5 / s**2) for w, m, s in parts]

    def log(x):
        return np.logaddexp(*[c - h * ((x - m) ** 2).sum(axis=1) for c, m, h in at])

    def truth():
        masses = []
        for w, m, s in parts:
            of = stats.norm(m, s)
            pair = integrate.quad(lambda x: of.pdf(x) * (of.cdf(min(6, 5 - x)) - of.cdf(-6)), -6, 6, points=[-1, m], epsabs=1e-12)[0]
            masses.append(w * pair * (of.cdf(6) - of.cdf(-6)) ** 18)
        return np.array(masses) / sum(masses), math.log(sum(masses))

    names = [f"x{i}" for i in range(1, 21)]
    terms = [f"{c:.15g} - {h:g}*(" + " + ".join(f"({n} - ({m:g}))^2" for n in names) + ")" for c, m, h in at]
    yaml = (f"variables: [{', '.join(names)}]\npotential: \"-logsumexp({', '.join(terms)})\"\ndomain:\n"
            f"  box: {{{', '.join(f'{n}: [-6, 6]' for n in names)}}}\n  constraints: [\"x1 + x2 <= 5\"]\n")
    stan = """
parameters {
  real<lower=-6, upper=6> x1;
  real<lower=-6, upper=fmin(6, 5 - x1)> x2;
  vector<lower=-6, upper=6>[18] x;
}
model {
  target += log_sum_exp(log(0.7) + normal_lpdf(x1 | 2, 0.5) + normal_lpdf(x2 | 2, 0.5) + normal_lpdf(x | 2, 0.5),
                        log(0.3) + normal_lpdf(x1 | -2, 1) + normal_lpdf(x2 | -2, 1) + normal_lpdf(x | -2, 1));
}"""
    return Target(-6, 6, 20, log, lambda x: (x.sum(axis=1) < 0).astype(int), 0, truth, yaml, stan,
                  inside=lambda x: x[:, 0] + x[:, 1] <= 5)


# exp(3x) on a disc and a far smaller one.
def island():
    def inside(x):
        return np.minimum(x[:, 0] ** 2 + x[:, 1] ** 2 - 1, (x[:, 0] - 3) ** 2 + x[:, 1] ** 2 - 0.0009) <= 0

    def truth():
        masses = [integrate.quad(lambda t: 2 * r * r * math.cos(t) ** 2 * math.exp(3 * (c + r * math.sin(t))), -math.pi / 2, math.pi / 2)[0]
                  for c, r in ((0, 1), (3, 0.03))]
        return np.array(masses) / sum(masses), math.log(sum(masses))

    yaml = ("variables: [x, y]\npotential: \"-3*x\"\ndomain:\n  box: {x: [-4, 4], y: [-4, 4]}\n"
            "  constraints: [\"min(x^2 + y^2 - 1, (x - 3)^2 + y^2 - 0.0009) <= 0\"]\n")
    stan = """
parameters {
  real<lower=-4, upper=4> x;
  real<lower=-4, upper=4> y;
}
model {
  if (fmin(square(x) + square(y) - 1, square(x - 3) + square(y) - 0.0009) > 0) reject("outside");
  target += 3 * x;
}"""
    return Target(-4, 4, 2, lambda x: 3 * x[:, 0], lambda x: (x[:, 0] > 2).astype(int), 1, truth, yaml, stan, inside=inside)


# Three components that bear no name.
def mixture():
    y, constant = np.array(NUMBERS)[:, None], -len(NUMBERS) * (math.log(3) + 0.5 * math.log(2 * math.pi))

    def log(x):
        # Far from all numbers a sum is 0 and its logarithm −inf, for which 1e-300 stands.
        return np.log(np.exp(-0.5 * (x[:, None, :] - y) ** 2).sum(axis=2) + 1e-300).sum(axis=1) + constant

    def truth():
        grid = np.arange(-30, 30.1, 0.2)  # the law of a mean has an sd of 0.3 at least: to rounding
        each = [stats.norm.pdf(v, grid, 1) / 3 for v in NUMBERS]
        prior = stats.norm.pdf(grid, 0, 5) * 0.2
        plane = prior[:, None] * prior
        total = 0.0
        for k, p in enumerate(prior):
            product = plane * p
            for a in each:
                product = product * (a[:, None] + a + a[k])
            total += product.sum()
        return np.full(6, 1 / 6), math.log(total)

    def mode(x):
        order = np.argsort(x, axis=1)
        return np.array([{(0, 1, 2): 0, (0, 2, 1): 1, (1, 0, 2): 2, (1, 2, 0): 3, (2, 0, 1): 4, (2, 1, 0): 5}[tuple(o)] for o in order.tolist()])

    yaml = ("data: numbers.csv\nmodel:\n  parameters:\n    mu[3]: normal(0, 5)\n"
            "  likelihood: y ~ mix(1/3, normal(mu[1], 1), 1/3, normal(mu[2], 1), 1/3, normal(mu[3], 1))\n")
    stan = """
data {
  int n;
  vector[n] y;
}
parameters {
  vector[3] mu;
}
model {
  mu ~ normal(0, 5);
  for (i in 1:n)
    target += log_sum_exp({normal_lpdf(y[i] | mu[1], 1), normal_lpdf(y[i] | mu[2], 1), normal_lpdf(y[i] | mu[3], 1)}) - log(3);
}"""
    return Target(-30, 30, 3, log, mode, 0, truth, yaml, stan, prior=lambda u: 5 * special.ndtri(u), command="fit",
                  data={"n": len(NUMBERS), "y": NUMBERS})


# 18 peaks; their numbers count both coordinates in steps of 2π.
def eggbox():
    peaks = {(j, k): i for i, (j, k) in enumerate((j, k) for j in range(6) for k in range(6) if (j + k) % 2 == 0)}

    def log(x):
        return (2 + np.cos(x[:, 0] / 2) * np.cos(x[:, 1] / 2)) ** 5

    def mode(x):
        j, k = np.clip(np.rint(x / (2 * math.pi)).astype(int), 0, 5).T
        odd = (j + k) % 2 == 1  # far from every peak: to the side that is nearer
        j[odd] = np.where(x[odd, 0] / (2 * math.pi) > j[odd], np.minimum(j[odd] + 1, 5), np.maximum(j[odd] - 1, 0))
        k = np.where((j + k) % 2 == 1, np.where(k > 0, k - 1, k + 1), k)
        return np.array([peaks[p] for p in zip(j.tolist(), k.tolist())])

    def truth():
        n = 2000  # the trapezoidal rule, which is exact to rounding where the density is even at the ends
        c = np.cos(np.linspace(0, 5 * math.pi, n + 1))
        w = np.ones(n + 1)
        w[0] = w[-1] = 0.5
        f = np.exp((2 + c[:, None] * c) ** 5 - 243)
        z = 243 + math.log((w[:, None] * w * f).sum() * (10 * math.pi / n) ** 2)
        part = np.array([(0.5 if j in (0, 5) else 1) * (0.5 if k in (0, 5) else 1) for j, k in peaks])
        return part / part.sum(), z

    box = f"[0, {10 * math.pi:.15g}]"
    yaml = f"variables: [x, y]\npotential: \"-(2 + cos(x/2)*cos(y/2))^5\"\ndomain:\n  box: {{x: {box}, y: {box}}}\n"
    stan = """
parameters {
  real<lower=0, upper=10 * pi()> x;
  real<lower=0, upper=10 * pi()> y;
}
model {
  target += (2 + cos(x / 2) * cos(y / 2))^5;
}"""
    return Target(0, 10 * math.pi, 2, log, mode, peaks[2, 2], truth, yaml, stan)


# Two thin shells, the heavier one on the left.
def shells():
    def log(x):
        rest = (x[:, 1:] ** 2).sum(axis=1)
        right, left = (-50 * (np.sqrt((x[:, 0] - c) ** 2 + rest) - 2) ** 2 for c in (3.5, -3.5))
        return np.logaddexp(math.log(0.25) + right, math.log(0.75) + left) - 0.5 * math.log(0.02 * math.pi)

    def truth():
        area = 2 * math.pi**5 / math.gamma(5)
        radial = integrate.quad(lambda r: r**9 * math.exp(-50 * (r - 2) ** 2), 1, 3, points=[2], epsabs=1e-12)[0]
        return np.array([0.25, 0.75]), math.log(area * radial / math.sqrt(0.02 * math.pi))

    names = [f"x{i}" for i in range(1, 11)]
    rest = " + ".join(f"{n}^2" for n in names[1:])
    yaml = (f"variables: [{', '.join(names)}]\npotential: \"-logsumexp(log(0.25) - 50*(sqrt((x1 - 3.5)^2 + {rest}) - 2)^2, "
            f"log(0.75) - 50*(sqrt((x1 + 3.5)^2 + {rest}) - 2)^2) + 0.5*log(0.02*pi)\"\ndomain:\n"
            f"  box: {{{', '.join(f'{n}: [-6, 6]' for n in names)}}}\n")
    stan = """
parameters {
  vector<lower=-6, upper=6>[10] x;
}
model {
  real rest = dot_self(x[2:10]);
  target += log_sum_exp(log(0.25) - 50 * square(sqrt(square(x[1] - 3.5) + rest) - 2),
                        log(0.75) - 50 * square(sqrt(square(x[1] + 3.5) + rest) - 2));
}"""
    return Target(-6, 6, 10, log, lambda x: (x[:, 0] < 0).astype(int), 0, truth, yaml, stan)


TARGETS = {"normals": normals, "island": island, "mixture": mixture, "eggbox": eggbox, "shells": shells}
SHOWN = {"normals": "at 2, …, 2", "island": "the island", "mixture": "mu[1] < mu[2] < mu[3]", "eggbox": "an inner peak", "shells": "the right shell"}


# Each program answers draws, log Z and its error (None where it has none), and whether it warns.
def run_r2sgld(t, name, seed, folder):
    (folder / "target.yaml").write_text(f"name: {name}\n" + t.yaml)
    if t.data:
        (folder / "numbers.csv").write_text("y\n" + "".join(f"{v}\n" for v in t.data["y"]))
    program = os.environ.get("R2SGLD_BIN", str(TREE / "bin" / "r2sgld"))
    subprocess.run([program, t.command, "target.yaml", "--seed", str(seed), "--out", "run", "--quiet"], cwd=folder, check=False)
    summary = json.loads((folder / "run" / "summary.json").read_text())
    rows = []
    for file in sorted((folder / "run").glob("draws-*.csv")):
        with open(file, newline="") as f:
            header, *lines = csv.reader(line for line in f if not line.startswith("#"))
        first = next(j for j, n in enumerate(header) if not n.endswith("__"))
        rows += [[float(v) for v in line[first:first + t.d]] for line in lines]
    z = summary.get("log_evidence") or {}
    says = list(summary.get("warnings") or [])
    if not summary["until"]["met"]:
        says.append("the stopping rule was not met")
    errors = [m["weight_se"] for m in (summary.get("modes") or {}).get("modes", [])]
    return np.array(rows), z.get("estimate"), z.get("se"), says, {"weight_se": errors}


def run_dynesty(t, name, seed, folder):
    import dynesty

    random = np.random.default_rng(seed)
    s = dynesty.NestedSampler(lambda x: float(t.likelihood(x)[0]), t.cube, t.d, rstate=random)
    s.run_nested(print_progress=False)
    return s.results.samples_equal(rstate=random), s.results.logz[-1] + t.volume(), s.results.logzerr[-1], [], {}


def run_ultranest(t, name, seed, folder):
    import logging

    import ultranest
    import ultranest.popstepsampler as step

    logging.disable(logging.CRITICAL)
    np.random.seed(seed)  # it has no random source of its own
    s = ultranest.ReactiveNestedSampler([f"x{i + 1}" for i in range(t.d)], t.likelihood, t.cube, log_dir=None, vectorized=True)
    if t.d >= 10:
        s.stepsampler = step.PopulationSimpleSliceSampler(popsize=100, nsteps=2 * t.d, generate_direction=step.generate_mixture_random_direction)
    r = s.run(show_status=False, viz_callback=False)
    says = [] if r["insertion_order_MWW_test"]["converged"] else ["insertion ranks are not uniform"]
    return r["samples"], r["logz"] + t.volume(), r["logzerr"], says, {}


def build(t):
    """The compiled program of Stan, from the cache where it is there."""
    import stan

    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return stan.build(t.stan, data=t.data or {}, random_seed=1)


def run_nuts(t, name, seed, folder):
    import arviz
    import httpstan.cache
    import httpstan.services_stub
    import stan

    posterior = stan.build(t.stan, data=t.data or {}, random_seed=seed)
    # Draws of the same seed that are kept would be read and not drawn.
    shutil.rmtree(httpstan.cache.model_directory(posterior.model_name) / "fits", ignore_errors=True)
    begun = cpu()
    done = posterior.sample(num_chains=4, num_samples=1000, num_warmup=1000)
    httpstan.services_stub.executor.shutdown(wait=True)
    spent = cpu() - begun
    x = np.concatenate([done[n] for n in posterior.param_names])  # in a row the draws of all chains in turn
    rhat = max(float(arviz.rhat(row.reshape(-1, 4).T)) for row in x)
    return x.T, None, None, [f"R̂ {rhat:.2f}"] if not rhat < 1.01 else [], {"cpu_seconds": spent}


def run_emcee(t, name, seed, folder):
    import emcee

    random = np.random.default_rng(seed)
    np.random.seed(seed)  # emcee's own

    def log(x):
        good = ((x >= t.low) & (x <= t.high)).all(axis=1)
        if t.inside:
            good &= t.inside(x)
        value = t.log(x) + (stats.norm.logpdf(x, 0, 5).sum(axis=1) if t.prior else 0)
        return np.where(good, value, -np.inf)

    walkers, start = max(32, 4 * t.d), np.empty((0, t.d))
    while len(start) < walkers:
        x = t.cube(random.random((walkers, t.d)))
        start = np.concatenate([start, x[np.isfinite(log(x))]])
    s = emcee.EnsembleSampler(walkers, t.d, log, vectorize=True)
    s.run_mcmc(start[:walkers], 10000)
    try:
        s.get_autocorr_time()
        says = []
    except emcee.autocorr.AutocorrError:
        says = ["fewer than 50 autocorrelation times"]
    return s.get_chain(discard=5000, flat=True), None, None, says, {}


def run_pigeons(t, name, seed, folder):
    julia = subprocess.run(["julia", str(TREE / "script" / "peers-modes.jl"), name, str(seed), str(folder / "draws.csv")],
                           capture_output=True, text=True, check=True)
    z = json.loads(julia.stdout.splitlines()[-1])
    return np.loadtxt(folder / "draws.csv", delimiter=",", ndmin=2), z["log_z"] + t.volume(), None, [], {"cpu_seconds": z["cpu_seconds"]}


PROGRAMS = {"r2sgld": run_r2sgld, "dynesty": run_dynesty, "UltraNest": run_ultranest, "NUTS": run_nuts, "emcee": run_emcee, "Pigeons": run_pigeons}
MODULES = {"dynesty": "dynesty", "UltraNest": "ultranest", "NUTS": "stan", "emcee": "emcee"}


def cpu():
    return sum(u.ru_utime + u.ru_stime for u in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


def one(name, program, seed):
    """A run in this process: its row on stdout."""
    t = TARGETS[name]()
    if program in MODULES:
        __import__(MODULES[program])
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        begun = cpu()
        x, z, error, says, more = PROGRAMS[program](t, name, seed, Path(folder))
        spent = cpu() - begun
    weights = np.bincount(t.mode(x), minlength=len(t.truth()[0])) / len(x)
    print(json.dumps({"cpu_seconds": round(spent, 3), "draws": len(x), "weights": weights.tolist(), "log_z": z if z is None else float(z),
                      "error": error if error is None else float(error), "says": says} | more))


def spent_by(session):
    """CPU seconds of all processes of a session and of their children that have ended."""
    total = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        if int(fields[3]) == session:
            total += sum(int(v) for v in fields[11:15])
    return total / TICK


def measure(name, program, seed):
    """A run in a process of its own, which is stopped after LIMIT CPU seconds."""
    row = {"target": name, "program": program, "seed": seed}
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        child = subprocess.Popen([sys.executable, "-B", str(Path(__file__).resolve()), "--one", name, program, str(seed)],
                                 stdout=out, stderr=err, start_new_session=True)
        while child.poll() is None:
            time.sleep(0.2)
            if spent_by(child.pid) > LIMIT:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
                return row | {"note": f"not finished after {LIMIT:g} CPU seconds", "cpu_seconds": LIMIT}
        out.seek(0)
        err.seek(0)
        if child.returncode:
            return row | {"note": "failed: " + (err.read().strip().splitlines() or ["?"])[-1][:200], "cpu_seconds": 0.0}
        return row | json.loads(out.read().splitlines()[-1])


def judged(row, truth):
    return farthest(row, truth) <= 0.25


def farthest(row, truth):
    """The largest relative error of the weight of a mode of 5 % or more."""
    return max(abs(w / e - 1) for w, e in zip(row["weights"], truth) if e >= 0.05)


def show(name, rows, t, weights, z):
    """A row of the table of a target and program; without a name what the row above says of the target holds."""
    program, done = rows[0]["program"], [r for r in rows if "weights" in r]
    cells = [name, f"{weights[t.shown]:.4f}" if name else "", f"{z:.3f}" if name else "", program]
    if not done:
        line([*cells, rows[0]["note"], "–", "–", "–", f"0 of {len(rows)}", "–"])
        return
    known = [r for r in done if r["log_z"] is not None]
    right = [judged(r, weights) for r in done]
    wrong = [r for r, ok in zip(done, right) if not ok]
    cells.append(", ".join(f"{r['weights'][t.shown]:.3f}" for r in done) + ("; " + next(r["note"] for r in rows if "note" in r) if len(done) < len(rows) else ""))
    cells.append(f"{max(farthest(r, weights) for r in done):.0%}".replace("%", " %"))
    cells.append(", ".join(f"{r['log_z']:.3f}" for r in known) + (f" (± {np.mean([r['error'] for r in known]):.3f})" if known and known[0]["error"] else "") if known else "–")
    cells.append(f"{np.mean([r['cpu_seconds'] for r in done]):.1f}")
    cells.append(f"{sum(right)} of {len(rows)}")
    cells.append(f"{sum(bool(r['says']) for r in wrong)} of {len(wrong)}" if wrong else "–")
    line(cells)


def line(cells):
    print("| " + " | ".join(cells).replace("-", "−") + " |", flush=True)


def table(out):
    print("| target | exact weight | exact log Z | program | weight, by seed | farthest weight of any mode | log Z, by seed (its error) | CPU s | right | wrong and says so |")
    print("|---|--:|--:|---|---|--:|---|--:|--:|--:|")
    for name in TARGETS:
        t = TARGETS[name]()
        weights, z = t.truth()
        head = f"{name}: {SHOWN[name]}"
        for program in PROGRAMS:
            rows = [r for r in out["runs"] if (r["target"], r["program"]) == (name, program)]
            if rows:
                show(head, rows, t, weights, z)
                head = ""


def main(path, wanted):
    cache = Path(path).resolve().parent / "peers-modes-stan"
    os.environ["XDG_CACHE_HOME"] = str(cache)
    programs = os.environ.get("PROGRAMS", ",".join(PROGRAMS)).split(",")
    if "Pigeons" in programs and not shutil.which("julia"):
        programs.remove("Pigeons")
        print("peers: without Pigeons: there is no julia on the PATH")
    out = {
        "made": datetime.date.today().isoformat(),
        "command": "ONLY=modes script/peers",
        "python": platform.python_version(),
        "versions": {name: version(name) for name in ("dynesty", "ultranest", "pystan", "emcee", "numpy", "scipy")},
        "runs": [],
    }
    if os.path.exists(path):
        before = json.loads(Path(path).read_text())
        if before["versions"] != out["versions"]:
            sys.exit(f"{path} is of other versions, {before['versions']}: give another file")
        out["runs"] = before["runs"]
    for seed in range(1, SEEDS + 1):
        for name in wanted or TARGETS:
            if name not in TARGETS:
                sys.exit(f"there is no target {name}: {', '.join(TARGETS)}")
            for program in programs:
                rows = [r for r in out["runs"] if (r["target"], r["program"]) == (name, program)]
                if len(rows) >= seed or any("note" in r for r in rows):
                    continue
                if program == "NUTS":
                    subprocess.run([sys.executable, "-B", str(Path(__file__).resolve()), "--build", name], check=True,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                row = measure(name, program, seed)
                out["runs"].append(row)
                said = row.get("note") or f"weights {' '.join(f'{w:.3f}' for w in row['weights'])}, log Z {row['log_z']}, {row['says']}"
                print(f"{name} {program} seed {seed}: {said}, {row['cpu_seconds']:.1f} s", file=sys.stderr, flush=True)
                Path(path + ".part").write_text(json.dumps(out, indent=1, ensure_ascii=False) + "\n")
                os.replace(path + ".part", path)
    table(out)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--one":
        one(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    elif sys.argv[1] == "--build":
        build(TARGETS[sys.argv[2]]())
    else:
        main(sys.argv[1], sys.argv[2:])
