"""A density with two curved modes, for r2sgld: energy and gradient, line by line.

Python 3, no packages. README.md says the protocol, banana.yaml runs it.
"""

import json
import sys


def energy(x, y):
    """U and its partial derivatives: U = 2(x^2 - 1)^2 + 5(y + 1 - x^2)^2 + 0.3 x."""
    a = x * x - 1
    b = y + 1 - x * x
    return 2 * a * a + 5 * b * b + 0.3 * x, 8 * x * a - 20 * x * b + 0.3, 10 * b


sys.stdin.readline()  # what we are told: version, dimension, names, states per block
print(json.dumps({"r2sgld": 1, "dimension": 2, "names": ["x", "y"]}), flush=True)
for line in sys.stdin:
    seed, x, y = line.split()  # the seed is for minibatches: minibatch.py
    print(*energy(float(x), float(y)), flush=True)
