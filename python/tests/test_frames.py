"""The server in this process, by a driver that stands for the program."""

import struct

import numpy as np
import pytest
from conftest import quadratic
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from r2sgld._density import Density
from r2sgld._errors import AnswerError
from r2sgld._serve import Failure

FORMS = {
    "pair": lambda d: Density(quadratic, None, d),
    "gradient": lambda d: Density(lambda x: quadratic(x)[0], lambda x: quadratic(x)[1], d),
    "batched pair": lambda d: Density(quadratic, None, d, batched=True),
    "batched gradient": lambda d: Density(lambda x: quadratic(x)[0], lambda x: quadratic(x)[1], d, batched=True),
    "log density": lambda d: Density(lambda x: tuple(-v for v in quadratic(x)), None, d, batched=True, sign=-1),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("n", "d"), [(1, 1), (1, 5), (3, 2), (7, 1), (64, 10), (1000, 3)])
def test_answers_are_energies_and_gradients(driver, form, n, d):
    x = np.random.default_rng(n + d).normal(size=(n, d))
    energies, gradients = driver(FORMS[form](d)).ask(x).answer()
    expected = quadratic(x)
    np.testing.assert_allclose(energies, expected[0], rtol=1e-14)
    np.testing.assert_array_equal(gradients, expected[1])


@given(arrays(np.float64, st.tuples(st.integers(1, 40), st.integers(1, 6)), elements=st.floats(-1e100, 1e100)))
def test_any_block_is_answered(x):
    from conftest import Driver

    for form in ("pair", "batched pair"):
        energies, gradients = Driver(FORMS[form](x.shape[1])).ask(x).answer()
        np.testing.assert_array_equal(gradients, quadratic(x)[1])
        np.testing.assert_allclose(energies, quadratic(x)[0], rtol=1e-14)


@given(st.lists(st.integers(1, 30), max_size=8), st.integers(-(2**63), 2**63 - 1))
def test_blocks_of_any_sizes_follow_each_other(sizes, seed):
    from conftest import Driver

    seeds = []

    def energy(x, seed):
        seeds.append(seed)
        return quadratic(x)

    d = Driver(Density(energy, None, 3, batched=True, stochastic=True))
    for n in sizes:
        d.ask(np.ones((n, 3)), seed)
    _, answers = d.run()
    assert seeds == [seed] * len(sizes)
    for n in sizes:
        assert struct.unpack_from("<II", answers) == (n, 0)
        answers = answers[8 + 32 * n :]
    assert answers == b""


@pytest.mark.parametrize("cut", [1, 15, 16, 17, 16 + 8 * 6 - 1])
def test_a_request_cut_short_ends_the_server(driver, cut):
    d = driver(Density(quadratic, None, 3)).ask(np.ones((2, 3)))
    d.requests = d.requests[:cut]
    assert d.run()[1] == b""


@pytest.mark.parametrize(("n", "kind"), [(1, 1), (1, 7), (0, 0)])
def test_unknown_requests_are_refused(driver, n, kind):
    with pytest.raises(ValueError, match="not known here"):
        driver(Density(quadratic, None, 2)).ask(np.ones((n, 2)), kind=kind).run()


@pytest.mark.parametrize(
    ("density", "more"),
    [
        (Density(quadratic, None, 2), {"lanewise": True}),
        (Density(quadratic, None, 2, batched=True), {}),
        (Density(quadratic, None, 2, batched=True, lanewise=True), {"lanewise": True}),
        (Density(quadratic, None, 2, stochastic=True), {"stochastic": True}),
        (Density(quadratic, None, 2, stochastic=True, lanewise=True), {"stochastic": True}),
    ],
)
def test_greeting(driver, density, more):
    greeting, _ = driver(density).run()
    assert greeting == {"r2sgld": 2, "dimension": 2, "names": ["x0", "x1"], **more}


def test_blocks_of_jax_are_of_the_whole_block_unless_promised():
    assert not Density(quadratic, "jax", 2).lanewise
    assert Density(quadratic, "jax", 2, lanewise=True).lanewise
    assert Density(quadratic, "torch", 2).lanewise


@pytest.mark.parametrize("versions", [(), (1,), (1, 3)])
def test_a_program_without_frames_is_refused(driver, versions):
    with pytest.raises(ValueError, match="speaks no frames"):
        driver(Density(quadratic, None, 2), versions).run()


class Odd:
    shape = (3,)

    def __array__(self, *_, **__):
        raise RuntimeError("no array")


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (1.0, "gradient is missing"),
        (np.float64(1), r"float64 of shape \(\)"),
        (np.ones(2), r"ndarray of shape \(2,\)"),
        (None, "NoneType"),
        ((1.0, np.ones(2), 3), "tuple"),
        ((1.0, np.ones(3)), r"gradient has the shape \(3,\): want \(2,\)"),
        ((1.0, np.ones((2, 1))), r"gradient has the shape \(2, 1\): want \(2,\)"),
        ((1.0, 1.0), r"gradient has the shape \(\): want \(2,\)"),
        ((np.ones(2), np.ones(2)), r"energy has the shape \(2,\): want one number"),
        ((1j, np.ones(2)), "energy is of complex128 numbers"),
        ((1.0, np.ones(2) * 1j), "gradient is of complex128 numbers"),
        ((1.0, np.array([1, None])), "gradient is of object numbers"),
        ((1.0, ["a", "b"]), "gradient is of <U1 numbers"),
        ((True, np.ones(2)), "energy is of bool numbers"),
        ((1.0, [1.0, [2.0]]), "gradient is list, which is no array"),
        ((1.0, Odd()), r"gradient is Odd of shape \(3,\), which is no array of numbers: no array"),
    ],
)
def test_what_is_no_answer_is_refused(driver, answer, says):
    d = driver(Density(lambda x: answer, None, 2)).ask(np.ones((3, 2)))
    with pytest.raises(Failure) as failure:
        d.run()
    assert isinstance(failure.value.error, AnswerError)
    assert failure.match(says)
    length, status = struct.unpack_from("<II", d.answers)
    assert status == 1
    assert d.answers[8:].decode().endswith(f"{failure.value.error}\n")
    assert len(d.answers) == 8 + length


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (np.ones(3), "gradient is missing"),
        ((np.ones(3), np.ones(3)), r"gradient has the shape \(3,\): want \(3, 2\)"),
        ((np.ones(2), np.ones((3, 2))), r"energy has the shape \(2,\): want \(3,\)"),
        ((1.0, np.ones((3, 2))), r"energy has the shape \(\): want \(3,\)"),
        ((np.ones(3), np.ones((2, 3))), r"gradient has the shape \(2, 3\): want \(3, 2\)"),
    ],
)
def test_what_is_no_answer_to_a_block_is_refused(driver, answer, says):
    with pytest.raises(Failure, match=says):
        driver(Density(lambda x: answer, None, 2, batched=True)).ask(np.ones((3, 2))).run()


@pytest.mark.parametrize(
    "convert",
    [
        np.float32,
        np.int64,
        np.uint8,
        np.longdouble,
        list,
        tuple,
        lambda g: np.repeat(g, 2)[::2],
        lambda g: g[::-1][::-1],
        np.asfortranarray,
        lambda g: g.astype(">f8"),
    ],
)
def test_numbers_of_other_kinds_are_converted(driver, convert):
    energies, gradients = driver(Density(lambda x: (x[0], convert(x)), None, 2)).ask([[1, 2], [3, 4]]).answer()
    np.testing.assert_array_equal(energies, [1, 3])
    np.testing.assert_array_equal(gradients, [[1, 2], [3, 4]])


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_pass(driver, value):
    energies, gradients = driver(Density(lambda x: (value, x * value), None, 2)).ask([[1, 2]]).answer()
    np.testing.assert_array_equal(energies, [value])
    np.testing.assert_array_equal(gradients, [[value, value]])


def test_one_entry_is_as_good_as_a_number(driver):
    energies, gradients = driver(Density(lambda x: (x**2, 2 * x[0]), None, 1)).ask([[1], [3]]).answer()
    np.testing.assert_array_equal(energies, [1, 9])
    np.testing.assert_array_equal(gradients, [[2], [6]])


def test_the_function_may_change_its_argument(driver):
    def energy(x):
        x *= 2
        return x.sum(), x

    energies, _ = driver(Density(energy, None, 2)).ask([[1, 2], [3, 4]]).answer()
    np.testing.assert_array_equal(energies, [6, 14])


def test_an_exception_is_told_from_the_users_function_on(driver):
    def energy(x):
        raise ArithmeticError("ünsound")

    d = driver(Density(energy, None, 2)).ask([[1, 2]]).ask([[1, 2]])
    with pytest.raises(Failure):
        d.run()
    reason = d.answers[8:].decode()
    assert reason.startswith("Traceback")
    assert reason.endswith("ArithmeticError: ünsound\nIt was given the state x0 = 1.0, x1 = 2.0.\n")
    assert "_density.py" not in reason


@pytest.mark.parametrize(
    ("batched", "states", "says"),
    [
        (False, [[1, 2], [0.1, -3]], "It was given the state x0 = 0.1, x1 = -3.0."),
        (True, [[0.1, -3]], "It was given the state x0 = 0.1, x1 = -3.0."),
        (True, [[1, 2], [0.1, -3]], "It was given 2 states at once."),
        (False, [np.arange(20) - 1.0], "x6 = 5.0, x7 = 6.0 and 12 more."),
    ],
)
def test_an_exception_is_told_with_the_state(driver, batched, states, says):
    def energy(x):
        if (x < 0).any():
            x *= np.nan
            raise ArithmeticError("unsound")
        return quadratic(x)

    d = driver(Density(energy, None, len(states[0]), batched=batched)).ask(states)
    with pytest.raises(Failure) as failure:
        d.run()
    assert isinstance(failure.value.error, ArithmeticError)
    told = d.answers[8:].decode()
    assert "ArithmeticError: unsound\nIt was given " in told
    assert told.endswith(f"{says}\n")
