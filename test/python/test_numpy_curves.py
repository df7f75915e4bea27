"""Functions of NumPy along lines, and of samples, give what NumPy gives, on both engines with the same bits."""
import unittest

from lib import package  # noqa: F401

import numpy as np

import tenon
from test_numpy import A, B, I, T, WILD, check

V = np.array([0.5, -2.0, 0.0, 4.0, 1.5])
NAN = np.array([0.5, np.nan, -1.0, 7.0, 2.0, 0.0])
POINTS, HEIGHTS = np.array([-1.0, 0.0, 0.5, 2.0]), np.array([3.0, -1.0, 4.0, 0.5])


class Curves(unittest.TestCase):
    def each(self, exact, args, *functions):
        for k, f in enumerate(functions):
            with self.subTest(k=k):
                check(self, f, *args, exact=exact)

    def test_positions_in_order(self):
        a = np.array([-2.0, 0.0, 0.0, 1.5, 4.0, np.nan])
        for side in "left", "right":
            self.each(True, (a, V, NAN), lambda a, v, n, s=side: np.searchsorted(a, v, s), lambda a, v, n, s=side: np.searchsorted(a, n, side=s),
                      lambda a, v, n, s=side: np.searchsorted(a[:0], v, s), lambda a, v, n, s=side: np.searchsorted(a[:2], v[3], s))
            self.each(True, (np.sort(I[0]), I), lambda a, v, s=side: np.searchsorted(a, v, s))
            for n in 28, 29, 32, 33, 63, 100:
                a, k = np.repeat(np.arange(n // 3 + 1.0), 3)[:n], np.sort(np.append(np.arange(n - 1) // 2, 7))
                a[n - 2:] = np.nan
                v = np.append(np.arange(-1, n // 3 + 2, 0.5), [np.nan, np.inf, -np.inf])
                self.each(True, (a, v, k), lambda a, v, k, s=side: np.searchsorted(a, v, s), lambda a, v, k, s=side: np.searchsorted(a, v[3], s),
                          lambda a, v, k, s=side: np.searchsorted(k, k[::3] + 1, s))
        for right in False, True:
            for bins in [0.0, 1.5, 4.0], [4.0, 0.5, 0.0], [1.5], [0.0, 0.0, 0.0]:
                self.each(True, (V,), lambda v, b=bins, r=right: np.digitize(v, np.array(b), r), lambda v, b=bins, r=right: np.digitize(v, b, right=r))

    def test_interpolation(self):
        x = np.array([-3.0, -1.0, -0.2, 0.0, 0.1, 0.5, 1.9, 2.0, 9.0, np.nan, np.inf, -np.inf])
        self.each(False, (x, POINTS, HEIGHTS), lambda x, p, h: np.interp(x, p, h), lambda x, p, h: np.interp(x, p, h, left=7, right=-7.5),
                  lambda x, p, h: np.interp(x.reshape(3, 4), POINTS, HEIGHTS), lambda x, p, h: np.interp(0.25, p, h), lambda x, p, h: np.interp(x, p[:1], h[:1], 8))

    def test_signals(self):
        for a, v in (V, POINTS), (POINTS, V), (V, V[:1]), (V[:1], V), (np.arange(8.0), V[:3]), (V[:3], np.arange(8.0)), (V[:2], np.arange(7.0)):
            for mode in "full", "same", "valid":
                with self.subTest(n=len(a), m=len(v), mode=mode):
                    self.each(False, (a, v), lambda a, v, k=mode: np.convolve(a, v, k), lambda a, v, k=mode: np.correlate(a, v, mode=k))
        self.each(True, (I[0], I[1, :2]), lambda a, v: np.convolve(a, v), lambda a, v: np.correlate(a, v))
        z = V + 1j * V[::-1]
        self.each(False, (z,), lambda z: np.real(np.correlate(z, z[:2])), lambda z: np.imag(np.convolve(z, z[:3])))

    def test_slopes_and_areas(self):
        self.each(False, (T, V), lambda t, v: np.gradient(v), lambda t, v: np.gradient(v, 0.25), lambda t, v: np.gradient(t)[1], lambda t, v: np.gradient(t, 2.0, axis=2),
                  lambda t, v: np.gradient(t, 2.0, 0.5, axis=(0, -1))[1], lambda t, v: np.gradient(v[:2]), lambda t, v: np.ediff1d(t), lambda t, v: np.ediff1d(v, [9, 8], -1.0))
        area = getattr(np, "trapezoid", None) or getattr(np, "trapz")
        self.each(False, (T, V), lambda t, v: area(v), lambda t, v: area(t, dx=0.5, axis=1), lambda t, v: area(t, v[:4]), lambda t, v: area(t, t * t, axis=0),
                  lambda t, v: area(v[:1]), lambda t, v: area(t, v[:3], axis=-2))

    def test_statistics(self):
        gaps = np.stack([NAN, NAN * 0 + 1, NAN * np.nan])
        self.each(False, (gaps, A, B), *(lambda g, a, b, f=f, o=o: f(g, **o) for f in (np.nanvar, np.nanstd,) for o in
                                         ({}, {"axis": 1}, {"axis": 0, "ddof": 1}, {"axis": (0, 1), "keepdims": True}, {"axis": 1, "where": WILD[0, 0] != gaps})))
        self.each(False, (A, B), lambda a, b: np.cov(a), lambda a, b: np.cov(a, b), lambda a, b: np.cov(a, rowvar=False), lambda a, b: np.cov(a, bias=True),
                  lambda a, b: np.cov(a, ddof=0), lambda a, b: np.cov(a[0]), lambda a, b: np.cov(a[0], b[0]), lambda a, b: np.corrcoef(a), lambda a, b: np.corrcoef(a[0], b[0]),
                  lambda a, b: np.corrcoef(a[0]), lambda a, b: np.corrcoef(a, b, rowvar=False))

    def test_blocks(self):
        self.each(True, (A, T), lambda a, t: np.block([[a, a * 2], [a[:1], a[1:2]]]), lambda a, t: np.block([a, a]), lambda a, t: np.block(a), lambda a, t: np.block([t, t[:, :, :1]]),
                  lambda a, t: np.block([[a[0]], [a]]), lambda a, t: np.block([[[t]], [[t * 3]]]), lambda a, t: np.block([a[0, 0], 2.0, a[0]]))

    def test_refused(self):
        for message, f in [("sorter", lambda x: np.searchsorted(x[0], x, sorter=[0])), ("a line of numbers", lambda x: np.searchsorted(x, x)),
                           ("known when the function", lambda x: np.digitize(x, x[0])), ("one way", lambda x: np.digitize(x, [0, 2, 1])),
                           ("period", lambda x: np.interp(x, [0, 1], [1, 2], period=3)), ("as many elements", lambda x: np.interp(x, [0, 1], [1])),
                           ("a line of numbers", lambda x: np.convolve(x, x)), ("no elements", lambda x: np.convolve(x[0], x[0, :0])), ("'half'", lambda x: np.convolve(x[0], x[0], "half")),
                           ("two are needed", lambda x: np.gradient(x[:1])), ("one number for each", lambda x: np.gradient(x, x[0])), ("edge_order", lambda x: np.gradient(x, edge_order=2)),
                           ("without weights", lambda x: np.cov(x, aweights=[1, 2])), ("rows of a matrix", lambda x: np.cov(x[None])), ("as many lists", lambda x: np.block([[x], x])),
                           ("as many lists", lambda x: np.block([[x], []]))]:
            with self.subTest(message), self.assertRaisesRegex((ValueError, TypeError, tenon.Error), message):
                tenon.function(f).trace(A)

    def test_gradients(self):
        """Of the heights and the place between two points."""
        g = tenon.grad(lambda x, h: np.interp(x, POINTS, h).sum(), argnums=(0, 1))(np.array([0.25, 1.0]), HEIGHTS)
        np.testing.assert_allclose(g[0], [10, -3.5 / 1.5])
        np.testing.assert_allclose(g[1], [0, 0.5, 0.5 + 2 / 3, 1 / 3])
        np.testing.assert_array_equal(tenon.grad(lambda v: np.convolve(v, POINTS).sum())(V), np.full(5, 1.5))
        np.testing.assert_array_equal(tenon.grad(lambda v: np.correlate(V, v, "full").sum())(POINTS), np.full(4, 4.0))


if __name__ == "__main__":
    unittest.main()
