"""Runs of the program against known answers."""

import json
import math
import warnings
from pathlib import Path

import arviz
import numpy as np
import pytest
from conftest import QUICK

import r2sgld

LADDER = {"method": "r2sgld", "kernel": "hmc", "iterations": 2000, "temperature": [1, 4, math.inf], "thin": 1}


def near(draws, expected):
    """Whether the mean of draws, of shape (chain, draw), is the expected one by five standard errors."""
    draws = np.asarray(draws, float)
    return abs(draws.mean() - expected) < 5 * max(arviz.mcse(draws), 1e-9)


def test_a_normal_density_in_a_box(normal):
    posterior = normal.posterior
    assert list(posterior) == ["x", "theta"]
    assert dict(posterior.sizes) == {"chain": 4, "draw": 1350, "theta_dim_0": 2, "theta_dim_1": 2}
    assert posterior.x.min() >= 0 and posterior.x.max() <= 2 and posterior.theta.max() <= 1
    phi = [math.exp(-z * z / 2) / math.sqrt(2 * math.pi) for z in (0, 1, 2)]
    mass = [math.erf(z / math.sqrt(2)) / 2 for z in (0, 1, 2)]
    assert near(posterior.x, (phi[0] - phi[2]) / mass[2])
    for i in range(2):
        for j in range(2):
            assert near(posterior.theta[:, :, i, j], -phi[1] / (0.5 + mass[1]))


def test_what_comes_back(normal):
    assert set(normal.groups()) >= {"posterior", "sample_stats"}
    np.testing.assert_allclose(
        normal.sample_stats["energy"], (normal.posterior.x**2 + (normal.posterior.theta**2).sum(axis=(2, 3))) / 2
    )
    assert Path(normal.attrs["run"], "summary.json").exists()
    assert normal.attrs["log_evidence"] is None
    assert normal.attrs["log_evidence_se"] is None
    assert isinstance(normal.attrs["warnings"], list)


def test_arviz_takes_it(normal):
    table = arviz.summary(normal)
    assert list(table.index) == ["x", "theta[0, 0]", "theta[0, 1]", "theta[1, 0]", "theta[1, 1]"]
    arviz.plot_trace(normal)
    arviz.plot_pair(normal)


def test_two_modes_in_a_disc():
    def energy(x):
        """Two wells of unequal depth."""
        u, v = x[:, 0], x[:, 1]
        energies = 4 * (u * u - 1) ** 2 + u / 2 + 2 * v * v
        return energies, np.stack([16 * u * (u * u - 1) + 0.5, 4 * v], axis=1)

    with pytest.warns(RuntimeWarning) as told:
        warnings.warn("one at least", RuntimeWarning, stacklevel=1)
        result = r2sgld.sample(
            energy,
            names=["x", "y"],
            domain={"ball": {"radius": 1.5}},
            batched=True,
            lanewise=True,
            sampler=LADDER,
            out="disc",
        )
    assert [str(w.message) for w in told][1:] == result.attrs["warnings"]
    grid = np.linspace(-1.5, 1.5, 601)
    u, v = np.meshgrid(grid, grid)
    weights = np.exp(-energy(np.stack([u.ravel(), v.ravel()], axis=1))[0]).reshape(u.shape) * (u * u + v * v <= 2.25)
    integral = weights.sum() * (grid[1] - grid[0]) ** 2
    posterior = result.posterior
    assert (posterior.x**2 + posterior.y**2).max() <= 2.25 * (1 + 1e-12)
    assert near(posterior.x, (weights * u).sum() / weights.sum())
    assert near(posterior.x > 0, weights[u > 0].sum() / weights.sum())
    assert abs(result.attrs["log_evidence"] - math.log(integral)) < 5 * result.attrs["log_evidence_se"]
    assert set(result.groups()) >= {"tempered"}
    result.to_netcdf("disc.nc")
    assert arviz.from_netcdf("disc.nc").attrs["run"] == result.attrs["run"]


def test_a_log_density_with_its_gradient():
    result = r2sgld.sample(
        logp=lambda x: -3 * x,
        gradient=lambda x: [-3],
        names=["x"],
        domain={"box": {"x": [0, 1]}},
        constraints="x < 0.8",
        init={"x": 0.4},
        sampler={**QUICK, "ladders": 2},
    )
    assert result.posterior.x.max() <= 0.8
    assert near(result.posterior.x, 1 / 3 - 0.8 / math.expm1(2.4))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_stochastic_functions():
    data = np.random.default_rng(1).normal(1, 1, size=100)

    def energy(x, seed):
        """From half of the data."""
        batch = np.random.default_rng(seed).choice(data, 50)
        return ((batch - x) ** 2).sum(), 2 * (x - batch).sum()

    result = r2sgld.sample(
        energy,
        names=["mu"],
        domain={"box": {"mu": [-5, 5]}},
        stochastic=True,
        sampler={"method": "r-sgld", "iterations": 4000, "step_size": 5e-4, "ladders": 2},
    )
    assert abs(result.posterior.mu.mean() - data.mean()) < 0.05
    run = Path(result.attrs["run"])
    assert run.parent == Path("runs").absolute()
    assert run.name.startswith("model-")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_draws_do_not_depend_on_threads():
    short = {**QUICK, "iterations": 100, "step_size": 0.1, "ladders": 2}
    first, second = (
        r2sgld.sample(lambda x: (x @ x / 2, x), names=["x"], sampler=short, threads=threads) for threads in (1, 2)
    )
    assert np.array_equal(first.posterior.x, second.posterior.x)
    assert first.attrs["run"] != second.attrs["run"]


def test_the_exception_of_the_function_is_the_cause():
    def energy(x):
        if x[0] > 0.5:
            raise ZeroDivisionError("too far right")
        return x @ x, 2 * x

    with pytest.raises(r2sgld.R2sgldError, match="too far right") as caught:
        r2sgld.sample(energy, names=["x"], domain={"box": {"x": [0, 1]}}, sampler=QUICK, out="run")
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert "in energy" in str(caught.value)
    assert not Path("run").exists() and not Path("run.model").exists()


def test_a_missing_gradient_is_a_type_error_that_names_the_ways():
    with pytest.raises(TypeError, match=r"(?s)\(energy, gradient\).*gradient=function.*\"jax\" or \"torch\"") as caught:
        r2sgld.sample(lambda x: x @ x, names=["x"], domain={"box": {"x": [0, 1]}}, sampler=QUICK)
    assert isinstance(caught.value, r2sgld.AnswerError)
    assert isinstance(caught.value, r2sgld.R2sgldError)


def test_a_function_that_hangs_up():
    def energy(x):
        import os

        os._exit(7)

    with pytest.raises(r2sgld.R2sgldError, match="exit status 7"):
        r2sgld.sample(energy, names=["x"], domain={"box": {"x": [0, 1]}}, sampler=QUICK)


def test_nan_everywhere_is_told():
    with pytest.raises(r2sgld.R2sgldError, match="not finite"):
        r2sgld.sample(lambda x: (math.nan, x), names=["x"], domain={"box": {"x": [0, 1]}}, sampler=QUICK)


@pytest.mark.parametrize(
    ("wrong", "error", "says"),
    [
        ({}, TypeError, "one of energy and logp"),
        ({"energy": print, "logp": print}, TypeError, "one of energy and logp"),
        ({"energy": print, "gradient": "autograd"}, ValueError, "gradient is"),
        ({"energy": print, "names": ["x", "x"]}, ValueError, "differ"),
        ({"energy": print, "names": ["exp("]}, r2sgld.R2sgldError, "cannot name a variable"),
        ({"energy": print, "sampler": {"iteration": 5}}, r2sgld.R2sgldError, "iterations"),
        ({"energy": print, "constraints": ["x < 0", "x > 1"]}, r2sgld.R2sgldError, "x"),
    ],
)
def test_bad_arguments_leave_nothing(wrong, error, says):
    with pytest.raises(error, match=says) as caught:
        r2sgld.sample(**{"names": ["x"], **wrong})
    assert getattr(caught.value, "returncode", 2) == 2
    assert not list(Path().rglob("*.*"))


def test_energies_by_the_command_line_are_those_of_the_package(normal):
    config = json.loads(Path(normal.attrs["run"], "run.json").read_text())["config"]
    assert config["potential"]["directory"] == normal.attrs["run"] + ".model"
