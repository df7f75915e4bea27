"""tenon run --batch-of: one run for each file of a folder, with results under the names of the files."""
import pathlib
import tempfile
import unittest

import numpy as np

from lib.program import start

PROGRAM = """\
func @main(%x: tensor<f32, ?n>, %w: tensor<f32>) -> tensor<f32, ?n> {
  %v = broadcast_to(%w) result_shape[?n] -> tensor<f32, ?n>
  %y = mul(%x, %v) -> tensor<f32, ?n>
  return %y
}
"""
TWO = PROGRAM.replace("-> tensor<f32, ?n> {", "-> (tensor<f32, ?n>, tensor<f32, ?n>) {").replace("return %y", "return %y, %v")


class Batch(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)
        (self.dir / "one.ptir").write_text(PROGRAM)
        (self.dir / "two.ptir").write_text(TWO)
        self.given = self.dir / "in"
        self.given.mkdir()
        for n in 1, 2, 3:
            np.save(self.given / f"{n}.npy", np.full(n, n, np.float32))
        np.savez(self.given / "all.npz", x=np.float32([5]), w=np.float32(3))
        (self.given / "notes.txt").write_text("no sample")
        np.save(self.given / ".hidden.npy", np.float32(1))

    def run_batch(self, *more, program="one.ptir", status=0):
        done = start("run", program, "--batch-of", "in", *more, cwd=self.dir)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr

    def names(self, folder):
        return sorted(p.name for p in (self.dir / folder).iterdir())

    def test_results(self):
        """What is given beside the files stands before what is in them, as with --inputs."""
        self.assertEqual(self.run_batch("--input", "w=2", "--output", "out"), "")
        self.assertEqual(self.names("out"), ["1.npy", "2.npy", "3.npy", "all.npz"])
        for n in 1, 2, 3:
            np.testing.assert_array_equal(np.load(self.dir / f"out/{n}.npy"), np.full(n, 2 * n, np.float32))
        np.testing.assert_array_equal(np.load(self.dir / "out/all.npz")["0"], [10])

    def test_several_outputs(self):
        self.run_batch("--input", "w=2", "--output", "out", program="two.ptir")
        self.assertEqual(self.names("out"), ["1.npy.npz", "2.npy.npz", "3.npy.npz", "all.npz"])
        np.testing.assert_array_equal(np.load(self.dir / "out/2.npy.npz")["1"], [2, 2])

    def test_files_that_fail(self):
        """The others are run."""
        np.save(self.given / "2.npy", np.float32([[1]]))
        (self.given / "3.npy").write_bytes(b"no array")
        said = self.run_batch("--input", "w=2", "--output", "out", status=3)
        for text in "in/2.npy has no results", "in/3.npy has no results", "2 of 4 files have no results":
            self.assertIn(text, said)
        self.assertEqual(self.names("out"), ["1.npy", "all.npz"])

    def test_what_is_missing(self):
        self.assertIn("2 inputs are still to be given", self.run_batch("--output", "out", status=3))
        self.assertEqual(self.names("out"), ["all.npz"])
        (self.dir / "in" / "all.npz").unlink()
        self.assertIn("3 of 3 files", self.run_batch("--output", "out", "--random", "1", status=3))

    def test_refused(self):
        self.assertIn("--output", self.run_batch(status=2))
        self.assertIn("--output", self.run_batch("--output", "out", "--print", status=2))
        done = start("run", "one.ptir", "--batch-of", "out", "--output", "out", cwd=self.dir)
        self.assertIn("No such file", done.stderr)
        (self.dir / "empty").mkdir()
        (self.dir / "again").symlink_to("in")
        for output in "in", "./in/", "again":
            self.assertIn("another folder", self.run_batch("--input", "w=2", "--output", output, status=2))
        np.testing.assert_array_equal(np.load(self.given / "1.npy"), [1])
        done = start("run", "one.ptir", "--batch-of", "empty", "--output", "out", cwd=self.dir)
        self.assertIn("has no files .npz", done.stderr)

    def test_one_name(self):
        """A name that is made of one file's may be that of another file."""
        np.savez(self.given / "2.npy.npz", x=np.float32([5]))
        (self.given / "3.pb").write_bytes(b"")
        np.save(self.given / "3.pb.npy", np.float32([1]))
        said = self.run_batch("--input", "w=2", "--output", "out", program="two.ptir", status=2)
        self.assertIn("in/2.npy and 2.npy.npz would both have their results in out/2.npy.npz", said)
        said = self.run_batch("--input", "w=2", "--output", "out", status=2)
        self.assertIn("in/3.pb and 3.pb.npy would both have their results in out/3.pb.npy", said)
        self.assertFalse((self.dir / "out").exists())


if __name__ == "__main__":
    unittest.main()
