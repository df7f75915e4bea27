"""Programs: compiled modules, called with arrays."""
from __future__ import annotations

import collections
import ctypes
import os
import pathlib
import sys
from ctypes import addressof, byref, c_char
from typing import Any, Callable, Mapping, NamedTuple, Optional, Union

import numpy as np

from . import _library as c
from ._arguments import MOST_32, MOST_SIGNED, by_name, chars, chars_or_none, file_name, nanoseconds, whole
from ._context import Context, Hooks
from ._dialects import FORMS
from ._dtypes import Dims, Type, is_known, public_type
from ._errors import InputError, Rejected, UsageError
from ._frame import Frame, In, fresh, set_type
from ._owned import NotCopied
from ._tensor import Array, Tensor, storage_of, wanted_text

_from_buffer: Callable[[Any], c_char] = c_char.from_buffer
_ndarray = np.ndarray
_run = c.lib.tn_program_run

WEIGHTS = 7  # the form of code that is constants, behind FORMS
MOST_OTHERS = 8  # programs of one model that are kept for inputs that do not fit


class Port(NamedTuple):
    """An input or output: its name, its element type and its extents. One that only a run knows is the name of its
    symbol, or None."""
    name: str
    dtype: str
    shape: Dims

    def __str__(self) -> str:
        return f"{self.name}: {self.dtype}[{', '.join('?' if n is None else str(n) for n in self.shape)}]"


class Event(NamedTuple):
    """Something that took time: what it is called, what kind of work it was, and when in seconds."""
    name: str
    kind: str
    begin: float
    end: float
    threads: int
    bytes: int
    flops: int


def _results_of(names: tuple[str, ...]) -> Any:
    """The class of the results that are called so, or `_0` where a name is none of Python's."""
    of = collections.namedtuple("Results", names, rename=True)  # type: ignore[misc]
    setattr(of, "__reduce__", lambda results: (_results, (names, tuple(results))))
    return of


def _results(names: tuple[str, ...], values: tuple[Any, ...]) -> Any:
    """For pickle, which finds no class that a program made."""
    return _results_of(names)._make(values)


class Program(NotCopied):
    """A compiled module. Call it with its inputs in order, or by name; any number of threads may do so at once.

    Inputs are NumPy arrays, objects with `__dlpack__`, tensors, numbers or lists. Arrays must have the element type
    of the input; contiguous ones are read in place. The result is a Tensor, or a named tuple of several.

    >>> net = load('''%0 = Input () {name="x"} : tensor<f32>[n,3]
    ... %1 = Sum (%0) {axes=[1], keepdims=false} : tensor<f32>[n]
    ... outputs: %1''')
    >>> net([[1, 2, 3], [4, 5, 6]]).tolist()
    [6.0, 15.0]
    >>> net.inputs
    (Port(name='x', dtype='f32', shape=('n', 3)),)
    """

    _instead = "threads may share it, and its module can be copied and compiled again"

    def __init__(self, module: Any, handle: int) -> None:
        self.handle: Optional[int] = handle
        self._context: Context = module._context
        self._kept = module._kept  # memory and kernels of the caller's that it uses
        self._input_types = self._ports(c.lib.tn_program_input_count, c.lib.tn_program_input, module.inputs)
        self._output_types = self._ports(c.lib.tn_program_output_count, c.lib.tn_program_output, module.outputs)
        self._frames: list[Frame] = []
        self._n_in = len(self._input_types)
        self._by_name = {name: i for i, (name, _) in enumerate(self._input_types)}
        self._results: Any = None
        # Of a model: makes a program for inputs that do not fit. Those that it made, with what they are for.
        self._for_inputs: Optional[Callable[[Mapping[str, Any]], Program]] = None
        self._others: list[tuple[Any, dict[str, bytes], Program]] = []
        if len(self._output_types) != 1:
            self._results = _results_of(tuple(name for name, _ in self._output_types))

    def __del__(self) -> None:
        if not sys.is_finalizing() and getattr(self, "handle", None):
            c.lib.tn_program_free(self.handle)
            self.handle = None

    def _ports(self, count: Any, port: Any, named: tuple[Port, ...]) -> list[tuple[str, Type]]:
        """Names and types; extents that are open are spelt as in the module."""
        out = []
        for i in range(count(self.handle)):
            p = c.Port()
            with self._context as cx:
                cx.check(port(self.handle, i, byref(p)))
            t = public_type(p.type)
            spelt = named[i].shape if i < len(named) and len(named[i].shape) == len(t.shape) else t.shape
            out.append((p.name.decode(), Type(t.dtype, tuple(s if n is None else n for n, s in zip(t.shape, spelt)))))
        return out

    @property
    def inputs(self) -> tuple[Port, ...]:
        """The inputs in order."""
        return tuple(Port(name, t.dtype.name, t.shape) for name, t in self._input_types)

    @property
    def outputs(self) -> tuple[Port, ...]:
        """The outputs in order."""
        return tuple(Port(name, t.dtype.name, t.shape) for name, t in self._output_types)

    # ---- running ----

    def _order(self, args: tuple[Any, ...], named: Mapping[str, Any]) -> tuple[Any, ...]:
        """Arguments by position and by name, in the order of the inputs."""
        if len(args) > self._n_in:
            raise InputError(f"the program has {self._n_in} input{'s' * (self._n_in != 1)}, but {len(args)} are given")
        given: list[Any] = [*args] + [_MISSING] * (self._n_in - len(args))
        for name, x in named.items():
            i = self._by_name.get(name)
            if i is None:
                raise InputError(f"there is no input '{name}'; there are "
                                 f"{', '.join(repr(n) for n in self._by_name) or 'none'}")
            if i < len(args):
                raise InputError(f"input '{name}' is given twice")
            given[i] = x
        for (name, _), x in zip(self._input_types, given):
            if x is _MISSING:
                raise InputError(f"no tensor is given for input '{name}'")
        return tuple(given)

    def _other(self, args: tuple[Any, ...], error: InputError) -> tuple[Program, dict[str, Array]]:
        """Another program of the same model, for ARGS, which this one refuses with ERROR; and its inputs."""
        if self._for_inputs is None or all(is_known(t.shape) for _, t in self._input_types):
            raise error
        arrays = {name: storage_of(x, t.dtype, f"input '{name}'", wanted_text(t.dtype, t.shape))
                  for (name, t), x in zip(self._input_types, args)}
        shapes = [a.shape for a in arrays.values()]
        for others, known, program in self._others:
            if others == shapes and all(arrays[name].tobytes() == x for name, x in known.items()):
                break
        else:
            try:
                program = self._for_inputs({name: Tensor(arrays[name], t.dtype) for name, t in self._input_types})
            except Rejected:
                raise error from None
            known = {name: a.tobytes() for name, a in arrays.items() if name not in program._by_name}
            self._others = [(shapes, known, program), *self._others[:MOST_OTHERS - 1]]
        return program, {name: a for name, a in arrays.items() if name in program._by_name}

    def __call__(self, /, *args: Any, **named: Any) -> Any:
        if named or len(args) != self._n_in:
            args = self._order(args, named)
        try:
            frame = self._frames.pop()
        except IndexError:
            frame = Frame(self)
        held: Optional[list[Array]] = None
        try:
            for i, storage, buffer, mask in frame.fast:
                x = args[i.index]
                if type(x) is Tensor and x._dtype is i.dtype:
                    x = x._array
                if type(x) is _ndarray and x.dtype is storage and x.shape == i.last:
                    try:
                        at = addressof(_from_buffer(x))
                        if not at & mask:
                            buffer.data = at
                            continue
                    except (TypeError, ValueError, BufferError):
                        pass  # read-only, not contiguous or empty
                array = frame.fit(i, x)
                held = [array] if held is None else [*held, array]
            if not frame.is_plain:
                return self._call_any(frame)
            results = []
            for buffer, shape, storage, d, size in frame.fast_out:
                array = fresh(shape, storage, size)
                buffer.data = addressof(_from_buffer(array))
                results.append(Tensor(array, d))
            status, hooks = _run(*frame.arguments), frame.hooks
            if status or hooks.interrupt is not None:  # which may come when the work is done
                raise hooks.error(status)
            if hooks.said:
                hooks.warn()
            return results[0] if self._results is None else self._results._make(results)
        except InputError as error:
            program, arrays = self._other(args, error)
        finally:
            self._frames.append(frame)
        return program(**arrays)

    def _call_any(self, frame: Frame) -> Any:
        """The same where extents of results are not known, or a result is empty."""
        for o in frame.outputs:
            o.buffer.data = None
        status, hooks = _run(*frame.arguments), frame.hooks
        results = [frame.take(self, o) for o in frame.outputs] if not status else []
        if status or hooks.interrupt is not None:
            raise hooks.error(status)
        if hooks.said:
            hooks.warn()
        return results[0] if self._results is None else self._results._make(results)

    def run(self, inputs: Mapping[str, Any], *, out: Optional[Mapping[str, Any]] = None, seed: int = 0,
            threads: int = 0, timeout: Optional[float] = None,
            progress: Optional[Callable[[Event], None]] = None) -> dict[str, Any]:
        """Run once with the inputs by name, and give the outputs by name.

        out       arrays to write outputs to, by name; the others are made
        seed      of the random generators in the program
        threads   at most that many; 0: as many as the program was compiled for. No bit depends on it
        timeout   in seconds; RunError when the run takes longer
        progress  is told of everything that took time, as it ends; an exception that it raises ends the run
        """
        by_name("inputs", inputs)
        if out is not None:
            by_name("arrays for outputs", out)
        if progress is not None and not callable(progress):
            raise TypeError(f"'progress' is {progress!r}, and must be a function")
        ordered = self._order((), inputs)
        try:
            return self._run(ordered, out, seed, threads, timeout, progress)
        except InputError as error:
            program, arrays = self._other(ordered, error)
        return program.run(arrays, out=out, seed=seed, threads=threads, timeout=timeout, progress=progress)

    def _run(self, inputs: tuple[Any, ...], out: Optional[Mapping[str, Any]], seed: int, threads: int,
             timeout: Optional[float], progress: Optional[Callable[[Event], None]]) -> dict[str, Any]:
        frame = Frame(self)
        o = frame.options
        o.seed, o.threads = whole("seed", seed), whole("threads", threads, 0, MOST_32)
        o.timeout_ns = nanoseconds(timeout)
        hook = None
        if progress is not None:
            hook = _profiler(progress, frame.hooks)
            o.profiler = ctypes.pointer(hook)
        held = [frame.fit(i, x) for i, x in zip(frame.inputs, inputs)]
        given = dict(out or {})
        results: list[Any] = [None] * len(frame.outputs)
        for k, port in enumerate(frame.outputs):
            if port.name in given:
                results[k] = given.pop(port.name)
                frame.give(port, results[k])
            else:
                port.buffer.data = None
        if given:
            raise InputError(f"there is no output '{next(iter(given))}'; there are "
                             f"{', '.join(repr(n) for n, _ in self._output_types)}")
        status = _run(*frame.arguments)
        del held, hook
        if not status:  # what the library allocated has its owner before anything is raised
            results = [frame.take(self, port) if x is None else x for port, x in zip(frame.outputs, results)]
        if status or frame.hooks.interrupt is not None:
            raise frame.hooks.error(status)
        frame.hooks.warn()
        return {port.name: x for port, x in zip(frame.outputs, results)}

    def bind(self, /, *args: Any, out: Any = None, **named: Any) -> Bound:
        """A call that is prepared: with these arrays, which are read anew and in place at each call.

        out  the array that the result is written to, or a sequence of them; by default the library makes them once.
             Each call writes to the same ones, also to the results of calls before
        """
        return Bound(self, self._order(args, named), out)

    def random_inputs(self, seed: int = 1, dims: Optional[Mapping[str, int]] = None) -> dict[str, Tensor]:
        """Data to try the program on, by name: the same for the same seed on every machine.

        dims  extents that the program leaves open, by the name of the symbol; others are 1
        """
        sizes = {name: whole(name, n) for name, n in (dims or {}).items()}
        known = {n for _, t in self._input_types for n in t.shape if isinstance(n, str)}
        for name in sizes:
            if name not in known:
                raise UsageError(f"the program has no symbolic size '{name}'; it has {', '.join(sorted(known)) or 'none'}")
        out = {}
        for k, (name, t) in enumerate(self._input_types):
            shape = tuple(n if isinstance(n, int) else sizes.get(n or "", 1) for n in t.shape)
            array = np.zeros(shape, t.dtype.storage)
            buffer = c.Buffer(data=array.__array_interface__["data"][0])
            set_type(buffer, t.dtype, shape)
            with self._context as cx:
                cx.check(c.lib.tn_program_random_input(self.handle, k, whole("seed", seed), byref(buffer)))
            out[name] = Tensor(array, t.dtype)
        return out

    # ---- what came of it ----

    def _write(self, call: Callable[[Any], int]) -> bytes:
        with self._context as cx:
            return bytes(cx.text(call))

    def explain(self, json: bool = False) -> str:
        """What the compiler made of it: each kernel, what it reads, writes and must take at least, and why."""
        return self._write(lambda w: int(c.lib.tn_program_explain(self.handle, json, w))).decode()

    def dump(self, stage: str = "all", kernel: int = -1) -> str:
        """The forms between the program and machine code: graph, lowered, kernels, loops, program or all."""
        name, number = chars("stage", stage), whole("kernel", kernel, -1, MOST_SIGNED)
        return self._write(lambda w: int(c.lib.tn_program_dump(self.handle, name, number, w))).decode()

    def emit(self, path: Union[str, os.PathLike[str]], *, header: Union[str, os.PathLike[str], None] = None,
             weights: Union[str, os.PathLike[str], None] = None, name: Optional[str] = None,
             target: Optional[str] = None, cpu: Optional[str] = None, seed: int = 0,
             parallel: bool = False) -> None:
        """Write the program as code that needs nothing of Tenon. The name of the file says the form: .c, .h, .o, .s,
        .ll, .a or .so.

        header    also write the header there
        weights   write the constants there; the entry takes them from memory
        name      of the entry, NAME_run; by default that of the file
        target    a triple such as "aarch64-linux-gnu"; else this machine
        cpu       such as "x86-64-v3"; else this one
        seed      of the random generators in the program
        parallel  the entry shares its work out over threads of its caller's
        """
        path = pathlib.Path(os.fsdecode(file_name(path)))
        if path.suffix not in FORMS:
            raise UsageError(f"'{path.name}' tells no form of code; there are {', '.join(FORMS)}")
        stem = path.stem[3:] if path.suffix in (".a", ".so") and path.stem.startswith("lib") else path.stem
        if name is None:
            name = "".join(ch if ch.isascii() and (ch.isalnum() or ch == "_") else "_" for ch in stem)
            name = name if name and not name[0].isdigit() else f"_{name}"
        o = c.EmitOptions(size=ctypes.sizeof(c.EmitOptions), name=chars("name", name),
                          target=chars_or_none("target", target), cpu=chars_or_none("cpu", cpu),
                          seed=whole("seed", seed), takes_weights=weights is not None, shares_work=parallel)
        files = [(path, FORMS[path.suffix])]
        files += [(pathlib.Path(file), form) for file, form in ((header, FORMS[".h"]), (weights, WEIGHTS))
                  if file is not None]
        texts = [self._write(lambda w, form=form: c.lib.tn_program_emit(  # type: ignore[misc]
            self.handle, form, byref(o), w)) for _, form in files]
        self._context.write_files([(file, text) for (file, _), text in zip(files, texts)])

    def __repr__(self) -> str:
        return f"<Program ({', '.join(map(str, self.inputs))}) -> ({', '.join(map(str, self.outputs))})>"

    def _repr_html_(self) -> str:
        from ._html import program_html
        return program_html(self)


_MISSING: Any = object()


def _profiler(progress: Callable[[Event], None], hooks: Optional[Hooks]) -> Any:
    def event(_user: Optional[int], raw: Any) -> None:
        e = raw.contents
        try:
            progress(Event(e.name.decode(), e.kind.decode(), e.begin_ns / 1e9, e.end_ns / 1e9, e.threads, e.bytes,
                           e.flops))
        except BaseException as error:
            if hooks is not None:
                hooks.interrupt = error
    hook = c.Profiler(c.Event(event), None)
    return hook


_NUMBERS = (bool, int, float, complex, list, tuple, np.generic)  # which nobody changes to call again


def _in_place(i: In, x: Any) -> Array:
    """The elements that X holds. Where it makes them anew for each who asks, those of another time."""
    own = x._array if isinstance(x, Tensor) else x
    return own if isinstance(own, _ndarray) else storage_of(x, i.dtype, f"input '{i.name}'", wanted_text(i.dtype, i.wants))


class Bound(NotCopied):
    """A call with prepared arguments (`Program.bind`): for small programs that run often. It belongs to one thread at
    a time.

    `results` holds what the last call wrote. Every call writes to the same arrays and gives the same tensors, so that
    the next one changes what it gave before: copy what is to stay.

    >>> import copy
    >>> net = load('''%0 = Input () {name="x"} : tensor<f32>[1]
    ... %1 = Relu (%0) : tensor<f32>[1]
    ... outputs: %1''')
    >>> x = np.ones(1, np.float32)
    >>> call = net.bind(x)
    >>> first, kept = call(), copy.copy(call())
    >>> x[:] = 5
    >>> call() is first, first.tolist(), kept.tolist()
    (True, [5.0], [1.0])
    """
    __slots__ = ("_program", "_frame", "_arguments", "_held", "results")
    _instead = "bind the program again"

    def __init__(self, program: Program, args: tuple[Any, ...], out: Any) -> None:
        self._program = program
        frame = self._frame = Frame(program)
        self._held = [frame.fit(i, x) for i, x in zip(frame.inputs, args)]
        for i, x, a in zip(frame.inputs, args, self._held):
            if not isinstance(x, _NUMBERS) and a.size and not np.may_share_memory(a, _in_place(i, x)):
                raise InputError(f"input '{i.name}' can be bound only to an array that is contiguous, aligned and in "
                                 "the byte order of this machine")
        if out is None:
            if not all(o.shape is not None for o in frame.outputs):
                raise InputError("the extents of the results are not known before a run; give arrays as `out`")
            given: list[Any] = [Tensor(fresh(o.shape, o.storage, o.bytes), o.dtype) for o in frame.outputs]
        else:
            given = list(out) if isinstance(out, (list, tuple)) else [out]
        if len(given) != len(frame.outputs):
            raise InputError(f"the program has {len(frame.outputs)} outputs, but {len(given)} arrays are given")
        for o, x in zip(frame.outputs, given):
            frame.give(o, x)
        self._arguments = frame.arguments
        self.results = given[0] if program._results is None else program._results._make(given)

    def __call__(self) -> Any:
        status, hooks = _run(*self._arguments), self._frame.hooks
        if status or hooks.interrupt is not None:
            raise hooks.error(status)
        return self.results


