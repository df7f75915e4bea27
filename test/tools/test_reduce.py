"""tools/reduce.py keeps the fault and little else."""
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import unittest

from lib.program import ROOT, TENON, tenon

PROGRAM = """\
func @main(%x: tensor<f32, 8x12>, %y: tensor<f32, 8x12>, %z: tensor<f32, 12>) -> (tensor<f32, 8x12>, tensor<f32, 8>) {
  %a = add(%x, %y) -> tensor<f32, 8x12>
  %b = exp(%a) -> tensor<f32, 8x12>
  %c = broadcast_to(%z) result_shape[8, 12] -> tensor<f32, 8x12>
  %d = mul(%b, %c) -> tensor<f32, 8x12>
  %t = transpose(%d) perm[1, 0] -> tensor<f32, 12x8>
  %u = erf(%t) -> tensor<f32, 12x8>
  %v = transpose(%u) perm[1, 0] -> tensor<f32, 8x12>
  %w = sub(%v, %a) -> tensor<f32, 8x12>
  %s = reduce_sum(%w) axes[1] keepdims[false] -> tensor<f32, 8>
  return %w, %s
}
"""
LOOP = """\
func @main(%n: tensor<si64>, %v: tensor<f32, 6>) -> tensor<f32, 6> {
  %a = exp(%v) -> tensor<f32, 6>
  %i = constant value[0] -> tensor<si64>
  %r = while(%i, %a) cond_region[0] body_region[1] -> (tensor<si64>, tensor<f32, 6>)
  %e = abs(%r[1]) -> tensor<f32, 6>
  return %e
}
region @0(%i: tensor<si64>, %v: tensor<f32, 6>) -> (tensor<i1>, tensor<si64>, tensor<f32, 6>) {
  %n = constant value[3] -> tensor<si64>
  %p = compare(%i, %n) op[less] -> tensor<i1>
  return %p, %i, %v
}
region @1(%i: tensor<si64>, %v: tensor<f32, 6>) -> (tensor<i1>, tensor<si64>, tensor<f32, 6>) {
  %one = constant value[1] -> tensor<si64>
  %j = add(%i, %one) -> tensor<si64>
  %q = mul(%v, %v) -> tensor<f32, 6>
  %w = tanh(%q) -> tensor<f32, 6>
  return %j, %w
}
""".replace("-> (tensor<i1>, tensor<si64>, tensor<f32, 6>) {\n  %one", "-> (tensor<si64>, tensor<f32, 6>) {\n  %one")
# leaves other bits where the program has an erf
WRONG = """\
#!/bin/sh
{tenon} "$@" || exit $?
for a in "$@"; do out=$a; done
case $out in *jit.npz) if grep -q erf "$2"; then echo wrong >> "$out"; fi;; esac
"""


class Reduce(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)

    def reduce(self, text, *more, program=TENON, status=0):
        path = self.dir / "p.ptir"
        path.write_text(text)
        done = subprocess.run([sys.executable, ROOT / "tools/reduce.py", path, *more], capture_output=True, text=True, timeout=600,
                              check=False, env={**os.environ, "TENON": str(program)})
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout if status == 0 else done.stderr

    def test_engines(self):
        wrong = self.dir / "wrong"
        wrong.write_text(WRONG.format(tenon=shlex.quote(str(TENON))))
        wrong.chmod(0o755)
        left = self.reduce(PROGRAM, program=wrong)
        self.assertEqual(left.count(" = "), 1)
        self.assertIn("erf", left)
        self.assertIn("1x1", left)
        (self.dir / "left.ptir").write_text(left)
        tenon("run", self.dir / "left.ptir", "--random", "1")

    def test_command(self):
        left = self.reduce(LOOP, "--test", f"{shlex.quote(str(TENON))} explain {{}} --dump graph | grep -q tanh")
        self.assertLess(left.count(" = "), LOOP.count(" = ") - 3)
        self.assertIn("tanh", left)

    def test_no_fault(self):
        self.assertIn("shows no fault", self.reduce(PROGRAM, status=1))


if __name__ == "__main__":
    unittest.main()
