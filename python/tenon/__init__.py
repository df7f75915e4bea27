"""Tenon: tensor programs that are read, written, differentiated and run, with one result on every machine.

    import tenon
    net = tenon.load("net.ir")                 # any dialect, by name or content
    y = net(x)                                 # NumPy arrays, DLPack objects, numbers, lists

    m = tenon.read(text)                       # a program to look at and rewrite
    print(m.grad(wrt=["w"]))
    m.compile(threads=2).emit("net.c", header="net.h")
"""
from ._context import Context, default_context
from ._custom import custom
from ._dtypes import DType, Type, dtype, parse_type
from ._errors import (Diagnostic, Error, FileError, Fix, InputError, NoMemory, Note, Place, Rejected, RunError,
                      TenonWarning, Unavailable, UsageError)
from ._library import VERSION as __version__
from ._module import Dialect, Equivalence, Module, dialects, load, open, read
from ._program import Bound, Event, Port, Program
from ._tensor import Tensor, tensor

__all__ = ["Bound", "Context", "DType", "Diagnostic", "Dialect", "Equivalence", "Error", "Event", "FileError", "Fix",
           "InputError", "Module", "NoMemory", "Note", "Place", "Port", "Program", "Rejected", "RunError", "Tensor",
           "TenonWarning", "Type", "Unavailable", "UsageError", "__version__", "custom", "default_context", "dialects",
           "dtype", "load", "open", "parse_type", "read", "tensor"]
