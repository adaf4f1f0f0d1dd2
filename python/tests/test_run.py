"""Run folders: refusal, replacement, interrupts, resumption, ends."""

import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

import r2sgld

LONG = {"method": "r-sgld", "iterations": 3000, "step_size": 0.01, "thin": 10}
SHORT = {"method": "r-hmc", "iterations": 100, "thin": 1}


def mean(out, sampler=SHORT, **more):
    """A short run without a Python function."""
    model = {"parameters": {"m": "normal(0, 1)"}, "likelihood": "y ~ normal(m, 1)"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return r2sgld.fit({"y": [1.0, 2.0, 3.0]}, model, out=out, sampler=sampler, **more)


SCRIPT = f"""
import os, signal, sys, time
import r2sgld

signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background begins without one

def energy(x):
    if os.path.exists("slow"):  # as long as nobody has interrupted the run
        time.sleep(1e-2)
    return x @ x / 2, x

try:
    r2sgld.sample(energy, names=["x", "y"], domain={{"ball": {{"radius": 1}}}}, out="run", sampler={LONG})
except KeyboardInterrupt as error:
    print("interrupted", *getattr(error, "__notes__", []))
"""


WALLED = SCRIPT.replace(
    '{"ball": {"radius": 1}}', '{"box": {"x": [-1, 1], "y": [-1, 1]}}, constraint=lambda x: (x @ x - 1, 2 * x)'
)


def started(script):
    """A process that samples for long, once the run has begun."""
    Path("slow").touch()
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 60
    while not Path("run/log.jsonl").exists():
        assert process.poll() is None and time.monotonic() < deadline, process.stderr.read()
        time.sleep(0.05)
    time.sleep(0.3)
    return process


def programs():
    """The processes that work in this folder."""
    here = os.getcwd().encode()
    return [pid for pid in os.listdir("/proc") if pid.isdigit() and (here in command(pid) or serves(pid, here))]


def serves(pid, here):
    """Whether a process answers for a function of this folder."""
    try:
        return b"r2sgld._serve" in command(pid) and os.readlink(f"/proc/{pid}/cwd").encode() == here
    except OSError:
        return False


def command(pid):
    try:
        return Path("/proc", pid, "cmdline").read_bytes()
    except OSError:
        return b""


def gone(seconds):
    deadline = time.monotonic() + seconds
    while programs() and time.monotonic() < deadline:
        time.sleep(0.05)
    return not programs()


linux = pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")


@linux
@pytest.mark.parametrize("script", [SCRIPT, WALLED])
def test_an_interrupt_leaves_a_run_that_can_go_on(script):
    process = started(script)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    Path("slow").unlink()
    assert out.startswith("interrupted"), err
    if sys.version_info >= (3, 11):
        assert f"r2sgld.resume('{Path('run').absolute()}')" in out
    assert gone(30)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = r2sgld.resume("run")
    assert result.posterior.sizes["draw"] == 270
    assert (result.posterior.x**2 + result.posterior.y**2).max() <= 1


@linux
@pytest.mark.parametrize("script", [SCRIPT, WALLED])
def test_a_killed_python_leaves_no_orphans(script):
    process = started(script)
    assert programs()
    process.kill()
    process.communicate()
    assert gone(30)


def test_a_folder_that_holds_something_is_refused():
    Path("run").mkdir()
    Path("run/mine").touch()
    with pytest.raises(FileExistsError, match="run is not empty"):
        mean("run")
    assert not Path("run.model").exists()
    Path("other.model").mkdir()
    Path("other.model/mine").touch()
    for force in (False, True):
        with pytest.raises(FileExistsError, match=r"other\.model"):
            mean("other", force=force)
    assert [path.name for path in Path("other.model").iterdir()] == ["mine"]


def test_force_replaces_a_run_and_a_failure_leaves_it():
    first = mean("run")
    kept = Path("run.model/model.yaml").read_bytes()
    Path("run/mine").touch()
    with pytest.raises(r2sgld.R2sgldError):
        mean("run", sampler={"iterations": -1}, force=True)
    assert Path("run.model/model.yaml").read_bytes() == kept
    second = mean("run", seed=2, force=True)
    assert not np.array_equal(first.posterior.m, second.posterior.m)
    assert Path("run/mine").exists()


def test_resume_extends_a_run_and_its_own_shell_command_does_too(normal):
    run = Path(normal.attrs["run"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        longer = r2sgld.resume(normal, iterations=1800)
    assert dict(longer.posterior.sizes) == {"chain": 4, "draw": 1650, "theta_dim_0": 2, "theta_dim_1": 2}
    assert np.array_equal(longer.posterior.theta[:, :1350], normal.posterior.theta)
    from r2sgld._program import find

    subprocess.run([find(), "resume", str(run), "--iterations=2000", "--quiet"], check=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert r2sgld.resume(run).posterior.sizes["draw"] == 1850


def test_resume_of_nothing():
    with pytest.raises(r2sgld.R2sgldError, match="nothing"):
        r2sgld.resume("nothing")


def test_warnings_are_raised():
    model = {"parameters": {"m": "normal(0, 1)"}, "likelihood": "y ~ normal(m, 1)"}
    with pytest.warns(RuntimeWarning, match="ESS") as told:
        result = r2sgld.fit({"y": [1.0, 2.0, 3.0]}, model, sampler=SHORT)
    assert [str(w.message) for w in told] == result.attrs["warnings"]
    assert all(w.filename == __file__ for w in told)


def test_progress_is_quiet_unless_asked_for(capfd):
    mean("quiet")
    assert capfd.readouterr() == ("", "")
    mean("told", progress=True)
    out, err = capfd.readouterr()
    assert out == "" and "1 variable" in err


def test_progress_in_a_notebook_is_one_line(capfd, monkeypatch):
    monkeypatch.setitem(sys.modules, "ipykernel", sys)
    mean("told")
    out, err = capfd.readouterr()
    assert out.startswith("\r") and "\n" not in out
    assert err == ""


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="has no terminals")
def test_progress_in_a_terminal_is_that_of_the_program():
    reader, writer = os.openpty()
    code = """if True:
        import r2sgld
        try:
            r2sgld.sample(lambda x: {}["lost"], names=["x"], domain={"box": {"x": [-1, 1]}})
        except r2sgld.R2sgldError as error:
            print(error)
    """
    process = subprocess.Popen([sys.executable, "-Wi", "-c", code], stdout=subprocess.PIPE, stderr=writer, text=True)
    os.close(writer)
    out, _ = process.communicate(timeout=300)
    shown = os.read(reader, 1 << 16).decode()
    os.close(reader)
    assert shown.startswith("runs: ")
    assert "KeyError: 'lost'" in shown and "KeyError: 'lost'" in out
    assert "\r" not in out


def test_a_missing_program_is_told(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("R2SGLD_BINARY", raising=False)
    monkeypatch.setattr("pathlib.Path.exists", lambda path: False)
    with pytest.raises(r2sgld.R2sgldError, match="R2SGLD_BINARY"):
        r2sgld.compare("a")


def test_nothing_is_left_of_a_run_that_never_began(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for kept in (False, True):
        with pytest.raises(r2sgld.R2sgldError) as caught:
            r2sgld.sample(lambda x: (x @ x, 2 * x), names=["x"], domain={"box": {"x": [1, 0]}})
        assert caught.value.returncode == 2 and Path("runs").exists() == kept
        Path("runs/other").mkdir(parents=True, exist_ok=True)
