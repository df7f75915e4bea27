"""Tenon: tensor programs that are read, written, differentiated and run, with one result on every machine.

    import tenon
    net = tenon.load("net.ir")                 # any dialect, by name or content
    y = net(x)                                 # NumPy arrays, DLPack objects, numbers, lists

    m = tenon.read(text)                       # a program to look at and rewrite
    print(m.grad(wrt=["w"]))
    m.compile(threads=2).emit("net.c", header="net.h")

    @tenon.function                            # a program written in Python
    def loss(w, x, y):
        return ((x @ w - y) ** 2).mean()
    g = tenon.grad(loss)(w, x, y)
"""
from . import nn, train
from ._context import Context, default_context
from ._control import cond, fori_loop, scan, while_loop
from ._create import (arange, custom_call, dynamic_slice, dynamic_update_slice, full, iota, ones, random_normal,
                      random_uniform, scatter, segment_sum, stop_gradient, zeros)
from ._custom import custom
from ._dialects import Dialect, dialects
from ._dtypes import DType, Type, dtype, parse_type
from ._errors import (Diagnostic, Error, FileError, Fix, InputError, NoMemory, Note, Place, Rejected, RunError,
                      TenonWarning, Unavailable, UsageError)
from ._function import Function, function, grad, value_and_grad
from ._library import VERSION as __version__
from ._module import Equivalence, Module
from ._numpy_reductions import top_k
from ._program import Bound, Event, Port, Program
from ._read import load, open, read
from ._tensor import Tensor, tensor
from ._trace import Dim, Value, cast
from ._tree import tree_map

__all__ = [
    "Bound", "Context", "DType", "Diagnostic", "Dialect", "Dim", "Equivalence", "Error", "Event", "FileError", "Fix",
    "Function", "InputError", "Module", "NoMemory", "Note", "Place", "Port", "Program", "Rejected", "RunError",
    "Tensor", "TenonWarning", "Type", "Unavailable", "UsageError", "Value", "__version__", "arange", "cast", "cond",
    "custom", "custom_call", "default_context", "dialects", "dtype", "dynamic_slice", "dynamic_update_slice",
    "fori_loop", "full", "function", "grad", "iota", "load", "nn", "ones", "open", "parse_type", "random_normal",
    "random_uniform", "read", "scan", "scatter", "segment_sum", "stop_gradient", "tensor", "top_k", "train",
    "tree_map", "value_and_grad", "while_loop", "zeros"]
