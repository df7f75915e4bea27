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


if __name__ == "__main__":
    unittest.main()
