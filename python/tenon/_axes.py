"""Axes of traced values, as NumPy's functions name them: one or several, from the beginning or from the end."""
from __future__ import annotations

import operator
from typing import Any, Sequence, Union

from . import _library as c
from ._errors import UsageError
from ._trace import Value

Axis = Union[None, int, Sequence[int]]


def list_of(numbers: Any) -> list[int]:
    """One whole number, or several."""
    try:
        return [operator.index(numbers)]
    except TypeError:
        pass
    try:
        return [operator.index(n) for n in numbers]
    except TypeError:
        raise TypeError(f"whole numbers are wanted, not {numbers!r}") from None


def axis_of(axis: Any, rank: int) -> int:
    """AXIS of a value of RANK, counted from the beginning."""
    a = operator.index(axis)
    if not -rank <= a < rank:
        raise ValueError(f"axis {a} is out of range for a value of rank {rank}")
    return a % rank


def distinct_axes(axes: Any, rank: int) -> list[int]:
    """The same of AXES, one or several, of which none stands twice."""
    out = [axis_of(a, rank) for a in list_of(axes)]
    if len(set(out)) < len(out):
        raise ValueError(f"an axis stands twice in {axes}")
    return out


def axes_of(axis: Axis) -> c.Ints:
    return c.ALL_AXES if axis is None else c.ints(list_of(axis))


def known_size(x: Value, axis: int) -> int:
    n = x.shape[axis_of(axis, x.ndim)]
    if not isinstance(n, int):
        raise UsageError(f"this needs an axis of a known size, not of the symbolic size {n}")
    return n
