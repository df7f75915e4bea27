"""Operators of ONNX beyond the official test models: corner cases, against NumPy."""
import unittest

import numpy as np

from lib.onnx_case import Case, floats


class Operators(Case):
    def test_einsum(self):
        shapes = {"i": 2, "j": 3, "k": 4, "l": 5, "b": 2}
        for equation in ("ij,jk->ik", "ij,jk", "ij->ji", "ii->i", "ii", "bij,bjk->bik", "i,j->ij", "ij,ij->", "ijk->j",
                         "ij,jk,kl->il", "ij,jk,ki->", "bi,bj,bk->ijk", "iij,j->i", "bijk,bijk->bk", "i,i->i", "ij,k->"):
            with self.subTest(equation=equation):
                arrays = [floats(*(shapes[x] for x in term)) for term in equation.split("->")[0].split(",")]
                got, = self.results("Einsum", 1, *arrays, equation=equation)
                np.testing.assert_allclose(got, np.einsum(equation, *arrays), rtol=1e-5)

    def test_einsum_of_an_ellipsis(self):
        for equation, a, b in (("...ij,...jk->...ik", (2, 3, 4), (2, 4, 5)), ("...ij,jk->...ik", (5, 2, 3, 4), (4, 5)),
                               ("...i,...i->...", (2, 3), (2, 3)),
                               ("...ij,...jk->...ik", (1, 3, 4), (2, 4, 5)), ("...,...", (2, 3), (2, 3))):
            with self.subTest(equation=equation):
                x, y = floats(*a), floats(*b)
                got, = self.results("Einsum", 1, x, y, equation=equation)
                np.testing.assert_allclose(got, np.einsum(equation, x, y), rtol=1e-5)

    def test_gather_fewer_elements(self):
        x = floats(4, 5)
        got, = self.results("GatherElements", 1, x, np.array([[3, -1], [0, 2]], dtype=np.int64), axis=0)
        np.testing.assert_array_equal(got, [[x[3, 0], x[3, 1]], [x[0, 0], x[2, 1]]])

    def test_scatter_twice(self):
        x, i, u = floats(3, 4), np.array([[1, 1, -2]], dtype=np.int64), floats(1, 3)
        for how, combine in (("add", lambda a, b: a + b), ("mul", lambda a, b: a * b), ("max", max), ("min", min)):
            with self.subTest(how=how):
                want = x.copy()
                for k in range(3):
                    want[0, i[0, k]] = combine(want[0, i[0, k]], u[0, k])
                got, = self.results("ScatterElements", 1, x, i, u, axis=1, reduction=how)
                np.testing.assert_array_equal(got, want)

    def test_scatter_rows(self):
        x, u = floats(4, 3), floats(2, 3)
        got, = self.results("ScatterND", 1, x, np.array([[-1], [1]], dtype=np.int64), u)
        want = x.copy()
        want[[3, 1]] = u
        np.testing.assert_array_equal(got, want)

    def test_gather_batches(self):
        x, i = floats(2, 3, 4), np.array([[[2]], [[-3]]], dtype=np.int64)
        got, = self.results("GatherND", 1, x, i, batch_dims=1)
        np.testing.assert_array_equal(got, np.stack([x[0, [2]], x[1, [0]]]))

    def test_quantise_blocks(self):
        x, scale = floats(2, 6), np.array([[0.5, 0.25, 1], [2, 0.125, 1]], dtype=np.float32)
        zero = np.array([[1, 2, 3], [4, 5, 6]], dtype=np.uint8)
        got, = self.results("QuantizeLinear", 1, x, scale, zero, opset=21, axis=1, block_size=2)
        want = np.rint(x / scale.repeat(2, 1)) + zero.repeat(2, 1)
        np.testing.assert_array_equal(got, np.clip(want, 0, 255).astype(np.uint8))
        back, = self.results("DequantizeLinear", 1, got, scale, zero, opset=21, axis=1, block_size=2)
        np.testing.assert_array_equal(back, (got.astype(np.float32) - zero.repeat(2, 1)) * scale.repeat(2, 1))

    def test_top_k_ties(self):
        x = np.array([[1, 3, 3, 2], [0, 0, 0, 0]], dtype=np.float32)
        data = self.results("TopK", 2, x, opset=1, k=2, axis=-1)
        np.testing.assert_array_equal(data[0], [[3, 3], [0, 0]])
        np.testing.assert_array_equal(data[1], [[1, 2], [0, 1]])


if __name__ == "__main__":
    unittest.main()
