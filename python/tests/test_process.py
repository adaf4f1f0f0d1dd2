"""The server as a process."""

import json
import pickle
import struct
import subprocess
import sys

import pytest

from r2sgld._density import Density, save


def answered(energy, path, frames=1, gradient=None, batched=False):
    """What a server process writes, and how it ends."""
    save(path / "energy.pkl", Density(energy, gradient, 2, batched=batched), ["x", "y"])
    hello = json.dumps({"r2sgld": 1, "versions": [1, 2], "dimension": 2, "names": ["x", "y"], "states": 1})
    request = struct.pack("<IIq2d", 1, 0, 0, 1, 2)
    return subprocess.run(
        [sys.executable, "-m", "r2sgld._serve", "energy.pkl"],
        input=hello.encode() + b"\n" + request * frames,
        capture_output=True,
        cwd=path,
        timeout=300,
    )


def test_it_ends_with_its_input(tmp_path):
    done = answered(lambda x: (x.sum(), x), tmp_path, frames=3)
    greeting, _, answers = done.stdout.partition(b"\n")
    assert json.loads(greeting)["r2sgld"] == 2
    assert answers == struct.pack("<II3d", 1, 0, 3, 1, 2) * 3
    assert (done.returncode, done.stderr) == (0, b"")


def test_prints_break_no_frame(tmp_path):
    def energy(x):
        import os
        import sys

        print("printed")
        os.write(1, b"written\n")
        os.system("echo echoed")
        sys.__stdout__.write("old\n")
        sys.__stdout__.flush()
        return x.sum(), x

    done = answered(energy, tmp_path)
    assert done.stdout.endswith(b"}\n" + struct.pack("<II3d", 1, 0, 3, 1, 2))
    for word in (b"printed", b"written", b"echoed", b"old"):
        assert word in done.stderr


def test_the_function_cannot_read_requests(tmp_path):
    def energy(x):
        import sys

        assert sys.stdin.read() == ""
        return x.sum(), x

    assert answered(energy, tmp_path, frames=2).returncode == 0


def test_exceptions_are_kept(tmp_path):
    done = answered(lambda x: {}["missing"], tmp_path)
    assert done.returncode == 1
    error, text = pickle.loads((tmp_path / "error.pkl").read_bytes())
    assert isinstance(error, KeyError)
    assert text.startswith("Traceback")
    assert text.encode() in done.stdout


@pytest.mark.parametrize("batched", [False, True])
def test_a_function_that_exits_is_told(tmp_path, batched):
    done = answered(lambda x: sys.exit(3), tmp_path, batched=batched)
    assert done.returncode == 1
    error, text = pickle.loads((tmp_path / "error.pkl").read_bytes())
    assert isinstance(error, SystemExit)
    assert "SystemExit: 3" in text
    assert text.encode() in done.stdout


def test_exceptions_that_cannot_be_pickled_are_kept_as_text(tmp_path):
    def energy(x):
        error = ValueError("held")
        error.generator = (i for i in [])
        raise error

    answered(energy, tmp_path)
    error, text = pickle.loads((tmp_path / "error.pkl").read_bytes())
    assert error is None
    assert "ValueError: held" in text


def test_a_traceback_names_the_file_of_the_function(tmp_path):
    def energy(x):
        return inner(x)

    def inner(x):
        raise ValueError("here")

    done = answered(energy, tmp_path)
    for line in (f'File "{__file__}", line {inner.__code__.co_firstlineno + 1}, in inner', 'raise ValueError("here")'):
        assert line in done.stdout.decode()


def test_what_cannot_be_loaded_is_told(tmp_path):
    (tmp_path / "energy.pkl").write_bytes(pickle.dumps({"path": sys.path, "folder": "/", "names": []}) + b"junk")
    done = subprocess.run([sys.executable, "-m", "r2sgld._serve", "energy.pkl"], cwd=tmp_path, capture_output=True)
    assert done.returncode == 1
    assert b"UnpicklingError" in done.stderr
    assert (tmp_path / "error.pkl").exists()


def test_modules_and_files_are_found_where_the_caller_finds_them(tmp_path, monkeypatch):
    (tmp_path / "densities.py").write_text("def energy(x):\n    return float(open('offset').read()) + x.sum(), x\n")
    (tmp_path / "offset").write_text("40")
    (tmp_path / "model").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    import densities

    done = answered(densities.energy, tmp_path / "model")
    assert done.stdout.endswith(struct.pack("<II3d", 1, 0, 43, 1, 2))
