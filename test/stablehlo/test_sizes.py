"""Sizes that decide about shapes: unknown when the text is read alone, known from the inputs of a run."""
import pathlib
import subprocess
import tempfile
import unittest

from lib.program import TENON

TEXT = """func.func @main(%x: tensor<?x2xf32>) -> tensor<?xi32> {
  %0 = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x2xf32>) -> tensor<i32>
  %c = stablehlo.constant dense<3> : tensor<i32>
  %1 = stablehlo.minimum %0, %c : tensor<i32>
  %2 = stablehlo.reshape %1 : (tensor<i32>) -> tensor<1xi32>
  %3 = stablehlo.dynamic_iota %2, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  return %3 : tensor<?xi32>
}
"""


class Sizes(unittest.TestCase):
    def run_tenon(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "m.mlir"
            path.write_text(TEXT, encoding="ascii")
            return subprocess.run([TENON, arguments[0], path, *arguments[1:]], capture_output=True, text=True, check=False)

    def test_refused_alone(self):
        done = self.run_tenon("check")
        self.assertEqual(done.returncode, 1)
        self.assertIn("[ShapeUnknown]", done.stderr)
        self.assertIn("--dim", done.stderr)

    def test_given_for_no_input(self):
        done = self.run_tenon("check", "--constant", "X=[1,2]")
        self.assertEqual(done.returncode, 1)
        self.assertIn("[UndefinedName]", done.stderr)
        self.assertIn("did you mean 'x'?", done.stderr)

    def test_given_by_option(self):
        self.assertEqual(self.run_tenon("check", "--dim", "x_0=2").returncode, 0)

    def test_follows_from_the_input(self):
        for rows, last in ((2, 1), (5, 2)):
            value = "[" + ",".join(["[1,2]"] * rows) + "]"
            done = self.run_tenon("run", "--input", f"x={value}", "--print")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"si32[{last + 1}]", done.stdout)
            self.assertIn(f"{last}]", done.stdout)


if __name__ == "__main__":
    unittest.main()
