"""The data of a training: tensors in files, or arrays that become files."""
from __future__ import annotations

import os
import shutil
import sys
import tempfile
import weakref
import zipfile
from ctypes import byref, c_char_p, c_void_p
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np

from . import _library as c
from ._arguments import PathLike, file_name
from ._context import Context, default_context
from ._dtypes import Type, numbers_of, public_type
from ._errors import InputError
from ._owned import NotCopied
from ._program import Port
from ._tensor import storage_of, tensor, wanted_text

Data = Union[PathLike, Mapping[str, Any], Sequence[PathLike]]


def _plain(name: str, x: Any, wanted: Mapping[str, Type]) -> np.ndarray[Any, Any]:
    """X as files have it: types that NumPy lacks as bit patterns. Numbers and lists take the type that is WANTED under
    that name, else that of `tenon.tensor`."""
    foreign = hasattr(x, "__dlpack__") and not isinstance(x, (np.ndarray, np.generic))
    if not foreign and not isinstance(x, (bool, int, float, complex, list, tuple)):
        return numbers_of(x)
    t = wanted.get(name)
    try:
        return tensor(x)._array if foreign or t is None else storage_of(x, t.dtype, f"'{name}'",
                                                                        wanted_text(t.dtype, t.shape))
    except (TypeError, BufferError) as error:
        raise InputError(str(error)) from None


def _archive(path: str, arrays: Mapping[str, np.ndarray[Any, Any]]) -> str:
    """Write an .npz of arrays of any names, some of which are parameters of np.savez."""
    with zipfile.ZipFile(path, "w") as file:
        for name, a in arrays.items():
            with file.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, a, allow_pickle=False)  # type: ignore[no-untyped-call]
    return path


def _remove(folder: str, process: int) -> None:
    if process == os.getpid():  # a child of fork is done with a folder of its parent's sooner
        shutil.rmtree(folder, ignore_errors=True)


class Files(NotCopied):
    """A folder for files that the library reads, which lasts as long as this lives."""

    def __init__(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="tenon-")
        weakref.finalize(self, _remove, self.folder, os.getpid())

    def samples(self, arrays: Mapping[str, Any], wanted: Mapping[str, Type]) -> list[str]:
        """A file for each array, as tn_dataset_open names them."""
        paths = []
        for i, (name, x) in enumerate(arrays.items()):
            path = os.path.join(self.folder, f"{i}.npy")
            plain = _plain(name, x, wanted)
            if not plain.ndim:  # which files may hold beside samples
                raise InputError(f"'{name}' is a number, and no sequence of samples")
            if "=" in str(name):  # NAME=PATH cannot say that
                paths.append(_archive(path + ".npz", {name: plain}))
            else:
                np.save(path, plain)
                paths.append(f"{name}={path}")
        return paths

    def values(self, arrays: Mapping[str, Any], wanted: Mapping[str, Type]) -> str:
        """One file for all."""
        return _archive(os.path.join(self.folder, "values.npz"),
                        {name: _plain(name, x, wanted) for name, x in arrays.items()})


class Dataset(NotCopied):
    """Samples along the first axis of tensors.

    source  files as those of `tenon train --data`: a .npz, .safetensors or .npy file (or "NAME=X.npy"), a folder of
            them, or a list of these; or arrays by name, which are copied. Files that are no .npz may be larger than
            memory

    >>> data = Dataset({"x": np.zeros((4, 3), np.float32)})
    >>> print(*data.tensors)
    x: f32[4, 3]
    """

    def __init__(self, source: Data, *, context: Optional[Context] = None,
                 _wanted: Mapping[str, Type] = {}) -> None:
        files = Files()
        paths: Sequence[PathLike]
        if isinstance(source, Mapping):
            paths = files.samples(source, _wanted)
        else:
            paths = [source] if isinstance(source, (str, os.PathLike)) or not isinstance(source, Sequence) else source
        self._context = context or default_context()
        at = c_void_p()
        names = (c_char_p * max(1, len(paths)))(*map(file_name, paths))
        with self._context as cx:
            cx.check(c.lib.tn_dataset_open(cx.handle, names, len(paths), byref(at)))
            assert at.value
            self._handle = at.value
            cx.adopt(at.value, (files,), c.lib.tn_dataset_close)

    def __del__(self) -> None:
        if not sys.is_finalizing() and getattr(self, "_handle", None):
            self._context.free(self._handle)
            self._handle = 0

    @property
    def tensors(self) -> tuple[Port, ...]:
        """The tensors with all their samples."""
        out: list[Port] = []
        p = c.Port()
        with self._context:
            while c.lib.tn_dataset_at(self._handle, len(out), byref(p)):
                t = public_type(p.type)
                out.append(Port(p.name.decode(), t.dtype.name, t.shape))
        return tuple(out)
