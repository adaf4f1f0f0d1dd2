"""A density given by Python functions, evaluated for blocks of states."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cloudpickle
import numpy as np

from r2sgld._errors import AnswerError

if TYPE_CHECKING:
    Array = np.ndarray[Any, np.dtype[np.float64]]
    Block = Callable[..., tuple[Any, Any]]

WAYS = """The gradient is missing: the function returns {what}. Give it in one of three ways:
  return (energy, gradient)   from the function, the gradient of shape ({shape})
  gradient=function           another function that returns the gradient
  gradient="jax" or "torch"   for a function written in jax.numpy or torch, which is differentiated"""


@dataclass
class Density:
    """How energies U and gradients come from the user's functions.

    ``energy`` takes a state of shape (d,), or with ``batched`` n states of shape (n, d); with
    ``stochastic`` a seed follows. ``gradient`` is another such function, "jax", "torch", or None where
    ``energy`` returns the pair. ``sign`` is -1 where the functions are of log p in place of U. ``lanewise``
    is the user's promise that a state's answer depends on that state alone, to the last bit.
    """

    energy: Callable[..., Any]
    gradient: Callable[..., Any] | str | None
    dimension: int
    batched: bool = False
    stochastic: bool = False
    sign: int = 1
    lanewise: bool = False

    def __post_init__(self) -> None:
        one_by_one = not self.batched and self.gradient != "jax"
        self.lanewise = (self.lanewise or one_by_one) and not self.stochastic

    def blocks(self) -> Callable[[Array, int], tuple[Array, Array]]:
        """The function of n states, of shape (n, d), and a seed: n energies and (n, d) gradients of U."""
        evaluate = self._loop() if self._loops else self._whole()

        def block(states: Array, seed: int) -> tuple[Array, Array]:
            energies, gradients = evaluate(states, *([seed] if self.stochastic else []))
            n = len(states)
            energies = numbers(energies, (n,), "energy")
            gradients = numbers(gradients, (n, self.dimension), "gradient")
            return self.sign * energies, self.sign * gradients

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
                energy, gradient = self._pair(state, *seed)
                energies[i] = numbers(energy, (), "energy")
                gradients[i] = numbers(gradient, shape, "gradient")
            return energies, gradients

        return loop

    def _pair(self, x: Array, *seed: int) -> tuple[Any, Any]:
        answer = self.energy(x, *seed)
        if callable(self.gradient):
            return answer, self.gradient(x, *seed)
        if not isinstance(answer, tuple) or len(answer) != 2:
            shape = f"n, {self.dimension}" if self.batched else f"{self.dimension},"
            raise AnswerError(WAYS.format(what=described(answer), shape=shape))
        return answer


def save(path: Path, density: Density, names: list[str]) -> None:
    """Write what `python -m r2sgld._serve` reads."""
    surroundings = {"path": sys.path, "folder": os.getcwd(), "names": names}
    path.write_bytes(cloudpickle.dumps(surroundings) + cloudpickle.dumps(density))


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

    def whole(x: Any, *seed: Any) -> tuple[Any, Any]:
        energies, pull = jax.vjp(lambda x: energy(x, *seed), x)
        return energies, pull(jax.numpy.ones_like(energies))[0]

    each = jax.vmap(jax.value_and_grad(energy), in_axes=(0, None) if stochastic else 0)
    compiled = jax.jit(whole if batched else each)

    def block(states: Array, *seed: int) -> tuple[Any, Any]:
        n = len(states)
        size = 1 << (n - 1).bit_length()  # few sizes, since each is compiled
        energies, gradients = compiled(np.pad(states, ((0, size - n), (0, 0)), mode="edge"), *seed)
        return energies[:n], gradients[:n]

    return block


def _torch(energy: Callable[..., Any], batched: bool) -> Block:
    import torch

    def block(states: Array, *seed: int) -> tuple[Any, Any]:
        x = torch.from_numpy(states).requires_grad_()
        energies = energy(x, *seed) if batched else torch.stack([energy(state, *seed).reshape(()) for state in x])
        (gradients,) = torch.autograd.grad(energies.sum(), x)
        return energies.detach().numpy(), gradients.numpy()

    return block
