"""Products of floats that were dequantised from integers of 8 bits: the integers are multiplied, and the sums scaled."""
import unittest

import numpy as np

from lib.onnx_case import Case
from lib.onnx_files import model, node

RANDOM = np.random.default_rng(8)
F = np.float32


def integers(dtype, *shape):
    limits = np.iinfo(dtype)
    return RANDOM.integers(limits.min, limits.max + 1, shape).astype(dtype)


def scales(*shape):
    return RANDOM.uniform(0.001, 0.1, shape).astype(F)


def real(sums, left, right):
    """As f32, with the product of both scales."""
    return sums.astype(np.int32).astype(F) * (F(left) * right)


def dequantised(name, axis=None):
    return node("DequantizeLinear", f"{name}q {name}s {name}z", name, **({} if axis is None else {"axis": axis}))


class Dequantised(Case):
    def product(self, nodes, x, w, bias=None, opset=13):
        """X and W: integers, scale, zero point."""
        names = {"si8": np.int8, "ui8": np.uint8}
        kind, = (k for k, d in names.items() if d == x[0].dtype)
        weights = [(f"{n}{part}", np.asarray(v)) for n, of in (("x", x[1:]), ("w", w)) for part, v in zip("sz" if n == "x" else "qsz", of)]
        weights += [("b", bias)] if bias is not None else []
        data = model(nodes, [("xq", kind, list(x[0].shape))], [("y", "f32", None)], weights, opset=opset)
        got, = self.run_model(data, {"xq": x[0]})
        return got

    def test_matrices(self):
        """Exactly, with scales and zero points of the columns, or of all."""
        for left, right in (np.uint8, np.int8), (np.int8, np.int8), (np.uint8, np.uint8):
            for columns in (), (1,), (37,):
                x = integers(left, 3, 5, 70), scales(), integers(left)
                w = integers(right, 70, 37), scales(*columns), integers(right, *columns)
                got = self.product([dequantised("x"), dequantised("w", 1), node("MatMul", "x w", "y")], x, w)
                sums = (x[0].astype(np.int64) - x[2]) @ (w[0].astype(np.int64) - w[2])
                np.testing.assert_array_equal(got, real(sums, x[1], w[1]), strict=True)

    def test_gemm(self):
        """The rows of a transposed operand are its columns, also where a node transposes it."""
        x, bias = (integers(np.uint8, 9, 33), scales(1), integers(np.uint8, 1)), scales(20)
        w = integers(np.int8, 20, 33), scales(20), integers(np.int8, 20)
        sums = (x[0].astype(np.int64) - x[2]) @ (w[0].astype(np.int64) - w[2][:, None]).T
        wanted = real(sums, x[1], w[1])
        pair = [dequantised("x"), dequantised("w", 0)]
        got = self.product([*pair, node("Gemm", "x w b", "y", transB=1)], x, w, bias)
        np.testing.assert_array_equal(got, wanted + bias, strict=True)
        got = self.product([*pair, node("Transpose", "w", "t", perm=[1, 0]), node("MatMul", "x t", "y")], x, w)
        np.testing.assert_array_equal(got, wanted, strict=True)
        got = self.product([*pair, node("Transpose", "w", "t"), node("Gemm", "x t b", "y", alpha=2.0, beta=0.5)], x, w, bias)
        np.testing.assert_array_equal(got, wanted * F(2) + bias * F(0.5), strict=True)

    def test_convolutions(self):
        """Padding is the number 0, which is the zero point of the integers."""
        for groups, channels in (1, 3), (6, 1):
            x = integers(np.uint8, 2, 6 if groups > 1 else 3, 8, 7), scales(), integers(np.uint8)
            w = integers(np.int8, 12, channels, 3, 3), scales(12), np.zeros(12, np.int8)
            bias = scales(12)
            nodes = [dequantised("x"), dequantised("w", 0), node("Conv", "x w b", "y", pads=[1, 0, 1, 2], strides=[2, 1], group=groups)]
            got = self.product(nodes, x, w, bias)
            padded = np.pad(x[0].astype(np.int64) - x[2], ((0, 0), (0, 0), (1, 1), (0, 2)))
            sums = np.zeros((2, 12, 4, 7), np.int64)
            for c in range(12):
                first = c // (12 // groups) * channels
                for i in range(3):
                    for j in range(3):
                        part = padded[:, first:first + channels, i:i + 7:2, j:j + 7]
                        sums[:, c] += (part * w[0][c, :, i, j].astype(np.int64)[None, :, None, None]).sum(1)
            wanted = real(sums, x[1], w[1][:, None, None]) + bias[:, None, None]
            np.testing.assert_array_equal(got, wanted, strict=True)

    def test_floats_where_integers_do_not_fit(self):
        """Scales along what is summed, sums beyond 32 bits, and integers of 16 bits."""
        x = integers(np.uint8, 4, 40), scales(), integers(np.uint8)
        rows = integers(np.int8, 40, 5), scales(40), integers(np.int8, 40)
        got = self.product([dequantised("x"), dequantised("w", 0), node("MatMul", "x w", "y")], x, rows)
        reals = (x[0].astype(F) - F(x[2])) * x[1]
        np.testing.assert_allclose(got, reals @ ((rows[0].astype(F) - rows[2][:, None].astype(F)) * rows[1][:, None]), rtol=1e-4, atol=1e-4)
        long = np.full((1, 40000), 255, np.uint8), F(1), np.uint8(0)
        full = np.full((40000, 1), 255, np.uint8), F(1), np.uint8(0)
        got = self.product([dequantised("x"), dequantised("w"), node("MatMul", "x w", "y")], long, full)
        self.assertEqual(got[0, 0], F(40000 * 255 * 255))
        wide = integers(np.int16, 40, 5), scales(), integers(np.int16)
        got = self.product([dequantised("x"), dequantised("w"), node("MatMul", "x w", "y")], x, wide, opset=21)
        np.testing.assert_allclose(got, reals @ ((wide[0].astype(F) - F(wide[2])) * wide[1]), rtol=1e-4, atol=1e-1)


if __name__ == "__main__":
    unittest.main()
