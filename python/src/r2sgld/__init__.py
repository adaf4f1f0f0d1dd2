"""Bayesian sampling of densities exp(-U) with several modes on constrained domains.

    import r2sgld

    def energy(x):  # U and its gradient
        return x @ x / 2, x

    result = r2sgld.sample(energy, names=["x", "y"], domain={"ball": {"radius": 1}})
    result.posterior["x"].mean()

The sampling is done by the program r2sgld, which the package brings.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from r2sgld._api import compare, fit, identify, resume, sample, stan, theory
    from r2sgld._errors import AnswerError, R2sgldError
    from r2sgld._pymc import from_pymc

__all__ = ["AnswerError", "R2sgldError", "compare", "fit", "from_pymc", "identify", "resume", "sample", "stan", "theory"]
__version__ = "0.1.0"

_MODULES = {"AnswerError": "_errors", "R2sgldError": "_errors", "from_pymc": "_pymc"}  # others are in _api


def __getattr__(name: str) -> Any:
    """Load what is asked for: processes that compute energies import this package too, and start often."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"r2sgld.{_MODULES.get(name, '_api')}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
