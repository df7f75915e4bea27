"""NumPy's functions of the diagonals, triangles and norms of matrices."""
from __future__ import annotations

import math
from typing import Any, Callable

import numpy as np

from ._arithmetic import where, zero_like
from ._axes import distinct_axes, known_size
from ._create import iota
from ._errors import UsageError
from ._numpy_elementwise import absolute
from ._numpy_movement import moveaxis, pad, ravel, reshape, squeeze
from ._numpy_reductions import amax, amin, sum_of
from ._trace import Value, call, constant

Ord = Any  # the order of a norm: None, 'fro', a number, inf


def diagonal(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Value:
    y = constant(x)
    if y.ndim < 2:
        raise ValueError(f"a value of rank {y.ndim} has no diagonal")
    y = moveaxis(y, distinct_axes((axis1, axis2), y.ndim), (-2, -1))
    n, m = known_size(y, -2), known_size(y, -1)
    first = offset if offset >= 0 else -offset * m
    count = max(0, min(n, m - offset) if offset >= 0 else min(n + offset, m))
    end = first + (count - 1) * (m + 1) + 1 if count > 0 else first
    out: Value = reshape(y, (*y.shape[:-2], n * m))[..., first:end:m + 1]
    return out


def diag(x: Any, k: int = 0) -> Value:
    y = constant(x)
    if y.ndim == 2:
        return diagonal(y, k)
    if y.ndim != 1:
        raise ValueError(f"np.diag of a value of rank {y.ndim}")
    n = known_size(y, 0) + abs(k)
    row, column = iota((n, n), 0), iota((n, n), 1)
    y = pad(y, (0, abs(k)))
    return where(column - row == k, reshape(y, (n, 1) if k >= 0 else (1, n)), zero_like(y))


def trace(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: None = None) -> Value:
    return sum_of(diagonal(x, offset, axis1, axis2), -1, dtype)


def _triangle(below: bool) -> Callable[..., Value]:
    def function(x: Any, k: int = 0) -> Value:
        y = constant(x)
        if y.ndim < 2:
            raise ValueError(f"a value of rank {y.ndim} has no triangle")
        distance = iota(y.shape[-2:], 1) - iota(y.shape[-2:], 0)
        return where(distance <= k if below else distance >= k, y, zero_like(y))
    return function


tril, triu = _triangle(True), _triangle(False)


def _vector_norm(x: Value, order: Ord, axis: Any, keepdims: bool) -> Value:
    size = absolute(x)
    if order is None or order == 2:
        return call("sqrt", sum_of(size * size, axis, keepdims=keepdims))
    if order in (math.inf, -math.inf):
        return (amax if order > 0 else amin)(size, axis, keepdims=keepdims)
    if order == 0:
        return sum_of(where(size != 0, constant(1, size._known()[0]), 0), axis, keepdims=keepdims)
    if order == 1:
        return sum_of(size, axis, keepdims=keepdims)
    if not isinstance(order, (int, float, np.number)):
        raise ValueError(f"a vector has no norm of order {order!r}")
    out: Value = sum_of(size ** float(order), axis, keepdims=keepdims) ** (1.0 / order)
    return out


def norm(x: Any, ord: Ord = None, axis: Any = None, keepdims: bool = False) -> Value:
    y = constant(x)
    if axis is None and (ord is None or y.ndim == 1):
        flat = _vector_norm(ravel(y), ord, 0, False)
        return reshape(flat, (1,) * y.ndim) if keepdims else flat
    axes = tuple(range(y.ndim)) if axis is None else tuple(distinct_axes(axis, y.ndim))
    if len(axes) == 1:
        return _vector_norm(y, ord, axes[0], keepdims)
    if len(axes) != 2:
        raise ValueError("a norm is one of vectors or of matrices")
    if ord in (None, "fro"):
        return _vector_norm(y, None, axes, keepdims)
    if ord not in (1, -1, math.inf, -math.inf):
        raise UsageError(f"np.linalg.norm of order {ord!r} has no counterpart for matrices")
    summed, left = axes if abs(ord) == 1 else axes[::-1]
    sums = sum_of(absolute(y), summed, keepdims=True)
    out = (amax if ord > 0 else amin)(sums, left, keepdims=True)
    return out if keepdims else squeeze(out, axes)


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.diagonal: diagonal, np.diag: diag, np.trace: trace, np.tril: tril, np.triu: triu, np.linalg.norm: norm,
}
