"""Functions of chlo that are composed: against Python's own and against values from tables, in f64 and f32."""
import math
import pathlib
import tempfile
import unittest

import numpy as np

from lib.program import tenon

UNARY = """func.func @main(%x: tensor<{n}x{t}>) -> (tensor<{n}x{t}>, tensor<{n}x{t}>, tensor<{n}x{t}>, tensor<{n}x{t}>, tensor<{n}x{t}>) {{
  %0 = chlo.lgamma %x : tensor<{n}x{t}> -> tensor<{n}x{t}>
  %1 = chlo.digamma %x : tensor<{n}x{t}> -> tensor<{n}x{t}>
  %2 = chlo.erfc %x : tensor<{n}x{t}> -> tensor<{n}x{t}>
  %3 = chlo.erf_inv %x : tensor<{n}x{t}> -> tensor<{n}x{t}>
  %4 = chlo.tan %x : tensor<{n}x{t}> -> tensor<{n}x{t}>
  return %0, %1, %2, %3, %4 : tensor<{n}x{t}>, tensor<{n}x{t}>, tensor<{n}x{t}>, tensor<{n}x{t}>, tensor<{n}x{t}>
}}
"""
BINARY = """func.func @main(%x: tensor<{n}x{t}>, %y: tensor<{n}x{t}>) -> tensor<{n}x{t}> {{
  %0 = chlo.{op} %x, %y : tensor<{n}x{t}>, tensor<{n}x{t}> -> tensor<{n}x{t}>
  return %0 : tensor<{n}x{t}>
}}
"""
SLOPE = """func.func @main(%x: tensor<{n}xf64>) -> tensor<f64> {{
  %0 = chlo.{op} %x : tensor<{n}xf64> -> tensor<{n}xf64>
  %z = stablehlo.constant dense<0.0> : tensor<f64>
  %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<{n}xf64>, tensor<f64>) -> tensor<f64>
  return %1 : tensor<f64>
}}
"""
EULER = 0.57721566490153286061


def lgamma(x):
    return math.inf if math.isinf(x) or (x <= 0 and x == math.floor(x)) else math.lgamma(x)


def digamma(x):
    """By recurrence up to where its series converges."""
    if math.isinf(x):
        return math.inf if x > 0 else math.nan
    if x <= 0:
        return math.nan if x == math.floor(x) else digamma(1 - x) - math.pi / math.tan(math.pi * (x % 1))
    y = 0.0
    while x < 20:
        y -= 1 / x
        x += 1
    s = 1 / (x * x)
    return y + math.log(x) - 0.5 / x - s * (1 / 12 - s * (1 / 120 - s * (1 / 252 - s * (1 / 240 - s / 132))))


class Special(unittest.TestCase):
    def outputs(self, text, *inputs):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "m.mlir").write_text(text, encoding="ascii")
            given = []
            for i, x in enumerate(inputs):
                np.save(folder / f"{i}.npy", x)
                given += ["--input", f"{i}={folder}/{i}.npy"]
            tenon("run", folder / "m.mlir", *given, "--output", folder / "out")
            return [np.load(p) for p in sorted((folder / "out").glob("*.npy"))]

    def near(self, got, want, rtol, atol=0.0):
        np.testing.assert_allclose(got, np.array(want, got.dtype), rtol=rtol, atol=atol)

    def test_one_operand(self):
        x = [0.1, 0.5, 0.75, 1.0, 1.5, 2.0, 3.25, 7.9, 8.1, 25.0, 26.5, 100.0, 1e5, -0.1, -0.5, -1.5, -2.25, -3.0, 0.0, math.inf, math.nan]
        for dtype, t, rtol in ((np.float64, "f64", 4e-15), (np.float32, "f32", 2e-7)):
            v = np.array(x, dtype)
            own = [float(a) for a in v]
            lg, di, erfc, inv, tan = self.outputs(UNARY.format(n=len(x), t=t), v)
            self.near(lg, [lgamma(a) for a in own], rtol * 10, rtol)
            self.near(di, [digamma(a) for a in own], rtol * 10, rtol)
            with np.errstate(under="ignore"):
                self.near(erfc, [math.erfc(a) for a in own], rtol * 2, np.finfo(dtype).tiny)
            self.near(tan, [math.nan if math.isinf(a) else math.tan(a) for a in own], rtol)
            want = [math.nan if not abs(a) <= 1 else math.copysign(math.inf, a) if abs(a) == 1 else a for a in own]
            self.near(np.where(np.abs(inv) < 1e30, [math.erf(float(a)) for a in inv], inv), want, rtol)

    def test_erf_inv_tail(self):
        x = np.array([1e-300, 1e-8, 0.999999, 1 - 2.0 ** -52, -0.9999999999])
        inv = self.outputs(UNARY.format(n=len(x), t="f64"), x)[3]
        self.near(inv[:2], [1e-300 * math.sqrt(math.pi) / 2, 1e-8 * math.sqrt(math.pi) / 2], 1e-14)
        self.near(np.array([math.erfc(abs(a)) for a in inv[2:]]), 1 - np.abs(x[2:]), 1e-13)

    def test_slopes(self):
        """Also where a branch that is not taken has none, or a flat one."""
        at_0 = math.sqrt(math.pi) / 2
        for op, x, want in (("lgamma", [1.0, 2.0, 7.0, 0.5, -0.5, math.inf], [digamma(a) for a in (1.0, 2.0, 7.0, 0.5, -0.5, math.inf)]),
                            ("digamma", [1.0, 0.5, math.inf], [math.pi ** 2 / 6, math.pi ** 2 / 2, 0.0]),
                            ("erf_inv", [0.0, -0.0, 1e-300, 1e-10, 0.5, 1.0, -1.0],
                             [at_0, at_0, at_0, at_0, at_0 * math.exp(0.4769362762044699 ** 2), math.inf, math.inf]),
                            ("bessel_i1e", [0.0, -0.0, 0.5], [0.5, 0.5, 0.17577286089453492])):
            with tempfile.TemporaryDirectory() as name:
                program = pathlib.Path(name) / "slope.mlir"
                program.write_text(SLOPE.format(n=len(x), op=op), encoding="utf-8")
                slope = tenon("grad", program).stdout
            _, got = self.outputs(slope, np.array(x))
            self.near(got, want, 1e-9)

    def test_zeta(self):
        x, q = np.array([2.0, 4.0, 3.0, 1.5, 1.0, 0.5, 2.0, 2.5]), np.array([1.0, 1.0, 2.0, 1.0, 3.0, 1.0, -1.0, -0.5])
        got, = self.outputs(BINARY.format(n=8, t="f64", op="zeta"), x, q)
        self.near(got, [math.pi ** 2 / 6, math.pi ** 4 / 90, 1.2020569031595942 - 1, 2.6123753486854883, math.inf, math.nan,
                        math.inf, math.nan], 1e-14)

    def test_polygamma(self):
        n, x = np.array([0.0, 1.0, 2.0, 1.0, 1.5, -1.0]), np.array([1.0, 1.0, 1.0, 0.5, 1.0, 1.0])
        got, = self.outputs(BINARY.format(n=6, t="f64", op="polygamma"), n, x)
        self.near(got, [-EULER, math.pi ** 2 / 6, -2 * 1.2020569031595942, math.pi ** 2 / 2, math.nan, math.nan], 1e-13)

    def test_next_after(self):
        some = [0.0, -0.0, 1.0, -1.0, 1.5, math.inf, -math.inf, math.nan, 5e-45, -5e-45, 1e-40, 3.4e38, -3.4e38]
        for dtype, t in ((np.float32, "f32"), (np.float64, "f64"), (np.float16, "f16")):
            with np.errstate(over="ignore"):
                x, y = (a.astype(dtype).ravel() for a in np.meshgrid(some, some))
            got, = self.outputs(BINARY.format(n=x.size, t=t, op="next_after"), x, y)
            np.testing.assert_array_equal(got, np.nextafter(x, y))
            differ = x != y  # of equal ones the second is the result, and NaN may have either sign
            np.testing.assert_array_equal(np.signbit(got)[differ & ~np.isnan(got)],
                                          np.signbit(np.nextafter(x, y))[differ & ~np.isnan(got)])
            np.testing.assert_array_equal(np.signbit(got)[x == y], np.signbit(y)[x == y])


if __name__ == "__main__":
    unittest.main()
