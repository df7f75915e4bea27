"""NumPy's functions that move elements."""
from __future__ import annotations

from typing import Any, Callable, Optional

import numpy as np

from . import _library as c
from ._axes import Axis, axes_of, axis_of, distinct_axes, known_size, list_of
from ._create import element_of
from ._errors import UsageError
from ._positions import from_beginning, take as take_axis
from ._trace import Value, call, cast, constant, current, is_same


def reshape(x: Any, shape: Any, order: str = "C") -> Value:
    if order not in ("C", "F"):
        raise UsageError(f"order='{order}' has no counterpart for values, which have no order in memory: 'C' and 'F' have")
    if order == "F":
        return transpose(reshape(transpose(x), shape[::-1] if isinstance(shape, (tuple, list)) else shape))
    return call("reshape", constant(x), current().shape(shape))


def reshape_method(x: Value, *shape: Any, order: str = "C") -> Value:
    return reshape(x, shape[0] if len(shape) == 1 else shape, order)


def ravel(x: Any, order: str = "C") -> Value:
    return reshape(x, (-1,), "C" if order in ("A", "K") else order)  # values are as arrays of order C


def transpose(x: Any, axes: Any = None) -> Value:
    y = constant(x)
    return call("transpose", y, c.ints(range(y.ndim)[::-1] if axes is None else distinct_axes(axes, y.ndim)))


def transpose_method(x: Value, *axes: Any) -> Value:
    return transpose(x, axes[0] if len(axes) == 1 else axes or None)


def swapaxes(x: Any, a: int, b: int) -> Value:
    y = constant(x)
    order = list(range(y.ndim))
    a, b = axis_of(a, y.ndim), axis_of(b, y.ndim)
    order[a], order[b] = order[b], order[a]
    return transpose(y, order)


def moveaxis(x: Any, source: Any, destination: Any) -> Value:
    y = constant(x)
    source, destination = distinct_axes(source, y.ndim), distinct_axes(destination, y.ndim)
    if len(source) != len(destination):
        raise ValueError(f"{len(source)} axes are moved to {len(destination)} places")
    order = [a for a in range(y.ndim) if a not in source]
    for to, a in sorted(zip(destination, source)):
        order.insert(to, a)
    return transpose(y, order)


def expand_dims(x: Any, axis: Any) -> Value:
    y = constant(x)
    axes = list_of(axis)
    return call("expand_dims", y, c.ints(distinct_axes(axes, y.ndim + len(axes))))


def squeeze(x: Any, axis: Axis = None) -> Value:
    y = constant(x)
    if axis is None:
        axis = [a for a in range(y.ndim) if known_size(y, a) == 1]
    return call("squeeze", y, axes_of(axis))


def broadcast_to(x: Any, shape: Any, subok: bool = False) -> Value:
    return call("broadcast", constant(x), current().shape(shape))


def pad(x: Any, width: Any, mode: str = "constant", constant_values: float = 0) -> Value:
    y = constant(x)
    pairs = np.broadcast_to(np.asarray(width), (y.ndim, 2)).tolist()
    if mode != "constant":
        return _pad_with_own(y, pairs, mode)
    d = y._known()[0]
    around = c.ints(p[0] for p in pairs), c.ints(p[1] for p in pairs), c.ints([0] * y.ndim)
    element = element_of(constant_values, d)
    if isinstance(element, float):
        return call("pad", y, *around, element)
    return call("pad_exact", y, *around, element.__array_interface__["data"][0])


def _pad_with_own(x: Value, pairs: list[list[int]], mode: str) -> Value:
    """X with its own elements around it."""
    if mode not in ("edge", "reflect", "symmetric", "wrap"):
        raise UsageError(f"np.pad of mode '{mode}': 'constant', 'edge', 'reflect', 'symmetric' and 'wrap' have counterparts")
    for axis, pair in enumerate(pairs):
        if pair != [0, 0]:
            x = take_axis(x, np.pad(np.arange(known_size(x, axis)), pair, mode), axis)  # type: ignore[call-overload]
    return x


def take(x: Any, indices: Any, axis: Optional[int] = None, out: None = None, mode: str = "raise") -> Value:
    y = constant(x)
    if axis is None:
        y, axis = ravel(y), 0
    if mode != "raise":
        indices = _inside(indices, known_size(y, axis), mode)
    return take_axis(y, indices, axis)


def _inside(indices: Any, n: int, mode: str) -> Any:
    """INDICES moved into 0 .. N - 1."""
    if mode not in ("clip", "wrap"):
        raise ValueError(f"np.take of mode '{mode}': 'raise', 'wrap' and 'clip' are modes")
    i: Any = cast(indices, "si64") if isinstance(indices, Value) else np.asarray(indices, np.int64)
    return np.clip(i, 0, n - 1) if mode == "clip" else i % n


def take_along_axis(x: Any, indices: Any, axis: Optional[int]) -> Value:
    y = constant(x)
    if axis is None:
        y, axis = ravel(y), 0
    axis = axis_of(axis, y.ndim)
    i = constant(from_beginning(indices, y.shape[axis], axis))
    if i.ndim != y.ndim:
        raise ValueError(f"positions of rank {i.ndim} along an axis of a value of rank {y.ndim}")
    both = [n if is_same(m, 1) else m for n, m in zip(y.shape, i.shape)]  # but for AXIS, they are broadcast
    y = broadcast_to(y, [*both[:axis], y.shape[axis], *both[axis + 1:]])
    return call("gather", y, broadcast_to(i, [*both[:axis], i.shape[axis], *both[axis + 1:]]), axis)


def atleast(n: int) -> Callable[..., Any]:
    """np.atleast_1d and so on; of several values a list."""
    def one(x: Any) -> Value:
        y = constant(x)
        if y.ndim >= n:
            return y
        if n == 3:  # the axes of a matrix come first, that of a vector is in the middle
            return reshape(y, [(1, 1, 1), (1, *y.shape, 1), (*y.shape, 1)][y.ndim])
        return reshape(y, (1,) * (n - y.ndim) + y.shape)
    return lambda *xs: one(xs[0]) if len(xs) == 1 else [one(x) for x in xs]


def broadcast_shape(*shapes: tuple[Any, ...]) -> tuple[Any, ...]:
    """The shape that all have together. An extent that is not known fits itself and 1."""
    rank = max(map(len, shapes), default=0)
    out = []
    for axis in range(-rank, 0):
        wide = {s[axis] for s in shapes if len(s) >= -axis and not is_same(s[axis], 1)}
        if len(wide) > 1:
            raise ValueError(f"extents {', '.join(sorted(map(str, wide)))} do not fit each other")
        out.append(wide.pop() if wide else 1)
    return tuple(out)


def broadcast_arrays(*xs: Any, subok: bool = False) -> list[Value]:
    vs = [constant(x) for x in xs]
    shape = broadcast_shape(*(v.shape for v in vs))
    return [broadcast_to(v, shape) for v in vs]


def meshgrid(*xs: Any, indexing: str = "xy", sparse: bool = False, copy: bool = True) -> list[Value]:
    if indexing not in ("xy", "ij"):
        raise ValueError(f"indexing is {indexing!r}, and must be 'xy' or 'ij'")
    vs = [ravel(constant(x)) for x in xs]
    order = list(range(len(vs)))
    if indexing == "xy" and len(vs) > 1:
        order[:2] = [1, 0]
    own = [reshape(v, [-1 if a == order[k] else 1 for a in range(len(vs))]) for k, v in enumerate(vs)]
    return own if sparse else broadcast_arrays(*own)


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.reshape: reshape, np.ravel: ravel, np.transpose: transpose, np.swapaxes: swapaxes, np.moveaxis: moveaxis,
    np.expand_dims: expand_dims, np.squeeze: squeeze, np.broadcast_to: broadcast_to, np.pad: pad, np.take: take,
    np.take_along_axis: take_along_axis, np.broadcast_arrays: broadcast_arrays, np.meshgrid: meshgrid,
    np.atleast_1d: atleast(1), np.atleast_2d: atleast(2), np.atleast_3d: atleast(3),
}
