#!/usr/bin/env python3
"""Root mean square errors of log Z by the geometric bridge between neighbours, as
exchange.FromDraws has it, by Bennett's acceptance ratio and by MBAR over all rungs.

usage: bridges.py        (NumPy; a minute)

Rung k has the law N(k s, 1), whose density is proportional to exp(k s x) N(x; 0, 1), so that
log Z of the last rung is exactly (k s)^2 / 2; 400 independent draws of each, 300 repetitions.
"""

from math import erf

import numpy as np

DRAWS, REPETITIONS = 400, 300


def geometric(x, s):
    return sum(np.log(np.exp(s * a / 2).mean() / np.exp(-s * b / 2).mean()) for a, b in zip(x, x[1:]))


def bennett(x, s):
    total = 0
    for a, b in zip(x, x[1:]):
        f = 0
        for _ in range(50):
            f += np.log((1 / (1 + np.exp(f - s * a))).mean() / (1 / (1 + np.exp(s * b - f))).mean())
        total += f
    return total


def mbar(x, s):
    k = s * np.arange(len(x))
    weight = np.exp(x.ravel()[:, None] * k)
    f = k**2 / 2
    for _ in range(60):
        f = np.log((weight / (DRAWS * (weight * np.exp(-f)).sum(1))[:, None]).sum(0))
        f -= f[0]
    return f[-1]


rng = np.random.default_rng(1)
print("rungs  rejection  geometric  Bennett  MBAR")
for rungs, s in [(4, 0.66), (8, 0.66), (8, 0.4), (6, 1.0), (6, 1.5)]:
    error = []
    for _ in range(REPETITIONS):
        x = rng.normal(size=(rungs, DRAWS)) + s * np.arange(rungs)[:, None]
        error.append([way(x, s) - (s * (rungs - 1)) ** 2 / 2 for way in (geometric, bennett, mbar)])
    rms = np.sqrt(np.mean(np.square(error), axis=0))
    print(f"{rungs:5}  {erf(s / 2):9.2f}  {rms[0]:9.4f}  {rms[1]:7.4f}  {rms[2]:.4f}")
