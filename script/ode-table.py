"""Tables of work and error from SciPy's runs and from a benchmark of ours.

usage: ode-table.py scipy.json bench.txt

Errors are in tolerances: max_i |e_i|/(atol + rtol |y_i|) at the end. The ratio is
that of our evaluations to SciPy's at equal error: beside the straight line of
log evaluations over log(error rtol) through SciPy's runs of the problem.
"""

import json
import re
import sys
from math import exp, log

import numpy as np

SHOWN = (1e-4, 1e-6, 1e-8, 1e-10)


def ours(path):
    """(problem, method, rtol) -> evaluations, error, seconds"""
    runs = {}
    for name, method, rtol, rest in re.findall(r"^BenchmarkBesideSciPy/(\S+)/(\w+)/([\d.e-]+?)(?:-\d+)?\s+\d+\s+(.*)$", open(path).read(), re.M):
        value = {unit: float(v) for v, unit in re.findall(r"(\S+) (\S+)", rest)}
        key = name.replace("_", " "), method, float(rtol)
        runs[key] = value["evaluations/op"], value["tolerances/op"], value["ns/op"] * 1e-9
    return runs


def line(rows):
    x = [log(r["scaled"] * r["rtol"]) for r in rows]
    b, a = np.polyfit(x, [log(r["nfev"]) for r in rows], 1)
    return lambda error: exp(a + b * log(error))


def short(x):
    return f"{x:.2g}" if x < 9.95 else f"{x:.0f}"


def main(scipy, bench):
    head, *rows = json.load(open(scipy))
    runs = ours(bench)
    groups = {}
    for r in rows:
        groups.setdefault((r["problem"], r["method"]), []).append(r)
    detail, summary = [], []
    for (name, method), rs in groups.items():
        expect = line(rs)
        ratios = []
        for r in rs:
            n, error, seconds = runs[name, method, r["rtol"]]
            ratios.append(n / expect(error * r["rtol"]))
            if min(abs(log(r["rtol"] / s)) for s in SHOWN) < 1e-9:
                detail.append(f"| {name} | {method} | {r['rtol']:.0e} | {n:.0f} | {r['nfev']} | {short(error)} | {short(r['scaled'])} "
                              f"| {ratios[-1]:.2f} | {seconds * 1e6:.0f} |")
        summary.append(f"| {name} | {method} | {len(rs)} | {exp(np.mean(np.log(ratios))):.2f} | {min(ratios):.2f}–{max(ratios):.2f} |")
    print(head["provenance"].split(" with ")[1] + ".\n")
    print("| problem | method | tolerances | evaluations over SciPy's at equal error, geometric mean | from–to |\n|---|---|---:|---:|---:|")
    print("\n".join(summary) + "\n")
    print("| problem | method | rtol | evaluations | SciPy's | error, tolerances | SciPy's | ratio at equal error | µs a solve |\n"
          "|---|---|---:|---:|---:|---:|---:|---:|---:|")
    print("\n".join(detail))


if __name__ == "__main__":
    main(*sys.argv[1:])
