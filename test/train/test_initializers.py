"""Training what an ONNX model holds: initializers that --wrt names are weights, and begin with what they were."""
import pathlib
import tempfile
import unittest

import numpy as np

from lib.onnx_files import graph, model, node
from lib.program import start, tenon

INPUTS = """\
%0 = Input () {name="x"} : tensor<f32>[4, 3]
%1 = Input () {name="y"} : tensor<f32>[4, 2]
%2 = Input () {name="net.w"} : tensor<f32>[3, 2]
%3 = Input () {name="net.b"} : tensor<f32>[2]
%4 = MatMul (%0, %2) : tensor<f32>[4, 2]
%5 = Add (%4, %3) : tensor<f32>[4, 2]
%6 = Sub (%5, %1) : tensor<f32>[4, 2]
%7 = Mul (%6, %6) : tensor<f32>[4, 2]
%8 = Mean (%7) {axes=[0, 1], keepdims=false} : tensor<f32>[]
outputs: %8
"""
draw = np.random.default_rng(3)
W, B = draw.normal(size=(3, 2)).astype(np.float32), draw.normal(size=2).astype(np.float32)
SAMPLES = {"x": draw.normal(size=(64, 3)).astype(np.float32), "y": draw.normal(size=(64, 2)).astype(np.float32)}


def network(w, b, names=("net.w", "net.b")):
    return model([node("MatMul", f"x {names[0]}", "p"), node("Add", f"p {names[1]}", "z"), node("Sub", "z y", "d"),
                  node("Mul", "d d", "q"), node("ReduceMean", "q", "loss", keepdims=0)],
                 [("x", "f32", [4, 3]), ("y", "f32", [4, 2])], [("loss", "f32", [])],
                 initializers=list(zip(names, (w, b))))




def computed(weights, are_inputs):
    """The network does not multiply with its WEIGHTS, but with what it computes of them."""
    nodes = [node("Transpose", "net.w", "t", perm=[1, 0]), node("Mul", "net.w net.w", "s"), node("ReduceSum", "s", "n", keepdims=0),
             node("Unsqueeze", "n", "n1", axes=[0]), node("Div", "t n1", "u"), node("Mul", "u net.g", "m"), node("MatMul", "x m", "p"),
             node("Concat", "net.b net.c", "bc", axis=0), node("Add", "p bc", "z"), node("Sub", "z y", "d"), node("Mul", "d d", "q"),
             node("ReduceMean", "q", "loss", keepdims=0)]
    given = [(name, "f32", list(w.shape)) for name, w in weights.items()] if are_inputs else []
    return model(nodes, [("x", "f32", [4, 3]), ("y", "f32", [4, 2]), *given], [("loss", "f32", [])],
                 initializers=[] if are_inputs else list(weights.items()), opset=12)


TRAIN = ["--data", "data.npz", "--lr", "0.05", "--batch", "16", "--steps", "6", "--engine", "ref"]


class Initializers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)
        (self.dir / "net.onnx").write_bytes(network(W, B))
        (self.dir / "net.ir").write_text(INPUTS)
        np.savez(self.dir / "data.npz", **SAMPLES)
        np.savez(self.dir / "init.npz", **{"net.w": W, "net.b": B})

    def train(self, program, wrt, out, *more):
        tenon("train", program, "--wrt", wrt, *TRAIN, "--output", out, *more, cwd=self.dir)
        return np.load(self.dir / out)

    def test_bits_are_those_of_inputs(self):
        want = self.train("net.ir", "net.w,net.b", "a.npz", "--init", "init.npz")
        for wrt in "net.w,net.b", "net":
            got = self.train("net.onnx", wrt, "b.npz")
            for name in "net.w", "net.b":
                np.testing.assert_array_equal(got[name], want[name])
        self.assertFalse(np.array_equal(want["net.w"], W))

    def test_numbers_as_names(self):
        """What is called as a position is that, as exporters that number all values call weights."""
        (self.dir / "net.onnx").write_bytes(network(W, B, ("1", "0")))
        want = self.train("net.ir", "net.w,net.b", "a.npz", "--init", "init.npz")
        got = self.train("net.onnx", "1,0", "b.npz")
        self.assertEqual(sorted(got.files), ["0", "1"])
        np.testing.assert_array_equal(got["1"], want["net.w"])
        np.testing.assert_array_equal(got["0"], want["net.b"])

    def test_names_of_states(self):
        """A weight may be called as a checkpoint calls the state of another one."""
        want = self.train("net.onnx", "net", "a.npz")
        (self.dir / "clash.onnx").write_bytes(network(W, B, ("w", "w:mean")))
        wrt = "w,w:mean"
        got = self.train("clash.onnx", wrt, "b.npz", "--checkpoint", "ck", "--every", "4")
        for name in "json", "safetensors":
            (self.dir / f"ck/step-00000006.{name}").unlink()
        again = self.train("clash.onnx", wrt, "c.npz", "--checkpoint", "ck", "--resume")
        for name, other in zip(wrt.split(","), ("net.w", "net.b")):
            np.testing.assert_array_equal(got[name], want[other])
            np.testing.assert_array_equal(again[name], want[other])

    def test_equal_elements(self):
        w, b = np.full_like(W, 0.25), np.zeros_like(B)  # which a program holds as one element
        (self.dir / "net.onnx").write_bytes(network(w, b))
        np.savez(self.dir / "init.npz", **{"net.w": w, "net.b": b})
        want = self.train("net.ir", "net.w,net.b", "a.npz", "--init", "init.npz")
        got = self.train("net.onnx", "net", "b.npz")
        for name in "net.w", "net.b":
            np.testing.assert_array_equal(got[name], want[name])

    def test_what_is_computed_of_them(self):
        weights = {"net.w": W.T.copy(), "net.g": B + 2, "net.b": B[:1], "net.c": np.ones_like(B[:1])}
        (self.dir / "fixed.onnx").write_bytes(computed(weights, False))
        (self.dir / "open.onnx").write_bytes(computed(weights, True))
        np.savez(self.dir / "init.npz", **weights)
        want = self.train("open.onnx", "net", "a.npz", "--init", "init.npz")
        got = self.train("fixed.onnx", "net", "b.npz")
        for name, w in weights.items():
            np.testing.assert_array_equal(got[name], want[name])
            self.assertFalse(np.array_equal(want[name], w))

    def test_other_values_keep_names(self):
        np.savez(self.dir / "half.npz", **{"net.w": np.full_like(W, 0.5)})
        want = self.train("net.onnx", "net", "a.npz", "--init", "half.npz")
        got = self.train("net.onnx", "net", "b.npz", "--constants", "half.npz")
        for name in "net.w", "net.b":
            np.testing.assert_array_equal(got[name], want[name])

    def test_one_of_them(self):
        got = self.train("net.onnx", "net.b", "b.npz")
        self.assertEqual(got.files, ["net.b"])

    def test_first_values_of_a_file(self):
        np.savez(self.dir / "zero.npz", **{"net.w": np.zeros_like(W)})
        first = self.train("net.onnx", "net", "b.npz", "--init", "zero.npz")
        np.savez(self.dir / "both.npz", **{"net.w": np.zeros_like(W), "net.b": B})
        want = self.train("net.ir", "net", "a.npz", "--init", "both.npz")
        np.testing.assert_array_equal(first["net.w"], want["net.w"])

    def test_trained_weights_go_back(self):
        weights = self.train("net.onnx", "net", "w.npz")
        x, y = SAMPLES["x"][:4], SAMPLES["y"][:4]
        np.savez(self.dir / "in.npz", x=x, y=y)
        tenon("convert", "net.onnx", "--constants", "w.npz", "-o", "trained.onnx", cwd=self.dir)
        tenon("run", "trained.onnx", "--inputs", "in.npz", "--output", "a.npy", cwd=self.dir)
        tenon("run", "net.onnx", "--constants", "w.npz", "--inputs", "in.npz", "--output", "b.npy", cwd=self.dir)
        got = np.load(self.dir / "a.npy")
        self.assertEqual(got.tobytes(), np.load(self.dir / "b.npy").tobytes())
        want = np.mean((x @ weights["net.w"] + weights["net.b"] - y) ** 2)
        np.testing.assert_allclose(got, want, rtol=1e-5)  # sums in another order

    def test_copies_in_branches(self):
        """A branch holds its weights as constants, which no gradient reaches."""
        branch = [graph([node(op, "x net.w", "b")], [], [("b", "f32", None)]) for op in ("Mul", "Add")]
        data = model([node("ReduceSum", "x", "s", keepdims=0), node("Greater", "s zero", "p"),
                      node("If", "p", "i", then_branch=branch[0], else_branch=branch[1]), node("Mul", "x net.w", "o"),
                      node("Add", "i o", "u"), node("Add", "u net.w", "z"), node("Sub", "z y", "d"), node("ReduceMean", "d", "loss", keepdims=0)],
                     [("x", "f32", [4, 3]), ("y", "f32", [4, 3])], [("loss", "f32", [])],
                     initializers=[("net.w", W[:, 0].copy()), ("zero", np.float32(0))])
        (self.dir / "branches.onnx").write_bytes(data)
        np.savez(self.dir / "data.npz", x=SAMPLES["x"], y=SAMPLES["x"])
        done = start("train", "branches.onnx", "--wrt", "net.w", *TRAIN, cwd=self.dir)
        self.assertEqual(done.returncode, 2)
        self.assertIn("'net.w' cannot be trained: a branch or a loop holds a copy of it", done.stderr)

    def test_refused(self):
        done = start("train", "net.onnx", "--wrt", "net.q", *TRAIN, cwd=self.dir)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("net.q", done.stderr)
        np.savez(self.dir / "wide.npz", **{"net.w": np.zeros((4, 2), np.float32)})
        done = start("run", "net.onnx", "--constants", "wide.npz", "--random", "1", cwd=self.dir)
        self.assertEqual(done.returncode, 1)
        self.assertIn("the value given for 'net.w' does not fit its type", done.stderr)


if __name__ == "__main__":
    unittest.main()
