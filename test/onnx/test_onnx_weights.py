"""Weights in large models, which are used where they lie in the file: at every distance from alignment, of every element type."""
import pathlib
import tempfile
import unittest

import numpy as np

from lib.onnx_files import graph, model, node
from lib.program import start

DTYPES = {"float32": "f32", "float64": "f64", "float16": "f16", "int64": "si64", "int32": "si32", "uint16": "ui16",
          "uint8": "ui8", "int8": "si8", "complex64": "cf32", "bool": "i1"}
COUNT = 66000  # elements: large enough to stay in place whatever their type


def weights(dtype, salt):
    numbers = np.arange(COUNT) * 7 + salt
    return numbers % 3 == 0 if dtype == "bool" else (numbers % 101).astype(dtype)


class Weights(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.top = pathlib.Path(place.name)

    def results(self, text, *arguments, stdin=False):
        path = self.top / "m.onnx"
        path.write_bytes(text)
        program, given = ("-", {"input": text, "text": False}) if stdin else (path, {})
        done = start("run", program, "--from", "onnx", *arguments, "--output", self.top / "out", **given)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [np.load(p) for p in sorted((self.top / "out").glob("*.npy"), key=lambda p: int(p.stem))]

    def test_every_place_and_type(self):
        for shift in range(4):
            tensors, nodes, outputs, want = [], [], [], []
            for i, (dtype, own) in enumerate(DTYPES.items()):
                name = f"w{i}" + "." * ((shift if i == 0 else i) % 4)
                want.append(weights(dtype, i))
                tensors.append((name, want[-1]))
                nodes.append(node("Identity", name, f"y{i}"))
                outputs.append((f"y{i}", own, None))
            found = self.results(model(nodes, [], outputs, tensors), "--engine", "ref", stdin=shift == 3)
            for got, w in zip(found, want, strict=True):
                np.testing.assert_array_equal(got, w)

    def test_in_branches(self):
        w = np.arange(400000, dtype=np.float32)
        own = w[::-1].copy()
        same = graph([node("Neg", "w", "a")], [], [("a", "f32", [400000])])
        both = graph([node("Constant", "", "k", value=own), node("Add", "w k", "b")], [], [("b", "f32", [400000])])
        text = model([node("If", "c", "y", then_branch=same, else_branch=both), node("Abs", "w", "z")],
                     [("c", "i1", [])], [("y", "f32", None), ("z", "f32", None)], [("w", w)])
        for engine in ["jit", "ref"]:
            for c, want in [(True, -w), (False, w + own)]:
                np.save(self.top / "c.npy", np.array(c))
                y, z = self.results(text, "--engine", engine, "--input", f"c={self.top}/c.npy")
                np.testing.assert_array_equal(y, want)
                np.testing.assert_array_equal(z, w)

    def test_decoded_where_they_are_used(self):
        """Few rows read weights as they are stored; for many they are decoded once, when the program is compiled."""
        w = (np.arange(96 * 64) * 37 % 255 - 127).astype(np.int8).reshape(96, 64)
        scale = (np.arange(64, dtype=np.float32) + 1) / 64
        nodes = [node("DequantizeLinear", "w s z", "f", axis=1), node("MatMul", "x f", "y")]
        tensors = [("w", w), ("s", scale), ("z", np.zeros(64, np.int8))]
        for rows, stored in [(1, True), (16, True), (17, False)]:
            text = model(nodes, [("x", "f32", [rows, 96])], [("y", "f32", [rows, 64])], tensors)
            x = (np.arange(rows * 96) % 7 - 3).astype(np.float32).reshape(rows, 96)
            np.save(self.top / "x.npy", x)
            for engine in ["jit", "ref"]:
                y, = self.results(text, "--engine", engine, "--input", f"x={self.top}/x.npy")
                np.testing.assert_array_equal(y, x @ (w * scale))  # sums of few bits are exact
            kernels = start("explain", self.top / "m.onnx").stdout
            self.assertEqual("si8[96, 64]" in kernels, stored, kernels)
            self.assertEqual("f32[96, 64]" in kernels, not stored, kernels)


if __name__ == "__main__":
    unittest.main()
