"""Gradients along axes of a symbolic extent: concatenation, padding, scans and replaced elements, for several sizes, against
NumPy. The gradient module is read back from StableHLO."""
import pathlib
import tempfile
import unittest

import numpy as np

from lib.program import tenon

SUM = """  %z = stablehlo.constant dense<0.0> : tensor<f64>
  %s = stablehlo.reduce(%y init: %z) applies stablehlo.add across dimensions = [{axes}] : ({t}, tensor<f64>) -> tensor<f64>
  return %s : tensor<f64>
}}
"""
CONCAT = """func.func @main(%a: tensor<?x2xf64>, %b: tensor<?x2xf64>, %c: tensor<3x2xf64>, %d: tensor<?x2xf64>, %w: tensor<?x2xf64>) -> tensor<f64> {
  %0 = stablehlo.concatenate %a, %b, %c, %d, dim = 0 : (tensor<?x2xf64>, tensor<?x2xf64>, tensor<3x2xf64>, tensor<?x2xf64>) -> tensor<?x2xf64>
  %y = stablehlo.multiply %0, %w : tensor<?x2xf64>
""" + SUM.format(axes="0, 1", t="tensor<?x2xf64>")
PAD = """func.func @main(%a: tensor<?x2xf64>, %w: tensor<?x4xf64>) -> tensor<f64> {
  %p = stablehlo.constant dense<1.0> : tensor<f64>
  %0 = stablehlo.pad %a, %p, low = [2, 1], high = [1, 1], interior = [1, 0] : (tensor<?x2xf64>, tensor<f64>) -> tensor<?x4xf64>
  %y = stablehlo.multiply %0, %w : tensor<?x4xf64>
""" + SUM.format(axes="0, 1", t="tensor<?x4xf64>")
SCAN = """func.func @main(%x: tensor<?x2xf64>, %c: tensor<2xf64>) -> tensor<f64> {
  %y, %h = chlo.scan(%x) inits(%c) dimension=0 {
  ^bb0(%a: tensor<2xf64>, %b: tensor<2xf64>):
    %1 = stablehlo.multiply %a, %b : tensor<2xf64>
    %2 = stablehlo.add %1, %b : tensor<2xf64>
    stablehlo.return %2, %2 : tensor<2xf64>, tensor<2xf64>
  } : (tensor<?x2xf64>, tensor<2xf64>) -> (tensor<?x2xf64>, tensor<2xf64>)
""" + SUM.format(axes="0, 1", t="tensor<?x2xf64>")
REPLACE = """func.func @main(%x: tensor<4xf64>, %i: tensor<?x1xi32>, %u: tensor<?xf64>, %w: tensor<4xf64>) -> tensor<f64> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    stablehlo.return %b : tensor<f64>
  }) : (tensor<4xf64>, tensor<?x1xi32>, tensor<?xf64>) -> tensor<4xf64>
  %y = stablehlo.multiply %0, %w : tensor<4xf64>
""" + SUM.format(axes="0", t="tensor<4xf64>")
# Filters of 3 x 2, whose rows have holes between them.
CONVOLUTION = """func.func @main(%x: tensor<?x2x?x?xf64>, %f: tensor<4x{from_}x3x2xf64>, %w: tensor<?x4x?x?xf64>) -> tensor<f64> {{
  %0 = stablehlo.convolution(%x, %f) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {{pad = [[{low}, {high}], [1, 0]], rhs_dilate = [2, 1]}} {{batch_group_count = 1 : i64, feature_group_count = {groups} : i64}} : (tensor<?x2x?x?xf64>, tensor<4x{from_}x3x2xf64>) -> tensor<?x4x?x?xf64>
  %y = stablehlo.multiply %0, %w : tensor<?x4x?x?xf64>
""" + SUM.format(axes="0, 1, 2, 3", t="tensor<?x4x?x?xf64>").replace("{", "{{").replace("}", "}}").replace("}}}}", "}}")
random = np.random.default_rng(7)


class OpenAxes(unittest.TestCase):
    def gradients(self, text, wrt, **inputs):
        """Those by WRT, from both engines, which agree."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "m.mlir").write_text(text, encoding="ascii")
            tenon("grad", folder / "m.mlir", "--wrt", wrt, "-o", folder / "g.mlir")
            given = []
            for key, x in inputs.items():
                np.save(folder / f"{key}.npy", x)
                given += ["--input", f"{key}={folder}/{key}.npy"]
            both = []
            for engine in "jit", "ref":
                out = folder / engine
                tenon("run", folder / "g.mlir", *given, "--engine", engine, "--output", out)
                both.append([np.load(out / f"{1 + k}.npy") for k in range(wrt.count(",") + 1)])
            for x, y in zip(*both):
                np.testing.assert_array_equal(x, y)
            return both[0]

    def test_concatenation(self):
        for sizes in (4, 1, 2), (1, 5, 1), (2, 2, 7):
            a, b, d = (random.random((n, 2)) for n in sizes)
            c, w = random.random((3, 2)), random.random((sum(sizes) + 3, 2))
            got = self.gradients(CONCAT, "a,b,c,d", a=a, b=b, c=c, d=d, w=w)
            np.testing.assert_array_equal(np.concatenate(got), w)
            self.assertEqual([len(g) for g in got], [sizes[0], sizes[1], 3, sizes[2]])

    def test_padding(self):
        for n in 1, 4, 9:
            a, w = random.random((n, 2)), random.random((2 * n + 2, 4))
            got, = self.gradients(PAD, "a", a=a, w=w)
            np.testing.assert_array_equal(got, w[2:2 * n + 1:2, 1:3])

    def test_convolution(self):
        """Without strides, of images down to a single window."""
        for groups, low, high in (1, 0, 0), (2, 1, 4), (1, 3, 2):
            text = CONVOLUTION.format(groups=groups, from_=2 // groups, low=low, high=high)
            for images, rows, columns in (1, max(1, 5 - low - high), 1), (3, 6, 7), (2, 9, 4):
                x, f = random.random((images, 2, rows, columns)), random.random((4, 2 // groups, 3, 2))
                w = random.random((images, 4, rows + low + high - 4, columns))
                by_x, by_f = self.gradients(text, "x,f", x=x, f=f, w=w)
                padded = np.pad(x, ((0, 0), (0, 0), (low, high), (1, 0)))
                want_x, want_f = np.zeros_like(padded), np.zeros_like(f)
                for o, i, k, j in np.ndindex(f.shape):
                    channel = o // (4 // groups) * (2 // groups) + i
                    at = (slice(None), channel, slice(2 * k, 2 * k + w.shape[2]), slice(j, j + columns))
                    want_f[o, i, k, j] = (padded[at] * w[:, o]).sum()
                    want_x[at] += f[o, i, k, j] * w[:, o]
                np.testing.assert_allclose(by_f, want_f, rtol=1e-13)
                np.testing.assert_allclose(by_x, want_x[:, :, low:low + rows, 1:], rtol=1e-13)

    def test_scan(self):
        for n in 1, 5:
            x, c = random.random((n, 2)), random.random(2)
            by_x, by_c = self.gradients(SCAN, "x,c", x=x, c=c)
            steps = [c]
            for row in x:
                steps.append(steps[-1] * (row + 1))
            g, want = np.zeros(2), []
            for row, before in zip(x[::-1], steps[-2::-1]):
                g = g + 1
                want.append(g * before)
                g = g * (row + 1)
            np.testing.assert_allclose(by_x, want[::-1], rtol=1e-14)
            np.testing.assert_allclose(by_c, g, rtol=1e-14)

    def test_replaced(self):
        """The last update of a place stays."""
        for at in [2], [3, 1, 3, 0, 1], [5, 2, 2]:
            x, u, w = random.random(4), random.random(len(at)), random.random(4)
            by_x, by_u = self.gradients(REPLACE, "x,u", x=x, i=np.array(at, np.int32)[:, None], u=u, w=w)
            last = {a: k for k, a in enumerate(at) if a < 4}
            np.testing.assert_array_equal(by_x, [0 if k in last else w[k] for k in range(4)])
            np.testing.assert_array_equal(by_u, [w[a] if last.get(a) == k else 0 for k, a in enumerate(at)])


if __name__ == "__main__":
    unittest.main()
