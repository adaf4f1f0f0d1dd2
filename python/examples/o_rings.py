"""Damage to rings of the space shuttle, where warmth does no harm; then what ArviZ says of it."""

import csv
from pathlib import Path

import arviz

import r2sgld

with Path(__file__).parents[2].joinpath("examples", "fit", "o-rings.csv").open() as file:
    rows = list(csv.DictReader(file))
data = {name: [float(row[name]) for row in rows] for name in ("temperature", "rings", "damaged")}

result = r2sgld.fit(
    data,
    {
        "parameters": {"a": "normal(0, 5)", "b": {"prior": "normal(0, 1)", "max": 0}},
        "let": {"eta": "a + b*(temperature - 70)"},
        "likelihood": "damaged ~ binomial_logit(rings, eta)",
    },
)
print(arviz.summary(result))
print(arviz.loo(result))
