"""Gradients of means along axes of open sizes have the bits that they have where the sizes are known."""
import unittest

from lib import package  # noqa: F401

import numpy as np

import tenon

RNG = np.random.default_rng(5)
X = RNG.normal(size=(7, 3)).astype(np.float32)
W = RNG.normal(size=3).astype(np.float32)


def gradient(function, args, types):
    """The gradient of FUNCTION by its first argument, of inputs of TYPES."""
    m = tenon.function(function).trace(*types)
    names = [p.name for p in m.inputs]
    return list(m.grad(names[:1]).compile().run(dict(zip(names, args))).values())[-1]


class OpenGradients(unittest.TestCase):
    def same(self, function, types, *args):
        with self.subTest(types=types):
            known = gradient(function, args, args)
            self.assertEqual(gradient(function, args, types).bits().tolist(), known.bits().tolist())
            self.assertTrue(np.any(known.numpy()))

    def test_mean(self):
        self.same(lambda w, x: np.mean((x @ w) ** 2), ("f32[3]", "f32[n, 3]"), W, X)
        self.same(lambda x, w: np.sum(np.mean(x, axis=0) ** 3 * w), ("f32[n, 3]", "f32[3]"), X, W)
        self.same(lambda x, w: np.mean(x * w), ("f32[n, k]", "f32[k]"), X, W)
        self.same(lambda x, w: np.sum(np.mean(x, axis=1, keepdims=True) * x), ("f32[3, n]", "f32[3]"), X.T.copy(), W)
        self.same(lambda x, w: np.sum(np.mean(x, axis=0) * w), ("f16[n, 3]", "f16[3]"), X.astype(np.float16), W.astype(np.float16))
        self.same(lambda x, w: np.sum(np.var(x, axis=0) * w), ("f64[n, 3]", "f64[3]"), X.astype(np.float64), W.astype(np.float64))

    def test_layer_norm(self):
        self.same(lambda x, g: np.sum(tenon.nn.layer_norm(x, g, g) ** 2), ("f32[n, k]", "f32[k]"), X, W)
        self.same(lambda g, x: np.sum(tenon.nn.layer_norm(x, g, g) ** 2), ("f32[k]", "f32[n, k]"), W, X)

    def test_beside_open_axes(self):
        """What pads, slides windows or cuts along other axes."""
        images, types = RNG.normal(size=(2, 8, 8, 2)).astype(np.float32), ("f32[n, 8, 8, 2]", "f32[3]")
        for f in (lambda x: tenon.nn.max_pool(x, (2, 2)), lambda x: tenon.nn.max_pool(x, (3, 3), strides=(2, 2), pads=(1, 1, 1, 1)),
                  lambda x: tenon.nn.avg_pool(x, (3, 2), strides=(1, 2)), lambda x: np.pad(x, ((0, 0), (1, 1), (2, 0), (0, 0))),
                  lambda x: np.pad(x, ((0, 0), (1, 1), (2, 0), (0, 0)), mode="reflect"), lambda x: np.sort(x, 1)[:, 2:5],
                  lambda x: tenon.nn.conv2d(x, np.ones((3, 3, 2, 2), np.float32), pads=(1, 1, 1, 1))):
            self.same(lambda x, w, f=f: np.mean(f(x) ** 3) * w[0], types, images, W)

    def test_convolution(self):
        """Without strides, along axes of images of any size."""
        images, w = RNG.normal(size=(2, 9, 8, 2)).astype(np.float32), RNG.normal(size=(3, 2, 2, 4)).astype(np.float32)
        for more in {}, {"pads": (1, 1, 0, 1)}, {"pads": (4, 4, 1, 1), "dilation": (2, 1)}:
            def f(x, w, more=more):
                return np.mean(tenon.nn.conv2d(x, w, **more) ** 3)
            self.same(f, ("f32[n, h, w, 2]", "f32[3, 2, 2, 4]"), images, w)
            self.same(lambda w, x, f=f: f(x, w), ("f32[3, 2, 2, 4]", "f32[n, h, w, 2]"), w, images)


if __name__ == "__main__":
    unittest.main()
