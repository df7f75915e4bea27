"""Random programs with a symbolic size, each with several sizes and one cache of compiled code: the
code that one binding left must be right for the next, with the evaluator's bits, on 1 and 3 threads.
"""
import argparse
import os
import pathlib
import random
import sys
import tempfile

from lib import equality
from lib.npy import same_nan
from lib.program import start
from lib.random_sizes import Program

try:
    import numpy as np
except ImportError:
    print("skipped: numpy is missing")
    sys.exit(0)

SIZES = [2, 3, 5, 8, 13, 14, 16, 27, 31, 32, 33, 40, 64, 65, 96, 100, 130, 157, 200, 257]
SHORT = {"float16": "f16", "float32": "f32", "float64": "f64"}


def run(program, size, flags, cache, out):
    done = start("run", program, "--random", "1", "--dim", f"B={size}", "--output", out, *flags,
                 env=dict(os.environ, TENON_CACHE_DIR=str(cache)))
    if done.returncode != 0:
        return done.stderr
    with np.load(out) as results:  # NaN equals NaN
        return [(name, results[name].shape, same_nan(SHORT.get(results[name].dtype.name, ""), results[name].tobytes()))
                for name in results.files]


def faults_of(seed, folder):
    rng = random.Random(seed)
    text = Program(rng).text()
    program, cache = folder / "program.ptir", folder / f"cache{seed}"
    program.write_text(text)
    sizes = rng.sample(SIZES, 3)
    if rng.random() < 0.3:
        sizes[rng.randrange(3)] = 1  # of an axis of extent 1 code may know little
    for size in sizes:
        expected = run(program, size, ["--engine", "ref"], cache, folder / "ref.npz")
        threads = rng.choice(["1", "3"])
        got = run(program, size, ["--engine", "jit", "--threads", threads], cache,
                  folder / "jit.npz")
        if got != expected or isinstance(expected, str):
            what = expected if isinstance(expected, str) else "other bits"
            return [f"seed {seed}, B={size}, {threads} threads: {what}\n{text}"]
        answer = equality.ask([f"file={program}", f"dim=B={size}", "levels=2", "random=1"])
        if not answer.startswith("ok "):
            return [f"seed {seed}, B={size}: {answer}\n{text}"]
    return []


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=40)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        faults = [fault for seed in range(given.first, given.first + given.count)
                  for fault in faults_of(seed, pathlib.Path(folder))]
    print("\n".join(faults) or f"{given.count} programs")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
