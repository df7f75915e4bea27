"""Random Tiny IR programs: results against NumPy, printing and reading back, `fix`, strict reading.

RANDOM_TINY says how many programs (120), RANDOM_SEED where to start (1).
"""
import concurrent.futures
import json
import os
import pathlib
import sys
import tempfile

import numpy as np

from lib import equality, random_tiny
from lib.program import Failure, output


def compare(program, folder, source, *options):
    given = []
    for name, data in program.inputs.items():
        np.save(folder / f"{name}.npy", data)
        given += ["--input", f"{name}={folder / name}.npy"]
    output("run", source, *given, "--output", folder / "out", *options)
    for i, v in enumerate(program.outputs):
        got = np.load(folder / "out" / f"{i}.npy")
        if got.shape != v.data.shape or got.dtype != v.data.dtype:
            raise Failure(f"{v.name} is {got.dtype}{got.shape}, not {v.data.dtype}{v.data.shape}")
        if not np.array_equal(got, v.data):
            raise Failure(f"{v.name} is\n{got}\nnot\n{v.data}")


def check(seed):
    with np.errstate(all="ignore"), tempfile.TemporaryDirectory() as name:
        program = random_tiny.Program(seed)
        folder = pathlib.Path(name)
        source, printed, fixed = (folder / f"{n}.tiny.json" for n in "pcf")
        source.write_text(json.dumps(program.json))
        try:
            compare(program, folder, source, "-O0")
            compare(program, folder, source, "-O2")
            answer = equality.ask([f"file={source}", "dialect=tiny", "levels=2",
                                   *(f"in={name}={folder / name}.npy" for name in program.inputs)])
            if not answer.startswith("ok "):
                raise Failure(answer)
            printed.write_text(output("fmt", source))
            if output("fmt", printed) != printed.read_text():
                raise Failure("printing again gives another text")
            compare(program, folder, printed, "-O0")
            output("check", "--strict", printed)
            views = folder / "v.tiny.json"
            views.write_text(output("fmt", source, "--style", "view"))
            compare(program, folder, views, "-O0")
            output("fix", source, "-o", fixed)
            output("check", "--strict", fixed)
            compare(program, folder, fixed, "-O0")
        except Failure as fault:
            return f"seed {seed}: {fault}\n{json.dumps(program.json)}"
    return None


def main():
    count = int(os.environ.get("RANDOM_TINY", "120"))
    first = int(os.environ.get("RANDOM_SEED", "1"))
    failed = 0
    with concurrent.futures.ProcessPoolExecutor() as pool:
        for fault in pool.map(check, range(first, first + count), chunksize=4):
            if fault:
                failed += 1
                print(fault)
    print(f"{count - failed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
