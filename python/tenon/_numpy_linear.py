"""NumPy's functions of square matrices: systems of equations, inverses, determinants and Cholesky factors.

Each is a loop over columns, of all matrices at once. What NumPy raises LinAlgError for gives numbers that are not finite.
"""
from __future__ import annotations

import math
from typing import Any, Callable

import numpy as np

from ._arithmetic import where
from ._axes import known_size
from ._control import fori_loop
from ._create import full, iota
from ._errors import UsageError
from ._numpy_elementwise import absolute, isnan
from ._numpy_movement import broadcast_shape, broadcast_to, expand_dims, squeeze, take_along_axis
from ._numpy_parts import concatenate
from ._numpy_reductions import argmax
from ._positions import take
from ._trace import Value, constant, operands


def _square(x: Any, name: str, takes_complex: bool = True) -> tuple[Value, int]:
    """X, one matrix or several, and how many rows each has."""
    y = constant(x)
    d = y._known()[0]
    if y.ndim < 2 or known_size(y, -1) != known_size(y, -2):
        raise ValueError(f"np.linalg.{name} of shape {y.shape}: the last two axes are those of square matrices")
    if d.name not in ("f32", "f64") and not (takes_complex and d.is_complex):
        raise TypeError(f"np.linalg.{name} of {d}: astype('f32') and astype('f64') make numbers that it takes")
    return y, known_size(y, -1)


def _column(m: Value, k: Any) -> Value:
    return expand_dims(take(m, k, -1), -1)


def _row(m: Value, k: Any) -> Value:
    return expand_dims(take(m, k, -2), -2)


def _with_pivot(m: Value, k: Any, n: int) -> tuple[Value, Value, Value]:
    """M whose row K of N is exchanged with the one, from it on, that has the largest element in column K; that row, and
    whether it is another."""
    rows, size = iota((n, 1), 0, "si64"), absolute(_column(m, k))
    size = where(isnan(size), math.inf, size)  # which argmax passes over
    found = argmax(where(rows >= k, size, -1), -2, keepdims=True)
    pivot = take_along_axis(m, found, -2)
    return where(rows == k, pivot, where(rows == found, _row(m, k), m)), pivot, found != k


def _for_columns(n: int, body: Callable[[Value, Any], Any], state: Any) -> Any:
    """STATE after BODY of each of N columns."""
    return fori_loop(np.int64(0), n, body, state) if n else state


def _solved(x: Value, y: Value, n: int) -> Value:
    """What the matrices X of N rows make Y of: by elimination of Gauss and Jordan, with row pivots."""
    lead = broadcast_shape(x.shape[:-2], y.shape[:-2])
    m = concatenate([broadcast_to(v, (*lead, *v.shape[-2:])) for v in (x, y)], -1)
    rows = iota((n, 1), 0, "si64")

    def eliminate(k: Value, m: Value) -> Value:
        m, pivot, _ = _with_pivot(m, k, n)
        row = pivot / _column(pivot, k)
        return where(rows == k, row, m - _column(m, k) * row)
    out: Value = _for_columns(n, eliminate, m)[..., n:]
    return out


def solve(a: Any, b: Any) -> Value:
    x, y = operands(a, b)
    x, n = _square(x, "solve")
    if 1 < y.ndim == x.ndim - 1:
        raise UsageError(f"np.linalg.solve of shapes {x.shape} and {y.shape}: NumPy 1 has vectors in the second, NumPy 2 a matrix; "
                         "b[..., None] makes vectors, b[None] a matrix")
    is_vector = y.ndim == 1
    y = expand_dims(y, -1) if is_vector else y
    if y.ndim < 2 or known_size(y, -2) != n:
        raise ValueError(f"np.linalg.solve of shapes {x.shape} and {constant(b).shape}: {n} equations have other right sides")
    out = _solved(x, y, n)
    return squeeze(out, -1) if is_vector else out


def inv(a: Any) -> Value:
    x, n = _square(a, "inv")
    return _solved(x, constant(np.eye(n, dtype=x._known()[0].storage)), n)


def det(a: Any) -> Value:
    """The product of the pivots; 0 where one is."""
    x, n = _square(a, "det")
    rows, name = iota((n, 1), 0, "si64"), x.dtype

    def eliminate(k: Value, state: tuple[Value, Value]) -> tuple[Value, Value]:
        m, pivot, is_other = _with_pivot(state[0], k, n)
        head = _column(pivot, k)
        below = where(rows > k, _column(m, k), 0) * (pivot / where(head == 0, 1, head))
        return m - below, state[1] * where(is_other, -head, head)
    product = _for_columns(n, eliminate, (x, full((*x.shape[:-2], 1, 1), 1, name)))[1]
    return squeeze(product, (-2, -1))


def cholesky(a: Any) -> Value:
    """Of the lower triangles."""
    x, n = _square(a, "cholesky", False)
    rows, columns = iota((n, 1), 0, "si64"), iota((1, n), 1, "si64")

    def column(k: Value, left: Value) -> Value:
        rest = _column(x, k) - (left * _row(left, k)).sum(-1, keepdims=True)
        return where((columns == k) & (rows >= k), rest / np.sqrt(_row(rest, k)), left)
    out: Value = _for_columns(n, column, full(x.shape, 0, x.dtype))
    return out


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.linalg.solve: solve, np.linalg.inv: inv, np.linalg.det: det, np.linalg.cholesky: cholesky,
}
