"""Conversions between element types, as a program of the library does them."""
from __future__ import annotations

from typing import Any, Optional

import numpy as np

from ._dtypes import BY_NAME, DType, Type

_programs: dict[tuple[int, int], Any] = {}


def convert(array: np.ndarray[Any, Any], d: DType, to: DType) -> np.ndarray[Any, Any]:
    """The elements of ARRAY, the storage of D, as the storage of TO: those that the operation `cast` gives."""
    if d is to:
        return array.copy()
    if d.name == "bf16" and to.name == "f32":  # no bit needs a decision
        wide: np.ndarray[Any, Any] = array.reshape(-1).astype(np.uint32) << 16
        return wide.view(np.float32).reshape(array.shape)
    key = d.code, to.code
    program = _programs.get(key)
    if program is None:
        from ._trace import Trace, cast, input_value
        with Trace("cast") as t:
            module = t.finish([cast(input_value("x", Type(d, ("n",))), to)])
        program = _programs[key] = module.compile(engine="ref", threads=1)
    from ._tensor import Tensor
    out: np.ndarray[Any, Any] = program(Tensor(np.ascontiguousarray(array).reshape(-1), d))._array
    return out.reshape(array.shape)


def values(array: np.ndarray[Any, Any], d: DType) -> Optional[np.ndarray[Any, Any]]:
    """The elements of ARRAY, bit patterns of the float type D, as f32, which has all their values; None for a type
    whose storage has its values. They can only be read: a change would be lost."""
    if d.exact or not d.is_float:
        return None
    out = convert(array, d, BY_NAME["f32"])
    out.flags.writeable = False
    return out
