"""Modules: programs as text and data, before they are compiled."""
from __future__ import annotations

import ctypes
import pathlib
import sys
from ctypes import byref, c_char_p, c_void_p
from typing import Any, Callable, Iterable, Mapping, NamedTuple, Optional, Sequence, Union, cast as typed

from . import _library as c
from ._arguments import MOST_32, MOST_SIGNED, PathLike, by_name, chars, chars_or_none, nanoseconds, whole
from ._context import Context
from ._dialects import FORMS, dialect_of, is_read
from ._dtypes import c_type, public_type
from ._errors import InputError, Rejected, TextWriter, UsageError
from ._owned import NotCopied
from ._program import Event, Port, Program, _profiler
from ._tensor import storage_of, wanted_text

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


def names_of(items: Sequence[str]) -> Any:
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
        from ._read import read_again
        try:
            return read_again, self._file()
        except Rejected as error:
            raise TypeError("no dialect holds this module with all its bits, so it cannot be pickled") from error

    def _file(self) -> tuple[bytes, str, str]:
        """The module with all bits and the names of its inputs: a file, its dialect, and that of the module. What was read
        from a dialect that holds more than its own does, as ONNX, is in one that holds it."""
        dialect = self.dialect
        if not is_read(dialect):
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
        from ._read import read
        out = self._converted(dialect, exact_only)
        text = out.data(dialect)
        return read(text, dialect=dialect, context=self._context) if is_read(dialect) else out

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
            cx.check(c.lib.tn_module_optimize(at, level_of(level), None))
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
        if cotangent is not None and seed:
            raise UsageError("'cotangent' and 'seed' exclude each other")
        o = c.GradientOptions(size=ctypes.sizeof(c.GradientOptions), 
                              loss=chars("loss", str(loss)) if loss is not None else None, wrt=names_of(wrt) if wrt is not None else None, n_wrt=len(wrt or ()),
                              cotangent=chars_or_none("cotangent", cotangent), seed=seed,
                              recompute=names_of(recompute), n_recompute=len(recompute))
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
        from ._read import read_again
        if not isinstance(other, Module):
            raise TypeError(f"a module is wanted, not an object of type {type(other).__name__}")
        if other._context is not self._context:
            other = read_again(*other._file(), self._context)
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
                plan_only: bool = False, progress: Optional[Callable[[Event], None]] = None) -> Program:
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
        eager     compile all code optimised, and none in later runs with the same sizes; else kernels with little to do
                  may first get code that is ready sooner and slower, which the second run exchanges before it begins,
                  and open sizes that come again and again get code of their own in one of the runs
        plan_only the program can be explained, not run, and `cpu` may be one whose code this machine cannot run
        progress  is told of everything that took time
        """
        hook = _profiler(progress, self._context._hooks) if progress is not None else None
        store = c.CacheOptions(size=ctypes.sizeof(c.CacheOptions), off=not cache)
        o = c.CompileOptions(size=ctypes.sizeof(c.CompileOptions), level=level_of(level), numerics=int(relaxed),
                             engine=chars_or_none("engine", engine), bindings=bindings(dims),
                             n_bindings=len(dims), cpu=chars_or_none("cpu", cpu), threads=whole("threads", threads, 0, MOST_32),
                             profiler=ctypes.pointer(hook) if hook is not None else None, check=check,
                             cache=ctypes.pointer(store), schedule=chars_or_none("schedule", schedule),
                             memory_bytes=whole("memory_bytes", memory_bytes), eager=eager, plan_only=plan_only)
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
        return self.compile(dims=dims, plan_only=True).explain()


def level_of(level: Optional[int]) -> int:
    if not (level is None or isinstance(level, int)) or level not in _LEVELS:
        raise UsageError(f"the levels are 0, 1 and 2, not {level!r}")
    return _LEVELS[level]
