"""Results of runs, and what a program takes as inputs."""
from __future__ import annotations

from typing import Any, Optional, Sequence, Union

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from . import _dlpack
from ._cast import convert, values
from ._dtypes import BY_NAME, DType, DTypeLike, Type, dtype as dtype_of, foreign_dtype, name_of, numbers_of, plain_array

Array = np.ndarray[Any, Any]


class Tensor(NDArrayOperatorsMixin):
    """A dense tensor: what a run gives. NumPy takes it as an array, others take it through DLPack, both without a copy.

    Element types that NumPy lacks (bf16, fp8, 4-bit integers) are those of the package ml_dtypes where a program
    imported it. Else NumPy's functions, operators and indices see the values: bf16 and fp8 as float32, which can only
    be read, the integers as int8 and uint8; `numpy()` gives the bit patterns.

    >>> t = tensor([[1, 2], [3, 4]], "f32")
    >>> t
    Tensor(f32[2, 2], [[1.0, 2.0], [3.0, 4.0]])
    >>> (t @ t).tolist(), float(t.sum())
    ([[7.0, 10.0], [15.0, 22.0]], 10.0)
    """
    __slots__ = ("_array", "_dtype")
    __array_priority__ = 1

    def __init__(self, array: Array, dtype: DType) -> None:
        if type(dtype) is not DType or array.dtype is not dtype.storage:
            dtype = dtype_of(dtype)
            array = _stored(array, dtype)
        self._array = array  # of the storage of the type
        self._dtype = dtype

    @property
    def dtype(self) -> str:
        """The element type, such as "f32"."""
        return self._dtype.name

    @property
    def shape(self) -> tuple[int, ...]:
        return self._array.shape

    @property
    def ndim(self) -> int:
        return self._array.ndim

    @property
    def size(self) -> int:
        return self._array.size

    @property
    def nbytes(self) -> int:
        return self._array.nbytes

    @property
    def type(self) -> Type:
        return Type(self._dtype, self._array.shape)

    def numpy(self) -> Array:
        """The elements in place; bit patterns where NumPy has no such type and ml_dtypes is not there."""
        if self._dtype.exact:
            return self._array
        foreign = foreign_dtype(self._dtype)
        # A type of 4 bits has one element in each byte there, too.
        return self._array if foreign is None else self._array.view(foreign)

    def _values(self) -> Array:
        """The elements as NumPy is to see them: in place, or those of bit patterns as float32."""
        a = self.numpy()
        found = values(a, self._dtype) if a is self._array else None
        return a if found is None else found

    def bits(self) -> Array:
        """The elements in place as unsigned integers, or pairs of them: what makes two results equal."""
        a = self._array if self._array.flags.c_contiguous else self._array.copy()
        size = a.itemsize if a.itemsize <= 8 else 8
        return a.reshape(a.shape + (1,)).view(f"u{size}")

    def astype(self, dtype: DTypeLike) -> Array:
        """The elements as another type, converted as `cast` converts them in a program: integers saturate, floats are
        rounded to nearest even. bf16 and fp8 are `numpy()` of such a tensor.

        >>> Tensor(np.array([0x3f80, 0xc000], np.uint16), dtype_of("bf16")).astype("float32").tolist()
        [1.0, -2.0]
        >>> tensor([600, -1]).astype("ui8").tolist()
        [255, 0]
        """
        try:
            to = dtype_of(dtype)
        except TypeError:
            return self._values().astype(dtype)  # type: ignore[arg-type]
        if self._dtype.is_complex and not to.is_complex:
            raise TypeError(f"a tensor of {self.dtype} is not converted to {to}; its attributes real and imag are")
        return Tensor(convert(self._array, self._dtype, to), to).numpy()

    def __copy__(self) -> Tensor:
        return Tensor(self._array.copy(), self._dtype)

    def __deepcopy__(self, _memo: Any) -> Tensor:
        return self.__copy__()

    def __reduce__(self) -> Any:
        return Tensor, (self._array, self._dtype)

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> Array:
        a = self._values()
        to = a.dtype if dtype is None else np.dtype(dtype)
        if copy is False and (to != a.dtype or not np.may_share_memory(a, self._array)):
            raise ValueError(f"a tensor of {self.dtype} cannot be an array of {to} without a copy")
        if to != a.dtype:
            return self.astype(to).astype(to, copy=False)
        return a.copy() if copy else a

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        def plain(x: Any) -> Any:
            return x._values() if isinstance(x, Tensor) else x
        given = options.get("out")
        if given:
            options["out"] = tuple(plain(x) for x in given)
        results = getattr(ufunc, method)(*(plain(x) for x in inputs), **options)
        if not given:
            return results
        # What was written to is the result, so that `t += 1` leaves a tensor.
        many = isinstance(results, tuple)
        own = tuple(r if x is None else x for x, r in zip(given, results if many else (results,)))
        return own if many else own[0]

    def __dlpack__(self, *, stream: Any = None, max_version: Optional[tuple[int, int]] = None,
                   dl_device: Optional[tuple[int, int]] = None, copy: Optional[bool] = None) -> Any:
        if dl_device is not None and int(dl_device[0]) != _dlpack.CPU:
            raise BufferError("the tensor is in the memory of the CPU")
        # DLPack counts strides in elements, which those of a field of a structure need not be.
        apart = any(s % self._array.itemsize for s in self._array.strides)
        if apart and copy is False:
            raise BufferError("the strides of the tensor are no multiples of its elements")
        copied = bool(copy) or apart
        array = self._array.copy() if copied else self._array
        return _dlpack.export(array, self._dtype, max_version is not None and max_version[0] >= 1, copied)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (_dlpack.CPU, 0)

    def __getattr__(self, name: str) -> Any:  # sum, mean, reshape and others of arrays
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._values(), name)

    def __getitem__(self, key: Any) -> Any:
        return self._values()[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._values()[key] = value

    def __len__(self) -> int:
        return len(self._array)

    def __iter__(self) -> Any:
        return iter(self._values())

    def __contains__(self, value: Any) -> bool:
        return value in self._values()

    def __float__(self) -> float:
        return float(self._values())

    def __int__(self) -> int:
        return int(self._values())

    def __complex__(self) -> complex:
        return complex(self._values())

    def __bool__(self) -> bool:
        return bool(self._values())

    def __index__(self) -> int:
        return self._values().__index__()

    def __format__(self, spec: str) -> str:  # of one number, as Python's: f"{loss:.4f}"
        values = self._values()
        return str(self) if not spec else format(values if values.ndim else values.item(), spec)

    def __matmul__(self, other: Any) -> Any:
        return np.matmul(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return np.matmul(other, self)

    def __repr__(self) -> str:
        shown = self._values()
        text = str(shown.tolist()) if shown.size <= 16 else np.array2string(shown, threshold=64, separator=", ")
        return f"Tensor({self.type}, {text})"

    def _repr_html_(self) -> str:
        from ._html import tensor_html
        return tensor_html(self)


def _stored(array: Any, d: DType) -> Array:
    """ARRAY, whose elements are the bits of those of D, as one of the storage of D."""
    a = plain_array(array)
    if a.dtype != d.storage:
        raise TypeError(f"a tensor of {d} is made of an array of {d.storage}, not of {describe(a)}; tenon.tensor converts")
    return a


def describe(a: Array) -> str:
    """The type of an array as an error shows it."""
    return f"{a.dtype}[{', '.join(map(str, a.shape))}]"


def wanted_text(d: DType, shape: Sequence[Union[int, str, None]]) -> str:
    return f"{d.foreign}[{', '.join('?' if n is None else str(n) for n in shape)}]"


def storage_of(x: Any, d: DType, what: str, wanted: str) -> Array:
    """X as an array of the storage of D, in place where it can be; an error names WHAT and says what is WANTED.

    Numbers and lists take the type; arrays of another type are refused.
    """
    if isinstance(x, Tensor):
        if x._dtype is not d:
            raise TypeError(f"{what} wants {wanted}, got {x.type}")
        return x._array
    if isinstance(x, np.ndarray):
        return _array_storage(plain_array(x), d, what, wanted)
    if isinstance(x, (np.number, np.bool_)) and x.dtype.kind in "biufc":
        return _number_storage(np.asarray(x), d, what, wanted)
    if isinstance(x, (bool, int, float, complex, list, tuple, range)):
        return _number_storage(_plain_array(x, what), d, what, wanted)
    if hasattr(x, "__dlpack__"):
        try:
            array, own = _dlpack.take(x)
        except BufferError as error:
            raise BufferError(f"{what}: {error}") from error.__cause__
        if own is not d:
            raise TypeError(f"{what} wants {wanted}, got {own.foreign}[{', '.join(map(str, array.shape))}]")
        return array
    if hasattr(x, "__array_interface__") or hasattr(x, "__array__"):
        return _array_storage(plain_array(x), d, what, wanted)
    try:
        return _array_storage(plain_array(memoryview(x)), d, what, wanted)
    except TypeError:
        raise TypeError(f"{what} wants {wanted}, got an object of type {type(x).__name__}") from None


def _plain_array(x: Any, what: str) -> Array:
    try:
        a = plain_array(x)
    except ValueError as error:
        raise TypeError(f"{what}: the list is no tensor: {error}") from None
    if a.dtype.kind not in "biufc" and a.size:
        raise TypeError(f"{what}: the list holds something that is not a number")
    return a


_FOUR_BITS = {"si4": (-8, 7), "ui4": (0, 15)}  # of which an element fills a byte


def _is_in_range(a: Array, d: DType) -> bool:
    low, high = _FOUR_BITS.get(d.name, (None, None))
    return low is None or not bool(((a < low) | (a > high)).any())


def _array_storage(a: Array, d: DType, what: str, wanted: str) -> Array:
    own = BY_NAME.get(name_of(a.dtype))
    if a.dtype == d.storage:
        if d.name in _FOUR_BITS and not _is_in_range(a, d):
            low, high = _FOUR_BITS[d.name]
            raise TypeError(f"{what} wants {wanted}, which holds {low} to {high}, and there are others in the array")
        return a
    if own is d and a.dtype.itemsize == d.storage.itemsize:  # of ml_dtypes
        return a.view(d.storage)
    hint = f"; x.astype('{d.storage}') converts" if d.exact else f"; give the bit patterns as {d.storage}"
    hint = hint if a.dtype.kind in "biufcO" else ""
    hint = f"; x[{a.dtype.names[0]!r}] is a field of it" if a.dtype.names else hint
    raise TypeError(f"{what} wants {wanted}, got {describe(a)}{hint}")


def _number_storage(a: Array, d: DType, what: str, wanted: str) -> Array:
    """Numbers become what they are in D: exactly for integers, rounded for floats."""
    if a.size == 0:
        return np.zeros(a.shape, d.storage)
    if not d.exact and d.is_float:
        if d.name == "bf16" and a.dtype.kind in "biuf":
            return _round_to_bf16(a)
        raise TypeError(f"{what} wants {wanted}; numbers of that type are given as bit patterns, an array of "
                        f"{d.storage}")
    order = "biufc"
    if order.index(a.dtype.kind.replace("u", "i")) > order.index(d.storage.kind.replace("u", "i")):
        raise TypeError(f"{what} wants {wanted}, got {a.reshape(-1)[0].item()!r}")
    with np.errstate(all="ignore"):
        out = a.astype(d.storage)
    if d.storage.kind in "iu" and not (_is_in_range(a, d) and (out == a).all()):
        which = repr(a.reshape(-1)[0].item()) if a.size == 1 else "some of these numbers"
        raise TypeError(f"{what} wants {wanted}, which does not hold {which}")
    return out


def _round_to_bf16(a: Array) -> Array:
    # By way of f64, from which one rounding to nearest even leads to 8 bits of precision.
    wide = a.astype(np.float64).reshape(-1)  # of one axis: NumPy 1 makes floats of a single uint64 and a number
    single = wide.astype(np.float32)
    bits = single.view(np.uint32).astype(np.uint64)
    # Where f32 had to round, its last bit is made sticky, so that rounding again does not count twice.
    with np.errstate(invalid="ignore"):
        away = np.abs(single.astype(np.float64)) > np.abs(wide)
        exact = single.astype(np.float64) == wide
    bits = np.where(exact | np.isnan(wide), bits, np.where(away, (bits - 1) | 1, bits | 1))
    rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16
    return np.where(np.isnan(wide), np.uint64(0x7fc0), rounded).astype(np.uint16).reshape(a.shape)


def tensor(x: Any, dtype: Optional[DTypeLike] = None) -> Tensor:
    """X as a tensor: an array, a number, a list, or an object with `__dlpack__`, in place where that can be.

    dtype  of numbers and lists; by default that of NumPy, f32 for floats. An array must have it already.
    """
    if isinstance(x, Tensor) and (dtype is None or dtype_of(dtype) is x._dtype):
        return x
    if dtype is None:
        if not isinstance(x, np.ndarray) and hasattr(x, "__dlpack__"):
            return Tensor(*_dlpack.take(x))
        a = numbers_of(x)
        d = dtype_of(a.dtype)
        if isinstance(x, (float, list, tuple)) and d.name == "f64":
            d = dtype_of("f32")
    else:
        d = dtype_of(dtype)
    return Tensor(storage_of(x, d, "the tensor", d.foreign), d)
