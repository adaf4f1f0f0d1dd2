"""The program r2sgld: where it is, how it runs, how it fails and how it is interrupted."""

from __future__ import annotations

import codecs
import json
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from r2sgld._errors import AnswerError, R2sgldError

Show = Callable[[str], object]

# The program starts a process for each of its threads: these need no threads of their own.
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


# What messages of the program, whose lines are folded, advise, and how that is written here.
REMEDIES = {"pass --force": "pass force=True", "data: {file: …, missing: drop}": 'missing="drop"'}


def find() -> str:
    """The path of the program: R2SGLD_BINARY, that of the package, or the one on the PATH."""
    package = Path(__file__).with_name("bin") / ("r2sgld.exe" if os.name == "nt" else "r2sgld")
    path = os.environ.get("R2SGLD_BINARY") or (str(package) if package.exists() else shutil.which("r2sgld"))
    if path is None:
        raise R2sgldError("The program r2sgld is not found. Install the package again, or set R2SGLD_BINARY.")
    return path


def model_folder(run: Path) -> Path:
    """The folder beside a run that keeps what the package needs to go on with it."""
    return run.with_name(run.name + ".model")


def call(arguments: Sequence[str], *, run: Path | None = None, progress: bool | None = False) -> str:
    """Run the program to its end and return its standard output.

    ``run`` is the run folder that it writes. ``progress`` None shows progress in a terminal
    and in a notebook, True always, False never.

    Raises R2sgldError if the program fails. Passes KeyboardInterrupt on once the program has
    written its checkpoint.
    """
    if run is not None:
        (model_folder(run) / "error.pkl").unlink(missing_ok=True)
    show = _shower(progress)
    command = [find(), *arguments, *([] if show else ["--quiet"])]
    if sys.platform == "linux" and (setpriv := shutil.which("setpriv")):
        command = [setpriv, "--pdeathsig", "INT", *command]  # the program ends when this process is killed
    terminal = show is not None and sys.stderr.isatty() and hasattr(os, "openpty")
    environment = {**ONE_THREAD, **os.environ}
    if terminal:
        environment.setdefault("COLUMNS", str(shutil.get_terminal_size().columns))
    with tempfile.TemporaryFile() as output:
        reader, writer = os.openpty() if terminal else os.pipe()
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=writer,
                env=environment,
                start_new_session=True,  # Ctrl-C reaches the program through us alone, and once
            )
        finally:
            os.close(writer)
        try:
            text = _follow(reader, show)
            process.wait()
        except BaseException as error:
            _interrupt(process, reader, show)
            if run is not None and run.exists() and hasattr(error, "add_note"):
                error.add_note(f"The run can go on: r2sgld.resume({str(run)!r})")
            raise
        finally:
            os.close(reader)
        if process.returncode != 0:
            raise _failure(process.returncode, text, run, show is not None)
        output.seek(0)
        return output.read().decode()


def _shower(progress: bool | None) -> Show | None:
    notebook = "ipykernel" in sys.modules
    if progress is None:
        progress = notebook or sys.stderr.isatty()
    if not progress:
        return None
    return _show_last if notebook else _show_all


def _show_all(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


def _show_last(text: str) -> None:
    if lines := text.split("\n")[-2:]:
        print("\r" + (lines[-1] or lines[0])[:100].ljust(100), end="", flush=True)


def _follow(reader: int, show: Show | None) -> str:
    """Read the program's standard error to its end."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    text = ""
    while True:
        try:
            chunk = os.read(reader, 1 << 16)
        except OSError:  # how the end of a terminal reads
            chunk = b""
        if not chunk:
            return text
        news = decoder.decode(chunk)
        text += news
        if show:
            show(news)


def _interrupt(process: subprocess.Popen[bytes], reader: int, show: Show | None) -> None:
    """Let the program write its checkpoint and end; a second interrupt kills it."""
    process.send_signal(signal.SIGINT)
    try:
        _follow(reader, show)
        process.wait()
    except BaseException:
        process.kill()
        process.wait()
        raise


def _failure(returncode: int, text: str, run: Path | None, shown: bool) -> Exception:
    """The exception for a program that ended with a message."""
    message = re.sub(r"[^\n]*\x1b\[K|\r", "", text).strip()  # without lines that were redrawn
    if run is not None and shown and returncode == 1:
        message = _logged(run / "log.jsonl") or message  # without the table of rounds
    message = message or f"r2sgld ended with exit code {returncode}"
    for command_line, here in REMEDIES.items():
        folded = r"\s+".join(map(re.escape, command_line.split()))
        message = re.sub(folded, here, message)
    if run is None or not (kept := model_folder(run) / "error.pkl").exists():
        return R2sgldError(message, returncode)
    cause, traceback = pickle.loads(kept.read_bytes())
    if isinstance(cause, AnswerError):
        return cause
    if " ".join(traceback.split()) not in " ".join(message.split()):
        message += "\n\n" + traceback
    error = R2sgldError(message, returncode)
    error.__cause__ = cause
    return error


def _logged(log: Path) -> str | None:
    """The error that ends the log of a run, if one does."""
    if not log.exists():
        return None
    last = log.read_text(encoding="utf-8").rstrip().rpartition("\n")[2]
    try:
        return json.loads(last).get("error")
    except ValueError:
        return None
