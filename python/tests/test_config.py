"""Configurations, names, data."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from r2sgld import sample
from r2sgld._config import Layout, write_csv, yaml


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"x": [-1, math.inf]}, '{"x": [-1, .inf]}'),
        ((-math.inf, None, True), "[-.inf, null, true]"),
        (np.array([[1.5, np.inf]]), "[[1.5, .inf]]"),
        (np.float64(0.1), "0.1"),
        (np.int64(3), "3"),
        ("a < b", '"a < b"'),
        ("Infinity μ 😀", '"Infinity μ 😀"'),
    ],
)
def test_yaml(value, text):
    assert yaml(value) == text


@pytest.mark.parametrize(
    ("names", "coordinates"),
    [
        (["x", "y"], ["x", "y"]),
        (("x",), ["x"]),
        ({"mu": (), "theta": 3}, ["mu", "theta_1", "theta_2", "theta_3"]),
        ({"a": (2, 2)}, ["a_1_1", "a_1_2", "a_2_1", "a_2_2"]),
        ({"a": [1]}, ["a_1"]),
    ],
)
def test_coordinates(names, coordinates):
    assert Layout.of(names).coordinates == coordinates


@pytest.mark.parametrize("names", [[], {}, {"a": 0}])
def test_names_that_name_nothing_are_refused(names):
    with pytest.raises(ValueError, match="names must be given"):
        Layout.of(names)


@pytest.mark.parametrize(("names", "which"), [(["x", "x"], "x"), ({"a": 2, "a_1": ()}, "a_1")])
def test_names_that_name_twice_are_refused(names, which):
    with pytest.raises(ValueError, match=f"names must differ: {which} is given twice"):
        Layout.of(names)


@pytest.mark.parametrize(
    ("domain", "constraints", "said"),
    [
        ([(0, 1), (0, 1)], None, "domain is a dict, as in "),
        ({"box": [[0, 1]]}, None, "box is a dict, as in "),
        (None, lambda x: x, "a function is given by constraint="),
    ],
)
def test_a_domain_of_another_form_is_told(domain, constraints, said):
    with pytest.raises(TypeError, match=said):
        Layout.of(["x"]).domain(domain, constraints)


@pytest.mark.parametrize(("arguments", "said"), [({"energy": "x^2"}, "found the text 'x\\^2'"), ({"sampler": "hmc"}, "sampler is a dict, as in ")])
def test_arguments_of_another_kind_are_told(arguments, said, tmp_path):
    with pytest.raises(TypeError, match=said):
        sample(**{"energy": lambda x: (x @ x / 2, x), "names": ["x"], "out": tmp_path / "run", **arguments})
    assert not list(tmp_path.iterdir())


def test_a_text_is_no_list_of_names():
    with pytest.raises(TypeError, match="list of names"):
        Layout.of("xy")


def test_a_side_of_none_is_open():
    layout = Layout.of({"mu": (), "theta": 2})
    box = layout.domain({"box": {"mu": [0, None], "theta": (None, 1)}}, None)["box"]
    assert yaml(box) == '{"mu": [0, .inf], "theta_1": [-.inf, 1.0], "theta_2": [-.inf, 1.0]}'


def test_domain_in_coordinates():
    layout = Layout.of({"mu": (), "theta": 2})
    assert layout.domain({"box": {"mu": [0, 1], "theta": [-1, 1]}, "constraints": "mu < 2"}, ["theta_1 < theta_2"]) == {
        "box": {"mu": [0, 1], "theta_1": pytest.approx([-1, 1]), "theta_2": pytest.approx([-1, 1])},
        "constraints": ["mu < 2", "theta_1 < theta_2"],
    }
    box = layout.domain({"box": {"theta": [[0, 1], [2, 3]]}}, None)["box"]
    assert box["theta_2"].tolist() == [2, 3]
    assert layout.domain(None, None) == {}
    assert layout.domain(None, "mu < 1") == {"constraints": ["mu < 1"]}


def test_start_in_coordinates():
    layout = Layout.of({"mu": (), "theta": 2})
    assert layout.start({"mu": 1, "theta": [2, 3]}) == {"mu": 1, "theta_1": 2, "theta_2": 3}
    assert layout.start([{"mu": 1, "theta": 0}]) == [{"mu": 1, "theta_1": 0, "theta_2": 0}]
    assert layout.start("uniform") == "uniform"
    assert layout.start(None) is None


@given(st.dictionaries(st.sampled_from("abc"), st.lists(st.integers(1, 3), max_size=3), min_size=1))
def test_folded_draws_are_in_the_order_of_the_state(names):
    import xarray

    layout = Layout.of(names)
    state = {c: (("chain", "draw"), np.full((2, 3), i)) for i, c in enumerate(layout.coordinates)}
    folded = layout.fold(xarray.Dataset(state))
    assert list(folded) == list(names) or set(folded) == set(names)
    flat = np.concatenate([folded[name].values[0, 0].ravel() for name in names])
    assert flat.tolist() == list(range(len(layout.coordinates)))


EXPECTED = 'n,f,s,b\r\n1,0.1,"x,y",1\r\n2,,,0\r\n'


def columns():
    return {"n": [1, 2], "f": [0.1, math.nan], "s": ["x,y", None], "b": [True, False]}


def test_csv_of_a_map(tmp_path):
    write_csv(columns() | {"n": np.array([1, 2]), "b": np.array([True, False])}, tmp_path / "data.csv")
    assert (tmp_path / "data.csv").read_bytes().decode() == EXPECTED


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_csv_of_a_frame(tmp_path, library):
    frame = pytest.importorskip(library).DataFrame(columns())
    write_csv(frame, tmp_path / "data.csv")
    assert (tmp_path / "data.csv").read_bytes().decode() == EXPECTED


def test_csv_of_nullable_columns(tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": pd.array([1, None], dtype="Int64"), "c": pd.Categorical(["u", "v"])})
    write_csv(frame, tmp_path / "data.csv")
    assert (tmp_path / "data.csv").read_text() == "a,c\n1,u\n,v\n"


def test_csv_of_a_file_is_a_copy(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"x\n1\n")
    write_csv(tmp_path / "a.csv", tmp_path / "b.csv")
    assert (tmp_path / "b.csv").read_bytes() == b"x\n1\n"


def test_columns_of_one_name_are_refused(tmp_path):
    pd = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match="two columns"):
        write_csv(pd.DataFrame([[1, 2]], columns=["a", "a"]), tmp_path / "b.csv")


def test_columns_of_other_lengths_are_refused(tmp_path):
    with pytest.raises(ValueError, match="zip"):
        write_csv({"a": [1], "b": [1, 2]}, tmp_path / "b.csv")
