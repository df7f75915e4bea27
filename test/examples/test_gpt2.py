"""Runs examples/gpt2 in a small shape and checks it against GPT-2 computed here with NumPy.

The program is looked for beside the one that TENON names. What is compared:
  logits           of every step against a float64 computation of the same weights
  step by step     the prompt token by token gives the logits of the whole prompt
  determinism      the same seed gives the same tokens, another one others
  files            published names with and without "transformer.", and float16 and bfloat16 weights
  PTIR             both programs are written, accepted by `tenon check`, and written back unchanged

Tolerance of logits. A sum of n products in f32 has an error below n u times the sum of their sizes,
with u = 2^-24. Here n is at most 4 WIDTH, the sizes add up to at most 8, and a logit is the last of
2 LAYERS + 1 such sums, each of which passes on the errors before it about unchanged. The errors seen
are 200 times smaller, because roundings have both signs.
"""
import os
import pathlib
import struct
import subprocess
import tempfile
import unittest

import numpy as np

from lib.program import HANG, TENON

GPT2 = str(pathlib.Path(TENON).parent / "examples" / "gpt2")
LAYERS, WIDTH, HEADS, VOCAB, POSITIONS = 2, 32, 4, 61, 24
SHAPE = ["--layers", str(LAYERS), "--width", str(WIDTH), "--heads", str(HEADS),
         "--vocab", str(VOCAB), "--positions", str(POSITIONS)]
TOLERANCE = (2 * LAYERS + 1) * 4 * WIDTH * 2 ** -24 * 8
PROMPT = [7, 60, 0, 7, 33]


def run(*options, status=0):
    done = subprocess.run([GPT2, *SHAPE, *options], capture_output=True, text=True, timeout=HANG)
    assert done.returncode == status, f"status {done.returncode}\n{done.stderr}"
    return done


def tokens_of(done):
    return [int(t) for t in done.stdout.splitlines()[-1].split(",")]


def logits_of(done):
    lines = [line.split() for line in done.stdout.splitlines()]
    return np.array([[float(x) for x in line[1:]] for line in lines if line[0] == "logits"])


# ---- GPT-2, plainly ----

def make_weights(seed):
    random = np.random.default_rng(seed)
    shapes = {"wte.weight": (VOCAB, WIDTH), "wpe.weight": (POSITIONS, WIDTH),
              "ln_f.weight": (WIDTH,), "ln_f.bias": (WIDTH,)}
    for i in range(LAYERS):
        shapes |= {f"h.{i}.{name}": shape for name, shape in {
            "ln_1.weight": (WIDTH,), "ln_1.bias": (WIDTH,),
            "attn.c_attn.weight": (WIDTH, 3 * WIDTH), "attn.c_attn.bias": (3 * WIDTH,),
            "attn.c_proj.weight": (WIDTH, WIDTH), "attn.c_proj.bias": (WIDTH,),
            "ln_2.weight": (WIDTH,), "ln_2.bias": (WIDTH,),
            "mlp.c_fc.weight": (WIDTH, 4 * WIDTH), "mlp.c_fc.bias": (4 * WIDTH,),
            "mlp.c_proj.weight": (4 * WIDTH, WIDTH), "mlp.c_proj.bias": (WIDTH,)}.items()}
    return {name: (random.normal(0, 0.2, shape) + name.endswith(("ln_1.weight", "ln_2.weight",
                                                                  "ln_f.weight")))
            .astype(np.float32) for name, shape in shapes.items()}


def norm(x, w, name):
    d = x - x.mean(-1, keepdims=True)
    y = d / np.sqrt((d * d).mean(-1, keepdims=True) + 1e-5)
    return y * w[name + ".weight"] + w[name + ".bias"]


def linear(x, w, name):
    return x @ w[name + ".weight"] + w[name + ".bias"]


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3)))


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def attention(x, w, name):
    n = len(x)
    q, k, v = (part.reshape(n, HEADS, -1).transpose(1, 0, 2)
               for part in np.split(linear(x, w, name + ".c_attn"), 3, axis=-1))
    scores = q @ k.transpose(0, 2, 1) / np.sqrt(WIDTH // HEADS)
    scores = np.where(np.tri(n, dtype=bool), scores, -np.inf)
    return linear((softmax(scores) @ v).transpose(1, 0, 2).reshape(n, WIDTH), w, name + ".c_proj")


def plain_logits(weights, ids):
    """The logits after each of IDS, in float64."""
    w = {name: x.astype(np.float64) for name, x in weights.items()}
    x = w["wte.weight"][ids] + w["wpe.weight"][:len(ids)]
    for i in range(LAYERS):
        x = x + attention(norm(x, w, f"h.{i}.ln_1"), w, f"h.{i}.attn")
        hidden = gelu(linear(norm(x, w, f"h.{i}.ln_2"), w, f"h.{i}.mlp.c_fc"))
        x = x + linear(hidden, w, f"h.{i}.mlp.c_proj")
    return norm(x, w, "ln_f") @ w["wte.weight"].T


# ---- weights files, by hand ----

def as_bytes(x, dtype):
    if dtype == "BF16":  # only for numbers that bfloat16 holds
        return (x.view(np.uint32) >> 16).astype("<u2").tobytes()
    return x.astype({"F32": "<f4", "F16": "<f2", "F64": "<f8"}[dtype]).tobytes()


def write_safetensors(path, weights, dtype="F32", prefix=""):
    entries, blocks, at = [], [], 0
    for name, x in sorted(weights.items()):
        blocks.append(as_bytes(x, dtype))
        end = at + len(blocks[-1])
        entries.append(f'"{prefix}{name}":{{"dtype":"{dtype}","shape":{list(x.shape)},'
                       f'"data_offsets":[{at},{end}]}}')
        at = end
    header = ("{" + ",".join(entries) + "}").encode()
    header += b" " * (-len(header) % 8)
    path.write_bytes(struct.pack("<Q", len(header)) + header + b"".join(blocks))


@unittest.skipUnless(os.path.exists(GPT2), "the program is not built")
class Gpt2(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        self.weights = make_weights(1)
        self.file = self.path / "weights.safetensors"

    def generate(self, *options, n=6):
        return run("--weights", str(self.file), "--prompt", ",".join(map(str, PROMPT)),
                   "--tokens", str(n), "--logits", *options)

    def check_logits(self, done, weights):
        ids, logits = tokens_of(done), logits_of(done)
        self.assertEqual(ids[:len(PROMPT)], PROMPT)
        want = plain_logits(weights, ids[:-1])[len(PROMPT) - 1:]
        self.assertEqual(logits.shape, want.shape)
        self.assertLess(np.abs(logits - want).max(), TOLERANCE)
        return ids, logits

    def test_logits_are_those_of_gpt2(self):
        write_safetensors(self.file, self.weights)
        ids, logits = self.check_logits(self.generate(), self.weights)
        self.assertEqual(ids[len(PROMPT):], list(logits.argmax(-1)))

    def test_all_positions(self):
        write_safetensors(self.file, self.weights)
        self.check_logits(self.generate(n=POSITIONS - len(PROMPT)), self.weights)

    def test_step_by_step_agrees(self):
        write_safetensors(self.file, self.weights)
        whole, steps = self.generate(), self.generate("--step-by-step")
        self.assertEqual(tokens_of(whole), tokens_of(steps))
        self.check_logits(steps, self.weights)
        self.assertLess(np.abs(logits_of(whole) - logits_of(steps)).max(), 2 * TOLERANCE)

    def test_prompt_of_one_token(self):
        write_safetensors(self.file, self.weights)
        done = run("--weights", str(self.file), "--prompt", "5", "--tokens", "1", "--logits")
        want = plain_logits(self.weights, [5])
        self.assertLess(np.abs(logits_of(done) - want).max(), TOLERANCE)

    def test_prefixed_names_and_extra_tensors(self):
        more = self.weights | {"h.0.attn.bias": np.ones((1, 1, 4, 4), np.float32)}
        write_safetensors(self.file, more, prefix="transformer.")
        self.check_logits(self.generate(), self.weights)

    def test_other_float_types(self):
        short = {name: (x.view(np.uint32) & 0xffff0000).view(np.float32)
                 for name, x in self.weights.items()}
        half = {name: x.astype(np.float16).astype(np.float32) for name, x in self.weights.items()}
        for dtype, weights in [("BF16", short), ("F16", half), ("F64", self.weights)]:
            with self.subTest(dtype):
                write_safetensors(self.file, weights, dtype)
                self.check_logits(self.generate(), weights)

    def test_npz(self):
        self.file = self.path / "weights.npz"
        np.savez(self.file, **self.weights)
        self.check_logits(self.generate(), self.weights)

    def test_seeds(self):
        options = ["--tokens", "12", "--top-k", "8"]
        first = run(*options, "--seed", "3")
        self.assertEqual(len(tokens_of(first)), 3 + 12)
        self.assertEqual(first.stdout, run(*options, "--seed", "3").stdout)
        self.assertNotEqual(first.stdout, run(*options, "--seed", "4").stdout)

    def test_top_k_takes_likely_tokens(self):
        write_safetensors(self.file, self.weights)
        done = self.generate("--top-k", "4", "--seed", "9", n=12)
        ids, logits = self.check_logits(done, self.weights)
        ranks = [int((row > row[i]).sum()) for row, i in zip(logits, ids[len(PROMPT):])]
        self.assertLess(max(ranks), 4)
        self.assertGreater(max(ranks), 0)

    def test_progress_and_speed_go_to_stderr(self):
        done = run("--tokens", "2", "--progress", "always")
        self.assertIn("generating", done.stderr)
        self.assertIn("tokens/s", done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 1)

    def test_programs_are_ptir(self):
        run("--save-ptir", str(self.path), "--tokens", "0")
        for name in ["prefill", "decode"]:
            file = self.path / f"{name}.ptir.json"
            subprocess.run([TENON, "check", str(file)], check=True)
            back = subprocess.run([TENON, "fmt", str(file)], check=True, capture_output=True)
            self.assertEqual(back.stdout, file.read_bytes())

    def test_faults(self):
        write_safetensors(self.file, {k: v for k, v in self.weights.items() if k != "h.1.ln_2.bias"})
        done = run("--weights", str(self.file), status=1)
        self.assertIn("'h.1.ln_2.bias'", done.stderr)
        write_safetensors(self.file, self.weights)
        done = run("--weights", str(self.file), "--width", "64", status=1)
        self.assertIn("another shape", done.stderr)
        self.file.write_bytes(b"no weights")
        self.assertIn("weights.safetensors", run("--weights", str(self.file), status=1).stderr)
        for wrong in [["--layers", "0"], ["--heads", "5"], ["--prompt", "1,,2"], ["--what", "1"],
                      ["--prompt", str(VOCAB)], ["--tokens", str(POSITIONS)], ["--top-k"], ["x"]]:
            with self.subTest(wrong):
                self.assertIn("gpt2: ", run(*wrong, status=2).stderr)


if __name__ == "__main__":
    unittest.main()
