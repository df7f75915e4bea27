"""Sizes that a program with open sizes runs with again and again get code of their own, in one of its runs: with the same bits, while other threads
run it, and never where all code was asked for at the beginning. Where that code cannot be compiled, the code for all sizes stays."""
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

from lib import package  # noqa: F401

import numpy as np

import tenon

SHAPE = (20000, 6)
MOST = 100000  # runs
ENOUGH = 2  # seconds of runs: many times what code of their own is made after


def steps(program, x):
    """What the steps of a run are, and whether each has machine code."""
    seen = []
    program.run({program.inputs[0].name: x}, progress=lambda e: seen.append((e.name, e.kind)))
    return seen


def run_without_compiler(module, x):
    """The code for all sizes is in the cache, and LLVM cannot be loaded."""
    program = module.compile(threads=1)
    program(x)
    first, end = steps(program, x), time.monotonic() + ENOUGH
    while time.monotonic() < end:
        program(x)
    assert any(kind == "kernel" for _, kind in first) and steps(program, x) == first


def made(folder):
    """How many programs the cache has."""
    return sum(p.is_file() for p in pathlib.Path(folder).rglob("*"))


def runs_until(program, x, first, folder):
    """Runs PROGRAM until the cache has more programs; how often. At most MOST."""
    before = made(folder)
    for number in range(MOST):
        assert np.asarray(program(x)).tobytes() == first
        if number % 16 == 0 and made(folder) > before:
            return number
    return MOST


module = tenon.function("f32[B, S]")(lambda x: np.mean(np.exp(x), axis=1)).module
x = np.random.default_rng(7).standard_normal(SHAPE).astype(np.float32)
if "--without-compiler" in sys.argv:
    run_without_compiler(module, x)
    sys.exit()

with tempfile.TemporaryDirectory() as folder:
    os.environ["TENON_CACHE_DIR"] = folder
    wanted = np.asarray(module.compile(engine="ref")(x)).tobytes()

    eager = module.compile(threads=1, eager=True)
    assert np.asarray(eager(x)).tobytes() == wanted
    before, end = made(folder), time.monotonic() + ENOUGH
    while time.monotonic() < end:
        eager(x)
    assert made(folder) == before

    broken = pathlib.Path(folder) / "broken.so"
    broken.write_text("no module")
    subprocess.run([sys.executable, __file__, "--without-compiler"], env=os.environ | {"TENON_LLVM_PLUGIN": str(broken)}, check=True)

    program = module.compile(threads=1)
    assert np.asarray(program(x)).tobytes() == wanted
    enough = runs_until(program, x, wanted, folder)
    assert enough < MOST
    assert np.asarray(program(x[:7, :5])).shape == (7,)  # others go on as before
    assert np.asarray(program(x)).tobytes() == wanted

    shared, faults = module.compile(threads=1), []
    shared(x)

    def go():
        for _ in range(enough):
            if np.asarray(shared(x)).tobytes() != wanted:
                faults.append("other bits")

    together = [threading.Thread(target=go) for _ in range(4)]
    for t in together:
        t.start()
    for t in together:
        t.join()
    assert not faults
