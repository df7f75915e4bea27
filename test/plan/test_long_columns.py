"""Sums and extrema of many long columns: blocks of rows are items of their own, so that a matrix is read from end to end, and what they
come to is combined by a second program. Where there are batches for the threads, a strip is as wide as the rows."""
import pathlib
import re
import shutil
import tempfile

import numpy as np

from lib.program import tenon

LATER = "the results of the blocks"


def program(shape, ops, kept, dtype):
    """The columns of -x, reduced in several ways; -x itself is a result, too, where it is KEPT."""
    t, r = (f"tensor<{dtype}, {'x'.join(map(str, s))}>" for s in (shape, shape[:-2] + shape[-1:]))
    lines = [f"  %a = neg(%x) -> {t}"]
    lines += [f"  %r{i} = reduce_{op}(%a) axes[{len(shape) - 2}] -> {r}" for i, op in enumerate(ops)]
    lines += [f"  %t{i} = add(%r{i}, %r{i}) -> {r}" for i in range(len(ops))]
    types = [r] * len(ops) + [t] * kept
    names = [f"%t{i}" for i in range(len(ops))] + ["%a"] * kept
    return f"func @main(%x: {t}) -> ({', '.join(types)}) {{\n" + "\n".join(lines) + f"\n  return {', '.join(names)}\n}}\n"


def zeros(shape, dtype):
    """Zeros of both signs, a few numbers and a few NaNs."""
    draws = np.random.default_rng(4)
    x = np.where(draws.random(shape) < 0.5, 0.0, -0.0)
    x[draws.random(shape) < 1e-3] = -1e-30
    x[draws.random(shape) < 1e-5] = np.nan
    return x.astype(dtype)


def results(folder, path, *options):
    out = folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    tenon("run", path, "--output", out, *options)
    return [np.load(file) for file in sorted(out.glob("*.npy"))]


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    path = folder / "p.ptir"
    for shape, ops, kept, dtype, is_apart in (
            ((2049, 70), ["sum"], 0, "f32", True), ((4096, 2500), ["sum"], 0, "f32", True), ((3072, 300), ["max"], 1, "f32", True),
            ((2100, 1030), ["max"], 0, "f64", True), ((3000, 200), ["min", "sum"], 0, "f32", True), ((3000, 130), ["max"], 0, "si32", True),
            ((2048, 300), ["sum"], 0, "f32", False), ((5, 300, 512), ["sum"], 0, "f32", False)):
        path.write_text(program(shape, ops, kept, dtype))
        for cpu in ("x86-64", "x86-64-v3", "x86-64-v4"):
            plan = tenon("explain", path, "--cpu", cpu).stdout
            assert (LATER in plan) == is_apart, (cpu, plan)
        inputs = [["--random", 3]]
        if dtype != "si32":
            np.save(folder / "x.npy", zeros(shape, {"f32": np.float32, "f64": np.float64}[dtype]))
            inputs.append(["--input", f"x={folder / 'x.npy'}"])
        for given in inputs:
            want = results(folder, path, *given, "--engine", "ref")
            for options in (["--threads", 1], ["--threads", 2], ["--cpu", "x86-64"], ["--cpu", "x86-64-v3"]):
                for a, b in zip(want, results(folder, path, *given, *options), strict=True):
                    same = (a == b) & (np.signbit(a) == np.signbit(b)) | (a != a) & (b != b)
                    assert same.all(), (shape, ops, options)
    items = re.search(r"columns side by side, (\d+) items", tenon("explain", path).stdout)
    assert items and items[1] == "5", items
