"""The process that computes energies and constraints for the program: python -m r2sgld._serve PATH.

PATH is a file of two pickles: the surroundings of the user's function, then
its `Density`. Standard input and output carry frames, version 2 of the program's protocol.
"""

from __future__ import annotations

import io
import json
import os
import select
import struct
import sys
import time
import traceback
from pathlib import Path
from typing import Any, BinaryIO

import cloudpickle
import numpy as np

from r2sgld._density import AtState, Density
from r2sgld._errors import AnswerError

WALLS = 2  # the kind of requests for the first constraint; 3 is that for the second …
MOST = 8  # coordinates of a state that are shown
AWAKE = 100e-6  # seconds that a request is looked for before this process sleeps


class Failure(Exception):
    """The program has been told of the exception of the user's function that is given, in these words."""

    def __init__(self, error: Exception, told: str) -> None:
        super().__init__(error)
        self.error, self.told = error, told


def main(path: Path) -> int:
    """Answer the program until its requests end. The exit code is 1 if the user's function fails."""
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)  # what the user's function prints goes to standard error
    path = path.absolute()
    try:
        with path.open("rb") as file:
            surroundings = cloudpickle.load(file)
            sys.path[:] = surroundings["path"]
            if os.path.isdir(surroundings["folder"]):
                os.chdir(surroundings["folder"])
            density = cloudpickle.load(file)
        serve(source, sink, density, surroundings["names"])
    except Failure as failure:
        _keep(path.with_name("error.pkl"), failure.error, failure.told)
        return 1
    except BrokenPipeError:  # the program has ended
        return 0
    except Exception as error:
        _keep(path.with_name("error.pkl"), error, _told(error))
        raise
    return 0


def serve(source: BinaryIO, sink: BinaryIO, density: Density, names: list[str]) -> None:
    """Shake hands and answer requests until the source ends.

    Raises Failure if the user's function does, after telling the program why, and ValueError
    for a request that is none, or a program that knows no frames.
    """
    hello = json.loads(source.readline())
    if 2 not in hello.get("versions", []):
        raise ValueError("This program r2sgld speaks no frames. It is older than the package: install it again.")
    greeting = {"r2sgld": 2, "dimension": density.dimension, "names": names}
    if density.stochastic:
        greeting["stochastic"] = True
    if density.lanewise:
        greeting["lanewise"] = True
    if density.constraints:
        greeting["constraints"] = [constraint.name for constraint in density.constraints]
    sink.write(json.dumps(greeting).encode() + b"\n")
    sink.flush()
    blocks = {0: density.blocks()}  # by the kinds of requests
    blocks |= {kind: constraint.blocks() for kind, constraint in enumerate(density.constraints, WALLS)}
    requests = _Requests(source)
    while len(head := requests.header()) == 16:
        n, kind, seed = struct.unpack("<IIq", head)
        if kind not in blocks or n == 0:
            raise ValueError(f"The program asks for {n} states by a frame of kind {kind}, which is not known here.")
        body = source.read(8 * n * density.dimension)
        if len(body) < 8 * n * density.dimension:
            return
        states = np.frombuffer(body, "<f8").reshape(n, density.dimension).astype(np.float64)
        try:
            energies, gradients = blocks[kind](states, seed)
        except (Exception, SystemExit) as failed:
            error = failed.error if isinstance(failed, AtState) else failed
            told = _told(error)
            if not isinstance(error, AnswerError):
                block = np.frombuffer(body, "<f8").reshape(states.shape)  # the function may have changed states
                told += _where(names, block, failed.number if isinstance(failed, AtState) else None)
            reason = told.encode()
            sink.write(struct.pack("<II", len(reason), 1) + reason)
            sink.flush()
            raise Failure(error, told) from error
        numbers = (array.astype("<f8", copy=False).tobytes() for array in (energies, gradients))
        sink.write(struct.pack("<II", n, 0) + b"".join(numbers))
        sink.flush()


class _Requests:
    """The requests, looked for again and again for a moment where the last one came at once.

    A read sleeps, and to be woken takes longer than many a function.
    """

    def __init__(self, source: BinaryIO) -> None:
        self.source = source
        self.at_once = False
        self.poll = select.poll() if hasattr(select, "poll") and isinstance(source, io.BufferedReader) else None
        if self.poll:
            self.poll.register(source, select.POLLIN)

    def header(self) -> bytes:
        """What the next request begins with; less than 16 bytes at the end."""
        start = time.perf_counter()
        while self.at_once and self.poll and not self.poll.poll(0) and time.perf_counter() - start < AWAKE:
            os.sched_yield()
        head = self.source.read(16)
        self.at_once = time.perf_counter() - start < AWAKE
        return head


def _told(error: BaseException) -> str:
    """The traceback, from the user's function on."""
    frames = error.__traceback__
    while frames and frames.tb_next and Path(frames.tb_frame.f_code.co_filename).parent == Path(__file__).parent:
        frames = frames.tb_next
    return "".join(traceback.format_exception(type(error), error, frames))


def _where(names: list[str], block: np.ndarray[Any, np.dtype[np.float64]], number: int | None) -> str:
    """The state of this number in a block, or of how many that none is known of."""
    n = len(block)
    if number is None and n > 1:
        return f"It was given {n} states at once.\n"
    state = block[number or 0].tolist()
    shown = ", ".join(f"{name} = {value!r}" for name, value in list(zip(names, state, strict=True))[:MOST])
    more = len(state) - MOST
    return f"It was given the state {shown}{f' and {more} more' if more > 0 else ''}.\n"


def _keep(path: Path, error: BaseException, text: str) -> None:
    """Keep the exception, if it can be pickled, and what is told of it for the process that called."""
    try:
        content = cloudpickle.dumps((error, text))
        cloudpickle.loads(content)
    except Exception:
        content = cloudpickle.dumps((None, text))
    temporary = path.with_name(f"error.{os.getpid()}.tmp")
    temporary.write_bytes(content)
    temporary.replace(path)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
