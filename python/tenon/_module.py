"""Modules: programs as text and data, before they are compiled."""
from __future__ import annotations

import ctypes
import os
import pathlib
import sys
from ctypes import byref, c_char_p, c_void_p
from typing import Any, Callable, Iterable, Mapping, NamedTuple, Optional, Sequence, Union, cast as typed

import numpy as np

from . import _library as c
from ._arguments import MOST_32, MOST_SIGNED, by_name, chars, chars_or_none, file_name, nanoseconds, whole
from ._context import Context, default_context
from ._dtypes import BY_NAME, Type, c_type, name_of, plain_array, public_type
from ._errors import InputError, Rejected, TextWriter, UsageError
from ._files import External, external as external_data
from ._owned import NotCopied
from ._program import FORMS, Event, Port, Program, _profiler
from ._tensor import Tensor, storage_of, wanted_text
from ._unread import Unread

PathLike = Union[str, "os.PathLike[str]"]
Shapes = Mapping[str, Sequence[Optional[int]]]
_EXACT_FORMS = ("ptir", "stablehlo", "onnx")  # that keep what the module's own dialect cannot say
_WITHOUT_NAMES = ("ptir", "ptir-bincode")  # forms in which inputs have positions
_LEVELS = {0: 1, 1: 2, 2: 3, None: 0}


class Equivalence(NamedTuple):
    """What comparing two programs by running both found. It is true when they are equal, or close as was asked for."""
    equal: bool        # every bit of every output in every run
    close: bool        # nothing differs by more than was allowed
    runs: int
    largest_ulp: int   # between two floats; 2^64 - 1: only one is NaN, or another type differs
    run: int           # the first that differs, and in it
    output: int        # the first output
    element: int       # and element that does

    def __bool__(self) -> bool:
        return self.close


def _names(items: Sequence[str]) -> Any:
    if isinstance(items, str) or not isinstance(items, Iterable):
        raise TypeError(f"names are wanted, not {items!r}")
    items = list(items)
    return (c_char_p * max(1, len(items)))(*(chars("name", i) for i in items))


def bindings(dims: Mapping[str, int]) -> Any:
    if not isinstance(dims, Mapping):
        raise TypeError(f"extents by the names of their symbols are wanted, not {dims!r}")
    return (c.Binding * max(1, len(dims)))(*(c.Binding(chars("dims", k), whole(k, v, -MOST_SIGNED - 1, MOST_SIGNED))
                                             for k, v in dims.items()))


class Module(NotCopied):
    """A program that can be looked at, rewritten and written. Rewriting gives another module.

    `str()` is its text in its own dialect; two modules are equal when their canonical texts are.
    """

    def __init__(self, context: Context, handle: int, kept: tuple[Any, ...] = ()) -> None:
        self._context = context
        self._handle = handle
        context.adopt(handle, kept)
        self._kept = kept  # what must live as long as the module and its programs

    def __del__(self) -> None:
        if not sys.is_finalizing() and getattr(self, "_handle", None):
            self._context.free(self._handle)
            self._handle = 0

    def _copy(self, change: Callable[[Context, int], None]) -> Module:
        """A copy on which CHANGE did its work; the context is held by this thread then."""
        at = c_void_p()
        with self._context as cx:
            cx.check(c.lib.tn_module_copy(self._handle, byref(at)))
            assert at.value
            out = Module(self._context, at.value, self._kept)
            change(cx, at.value)
        return out

    def __copy__(self) -> Module:
        return self._copy(lambda cx, at: None)

    def __deepcopy__(self, _memo: Any) -> Module:
        return self.__copy__()

    def __reduce_ex__(self, _protocol: Any) -> Any:
        """For pickle: its file, which is read in the default context."""
        try:
            return _unpickled, self._file()
        except Rejected as error:
            raise TypeError("no dialect holds this module with all its bits, so it cannot be pickled") from error

    def _file(self) -> tuple[bytes, str, str]:
        """The module with all bits and the names of its inputs: a file, its dialect, and that of the module. What was read
        from a dialect that holds more than its own does, as ONNX, is in one that holds it."""
        dialect = self.dialect
        if not _is_read(dialect):
            raise TypeError(f"a module in the dialect {dialect}, which is only written, cannot be read again")
        has_names = any(p.name != str(k) for k, p in enumerate(self.inputs))
        refused = None
        for form in (dialect, *_EXACT_FORMS):
            try:
                module = self if form == dialect and not self._is_model() else self._converted(form, exact_only=True)
                name = "ptir-text" if has_names and form in _WITHOUT_NAMES else form
                return module.data(name), name, form
            except Rejected as error:
                refused = error
        raise typed(Rejected, refused)

    # ---- looking ----

    def _ports(self, count: Any, port: Any, extent: Any) -> tuple[Port, ...]:
        out = []
        with self._context as cx:
            for i in range(count(self._handle)):
                p = c.Port()
                cx.check(port(self._handle, i, byref(p)))
                t = public_type(p.type)
                spelt = (extent(self._handle, i, a) if n is None else b"" for a, n in enumerate(t.shape))
                out.append(Port(p.name.decode(), t.dtype.name,
                                tuple(s.decode() if s and n is None else n for n, s in zip(t.shape, spelt))))
        return tuple(out)

    @property
    def inputs(self) -> tuple[Port, ...]:
        """The inputs in order."""
        return self._ports(c.lib.tn_module_input_count, c.lib.tn_module_input, c.lib.tn_module_input_extent)

    @property
    def outputs(self) -> tuple[Port, ...]:
        """The outputs in order."""
        return self._ports(c.lib.tn_module_output_count, c.lib.tn_module_output, c.lib.tn_module_output_extent)

    @property
    def symbols(self) -> tuple[str, ...]:
        """The names of the symbolic extents."""
        out: list[str] = []
        with self._context:
            while (name := c.lib.tn_module_symbol(self._handle, len(out))) is not None:
                out.append(name.decode())
        return tuple(out)

    def _info(self) -> c.ModuleInfo:
        info = c.ModuleInfo(size=ctypes.sizeof(c.ModuleInfo))
        with self._context as cx:
            cx.check(c.lib.tn_module_get_info(self._handle, byref(info)))
        return info

    @property
    def dialect(self) -> str:
        """The dialect of its text."""
        return (self._info().dialect or b"ptir").decode()

    def _is_model(self) -> bool:
        """Was it read from ONNX, which means something in PTIR?"""
        info = self._info()
        return info.is_lowered and info.dialect == b"ptir"

    def data(self, dialect: Optional[str] = None, style: Optional[str] = None) -> bytes:
        """The module as a file of DIALECT holds it, which may be binary. Rejected if that cannot express it."""
        with self._context as cx:
            return cx.text(lambda w: int(c.lib.tn_module_write(
                self._handle, chars_or_none("dialect", dialect), chars_or_none("style", style), w)))

    def text(self, dialect: Optional[str] = None, style: Optional[str] = None) -> str:
        """The module as text: in its own dialect, or converted to another.

        style  one of the dialect's styles; else the canonical one
        """
        dialect = dialect or self.dialect
        try:
            return self.data(dialect, style).decode()
        except Rejected:
            return self.convert(dialect).data(dialect, style).decode()

    def save(self, path: PathLike, dialect: Optional[str] = None, *, external: Optional[str] = None,
             **code: Any) -> None:
        """Write the module to a file; its name says the dialect, unless that is given, or the form of code: .c, .h, .o, .s,
        .ll, .a, .so.

        external  ONNX: the name of another file, in the same folder, that gets the large constants
        code      options of code: those of `Program.emit`
        """
        path = pathlib.Path(path)
        if dialect is None and external is None and path.suffix in FORMS:
            self.compile().emit(path, **code)
            return
        if code:
            raise TypeError(f"'{next(iter(code))}' is an option of code, which '{path.name}' is not")
        dialect = dialect or dialect_of(path)
        module = self.convert(dialect)
        if external is None:
            self._context.write_files([(path, module.data(dialect))])
            return
        if not external or pathlib.Path(external).name != external or external == path.name:
            raise UsageError(f"'{external}' names no other file in the folder of the model")
        beside = TextWriter()
        options = c.WriteOptions(size=ctypes.sizeof(c.WriteOptions), dialect=chars("dialect", dialect),
                                 external_location=chars("external", external), external=ctypes.pointer(beside.writer))
        with self._context as cx:
            data = cx.text(lambda w: int(c.lib.tn_module_write_with(module._handle, byref(options), w)))
        self._context.write_files([(path.parent / external, beside.data), (path, data)])

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<Module ({', '.join(map(str, self.inputs))}) -> ({', '.join(map(str, self.outputs))})>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Module):
            return NotImplemented
        return str(self) == str(other)

    __hash__ = None  # type: ignore[assignment]

    def _repr_html_(self) -> str:
        from ._html import module_html
        return module_html(self)

    # ---- checking and rewriting ----

    def check(self) -> None:
        """Check every rule again; Rejected tells of every fault."""
        with self._context as cx:
            cx.check(c.lib.tn_module_verify(self._handle))

    def convert(self, dialect: str, exact_only: bool = False) -> Module:
        """The same program, so that DIALECT can express it. Every bit of every result stays, unless a warning says
        that something was written with another rounding.

        exact_only  refuse that
        """
        out = self._converted(dialect, exact_only)
        text = out.data(dialect)
        return read(text, dialect=dialect, context=self._context) if _is_read(dialect) else out

    def _converted(self, dialect: str, exact_only: bool = False) -> Module:
        """The same, before it is a text of that dialect."""
        o = c.ConvertOptions(size=ctypes.sizeof(c.ConvertOptions), exact_only=exact_only)

        def change(cx: Context, at: int) -> None:
            cx.check(c.lib.tn_module_convert(at, chars("dialect", dialect), byref(o)))
        return self._copy(change)

    def passes(self, names: Union[str, Sequence[str]]) -> Module:
        """What the passes called NAMES make of it: "canonicalize,cse", or a list."""
        joined = names if isinstance(names, str) or not isinstance(names, Iterable) else ",".join(names)

        def change(cx: Context, at: int) -> None:
            cx.check(c.lib.tn_module_run_passes(at, chars("names", joined), None))
        return self._copy(change)

    def optimize(self, level: Optional[int] = None) -> Module:
        """What the passes of a level (0, 1 or 2, the default) make of it."""
        def change(cx: Context, at: int) -> None:
            cx.check(c.lib.tn_module_optimize(at, _level(level), None))
        return self._copy(change)

    def bind(self, dims: Mapping[str, int]) -> Module:
        """The module with values for its symbolic extents, all of them, for good."""
        def change(cx: Context, at: int) -> None:
            cx.check(c.lib.tn_module_bind(at, bindings(dims), len(dims)))
        return self._copy(change)

    def constants(self, values: Mapping[str, Any]) -> Module:
        """The module with inputs that are constants from now on, by name. Symbols in their types take their values
        from the tensors."""
        by_name("constants", values)

        def change(cx: Context, at: int) -> None:
            for name, x in values.items():
                self._set_constant(cx, at, name, x)
        return self._copy(change)

    @staticmethod
    def _set_constant(cx: Context, at: int, name: str, x: Any) -> None:
        names = []
        for i in range(c.lib.tn_module_input_count(at)):
            p = c.Port()
            cx.check(c.lib.tn_module_input(at, i, byref(p)))
            names.append(p.name.decode())
            if names[-1] != name:
                continue
            t = public_type(p.type)
            try:
                a = storage_of(x, t.dtype, f"the constant '{name}'", wanted_text(t.dtype, t.shape))
            except TypeError as error:
                raise InputError(str(error)) from None
            a = a.copy() if not (a.flags.c_contiguous and a.flags.aligned) else a
            buffer = c.Buffer(a.__array_interface__["data"][0], a.nbytes, c_type(t.dtype, a.shape))
            cx.check(c.lib.tn_module_set_constant(at, i, byref(buffer)))
            return
        raise UsageError(f"there is no input '{name}'; there are {', '.join(map(repr, names)) or 'none'}")

    def grad(self, wrt: Optional[Sequence[str]] = None, *, loss: Optional[str] = None,
             cotangent: Optional[str] = None, seed: float = 0.0, recompute: Sequence[str] = ()) -> Module:
        """The gradient module: the outputs of this one, then one gradient for each input of `wrt`.

        wrt        names of inputs; every floating-point one by default
        loss       the output to differentiate, by name or position; else the first
        cotangent  the input that holds the gradient of the loss
        seed       the gradient of every element of the loss, which may then have any shape
        recompute  values that the gradient computes again instead of keeping them
        """
        if isinstance(wrt, str):
            wrt = [wrt]
        o = c.GradientOptions(size=ctypes.sizeof(c.GradientOptions), 
                              loss=chars("loss", str(loss)) if loss is not None else None, wrt=_names(wrt) if wrt is not None else None, n_wrt=len(wrt or ()),
                              cotangent=chars_or_none("cotangent", cotangent), seed=seed,
                              recompute=_names(recompute), n_recompute=len(recompute))
        at = c_void_p()
        with self._context as cx:
            cx.check(c.lib.tn_module_gradient(self._handle, byref(o), byref(at)))
            assert at.value
            return Module(self._context, at.value, self._kept)

    def equiv(self, other: Module, *, runs: int = 0, seed: int = 0, dims: Mapping[str, int] = {}, ulp: int = 0,
              rtol: float = 0.0, atol: float = 0.0, timeout: Optional[float] = None) -> Equivalence:
        """Run both programs on the same generated inputs and compare the results.

        runs       how many; 0: 16
        dims       values of symbolic extents; others are chosen for each run
        ulp, rtol, atol  how much floats may differ: by `ulp` units in the last place, or `atol + rtol * |y|`
        """
        if not isinstance(other, Module):
            raise TypeError(f"a module is wanted, not an object of type {type(other).__name__}")
        if other._context is not self._context:
            other = _unpickled(*other._file(), self._context)
        o = c.EquivOptions(size=ctypes.sizeof(c.EquivOptions), runs=whole("runs", runs, 0, MOST_32),
                           seed=whole("seed", seed), bindings=bindings(dims), n_bindings=len(dims), ulp=whole("ulp", ulp), rtol=rtol, atol=atol,
                           timeout_ns=nanoseconds(timeout))
        r = c.EquivResult()
        with self._context as cx:
            cx.check(c.lib.tn_modules_compare(self._handle, other._handle, byref(o), byref(r)))
            out = Equivalence(r.equal, r.close, r.runs, r.largest_ulp, r.run, r.output, r.element)
            c.lib.tn_equiv_result_release(cx.handle, byref(r))
        return out

    # ---- compiling ----

    def compile(self, *, dims: Mapping[str, int] = {}, level: Optional[int] = None, engine: Optional[str] = None,
                cpu: Optional[str] = None, threads: int = 0, relaxed: bool = False, check: bool = False,
                cache: bool = True, schedule: Optional[str] = None, memory_bytes: int = 0, eager: bool = False,
                progress: Optional[Callable[[Event], None]] = None) -> Program:
        """Make it executable.

        dims      values of symbolic extents; those that are left open each run takes from its inputs
        level     0, 1 or 2 (default): how much is optimised
        engine    "jit" (default) or "ref", the reference evaluator; both give the same bits
        cpu       that machine code is for, such as "x86-64-v3"; else this one
        threads   of a run, at most; 0: as many as the machine has
        relaxed   permit what docs/numerics.md lists under "Relaxed numerics"
        check     compare every run with the reference evaluator, kernel by kernel
        cache     keep compiled kernels on disk, for the next process
        schedule  of matrix products and convolutions, for tuning: choices such as "rows=8,vectors=2"
        memory_bytes  that a run may hold of values between inputs and outputs, as far as computing
                  some of them again can do that; 0: everything is kept
        eager     compile all code optimised; else kernels with little to do may first get code that is ready
                  sooner and slower, which the second run exchanges before it begins
        progress  is told of everything that took time
        """
        hook = _profiler(progress, self._context._hooks) if progress is not None else None
        store = c.CacheOptions(size=ctypes.sizeof(c.CacheOptions), off=not cache)
        o = c.CompileOptions(size=ctypes.sizeof(c.CompileOptions), level=_level(level), numerics=int(relaxed),
                             engine=chars_or_none("engine", engine), bindings=bindings(dims),
                             n_bindings=len(dims), cpu=chars_or_none("cpu", cpu), threads=whole("threads", threads, 0, MOST_32),
                             profiler=ctypes.pointer(hook) if hook is not None else None, check=check,
                             cache=ctypes.pointer(store), schedule=chars_or_none("schedule", schedule),
                             memory_bytes=whole("memory_bytes", memory_bytes), eager=eager)
        at = c_void_p()
        failed: Optional[BaseException] = None
        try:
            with self._context as cx:
                cx.check(c.lib.tn_program_compile(self._handle, byref(o), byref(at)))
                failed, cx._hooks.interrupt = cx._hooks.interrupt, None
        except BaseException:  # a warning may be one
            c.lib.tn_program_free(at)
            raise
        assert at.value
        program = Program(self, at.value)
        if failed is not None:  # raised by `progress`
            raise failed
        return program

    def explain(self, dims: Mapping[str, int] = {}) -> str:
        """What the compiler makes of it (`Program.explain`)."""
        return self.compile(dims=dims).explain()


def _level(level: Optional[int]) -> int:
    if not (level is None or isinstance(level, int)) or level not in _LEVELS:
        raise UsageError(f"the levels are 0, 1 and 2, not {level}")
    return _LEVELS[level]


class Dialect(NamedTuple):
    """A way of writing programs: its name, the extensions of its files, and the styles of its text."""
    name: str
    extensions: tuple[str, ...]
    styles: tuple[str, ...]


def dialects() -> tuple[Dialect, ...]:
    """The dialects that there are."""
    out = []
    for i in range(c.lib.tn_dialect_count()):
        d = c.DialectInfo()
        c.lib.tn_dialect_at(i, byref(d))
        out.append(Dialect(d.name.decode(), tuple((d.extensions or b"").decode().split()),
                           tuple((d.styles or b"").decode().split())))
    return tuple(out)


def dialect_of(path: PathLike) -> str:
    """The dialect that the name of a file tells."""
    name = pathlib.Path(path).name
    found = [(len(e), d.name) for d in dialects() for e in d.extensions if name.endswith(e)]
    if not found:
        written = [d.name for d in dialects() if d.name != "mind-source"]
        raise UsageError(f"'{name}' tells no dialect; give one of {', '.join(written)}; "
                         f"code is written to a file that ends with {', '.join(FORMS)}")
    return max(found)[1]


def _is_read(dialect: str) -> bool:
    return dialect not in ("mlir", "dot", "mind-source")


def _unpickled(data: bytes, form: str, dialect: str, context: Optional[Context] = None) -> Module:
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
                      strict=strict, entry=chars_or_none("entry", entry), inputs=_names(inputs),
                      n_inputs=len(inputs), bindings=bindings(dims) if dims else None, n_bindings=len(dims),
                      known=known if constants else None, n_known=len(constants), external=function,
                      external_user=user, shapes=_shapes(shapes), n_shapes=len(shapes),
                      results=_names(results) if results else None, n_results=len(results))
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
