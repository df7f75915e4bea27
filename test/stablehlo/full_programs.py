"""Whole programs as JAX prints them: a training step, an attention block with masks, a convolutional network; and one of torch-xla.
Every engine, and C, gives the same bits, near what NumPy computes in double precision, and so does what Tenon writes of them."""
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import numpy as np

from lib import equality
from lib.program import TEST, start, tenon

FOLDER = TEST / "stablehlo" / "programs"


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def mlp(f):
    """Loss and new parameters after a step of a perceptron with one hidden layer."""
    b1, b2, w1, w2, x, labels = (f[k] for k in ("params['b1']", "params['b2']", "params['w1']", "params['w2']", "x", "labels"))
    h = x @ w1 + b1
    r = np.maximum(h, 0)
    p = softmax(r @ w2 + b2)
    hot = np.eye(3)[labels]
    d = (p - hot) / len(x)
    dh = d @ w2.T * (h > 0)
    return [-np.log((p * hot).sum(1)).mean(), b1 - 0.1 * dh.sum(0), b2 - 0.1 * d.sum(0), w1 - 0.1 * x.T @ dh, w2 - 0.1 * r.T @ d]


def attention(f):
    """A block of two heads that looks back only, and not at what is masked."""
    x, mask, wqkv, wo, gain = (f[k] for k in ("x", "mask", "wqkv", "wo", "gain"))
    n = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * gain
    q, k, v = (a.reshape(2, 4, 2, 4).transpose(0, 2, 1, 3) for a in np.split(n @ wqkv, 3, -1))
    s = np.where(np.tril(np.ones((4, 4), bool)) & mask[:, None, None, :], q / 2 @ k.transpose(0, 1, 3, 2), -3.40282347e38)
    o = (softmax(s) @ v).transpose(0, 2, 1, 3).reshape(2, 4, 8) @ wo
    y = x + o * 0.5 * (1 + np.tanh(0.797884583 * (o + 0.044715 * o ** 3)))
    return [y, y.argmax(-1)]


def cnn(f):
    """A convolution, a maximum over windows and a product, with constants in raw bytes."""
    x, w, b, out = (f[k] for k in ("images", "params['conv']['kernel']", "params['conv']['bias']", "params['out']"))
    wide = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    y = sum(np.einsum("bhwi,io->bhwo", wide[:, i:i + 8, j:j + 8], w[i, j]) for i in range(3) for j in range(3)) + b
    y = np.maximum(y, 0).reshape(2, 4, 2, 4, 2, 4).max((2, 4)).reshape(2, 64)
    return [y @ out + np.array([0.5, -0.5, 0.5, -0.5, 0.0]) + 10]


def torch_xla(f):
    """A linear layer, the logarithm of softmax, its loss by labels, and the most likely classes."""
    bias, weights, x, labels = (f[f"arg{k}"] for k in range(4))
    y = np.log(softmax(x @ weights.T + bias))
    return [y, -y[np.arange(2), labels].sum(), y.argmax(1)]


def random_inputs():
    r = np.random.default_rng(5)

    def f32(*shape):
        return r.standard_normal(shape).astype(np.float32)
    return {"mlp": (mlp, {"params['b1']": f32(6), "params['b2']": f32(3), "params['w1']": f32(4, 6), "params['w2']": f32(6, 3),
                          "x": f32(5, 4), "labels": r.integers(0, 3, 5).astype(np.int32)}),
            "attention": (attention, {"x": f32(2, 4, 8), "mask": np.array([[1, 1, 1, 0], [1, 0, 1, 1]], bool), "wqkv": f32(8, 24),
                                      "wo": f32(8, 8), "gain": f32(8)}),
            "cnn": (cnn, {"images": f32(2, 8, 8, 3), "params['conv']['kernel']": f32(3, 3, 3, 4),
                          "params['conv']['bias']": f32(4), "params['out']": f32(64, 5)}),
            "torch_xla": (torch_xla, {"arg0": f32(3), "arg1": f32(3, 4), "arg2": f32(2, 4), "arg3": np.array([2, 0])})}


def library(folder, text):
    """The field for `equality` that names TEXT as C, compiled."""
    c, header, so = folder / "m.c", folder / "m.h", folder / "m.so"
    tenon("compile", text, "-O2", "-o", c, "--header", header)
    subprocess.run(["gcc", "-std=c17", "-O1", "-ffp-contract=off", "-fPIC", "-shared", c, "-o", so, "-lm"], check=True)
    room = re.search(r"_WORKSPACE_BYTES (\d+)u", header.read_text())[1]
    return f"lib=2=m_run:{room}={so}"


class Weights(unittest.TestCase):
    """Arguments that a file of weights has are constants."""

    def results(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            tenon("run", FOLDER / "mlp.mlir", *arguments, "--output", folder)
            return [np.load(pathlib.Path(folder) / f"{k}.npy") for k in range(5)]

    def test_by_name_path_and_position(self):
        _, inputs = random_inputs()["mlp"]
        weights = {k: v for k, v in inputs.items() if k.startswith("params")}
        order = ["params['b1']", "params['b2']", "params['w1']", "params['w2']"]
        ways = [weights, {k.replace("['", ".").replace("']", ""): v for k, v in weights.items()},
                {k[len("params['"):-2]: v for k, v in weights.items()}, {str(k): weights[name] for k, name in enumerate(order)}]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            np.savez(folder / "all.npz", **inputs)
            want = self.results("--inputs", folder / "all.npz")
            for k, way in enumerate(ways):
                np.savez(folder / f"{k}.npz", **way, unused=np.zeros(3))
                np.savez(folder / "rest.npz", **{n: a for n, a in inputs.items() if n not in weights})
                got = self.results("--constants", folder / f"{k}.npz", "--inputs", folder / "rest.npz")
                for a, b in zip(got, want):
                    np.testing.assert_array_equal(a, b)
            np.save(folder / "one.npy", np.zeros(3))
            for wrong in ("one.npy", "missing.npz"):
                self.assertNotEqual(start("check", FOLDER / "mlp.mlir", "--constants", folder / wrong).returncode, 0)
            np.savez(folder / "shape.npz", w1=np.zeros((3, 3), np.float32))
            done = start("check", FOLDER / "mlp.mlir", "--constants", folder / "shape.npz")
            self.assertIn("InputMismatch", done.stderr)

    def test_unknown_name(self):
        self.assertIn("UndefinedName", start("check", FOLDER / "mlp.mlir", "--constant", "w9=1").stderr)


class Programs(unittest.TestCase):
    def results(self, text, given):
        """What the evaluator gives."""
        with tempfile.TemporaryDirectory() as folder:
            tenon("run", text, "--inputs", given, "--output", folder, "--engine", "ref")
            return [np.load(p) for p in sorted(pathlib.Path(folder).glob("*.npy"))]

    def check(self, name):
        reference, inputs = random_inputs()[name]
        text = FOLDER / f"{name}.mlir"
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            given = folder / "in.npz"
            np.savez(given, **inputs)
            want = reference({k: v.astype(np.float64) if v.dtype == np.float32 else v for k, v in inputs.items()})
            got = self.results(text, given)
            self.assertEqual(len(got), len(want))
            for a, b in zip(got, want):
                np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-6)
            for i, v in enumerate(inputs.values()):
                np.save(folder / f"{i}.npy", v)
            fields = ["levels=2", *[f"in={i}={folder}/{i}.npy" for i in range(len(inputs))]]
            compiled = [library(folder, text)] if shutil.which("gcc") else []
            self.assertRegex(equality.ask([f"file={text}", *fields, *compiled]), "^ok ")
            for style in ("canonical", "pretty"):  # each of what the one before wrote
                written = folder / f"{style}.mlir"
                tenon("fmt", "--style", style, text, "-o", written)
                for a, b in zip(self.results(written, given), got):
                    np.testing.assert_array_equal(a, b)
                text = written
            self.assertRegex(equality.ask([f"file={text}", *fields]), "^ok ")

    def test_mlp(self):
        self.check("mlp")

    def test_attention(self):
        self.check("attention")

    def test_cnn(self):
        self.check("cnn")

    def test_torch_xla(self):
        self.check("torch_xla")


if __name__ == "__main__":
    unittest.main()
