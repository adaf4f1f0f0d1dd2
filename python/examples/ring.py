"""A density on a ring, cut by a box and a line."""

import numpy as np

import r2sgld


def energy(x):
    """U and its gradient at a state of shape (2,)."""
    s = x @ x - 1
    return 8 * s**2 - x[0], 32 * s * x - np.array([1, 0])


result = r2sgld.sample(
    energy,
    names=["x", "y"],
    domain={"box": {"x": [-2, 2], "y": [-2, 2]}},
    constraints=["x^2 + y^2 >= 0.25", "y < 1 + x"],
)
print(result.posterior["x"].mean().item(), result.attrs["log_evidence"])
