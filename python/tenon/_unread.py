"""Models that cannot be read before the sizes of their inputs are known."""
from __future__ import annotations

from html import escape
from typing import Any, Callable, Mapping

import numpy as np

from ._dtypes import plain_array
from ._errors import Rejected
from ._program import MOST_OTHERS, Bound, Program
from ._tensor import Tensor

# A program, and which of the inputs that it was made for are none of its own.
Made = Callable[[Mapping[str, Any]], "tuple[Program, frozenset[str]]"]


def _array(x: Any) -> Any:
    return x._array if isinstance(x, Tensor) else plain_array(x)


class Unread(Program):
    """A model that was REFUSED because sizes are open: it is read, and compiled, for the inputs of a run, once for each
    set of shapes. Before there is nothing to ask: that raises what refused it."""

    def __init__(self, refused: Rejected, made: Made) -> None:
        self._refused = refused
        self._made = made
        self._programs: list[tuple[Any, dict[str, bytes], Program]] = []

    def __getattr__(self, name: str) -> Any:
        """What a program has, and this does not yet."""
        if name.startswith("__"):
            raise AttributeError(name)
        raise self._refused

    def __del__(self) -> None:
        """There is nothing to free."""

    def __repr__(self) -> str:
        return "<Program of a model that is read for the inputs of each call>"

    def _repr_html_(self) -> str:
        return f"<code>{escape(repr(self))}</code>"

    def _for(self, given: Mapping[str, Any]) -> tuple[Program, dict[str, Any]]:
        """The program for inputs GIVEN by name or position, and those that it takes."""
        arrays = {name: _array(x) for name, x in given.items()}
        shapes = {name: np.shape(a) for name, a in arrays.items()}
        for key, known, program in self._programs:
            if key == shapes and all(arrays[name].tobytes() == x for name, x in known.items()):
                break
        else:
            program, taken = self._made(given)
            known = {name: arrays[name].tobytes() for name in taken}
            self._programs = [(shapes, known, program), *self._programs[:MOST_OTHERS - 1]]
        return program, {name: x for name, x in given.items() if name not in known}

    def _split(self, args: tuple[Any, ...], named: Mapping[str, Any]) -> tuple[Program, list[Any], dict[str, Any]]:
        program, rest = self._for({str(i): x for i, x in enumerate(args)} | {**named})
        by_position = [rest.pop(str(i)) for i in range(len(args)) if str(i) in rest]
        return program, by_position, rest

    def __call__(self, /, *args: Any, **named: Any) -> Any:
        program, first, rest = self._split(args, named)
        return program(*first, **rest)

    def run(self, inputs: Mapping[str, Any], **options: Any) -> dict[str, Any]:
        program, rest = self._for(inputs)
        return program.run(rest, **options)

    def bind(self, /, *args: Any, out: Any = None, **named: Any) -> Bound:
        program, first, rest = self._split(args, named)
        return program.bind(*first, out=out, **rest)
