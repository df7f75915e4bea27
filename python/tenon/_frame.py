"""What a run needs: the C structures of its inputs, outputs and options, filled from arrays."""
from __future__ import annotations

import ctypes
import sys
from ctypes import addressof, byref, c_char
from typing import TYPE_CHECKING, Any, Callable, Iterable

import numpy as np

from . import _library as c
from ._context import Hooks
from ._dtypes import DType, Type, is_known
from ._errors import InputError, UsageError
from ._owned import NotCopied
from ._tensor import Array, Tensor, describe, storage_of, wanted_text

if TYPE_CHECKING:
    from ._program import Program

_from_buffer: Callable[[Any], c_char] = c_char.from_buffer
_ndarray = np.ndarray
_empty = np.empty

LINE = 64
LARGE = 1 << 19  # bytes of a result, from which it pays to place it well
CANCEL_NS = 20_000_000  # between two looks for Ctrl-C during a run


class In:
    """One input: what it takes, and the C structure to fill."""
    __slots__ = ("name", "dtype", "storage", "shape", "wants", "buffer", "mask", "last", "index")

    def __init__(self, index: int, name: str, t: Type, buffer: Any) -> None:
        self.index = index
        self.name, self.dtype, self.storage = name, t.dtype, t.dtype.storage
        self.wants = t.shape
        # None: any run may have other extents
        self.shape = t.shape if is_known(t.shape) else None
        self.buffer = buffer
        self.mask = t.dtype.storage.alignment - 1
        self.last: Any = self.shape
        set_type(buffer, t.dtype, t.shape)


class Out:
    __slots__ = ("name", "dtype", "storage", "shape", "wants", "buffer", "bytes")

    def __init__(self, name: str, t: Type, buffer: Any) -> None:
        self.name, self.dtype, self.storage = name, t.dtype, t.dtype.storage
        self.wants = t.shape
        known = is_known(t.shape)
        self.shape: Any = t.shape if known else None
        self.buffer = buffer
        set_type(buffer, t.dtype, t.shape)
        self.bytes: int = buffer.bytes if known else 0
        buffer.bytes = self.bytes


def set_type(buffer: Any, d: DType, shape: Iterable[Any]) -> None:
    shape = tuple(shape)
    buffer.type.dtype = d.code
    buffer.type.rank = len(shape)
    size = d.storage.itemsize
    for i, n in enumerate(shape):
        buffer.type.dims[i] = n if isinstance(n, int) else 0
        size *= buffer.type.dims[i]
    buffer.bytes = size


def fresh(shape: Any, storage: np.dtype[Any], size: int) -> Array:
    """An array of SIZE bytes, a large one from a cache line on: a vector that lies in two lines is stored in twice the time."""
    if size < LARGE:
        return _empty(shape, storage)
    room = _empty(size + LINE, np.uint8)
    return _ndarray(shape, storage, room, -addressof(_from_buffer(room)) % LINE)


class Owner(NotCopied):
    """Memory that the library allocated for a result."""

    def __init__(self, program: Program, buffer: Any) -> None:
        self._program = program
        self._buffer = c.Buffer()
        ctypes.pointer(self._buffer)[0] = buffer

    def array(self, d: DType) -> Array:
        t = self._buffer.type
        shape = tuple(t.dims[:t.rank])
        if 0 in shape or not self._buffer.data:
            return np.zeros(shape, d.storage)
        self.__array_interface__ = {"version": 3, "shape": shape, "typestr": d.storage.str,
                                    "data": (self._buffer.data, False)}
        return np.asarray(self)

    def __del__(self) -> None:
        if not sys.is_finalizing() and self._program.handle:
            c.lib.tn_buffer_release(self._program.handle, byref(self._buffer))


class Frame(NotCopied):
    """What one run at a time needs; a program keeps those that are not in use."""

    def __init__(self, program: Program) -> None:
        ins, outs = program._input_types, program._output_types
        self.ins = (c.Buffer * max(1, len(ins)))()
        self.outs = (c.Buffer * max(1, len(outs)))()
        self.inputs = [In(i, name, t, self.ins[i]) for i, (name, t) in enumerate(ins)]
        self.outputs = [Out(name, t, self.outs[i]) for i, (name, t) in enumerate(outs)]
        self.hooks = Hooks()
        self.hooks.handle = program._context.handle
        self._sink = self.hooks.sink()
        self.options = c.RunOptions(size=ctypes.sizeof(c.RunOptions), threads=0, seed=0,
                                    sink=ctypes.pointer(self._sink), cancel=self.hooks.cancel(),
                                    cancel_interval_ns=CANCEL_NS)
        self.arguments = (program.handle, addressof(self.ins), len(ins), addressof(self.outs), len(outs),
                          addressof(self.options))
        self.fast = [(i, i.storage, i.buffer, i.mask) for i in self.inputs]
        self.fast_out = [(o.buffer, o.shape, o.storage, o.dtype, o.bytes) for o in self.outputs]
        self.is_plain = all(o.shape is not None and o.bytes > 0 for o in self.outputs)

    def fit(self, i: In, x: Any) -> Array:
        """X as an array that the library can read in place, which may be a copy; fills the structure."""
        wanted = wanted_text(i.dtype, i.wants)
        try:
            a = storage_of(x, i.dtype, f"input '{i.name}'", wanted)
        except (TypeError, BufferError) as error:
            from ._trace import Value
            if isinstance(x, Value):
                raise UsageError(f"input '{i.name}' is given a traced value, which has no elements while the program is made: a "
                                 "compiled program is called before or after, with arrays") from None
            raise InputError(str(error)) from None
        if len(a.shape) != len(i.wants) or any(isinstance(n, int) and n != m for n, m in
                                                   zip(i.wants, a.shape)):
            raise InputError(f"input '{i.name}' wants {wanted}, got {describe(a)}")
        if not (a.flags.c_contiguous and a.flags.aligned):
            a = np.array(a, order="C", copy=True)
        if i.shape is None and a.shape != i.last:
            set_type(i.buffer, i.dtype, a.shape)
            i.last = a.shape
        i.buffer.data = a.__array_interface__["data"][0]
        return a

    def give(self, o: Out, x: Any) -> None:
        """Let the output be written to X, an array of the caller's."""
        array = x._array if isinstance(x, Tensor) else x
        if not isinstance(array, _ndarray) or array.dtype != o.storage:
            raise InputError(f"output '{o.name}' is {wanted_text(o.dtype, o.wants)}, and cannot be written to "
                             f"{describe(array) if isinstance(array, _ndarray) else type(x).__name__}")
        if isinstance(array, np.ma.MaskedArray) and bool(np.asarray(array.mask).any()):
            raise InputError(f"output '{o.name}' cannot be written to an array with masked elements; x.data has none")
        if o.shape is not None and array.shape != o.shape:
            raise InputError(f"output '{o.name}' is {wanted_text(o.dtype, o.shape)}, and cannot be written to "
                             f"{describe(array)}")
        if not (array.flags.c_contiguous and array.flags.writeable and array.flags.aligned):
            raise InputError(f"output '{o.name}' can only be written to an array that is contiguous, aligned and "
                             "writeable")
        if o.shape is None:
            set_type(o.buffer, o.dtype, array.shape)
        o.buffer.data = array.__array_interface__["data"][0]

    def take(self, program: Program, o: Out) -> Tensor:
        """The result that the library allocated."""
        array = Owner(program, o.buffer).array(o.dtype)
        o.buffer.data = None
        o.buffer.bytes = o.bytes
        return Tensor(array, o.dtype)
