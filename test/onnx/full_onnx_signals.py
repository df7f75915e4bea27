"""Signals, samples of images, determinants, gradients and results of data-dependent size of ONNX, against NumPy."""
import itertools
import unittest

import numpy as np

from lib.onnx_case import Case, floats
from lib.onnx_files import model, node


def constants(**arrays):
    return [node("Constant", "", name, value=np.asarray(a)) for name, a in arrays.items()]


class Signals(Case):
    def one(self, op, inputs, arrays, known, domain="", opset=17, **attributes):
        types = {"float32": "f32", "int64": "si64"}
        data = model(constants(**known) + [node(op, inputs, "y", domain=domain, **attributes)],
                     [(n, types[str(a.dtype)], list(a.shape)) for n, a in arrays.items()], [("y", "f32", None)], opset=opset)
        return self.run_model(data, arrays)[0]

    def test_fourier(self):
        for axis, n, complex_, inverse, onesided in ((1, None, False, 0, 0), (2, 5, True, 0, 0), (1, 9, True, 1, 0),
                                                     (2, 8, False, 0, 1)):
            with self.subTest(axis=axis, n=n, complex=complex_, inverse=inverse):
                x = floats(2, 6, 7, 2 if complex_ else 1)
                z = x[..., 0] + 1j * x[..., 1] if complex_ else x[..., 0]
                want = (np.fft.ifft if inverse else np.fft.fft)(z, n, axis=axis)
                if onesided:
                    want = want.take(range(n // 2 + 1), axis)
                want = np.stack([want.real, want.imag], -1)
                known = {} if n is None else {"n": np.array(n)}
                got = self.one("DFT", "x n" if known else "x", {"x": x}, known, axis=axis, inverse=inverse, onesided=onesided)
                np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)
                got = self.one("DFT", "x n axis" if known else "x - axis", {"x": x}, known | {"axis": np.array(axis - 4)}, opset=20,
                               inverse=inverse, onesided=onesided)
                np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)

    def test_factors(self):
        """Extents with factors, several times, with a prime one, and none: also what is left of both sides, and nothing at all."""
        for n, parts, inverse, onesided in ((65, 1, 0, 0), (96, 2, 0, 0), (128, 1, 0, 1), (130, 2, 1, 0), (67, 2, 1, 0), (1009, 1, 0, 1), (2 * 367, 2, 0, 0),
                                            (1000, 1, 0, 1), (4096, 2, 1, 0), (8190, 1, 0, 1)):
            with self.subTest(n=n, parts=parts, inverse=inverse, onesided=onesided):
                x = floats(3, n, parts)
                z = x[..., 0].astype(np.float64) + (1j * x[..., 1] if parts == 2 else 0)
                want = (np.fft.ifft if inverse else np.fft.fft)(z)[:, :n // 2 + 1 if onesided else n]
                got = self.one("DFT", "x", {"x": x}, {}, inverse=inverse, onesided=onesided)
                np.testing.assert_allclose(got, np.stack([want.real, want.imag], -1), rtol=0, atol=4e-6 * np.abs(want).max())
        self.assertEqual(self.one("DFT", "x", {"x": floats(0, 96, 1)}, {}).shape, (0, 96, 2))
        x = floats(2, 1000)
        got = self.one("STFT", "x step - n", {"x": x}, {"step": np.array(100), "n": np.array(400)})
        frames = np.stack([np.fft.rfft(x[:, k:k + 400].astype(np.float64)) for k in range(0, 601, 100)], 1)
        np.testing.assert_allclose(got, np.stack([frames.real, frames.imag], -1), rtol=0, atol=2e-4)

    def test_frames(self):
        x, w = floats(2, 20, 2), floats(6)
        z = x[..., 0] + 1j * x[..., 1]
        frames = np.stack([np.fft.fft(z[:, k:k + 6] * w) for k in range(0, 15, 4)], 1)
        got = self.one("STFT", "x step w", {"x": x, "w": w}, {"step": np.array(4)}, onesided=0)
        np.testing.assert_allclose(got, np.stack([frames.real, frames.imag], -1), rtol=1e-4, atol=1e-4)
        got = self.one("STFT", "x step - n", {"x": x[..., 0]}, {"step": np.array(5), "n": np.array(7)})
        frames = np.stack([np.fft.rfft(x[:, k:k + 7, 0]) for k in (0, 5, 10)], 1)
        np.testing.assert_allclose(got, np.stack([frames.real, frames.imag], -1), rtol=1e-4, atol=1e-4)

    def test_determinants(self):
        for shape in (1, 1), (5, 5), (2, 3, 4, 4):
            x = floats(*shape)
            np.testing.assert_allclose(self.results("Det", 1, x)[0], np.linalg.det(x.astype(np.float64)), rtol=1e-4, atol=1e-4)
        x = floats(4, 4)
        x[2] = x[0] + x[1]
        self.assertAlmostEqual(float(self.results("Det", 1, x)[0]), 0, places=4)
        self.assertEqual(self.results("Det", 1, np.zeros((3, 3), np.float32))[0], 0)


def grid_sampled(x, grid, mode, padding, corners):
    """By definition, position by position."""
    n, c, *sizes = x.shape
    out = np.zeros((n, c) + grid.shape[1:-1])

    def element(b, place):
        inside = True
        at = []
        for p, size in zip(place, sizes):
            inside &= 0 <= p < size
            low, high = (0, size - 1) if corners else (-0.5, size - 0.5)
            while padding == "reflection" and not low <= p <= high:
                p = 2 * low - p if p < low else 2 * high - p
            at.append(int(min(max(round(p), 0), size - 1)))
        return x[(b, slice(None), *at)] if inside or padding != "zeros" else 0

    for b, *place in itertools.product(range(n), *map(range, grid.shape[1:-1])):
        taps = []
        for p, size in zip(grid[(b, *place)][::-1].astype(np.float64), sizes):
            p = (p + 1) / 2 * (size - 1) if corners else ((p + 1) * size - 1) / 2
            if padding == "border":
                p = min(max(p, 0), size - 1)
            low, high = (0, size - 1) if corners else (-0.5, size - 0.5)
            while padding == "reflection" and not low <= p <= high:
                p = 2 * low - p if p < low else 2 * high - p
            if padding == "reflection":
                p = min(max(p, 0), size - 1)
            first = np.floor(p)
            taps.append([(np.rint(p), 1)] if mode == "nearest" else [(first, 1 - (p - first)), (first + 1, p - first)])
        for combination in itertools.product(*taps):
            weight = np.prod([w for _, w in combination])
            out[(b, slice(None), *place)] += weight * element(b, [p for p, _ in combination])
    return out


def aligned(x, boxes, batch, at_least_one, per, how):
    """RoiAlign with two rows and three columns, sample by sample."""
    out = np.zeros((len(boxes), x.shape[1], 2, 3))
    extents = np.array(x.shape[2:])
    for r, (x1, y1, x2, y2) in enumerate(boxes):
        size = np.array([y2 - y1, x2 - x1])
        size = (np.maximum(size, 1) if at_least_one else size) / (2, 3)
        counts = (per, per) if per else np.maximum(np.ceil(size), 0).astype(int)
        for i, j in np.ndindex(2, 3):
            seen = []
            for k in np.ndindex(*counts):
                at = (y1, x1) + ((i, j) + (np.array(k) + .5) / counts) * size
                if not ((at >= -1) & (at <= extents)).all():
                    seen.append([np.zeros(x.shape[1])] * 4)
                    continue
                at = np.clip(at, 0, extents - 1)
                first = at.astype(int)
                last, part = np.minimum(first + 1, extents - 1), at - first
                seen.append([x[batch[r], :, (first, last)[a][0], (first, last)[b][1]] * abs(1 - a - part[0]) * abs(1 - b - part[1])
                             for a, b in np.ndindex(2, 2)])
            if seen:
                out[r, :, i, j] = np.max(seen, (0, 1)) if how == "max" else np.sum(seen, 1).mean(0)
    return out


class Samples(Case):
    def test_grids(self):
        random = np.random.default_rng(1)
        everything = list(itertools.product(("linear", "nearest"), ("zeros", "border", "reflection"), (0, 1)))
        for shape, places, some in ((2, 3, 4, 5), (3, 4), everything), ((1, 2, 3, 2, 4), (2, 3, 2), everything[2::5]), \
                ((1, 1, 1, 1), (3, 3), everything[4:5]):
            x = floats(*shape)
            grid = random.uniform(-2.6, 2.6, (shape[0], *places, len(places))).astype(np.float32)
            for mode, padding, corners in some:
                with self.subTest(shape=shape, mode=mode, padding=padding, corners=corners):
                    got, = self.results("GridSample", 1, x, grid, opset=20, mode=mode, padding_mode=padding, align_corners=corners)
                    np.testing.assert_allclose(got, grid_sampled(x, grid, mode, padding, corners), rtol=1e-4, atol=1e-4)

    def test_boxes(self):
        x = floats(2, 3, 6, 7)
        boxes = np.array([[0, 0, 5, 4], [-3, 1.5, 2.5, 9], [4, 2, 4, 2], [-40, 3, 90, 1], [5, 1, 2, 6]], np.float32)
        batch = np.array([0, 1, 1, 0, 1])
        for (mode, shift), per, how in itertools.product((("half_pixel", 0.5), ("output_half_pixel", 0)), (2, 0), ("avg", "max")):
            if not per and how == "max":
                continue
            with self.subTest(mode=mode, per=per, how=how):
                got, = self.results("RoiAlign", 1, x, boxes, batch, output_height=2, output_width=3, sampling_ratio=per, mode=how,
                                    spatial_scale=0.5, coordinate_transformation_mode=mode)
                np.testing.assert_allclose(got, aligned(x, boxes.astype(np.float64) * 0.5 - shift, batch, not shift, per, how),
                                           rtol=1e-4, atol=1e-5)
        got, = self.results("RoiAlign", 1, x, np.array([[0, 0, 1e30, 1e30], [np.nan, 0, 1, 1]], np.float32), batch[:2])
        self.assertEqual(got.shape, (2, 3, 1, 1))
        got, = self.results("RoiAlign", 1, x, boxes[:0], batch[:0])
        self.assertEqual(got.shape, (0, 3, 1, 1))

    def test_unpooled(self):
        x, i = floats(2, 1, 2, 2), np.array([[[[0, 3], [9, 8]]], [[[16, 16], [31, 20]]]])
        got, = self.results("MaxUnpool", 1, x, i, kernel_shape=[2, 2], strides=[2, 2])
        want = np.zeros(32, np.float32)
        want[i.ravel()] = x.ravel()
        np.testing.assert_array_equal(got, want.reshape(2, 1, 4, 4))


class Others(Case):
    def test_gradients(self):
        data = model([node("Mul", "x w", "a"), node("Tanh", "a", "h"), node("ReduceSum", "h", "y", keepdims=0),
                      node("Gradient", "x w", "dx dw", domain="ai.onnx.preview.training", xs=["x", "w"], y="y")],
                     [("x", "f32", [3]), ("w", "f32", [3])], [(o, "f32", None) for o in ("y", "dx", "dw")],
                     domains=[("ai.onnx.preview.training", 1)])
        x, w = floats(3), floats(3)
        h = np.tanh(x * w)
        for got, want in zip(self.run_model(data, {"x": x, "w": w}), (h.sum(), (1 - h * h) * w, (1 - h * h) * x)):
            np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-6)

    def test_sizes_that_depend_on_data(self):
        x = np.array([[1, 0, 2], [0, 0, 3]])
        nodes = [node("NonZero", "x", "y"), node("Transpose", "y", "z", perm=[1, 0])]
        data = model(constants(x=x) + nodes, [("unused", "f32", [1])], [("z", "si64", None)])
        np.testing.assert_array_equal(self.run_model(data, {"unused": floats(1)})[0], np.argwhere(x))
        self.assertEqual(self.refused(model(nodes, [("x", "si64", [2, 3])], [("z", "si64", None)])), ["DataDependentShape"])
        v = np.array([[3, 1, 1], [2, 3, 1]])
        outputs = [(o, "si64", None) for o in "yfic"]
        data = model(constants(x=v) + [node("Unique", "x", "y f i c")], [("unused", "f32", [1])], outputs)
        want = np.unique(v, return_index=True, return_inverse=True, return_counts=True)
        for got, w in zip(self.run_model(data, {"unused": floats(1)}), want):
            np.testing.assert_array_equal(got, w.ravel())
        data = model(constants(x=v[:, ::-1].T.copy()) + [node("Unique", "x", "y f i c", axis=0, sorted=0)],
                     [("unused", "f32", [1])], outputs)
        for got, w in zip(self.run_model(data, {"unused": floats(1)}),
                          ([[1, 1], [1, 3], [3, 2]], [0, 1, 2], [0, 1, 2], [1, 1, 1])):
            np.testing.assert_array_equal(got, w)


if __name__ == "__main__":
    unittest.main()
