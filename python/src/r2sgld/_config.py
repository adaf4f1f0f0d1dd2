"""Configurations of the program, and the names and data in them."""

from __future__ import annotations

import csv
import itertools
import json
import math
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import xarray

Names: TypeAlias = Sequence[str] | Mapping[str, int | Sequence[int]]


def yaml(value: Any) -> str:
    """The value as YAML in one line: JSON, but for infinite numbers. Arrays are lists."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{json.dumps(str(key))}: {yaml(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(yaml, value)) + "]"
    if hasattr(value, "tolist"):  # of numpy
        return yaml(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return {math.inf: ".inf", -math.inf: "-.inf"}.get(value, ".nan")
    return json.dumps(value, ensure_ascii=False)


def write(config: Mapping[str, Any], path: Path) -> None:
    """Write a configuration, a line for each section."""
    path.write_text("".join(f"{key}: {yaml(value)}\n" for key, value in config.items()), encoding="utf-8")


def write_csv(data: Any, path: Path) -> None:
    """Write a DataFrame of pandas or polars, a map of columns, or a copy of a CSV file."""
    if isinstance(data, str | PathLike):
        shutil.copyfile(data, path)
        return
    names = list(data.columns if hasattr(data, "columns") else data)
    if len(set(names)) != len(names):
        raise ValueError(f"two columns of the data have one name: {', '.join(map(str, names))}")
    columns = [[_cell(value) for value in data[name]] for name in names]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerows(zip(*columns, strict=True))


def _cell(value: Any) -> Any:
    if hasattr(value, "item"):  # of numpy
        value = value.item()
    if value is None or type(value).__name__ == "NAType" or (isinstance(value, float) and math.isnan(value)):
        return ""
    return int(value) if isinstance(value, bool) else value


@dataclass(frozen=True)
class Layout:
    """How variables that have a shape are made of the coordinates of a state.

    A variable theta of shape (2, 3) has the coordinates theta_1_1, theta_1_2 … theta_2_3, the last index
    running fastest.
    """

    shapes: Mapping[str, tuple[int, ...]]

    @classmethod
    def of(cls, names: Names) -> Layout:
        """The layout that a list of names, or a map of names to lengths or shapes, describes."""
        if isinstance(names, str):
            raise TypeError(f"names is a list of names: write [{names!r}]")
        given = names if isinstance(names, Mapping) else dict.fromkeys(names, ())
        shapes = {name: (shape,) if isinstance(shape, int) else tuple(shape) for name, shape in given.items()}
        layout = cls(shapes)
        coordinates = layout.coordinates
        if not coordinates:
            raise ValueError("names must be given: there is none")
        twice = [name for k, name in enumerate(names) if name in list(names)[:k]]
        twice += [name for k, name in enumerate(coordinates) if name in coordinates[:k]]
        if twice:
            raise ValueError(f"names must differ: {twice[0]} is given twice")
        return layout

    @property
    def coordinates(self) -> list[str]:
        """The names of the coordinates of a state, in their order."""
        return [coordinate for name in self.shapes for coordinate in self.entries(name)]

    def entries(self, name: str) -> list[str]:
        """The coordinates of a variable."""
        indices = itertools.product(*(range(1, length + 1) for length in self.shapes[name]))
        return ["_".join([name, *map(str, index)]) for index in indices]

    def spread(self, values: Mapping[str, Any], of: tuple[int, ...] = ()) -> Iterator[tuple[str, Any]]:
        """The coordinates and their values, each of the shape ``of``. One value may serve all entries."""
        import numpy as np

        for name, value in values.items():
            shape = self.shapes.get(name, ())
            if not shape:
                yield name, value
                continue
            full = np.broadcast_to(value, (*shape, *of))
            yield from zip(self.entries(name), full.reshape(-1, *full.shape[len(shape) :]), strict=True)

    def domain(self, domain: Mapping[str, Any] | None, constraints: str | Sequence[str] | None) -> dict[str, Any]:
        """The section ``domain``: the two together, in coordinates."""
        section = dict(mapping("domain", domain, '{"box": {"x": [0, 1]}}'))
        mapping("box", section.get("box"), '{"x": [0, 1]}')
        if callable(constraints):
            raise TypeError("constraints are texts, as in 'x + y < 1': a function is given by constraint=")
        if "box" in section:
            section["box"] = dict(self.spread({name: _sides(pair) for name, pair in section["box"].items()}, of=(2,)))
        both = [section.pop("constraints", None), constraints]
        if given := [text for part in both for text in ([part] if isinstance(part, str | Mapping) else part or [])]:
            section["constraints"] = given
        return section

    def start(self, init: str | Mapping[str, Any] | Sequence[Mapping[str, Any]] | None) -> Any:
        """The key ``init``, in coordinates."""
        if init is None or isinstance(init, str):
            return init
        return dict(self.spread(init)) if isinstance(init, Mapping) else [dict(self.spread(point)) for point in init]

    def fold(self, group: xarray.Dataset) -> xarray.Dataset:
        """The group with variables in place of their coordinates."""
        import numpy as np

        for name, shape in self.shapes.items():
            entries = self.entries(name)
            if not shape or entries[0] not in group:
                continue
            dims = group[entries[0]].dims
            values = np.stack([group[entry].transpose(*dims).values for entry in entries], axis=-1)
            values = values.reshape(*values.shape[:-1], *shape)
            group = group.drop_vars(entries)
            group[name] = ((*dims, *(f"{name}_dim_{i}" for i in range(len(shape)))), values)
        return group


def mapping(argument: str, value: Any, such: str) -> Mapping[str, Any]:
    """The value of an argument that must be a dict; None is an empty one."""
    if value is not None and not isinstance(value, Mapping):
        raise TypeError(f"{argument} is a dict, as in {such}: found {value!r}")
    return value or {}


def _sides(pair: Any) -> Any:
    """The two ends of an interval, of which None is open."""
    if isinstance(pair, list | tuple) and len(pair) == 2:
        return [end if pair[k] is None else pair[k] for k, end in enumerate((-math.inf, math.inf))]
    return pair
