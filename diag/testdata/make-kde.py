"""Reference bandwidths and densities for diag, from KDEpy and ArviZ. Run in this folder:
    python make-kde.py > kde.json
The draws are normal quantiles at the numbers of a minimal standard generator, so
that both sides have the same ones."""
import json
import warnings

warnings.filterwarnings("ignore")
import arviz as az
import KDEpy
import numpy as np
from arviz.stats.density_utils import _bw_isj
from KDEpy import bw_selection as kdepy
from scipy import fft, stats

# (name, n, [(weight, mean, sd), …])
CASES = [
    ("normal", 2000, [(1, 0, 1)]),
    ("two", 2000, [(0.5, -2, 0.3), (0.5, 2, 0.3)]),
    ("unequal", 5000, [(0.7, 0, 1), (0.3, 5, 0.1)]),
    ("claw", 4000, [(0.5, 0, 1)] + [(0.1, k / 2 - 1, 0.1) for k in range(5)]),
    ("far", 1000, [(0.6, -50, 0.5), (0.4, 50, 2)]),
]


def draws(n, mixture, seed=2026):
    """Draws of each part in turn, n times its weight of them."""
    k, out = seed, []
    for w, mean, sd in mixture:
        for _ in range(round(n * w)):
            k = 16807 * k % 2147483647
            out.append(mean + sd * stats.norm.ppf(k / 2147483647))
    return np.array(out)


def bandwidths(x, cells=1 << 13):
    """What ArviZ and KDEpy make of counts on a grid so fine and wide that neither
    matters: alone, ArviZ takes 256 cells and KDEpy 1,024, and then KDEpy's bandwidth is
    short by the ratio of the range of the draws to that of its grid."""
    lo, hi = x.min() - np.ptp(x) / 10, x.max() + np.ptp(x) / 10
    counts, _ = np.histogram(x, cells, (lo, hi))
    a2 = fft.dct(counts / len(x))[1:] ** 2
    t = kdepy._root(kdepy._fixed_point, len(x), args=(len(x), np.arange(1.0, cells) ** 2, a2))
    return float(_bw_isj(x, grid_counts=counts, x_range=hi - lo)), float(np.sqrt(t) * (hi - lo))


cases = []
for name, n, mixture in CASES:
    x = draws(n, mixture)
    h, second = bandwidths(x)
    at = [mean + d * sd for _, mean, sd in mixture for d in (-1, 0, 1)]
    f = [float(np.mean(stats.norm.pdf(p, x, h))) for p in at]
    cases.append({"name": name, "n": n, "mixture": mixture, "sum": float(x.sum()), "arviz": h, "kdepy": second,
                  "at": at, "density": f})
print(json.dumps({"provenance": f"KDEpy {KDEpy.__version__}, ArviZ {az.__version__}, NumPy {np.__version__} by make-kde.py",
                  "cases": cases}, indent=1))
