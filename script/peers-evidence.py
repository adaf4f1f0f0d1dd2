"""Nested sampling on five problems of known evidence: script/peers-evidence.py JSON [PROBLEM…]

Runs dynesty, UltraNest and nestle (PyPI) on the problems of r2sgld reproduce
evidence: log of the mean of the likelihood over a region. Two uses each:
usual, the settings that a program has if nothing is said, on the box around the
region, the log-likelihood being −1e300 outside it; and best, what an expert would
take: a transform of the unit cube onto the region itself (by the polar angle for
the flower, by order statistics for the ordered box), so that no call is lost, as
many live points as make the expected error sqrt(H/live points) 0.06, H being the
information (0.12 in ten dimensions, where 0.06 would take minutes a run), the
bounds and the sampling that suit, likelihoods of many points at once where the
program takes them (UltraNest), and in ten dimensions slices where dynesty and
UltraNest have them. log Z of the usual use is of the box; the log of the ratio of
both volumes is added, which a user would have to know too.

Writes every run to JSON and prints a table. A call is one likelihood of one point;
seconds are CPU seconds of the run alone, in one process on one thread, imports
and set-up aside; error is what the program says. A run that took longer than LIMIT
CPU seconds is stopped and told as such; then no more seeds of it are run. One that
fails, or answers log Z = −1e300, is told too. SEEDS
(default 8) is how many seeds runs have; those longer than LONG seconds (10) have FEW
(3). With PROBLEM… only these are run. What JSON already holds is not run again, so
that a stopped call can be gone on with. All take about half an hour.
"""

import datetime
import json
import logging
import math
import os
import platform
import signal
import sys
import time
import warnings
from importlib.metadata import version

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
warnings.filterwarnings("ignore")

import dynesty
import nestle
import numpy as np
import ultranest
import ultranest.popstepsampler as popstepsampler

SEEDS = int(os.environ.get("SEEDS", 8))
LIMIT = float(os.environ.get("LIMIT", 100))  # CPU seconds of a run
LONG = float(os.environ.get("LONG", 10))
FEW = int(os.environ.get("FEW", 3))
OUTSIDE = -1e300


def cpu_model():
    try:
        with open("/proc/cpuinfo") as f:
            return next(line.split(":")[1].strip() for line in f if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()


# Log-likelihoods of many points, rows of x, without the region.
def eggbox(x):
    return (2 + np.cos(x[:, 0] / 2) * np.cos(x[:, 1] / 2)) ** 5


def modes(x):
    return -((x[:, 0] ** 2 + x[:, 1] ** 2) / 10 - np.cos(2 * np.pi * x[:, 0]) - np.cos(2 * np.pi * x[:, 1])) / 0.5


def gaussian(x):
    return -0.5 * (x * x).sum(axis=1) - 2.5 * math.log(2 * math.pi)


def shells(x):
    rest = (x[:, 1:] ** 2).sum(axis=1)
    near = [-50 * (np.sqrt((x[:, 0] + c) ** 2 + rest) - 2) ** 2 for c in (-3.5, 3.5)]
    return np.logaddexp(*near) - 0.5 * math.log(2 * math.pi * 0.01)


# The same of one point, as plain Python computes it fastest.
def eggbox_one(x):
    return (2 + math.cos(x[0] / 2) * math.cos(x[1] / 2)) ** 5


def modes_one(x):
    a, b = float(x[0]), float(x[1])
    return -((a * a + b * b) / 10 - math.cos(2 * math.pi * a) - math.cos(2 * math.pi * b)) / 0.5


def gaussian_one(x):
    return -0.5 * sum(v * v for v in x.tolist()) - 2.5 * math.log(2 * math.pi)


def shells_one(x):
    x = x.tolist()
    rest = sum(v * v for v in x[1:])
    a = -50 * (math.sqrt((x[0] - 3.5) ** 2 + rest) - 2) ** 2
    b = -50 * (math.sqrt((x[0] + 3.5) ** 2 + rest) - 2) ** 2
    return max(a, b) + math.log1p(math.exp(-abs(a - b))) - 0.5 * math.log(2 * math.pi * 0.01)


# Regions: many points, and one.
def in_flower(x):
    return np.hypot(x[:, 0], x[:, 1]) <= petals(np.arctan2(x[:, 1], x[:, 0]))


def in_flower_one(x):
    return math.hypot(x[0], x[1]) <= 2 / 3.5 * (math.sin(5 * math.atan2(x[1], x[0])) + 3)


def petals(angle):
    return 2 / 3.5 * (np.sin(5 * angle) + 3)


def in_order(x):
    return (x[:, :-1] > x[:, 1:]).all(axis=1)


def in_order_one(x):
    return bool((x[:-1] > x[1:]).all())


# Transforms of the unit cube.
def box(low, high):
    return lambda u: low + (high - low) * u


def flower(u):
    """Uniform on the flower: the angle by its area, half the square of the radius."""
    angle = np.interp(u[..., 0], SHARE, ANGLES)
    r = petals(angle) * np.sqrt(u[..., 1])
    return np.stack([r * np.cos(angle), r * np.sin(angle)], axis=-1)


# ∫ (sin 5θ + 3)² dθ = 9.5 θ − sin 10θ/20 − 6 cos 5θ/5 + const, over its value at 2π
ANGLES = np.linspace(0, 2 * np.pi, 20001)
SHARE = (9.5 * ANGLES - np.sin(10 * ANGLES) / 20 - 6 * (np.cos(5 * ANGLES) - 1) / 5) / (19 * np.pi)


def ordered(u):
    """Uniform on 5 > x1 > … > x5 > −5: the order statistics, largest first."""
    d = u.shape[-1]
    return 10 * np.cumprod(u ** (1 / np.arange(d, 0, -1)), axis=-1) - 5


class Problem:
    """A likelihood on a region; live is how many points the best use has, shrink the log of box over region."""

    def __init__(self, d, many, one, cube, inside=None, region=None, live=None, shrink=0.0):
        self.d, self.many, self.one, self.cube, self.inside, self.region, self.live = d, many, one, cube, inside, region, live
        self.shrink = shrink


PROBLEMS = {
    "E1": Problem(2, eggbox, eggbox_one, box(0, 10 * math.pi), live=1800),
    "E2": Problem(2, modes, modes_one, box(-16 / 7, 16 / 7), (in_flower, in_flower_one), flower, live=320,
                  shrink=math.log((32 / 7) ** 2 / (9.5 * math.pi * (2 / 3.5) ** 2))),
    "E3": Problem(5, gaussian, gaussian_one, box(-5, 5), (in_order, in_order_one), ordered, live=1250, shrink=math.log(120)),
    "E4-2": Problem(2, shells, shells_one, box(-6, 6), live=760),
    "E4-10": Problem(10, shells, shells_one, box(-6, 6), live=1000),
}


class Counted:
    """The likelihood of a use, counting the points it is asked for."""

    def __init__(self, p, use):
        self.calls, self.p = 0, p
        self.inside = p.inside if use == "usual" or p.region is None else None
        self.transform = p.cube if self.inside or p.region is None else p.region
        self.shrink = p.shrink if self.inside else 0.0

    def one(self, x):
        self.calls += 1
        if self.inside and not self.inside[1](x):
            return OUTSIDE
        return self.p.one(x)

    def many(self, x):
        self.calls += len(x)
        value = self.p.many(x)
        return np.where(self.inside[0](x), value, OUTSIDE) if self.inside else value


def run_dynesty(p, use, seed, f):
    options = {} if use == "usual" else {"nlive": p.live, "bound": "multi", "sample": "unif" if p.d < 10 else "rslice"}
    s = dynesty.NestedSampler(f.one, f.transform, p.d, rstate=np.random.default_rng(seed), **options)
    s.run_nested(print_progress=False, dlogz=None if use == "usual" else 0.5)
    return s.results.logz[-1], s.results.logzerr[-1]


def run_nestle(p, use, seed, f):
    options = {} if use == "usual" else {"npoints": p.live, "method": "multi"}
    r = nestle.sample(f.one, f.transform, p.d, rstate=np.random.RandomState(seed), **options)
    return r.logz, r.logzerr


def run_ultranest(p, use, seed, f):
    np.random.seed(seed)  # it has no random source of its own
    names = [f"x{i + 1}" for i in range(p.d)]
    if use == "usual":
        s = ultranest.ReactiveNestedSampler(names, f.one, f.transform, log_dir=None)
        r = s.run(show_status=False, viz_callback=False)
    else:
        s = ultranest.ReactiveNestedSampler(names, f.many, f.transform, log_dir=None, vectorized=True)
        if p.d >= 10:
            s.stepsampler = popstepsampler.PopulationSimpleSliceSampler(
                popsize=100, nsteps=2 * p.d, generate_direction=popstepsampler.generate_mixture_random_direction)
        r = s.run(show_status=False, viz_callback=False, min_num_live_points=p.live)
    return r["logz"], r["logzerr"]


PROGRAMS = {"dynesty": run_dynesty, "UltraNest": run_ultranest, "nestle": run_nestle}


class TooLong(Exception):
    pass


def stop(*_):
    raise TooLong


def measure(program, name, use, seed):
    """One run: its row, stopped after LIMIT CPU seconds."""
    p = PROBLEMS[name]
    f = Counted(p, use)
    row = {"problem": name, "program": program, "use": use, "seed": seed}
    signal.signal(signal.SIGPROF, stop)
    begun = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    try:
        logz, error = PROGRAMS[program](p, use, seed, f)
        if logz > OUTSIDE / 10:
            row["log_z"], row["error"] = float(logz) + f.shrink, float(error)
        else:
            row["note"] = f"answered log Z = {logz:g} ± {error:g}"
    except TooLong:
        row["note"] = f"stopped after {LIMIT:g} CPU seconds"
    except Exception as e:  # a program that fails is told, and the others go on
        row["note"] = f"failed: {type(e).__name__}: {e}"[:200]
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    row["calls"], row["cpu_seconds"] = f.calls, round(time.process_time() - begun, 3)
    return row


def main(path, wanted):
    logging.disable(logging.CRITICAL)
    out = {
        "made": datetime.date.today().isoformat(),
        "command": "ONLY=evidence script/peers",
        "machine": f"{cpu_model()}, one thread",
        "python": platform.python_version(),
        "versions": {name: version(name) for name in ("dynesty", "ultranest", "nestle", "numpy")},
        "runs": [],
    }
    if os.path.exists(path):
        with open(path) as f:
            before = json.load(f)
        if before["versions"] != out["versions"]:
            sys.exit(f"{path} is of other versions, {before['versions']}: give another file")
        out["runs"] = before["runs"]
    for name in wanted or PROBLEMS:
        if name not in PROBLEMS:
            sys.exit(f"there is no problem {name}: {', '.join(PROBLEMS)}")
        for program in PROGRAMS:
            for use in ("usual", "best"):
                rows = [r for r in out["runs"] if (r["problem"], r["program"], r["use"]) == (name, program, use)]
                for seed in range(1 + len(rows), SEEDS + 1):
                    if any(r.get("note", "").startswith("stopped") for r in rows) or (len(rows) >= FEW and max(r["cpu_seconds"] for r in rows) > LONG):
                        break
                    rows.append(measure(program, name, use, seed))
                    out["runs"].append(rows[-1])
                    save(path, out)
                show(rows)


def save(path, out):
    with open(path + ".part", "w") as f:
        f.write(json.dumps(out, indent=1) + "\n")
    os.replace(path + ".part", path)


def show(rows):
    done = [r for r in rows if "log_z" in r]
    head = f"{rows[0]['problem']:6} {rows[0]['program']:10} {rows[0]['use']:6}"
    if done:
        z = np.array([r["log_z"] for r in done])
        print(f"{head} {len(done)} seeds, log Z {z.mean():.4f}, scatter {z.std():.4f}, says ±{np.mean([r['error'] for r in done]):.4f}, "
              f"calls {np.mean([r['calls'] for r in done]):,.0f}, {np.mean([r['cpu_seconds'] for r in done]):.2f} s")
    for r in rows:
        if "note" in r:
            print(f"{head} seed {r['seed']}: {r['note']}, calls {r['calls']:,}, {r['cpu_seconds']:.2f} s")
    sys.stdout.flush()


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
