"""A program trains to the same weights in every dialect, by the names or the positions of what it has."""
import pathlib
import tempfile
import unittest

import numpy as np

from lib.program import start, tenon

# scores = x w + b; the mean over 8 samples of their squared distance to y
NET = """\
%x = Input () {name="x"} : tensor<f32>[8, 3]
%y = Input () {name="y"} : tensor<f32>[8, 2]
%w = Input () {name="w"} : tensor<f32>[3, 2]
%b = Input () {name="b"} : tensor<f32>[2]
%xw = MatMul (%x, %w) : tensor<f32>[8, 2]
%scores = BinOp (%xw, %b) {op=Add} : tensor<f32>[8, 2]
%d = BinOp (%scores, %y) {op=Sub} : tensor<f32>[8, 2]
%s = BinOp (%d, %d) {op=Mul} : tensor<f32>[8, 2]
%loss = Mean (%s) {axes=[], keepdims=false} : tensor<f32>[]
outputs: %scores, %loss
"""
# file: the names of the loss, of the inputs, and its dialect where the name does not tell
FILES = {"net.ir": (["loss", "%loss", "1"], "xywb", None), "net.onnx": (["loss", "%loss", "1"], "xywb", None),
         "net.ptir": (["1"], "xywb", None), "net.mlir": (["output1", "1"], "xywb", "stablehlo"),
         "net.ptir.json": (["1"], "0123", None), "net.bin": (["1"], "0123", "ptir-bincode")}


class Dialects(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)
        (self.dir / "net.ir").write_text(NET)
        draw = np.random.default_rng(1)
        self.data = [draw.normal(size=(40, k)).astype(np.float32) for k in (3, 2)]

    def train(self, path, dialect, names, loss):
        np.savez(self.dir / "data.npz", **dict(zip(names, self.data)))
        tenon("train", path, *(["--from", dialect] if dialect else []), "--data", "data.npz", "--loss", loss, "--wrt",
              f"{names[2]},{names[3]}", "--batch", "16", "--steps", "5", "--engine", "ref", "--output", "w.npz", cwd=self.dir)
        with np.load(self.dir / "w.npz") as weights:
            return [weights[name].tobytes() for name in names[2:]]

    def test_weights(self):
        want = None
        for path, (losses, names, dialect) in FILES.items():
            if path != "net.ir":
                tenon("convert", "net.ir", "-o", path, *(["--to", dialect] if dialect else []), cwd=self.dir)
            for loss in losses:
                got = self.train(path, dialect, names, loss)
                want = want or got
                self.assertEqual(got, want, (path, loss))

    def test_other_names(self):
        """Who takes the names of the source finds those of the file among what is said."""
        tenon("convert", "net.ir", "-o", "net.ptir.json", cwd=self.dir)
        np.savez(self.dir / "data.npz", x=self.data[0], y=self.data[1])
        done = start("train", "net.ptir.json", "--wrt", "2,3", "--loss", "1", "--data", "data.npz", cwd=self.dir)
        self.assertEqual(done.returncode, 3, done.stderr)
        for text in ("the data has 'x'", "the program has the input '0'"):
            self.assertIn(text, done.stderr)


if __name__ == "__main__":
    unittest.main()
