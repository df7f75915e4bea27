"""Random programs with a symbolic size, each with several sizes and one cache of compiled code: the
code that one binding left must be right for the next, with the evaluator's bits, on 1 and 3 threads.
"""
import argparse
import os
import pathlib
import random
import sys
import tempfile

from lib import equality, vocabulary
from lib.npy import same_nan
from lib.program import start

try:
    import numpy as np
except ImportError:
    print("numpy is missing: nothing compared")
    sys.exit(0)

SIZES = [2, 3, 5, 8, 13, 14, 16, 27, 31, 32, 33, 40, 64, 65, 96, 100, 130, 157, 200, 257]
UNARY = vocabulary.float_functions(1)
BINARY = ["add", "sub", "mul", "maximum", "minimum"]


class Program:
    """Values are names with shapes: tuples of numbers and "B"."""

    def __init__(self, rng):
        self.rng = rng
        self.lines, self.values, self.inputs = [], [], []
        for _ in range(rng.randint(1, 3)):
            self.add_input(self.shape())
        for _ in range(rng.randint(2, 9)):
            self.add_some()

    def extent(self):
        return self.rng.choice([1, 2, 5, 7, 16, 33, 40, 100])

    def shape(self):
        rng = self.rng
        shape = [self.extent() for _ in range(rng.randint(0, 2))]
        shape.insert(rng.randint(0, len(shape)) if rng.random() < 0.4 else 0, "B")
        return tuple(shape)

    @staticmethod
    def type_of(shape):
        dims = "x".join(f"?{d}" if d == "B" else str(d) for d in shape)
        return f"tensor<f32, {dims}>" if dims else "tensor<f32>"

    @staticmethod
    def listed(shape):
        return "[" + ", ".join(f"?{d}" if d == "B" else str(d) for d in shape) + "]"

    def add_input(self, shape):
        name = f"%x{len(self.inputs)}"
        self.inputs.append(f"{name}: {self.type_of(shape)}")
        self.values.append((name, shape))
        return name

    def put(self, text, shape):
        name = f"%v{len(self.lines)}"
        self.lines.append(f"  {name} = {text} -> {self.type_of(shape)}")
        self.values.append((name, shape))
        return name

    def pick(self):
        return self.rng.choice(self.values[-4:])

    def broadcast(self, x, shape):
        return self.put(f"broadcast_to({x}) result_shape{self.listed(shape)}", shape)

    def add_some(self):
        rng = self.rng
        x, shape = self.pick()
        kind = rng.choice(["unary", "binary", "binary", "reduce", "softmax", "product", "product",
                           "transpose", "bias", "slice"])
        if kind == "unary":
            self.put(f"{rng.choice(UNARY)}({x})", shape)
        elif kind == "binary":
            others = [v for v, s in self.values if s == shape]
            self.put(f"{rng.choice(BINARY)}({x}, {rng.choice(others)})", shape)
        elif kind in ("reduce", "softmax") and shape:
            axis = rng.randrange(len(shape))
            one = shape[:axis] + (1,) + shape[axis + 1:]
            op = rng.choice(["sum", "max", "min"])
            r = self.put(f"reduce_{op}({x}) axes[{axis}] keepdims[true]", one)
            if kind == "softmax":
                self.put(f"sub({x}, {self.broadcast(r, shape)})", shape)
        elif kind == "product" and shape:
            axis = rng.randrange(len(shape))
            width = self.extent()
            w = self.add_input((shape[axis], width))
            self.put(f"dot_general({x}, {w}) contract_lhs[{axis}] contract_rhs[0]",
                     shape[:axis] + shape[axis + 1:] + (width,))
        elif kind == "transpose" and len(shape) > 1:
            order = list(range(len(shape)))
            rng.shuffle(order)
            self.put(f"transpose({x}) perm{order}", tuple(shape[i] for i in order))
        elif kind == "bias" and shape:
            axis = rng.randrange(len(shape))
            b = self.add_input(tuple(d if i == axis else 1 for i, d in enumerate(shape)))
            self.put(f"add({x}, {self.broadcast(b, shape)})", shape)
        elif kind == "slice" and shape and "B" not in shape[-1:] and shape[-1] > 1:
            size = rng.randint(1, shape[-1] - 1)
            start = rng.randint(0, shape[-1] - size)
            b = self.add_input((shape[-1],))
            s = self.put(f"slice({b}) starts[{start}] sizes[{size}]", (size,))
            t = self.add_input(shape[:-1] + (size,))
            self.put(f"mul({t}, {self.broadcast(s, shape[:-1] + (size,))})", shape[:-1] + (size,))

    def text(self):
        results = self.values[-self.rng.randint(1, 2):]
        types = ", ".join(self.type_of(s) for _, s in results)
        names = ", ".join(v for v, _ in results)
        return (f"func @main({', '.join(self.inputs)}) -> ({types}) {{\n" +
                "\n".join(self.lines) + f"\n  return {names}\n}}\n")


def run(program, size, flags, cache, out):
    done = start("run", program, "--random", "1", "--dim", f"B={size}", "--output", out, *flags,
                 env=dict(os.environ, TENON_CACHE_DIR=str(cache)))
    if done.returncode != 0:
        return done.stderr
    with np.load(out) as results:  # all f32; NaN equals NaN
        return [(name, results[name].shape, same_nan("f32", results[name].tobytes())) for name in results.files]


def faults_of(seed, folder):
    rng = random.Random(seed)
    text = Program(rng).text()
    program, cache = folder / "program.ptir", folder / f"cache{seed}"
    program.write_text(text)
    for size in rng.sample(SIZES, 3):
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
