"""Sums of truth values and of short integers, whose blocks are formed with few bits: of what casts widen, and of what
comparisons of longer numbers make; of numbers that are all the highest, or the lowest, too."""
import math
import struct

from lib import npy
from lib.every_way import differences, report

LONG = 1 << 16
EDGES = {"i1": ("B", 1, 1), "ui8": ("B", 255, 0), "si8": ("b", 127, -128), "ui16": ("H", 65535, 0), "si16": ("h", 32767, -32768)}


def tensor(kind, shape):
    return f"tensor<{', '.join([kind, 'x'.join(map(str, shape))] if shape else [kind])}>"


def cast(kind, shape, to, through=()):
    """The sum of the last axis of %x, as numbers of TO, to which it comes THROUGH others."""
    lines, last = [], "%x"
    for number, then in enumerate([*through, to]):
        lines.append(f"  %v{number} = cast({last}) -> {tensor(then, shape)}")
        last = f"%v{number}"
    result = tensor(to, shape[:-1])
    lines += [f"  %y = reduce_sum({last}) axes[{len(shape) - 1}] -> {result}"]
    return f"func @main(%x: {tensor(kind, shape)}) -> {result} {{\n" + "\n".join(lines) + "\n  return %y\n}\n"


def counted(kind, shape, to):
    """How many of %x are less than those of %z, and all of these comparisons."""
    x, t, result = tensor(kind, shape), tensor("i1", shape), tensor(to, shape[:-1])
    return (f"func @main(%x: {x}, %z: {x}) -> ({result}, {t}) {{\n  %b = compare(%x, %z) op[Less] -> {t}\n"
            f"  %c = cast(%b) -> {tensor(to, shape)}\n  %y = reduce_sum(%c) axes[{len(shape) - 1}] -> {result}\n  return %y, %b\n}}\n")


def centred(kind, shape):
    """Two passes over rows: the sum is taken from each element."""
    x, f, one = tensor(kind, shape), tensor("f32", shape), tensor("f32", shape[:-1] + (1,))
    return (f"func @main(%x: {x}) -> {f} {{\n  %c = cast(%x) -> {f}\n  %m = reduce_sum(%c) axes[{len(shape) - 1}] keepdims[true] -> {one}\n"
            f"  %w = broadcast_to(%m) result_shape[{', '.join(map(str, shape))}] -> {f}\n  %y = sub(%c, %w) -> {f}\n  return %y\n}}\n")


SHORT = [(5, 31), (7, 32), (3, 1000), (2, 1024), (3, 1)]
LARGE = [(4, 1025), (2, LONG + 1057), (LONG + 31,), (3, 5000)]
WIDER = {"i1": ("si16", "si64", "f16", "f32"), "ui8": ("si32", "ui64", "f32"), "si8": ("si32", "f64"), "ui16": ("si64", "f32"), "si16": ("si64",)}


def programs():
    number = 0
    for kind, tos in WIDER.items():
        for to in tos:
            shape = LARGE[number % len(LARGE)]
            yield cast(kind, shape, to), kind, shape
            number += 1
    for number, shape in enumerate(SHORT):
        kind = ("i1", "si8")[number % 2]
        yield cast(kind, shape, "si32"), kind, shape
    yield cast("i1", (4, 3000), "si64", through=("ui8", "si32")), "i1", (4, 3000)
    yield cast("ui8", (4, 3000), "si32", through=("si8",)), "ui8", (4, 3000)  # which changes numbers
    for kind, shape in (("f32", (3, 1055)), ("si8", (LONG + 77,)), ("f16", (LONG + 77,)), ("f64", (3, 1055))):
        yield counted(kind, shape, "si64"), None, shape
    yield centred("i1", (40, 1000)), "i1", (40, 1000)


def check(asked, folder, number, text, kind, shape):
    source, path = folder / f"{number}.ptir", folder / "x.npy"
    source.write_text(text)
    faults = differences(asked, source, [f"random={number}"])
    for value in EDGES[kind][1:] if kind else ():
        n = math.prod(shape)
        npy.write_raw(path, npy.file_dtype(kind), shape, struct.pack(f"<{n}{EDGES[kind][0]}", *[value] * n))
        faults += differences(asked, source, [f"in=x={path}"])
    return faults


if __name__ == "__main__":
    report(list(programs()), check)
