"""Functions of JAX and PyTorch, and models of PyMC."""

import warnings

import numpy as np
import pytest

import r2sgld
from r2sgld._density import Density, walls


def expected(x):
    return (x**4).sum(axis=-1) - np.cos(x).sum(axis=-1), 4 * x**3 + np.sin(x)


@pytest.mark.parametrize("batched", [False, True])
@pytest.mark.parametrize("n", [1, 2, 3, 8, 13])
def test_jax(driver, batched, n):
    jnp = pytest.importorskip("jax.numpy")
    density = Density(lambda x: (x**4).sum(axis=-1) - jnp.cos(x).sum(axis=-1), "jax", 3, batched=batched)
    x = np.random.default_rng(n).normal(size=(n, 3))
    for answer, exact in zip(driver(density).ask(x).answer(), expected(x), strict=True):
        np.testing.assert_allclose(answer, exact, rtol=1e-12)


@pytest.mark.parametrize("batched", [False, True])
def test_jax_with_a_seed(driver, batched):
    jax = pytest.importorskip("jax")

    def energy(x, seed):
        return (x * jax.random.uniform(jax.random.PRNGKey(seed), (2,))).sum(axis=-1)

    density = Density(energy, "jax", 2, batched=batched, stochastic=True)
    first, second, third = (driver(density).ask(np.ones((3, 2)), seed).answer()[1] for seed in (2**62, 2**62, 5))
    np.testing.assert_array_equal(first, second)
    assert (first == first[0]).all() and not (first == third).any()


@pytest.mark.parametrize("batched", [False, True])
@pytest.mark.parametrize("n", [1, 3])
def test_torch(driver, batched, n):
    torch = pytest.importorskip("torch")
    density = Density(lambda x: (x**4).sum(-1) - torch.cos(x).sum(-1), "torch", 3, batched=batched, sign=-1)
    x = np.random.default_rng(n).normal(size=(n, 3))
    for answer, exact in zip(driver(density).ask(x).answer(), expected(x), strict=True):
        np.testing.assert_allclose(-answer, exact, rtol=1e-12)


@pytest.mark.parametrize("library", ["jax", "torch"])
@pytest.mark.parametrize("batched", [False, True])
@pytest.mark.parametrize("lanewise", [False, True])
def test_constraints(driver, library, batched, lanewise):
    numpy = pytest.importorskip({"jax": "jax.numpy", "torch": "torch"}[library])
    form = {"dimension": 3, "batched": batched, "lanewise": lanewise}
    (wall,) = walls(lambda x: (x**4).sum(-1) - numpy.cos(x).sum(-1), library, form)
    density = Density(lambda x: (0.0, x), None, 3, constraints=[wall])
    x = np.random.default_rng(7).normal(size=(5, 3))
    together = driver(density).ask(x, kind=2).answer()
    for answer, exact in zip(together, expected(x), strict=True):
        np.testing.assert_allclose(answer, exact, rtol=1e-12)
    if not lanewise:
        alone = [driver(density).ask(x[i : i + 1], kind=2).answer()[0][0] for i in range(5)]
        np.testing.assert_array_equal(together[0], alone)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_constraint_is_differentiated_as_the_energy():
    jnp = pytest.importorskip("jax.numpy")
    result = r2sgld.sample(
        lambda x: jnp.sum(x**2) / 2,
        names=["x", "y"],
        domain={"box": {"x": [-1, 1], "y": [-1, 1]}},
        constraint=lambda x: jnp.sum(x**2) - 1,
        gradient="jax",
        sampler={"method": "r-sgld", "iterations": 300, "step_size": 0.02, "thin": 1, "ladders": 2},
    )
    assert (result.posterior.x**2 + result.posterior.y**2).max() <= 1 + 1e-12


def model():
    pm = pytest.importorskip("pymc")
    with pm.Model(coords={"g": ["a", "b"]}) as model:
        mu = pm.Normal("mu", 0, 1)
        pm.HalfNormal("sigma", 1)
        pm.Uniform("p", 0, 1)
        pm.Normal("x", 0, 1, dims="g")
        pm.Deterministic("twice", 2 * mu)
    return model


@pytest.mark.slow
def test_pymc():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = r2sgld.from_pymc(
            model(),
            constraints=["x_1 < x_2", "p < 0.5"],
            sampler={"method": "r-hmc", "iterations": 3000, "step_size": 0.05, "thin": 1},
        )
        again = r2sgld.resume(result)
    posterior = result.posterior
    assert posterior.x.dims == ("chain", "draw", "g")
    assert posterior.g.values.tolist() == ["a", "b"]
    assert (posterior.x.sel(g="a") < posterior.x.sel(g="b")).all()
    assert posterior.p.min() >= 0 and posterior.p.max() <= 0.5
    assert (posterior.sigma > 0).all()
    np.testing.assert_allclose(posterior.twice, 2 * posterior.mu)
    assert float(posterior.sigma.mean()) == pytest.approx((2 / np.pi) ** 0.5, abs=0.1)
    assert float(posterior.x.sel(g="b").mean()) == pytest.approx(np.pi**-0.5, abs=0.1)
    assert np.array_equal(again.posterior.x, posterior.x)


def test_pymc_refuses_what_it_cannot_sample():
    pm = pytest.importorskip("pymc")
    with pm.Model() as counts:
        pm.Poisson("k", 3)
    with pytest.raises(ValueError, match="discrete variables, which are not sampled: k"):
        r2sgld.from_pymc(counts)
    with pm.Model() as shares:
        pm.Dirichlet("w", np.ones(3))
    with pytest.raises(ValueError, match="w cannot be named"):
        r2sgld.from_pymc(shares, constraints="w_1 < 0.5")
