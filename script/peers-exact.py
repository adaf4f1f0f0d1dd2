"""Exact samplers on the same constrained targets: script/peers-exact.py R2SGLD [R-PACKAGE-CHECKOUT…]

Effective draws for a CPU second, and errors against exact values, of r2sgld,
HOPS (hopsy), NumPyro and BlackJAX (NUTS on logits of the coordinates) and, by
script/peers-exact.R, tmvtnorm, volesti, hdtg and TruncatedNormal. The targets
are those of examples/exact and a polytope made here.

An effective draw is one of ArviZ's bulk ESS for every program: the least and the
median over the coordinates. CPU seconds are user and system time of one thread:
of r2sgld of the whole program, of the others of the calls that sample. "All" counts
warm-up and compilation, of ours start-up, figures and files (a run of 100
iterations), "alone" does not. What
has a step size or a length to choose takes the best of a few by a short run that
counts nowhere. Every program runs for about SECONDS_EACH (5) CPU seconds.

The error is that of the mean of one function with a known mean, in its own units
and in Monte Carlo standard errors (of ArviZ): beyond 4 it is a bias. Between the
facets the function is the share of the ray from the middle through a draw, up to
the wall, that has less mass than reaches the draw: uniform on (0, 1) for a law
that depends on the distance from the middle alone. Of the modes it is each of
their masses, and the error is the largest, in units of the mass 1/25.

ONLY_PROBLEM is a list of names of problems to keep to these.
"""

import glob
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", JAX_PLATFORMS="cpu",
                  XLA_FLAGS="--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
warnings.filterwarnings("ignore")

import numpy as np
from scipy import special, stats

import arviz
import zarr

SECONDS = float(os.environ.get("SECONDS_EACH", 5))
CHAINS = 4
NUTS_DRAWS = 25_000  # of a chain, in five seconds or so beside compilation
HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "..", "examples", "exact")
REFERENCE = json.load(open(os.path.join(HERE, "..", "testdata", "reference", "gauss_box.json")))
FACETS, DIM, SD = 500, 50, 0.5
CELLS, SPREAD = 5, 0.1  # modes of a side, their standard deviation


def message(text):
    print(f"peers: {text}", file=sys.stderr, flush=True)


# ---- problems ----


class Problem:
    """A normal law (precision None: the uniform one) on {A x ≤ b}."""

    def __init__(self, name, title, a, b, mean=None, covariance=None, box=None, start=None):
        self.name, self.title, self.a, self.b = name, title, np.asarray(a, float), np.asarray(b, float)
        self.dim = self.a.shape[1]
        self.mean = None if mean is None else np.asarray(mean, float)
        self.covariance = None if covariance is None else np.asarray(covariance, float)
        self.box = box  # (lower, upper) or None
        self.start = np.zeros(self.dim) if start is None else np.asarray(start, float)

    def write(self, folder):
        os.makedirs(folder, exist_ok=True)
        np.savetxt(os.path.join(folder, "a.csv"), self.a, delimiter=",", fmt="%.17g")
        with open(os.path.join(folder, "problem.json"), "w") as f:
            json.dump({"name": self.name, "b": self.b.tolist(), "start": self.start.tolist(), "chains": CHAINS, "seconds": SECONDS,
                       "mean": None if self.mean is None else self.mean.tolist(),
                       "covariance": None if self.covariance is None else self.covariance.tolist(),
                       "lower": None if self.box is None else self.box[0].tolist(),
                       "upper": None if self.box is None else self.box[1].tolist(), "keep": keep(self)}, f)

    def errors(self, x):
        """(largest error, its standard errors) of draws x, (chain, draw, dim)."""
        values, truth = self.known(x)
        rows = [(abs(v.mean() - t), float(arviz.mcse(np.ascontiguousarray(v)))) for v, t in zip(values, truth)]
        worst = max(rows, key=lambda r: r[0] / r[1])
        return max(r[0] for r in rows), worst[0] / worst[1]


class Interval(Problem):
    unit = "E x"

    def __init__(self):
        super().__init__("interval", "N(-1, 0.5^2) on [0, 1]", [[1], [-1]], [1, 0], [-1], [[0.25]], (np.zeros(1), np.ones(1)), [0.2])

    def known(self, x):
        return [x[:, :, 0]], [stats.truncnorm(2, 4, loc=-1, scale=0.5).mean()]


class Square(Problem):
    unit = "E x^2"

    def __init__(self):
        super().__init__("square", "uniform on [-1, 1]^2", [[1, 0], [0, 1], [-1, 0], [0, -1]], np.ones(4),
                         box=(-np.ones(2), np.ones(2)))

    def known(self, x):
        return [x[:, :, j] ** 2 for j in range(2)], [1 / 3] * 2


class Polytope(Problem):
    unit = "E u"

    def __init__(self, name, title, **law):
        a = np.random.default_rng(1).standard_normal((FACETS, DIM))
        super().__init__(name, title, a / np.linalg.norm(a, axis=1)[:, None], np.ones(FACETS), **law)

    def known(self, x):
        reach = np.concatenate([(block @ self.a.T).max(axis=1) for block in np.array_split(x.reshape(-1, DIM), 200)])
        if self.mean is None:
            return [(reach**DIM).reshape(x.shape[:2])], [0.5]
        reach = np.maximum(reach, 1e-9)  # a chain that has not left the middle
        square = (x.reshape(-1, DIM) ** 2).sum(axis=1) / (2 * SD**2)
        share = special.gammainc(DIM / 2, square) / special.gammainc(DIM / 2, square / reach**2)
        return [share.reshape(x.shape[:2])], [0.5]


class Truncated(Problem):
    unit = "E x_j"

    def __init__(self):
        lower, upper = (np.array(REFERENCE["domain"][k]) for k in ("lower", "upper"))
        super().__init__("truncated", "a correlated normal law in a box, d = 3", np.vstack([np.eye(3), -np.eye(3)]),
                         np.concatenate([upper, -lower]), REFERENCE["target"]["mu"], REFERENCE["target"]["Sigma"], (lower, upper),
                         [0.5, -0.25, 1])

    def known(self, x):
        return [x[:, :, j] for j in range(3)], REFERENCE["truth"]["mean"]


class Modes(Problem):
    unit = "25 masses"

    def __init__(self):
        super().__init__("modes", "25 normal modes of sd 0.1 in a box", [[1, 0], [0, 1], [-1, 0], [0, -1]], np.full(4, CELLS / 2),
                         box=(np.full(2, -CELLS / 2), np.full(2, CELLS / 2)))

    def known(self, x):
        cell = np.clip(np.rint(x), -2, 2) + 2
        code = (cell[:, :, 0] * CELLS + cell[:, :, 1]).astype(int)
        share = 1 / CELLS**2  # every cell is the same but for the tails beyond 5 sd
        return [(code == k) / share for k in range(CELLS**2)], [1.0] * CELLS**2

    def errors(self, x):
        values, truth = self.known(x)
        error, se = 0.0, 0.0
        for v, t in zip(values, truth):
            mcse = float(arviz.mcse(v)) if v.any() and not v.all() else np.nan
            off = abs(v.mean() - t)
            error = max(error, off)
            se = max(se, off / mcse) if mcse > 0 else np.inf
        return error, se


def problems():
    return [Interval(), Square(),
            Polytope("facets-uniform", f"uniform between {FACETS} random facets at distance 1, d = {DIM}"),
            Polytope("facets-normal", f"N(0, {SD}^2 I) between the same facets", mean=np.zeros(DIM), covariance=SD**2 * np.eye(DIM)),
            Truncated(), Modes()]


def keep(p):
    """At most so many draws of each chain are kept; the steps between are thinned away."""
    return 20_000 if p.dim > 10 else 250_000


# ---- tables ----

HEAD = ("| program | draws | CPU s, all | alone | least ESS/s, all | alone | median ESS/s, all | alone | error | in SE |\n"
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")


def row(p, program, x, every, alone):
    x = np.ascontiguousarray(x, dtype=float)
    if x.ndim != 3 or not np.isfinite(x).all():
        raise ValueError(f"draws of shape {x.shape} that are not all finite numbers")
    if (np.ptp(x, axis=(0, 1)) == 0).any():
        raise ValueError(f"{program}: the draws do not move")
    ess = np.array([float(arviz.ess(np.ascontiguousarray(x[:, :, j]), method="bulk")) for j in range(p.dim)])
    error, se = p.errors(x)
    rates = [f"{f(ess) / s:,.0f}" for f in (np.min, np.median) for s in (every, alone)]
    far = "—" if not np.isfinite(se) else f"{se:.1f}"
    print(f"| {program} | {x.shape[0] * x.shape[1]:,} | {every:.1f} | {alone:.1f} | {' | '.join(rates)} | {error:.2g} | {far} |", flush=True)


def paced(p, draw, pilot=200):
    """draw(n, thin) → (chains, n, dim), for about SECONDS; returns draws and CPU seconds."""
    begun = time.process_time()
    draw(pilot, 1)
    each = max(time.process_time() - begun, 1e-4) / pilot
    while each * pilot < 0.2:
        pilot *= 4
        begun = time.process_time()
        draw(pilot, 1)
        each = max(time.process_time() - begun, 1e-4) / pilot
    steps = max(int(SECONDS / each), 500)
    n = min(steps, keep(p))
    begun = time.process_time()
    x = draw(n, max(1, steps // n))
    return x, time.process_time() - begun


def rate(p, draw, n=2000):
    """The least ESS for a CPU second of a short run, 0 where it fails."""
    begun = time.process_time()
    try:
        x = draw(n, 1)
    except Exception:
        return 0.0
    spent = max(time.process_time() - begun, 1e-4)
    least = min(float(arviz.ess(np.ascontiguousarray(x[:, :, j]))) for j in range(p.dim))
    return least / spent if np.isfinite(least) else 0.0


# ---- r2sgld ----


FACET_SAMPLERS = {  # of the polytope, which is written into a configuration here
    "facets-uniform": {"specular": {"method": "r-sgld", "iterations": 60_000, "thin": 3, "step_size": 0.5}},
    "facets-normal": {"hmc": {"method": "r-hmc", "iterations": 20_000, "thin": 1, "leapfrog": 6, "step_size": 0.012},
                      "harmonic": {"method": "r-sgld", "kernel": "harmonic", "iterations": 20_000, "thin": 1}},
}


def polytope_text(p, sampler):
    names = [f"x{j + 1}" for j in range(DIM)]
    lines = [f"name: {p.name}", f"variables: [{', '.join(names)}]"]
    square = " + ".join(f"{v}^2" for v in names)
    lines.append('potential: "0"' if p.mean is None else f'potential: "{0.5 / SD**2}*({square})"')
    lines += ["domain:", "  constraints:"]
    for r in p.a:
        lines.append('    - "' + " + ".join(f"({float(v):.17g})*{n}" for v, n in zip(r, names)) + ' <= 1"')
    sampler = dict(sampler, init={v: 0 for v in names})
    return "\n".join(lines + ["sampler: " + json.dumps(sampler)]) + "\n"


def ours(p, program, folder):
    configs = sorted(glob.glob(os.path.join(EXAMPLES, p.name + "-*.yaml")))
    for label, given in FACET_SAMPLERS.get(p.name, {}).items():
        configs.append(os.path.join(folder, f"{p.name}-{label}.yaml"))
        with open(configs[-1], "w") as f:
            f.write(polytope_text(p, given))
    for config in configs:
        label = os.path.basename(config)[len(p.name) + 1:-len(".yaml")]
        out = os.path.join(folder, "run")
        try:
            spent = sample(program, config, out)
            fixed = 0.0 if label == "auto" else sample(program, config, os.path.join(folder, "short"), "--set", "sampler.iterations=100")
        except RuntimeError as e:
            message(f"{p.name}: r2sgld {label} failed: {e}")
            continue
        posterior = zarr.open(os.path.join(out, "draws.zarr"), mode="r")["posterior"]
        names = [q["name"] for q in json.load(open(os.path.join(out, "summary.json")))["parameters"]]
        row(p, f"r2sgld, {label}", np.stack([posterior[n][:] for n in names], axis=-1), spent, max(spent - fixed, 1e-3))


def sample(program, config, out, *more):
    """CPU seconds of a run, the whole program."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([program, "sample", config, "--threads", "1", "--out", out, "--force", "--quiet", *more],
                          capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


# ---- HOPS ----


def hops(p):
    import hopsy

    uniform = p.mean is None
    if p.name == "modes":
        raise Skipped("its normal laws have one mode")
    problem = hopsy.Problem(p.a, p.b, None if uniform else hopsy.Gaussian(mean=p.mean, covariance=p.covariance))
    kinds = ([("billiard walk", hopsy.BilliardWalkProposal), ("coordinate hit and run", hopsy.UniformCoordinateHitAndRunProposal)] if uniform else
             [("reflected MALA", hopsy.BilliardMALAProposal), ("hit and run", hopsy.GaussianHitAndRunProposal),
              ("truncated normal", hopsy.TruncatedGaussianProposal)])
    for label, kind in kinds:
        steps = (0.05, 0.1, 0.2, 0.4, 0.8, 1.5, 3) if "hit and run" not in label or not uniform else (None,)
        if label == "truncated normal":
            steps = (None,)

        def draw(n, thin, step=None, seed=1):
            chains = []
            for _ in range(CHAINS):
                proposal = kind(problem, p.start) if step is None else kind(problem, p.start, stepsize=step)
                chains.append(hopsy.MarkovChain(problem, proposal, starting_point=p.start))
            _, x = hopsy.sample(chains, [hopsy.RandomNumberGenerator(seed, k) for k in range(CHAINS)], n, thinning=thin)
            return x

        best = max(steps, key=lambda s: rate(p, lambda n, t: draw(n, t, s))) if len(steps) > 1 else None
        x, spent = paced(p, lambda n, t: draw(n, t, best, 7))
        row(p, f"HOPS {label}" + (f", step {best}" if best else ""), x, spent, spent)


# ---- NUTS on logits ----


def energy(p):
    import jax.numpy as jnp

    if p.name == "modes":
        side = jnp.arange(CELLS) - 2.0
        centres = jnp.stack(jnp.meshgrid(side, side), -1).reshape(-1, 2)

        def modes(x):
            from jax.scipy.special import logsumexp

            return -logsumexp(-((x - centres) ** 2).sum(-1) / (2 * SPREAD**2))

        return modes
    if p.mean is None:
        return lambda x: 0.0
    precision = jnp.array(np.linalg.inv(p.covariance))
    return lambda x: 0.5 * (x - p.mean) @ precision @ (x - p.mean)


class Skipped(Exception):
    """Why a peer has nothing to say to a problem."""


def logits(p):
    """log density in z, x = lower + (upper − lower)·sigmoid(z), and the map."""
    import jax

    if p.box is None:
        raise Skipped("no map of a polytope onto all of R^d")

    lower, upper = p.box
    u = energy(p)
    onto = lambda z: lower + (upper - lower) * jax.nn.sigmoid(z)
    return (lambda z: -u(onto(z)) + (jax.nn.log_sigmoid(z) + jax.nn.log_sigmoid(-z)).sum()), onto


def nuts(p, program, sample):
    n = min(int(NUTS_DRAWS * SECONDS / 5), keep(p))
    begun = time.process_time()
    x, alone, again = sample(1000, n)
    row(p, program, x, time.process_time() - begun - again, alone)


def numpyro_nuts(p):
    import jax
    from numpyro.infer import MCMC, NUTS

    density, onto = logits(p)

    def sample(warm, n):
        mcmc = MCMC(NUTS(potential_fn=lambda z: -density(z)), num_warmup=warm, num_samples=n, num_chains=CHAINS,
                    chain_method="vectorized", progress_bar=False)
        start = jax.random.uniform(jax.random.PRNGKey(3), (CHAINS, p.dim), minval=-2, maxval=2)
        mcmc.warmup(jax.random.PRNGKey(1), init_params=start)
        mcmc.run(jax.random.PRNGKey(4), init_params=start)
        begun = time.process_time()  # compiled by now
        mcmc.run(jax.random.PRNGKey(2), init_params=start)
        x = np.asarray(jax.vmap(jax.vmap(onto))(mcmc.get_samples(group_by_chain=True)))
        spent = time.process_time() - begun
        return x, spent, spent

    nuts(p, "NumPyro NUTS", sample)


def blackjax_nuts(p):
    import blackjax
    import jax

    density, onto = logits(p)

    def sample(warm, n):
        key = jax.random.PRNGKey(1)
        starts = jax.random.uniform(jax.random.PRNGKey(3), (CHAINS, p.dim), minval=-2, maxval=2)
        adapted, draws, alone = jax.jit(lambda k, z: blackjax.window_adaptation(blackjax.nuts, density).run(k, z, num_steps=warm)[0]), [], 0.0

        @jax.jit
        def run(key, state, step_size, mass):
            kernel = blackjax.nuts(density, step_size, mass)
            return jax.lax.scan(lambda s, k: (lambda new: (new, new.position))(kernel.step(k, s)[0]), state, jax.random.split(key, n))[1]

        compiled = None
        for c in range(CHAINS):
            state, found = adapted(jax.random.fold_in(key, c), starts[c])
            given = (jax.random.fold_in(key, 100 + c), state, found["step_size"], found["inverse_mass_matrix"])
            compiled = compiled or run.lower(*given).compile()
            begun = time.process_time()
            draws.append(np.asarray(jax.vmap(onto)(compiled(*given))))
            alone += time.process_time() - begun
        return np.stack(draws), alone, 0.0

    nuts(p, "BlackJAX NUTS", sample)


# ---- R ----


def by_r(p, folder, library):
    p.write(folder)
    environment = dict(os.environ, R_LIBS=library)
    done = subprocess.run(["Rscript", "--vanilla", os.path.join(HERE, "peers-exact.R"), folder], env=environment, text=True,
                          stdout=subprocess.PIPE)
    if done.returncode:
        message(f"{p.name}: script/peers-exact.R failed")
    for line in done.stdout.splitlines():
        if not line.startswith("{"):
            continue
        told = json.loads(line)
        x = np.fromfile(os.path.join(folder, told["file"])).reshape(CHAINS, p.dim, -1).transpose(0, 2, 1)
        row(p, told["program"], x, told["seconds"], told["seconds"])


def libraries(checkouts, folder):
    """Installs R packages from checkouts of their sources."""
    os.makedirs(folder)
    for source in checkouts:
        done = subprocess.run(["R", "CMD", "INSTALL", "--no-docs", "-l", folder, source], capture_output=True, text=True)
        if done.returncode:
            message(f"R package of {source} skipped: it was not installed: {done.stderr.strip().splitlines()[-1:]}")
    return os.pathsep.join(filter(None, [folder, os.environ.get("R_LIBS")]))


def main():
    program, only = os.path.abspath(sys.argv[1]), os.environ.get("ONLY_PROBLEM", "").split()
    with tempfile.TemporaryDirectory() as folder:
        library = libraries(sys.argv[2:], os.path.join(folder, "library"))
        try:
            import dingo  # noqa: F401
            import volestipy  # noqa: F401
        except ImportError as e:
            message(f"dingo skipped: {e}")
        for p in problems():
            if only and p.name not in only:
                continue
            print(f"\n{p.title}; error of {p.unit}\n\n{HEAD}", flush=True)
            work = os.path.join(folder, p.name)
            os.makedirs(work)
            for peer, name in ((lambda: ours(p, program, work), "r2sgld"), (lambda: hops(p), "HOPS"), (lambda: numpyro_nuts(p), "NumPyro"),
                               (lambda: blackjax_nuts(p), "BlackJAX"), (lambda: by_r(p, work, library), "R")):
                try:
                    peer()
                except (ImportError, Skipped) as e:
                    message(f"{p.name}: {name} skipped: {e}")
                except Exception as e:
                    message(f"{p.name}: {name} failed: {type(e).__name__}: {str(e)[:300]}")


if __name__ == "__main__":
    main()
