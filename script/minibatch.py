"""The work of script/minibatch: minibatch.py PROGRAM FOLDER."""

import json
import math
import os
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
    # the largest memory that wait4 tells begins at that of this program, which the other was forked of
    most = 0
    while True:
        ended, status, spent = os.wait4(process.pid, os.WNOHANG)
        if ended:
            break
        for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                most = int(line.split()[1]) * 1024
        time.sleep(0.02)
    if status:
        raise SystemExit(f"r2sgld {' '.join(map(str, arguments))}: status {status}")
    return time.monotonic() - begun, spent.ru_utime + spent.ru_stime, most


def fit(name, model, *settings):
    (FOLDER / f"{name}.yaml").write_text(model)
    options = [x for s in settings for x in ("--set", s)]
    seconds, cpu, _ = run("fit", f"{name}.yaml", "--out", name, "--force", "--quiet", *options)
    summary = json.loads((FOLDER / name / "summary.json").read_text())
    for warning in summary["warnings"]:
        print(f"  warning of {name}: {warning}")
    return summary, seconds, cpu


def truncated(x, y):
    """Means and standard deviations of the logistic regression's posterior: of so many rows it is the
    normal law at its mode but for 0.1 % of a standard deviation, here cut by beta[x0] >= beta[x1]."""
    columns = numpy.column_stack([numpy.ones(len(y)), x])
    precision = numpy.array([1 / 4, *[1.0] * x.shape[1]])  # of the priors
    at = numpy.zeros(len(precision))
    for _ in range(20):
        chance = 1 / (1 + numpy.exp(-columns @ at))
        slope = columns.T @ (y - chance) - precision * at
        curvature = (columns * (chance * (1 - chance))[:, None]).T @ columns + numpy.diag(precision)
        at = at + numpy.linalg.solve(curvature, slope)
    covariance = numpy.linalg.inv(curvature)
    # along d = beta[x0] - beta[x1] it is a normal law from 0 on
    across = covariance[1] - covariance[2]
    sd = math.sqrt(across[1] - across[2])
    edge = (at[2] - at[1]) / sd
    ratio = math.exp(-edge * edge / 2) / math.sqrt(2 * math.pi) / (0.5 * math.erfc(edge / math.sqrt(2)))
    means = at + across / sd * ratio
    return means, numpy.sqrt(numpy.diag(covariance) - (across / sd) ** 2 * ratio * (ratio - edge))


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
    x = numpy.char.mod("%.6g", x).astype(float)  # as the table has them
    names = [f"x{j}" for j in range(p)]
    table("rows.csv", {"y": y.astype(float), **dict(zip(names, x.T))})
    exact_means, exact_sds = truncated(x, y)
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
    ess = [min(p["ess_bulk"] for p in s["parameters"]) for s in (all_rows, some)]
    # of the draws that are kept, without warm-up and the search for modes: domain.steps are the
    # steps of all replicas, each a gradient; energies of swaps come with them
    rows = [all_rows["domain"]["steps"] * n / ess[0], some["domain"]["steps"] * batch / ess[1]]
    print(f"logistic regression, {n:,} rows, {p} columns, minibatches of {batch:,}")
    for name, summary in ("all rows", all_rows), ("minibatches", some):
        far = [abs(q["mean"] - m) / s for q, m, s in zip(summary["parameters"], exact_means, exact_sds)]
        wide = [q["sd"] / s - 1 for q, s in zip(summary["parameters"], exact_sds)]
        print(f"  by {name} means are off by at most {max(far):.3f} sd, sds by {100 * min(wide):+.1f} to {100 * max(wide):+.1f} %")
    print(f"  least effective draws {ess[0]:,.0f} of all rows, {ess[1]:,.0f}")
    print(f"  row evaluations for an effective draw {rows[0]:,.0f}, {rows[1]:,.0f}: 1/{rows[0] / rows[1]:.0f}")
    print(f"  whole runs {all_seconds:.0f} s ({all_cpu:.0f} CPU), {seconds:.0f} s ({cpu:.0f} CPU)")


def modes():
    n, batch = 100_000, 1024
    random = numpy.random.default_rng(2)
    y = numpy.char.mod("%.6g", random.logistic(0.04, 1, n)).astype(float)  # as the table has them
    table("two.csv", {"y": y})
    m = numpy.linspace(0, 0.5, 2001)[1:]  # and the same on the left: beyond there is nothing
    log = numpy.array([-numpy.sum(y - at * at + 2 * numpy.log1p(numpy.exp(at * at - y))) for at in m])
    weight = numpy.exp(log - log.max())
    sides = [weight * numpy.exp(-2 * (sign * m - 0.5) ** 2) for sign in (-1, 1)]
    total = sides[0].sum() + sides[1].sum()
    right, mean = sides[1].sum() / total, (m * (sides[1] - sides[0])).sum() / total
    apart = (m * sides[1]).sum() / sides[1].sum() + (m * sides[0]).sum() / sides[0].sum()
    model = """data: two.csv
model:
  parameters: {m: "normal(0.5, 0.5)"}
  likelihood: y ~ logistic(m^2, 1)
"""
    print(f"two modes, {n:,} rows, minibatches of {batch:,}: the weight of the right one is {right:.4f}")
    for name, settings in ("all", ["sampler.kernel=hmc"]), ("some", [f"sampler.minibatch={batch}"]):
        settings += ["sampler.until={ess: 4000, rhat: 1.01}"]
        summary, _, cpu = fit(f"two-{name}", model, *settings)
        p = summary["parameters"][0]
        weight = right + (p["mean"] - mean) / apart
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
