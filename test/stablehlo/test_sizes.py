"""Sizes that decide about shapes: unknown when the text is read alone, known from the inputs of a run."""
import pathlib
import re
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

# Extents of which a part is below zero, divided by a size: sizes round down.
QUOTIENTS = """{"uops": [
  {"id": "x", "uop": "INPUT", "arg": {"tensor_id": "x", "dtype": "fp32", "shape": ["n"]}},
  {"id": "y", "uop": "INPUT", "arg": {"tensor_id": "y", "dtype": "fp32", "shape": ["m"]}},
  {"id": "z", "uop": "INPUT", "arg": {"tensor_id": "z", "dtype": "fp32", "shape": [1]}},
  {"id": "q", "uop": "EXPAND", "src": ["z"], "arg": {"result_shape": ["(n - 5) // m + 3"]}},
  {"id": "r", "uop": "EXPAND", "src": ["z"], "arg": {"result_shape": ["(n - 5) % m + 3"]}}],
  "outputs": ["x", "y", "q", "r"]}
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

    def test_quotients_by_sizes_round_down_where_they_are_written(self):
        with tempfile.TemporaryDirectory() as folder:
            program, written = (pathlib.Path(folder) / name for name in ("p.tiny.json", "p.mlir"))
            program.write_text(QUOTIENTS, encoding="ascii")
            subprocess.run([TENON, "convert", program, "--to", "stablehlo", "-o", written], check=True)
            for path in program, written:
                done = subprocess.run([TENON, "run", path, "--dim", "n=4", "--dim", "m=2", "--random", "1", "--print"],
                                      capture_output=True, text=True, check=True)
                self.assertEqual(re.findall(r"f32\[(\d)\]", done.stdout), ["4", "2", "2", "4"])


if __name__ == "__main__":
    unittest.main()
