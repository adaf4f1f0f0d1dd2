"""Predator and prey in the pelts of the Hudson Bay: two models, compared."""

from pathlib import Path

import r2sgld

pelts = Path(__file__).parents[2] / "data" / "lynx_hare.csv"
lynx = "L*(-gamma + delta*H)"
bounds = ["0 < alpha < 2", "0 < beta < 1", "0 < gamma < 2", "0 < delta < 1"]
series = {"time": "year", "states": {"H": "hare", "L": "lynx"}, "likelihood": "log-derivative"}

predation = r2sgld.identify(pelts, {"H": "H*(alpha - beta*L)", "L": lynx}, constraints=bounds, **series)
logistic = r2sgld.identify(
    pelts,
    {"H": "H*(alpha*(1 - H/capacity) - beta*L)", "L": lynx},
    constraints=[*bounds, "10 < capacity < 1000"],
    **series,
)
for model in r2sgld.compare(predation, logistic)["models"]:
    print(model["name"], model["log_evidence"], model["probability"])
