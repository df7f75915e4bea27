"""Values that are made in a traced function, and operations that NumPy has no name for."""
from __future__ import annotations

import warnings
from typing import Any, Mapping, Sequence, Union

import numpy as np

from . import _library as c
from ._arguments import MOST_SIGNED, chars, number, whole
from ._dtypes import DType, DTypeLike, c_type, dtype as dtype_of, parse_type
from ._errors import UsageError
from ._trace import Dim, Value, call, cast, constant, current, many, operands, values_of

Shape = Union[int, str, Dim, Sequence[Any]]


def zeros(shape: Shape, dtype: DTypeLike = "f32") -> Value:
    """Zeros. Extents are numbers, names of symbols, or extents of other values."""
    return full(shape, 0, dtype)


def ones(shape: Shape, dtype: DTypeLike = "f32") -> Value:
    """Ones."""
    return full(shape, 1, dtype)


def element_of(value: Any, d: DType) -> Union[float, np.ndarray[Any, Any]]:
    """VALUE as the element of type D that an operation repeats: a float, or an array where no float has all its bits."""
    try:
        if isinstance(value, complex) and d.is_complex:
            return np.array(value, d.storage)
        if isinstance(value, (int, np.integer)) and d.is_integer and int(float(value)) != value:
            with warnings.catch_warnings():  # numbers that do not fit are taken modulo 2^n by some versions of NumPy
                warnings.simplefilter("error", DeprecationWarning)
                return np.array(value, d.storage)
        return float(value)
    except (OverflowError, DeprecationWarning):
        raise UsageError(f"{_short(value)} is no value of type {d.name}") from None
    except (TypeError, ValueError):
        raise UsageError(f"one number is wanted for an element of type {d.name}, not {_short(repr(value))}") from None


def _short(value: Any) -> str:
    if isinstance(value, int) and value.bit_length() > 256:  # Python writes no longer ones than it is told
        return f"an integer of {value.bit_length()} bits"
    text = str(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def full(shape: Shape, value: float, dtype: DTypeLike = "f32") -> Value:
    """Elements that are all VALUE."""
    d, extents = dtype_of(dtype), current().shape(shape)
    if isinstance(value, Value):
        return call("broadcast", cast(value, d), extents)
    element = element_of(value, d)
    if isinstance(element, float):
        return call("splat", d.code, extents, element)
    return call("broadcast", constant(element), extents)


def iota(shape: Shape, axis: int = 0, dtype: DTypeLike = "si32") -> Value:
    """The coordinate along AXIS: 0, 1, 2, ..."""
    return call("iota", dtype_of(dtype).code, current().shape(shape), axis)


def arange(n: Union[int, str, Dim], dtype: DTypeLike = "si32") -> Value:
    """0, 1, .., N - 1."""
    if isinstance(dtype, (int, Dim, Value)):
        raise UsageError("tenon.arange counts from 0 to below its first argument, and the second is the element type: "
                         "arange(n - start) + start begins elsewhere")
    return iota((n,), 0, dtype)


def random_uniform(shape: Shape, dtype: DTypeLike = "f32") -> Value:
    """Uniform random numbers in [0, 1), by the seed of the run."""
    return call("rng_uniform", dtype_of(dtype).code, current().shape(shape))


def random_normal(shape: Shape, dtype: DTypeLike = "f32") -> Value:
    """Normal random numbers of mean 0 and variance 1, by the seed of the run."""
    return call("rng_normal", dtype_of(dtype).code, current().shape(shape))


def stop_gradient(x: Any) -> Value:
    """X, which counts as a constant for derivatives."""
    return call("stop_gradient", constant(x))


def dynamic_slice(x: Any, start: Any, sizes: Shape) -> Value:
    """The window of SIZES elements at START, one integer for each axis; it is moved to lie inside of X."""
    return call("dynamic_slice", constant(x), _start(start), current().shape(sizes))


def dynamic_update_slice(x: Any, update: Any, start: Any) -> Value:
    """X with the window at START replaced by UPDATE."""
    a, b = operands(x, update)
    return call("dynamic_update_slice", a, b, _start(start))


def _start(start: Any) -> Value:
    if isinstance(start, (tuple, list)) and any(isinstance(i, Value) for i in start):
        from ._numpy_parts import stack
        return stack(start)
    return constant(start)


_COMBINE = {"add": 0, "max": 1, "min": 2, "replace": 3}


def scatter(x: Any, indices: Any, updates: Any, axis: int = 0, combine: str = "add") -> Value:
    """X with UPDATES combined in, whose position along AXIS is in INDICES, of the same shape.

    combine  "add", "max", "min" or "replace"
    """
    if combine not in _COMBINE:
        raise UsageError(f"'combine' is {combine!r}, and must be one of {', '.join(_COMBINE)}")
    a, u = operands(x, updates)
    return call("scatter_reduce", a, constant(indices), u, axis, _COMBINE[combine])


def segment_sum(x: Any, segments: Any, n: int) -> Value:
    """The sums of the rows of X by their number in SEGMENTS, N rows."""
    return call("segment_reduce", constant(x), constant(segments), 0, whole("n", n, 0, MOST_SIGNED), 19, False, False)


def custom_call(target: str, args: Sequence[Any], types: Union[str, Sequence[str]],
                attributes: Mapping[str, Any] = {}) -> Any:
    """The kernel that `tenon.custom` made known as TARGET; results of these types: one, or a tuple of them.

    attributes  numbers, truth values and strings, and lists of one kind
    """
    t = current()
    if not isinstance(args, Sequence):  # a value is a sequence of its rows, which are not meant
        raise TypeError(f"the operands of '{target}' are a list, not an object of type {type(args).__name__}")
    listed = [types] if isinstance(types, str) else list(types)
    array = (c.Type * max(1, len(listed)))()
    for i, text in enumerate(listed):
        parsed = parse_type(text)
        array[i] = c_type(parsed.dtype, tuple(t.extent(e) for e in parsed.shape))
    own, held = _attributes(attributes)
    operand = values_of([constant(a) for a in args])
    out = many(len(listed), lambda at: c.lib.tn_custom_call(t.b, chars("target", target), operand, array, own,
                                                            len(attributes), at, len(listed)))
    del held
    return out[0] if isinstance(types, str) else tuple(out)


def _attributes(given: Mapping[str, Any]) -> tuple[Any, list[Any]]:
    from ctypes import c_bool, c_char_p, c_double, c_int64
    own = (c.CustomAttribute * max(1, len(given)))()
    held: list[Any] = []
    for a, (name, x) in zip(own, given.items()):
        xs = list(x) if isinstance(x, (list, tuple)) else [x]
        kind, field, of = ((1, "bools", c_bool) if all(isinstance(v, bool) for v in xs) else
                           (0, "ints", c_int64) if all(isinstance(v, int) for v in xs) else
                           (6, "strings", c_char_p) if all(isinstance(v, str) for v in xs) else
                           (2, "floats", c_double))
        if kind == 6:
            xs = [chars(name, v) for v in xs]
        elif kind == 2:
            xs = [number(name, v) for v in xs]
        values: Any = (of * max(1, len(xs)))(*xs)
        held.append(values)
        a.name, a.kind, a.is_array, a.n = chars("attributes", name), kind, isinstance(x, (list, tuple)), len(xs)
        setattr(a, field, values)
    return own, held
