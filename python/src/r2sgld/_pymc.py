"""Sampling of PyMC models."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

from r2sgld._api import draw, run_folder
from r2sgld._config import Layout, mapping, yaml
from r2sgld._result import read

if TYPE_CHECKING:
    import pymc
    import xarray

    from r2sgld._result import InferenceData


def from_pymc(
    model: pymc.Model,
    *,
    domain: Mapping[str, Any] | None = None,
    constraints: str | Sequence[str] | None = None,
    out: str | PathLike[str] | None = None,
    seed: int = 1,
    threads: int | None = None,
    sampler: Mapping[str, Any] | None = None,
    name: str = "pymc",
    progress: bool | None = None,
    force: bool = False,
) -> InferenceData:
    """Draw from the posterior of a PyMC model, under constraints that PyMC does not know.

    Variables are sampled through PyMC's transforms, sigma as its logarithm, but for those that ``domain`` or
    ``constraints`` name: these are sampled as they are, with walls where their support ends. So constraints
    are in the model's own variables and units. Entries of a vector theta are theta_1, theta_2 …

    Args:
        model: The model. Its free variables are continuous. Their names are of letters, digits and ``_``.
        domain: As for `sample`.
        constraints: As for `sample`: ``["theta_1 < theta_2", "sigma < 3"]``.
        out, seed, threads, sampler, name, progress, force: As for `sample`.

    Returns:
        Draws of the model's own variables and its Deterministics, with the model's dims and coords.
        log_evidence is None unless the domain bounds all variables. ``pymc.compute_log_likelihood`` and
        ``pymc.sample_posterior_predictive`` take the result.

    Raises:
        ValueError: If a free variable is discrete, or one that is named has a support without fixed bounds,
            such as a simplex.
        FileExistsError, R2sgldError, KeyboardInterrupt: As `sample`.
    """
    from r2sgld._density import Density

    if model.discrete_value_vars:
        discrete = ", ".join(v.name for v in model.discrete_value_vars)
        raise ValueError(f"The model has discrete variables, which are not sampled: {discrete}. Sum them out.")
    model, walls = _untransformed(model, domain, constraints)
    start = model.initial_point()
    shapes = {value.name.removesuffix("__"): start[value.name].shape for value in model.value_vars}
    layout = Layout.of(shapes)  # names of columns of Stan's files do not end in __
    compiled = model.logp_dlogp_function(ravel_inputs=True)
    compiled.set_extra_values({})
    given = [constraints] if isinstance(constraints, str) else constraints or []
    run = run_folder(out, name)
    draw(
        Density(lambda x: tuple(compiled(x)), None, dimension=len(layout.coordinates), sign=-1),
        layout,
        Backward.of(model, layout),
        domain=layout.domain(domain, [*walls, *given]),
        sampler={"seed": seed, **mapping("sampler", sampler, '{"ladders": 8}')},
        run=run,
        threads=threads,
        name=name,
        progress=progress,
        force=force,
    )
    return read(run)


def _untransformed(
    model: pymc.Model, domain: Mapping[str, Any] | None, constraints: str | Sequence[str] | None
) -> tuple[pymc.Model, list[str]]:
    """The model without the transforms of the variables that are named, and the walls of their supports."""
    from pymc.model.transform.conditioning import remove_value_transforms

    words = set(re.findall(r"\w+", yaml([domain, constraints])))
    points = remove_value_transforms(model).initial_point()
    walls, named = [], []
    for rv in model.free_RVs:
        entries = Layout({rv.name: points[rv.name].shape}).coordinates
        if model.rvs_to_transforms[rv] is not None and words & {rv.name, *entries}:
            lower, upper = _support(model, rv)
            walls += [f"{entry} >= {lower!r}" for entry in entries if math.isfinite(lower)]
            walls += [f"{entry} <= {upper!r}" for entry in entries if math.isfinite(upper)]
            named.append(rv)
    return (remove_value_transforms(model, named) if named else model), walls


def _support(model: pymc.Model, rv: Any) -> tuple[float, float]:
    """The bounds of a variable, the same for all its entries."""
    from pymc.distributions.transforms import Interval
    from pymc.logprob.transforms import LogOddsTransform, LogTransform
    from pytensor.graph.basic import Constant

    transform = model.rvs_to_transforms[rv]
    if isinstance(transform, LogTransform):
        return 0.0, math.inf
    if isinstance(transform, LogOddsTransform):
        return 0.0, 1.0
    if isinstance(transform, Interval):
        bounds = transform.args_fn(*rv.owner.inputs)
        if all(bound is None or (isinstance(bound, Constant) and bound.data.size == 1) for bound in bounds):
            lower, upper = (bound if bound is None else bound.data.item() for bound in bounds)
            return (-math.inf if lower is None else lower), (math.inf if upper is None else upper)
    raise ValueError(f"{rv.name} cannot be named in domain or constraints: its support has no bounds that are numbers.")


@dataclass(frozen=True)
class Backward:
    """Makes draws of the model's own variables of those of its value variables."""

    layout: Layout
    compiled: Callable[..., list[Any]]
    dims: dict[str, tuple[str, ...]]
    coords: dict[str, Any]

    @classmethod
    def of(cls, model: pymc.Model, layout: Layout) -> Backward:
        """Compile the backward transforms and Deterministics of a model for many draws at once."""
        import pytensor
        from pymc.util import is_transformed_name
        from pytensor.graph.replace import vectorize_graph

        outputs = [v for v in model.unobserved_value_vars if not is_transformed_name(v.name)]
        inputs = [pytensor.tensor.tensor(v.name, dtype=v.dtype, shape=(None, *v.type.shape)) for v in model.value_vars]
        many = vectorize_graph(outputs, replace=dict(zip(model.value_vars, inputs, strict=True)))
        compiled = pytensor.function(inputs, many, on_unused_input="ignore")
        dims = {v.name: model.named_vars_to_dims.get(v.name) for v in outputs}
        used = {dim for names in dims.values() for dim in names or ()}
        coords = {dim: list(values) for dim, values in model.coords.items() if dim in used and values is not None}
        default = {v.name: tuple(f"{v.name}_dim_{i}" for i in range(v.ndim)) for v in outputs}
        return cls(layout, compiled, {name: tuple(dims[name] or default[name]) for name in dims}, coords)

    def __call__(self, group: xarray.Dataset) -> xarray.Dataset:
        """The group with the model's variables; one that holds no draws stays as it is."""
        import xarray

        first = self.layout.coordinates[0]
        if first not in group:
            return group
        outer = group[first].dims
        sizes = group[first].shape
        values = [self.layout.fold(group)[name].values for name in self.layout.shapes]
        draws = self.compiled(*(v.reshape(-1, *v.shape[len(sizes) :]) for v in values))
        variables = {
            name: ((*outer, *dims), many.reshape(*sizes, *many.shape[1:]))
            for (name, dims), many in zip(self.dims.items(), draws, strict=True)
        }
        return xarray.Dataset(variables, {**{dim: group[dim] for dim in outer}, **self.coords}, group.attrs)
