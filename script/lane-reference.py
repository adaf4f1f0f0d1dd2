#!/usr/bin/env python3
"""Writes arguments and values of the functions of internal/vector/lane, each value as the
nearest float64 and what that lacks.

usage: lane-reference.py > internal/vector/lane/testdata/reference.txt
"""

import random

import mpmath
from mpmath import cos, exp, log, log1p, mpf, sin, tan, tanh

mpmath.mp.dps = 60
random.seed(1)
normal, uniform = random.gauss, random.uniform


def either(p, a, b):
    return a if random.random() < p else b


def sigmoid(x):
    return 1 / (1 + exp(-x))


functions = {
    "exp": (exp, lambda: either(0.3, uniform(-700, 700), normal(0, 3))),
    "expm1": (mpmath.expm1, lambda: either(0.7, uniform(-2, 2), uniform(-40, 700))),
    "sigmoid": (sigmoid, lambda: normal(0, 6)),
    "softplus": (lambda x: log1p(exp(x)), lambda: normal(0, 6)),
    "tanh": (tanh, lambda: either(0.6, uniform(-1, 1), normal(0, 4))),
    "log": (log, lambda: either(0.6, uniform(0.5, 2), float(exp(uniform(-700, 700))))),
    "log1p": (log1p, lambda: either(0.7, uniform(-0.6, 1.5), float(exp(uniform(-40, 40))))),
    "sin": (sin, lambda: either(0.5, normal(0, 4), uniform(-1e6, 1e6))),
    "cos": (cos, lambda: either(0.5, normal(0, 4), uniform(-1e6, 1e6))),
    "tan": (tan, lambda: either(0.5, normal(0, 2), uniform(-1e6, 1e6))),
    "erf": (mpmath.erf, lambda: either(0.8, uniform(-4, 4), normal(0, 1e-3))),
    "erfc": (mpmath.erfc, lambda: either(0.5, uniform(-6, 3), uniform(2, 26))),
    "phi": (mpmath.ncdf, lambda: either(0.5, uniform(-6, 6), uniform(-37, -4))),
}
# Multiples of π/2 that are hard to reduce.
hard = [float(k * mpmath.pi / 2) for k in (1, 2, 3, 355 // 113, 22, 710 // 2, 52174, 103993, 208341, 573204)]

print(f"# script/lane-reference.py, mpmath {mpmath.__version__}, {mpmath.mp.dps} digits:")
print("# function, argument, value, what the value lacks")
for name, (f, draw) in functions.items():
    arguments = [draw() for _ in range(200)]
    if name in ("sin", "cos", "tan"):
        arguments += hard
    for x in arguments:
        y = f(mpf(x))
        near = float(y)
        print(name, repr(x), repr(near), mpmath.nstr(y - mpf(near), 3))
