"""Numbers that are combined by segment: where these repeat, those of one stay in a register. Runs of all lengths, segments
that come back, and one that there is not."""
import random
import struct

from lib import npy
from lib.every_way import differences, report

FORMS = {"si32": "i", "si64": "q"}
SEGMENTS = 40


def runs(draw, n, most):
    """N segments, each up to MOST times in a row."""
    out = []
    while len(out) < n:
        out += [draw.randrange(SEGMENTS)] * draw.randint(1, most)
    return out[:n]


def program(kind, ids, n, how):
    return (f"func @main(%x: tensor<{kind}, {n}>, %i: tensor<{ids}, {n}>) -> tensor<{kind}, {SEGMENTS}> {{\n"
            f"  %y = segment_reduce(%x, %i) kind[{how}] num_segments[{SEGMENTS}] indices_are_sorted[false] unique[false] -> "
            f"tensor<{kind}, {SEGMENTS}>\n  return %y\n}}\n")


PROGRAMS = [("f32", "si64", 1000, "sum", 400, False), ("f32", "si32", 129, "sum", 200, False), ("f32", "si64", 128, "sum", 1, False),
            ("f64", "si64", 700, "max", 90, False), ("f16", "si32", 513, "sum", 300, False), ("si8", "si32", 1027, "sum", 128, False),
            ("bf16", "si64", 300, "sum", 17, False), ("ui32", "si64", 640, "max", 1000, False), ("f32", "si64", 127, "sum", 127, False),
            ("f32", "si64", 1000, "sum", 400, True), ("f32", "si32", 300, "max", 1, True)]


def check(asked, folder, number, kind, ids, n, how, most, is_wrong):
    source, path = folder / f"{number}.ptir", folder / "i.npy"
    source.write_text(program(kind, ids, n, how))
    draw = random.Random(number)
    segments = runs(draw, n, most)
    if is_wrong:
        segments[draw.randrange(n)] = draw.choice((-1, SEGMENTS))
    npy.write_raw(path, npy.file_dtype(ids), (n,), struct.pack(f"<{n}{FORMS[ids]}", *segments))
    return differences(asked, source, [f"random={number}", f"in=i={path}"])


if __name__ == "__main__":
    report(PROGRAMS, check)
