"""A run that is extended until its quantiles are precise enough."""

import arviz

import r2sgld

model = {"parameters": {"m": "normal(0, 10)", "s": "half_normal(5)"}, "likelihood": "height ~ normal(m, s)"}
result = r2sgld.fit({"height": [1.71, 1.80, 1.65, None, 1.77]}, model, missing="drop", sampler={"until": {"ess": 200}})
print(arviz.ess(result, method="tail"))
result = r2sgld.resume(result, until={"ess": 4000})
print(arviz.ess(result, method="tail"))
