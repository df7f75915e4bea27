"""The ranks that share a training: threads of this process, or processes that mpirun started."""
from __future__ import annotations

import ctypes
import sys
import weakref
from ctypes import byref, c_bool
from types import TracebackType
from typing import Any, Optional

from . import _library as c
from ._arguments import MOST_32, whole
from ._context import Context, default_context
from ._errors import UsageError
from ._owned import NotCopied


class Ranks(NotCopied):
    """One rank of those that share a training: `rank` of `ranks`. As a context manager it tells the others when this
    one ends with an exception."""

    def __init__(self, transport: Optional[c.Transport], group: Any, is_mpi: bool) -> None:
        self._transport = transport  # None: this is the only one
        self._group = group          # which must live as long
        self._is_mpi = is_mpi
        self.rank = transport.rank if transport is not None else 0
        self.ranks = transport.ranks if transport is not None else 1

    def __enter__(self) -> Ranks:
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        if self._transport is None:
            return
        if error is not None:
            if self._is_mpi:  # which ends the process
                sys.excepthook(type(error), error, trace)
                sys.stdout.flush()
                sys.stderr.flush()
            self._transport.leave(self._transport.user)
        elif self._is_mpi:
            c.lib.tn_mpi_end(byref(self._transport))


    def _enter(self, context: Context) -> None:
        """Refuse a context that others may be in: it is locked while ranks wait for each other."""
        if self._transport is None or self._is_mpi or self.ranks == 1:
            return
        known = self._group._contexts
        shared = any(rank != self.rank and other() is context for rank, other in known.items())
        if shared or context is default_context():
            self._transport.leave(self._transport.user)
            raise UsageError(f"rank {self.rank} of a group is in {'the context of another' if shared else 'the default context'}, where "
                             "they would wait for each other: each reads the program with context=tenon.Context()")
        known[self.rank] = weakref.ref(context)


class RankGroup(NotCopied):
    """Ranks that are threads of this process; each has a context, data and a trainer of its own."""

    def __init__(self, ranks: int) -> None:
        n = whole("ranks", ranks, 0, MOST_32)
        self._handle = c.lib.tn_rank_group_new(n) if n else None
        if not self._handle:
            raise UsageError(f"there is no group of {ranks} ranks")
        self._contexts: dict[int, weakref.ref[Context]] = {}  # by rank: that of its trainer

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            c.lib.tn_rank_group_free(self._handle)

    def rank(self, rank: int) -> Ranks:
        """What the thread of rank RANK gives its trainer."""
        transport = c.Transport(size=ctypes.sizeof(c.Transport))
        if not c.lib.tn_rank_group_transport(self._handle, whole("rank", rank, 0, MOST_32), byref(transport)):
            raise UsageError(f"there is no rank {rank}")
        return Ranks(transport, self, False)


def mpi(context: Optional[Context] = None) -> Ranks:
    """The rank of this process, which mpirun started; the only one where it did not. Once in a process.

    >>> with mpi() as ranks:
    ...     ranks.rank, ranks.ranks
    (0, 1)
    """
    transport = c.Transport(size=ctypes.sizeof(c.Transport))
    found = c_bool()
    with context or default_context() as cx:
        cx.check(c.lib.tn_mpi_transport(cx.handle, byref(transport), byref(found)))
    return Ranks(transport if found.value else None, None, True)
