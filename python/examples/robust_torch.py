"""A robust location and scale in PyTorch, the scale bounded."""

import torch

import r2sgld

data = torch.tensor([9.9, 10.1, 10.0, 10.2, 9.8, 14.0])


def energy(x):
    """U of a Student model with 4 degrees of freedom; PyTorch differentiates it."""
    mu, sigma = x
    return -torch.distributions.StudentT(4.0, mu, sigma).log_prob(data).sum()


result = r2sgld.sample(
    energy,
    names=["mu", "sigma"],
    gradient="torch",
    domain={"box": {"mu": [5, 15], "sigma": [0.05, 5]}},
    sampler={"method": "r-hmc", "iterations": 1_000},
)
print(result.posterior.mean())
