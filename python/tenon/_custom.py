"""Kernels for custom calls, written in Python."""
from __future__ import annotations

import ctypes
from typing import Any, Callable, Optional, TypeVar

import numpy as np

from . import _library as c
from ._arguments import chars
from ._context import Context, default_context, kernel_failed, kernels
from ._dtypes import plain_array, public_type
from ._tensor import Array, Tensor

_F = TypeVar("_F", bound=Callable[..., Any])
_INT, _BOOL, _FLOAT = 0, 1, 2


def _array(buffer: Any, writeable: bool) -> Array:
    t = public_type(buffer.type)
    shape = tuple(int(n or 0) for n in t.shape)
    if 0 in shape or not buffer.data:
        return np.zeros(shape, t.dtype.storage)
    raw = (ctypes.c_char * (int(np.prod(shape)) * t.dtype.storage.itemsize)).from_address(buffer.data)
    a: Array = np.frombuffer(memoryview(raw), t.dtype.storage).reshape(shape)
    a.flags.writeable = writeable
    return a


def _attributes(use: Any) -> dict[str, Any]:
    out = {}
    for k in range(use.n_attributes):
        a = use.attributes[k]
        source = {_INT: a.ints, _BOOL: a.bools, _FLOAT: a.floats}.get(a.kind, a.strings)
        values = [source[i].decode() if isinstance(source[i], bytes) else source[i] for i in range(a.n)]
        out[a.name.decode()] = values if a.is_array else values[0]
    return out


def custom(target: str, *, check: Optional[Callable[..., Optional[str]]] = None,
           context: Optional[Context] = None) -> Callable[[_F], _F]:
    """Make a function the kernel of the custom calls of TARGET in programs that are compiled from now on: in CONTEXT,
    or in the default one and all that are made later.

    It gets the operands as arrays, which must not be changed, nor used after it returns, and the attributes by name,
    and gives the results, an array or a tuple of them. An exception ends the run, and is the cause of the RunError. It must be a pure function. The interpreter runs it, so it is
    slow, and one thread at a time.

    check  gets the types of the operands, of the results, and the attributes by name, and says what is wrong, or None
    """
    if check is not None and not callable(check):
        raise TypeError(f"'check' is {check!r}, and must be a function")

    def register(function: _F) -> _F:
        if not callable(function):
            raise TypeError(f"a kernel is {function!r}, and must be a function")
        texts: list[Any] = []  # what was said last, which must outlive the call

        def said(text: str) -> int:
            texts[:] = [*texts[-15:], ctypes.create_string_buffer(text.encode(errors="backslashreplace"))]
            return ctypes.addressof(texts[-1])

        def failed(error: BaseException) -> int:
            """It may not cross C, and neither may what its __str__ raises."""
            kernel_failed(error)
            try:
                return said(f"{type(error).__name__}: {error}")
            except Exception:
                return said(type(error).__name__)

        def run(_user: Optional[int], at: Any) -> Optional[int]:
            use = at.contents
            try:
                results = function(*(_array(use.inputs[i], False) for i in range(use.n_in)), **_attributes(use))
                if not isinstance(results, (tuple, list)):
                    results = (results,)
                if len(results) != use.n_out:
                    return said(f"{len(results)} results, but the program declares {use.n_out}")
                for i, x in enumerate(results):
                    out, a = _array(use.outputs[i], True), x._array if isinstance(x, Tensor) else plain_array(x)
                    if a.shape != out.shape or a.dtype != out.dtype:
                        return said(f"result {i} is {a.dtype}{list(a.shape)}, but the program declares "
                                    f"{out.dtype}{list(out.shape)}")
                    out[...] = a
            except BaseException as error:
                return failed(error)
            return None

        def checks(_user: Optional[int], at: Any) -> Optional[int]:
            use = at.contents
            assert check is not None
            try:
                why = check([public_type(use.inputs[i].type) for i in range(use.n_in)],
                            [public_type(use.outputs[i].type) for i in range(use.n_out)], **_attributes(use))
                if why is not None and not isinstance(why, str):
                    raise TypeError(f"'check' gives {why!r}, and must give a text, or None")
            except BaseException as error:
                return failed(error)
            return said(why) if why else None

        kernel = c.CustomKernel(size=ctypes.sizeof(c.CustomKernel), target=chars("target", target),
                                check=c.CustomFunction(checks) if check else c.CustomFunction(0),
                                run=c.CustomFunction(run))
        cx = context or default_context()
        # Programs keep the kernel, and may outlive the context.
        (kernels if context is None else _registered).append(kernel)
        with cx:
            cx.check(c.lib.tn_context_register_custom(cx.handle, ctypes.byref(kernel)))
        return function
    return register


_registered: list[Any] = []
