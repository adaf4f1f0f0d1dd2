"""Symmetric matrices of normal entries that are stable: all eigenvalues are below 1. No formula says that."""

import numpy as np

import r2sgld

ROWS, COLUMNS = np.triu_indices(3)


def energy(x):
    """U of n matrices by their upper triangles, of shape (n, 6): entries off the diagonal count twice."""
    weights = np.where(ROWS == COLUMNS, 0.5, 1.0)
    return (weights * x * x).sum(axis=1), 2 * weights * x


def unstable(x):
    """The largest eigenvalue less 1, and its gradient, by the eigenvector: at most 0 where all is stable."""
    matrices = np.empty((len(x), 3, 3))
    matrices[:, ROWS, COLUMNS] = matrices[:, COLUMNS, ROWS] = x
    values, vectors = np.linalg.eigh(matrices)
    v = vectors[:, :, -1]
    return values[:, -1] - 1, np.where(ROWS == COLUMNS, 1, 2) * v[:, ROWS] * v[:, COLUMNS]


names = [f"a{i + 1}{j + 1}" for i, j in zip(ROWS, COLUMNS, strict=True)]
result = r2sgld.sample(
    energy,
    names=names,
    domain={"box": {name: [-6, 6] for name in names}},
    constraint=unstable,
    batched=True,
    lanewise=True,  # eigenvalues are computed matrix by matrix
)
print(result.posterior["a11"].mean().item(), result.posterior["a12"].std().item())
