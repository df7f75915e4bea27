"""Positions that a kernel computes in order are checked by a step before it, as those in memory are: nothing is kept aside and copied. A position
outside is the same error on every engine, wherever it is in the list."""
import pathlib
import tempfile

import numpy as np

from lib.program import start, tenon

FIRST = "positions are checked"
COUNT = "  %c = constant value[{n}] -> tensor<{t}>\n  %z = constant value[0] -> tensor<{t}>\n"
FROM_END = COUNT + """  %0 = broadcast_to(%z) result_shape[{s}] -> tensor<{t}, {l}>
  %1 = broadcast_to(%c) result_shape[{s}] -> tensor<{t}, {l}>
  %2 = compare(%i, %0) op[Less] -> tensor<i1, {l}>
  %3 = add(%i, %1) -> tensor<{t}, {l}>
  %p = select(%2, %3, %i) -> tensor<{t}, {l}>
"""
FROM_POSITION = "  %k = iota axis[0] -> tensor<{t}, {l}>\n  %p = add(%i, %k) -> tensor<{t}, {l}>\n"
# By name: x, the positions and what else is read; the places; how positions come about; the rest, the result; whether they are checked first.
CASES = {
    "columns": ("40x30", "si64", "37", "", 30, FROM_END, "40x37", "  %q = broadcast_to(%p) result_shape[40, 37] -> tensor<si64, 40x37>\n"
                "  %r = gather(%x, %q) axis[1] -> tensor<f32, 40x37>\n", True),
    "rows": ("40x30", "si32", "70", "", 40, FROM_END, "70x30", "  %r = take(%x, %p) -> tensor<f32, 70x30>\n", True),
    "elements": ("9x50", "si32", "9x21", "", 50, FROM_END, "9x21", "  %r = gather(%x, %p) axis[1] -> tensor<f32, 9x21>\n", True),
    "added": ("9x50", "si64", "9x21", "9x21", 50, FROM_END, "9x50", "  %r = scatter_reduce(%x, %p, %u) axis[1] reduce[Add] -> tensor<f32, 9x50>\n", True),
    "largest": ("50x9", "si64", "21x9", "21x9", 50, FROM_END, "50x9", "  %r = scatter_reduce(%x, %p, %u) axis[0] reduce[Max] -> tensor<f32, 50x9>\n", True),
    "not in order": ("90x3", "si64", "70", "", 90, FROM_POSITION, "70x3", "  %r = take(%x, %p) -> tensor<f32, 70x3>\n", False),
}


def program(x, t, positions, more, n, how, result, rest):
    shape = positions.replace("x", ", ")
    head = f"%x: tensor<f32, {x}>, %i: tensor<{t}, {positions}>" + (f", %u: tensor<f32, {more}>" if more else "")
    return f"func @main({head}) -> tensor<f32, {result}> {{\n{how.format(n=n, t=t, s=shape, l=positions)}{rest}  return %r\n}}\n"


def shape_of(text):
    return [int(n) for n in text.split("x")]


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    drawn = np.random.default_rng(3)
    for name, (*given, is_first) in CASES.items():
        x, t, positions, more, n = given[:5]
        path, out = folder / "p.ptir", folder / "0.npy"
        path.write_text(program(*given))
        for cpu in ("x86-64", "x86-64-v3", "x86-64-v4"):
            assert (FIRST in tenon("explain", path, "--cpu", cpu).stdout) == is_first, (name, cpu)
        from_end = given[5] is FROM_END
        right = drawn.integers(-n, n, shape_of(positions)) if from_end else drawn.integers(0, 20, shape_of(positions))
        kind = np.int64 if t == "si64" else np.int32
        np.save(folder / "x.npy", drawn.standard_normal(shape_of(x)).astype(np.float32))
        inputs = ["--input", f"x={folder / 'x.npy'}", "--input", f"i={folder / 'i.npy'}"]
        if more:
            np.save(folder / "u.npy", drawn.standard_normal(shape_of(more)).astype(np.float32))
            inputs += ["--input", f"u={folder / 'u.npy'}"]
        for place, wrong in ((None, 0), (0, n), (right.size - 1, -n - 1), (right.size // 2, 2**31 - 1)):
            i = right.astype(kind)
            if place is not None:
                i.flat[place] = wrong
            np.save(folder / "i.npy", i)
            ends = set()
            for options in (["--engine", "ref"], ["--threads", 1], ["--threads", 2], ["--cpu", "x86-64-v3"], ["--cpu", "x86-64"]):
                out.unlink(missing_ok=True)
                done = start("run", path, *inputs, "--output", folder, *options)
                ends.add((done.returncode, done.stderr, out.read_bytes() if out.exists() else b""))
            assert len(ends) == 1, (name, place, ends)
            assert (ends.pop()[0] == 0) == (place is None), (name, place)
