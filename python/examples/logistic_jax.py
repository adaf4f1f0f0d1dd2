"""A logistic regression in JAX, whose effects are not negative."""

import jax
import jax.numpy as jnp
import numpy as np

import r2sgld

rng = np.random.default_rng(3)
features = rng.normal(size=(200, 3))
labels = rng.random(200) < 1 / (1 + np.exp(-features @ [1.0, 0.3, 0.0]))


def logp(beta):
    """The log posterior density; JAX differentiates it."""
    return -jax.nn.softplus(jnp.where(labels, -1, 1) * (features @ beta)).sum() - beta @ beta / 8


result = r2sgld.sample(
    logp=logp,
    names={"beta": 3},
    gradient="jax",
    constraints=["beta_1 >= 0", "beta_2 >= 0", "beta_3 >= 0"],
    sampler={"method": "r-hmc", "iterations": 1_000},
)
print(result.posterior["beta"].mean(dim=("chain", "draw")).values)
