"""The released r2SGLD code and ours on the same work: script/peers-released.py CLONE R2SGLD

CLONE is a checkout of github.com/haoyangzheng1996/r2SGLD, R2SGLD our program.
The work is the paper's flower with two chains: steps 5e-4 and 1.5e-3,
temperatures 1 and 10, noise of standard deviation 0.05 on gradients and swap
energies, a swap attempted every iteration, both chains started at the origin.
Rounds alternate; the table shows means over all steps, which is least kind to
ours if the machine is busy. A step of theirs costs more near the wall, hence
the width of its rounds.

Theirs: CPU time of the process over calls of its sampler's update(), nothing
else of its program: no start-up (the cloud of points of the domain), progress
bar, list of draws, metric or plot. Ours: elapsed time of sampling with one
thread on one processor (GOMAXPROCS=1), which is at least its CPU time: draws
kept every ten iterations, statistics of the ladder and garbage collection are
in it. Beside it the CPU time of our whole program over the same steps, from
start-up to files and figures.
"""

import contextlib
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import types

ROUNDS = 5
THEIR_ITERATIONS, OUR_ITERATIONS = 400, 2_000_000  # a round
PROMISED = 1000  # times as fast
STEP, STEP_RATIO, COLD, HOT, THRESHOLD, VARIANCE = 5e-4, 3.0, 1.0, 10.0, 3e-4, 9.5
CHAINS = 2

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")
sys.dont_write_bytecode = True  # the clone stays as it is

# What decides the kernel of ours: as released, and the exact default.
RULES = {
    "r2sgld, its rules (nearest, threshold)": [
        "sampler.boundary=nearest",
        f"sampler.swap={{scheme: adj, rule: threshold, threshold: {THRESHOLD}, variance: {VARIANCE}, correction: 1}}",
    ],
    "r2sgld, exact (specular, metropolis)": [],
}


class Released:
    """The released sampler, built by its own functions."""

    def __init__(self, clone):
        sys.path.insert(0, os.path.join(clone, "multimodal_simulation"))
        import autograd.numpy
        from model import tools, utils

        flags = types.SimpleNamespace(
            optimizer="resgld", dims=2, lr=STEP, lr_gap=STEP_RATIO, T_low=COLD, T_high=HOT,
            hat_var=VARIANCE, threshold=THRESHOLD, decay_rate=3e-3, regularization=None,
        )
        autograd.numpy.random.seed(1)
        domain = tools.Helper(utils.select_domain("flower"), max_radius=2, grid_radius=1e-2, grid_curve=1e-3)
        with contextlib.redirect_stdout(None):
            self.sampler = utils.select_optimizer(flags, domain)
        self.reflected = self.steps = 0
        reflect = domain.get_reflection

        def counted(*points):
            self.reflected += 1
            return reflect(*points)

        domain.get_reflection = counted

    def round(self):
        """CPU seconds a chain step."""
        begin = time.process_time()
        for _ in range(THEIR_ITERATIONS):
            self.sampler.update()
        self.steps += CHAINS * THEIR_ITERATIONS
        return (time.process_time() - begin) / (CHAINS * THEIR_ITERATIONS)


def ours(program, rules):
    """Seconds a chain step of sampling and of the whole program, share of reflected steps."""
    keys = [
        f"sampler.iterations={OUR_ITERATIONS}", "sampler.burn_in=0", "sampler.thin=10", "sampler.ladders=1",
        f"sampler.step_size=[{STEP}, {STEP * STEP_RATIO}]", f"sampler.temperature=[{COLD}, {HOT}]",
        "sampler.init={x: 0, y: 0}", "noise={gradient: 0.05, energy: 0.05}", *rules,
    ]
    sets = [word for key in keys for word in ("--set", key)]
    with tempfile.TemporaryDirectory() as folder:
        run = os.path.join(folder, "run")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [program, "sample", "examples/flower.yaml", "--threads", "1", "--out", run, "--quiet", *sets],
            check=True, env={**os.environ, "GOMAXPROCS": "1"},
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        with open(os.path.join(run, "summary.json")) as f:
            summary = json.load(f)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    domain = summary["domain"]
    assert domain["steps"] == CHAINS * OUR_ITERATIONS, domain
    return 1 / summary["steps_per_second"], cpu / domain["steps"], domain["reflected"] / domain["steps"]


def spread(values):
    return f"{min(values) * 1e9:,.0f} … {max(values) * 1e9:,.0f}"


def main():
    clone, program = sys.argv[1:]
    released = Released(clone)
    theirs, rows = [], {name: [] for name in RULES}
    for _ in range(ROUNDS):
        theirs.append(released.round())
        for name, rules in RULES.items():
            rows[name].append(ours(program, rules))
    base = statistics.fmean(theirs)

    import autograd.numpy
    from importlib.metadata import version

    print(f"A chain step on the flower, two chains, noise and swaps included; one thread, mean of {ROUNDS} rounds in turn")
    print(f"  {'':40} {'ns/step':>12}  {'least … most':>23} {'reflected':>10} {'ratio':>9} {'whole program':>22}")
    print(f"  {'released Python code, update() alone':40} {base * 1e9:12,.0f}  {spread(theirs):>23} "
          f"{released.reflected / released.steps:10.1%} {1:9}")
    least = float("inf")
    for name, runs in rows.items():
        step, cpu, share = (statistics.fmean(v) for v in zip(*runs))
        least = min(least, base / step)
        print(f"  {name:40} {step * 1e9:12,.0f}  {spread([r[0] for r in runs]):>23} {share:10.1%} {base / step:9,.0f}"
              f" {cpu * 1e9:6,.0f} ns, {base / cpu:9,.0f}×")
    print(f"  Python {sys.version.split()[0]}, numpy {version('numpy')}, autograd {version('autograd')}; "
          f"{released.steps:,} chain steps of it, {ROUNDS * CHAINS * OUR_ITERATIONS:,} of ours a row")
    if least < PROMISED:
        sys.exit(f"peers: {least:.0f} times as fast, less than {PROMISED}")


if __name__ == "__main__":
    main()
