"""Indexing of traced values: numbers, slices, new axes, and positions given by data."""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from . import _library as c
from ._dtypes import BY_NAME, DType, dtype, numbers_of
from ._errors import UsageError
from ._trace import Dim, Value, call, constant

_END = 2 ** 63 - 1


def _is_positions(k: Any) -> bool:
    return isinstance(k, (Value, np.ndarray, list)) or type(k).__name__ == "Tensor"


def _part(k: Any) -> Any:
    """A part of a key: what is no slice and no array is a whole number."""
    if k is None or k is Ellipsis or isinstance(k, slice):
        return k
    if isinstance(k, (bool, np.bool_)) or _is_positions(k) and _type_of(k).name == "i1":
        raise UsageError("truth values give results whose size depends on the data; np.where keeps the size")
    if _is_positions(k):
        return k
    try:
        return operator.index(k)
    except TypeError:
        raise IndexError(f"{k!r} is no index: whole numbers, slices, None, ... and arrays of positions are") from None


def _type_of(positions: Any) -> DType:
    """The type of POSITIONS, which are whole numbers or truth values."""
    a: Any = positions if isinstance(positions, Value) else numbers_of(positions)
    d = dtype(a.dtype)
    if not d.is_integer and d.name != "i1" and (isinstance(a, Value) or a.size > 0):  # an empty list is of floats
        raise IndexError(f"positions are whole numbers, not {d.name}")
    return d


def get_item(x: Value, key: Any) -> Value:
    """x[key], where at most one part of the key is an array of positions."""
    parts = [_part(k) for k in (key if isinstance(key, tuple) else (key,))]
    if sum(k is Ellipsis for k in parts) > 1:
        raise IndexError("an index has one '...' at most")
    taken = sum(k is not None and k is not Ellipsis for k in parts)
    if taken > x.ndim:
        raise IndexError(f"{taken} indices for a value of rank {x.ndim}")
    if Ellipsis not in [k for k in parts if not _is_positions(k)]:
        parts.append(Ellipsis)
    at = next(i for i, k in enumerate(parts) if k is Ellipsis)
    parts[at:at + 1] = [slice(None)] * (x.ndim - taken)
    x = _open_axes(x, parts)
    starts: list[int] = []
    ends: list[int] = []
    steps: list[int] = []
    dropped: list[int] = []
    added: list[int] = []
    positions: Any = None
    out = 0  # the axis of the result
    for k in parts:
        if k is None:
            added.append(out)
            out += 1
            continue
        axis = len(starts)
        if _is_positions(k):
            if positions is not None:
                raise UsageError("at most one index may be an array; take them one after the other")
            positions = (out, k)
            _add((0, _END, 1), starts, ends, steps)
            out += 1
        elif isinstance(k, slice):
            _add_slice(k, x.shape[axis], starts, ends, steps)
            out += 1
        else:
            i, n = k, x.shape[axis]
            if isinstance(n, int) and not -n <= i < n:
                raise IndexError(f"index {i} is out of range for axis {axis} with {n} elements")
            _add((i, i + 1 if i != -1 else _END, 1), starts, ends, steps)
            dropped.append(axis)
    y = x
    if (starts, ends, steps) != ([0] * x.ndim, [_END] * x.ndim, [1] * x.ndim):
        y = _slice(y, starts, ends, steps)
    if dropped:
        y = call("squeeze", y, c.ints(dropped))
    if added:
        y = call("expand_dims", y, c.ints(added))
    return y if positions is None else take(y, positions[1], positions[0])


def _open_axes(x: Value, parts: list[Any]) -> Value:
    """Take what PARTS want of axes of open sizes, and write in PARTS what is left to do."""
    axis = 0
    for i, k in enumerate(parts):
        if k is None:
            continue
        n = x.shape[axis]
        if isinstance(n, Dim) and not _is_positions(k) and k != slice(None):
            first = k if not isinstance(k, slice) else 0
            wanted = [k] if not isinstance(k, slice) else list(range(k.stop or 0))[k]
            if first < 0 or isinstance(k, slice) and (k.stop is None or k.stop < 0 or (k.start or 0) < 0 or
                                                      (k.step or 1) < 0):
                raise UsageError(f"of an axis of the open size {n} only elements counted from its beginning can be taken")
            x = take(x, np.array(wanted, np.int64), axis)
            parts[i] = slice(None) if isinstance(k, slice) else 0
        axis += 1
    return x


def _slice(x: Value, starts: list[int], ends: list[int], steps: list[int]) -> Value:
    if not any(isinstance(n, Dim) for n in x.shape):
        return call("slice_steps", x, c.ints(starts), c.ints(ends), c.ints(steps))
    for axis, (n, start, end, step) in enumerate(zip(x.shape, starts, ends, steps)):
        if isinstance(n, Dim) or (start, end, step) == (0, _END, 1):
            continue
        which = range(n)[start:None if end == _END or end < -n else end:step]
        if step == 1:
            x = call("slice_axis", x, axis, which.start, len(which))
        else:
            x = take(x, np.array(which, np.int64), axis)
    return x


def _add(entry: tuple[int, int, int], *lists: list[int]) -> None:
    for x, to in zip(entry, lists):
        to.append(int(x))


def _add_slice(k: slice, n: Any, starts: list[int], ends: list[int], steps: list[int]) -> None:
    step = 1 if k.step is None else int(k.step)
    begin, end = 0, _END  # of an open axis, all
    if not isinstance(n, Dim):
        begin, end, step = k.indices(n)
        if step < 0 and end < 0:
            end = -n - 1  # before the first
    _add((begin, end, step), starts, ends, steps)


def take(x: Value, positions: Any, axis: int) -> Value:
    """The elements of X at POSITIONS, of any shape, along AXIS."""
    _type_of(positions)
    i = positions if isinstance(positions, Value) else constant(numbers_of(positions).astype(np.int64))
    if i.dtype not in ("si32", "si64"):
        i = call("cast", i, BY_NAME["si64"].code)
    axis %= x.ndim
    if axis == 0:
        return call("take", x, i)
    first = [axis, *(a for a in range(x.ndim) if a != axis)]
    y = call("take", call("transpose", x, c.ints(first)), i)
    # positions.., the axes before AXIS, those behind it
    n = i.ndim
    order = [*range(n, n + axis), *range(n), *range(n + axis, y.ndim)]
    return call("transpose", y, c.ints(order))
