"""NumPy's products of vectors, matrices and tensors."""
from __future__ import annotations

import operator
import re
import string
from typing import Any, Callable

import numpy as np

from . import _library as c
from ._axes import axis_of, known_size, list_of
from ._errors import UsageError
from ._numpy_elementwise import conjugate
from ._numpy_matrices import diagonal
from ._numpy_movement import moveaxis, ravel, reshape, transpose
from ._numpy_parts import stack
from ._trace import Value, are_same, call, constant, is_same, operands



def matmul(x: Any, y: Any) -> Value:
    a, b = operands(x, y)
    if a.ndim == 0 or b.ndim == 0:
        raise TypeError("@ of a scalar: * multiplies")
    if a.ndim <= 2 and b.ndim <= 2:
        if a.ndim == 1 and b.ndim == 2:
            return call("squeeze", call("matmul", call("expand_dims", a, c.ints((0,))), b), c.ints((0,)))
        return call("dot" if b.ndim == 1 else "matmul", a, b)
    if a.ndim == 1:
        return call("squeeze", call("matmul", call("expand_dims", a, c.ints((0,))), b), c.ints((-2,)))
    if b.ndim == 1:
        return call("squeeze", call("matmul", a, call("expand_dims", b, c.ints((1,)))), c.ints((-1,)))
    return call("matmul", a, b)


def dot(x: Any, y: Any) -> Value:
    a, b = operands(x, y)
    if a.ndim == 0 or b.ndim == 0:
        return call("mul", a, b)
    if a.ndim <= 2 and b.ndim <= 2:
        return matmul(a, b)
    return tensordot(a, b, ([a.ndim - 1], [max(0, b.ndim - 2)]))


def tensordot(x: Any, y: Any, axes: Any = 2) -> Value:
    a, b = operands(x, y)
    if isinstance(axes, (int, np.integer)):
        pairs: Any = (range(a.ndim - axes, a.ndim), range(axes))
    else:
        pairs = tuple(list_of(p) for p in axes)
    return call("dot_general", a, b, c.ints(()), c.ints(()), c.ints(axis_of(p, a.ndim) for p in pairs[0]),
                c.ints(axis_of(p, b.ndim) for p in pairs[1]), c.DTYPE_DEFAULT, c.DTYPE_DEFAULT)


def outer(x: Any, y: Any, out: None = None) -> Value:
    a, b = operands(x, y)
    return call("mul", reshape(a, (-1, 1)), reshape(b, (1, -1)))


def _term(v: Value, letters: str, out: set[str]) -> tuple[Value, str]:
    """V with one axis for each letter: the diagonal of those that repeat, and the sum of those that nobody needs."""
    for s in dict.fromkeys(letters):
        while letters.count(s) > 1:
            i, j = letters.index(s), letters.rindex(s)
            if known_size(v, i) != known_size(v, j):
                raise ValueError(f"np.einsum: '{s}' names axes of {v.shape[i]} and of {v.shape[j]} elements")
            v = diagonal(v, 0, i, j)
            letters = "".join(t for k, t in enumerate(letters) if k not in (i, j)) + s
    gone = [i for i, s in enumerate(letters) if s not in out]
    if gone:
        v = call("sum", v, c.ints(gone), False)
    return v, "".join(s for s in letters if s in out)


def _contracted(x: tuple[Value, str], y: tuple[Value, str], out: set[str]) -> tuple[Value, str]:
    """The product of X and Y, summed over the letters that are not in OUT."""
    (a, s), (b, t) = _term(*x, out | set(y[1])), _term(*y, out | set(x[1]))
    batch = [k for k in s if k in t and k in out]
    summed = [k for k in s if k in t and k not in out]
    z = call("dot_general", a, b, c.ints(s.index(k) for k in batch), c.ints(t.index(k) for k in batch),
             c.ints(s.index(k) for k in summed), c.ints(t.index(k) for k in summed), c.DTYPE_DEFAULT, c.DTYPE_DEFAULT)
    return z, "".join([*batch, *(k for k in s if k not in t), *(k for k in t if k not in s)])


def _with_letters(text: str, terms: list[str], arrow: bool, out: str, vs: list[Value]) -> tuple[list[str], str, list[Value]]:
    """What names the axes of VS and of the result, with letters where TEXT has "...": those axes broadcast."""
    for t in (*terms, out):
        if not re.fullmatch(r"[A-Za-z]*(\.\.\.)?[A-Za-z]*", t):
            raise ValueError(f"np.einsum('{text}'): letters name axes, and '...' the others")
    counts = [v.ndim - len(t) + 3 if "..." in t else 0 for v, t in zip(vs, terms)]
    for v, t, n in zip(vs, terms, counts):
        if n < 0 or "..." not in t and v.ndim != len(t):
            raise ValueError(f"np.einsum('{text}'): '{t}' for a value of rank {v.ndim}")
    most = max(counts, default=0)
    others = "".join([s for s in string.ascii_letters if s not in text][:most])
    if len(others) < most or most and arrow and "..." not in out:
        raise ValueError(f"np.einsum('{text}'): the result leaves out {most} axes that '...' stands for")
    named = "".join(terms).replace(".", "")
    if not arrow:
        out = "..." + "".join(sorted(s for s in set(named) if named.count(s) == 1))
    spelt, rest = [], []
    wide = {s for v, t, n in zip(vs, terms, counts) for s, e in zip(others[most - n:], v.shape[t.find("."):]) if not is_same(e, 1)}
    for v, t, n in zip(vs, terms, counts):
        own, first = others[most - n:], t.find("...")
        gone = [first + i for i, s in enumerate(own) if s in wide and is_same(v.shape[first + i], 1)]
        spelt.append(t.replace("...", "".join(s for i, s in enumerate(own) if first + i not in gone)))
        rest.append(call("squeeze", v, c.ints(gone)) if gone else v)
    return spelt, out.replace("...", others), rest


def einsum(text: str, *xs: Any, optimize: Any = False) -> Value:
    """Products are made in the order of the operands, two at a time."""
    if not isinstance(text, str):
        raise UsageError("np.einsum has a counterpart where a text names the axes: np.einsum('ij->ji', x)")
    left, arrow, out = text.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(xs):
        raise ValueError(f"np.einsum('{text}') of {len(xs)} operands")
    terms, out, vs = _with_letters(text, terms, bool(arrow), out, operands(*xs))
    if len(set(out)) != len(out) or not set(out) <= set("".join(terms)):
        raise ValueError(f"np.einsum('{text}'): the axes of the result are different ones of the operands")
    rest = list(zip(vs, terms))
    while len(rest) > 1:
        x, y, *rest = rest
        rest.insert(0, _contracted(x, y, set(out).union(*(t for _, t in rest))))
    z, have = _term(*rest[0], set(out))
    order = [have.index(s) for s in out]
    return z if order == sorted(order) else transpose(z, order)


def inner(x: Any, y: Any) -> Value:
    a, b = operands(x, y)
    return call("mul", a, b) if a.ndim == 0 or b.ndim == 0 else tensordot(a, b, ([a.ndim - 1], [b.ndim - 1]))


def vdot(x: Any, y: Any) -> Value:
    a, b = operands(x, y)
    return call("dot", ravel(conjugate(a)), ravel(b))


def kron(x: Any, y: Any) -> Value:
    a, b = operands(x, y)
    n = max(a.ndim, b.ndim)
    first, second = (1,) * (n - a.ndim) + a.shape, (1,) * (n - b.ndim) + b.shape
    product = (reshape(a, [k for m in first for k in (m, 1)]) * reshape(b, [k for m in second for k in (1, m)]))
    return reshape(product, [k * m for k, m in zip(first, second)])


def cross(x: Any, y: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None) -> Value:
    """Of vectors of three components."""
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = (v if v.ndim == 0 else moveaxis(v, at, -1) for v, at in zip(operands(x, y), (axisa, axisb)))
    if not (are_same(a.shape[-1:], (3,)) and are_same(b.shape[-1:], (3,))):
        raise UsageError("np.cross has a counterpart for vectors of three components")
    others = (1, 2), (2, 0), (0, 1)  # than the component that is made of them
    return stack([a[..., i] * b[..., j] - a[..., j] * b[..., i] for i, j in others], axisc)


def multi_dot(xs: Any, *, out: None = None) -> Value:
    """From the first to the last: which order is cheapest is not looked for."""
    first, *rest = operands(*xs)
    for y in rest:
        first = matmul(first, y)
    return first


def matrix_power(x: Any, n: int) -> Value:
    y = constant(x)
    if operator.index(n) < 1:
        raise UsageError(f"np.linalg.matrix_power of order {n} has no counterpart: 1 and more have")
    out, square = None, y
    while n:
        if n & 1:
            out = square if out is None else matmul(out, square)
        n >>= 1
        if n:
            square = matmul(square, square)
    assert out is not None
    return out


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.linalg.multi_dot: multi_dot, np.linalg.matrix_power: matrix_power,
    np.dot: dot, np.tensordot: tensordot, np.outer: outer, np.einsum: einsum, np.inner: inner, np.vdot: vdot,
    np.kron: kron, np.cross: cross,
}
