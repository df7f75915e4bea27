"""Gradients of the program of examples/gpt2 in a small shape, by every weight.

The prompt's program is bound to one length, a cross entropy is put behind its logits, and `tenon grad`
differentiates it. What is compared:
  every weight      along a random line, with central differences of the loss in float64, by NumPy
  every element     with PyTorch, in float64, where python3-torch is installed
  a cotangent       given for the logits gives the same gradients
  recomputing       the attention's weights (softmax) again changes no bit of a gradient

Tolerance: a gradient's element is a sum like a logit (see test_gpt2.py), and the way back is as long
as the way there, so twice the tolerance of logits, relative to the largest element of its tensor or,
where that is small, to 1.
"""
import pathlib
import re
import tempfile
import unittest

import numpy as np

import test_gpt2 as gpt2
from lib.program import output
from test_gpt2 import VOCAB, HEADS, WIDTH, LAYERS

try:
    import torch
except ImportError:
    torch = None

TOKENS = [7, 60, 0, 7, 33]
TARGET = 11
LOSS = f"""  %m = reduce_max(LOGITS) axes[1] keepdims[true] -> tensor<f32, 1x1>
  %wide = broadcast_to(%m) result_shape[1, {VOCAB}] -> tensor<f32, 1x{VOCAB}>
  %low = sub(LOGITS, %wide) -> tensor<f32, 1x{VOCAB}>
  %e = exp(%low) -> tensor<f32, 1x{VOCAB}>
  %sum = reduce_sum(%e) axes[0, 1] -> tensor<f32>
  %log = log(%sum) -> tensor<f32>
  %hit = mul(%low, %target) -> tensor<f32, 1x{VOCAB}>
  %own = reduce_sum(%hit) axes[0, 1] -> tensor<f32>
  %loss = sub(%log, %own) -> tensor<f32>
"""


def plain_loss(weights):
    row = gpt2.plain_logits(weights, TOKENS)[-1]
    return np.log(np.exp(row - row.max()).sum()) + row.max() - row[TARGET]


def torch_gradients(weights):
    """The same model, plainly, with PyTorch's own layer norm, softmax and GELU."""
    f = torch.nn.functional
    w = {k: torch.tensor(v.astype(np.float64), requires_grad=True) for k, v in weights.items()}
    n = len(TOKENS)

    def norm(x, name):
        return f.layer_norm(x, (WIDTH,), w[name + ".weight"], w[name + ".bias"], 1e-5)

    def linear(x, name):
        return x @ w[name + ".weight"] + w[name + ".bias"]

    x = w["wte.weight"][TOKENS] + w["wpe.weight"][:n]
    mask = torch.ones(n, n, dtype=torch.bool).tril()
    for i in range(LAYERS):
        q, k, v = (t.reshape(n, HEADS, -1).transpose(0, 1) for t in
                   linear(norm(x, f"h.{i}.ln_1"), f"h.{i}.attn.c_attn").split(WIDTH, dim=-1))
        scores = (q @ k.transpose(1, 2)) / (WIDTH // HEADS) ** 0.5
        seen = torch.softmax(scores.masked_fill(~mask, -torch.inf), -1) @ v
        x = x + linear(seen.transpose(0, 1).reshape(n, WIDTH), f"h.{i}.attn.c_proj")
        hidden = f.gelu(linear(norm(x, f"h.{i}.ln_2"), f"h.{i}.mlp.c_fc"), approximate="tanh")
        x = x + linear(hidden, f"h.{i}.mlp.c_proj")
    logits = norm(x, "ln_f")[-1:] @ w["wte.weight"].T
    f.cross_entropy(logits, torch.tensor([TARGET])).backward()
    return {k: v.grad.numpy() for k, v in w.items()}


@unittest.skipUnless(gpt2.GPT2 and pathlib.Path(gpt2.GPT2).exists(), "the program is not built")
class Gradient(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.path = pathlib.Path(cls.folder.name)
        cls.weights = gpt2.make_weights(2)
        gpt2.run("--save-ptir", str(cls.path), "--tokens", "0")
        text = output("convert", cls.path / "prefill.ptir.json", "--to", "ptir-text", "--dim",
                     f"S={len(TOKENS)}")
        head, logits, tail = re.fullmatch(r"(.*\n)  return (%[\w.]+), [^\n]*(\n.*)", text,
                                          re.S).groups()
        signature, body = head.split("{\n", 1)
        signature = signature.split(") -> ")[0]
        cls.logits = cls.path / "logits.ptir"
        cls.logits.write_text(f"{signature}, %seed: tensor<f32, 1x{VOCAB}>) -> tensor<f32, 1x{VOCAB}> "
                              f"{{\n{body}  return {logits}{tail}")
        cls.loss = cls.path / "loss.ptir"
        cls.loss.write_text(f"{signature}, %target: tensor<f32, 1x{VOCAB}>) -> tensor<f32> "
                            f"{{\n{body}{LOSS.replace('LOGITS', logits)}  return %loss{tail}")
        # PTIR's parameters are numbers: the tokens, the last position, then the weights in the order
        # of make_weights.
        cls.inputs = {"0": np.array([TOKENS], np.int32), "1": np.array([len(TOKENS) - 1], np.int32),
                      "target": np.eye(VOCAB, dtype=np.float32)[[TARGET]]}
        cls.numbers = {name: str(2 + i) for i, name in enumerate(cls.weights)}
        cls.gradients = cls.differentiate(cls.loss, cls.inputs)

    @classmethod
    def differentiate(cls, program, inputs, *options):
        names = list(cls.weights)
        module = cls.path / "gradient.ptir"
        numbers = [cls.numbers[name] for name in names]
        module.write_text(output("grad", "--wrt", ",".join(numbers), *options, program))
        output("check", module)
        weights = {cls.numbers[name]: x for name, x in cls.weights.items()}
        np.savez(cls.path / "in.npz", **weights, **inputs)
        output("run", "--inputs", cls.path / "in.npz", "--output", cls.path / "out.npz", module)
        with np.load(cls.path / "out.npz") as out:
            return {name: out[str(i)] for i, name in enumerate(["loss", *names])}

    def assert_near(self, got, want):
        for name, value in want.items():
            with self.subTest(name):
                limit = 2 * gpt2.TOLERANCE * max(1.0, np.abs(value).max())
                self.assertEqual(got[name].shape, value.shape)
                self.assertLess(np.abs(got[name] - value).max(), limit)

    def test_the_loss(self):
        self.assertLess(abs(self.gradients["loss"] - plain_loss(self.weights)), gpt2.TOLERANCE)

    def test_finite_differences(self):
        random, h = np.random.default_rng(3), 1e-5
        for name, x in self.weights.items():
            with self.subTest(name):
                line = random.normal(0, 1, x.shape) / np.sqrt(x.size)
                ends = [plain_loss(self.weights | {name: x.astype(np.float64) + t * line})
                        for t in (h, -h)]
                want = (ends[0] - ends[1]) / (2 * h)
                got = float((self.gradients[name].astype(np.float64) * line).sum())
                self.assertLess(abs(got - want), 2 * gpt2.TOLERANCE * max(1.0, abs(want)))
                self.assertTrue(np.abs(self.gradients[name]).max() > 0)

    @unittest.skipUnless(torch, "python3-torch is not installed")
    def test_pytorch(self):
        self.assert_near(self.gradients, torch_gradients(self.weights))

    def test_cotangent(self):
        row = gpt2.plain_logits(self.weights, TOKENS)[-1:]
        seed = gpt2.softmax(row) - self.inputs["target"]
        inputs = {k: v for k, v in self.inputs.items() if k != "target"}
        got = self.differentiate(self.logits, inputs | {"seed": seed.astype(np.float32)},
                                 "--cotangent", "seed")
        self.assert_near(got, {name: self.gradients[name] for name in self.weights})

    def test_recompute(self):
        again = re.findall(r"(%[\w.]+) = exp\(", self.loss.read_text())
        self.assertGreaterEqual(len(again), LAYERS)
        got = self.differentiate(self.loss, self.inputs, "--recompute", ",".join(again))
        for name, value in self.gradients.items():
            self.assertTrue(np.array_equal(got[name], value), name)


if __name__ == "__main__":
    unittest.main()
