"""Quotients, remainders, powers and logarithms of traced values, with NumPy's results.

Where NumPy has a result of its own for an operand (a remainder takes the sign of the divisor, a shift of an unsigned
number brings zeros in), what is appended gives that; integers divided by zero stop the run.
"""
from __future__ import annotations

import math
from typing import Any, Callable

import numpy as np

from ._dtypes import BY_NAME, DType, dtype as dtype_of
from ._trace import Dim, Value, call, cast, constant, current, is_weak, operands


def zero_like(x: Value) -> Any:
    """The zero that X can meet."""
    return False if x.dtype == "i1" else 0


def truth_of(p: Any) -> Value:
    """Truth values, or which numbers are not 0."""
    q = constant(p)
    return q if q.dtype == "i1" else q != 0  # type: ignore[no-any-return]


def where(p: Any, x: Any, y: Any) -> Value:
    a, b = operands(x, y)
    return call("select", truth_of(p), a, b)


def is_integer(x: Value) -> bool:
    return dtype_of(x.dtype).is_integer


def is_unsigned(x: Value) -> bool:
    return x.dtype[0] == "u"


def wide_type(d: DType) -> DType:
    """The type that NumPy computes floats of type D in: f32 for those that are narrower."""
    return d if d.name == "f64" or not d.is_float else BY_NAME["f32"]


# ---- division ----

def divide(x: Any, y: Any) -> Value:
    a, b = operands(x, y)
    if is_integer(a):
        raise TypeError(f"/ of {a.dtype}: // divides integers, astype('f32') makes floats of them")
    return call("div", a, b)


def fmod(x: Any, y: Any) -> Value:
    """With the sign of X, as C's."""
    a, b = operands(x, y)
    return call("mod" if is_integer(a) else "fmod", a, b)


def _signs_differ(r: Value, y: Value) -> Value:
    """Is the remainder R, which has the sign of the dividend, not 0, and its sign not that of the divisor?"""
    out: Value = (r != 0) & ((r < 0) != (y < 0))
    return out


def _of_floats(function: Callable[[Value, Value, Value], Value], x: Value, y: Value) -> Value:
    """FUNCTION of X, Y and what fmod leaves of them, in their wide type, rounded once to their own."""
    wide = wide_type(dtype_of(x.dtype))
    return cast(function(*(cast(v, wide) for v in (x, y, call("fmod", x, y)))), x.dtype)


def _float_remainder(x: Value, y: Value, r: Value) -> Value:
    zero = where(y < 0, -(0.0 - r), r + 0.0)  # with the sign of Y, and the derivatives of R
    return where(r == 0, zero, where(_signs_differ(r, y), r + y, r))


def remainder(x: Any, y: Any) -> Value:
    """With the sign of Y, as Python's."""
    a, b = operands(x, y)
    if not is_integer(a):
        return _of_floats(_float_remainder, a, b)
    r = call("mod", a, b)
    return r if is_unsigned(a) else where(_signs_differ(r, b), r + b, r)


def _float_floor_divide(x: Value, y: Value, r: Value) -> Value:
    """(X - R) / Y is whole but for its rounding, so that the nearest whole number is meant."""
    quotient, whole = call("div", x, y), call("div", x - r, y)
    whole = where(_signs_differ(r, y), whole - 1, whole)
    down = call("floor", whole)
    nearest = where(whole - down > 0.5, down + 1, down)
    return where(y == 0, quotient, where(whole == 0, quotient * 0, nearest))


def floor_divide(x: Any, y: Any) -> Value:
    """Without a derivative: it is 0 where there is one."""
    a, b = operands(x, y)
    if is_unsigned(a):
        return call("div", a, b)
    if not is_integer(a):
        return _of_floats(_float_floor_divide, call("stop_gradient", a), call("stop_gradient", b))
    q, r = call("div", a, b), call("mod", a, b)
    return where(_signs_differ(r, b), q - 1, q)


def divmod_of(x: Any, y: Any) -> tuple[Value, Value]:
    a, b = operands(x, y)
    return floor_divide(a, b), remainder(a, b)


def shift_right(x: Any, y: Any) -> Value:
    a, b = operands(x, y)
    return call("shift_right_logical" if is_unsigned(a) else "shift_right_arithmetic", a, b)


# ---- powers and logarithms ----

def _products(x: Value, n: int) -> Value:
    """X, of integers or complex numbers, to the power N: products of squares, as NumPy's; those of integers wrap."""
    if n < 0 and is_integer(x):
        raise ValueError("integers to negative powers are no integers: astype('f32') makes floats of them")
    if n < 0:
        return call("div", constant(1.0, dtype_of(x.dtype)), _products(x, -n))
    out, square = None, x
    while n:
        if n & 1:
            out = square if out is None else call("mul", out, square)
        n >>= 1
        if n:
            square = call("mul", square, square)
    return out if out is not None else call("splat", dtype_of(x.dtype).code, current().shape(x.shape), 1.0)


# Powers of floats that one operation gives, rounded correctly, and cubes, which are at most one unit in the last place off
# and take a twentieth of the time of the operation `pow`. Products of more factors are less exact than that, or 0 or
# infinite on their way.
_FEW_OPERATIONS: dict[float, Callable[[Value], Value]] = {
    1: lambda x: x,
    2: lambda x: call("mul", x, x),
    -1: lambda x: call("reciprocal", x),
    0.5: lambda x: call("sqrt", x),
    3: lambda x: call("mul", call("mul", x, x), x),
}


def power(x: Any, y: Any) -> Value:
    y = y.item() if isinstance(y, np.generic) else y
    if is_weak(y) and isinstance(x, Value) and not isinstance(y, (Dim, complex)):
        d = dtype_of(x.dtype)
        if d.is_integer and isinstance(y, int) or d.is_complex and float(y).is_integer():
            return _products(x, int(y))
        few = _FEW_OPERATIONS.get(float(y)) if d.is_float or d.is_complex else None
        if few is not None:
            return few(x)
    return call("pow", *operands(x, y))


def float_power(x: Any, y: Any) -> Value:
    """In f64, whatever floats are given."""
    v = constant(x)
    if is_integer(v):
        raise TypeError(f"np.float_power of {v.dtype}: astype('f64') makes floats of them")
    wide = "cf64" if dtype_of(v.dtype).is_complex else "f64"
    return power(cast(v, wide), cast(y, wide) if isinstance(y, Value) else y)


def log10(x: Any) -> Value:
    """In f64, and rounded once for the types that are narrower."""
    v = constant(x)
    d = dtype_of(v.dtype)
    y = call("log", cast(v, "f64") if d.is_float else v)
    return cast(call("mul", y, constant(1 / math.log(10), dtype_of(y.dtype))), d)
