"""The package and the examples have types throughout: mypy --strict, where it is installed."""
import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest

from lib import package  # noqa: F401
from lib.program import ROOT


class Types(unittest.TestCase):
    def test_mypy(self):
        if importlib.util.find_spec("mypy") is None:
            self.skipTest("there is no mypy")
        with tempfile.TemporaryDirectory() as cache:
            for version in ("3.9", "3.11"):
                done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--python-version", version, "--cache-dir",
                                       cache, ROOT / "python/tenon", ROOT / "examples/python"], capture_output=True,
                                      text=True, env={**os.environ, "MYPYPATH": str(ROOT / "python")})
                self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()
