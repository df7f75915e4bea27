"""`tenon info`: what it says of programs of several dialects."""
import json
import pathlib
import sys
import tempfile
import unittest

import numpy as np

from lib.onnx_files import model, node
from lib.program import start


class Info(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)

    def info(self, name, text, *arguments):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        done = start("info", path, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def facts(self, *arguments):
        return json.loads(self.info(*arguments, "--json"))

    net = """%0 = Input () {name="x"} : tensor<f32>[batch, 3]
%1 = ConstTensor () {value=[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]} : tensor<f32>[3, 2]
%2 = MatMul (%0, %1) : tensor<f32>[batch, 2]
%3 = Relu (%2) : tensor<f32>[batch, 2]
outputs: %3
"""

    def test_core_ir(self):
        f = self.facts("net.ir", self.net)
        self.assertEqual(f["inputs"], [{"name": "x", "dtype": "f32", "shape": ["batch", 3]}])
        self.assertEqual(f["outputs"][0]["shape"], ["batch", 2])
        self.assertEqual(f["symbols"], ["batch"])
        self.assertEqual((f["parameters"], f["parameter_tensors"], f["parameter_bytes"]), (6, 1, 24))
        self.assertEqual(f["ops"], {"constant": 1, "matmul": 1, "relu": 1})
        self.assertEqual((f["operations"], f["flops"], f["memory_bytes"]), (3, None, None))

    def test_sizes(self):
        f = self.facts("net.ir", self.net, "--dim", "batch=100")
        self.assertEqual((f["symbols"], f["inputs"][0]["shape"]), ([], [100, 3]))
        self.assertGreaterEqual(f["flops"], 2 * 100 * 3 * 2)
        self.assertLessEqual(f["flops"], 4 * 100 * 3 * 2)
        self.assertIsInstance(f["memory_bytes"], int)
        explained = json.loads(start("explain", self.folder / "net.ir", "--json", "--dim", "batch=100").stdout)
        self.assertEqual(explained.get("memory_bytes", f["memory_bytes"]), f["memory_bytes"])
        twice = self.facts("net.ir", self.net, "--dim", "batch=200")
        self.assertEqual(twice["flops"], 2 * f["flops"])

    def test_names_that_move_the_cursor(self):
        name = "a\x1b[31m\u202eb\x9b\u061c\u2069é"
        text = self.info("odd.ir", f'%0 = Input () {{name="{name}"}} : tensor<f32>[2]\noutputs: %0\n')
        self.assertIn("input a?[31m?b???é: f32[2]", text)
        (self.folder / "used.ir").write_text((self.folder / "odd.ir").read_text().replace("outputs: %0", "%1 = Relu (%0) : tensor<f32>[2]\noutputs: %1"))
        self.assertIn("%0 'a?[31m?b???é' f32[2]", start("explain", self.folder / "used.ir").stdout)

    def test_text(self):
        text = self.info("net.ir", self.net).splitlines()
        for line in ("dialect: mind", "input x: f32[batch, 3]", "sizes: batch", "parameters: 6 in 1 tensor, 24 bytes",
                     "memory, flops: known with all sizes: --dim batch=N", "operations: 3", "  1 matmul"):
            self.assertIn(line, text)

    def test_onnx(self):
        w = np.ones((3, 4), np.float32)
        data = model([node("Gemm", "x w", "a"), node("Tanh", "a", "b"), node("Tanh", "b", "y")], [("x", "f32", ["N", 3])],
                     [("y", "f32", None)], [("w", np.arange(12, dtype=np.float32).reshape(3, 4) * w)])
        f = self.facts("m.onnx", data, "--dim", "N=2")
        self.assertEqual((f["parameters"], f["parameter_bytes"], f["ops"]["tanh"]), (12, 48, 2))
        self.assertEqual(f["outputs"], [{"name": "y", "dtype": "f32", "shape": [2, 4]}])
        self.assertEqual(list(f["ops"])[0], "tanh")
        self.assertEqual(f["dialect"], "onnx")

    def test_levels(self):
        text = self.info("net.ir", self.net, "-O0", "--dim", "batch=1")
        self.assertIn("flops: ", text)

    def test_wrong_usage(self):
        self.assertEqual(start("info").returncode, 2)
        path = self.folder / "net.ir"
        path.write_text(self.net)
        self.assertEqual(start("info", path, "--dim", "other=1").returncode, 2)
        self.assertEqual(start("info", self.folder / "none.ir").returncode, 3)


if __name__ == "__main__":
    sys.exit(unittest.main())
