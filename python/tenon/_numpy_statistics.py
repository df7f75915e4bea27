"""NumPy's statistics that are made of other functions."""
from __future__ import annotations

import math
from typing import Any, Callable

import numpy as np

from ._arithmetic import divide, truth_of, where as where_of, wide_type
from ._axes import Axis, axis_of, distinct_axes, known_size
from ._errors import UsageError
from ._numpy_elementwise import clip, conjugate, isclose, isnan, real
from ._numpy_matrices import diagonal
from ._numpy_movement import broadcast_to, moveaxis, ravel, reshape, swapaxes
from ._numpy_parts import concatenate, stack
from ._numpy_products import matmul
from ._numpy_reductions import all_of, amax, amin, any_of, argmax, argmin, cumprod, cumsum, fmax, fmin, mean, prod, sort, std, sum_of, var
from ._trace import Value, are_same, call, cast, constant, is_same, operands


def ptp(x: Any, axis: Axis = None, out: None = None, keepdims: bool = False) -> Value:
    return amax(x, axis, None, keepdims) - amin(x, axis, None, keepdims)  # type: ignore[no-any-return]


def average(x: Any, axis: Axis = None, weights: Any = None, returned: bool = False, *, keepdims: bool = False) -> Any:
    if weights is None and not returned:
        return mean(x, axis, keepdims=keepdims)
    y = constant(x)
    y, w = operands(y, np.ones((), y._known()[0].storage) if weights is None else weights)
    if w.ndim == 1 and y.ndim > 1 and isinstance(axis, (int, np.integer)):
        axis = axis_of(axis, y.ndim)
        n, m = w.shape[0], y.shape[axis]
        if isinstance(n, int) and isinstance(m, int) and n != m:
            raise ValueError(f"{n} weights for an axis of {m} elements")
        w = reshape(w, [-1 if a == axis else 1 for a in range(y.ndim)])
    elif w.ndim > 0 and not are_same(w.shape, y.shape):
        raise TypeError(f"weights of shape {w.shape} for a value of shape {y.shape}: one for each element, or for each place "
                        "along the axis")
    w = broadcast_to(w, y.shape)
    total = sum_of(w, axis, keepdims=keepdims)
    out = sum_of(y * w, axis, keepdims=keepdims) / total
    return (out, total) if returned else out


def count_nonzero(x: Any, axis: Axis = None, *, keepdims: bool = False) -> Value:
    return sum_of(truth_of(x), axis, keepdims=keepdims)


def _sorted_lines(x: Any, axis: Axis) -> tuple[Value, tuple[Any, ...]]:
    """X, as floats, with what AXIS names as its last axis, sorted along it, and the shape that a result with keepdims has."""
    y = constant(x)
    at = list(range(y.ndim)) if axis is None else sorted(distinct_axes(axis, y.ndim))
    kept = tuple(1 if a in at else n for a, n in enumerate(y.shape))
    n = math.prod(known_size(y, a) for a in at)
    y = moveaxis(y, at, list(range(y.ndim - len(at), y.ndim)))
    if n == 0:
        raise ValueError("no elements have no quantiles")
    y = y if y._known()[0].is_float else cast(y, "f64")
    return sort(reshape(y, (*y.shape[:y.ndim - len(at)], n))), kept


def quantile(x: Any, q: Any, axis: Axis = None, out: None = None, overwrite_input: bool = False,
             method: str = "linear", keepdims: bool = False) -> Value:
    """Between two elements on the line through them; NaN where an element is NaN."""
    if method != "linear":
        raise ValueError(f"np.quantile by '{method}': only 'linear' has a counterpart")
    y, kept = _sorted_lines(x, axis)
    n = known_size(y, -1)

    def one(share: float) -> Value:
        if not 0 <= share <= 1:
            raise ValueError(f"a quantile of {share}: 0 to 1 are meant")
        place = share * (n - 1)
        low = min(int(place), n - 1)
        part = place - low
        below, above = y[..., low], y[..., min(low + 1, n - 1)]
        between = below + (above - below) * part if part < 0.5 else above - (above - below) * (1 - part)
        z: Value = where_of(call("is_nan", y[..., n - 1]), math.nan, between if part else below)
        return reshape(z, kept) if keepdims else z
    shares = np.asarray(q, np.float64)
    if shares.ndim == 0:
        return one(float(shares))
    flat = stack([one(float(s)) for s in shares.ravel()])
    return reshape(flat, (*shares.shape, *flat.shape[1:]))


def percentile(x: Any, q: Any, axis: Axis = None, out: None = None, overwrite_input: bool = False, method: str = "linear",
               keepdims: bool = False) -> Value:
    return quantile(x, np.asarray(q, np.float64) / 100, axis, None, False, method, keepdims)


def median(x: Any, axis: Axis = None, out: None = None, overwrite_input: bool = False, keepdims: bool = False) -> Value:
    """The mean of the two in the middle, or the one there; NaN where an element is NaN."""
    y, kept = _sorted_lines(x, axis)
    n, d = known_size(y, -1), y._known()[0]
    low, high = y[..., (n - 1) // 2], y[..., n // 2]
    middle = cast((cast(low, wide_type(d)) + cast(high, wide_type(d))) / 2, d) if n % 2 == 0 else low
    z = where_of(call("is_nan", y[..., n - 1]), math.nan, middle)
    return reshape(z, kept) if keepdims else z


def _without_nan(function: Callable[..., Value], neutral: float) -> Callable[..., Value]:
    def of(x: Any, axis: Axis = None, dtype: Any = None, out: None = None, keepdims: bool = False, initial: Any = None,
           where: Any = None) -> Value:
        y = constant(x) if dtype is None else cast(x, dtype)
        d = y._known()[0]
        if d.is_float or d.is_complex:
            y = where_of(isnan(y), neutral, y)
        return function(y, axis, keepdims=keepdims, initial=initial, where=where)
    return of


def nanmean(x: Any, axis: Axis = None, dtype: Any = None, out: None = None, keepdims: bool = False,
            where: Any = None) -> Value:
    y = constant(x) if dtype is None else cast(x, dtype)
    there = ~isnan(y)
    return mean(y, axis, keepdims=keepdims, where=there if where is None else there & truth_of(where))


def _nan_spread(spread: Callable[..., Value]) -> Callable[..., Value]:
    """SPREAD of the numbers; NaN where there are no more of them than DDOF says."""
    def of(x: Any, axis: Axis = None, dtype: Any = None, out: None = None, ddof: float = 0, keepdims: bool = False,
           where: Any = None) -> Value:
        y = constant(x) if dtype is None else cast(x, dtype)
        there = ~isnan(y) if where is None else ~isnan(y) & truth_of(where)
        z = spread(where_of(there, y, 0), axis, None, None, ddof, keepdims, there)
        n = count_nonzero(there, axis, keepdims=keepdims)
        return where_of(n <= ddof, math.nan, z)
    return of


def cov(m: Any, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: Any = None, fweights: None = None,
        aweights: None = None, *, dtype: Any = None) -> Value:
    """Of variables that are rows, or columns without ROWVAR."""
    if fweights is not None or aweights is not None:
        raise UsageError("np.cov has a counterpart without weights")
    def rows(v: Any) -> Value:
        x = constant(v) if dtype is None else cast(v, dtype)
        if x.ndim > 2:
            raise ValueError(f"variables of rank {x.ndim}: they are the rows of a matrix")
        x = reshape(x, (1, -1)) if x.ndim < 2 else x
        return x if rowvar or is_same(x.shape[0], 1) else swapaxes(x, 0, 1)
    x = rows(m) if y is None else concatenate([rows(m), rows(y)])
    rest = known_size(x, 1) - (ddof if ddof is not None else 0 if bias else 1)
    x = x - mean(x, 1, keepdims=True)
    out = divide(matmul(x, conjugate(swapaxes(x, 0, 1))), max(float(rest), 0.0))
    return reshape(out, ()) if are_same(out.shape, (1, 1)) else out


def corrcoef(x: Any, y: Any = None, rowvar: bool = True, *, dtype: Any = None) -> Value:
    c = cov(x, y, rowvar, dtype=dtype)
    if c.ndim == 0:
        return divide(c, c)
    d = call("sqrt", real(diagonal(c)))
    out: Value = c / d[:, None] / d[None, :]
    return clip(out, -1, 1) if c._known()[0].is_float else out


def _nan_extremum(extremum: Callable[..., Value]) -> Callable[..., Value]:
    """EXTREMUM, which prefers numbers; NaN where there are none."""
    def of(x: Any, axis: Axis = None, out: None = None, keepdims: bool = False, initial: Any = None,
           where: Any = None) -> Value:
        z = extremum(x, axis, None, keepdims, initial, where)
        if initial is not None or not z._known()[0].is_float:
            return z
        return where_of(all_of(isnan(x), axis, None, keepdims), math.nan, z)
    return of


nansum, nanprod = _without_nan(sum_of, 0.0), _without_nan(prod, 1.0)


def _end_like(x: Value, end: Any, axis: int) -> Value:
    """What is joined to X along AXIS: END, of which a number is repeated."""
    one = tuple(1 if a == axis else n for a, n in enumerate(x.shape))
    v = end if isinstance(end, Value) else constant(end, x._known()[0])
    return v if v.ndim else broadcast_to(v, one)


def diff(x: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Value:
    y = constant(x)
    if n < 0:
        raise ValueError(f"differences of order {n}, which must be 0 or more")
    axis = axis_of(axis, y.ndim)
    if n == 0:
        return y
    parts = [y if v is y else _end_like(y, v, axis) for v in (prepend, y, append) if v is not None]
    y = concatenate(parts, axis) if len(parts) > 1 else y
    for _ in range(n):
        m = known_size(y, axis)
        rest = max(0, m - 1)
        later, earlier = call("slice_axis", y, axis, m - rest, rest), call("slice_axis", y, axis, 0, rest)
        y = later != earlier if y.dtype == "i1" else later - earlier
    return y


def ediff1d(x: Any, to_end: Any = None, to_begin: Any = None) -> Value:
    y = diff(ravel(x))
    ends = [ravel(y if v is y else constant(v, y._known()[0])) for v in (to_begin, y, to_end) if v is not None]
    return concatenate(ends) if len(ends) > 1 else y


def array_equal(x: Any, y: Any, equal_nan: bool = False) -> Value:
    a, b = operands(x, y)
    pairs = list(zip(a.shape, b.shape))
    if a.ndim != b.ndim or any(isinstance(n, int) and isinstance(m, int) and n != m for n, m in pairs):
        return constant(False)
    if not are_same(a.shape, b.shape):
        raise UsageError(f"np.array_equal of {a!r} and {b!r}: whether their sizes are equal is not known when the function is traced")
    same = a == b
    return all_of(same | (isnan(a) & isnan(b)) if equal_nan else same)


def isin(x: Any, elements: Any, assume_unique: bool = False, invert: bool = False) -> Value:
    a, b = operands(x, elements)
    found = any_of(reshape(a, (*a.shape, 1)) == ravel(b), -1)
    return ~found if invert else found  # type: ignore[no-any-return]


def _cumulative_without_nan(function: Callable[..., Value], neutral: float) -> Callable[..., Value]:
    def of(x: Any, axis: Any = None, dtype: Any = None, out: None = None) -> Value:
        y = constant(x) if dtype is None else cast(x, dtype)
        d = y._known()[0]
        return function(where_of(isnan(y), neutral, y) if d.is_float or d.is_complex else y, axis)
    return of


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.isin: isin, np.nanargmax: argmax, np.nanargmin: argmin,
    np.nancumsum: _cumulative_without_nan(cumsum, 0.0), np.nancumprod: _cumulative_without_nan(cumprod, 1.0),
    np.ptp: ptp, np.average: average, np.count_nonzero: count_nonzero, np.quantile: quantile,
    np.percentile: percentile, np.median: median, np.nansum: nansum, np.nanprod: nanprod, np.nanmean: nanmean,
    np.nanvar: _nan_spread(var), np.nanstd: _nan_spread(std), np.cov: cov, np.corrcoef: corrcoef, np.ediff1d: ediff1d,
    np.nanmax: _nan_extremum(fmax), np.nanmin: _nan_extremum(fmin), np.diff: diff, np.array_equal: array_equal,
    np.allclose: lambda x, y, *args, **names: all_of(isclose(x, y, *args, **names)),
}
