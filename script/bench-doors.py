"""The part of script/bench-doors that runs in the environment of the package: bench-doors.py TREE."""

import json
import subprocess
import sys
import warnings
from pathlib import Path

import r2sgld

TREE = Path(sys.argv[1])
NAMES = [f"x{j}" for j in range(10)]
BOX = {"box": {n: [-9, 9] for n in NAMES}}


def plain(ladders, iterations):
    return {
        "method": "r-sgld",
        "ladders": ladders,
        "iterations": iterations,
        "thin": 100,
        "step_size": 1e-3,
    }


def normal(x):
    return 0.5 * (x * x).sum(axis=1), x


def normal_jax(x):
    return 0.5 * (x * x).sum()


def pace(run):
    """States a second that steps evaluated."""
    return json.loads((Path(run) / "summary.json").read_text())["steps_per_second"]


def told(what, run, asked):
    """The median of five runs, the least and the largest."""
    values = sorted(run() for _ in range(5))
    print(f"{what:52} {values[2]:14,.2f} ({values[0]:,.2f} to {values[4]:,.2f})   asked {asked:12,.2f}", flush=True)


def of_function(energy, **form):
    form = {"names": NAMES, "domain": BOX, "threads": 1, "progress": False, **form}
    return lambda: pace(r2sgld.sample(energy, sampler=plain(64, 30_000), **form).attrs["run"])


def of_stan():
    home = TREE / "testdata/posteriordb"
    draws = r2sgld.stan(
        home / "models/eight_schools_noncentered.stan",
        home / "data/eight_schools.json",
        transform=True,
        threads=1,
        progress=False,
        sampler=plain(64, 30_000),
    )
    return pace(draws.attrs["run"])


SLOW = '''
import json, os, struct, sys, time
stdin, stdout = os.fdopen(0, "rb"), os.fdopen(1, "wb")
d = json.loads(stdin.readline())["dimension"]
stdout.write(b'{"r2sgld": 2, "dimension": %d, "lanewise": true}\\n' % d)
stdout.flush()
while head := stdin.read(16):
    n, kind, seed = struct.unpack("<IIq", head)
    stdin.read(8 * n * d)
    end = time.perf_counter() + 1e-3 * n
    while time.perf_counter() < end:
        pass
    stdout.write(struct.pack("<II", n, 0) + bytes(8 * n * (1 + d)))
    stdout.flush()
'''


def of_pool(threads):
    Path("slow.py").write_text(SLOW)
    config = {
        "variables": ["x", "y"],
        "potential": {"command": [sys.executable, "slow.py"]},
        "domain": {"box": {"x": [-9, 9], "y": [-9, 9]}},
        "sampler": plain(16, 1000) | {"thin": 10},
    }
    Path("slow.yaml").write_text(json.dumps(config))
    out = f"slow-{threads}"
    subprocess.run([TREE / "bin/r2sgld", "sample", "slow.yaml", "--quiet", "--force", "--out", out, "--threads", str(threads)], check=True)
    return pace(out)


warnings.simplefilter("ignore")  # such short runs have not converged
told("a function of NumPy, batched, lanewise", of_function(normal, batched=True, lanewise=True), 1e6)
told("a function of JAX, lanewise", of_function(normal_jax, gradient="jax", lanewise=True), 5e5)
told("eight schools of Stan", of_stan, 4e5)
told("two programs beside one, a millisecond a state", lambda: of_pool(2) / of_pool(1), 1.9)
