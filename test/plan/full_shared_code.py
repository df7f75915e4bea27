"""Kernels that differ only in constants have one program, and give the evaluator's bits."""
import json
import pathlib
import tempfile
import unittest

import numpy as np

from lib.program import tenon


def programs_of(text, cpu="native"):
    return json.loads(tenon("explain", "--json", "-", "--from", "ptir-text", "--cpu", cpu, input=text).stdout)["programs"]


def function(inputs, body, outputs):
    """OUTPUTS: names and types."""
    return (f"func @main({inputs}) -> ({', '.join(t for _, t in outputs)}) {{\n" + "\n".join(body) +
            "\n  return " + ", ".join(f"%{n}" for n, _ in outputs) + "\n}\n")


def by_constants(n, op, dtype, first):
    """N kernels that apply OP to inputs and different constants, since the results are of different shapes."""
    body, outputs = [], []
    for i in range(n):
        t = f"tensor<{dtype}, {64 * (3 + i)}>"
        body += [f"  %c{i} = constant value[{first + i}] -> tensor<{dtype}>",
                 f"  %b{i} = broadcast_to(%c{i}) result_shape[{64 * (3 + i)}] -> {t}", f"  %y{i} = {op}(%x{i}, %b{i}) -> {t}"]
        outputs.append((f"y{i}", t))
    return function(", ".join(f"%x{i}: {t}" for i, (_, t) in enumerate(outputs)), body, outputs)


def scaled(n):
    return by_constants(n, "mul", "f32", 0.5)


def divided(n):
    return by_constants(n, "div", "si32", 3)


def dense(shapes, transposed):
    """Products with constants, whose columns are side by side or far apart."""
    r, body, outputs, inputs = np.random.default_rng(1), [], [], []
    for i, (k, n) in enumerate(shapes):
        shape = f"{n}x{k}" if transposed else f"{k}x{n}"
        values = ", ".join(repr(float(v)) for v in r.integers(-99, 99, k * n) / 8)
        inputs.append(f"%x{i}: tensor<f32, 60x{k}>")
        body += [f"  %w{i} = constant value[{values}] -> tensor<f32, {shape}>",
                 f"  %y{i} = dot_general(%x{i}, %w{i}) contract_lhs[1] contract_rhs[{int(transposed)}] -> tensor<f32, 60x{n}>"]
        outputs.append((f"y{i}", f"tensor<f32, 60x{n}>"))
    return function(", ".join(inputs), body, outputs)


SHAPES = [(40, 70), (48, 96), (33, 150), (100, 65), (64, 64), (17, 200), (56, 112), (24, 80)]


class Shared(unittest.TestCase):
    def check_bits(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "p.ptir")
            path.write_text(text)
            sets = []
            for engine, threads in ("ref", 1), ("jit", 1), ("jit", 2):
                out = path.with_suffix(".npz")
                tenon("run", path, "--random", "3", "--engine", engine, "--threads", str(threads), "--output", out,
                      env={"TENON_CACHE_DIR": ""})
                sets.append(out.read_bytes())
        self.assertEqual(sets[1], sets[0])
        self.assertEqual(sets[2], sets[0])

    def test_maps(self):
        self.assertEqual(programs_of(scaled(9)), 1)
        self.check_bits(scaled(9))

    def test_few_maps(self):
        """Reading numbers would cost more than it saves."""
        self.assertEqual(programs_of(scaled(2)), 2)

    def test_divisors(self):
        """Compilers divide by what they know, with products."""
        self.assertEqual(programs_of(divided(9)), 9)
        self.check_bits(divided(9))

    def test_packed_constants(self):
        for transposed in False, True:
            text = dense(SHAPES, transposed)
            alone = [programs_of(dense([shape], transposed)) for shape in SHAPES]
            self.assertLess(programs_of(text), sum(alone))
            self.check_bits(text)

    def test_rows_in_place(self):
        """Products of rows that lie where they are: their distances differ, as multiples of one number. Those of the 12 rows of a block for
        AVX-512 would be too many for the registers."""
        shapes = [(k, 64) for k in (160, 192, 224, 256)]
        alone = [programs_of(dense([shape], False), "x86-64-v3") for shape in shapes]
        self.assertLessEqual(programs_of(dense(shapes, False), "x86-64-v3"), max(alone))
        self.assertGreaterEqual(programs_of(dense(shapes, False), "x86-64-v4"), len(shapes))
        self.check_bits(dense(shapes, False))


if __name__ == "__main__":
    unittest.main()
