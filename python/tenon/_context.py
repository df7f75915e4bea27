"""Contexts: what modules are made in. Most programs use the default one and never see it."""
from __future__ import annotations

import ctypes
import functools
import os
import sys
import threading
import warnings
import weakref
from types import FrameType, TracebackType
from typing import Any, Callable, Generator, Iterator, Optional, Sequence, Union

from . import _library as c
from ._arguments import chars, file_name, whole
from ._errors import Diagnostic, TenonWarning, TextWriter, UsageError, diagnostic_of, error_of
from ._owned import NotCopied

LIMITS = ("nodes", "nesting", "errors", "literal_bytes", "output_bytes", "run_bytes", "memory_bytes")


_kernels = threading.local()  # `failure`: what a kernel or its check on this thread raised last


def kernel_failed(error: BaseException) -> None:
    """A kernel, or what else runs on the thread of the call that it belongs to, raised ERROR, which cannot cross C."""
    _kernels.failure = error


class Hooks(NotCopied):
    """What the library calls: a sink for diagnostics, and a question whether work is to end. Whoever holds these
    functions for the library holds no cycle."""

    def __init__(self) -> None:
        self.said: list[Diagnostic] = []
        self.interrupt: Optional[BaseException] = None
        self.handle: Optional[int] = None  # of the context

    def sink(self) -> c.Sink:
        return c.Sink(c.Report(self._take), None)

    def cancel(self) -> Any:
        watch = self._watch()
        next(watch)
        return c.Cancel(watch.send)  # type: ignore[attr-defined]

    def _take(self, _user: Optional[int], raw: Any) -> None:
        self.said.append(diagnostic_of(self.handle, raw.contents))

    def _watch(self) -> Iterator[bool]:
        """Is the work to end? Python runs handlers of signals between the instructions of its main thread. Those of a
        generator begin inside of `try`, where those of a function would begin before it."""
        while True:
            try:
                while True:
                    yield self.interrupt is not None
            except GeneratorExit:
                return
            except BaseException as error:  # KeyboardInterrupt, or what a handler raises
                self.interrupt = error

    def error(self, status: int) -> BaseException:
        """What STATUS, and the diagnostics so far, say."""
        said, self.said = self.said, []
        error, self.interrupt = self.interrupt, None
        failure, _kernels.failure = getattr(_kernels, "failure", None), None
        if failure is not None and not isinstance(failure, Exception):  # KeyboardInterrupt, for example
            return failure  # type: ignore[no-any-return]
        if error is not None:
            return error
        out = error_of(status, said)
        if failure is not None and type(failure).__name__ in str(out):
            out.__cause__ = failure
        return out

    def warn(self) -> None:
        """Make warnings of those among the diagnostics so far."""
        said, self.said = self.said, []
        warn(said)


def warn(said: Sequence[Diagnostic]) -> None:
    for d in said:
        if d.severity == "warning":
            warnings.warn(d.message, TenonWarning, stacklevel=_level_of_caller())


def _level_of_caller() -> int:
    """The `stacklevel` with which a warning of the function that asks shows the line that called this package."""
    frame: Optional[FrameType] = sys._getframe(1)
    level = 1
    while frame is not None and frame.f_globals.get("__package__") == __package__:
        frame = frame.f_back
        level += 1
    return level


# What the settings that messages of the library name are called here.
_SETTINGS = {"bindings": "dims", "known": "constants", "limit": "tenon.Context", "tn_trainer_resume": "resume",
             "tn_op_at": "'tenon ops'", "tn_pass_at": "'tenon passes'"}
_SETTING_NAMES = (c.SettingName * len(_SETTINGS))(*[c.SettingName(k.encode(), v.encode()) for k, v in _SETTINGS.items()])

kernels: list[c.CustomKernel] = []  # of custom calls, for all contexts made later; they live forever


def _hold(lock: Any) -> Generator[None, None, None]:
    """Holds LOCK from its first step until it is closed, or nobody refers to it: neither can be interrupted."""
    with lock:
        yield


_entering = threading.local()  # `holder`: a weak reference to what is to take the lock


class Context(NotCopied):
    """Limits and kernels for the modules and programs made in it. Threads may share one: its work is done by one of
    them at a time, but for runs of programs, which need no lock.

    limits  by name, for what is read and compiled (docs/cli.md, "Limits", says more):
            nodes          operations of a module, 2^23
            nesting        lists, objects, expressions and regions in each other, 128; at most 256
            errors         faults that are reported before a reader gives up, 100; 0: all of them
            literal_bytes  all constants of a module together, 4 GiB
            output_bytes   a program, an explanation or a report that is written, 1 GiB
            run_bytes      all tensors that are alive at once during a run, 16 GiB
            memory_bytes   all modules of the context together, and what passes need for them, 8 GiB
    """

    def __init__(self, **limits: int) -> None:
        self._lock: Any = threading.RLock()
        self._is_lost = False  # in a child of fork: what a thread that is not there was changing
        self._limits: dict[str, int] = {}
        self._waiting: list[int] = []  # objects that are to be freed
        # Modules and other objects of the library: what frees one, and what must live as long as it does.
        self._owned: dict[int, tuple[Callable[[int], None], tuple[Any, ...]]] = {}
        self._is_over = False
        self._hooks = Hooks()
        self._kept = (self._hooks.sink(), self._hooks.cancel())  # what the library borrows
        handle = c.lib.tn_context_new(None, ctypes.byref(self._kept[0]))
        if not handle:
            raise MemoryError("tenon: no memory for a context")
        self.handle: int = handle
        self._hooks.handle = handle
        _contexts.add(self)
        c.lib.tn_context_set_cancel(handle, self._kept[1], None)
        c.lib.tn_context_name_settings(handle, _SETTING_NAMES, len(_SETTING_NAMES))
        for kernel in kernels:
            c.lib.tn_context_register_custom(handle, ctypes.byref(kernel))
        for name, value in limits.items():
            self.set_limit(name, value)

    def __del__(self) -> None:
        # The collector of cycles may finalise a context before its modules: the last of them frees it then.
        self._is_over = True
        if not sys.is_finalizing() and hasattr(self, "_waiting") and not self._is_lost:
            self._free_waiting()
            self._end()

    def _end(self) -> None:
        if self._is_over and not self._owned and getattr(self, "handle", None):
            handle, self.handle = self.handle, 0
            c.lib.tn_context_free(handle)

    def set_limit(self, name: str, value: int) -> None:
        """Set one limit for what is read and compiled from now on; UsageError for another name."""
        key, limit = chars("name", name), whole(name, value)
        with self:
            self.check(c.lib.tn_context_set_limit(self.handle, key, limit))
            self._limits[name] = limit

    # ---- the lock ----
    # A handler of a signal may raise KeyboardInterrupt between any two instructions, also before the first of __exit__.
    # So the lock is held by a generator that only the function refers to which the `with` statement calls at its end:
    # `with` looks that up before it calls __enter__, and drops it whatever happens. No frame refers to the generator, or
    # the trace of an interrupt would.

    def __enter__(self) -> Context:
        if self._lock._is_owned():  # by this thread, which would wait for itself
            raise UsageError("the context is at work: what that calls, such as 'progress' or a handler of a signal, may not "
                             "use it")
        self._check_process()
        next(_entering.holder())
        self._free_waiting()
        self._hooks.said = []
        self._hooks.interrupt = None
        return self

    @property
    def __exit__(self) -> Callable[[Optional[type[BaseException]], Optional[BaseException], Optional[TracebackType]], None]:
        holder = _hold(self._lock)
        _entering.holder = weakref.ref(holder)
        leave = functools.partial(self._leave, holder=_entering.holder)
        leave.holder = holder  # type: ignore[attr-defined]
        return leave

    def _leave(self, kind: Optional[type[BaseException]], _error: Optional[BaseException], _trace: Optional[TracebackType],
               holder: Callable[[], Any]) -> None:
        said, self._hooks.said = self._hooks.said, []
        holder().close()
        if kind is None:  # whoever is told of warnings may use this context, or make errors of them
            warn(said)

    def _check_process(self) -> None:
        if self._is_lost:
            raise UsageError("the context was in use by another thread when this process was forked, and cannot be used in "
                             "it: make a new one")

    def _free_waiting(self) -> None:
        while self._waiting:
            handle = self._waiting.pop()
            self._owned[handle][0](handle)
            del self._owned[handle]  # which may append to the waiting ones

    def adopt(self, handle: int, kept: tuple[Any, ...], free: Callable[[int], None] = c.lib.tn_module_free) -> None:
        """Remember an object of this context, which FREE is to free, and what must live as long."""
        self._owned[handle] = (free, kept)

    def free(self, handle: int) -> None:
        """Free an object of this context now, or when the work that is being done in it ends: a finaliser may be called
        in the middle of that, on any thread."""
        if sys.is_finalizing() or self._is_lost:
            return
        self._waiting.append(handle)
        if not self._lock._is_owned():
            try:
                try:
                    if self._lock.acquire(blocking=False):
                        self._free_waiting()
                finally:
                    self._release()
            finally:  # an interrupt may have come instead
                self._release()
        self._end()

    def _release(self) -> None:
        if self._lock._is_owned():
            self._lock.release()

    # ---- calls ----

    def check(self, status: int) -> None:
        """Raise what STATUS, and the diagnostics since the lock was taken, say. Warnings become warnings when the lock is
        released: what was made by then has its owner."""
        if status != c.OK:
            raise self._hooks.error(status)

    def text(self, call: Callable[[Any], int]) -> bytes:
        """What CALL writes to the writer that it is given."""
        out = TextWriter()
        self.check(call(ctypes.byref(out.writer)))
        return out.data

    def write_files(self, files: Sequence[tuple[Union[str, os.PathLike[str]], bytes]]) -> None:
        """Write files that appear together, each complete, or not at all."""
        at = ctypes.c_void_p()
        encoded = [(file_name(path), data) for path, data in files]
        if len({os.path.realpath(path) for path, _ in encoded}) < len(encoded):
            raise UsageError(f"what is written needs a file each, not {', '.join(os.fsdecode(path) for path, _ in encoded)}")
        with self:
            self.check(c.lib.tn_file_set_begin(self.handle, ctypes.byref(at)))
            status = int(c.OK)
            for path, data in encoded:
                if status == c.OK:
                    status = int(c.lib.tn_file_set_add(at, path, data, len(data)))
            self.check(c.lib.tn_file_set_end(at, status))


_default: Optional[Context] = None
_making = threading.Lock()


def default_context() -> Context:
    """The context that is used where none is given."""
    global _default
    with _making:
        if _default is None:
            _default = Context()
        elif _default._is_lost:
            _default = Context(**_default._limits)
        return _default


_contexts: weakref.WeakSet[Context] = weakref.WeakSet()


def _after_fork() -> None:
    """A child of fork has none of the other threads: locks that they held would stay taken, and what they were doing in a
    context is half done for ever."""
    global _making
    _making = threading.Lock()
    for cx in list(_contexts):
        if cx._lock._is_owned():
            continue  # the work goes on in the child
        if cx._lock.acquire(blocking=False):
            cx._lock.release()
        else:
            cx._lock = threading.RLock()
            cx._is_lost = True


os.register_at_fork(after_in_child=_after_fork)
