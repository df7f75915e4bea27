"""Functions of NumPy that are made of several operations: each gives what NumPy gives, on both engines with the same bits."""
import os
import subprocess
import sys
import unittest

from lib import package  # noqa: F401

import numpy as np

import tenon
from test_numpy import A, B, C, I, P, T, WILD, check

S = np.array([3, 1, 2])
Z = A + 1j * B
V = np.array([0.5, -2.0, 0.0, 4.0, 1.5])
PROGRAM = tenon.function("f32[n, 3]")(lambda x: x + 1).compile()


class Composed(unittest.TestCase):
    def each(self, exact, args, *functions):
        for k, f in enumerate(functions):
            with self.subTest(k=k):
                check(self, f, *args, exact=exact)

    def test_reductions_of_stacks(self):
        """Values that were stacked combine by halving, 32 at most (docs/numerics.md, section 5), also where no stack is made."""
        x = np.random.default_rng(8).normal(size=(33, 5, 7)).astype(np.float32)
        x[:, 0, 0], x[3, 1], x[5, 2] = np.nan, np.nan, -0.0
        pairs = {np.sum: np.add, np.mean: np.add, np.prod: np.multiply, np.max: np.maximum, np.min: np.minimum}
        for t in (np.float32, np.float64, np.int32):
            for count in (2, 3, 17, 32):
                for axis in (0, -1) if t is np.float32 else (1,):
                    values = [(np.nan_to_num(v) * 100 if t is np.int32 else v).astype(t) for v in x[:count]]
                    for f, pair in pairs.items():
                        if f is np.mean and t is np.int32:
                            continue
                        got = tenon.function(lambda vs: f(np.stack(vs, axis), axis))(values)
                        lanes = list(values)
                        for half in (16, 8, 4, 2, 1):
                            for k in range(min(half, len(lanes) - half)):
                                lanes[k] = pair(lanes[k], lanes[k + half])
                        want = lanes[0] / t(count) if f is np.mean else lanes[0]
                        np.testing.assert_array_equal(got, want, f"{f.__name__} {t.__name__} {count} {axis}")

    def test_movement(self):
        self.each(True, (T,), lambda x: np.repeat(x, 3), lambda x: np.repeat(x, 2, axis=-1), lambda x: np.repeat(x, S, 1),
                  lambda x: x.repeat(2, 0), lambda x: np.rot90(x), lambda x: np.rot90(x, 2), lambda x: np.rot90(x, -1, (1, 2)),
                  lambda x: np.flipud(x), lambda x: np.fliplr(x), lambda x: np.roll(x, (1, -1), (0, 2)),
                  lambda x: np.roll(x, 2, (1, 2)), lambda x: np.append(x, x[:1] * 2, 0), lambda x: np.append(x, 3.0),
                  lambda x: np.concatenate((x, x), axis=None), lambda x: np.dstack((x, x)), lambda x: np.dstack((x[0], x[1])),
                  lambda x: np.column_stack((x[0, 0], x[1, 0])), lambda x: np.column_stack((x[0], x[1])),
                  lambda x: np.array_split(x, 3, 2)[0], lambda x: np.array_split(x, 3, 2)[2], lambda x: np.vsplit(x, 2)[1],
                  lambda x: np.hsplit(x, 3)[1], lambda x: np.dsplit(x, 2)[0], lambda x: np.split(x, [-1], 2)[1],
                  lambda x: np.hsplit(x[0, 0], 2)[1], lambda x: np.atleast_1d(x[0, 0, 0]), lambda x: np.atleast_2d(x[0, 0]),
                  lambda x: np.atleast_3d(x[0, 0]), lambda x: np.atleast_3d(x[0]), lambda x: np.atleast_2d(x, x[0, 0])[1],
                  lambda x: np.meshgrid(x[0, 0], x[0, :, 0])[0], lambda x: np.meshgrid(x[0, 0], x[0, :, 0], indexing="ij")[1],
                  lambda x: np.meshgrid(x[0, 0], x[0, :, 0], sparse=True)[1], lambda x: np.broadcast_arrays(x, x[0, 0])[1],
                  lambda x: np.empty_like(x) * 0)

    def test_systems_of_equations(self):
        """Elimination with row pivots, of one matrix and of several; what has no solution is not finite."""
        random = np.random.default_rng(11)
        for n in (1, 2, 5):
            a, b, many = random.normal(size=(n, n)), random.normal(size=(n, 3)), random.normal(size=(2, 3, n, n))
            for f, args in ((lambda a, b: np.linalg.solve(a, b), (a, b)), (lambda a, b: np.linalg.solve(a, b), (a, b[:, 0])),
                            (lambda a, b: np.linalg.solve(a, b), (many, b)), (lambda a: np.linalg.inv(a), (a,)), (lambda a: np.linalg.inv(a), (many,)),
                            (lambda a: np.linalg.inv(a), (a + 1j * random.normal(size=(n, n)),)), (lambda a: np.linalg.det(a), (a,)),
                            (lambda a: np.linalg.det(a), (many,)), (lambda a: np.linalg.cholesky(a), (a @ a.T + np.eye(n),)),
                            (lambda a: np.linalg.cholesky(a), (many @ many.swapaxes(-1, -2) + np.eye(n),))):
                got, want = tenon.function(f)(*args), f(*args)
                self.assertEqual((got.shape, got.numpy().dtype), (want.shape, want.dtype))
                np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9)
        exchanged = np.array([[0.0, 2.0], [1.0, 0.0]])
        self.each(True, (exchanged,), lambda a: np.linalg.inv(a), lambda a: np.linalg.det(a), lambda a: np.linalg.inv(a[:0, :0]), lambda a: np.linalg.det(a[:0, :0]),
                  lambda a: np.linalg.inv(np.stack([a, a])[:0]), lambda a: np.linalg.det(a[[0, 0]]), lambda a: np.linalg.det(a * 0),
                  lambda a: np.isnan(np.linalg.det(np.where(a == 0, np.nan, a))), lambda a: np.linalg.solve(a, a[:, :0]))
        self.assertFalse(np.isfinite(tenon.function(lambda a: np.linalg.inv(a))(np.ones((2, 2)))).any())
        self.assertTrue(np.isnan(tenon.function(lambda a: np.linalg.cholesky(a))(-np.eye(2))).any())
        f = tenon.function("f32[n, 2, 2]")(lambda a: np.linalg.inv(a))
        np.testing.assert_array_equal(f(np.stack([exchanged] * 3).astype(np.float32)), [np.linalg.inv(exchanged)] * 3)
        for error, g in ((ValueError, lambda a: np.linalg.inv(a[:1])), (TypeError, lambda a: np.linalg.inv(a.astype("si32"))), (TypeError, lambda a: np.linalg.det(a.astype("f16"))),
                         (TypeError, lambda a: np.linalg.cholesky(a.astype("cf64"))), (ValueError, lambda a: np.linalg.solve(a, a[:1])), (ValueError, lambda a: np.linalg.solve(a, a[0, :1])),
                         (tenon.UsageError, lambda a: np.linalg.solve(a[None], a))):
            with self.assertRaises(error):
                tenon.function(g)(exchanged)

    def test_slopes_of_matrices(self):
        a = np.random.default_rng(12).normal(size=(3, 3))
        inverse, s = np.linalg.inv(a), a @ a.T + np.eye(3)
        np.testing.assert_allclose(tenon.grad(lambda a: np.linalg.inv(a).sum())(a), -np.outer(inverse.sum(0), inverse.sum(1)), rtol=1e-9)
        np.testing.assert_allclose(tenon.grad(lambda a: np.linalg.det(a))(a), np.linalg.det(a) * inverse.T, rtol=1e-9)
        g = np.asarray(tenon.grad(lambda s: 2 * np.log(np.diagonal(np.linalg.cholesky(s))).sum())(s))
        np.testing.assert_allclose((g + g.T) / 2, np.linalg.inv(s), rtol=1e-9)

    def test_pad_with_own_elements(self):
        for mode in "edge", "reflect", "symmetric", "wrap":
            self.each(True, (T,), lambda x, mode=mode: np.pad(x, ((1, 0), (2, 4), (5, 1)), mode=mode))

    def test_take(self):
        i = np.array([[5, -7, 0], [2, 3, -1]])
        for mode in "clip", "wrap":
            self.each(True, (T, i), lambda x, i, mode=mode: np.take(x, i, axis=1, mode=mode),
                      lambda x, i, mode=mode: np.take(x, [9, -9], mode=mode))
        self.each(True, (T, np.array([[[-1, 2, 0, 1]]])), lambda x, i: np.take_along_axis(x, i, 1),
                  lambda x, i: np.take_along_axis(x, np.array([-1, 5]), None), lambda x, i: np.take(x, [-1, -2], -1))

    def test_matrices(self):
        self.each(True, (T,), lambda x: np.diagonal(x), lambda x: np.diagonal(x, 1, 2, 1), lambda x: np.diagonal(x, -2, 1, 2),
                  lambda x: np.diagonal(x, 9), lambda x: np.diag(x[0]), lambda x: np.diag(x[0], -1), lambda x: np.diag(x[0, 0]),
                  lambda x: np.diag(x[0, 0], 2), lambda x: np.diag(x[0, 0], -1), lambda x: np.tril(x), lambda x: np.tril(x, -1),
                  lambda x: np.triu(x, 1), lambda x: x.diagonal(0, 1, 2))
        self.each(False, (T,), lambda x: np.trace(x), lambda x: np.trace(x, 1, 1, 2), lambda x: np.linalg.norm(x),
                  lambda x: np.linalg.norm(x[0, 0], 3), lambda x: np.linalg.norm(x[0, 0], np.int64(3)), lambda x: np.linalg.norm(x, axis=1), lambda x: np.linalg.norm(x, 1, axis=-1),
                  lambda x: np.linalg.norm(x, np.inf, 0), lambda x: np.linalg.norm(x, -np.inf, 0, keepdims=True),
                  lambda x: np.linalg.norm(x, 0, 1), lambda x: np.linalg.norm(x, axis=(0, 2)), lambda x: np.linalg.norm(x, 1, (0, 2)),
                  lambda x: np.linalg.norm(x, np.inf, (2, 0)), lambda x: np.linalg.norm(x, -1, (0, 1), keepdims=True),
                  lambda x: np.linalg.norm(x, keepdims=True), lambda x: np.linalg.norm(x[0], "fro"))
        self.each(False, (Z,), lambda x: np.linalg.norm(x), lambda x: np.linalg.norm(x, 1, 0))

    def test_products(self):
        self.each(False, (A, B, C), lambda a, b, c: np.inner(a, b), lambda a, b, c: np.vdot(a, b), lambda a, b, c: np.kron(a, c),
                  lambda a, b, c: np.kron(a[0], c), lambda a, b, c: np.cross(a[:, :3], b[:, 1:]),
                  lambda a, b, c: np.einsum("ij,ij,jk->ik", a, b, c), lambda a, b, c: np.einsum("ij,kj,jl", a, b, c),
                  lambda a, b, c: np.einsum("ii->i", c[:, :4]), lambda a, b, c: np.einsum("ii", c[:, :4]),
                  lambda a, b, c: np.einsum("iij->j", np.stack([a, b, a])), lambda a, b, c: np.einsum("ij,k->k", a, b[0]),
                  lambda a, b, c: np.einsum("ij,jk,kl,l->i", a, c, c.T @ c, c[0], optimize=True))
        self.each(False, (Z,), lambda x: np.real(np.vdot(x, x)))

    def test_einsum_with_an_ellipsis(self):
        self.each(False, (T, B), lambda t, b: np.einsum("...i,...i", t, t), lambda t, b: np.einsum("...ij,...kj->...ik", t, t[:1]),
                  lambda t, b: np.einsum("...ij,jk", t[:, :1], b.T), lambda t, b: np.einsum("i...->...i", t), lambda t, b: np.einsum("...", t),
                  lambda t, b: np.einsum("...ii->i...", t[..., :3]), lambda t, b: np.einsum("i...j,k...j->ik...", t[:, :1], t),
                  lambda t, b: np.einsum("...,...->...", t, t[0, 0]), lambda t, b: np.einsum("...i,i", t[0, 0], t[0, 0]),
                  lambda t, b: np.einsum("a...,...->...", t, t[:, 0, 0][:, None, None, None]))

    def test_einsum_is_one_program(self):
        """Whatever order Python keeps sets in: sums over axes in another order have other bits."""
        code = ("import numpy as np, tenon\nf = tenon.function(lambda x: np.einsum('aabbcc', x))\n"
                "print(f.trace(np.ones((2,) * 6)).text('ptir-text'))")
        texts = {subprocess.run([sys.executable, "-c", code], capture_output=True, check=True,
                                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": str(seed)}).stdout for seed in range(4)}
        self.assertEqual(len(texts), 1)

    def test_elements(self):
        self.each(True, (B,), lambda x: np.around(x), lambda x: np.around(x, 2), lambda x: x.round(-1), lambda x: np.deg2rad(x),
                  lambda x: np.radians(x), lambda x: np.signbit(x), lambda x: np.copysign(x, -x), lambda x: np.copysign(x, -0.0),
                  lambda x: np.heaviside(x, 0.5), lambda x: np.real(x), lambda x: np.imag(x), lambda x: x.real,
                  lambda x: np.select([x > 1, x > 0], [x, -x], 7), lambda x: np.select([x > 1, x > 0], [x * 0 + 1, x]),
                  lambda x: np.conjugate(x))
        self.each(False, (B,), lambda x: np.rad2deg(x), lambda x: np.degrees(x), lambda x: np.sinc(x), lambda x: np.angle(x),
                  lambda x: np.polyval([2, -1, 3], x), lambda x: np.polyval(x[0], x), lambda x: np.round(x, 1))
        z = np.empty(WILD.shape, np.complex128)
        z.real, z.imag = WILD, WILD[::-1]
        self.each(True, (z,), lambda x: np.nan_to_num(x), lambda x: np.nan_to_num(x, nan=1.5, posinf=9, neginf=-9))
        self.each(True, (WILD,), lambda x: np.nan_to_num(x), lambda x: np.nan_to_num(x, nan=np.inf), lambda x: np.nan_to_num(x, nan=1.5, posinf=9, neginf=-9),
                  lambda x: np.isclose(x, x), lambda x: np.isclose(x, x + 1e-9, equal_nan=True), lambda x: np.isclose(x, 2, 0.5),
                  lambda x: np.allclose(x, x), lambda x: np.allclose(x, x, equal_nan=True), lambda x: np.array_equal(x, x),
                  lambda x: np.array_equal(x, x, equal_nan=True), lambda x: np.array_equal(x, x[0]))
        self.each(True, (I,), lambda x: np.around(x), lambda x: np.signbit(x), lambda x: np.isclose(x, x + 0))
        self.each(True, (Z,), lambda x: np.conjugate(x), lambda x: x.conj(), lambda x: x.imag, lambda x: np.real(x))
        self.each(False, (Z,), lambda x: np.angle(x), lambda x: np.angle(x, deg=True))

    def test_roots_of_sums_and_logarithms(self):
        """Where squares or powers leave the range, too."""
        for scale in 1, 1e200, 1e-200:
            self.each(False, (B * scale, A[:, ::-1] * scale), lambda x, y: np.hypot(x, y))
        self.each(False, (B * 300, A * 900), lambda x, y: np.logaddexp(x, y), lambda x, y: np.logaddexp2(x, y))
        ends = np.array([np.inf, -np.inf, -np.inf, np.nan, 0.0, np.inf])
        self.each(True, (ends, ends[::-1].copy()), lambda x, y: np.logaddexp(x, y), lambda x, y: np.logaddexp2(x, y),
                  lambda x, y: np.hypot(x, y), lambda x, y: np.hypot(x, x))
        x, y = np.float32([3, 1e30, 1e-30, -5]), np.float32([4, 1e30, 1e-30, 12])
        np.testing.assert_array_equal(tenon.function(lambda x, y: np.hypot(x, y))(x, y), np.hypot(x, y))

    def test_statistics(self):
        self.each(False, (T,), *(lambda x, f=f, axis=axis: f(x, axis=axis) for axis in (None, 0, 1, -1, (0, 2))
                                 for f in (np.ptp, np.median, np.average, np.count_nonzero)))
        self.each(False, (T,), lambda x: np.quantile(x, 0.3, axis=2), lambda x: np.quantile(x, [0, 0.25, 1], axis=1),
                  lambda x: np.percentile(x, 75), lambda x: np.percentile(x, [[10, 60]], axis=(0, 1), keepdims=True),
                  lambda x: np.median(x, axis=1, keepdims=True), lambda x: np.average(x, 1, np.arange(3.0)), lambda x: x.ptp(1),
                  lambda x: np.average(x, weights=x * x), lambda x: np.average(x, 0, returned=True)[1],
                  lambda x: np.count_nonzero(x > 0, axis=1))
        self.each(False, (WILD,), lambda x: np.median(x, axis=1), lambda x: np.median(x), lambda x: np.nansum(x, 1),
                  lambda x: np.nanprod(x, 0), lambda x: np.nanmean(x, 1), lambda x: np.nanmax(x, 1), lambda x: np.nanmin(x, 0))
        self.each(True, (I,), lambda x: np.median(x, axis=0), lambda x: np.nansum(x, dtype=np.int32), lambda x: np.count_nonzero(x, axis=0),
                  lambda x: np.ptp(x, 0))
        self.each(True, (V,), lambda x: np.diff(x), lambda x: np.diff(x, 2), lambda x: np.diff(x, prepend=1, append=[2, 3]),
                  lambda x: np.quantile(x[:1], 0.7), lambda x: np.diff(x, 7), lambda x: np.diff(x[:0]))
        self.each(True, (T,), lambda x: np.diff(x, axis=1), lambda x: np.diff(x, prepend=0, axis=0))
        large = np.full(100000, 60000, np.float16)
        self.each(True, (large,), lambda x: np.median(x), lambda x: np.median(x[:2]))
        for mean in lambda x: np.nanmean(x), lambda x: np.mean(x, where=x > 0):
            self.assertEqual(np.asarray(tenon.function(mean)(large)), 60000)
        self.each(True, (P,), lambda x: np.diff(x), lambda x: np.count_nonzero(x, 1))

    def test_truth_values_and_parts(self):
        """Truth values are counted; `where` and `initial` are those of NumPy."""
        self.each(True, (P, B), lambda p, x: np.sum(p), lambda p, x: p.sum(axis=0), lambda p, x: np.cumsum(p, 1), lambda p, x: np.prod(p),
                  lambda p, x: np.max(x, axis=1, initial=0.5), lambda p, x: np.min(x, where=p, initial=9), lambda p, x: np.sum(p, initial=3),
                  lambda p, x: np.sum(p, dtype=np.int32))
        self.each(False, (P, B), lambda p, x: np.sum(x, axis=0, where=p), lambda p, x: np.prod(x, where=p[:1], initial=2),
                  lambda p, x: np.mean(x, where=p), lambda p, x: np.mean(x, axis=1, where=p[0], keepdims=True), lambda p, x: x.sum(initial=1.5))

    def test_gradients(self):
        """Those of what NumPy composes flow through to each operand."""
        f = tenon.grad(lambda x: np.sum(np.tril(x[[0, -1, -1], [1, 0, 0]][:, None] * np.ones((3, 2), np.float32))))
        np.testing.assert_array_equal(f(np.ones((2, 3), np.float32)), [[0, 1, 0], [4, 0, 0]])

    def test_refused(self):
        for message, f in [("only 'constant' |counterparts", lambda x: np.pad(x, 1, mode="mean")), ("clip", lambda x: np.take(x, 0, mode="up")),
                           ("leaves out 1 axes", lambda x: np.einsum("...i->i", x)), ("letters name axes", lambda x: np.einsum("..i->i", x)),
                           ("for a value of rank 2", lambda x: np.einsum("...ijk->i", x)), ("axes of the result", lambda x: np.einsum("ij->ii", x)),
                           ("axes of the result", lambda x: np.einsum("ij->k", x)), ("of 1 operands", lambda x: np.einsum("ij,jk", x)),
                           ("only 'linear'", lambda x: np.quantile(x, 0.5, method="lower")), ("0 to 1", lambda x: np.quantile(x, 2)),
                           ("no diagonal", lambda x: np.diagonal(x[0])), ("no triangle", lambda x: np.tril(x[0])),
                           ("order 'nuc'", lambda x: np.linalg.norm(x, "nuc")), ("of vectors or of matrices", lambda x: np.linalg.norm(x[None], 1, (0, 1, 2))),
                           ("needs initial", lambda x: np.max(x, where=x > 0)), ("no elements", lambda x: x[:0].max(0)),
                           ("no elements", lambda x: np.nanmin(x[:, 3:3], 1)), ("counts from 0", lambda x: tenon.arange(1, 3)),
                           ("before or after", lambda x: PROGRAM(x)), ("takes x and y", lambda x: np.where(x > 0)),
                           ("along the axis", lambda x: np.average(x, weights=np.ones(4))),
                           ("three components", lambda x: np.cross(x, x)), ("'.3f'", lambda x: f"{x:.3f}"), ("1 conditions and 2", lambda x: np.select([x > 0], [x, x]))]:
            with self.subTest(message), self.assertRaisesRegex((ValueError, TypeError, tenon.Error), message):
                tenon.function(f).trace(A)


if __name__ == "__main__":
    unittest.main()
