"""What users call."""

from __future__ import annotations

import itertools
import json
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from r2sgld._config import Layout, Names, mapping, write, write_csv, yaml
from r2sgld._program import call, model_folder
from r2sgld._result import Transform, folded, read

if TYPE_CHECKING:
    from r2sgld._density import Density, Gradient
    from r2sgld._result import InferenceData

WRITTEN = {"model.yaml", "energy.pkl", "result.pkl", "data.csv", "program.stan", "data.json", "error.pkl"}  # what a model folder may hold


def sample(
    energy: Callable[..., Any] | None = None,
    *,
    logp: Callable[..., Any] | None = None,
    names: Names,
    domain: Mapping[str, Any] | None = None,
    constraints: str | Sequence[str] | None = None,
    constraint: Callable[..., Any] | Sequence[Callable[..., Any]] = (),
    constraint_gradient: Gradient | Sequence[Gradient] = None,
    gradient: Gradient = None,
    batched: bool = False,
    lanewise: bool = False,
    out: str | PathLike[str] | None = None,
    seed: int = 1,
    threads: int | None = None,
    sampler: Mapping[str, Any] | None = None,
    init: str | Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
    stochastic: bool = False,
    name: str = "model",
    progress: bool | None = None,
    force: bool = False,
) -> InferenceData:
    """Draw from the density exp(-U) on a domain.

    The function runs in processes of its own, with one thread each. It is pickled with cloudpickle.
    What it prints goes to standard error.

    Args:
        energy: U, minus the log density up to a constant. It takes a state x of shape (d,) and returns
            (U, gradient), a number and an array of shape (d,). With ``gradient`` it returns U alone.
        logp: The log density in place of U. A gradient is then that of the log density.
        names: The names of the d coordinates in their order. A map gives variables lengths or shapes:
            ``{"mu": (), "theta": 3}`` has d = 4. The function still takes the flat state. In ``constraints``
            the entries are theta_1, theta_2, theta_3; in the result theta has the shape (chain, draw, 3).
        domain: The domain as in a configuration: ``{"box": {"x": [-1, 3]}, "ball": {"radius": 2}}``. An
            interval for a variable that has a shape holds for all its entries, and ``[0, None]`` is open above.
            The default is all of ℝᵈ. Where a function is infinite, name the walls here: the sampler then knows
            of them, and is not stopped by them.
        constraints: Inequalities such as ``"x + y < 1"``.
        constraint: A function g, or a list of them: states are where g(x) <= 0. It takes what ``energy`` takes,
            but no seed, and returns (g, gradient), or g alone where its gradient comes from elsewhere. Where g
            is NaN is outside; its gradient must not be 0 at the wall. With ``batched`` it takes states of shape
            (n, d) too, many at once where ``lanewise`` is promised. A step asks for one or a few values of
            each function, a reflection for some ten more, many states at once: what ``constraints`` or
            ``domain`` can say is cheaper said there. A box around the set makes crossings surer and starts
            and evidence known.
        constraint_gradient: The gradient of ``constraint``, or a list of as many, in the forms of ``gradient``.
            The default is that of ``gradient`` where that is "jax" or "torch", else None.
        gradient: A function that takes what ``energy`` takes and returns the gradient, or "jax" or "torch":
            the function is then written in jax.numpy or torch and is differentiated, with jax in 64 bits and
            compiled. None if the function returns the pair.
        batched: The function takes n states at once, of shape (n, d). It returns energies of shape (n,)
            and gradients of shape (n, d). n changes from call to call.
        lanewise: With ``batched`` or "jax": a promise that the answer to a state does not depend, to the last
            bit, on the other states of its block. Elementwise functions of numpy keep it; products of matrices
            need not. Ladders then share blocks, which is several times as fast. Where the promise is broken,
            draws depend on ``threads``.
        out: The run folder. The default is runs/NAME-TIME in the current folder. The folder OUT.model beside
            it keeps the function.
        seed: Determines every draw.
        threads: Ladders that run at once. The default is all processors. It changes no draw.
        sampler: The section ``sampler`` of a configuration. The default needs no tuning.
        init: Where replicas start: "uniform", ``{"x": 0, "y": 0}``, or a list of such points.
        stochastic: The function takes (x, seed) and returns unbiased estimates, say from a minibatch that
            the seed chooses.
        name: The name of the run.
        progress: Show progress. None shows it in a terminal and in a notebook.
        force: Replace a run that stands in ``out``. Only files that the run and this package wrote are touched.

    Returns:
        Draws in the group posterior, of dimensions (chain, draw), in units of the function. sample_stats has
        the energy and lp = -energy. The attribute run is the folder; log_evidence is log ∫ exp(-U) over the
        domain with the error log_evidence_se, both None if not known; warnings is a list of texts.

    Raises:
        TypeError: If neither or both of ``energy`` and ``logp`` are given, ``constraint`` is no function, or a
            function returns no number or no gradient. That last error is an AnswerError.
        ValueError: If ``gradient``, ``constraint_gradient`` or ``names`` is none of the above.
        FileExistsError: If ``out`` holds something and ``force`` is not given.
        R2sgldError: If the run fails. If the function raised, its exception is the cause.
        KeyboardInterrupt: After a checkpoint; `resume` goes on from there.
    """
    function = energy if logp is None else logp
    if function is None or (energy is not None and logp is not None):
        raise TypeError("one of energy and logp is wanted")
    if isinstance(function, str):
        raise TypeError(f"energy is a function of a state: found the text {function!r}")
    from r2sgld._density import Density, known, walls  # late: what needs numpy slows the start of each process

    known("gradient", gradient)
    layout = Layout.of(names)
    form: dict[str, Any] = {"dimension": len(layout.coordinates), "batched": batched, "lanewise": lanewise}
    if constraint_gradient is None and isinstance(gradient, str):
        constraint_gradient = gradient
    run = run_folder(out, name)
    draw(
        Density(
            function,
            gradient,
            stochastic=stochastic,
            sign=1 if logp is None else -1,
            constraints=walls(constraint, constraint_gradient, form),
            **form,
        ),
        layout,
        layout.fold,
        domain=layout.domain(domain, constraints),
        sampler={"seed": seed, "init": layout.start(init), **mapping("sampler", sampler, '{"ladders": 8}')},
        run=run,
        threads=threads,
        name=name,
        progress=progress,
        force=force,
    )
    return read(run)


# Seconds that the start of Python, with what a density imports, and a block of states may take: compilers of
# arrays take some of them at the first call.
PATIENCE = 600


def draw(
    density: Density,
    layout: Layout,
    transform: Transform,
    *,
    domain: Mapping[str, Any],
    sampler: Mapping[str, Any],
    run: Path,
    threads: int | None,
    name: str,
    progress: bool | None,
    force: bool,
) -> None:
    """Sample a density; ``transform`` makes of each group of draws what the user gets."""
    import cloudpickle

    from r2sgld._density import save

    coordinates = layout.coordinates
    if density.constraints:
        domain = {**domain, "program": [constraint.name for constraint in density.constraints]}
    config = {
        "name": name,
        "variables": coordinates,
        "potential": {"command": [sys.executable, "-m", "r2sgld._serve", "energy.pkl"], "timeout": PATIENCE},
        "domain": domain,
        "sampler": sampler,
    }
    with _kept(run, force) as folder:
        write(config, folder / "model.yaml")
        save(folder / "energy.pkl", density, coordinates)
        (folder / "result.pkl").write_bytes(cloudpickle.dumps(transform))
        _run("sample", folder, run, threads, progress, force)


def fit(
    data: Any,
    model: Mapping[str, Any] | str | PathLike[str],
    *,
    where: str | Sequence[str] | None = None,
    missing: str | None = None,
    precision: str | None = None,
    out: str | PathLike[str] | None = None,
    seed: int = 1,
    threads: int | None = None,
    sampler: Mapping[str, Any] | None = None,
    name: str = "fit",
    progress: bool | None = None,
    force: bool = False,
) -> InferenceData:
    """Draw from the posterior of a model of rows of data.

    Args:
        data: A DataFrame of pandas or polars, a map of names to columns, or the path of a CSV file, with a
            row for each case. None and NaN are missing values.
        model: The section ``model`` of a configuration: ``parameters``, ``likelihood``, ``let``,
            ``constraints``. Or the path of a configuration of `r2sgld fit`, of which all but its data is used.
        where: Inequalities in the columns. Rows that break one are left out.
        missing: "refuse", the default, or "drop": what becomes of rows with missing values.
        precision: "float64", the default, or "float32": how the numbers of the columns are kept.
        out, seed, threads, sampler, name, progress, force: As for `sample`.

    Returns:
        Draws as of `sample`, with the groups that the model has besides: posterior_predictive,
        log_likelihood, prior, prior_predictive, observed_data, constant_data. log_evidence is the log
        marginal likelihood.

    Raises:
        FileExistsError, R2sgldError, KeyboardInterrupt: As `sample`.
    """
    rows = {"file": "data.csv", "where": where, "missing": missing, "precision": precision}
    run = run_folder(out, name)
    _of_data("fit", data, rows, model, run, seed, threads, sampler, name, progress, force)
    return read(run)


def identify(
    data: Any,
    equations: Mapping[str, str] | None = None,
    *,
    library: Sequence[str] | None = None,
    time: str | None = None,
    states: Mapping[str, str] | Sequence[str] | None = None,
    likelihood: str | None = None,
    constraints: str | Sequence[str] | None = None,
    priors: Mapping[str, str] | None = None,
    model: Mapping[str, Any] | None = None,
    out: str | PathLike[str] | None = None,
    seed: int = 1,
    threads: int | None = None,
    sampler: Mapping[str, Any] | None = None,
    name: str = "identify",
    progress: bool | None = None,
    force: bool = False,
) -> InferenceData:
    """Draw from the posterior of the parameters of ordinary differential equations.

    Args:
        data: A time series in any of the forms that `fit` takes.
        equations: The right-hand sides: ``{"H": "H*(a - b*L)", "L": "L*(d*H - c)"}``. Every symbol that is
            no state, no time and no function is a parameter.
        library: Terms such as ``["poly(2)"]`` in place of equations.
        time: The column of the times. The default counts rows 0, 1, 2 …
        states: The states and their columns: ``{"H": "hare"}``, or a list where the names are the same. The
            default is the states of the equations.
        likelihood: "derivative", "log-derivative", "weak" or "trajectory".
        constraints: Inequalities between parameters, such as ``"a > c"``.
        priors: Priors such as ``{"a": "normal(1, 0.5)"}``.
        model: Other keys of the section ``model``: noise, fixed, derivative, sparse, solver …
        out, seed, threads, sampler, name, progress, force: As for `sample`.

    Returns:
        Draws as of `sample`. log_evidence is the log marginal likelihood.

    Raises:
        TypeError: If the states are not known: a library needs ``states``.
        FileExistsError, R2sgldError, KeyboardInterrupt: As `sample`.
    """
    states = states if states is not None else equations
    if states is None:
        raise TypeError("states is wanted where there are no equations")
    columns = states if isinstance(states, Mapping) and states is not equations else {s: s for s in states}
    section = {
        "equations": equations,
        "library": library,
        "likelihood": likelihood,
        "constraints": constraints,
        "priors": priors,
        **(model or {}),
    }
    series = {"file": "data.csv", "time": time, "states": columns}
    run = run_folder(out, name)
    _of_data("identify", data, series, section, run, seed, threads, sampler, name, progress, force)
    return read(run)


def stan(
    program: str | PathLike[str],
    data: Mapping[str, Any] | str | PathLike[str] | None = None,
    *,
    constraints: str | Sequence[str] | None = None,
    domain: Mapping[str, Any] | None = None,
    transform: bool = False,
    out: str | PathLike[str] | None = None,
    seed: int = 1,
    threads: int | None = None,
    sampler: Mapping[str, Any] | None = None,
    name: str = "stan",
    progress: bool | None = None,
    force: bool = False,
) -> InferenceData:
    """Draw from the posterior of a Stan program, its bounds as walls.

    The program is compiled once, by CmdStan, BridgeStan or the package httpstan, whichever is found.

    Args:
        program: The path of the program, or its text.
        data: A map of names to numbers and arrays, the path of a file of JSON, or None.
        constraints: Inequalities between parameters, as ``"theta[1] + theta[2] < 1"``.
        domain: As for `sample`, in the names of the parameters: ``{"box": {"tau": [0, 10]}}``.
        transform: Sample in the coordinates of Stan's transforms, without walls.
        out, seed, threads, sampler, name, progress, force: As for `sample`.

    Returns:
        Draws as of `sample`: parameters, transformed parameters and generated quantities in the group
        posterior, with the shapes that they have in the program. What is called log_lik is the group
        log_likelihood too.

    Raises:
        FileExistsError, R2sgldError, KeyboardInterrupt: As `sample`. The message of a program that does not
        compile is that of the Stan compiler.
    """
    import cloudpickle

    run = run_folder(out, name)
    with _kept(run, force) as folder:
        text = str(program)
        text = text if "\n" in text or "{" in text else _expanded(Path(program))
        (folder / "program.stan").write_text(text, encoding="utf-8")
        potential: dict[str, Any] = {"stan": "program.stan", "transform": transform}
        if data is not None:
            numbers = Path(data).read_text(encoding="utf-8") if isinstance(data, str | PathLike) else _json(data)
            (folder / "data.json").write_text(numbers, encoding="utf-8")
            potential["data"] = "data.json"
        config = {
            "name": name,
            "potential": potential,
            "domain": Layout({}).domain(domain, constraints),
            "sampler": {"seed": seed, **mapping("sampler", sampler, '{"ladders": 8}')},
        }
        write(config, folder / "model.yaml")
        (folder / "result.pkl").write_bytes(cloudpickle.dumps(folded))
        _run("sample", folder, run, threads, progress, force)
    return read(run)


def theory(
    potential: str,
    domain: Mapping[str, Any],
    *,
    names: Sequence[str] | None = None,
    constraints: str | Sequence[str] | None = None,
    temperature: float | Sequence[float] = 1,
    intensity: float | None = None,
    intensities: Sequence[float] | None = None,
    grid: int | None = None,
    eigenvalues: int | None = None,
    decay: Mapping[str, Any] | None = None,
    out: str | PathLike[str] | None = None,
    force: bool = False,
) -> dict[str, Any]:
    """Compute how fast the reflected diffusion mixes, in one or two variables, without a random number.

    Args:
        potential: U as a formula of the variables.
        domain: A bounded domain, as for `sample`.
        names: The variables. The default is those of the domain's box.
        constraints: Inequalities, as for `sample`.
        temperature: A number, or two that increase: replicas that swap.
        intensity: The rate of swaps.
        intensities: Intensities for a curve of the gap.
        grid: Cells along the longest side.
        eigenvalues: How many are computed.
        decay: ``{"start": {"x": 0.1}, "times": [0.1, 1], "of": ["chi2", "tv"]}``.
        out: A folder for figures. The default keeps none.
        force: Replace the run that stands in ``out``.

    Returns:
        The summary: gap, the smallest non-zero rate, in 1/time; poincare_constant, its inverse; eigenvalues;
        and what else was asked for.

    Raises:
        R2sgldError: If the domain is not bounded, or something else is wrong.
    """
    config = {
        "variables": list(names if names is not None else domain.get("box", {})),
        "potential": potential,
        "domain": Layout({}).domain(domain, constraints),
        "theory": {
            "temperature": temperature,
            "intensity": intensity,
            "intensities": intensities,
            "grid": grid,
            "eigenvalues": eigenvalues,
            "decay": decay,
        },
    }
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "theory.yaml")
        write(config, file)
        run = Path(folder, "run") if out is None else Path(out).absolute()
        return json.loads(call(["theory", str(file), "--out", str(run), "--json", *["--force"] * force]))


def compare(*results: InferenceData | str | PathLike[str]) -> dict[str, Any]:
    """Compare models of the same data.

    Args:
        results: What `fit`, `identify` or `sample` returned, or run folders.

    Returns:
        ``models``, best first, each with name, log_evidence, probability, elpd_loo and their errors, None
        where not known; ``ranked_by``; ``warnings``.

    Raises:
        R2sgldError: If a run is not finished, or the data of two runs differ.
    """
    return json.loads(call(["compare", *(str(_run_of(result)) for result in results), "--json"]))


def resume(
    run: InferenceData | str | PathLike[str],
    *,
    iterations: int | None = None,
    until: Mapping[str, float] | None = None,
    threads: int | None = None,
    progress: bool | None = None,
) -> InferenceData:
    """Go on with a run that was interrupted or failed, or extend one that is finished.

    Args:
        run: A run folder, or what was returned for it.
        iterations: Iterations of each ladder in all, where the method is not auto.
        until: When the method auto ends: ``{"ess": 4000}``.
        threads, progress: As for `sample`.

    Returns:
        All draws of the run, those from before included. They are those of a run without interruption.

    Raises:
        R2sgldError, KeyboardInterrupt: As `sample`.
    """
    folder = _run_of(run)
    flags = [*_settings({f"sampler.until.{key}": value for key, value in (until or {}).items()}), *_threads(threads)]
    if iterations is not None:
        flags.append(f"--iterations={iterations}")
    call(["resume", str(folder), *flags], run=folder, progress=progress)
    return read(folder)


def _expanded(program: Path, folder: Path | None = None, within: tuple[Path, ...] = ()) -> str:
    """The text of a Stan program with the files of its folder that it includes, and they include."""
    folder = folder or program.parent
    if program in within:
        raise ValueError(f"{program} includes itself")

    def insert(found: re.Match[str]) -> str:
        return _expanded(folder / found[1], folder, (*within, program))

    text = program.read_text(encoding="utf-8")
    return re.sub(r'(?m)^[ \t]*#include[ \t]+[<"]?([^<>"\s]+)[>"]?.*$', insert, text)


def _json(data: Mapping[str, Any]) -> str:
    """The data of a Stan program: arrays as lists, truth as 0 and 1."""

    def plain(value: Any) -> Any:
        value = value.tolist() if hasattr(value, "tolist") else value
        if isinstance(value, bool):
            return int(value)
        return [plain(entry) for entry in value] if isinstance(value, list | tuple) else value

    return json.dumps({key: plain(value) for key, value in data.items()})


def _of_data(
    command: str,
    data: Any,
    source: Mapping[str, Any],
    model: Mapping[str, Any] | str | PathLike[str],
    run: Path,
    seed: int,
    threads: int | None,
    sampler: Mapping[str, Any] | None,
    name: str,
    progress: bool | None,
    force: bool,
) -> None:
    """Run a command on data."""
    settings: dict[str, Any] = {}
    sampler = {"seed": seed, **mapping("sampler", sampler, '{"ladders": 8}')}
    with _kept(run, force) as folder:
        write_csv(data, folder / "data.csv")
        if isinstance(model, Mapping):
            config = {"name": name, "data": source, "model": model, "sampler": sampler}
            write(config, folder / "model.yaml")
        else:
            shutil.copyfile(model, folder / "model.yaml")
            settings = {"name": name, "data": source, **{f"sampler.{key}": value for key, value in sampler.items()}}
        _run(command, folder, run, threads, progress, force, settings)


def _run(
    command: str,
    folder: Path,
    run: Path,
    threads: int | None,
    progress: bool | None,
    force: bool,
    settings: Mapping[str, Any] | None = None,
) -> None:
    """Run the configuration of a model folder."""
    flags = [*["--force"] * force, *_threads(threads), *_settings(settings or {})]
    call([command, str(folder / "model.yaml"), "--out", str(run), *flags], run=run, progress=progress)


def _threads(threads: int | None) -> list[str]:
    return [] if threads is None else [f"--threads={threads}"]


def _settings(settings: Mapping[str, Any]) -> list[str]:
    return [f"--set={key}={yaml(value)}" for key, value in settings.items()]


def _run_of(result: InferenceData | str | PathLike[str]) -> Path:
    """The run folder of a result, or itself."""
    return Path(result if isinstance(result, str | PathLike) else result.attrs["run"]).absolute()


def run_folder(out: str | PathLike[str] | None, name: str) -> Path:
    """The run folder that is asked for, or a new one."""
    if out is not None:
        return Path(out).absolute()
    first = Path("runs", f"{name}-{time.strftime('%Y%m%d-%H%M%S')}").absolute()
    others = (first.with_name(f"{first.name}-{i}") for i in itertools.count(2))
    return next(run for run in itertools.chain([first], others) if not run.exists() and not model_folder(run).exists())


@contextmanager
def _kept(run: Path, force: bool) -> Iterator[Path]:
    """The model folder of a run, empty. It is as it was before if nothing comes of the run.

    Raises FileExistsError where it or the run folder holds something, or with ``force`` where it
    holds what this package has not written.
    """
    folder = model_folder(run)
    there = [path for path in (run, folder) if path.exists() and any(path.iterdir())]
    if there and not force:
        raise FileExistsError(f"{there[0]} is not empty. Name another folder, or replace the run in it by force=True.")
    made = next((parent for parent in reversed(folder.parents) if not parent.exists()), folder)  # the outermost
    folder.mkdir(parents=True, exist_ok=True)
    if others := sorted({path.name for path in folder.iterdir()} - WRITTEN):
        raise FileExistsError(f"{folder} holds what is not of this package: {', '.join(others)}. Move it away.")
    before = {path: path.read_bytes() for path in folder.iterdir()}
    for path in before:
        path.unlink()
    begun = run / ".new-1" if run in there else run
    try:
        yield folder
    except Exception:
        if not begun.exists():
            for path in folder.iterdir():
                path.unlink()
            for path, content in before.items():
                path.write_bytes(content)
            if not before:
                _remove(folder, made)
        raise


def _remove(folder: Path, outermost: Path) -> None:
    """Remove an empty folder, and those around it up to the outermost that hold nothing else."""
    for path in (folder, *folder.parents):
        if any(path.iterdir()):
            return
        path.rmdir()
        if path == outermost:
            return
