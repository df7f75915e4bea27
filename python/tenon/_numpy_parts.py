"""NumPy's functions that join, split, repeat and turn."""
from __future__ import annotations

import operator
from typing import Any, Callable, Optional

import numpy as np

from . import _library as c
from ._axes import Axis, axes_of, axis_of, distinct_axes, known_size, list_of
from ._errors import UsageError
from ._numpy_advice import without_counterpart
from ._numpy_movement import atleast, expand_dims, ravel, reshape, swapaxes, take
from ._trace import Value, call, constant, current, operands, values_of


def concatenate(xs: Any, axis: Optional[int] = 0) -> Value:
    vs = operands(*xs)
    if axis is None:
        vs, axis = [ravel(v) for v in vs], 0
    t = current()
    return t.value(c.lib.tn_concat(t.b, values_of(vs), operator.index(axis)))


def stack(xs: Any, axis: int = 0) -> Value:
    return concatenate([expand_dims(v, axis) for v in operands(*xs)], axis)


def vstack(xs: Any) -> Value:
    return concatenate([atleast(2)(v) for v in operands(*xs)], 0)


def hstack(xs: Any) -> Value:
    vs = [atleast(1)(v) for v in operands(*xs)]
    return concatenate(vs, 0 if vs[0].ndim == 1 else 1)


def dstack(xs: Any) -> Value:
    return concatenate([atleast(3)(v) for v in operands(*xs)], 2)


def column_stack(xs: Any) -> Value:
    return concatenate([reshape(v, (-1, 1)) if v.ndim < 2 else v for v in operands(*xs)], 1)


def _depth(blocks: Any) -> int:
    """How many lists lie around a block: as many around each."""
    if not isinstance(blocks, list):
        return 0
    depths = {_depth(b) for b in blocks}
    if len(depths) != 1:
        raise ValueError("blocks lie in as many lists as each other, none of them empty")
    return 1 + depths.pop()


def block(blocks: Any) -> Value:
    """Blocks in nested lists, of which the innermost are joined along the last axis."""
    def leaves(b: Any) -> list[Any]:
        return [v for x in b for v in leaves(x)] if isinstance(b, list) else [b]
    depth, values = _depth(blocks), operands(*leaves(blocks))
    rank, rest = max(depth, *(v.ndim for v in values)), iter(values)

    def joined(b: Any, level: int) -> Value:
        if isinstance(b, list):
            return concatenate([joined(x, level - 1) for x in b], -level)
        v = next(rest)
        return reshape(v, (*[1] * (rank - v.ndim), *v.shape))
    return joined(blocks, depth)


def append(x: Any, values: Any, axis: Optional[int] = None) -> Value:
    return concatenate([x, values], axis)


def _without_axis(x: Any, axis: Optional[int]) -> tuple[Value, int]:
    y = constant(x)
    return (ravel(y), 0) if axis is None else (y, axis_of(axis, y.ndim))


def delete(x: Any, positions: Any, axis: Optional[int] = None) -> Value:
    """Without the elements at POSITIONS, which are known when this is traced."""
    y, axis = _without_axis(x, axis)
    if isinstance(positions, Value):
        raise UsageError("np.delete has a counterpart for positions that are known when the function is traced")
    return take(y, np.delete(np.arange(known_size(y, axis)), positions), axis)


def compress(condition: Any, x: Any, axis: Optional[int] = None, out: None = None) -> Value:
    """The elements for which CONDITION, which is known when this is traced, holds."""
    y, axis = _without_axis(x, axis)
    if isinstance(condition, Value):
        raise UsageError(without_counterpart("np.compress"))
    return take(y, np.flatnonzero(condition), axis)


def array_split(x: Any, parts: Any, axis: int = 0) -> list[Value]:
    """Into PARTS of sizes that differ by 1 at most, or at the places that PARTS lists."""
    y = constant(x)
    n = known_size(y, axis)
    if isinstance(parts, (int, np.integer)):
        if parts < 1:
            raise ValueError(f"{parts} parts are none")
        ends = [n // parts * (k + 1) + min(k + 1, n % parts) for k in range(parts)]
    else:
        ends = [*(min(max(p + n, 0) if p < 0 else p, n) for p in parts), n]
    out, begin = [], 0
    for end in ends:
        out.append(call("slice_axis", y, axis, min(begin, n), max(0, end - begin)))
        begin = end
    return out


def split(x: Any, parts: Any, axis: int = 0) -> list[Value]:
    if isinstance(parts, (int, np.integer)):
        n = known_size(constant(x), axis)
        if parts > 0 and n % parts:
            raise ValueError(f"{n} elements cannot be split into {parts} equal parts")
    return array_split(x, parts, axis)


def _split_along(name: str, axis: int, least: int) -> Callable[[Any, Any], list[Value]]:
    def function(x: Any, parts: Any) -> list[Value]:
        rank = constant(x).ndim
        if rank < least:
            raise ValueError(f"np.{name} of a value of rank {rank}, which must be {least} or more")
        return split(x, parts, min(axis, rank - 1))
    return function


def tile(x: Any, reps: Any) -> Value:
    y = constant(x)
    reps = list_of(reps)
    reps = [1] * (y.ndim - len(reps)) + reps
    if len(reps) > y.ndim:
        y = expand_dims(y, list(range(len(reps) - y.ndim)))
    return call("tile", y, c.ints(reps))


def repeat(x: Any, repeats: Any, axis: Optional[int] = None) -> Value:
    y, axis = _without_axis(x, axis)
    times = np.asarray(repeats)
    if times.size != 1:
        return take(y, np.repeat(np.arange(known_size(y, axis)), times), axis)
    ones = [1] * (y.ndim + 1)
    ones[axis + 1] = operator.index(times.ravel()[0])
    shape = [*y.shape[:axis], y.shape[axis] * ones[axis + 1], *y.shape[axis + 1:]]
    return reshape(call("tile", expand_dims(y, axis + 1), c.ints(ones)), shape)


def flip(x: Any, axis: Axis = None) -> Value:
    y = constant(x)
    return call("reverse", y, c.ints(range(y.ndim)) if axis is None else axes_of(axis))


def roll(x: Any, shift: Any, axis: Axis = None) -> Value:
    y = constant(x)
    if axis is None:
        return reshape(_roll(ravel(y), sum(list_of(shift)), 0), y.shape)
    for by, along in np.broadcast(list_of(shift), list_of(axis)):
        y = _roll(y, int(by), axis_of(along, y.ndim))
    return y


def _roll(x: Value, shift: int, axis: int) -> Value:
    n = known_size(x, axis)
    k = shift % n if n else 0
    if k == 0:
        return x
    return concatenate([call("slice_axis", x, axis, n - k, k), call("slice_axis", x, axis, 0, n - k)], axis)


def rot90(x: Any, k: int = 1, axes: Any = (0, 1)) -> Value:
    y = constant(x)
    if len(axes) != 2:
        raise ValueError(f"np.rot90 turns in the plane of two axes, not of {axes}")
    a, b = distinct_axes(axes, y.ndim)
    if k % 4 == 2:
        return flip(flip(y, a), b)
    if k % 4 == 1:
        return swapaxes(flip(y, b), a, b)
    return flip(swapaxes(y, a, b), b) if k % 4 == 3 else y


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.concatenate: concatenate, np.stack: stack, np.vstack: vstack, np.hstack: hstack, np.dstack: dstack,
    np.column_stack: column_stack, np.block: block, np.append: append, np.split: split, np.array_split: array_split,
    np.delete: delete, np.compress: compress,
    np.vsplit: _split_along("vsplit", 0, 2), np.hsplit: _split_along("hsplit", 1, 1),
    np.dsplit: _split_along("dsplit", 2, 3), np.tile: tile, np.repeat: repeat, np.flip: flip,
    np.flipud: lambda x: flip(x, 0), np.fliplr: lambda x: flip(x, 1), np.rot90: rot90, np.roll: roll,
}
