"""Random programs with two symbolic sizes: one program in memory runs with several sizes one after the other, as callers do
that never say which. Each run gives the evaluator's bits, whatever the sizes before it were.

    sweep_sizes.py [COUNT [SEED]]
"""
import random
import sys

from lib import package  # noqa: F401
from lib.numbered import judge
from lib.npy import same_nan
from lib.random_sizes import Program

import numpy as np

import tenon

SIZES = [1, 2, 3, 5, 8, 13, 14, 16, 17, 27, 31, 32, 33, 40, 64, 65, 96, 100, 128, 129, 130, 157, 200, 257]
LONG = [1000, 1025, 4097, 9000]  # one of the two at most
MOST = 60000  # elements of an input
SHORT = {"float16": "f16", "float32": "f32", "float64": "f64"}
INTEGERS = {"si8": np.int8, "ui8": np.uint8, "si32": np.int32, "si64": np.int64}
FLOATS = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
SPECIAL = [0.0, -0.0, 1.0, np.inf, -np.inf, np.nan, 1e-40, 3e38]


def data(port, sizes, rng):
    shape = [d if isinstance(d, int) else sizes[str(d)] for d in port.shape]
    if port.dtype in INTEGERS:
        low, high = (0, 256) if port.dtype == "ui8" else (-128, 128)
        return rng.integers(low, high, shape).astype(INTEGERS[port.dtype])
    x = rng.standard_normal(shape)
    if rng.random() < 0.2:
        x = np.where(rng.random(shape) < 0.1, rng.choice(SPECIAL, shape), x)
    if port.dtype == "bf16":  # the upper halves of f32
        return (x.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return x.astype(FLOATS[port.dtype])


def listed(results):
    """With NaNs that are equal."""
    found = [np.asarray(r) for r in (results if isinstance(results, (list, tuple)) else [results])]
    return [(r.shape, same_nan(SHORT.get(r.dtype.name, ""), r.tobytes())) for r in found]


def drawn_sizes(r):
    sizes = {"B": r.choice(SIZES), "S": r.choice(SIZES)}
    if r.random() < 0.1:
        sizes[r.choice("BS")] = r.choice(LONG)
    if r.random() < 0.15:
        sizes["S"] = sizes["B"]
    return sizes


def is_small(module, sizes):
    return all(np.prod([d if isinstance(d, int) else sizes[str(d)] for d in i.shape], dtype=np.int64) <= MOST for i in module.inputs)


def run(program, inputs):
    try:
        return listed(program(*inputs))
    except tenon.Error as error:
        return type(error).__name__


def check(number, cpus):
    """What the program NUMBER does wrong."""
    r, rng = random.Random(number), np.random.default_rng(number)
    text, cpu, threads = Program(r, ("B", "S")).text(), r.choice([None, *cpus]), r.choice([1, 1, 2, 3])
    module = tenon.read(text)
    fast, slow = module.compile(cpu=cpu, threads=threads, cache=r.random() < 0.5), module.compile(engine="ref")
    seen = []
    for _ in range(5):
        sizes = drawn_sizes(r)
        if not is_small(module, sizes):
            continue
        seen.append(sizes)
        inputs = [data(i, sizes, rng) for i in module.inputs]
        got, want = run(fast, inputs), run(slow, inputs)
        if got != want:
            which = "" if isinstance(got, str) or isinstance(want, str) else [i for i, (a, b) in enumerate(zip(got, want)) if a != b]
            what = f"{got if isinstance(got, str) else 'results'} for {want if isinstance(want, str) else 'other results'} {which}"
            return [f"{number} for {cpu}, {threads} threads, sizes {seen}: {what}\n{text}"]
    return []


if __name__ == "__main__":
    sys.exit(judge(check, 200))
