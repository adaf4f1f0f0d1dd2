"""The mean of 1000 numbers of unit variance, for r2sgld, from 50 of them at a time.

Python 3, no packages. README.md says the protocol, minibatch.yaml runs it.
"""

import json
import random
import sys

N, BATCH = 1000, 50
generator = random.Random("data")
data = [generator.gauss(0.5, 1) for _ in range(N)]

sys.stdin.readline()
print(json.dumps({"r2sgld": 1, "dimension": 1, "stochastic": True}), flush=True)
for line in sys.stdin:
    seed, mu = line.split()
    mu = float(mu)
    batch = random.Random(int(seed)).sample(data, BATCH)  # equal seeds, equal minibatches
    energy = N / BATCH * sum((mu - y) ** 2 / 2 for y in batch)
    gradient = N / BATCH * sum(mu - y for y in batch)
    print(energy, gradient, flush=True)
