"""Data of ONNX tensors that lies in files beside the model, or in memory of the caller's."""
from __future__ import annotations

import ctypes
import os
import sys
from typing import Any, Mapping, Optional, Union

import numpy as np

from . import _library as c
from ._arguments import file_name
from ._context import kernel_failed
from ._errors import UsageError
from ._owned import NotCopied

External = Union[str, "os.PathLike[str]", Mapping[str, Any]]


class Folder(NotCopied, int):
    """The address of a tn_model_files. As a number it is nothing that the collector of cycles finalises: it goes when
    the last module or program that holds it has gone."""
    __slots__ = ()

    def __del__(self) -> None:
        if not sys.is_finalizing():
            c.lib.tn_model_files_free(int(self))


class Texts(NotCopied):
    """The bytes by the name of the file, as the caller holds them."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._data: dict[str, Any] = {}
        self._said: list[Any] = []
        for name, x in data.items():
            try:
                self._data[os.path.normpath(name)] = np.frombuffer(x, np.uint8)
            except (TypeError, ValueError, BufferError):
                if memoryview(x).nbytes:
                    raise UsageError(f"the bytes of '{name}' must be contiguous") from None
                self._data[os.path.normpath(name)] = np.zeros(0, np.uint8)

    def give(self, _user: Optional[int], location: bytes, offset: int, length: int, out: Any) -> Optional[int]:
        """For tn_read_options. No exception may cross C, not even that of a handler of a signal."""
        try:
            return self._find(location, offset, length, out)
        except BaseException as error:
            kernel_failed(error)
            return self._say(type(error).__name__)

    def _find(self, location: bytes, offset: int, length: int, out: Any) -> Optional[int]:
        name = os.fsdecode(location)
        data = self._data.get(os.path.normpath(name))
        if data is None:
            return self._say(f"there are only {', '.join(map(repr, self._data)) or 'none'}")
        if offset > data.size or length > data.size - offset:
            return self._say(f"it has {data.size} bytes, and {length} from byte {offset} on are wanted")
        out[0] = data.__array_interface__["data"][0] + offset
        return None

    def _say(self, text: str) -> Optional[int]:
        self._said.append(ctypes.create_string_buffer(text.encode()))
        return ctypes.addressof(self._said[-1])


def external(given: Optional[External], path: Union[str, "os.PathLike[str]", None]) -> tuple[Any, Any, tuple[Any, ...]]:
    """The function that gives the bytes, its first argument, and what must live as long as the module: for GIVEN, or
    else for the files beside PATH."""
    if isinstance(given, Mapping):
        texts = Texts(given)
        function = c.ExternalFunction(texts.give)
        return function, None, (texts, function)
    if given is None and path is None:
        return ctypes.cast(0, c.ExternalFunction), None, ()
    model = os.path.join(file_name(given), b"") if given is not None else file_name(path)
    at = c.lib.tn_model_files_new(None, model)
    if not at:
        raise MemoryError("tenon: no memory for the files of a model")
    return ctypes.cast(c.lib.tn_model_files_data, c.ExternalFunction), at, (Folder(at),)
