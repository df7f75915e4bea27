"""`tenon cache`: what it says of compiled kernels, and that it removes them."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from lib.program import TENON

PROGRAM = """func @main(%x: tensor<f32, 8>) -> tensor<f32, 8> {
  %y = exp(%x) -> tensor<f32, 8>
  return %y
}
"""


class Cache(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name) / "kept"
        self.program = pathlib.Path(place.name) / "f.ptir"
        self.program.write_text(PROGRAM)

    def tenon(self, *arguments, **more):
        env = {**os.environ, "TENON_CACHE_DIR": str(self.folder), **more}
        done = subprocess.run([TENON, *arguments], capture_output=True, text=True, env=env)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def unusable(self, folder):
        """It is said, and the command fails; runs go on without the cache."""
        env = {**os.environ, "TENON_CACHE_DIR": str(folder)}
        for form in ([], ["--json"], ["--clear"]):
            done = subprocess.run([TENON, "cache", *form], capture_output=True, text=True, env=env)
            self.assertEqual(done.returncode, 3, done)
            self.assertIn(f"'{folder}' cannot be used as a cache", done.stderr)
        self.assertFalse(json.loads(subprocess.run([TENON, "cache", "--json"], capture_output=True, text=True, env=env).stdout)["used"])
        self.assertEqual(subprocess.run([TENON, "run", self.program, "--random", "1"], capture_output=True, env=env).returncode, 0)

    def facts(self, *arguments, **more):
        return json.loads(self.tenon("cache", "--json", *arguments, **more))

    def test_fills_and_clears(self):
        self.assertEqual(self.facts(), {"folder": str(self.folder), "used": True, "kernels": 0, "bytes": 0, "limit": 2**28})
        has_code = "reference" not in subprocess.run([TENON, "explain", self.program], capture_output=True, text=True).stderr
        self.tenon("run", self.program, "--random", "1")
        full = self.facts(TENON_CACHE_BYTES="1000000")
        files = list(self.folder.iterdir())
        self.assertEqual((full["kernels"], full["limit"]), (len(files), 1000000))
        self.assertEqual(full["bytes"], sum(f.stat().st_size for f in files))
        if has_code:
            self.assertGreater(full["kernels"], 0)
        (self.folder / "mine.txt").write_text("not an object")
        self.assertEqual(self.facts("--clear")["kernels"], full["kernels"])
        self.assertEqual([f.name for f in self.folder.iterdir()], ["mine.txt"])
        self.assertEqual(self.facts()["kernels"], 0)
        self.tenon("run", self.program, "--random", "1")
        self.assertEqual(self.facts()["kernels"], full["kernels"])

    def test_text(self):
        self.assertEqual(self.tenon("cache"), f"folder   {self.folder}\nkernels  0\nsize     0.0 MiB of at most 256.0 MiB\n")
        self.assertIn("removed  0\n", self.tenon("cache", "--clear"))

    def test_wrong_size(self):
        """What is no number of bytes turns the cache off, and that is said: once by a command that compiles."""
        for text in ("foo", "-1", "+1", " 1", "1 MiB", "99999999999999999999999", "1e6"):
            env = {**os.environ, "TENON_CACHE_DIR": str(self.folder), "TENON_CACHE_BYTES": text}
            for command in (["run", self.program, "--random", "1"], ["cache"]):
                done = subprocess.run([TENON, *command], capture_output=True, text=True, env=env)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stderr.count(f"TENON_CACHE_BYTES is '{text}', which is no number of bytes"), 1, done.stderr)
        self.assertFalse(self.folder.exists() and any(self.folder.iterdir()))

    def test_not_used(self):
        self.assertFalse(self.facts(TENON_CACHE_BYTES="0")["used"])
        self.assertEqual(self.tenon("cache", TENON_CACHE_BYTES="0").splitlines()[0], "not used: it is off")
        self.folder.mkdir()
        for mode, owner in ((0o777, -1), (0o720, -1), *([(0o700, 65534)] if os.geteuid() == 0 else [])):
            self.folder.chmod(mode)
            os.chown(self.folder, owner, -1)
            self.unusable(self.folder)
        self.unusable(self.program)
        self.unusable("/proc/no/such")
        nowhere = self.facts(TENON_CACHE_DIR="", XDG_CACHE_HOME="", HOME="")
        self.assertEqual((nowhere["folder"], nowhere["used"]), (None, False))


if __name__ == "__main__":
    unittest.main()
