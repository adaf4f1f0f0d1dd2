"""Data and log evidence of the mixture of mixture3.csv, by programs other than r2sgld.

python mixture3.py data     writes mixture3.csv
python mixture3.py          writes mixture3.json

y ~ w[1] N(mu[1], sigma[1]) + w[2] N(mu[2], sigma[2]) + w[3] N(mu[3], sigma[3]), with w ~ Dirichlet(4, 4, 4),
mu[k] ~ N(0, 5) and log sigma[k] ~ N(0, 0.3). The density is the same in all six orders of the components, so the
evidence is that of the sector mu[1] < mu[2] < mu[3] under six times the prior, which is the law of sorted means.
Both computations stay in that sector: nested sampling by dynesty, with sorted uniforms one to one from the cube, and
importance sampling by a t law about a mode, with the weight 0 outside.
"""
import csv
import json
import platform
import sys

import dynesty
import numpy as np
import scipy
from scipy import optimize, special, stats

SEEDS = [1, 2, 3, 4, 5, 6, 7, 8]  # of dynesty
LIVE = 1000
POINTS = 2_000_000  # of the t law


def write_data():
    rng = np.random.default_rng(20)
    k = rng.choice(3, size=200, p=[0.3, 0.45, 0.25])
    y = rng.normal(np.array([-3.0, 0.0, 3.5])[k], np.array([0.8, 1.0, 0.7])[k])
    with open("mixture3.csv", "w", newline="") as f:
        out = csv.writer(f, lineterminator="\n")
        out.writerow(["y"])
        out.writerows([f"{v:.4f}"] for v in y)


def log_likelihood(y, w, mu, sigma):
    """Of one point, or of rows of them."""
    z = (y - mu[..., None]) / sigma[..., None]
    terms = np.log(w / sigma)[..., None] - z * z / 2
    most = terms.max(axis=-2)
    log = most + np.log(np.exp(terms - most[..., None, :]).sum(axis=-2))
    return log.sum(axis=-1) - len(y) * np.log(2 * np.pi) / 2


def from_cube(v):
    """The sorted prior at a point of the unit cube: w[1], w[2], mu, sigma."""
    u3 = v[0] ** (1 / 3)
    u2 = u3 * v[1] ** (1 / 2)
    mu = 5 * special.ndtri(np.array([u2 * v[2], u2, u3]))
    first = special.betaincinv(4, 8, v[3])
    second = (1 - first) * special.betaincinv(4, 4, v[4])
    return np.concatenate([[first, second], mu, np.exp(0.3 * special.ndtri(v[5:8]))])


def nested(y):
    def log(x):
        """log_likelihood of one point, in the fewest steps."""
        z = (y - x[2:5, None]) / x[5:8, None]
        density = np.array([x[0], x[1], 1 - x[0] - x[1]]) / x[5:8] @ np.exp(-0.5 * z * z)
        return np.log(density + 1e-300).sum() - len(y) * np.log(2 * np.pi) / 2

    runs = []
    for seed in SEEDS:
        sampler = dynesty.NestedSampler(log, from_cube, 8, nlive=LIVE, sample="rslice", slices=33, rstate=np.random.default_rng(seed))
        sampler.run_nested(dlogz=0.01, print_progress=False)
        r = sampler.results
        runs.append({"seed": seed, "log_evidence": float(r.logz[-1]), "se": float(r.logzerr[-1]), "calls": int(np.sum(r.ncall))})
        print(runs[-1], flush=True)
    z = np.array([r["log_evidence"] for r in runs])
    se = np.array([r["se"] for r in runs])
    return {"log_evidence": float(z.mean()), "se": float(np.sqrt((se**2).sum()) / len(z)), "live": LIVE, "runs": runs}


def unmapped(q):
    """w, mu and sigma of rows of q = (log w1/w3, log w2/w3, mu, log sigma)."""
    logit = np.column_stack([q[:, :2], np.zeros(len(q))])
    return special.softmax(logit, axis=1), q[:, 2:5], np.exp(q[:, 5:8])


def log_posterior(y, q):
    """Density by q, six times the prior where mu increases and 0 elsewhere."""
    w, mu, sigma = unmapped(q)
    log = np.log(6) + special.gammaln(12) - 3 * special.gammaln(4) + 4 * np.log(w).sum(axis=1)  # |dw/dq| is the product of w
    log += stats.norm.logpdf(mu, 0, 5).sum(axis=1) + stats.norm.logpdf(q[:, 5:8], 0, 0.3).sum(axis=1)
    return np.where((mu[:, 0] < mu[:, 1]) & (mu[:, 1] < mu[:, 2]), log + log_likelihood(y, w, mu, sigma), -np.inf)


def importance(y):
    start = np.array([0, 0.5, -3, 0, 3.5, 0, 0, 0])
    energy = lambda q: -log_posterior(y, q[None])[0]
    best = optimize.minimize(energy, start, method="BFGS").x
    e = np.eye(8) * 1e-3
    hessian = np.array([[energy(best + a + b) - energy(best + a - b) - energy(best - a + b) + energy(best - a - b)
                         for a in e] for b in e]) / 4e-6
    proposal = stats.multivariate_t(best, 1.3 * np.linalg.inv(hessian), df=6, seed=np.random.default_rng(5))
    q = proposal.rvs(POINTS)
    log = np.concatenate([log_posterior(y, q[k:k + 4000]) for k in range(0, POINTS, 4000)]) - proposal.logpdf(q)
    most = log.max()
    weight = np.exp(log - most)
    total = weight.sum()
    x = np.column_stack(unmapped(q))
    mean = weight @ x / total
    square = (x - mean) ** 2
    sd = np.sqrt(weight @ square / total)
    return {"log_evidence": float(most + np.log(weight.mean())), "se": float(weight.std() / weight.mean() / np.sqrt(POINTS)),
            "ess": float(total**2 / (weight @ weight)), "points": POINTS, "seed": 5,
            "parameters": [f"{name}[{k}]" for name in ["w", "mu", "sigma"] for k in [1, 2, 3]],
            "mean": mean.tolist(), "mean_se": (np.sqrt(weight**2 @ square) / total).tolist(),
            "sd": sd.tolist(), "sd_se": (np.sqrt(weight**2 @ (square - sd**2) ** 2) / total / sd / 2).tolist()}


def main():
    if sys.argv[1:] == ["data"]:
        write_data()
        return
    y = np.loadtxt("mixture3.csv", skiprows=1)
    out = {"versions": {"python": platform.python_version(), "dynesty": dynesty.__version__, "numpy": np.__version__,
                        "scipy": scipy.__version__}}
    out["dynesty"] = nested(y)
    out["importance"] = importance(y)
    with open("mixture3.json", "w") as f:
        json.dump(out, f, indent=1)
        f.write("\n")


main()
