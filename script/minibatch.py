"""The work of script/minibatch: minibatch.py PROGRAM FOLDER."""

import json
import math
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy

PROGRAM, FOLDER = sys.argv[1], Path(sys.argv[2])


def table(name, columns, block=100_000):
    """Writes a CSV of columns, a block of rows at a time."""
    rows = len(next(iter(columns.values())))
    with open(FOLDER / name, "w") as out:
        out.write(",".join(columns) + "\n")
        for i in range(0, rows, block):
            part = numpy.column_stack([c[i : i + block] for c in columns.values()])
            numpy.savetxt(out, part, delimiter=",", fmt="%.6g")


def run(*arguments):
    """Runs the program, and returns its seconds, CPU seconds and largest resident memory in bytes."""
    begun = time.monotonic()
    process = subprocess.Popen([PROGRAM, *map(str, arguments)], cwd=FOLDER, stdout=subprocess.DEVNULL)
    _, status, spent = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"r2sgld {' '.join(map(str, arguments))}: status {status}")
    return time.monotonic() - begun, spent.ru_utime + spent.ru_stime, spent.ru_maxrss * 1024


def fit(name, model, *settings):
    (FOLDER / f"{name}.yaml").write_text(model)
    options = [x for s in settings for x in ("--set", s)]
    seconds, cpu, _ = run("fit", f"{name}.yaml", "--out", name, "--force", "--quiet", *options)
    summary = json.loads((FOLDER / name / "summary.json").read_text())
    for warning in summary["warnings"]:
        print(f"  warning of {name}: {warning}")
    return summary, seconds, cpu


def logistic():
    n, p, batch = 1_000_000, 20, 1024  # 1,000, rounded up to chunks of 128 rows
    random = numpy.random.default_rng(1)
    # neighbours correlate by 0.7
    x = random.standard_normal((n, p))
    for j in range(1, p):
        x[:, j] = 0.7 * x[:, j - 1] + math.sqrt(1 - 0.49) * x[:, j]
    beta = random.normal(0, 0.3, p)
    beta[1] = beta[0]  # and the constraint halves the posterior
    y = random.random(n) < 1 / (1 + numpy.exp(0.5 - x @ beta))
    names = [f"x{j}" for j in range(p)]
    table("rows.csv", {"y": y.astype(float), **dict(zip(names, x.T))})
    model = f"""data: rows.csv
model:
  parameters:
    a: normal(0, 2)
    beta[X]: normal(0, 1)
  let:
    X: {{columns: [{", ".join(names)}]}}
  likelihood: y ~ bernoulli_logit(a + X*beta)
  constraints: beta[x0] >= beta[x1]
"""
    all_rows, all_seconds, all_cpu = fit("all", model, "sampler.kernel=hmc")
    some, seconds, cpu = fit("some", model, f"sampler.minibatch={batch}")
    means, sds, errors = 0.0, 0.0, 0.0
    for a, b in zip(all_rows["parameters"], some["parameters"]):
        assert a["name"] == b["name"]
        means = max(means, abs(a["mean"] - b["mean"]) / a["sd"])
        sds = max(sds, abs(b["sd"] / a["sd"] - 1))
        errors = max(errors, math.hypot(a["mcse_mean"], b["mcse_mean"]) / a["sd"])
    ess = [min(p["ess_bulk"] for p in s["parameters"]) for s in (all_rows, some)]
    # of the draws that are kept, without warm-up and the search for modes: domain.steps are the
    # steps of all replicas, each a gradient; energies of swaps come with them
    rows = [all_rows["domain"]["steps"] * n / ess[0], some["domain"]["steps"] * batch / ess[1]]
    print(f"logistic regression, {n:,} rows, {p} columns, minibatches of {batch:,}")
    print(f"  means apart by at most {means:.3f} sd (standard error {errors:.3f}), sds by {100 * sds:.1f} %")
    print(f"  least effective draws {ess[0]:,.0f} of all rows, {ess[1]:,.0f}")
    print(f"  row evaluations for an effective draw {rows[0]:,.0f}, {rows[1]:,.0f}: 1/{rows[0] / rows[1]:.0f}")
    print(f"  whole runs {all_seconds:.0f} s ({all_cpu:.0f} CPU), {seconds:.0f} s ({cpu:.0f} CPU)")


def modes():
    n, batch = 100_000, 1024
    random = numpy.random.default_rng(2)
    y = 0.04 + random.standard_normal(n)
    table("two.csv", {"y": y})
    kept = numpy.loadtxt(FOLDER / "two.csv", skiprows=1)
    m = numpy.linspace(-1, 1, 400_001)
    log = -2 * (m - 0.5) ** 2 - n / 2 * (m * m - kept.mean()) ** 2
    density = numpy.exp(log - log.max())
    density /= density.sum()
    right = density[m > 0].sum()
    apart = (m * density)[m > 0].sum() / right - (m * density)[m < 0].sum() / (1 - right)
    model = """data: two.csv
model:
  parameters: {m: "normal(0.5, 0.5)"}
  likelihood: y ~ normal(m^2, 1)
"""
    print(f"two modes, {n:,} rows, minibatches of {batch:,}: the weight of the right one is {right:.4f}")
    for name, settings in ("all", ["sampler.kernel=hmc"]), ("some", [f"sampler.minibatch={batch}"]):
        settings += ["sampler.until={ess: 4000, rhat: 1.01}"]
        summary, _, cpu = fit(f"two-{name}", model, *settings)
        p = summary["parameters"][0]
        weight = right + (p["mean"] - (m * density).sum()) / apart
        print(f"  by {name}: {weight:.4f} ± {p['mcse_mean'] / apart:.4f}, {cpu:.0f} CPU s")


def reading():
    n, p = 10_000_000, 5
    random = numpy.random.default_rng(3)
    x = random.standard_normal((n, p - 1))
    y = 1 + x @ [0.5, -0.3, 0.2, 0.1] + random.standard_normal(n)
    names = [f"x{j}" for j in range(p - 1)]
    table("many.csv", {"y": y, **dict(zip(names, x.T))})
    del x, y
    (FOLDER / "many.yaml").write_text(f"""data: many.csv
model:
  parameters:
    a: normal(0, 2)
    beta[X]: normal(0, 1)
    s: half_normal(2)
  let:
    X: {{columns: [{", ".join(names)}]}}
  likelihood: y ~ normal(a + X*beta, s)
""")
    size = (FOLDER / "many.csv").stat().st_size
    seconds, cpu, memory = run("plan", "many.yaml")
    print(f"{n:,} rows of {p} columns ({size / 1e6:.0f} MB of CSV): read and planned in {seconds:.1f} s ({cpu:.1f} CPU s)")
    print(f"  {memory / 1e6:.0f} MB resident at most, {memory / (8 * n * p):.2f} times the columns")


for part in logistic, modes, reading:
    part()
    sys.stdout.flush()
