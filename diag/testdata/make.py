"""A second set of reference numbers for diag, from ArviZ and SciPy. Run in this folder:
    python make.py > arviz.json
The draws are those of make.R, whose posterior.json lists the cases."""
import json
import warnings

warnings.filterwarnings("ignore")
import arviz as az
import numpy as np
import scipy
from scipy import stats


def chain(seed, n, phi, kind, offset):
    k, v, out = seed, 0.0, []

    def e():
        nonlocal k
        t = 0
        for _ in range(12):
            k = 16807 * k % 2147483647
            t += k
        return t / 2147483648 - 6

    for i in range(1, n + 1):
        v = phi * v + e()
        if kind == "ratio":
            x = v / e()
        else:
            x = {"ar": v, "discrete": np.floor(v), "binary": float(v < 0), "constant": 1.0, "alternating": (-1.0) ** i}[kind]
        out.append(x + offset)
    return out


def number(v):
    v = float(v)
    return "NaN" if np.isnan(v) else "Inf" if np.isinf(v) else v


cases = []
for s in json.load(open("posterior.json"))["cases"]:
    x = np.array([chain(1000 * s["seed"] + c + 1, s["n"], s["phi"], s["kind"], s["step"] * c) for c in range(s["m"])])
    r = {"ess_bulk": az.ess(x, method="bulk"), "ess_tail": az.ess(x, method="tail"), "ess_mean": az.ess(x, method="mean"),
         "rhat": az.rhat(x), "mcse_mean": az.mcse(x), "mcse_sd": az.mcse(x, method="sd")}
    cases.append({"name": s["name"], "numbers": {k: number(v) for k, v in r.items()}})
x, y = chain(77, 60, 0, "ar", 0.0), chain(78, 45, 0, "ar", 0.3)
wx, wy = [1 + i % 3 for i in range(60)], [1 + i % 4 for i in range(45)]
print(json.dumps({
    "provenance": f"ArviZ {az.__version__}, SciPy {scipy.__version__}, NumPy {np.__version__} by make.py", "cases": cases,
    "w1": stats.wasserstein_distance(x, y), "w1_weighted": stats.wasserstein_distance(x, y, wx, wy),
    "kl": stats.entropy([0.1, 0.2, 0.3, 0.4], [0.3, 0.3, 0.2, 0.2]), "kl_back": stats.entropy([0.3, 0.3, 0.2, 0.2], [0.1, 0.2, 0.3, 0.4]),
}, indent=1))
