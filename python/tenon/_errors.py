"""What the library says, as data, and the exceptions that carry it."""
from __future__ import annotations

import ctypes
import errno
import os
import re
from dataclasses import dataclass, field
from typing import Any, Optional

from . import _library as c


@dataclass(frozen=True)
class Place:
    """A place in a source text; lines and columns count from 1."""
    file: str
    line: int
    column: int
    length: int


@dataclass(frozen=True)
class Note:
    """What a diagnostic adds, perhaps at another place."""
    message: str
    place: Optional[Place]


@dataclass(frozen=True)
class Fix:
    """An edit that would correct the program: bytes OFFSET to OFFSET + LENGTH become REPLACEMENT."""
    title: str
    offset: int
    length: int
    replacement: Optional[str]


@dataclass(frozen=True)
class Diagnostic:
    """One thing that the library reports. `str()` is the text with the marked source."""
    severity: str            # "error", "warning" or "note"
    kind: str                # the library's own name of the error, such as "BroadcastMismatch"
    code: str                # the dialect's code, such as "E3001"; else the kind
    message: str
    place: Optional[Place]
    node: str                # the operation it is about, as the program spells it; "" when none
    notes: tuple[Note, ...]
    fix: Optional[Fix]
    text: str = field(repr=False)

    def __str__(self) -> str:
        return self.text


class TenonWarning(UserWarning):
    """A warning of the library."""


class Error(Exception):
    """What the library refused or failed to do.

    `status` is the number of the C interface, `diagnostics` say what happened, and `str()` shows them with the
    marked source.
    """
    status = c.INTERNAL

    def __init__(self, message: str, diagnostics: tuple[Diagnostic, ...] = (), status: Optional[int] = None) -> None:
        super().__init__(message)
        self.diagnostics = diagnostics
        if status is not None:
            self.status = status


class Rejected(Error):
    """The program breaks a rule."""
    status = c.REJECTED


class UsageError(Error, ValueError):
    """The call itself is wrong: an unknown name, a missing argument."""
    status = c.USAGE


class InputError(Error, ValueError):
    """The data given to a run is missing or does not fit."""
    status = c.INPUT


class RunError(Error):
    """Execution stopped: out of bounds, division by zero, the time was up."""
    status = c.RUN


class Unavailable(Error):
    """The engine, device or kernel that was asked for is not there."""
    status = c.UNAVAILABLE


class FileError(Error, OSError):
    """A file cannot be read, written or understood. Where the system refused it, `errno`, `strerror` and `filename` say
    so; else they are None."""
    status = c.IO

    def __init__(self, message: str, diagnostics: tuple[Diagnostic, ...] = (), status: Optional[int] = None) -> None:
        super().__init__(message, diagnostics, status)
        said = _said_by_system(diagnostics)
        if said is not None:
            self.errno, self.strerror, self.filename = said

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.diagnostics, self.status)


class NoMemory(Error, MemoryError):
    """There is no memory left, or a limit was reached."""
    status = c.NOMEM


# What the system said ends the message. The file is named before it, or by the place in the text.
_BY_SYSTEM = re.compile(r"(?:(.*): )?(?:the [a-z]+ )?cannot be [a-z ]+: (.*)", re.S)


def _said_by_system(diagnostics: tuple[Diagnostic, ...]) -> Optional[tuple[int, str, str]]:
    """errno, what that means, and the file."""
    numbers = {os.strerror(number): number for number in errno.errorcode}
    for d in diagnostics:
        said = _BY_SYSTEM.fullmatch(d.message)
        if d.kind == "FileError" and said and said[2] in numbers:
            file = said[1] if said[1] is not None else d.text.partition(f": error: {d.message}")[0]
            return numbers[said[2]], said[2], file
    return None


_CLASSES: dict[int, type[Error]] = {k.status: k for k in (Rejected, UsageError, InputError, RunError, Unavailable,
                                                          FileError, NoMemory)}
_SEVERITIES = ("note", "warning", "error")


def error_of(status: int, diagnostics: list[Diagnostic]) -> Error:
    """The exception for STATUS; warnings among the diagnostics stay with it."""
    text = "\n".join(d.text for d in diagnostics) or f"the library ends with status {status}"
    return _CLASSES.get(status, Error)(text, tuple(diagnostics), status)


def _text(raw: Optional[bytes]) -> str:
    return raw.decode("utf-8", "replace") if raw is not None else ""


def _place(p: c.Place) -> Optional[Place]:
    return Place(_text(p.file), p.line, p.column, p.length) if p.line else None


class TextWriter:
    """A tn_writer that collects what is written."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        # ctypes keeps no reference to the function in the structure's copy that C uses.
        self._write = c.Write(self._take)
        self.writer = c.Writer(self._write, None)

    def _take(self, _user: Optional[int], at: int, n: int) -> bool:
        self.parts.append(ctypes.string_at(at, n))
        return True

    @property
    def data(self) -> bytes:
        return b"".join(self.parts)


def diagnostic_of(context: Optional[int], raw: c.Diagnostic) -> Diagnostic:
    """A copy of what a sink was given, which is only valid during the call."""
    out = TextWriter()
    if context is not None:
        c.lib.tn_diagnostic_write(context, ctypes.byref(raw), 0, ctypes.byref(out.writer))
    notes = tuple(Note(_text(raw.notes[i].message), _place(raw.notes[i].place)) for i in range(raw.n_notes))
    fix = None
    if raw.fix.title is not None:
        replacement = raw.fix.replacement
        fix = Fix(_text(raw.fix.title), raw.fix.offset, raw.fix.length,
                  None if replacement is None else _text(replacement))
    message = _text(raw.message)
    return Diagnostic(_SEVERITIES[raw.severity], _text(raw.kind), _text(raw.code), message, _place(raw.place),
                      _text(raw.node), notes, fix, out.data.decode("utf-8", "replace").rstrip("\n") or message)
