"""Two clusters whose means are ordered: a mixture without a mirror image of its posterior."""

import numpy as np

import r2sgld

data = np.concatenate([np.random.default_rng(1).normal(m, 0.7, size=40) for m in (-1, 2)])


def energy(x):
    """U of n states (mean 1, mean 2) of shape (n, 2), at once."""
    z = (data[None, :, None] - x[:, None, :]) / 0.7
    logs = -(z**2) / 2
    total = np.logaddexp(logs[..., 0], logs[..., 1])
    weights = np.exp(logs - total[..., None])
    energies = -total.sum(axis=1) + (x**2).sum(axis=1) / 50
    return energies, -(weights * z / 0.7).sum(axis=1) + x / 25


result = r2sgld.sample(
    energy,
    names={"mean": 2},
    domain={"box": {"mean": [-5, 5]}},
    constraints=["mean_1 <= mean_2"],
    batched=True,
    lanewise=True,
    sampler={"kernel": "hmc", "iterations": 300},
)
print(result.posterior["mean"].mean(dim=("chain", "draw")).values)
