"""What tests of kernels share: programs run in every way, inputs of special numbers, and the report."""
import math
import pathlib
import random
import re
import struct
import sys
import tempfile

from lib import equality, npy


def special_input(folder, text, number):
    """An input %x of numbers that extrema must tell apart, NaNs of all kinds among them."""
    kind, dims = re.match(r"func @main\(%x: tensor<(f\w+), ([\dx]+)>", text).groups()
    shape = tuple(map(int, dims.split("x")))
    form, bits, quiet = {"f16": ("H", 10, 0x7c00), "f32": ("I", 23, 0x7f800000),
                         "f64": ("Q", 52, 0x7ff << 52)}[kind]
    sign = 1 << (8 * struct.calcsize(form) - 1)
    some = [0, 1, (1 << bits) - 1, 1 << bits, quiet >> 1, quiet - 1, quiet, quiet + 1,
            quiet | 1 << (bits - 1), sign - 1]
    draw = random.Random(number)
    values = [draw.choice(some) | draw.choice((0, sign)) for _ in range(math.prod(shape))]
    path = folder / "x.npy"
    npy.write_raw(path, kind, shape, struct.pack(f"<{len(values)}{form}", *values))
    return [f"in=x={path}"]


def differences(asked, source, inputs):
    """What is wrong with SOURCE, run in every way: for each processor and number of threads, and between guard pages.

    INPUTS: fields as the program `equality` takes them.
    """
    answer = asked.ask([f"file={source}", "levels=2", "nans", *inputs])
    return [] if answer.startswith("ok ") else [answer]


def differences_of_text(asked, folder, number, text):
    """The same of a program in PTIR text or Tiny IR, with inputs drawn by its number: a check as `report` takes them."""
    source = folder / f"{number}.{'tiny.json' if text.startswith('{') else 'ptir'}"
    source.write_text(text)
    return differences(asked, source, [f"random={number}"])


def report(programs, check):
    """CHECK(equality, folder, number, *program) gives what is wrong with each of PROGRAMS; ends the test."""
    failed = 0
    asked = equality.Equality()
    for number, program in enumerate(programs):
        with tempfile.TemporaryDirectory() as name:
            for fault in check(asked, pathlib.Path(name), number, *program):
                print(f"program {number}, {program}: {fault}")
                failed += 1
    asked.close()
    print(f"{len(programs)} programs, {failed} faults")
    sys.exit(failed > 0)
