"""Corners of operators of ONNX, where other engines are wrong as easily."""
import pathlib
import tempfile
import unittest

import numpy as np

from lib.onnx_case import Case, floats, ints
from lib.onnx_files import model, node
from lib.program import start


class Corners(Case):
    def of_known(self, op, *arrays, opset=18, **attributes):
        """What OP gives for initializers, behind which stands an Identity; its kinds of errors where it is refused."""
        names = [f"w{i}" for i in range(len(arrays))]
        data = model([node(op, " ".join(names), "a", **attributes), node("Identity", "a", "y")], [], [("y", "si64", None)],
                     list(zip(names, arrays)), opset=opset)
        done = self.checked(data)
        return self.run_model(data, {})[0] if done.returncode == 0 else self.refused(data)

    def fault(self, op, *arrays, **attributes):
        """What is said of a run that fails, the same by the evaluator and machine code."""
        data = model([node(op, " ".join(f"x{i}" for i in range(len(arrays))), "y", **attributes)],
                     [(f"x{i}", {"f": "f32", "i": "si64"}[a.dtype.kind], list(a.shape)) for i, a in enumerate(arrays)], [("y", "f32", None)])
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "m.onnx")
            path.write_bytes(data)
            given = []
            for i, array in enumerate(arrays):
                np.save(f"{folder}/{i}.npy", array)
                given += ["--input", f"x{i}={folder}/{i}.npy"]
            said = {start("run", path, *given, "--engine", engine, cwd=folder).stderr for engine in ("ref", "jit")}
        self.assertEqual(len(said), 1, said)
        return said.pop()

    def test_integer_powers_are_exact(self):
        x = np.array([94906267, 2000001, -5, 3037000500], np.int64)
        for exponent in 2, 3:
            data = model([node("Pow", "x e", "y")], [("x", "si64", [4])], [("y", "si64", None)], [("e", np.int64(exponent))])
            got, = self.run_model(data, {"x": x})
            with np.errstate(over="ignore"):
                np.testing.assert_array_equal(got, x ** exponent)

    def test_powers_have_the_rank_of_the_exponent(self):
        for exponent in 2, 3, 4:
            data = model([node("Pow", "x e", "y")], [("x", "f32", [3])], [("y", "f32", None)], [("e", np.full((1, 1, 1), exponent, np.float32))])
            self.assertEqual(self.run_model(data, {"x": floats(3)})[0].shape, (1, 1, 3))

    def test_split_without_results(self):
        for opset in 13, 18:
            data = model([node("Split", "x", "", num_outputs=0), node("Neg", "x", "y")], [("x", "f32", [4])], [("y", "f32", None)], opset=opset)
            self.assertEqual(self.refused(data), ["ArityMismatch"])

    def test_ranges_of_large_integers(self):
        """Beyond 2^53 doubles do not count them."""
        for first, limit, step in ((1 << 53) + 1, (1 << 53) + 3, 1), (-(1 << 63), (1 << 63) - 1, 1 << 62), (10, 0, -3), (3, 3, 1), (3, 1, 2):
            got = self.of_known("Range", np.int64(first), np.int64(limit), np.int64(step), opset=13)
            np.testing.assert_array_equal(got, np.array([*range(first, limit, step)], np.int64))

    def test_ranges_up_to_sizes(self):
        """Between bounds of which one is a size: read once, for all sizes; and for those that give nothing."""
        for first, limit, step, dtype in (("zero", "n", 1, "float32"), ("zero", "n", 2, "int64"), ("two", "n", 3, "float32"), ("n", "zero", -1, "int32"),
                                          ("n", "two", -2, "float32"), ("n", "zero", -5, "int64"), ("n", "n", 4, "int64"), ("n", "two", 1, "float32")):
            own, to = {"int64": ("si64", 7), "float32": ("f32", 1), "int32": ("si32", 6)}[dtype]
            nodes = [node("Shape", "x", "s"), node("Cast", "s", "l", to=to), node("Squeeze", "l", "n"), node("Range", f"{first} {limit} by", "y")]
            constants = [(name, np.array(value, dtype)) for name, value in (("zero", 0), ("two", 2), ("by", step))]
            data = model(nodes, [("x", "f32", ["k"])], [("y", own, None)], constants, opset=13)
            self.accepted(data)
            for k in 1, 8:
                named = {"zero": 0, "two": 2, "n": k}
                with self.subTest(first=first, limit=limit, step=step, k=k):
                    got, = self.run_model(data, {"x": floats(k)})
                    np.testing.assert_array_equal(got, np.arange(named[first], named[limit], step, dtype))

    def test_ranges_whose_step_is_a_size(self):
        nodes = [node("Shape", "x", "s"), node("Squeeze", "s", "n"), node("Range", "n more n", "y")]
        data = model(nodes, [("x", "f32", ["k"])], [("y", "si64", None)], [("more", np.int64(20))], opset=13)
        self.assertEqual(self.refused(data), ["ShapeUnknown"])
        np.testing.assert_array_equal(self.run_model(data, {"x": floats(6)})[0], [6, 12, 18])

    def test_known_lists_along_axes(self):
        """Results that are known have no axes that there are not, and reduce over none where that is said."""
        list_ = ints(3, 1, 2)
        self.assertEqual(self.of_known("Concat", list_, list_, axis=1), ["InvalidAxis"])
        self.assertEqual(self.of_known("Gather", list_, ints(0), axis=2), ["InvalidAxis"])
        for op in "ReduceMax", "ReduceMin", "ReduceProd":
            self.assertEqual(self.of_known(op, list_, ints(2)), ["InvalidAxis"])
            np.testing.assert_array_equal(self.of_known(op, list_, ints(), noop_with_empty_axes=1), list_)
        np.testing.assert_array_equal(self.of_known("ReduceMax", list_, ints()), [3])
        np.testing.assert_array_equal(self.of_known("ReduceMin", list_, ints(-1), keepdims=0), 1)

    def test_crops_of_the_same_extents(self):
        """A part of an axis, stretched to as many elements as the axis has."""
        x, roi = floats(1, 2, 4, 5), np.array([0, 0, 0.25, 0.5, 1, 1, 0.75, 1], np.float32)
        data = model([node("Resize", "x roi - sizes", "y", mode="linear", coordinate_transformation_mode="tf_crop_and_resize")],
                     [("x", "f32", ["n", 2, 4, 5])], [("y", "f32", None)], [("roi", roi), ("sizes", ints(1, 2, 4, 5))])
        got, = self.run_model(data, {"x": x}, "--dim", "n=1")
        rows, columns = 0.75 + np.arange(4) * 0.5, 2 + np.arange(5) * 0.5
        want = np.array([[[np.interp(columns, range(5), [np.interp(r, range(4), image[:, c]) for c in range(5)]) for r in rows]
                          for image in batch] for batch in x])
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)
        open_ = model([node("Resize", "x roi scales -", "y", mode="linear", coordinate_transformation_mode="tf_crop_and_resize")],
                      [("x", "f32", ["n", 2, 4, 5])], [("y", "f32", None)], [("roi", roi), ("scales", np.array([1, 1, 2, 2], np.float32))])
        self.accepted(open_)

    def test_too_few_extents(self):
        data = model([node("Resize", "x - - sizes", "y")], [("x", "f32", [1, 1, 4, 4])], [("y", "f32", None)], [("sizes", ints(2))])
        self.assertEqual(self.refused(data), ["InvalidAttribute"])

    def test_pads_that_continue_nothing(self):
        for mode in "edge", "reflect", "wrap":
            with self.subTest(mode=mode):
                data = model([node("Pad", "x p", "y", mode=mode)], [("x", "f32", [2, 0])], [("y", "f32", None)], [("p", ints(0, 1, 0, 1))])
                self.assertEqual(self.refused(data), ["InvalidPadding"])

    def test_scales_and_extents(self):
        """ONNX: it is an error if both are given."""
        x, y, scales = ("x", "f32", [1, 1, 4, 4]), ("y", "f32", None), ("scales", np.ones(4, np.float32))
        resize = node("Resize", "x - scales sizes", "y")
        self.assertEqual(self.refused(model([resize], [x], [y], [scales, ("sizes", ints(1, 1, 8, 8))])), ["ArityMismatch"])
        data = model([resize], [x, ("sizes", "si64", [4])], [y], [scales])
        self.assertEqual(self.refused(data, "--constant", "sizes=[1,1,8,8]"), ["ArityMismatch"])

    def test_norms_of_zeros(self):
        x = np.array([[0, 0], [3, -4]], np.float32)
        for p, want in (1, [[0, 0], [3 / 7, -4 / 7]]), (2, [[0, 0], [0.6, -0.8]]):
            got, = self.results("LpNormalization", 1, x, axis=1, p=p)
            np.testing.assert_allclose(got, want, rtol=1e-6)

    def test_positions_of_maxima_among_padding(self):
        """Padding is as small as an element may be: it is no position."""
        for x in np.zeros((1, 1, 2, 2), np.uint8), np.full((1, 1, 2, 2), -np.inf, np.float32):
            _, at = self.results("MaxPool", 2, x, kernel_shape=[2, 2], pads=[1, 1, 1, 1])
            np.testing.assert_array_equal(at, [[[[0, 0, 1], [0, 0, 1], [2, 2, 3]]]])
        _, at = self.results("MaxPool", 2, np.zeros((1, 1, 4), np.uint8), kernel_shape=[2], pads=[1, 0], dilations=[2])
        np.testing.assert_array_equal(at, [[[1, 0, 1]]])

    def test_bounds_of_one_element(self):
        low, high = np.array([1], np.float32), np.array([[3]], np.float32)
        got, = self.results("Clip", 1, np.float32(5), low, high, opset=13)
        self.assertEqual((got.shape, got), ((), 3))
        np.testing.assert_array_equal(self.of_known("Clip", np.float32(-5), low, high, opset=13), np.float32(1), strict=True)

    def test_products_of_quantised_vectors(self):
        a, b = np.array([1, 2, 3], np.uint8), np.array([[1, 0], [2, 1], [3, 5]], np.uint8)
        zero = np.array([1], np.uint8)
        for x, y in (a, b), (b.T, a), (a, a):
            got, = self.results("MatMulInteger", 1, x, y, zero, np.uint8(2))
            np.testing.assert_array_equal(got, (x.astype(np.int32) - 1) @ (y.astype(np.int32) - 2), strict=True)
        one, scale = np.uint8(0), np.float32(1)
        got, = self.results("QLinearMatMul", 1, a, scale, one, b, np.array([1, 2], np.float32), np.zeros(2, np.uint8), scale, one)
        np.testing.assert_array_equal(got, (a @ b) * [1, 2])

    def test_short_masks_of_attention(self):
        """Keys of which a mask says nothing are not seen."""
        q, k = floats(1, 2, 3, 4), floats(1, 2, 5, 4)
        for mask, fill in (floats(3, 3), -np.inf), (np.tril(np.ones((3, 3), bool)), False):
            got, = self.results("Attention", 1, q, k, k, mask, opset=24)
            whole = np.pad(mask, ((0, 0), (0, 2)), constant_values=fill)
            want, = self.results("Attention", 1, q, k, k, whole, opset=24)
            np.testing.assert_array_equal(got, want)

    def test_positions_that_are_none(self):
        """They are no positions of the row behind, either."""
        x, one = floats(3, 3), np.ones((1, 1), np.float32)
        for op, arrays, attributes in (("GatherND", (x, ints(0, 5)[None]), {}), ("GatherND", (x, ints(1, -4)[None]), {}),
                                       ("GatherND", (x, np.array([[3], [0], [0]])), {"batch_dims": 1}),
                                       ("ScatterND", (x, ints(0, 5)[None], one[0]), {}), ("ScatterND", (x, ints(-4, 2)[None], one[0]), {}),
                                       ("ScatterElements", (x, ints(5)[None], one), {"axis": 1}),
                                       ("ScatterElements", (x, ints(-4)[None], one), {"axis": 0})):
            with self.subTest(op=op, arrays=arrays[1:]):
                self.assertIn("[IndexOutOfBounds]", self.fault(op, *arrays, **attributes))
        for dtype in np.int32, np.int64:
            got, = self.results("ScatterElements", 1, x, np.array([[-1, 0]], dtype), np.ones((1, 2), np.float32), axis=1)
            np.testing.assert_array_equal(got, np.where([[1, 0, 1], [0, 0, 0], [0, 0, 0]], np.float32(1), x))
        got, = self.results("GatherND", 1, x, ints(-1, -3, 0, 2).reshape(2, 2))
        np.testing.assert_array_equal(got, [x[2, 0], x[0, 2]])

    def test_short_positions_in_long_tensors(self):
        """The numbers of elements are computed from positions of 32 bits, and may need more."""
        for extent, dtype in (8, "si32"), ((1 << 30) + 8, "si64"), ("n", "si64"):
            data = model([node("ScatterElements", "x i u", "y", axis=0)], [("x", "ui8", [3, extent]), ("i", "si32", [1, 1]), ("u", "ui8", [1, 1])],
                         [("y", "ui8", None)])
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder, "m.onnx")
                path.write_bytes(data)
                text = start("convert", path, "--to", "ptir-text").stdout
            products = [line for line in text.splitlines() if "= mul(" in line]
            self.assertTrue(products)
            for line in products:
                self.assertIn(f"tensor<{dtype}, ", line)

    def test_words_that_are_none(self):
        for op, opset, shapes, attributes in (("DepthToSpace", 13, [[1, 4, 2, 2]], {"blocksize": 2, "mode": "RCD"}),
                                              ("Gelu", 20, [[3]], {"approximate": "erf"}),
                                              ("TensorScatter", 24, [[1, 2, 3], [1, 1, 3]], {"mode": "ring"}),
                                              ("RoiAlign", 16, [[1, 1, 4, 4], [1, 4]], {"coordinate_transformation_mode": "pixel", "sampling_ratio": 1})):
            names = [f"x{i}" for i in range(len(shapes))]
            more = [("b", ints(0))] if op == "RoiAlign" else []
            with self.subTest(op=op):
                data = model([node(op, " ".join(names + [name for name, _ in more]), "y", **attributes)],
                             [(name, "f32", shape) for name, shape in zip(names, shapes)], [("y", "f32", None)], more, opset=opset)
                self.assertEqual(self.refused(data), ["InvalidAttribute"])


if __name__ == "__main__":
    unittest.main()
