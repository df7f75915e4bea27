"""Reading programs: from texts, from files, and for the inputs of a run."""
from __future__ import annotations

import ctypes
from ctypes import byref, c_void_p
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np

from . import _library as c
from ._arguments import PathLike, by_name, chars, chars_or_none, file_name
from ._context import Context, default_context
from ._dtypes import BY_NAME, c_type, name_of, plain_array
from ._errors import InputError, Rejected, UsageError
from ._files import External, external as external_data
from ._module import Module, bindings, names_of
from ._program import Program
from ._tensor import Tensor
from ._unread import Unread

Shapes = Mapping[str, Sequence[Optional[int]]]


def read_again(data: bytes, form: str, dialect: str, context: Optional[Context] = None) -> Module:
    """What `Module._file` gives, as the module that it was."""
    m = read(data, dialect=form, context=context)
    return m if form == dialect else m._converted(dialect)


def _shapes(shapes: Shapes) -> Any:
    by_name("shapes", shapes)
    out = (c.InputShape * max(1, len(shapes)))()
    for at, (name, dims) in zip(out, shapes.items()):
        if isinstance(dims, str) or not isinstance(dims, (Sequence, np.ndarray)) or not all(n is None or isinstance(n, (int, np.integer)) and n >= 0 for n in dims):
            raise UsageError(f"the shape of '{name}' is {dims!r}; extents are numbers from 0 on, or None for what is open")
        extents = (ctypes.c_int64 * max(1, len(dims)))(*(c.DIM_UNKNOWN if n is None else n for n in dims))
        at.name, at.rank, at.dims = chars("shapes", name), len(dims), extents
    return out


def _check_shapes(m: Module, shapes: Shapes, constants: Mapping[str, Any]) -> None:
    """The reader takes from SHAPES what the model leaves open, and looks at nothing else."""
    if not m._is_model():
        raise UsageError("only ONNX models take 'shapes'; 'dims' gives values to the symbols of other programs")
    ports = {p.name: p for p in m.inputs}
    for name, dims in shapes.items():
        port = ports.get(name)
        if port is None and name not in constants:
            raise UsageError(f"a shape is given for '{name}', which is no input; there are "
                             f"{', '.join(map(repr, ports)) or 'none'}")
        if port is not None and (len(dims) != len(port.shape) or any(n is not None and n != own for n, own in
                                                                     zip(dims, port.shape))):
            raise UsageError(f"the shape {tuple(dims)} is given for the input {port}, which it does not fit")


def _known(values: Mapping[str, Any]) -> tuple[Any, list[Any]]:
    """Inputs that are known while reading, which converts numbers to the types that the model declares; and the
    memory that they are in."""
    by_name("constants", values)
    out = (c.KnownInput * max(1, len(values)))()
    kept = []
    for at, (name, x) in zip(out, values.items()):
        a = np.ascontiguousarray(x._array if isinstance(x, Tensor) else plain_array(x)).reshape(np.shape(x))
        own = x._dtype if isinstance(x, Tensor) else BY_NAME.get(name_of(a.dtype))
        if own is None:
            raise InputError(f"the constant '{name}' is of type {a.dtype}, which no input has")
        kept.append(a)
        at.name = chars("constants", name)
        at.value = ctypes.pointer(c.Buffer(a.__array_interface__["data"][0], a.nbytes, c_type(own, a.shape)))
    return out, kept


def read(text: Union[str, bytes], *, dialect: Optional[str] = None, file: Optional[str] = None,
         entry: Optional[str] = None, inputs: Sequence[str] = (), strict: bool = False, profile: str = "extended",
         dims: Mapping[str, int] = {}, shapes: Shapes = {}, constants: Mapping[str, Any] = {},
         results: Sequence[str] = (), external: Optional[External] = None, context: Optional[Context] = None) -> Module:
    """Read a program from its text, or from the bytes of a file.

    dialect    its name; else it is found from the name `file`, or from the text
    file       the name that diagnostics show; it is not opened
    entry      the function to compile
    inputs     MIND source: free variables of a script, each "x=f32[2,3]"
    strict     Tiny IR: the published text to the letter
    profile    "extended", or "core-v1": MIND Core v1 to the letter
    dims       ONNX: sizes that are known now
    shapes     ONNX: shapes of inputs by name, from which sizes follow; None in one leaves that extent open
    constants  ONNX: values of inputs that are known now and never change, on which shapes may depend
    results    ONNX: values inside of the model that are the results, instead of its outputs
    external   ONNX: where data of tensors comes from that lies in other files: the folder of these, or their bytes
               by name. They must not change while the program is in use

    Rejected tells of every fault of the program.

    >>> try:
    ...     read('%0 = Exp (%1) : tensor<f32>[]\\noutputs: %0')
    ... except Rejected as error:
    ...     print(error.diagnostics[0].place.line, error.diagnostics[0].severity)
    1 error
    """
    if isinstance(text, str):
        data = text.encode()
    else:
        try:
            data = bytes(memoryview(text))
        except TypeError:
            raise TypeError(f"a text or the bytes of a file are wanted, not an object of type {type(text).__name__}") from None
    return _read(data, None, dialect, file, entry, inputs, strict, profile, dims, shapes, constants, results, external, context)


def _read(data: Optional[bytes], path: Optional[PathLike], dialect: Optional[str], file: Optional[str],
          entry: Optional[str], inputs: Sequence[str], strict: bool, profile: str, dims: Mapping[str, int],
          shapes: Shapes, constants: Mapping[str, Any], results: Sequence[str], external: Optional[External],
          context: Optional[Context], runs: Optional[Mapping[str, Any]] = None, taken: Optional[set[str]] = None) -> Module:
    """RUNS: the inputs of runs, on which the nodes of the program depend; TAKEN: gets the names of those that became constants."""
    if profile not in ("extended", "core-v1"):
        raise UsageError(f"the profiles are extended and core-v1, not {profile}")
    if data is None:
        file_name(path)
    context = context or default_context()
    function, user, kept = external_data(external, path)
    known, held = _known(constants)
    o = c.ReadOptions(size=ctypes.sizeof(c.ReadOptions), dialect=chars_or_none("dialect", dialect),
                      file=file_name(file) if file is not None else None, profile=int(profile == "core-v1"),
                      strict=strict, entry=chars_or_none("entry", entry), inputs=names_of(inputs),
                      n_inputs=len(inputs), bindings=bindings(dims), n_bindings=len(dims),
                      known=known if constants else None, n_known=len(constants), external=function,
                      external_user=user, shapes=_shapes(shapes), n_shapes=len(shapes),
                      results=names_of(results) if results else None, n_results=len(results))
    at = c_void_p()
    with context as cx:
        if runs is not None:
            given, more = _known(runs)
            marks = (ctypes.c_bool * max(1, len(runs)))()
            cx.check(c.lib.tn_module_read_for(cx.handle, byref(o), file_name(path) if path is not None else None, data,
                                              len(data or b""), given, len(runs), marks, byref(at)))
            if taken is not None:
                taken.update(name for name, mark in zip(runs, marks) if mark)
            held += more
        elif data is not None:
            cx.check(c.lib.tn_module_read(cx.handle, byref(o), data, len(data), byref(at)))
        else:
            cx.check(c.lib.tn_module_read_file(cx.handle, byref(o), file_name(path), byref(at)))
        assert at.value
        m = Module(context, at.value, kept)
    del held
    if shapes and runs is None:
        _check_shapes(m, shapes, constants)
    return m


def open(path: PathLike, *, dialect: Optional[str] = None, entry: Optional[str] = None, inputs: Sequence[str] = (),
         strict: bool = False, profile: str = "extended", dims: Mapping[str, int] = {}, shapes: Shapes = {},
         constants: Mapping[str, Any] = {}, results: Sequence[str] = (), external: Optional[External] = None,
         context: Optional[Context] = None) -> Module:
    """Read a program from a file; options as those of `read`. FileError when it cannot be read. Files in which an ONNX
    model keeps data are looked for in its own folder, unless `external` says otherwise."""
    return _read(None, path, dialect, None, entry, inputs, strict, profile, dims, shapes, constants, results, external, context)


def _is_shape_data(x: Any) -> bool:
    """May shapes depend on X? Types of 8 and 16 bits may be bit patterns, which only the type of an input tells."""
    return isinstance(x, (bool, int, float, list, tuple, Tensor)) or (isinstance(x, (np.ndarray, np.generic)) and
                                                              x.dtype.kind in "biuf" and x.dtype.itemsize != 2 and
                                                              (x.dtype.itemsize > 2 or x.dtype.kind == "b"))


def load(source: Union[PathLike, bytes], *, dims: Mapping[str, int] = {}, constants: Mapping[str, Any] = {},
         shapes: Shapes = {}, results: Sequence[str] = (), external: Optional[External] = None,
         dialect: Optional[str] = None, entry: Optional[str] = None, context: Optional[Context] = None, **options: Any) -> Program:
    """Read a program of any dialect from a file or a text, and compile it.

    source     the name of a file, or a text of several lines
    dims       values of symbolic extents
    constants  values of inputs that never change, by name
    shapes     ONNX: shapes of inputs by name, on which the model depends (`read`)
    results    ONNX: values inside of the model that are the results, instead of its outputs
    external   ONNX: where data in other files comes from (`read`); else from those beside the model
    options    as those of `Module.compile`

    A model that leaves sizes open is read again for inputs that do not fit them: an axis of extent 1 that spreads, a part
    that ends before its bound. One that cannot be read while they are open is read for the inputs of each call, and says
    nothing of its inputs and outputs. So the file, and `constants`, must not change while the program is in use.

    >>> load('%0 = Input () {name="x"} : tensor<f32>[3]\\n%1 = Relu (%0) : tensor<f32>[3]\\noutputs: %1')([-1, 0, 2])
    Tensor(f32[3], [0.0, 0.0, 2.0])
    """
    by_name("constants", constants)
    known = {name: x for name, x in constants.items() if _is_shape_data(x)}
    text: Optional[bytes] = None
    path: Optional[PathLike] = None
    if isinstance(source, bytes):
        text = source
    elif isinstance(source, str) and "\n" in source:
        text = source.encode()
    else:
        path = source

    def made(runs: Optional[Mapping[str, Any]] = None, taken: Optional[set[str]] = None) -> Program:
        m = _read(text, path, dialect, None, entry, (), False, "extended", dims, shapes, known, results, external, context, runs, taken)
        # The reader of ONNX took those that are no inputs now; other dialects have none that are known before.
        read = {*known} - {p.name for p in m.inputs} if m._is_model() else set()
        rest = {name: x for name, x in constants.items() if name not in read}
        if rest:
            m = m.constants(rest)
        program = m.compile(dims=dims, **options)
        if runs is None and m._is_model() and path != "-":
            program._for_inputs = made
        return program

    def made_for(runs: Mapping[str, Any]) -> tuple[Program, frozenset[str]]:
        taken: set[str] = set()
        return made(runs, taken), frozenset(taken)
    try:
        return made()
    except Rejected as error:
        if path == "-" or any(d.kind != "ShapeUnknown" for d in error.diagnostics if d.severity == "error"):
            raise
        return Unread(error, made_for)
