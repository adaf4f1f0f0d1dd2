"""A regression on many rows by minibatches: the seed chooses the rows."""

import numpy as np

import r2sgld

rng = np.random.default_rng(2)
features = rng.normal(size=(5_000, 3))
target = features @ [1, 0.5, 0] + rng.normal(size=5_000)


def energy(beta, seed):
    """An unbiased estimate of U from 500 rows, and its gradient."""
    rows = np.random.default_rng(seed).integers(len(target), size=500)
    residual = features[rows] @ beta - target[rows]
    scale = len(target) / 500
    return scale * residual @ residual / 2, scale * features[rows].T @ residual


result = r2sgld.sample(
    energy,
    names={"beta": 3},
    domain={"box": {"beta": [0, 2]}},
    stochastic=True,
    sampler={"method": "r-sgld", "iterations": 3_000, "step_size": 2e-5},
)
print(result.posterior["beta"].mean(dim=("chain", "draw")).values)
