"""Baseline code that one process leaves in the cache is what the next one takes first, and never what it takes for optimised code."""
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from lib import package  # noqa: F401

# Runs the program a number of times; prints a digest of each result.
CHILD = """
import sys, hashlib
import numpy as np
sys.path[:0] = sys.argv[3:]
import tenon
m = tenon.read('''%0 = Input () {name="x"} : tensor<f32>[7, 13]
%1 = Exp (%0) : tensor<f32>[7, 13]
%2 = BinOp (%1, %0) {op=Mul} : tensor<f32>[7, 13]
%3 = Sum (%2) {axes=[1], keepdims=false} : tensor<f32>[7]
outputs: %3
''')
net = m.compile(engine="jit", eager=sys.argv[1] == "eager")
x = np.linspace(-2, 2, 91, dtype=np.float32).reshape(7, 13)
for _ in range(int(sys.argv[2])):
    print(hashlib.sha256(np.asarray(net(x)).tobytes()).hexdigest())
"""


class Baseline(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)
        self.digests = set()

    def run_child(self, cache, runs, how="-"):
        """The files in the cache after RUNS runs in a process of its own, with their content."""
        done = subprocess.run([sys.executable, "-c", CHILD, how, str(runs), *sys.path], capture_output=True, text=True,
                              env={**os.environ, "TENON_CACHE_DIR": str(self.dir / cache)})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.digests |= set(done.stdout.split())
        return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in (self.dir / cache).iterdir()}

    def test_processes(self):
        optimised = self.run_child("eager", 1, "eager")
        if not optimised:
            self.skipTest("there is no LLVM")
        baseline = self.run_child("cache", 1)
        self.assertTrue(baseline and not set(baseline) & set(optimised), "their keys differ")
        self.assertEqual(self.run_child("cache", 1), baseline)  # taken as it is
        both = {**baseline, **optimised}
        self.assertEqual(self.run_child("cache", 3), both)  # exchanged before the second run
        self.assertEqual(self.run_child("cache", 3), both)
        self.assertEqual(self.run_child("cache", 1, "eager"), both)
        self.run_child("other", 1)
        self.assertEqual(self.run_child("other", 1, "eager"), both)  # baseline code is not taken for it
        self.assertEqual(len(self.digests), 1)


if __name__ == "__main__":
    unittest.main()
