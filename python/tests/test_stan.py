"""Stan programs, where something compiles them."""

import json
import subprocess
import warnings
from pathlib import Path

import arviz
import numpy as np
import pytest
import xarray

import r2sgld
from r2sgld._api import _expanded, _json
from r2sgld._program import find
from r2sgld._result import folded, whole

PROGRAM = """
data { int N; vector[N] y; real top; }
parameters { vector<lower=0>[2] a; real<upper=top> m; simplex[3] s; }
transformed parameters { real both = a[1] + a[2]; }
model { a ~ exponential(1); m ~ normal(0, 1); y ~ normal(m, 1); }
generated quantities {
  vector[N] log_lik;
  for (n in 1:N) log_lik[n] = normal_lpdf(y[n] | m, 1);
}
"""
DATA = {"N": np.int64(3), "y": np.array([0.5, -0.2, 0.1]), "top": 0.3}
SHORT = {"until": {"ess": 100}}


@pytest.fixture(scope="session")
def fitted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stan")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return r2sgld.stan(PROGRAM, DATA, constraints="a[1] + a[2] < 1", sampler=SHORT, out=folder / "run")
        except r2sgld.R2sgldError as error:
            if "no Stan compiler" in str(error):
                pytest.skip("no Stan here: script/setup stan brings it")
            raise


@pytest.mark.slow
def test_a_stan_program(fitted):
    posterior = fitted.posterior
    assert posterior.a.dims == ("chain", "draw", "a_dim_0") and posterior.s.sizes["s_dim_0"] == 3
    assert posterior.a.min() >= 0 and posterior.a.sum("a_dim_0").max() <= 1 and posterior.m.max() <= 0.3
    np.testing.assert_allclose(posterior.both, posterior.a.sum("a_dim_0"))
    np.testing.assert_allclose(posterior.s.sum("s_dim_0"), 1)
    # of two exponentials whose sum is below 1 the density of the sum is t exp(-t)
    expected = (2 - 5 / np.e) / (1 - 2 / np.e)
    assert abs(float(posterior.both.mean()) - expected) < 5 * arviz.mcse(posterior.both.values)
    assert arviz.loo(fitted).n_data_points == 3


@pytest.mark.slow
def test_what_stan_says_of_a_program_is_told(fitted):
    with pytest.raises(r2sgld.R2sgldError, match="line 1, column") as caught:
        r2sgld.stan("parameters { real x } model { }")
    assert caught.value.returncode == 2 and not Path("runs").exists()


def test_data_are_json():
    told = json.loads(_json({"n": np.int32(2), "x": np.ones((2, 1)), "b": True, "l": [1.5, float("inf")]}))
    assert told == {"n": 2, "x": [[1.0], [1.0]], "b": 1, "l": [1.5, float("inf")]}


def test_entries_are_arrays():
    draws = {
        name: (("chain", "draw"), np.full((2, 3), v))
        for name, v in {"x[1,1]": 11.0, "x[2,1]": 21.0, "x[1,2]": 12.0, "x[2,2]": 22.0, "y[1]": 1.0, "y[3]": 3.0, "z": 0.0}.items()
    }
    group = folded(xarray.Dataset(draws))
    assert set(group) == {"x", "y[1]", "y[3]", "z"}
    assert group.x.dims == ("chain", "draw", "x_dim_0", "x_dim_1")
    assert group.x[0, 0].values.tolist() == [[11, 12], [21, 22]]


def test_outputs_join_the_draws_that_they_are_of():
    places = {"chain": [0], "draw": [0, 1, 2, 3]}
    entry = (("chain", "draw"), [[1.0, 2, 3, 4]])
    posterior = xarray.Dataset({"x": entry, "s[1]": entry}, places)
    told = {"log_lik": (("chain", "draw"), [[10.0, 30]]), "s[2]": (("chain", "draw"), [[5.0, 6]])}
    outputs = xarray.Dataset(told, {"chain": [0], "draw": [0, 2]})
    groups = whole({"posterior": posterior, "outputs": outputs}, folded)
    assert groups["posterior"].x.values.tolist() == [[1, 3]]
    assert groups["posterior"].s.values.tolist() == [[[1, 5], [3, 6]]]  # an array may be told in two parts
    assert groups["log_likelihood"].log_lik.values.tolist() == [[10, 30]]
    assert set(whole({"posterior": posterior}, None)) == {"posterior"}


def test_what_a_program_includes_goes_with_it(tmp_path):
    (tmp_path / "lib").mkdir()
    (tmp_path / "m.stan").write_text("functions {\n  #include lib/a.stan // one\n}\n#include <b.stan>\n// #include c\n")
    (tmp_path / "lib/a.stan").write_text('real f() {}\n#include "b.stan"\n')
    (tmp_path / "b.stan").write_text("real g() {}\n")
    text = _expanded(tmp_path / "m.stan")
    assert [line for line in text.split("\n") if line] == [
        "functions {",
        "real f() {}",
        "real g() {}",
        "}",
        "real g() {}",
        "// #include c",
    ]
    (tmp_path / "b.stan").write_text("#include m.stan")
    with pytest.raises(ValueError, match="includes itself"):
        _expanded(tmp_path / "m.stan")


def test_a_missing_program_is_told():
    assert subprocess.run([find(), "stan", "nowhere.stan"], capture_output=True).returncode == 2
