"""NumPy's reductions, cumulative functions and sorts."""
from __future__ import annotations

import operator
from typing import Any, Callable, Optional

import numpy as np

from . import _library as c, _numpy_elementwise as elementwise
from ._arguments import MOST_SIGNED, whole
from ._arithmetic import truth_of, where as where_of, wide_type
from ._axes import Axis, axes_of, axis_of, list_of
from ._dtypes import BY_NAME, DType, DTypeLike, dtype as dtype_of
from ._errors import UsageError
from ._numpy_movement import broadcast_to, ravel, reshape
from ._trace import Value, call, cast, constant, current, is_same, many, operands, values_of


def _counted(x: Any, dtype: Optional[DTypeLike]) -> Value:
    """X as what it is summed in: DTYPE, or its own type; truth values are counted in si64, as NumPy does."""
    y = constant(x) if dtype is None else cast(x, dtype)
    return cast(y, "si64") if y.dtype == "i1" else y


def _reduction(name: str, join: str, neutral: int) -> Callable[..., Value]:
    """The reduction NAME. WHERE says which elements count; INITIAL, NEUTRAL otherwise, is joined to what they give."""
    def function(x: Any, axis: Axis = None, dtype: Optional[DTypeLike] = None, out: None = None,
                 keepdims: bool = False, initial: Any = None, where: Any = None) -> Value:
        y = _counted(x, dtype)
        y = y if where is None else where_of(where, y, neutral)
        z = call(name, y, axes_of(axis), bool(keepdims))
        return z if initial is None else call(join, *operands(z, initial))
    return function


_MAX, _MIN, _MAX_NAN, _MIN_NAN = 2, 3, 5, 6  # tn_reduction


def _extreme(of_floats: int, of_others: int, y: Value, axis: Axis, keepdims: bool) -> Value:
    """Of no elements, the least or largest that there is."""
    reduction = of_floats if dtype_of(y.dtype).is_float else of_others
    return call("reduce", reduction, y, axes_of(axis), bool(keepdims), c.DTYPE_DEFAULT, c.DTYPE_DEFAULT, None)


def _refuse_nothing(y: Value, axis: Axis) -> None:
    for a in range(y.ndim) if axis is None else list_of(axis):
        if is_same(y.shape[axis_of(a, y.ndim)], 0):
            raise UsageError(f"axis {a} of a value of shape {y.shape} has no elements, of which none is the largest or the least; initial= says "
                             "what to give then")


def _extremum(of_floats: int, of_others: int, join: Callable[[Any, Any], Value]) -> Callable[..., Value]:
    def function(x: Any, axis: Axis = None, out: None = None, keepdims: bool = False, initial: Any = None,
                 where: Any = None) -> Value:
        y = constant(x)
        if where is not None:
            if initial is None:
                raise ValueError("where= of a largest or least element needs initial=, for where there is none")
            y = where_of(where, y, initial)
        if initial is None:
            _refuse_nothing(y, axis)
        z = _extreme(of_floats, of_others, y, axis, keepdims)
        return z if initial is None else join(z, initial)
    return function


sum_of, prod = _reduction("sum", "add", 0), _reduction("reduce_prod", "mul", 1)
amax, amin = _extremum(_MAX_NAN, _MAX, elementwise.maximum), _extremum(_MIN_NAN, _MIN, elementwise.minimum)
fmax, fmin = _extremum(_MAX, _MAX, elementwise.fmax), _extremum(_MIN, _MIN, elementwise.fmin)  # a number wins over NaN


def mean(x: Any, axis: Axis = None, dtype: Optional[DTypeLike] = None, out: None = None,
         keepdims: bool = False, where: Any = None) -> Value:
    y = constant(x) if dtype is None else cast(x, dtype)
    d = dtype_of(y.dtype)
    if not (d.is_float or d.is_complex):
        raise TypeError(f"the mean of {d} would be cut off to {d}: astype('f32') makes floats of them")
    if where is None:
        return call("mean", y, axes_of(axis), bool(keepdims))
    wide = wide_type(d)
    n = _count(y, axis, wide, keepdims, where)
    return cast(sum_of(y, axis, wide, keepdims=keepdims, where=where) / n, d)


def _count(x: Value, axis: Axis, d: DType, keepdims: bool, where: Any) -> Value:
    """How many elements of X count, as numbers of type D."""
    return sum_of(broadcast_to(truth_of(where), x.shape), axis, d, keepdims=keepdims)


def _quantifier(reduction: int, neutral: bool) -> Callable[..., Value]:
    def function(x: Any, axis: Axis = None, out: None = None, keepdims: bool = False, where: Any = None) -> Value:
        y = truth_of(x)
        y = y if where is None else where_of(where, y, neutral)
        result: Value = _extreme(reduction, reduction, cast(y, "si8"), axis, keepdims) > 0
        return result
    return function


any_of, all_of = _quantifier(_MAX, False), _quantifier(_MIN, True)
REDUCTIONS = {np.add: sum_of, np.multiply: prod, np.maximum: amax, np.minimum: amin, np.logical_or: any_of,
              np.logical_and: all_of}


def _size_squared(x: Value) -> Value:
    if not dtype_of(x.dtype).is_complex:
        return call("mul", x, x)
    re, im = call("real", x), call("imag", x)
    out: Value = re * re + im * im
    return out


def _var_in_own_type(x: Value, axis: Axis, ddof: float, keepdims: bool, where: Any) -> Value:
    """With an infinite result, or none, where as many elements as DDOF says are not there."""
    square = _size_squared(x - mean(x, axis, keepdims=True, where=where))
    if ddof == 0:
        return mean(square, axis, keepdims=keepdims, where=where)
    d = dtype_of(square.dtype)
    n: Any = 1
    for a in range(x.ndim) if axis is None else list_of(axis):
        n = n * x.shape[axis_of(a, x.ndim)]
    if where is not None:
        n = _count(x, axis, d, keepdims, where)
    rest = constant(max(n - ddof, 0), d) if isinstance(n, int) else call("maximum", *operands(constant(n, d) - ddof, 0))
    out: Value = sum_of(square, axis, keepdims=keepdims, where=where) / rest
    return out


def _spread(finish: Callable[[Value], Value]) -> Callable[..., Value]:
    """FINISH of the variance. Floats narrower than f32 are computed in f32, and rounded once."""
    def function(x: Any, axis: Axis = None, dtype: Optional[DTypeLike] = None, out: None = None, ddof: float = 0,
                 keepdims: bool = False, where: Any = None) -> Value:
        y = constant(x) if dtype is None else cast(x, dtype)
        d = dtype_of(y.dtype)
        result = finish(_var_in_own_type(cast(y, wide_type(d)), axis, ddof, keepdims, where))
        return cast(result, d) if d.is_float else result
    return function


def _root(v: Value) -> Value:
    """Where V is 0, the slope of the squares that it is made of is, too, and that of the root infinite: together 0."""
    is_zero = v == 0
    return where_of(is_zero, 0.0, call("sqrt", where_of(is_zero, 1.0, v)))


var, std = _spread(lambda v: v), _spread(_root)


def argmax(x: Any, axis: Optional[int] = None, out: None = None, keepdims: bool = False) -> Value:
    y = constant(x)
    if axis is None:
        place = argmax(ravel(y), 0)
        return reshape(place, (1,) * y.ndim) if keepdims else place
    return call("arg_max", y, axis, bool(keepdims), BY_NAME["si64"].code)


def argmin(x: Any, axis: Optional[int] = None, out: None = None, keepdims: bool = False) -> Value:
    y = constant(x)
    is_float = dtype_of(y.dtype).is_float
    return argmax(call("neg" if is_float else "not", y), axis, None, keepdims)


# ---- along an axis ----

def _cumulative(fold: int, of_floats: Optional[int] = None) -> Callable[..., Value]:
    """What the elements come to by FOLD, floats by OF_FLOATS: codes of tn_fold."""
    def function(x: Any, axis: Optional[int] = None, dtype: Optional[DTypeLike] = None, out: None = None) -> Value:
        y = _counted(x, dtype)
        if axis is None:
            y, axis = ravel(y), 0
        is_other = of_floats is not None and dtype_of(y.dtype).is_float
        z = call("cumulative", y, of_floats if is_other else fold, axis, False, False)
        return cast(z, "i1") if of_floats is not None and dtype is None and constant(x).dtype == "i1" else z
    return function


cumsum, cumprod = _cumulative(0), _cumulative(1)
ACCUMULATIONS = {np.add: cumsum, np.multiply: cumprod, np.maximum: _cumulative(2, 4), np.minimum: _cumulative(3, 5)}


def _line(x: Any, axis: Optional[int], kind: Any, order: Any) -> tuple[Value, int]:
    """What is sorted, and along which axis. Every sort here is stable, so that KIND does not matter."""
    if order is not None:
        raise UsageError("values have no fields to order by")
    y = constant(x)
    return (ravel(y), 0) if axis is None else (y, axis)


def sort(x: Any, axis: Optional[int] = -1, kind: Any = None, order: None = None) -> Value:
    y, along = _line(x, axis, kind, order)
    return many(1, lambda out: c.lib.tn_sort(current().b, values_of([y]), operator.index(along), False, out))[0]


def argsort(x: Any, axis: Optional[int] = -1, kind: Any = None, order: None = None) -> Value:
    y, axis = _line(x, axis, kind, order)
    return call("argsort", y, axis, False, BY_NAME["si64"].code)


def top_k(x: Any, k: int, axis: int = -1, largest: bool = True) -> tuple[Value, Value]:
    """The K largest (or smallest) elements along AXIS, sorted, and their positions (si64)."""
    t = current()
    top = c.lib.tn_top_k(t.b, t.scope.raw(t, constant(x)), whole("k", k, 0, MOST_SIGNED), whole("axis", axis, -c.MAX_RANK, c.MAX_RANK), largest, BY_NAME["si64"].code)
    return t.value(top.values), t.value(top.indices)


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.sum: sum_of, np.mean: mean, np.prod: prod, np.amax: amax, np.amin: amin, np.max: amax, np.min: amin,
    np.any: any_of, np.all: all_of, np.var: var, np.std: std, np.argmax: argmax, np.argmin: argmin,
    np.cumsum: cumsum, np.cumprod: cumprod, np.sort: sort, np.argsort: argsort,
}
