"""Reference solutions of initial value problems and what SciPy takes for them.

usage: ode-reference.py > ode/testdata/scipy.json

Needs SciPy. Prints a list: first where it comes from, then a run each with

  problem, method, rtol, atol, t_end
  nfev, njev   evaluations of f and of its Jacobian by scipy.integrate.solve_ivp
  error        max_i |e_i| / (atol + rtol max_i |y_i|) at t_end
  scaled       max_i |e_i| / (atol + rtol |y_i|) there
  y_end        the true solution there

The true solution of Kepler's problem is its initial state, those of Lorenz,
Lotka-Volterra and the mild van der Pol oscillator come from Taylor series of
order 40 in arithmetic of 50 digits, those of the stiff problems from the Test
Set for IVP Solvers (Mazzia and Magherini, release 2.4).
"""

import json
from decimal import Decimal as D
from decimal import getcontext

import numpy as np
import scipy
from scipy.integrate import solve_ivp

getcontext().prec = 50
ORDER = 40


def conv(a, b, n):
    return sum(a[k] * b[n - k] for k in range(n + 1))


def taylor(next_coefficients, y0, end, steps):
    """Sums the series of y step by step; y^(n+1)/(n+1)! = next(y, n)/(n+1)."""
    h = D(end) / steps
    y = [D(v) for v in y0]
    for _ in range(steps):
        c = [[v] for v in y]
        work = {}
        for n in range(ORDER):
            for a, v in zip(c, next_coefficients(c, n, work)):
                a.append(v / (n + 1))
        y = [sum(v * h**n for n, v in enumerate(a)) for a in c]
    return [float(v) for v in y]


def lorenz_series(c, n, _):
    x, y, z = c
    return [
        10 * (y[n] - x[n]),
        28 * x[n] - conv(x, z, n) - y[n],
        conv(x, y, n) - D(8) / 3 * z[n],
    ]


def lotka_series(c, n, _):
    x, y = c
    xy = conv(x, y, n)
    return [x[n] - D("0.1") * xy, D("0.075") * xy - D("1.5") * y[n]]


def pol_series(c, n, work):
    x, v = c
    q = work.setdefault("x2", [])
    q.append(conv(x, x, n))
    return [v[n], v[n] - conv(q, v, n) - x[n]]


def lorenz(t, u):
    x, y, z = u
    return [10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z]


def lotka(t, u):
    x, y = u
    return [x - 0.1 * x * y, 0.075 * x * y - 1.5 * y]


def kepler(t, u):
    x, y, v, w = u
    r3 = np.hypot(x, y) ** 3
    return [v, w, -x / r3, -y / r3]


def pol(mu):
    return lambda t, u: [u[1], mu * (1 - u[0] ** 2) * u[1] - u[0]]


def robertson(t, u):
    x, y, z = u
    a, b, c = 0.04 * x, 1e4 * y * z, 3e7 * y * y
    return [b - a, a - b - c, c]


PLAIN = ("RK45", "DOP853", "LSODA")
RTOL = (1e-4, 1e-6, 1e-8, 1e-10)
FINE = tuple(float(f"1e-{k}") / q for k in range(3, 11) for q in (1, 3.16) if k < 10 or q == 1)  # LSODA's line of work
ORBIT = [0.4, 0.0, 0.0, 2.0]  # eccentricity 0.6, period 2 pi

# name, f, y0, t_end, y_end, methods, atol / rtol
PROBLEMS = [
    ("lorenz", lorenz, [1, 1, 1], 10, taylor(lorenz_series, [1, 1, 1], 10, 400), PLAIN, 1),
    ("lotka", lotka, [10, 5], 10, taylor(lotka_series, [10, 5], 10, 200), PLAIN, 1),
    ("kepler", kepler, ORBIT, 2 * np.pi, ORBIT, PLAIN, 1),
    ("half orbit", kepler, ORBIT, np.pi, [-1.6, 0.0, 0.0, -0.5], PLAIN, 1),
    ("pol", pol(1), [2, 0], 10, taylor(pol_series, [2, 0], 10, 400), PLAIN, 1),
    ("pol1000", pol(1000), [2, 0], 2000, [1.706167732170483, -0.8928097010247975e-3], ("LSODA",), 1e-3),
    (
        "robertson",
        robertson,
        [1, 0, 0],
        1e11,
        [0.2083340149701255e-07, 0.8333360770334713e-13, 0.9999999791665050],
        ("LSODA",),
        1e-8,
    ),
]


def runs():
    for name, f, y0, end, true, methods, ratio in PROBLEMS:
        for method in methods:
            for rtol in FINE if method == "LSODA" else RTOL:
                atol = rtol * ratio
                r = solve_ivp(f, (0, end), y0, method=method, rtol=rtol, atol=atol)
                e = np.abs(r.y[:, -1] - true)
                yield {
                    "problem": name,
                    "method": method,
                    "rtol": rtol,
                    "atol": atol,
                    "t_end": end,
                    "nfev": int(r.nfev),
                    "njev": int(r.njev),
                    "error": float(f"{e.max() / (atol + rtol * np.abs(true).max()):.4g}"),
                    "scaled": float(f"{(e / (atol + rtol * np.abs(true))).max():.4g}"),
                    "y_end": true,
                }


def main():
    head = {"provenance": f"script/ode-reference.py with SciPy {scipy.__version__}, NumPy {np.__version__}"}
    print("[\n" + ",\n".join(json.dumps(r) for r in [head, *runs()]) + "\n]")


if __name__ == "__main__":
    main()
