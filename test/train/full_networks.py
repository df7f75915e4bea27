"""The examples that train networks: they learn, and their weights are the same for any number of ranks and threads and
after a restart. Short; sweep_networks.py tries all combinations."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from lib import package  # noqa: F401
from lib.program import HANG, ROOT, TENON
from train.full_train import digest_of
from train.sweep_mpi import MPIS, available

EXAMPLES = {
    "convnet": ["--wrt", "w1,b1,w2,b2,w3,b3", "--batch", "64"],
    "chargpt": ["--wrt", "w", "--init", "first.npz", "--batch", "32", "--lr", "0.003", "--clip-norm", "1"],
}


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)

    def python(self, *arguments):
        """What a script of an example prints."""
        done = subprocess.run([sys.executable, *map(str, arguments)], capture_output=True, text=True, timeout=HANG,
                              env={**os.environ, "PYTHONPATH": str(ROOT / "python"), "PYTHONDONTWRITEBYTECODE": "1"})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def make(self, example):
        self.example = example
        self.python(ROOT / "examples" / example / "make.py", self.dir)

    def start(self, mpi, ranks, *more):
        before = [*MPIS[mpi], "-np", str(ranks)] if mpi else []
        return subprocess.Popen([*before, TENON, "train", "net.ptir", "--data", "seen.npz", *EXAMPLES[self.example], *more],
                                cwd=self.dir, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def train(self, mpi, ranks, *more):
        """The digest of the weights, and what was said."""
        process = self.start(mpi, ranks, *more)
        out, err = process.communicate(timeout=HANG)
        self.assertEqual(process.returncode, 0, err)
        return digest_of(out), err

    def losses(self, said):
        return [float(x) for x in re.findall(r"(?m)^step .* loss (\S+)$", said)]

    def check_cuts(self, *more):
        """Steps on one rank, with two threads, on three ranks, and in two parts. Returns what the first run said."""
        want, said = self.train(None, 1, "--threads", "1", *more)
        losses = self.losses(said)
        self.assertLess(losses[-1], 0.9 * losses[0])
        self.assertEqual(self.train(None, 1, "--threads", "2", "--checkpoint", "ck", "--every", "5", *more)[0], want)
        for path in (self.dir / "ck").iterdir():
            if not path.name.startswith("step-00000005."):
                path.unlink()
        self.assertEqual(self.train(None, 1, "--checkpoint", "ck", "--resume", *more)[0], want)
        for mpi in available():
            self.assertEqual(self.train(mpi, 3, "--threads", "1", *more)[0], want, mpi)
        return said


class Examples(Case):
    def test_convnet(self):
        self.make("convnet")
        said = self.check_cuts("--steps", "12", "--validate", "unseen.npz", "--metric", "accuracy=1")
        right = float(re.findall(r"([0-9.]+) % right", said)[-1])
        self.assertGreater(right, 60)

    def test_chargpt(self):
        self.make("chargpt")
        self.check_cuts("--steps", "12", "--output", "weights.npz")
        told = self.python(ROOT / "examples/chargpt/ask.py", self.dir)
        self.assertRegex(told, r"right: \d+ of 91 lines")


if __name__ == "__main__":
    unittest.main()
