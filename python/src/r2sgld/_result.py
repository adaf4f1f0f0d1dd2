"""From a run folder to arviz.InferenceData."""

from __future__ import annotations

import json
import math
import pickle
import re
import warnings
from collections.abc import Callable, Hashable, Iterable, Mapping
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
    kept = model_folder(run) / "result.pkl"
    groups = whole(groups, pickle.loads(kept.read_bytes()) if kept.exists() else None)
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


def whole(groups: Mapping[str, xarray.Dataset], transform: Transform | None) -> dict[str, xarray.Dataset]:
    """The groups that the user gets of those of a run.

    The posterior has what the program of the run says of its draws too, at those that it was asked for.
    """
    out = dict(groups)
    posterior, outputs = groups["posterior"], groups.get("outputs")
    if outputs is not None:
        if posterior.sizes["draw"] != outputs.sizes["draw"]:
            posterior = posterior.sel(draw=outputs.draw)
        out["posterior"] = posterior.drop_vars([name for name in posterior if name in outputs]).merge(outputs)
    if transform is not None:
        out = {name: transform(group) for name, group in out.items()}
    if outputs is not None and "log_lik" in out["posterior"]:
        out["log_likelihood"] = out["posterior"][["log_lik"]]
    return out


def entries(names: Iterable[Hashable]) -> dict[str, dict[tuple[int, ...], str]]:
    """The names of entries x[1,2] by the name of their array and their indices, from 0."""
    found: dict[str, dict[tuple[int, ...], str]] = {}
    for name in map(str, names):
        if entry := re.fullmatch(r"(.+)\[(\d+(?:,\d+)*)\]", name):
            index = tuple(int(i) - 1 for i in entry[2].split(","))
            found.setdefault(entry[1], {})[index] = name
    return found


def folded(group: xarray.Dataset) -> xarray.Dataset:
    """The group with arrays in place of entries that are all of one, such as theta[1] and theta[2]."""
    import numpy as np

    for base, of in entries(group).items():
        shape = tuple(max(lengths) + 1 for lengths in zip(*of, strict=True)) if len({len(i) for i in of}) == 1 else ()
        if base in group or math.prod(shape) != len(of):
            continue
        dims = group[next(iter(of.values()))].dims
        values = np.stack([group[of[i]].transpose(*dims).values for i in np.ndindex(*shape)], axis=-1)
        group = group.drop_vars(of.values())
        group[base] = ((*dims, *(f"{base}_dim_{i}" for i in range(len(shape)))), values.reshape(*values.shape[:-1], *shape))
    return group


def evidence(summary: Mapping[str, Any]) -> tuple[float | None, float | None]:
    """The log marginal likelihood of a model, or log ∫ exp(-U) of a density, and its standard error."""
    marginal, integral = summary.get("marginal_likelihood") or {}, summary.get("log_evidence") or {}
    if marginal.get("log") is not None:
        return marginal["log"], marginal["se"]
    return integral.get("estimate"), integral.get("se")
