"""A convolutional network and a small GPT, trained: the same weights for any number of ranks and threads, by either MPI,
and for four ranks that are killed at step 37 and go on as three."""
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

from lib import package  # noqa: F401
from lib.program import HANG, TENON
from train.full_train import digest_of
from train.sweep_mpi import MPIS, available

import numpy as np

import tenon
from tenon import nn

STEPS = 60
draw = np.random.default_rng(1)


def convolutions():
    """Digits of one bright quarter each, their classes, and a network of two convolutions."""
    @tenon.function("f32[3, 3, 1, 4]", "f32[3, 3, 4, 8]", "f32[32, 4]", "f32[n, 8, 8, 1]", "si64[n]")
    def loss(first, second, last, image, label):
        h = nn.relu(nn.conv2d(image, first, pads=(1, 1, 1, 1)))
        h = nn.max_pool(nn.relu(nn.conv2d(h, second, pads=(1, 1, 1, 1))), (4, 4), (4, 4))
        return nn.cross_entropy(h.reshape(-1, 32) @ last, label)
    label = draw.integers(0, 4, 64)
    image = draw.normal(size=(64, 8, 8, 1)).astype(np.float32)
    for i, k in enumerate(label):
        image[i, k // 2 * 4:k // 2 * 4 + 4, k % 2 * 4:k % 2 * 4 + 4] += 1
    return loss, {"image": image, "label": label}, ["first", "second", "last"]


def characters():
    """Windows of a text, and a GPT of one block that tells their next characters."""
    text = "".join(f"{a} and {b} are {a + b}. " for a in range(30) for b in range(9))
    alphabet = sorted(set(text))
    codes = np.array([alphabet.index(ch) for ch in text])
    n, width, length = len(alphabet), 16, 12

    @tenon.function(f"f32[{n}, {width}]", f"f32[{length}, {width}]", *[f"f32[{width}, {width}]"] * 4,
                    f"f32[{width}, {n}]", f"si64[batch, {length}]", f"si64[batch, {length}]")
    def loss(embed, place, query, key, value, mix, out, seen, wanted):
        x = nn.embedding(embed, seen) + place
        q, k, v = (np.expand_dims(nn.layer_norm(x) @ w, 1) for w in (query, key, value))  # one head
        x = x + nn.gelu(np.squeeze(nn.attention(q, k, v, causal=True), 1) @ mix)
        return nn.cross_entropy(x @ out, wanted)
    starts = range(0, len(codes) - length - 1, 7)
    data = {"seen": np.array([codes[i:i + length] for i in starts]),
            "wanted": np.array([codes[i + 1:i + length + 1] for i in starts])}
    return loss, data, ["embed", "place", "query", "key", "value", "mix", "out"]


class Networks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)

    def start(self, mpi, ranks, wrt, *more):
        before = [*MPIS[mpi], "-np", str(ranks)] if mpi else []
        return subprocess.Popen([*before, TENON, "train", "net.ptir", "--wrt", ",".join(wrt), "--data", "data.npz", "--batch",
                                 "32", "--lr", "0.01", "--steps", str(STEPS), *more], cwd=self.dir,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def train(self, *arguments):
        """The digest of the weights."""
        process = self.start(*arguments)
        out, err = process.communicate(timeout=HANG)
        self.assertEqual(process.returncode, 0, err)
        return digest_of(out)

    def check(self, loss, data, wrt):
        loss.save(self.dir / "net.ptir")
        np.savez(self.dir / "data.npz", **data)
        t = tenon.train.Trainer(loss, data, wrt=wrt, batch=32, rate=0.01, steps=STEPS)
        losses = [step.loss for step in t]
        self.assertLess(losses[-1], 0.7 * losses[0])
        self.assertEqual(self.train(None, 1, wrt), t.digest)
        for mpi in available():
            for ranks in (1, 2, 3, 4):
                for threads in ("1", "2"):
                    self.assertEqual(self.train(mpi, ranks, wrt, "--threads", threads), t.digest, (mpi, ranks, threads))
            self.assertEqual(self.killed(mpi, wrt), t.digest, mpi)

    def killed(self, mpi, wrt):
        """Four ranks end at step 37; three go on."""
        folder = self.dir / mpi
        process = self.start(mpi, 4, wrt, "--checkpoint", str(folder), "--every", "37")
        for _ in range(HANG * 100):
            if (folder / "step-00000037.json").exists() or process.poll() is not None:
                break
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=HANG)
        for path in folder.glob(f"step-{STEPS:08}.*"):  # where the signal came too late
            os.remove(path)
        self.assertTrue((folder / "step-00000037.json").exists())
        return self.train(mpi, 3, wrt, "--checkpoint", str(folder), "--resume")

    def test_convolutions(self):
        self.check(*convolutions())

    def test_characters(self):
        self.check(*characters())


if __name__ == "__main__":
    unittest.main()
