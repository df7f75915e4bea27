"""`tenon verify` on StableHLO: which functions run, and what each check lets pass."""
import pathlib
import tempfile
import unittest

from lib.program import start

HEAD = "  %0 = stablehlo.constant dense<{a}> : tensor<{t}>\n  %1 = stablehlo.constant dense<{b}> : tensor<{t}>\n"


class Verify(unittest.TestCase):
    def verify(self, text, status, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "t.mlir"
            path.write_text(text)
            done = start("verify", path, *arguments)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout.splitlines(), done.stderr

    def holds(self, check, a, b, t="2xf32"):
        text = "func.func @f() {\n" + HEAD.format(a=a, b=b, t=t) + "  " + check.format(t=f"tensor<{t}>", b=b) + "\n  return\n}\n"
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "t.mlir"
            path.write_text(text)
            done = start("verify", path)
        line = done.stdout.splitlines()[0] if done.stdout else done.stderr
        self.assertIn(line.split(":")[1].split()[0], ("passed", "failed"), line + done.stderr)
        self.assertEqual(done.returncode, "failed" in line)
        return done.returncode == 0

    def test_equal(self):
        for check in ("check.expect_eq %0, %1 : {t}", '"check.expect_eq"(%0, %1) : ({t}, {t}) -> ()',
                      "check.expect_eq_const %0, dense<{b}> : {t}",
                      '"check.expect_eq_const"(%0) <{{value = dense<{b}> : {t}}}> : ({t}) -> ()',
                      "stablehlo.custom_call @check.expect_eq(%0, %1) {{has_side_effect = true}} : ({t}, {t}) -> ()",
                      '"stablehlo.custom_call"(%0, %1) {{call_target_name = "check.expect_eq", has_side_effect = true}} : ({t}, {t}) -> ()'):
            self.assertTrue(self.holds(check, "[1.0, -0.0]", "[1.0, 0.0]"))
            self.assertFalse(self.holds(check, "[1.0, 2.0]", "[1.0, 2.0000002]"))
            self.assertFalse(self.holds(check, "[1.0, 0x7FC00000]", "[1.0, 0x7FC00000]"))
            self.assertTrue(self.holds(check, "[-8, 7]", "[-8, 7]", "2xi4"))
            self.assertFalse(self.holds(check, "[true, false]", "[true, true]", "2xi1"))
            self.assertFalse(self.holds(check, "[(1.0, 2.0), (0.0, 0.0)]", "[(1.0, 2.5), (0.0, 0.0)]", "2xcomplex<f64>"))

    def test_near(self):
        plain = "check.expect_almost_eq %0, %1 : {t}"
        constant = "check.expect_almost_eq_const %0, dense<{b}> : {t}"
        custom = "stablehlo.custom_call @check.expect_almost_eq(%0, %1) {{has_side_effect = true}} : ({t}, {t}) -> ()"
        for check in plain, constant, custom:
            self.assertTrue(self.holds(check, "[1.0, 0x7FC00000]", "[1.00009, 0xFFC00000]"))
            self.assertTrue(self.holds(check, "[0x7F800000, -1.0]", "[0x7F800000, -1.0]"))
            self.assertFalse(self.holds(check, "[0x7F800000, -1.0]", "[0x7F7FFFFF, -1.0]"))
            self.assertFalse(self.holds(check, "[1.0, 0x7FC00000]", "[1.0, 0.0]"))
            self.assertEqual(self.holds(check, "[1.0, 0.0]", "[1.0005, 0.0]"), check == custom)
        self.assertTrue(self.holds("check.expect_almost_eq %0, %1, tolerance = 0.1 : {t}", "[1.0, 0.0]", "[1.09, 0.0]"))
        self.assertTrue(self.holds("check.expect_almost_eq_const %0, dense<{b}> : {t}, tolerance = 0.1", "[1.0, 0.0]", "[1.09, 0.0]"))
        self.assertTrue(self.holds('"check.expect_almost_eq"(%0, %1) <{{tolerance = 1.0e-1 : f64}}> : ({t}, {t}) -> ()', "[1.0, 0.0]", "[1.09, 0.0]"))
        self.assertTrue(self.holds(plain, "[(1.0, 2.0), (0.0, 0x7FC00000)]", "[(1.0, 2.00005), (0.0, 0x7FC00000)]", "2xcomplex<f32>"))
        self.assertFalse(self.holds(plain, "[(1.0, 2.0), (0.0, 0.0)]", "[(1.0, 2.0005), (0.0, 0.0)]", "2xcomplex<f32>"))

    def test_close(self):
        close = "check.expect_close %0, %1 : {t}, {t}"
        three = "check.expect_close %0, %1, max_ulp_difference = 3 : {t}, {t}"
        custom = "stablehlo.custom_call @check.expect_close(%0, %1) {{has_side_effect = true}} : ({t}, {t}) -> ()"
        apart = "check.expect_close %0, %1, max_ulp_difference = 9, min_ulp_difference = 2 : {t}, {t}"
        for b, most in ("0x3F800001", 1), ("0x3F800003", 3), ("0x3F800004", 4):
            for check, allowed in (close, 1), (three, 3), (custom, 3):
                self.assertEqual(self.holds(check, "[1.0, 0.0]", f"[{b}, -0.0]"), most <= allowed)
        self.assertTrue(self.holds(apart, "[1.0, 0.0]", "[0x3F800002, 0x80000002]"))
        self.assertFalse(self.holds(apart, "[1.0, 0.0]", "[0x3F800002, 0x80000001]"))
        self.assertTrue(self.holds(three, "[0x00000001, 0x7FC00000]", "[0x80000002, 0x7FC00001]"))  # steps add up across zero
        self.assertFalse(self.holds(three, "[0x00000002, 0.0]", "[0x80000002, 0.0]"))
        self.assertFalse(self.holds(three, "[0x7F7FFFFF, 0.0]", "[0x7F800000, 0.0]"))
        self.assertTrue(self.holds(three, "[0x3C00, 0.0]", "[0x3C03, 0.0]", "2xf16"))
        self.assertTrue(self.holds(three, "[(1.0, 0.0), (0.0, 0.0)]", "[(0x3F800002, 0.0), (0.0, 0.0)]", "2xcomplex<f32>"))

    def test_which_functions(self):
        lines, errors = self.verify("""// RUN: a comment
func.func @plain(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> }
func.func @checks(%a: tensor<2xi32>) {
  check.expect_eq %a, %a : tensor<2xi32>
  return
}
func.func @caller() {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  func.call @checks(%0) : (tensor<2xi32>) -> ()
  return
}
// -----
func.func @caller() {
  %0 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %1 = stablehlo.add %0, %0 : tensor<2x2xi32>
  check.expect_eq %1, %1 : tensor<2x2xi32>
  check.expect_eq_const %1, dense<[[2, 4], [7, 8]]> : tensor<2x2xi32>
  return
}
func.func @inputs(%a: tensor<f32>) { check.expect_eq %a, %a : tensor<f32>
  return }
func.func @unknown() {
  %0 = stablehlo.unknown : tensor<f32>
  check.expect_eq %0, %0 : tensor<f32>
  return
}
// -----
func.func @broken( {
// -----
""", 1)
        self.assertEqual(lines, [
            "caller: passed (1 check)",
            "caller: failed: line 17: element [1, 0] is 6 and should be 7; 1 of 2 checks failed",
            "inputs: refused",
            "unknown: refused",
            "the program in line 27: refused",
            "5 functions: 1 passed, 1 failed, 3 refused"])
        for place in "t.mlir:20:", "t.mlir:23:8:", "t.mlir:28:":
            self.assertIn(place, errors)

    def test_one_of_jax(self):
        text = """module @jit_main attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> (tensor<2xf32> {jax.result_info = "", mhlo.layout_mode = "default"}) {
    %0 = call @inputs() : () -> tensor<2xf32>
    %1 = call @expected() : () -> tensor<2xf32>
    %2 = stablehlo.abs %0 : tensor<2xf32>
    stablehlo.custom_call @check.expect_close(%2, %1) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
    return %2 : tensor<2xf32>
  }
  func.func private @inputs() -> (tensor<2xf32> {mhlo.layout_mode = "default"}) {
    %cst = stablehlo.constant dense<[-1.5, 3.25]> : tensor<2xf32>
    return %cst : tensor<2xf32>
  }
  func.func private @expected() -> (tensor<2xf32> {mhlo.layout_mode = "default"}) {
    %cst = stablehlo.constant dense<[1.5, 3.25]> : tensor<2xf32>
    return %cst : tensor<2xf32>
  }
}
"""
        for engine in "jit", "ref":
            lines, _ = self.verify(text, 0, "--engine", engine)
            self.assertEqual(lines, ["main: passed (1 check)", "1 function: 1 passed, 0 failed, 0 refused"])

    def test_no_checks(self):
        lines, errors = self.verify("func.func @f() { return }", 1)
        self.assertEqual(lines, [])
        self.assertIn("MissingOutputs", errors)


if __name__ == "__main__":
    unittest.main()
