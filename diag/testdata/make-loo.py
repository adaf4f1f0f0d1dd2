"""A second set of reference numbers for LOO, WAIC and PSIS, from ArviZ. Run in this folder:
    python make-loo.py > loo-arviz.json
The log densities are those of make-loo.R."""
import json
import warnings

warnings.filterwarnings("ignore")
import arviz as az
import numpy as np


def draw(k, n):
    out = []
    for _ in range(n):
        t = 0
        for _ in range(12):
            k = 16807 * k % 2147483647
            t += k
        out.append(t / 2147483648 - 6)
    return np.array(out)


def loglik(seed, n, data):
    theta, y = draw(seed, n), 1.5 * draw(seed + 1, data)
    z = (y[:, None] - theta) / (0.5 + (np.arange(data) % 5) * 0.5)[:, None]
    return np.where(np.arange(data)[:, None] % 2 == 0, -z * z / 2, -np.log1p(z * z))


cases = []
for seed, n, data, r_eff in [(301, 4000, 12, 1), (311, 500, 30, 0.3), (321, 137, 10, 1.7), (331, 25, 5, 1)]:
    l = loglik(seed, n, data)
    idata = az.from_dict(posterior={"x": np.zeros((1, n))}, log_likelihood={"y": l.T[None]})
    a, w = az.loo(idata, reff=r_eff, pointwise=True), az.waic(idata, pointwise=True)
    cases.append({"seed": seed, "n": n, "data": data, "r_eff": r_eff, "loo": float(a.elpd_loo), "loo_se": float(a.se), "p_loo": float(a.p_loo),
                  "loo_i": a.loo_i.values.tolist(), "k": a.pareto_k.values.tolist(), "waic": float(w.elpd_waic), "waic_se": float(w.se),
                  "p_waic": float(w.p_waic), "waic_i": w.waic_i.values.tolist()})
print(json.dumps({"provenance": f"ArviZ {az.__version__}, NumPy {np.__version__} by make-loo.py", "cases": cases}, indent=1))
