"""Element types: their names, and what stands for them in NumPy."""
from __future__ import annotations

import re
import sys
from typing import Any, NamedTuple, Optional, Union

import numpy as np

from . import _library as c


class Name(str):
    """The name of an element type. It equals all that names that type for NumPy, too."""
    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str) and str.__eq__(self, other):
            return True
        try:
            return isinstance(other, (str, type, np.dtype)) and str.__eq__(self, dtype(other).name)
        except TypeError:
            return False

    def __ne__(self, other: object) -> bool:
        return not self == other


class DType(NamedTuple):
    """An element type: its name in Tenon, its number in the C interface, and the NumPy type of its storage."""
    name: str
    code: int
    storage: np.dtype[Any]  # of the same bytes; a bit pattern where NumPy lacks the type
    exact: bool             # `storage` is the type itself
    foreign: str            # its name in NumPy, or in the package ml_dtypes
    dlpack: Optional[tuple[int, int]]  # code and bits

    @property
    def is_float(self) -> bool:
        return self.name[0] in "fb"

    @property
    def is_complex(self) -> bool:
        return self.name[0] == "c"

    @property
    def is_integer(self) -> bool:
        return self.name[0] in "su"

    def __str__(self) -> str:
        return self.name

    def __reduce__(self) -> Any:  # there is one of each, also after copying
        return dtype, (str(self.name),)


# In the order of tn_dtype.
_TABLE = [("i1", "bool", "bool", (6, 8)), ("si4", "int8", "int4", None), ("ui4", "uint8", "uint4", None),
          ("si8", "int8", "int8", (0, 8)), ("ui8", "uint8", "uint8", (1, 8)), ("si16", "int16", "int16", (0, 16)),
          ("ui16", "uint16", "uint16", (1, 16)), ("si32", "int32", "int32", (0, 32)),
          ("ui32", "uint32", "uint32", (1, 32)), ("si64", "int64", "int64", (0, 64)),
          ("ui64", "uint64", "uint64", (1, 64)), ("fp8_e4m3", "uint8", "float8_e4m3fn", (10, 8)),
          ("fp8_e5m2", "uint8", "float8_e5m2", (12, 8)), ("bf16", "uint16", "bfloat16", (4, 16)),
          ("f16", "float16", "float16", (2, 16)), ("f32", "float32", "float32", (2, 32)),
          ("f64", "float64", "float64", (2, 64)), ("cf32", "complex64", "complex64", (5, 64)),
          ("cf64", "complex128", "complex128", (5, 128))]
DTYPES = [DType(Name(name), code, np.dtype(storage), storage == foreign, foreign, dlpack)
          for code, (name, storage, foreign, dlpack) in enumerate(_TABLE)]
BY_NAME = {d.name: d for d in DTYPES} | {d.foreign: d for d in DTYPES}
BY_NAME.update({"i8": BY_NAME["si8"], "i16": BY_NAME["si16"], "i32": BY_NAME["si32"], "i64": BY_NAME["si64"],
                "u8": BY_NAME["ui8"], "u16": BY_NAME["ui16"], "u32": BY_NAME["ui32"], "u64": BY_NAME["ui64"],
                "float8_e4m3": BY_NAME["fp8_e4m3"]})
DTypeLike = Union[str, DType, "np.dtype[Any]", type]
Dims = tuple[Union[int, str, None], ...]


def is_known(shape: Dims) -> bool:
    return all(isinstance(n, int) for n in shape)


def name_of(dtype: np.dtype[Any]) -> str:
    """What NumPy or ml_dtypes calls a type. Those of ml_dtypes are of kind V, of which NumPy names only the class."""
    return dtype.type.__name__ if dtype.kind == "V" else dtype.name


def dtype(like: DTypeLike) -> DType:
    """The element type that LIKE names: `"f32"`, `"float32"`, `np.float32`, `"bf16"`, `"bfloat16"`.

    >>> dtype("float32").name, dtype(np.int64).name, dtype("bfloat16").name
    ('f32', 'si64', 'bf16')
    """
    if isinstance(like, DType):
        return like
    name = like if isinstance(like, str) else name_of(np.dtype(like))
    found = BY_NAME.get(name)
    if found is None and isinstance(like, str):
        try:
            found = BY_NAME.get(np.dtype(like).name)
        except TypeError:
            pass
    if found is None:
        raise TypeError(f"there is no element type '{name}'; there are {', '.join(d.name for d in DTYPES)}")
    return found


def foreign_dtype(d: DType) -> Optional[np.dtype[Any]]:
    """The NumPy type of D: its own, or that of the package ml_dtypes where a program imported that."""
    if d.exact:
        return d.storage
    package = sys.modules.get("ml_dtypes")
    return np.dtype(getattr(package, d.foreign)) if package is not None and hasattr(package, d.foreign) else None


class Type(NamedTuple):
    """The type of a tensor. An extent is a number, the name of a symbol, or None: only a run knows it."""
    dtype: DType
    shape: Dims

    def __str__(self) -> str:
        return f"{self.dtype.name}[{', '.join('?' if n is None else str(n) for n in self.shape)}]"


_TYPE = re.compile(r"\s*(\w+)\s*(?:\[([^\]]*)\])?\s*")
_NAME = re.compile(r"[A-Za-z_]\w*")


def parse_type(text: str) -> Type:
    """The type that TEXT spells.

    >>> str(parse_type("float32[batch, 3]"))
    'f32[batch, 3]'
    >>> parse_type("f64").shape
    ()
    """
    found = _TYPE.fullmatch(text) if isinstance(text, str) else None
    if not found:
        raise (ValueError if isinstance(text, str) else TypeError)(f"{text!r} is no type; write for example 'f32[8, 3]' or 'f32[batch, 3]'")
    extents = [e.strip() for e in (found[2] or "").split(",") if e.strip()]
    shape: list[Union[int, str, None]] = []
    for extent in extents:
        if extent.isdecimal():
            shape.append(int(extent))
        elif _NAME.fullmatch(extent):
            shape.append(extent)
        else:
            raise ValueError(f"'{extent}' in '{text}' is neither a number nor the name of an extent")
    return Type(dtype(found[1]), tuple(shape))


def public_type(t: c.Type) -> Type:
    return Type(DTYPES[t.dtype], tuple(None if n < 0 else n for n in t.dims[:t.rank]))


def c_type(d: DType, shape: tuple[int, ...]) -> c.Type:
    if len(shape) > c.MAX_RANK:
        raise ValueError(f"a tensor of rank {len(shape)}; the highest rank is {c.MAX_RANK}")
    out = c.Type(d.code, len(shape))
    for i, n in enumerate(shape):
        out.dims[i] = n
    return out


def plain_array(x: Any) -> np.ndarray[Any, Any]:
    """X as an array of NumPy in the byte order of this machine. What the mask of one hides has no value."""
    parts = x if isinstance(x, (list, tuple)) else (x,)
    if any(isinstance(part, np.ma.MaskedArray) and bool(np.asarray(part.mask).any()) for part in parts):
        raise TypeError("the array has masked elements, which have no value; x.filled(y) gives them one")
    a = np.asarray(x)
    return a if a.dtype.isnative else a.astype(a.dtype.newbyteorder("="))


def is_number(x: Any) -> bool:
    """Is X a scalar of NumPy that is a number or a truth value?"""
    return isinstance(x, np.generic) and x.dtype.kind in "biufc"


def refuse_matrix(x: Any) -> None:
    """Refuse an np.matrix where `*` of arrays is meant."""
    if isinstance(x, np.matrix):
        raise TypeError("an np.matrix has other products than arrays have, which are meant here: np.asarray(x) makes an array of it")


def numbers_of(x: Any) -> np.ndarray[Any, Any]:
    """The same; X must be numbers of some kind."""
    a = plain_array(x)
    if a.dtype.kind in "OSU":
        what = f"array of {a.dtype}" if isinstance(x, np.ndarray) else f"object of type {type(x).__name__}"
        raise TypeError(f"an {what} is no tensor of numbers")
    return a
