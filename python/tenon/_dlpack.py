"""DLPack: tensors of other libraries in, and Tensor out, without copies and without a compiler."""
from __future__ import annotations

import ctypes
from ctypes import (CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int32, c_int64, c_uint8, c_uint16,
                    c_uint32, c_uint64, c_void_p, py_object, pythonapi)
from typing import Any, Optional

import numpy as np

from ._dtypes import BY_NAME, DTYPES, DType, name_of
from ._owned import NotCopied

CPU = 1
_READ_ONLY, _COPIED = 1, 2


class _Device(Structure):
    _fields_ = [("type", c_int32), ("id", c_int32)]


class _Tensor(Structure):
    data: Optional[int]
    device: _Device
    ndim: int
    code: int
    bits: int
    lanes: int
    shape: Any
    strides: Any
    byte_offset: int
    _fields_ = [("data", c_void_p), ("device", _Device), ("ndim", c_int32), ("code", c_uint8), ("bits", c_uint8),
                ("lanes", c_uint16), ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)),
                ("byte_offset", c_uint64)]


_Deleter = CFUNCTYPE(None, c_void_p)


class _Old(Structure):
    tensor: _Tensor
    deleter: Any
    _fields_ = [("tensor", _Tensor), ("context", c_void_p), ("deleter", _Deleter)]


class _Versioned(Structure):
    major: int
    tensor: _Tensor
    deleter: Any
    _fields_ = [("major", c_uint32), ("minor", c_uint32), ("context", c_void_p), ("deleter", _Deleter),
                ("flags", c_uint64), ("tensor", _Tensor)]


_OLD, _VERSIONED = b"dltensor", b"dltensor_versioned"  # the names of capsules: they must stay at one address
_USED_OLD, _USED_VERSIONED = b"used_dltensor", b"used_dltensor_versioned"
_names = {name: c_char_p(name) for name in (_OLD, _VERSIONED, _USED_OLD, _USED_VERSIONED)}

_Destructor = CFUNCTYPE(None, c_void_p)
_new = pythonapi.PyCapsule_New
_new.restype, _new.argtypes = py_object, [c_void_p, c_char_p, _Destructor]
_is_valid = pythonapi.PyCapsule_IsValid
_is_valid.restype, _is_valid.argtypes = c_int, [py_object, c_char_p]
_pointer = pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = c_void_p, [py_object, c_char_p]
_set_name = pythonapi.PyCapsule_SetName
_set_name.restype, _set_name.argtypes = c_int, [py_object, c_char_p]
# The same for a capsule that is being destroyed, of which no reference may be made.
_Api = ctypes.PyDLL(None)
_raw_is_valid = _Api.PyCapsule_IsValid
_raw_is_valid.restype, _raw_is_valid.argtypes = c_int, [c_void_p, c_char_p]
_raw_pointer = _Api.PyCapsule_GetPointer
_raw_pointer.restype, _raw_pointer.argtypes = c_void_p, [c_void_p, c_char_p]

# What consumers hold: by the address of the managed tensor, the structure with all that it points to.
_held: dict[int, tuple[Any, ...]] = {}


def _forget(at: int) -> None:
    _held.pop(at, None)


def _destroyed(capsule: int) -> None:
    """The capsule goes away: if no consumer took it, it owns the tensor."""
    for name in (_OLD, _VERSIONED):
        if _raw_is_valid(capsule, _names[name]):
            _forget(_raw_pointer(capsule, _names[name]))


# At the end of the process C may still call these; ctypes then does nothing, since they live as long as the module.
_forget_hook = _Deleter(_forget)
_destroyed_hook = _Destructor(_destroyed)


def export(array: np.ndarray[Any, Any], d: DType, versioned: bool, copied: bool) -> Any:
    """A capsule with the elements of ARRAY, which are those of D; it keeps ARRAY alive."""
    if d.dlpack is None:
        raise BufferError(f"DLPack has no elements of type {d.name}")
    shape = (c_int64 * max(1, array.ndim))(*array.shape)
    size = array.itemsize
    strides = (c_int64 * max(1, array.ndim))(*[s // size for s in array.strides])
    code, bits = d.dlpack
    tensor = _Tensor(array.__array_interface__["data"][0], _Device(CPU, 0), array.ndim, code, bits, 1, shape, strides,
                     0)
    managed: Any
    if versioned:
        flags = (0 if array.flags.writeable else _READ_ONLY) | (_COPIED if copied else 0)
        managed = _Versioned(1, 0, None, _forget_hook, flags, tensor)
    else:
        managed = _Old(tensor, None, _forget_hook)
    at = ctypes.addressof(managed)
    _held[at] = (managed, shape, strides, array)
    return _new(at, _names[_VERSIONED if versioned else _OLD], _destroyed_hook)


_BY_CODE = {d.dlpack: d for d in DTYPES if d.dlpack}


class _Owner(NotCopied):
    """Tensor data of another library, as NumPy sees it; tells its owner when nobody uses it any more."""

    def __init__(self, managed: Any, interface: dict[str, Any]) -> None:
        self._managed = managed
        self.__array_interface__ = interface

    def __del__(self) -> None:
        if self._managed.deleter:
            self._managed.deleter(ctypes.addressof(self._managed))


def take(tensor: Any) -> tuple[np.ndarray[Any, Any], DType]:
    """The elements of an object with `__dlpack__`, in place, as an array of their storage, and their type."""
    try:
        if hasattr(tensor, "__dlpack_device__") and int(tensor.__dlpack_device__()[0]) != CPU:
            raise BufferError("the tensor is not in the memory of the CPU; copy it there first")
    except (RuntimeError, ValueError) as error:  # such as `meta` of PyTorch
        raise BufferError(f"an object of type {type(tensor).__name__} has no memory of the CPU: {str(error).rstrip('.')}") from error
    try:
        try:
            capsule = tensor.__dlpack__(max_version=(1, 0))
        except TypeError:  # of before DLPack 1.0
            capsule = tensor.__dlpack__()
    except (BufferError, RuntimeError, ValueError) as error:  # such as bool, which DLPack lacked
        try:
            array = np.asarray(tensor)
            return array, BY_NAME[name_of(array.dtype)]
        except Exception:
            raise BufferError(f"an object of type {type(tensor).__name__} does not give its elements: "
                              f"{str(error).rstrip('.')}") from error
    managed: Any
    if _is_valid(capsule, _names[_VERSIONED]):
        managed = _Versioned.from_address(_pointer(capsule, _names[_VERSIONED]))
        if managed.major != 1:
            raise BufferError(f"DLPack {managed.major} is not known")
        _set_name(capsule, _names[_USED_VERSIONED])
    elif not _is_valid(capsule, _names[_OLD]):
        raise BufferError(f"an object of type {type(tensor).__name__} gives no DLPack capsule, or one that was used")
    else:
        managed = _Old.from_address(_pointer(capsule, _names[_OLD]))
        _set_name(capsule, _names[_USED_OLD])
    t = managed.tensor
    d = _BY_CODE.get((t.code, t.bits)) if t.lanes == 1 else None
    owner = _Owner(managed, {})
    if t.device.type != CPU or d is None:
        raise BufferError("the tensor is not in the memory of the CPU" if t.device.type != CPU else
                          f"elements with the DLPack code {t.code} of {t.bits} bits have no type here")
    shape = tuple(t.shape[:t.ndim])
    size = d.storage.itemsize
    strides = tuple(s * size for s in t.strides[:t.ndim]) if t.strides else None
    owner.__array_interface__ = {"version": 3, "shape": shape, "strides": strides, "typestr": d.storage.str,
                                 "data": ((t.data or 0) + t.byte_offset, True)}
    if 0 in shape or not t.data:
        return np.zeros(shape, d.storage), d
    return np.asarray(owner), d


