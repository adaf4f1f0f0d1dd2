"""The examples run as they stand."""

import runpy
import warnings
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "examples"
NEEDS = {"logistic_jax": "jax", "robust_torch": "torch", "schools_pymc": "pymc"}
SLOW = {"ring", "regression", "stable", *NEEDS}  # a Python function, and the search for modes or a compiler


def examples():
    for path in sorted(FOLDER.glob("*.py")):
        yield pytest.param(path, marks=[pytest.mark.slow] if path.stem in SLOW else [], id=path.stem)


@pytest.mark.parametrize("path", list(examples()))
def test_example(path, capsys):
    if path.stem in NEEDS:
        pytest.importorskip(NEEDS[path.stem])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out.strip()
