"""What is raised when a run fails."""

from __future__ import annotations


class R2sgldError(RuntimeError):
    """The program failed. The text is its message, with the traceback of the user's function if that raised.

    ``returncode`` is 1 for a run that failed and 2 for bad input, of which nothing is written.
    """

    def __init__(self, message: str, returncode: int = 1) -> None:
        super().__init__(message)
        self.returncode = returncode


class AnswerError(R2sgldError, TypeError):
    """What the user's function returns is no energy, or no gradient."""
