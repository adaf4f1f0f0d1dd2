"""Prints the coefficients of lane's polynomial for exp: q of degree 10 with
exp(r) = 1 + r + r^2 q(r) for |r| <= log(2)/2, which interpolates at Chebyshev's points.
The lowest is rounded to 1/2 first, and the rest interpolates what that leaves.
"""

from mpmath import cos, exp, log, lu_solve, matrix, mp, mpf, pi

mp.dps = 60
DEGREE, EDGE = 10, log(2) / 2 * mpf("1.001")


def q(r):
    """The Taylor series of (exp(r) - 1 - r)/r^2, without cancellation."""
    return sum(r**n / mp.factorial(n + 2) for n in range(60))


points = [EDGE * cos(pi * (2 * i + 1) / (2 * DEGREE)) for i in range(DEGREE)]
rows = matrix([[p**j for j in range(DEGREE)] for p in points])
rest = lu_solve(rows, matrix([(q(p) - mpf(1) / 2) / p for p in points]))
c = [0.5] + [float(v) for v in rest]
for v in c:
    print(repr(v))
grid = [EDGE * i / 2000 for i in range(-2000, 2001)]
error = max(abs(1 + r + r * r * sum(mpf(v) * r**j for j, v in enumerate(c)) - exp(r)) / exp(r) for r in grid)
print("# largest relative error", mp.nstr(error * 2**53, 3), "* 2^-53")
