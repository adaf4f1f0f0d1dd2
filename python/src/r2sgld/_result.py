"""From a run folder to arviz.InferenceData."""

from __future__ import annotations

import json
import pickle
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from r2sgld._program import model_folder

if TYPE_CHECKING:
    import arviz
    import xarray

    InferenceData: TypeAlias = arviz.InferenceData

# What makes of a group of draws in coordinates the one that the user gets.
Transform: TypeAlias = "Callable[[xarray.Dataset], xarray.Dataset]"


def read(run: Path) -> InferenceData:
    """The draws of a finished run, with its evidence and warnings as attributes; it warns of them too."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of a coming ArviZ
        import arviz
    import xarray

    summary = json.loads((run / "summary.json").read_text(encoding="utf-8"))
    with xarray.open_datatree(run / "draws.zarr", engine="zarr") as tree:
        groups = {name: group.to_dataset().load() for name, group in tree.children.items()}
    if (kept := model_folder(run) / "result.pkl").exists():
        transform: Transform = pickle.loads(kept.read_bytes())
        groups = {name: transform(group) for name, group in groups.items()}
    data = xarray.DataTree.from_dict(groups)
    if hasattr(arviz, "InferenceData"):  # ArviZ before 1.0; from then on it is a DataTree
        data = arviz.InferenceData.from_datatree(data)
    estimate, error = evidence(summary)
    data.attrs = {
        "run": str(run),
        "log_evidence": estimate,
        "log_evidence_se": error,
        "warnings": summary["warnings"],
    }
    for warning in summary["warnings"]:
        warnings.warn(warning, RuntimeWarning, stacklevel=3)
    return data


def evidence(summary: Mapping[str, Any]) -> tuple[float | None, float | None]:
    """The log marginal likelihood of a model, or log ∫ exp(-U) of a density, and its standard error."""
    marginal, integral = summary.get("marginal_likelihood") or {}, summary.get("log_evidence") or {}
    if marginal.get("log") is not None:
        return marginal["log"], marginal["se"]
    return integral.get("estimate"), integral.get("se")
