"""Functions of NumPy in traced functions: each gives what NumPy gives, on both engines with the same bits."""
import operator
import os
import pathlib
import re
import subprocess
import sys
import unittest
import warnings

from lib import package  # noqa: F401
from lib.program import ROOT

import numpy as np

import tenon
from tenon._library import BINARY, UNARY
from tenon._numpy import FUNCTIONS, METHODS, UFUNCS

RNG = np.random.default_rng(5)
A = RNG.uniform(0.2, 0.9, (3, 4))
B = RNG.uniform(-3, 3, (3, 4))
I = RNG.integers(-9, 9, (3, 4)).astype(np.int32)
J = np.where(RNG.integers(0, 2, (3, 4)), 3, -4).astype(np.int32)
P = B > 0
C = RNG.uniform(-1, 1, (4, 5))
WILD = np.where(B > 0, B, np.where(B > -1, np.nan, np.inf))
T = RNG.uniform(-1, 1, (2, 3, 4))
ONE = {np.negative: [B, I], np.positive: [B], np.absolute: [B, I], np.sign: [B], np.square: [B, I],
       np.invert: [I, P], np.isfinite: [WILD], np.isnan: [B], np.isinf: [WILD],
       np.arccosh: [A + 1.5], np.reciprocal: [A], np.logical_not: [P, I]}
TWO_INTEGERS = {np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.left_shift, np.right_shift}
MIXED = {np.add, np.subtract, np.multiply, np.floor_divide, np.remainder, np.less, np.equal, np.maximum, np.minimum,
         np.greater, np.greater_equal, np.less_equal, np.not_equal, np.fmod}
DIVISIONS = np.fmod, np.remainder, np.floor_divide


def one(u):
    return lambda x: u(x)


def two(u):
    return lambda x, y: u(x, y)


def bits(x):
    """The bits of X, those of 1 for every NaN, of which none are promised."""
    y = np.asarray(x)
    return x.bits().tolist() if y.dtype.kind not in "fc" else np.where(np.isnan(y), y.dtype.type(1), y).tobytes()


def check(test, function, *args, exact=False):
    """FUNCTION traced on ARGS against NumPy's, and compiled code against the evaluator."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with np.errstate(all="ignore"):
            want = np.asarray(function(*args))
    f = tenon.function(function)
    m = f.trace(*args)
    got, ref = m.compile()(*args), m.compile(engine="ref")(*args)
    test.assertEqual(bits(got), bits(ref))
    test.assertEqual(got.shape, want.shape)
    if want.dtype.kind != "f" or exact:
        with np.errstate(invalid="ignore"):  # which comparing f16 with infinity is
            np.testing.assert_array_equal(np.asarray(got).astype(want.dtype), want)
    else:
        np.testing.assert_allclose(got, want, rtol=1e-13, atol=1e-14)


class Numpy(unittest.TestCase):
    check = check

    def test_means_of_integers(self):
        """NumPy's are floats; those of the operation are cut off, so that they are refused as `/` is."""
        for d in ("int64", "uint8", "bool"):
            x = np.array([1, 0, 1]).astype(d)
            for f in (lambda x: x.mean(), lambda x: np.mean(x, axis=0), lambda x: x.var(), lambda x: x.std(ddof=1),
                      lambda x: x / x, lambda x: x.astype("f32").mean(dtype="si32")):
                with self.subTest(d), self.assertRaisesRegex((TypeError, tenon.Rejected), "astype|does not take i1"):
                    tenon.function(f)(x)
            for f in (lambda x: x.mean(dtype="f8"), lambda x: x.var(dtype="f8"), lambda x: np.std(x, dtype="f8")):
                y = tenon.function(f)(x)
                np.testing.assert_allclose(y, f(x.astype(float)), rtol=1e-15)

    def test_ufuncs(self):
        for u in UFUNCS:
            if u is np.matmul:
                continue
            with self.subTest(u.__name__):
                if u is np.divmod:
                    for k in range(2):
                        self.check(lambda x, y: np.divmod(x, y)[k], A, B)
                        self.check(lambda x, y: divmod(x, y)[k], I, J)
                elif u.nin == 1:
                    for x in ONE.get(u, [A]):
                        self.check(one(u), x)
                elif u in TWO_INTEGERS:
                    self.check(two(u), I, np.abs(J) % 5)
                elif u in (np.logical_and, np.logical_or, np.logical_xor):
                    self.check(two(u), P, ~P)
                else:
                    self.check(two(u), A, A if u in (np.power, np.float_power) else B)
                    if u in MIXED:
                        self.check(two(u), I, J)

    def test_operators(self):
        for f in (lambda x, y: x + y - 1, lambda x, y: 2 / x, lambda x, y: -x * 3, lambda x, y: x ** 2,
                  lambda x, y: x ** -1, lambda x, y: x ** 0.5, lambda x, y: x ** 3.5, lambda x, y: abs(y) % 2,
                  lambda x, y: y // 1, lambda x, y: x @ y.T, lambda x, y: (x > 0.5) & (y < 1), lambda x, y: y % -1.5,
                  lambda x, y: x[0] + y, lambda x, y: np.float32(2) * x, lambda x, y: x * A, lambda x, y: A - x):
            self.check(f, A, B)
        for f in (lambda x, y: x // y, lambda x, y: x % y, lambda x, y: ~x ^ y, lambda x, y: x << 2,
                  lambda x, y: x >> 1, lambda x, y: x == y):
            self.check(f, I, J)

    def check_bits(self, function, *args):
        """FUNCTION traced on ARGS gives NumPy's bits, but for those of NaN."""
        with np.errstate(all="ignore"):
            want = np.asarray(function(*args))
        m = tenon.function(function).trace(*args)
        for p in (m.compile(), m.compile(engine="ref")):
            got = np.asarray(p(*args))
            self.assertEqual(got.dtype, want.dtype)
            wrong = ~((got == want) & (np.signbit(got) == np.signbit(want)) | (got != got) & (want != want))
            self.assertFalse(wrong.any(), [x[wrong][:3] for x in (got, want, *np.broadcast_arrays(*args)) if x.shape == wrong.shape])

    def test_divisions(self):
        """Remainders and quotients have NumPy's bits: for special numbers, large and small quotients, any patterns."""
        divisions = [*map(two, DIVISIONS), lambda x, y: np.divmod(x, y)[0], lambda x, y: x % 1.5,
                     lambda x, y: x // -0.1, lambda x, y: x % y]
        for t in (np.float16, np.float32, np.float64):
            with self.subTest(t.__name__):
                limits = np.finfo(t)
                special = np.array([0, 1, 0.1, 1.5, 3, 1e3, limits.max, limits.tiny, limits.smallest_subnormal, np.inf, np.nan, 1 / 3,
                                    7 * limits.smallest_subnormal, limits.max / 3, 2 + limits.eps * 2], t)
                special = np.concatenate([special, -special])
                patterns = RNG.integers(0, 2 ** 16, (2, 64, limits.bits // 16)).astype(np.uint16).view(t)[..., 0]
                y = RNG.uniform(-2, 2, 4096).astype(t)
                near = y * np.rint(2 ** RNG.uniform(0, 12 if t is np.float16 else 30, 4096)).astype(t)
                with np.errstate(all="ignore"):
                    near = np.nextafter(near, RNG.choice([-1, 1], 4096).astype(t) * near)
                # quotients of few bits have a way of their own where there are no others
                a, b = (x.ravel() for x in np.broadcast_arrays(special[:, None], special))
                with np.errstate(all="ignore"):
                    few = y * np.rint(2 ** RNG.uniform(0, 23.99, 4096)).astype(t)
                    few = np.nextafter(few, RNG.choice([-1, 1], 4096).astype(t) * few)
                    is_few = ~np.isfinite(a) | (b == 0) | ~(abs(a.astype(np.float64)) >= abs(b.astype(np.float64)) * 2.0 ** 24)
                few_x, few_y = np.concatenate([few, a[is_few]]), np.concatenate([y, b[is_few]])
                for f in divisions:
                    self.check_bits(f, few_x, few_y)
                    self.check_bits(f, special[:, None], special)
                    self.check_bits(f, patterns[0], patterns[1])
                    self.check_bits(f, near, y)

    def test_divisions_of_narrow_floats(self):
        """Of bf16, as the package ml_dtypes has them: in f32, rounded once."""
        def rounded(x):
            bits = x.view(np.uint32)
            return ((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000).astype(np.uint32).view(np.float32)
        x, y = (rounded(RNG.uniform(-1, 1, 999).astype(np.float32) * np.float32(2) ** RNG.integers(-s, s, 999)) for s in (30, 9))
        for f in map(two, DIVISIONS):
            got = tenon.function(lambda x, y: f(x.astype("bf16"), y.astype("bf16")).astype("f32"))(x, y)
            with np.errstate(all="ignore"):
                np.testing.assert_array_equal(np.asarray(got), rounded(f(x, y)))

    def test_divisions_of_integers(self):
        for t in (np.int8, np.uint8):
            x = np.arange(np.iinfo(t).min, np.iinfo(t).max + 1).astype(t)
            for f in map(two, DIVISIONS):
                self.check(f, x[:, None], x[x != 0])
            for n in (0, 1, 3, 7):
                self.check(lambda x: x >> n, x)
        for t in (np.int32, np.int64, np.uint64):
            x = np.array([np.iinfo(t).min, 0, 1, 2, 7, np.iinfo(t).max, np.iinfo(t).max // 3], t)
            for f in map(two, DIVISIONS):
                self.check(f, x[:, None], np.concatenate([x[x != 0], np.array([-1, -5]).astype(t)]))

    def test_slopes_of_remainders(self):
        """The quotient is constant."""
        x, y = np.array([7.5, -7.5, 2.0, 1e30]), np.array([2.0, 2.0, -1.0, 1.5])
        for f, quotient in ((np.fmod, np.trunc), (np.remainder, np.floor)):
            by_x, by_y = tenon.grad(lambda x, y: f(x, y).sum(), argnums=(0, 1))(x, y)
            self.assertEqual(by_x.tolist(), [1] * 4)
            self.assertEqual(by_y.tolist(), (-quotient(x / y)).tolist())
            # f32, with and without quotients of many bits: the last division rounds up to a whole number
            x32, y32 = (a.astype(np.float32) for a in (np.append(x, 231.16416931152344), np.append(y, 1.2771501541137695)))
            for n in (x32, np.where(x32 > 1e29, 0, x32).astype(np.float32)):
                by_x, by_y = tenon.grad(lambda x, y: f(x, y).sum(), argnums=(0, 1))(n, y32)
                self.assertEqual(by_x.tolist(), [1] * 5)
                exact = quotient(n.astype(np.float64) / y32)
                self.assertEqual(by_y.tolist(), (-exact).astype(np.float32).tolist())
        self.assertEqual(tenon.grad(lambda x: (x // 2).sum())(x).tolist(), [0] * 4)
        self.assertEqual(tenon.grad(lambda x: (x % 2).sum())(np.array([0.0, np.inf]))[0], 1)

    def test_powers(self):
        """`**` is one operation that is rounded correctly, a cube, or `pow`."""
        for t in (np.float32, np.float64):
            x = np.concatenate([np.array([0, 1, np.inf, np.nan, np.finfo(t).max, np.finfo(t).tiny, 3e-20, 1e-38, 1e19], t),
                                np.exp(RNG.uniform(-20, 20, 500)).astype(t)])
            x = np.concatenate([x, -x])
            for n in (*range(-6, 7), 0.5, -0.5, 1.5, -2.0, 3.0, np.inf, -np.inf, np.float32(2), True):
                if n in (1, 2, -1, 0.5):
                    self.check_bits(lambda x: x ** n, x)
                    continue
                if n == 3:
                    with np.errstate(over="ignore", under="ignore"):
                        self.assertEqual(np.asarray(tenon.function(lambda x: x ** n)(x)).tobytes(), (x * x * x).tobytes())
                    continue
                got = np.asarray(tenon.function(lambda x: x ** n)(x))
                want = np.asarray(tenon.function(lambda x: np.power(x, np.full(1, n, t)))(x))
                self.assertEqual(got.tobytes(), want.tobytes(), n)
        x = np.array([1e160, 9e-155])
        np.testing.assert_allclose(tenon.function(lambda x: x ** -2.0)(x), x ** -2.0, rtol=1e-15, atol=1e-323)
        for n in (0, 1, 2, 3, 5, 12, 31):
            self.check(lambda x: x ** n, I)
        z = (B + 1j * A).astype(np.complex128)
        for n in (0, 1, 2, 3, 4, 7, -1, -3):
            np.testing.assert_allclose(tenon.function(lambda x: x ** n)(z), z ** n, rtol=1e-15)
        with self.assertRaisesRegex(ValueError, "negative powers"):
            tenon.function(lambda x: x ** -1)(I)
        with self.assertRaisesRegex(TypeError, "float_power of si32"):
            tenon.function(lambda x: np.float_power(x, 2))(I)

    def test_as_exact_as_numpy(self):
        """What is composed of several operations loses nothing on its way."""
        tens = (10.0 ** np.arange(-30, 30)).astype(np.float32)
        np.testing.assert_array_equal(tenon.function(lambda x: np.log10(x))(tens), np.log10(tens.astype(float)).astype(np.float32))
        h = np.linspace(0, 200, 900).astype(np.float16)
        for f in (np.var, np.std):
            np.testing.assert_allclose(tenon.function(lambda x: f(x))(h), f(h.astype(float)), rtol=2.0 ** -11)
        z = (A + 1j * B).astype(np.complex128)
        self.check(lambda x: np.var(x, axis=0), z)
        self.check(lambda x: np.std(x), z)
        least = np.array([5, -128, 127, 3], np.int8)
        self.check(lambda x: np.argmin(x), least)
        for n in (2 ** 60 + 1, -2 ** 63, 3):
            self.check(lambda x: np.full_like(x, n), np.zeros((2, 3), np.int64))
        self.check(lambda x: np.full_like(x, 2 ** 64 - 1), np.zeros((), np.uint64))

    def test_large_numbers(self):
        words = np.array([1, 7, 2 ** 63, 2 ** 64 - 1], np.uint64)
        for n in (2 ** 63 - 1, 2 ** 63, 2 ** 64 - 1):
            self.check(lambda x: x * np.uint64(n), words)
            self.check(lambda x: np.where(x > np.uint64(n), x ^ np.uint64(n), np.uint64(n)), words)
        for n, dtype in (2 ** 64, np.uint64), (2 ** 63, np.int64), (2 ** 64 + 5, np.int64), (-2 ** 63 - 1, np.int64), (2 ** 64, np.int8):
            with self.assertRaises(tenon.UsageError):
                tenon.function(lambda x: x + n)(np.zeros(2, dtype))

    def test_reductions(self):
        for name in ("sum", "mean", "prod", "max", "min", "var", "std"):
            for axis in (None, 0, 1, -1, (0, 2)):
                for keepdims in (False, True):
                    self.check(lambda x: getattr(np, name)(x, axis=axis, keepdims=keepdims), T)
                    self.check(lambda x: getattr(x, name)(axis=axis, keepdims=keepdims), T)
        self.check(lambda x: np.var(x, axis=1, ddof=1), T)
        self.check(lambda x: np.var(x, axis=np.int64(1), ddof=1), T)
        for u in (np.add, np.multiply, np.maximum, np.minimum):
            self.check(lambda x: u.reduce(x), T)  # along the first axis, where others take all
            self.check(lambda x: u.reduce(x, axis=None), T)
            self.check(lambda x: u.reduce(x, axis=1, keepdims=True), T)
        for name in ("any", "all"):
            self.check(lambda x: getattr(np, name)(x, axis=1), P)
            for axis in (None, 0, 1):
                self.check(lambda x: getattr(np, name)(x, axis=axis), P[:0])
                self.check(lambda x: getattr(np, name)(x, axis=axis), A[:, :0])
        for name in ("argmax", "argmin"):
            self.check(lambda x: getattr(np, name)(x), T)
            self.check(lambda x: getattr(np, name)(x, axis=1), T)
            self.check(lambda x: getattr(np, name)(x, keepdims=True), T)

    def test_nan(self):
        x = np.array([[1, np.nan, np.inf, 3], [np.nan] * 4, [-0.0, 0.0, np.nan, -np.inf], [-2, -3, 0, -0.0]])
        for d in (np.float64, np.float32, np.float16):
            y = x.astype(d)
            for f in (lambda x: np.maximum(x, x[::-1]), lambda x: np.minimum(x, x[::-1]), lambda x: np.fmax(x, x[::-1]),
                      lambda x: np.fmin(x, x[::-1]), lambda x: np.clip(x, -1, 2), lambda x: x.clip(max=1), lambda x: np.clip(x, x[0], x[3]),
                      lambda x: np.ptp(x, 0), lambda x: np.maximum.outer(x[0], x[2]), lambda x: np.minimum(2, x),
                      lambda x: np.max(x, 1, initial=2), lambda x: np.min(x, where=~np.isnan(x), initial=9)):
                self.check(f, y, exact=True)
            for axis in (0, 1, None):
                for name in ("max", "min", "nanmax", "nanmin"):
                    self.check(lambda x: getattr(np, name)(x, axis=axis), y, exact=True)
                for u in (np.maximum, np.minimum):
                    self.check(lambda x: u.accumulate(x, axis=axis or 0), y, exact=True)
                    self.check(lambda x: u.reduce(x, axis=axis), y, exact=True)

    def test_along_an_axis(self):
        tied = np.round(T * 2) / 2
        for x in (T, tied, J.astype(np.float64)):
            for f in (lambda x: np.cumsum(x, axis=1), lambda x: x.cumsum(), lambda x: np.cumprod(x, axis=-1),
                      lambda x: x.cumprod(0), lambda x: np.add.accumulate(x), lambda x: np.multiply.accumulate(x, axis=1)):
                self.check(f, x)
            for f in (lambda x: np.maximum.accumulate(x, axis=1), lambda x: np.minimum.accumulate(x),
                      lambda x: np.sort(x), lambda x: np.sort(x, axis=0), lambda x: np.sort(x, axis=None),
                      lambda x: np.argsort(x, axis=1, kind="stable"), lambda x: x.argsort(kind="stable"),
                      lambda x: np.argsort(x, None, kind="stable")):
                self.check(f, x, exact=True)
        self.check(lambda x: np.cumsum(x, axis=0), I)
        for f in np.maximum.accumulate, np.minimum.accumulate:
            self.check(lambda x, f=f: f(x), T > 0, exact=True)
        self.check(lambda x: np.sort(x), np.array([[3, np.nan, -0.0, np.inf, 1], [0, 2, -np.inf, np.nan, 2]]), exact=True)
        with self.assertRaisesRegex(tenon.UsageError, "order by"):
            tenon.function(lambda x: np.sort(x, order="a"))(A)
        with self.assertRaisesRegex(tenon.UsageError, "no counterpart"):
            tenon.function(lambda x: np.subtract.accumulate(x))(A)
        g = tenon.grad(lambda x: (np.sort(x) * np.arange(3.0)).sum())(np.array([5.0, 1.0, 3.0]))
        self.assertEqual(g.tolist(), [2, 0, 1])
        g = tenon.grad(lambda x: np.cumsum(x).sum())(np.zeros(4))
        self.assertEqual(g.tolist(), [4, 3, 2, 1])

    def test_products(self):
        v, w = C[:, 0], C[0]
        for f, args in [(np.matmul, (B, C)), (np.matmul, (v, C)), (np.matmul, (C, w)), (np.matmul, (v, v)),
                        (np.matmul, (T, C)), (np.matmul, (B[0], T.swapaxes(1, 2))), (np.matmul, (T, v)),
                        (np.dot, (B, C)), (np.dot, (T, C)), (np.dot, (v, v)), (np.outer, (v, w)),
                        (np.tensordot, (T, C))]:
            with self.subTest(f=f, shapes=[a.shape for a in args]):
                if f is np.tensordot:
                    self.check(lambda x, y: np.tensordot(x, y, 1), *args)
                    self.check(lambda x, y: np.tensordot(x, y, ([0, 2], [1, 0])), T, C[:, :2])
                else:
                    self.check(two(f), *args)
        self.check(lambda x, y: x.dot(y), B, C)
        for text, args in [("ij,jk->ik", (B, C)), ("ij->ji", (B,)), ("ij->i", (B,)), ("bij,jk->bik", (T, C)),
                           ("bij,bkj->bik", (T, T)), ("ij,ij->", (B, B)), ("ij,kj", (B, A)), ("bij,b->ji", (T, v[:2])),
                           ("i,j->ji", (v, w))]:
            with self.subTest(text):
                self.check(lambda *xs: np.einsum(text, *xs), *args)

    def test_movement(self):
        for f in (lambda x: x.reshape(4, -1), lambda x: x.reshape((6, 4)), lambda x: x.ravel(), lambda x: x.T,
                  lambda x: x.transpose(1, 0, 2), lambda x: np.transpose(x, (2, 0, 1)), lambda x: x.swapaxes(0, 2),
                  lambda x: np.moveaxis(x, 0, -1), lambda x: np.expand_dims(x, 1),
                  lambda x: np.expand_dims(x, (0, -1)), lambda x: np.expand_dims(x, -1), lambda x: np.squeeze(x[:1]),
                  lambda x: np.squeeze(x[:, :1], 1), lambda x: np.broadcast_to(x[:1], (5, 3, 4)),
                  lambda x: np.concatenate([x, x * 2], axis=1), lambda x: np.stack([x, -x], axis=-1),
                  lambda x: np.stack([x, -x]), lambda x: np.vstack([x[0], x[1]]), lambda x: np.hstack([x[0], x[1]]),
                  lambda x: np.split(x, 2, axis=2)[1], lambda x: np.split(x, [1, 2], axis=1)[2],
                  lambda x: np.tile(x, 2), lambda x: np.tile(x[0, 0], (3, 2)), lambda x: np.flip(x), lambda x: np.flip(x, 1),
                  lambda x: np.pad(x, 1), lambda x: np.pad(x, ((0, 1), (2, 0), (0, 0)), constant_values=7),
                  lambda x: np.roll(x, 1, axis=2), lambda x: np.roll(x, -2), lambda x: np.where(x > 0, x, 0),
                  lambda x: np.clip(x, -0.5, 0.5), lambda x: x.clip(0), lambda x: np.clip(x, None, 0.1),
                  lambda x: np.zeros_like(x) + np.ones_like(x) * 2, lambda x: np.full_like(x, 3),
                  lambda x: np.split(x, [-1], axis=2)[0], lambda x: np.split(x, [-3, 2, 9], axis=2)[1],
                  lambda x: np.concatenate([x, x[0]], axis=None), lambda x: np.roll(x, (1, -2), axis=(0, 2)),
                  lambda x: np.roll(x, 1, axis=(0, 1)), lambda x: np.moveaxis(x, np.int64(0), -1), lambda x: np.tile(x, np.int64(2)),
                  lambda x: x.clip(min=0), lambda x: x.clip(max=0.1), lambda x: x.clip(-0.5, max=0.5),
                  lambda x: np.clip(x, a_min=0, a_max=0.5), lambda x: np.zeros_like(x, shape=(2, 3)),
                  lambda x: np.ones_like(x, np.float32), lambda x: np.full_like(x, 3, shape=5),
                  lambda x: np.take(x, [1, 0, 1], axis=1), lambda x: np.take(x, [[3, 1]]), lambda x: np.take(x, [-1, -24]),
                  lambda x: np.take_along_axis(x, np.zeros((2, 1, 4), np.int64), 1), lambda x: x.astype(np.float32),
                  lambda x: x.copy().flatten()):
            self.check(f, T, exact=True)

    def test_pad_of_64_bits(self):
        for value, dtype in (2**53 + 1, np.int64), (-2**63 + 1, np.int64), (2**64 - 1, np.uint64):
            x = np.arange(3, dtype=dtype)
            got = tenon.function(lambda x, value=value: np.pad(x, 1, constant_values=value))(x)
            self.assertEqual(got.tolist(), [value, 0, 1, 2, value])

    def test_operations_that_numpy_has(self):
        """An operation that NumPy calls the same, or `arc...` for `a...`, is its function."""
        for name in UNARY + BINARY:
            for other in (name, "arc" + name[1:]):
                function = getattr(np, other, None)
                if isinstance(function, np.ufunc) and (other == name or name.startswith("a")):
                    self.assertIn(function, UFUNCS, name)

    def test_all_are_tried(self):
        here = pathlib.Path(__file__).parent
        text = "".join((here / name).read_text(encoding="utf-8") for name in
                       ("test_numpy.py", "test_numpy_composed.py", "test_numpy_calls.py", "test_numpy_curves.py"))
        for f in FUNCTIONS:
            name = f.__name__.rstrip("_")
            self.assertTrue(f".{name}(" in text or f'"{name}"' in text or f"np.{name}," in text or name in ("amax", "amin", "shape", "ndim"), name)
        for name in METHODS:
            self.assertTrue(f".{name}(" in text or f'"{name}"' in text, name)

    def test_names_of_numpy_2(self):
        """Nothing is asked of NumPy that its version 2 does not have."""
        gone = "alltrue cumproduct float_ complex_ product round_ sometrue unicode_ string_".split()
        code = (f"import numpy as np\nfor name in {gone}:\n    if hasattr(np, name):\n        delattr(np, name)\n"
                "import tenon\nprint(float(tenon.function(lambda x: np.round(x, 1).sum())(np.array([0.26]))))")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False,
                              env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
        self.assertEqual((done.stdout.split()[-1:], done.stderr), (["0.3"], ""))

    def test_all_are_told(self):
        """docs/python.md lists every function, or has a word for all of its kind."""
        lines = (ROOT / "docs/python.md").read_text(encoding="utf-8").splitlines()
        told = set(re.findall(r"\w+", " ".join(line for line in lines if line.startswith("| "))))
        self.assertLessEqual({*tenon.nn.__all__}, told)
        for name in {f.__name__.rstrip("_") for f in [*UFUNCS, *FUNCTIONS]} - told:  # np.round was `round_`
            self.assertRegex(name, "^(logical_.*|bitwise_.*|.*_shift|(not_)?equal|(less|greater)(_equal)?)$", "docs/python.md does not tell of it")

    def test_refused(self):
        for message, f in [("operands of f32 and f64", lambda x: x + np.ones(4)),
                           ("np.linalg.svd has no counterpart", lambda x: np.linalg.svd(x)),
                           ("np.unique has no counterpart", lambda x: np.unique(x)),
                           ("np.nextafter has no counterpart", lambda x: np.nextafter(x, x)),
                           ("no truth value", lambda x: x if x[0] else x),
                           ("is no number .* static=", lambda x: float(x[0])),
                           ("does not change; np.where", lambda x: x.__setitem__(0, 1)),
                           ("no 'sortt'", lambda x: x.sortt()),
                           ("size depends on the data", lambda x: x[x > 0]),
                           ("mode 'mean'", lambda x: np.pad(x, 1, mode="mean")),
                           ("does not change: .* not x [+]= y", lambda x: operator.iadd(x, 1)),
                           ("out= has no counterpart", lambda x: np.sum(x, out=np.zeros(()))),
                           ("out= has no counterpart", lambda x: x.cumsum(out=np.zeros(4))),
                           ("np.add with where", lambda x: np.add(x, 1, where=P[0])),
                           ("np.add.reduceat has no .*segment_sum", lambda x: np.add.reduceat(x, [0])),
                           ("np.add.at has no .*tenon.scatter", lambda x: np.add.at(x, [0], 1)),
                           ("np.nonzero has no .*size", lambda x: np.nonzero(x)),
                           ("no 'sort': np.sort", lambda x: x.sort()),
                           ("without copy=False", lambda x: np.nan_to_num(x, copy=False)),
                           ("np.percentile of these arguments .*interpolation", lambda x: np.percentile(x, 3, interpolation="lower")),
                           ("no 'nbytes': a traced value has no memory", lambda x: x.nbytes),
                           ("np.take", lambda x: np.eye(4)[x.astype("si64")]),
                           ("is no number .* static=", lambda x: tenon.zeros(x[0].astype("si64"))),
                           ("static= names; tenon.dynamic_slice", lambda x: x[:x.argmax()]),
                           ("np.asarray", lambda x: x * np.asmatrix(np.ones(4, np.float32))),
                           ("str_ is no tensor", lambda x: x + np.str_("3")),
                           ("datetime64", lambda x: x + np.datetime64("2020-01-01")),
                           ("timedelta64", lambda x: x + np.timedelta64(3, "s")),
                           ("float128", lambda x: np.longdouble(3)),
                           ("ShapeMismatch|shapes|broadcast|shape", lambda x: x + np.ones(5, np.float32))]:
            with self.subTest(message), self.assertRaisesRegex((TypeError, AttributeError, tenon.Error), message):
                tenon.function(f)(np.ones(4, np.float32))
        with self.assertRaisesRegex(TypeError, "takes no list of values: np.stack"):
            tenon.function(lambda x: np.sin(x))([1.0, 2.0])
        with self.assertRaisesRegex(TypeError, "/ of si32"):
            tenon.function(lambda x: x / 2)(I)
        with self.assertRaisesRegex(TypeError, "meets a value of si32"):
            tenon.function(lambda x: x + 0.5)(I)
        with self.assertRaisesRegex(tenon.UsageError, "in a function that is traced"):
            tenon.zeros(3)


if __name__ == "__main__":
    unittest.main()
