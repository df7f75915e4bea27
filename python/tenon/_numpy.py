"""NumPy's names on traced values: what its functions, ufuncs and methods append to the program.

docs/python.md lists them. Each has the meaning of the operation of Tenon that it stands for (docs/ops.md): `maximum`,
for example, prefers a number to NaN.
"""
from __future__ import annotations

from typing import Any, Callable, Optional, Sequence, Union

import numpy as np

from . import _library as c
from ._arithmetic import (divide, divmod_of, float_power, floor_divide, fmod, log10, power, remainder, shift_right,
                          where, wide_type)
from ._create import full, needs_all_bits
from ._dtypes import BY_NAME, DTypeLike, dtype as dtype_of
from ._errors import UsageError
from ._index import take as take_axis
from ._trace import Dim, Value, call, cast, constant, current, many, operands, values_of

_DEFAULT = 19  # TN_DTYPE_DEFAULT
Axis = Union[None, int, Sequence[int]]


def _binary(name: str) -> Callable[[Any, Any], Value]:
    return lambda x, y: call(name, *operands(x, y))


def _unary(name: str) -> Callable[[Any], Value]:
    return lambda x: call(name, constant(x))


def _compare(direction: int) -> Callable[[Any, Any], Value]:
    return lambda x, y: call("compare", direction, *operands(x, y))


def _logical(name: str) -> Callable[..., Value]:
    def function(*xs: Any) -> Value:
        vs = [constant(x) for x in xs]
        return call(name, *(v if v.dtype == "i1" else v != 0 for v in vs))
    return function


def _matmul(x: Any, y: Any) -> Value:
    a, b = operands(x, y)
    if a.ndim == 0 or b.ndim == 0:
        raise TypeError("@ of a scalar: * multiplies")
    if a.ndim <= 2 and b.ndim <= 2:
        if a.ndim == 1 and b.ndim == 2:
            return call("squeeze", call("matmul", call("expand_dims", a, c.ints((0,))), b), c.ints((0,)))
        return call("dot" if b.ndim == 1 else "matmul", a, b)
    if a.ndim == 1:
        return call("squeeze", call("matmul", call("expand_dims", a, c.ints((0,))), b), c.ints((-2,)))
    if b.ndim == 1:
        return call("squeeze", call("matmul", a, call("expand_dims", b, c.ints((1,)))), c.ints((-1,)))
    return call("matmul", a, b)


UFUNCS: dict[Any, Callable[..., Any]] = {
    np.negative: _unary("neg"), np.positive: constant, np.absolute: _unary("abs"), np.fabs: _unary("abs"),
    np.exp: _unary("exp"), np.exp2: _unary("exp2"), np.expm1: _unary("expm1"), np.log: _unary("log"),
    np.log2: _unary("log2"), np.log10: log10, np.log1p: _unary("log1p"),
    np.sin: _unary("sin"), np.cos: _unary("cos"), np.tan: _unary("tan"), np.arcsin: _unary("asin"),
    np.arccos: _unary("acos"), np.arctan: _unary("atan"), np.sinh: _unary("sinh"), np.cosh: _unary("cosh"),
    np.tanh: _unary("tanh"), np.arcsinh: _unary("asinh"), np.arccosh: _unary("acosh"), np.arctanh: _unary("atanh"),
    np.sqrt: _unary("sqrt"), np.cbrt: _unary("cbrt"), np.reciprocal: _unary("reciprocal"),
    np.square: lambda x: call("mul", constant(x), constant(x)), np.trunc: _unary("trunc"), np.floor: _unary("floor"),
    np.ceil: _unary("ceil"), np.rint: _unary("round_even"), np.sign: _unary("sign"),
    np.isfinite: _unary("is_finite"), np.isnan: _unary("is_nan"), np.isinf: _unary("is_inf"),
    np.invert: _unary("not"), np.add: _binary("add"), np.subtract: _binary("sub"), np.multiply: _binary("mul"),
    np.true_divide: divide, np.floor_divide: floor_divide, np.remainder: remainder, np.fmod: fmod,
    np.divmod: divmod_of, np.power: power, np.float_power: float_power, np.maximum: _binary("maximum"),
    np.minimum: _binary("minimum"), np.fmax: _binary("maximum"), np.fmin: _binary("minimum"),
    np.arctan2: _binary("atan2"),
    np.bitwise_and: _binary("and"), np.bitwise_or: _binary("or"), np.bitwise_xor: _binary("xor"),
    np.left_shift: _binary("shift_left"), np.right_shift: shift_right,
    np.logical_and: _logical("and"), np.logical_or: _logical("or"), np.logical_xor: _logical("xor"),
    np.logical_not: _logical("not"), np.less: _compare(0), np.less_equal: _compare(1), np.equal: _compare(2),
    np.greater_equal: _compare(3), np.greater: _compare(4), np.not_equal: _compare(5), np.matmul: _matmul,
}


def call_ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    options = {k: v for k, v in options.items() if v is not None}
    if method == "reduce" and ufunc in _REDUCTIONS:
        return _REDUCTIONS[ufunc](*inputs, **{k: v for k, v in options.items() if k in ("axis", "keepdims")})
    if method == "accumulate" and ufunc in _ACCUMULATIONS:
        return _ACCUMULATIONS[ufunc](*inputs, **{"axis": 0, **options})
    function = UFUNCS.get(ufunc)
    if function is None or method != "__call__" or options:
        raise UsageError(f"np.{ufunc.__name__} {'with these options ' if function else ''}has no counterpart for traced "
                         "values")
    return function(*inputs)


# ---- reductions ----

def _axes(axis: Axis) -> c.Ints:
    return c.ALL_AXES if axis is None else c.ints((axis,) if isinstance(axis, (int, np.integer)) else axis)


def _reduction(name: str) -> Callable[..., Value]:
    def function(x: Any, axis: Axis = None, dtype: Optional[DTypeLike] = None, out: None = None,
                 keepdims: bool = False) -> Value:
        y = constant(x) if dtype is None else cast(x, dtype)
        return call(name, y, _axes(axis), bool(keepdims))
    return function


def _extremum(name: str) -> Callable[..., Value]:
    def function(x: Any, axis: Axis = None, out: None = None, keepdims: bool = False) -> Value:
        return call(name, constant(x), _axes(axis), bool(keepdims))
    return function


_sum, _mean, prod = _reduction("sum"), _reduction("mean"), _reduction("reduce_prod")
amax, amin = _extremum("reduce_max"), _extremum("reduce_min")


def mean(x: Any, axis: Axis = None, dtype: Optional[DTypeLike] = None, out: None = None,
         keepdims: bool = False) -> Value:
    y = constant(x) if dtype is None else cast(x, dtype)
    d = dtype_of(y.dtype)
    if not (d.is_float or d.is_complex):
        raise TypeError(f"the mean of {d} would be cut off to {d}: astype('f32') makes floats of them")
    return _mean(y, axis, keepdims=keepdims)


_REDUCTIONS = {np.add: _sum, np.multiply: prod, np.maximum: amax, np.minimum: amin}


def _any(x: Any, axis: Axis = None, out: None = None, keepdims: bool = False) -> Value:
    y = constant(x)
    result: Value = amax(cast(y if y.dtype == "i1" else y != 0, "si8"), axis, None, keepdims) != 0
    return result


def _all(x: Any, axis: Axis = None, out: None = None, keepdims: bool = False) -> Value:
    y = constant(x)
    result: Value = amin(cast(y if y.dtype == "i1" else y != 0, "si8"), axis, None, keepdims) != 0
    return result


def _size_squared(x: Value) -> Value:
    if not dtype_of(x.dtype).is_complex:
        return call("mul", x, x)
    re, im = call("real", x), call("imag", x)
    out: Value = re * re + im * im
    return out


def _var_in_own_type(x: Value, axis: Axis, ddof: int, keepdims: bool) -> Value:
    square = _size_squared(x - mean(x, axis, keepdims=True))
    if ddof == 0:
        return mean(square, axis, keepdims=keepdims)
    n: Any = 1
    for a in range(x.ndim) if axis is None else [axis] if isinstance(axis, int) else axis:
        n = n * x.shape[a]
    out: Value = _sum(square, axis, keepdims=keepdims) / (constant(n, dtype_of(square.dtype)) - ddof)
    return out


def _spread(finish: Callable[[Value], Value]) -> Callable[..., Value]:
    """FINISH of the variance. Floats narrower than f32 are computed in f32, and rounded once."""
    def function(x: Any, axis: Axis = None, dtype: Optional[DTypeLike] = None, out: None = None, ddof: int = 0,
                 keepdims: bool = False) -> Value:
        y = constant(x) if dtype is None else cast(x, dtype)
        d = dtype_of(y.dtype)
        result = finish(_var_in_own_type(cast(y, wide_type(d)), axis, ddof, keepdims))
        return cast(result, d) if d.is_float else result
    return function


var, std = _spread(lambda v: v), _spread(lambda v: call("sqrt", v))


def argmax(x: Any, axis: Optional[int] = None, out: None = None, keepdims: bool = False) -> Value:
    y = constant(x)
    if axis is None:
        y, axis = ravel(y), 0
    return call("arg_max", y, axis, bool(keepdims), BY_NAME["si64"].code)


def argmin(x: Any, axis: Optional[int] = None, out: None = None, keepdims: bool = False) -> Value:
    y = constant(x)
    is_float = dtype_of(y.dtype).is_float
    return argmax(call("neg" if is_float else "not", y), axis, None, keepdims)


# ---- along an axis ----

def _cumulative(fold: int) -> Callable[..., Value]:
    def function(x: Any, axis: Optional[int] = None, dtype: Optional[DTypeLike] = None, out: None = None) -> Value:
        y = constant(x) if dtype is None else cast(x, dtype)
        if axis is None:
            y, axis = ravel(y), 0
        return call("cumulative", y, fold, axis, False, False)
    return function


cumsum, cumprod = _cumulative(0), _cumulative(1)
_ACCUMULATIONS = {np.add: cumsum, np.multiply: cumprod, np.maximum: _cumulative(2), np.minimum: _cumulative(3)}


def _line(x: Any, axis: Optional[int], kind: Any, order: Any) -> tuple[Value, int]:
    """What is sorted, and along which axis. Every sort here is stable, so that KIND does not matter."""
    if order is not None:
        raise UsageError("values have no fields to order by")
    y = constant(x)
    return (ravel(y), 0) if axis is None else (y, axis)


def sort(x: Any, axis: Optional[int] = -1, kind: Any = None, order: None = None) -> Value:
    y, axis = _line(x, axis, kind, order)
    return many(1, lambda out: c.lib.tn_sort(current().b, values_of([y]), axis, False, out))[0]


def argsort(x: Any, axis: Optional[int] = -1, kind: Any = None, order: None = None) -> Value:
    y, axis = _line(x, axis, kind, order)
    return call("argsort", y, axis, False, BY_NAME["si64"].code)


# ---- movement ----

def reshape(x: Any, shape: Any, *more: Any, order: str = "C") -> Value:
    if order != "C":
        raise UsageError("values are row-major: order='C'")
    return call("reshape", constant(x), current().shape((shape, *more) if more else shape))


def ravel(x: Any, order: str = "C") -> Value:
    return reshape(x, (-1,), order=order)


def transpose(x: Any, axes: Any = None, *more: Any) -> Value:
    y = constant(x)
    if more:
        axes = (axes, *more)
    return call("transpose", y, c.ints(range(y.ndim)[::-1] if axes is None else [a % y.ndim for a in axes]))


def swapaxes(x: Any, a: int, b: int) -> Value:
    order = list(range(constant(x).ndim))
    order[a], order[b] = order[b], order[a]
    return transpose(x, order)


def moveaxis(x: Any, source: Any, destination: Any) -> Value:
    n = constant(x).ndim
    source = [a % n for a in ([source] if isinstance(source, int) else source)]
    destination = [a % n for a in ([destination] if isinstance(destination, int) else destination)]
    order = [a for a in range(n) if a not in source]
    for to, a in sorted(zip(destination, source)):
        order.insert(to, a)
    return transpose(x, order)


def expand_dims(x: Any, axis: Any) -> Value:
    y = constant(x)
    axes = [axis] if isinstance(axis, int) else list(axis)
    n = y.ndim + len(axes)
    return call("expand_dims", y, c.ints([a + n if a < 0 else a for a in axes]))


def squeeze(x: Any, axis: Axis = None) -> Value:
    y = constant(x)
    if axis is None:
        axis = [a for a, n in enumerate(y.shape) if n == 1]
    return call("squeeze", y, _axes(axis))


def broadcast_to(x: Any, shape: Any, subok: bool = False) -> Value:
    return call("broadcast", constant(x), current().shape(shape))


def concatenate(xs: Any, axis: int = 0) -> Value:
    vs = operands(*xs)
    t = current()
    return t.value(c.lib.tn_concat(t.b, values_of(vs), axis))


def stack(xs: Any, axis: int = 0) -> Value:
    return concatenate([expand_dims(x, axis if axis >= 0 else axis + constant(x).ndim + 1) for x in xs], axis)


def vstack(xs: Any) -> Value:
    return concatenate([x if constant(x).ndim > 1 else reshape(x, (1, -1)) for x in xs], 0)


def hstack(xs: Any) -> Value:
    xs = list(xs)
    return concatenate(xs, 0 if constant(xs[0]).ndim == 1 else 1)


def split(x: Any, parts: Any, axis: int = 0) -> list[Value]:
    y = constant(x)
    n = y.shape[axis]
    if not isinstance(n, int):
        raise UsageError(f"an axis of the open size {n} cannot be split")
    if isinstance(parts, int):
        if n % parts:
            raise ValueError(f"{n} elements cannot be split into {parts} equal parts")
        ends = [n // parts * (k + 1) for k in range(parts)]
    else:
        ends = [*(min(p % (n + 1) if p < 0 else p, n) for p in parts), n]
    out, begin = [], 0
    for end in ends:
        out.append(call("slice_axis", y, axis, begin, max(0, end - begin)))
        begin = end
    return out


def tile(x: Any, reps: Any) -> Value:
    y = constant(x)
    reps = [reps] if isinstance(reps, int) else list(reps)
    reps = [1] * (y.ndim - len(reps)) + reps
    if len(reps) > y.ndim:
        y = expand_dims(y, list(range(len(reps) - y.ndim)))
    return call("tile", y, c.ints(reps))


def pad(x: Any, width: Any, mode: str = "constant", constant_values: float = 0) -> Value:
    if mode != "constant":
        raise UsageError(f"np.pad of mode '{mode}': only 'constant' has a counterpart")
    y = constant(x)
    pairs = np.broadcast_to(np.asarray(width), (y.ndim, 2)).tolist()
    d = y._known()[0]
    around = c.ints(p[0] for p in pairs), c.ints(p[1] for p in pairs), c.ints([0] * y.ndim)
    if needs_all_bits(constant_values, d):
        element = np.array(constant_values, d.storage)
        return call("pad_exact", y, *around, element.__array_interface__["data"][0])
    return call("pad", y, *around, float(constant_values))


def flip(x: Any, axis: Axis = None) -> Value:
    y = constant(x)
    return call("reverse", y, c.ints(range(y.ndim)) if axis is None else _axes(axis))


def roll(x: Any, shift: int, axis: Optional[int] = None) -> Value:
    y = constant(x)
    if axis is None:
        return reshape(roll(ravel(y), shift, 0), y.shape)
    n = y.shape[axis]
    if not isinstance(n, int):
        raise UsageError(f"an axis of the open size {n} cannot be rolled")
    k = shift % n if n else 0
    if k == 0:
        return y
    return concatenate([call("slice_axis", y, axis, n - k, k), call("slice_axis", y, axis, 0, n - k)], axis)


def take(x: Any, indices: Any, axis: Optional[int] = None, out: None = None, mode: str = "raise") -> Value:
    y = constant(x)
    return take_axis(ravel(y), indices, 0) if axis is None else take_axis(y, indices, axis)


# ---- others ----

def clip(x: Any, low: Any = None, high: Any = None, out: None = None, **names: Any) -> Value:
    low, high = names.get("a_min", low), names.get("a_max", high)
    if low is None and high is None:
        return constant(x)
    if low is None or high is None:
        return call("minimum", *operands(x, high)) if low is None else call("maximum", *operands(x, low))
    return call("clamp", *operands(x, low, high))


def dot(x: Any, y: Any) -> Value:
    a, b = operands(x, y)
    if a.ndim == 0 or b.ndim == 0:
        return call("mul", a, b)
    if a.ndim <= 2 and b.ndim <= 2:
        return _matmul(a, b)
    return tensordot(a, b, ([a.ndim - 1], [max(0, b.ndim - 2)]))


def tensordot(x: Any, y: Any, axes: Any = 2) -> Value:
    a, b = operands(x, y)
    if isinstance(axes, int):
        pairs: Any = (range(a.ndim - axes, a.ndim), range(axes))
    else:
        pairs = tuple([p] if isinstance(p, int) else p for p in axes)
    return call("dot_general", a, b, c.ints(()), c.ints(()), c.ints(p % a.ndim for p in pairs[0]),
                c.ints(p % b.ndim for p in pairs[1]), _DEFAULT, _DEFAULT)


def outer(x: Any, y: Any) -> Value:
    out: Value = reshape(x, (-1, 1)) * reshape(y, (1, -1))
    return out


def einsum(text: str, *xs: Any) -> Value:
    """Of one or two operands, without repeated letters in one of them."""
    left, arrow, out = text.replace(" ", "").partition("->")
    terms = left.split(",")
    if not arrow:
        out = "".join(sorted(s for s in set(left) - {","} if left.count(s) == 1))
    if len(terms) != len(xs) or len(xs) > 2 or "." in text or any(len(set(t)) != len(t) for t in [*terms, out]):
        raise UsageError(f"np.einsum('{text}') has no counterpart: of one or two operands without repeated letters")
    vs = operands(*xs)
    for v, t in zip(vs, terms):
        if v.ndim != len(t):
            raise ValueError(f"np.einsum('{text}'): '{t}' for a value of rank {v.ndim}")
    others = [set(terms[1 - k]) if len(terms) == 2 else set() for k in range(len(terms))]
    for k, t in enumerate(terms):  # letters that appear in one operand alone, and not in the result
        gone = [i for i, s in enumerate(t) if s not in out and s not in others[k]]
        if gone:
            vs[k] = call("sum", vs[k], c.ints(gone), False)
            terms[k] = "".join(s for i, s in enumerate(t) if i not in gone)
    if len(vs) == 1:
        return transpose(vs[0], [terms[0].index(s) for s in out])
    x, y = terms
    batch = [s for s in x if s in y and s in out]
    summed = [s for s in x if s in y and s not in out]
    z = call("dot_general", vs[0], vs[1], c.ints(x.index(s) for s in batch), c.ints(y.index(s) for s in batch),
             c.ints(x.index(s) for s in summed), c.ints(y.index(s) for s in summed), _DEFAULT, _DEFAULT)
    have = batch + [s for s in x if s not in y] + [s for s in y if s not in x]
    order = [have.index(s) for s in out]
    return z if order == sorted(order) else transpose(z, order)


def full_like(x: Any, value: Any, dtype: Optional[DTypeLike] = None, **_: Any) -> Value:
    y = constant(x)
    return full(y.shape, value, y.dtype if dtype is None else dtype)


def astype(x: Any, dtype: DTypeLike, **_: Any) -> Value:
    return cast(x, dtype)


def top_k(x: Any, k: int, axis: int = -1, largest: bool = True) -> tuple[Value, Value]:
    """The K largest (or smallest) elements along AXIS, sorted, and their positions (si64)."""
    t = current()
    top = c.lib.tn_top_k(t.b, t.scope.raw(t, constant(x)), k, axis, largest, BY_NAME["si64"].code)
    return t.value(top.values), t.value(top.indices)


def take_along_axis(x: Any, indices: Any, axis: int) -> Value:
    return call("gather", constant(x), constant(indices), axis)


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.sum: _sum, np.mean: mean, np.prod: prod, np.amax: amax, np.amin: amin, np.max: amax, np.min: amin, np.any: _any,
    np.all: _all, np.var: var, np.std: std, np.argmax: argmax, np.argmin: argmin, np.reshape: reshape, np.ravel: ravel,
    np.transpose: transpose, np.swapaxes: swapaxes, np.moveaxis: moveaxis, np.expand_dims: expand_dims,
    np.squeeze: squeeze, np.broadcast_to: broadcast_to, np.concatenate: concatenate, np.stack: stack,
    np.vstack: vstack, np.hstack: hstack, np.split: split, np.tile: tile, np.pad: pad, np.flip: flip, np.roll: roll,
    np.take: take, np.where: where, np.clip: clip, np.dot: dot, np.tensordot: tensordot, np.outer: outer,
    np.einsum: einsum, np.full_like: full_like, np.zeros_like: lambda x, dtype=None, **_: full_like(x, 0, dtype),
    np.ones_like: lambda x, dtype=None, **_: full_like(x, 1, dtype), np.shape: lambda x: constant(x).shape,
    np.ndim: lambda x: constant(x).ndim, np.take_along_axis: take_along_axis, np.cumsum: cumsum, np.cumprod: cumprod,
    np.sort: sort, np.argsort: argsort,
}


def call_function(function: Any, args: Any, kwargs: Any) -> Any:
    own = FUNCTIONS.get(function)
    if own is None:
        module = str(function.__module__).replace("numpy", "np", 1)
        raise UsageError(f"{module}.{function.__name__} has no counterpart for traced values")
    return own(*args, **kwargs)


METHODS: dict[str, Callable[..., Any]] = {
    "sum": _sum, "mean": mean, "prod": prod, "max": amax, "min": amin, "any": _any, "all": _all, "var": var,
    "std": std, "argmax": argmax, "argmin": argmin, "reshape": reshape, "ravel": ravel, "flatten": ravel,
    "transpose": transpose, "swapaxes": swapaxes, "squeeze": squeeze, "take": take, "clip": clip, "dot": dot,
    "astype": astype, "copy": constant, "cumsum": cumsum, "cumprod": cumprod, "argsort": argsort,
}
PROPERTIES: dict[str, Callable[[Value], Any]] = {"T": transpose}
