"""NumPy's functions of values along a line: of curves that are given by points, and of signals."""
from __future__ import annotations

import math
import operator
from typing import Any, Callable

import numpy as np

from . import _library as c
from ._arithmetic import divide, where as where_of
from ._axes import axis_of, known_size, list_of
from ._create import iota
from ._errors import UsageError
from ._numpy_elementwise import conjugate, isnan
from ._numpy_movement import broadcast_arrays, moveaxis, pad, reshape
from ._numpy_parts import concatenate, flip
from ._numpy_reductions import sum_of
from ._numpy_statistics import diff
from ._positions import take as take_axis
from ._trace import Value, call, cast, constant, is_weak, operands


def _line(x: Any, name: str) -> Value:
    y = constant(x)
    if y.ndim != 1:
        raise ValueError(f"{name} is a line of numbers, not a value of rank {y.ndim}")
    return y


_FEW = 28  # elements, all of which are compared in less time than a search takes


def searchsorted(a: Any, v: Any, side: str = "left", sorter: None = None) -> Value:
    """How many elements of A stand before V: all are compared, or halves of what is left where there are many. NaN stands
    behind numbers."""
    if side not in ("left", "right") or sorter is not None:
        raise UsageError("np.searchsorted has a counterpart with side= left or right, without sorter=")
    x, y = operands(_line(a, "what is searched"), v)

    def before(x: Value, y: Value) -> Value:
        found: Value = (x <= y) | isnan(y) if side == "right" else (x < y) | isnan(y) & ~isnan(x)
        return found
    n = x.shape[0]
    if not isinstance(n, int) or n <= _FEW:
        return sum_of(before(x, reshape(y, (*y.shape, 1))), -1, dtype="si64")
    at = cast(before(call("take", x, constant(np.int32(n // 2 - 1))), y), "si32") * np.int32(n // 2)
    n -= n // 2
    while n > 0:
        half = max(n // 2, 1)
        at = at + cast(before(call("take", x, at + np.int32(half - 1)), y), "si32") * np.int32(half)
        n -= half
    return cast(at, "si64")


def digitize(x: Any, bins: Any, right: bool = False) -> Value:
    """The number of the interval between BINS that holds each element: which way they go is known when this is traced."""
    if isinstance(bins, Value):
        raise UsageError("np.digitize has a counterpart for bins that are known when the function is traced; np.searchsorted takes others")
    b, y = np.asarray(bins), constant(x)
    if b.ndim != 1 or not (np.all(b[1:] >= b[:-1]) or np.all(b[1:] <= b[:-1])):
        raise ValueError("bins go one way along one axis")
    d = y._known()[0]
    edges = b.astype(d.storage) if d.is_float else b
    side = "left" if right else "right"
    if np.all(edges[1:] >= edges[:-1]):
        return searchsorted(edges, y, side)
    out: Value = len(edges) - searchsorted(edges[::-1], y, side)
    return out


def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: None = None) -> Value:
    """On the lines between the points (XP, FP), of which XP ascends."""
    if period is not None:
        raise UsageError("np.interp has a counterpart without period=")
    y, at, height = operands(x, xp, fp)
    at, height = _line(at, "xp"), _line(height, "fp")
    n = known_size(at, 0)
    if n == 0 or known_size(height, 0) != n:
        raise ValueError("xp and fp have as many elements, and at least one")
    inside: Value = height[0]
    if n > 1:
        k = np.clip(searchsorted(at, y, "right") - 1, 0, n - 2)
        low, high, begin, end = (call("take", v, i, 0) for v, i in ((at, k), (at, k + 1), (height, k), (height, k + 1)))
        inside = divide(end - begin, high - low) * (y - low) + begin
    inside = where_of(y == at[n - 1], height[n - 1], inside)
    inside = where_of(y > at[n - 1], height[n - 1] if right is None else right, inside)
    return where_of(y < at[0], height[0] if left is None else left, inside)


def _all_overlaps(a: Value, v: Value) -> Value:
    """The sums of products of A with V, the elements of V in the opposite order, for each way in which they overlap."""
    n = known_size(v, 0)
    wide = pad(a, n - 1)
    if not a._known()[0].is_float:
        rows = np.arange(known_size(a, 0) + n - 1)[:, None] + np.arange(n)
        out: Value = np.matmul(wide[rows], flip(v))
        return out
    image, window = reshape(wide, (1, 1, -1, 1)), reshape(flip(v), (1, n, 1, 1))
    return reshape(call("nn_conv2d", image, window, c.NO_VALUE, None), (-1,))


def _part(whole: Value, n: int, m: int, mode: str, first: int) -> Value:
    """Of all overlaps of N elements with M those that MODE names; FIRST of them precede `same`."""
    if mode == "full":
        return whole
    if mode == "same":
        return whole[first:first + max(n, m)]
    if mode == "valid":
        return whole[min(n, m) - 1:max(n, m)]
    raise ValueError(f"mode '{mode}': 'full', 'same' and 'valid' are modes")


def convolve(a: Any, v: Any, mode: str = "full") -> Value:
    x, y = operands(_line(a, "a signal"), _line(v, "a signal"))
    n, m = known_size(x, 0), known_size(y, 0)
    if n == 0 or m == 0:
        raise ValueError("a signal of no elements")
    return _part(_all_overlaps(x, y), n, m, mode, (min(n, m) - 1) // 2)


def correlate(a: Any, v: Any, mode: str = "valid") -> Value:
    x, y = operands(_line(a, "a signal"), _line(v, "a signal"))
    n, m = known_size(x, 0), known_size(y, 0)
    if n == 0 or m == 0:
        raise ValueError("a signal of no elements")
    return _part(_all_overlaps(x, flip(conjugate(y))), n, m, mode, (m - 1) // 2 if n >= m else n // 2)


def trapz(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Value:
    """The area below the lines between points."""
    v = constant(y)
    axis = axis_of(axis, v.ndim)
    width: Any = dx
    if x is not None:
        width = diff(x, axis=axis if constant(x).ndim > 1 else 0)
        if width.ndim == 1:
            width = reshape(width, [-1 if a == axis else 1 for a in range(v.ndim)])
    n = known_size(v, axis)
    rest = max(0, n - 1)
    later, earlier = call("slice_axis", v, axis, n - rest, rest), call("slice_axis", v, axis, 0, rest)
    return sum_of(divide(width * (later + earlier), 2.0), axis)


def _gradient_along(y: Value, step: Any, axis: int) -> Value:
    n = known_size(y, axis)
    if n < 2:
        raise ValueError(f"a gradient along an axis of {n} elements: two are needed")

    def part(first: int, count: int) -> Value:
        return call("slice_axis", y, axis, first, count)
    ends = [divide(part(i + 1, 1) - part(i, 1), step) for i in (0, n - 2)]
    between = [divide(part(2, n - 2) - part(0, n - 2), 2.0 * step)] if n > 2 else []
    return concatenate([ends[0], *between, ends[1]], axis)


def gradient(f: Any, *steps: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Differences of neighbours, by STEPS that are one number for all axes or one for each."""
    y = constant(f)
    axes = list(range(y.ndim)) if axis is None else [axis_of(a, y.ndim) for a in (axis if isinstance(axis, tuple) else (axis,))]
    steps = steps * len(axes) if len(steps) == 1 else steps or (1.0,) * len(axes)
    if edge_order != 1 or len(steps) != len(axes) or not all(is_weak(s) or isinstance(s, Value) and s.ndim == 0 for s in steps):
        raise UsageError("np.gradient has a counterpart with edge_order=1 and steps that are one number for each axis")
    out = [_gradient_along(y, s, a) for s, a in zip(steps, axes)]
    return out[0] if len(axes) == 1 else out


def sliding_window_view(x: Any, window_shape: Any, axis: Any = None, *, subok: bool = False, writeable: bool = False) -> Value:
    """The windows as copies, behind the axes that they slide along."""
    y = constant(x)
    sizes = list_of(window_shape)
    axes = list(range(y.ndim)) if axis is None else [axis_of(a, y.ndim) for a in list_of(axis)]
    if len(sizes) != len(axes):
        raise ValueError(f"windows of {len(sizes)} extents along {len(axes)} axes")
    for a, m in zip(axes, sizes):
        n = known_size(y, a)
        if not 0 <= m <= n:
            raise ValueError(f"windows of {m} of {n} elements")
        y = moveaxis(take_axis(y, np.arange(n - m + 1)[:, None] + np.arange(m), a), a + 1, -1)
    return y


def linspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False, dtype: Any = None,
             axis: int = 0) -> Any:
    """NUM numbers from START on, in equal steps: up to STOP, or with ENDPOINT to it."""
    first, last = broadcast_arrays(*operands(start, stop))
    n, steps = operator.index(num), operator.index(num) - bool(endpoint)
    if n < 0:
        raise ValueError(f"np.linspace of {n} numbers")
    step = divide(last - first, float(steps)) if steps > 0 else last * math.nan
    k = iota((n, *[1] * first.ndim), 0, first.dtype)
    y = k * step + first if steps > 0 else k + first
    if endpoint and n > 1:
        y = concatenate([y[:-1], reshape(last, (1, *last.shape))])
    y = moveaxis(y if dtype is None else cast(y, dtype), 0, axis)
    return (y, step) if retstep else y


def unravel_index(indices: Any, shape: Any, order: str = "C") -> tuple[Value, ...]:
    """The coordinates of the elements of an array of SHAPE that stand at INDICES when it is flat."""
    if order != "C":
        raise UsageError("np.unravel_index has a counterpart of order='C'")
    rest = cast(constant(indices), "si64")
    out = []
    for n in reversed(list_of(shape)):
        out.append(rest % n)
        rest = rest // n
    return tuple(out[::-1])


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.linspace: linspace, np.unravel_index: unravel_index,
    np.lib.stride_tricks.sliding_window_view: sliding_window_view,
    np.searchsorted: searchsorted, np.digitize: digitize, np.interp: interp, np.convolve: convolve, np.correlate: correlate,
    np.gradient: gradient, getattr(np, "trapezoid", None) or getattr(np, "trapz"): trapz,
}
