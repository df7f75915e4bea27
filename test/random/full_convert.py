"""Random programs of each dialect, converted to the others and back: equal bits at -O0.

RANDOM_CONVERT says how many of each dialect (40), RANDOM_SEED where to start (1).
"""
import concurrent.futures
import json
import os
import pathlib
import re
import sys
import tempfile

import numpy as np

from lib import random_modules, random_ptir, random_tiny
from lib.program import start

EXTENSIONS = {"mind": ".ir", "ptir": ".ptir.json", "tiny": ".tiny.json"}


# Element types that all dialects have, and what the others lack less often.
random_modules.FLOATS, random_modules.INTS = ("f32",), ("i32",)
ptir = random_ptir
ptir.INTS, ptir.FLOATS = ("Si32",), ("F32",)
ptir.REAL = ptir.NUMBERS = ptir.INTS + ptir.FLOATS
ptir.ALL = ("I1",) + ptir.NUMBERS


def mind_program(seed):
    text = random_modules.Generator(seed).module()
    return re.search(r"^-- module mind.*\n((?:(?!-- ).*\n)*)", text, re.M)[1]


PROGRAMS = {"mind": mind_program,
            "ptir": lambda seed: json.dumps(random_ptir.Program(seed).json),
            "tiny": lambda seed: json.dumps(random_tiny.Program(seed).json)}


def check(task):
    """(pair, what happened) for each other dialect, and what is wrong."""
    dialect, seed = task
    seen, faults = [], []
    with np.errstate(all="ignore"), tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        source = folder / f"a{EXTENSIONS[dialect]}"
        try:
            source.write_text(PROGRAMS[dialect](seed), encoding="utf-8")
        except IndexError:  # a scatter whose positions NumPy cannot follow
            return seen, faults
        # What no output needs would stand in the way.
        if start("opt", source, "--passes", "dce", "-o", source).returncode:
            return seen, faults  # made for more element types than are left
        for target in EXTENSIONS:
            if target == dialect:
                continue
            there, back = folder / f"b{EXTENSIONS[target]}", folder / f"c{EXTENSIONS[dialect]}"
            out = start("convert", source, "--exact", "--to", target, "-o", there)
            if out.returncode == 1 and "NotExpressible" in out.stderr:
                seen.append((dialect, target, "refused"))
                continue
            for made in (there, back):
                if out.returncode:
                    faults.append(f"{dialect} {seed} to {target}: {out.stderr}")
                    break
                same = start("equiv", source, made, "--n", 4, "--output", folder / "failure")
                if same.returncode and "no sizes were found" not in same.stderr:
                    faults.append(f"{dialect} {seed} to {target}: {same.stdout}{same.stderr}")
                    break
                seen.append((dialect, target, "there" if made == there else "and back"))
                out = start("convert", there, "--exact", "--to", dialect, "-o", back)
        if faults:
            faults.append(source.read_text(encoding="utf-8"))
    return seen, faults


def main():
    count = int(os.environ.get("RANDOM_CONVERT", "40"))
    first = int(os.environ.get("RANDOM_SEED", "1"))
    tasks = [(d, s) for d in EXTENSIONS for s in range(first, first + count)]
    counts, failed = {}, 0
    with concurrent.futures.ProcessPoolExecutor() as pool:
        for seen, faults in pool.map(check, tasks, chunksize=4):
            for each in seen:
                counts[each] = counts.get(each, 0) + 1
            failed += bool(faults)
            for fault in faults:
                print(fault)
    for (a, b, what), n in sorted(counts.items()):
        print(f"{a} to {b}: {n} {what}")
    print(f"{len(tasks) - failed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
