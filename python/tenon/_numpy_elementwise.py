"""NumPy's ufuncs, and its other functions that compute element by element."""
from __future__ import annotations

import math
from typing import Any, Callable, Optional

import numpy as np

from ._arithmetic import (divide, divmod_of, float_power, floor_divide, fmod, log10, power, remainder, shift_right,
                          truth_of, where, wide_type)
from ._create import full
from ._dtypes import BY_NAME
from ._errors import UsageError
from ._trace import Dim, Value, call, cast, constant, operands


def _binary(name: str) -> Callable[[Any, Any], Value]:
    return lambda x, y: call(name, *operands(x, y))


def _extreme(name: str) -> Callable[[Any, Any], Value]:
    """The larger or the smaller one; as NumPy has it NaN where an operand is NaN."""
    def function(x: Any, y: Any) -> Value:
        a, b = operands(x, y)
        return call(f"{name}_nan" if a._known()[0].is_float else name, a, b)
    return function


maximum, minimum = _extreme("maximum"), _extreme("minimum")
fmax, fmin = _binary("maximum"), _binary("minimum")


def _unary(name: str) -> Callable[[Any], Value]:
    return lambda x: call(name, constant(x))


def _as_whole(x: Any, other: Any) -> Any:
    """X, truth values as whole numbers where OTHER is one."""
    is_whole = isinstance(other, (int, np.integer, Dim)) and not isinstance(other, bool)
    return cast(x, "si64") if is_whole and isinstance(x, Value) and x.dtype == "i1" else x


def _compare(direction: int) -> Callable[[Any, Any], Value]:
    return lambda x, y: call("compare", direction, *operands(_as_whole(x, y), _as_whole(y, x)))


def _logical(name: str) -> Callable[..., Value]:
    return lambda *xs: call(name, *map(truth_of, xs))


def _kind(name: str, whole: bool, join: str) -> Callable[[Any], Value]:
    """Whether numbers are of a kind, which whole numbers are or are not; of complex numbers what JOIN makes of the parts."""
    def function(x: Any) -> Value:
        y = constant(x)
        d = y._known()[0]
        if d.is_complex:
            return call(join, call(name, call("real", y)), call(name, call("imag", y)))
        return call(name, y) if d.is_float else full(y.shape, whole, "i1")
    return function


def _infinite(sign: str, bound: float) -> Callable[[Any], Value]:
    def function(x: Any, out: None = None) -> Value:
        y = constant(x)
        d = y._known()[0]
        if d.is_complex:
            raise TypeError(f"np.is{sign}inf of {d}: complex numbers have no sign")
        return y == bound if d.is_float else full(y.shape, False, "i1")  # type: ignore[no-any-return]
    return function


isposinf, isneginf = _infinite("pos", math.inf), _infinite("neg", -math.inf)


def fix(x: Any, out: None = None) -> Value:
    """Rounded towards 0."""
    return call("trunc", constant(x))


isnan, isinf, isfinite = _kind("is_nan", False, "or"), _kind("is_inf", False, "or"), _kind("is_finite", True, "and")


# ---- made of several operations ----

def _in_wide_type(function: Callable[[Value], Any], x: Any) -> Value:
    """FUNCTION of X, where X is a narrow float in f32, rounded once."""
    y = constant(x)
    d = y._known()[0]
    out: Value = cast(function(cast(y, wide_type(d))), d) if d.is_float else function(y)
    return out


def radians(x: Any) -> Value:
    return _in_wide_type(lambda y: y * (math.pi / 180), x)


def degrees(x: Any) -> Value:
    return _in_wide_type(lambda y: y * (180 / math.pi), x)


def absolute(x: Any) -> Value:
    y = constant(x)
    if y._known()[0].is_complex:
        return hypot(call("real", y), call("imag", y))
    return y if y.dtype == "i1" else call("abs", y)


def sign(x: Any) -> Value:
    y = constant(x)
    d = y._known()[0]
    if not d.is_integer:
        return call("sign", y)
    above = cast(y > 0, d)
    return above if d.name[0] == "u" else call("sub", above, cast(y < 0, d))


def hypot(x: Any, y: Any) -> Value:
    """Of f64 by the larger one, so that no square overflows; of narrower floats in f64."""
    a, b = operands(x, y)
    if a.dtype != "f64":
        wide, other = cast(a, "f64"), cast(b, "f64")
        root = cast(call("sqrt", wide * wide + other * other), a.dtype)
    else:
        a, b = call("abs", a), call("abs", b)
        large, small = where(a >= b, a, b), where(a >= b, b, a)  # extrema of equal ones both belong to A
        part = small / where(large == 0, 1.0, large)
        root = large * call("sqrt", part * part + 1.0)
    return where(call("is_inf", a) | call("is_inf", b), math.inf, root)


def _equal_ones(a: Value, b: Value) -> Value:
    """A, where it equals B, with a derivative by both."""
    return a * 0.5 + b * 0.5  # type: ignore[no-any-return]


def logaddexp(x: Any, y: Any) -> Value:
    a, b = operands(x, y)
    return where(a == b, _equal_ones(a, b) + math.log(2), call("maximum_nan", a, b) + call("log1p", call("exp", -call("abs", a - b))))


def logaddexp2(x: Any, y: Any) -> Value:
    a, b = operands(x, y)
    more = call("log1p", call("exp2", -call("abs", a - b))) * (1 / math.log(2))
    return where(a == b, _equal_ones(a, b) + 1.0, call("maximum_nan", a, b) + more)


def signbit(x: Any) -> Value:
    y = constant(x)
    d = y._known()[0]
    if not d.is_float:
        return y < 0  # type: ignore[no-any-return]
    return call("bitcast", y, BY_NAME[f"si{8 * d.storage.itemsize}"].code) < 0  # type: ignore[no-any-return]


def copysign(x: Any, y: Any) -> Value:
    a, b = operands(x, y)
    return where(signbit(a) != signbit(b), -a, a)


def heaviside(x: Any, y: Any) -> Value:
    a, b = operands(x, y)
    return where(a < 0, 0.0, where(a > 0, 1.0, where(a == 0, b, a)))


def conjugate(x: Any) -> Value:
    y = constant(x)
    return call("complex", call("real", y), -call("imag", y)) if y._known()[0].is_complex else y


def _part(name: str) -> Callable[[Any], Value]:
    def function(x: Any) -> Value:
        y = constant(x)
        if y._known()[0].is_complex:
            return call(name, y)
        return y if name == "real" else full(y.shape, 0, y.dtype)
    return function


real, imag = _part("real"), _part("imag")


def is_complex(x: Any) -> bool:
    return constant(x)._known()[0].is_complex


def angle(x: Any, deg: bool = False) -> Value:
    out = call("atan2", imag(x), real(x))
    return degrees(out) if deg else out


def sinc(x: Any) -> Value:
    y = constant(x) * math.pi
    return where(y == 0, 1.0, call("sin", y) / where(y == 0, 1.0, y))


UFUNCS: dict[Any, Callable[..., Any]] = {
    np.negative: _unary("neg"), np.positive: constant, np.absolute: absolute, np.fabs: _unary("abs"),
    np.exp: _unary("exp"), np.exp2: _unary("exp2"), np.expm1: _unary("expm1"), np.log: _unary("log"),
    np.log2: _unary("log2"), np.log10: log10, np.log1p: _unary("log1p"),
    np.sin: _unary("sin"), np.cos: _unary("cos"), np.tan: _unary("tan"), np.arcsin: _unary("asin"),
    np.arccos: _unary("acos"), np.arctan: _unary("atan"), np.sinh: _unary("sinh"), np.cosh: _unary("cosh"),
    np.tanh: _unary("tanh"), np.arcsinh: _unary("asinh"), np.arccosh: _unary("acosh"), np.arctanh: _unary("atanh"),
    np.sqrt: _unary("sqrt"), np.cbrt: _unary("cbrt"), np.reciprocal: _unary("reciprocal"),
    np.square: lambda x: call("mul", constant(x), constant(x)), np.trunc: _unary("trunc"), np.floor: _unary("floor"),
    np.ceil: _unary("ceil"), np.rint: _unary("round_even"), np.sign: sign,
    np.isfinite: isfinite, np.isnan: isnan, np.isinf: isinf,
    np.invert: _unary("not"), np.add: _binary("add"), np.subtract: _binary("sub"), np.multiply: _binary("mul"),
    np.true_divide: divide, np.floor_divide: floor_divide, np.remainder: remainder, np.fmod: fmod,
    np.divmod: divmod_of, np.power: power, np.float_power: float_power, np.maximum: maximum, np.minimum: minimum, np.fmax: fmax,
    np.fmin: fmin,
    np.arctan2: _binary("atan2"),
    np.bitwise_and: _binary("and"), np.bitwise_or: _binary("or"), np.bitwise_xor: _binary("xor"),
    np.left_shift: _binary("shift_left"), np.right_shift: shift_right,
    np.logical_and: _logical("and"), np.logical_or: _logical("or"), np.logical_xor: _logical("xor"),
    np.logical_not: _logical("not"), np.less: _compare(0), np.less_equal: _compare(1), np.equal: _compare(2),
    np.greater_equal: _compare(3), np.greater: _compare(4), np.not_equal: _compare(5),
    np.deg2rad: radians, np.radians: radians, np.rad2deg: degrees, np.degrees: degrees, np.hypot: hypot,
    np.logaddexp: logaddexp, np.logaddexp2: logaddexp2, np.signbit: signbit, np.copysign: copysign,
    np.heaviside: heaviside, np.conjugate: conjugate,
}


def clip(x: Any, a_min: Any = None, a_max: Any = None, out: None = None, *, min: Any = None, max: Any = None) -> Value:
    low, high = a_min if min is None else min, a_max if max is None else max
    y = constant(x) if low is None else maximum(x, low)
    return y if high is None else minimum(y, high)


def where_of(p: Any, *xy: Any) -> Value:
    if len(xy) != 2:
        raise UsageError("np.where of a condition alone gives results whose size depends on the data; it takes x and y, too")
    return where(p, *xy)


def around(x: Any, decimals: int = 0, out: None = None) -> Value:
    y = constant(x)
    d = y._known()[0]
    if d.is_complex:
        return call("complex", around(call("real", y), decimals), around(call("imag", y), decimals))
    if d.is_integer:
        if decimals < 0:
            raise UsageError("np.around of integers to tens has no counterpart")
        return y
    if decimals == 0:
        return call("round_even", y)
    scale = 10.0 ** abs(decimals)
    if decimals > 0:
        return _in_wide_type(lambda y: call("round_even", y * scale) / scale, y)
    return _in_wide_type(lambda y: call("round_even", y / scale) * scale, y)


def nan_to_num(x: Any, copy: bool = True, nan: float = 0.0, posinf: Optional[float] = None,
               neginf: Optional[float] = None) -> Value:
    if not copy:
        raise UsageError("a traced value does not change: write x = np.nan_to_num(x), without copy=False")
    y = constant(x)
    d = y._known()[0]
    if d.is_complex:
        parts = (nan_to_num(call(part, y), copy, nan, posinf, neginf) for part in ("real", "imag"))
        return call("complex", *parts)
    if not d.is_float:
        return y
    largest = float(np.finfo(d.storage).max) if d.name in ("f16", "f32", "f64") else None
    if largest is None and (posinf is None or neginf is None):
        raise UsageError(f"np.nan_to_num of {d.name} needs 'posinf' and 'neginf'")
    z = where(y == math.inf, largest if posinf is None else posinf, y)
    z = where(y == -math.inf, -(largest or 0.0) if neginf is None else neginf, z)
    return where(call("is_nan", y), nan, z)


def isclose(x: Any, y: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Value:
    a, b = operands(x, y)
    if not (a._known()[0].is_float or a._known()[0].is_complex):
        a, b = cast(a, "f64"), cast(b, "f64")
    near = (absolute(a - b) <= absolute(b) * rtol + atol) & isfinite(a) & isfinite(b)
    near = near | (a == b)
    return near | (isnan(a) & isnan(b)) if equal_nan else near  # type: ignore[no-any-return]


def select(conditions: Any, choices: Any, default: Any = 0) -> Value:
    """The first of CHOICES whose condition holds."""
    if len(conditions) != len(choices) or not conditions:
        raise ValueError(f"np.select of {len(conditions)} conditions and {len(choices)} choices")
    out = default
    for p, x in reversed(list(zip(conditions, choices))):
        out = where(p, x, out)
    return out  # type: ignore[no-any-return]


def polyval(p: Any, x: Any) -> Value:
    coefficients = list(p)
    y = operands(x, *coefficients)[0]
    out: Any = y * 0 + coefficients[0] if coefficients else full(y.shape, 0, y.dtype)
    for a in coefficients[1:]:
        out = out * y + a
    return out  # type: ignore[no-any-return]


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.where: where_of, np.clip: clip, np.around: around, np.nan_to_num: nan_to_num, np.isclose: isclose,
    np.isposinf: isposinf, np.isneginf: isneginf, np.fix: fix, np.isreal: lambda x: imag(x) == 0,
    np.iscomplex: lambda x: imag(x) != 0, np.iscomplexobj: is_complex, np.isrealobj: lambda x: not is_complex(x),
    np.select: select, np.polyval: polyval, np.real: real, np.imag: imag, np.angle: angle, np.sinc: sinc,
    np.round: around,
}
