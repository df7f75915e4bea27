"""Indexing of traced values, as NumPy does: numbers, slices, new axes, and positions given by data."""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from . import _library as c
from ._errors import UsageError
from ._positions import is_positions, take, take_many, type_of_positions
from ._trace import Dim, Value, are_same, call

_END = 2 ** 63 - 1


def _part(k: Any) -> Any:
    """A part of a key: what is no slice and no array is a whole number."""
    if isinstance(k, slice):
        if any(isinstance(n, Value) for n in (k.start, k.stop, k.step)):
            raise TypeError("a slice has bounds that are known when the function is traced, or are arguments that static= names; "
                            "tenon.dynamic_slice takes a window of a known size at a traced position")
        return slice(*(n if n is None else operator.index(n) for n in (k.start, k.stop, k.step)))
    if k is None or k is Ellipsis:
        return k
    k = list(k) if isinstance(k, tuple) else k  # inside of a key that is one
    if isinstance(k, (bool, np.bool_)) or isinstance(k, Value) and k.dtype == "i1":
        raise UsageError("truth values give results whose size depends on the data; np.where keeps the size")
    if is_positions(k):
        return np.asarray(k, np.bool_) if type_of_positions(k).name == "i1" else k
    try:
        return operator.index(k)
    except TypeError:
        raise IndexError(f"{k!r} is no index: whole numbers, slices, None, ... and arrays of positions are") from None


def _is_mask(k: Any) -> bool:
    return isinstance(k, np.ndarray) and k.dtype == np.bool_


def _without_masks(x: Value, parts: list[Any]) -> list[Any]:
    """PARTS with the positions of what is true in the place of truth values, which are known now."""
    def width(k: Any) -> int:  # the axes that it takes
        return 0 if k is None or k is Ellipsis else int(k.ndim) if _is_mask(k) else 1
    out: list[Any] = []
    for i, k in enumerate(parts):
        if not _is_mask(k):
            out.append(k)
            continue
        after = any(e is Ellipsis for e in parts[:i])
        axis = x.ndim - sum(map(width, parts[i:])) if after else sum(map(width, parts[:i]))
        if k.ndim == 0 or not are_same(x.shape[axis:axis + k.ndim], k.shape):
            raise IndexError(f"truth values of shape {k.shape} for axes of extents {tuple(x.shape[axis:axis + k.ndim])}")
        out += k.nonzero()
    return out


def get_item(x: Value, key: Any) -> Value:
    """x[key]."""
    parts = _without_masks(x, [_part(k) for k in (key if isinstance(key, tuple) else (key,))])
    if sum(k is Ellipsis for k in parts) > 1:
        raise IndexError("an index has one '...' at most")
    taken = sum(k is not None and k is not Ellipsis for k in parts)
    if taken > x.ndim:
        raise IndexError(f"{taken} indices for a value of rank {x.ndim}")
    if Ellipsis not in [k for k in parts if not is_positions(k)]:
        parts.append(Ellipsis)
    apart = _are_apart(parts)
    at = next(i for i, k in enumerate(parts) if k is Ellipsis)
    parts[at:at + 1] = [slice(None)] * (x.ndim - taken)
    x = _open_axes(x, parts)
    starts: list[int] = []
    ends: list[int] = []
    steps: list[int] = []
    dropped: list[int] = []
    added: list[int] = []
    positions: list[Any] = []
    axes: list[int] = []  # of the result, one for each of POSITIONS
    out = 0  # the axis of the result
    for k in parts:
        if k is None:
            added.append(out)
            out += 1
            continue
        axis = len(starts)
        if is_positions(k):
            positions.append(k)
            axes.append(out)
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
    return take_many(y, positions, axes, 0 if apart else axes[0]) if positions else y


def _are_apart(parts: list[Any]) -> bool:
    """Does anything stand between the arrays and numbers of a key? Then NumPy puts their axes first. Numbers alone have none."""
    at = [i for i, k in enumerate(parts) if k is not None and k is not Ellipsis and not isinstance(k, slice)]
    return len(at) > 0 and at[-1] - at[0] >= len(at)


def _open_axes(x: Value, parts: list[Any]) -> Value:
    """Take what PARTS want of axes of symbolic sizes, and leave in PARTS what is to be done then."""
    axis = 0
    left: list[Any] = []
    for k in parts:
        n = None if k is None else x.shape[axis]
        if not isinstance(n, Dim) or is_positions(k) or k == slice(None):
            left.append(k)
        elif not isinstance(k, slice):
            x = take(x, np.array(k, np.int64), axis)
            continue
        elif k == slice(None, None, -1):
            x = call("reverse", x, c.ints([axis]))
            left.append(slice(None))
        else:
            x = take(x, np.array(_wanted(k, n), np.int64), axis)
            left.append(slice(None))
        axis += k is not None
    parts[:] = left
    return x


def _wanted(k: slice, n: Dim) -> range:
    """The positions that K takes of an axis of the size N; negative ones count from its end."""
    step = 1 if k.step is None else k.step
    start = 0 if k.start is None else k.start
    stop = 0 if k.stop is None and start < 0 else k.stop  # the end, counted from there
    if step < 1 or stop is None or start >= 0 > stop or start < 0 < stop:
        raise UsageError(f"of an axis of the symbolic size {n} a slice can only take a known number of elements, from its beginning or its end on, "
                         "or all, also backwards")
    return range(start, stop, step)


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
    begin, end = 0, _END  # of a symbolic axis, all
    if not isinstance(n, Dim):
        begin, end, step = k.indices(n)
        end = _END if (begin, end, step) == (0, n, 1) else end
        if step < 0 and end < 0:
            end = -n - 1  # before the first
    _add((begin, end, step), starts, ends, steps)
