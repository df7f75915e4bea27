"""Dialects: what there are, and which of them, or which form of code, the name of a file tells."""
from __future__ import annotations

import pathlib
from ctypes import byref
from typing import NamedTuple

from . import _library as c
from ._arguments import PathLike
from ._errors import UsageError

FORMS = {".c": 0, ".h": 1, ".o": 2, ".s": 3, ".ll": 4, ".a": 5, ".so": 6}


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


def is_read(dialect: str) -> bool:
    return dialect not in ("mlir", "dot", "mind-source")
