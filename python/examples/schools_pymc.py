"""Eight schools in PyMC, with a constraint that PyMC does not know."""

import numpy as np
import pymc as pm

import r2sgld

effects = np.array([28.0, 8, -3, 7, -1, 1, 18, 12])
errors = np.array([15.0, 10, 16, 11, 9, 11, 10, 18])

if __name__ == "__main__":
    with pm.Model(coords={"school": list("ABCDEFGH")}) as model:
        mu = pm.Normal("mu", 0, 10)
        tau = pm.HalfNormal("tau", 10)
        z = pm.Normal("z", dims="school")
        theta = pm.Deterministic("theta", mu + tau * z, dims="school")
        pm.Normal("effect", theta, errors, observed=effects, dims="school")

    result = r2sgld.from_pymc(
        model,
        constraints=["mu >= 0", "tau <= 20"],
        sampler={"method": "r-hmc", "iterations": 1_000, "step_size": 0.02},
    )
    print(result.posterior["theta"].mean(dim=("chain", "draw")))
