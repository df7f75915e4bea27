"""NumPy's names on traced values: what its functions, ufuncs and methods append to the program.

docs/python.md lists them, and says where they differ from NumPy's.
"""
from __future__ import annotations

import functools
import inspect
from typing import Any, Callable, Optional

import numpy as np

from . import (_numpy_curves as curves, _numpy_elementwise as elementwise, _numpy_linear as linear, _numpy_matrices as matrices, _numpy_movement as movement,
               _numpy_parts as parts, _numpy_products as products, _numpy_reductions as reductions,
               _numpy_statistics as statistics)
from ._axes import axis_of
from ._create import full
from ._dtypes import DTypeLike
from ._errors import UsageError
from ._numpy_advice import without_counterpart
from ._trace import Value, cast, constant, operands

UFUNCS = {**elementwise.UFUNCS, np.matmul: products.matmul}


def call_ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    axis = options.get("axis", 0)  # of `reduce`, where None means all of them
    options = {k: v for k, v in options.items() if v is not None}
    if "out" in options:
        raise UsageError(f"a traced value does not change: write x = np.{ufunc.__name__}(x, y), with the operator "
                         "x = x + y and not x += y")
    name = f"np.{ufunc.__name__}" if method == "__call__" else f"np.{ufunc.__name__}.{method}"
    if method == "reduce" and ufunc in reductions.REDUCTIONS:
        return call_own(name, reductions.REDUCTIONS[ufunc], inputs, {**options, "axis": axis})
    if method == "accumulate" and ufunc in reductions.ACCUMULATIONS:
        return call_own(name, reductions.ACCUMULATIONS[ufunc], inputs, {"axis": 0, **options})
    if method == "outer" and ufunc in UFUNCS and len(inputs) == 2 and not options:
        x, y = operands(*inputs)
        return UFUNCS[ufunc](movement.reshape(x, (*x.shape, *[1] * y.ndim)), y)
    if method != "__call__" or ufunc not in UFUNCS:
        raise UsageError(without_counterpart(name))
    if options:
        raise UsageError(f"{name} with {', '.join(options)} has no counterpart for traced values")
    return UFUNCS[ufunc](*inputs)


def full_like(x: Any, value: Any, dtype: Optional[DTypeLike] = None, order: str = "K", subok: bool = True,
              shape: Any = None) -> Value:
    y = constant(x)
    return full(y.shape if shape is None else shape, value, y.dtype if dtype is None else dtype)


def astype(x: Any, dtype: DTypeLike, order: str = "K", casting: str = "unsafe", subok: bool = True,
           copy: bool = True) -> Value:
    if casting != "unsafe":
        raise UsageError(f"astype of casting '{casting}' has no counterpart: values are converted as `cast` does")
    return cast(x, dtype)


def size(x: Any, axis: Optional[int] = None) -> Any:
    y = constant(x)
    return y.size if axis is None else y.shape[axis_of(axis, y.ndim)]


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    **movement.FUNCTIONS, **parts.FUNCTIONS, **elementwise.FUNCTIONS, **reductions.FUNCTIONS, **products.FUNCTIONS,
    **matrices.FUNCTIONS, **linear.FUNCTIONS, **statistics.FUNCTIONS, **curves.FUNCTIONS,
    np.full_like: full_like, np.zeros_like: lambda x, *more, **names: full_like(x, 0, *more, **names),
    np.empty_like: lambda x, *more, **names: full_like(x, 0, *more, **names),
    np.ones_like: lambda x, *more, **names: full_like(x, 1, *more, **names), np.shape: lambda x: constant(x).shape,
    np.ndim: lambda x: constant(x).ndim, np.size: size, np.copy: lambda x, order="K", subok=False: constant(x),
}


def call_function(function: Any, args: Any, kwargs: Any) -> Any:
    name = f"{str(function.__module__).replace('numpy', 'np', 1)}.{function.__name__}"
    own = FUNCTIONS.get(function)
    if own is None:
        raise UsageError(without_counterpart(name))
    return call_own(name, own, *_by_position(function, args, kwargs))


_signature = functools.lru_cache(None)(inspect.signature)


def _by_position(function: Any, args: Any, names: Any) -> tuple[list[Any], dict[str, Any]]:
    """ARGS and NAMES of a call of NumPy's FUNCTION, with its first arguments by position: they have other names here."""
    own, rest = list(args), dict(names)
    try:
        parameters = list(_signature(function).parameters.values())
    except (TypeError, ValueError):  # some that are written in C do not tell
        return own, rest
    for p in parameters[len(own):]:
        if p.kind is not p.POSITIONAL_OR_KEYWORD or p.name not in rest or p.name == "out":
            break
        own.append(rest.pop(p.name))
    return own, rest


def call_own(name: str, function: Any, args: Any, names: Any) -> Any:
    """What FUNCTION gives, which stands for NumPy's NAME. That goes nowhere else."""
    try:
        bound = _signature(function).bind(*args, **names)
    except TypeError as error:
        raise UsageError(f"{name} of these arguments has no counterpart for traced values: {error}") from None
    given = bound.arguments.get("names", bound.arguments)
    if given.get("out") is not None:
        raise UsageError("out= has no counterpart in a traced function: the result is what the call gives")
    return function(*args, **names)


_AS_FUNCTIONS = ("sum mean prod any all var std argmax argmin ravel swapaxes squeeze take clip dot cumsum "
                 "cumprod argsort repeat diagonal trace ptp conj conjugate").split()
METHODS: dict[str, Callable[..., Any]] = {
    **{name: FUNCTIONS.get(getattr(np, name)) or UFUNCS[getattr(np, name)] for name in _AS_FUNCTIONS},
    "max": reductions.amax, "min": reductions.amin, "flatten": movement.ravel, "round": elementwise.around,
    "reshape": movement.reshape_method, "transpose": movement.transpose_method, "astype": astype,
    "copy": lambda x, order="C": constant(x),
}
PROPERTIES: dict[str, Callable[[Value], Any]] = {"T": movement.transpose, "real": elementwise.real,
                                                 "imag": elementwise.imag}
