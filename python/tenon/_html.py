"""What notebooks show: modules with their text, tensors, and what the compiler made of a program."""
from __future__ import annotations

import json
from html import escape
from typing import TYPE_CHECKING, Any, Iterable

if TYPE_CHECKING:
    from ._module import Module
    from ._program import Program
    from ._tensor import Tensor

_PRE = '<pre style="line-height:1.3;max-height:30em;overflow:auto">'
_MOST_LINES = 400


def _table(head: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    top = "".join(f"<th>{escape(h)}</th>" for h in head)
    body = "".join("<tr>" + "".join(f"<td>{escape(str(x))}</td>" for x in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def _ports(what: Any) -> str:
    rows = [("input", p.name, p.dtype, _shape(p.shape)) for p in what.inputs]
    rows += [("output", p.name, p.dtype, _shape(p.shape)) for p in what.outputs]
    return _table(("", "name", "type", "shape"), rows)


def _shape(shape: Iterable[Any]) -> str:
    return " × ".join("?" if n is None else str(n) for n in shape) or "scalar"


def _lines(text: str) -> str:
    """The text with the numbers that diagnostics use for places."""
    lines = text.splitlines()
    width = len(str(len(lines)))
    shown = [f'<span style="opacity:.5">{i:>{width}}  </span>{escape(line)}'
             for i, line in enumerate(lines[:_MOST_LINES], 1)]
    if len(lines) > _MOST_LINES:
        shown.append(f"... {len(lines) - _MOST_LINES} more lines")
    return _PRE + "\n".join(shown) + "</pre>"


def module_html(m: Module) -> str:
    return _ports(m) + _lines(m.text("ptir-text" if m.dialect == "ptir" else None))


def tensor_html(t: Tensor) -> str:
    import numpy as np
    a = t._values()
    text = np.array2string(a, threshold=200, edgeitems=3, separator=" ")
    return f"<div><code>{escape(str(t.type))}</code>{_PRE}{escape(text)}</pre></div>"


def program_html(p: Program) -> str:
    """The table of kernels. Extents that only a run knows leave it out."""
    from ._errors import Rejected
    try:
        functions = json.loads(p.explain(json=True))["functions"]
    except Rejected:
        return _ports(p)
    rows = [(f["name"], i, k["kind"], k["name"], k.get("bytes", ""), k.get("flops", ""))
            for f in functions for i, k in enumerate(f["kernels"])]
    return _ports(p) + _table(("function", "kernel", "kind", "computes", "bytes", "flops"), rows)
