"""Convolutions, pools and larger copies of images whose extents are symbolic sizes: models are read without values for these, and the program gives what
the model does that is read for one extent."""
import pathlib
import tempfile
import unittest

from lib import package  # noqa: F401

import numpy as np

import tenon
from lib.onnx_case import Case, floats
from lib.onnx_files import model, node
from lib.program import start

POOLS = [{"kernel_shape": [k], "strides": [s], **more}
         for k, s in ((2, 2), (3, 1), (1, 4), (3, 5))
         for more in ({}, {"ceil_mode": 1}, {"auto_pad": "SAME_UPPER"}, {"auto_pad": "SAME_LOWER"}, {"auto_pad": "VALID", "ceil_mode": 1},
                      {"pads": [k // 2, (k - 1) // 2]}, {"pads": [0, k - 1], "ceil_mode": 1}, {"dilations": [2], "ceil_mode": 1},
                      {"dilations": [2], "auto_pad": "SAME_LOWER"})]


def one(op, arrays, outputs="y", **attributes):
    """A model of a node whose first input has symbolic sizes, and its inputs."""
    names = [f"x{i}" for i in range(len(arrays))]
    x = arrays[0]
    symbols = ["N", x.shape[1], *(f"S{i}" for i in range(x.ndim - 2))]
    return model([node(op, " ".join(names), outputs, **attributes)], [("x0", "f32", symbols)],
                 [(o, "f32" if o == "y" else "si64", None) for o in outputs.split()], list(zip(names[1:], arrays[1:])), opset=22)


def listed(results):
    return results if isinstance(results, tuple) else [results]


class Windows(Case):
    def same(self, data, xs):
        """The program of symbolic sizes, for each of XS, and the model as it is read for that."""
        module = tenon.read(data, dialect="onnx")
        programs = [module.compile(engine=engine) for engine in ("ref", "jit")]
        for x in xs:
            alone = tenon.read(data, dialect="onnx", shapes={"x0": x.shape}).compile(engine="ref")
            want = [(r.shape, bytes(np.asarray(r))) for r in listed(alone(x))]
            for program in programs:
                got = [(r.shape, bytes(np.asarray(r))) for r in listed(program(x))]
                self.assertEqual(got, want, x.shape)

    def test_pools_of_lines(self):
        xs = [floats(2, 3, n) for n in (7, 8, 9, 12)]
        for how in POOLS:
            for op, more in (("MaxPool", {"outputs": "y at"}), ("AveragePool", {}), ("AveragePool", {"count_include_pad": 1})):
                with self.subTest(op=op, **how):
                    self.same(one(op, xs[:1], **how, **more), xs)

    def test_pools_of_images(self):
        xs = [floats(1, 2, h, w) for h, w in ((9, 6), (6, 9), (10, 11))]
        for op, more in (("MaxPool", {"outputs": "y at", "storage_order": 1}), ("AveragePool", {"count_include_pad": 1}), ("LpPool", {})):
            how = {"kernel_shape": [3, 2], "strides": [2, 3], "pads": [1, 0, 1, 1], "ceil_mode": 1, **more}
            with self.subTest(op=op):
                self.same(one(op, xs[:1], **how), xs)

    def test_convolutions(self):
        xs = [floats(2, 4, h, w) for h, w in ((9, 6), (6, 9), (12, 12), (3, 3))]
        for how in ({"strides": [2, 2], "pads": [1, 1, 1, 1]}, {"strides": [2, 3], "auto_pad": "SAME_UPPER"},
                    {"strides": [3, 2], "auto_pad": "SAME_LOWER", "dilations": [1, 2]}, {"strides": [4, 4]}, {"auto_pad": "SAME_UPPER"},
                    {"group": 2, "strides": [2, 1]}, {"group": 4, "pads": [0, 1, 2, 1], "strides": [2, 2]}):
            w = floats(8, 4 // how.get("group", 1), 3, 3)
            with self.subTest(**how):
                self.same(one("Conv", [xs[0], w, floats(8)], **how), xs)

    def test_transposed(self):
        xs = [floats(2, 4, h, w) for h, w in ((4, 6), (6, 3), (5, 5), (1, 1))]
        for how in ({"strides": [2, 2]}, {"strides": [2, 2], "pads": [1, 1, 1, 1], "output_padding": [1, 1]}, {"strides": [3, 2], "auto_pad": "SAME_UPPER"},
                    {"strides": [4, 5], "auto_pad": "SAME_LOWER"}, {"pads": [1, 0, 1, 2], "group": 2}, {"strides": [2, 2], "dilations": [2, 1]}):
            with self.subTest(**how):
                self.same(one("ConvTranspose", [xs[0], floats(4, 3, 3, 3), floats(3 * how.get("group", 1))], **how), xs)

    def test_repeated(self):
        """Resize by whole numbers, where that repeats elements; by sizes, too, that are so many times those of the image."""
        xs = [floats(2, 4, h, w) for h, w in ((4, 6), (5, 3), (1, 1))]
        for scales, how in (([1, 1, 2, 3], {}), ([1, 1, 2, 2], {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}),
                            ([1, 1, 8, 1], {"nearest_mode": "round_prefer_ceil", "coordinate_transformation_mode": "half_pixel_symmetric"})):
            with self.subTest(scales=scales, **how):
                scales = np.array(scales, np.float32)
                data = model([node("Resize", "x0 - s", "y", **how)], [("x0", "f32", ["N", 4, "S0", "S1"])], [("y", "f32", None)],
                             [("s", scales)], opset=19)
                self.same(data, xs)
                nodes = [node("Shape", "x0", "a"), node("Mul", "a f", "b"), node("Resize", "x0 - - b", "y", **how)]
                self.same(model(nodes, [("x0", "f32", ["N", 4, "S0", "S1"])], [("y", "f32", None)], [("f", scales.astype(np.int64))], opset=19), xs)
    def resized(self, how, **given):
        """A model that resizes an image by scales, or to as many times its extents and more."""
        if "scales" in given:
            nodes, weights = [node("Resize", "x0 - s", "y", **how)], [("s", np.array(given["scales"], np.float32))]
        else:
            nodes = [node("Shape", "x0", "a"), node("Mul", "a f", "b"), node("Add", "b g", "c"), node("Div", "c h", "d"), node("Resize", "x0 - - d", "y", **how)]
            weights = [(k, np.array(v, np.int64)) for k, v in zip("fgh", given["sizes"])]
        return model(nodes, [("x0", "f32", ["N", 4, "S0", "S1"])], [("y", "f32", None)], weights, opset=19)

    def test_resized(self):
        """To other extents, where elements come from follows from sizes of the run."""
        xs = [floats(2, 4, h, w) for h, w in ((4, 6), (5, 3), (1, 2))]
        places = ("half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric")
        roundings = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
        larger = ([1, 1, 3, 7], [0, 0, 2, 1], [1, 1, 2, 4])
        for k, place in enumerate(places):
            for mode in "nearest", "linear", "cubic":
                for given in {"scales": [1, 1, 2, 1.5]}, {"scales": [1, 1, 9, 0.5]}, {"sizes": larger}:
                    how = {"coordinate_transformation_mode": place, "mode": mode, "nearest_mode": roundings[k % 4], "exclude_outside": k % 2 * (mode == "cubic")}
                    with self.subTest(**how, **given):
                        self.same(self.resized(how, **given), xs)
        for given in {"scales": [1, 1, 1.1, 1]}, {"scales": [1, 1, 0.1, 1]}:
            data = self.resized({"mode": "linear"}, **given)
            self.assertEqual(self.refused(data), ["ShapeUnknown"], given)
            self.run_model(data, {"x0": floats(1, 4, 20, 3)})
        self.assertEqual(self.refused(self.resized({"mode": "linear", "antialias": 1}, sizes=larger)), ["ShapeUnknown"])

    def test_continued(self):
        """Borders that go on in the image, which is taken to be long enough."""
        xs = [floats(2, 4, h, w) for h, w in ((4, 6), (5, 4), (3, 7))]
        for mode in "reflect", "edge", "wrap":
            for pads in [0, 0, 2, 1, 0, 0, 1, 2], [0, 0, 0, 2, 0, 0, 2, -1]:
                with self.subTest(mode=mode, pads=pads):
                    data = model([node("Pad", "x0 p", "y", mode=mode)], [("x0", "f32", ["N", 4, "S0", "S1"])], [("y", "f32", None)],
                                 [("p", np.array(pads))], opset=19)
                    self.same(data, xs)
                    y, = self.run_model(data, {"x0": floats(1, 4, 2, 3)})  # which takes several rounds
                    self.assertEqual(y.shape, (1, 4, 2 + pads[2] + pads[6], 3 + pads[3] + pads[7]))

    def test_skipped_layers(self):
        """What was pooled is brought to the size of what it stands beside, which it is not a multiple of."""
        nodes = [node("Conv", "x0 w1", "a", pads=[1, 1, 1, 1]), node("MaxPool", "a", "b", kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1),
                 node("Conv", "b w2", "c", pads=[1, 1, 1, 1]), node("Shape", "a", "of_a", start=2), node("Shape", "c", "of_c", end=2),
                 node("Concat", "of_c of_a", "s", axis=0), node("Resize", "c - - s", "u", mode="linear", coordinate_transformation_mode="align_corners"),
                 node("Concat", "a u", "y", axis=1), node("ConvTranspose", "c w3", "z", strides=[2, 2])]
        data = model(nodes, [("x0", "f32", ["N", 3, "S0", "S1"])], [("y", "f32", None), ("z", "f32", None)],
                     [("w1", floats(4, 3, 3, 3)), ("w2", floats(5, 4, 3, 3)), ("w3", floats(5, 2, 2, 2))], opset=15)
        self.same(data, [floats(1, 3, h, w) for h, w in ((8, 8), (9, 7), (2, 3))])

    def test_pyramids(self):
        """What was halved is doubled again, and meets what it was."""
        nodes = [node("Conv", "x w", "a", strides=[2, 2], pads=[1, 1, 1, 1]), node("Resize", "a - s", "b"), node("Add", "x b", "y")]
        data = model(nodes, [("x", "f32", ["N", 3, "H", "W"])], [("y", "f32", None)],
                     [("w", floats(3, 3, 3, 3)), ("s", np.array([1, 1, 2, 2], np.float32))])
        self.accepted(data)
        for h, w in ((8, 6), (2, 4)):
            y, = self.run_model(data, {"x": floats(2, 3, h, w)})
            self.assertEqual(y.shape, (2, 3, h, w))

    def test_networks(self):
        """Extents of several strided layers, and two ways of the same strides that meet."""
        nodes = [node("Conv", "x w1", "a", strides=[2, 2], pads=[1, 1, 1, 1]), node("MaxPool", "a", "b", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]),
                 node("Conv", "b w2", "c", strides=[2, 2], pads=[1, 1, 1, 1]), node("Conv", "b w3", "d", strides=[2, 2]),
                 node("Add", "c d", "e"), node("GlobalAveragePool", "e", "f"), node("Flatten", "f", "y")]
        data = model(nodes, [("x", "f32", ["N", 3, "H", "W"])], [("e", "f32", None), ("y", "f32", None)],
                     [("w1", floats(8, 3, 3, 3)), ("w2", floats(8, 8, 3, 3)), ("w3", floats(8, 8, 1, 1))])
        self.accepted(data)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "m.onnx")
            path.write_bytes(data)
            for command in (["info"], ["convert", "--to", "stablehlo"], ["convert", "--to", "onnx", "-o", pathlib.Path(folder, "n.onnx")]):
                done = start(command[0], path, *command[1:])
                self.assertEqual(done.returncode, 0, (command, done.stderr))
        for n, h, w in ((1, 32, 32), (2, 33, 47), (1, 1, 9)):
            e, y = self.run_model(data, {"x": floats(n, 3, h, w)})
            self.assertEqual((e.shape, y.shape), ((n, 8, -(-h // 8), -(-w // 8)), (n, 8)))

    def test_too_small(self):
        """What is too small for the windows is refused by the run, and the model is not."""
        data = one("MaxPool", [floats(1, 1, 4, 4)], kernel_shape=[3, 3], strides=[2, 2])
        self.accepted(data)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "m.onnx")
            path.write_bytes(data)
            np.save(pathlib.Path(folder, "x.npy"), floats(1, 1, 4, 2))
            done = start("run", path, "--input", f"x0={folder}/x.npy")
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"\[(InvalidDimension|InvalidAttribute)\]")

    def test_long_strides(self):
        """Each phase of a transposed convolution is a convolution of its own only where they are not too many."""
        x, w = floats(1, 2, 2, 3), floats(2, 1, 2, 3)
        for strides in (64, 64), (65, 64), (1, 5000), (4097, 2):
            want = np.zeros((strides[0] + 2, 2 * strides[1] + 3), np.float64)
            for i, j in np.ndindex(2, 3):
                want[i * strides[0]:i * strides[0] + 2, j * strides[1]:j * strides[1] + 3] += np.einsum("c,cab->ab", x[0, :, i, j], w[:, 0])
            data = model([node("ConvTranspose", "x w", "y", strides=list(strides))], [("x", "f32", [1, 2, 2, 3])], [("y", "f32", None)], [("w", w)])
            with self.subTest(strides=strides):
                (y,) = self.run_model(data, {"x": x})
                np.testing.assert_allclose(y[0, 0], want, rtol=1e-6, atol=1e-6)  # f32 sums of two products

    def test_long_axes(self):
        """Tables as long as an axis have a limit; what needs none reads images of any extent."""
        n = 1 << 27
        x = [("x", "f32", [1, 1, 1, n])]
        for op in ({"op": "AveragePool", "pads": [0, 1, 0, 0]}, {"op": "AveragePool", "pads": [0, 1, 0, 0], "count_include_pad": 1}):
            with self.subTest(**op):
                self.accepted(model([node(op.pop("op"), "x", "y", kernel_shape=[1, 1000], **op)], x, [("y", "f32", None)]))
        self.accepted(model([node("MaxPool", "x", "y at", kernel_shape=[1, 3], pads=[0, 1, 0, 1])], x, [("y", "f32", None), ("at", "si64", None)]))
        for how in {"mode": "cubic"}, {"mode": "nearest"}, {"mode": "linear", "antialias": 1}:
            scales = np.array([1, 1, 1, 0.3], np.float32)
            data = model([node("Resize", "x - scales", "y", **how)], x, [("y", "f32", None)], [("scales", scales)], opset=18)
            with self.subTest(**how):
                self.assertEqual(self.refused(data), ["LimitExceeded"])


if __name__ == "__main__":
    unittest.main()
