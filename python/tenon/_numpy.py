"""NumPy's names on traced values: what its functions, ufuncs and methods append to the program.

docs/python.md lists them. Each has the meaning of the operation of Tenon that it stands for (docs/ops.md): `maximum`,
for example, prefers a number to NaN.
"""
from __future__ import annotations

from typing import Any, Callable, Optional

import numpy as np

from . import (_numpy_elementwise as elementwise, _numpy_matrices as matrices, _numpy_movement as movement,
               _numpy_parts as parts, _numpy_products as products, _numpy_reductions as reductions,
               _numpy_statistics as statistics)
from ._create import full
from ._dtypes import DTypeLike
from ._errors import UsageError
from ._trace import Value, cast, constant

UFUNCS = {**elementwise.UFUNCS, np.matmul: products.matmul}


def call_ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    axis = options.get("axis", 0)  # of `reduce`, where None means all of them
    options = {k: v for k, v in options.items() if v is not None}
    if "out" in options:
        raise UsageError(f"a traced value does not change: write x = np.{ufunc.__name__}(x, y), with the operator "
                         "x = x + y and not x += y")
    if method == "reduce" and ufunc in reductions.REDUCTIONS and options.keys() <= {"axis", "keepdims"}:
        return reductions.REDUCTIONS[ufunc](*inputs, **{**options, "axis": axis})
    if method == "accumulate" and ufunc in reductions.ACCUMULATIONS:
        return reductions.ACCUMULATIONS[ufunc](*inputs, **{"axis": 0, **options})
    function = UFUNCS.get(ufunc)
    if function is None or method != "__call__" or options:
        raise UsageError(f"np.{ufunc.__name__} {'with these options ' if function else ''}has no counterpart for traced "
                         "values")
    return function(*inputs)


def full_like(x: Any, value: Any, dtype: Optional[DTypeLike] = None, order: str = "K", subok: bool = True,
              shape: Any = None) -> Value:
    y = constant(x)
    return full(y.shape if shape is None else shape, value, y.dtype if dtype is None else dtype)


def astype(x: Any, dtype: DTypeLike, **_: Any) -> Value:
    return cast(x, dtype)


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    **movement.FUNCTIONS, **parts.FUNCTIONS, **elementwise.FUNCTIONS, **reductions.FUNCTIONS, **products.FUNCTIONS,
    **matrices.FUNCTIONS, **statistics.FUNCTIONS,
    np.full_like: full_like, np.zeros_like: lambda x, *more, **names: full_like(x, 0, *more, **names),
    np.empty_like: lambda x, *more, **names: full_like(x, 0, *more, **names),
    np.ones_like: lambda x, *more, **names: full_like(x, 1, *more, **names), np.shape: lambda x: constant(x).shape,
    np.ndim: lambda x: constant(x).ndim,
}


def call_function(function: Any, args: Any, kwargs: Any) -> Any:
    own = FUNCTIONS.get(function)
    if own is None:
        module = str(function.__module__).replace("numpy", "np", 1)
        raise UsageError(f"{module}.{function.__name__} has no counterpart for traced values")
    return with_result(own, *args, **kwargs)


def with_result(function: Any, *args: Any, **names: Any) -> Any:
    """What FUNCTION gives, which is nowhere else."""
    if names.get("out") is not None:
        raise UsageError("out= has no counterpart in a traced function: the result is what the call gives")
    return function(*args, **names)


_AS_FUNCTIONS = ("sum mean prod any all var std argmax argmin reshape ravel transpose swapaxes squeeze take clip dot cumsum "
                 "cumprod argsort repeat diagonal ptp conj conjugate").split()
METHODS: dict[str, Callable[..., Any]] = {
    **{name: FUNCTIONS.get(getattr(np, name)) or UFUNCS[getattr(np, name)] for name in _AS_FUNCTIONS},
    "max": reductions.amax, "min": reductions.amin, "flatten": movement.ravel, "round": elementwise.around,
    "astype": astype, "copy": constant,
}
PROPERTIES: dict[str, Callable[[Value], Any]] = {"T": movement.transpose, "real": elementwise.real,
                                                 "imag": elementwise.imag}
