"""A density and constraints given by Python functions, evaluated for blocks of states."""

from __future__ import annotations

import io
import os
import sys
import types
from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import cloudpickle
import numpy as np

from r2sgld._errors import AnswerError

if TYPE_CHECKING:
    Array = np.ndarray[Any, np.dtype[np.float64]]
    Block = Callable[..., tuple[Any, Any]]

Gradient: TypeAlias = "Callable[..., Any] | str | None"


class AtState(Exception):
    """The user's function raised an exception at the state of this number in its block."""

    def __init__(self, error: Exception, number: int) -> None:
        super().__init__(error)
        self.error, self.number = error, number


@dataclass
class Density:
    """How energies U and gradients come from the user's functions.

    ``energy`` takes a state of shape (d,), or with ``batched`` n states of shape (n, d); with
    ``stochastic`` a seed follows. ``gradient`` is another such function, "jax", "torch", or None where
    ``energy`` returns the pair. ``sign`` is -1 where the functions are of log p in place of U. ``lanewise``
    is the user's promise that a state's answer depends on that state alone, to the last bit. States are
    where no constraint is above 0.
    """

    energy: Callable[..., Any]
    gradient: Callable[..., Any] | str | None
    dimension: int
    batched: bool = False
    stochastic: bool = False
    sign: int = 1
    lanewise: bool = False
    constraints: Sequence[Constraint] = ()

    value = "energy"  # what messages call the answer, its gradient, and what to give for that
    slope = "gradient"
    key = "gradient"
    pair = "energy"

    def __post_init__(self) -> None:
        one_by_one = not self.batched and self.gradient != "jax"
        self.lanewise = (self.lanewise or one_by_one) and not self.stochastic

    def blocks(self) -> Callable[[Array, int], tuple[Array, Array]]:
        """The function of n states, of shape (n, d), and a seed: n energies and (n, d) gradients of U."""
        evaluate = self._loop() if self._loops else self._whole()

        def block(states: Array, seed: int) -> tuple[Array, Array]:
            energies, gradients = evaluate(states, *([seed] if self.stochastic else []))
            n = len(states)
            energies = numbers(energies, (n,), self.value)
            gradients = numbers(gradients, (n, self.dimension), self.slope)
            return (energies, gradients) if self.sign == 1 else (-energies, -gradients)

        return block

    @property
    def _loops(self) -> bool:
        return not self.batched and not isinstance(self.gradient, str)

    def _whole(self) -> Block:
        """The function that takes all states of a block at once."""
        if self.gradient == "jax":
            return _jax(self.energy, self.batched, self.stochastic)
        if self.gradient == "torch":
            return _torch(self.energy, self.batched)
        return self._pair

    def _loop(self) -> Block:
        """The function that takes the states of a block one by one."""
        shape = (self.dimension,)

        def loop(states: Array, *seed: int) -> tuple[Array, Array]:
            energies, gradients = np.empty(len(states)), np.empty(states.shape)
            for i, state in enumerate(states):
                try:
                    energy, gradient = self._pair(state, *seed)
                    energies[i] = numbers(energy, (), self.value)
                    gradients[i] = numbers(gradient, shape, self.slope)
                except (Exception, SystemExit) as error:
                    raise AtState(error, i) from error
            return energies, gradients

        return loop

    def _pair(self, x: Array, *seed: int) -> tuple[Any, Any]:
        answer = self.energy(x, *seed)
        if callable(self.gradient):
            return answer, self.gradient(x, *seed)
        if not isinstance(answer, tuple) or len(answer) != 2:
            raise AnswerError(self._ways(described(answer)))
        return answer

    def _ways(self, what: str) -> str:
        """What to do where the function returns no gradient."""
        shape = f"n, {self.dimension}" if self.batched else f"{self.dimension},"
        ways = {
            f"return ({self.pair}, gradient)": f"from the function, the gradient of shape ({shape})",
            f"{self.key}=function": "another function that returns the gradient",
            f'{self.key}="jax" or "torch"': "for a function written in jax.numpy or torch, which is differentiated",
        }
        width = max(map(len, ways)) + 3
        told = [f"The {self.slope} is missing: the function returns {what}. Give it in one of three ways:"]
        return "\n".join(told + [f"  {way.ljust(width)}{means}" for way, means in ways.items()])


@dataclass
class Constraint(Density):
    """How the values of a constraint and its gradients come from the user's functions.

    An answer depends on its state alone: without the promise ``lanewise`` states come one by one.
    """

    name: str = ""

    key = "constraint_gradient"
    pair = "value"

    @property
    def value(self) -> str:  # type: ignore[override]
        return self.name if self.name.startswith("constraint ") else f"constraint {self.name}"

    @property
    def slope(self) -> str:  # type: ignore[override]
        return f"gradient of the {self.value}"

    def blocks(self) -> Callable[[Array, int], tuple[Array, Array]]:
        """The function of n states and a seed, which does not matter: n values and (n, d) gradients."""
        block = super().blocks()
        if self.lanewise:
            return block

        def alone(states: Array, seed: int) -> tuple[Array, Array]:
            values, gradients = zip(*(block(states[i : i + 1], seed) for i in range(len(states))), strict=True)
            return np.concatenate(values), np.concatenate(gradients)

        return alone


def known(key: str, gradient: Any) -> None:
    """Raise ValueError if that is no way to give a gradient."""
    if not (gradient is None or callable(gradient) or gradient in ("jax", "torch")):
        raise ValueError(f'{key} is a function, "jax", "torch" or None, not {gradient!r}')


def walls(functions: Any, gradients: Any, form: Mapping[str, Any]) -> list[Constraint]:
    """The constraints by a function or a list, and a gradient or a list, each with a name of its own."""
    functions = [functions] if callable(functions) or isinstance(functions, str) else list(functions)
    if wrong := [function for function in functions if not callable(function)]:
        told = f"constraint is a function or a list of functions, not {wrong[0]!r}"
        raise TypeError(told + (". Inequalities as text are constraints=" if isinstance(wrong[0], str) else ""))
    if gradients is None or isinstance(gradients, str) or callable(gradients):
        gradients = [gradients] * len(functions)
    elif len(gradients) != len(functions):
        raise ValueError(f"constraint_gradient has {len(gradients)} entries for {len(functions)} of constraint")
    found = []
    names = [getattr(function, "__name__", "<lambda>") for function in functions]
    for i, (name, function, gradient) in enumerate(zip(names, functions, gradients, strict=True), 1):
        known("constraint_gradient", gradient)
        unique = name != "<lambda>" and names.count(name) == 1
        found.append(Constraint(function, gradient, name=name if unique else f"constraint {i}", **form))
    return found


def save(path: Path, density: Density, names: list[str]) -> None:
    """Write what `python -m r2sgld._serve` reads."""
    surroundings = {"path": sys.path, "folder": os.getcwd(), "names": names}
    pickled = io.BytesIO()
    _Pickler(pickled).dump(density)
    path.write_bytes(cloudpickle.dumps(surroundings) + pickled.getvalue())


def _code(code: types.CodeType) -> tuple[Any, ...]:
    """What cloudpickle makes of code, with the name of its file, for which it has another word."""
    make, arguments, *rest = cloudpickle.CloudPickler.dispatch_table[types.CodeType](code)
    named = (code.co_filename if isinstance(a, str) and a == "<dynamic-code>" else a for a in arguments)
    return make, tuple(named), *rest


class _Pickler(cloudpickle.CloudPickler):  # type: ignore[misc]
    """Keeps of functions where they stand, for tracebacks."""

    dispatch_table: ClassVar[Any] = ChainMap({types.CodeType: _code}, cloudpickle.CloudPickler.dispatch_table)


def numbers(value: Any, shape: tuple[int, ...], what: str) -> Array:
    """The value as 64-bit numbers of a shape. An array of one entry is as good as a number."""
    try:
        array = np.asarray(value)
    except Exception as error:
        raise AnswerError(f"The {what} is {described(value)}, which is no array of numbers: {error}") from error
    if array.dtype.kind not in "fiu":
        raise AnswerError(f"The {what} is of {array.dtype} numbers: want real numbers, such as float64")
    if array.shape != shape:
        if array.size != 1 or np.prod(shape) != 1:
            raise AnswerError(f"The {what} has the shape {array.shape}: want {shape or 'one number'}")
        array = array.reshape(shape)
    return array.astype(np.float64, copy=False)


def described(value: Any) -> str:
    """The type of a value, with its shape if it has one."""
    shape = getattr(value, "shape", None)
    return type(value).__name__ + (f" of shape {tuple(shape)}" if shape is not None else "")


def _jax(energy: Callable[..., Any], batched: bool, stochastic: bool) -> Block:
    import jax

    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_cpu_enable_async_dispatch", False)  # handing a block to a thread takes longer than most

    def whole(x: Any, *seed: Any) -> tuple[Any, Any]:
        energies, pull = jax.vjp(lambda x: energy(x, *seed), x)
        return energies, pull(jax.numpy.ones_like(energies))[0]

    each = jax.vmap(jax.value_and_grad(energy), in_axes=(0, None) if stochastic else 0)
    compiled = jax.jit(whole if batched else each)

    def block(states: Array, *seed: int) -> tuple[Any, Any]:
        n = len(states)
        size = 1 << (n - 1).bit_length()  # few sizes, since each is compiled
        if size > n:
            states = np.pad(states, ((0, size - n), (0, 0)), mode="edge")
        energies, gradients = compiled(states, *seed)
        return np.asarray(energies)[:n], np.asarray(gradients)[:n]

    return block


def _torch(energy: Callable[..., Any], batched: bool) -> Block:
    import torch

    def block(states: Array, *seed: int) -> tuple[Any, Any]:
        x = torch.from_numpy(states).requires_grad_()
        energies = energy(x, *seed) if batched else torch.stack([energy(state, *seed).reshape(()) for state in x])
        (gradients,) = torch.autograd.grad(energies.sum(), x)
        return energies.detach().numpy(), gradients.numpy()

    return block
