from __future__ import annotations

import io
import json
import struct

import matplotlib
import numpy as np
import pytest
from hypothesis import settings

import r2sgld
from r2sgld._density import Density
from r2sgld._serve import serve

matplotlib.use("Agg")
settings.register_profile("steady", deadline=None, derandomize=True)  # the same on any machine
settings.load_profile("steady")

QUICK = {"method": "r-hmc", "iterations": 1500, "thin": 1}  # one rung, no search for modes


def quadratic(x):
    """U of independent normals of variance 1/2, 1/4, 1/6 …, and its gradient."""
    c = np.arange(1, x.shape[-1] + 1)
    return (c * x * x).sum(axis=-1), 2 * c * x


class Driver:
    """What the program does: writes a handshake and requests, reads what is answered."""

    def __init__(self, density: Density, versions=(1, 2)):
        self.density, self.requests = density, b""
        hello = {"r2sgld": 1, "dimension": density.dimension, "names": [], "states": 4}
        if versions:
            hello["versions"] = list(versions)
        self.hello = json.dumps(hello).encode() + b"\n"

    def ask(self, states, seed=0, kind=0):
        self.requests += struct.pack("<IIq", len(states), kind, seed) + np.asarray(states, "<f8").tobytes()
        return self

    def run(self):
        """The greeting, and what follows."""
        sink = io.BytesIO()
        names = [f"x{i}" for i in range(self.density.dimension)]
        try:
            serve(io.BytesIO(self.hello + self.requests), sink, self.density, names)
        finally:
            greeting, _, self.answers = sink.getvalue().partition(b"\n")
        return json.loads(greeting), self.answers

    def answer(self):
        """Energies and gradients of the one frame that was asked for."""
        _, answers = self.run()
        n, status = struct.unpack_from("<II", answers)
        assert status == 0, answers
        assert len(answers) == 8 + 8 * n * (1 + self.density.dimension)
        numbers = np.frombuffer(answers[8:], "<f8")
        return numbers[:n], numbers[n:].reshape(n, -1)


@pytest.fixture
def driver():
    return Driver


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Run in a folder of its own."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
def normal(tmp_path_factory):
    """A normal density cut by a box."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return r2sgld.sample(
            lambda x: (x @ x / 2, x),
            names={"x": (), "theta": (2, 2)},
            domain={"box": {"x": [0, 2], "theta": [-np.inf, 1]}},
            sampler=QUICK,
            out=tmp_path_factory.mktemp("normal") / "run",
        )
