"""Operators on images, boxes in them and caches, against NumPy; what is refused by name; training statistics."""
import unittest

import numpy as np

from lib.onnx_case import Case, floats, ints
from lib.onnx_files import model, node


def folded(x, image, block, strides, pads, dilations):
    """Col2Im, element by element."""
    n, channels = len(x), x.shape[1] // (block[0] * block[1])
    padded = np.zeros((n, channels, image[0] + pads[0] + pads[2], image[1] + pads[1] + pads[3]), np.float32)
    places = [(padded.shape[2 + i] - (block[i] - 1) * dilations[i] - 1) // strides[i] + 1 for i in range(2)]
    parts = x.reshape(n, channels, *block, *places)
    for at in np.ndindex(*block, *places):
        y, x_ = at[2] * strides[0] + at[0] * dilations[0], at[3] * strides[1] + at[1] * dilations[1]
        padded[:, :, y, x_] += parts[(slice(None), slice(None), *at)]
    return padded[:, :, pads[0]:pads[0] + image[0], pads[1]:pads[1] + image[1]]


def pooled(x, boxes, shape, scale):
    """MaxRoiPool, box by box."""
    out = np.zeros((len(boxes), x.shape[1], *shape), np.float32)
    for r, (image, *corners) in enumerate(boxes):
        x0, y0, x1, y1 = (int(np.floor(np.float32(k) * scale + 0.5)) for k in corners)
        size = max(y1 - y0 + 1, 1) / shape[0], max(x1 - x0 + 1, 1) / shape[1]
        for i, j in np.ndindex(*shape):
            rows = slice(max(y0 + int(np.floor(i * size[0])), 0), max(y0 + int(np.ceil((i + 1) * size[0])), 0))
            columns = slice(max(x0 + int(np.floor(j * size[1])), 0), max(x0 + int(np.ceil((j + 1) * size[1])), 0))
            part = x[int(image), :, rows, columns]
            if part.size:
                out[r, :, i, j] = part.max((1, 2))
    return out


def sampled(image, y, x):
    """The channels of IMAGE at this position; 0 outside."""
    top, left = int(np.floor(y)), int(np.floor(x))
    out = np.zeros(len(image))
    for i, j in np.ndindex(2, 2):
        if 0 <= top + i < image.shape[1] and 0 <= left + j < image.shape[2]:
            out += image[:, top + i, left + j] * (1 - abs(y - top - i)) * (1 - abs(x - left - j))
    return out


def deformed(x, w, offset, mask, strides, pads, dilations, groups, n_offsets):
    """DeformConv without a bias, element by element."""
    n, size, each = len(x), w.shape[2] * w.shape[3], x.shape[1] // n_offsets
    out = np.zeros((n, len(w), *offset.shape[2:]))
    for b, row, column in np.ndindex(n, *offset.shape[2:]):
        seen = np.zeros((x.shape[1], size))
        for g, e in np.ndindex(n_offsets, size):
            at = offset[b, 2 * (g * size + e):][:2, row, column]
            place = [(row, column)[i] * strides[i] - pads[i] + (e // w.shape[3], e % w.shape[3])[i] * dilations[i] + at[i] for i in range(2)]
            seen[g * each:(g + 1) * each, e] = sampled(x[b, g * each:(g + 1) * each], *place) * mask[b, g * size + e, row, column]
        parts = seen.reshape(groups, -1)
        out[b, :, row, column] = np.einsum("gi,goi->go", parts, w.reshape(groups, len(w) // groups, -1)).ravel()
    return out


class Images(Case):
    def with_constants(self, op, arrays, constants, opset, **attributes):
        """The result for ARRAYS, of which those with the numbers CONSTANTS are initializers."""
        names = [f"x{i}" for i in range(len(arrays))]
        data = model([node(op, " ".join(names), "y", **attributes)],
                     [(n, "f32", list(a.shape)) for i, (n, a) in enumerate(zip(names, arrays)) if i not in constants],
                     [("y", "f32", None)], [(names[i], arrays[i]) for i in constants], opset=opset)
        return self.run_model(data, {n: a for i, (n, a) in enumerate(zip(names, arrays)) if i not in constants})[0]

    def test_columns(self):
        for image, block, strides, pads, dilations in (((5, 5), (1, 5), (1, 1), (0,) * 4, (1, 1)),
                                                       ((6, 5), (2, 3), (2, 1), (1, 0, 1, 1), (1, 1)),
                                                       ((7, 6), (2, 2), (1, 2), (0, 1, 2, 1), (3, 2))):
            with self.subTest(image=image, block=block):
                places = [(image[i] + pads[i] + pads[2 + i] - (block[i] - 1) * dilations[i] - 1) // strides[i] + 1
                          for i in range(2)]
                x = floats(2, 3 * block[0] * block[1], places[0] * places[1])
                got = self.with_constants("Col2Im", [x, ints(*image), ints(*block)], (1, 2), 18, strides=list(strides),
                                          pads=list(pads), dilations=list(dilations))
                np.testing.assert_allclose(got, folded(x, image, block, strides, pads, dilations), rtol=1e-6, atol=1e-6)

    def test_convolutions_at_positions_that_are_data(self):
        for shape, filter_, strides, pads, dilations, groups, n in (((2, 4, 5, 6), (6, 4, 3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 1, 1),
                                                                    ((1, 4, 6, 5), (4, 2, 2, 3), (2, 1), (1, 0, 0, 2), (1, 1), 2, 2),
                                                                    ((2, 4, 6, 6), (2, 2, 2, 2), (1, 2), (0, 0, 0, 0), (2, 1), 2, 4)):
            x, w, bias = floats(*shape), floats(*filter_), floats(len(range(filter_[0])))
            places = [(shape[2 + i] + pads[i] + pads[2 + i] - (filter_[2 + i] - 1) * dilations[i] - 1) // strides[i] + 1 for i in range(2)]
            size = n * filter_[2] * filter_[3]
            offset, mask = floats(shape[0], 2 * size, *places), floats(shape[0], size, *places)
            options = {"strides": list(strides), "pads": list(pads), "dilations": list(dilations), "group": groups, "offset_group": n}
            for given in (bias, mask), (None, mask), (bias, None):
                with self.subTest(shape=shape, bias=given[0] is not None, mask=given[1] is not None):
                    got, = self.results("DeformConv", 1, x, w, offset, *given, opset=19, **options)
                    want = deformed(x, w, offset, np.ones_like(mask) if given[1] is None else mask, strides, pads, dilations, groups, n)
                    want += 0 if given[0] is None else bias.reshape(-1, 1, 1)
                    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)

    def test_windows_over_the_end(self):
        """With ceil_mode, what lies behind the padding counts for no mean, and a window may be larger than the image."""
        x = floats(1, 1, 5)
        for kernel, stride, pads, want in ((2, 2, None, [x[0, 0, :2].mean(), x[0, 0, 2:4].mean(), x[0, 0, 4]]),
                                           (3, 3, [1, 1], [x[0, 0, :2].sum() / 3, x[0, 0, 2:].mean()]),
                                           (4, 3, [0, 1], [x[0, 0, :4].mean(), x[0, 0, 3:].sum() / 3]), (6, 2, None, [x.mean()])):
            more = {"pads": pads} if pads else {}
            got, = self.results("AveragePool", 1, x, opset=19, kernel_shape=[kernel], strides=[stride], ceil_mode=1,
                                count_include_pad=1, **more)
            np.testing.assert_allclose(got[0, 0], want, rtol=1e-6, err_msg=f"{kernel} {pads}")
        got, = self.results("MaxPool", 1, x, kernel_shape=[6], strides=[2], ceil_mode=1)
        np.testing.assert_array_equal(got, [[[x.max()]]])
        data = model([node("MaxPool", "x", "y", kernel_shape=[7], strides=[2], ceil_mode=1)], [("x", "f32", [1, 1, 5])],
                     [("y", "f32", None)])
        self.assertEqual(self.refused(data), ["InvalidDimension"])

    def test_crop_and_pad_in_the_middle(self):
        x = floats(6, 5, 4)
        got = self.with_constants("CenterCropPad", [x, ints(3, 8)], (1,), 18, axes=[0, -2])
        np.testing.assert_array_equal(got, np.pad(x[1:4], ((0, 0), (1, 2), (0, 0))))

    def test_affine_grids(self):
        for extents in (4, 5), (2, 1, 3):
            for align in 0, 1:
                with self.subTest(extents=extents, align=align):
                    n = len(extents)
                    x = floats(2, n, n + 1)
                    lines = [np.linspace(-1, 1, e) if align and e > 1 else np.zeros(e) if align else (2 * np.arange(e) + 1) / e - 1
                             for e in extents]
                    places = np.stack([*np.meshgrid(*lines, indexing="ij")][::-1] + [np.ones(extents)], -1)
                    got = self.with_constants("AffineGrid", [x, ints(2, 3, *extents)], (1,), 20, align_corners=align)
                    want = np.einsum("bij,...j->b...i", x.astype(np.float64), places)
                    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)

    def test_extents_whose_product_is_too_large(self):
        most = 2**31 - 1
        for name, shape, constants, attributes, kind in (
                ("AffineGrid", [1, 3, 4], [ints(1, 1, most, most, most)], {}, "InvalidDimension"),
                ("Col2Im", [1, 1, 4], [ints(most - 1, most - 1), ints(1, 1)], {"pads": [0, most, 0, most]}, "DimensionMismatch"),
                ("CenterCropPad", [1], [ints(2 * most)], {}, "InvalidDimension")):
            with self.subTest(name=name):
                names = [f"c{i}" for i in range(len(constants))]
                data = model([node(name, " ".join(["x", *names]), "y", **attributes)], [("x", "f32", shape)], [("y", "f32", None)],
                             list(zip(names, constants)), opset=20)
                self.assertEqual(self.refused(data), [kind])

    def test_maxima_of_boxes(self):
        x = floats(2, 3, 9, 11)
        boxes = np.array([[0, 0, 0, 21, 17], [1, 3, 5, 8, 6], [0, 12, 2, 30, 40], [1, 7, 7, 7, 7], [0, 9, 9, 4, 4]], np.float32)
        got, = self.results("MaxRoiPool", 1, x, boxes, pooled_shape=[3, 2], spatial_scale=0.5)
        np.testing.assert_array_equal(got, pooled(x, boxes, (3, 2), np.float32(0.5)))

    def test_few_places_and_many_channels(self):
        """Weights are packed in panels that are narrower than the blocks of six rows, which read them in parts."""
        x, w = floats(1, 256, 4, 6), floats(512, 256, 3, 3)
        data = model([node("Conv", "x w", "y", pads=[1] * 4, strides=[2, 2])], [("x", "f32", [1, 256, 4, 6])], [("y", "f32", None)], [("w", w)])
        got, = self.run_model(data, {"x": x})
        np.testing.assert_array_equal(got[0, :, 1, 1], np.einsum("oikl,ikl->o", w, x[0, :, 1:4, 1:4], dtype=np.float32))

    def test_resize_to_nothing(self):
        """0.6 of an extent of 1 is none."""
        for mode in "nearest", "linear":
            data = model([node("Resize", "x - s", "y", mode=mode)], [("x", "f32", [2, 1, 3])], [("y", "f32", None)],
                         [("s", np.array([1, 0.6, 2], np.float32))], opset=13)
            self.assertEqual(self.run_model(data, {"x": floats(2, 1, 3)})[0].shape, (2, 0, 6))

    def test_resize_to_enormous_sizes(self):
        """The scale that one axis asks for, along another that is long."""
        data = model([node("Resize", "x - - s", "y", mode="nearest", keep_aspect_ratio_policy="not_smaller")],
                     [("x", "f32", [1, 1 << 40])], [("y", "f32", None)], [("s", ints((1 << 31) - 1, 1))], opset=18)
        self.assertEqual(self.refused(data), ["InvalidDimension"])

    def test_resize_of_no_region(self):
        """Its bounds have to be numbers that say where."""
        for low, high in (np.nan, 1), (0, np.inf), (-np.inf, np.inf), (0, 1e30):
            data = model([node("Resize", "x r - s", "y", coordinate_transformation_mode="tf_crop_and_resize")], [("x", "f32", [3, 4])],
                         [("y", "f32", None)], [("r", np.array([0, low, 1, high], np.float32)), ("s", ints(3, 5))], opset=13)
            self.assertEqual(self.refused(data), ["InvalidAttribute"])

    def test_enormous_windows(self):
        """Of more elements than a number of 64 bits counts, over an input without elements."""
        for extents in ([1, 1, 1], ["n", 1, 1]):
            data = model([node("MaxPool", "x", "y i", kernel_shape=[1 << 24] * 3, pads=[1 << 24] * 6)], [("x", "f32", [0, 1, *extents])],
                         [("y", "f32", None), ("i", "si64", None)])
            self.assertEqual(self.refused(data), ["InvalidDimension"])

    def test_enormous_results_of_transposed_convolutions(self):
        w = [("w", np.ones((1, 1, 9), np.float32))]
        for shape in [-1 << 63], [1, 1, -1 << 63], [1, 1, -1], [1, 1, 1 << 40], [1, 5]:
            data = model([node("ConvTranspose", "x w", "y", output_shape=shape)], [("x", "f32", [1, 1, 4])], [("y", "f32", None)], w)
            self.assertEqual(self.refused(data), ["InvalidAttribute"])
        long = (1 << 31) - 1
        data = model([node("ConvTranspose", "x w", "y", output_shape=[long], strides=[long], dilations=[long])],
                     [("x", "f32", [1, 1, 1 << 32])], [("y", "f32", None)], w)
        self.assertEqual(set(self.refused(data)), {"InvalidDimension"})

    def test_suppression_of_known_boxes(self):
        """The second box is the first, moved a little; the third lies alone, and the fourth scores too little."""
        boxes = np.array([[[0, 0, 1, 1], [1.1, 1, 0.1, 0], [0, 10, 1, 11], [0, 20, 1, 21]]], np.float32)
        scores = np.array([[[0.7, 0.9, 0.8, 0.1], [0.3, 0.2, 0.2, 0.4]]], np.float32)
        arrays = [boxes, scores, ints(3), np.array([0.5], np.float32), np.array([0.15], np.float32)]
        got = self.with_constants("NonMaxSuppression", arrays, range(5), 11)
        np.testing.assert_array_equal(got, [[0, 0, 1], [0, 0, 2], [0, 1, 3], [0, 1, 0], [0, 1, 2]])
        got = self.with_constants("NonMaxSuppression", [boxes, scores, ints(1)], range(3), 11, center_point_box=1)
        np.testing.assert_array_equal(got, [[0, 0, 1], [0, 1, 3]])
        for most in ints(-1), np.array([np.nan], np.float32):
            self.assertEqual(self.with_constants("NonMaxSuppression", [boxes, scores, most], range(3), 11).shape, (0, 3))
        data = model([node("NonMaxSuppression", "b s", "y")], [("b", "f32", [1, 4, 4]), ("s", "f32", [1, 2, 4])],
                     [("y", "si64", None)], opset=11)
        self.assertEqual(self.refused(data), ["DataDependentShape"])
        self.assertIn("--constant b=VALUE --constant s=VALUE", self.checked(data).stderr)
        data = model([node("Neg", "x", "b"), node("NonMaxSuppression", "b s n", "y")],
                     [("x", "f32", ["m", 4, 4]), ("s", "f32", [1, 2, 4]), ("other", "f32", [3]), ("n", "si64", [1])],
                     [("y", "si64", None)], opset=11)
        self.assertIn("--constant x=VALUE --constant s=VALUE\"", self.checked(data).stderr)

    def test_rows_of_a_cache(self):
        past, update = floats(2, 3, 6, 4), floats(2, 3, 2, 4)
        for mode, starts in ("linear", (1, 4)), ("circular", (5, 0)):
            want = past.copy()
            for b, start in enumerate(starts):
                want[b][:, [(start + i) % 6 for i in range(2)]] = update[b]
            got, = self.results("TensorScatter", 1, past, update, ints(*starts), opset=24, mode=mode)
            np.testing.assert_array_equal(got, want)
        got, = self.results("TensorScatter", 1, past[0], update[0], opset=24)
        np.testing.assert_array_equal(got, np.concatenate([update[0], past[0][:, 2:]], 1))

    def test_statistics_of_a_batch_before_version_14(self):
        """A node with more results than one trains."""
        x, scale, bias, mean, variance = floats(3, 2, 5), floats(2), floats(2), floats(2), np.abs(floats(2)) + 1
        all_ = self.results("BatchNormalization", 5, x, scale, bias, mean, variance, opset=9, momentum=0.75)
        now, spread = x.astype(np.float64).mean((0, 2)), x.astype(np.float64).var((0, 2))
        along = lambda v: v.reshape(1, -1, 1)
        want = [(x - along(now)) / np.sqrt(along(spread) + 1e-5) * along(scale) + along(bias), mean * 0.75 + now * 0.25,
                variance * 0.75 + spread * 0.25, now, spread]
        for got, wanted in zip(all_, want):
            np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6)

    def test_refused_by_name(self):
        for op, domain, said in (("RandomNormalLike", "", "random"), ("StringNormalizer", "", "strings"),
                                 ("TreeEnsembleRegressor", "ai.onnx.ml", "trees"), ("Conv", "com.microsoft.nchwc", "processor"),
                                 ("DecoderMaskedSelfAttention", "com.microsoft", "ONNX Runtime"), ("BeamSearch", "com.microsoft", "take the decoder"),
                                 ("QMoE", "com.microsoft", "as TopK, MatMul"), ("BertTokenizer", "ai.onnx.contrib", "texts"), ("Rlu", "", "did you mean 'Relu'")):
            with self.subTest(op=op):
                data = model([node(op, "x", "y", domain=domain), node(op, "y", "z", domain=domain)], [("x", "f32", [2])],
                             [("z", "f32", None)], domains=[(domain, 1)] if domain else [])
                done = self.checked(data)
                self.assertEqual(done.returncode, 1)
                self.assertIn(said, done.stderr)
                self.assertIn("fix", done.stderr)

    def test_resize_to_an_open_size(self):
        data = model([node("Shape", "like", "sizes"), node("Resize", "x - - sizes", "y", mode="nearest")],
                     [("x", "f32", [1, 1, 2, 2]), ("like", "f32", [1, 1, "h", 4])], [("y", "f32", None)])
        self.accepted(data)
        x = floats(1, 1, 2, 2)
        got, = self.run_model(data, {"x": x, "like": floats(1, 1, 6, 4)})
        np.testing.assert_array_equal(got, x.repeat(3, 2).repeat(2, 3))


if __name__ == "__main__":
    unittest.main()
