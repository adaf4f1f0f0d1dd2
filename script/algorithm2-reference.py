#!/usr/bin/env python3
"""Algorithm 2 of the paper, line by line as it is printed, on twenty iterations of given energies.

usage: algorithm2-reference.py > exchange/testdata/algorithm2.json

The energies of the chains' states in each iteration, and of what happens: which state each chain
holds after it, the gates G and the correction C. Written from the pseudo-code alone.
"""

import json
from fractions import Fraction
from math import ceil, log

P, K, S, GAMMA = 4, 20, Fraction(3, 10), Fraction(1, 5)
W = ceil((log(P) + log(log(P))) / -log(1 - S))

# the energy of state i in iteration k, quarters from a multiplicative sequence
seed = 12345


def energy():
    global seed
    seed = seed * 48271 % (2**31 - 1)
    return Fraction(seed % 33 - 16, 4)


energies = [[energy() for _ in range(P)] for _ in range(K)]
beta = list(range(P))  # the states that chains 1 … P hold
G = [1] * (P - 1)
C = Fraction(0)
trace = []
for k in range(1, K + 1):
    U = energies[k - 1]  # sampling with reflection
    for p in range(P - 1):
        indicator = U[beta[p + 1]] + C < U[beta[p]]
        if k % W == 0:
            G[p] = 1
        if G[p] and indicator:
            beta[p], beta[p + 1] = beta[p + 1], beta[p]
            G[p] = 0
    below = sum(U[beta[p + 1]] + C - U[beta[p]] < 0 for p in range(P - 1))
    C = C + GAMMA * (Fraction(below, P - 1) - S)
    trace.append({"energy": [float(u) for u in U], "holds": list(beta), "gates": list(G), "correction": float(C)})
json.dump({"made_by": "script/algorithm2-reference.py, from the pseudo-code of Algorithm 2 (r2SGLD, ICML 2024)", "chains": P,
           "window": W, "target": float(S), "gamma": float(GAMMA), "iterations": trace}, __import__("sys").stdout, indent=1)
print()
