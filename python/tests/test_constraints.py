"""Functions as constraints: how they are asked, and runs within them against the same by formulas."""

import json
import math
import warnings
from pathlib import Path

import arviz
import numpy as np
import pytest
from conftest import Driver, quadratic
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import r2sgld
from r2sgld._config import write
from r2sgld._density import Constraint, Density, walls
from r2sgld._errors import AnswerError
from r2sgld._program import call
from r2sgld._result import read
from r2sgld._serve import Failure

SGLD = {"method": "r2sgld", "iterations": 1500, "burn_in": 100, "thin": 1, "step_size": 0.02, "ladders": 4}


def shell(x):
    """Between the radii 1/2 and 1, by r² and a product: its values, and gradients."""
    r = (x * x).sum(axis=-1)
    slope = 2 * r - 1.25
    return (r - 0.25) * (r - 1), slope[..., None] * 2 * x


def product(x):
    """x₁x₂x₃ − 1/5 and its gradient, in the arithmetic that x*y*z <= 0.2 has in a configuration."""
    u, v, w = x.T
    return u * v * w - 0.2, np.stack([v * w, u * w, u * v], axis=-1)


def asked(form, **more):
    """A density with a constraint in a form."""
    kinds = {
        "pair": (lambda x: shell(x), None, False),
        "gradient": (lambda x: shell(x)[0], lambda x: shell(x)[1], False),
        "batched": (lambda x: shell(x), None, True),
        "batched gradient": (lambda x: shell(x)[0], lambda x: shell(x)[1], True),
    }
    function, gradient, batched = kinds[form]

    def of(d):
        wall = Constraint(function, gradient, d, batched=batched, name="shell", **more)
        other = Constraint(quadratic, None, d, name="other")
        return Density(quadratic, None, d, constraints=[wall, other])

    return of


@pytest.mark.parametrize("promised", [True, False])
@pytest.mark.parametrize("form", ["pair", "gradient", "batched", "batched gradient"])
@pytest.mark.parametrize(("n", "d"), [(1, 1), (1, 5), (7, 1), (64, 10)])
def test_answers_are_values_and_gradients(form, promised, n, d):
    x = np.random.default_rng(n + d).normal(size=(n, d))
    density = asked(form, lanewise=promised)(d)
    values, gradients = Driver(density).ask(x, kind=2).answer()
    np.testing.assert_allclose(values, shell(x)[0], rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(gradients, shell(x)[1], rtol=1e-13)
    values, _ = Driver(density).ask(x, kind=3).answer()
    np.testing.assert_allclose(values, quadratic(x)[0], rtol=1e-14)


@given(arrays(np.float64, st.tuples(st.integers(1, 40), st.integers(1, 6)), elements=st.floats(-1e50, 1e50)))
def test_an_answer_depends_on_its_state_alone(x):
    def crowded(x):
        """Values that depend on how many states there are, in their last digits."""
        return shell(x)[0] + len(x) * 1e-13, shell(x)[1]

    density = Density(
        quadratic, None, x.shape[1], constraints=[Constraint(crowded, None, x.shape[1], batched=True, name="g")]
    )
    together, _ = Driver(density).ask(x, kind=2).answer()
    alone = [Driver(density).ask(x[i : i + 1], kind=2).answer()[0][0] for i in range(len(x))]
    np.testing.assert_array_equal(together, alone)


def test_kinds_follow_each_other_in_any_order():
    x, density = np.ones((2, 3)), asked("pair")(3)
    d = Driver(density)
    for kind in (2, 0, 3, 2):
        d.ask(x, kind=kind)
    greeting, answers = d.run()
    assert greeting["constraints"] == ["shell", "other"]
    size = 8 + 8 * 2 * 4
    first = [np.frombuffer(answers[i * size + 8 :], "<f8", 1)[0] for i in range(4)]
    assert first == [shell(x)[0][0], 6.0, 6.0, shell(x)[0][0]]
    with pytest.raises(ValueError, match="not known here"):
        Driver(density).ask(x, kind=4).run()


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (1.0, r"(?s)gradient of the constraint disc is missing.*\(value, gradient\).*constraint_gradient=function"),
        ((np.ones(2), np.ones(2)), r"constraint disc has the shape \(2,\): want one number"),
        ((1.0, np.ones(3)), r"gradient of the constraint disc has the shape \(3,\): want \(2,\)"),
        ((1j, np.ones(2)), "constraint disc is of complex128 numbers"),
        ((True, np.ones(2)), "constraint disc is of bool numbers"),
        ((None, np.ones(2)), "constraint disc is of object numbers"),
        ((1.0, [1.0, [2.0]]), "gradient of the constraint disc is list, which is no array"),
    ],
)
def test_what_is_no_answer_is_refused(answer, says):
    wall = Constraint(lambda x: answer, None, 2, name="disc")
    with pytest.raises(Failure, match=says) as failure:
        Driver(Density(quadratic, None, 2, constraints=[wall])).ask(np.ones((3, 2)), kind=2).run()
    assert isinstance(failure.value.error, AnswerError)


@pytest.mark.parametrize(
    "convert", [np.float32, list, lambda g: np.repeat(g, 2)[::2], lambda g: g.astype(">f8"), np.asfortranarray]
)
def test_numbers_of_other_kinds_are_converted(convert):
    wall = Constraint(lambda x: (convert(x)[0], convert(x)), None, 2, name="g")
    values, gradients = Driver(Density(quadratic, None, 2, constraints=[wall])).ask([[1, 2], [3, 4]], kind=2).answer()
    np.testing.assert_array_equal(values, [1, 3])
    np.testing.assert_array_equal(gradients, [[1, 2], [3, 4]])


def disc(x):
    return x @ x - 1, 2 * x


def test_names_tell_constraints_apart():
    form = {"dimension": 2, "batched": False, "lanewise": False}
    one = walls([disc, lambda x: (0, x), shell, disc], None, form)
    assert [wall.name for wall in one] == ["constraint 1", "constraint 2", "shell", "constraint 4"]
    assert [wall.name for wall in walls(disc, None, form)] == ["disc"]
    assert walls((), None, form) == []


@pytest.mark.parametrize(
    ("wrong", "error", "says"),
    [
        ({"constraint": "x < 1"}, TypeError, "Inequalities as text are constraints="),
        ({"constraint": [disc, 3]}, TypeError, "not 3"),
        ({"constraint": disc, "constraint_gradient": "autograd"}, ValueError, "constraint_gradient is"),
        ({"constraint": [disc], "constraint_gradient": [None, None]}, ValueError, "2 entries for 1"),
    ],
)
def test_bad_arguments_leave_nothing(wrong, error, says):
    with pytest.raises(error, match=says):
        r2sgld.sample(quadratic, names=["x", "y"], **wrong)
    assert not list(Path().rglob("*.*"))


def flat(x):
    """The energy of the uniform law."""
    return np.zeros(x.shape[:-1]), np.zeros_like(x)


def uniform(d, seed=1, sampler=SGLD, **domain):
    """Draws of the uniform law in a box of [-1, 1]ᵈ and what is said besides."""
    names = ["x", "y", "z"][:d]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        box = {"box": {name: [-1, 1] for name in names}}
        return r2sgld.sample(flat, names=names, domain=box, seed=seed, sampler=sampler, **domain)


def draws(result):
    return np.stack([result.posterior[name].values for name in result.posterior], axis=-1)


def summary(result):
    return json.loads(Path(result.attrs["run"], "summary.json").read_text())


def within(values, expected):
    """Whether the mean of values, of shape (chain, draw), is the expected one by five standard errors."""
    return abs(values.mean() - expected) < 5 * max(arviz.mcse(values), 1e-9)


def test_the_same_arithmetic_gives_the_same_bytes():
    def one(x):
        g, slope = product(x[None])
        return g[0], slope[0]

    hot = {**SGLD, "temperature": [1, math.inf]}
    box = {name: [-1, 1] for name in "xyz"}
    config = {"variables": list(box), "potential": "0", "domain": {"box": box, "constraints": "x*y*z <= 0.2"}}
    write({**config, "sampler": {"seed": 1, **hot}}, Path("formula.yaml"))
    call(["sample", "formula.yaml", "--out", "formula"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        by_formula = draws(read(Path("formula")))
    forms = [
        {"constraint": one, "threads": 1},
        {"constraint": product, "batched": True, "lanewise": True, "threads": 4},
    ]
    for form in forms:
        result = uniform(3, sampler=hot, **form)
        assert np.array_equal(draws(result), by_formula)
        told = summary(result)
        assert told["domain"]["outside"] == 0
        assert told["domain"]["reflected"] > 100
        assert told["constraint_values"] > 10_000


def test_uniform_between_two_circles():
    def outer(x):
        return x @ x - 1, 2 * x

    def inner(x):
        return 0.25 - x @ x, -2 * x

    x = draws(uniform(2, constraint=[outer, inner]))
    radius = (x**2).sum(axis=-1)
    assert radius.max() <= 1 and radius.min() >= 0.25
    assert within(radius, 0.625)  # r² is uniform between 1/4 and 1
    assert within(radius**2, (1 - 0.25**3) / 3 / 0.75)
    assert within(x[..., 0], 0) and within(x[..., 1], 0)


def test_a_half_plane_and_a_start():
    result = uniform(
        2, constraint=lambda x: x[0] + x[1] - 0.5, constraint_gradient=lambda x: [1.0, 1.0], init={"x": -0.5, "y": 0}
    )
    x = draws(result)
    assert (x.sum(axis=-1) <= 0.5).all()
    # of the square of 4 a triangle of legs 3/2 is cut off, its centroid at (1/2, 1/2)
    assert within(x[..., 0], -(9 / 8) * 0.5 / (4 - 9 / 8))


def test_the_gradient_may_be_wrong_or_the_wall_flat():
    with pytest.raises(r2sgld.R2sgldError, match="constraint 1: its gradient is not that of its values"):
        r2sgld.sample(flat, names=["x", "y"], constraint=lambda x: x @ x - 1, constraint_gradient=lambda x: -2 * x)
