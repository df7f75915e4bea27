"""Positions given by data: arrays of whole numbers that say which elements of a value are taken."""
from __future__ import annotations

import math
from typing import Any, Union

import numpy as np

from . import _library as c
from ._dtypes import DType, dtype, numbers_of
from ._errors import UsageError
from ._trace import Dim, Value, call, cast, constant

Positions = Union[Value, "np.ndarray[Any, Any]"]


def is_positions(k: Any) -> bool:
    return isinstance(k, (Value, np.ndarray, list, range)) or type(k).__name__ == "Tensor"


def type_of_positions(positions: Any) -> DType:
    """The type of POSITIONS, which are whole numbers or truth values."""
    a: Any = positions if isinstance(positions, Value) else numbers_of(positions)
    d = dtype(a.dtype)
    if not d.is_integer and d.name != "i1" and (isinstance(a, Value) or a.size > 0):  # an empty list is of floats
        raise IndexError(f"positions are whole numbers, not {d.name}")
    return d


def from_beginning(k: Any, n: Any, axis: int) -> Positions:
    """K, positions along AXIS of N elements, with negative ones counted from the end as NumPy does. Those known now are
    checked now; the others when the program runs."""
    d = type_of_positions(k)
    if isinstance(k, Value):
        i = k if d.name in ("si32", "si64") and isinstance(n, int) and n < 2 ** 31 else cast(k, "si64")
        return call("select", i < 0, i + n, i) if isinstance(n, int) and d.name.startswith("si") else i
    a = numbers_of(k)
    low, high = (int(a.min()), int(a.max())) if a.size else (0, -1)
    if isinstance(n, Dim):
        if low < 0:
            at: Value = constant(a.astype(np.int64)) + constant((a < 0).astype(np.int64)) * constant(n)
            return at
    elif low < -n or high >= n:
        raise IndexError(f"index {low if low < -n else high} is out of range for axis {axis} with {n} elements")
    a = a.astype(np.int64)
    return np.where(a < 0, a + n, a) if low < 0 else a


def take(x: Value, positions: Any, axis: int) -> Value:
    """The elements of X at POSITIONS, of any shape, along AXIS."""
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f"axis {axis} is out of range for a value of rank {x.ndim}")
    axis %= x.ndim
    i = constant(from_beginning(positions, x.shape[axis], axis))
    if axis == 0:
        return call("take", x, i)
    first = [axis, *(a for a in range(x.ndim) if a != axis)]
    y = call("take", call("transpose", x, c.ints(first)), i)
    # positions.., the axes before AXIS, those behind it
    n = i.ndim
    order = [*range(n, n + axis), *range(n), *range(n + axis, y.ndim)]
    return call("transpose", y, c.ints(order))


def take_many(x: Value, positions: list[Any], axes: list[int], to: int) -> Value:
    """The elements of X whose places along AXES, which rise, are POSITIONS, broadcast to one shape. The axes of that shape
    are those from TO in the result."""
    if len(axes) == 1 and to == axes[0]:
        return take(x, positions[0], axes[0])
    sizes = [x.shape[a] for a in axes]
    known = [n for n in sizes if isinstance(n, int)]
    if len(known) < len(sizes) and len(axes) > 1:
        raise UsageError("several arrays of positions need axes of known sizes")
    at = [from_beginning(k, n, a) for k, n, a in zip(positions, sizes, axes)]
    rest = [a for a in range(x.ndim) if a not in axes]
    y = call("transpose", x, c.ints([*axes, *rest]))
    if len(axes) > 1:
        y = y.reshape((math.prod(known), *(x.shape[a] for a in rest)))
    i = constant(_one_position(at, known))
    y = call("take", y, i)
    n = i.ndim
    order = [*range(n, n + to), *range(n), *range(n + to, y.ndim)]
    return y if order == sorted(order) else call("transpose", y, c.ints(order))


def _one_position(at: list[Positions], sizes: list[int]) -> Positions:
    """One position for each of AT, along axes of SIZES that are one axis now."""
    if len(at) == 1:
        return at[0]
    if not any(isinstance(k, Value) for k in at):
        return np.ravel_multi_index(np.broadcast_arrays(*at), sizes)
    i: Any = 0
    outside: Any = False
    for k, n in zip(at, sizes):
        v = cast(constant(k), "si64")
        i = i * n + v
        if isinstance(k, Value):  # a constant was checked
            wrong = (v < 0) | (v >= n)
            outside = wrong if outside is False else outside | wrong
    return np.where(outside, -1, i)  # -1: the run says that there is no such element
