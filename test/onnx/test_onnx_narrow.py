"""Operators of ONNX on narrow floats and integers, against NumPy."""
import unittest

import numpy as np

from lib.onnx_case import Case
from lib.onnx_files import field, model, node

EXTREMES = np.array([1000, -1000, 448, 460, 465, np.inf, -np.inf, np.nan, 57344, 60000, -65000, 1e9], np.float32)
INFINITE, LOST = np.inf, np.nan


class Narrow(Case):
    def test_floats_of_8_bits(self):
        """What is too large becomes the largest number, unless `saturate` is 0: then infinity, or NaN where there is none."""
        table = {(17, 1): [448, -448, 448, 448, 448, 448, -448, LOST, 448, 448, -448, 448],
                 (17, 0): [LOST, LOST, 448, 448, LOST, LOST, LOST, LOST, LOST, LOST, LOST, LOST],
                 (19, 1): [1024, -1024, 448, 448, 448, 57344, -57344, LOST, 57344, 57344, -57344, 57344],
                 (19, 0): [1024, -1024, 448, 448, 448, INFINITE, -INFINITE, LOST, 57344, 57344, -INFINITE, INFINITE]}
        for (number, saturate), want in table.items():
            zero = field(2, number) + field(8, "z") + field(9, b"\0")
            one = ("one", np.float32(1))
            ways = {"Cast": ([node("Cast", "x", "a", to=number, saturate=saturate)], []),
                    "CastLike": ([node("CastLike", "x z", "a", saturate=saturate)], [zero]),
                    "QuantizeLinear": ([node("QuantizeLinear", "x one z", "a", saturate=saturate)], [one, zero])}
            for name, (nodes, weights) in ways.items():
                with self.subTest(name=name, number=number, saturate=saturate):
                    data = model([*nodes, node("Cast", "a", "y", to=1)], [("x", "f32", [12])], [("y", "f32", None)], weights, opset=19)
                    got, = self.run_model(data, {"x": EXTREMES})
                    np.testing.assert_array_equal(got, np.array(want, np.float32))

    def test_floats_of_8_bits_of_others(self):
        """Of integers, f16 and each other, and without the attribute."""
        for dtype, name in (np.int32, "si32"), (np.float16, "f16"), (np.int8, "si8"):
            x = np.array([-128, 100, 127] if dtype == np.int8 else [-1000, 449, 20000], dtype)
            data = model([node("Cast", "x", "a", to=17), node("Cast", "a", "y", to=1)], [("x", name, [3])], [("y", "f32", None)], opset=19)
            got, = self.run_model(data, {"x": x})
            np.testing.assert_array_equal(got, [-128, 96, 128] if dtype == np.int8 else [-448, 448, 448])
        data = model([node("Cast", "x", "a", to=19, saturate=0), node("Cast", "a", "b", to=17), node("Cast", "b", "c", to=19),
                      node("Cast", "c", "y", to=1)], [("x", "f32", [3])], [("y", "f32", None)], opset=19)
        got, = self.run_model(data, {"x": np.array([np.inf, 1024, -57344], np.float32)})
        np.testing.assert_array_equal(got, [448, 448, -448])

    def test_quantised_integers_of_16_bits(self):
        """They have more digits than narrow scales."""
        scale, zero = np.float16(0.5), np.uint16(40000)
        x = np.array([40001, 40100, 5], np.uint16)
        got, = self.results("DequantizeLinear", 1, x, np.array(scale), np.array(zero), opset=21)
        np.testing.assert_array_equal(got, ((x.astype(np.float32) - 40000) * 0.5).astype(np.float16), strict=True)
        y = np.array([20.49, -5, 100, np.inf], np.float16)
        for zero, dtype in (1, np.int16), (40001, np.uint16), (3, np.uint8):
            got, = self.results("QuantizeLinear", 1, y, np.array(0.01, np.float16), np.array(zero, dtype), opset=21)
            with np.errstate(over="ignore"):
                whole = np.rint((y / np.float16(0.01)).astype(np.float64)) + zero
            np.testing.assert_array_equal(got, np.clip(whole, np.iinfo(dtype).min, np.iinfo(dtype).max).astype(dtype), strict=True)

    def test_precision_of_quantised_numbers(self):
        x, scale, zero = np.array([20.49, -5, 100, 33.33], np.float16), np.array(0.0123, np.float16), np.array(1, np.int16)
        got, = self.results("QuantizeLinear", 1, x, scale, zero, opset=23, precision=1)
        np.testing.assert_array_equal(got, np.rint(x.astype(np.float32) / scale.astype(np.float32)).astype(np.int16) + 1)
        self.assertNotEqual(got[1], np.rint(x[1] / scale).astype(np.int16) + 1)
        q, fine = np.array([20, -5, 100], np.int8), np.array(1e-6, np.float32)
        got, = self.results("DequantizeLinear", 1, q, fine, np.array(1, np.int8), opset=23, output_dtype=10)
        np.testing.assert_array_equal(got, ((q - np.float32(1)) * fine).astype(np.float16), strict=True)
        data = model([node("QuantizeLinear", "x s", "y", precision=7)], [("x", "f32", [3]), ("s", "f32", [])], [("y", "ui8", None)], opset=23)
        self.assertEqual(self.refused(data), ["UnknownDType"])

    def test_samples_of_halves(self):
        """Positions are told apart, however long an axis is: samples are those of f32, rounded."""
        line = np.arange(4096).astype(np.float16).reshape(1, 1, 1, 4096)
        image = np.linspace(-4, 4, 24).astype(np.float16).reshape(1, 2, 3, 4)
        ends = np.array([[-1, 0], [2, 0], [1, 0], [0.999, 0], [-7, 0]], np.float16).reshape(1, 1, 5, 2)
        boxes, batch = np.array([[4090, 0, 5000, 1], [-5, -3, 4095, 0]], np.float16), np.array([0, 0])
        offset, w = np.linspace(-3, 3, 16).astype(np.float16).reshape(1, 8, 1, 2), np.ones((1, 2, 2, 2), np.float16)
        cases = [("GridSample", 20, {"mode": m, "padding_mode": p}, [line, ends]) for m in ("nearest", "linear", "cubic")
                 for p in ("zeros", "border", "reflection")]
        cases += [("RoiAlign", 16, {"output_width": 2, "sampling_ratio": n}, [line, boxes, batch]) for n in (0, 2)]
        cases += [("DeformConv", 19, {"strides": [2, 2]}, [image, w, offset])]
        for op, opset, options, inputs in cases:
            with self.subTest(op=op, **options):
                want, = self.results(op, 1, *[a.astype(np.float32) if a.dtype == np.float16 else a for a in inputs], opset=opset, **options)
                got, = self.results(op, 1, *inputs, opset=opset, **options)
                np.testing.assert_allclose(got.astype(np.float32), want.astype(np.float16).astype(np.float32), rtol=2e-3)
                self.assertEqual(got.dtype, np.float16)
        got, = self.results("GridSample", 1, image, ends.astype(np.float32), opset=20)  # of two types
        want, = self.results("GridSample", 1, image.astype(np.float32), ends.astype(np.float32), opset=20)
        np.testing.assert_array_equal(got, want.astype(np.float16), strict=True)

    def test_numbers_of_shrink(self):
        """Its bounds are floats, whatever the elements are."""
        x = np.arange(-3, 4)
        for dtype in np.int8, np.int32, np.int64, np.uint8:
            given = np.abs(x).astype(dtype) if dtype == np.uint8 else x.astype(dtype)
            got, = self.results("Shrink", 1, given, opset=9, lambd=1.5, bias=1.5)
            want = np.where(given > 1.5, given - 1.5, np.where(given < -1.5, given + 1.5, 0)).astype(dtype)
            np.testing.assert_array_equal(got, want, strict=True)
            self.results("Shrink", 1, given, opset=9)

    def test_quantised_zeros(self):
        """They have a scale of 1: no number is 0 / 0."""
        for x, want in (np.zeros(3), [[0, 0, 0], 1, 0]), (np.full(3, 5), [[255] * 3, 5 / 255, 0]), (np.full(3, -5), [[0] * 3, 5 / 255, 255]):
            got = self.results("DynamicQuantizeLinear", 3, x.astype(np.float32), opset=11)
            for a, b in zip(got, want):
                np.testing.assert_allclose(a, b, rtol=1e-6)

    def test_large_sums_of_halves(self):
        """Means, roots and logarithms of what is too large for f16."""
        x, v = np.full((1, 1, 4, 4), 30000, np.float16), np.full((1, 512), 20, np.float16)
        scores, ones = np.full((4, 2), -60000, np.float16), np.ones(2, np.float16)
        cases = [("AveragePool", [x], 30000, {"kernel_shape": [3, 3]}), ("AveragePool", [x], 30000, {"kernel_shape": [3, 3], "pads": [1] * 4}),
                 ("LpPool", [x], 60000, {"kernel_shape": [2, 2]}), ("GlobalLpPool", [x / 2], 60000, {}), ("LpNormalization", [x], 0.5, {}),
                 ("LRN", [x / 100], 300 / (1 + 90000 * 1e-4) ** 0.75, {"size": 1}), ("Mean", [x, x, x], 30000, {}),
                 ("ReduceL2", [v], 20 * 512 ** 0.5, {}), ("ReduceLogSum", [v * 30], np.log(600 * 512), {}),
                 ("ReduceLogSumExp", [np.zeros((70000, 1), np.float16)], np.log(70000), {}),
                 ("Gemm", [v, v.reshape(512, 1)], 20480, {"alpha": 0.1}),
                 ("NegativeLogLikelihoodLoss", [scores, np.zeros(4, np.int64), ones], 60000, {})]
        for op, inputs, want, options in cases:
            with self.subTest(op=op, **options):
                got, = self.results(op, 1, *inputs, opset=22, **options)
                self.assertEqual(got.dtype, np.float16)
                np.testing.assert_allclose(got.astype(np.float64), want, rtol=1e-3)

    def test_normalised_halves(self):
        """Squares of what is centred are too large for f16."""
        x = np.array([[[0, 1000], [5, -1000]], [[900, 0], [-900, 3]]], np.float16)
        ones, zeros = np.ones(2, np.float16), np.zeros(2, np.float16)
        for op, axes, options in (("GroupNormalization", (1, 2), {"num_groups": 1}), ("InstanceNormalization", 2, {}),
                                  ("MeanVarianceNormalization", (0, 2), {"axes": [0, 2]}),
                                  ("BatchNormalization", (0, 2), {"training_mode": 1})):
            wide = x.astype(np.float64)
            centred = wide - wide.mean(axes, keepdims=True)
            want = centred / np.sqrt(np.square(centred).mean(axes, keepdims=True))
            more = [] if op.startswith("Mean") else [ones, zeros] + [zeros, ones] * op.startswith("Batch")
            with self.subTest(op=op):
                got = self.results(op, 1, x, *more, opset=21, **options)[0]
                np.testing.assert_allclose(got.astype(np.float64), want, rtol=2e-3, atol=2e-3)
                self.assertEqual(got.dtype, np.float16)


if __name__ == "__main__":
    unittest.main()
