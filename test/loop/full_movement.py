"""Kernels that only move elements, of every size and in tiles whole and not: the bytes that were there, NaNs of all
kinds among them.
"""
import json

from lib.every_way import differences, report, special_input

KINDS = ["f16", "bf16", "fp8_e4m3", "fp8_e5m2", "si8", "ui16", "i1", "si4", "f32", "f64", "cf32"]


def shaped(kind, dims):
    return f"tensor<{kind}, {'x'.join(map(str, dims))}>"


def program(kind, dims, steps):
    lines, last, n = [], "%x", 0
    for text, out in steps:
        n += 1
        lines.append(f"  %v{n} = {text.format(last)} -> {shaped(kind, out)}")
        last = f"%v{n}"
    body = "\n".join(lines)
    return (f"func @main(%x: {shaped(kind, dims)}) -> {shaped(kind, out)} {{\n{body}\n"
            f"  return {last}\n}}\n")


def turned(rows, columns):
    return (rows, columns), [("transpose({}) perm[1, 0]", (columns, rows))]


def rotated(rows, columns, axis):
    """In Tiny IR, as PTIR has no word for it: transposed, then reversed along AXIS."""
    return (rows, columns), axis


def rotation(kind, dims, axis):
    x = {"id": "x", "uop": "INPUT", "arg": {"tensor_id": "x", "dtype": kind, "shape": dims}}
    return json.dumps({"uops": [x, {"id": "y", "uop": "PERMUTE", "src": ["x"], "arg": {"perm": [1, 0]}},
                                {"id": "z", "uop": "FLIP", "src": ["y"], "arg": {"axes": [axis]}}], "outputs": ["z"]})


def turned_inside(a, b, c):
    return (a, b, c), [("transpose({}) perm[0, 2, 1]", (a, c, b))]


def scaled(kind, dims):
    """An image as networks take it, and back: neighbours of one kind become channels of another."""
    last = (*dims[1:], dims[0])
    return (f"func @main(%x: {shaped(kind, dims)}, %s: {shaped('f32', last)}) -> ({shaped('f32', last)}, "
            f"{shaped('f32', last)}) {{\n  %f = cast(%x) dtype[f32] -> {shaped('f32', dims)}\n"
            f"  %m = mul(%f, %f) -> {shaped('f32', dims)}\n  %t = transpose(%m) perm[1, 2, 0] -> {shaped('f32', last)}\n"
            f"  %n = sub(%t, %s) -> {shaped('f32', last)}\n  return %t, %n\n}}\n")


def padded(rows, columns):
    pad = "pad({}) low[1, 2] high[0, 3] interior[0, 0] pad_value[PAD]"
    return (rows, columns), [(pad, (rows + 1, columns + 5)),
                             ("transpose({}) perm[1, 0]", (columns + 5, rows + 1))]


def joined(rows, columns):
    return (rows, columns), [("concat({0}, {0}) axis[1]", (rows, 2 * columns))]


def beside(rows, columns, kind):
    """Parts that are alike, as they are and computed, more than one kernel stores, and others."""
    wide = 19 * columns + 3 + 2 * columns
    parts = ["%a", "%b", "%m", *["%a", "%m"] * 8, "%c", "%b", "%d"]
    a, c, d = (shaped(kind, (rows, n)) for n in (columns, 3, columns))
    return (f"func @main(%a: {a}, %b: {a}, %c: {c}, %d: {d}) -> {shaped(kind, (rows, wide))} {{\n"
            f"  %m = maximum(%a, %b) -> {a}\n  %v = concat({', '.join(parts)}) axis[1] -> {shaped(kind, (rows, wide))}\n  return %v\n}}\n")


SHAPES = [(turned(33, 97), KINDS), (padded(30, 45), KINDS[::2]), (turned_inside(3, 40, 65), KINDS[1::2]),
          (turned(16, 31), ["f16", "si8"]), (turned(32, 32), ["bf16", "ui16"]),
          (turned(70, 1100), ["f16", "fp8_e4m3"]), (joined(5, 70), ["f16", "bf16", "si8"]),
          (turned(3, 97), KINDS), (turned(15, 40), KINDS[::2]), (turned_inside(3, 7, 70), KINDS[1::2]),
          (turned(2, 9000), ["si8", "f32"]), (((3, 9, 11), "scaled"), ["ui8", "f16", "f32"]),
          (((37, 24), "beside"), ["f32", "f64", "si8", "f16"]), (((5, 1), "beside"), ["f32"]), (((9, 67), "beside"), ["f32", "ui16"]),
          (rotated(40, 50, 0), ["fp32", "bf16", "i32"]), (rotated(70, 41, 1), ["fp32", "fp16", "bool"])]
PADS = {"i1": "true", "cf32": "(1.5, 0.0)", "si8": "-3", "si4": "-3", "ui16": "3u"}


def check(asked, folder, number, kind, dims, steps):
    if isinstance(steps, int):
        source = folder / "a.tiny.json"
        source.write_text(rotation(kind, dims, steps))
        return differences(asked, source, ["dialect=tiny", f"random={number}"])
    source = folder / "a.ptir"
    text = (scaled(kind, dims) if steps == "scaled" else beside(*dims, kind) if steps == "beside" else program(kind, dims, steps))
    source.write_text(text.replace("PAD", PADS.get(kind, "-1.5")))
    return differences(asked, source, special_input(folder, source.read_text(), number)
                       if kind in ("f16", "f32", "f64") and not isinstance(steps, str) else [f"random={number}"])


if __name__ == "__main__":
    report([(kind, *shape) for shape, kinds in SHAPES for kind in kinds], check)
