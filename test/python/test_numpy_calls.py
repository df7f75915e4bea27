"""How NumPy's functions are called on traced values: arguments by NumPy's names, axes that are not there, masks, element types."""
import unittest

from lib import package  # noqa: F401

import numpy as np

import tenon
from test_numpy import A, I, P, T, WILD, check

Z = np.array([[1 + 2j, -3j, 0], [complex(2, np.nan), complex(np.inf, 1), 1 - 1j]])
S = np.float64(0.5)


class Calls(unittest.TestCase):
    def each(self, exact, args, *functions):
        for k, f in enumerate(functions):
            with self.subTest(k=k):
                check(self, f, *args, exact=exact)

    def test_names_of_arguments(self):
        """NumPy's own, wherever they stand."""
        self.each(True, (T,), lambda x: np.pad(array=x, pad_width=1), lambda x: np.pad(x, pad_width=[(0, 1), (0, 0), (1, 0)], mode="edge"),
                  lambda x: np.swapaxes(x, axis1=0, axis2=-1), lambda x: np.split(x, indices_or_sections=3, axis=1)[2],
                  lambda x: np.full_like(x, fill_value=2), lambda x: np.full_like(a=x, fill_value=2, dtype=np.float32),
                  lambda x: np.moveaxis(a=x, source=0, destination=2), lambda x: np.isclose(a=x, b=x), lambda x: np.array_equal(a1=x, a2=x),
                  lambda x: np.select(condlist=[x > 0], choicelist=[x]), lambda x: np.reshape(x, (6, 4), "C"), lambda x: np.copy(x),
                  lambda x: x.copy("C"), lambda x: x.transpose(None), lambda x: x.transpose(1, 0, 2), lambda x: x.transpose((1, 0, 2)),
                  lambda x: x.reshape([4, -1]), lambda x: x.reshape(-1), lambda x: x * np.size(x),
                  lambda x: x + np.size(x, -2))
        self.each(False, (T,), lambda x: np.outer(a=x, b=x[0]), lambda x: np.kron(x, b=x[0]), lambda x: np.tensordot(a=x, b=x, axes=3),
                  lambda x: np.trace(x, dtype=np.float32), lambda x: x.trace(1, 1, 2), lambda x: np.cross(x, x[::-1], axis=1),
                  lambda x: np.cross(x, x[0], 1, 0, 2), lambda x: np.add.outer(x, x[0]), lambda x: np.multiply.outer(2.0, x),
                  lambda x: np.add.reduce(x, axis=(0, 2), initial=3), lambda x: np.maximum.reduce(x, initial=0.5))
        for f in (lambda x: np.sum(x, None, None, np.zeros(())), lambda x: np.clip(x, 0, 1, x), lambda x: x.mean(0, None, np.zeros(4)),
                  lambda x: np.stack([x, x], 0, np.zeros((2, 3, 4))), lambda x: np.trace(x, out=np.zeros(()))):
            with self.assertRaisesRegex(tenon.UsageError, "out|these arguments"):
                tenon.function(f)(A)
        for message, f in (("np.concatenate of these arguments .* 'dtype'", lambda x: np.concatenate([x, x], dtype="f4")),
                           ("text names the axes", lambda x: np.einsum(x, [0, 1])), ("casting 'safe'", lambda x: x.astype("f4", casting="safe"))):
            with self.assertRaisesRegex(tenon.UsageError, message):
                tenon.function(f)(A)

    def test_axes_that_are_not_there(self):
        """As in NumPy an error, and not the axis that a remainder gives."""
        for f in (lambda x: np.transpose(x, (0, 3)), lambda x: np.swapaxes(x, 0, 2), lambda x: np.moveaxis(x, 0, 2), lambda x: np.moveaxis(x, [0, 1], [1, 1]),
                  lambda x: np.moveaxis(x, [0, 1], [0]), lambda x: np.moveaxis(x[0, 0], 0, 0), lambda x: np.diagonal(x, 0, 0, 2), lambda x: np.diagonal(x, 0, 1, -1),
                  lambda x: np.diff(x, axis=2), lambda x: np.diff(x[0, 0]), lambda x: np.diff(x, -1), lambda x: np.quantile(x, 0.5, axis=-3),
                  lambda x: np.median(x, (0, -2)), lambda x: np.tensordot(x, x, ([0], [2])), lambda x: np.tensordot(x, x, 3),
                  lambda x: np.expand_dims(x, (0, 0)), lambda x: np.expand_dims(x, 3), lambda x: np.rot90(x, 1, (1, -1)), lambda x: np.roll(x, 1, 2),
                  lambda x: np.repeat(x, 2, 2), lambda x: np.take_along_axis(x, np.zeros((1, 1), int), 2), lambda x: np.array_split(x, 2, 2),
                  lambda x: np.linalg.norm(x, axis=(0, 0)), lambda x: np.vsplit(x[0], 1), lambda x: np.hsplit(x[0, 0], 1), lambda x: np.dsplit(x, 1),
                  lambda x: np.array_split(x, 0), lambda x: np.split(x, 0), lambda x: np.meshgrid(x, x, indexing="yx"), lambda x: np.average(x, 0, [1, 2]),
                  lambda x: np.einsum("ii", x), lambda x: np.einsum("i1", x)):
            with self.subTest(f.__code__.co_firstlineno), self.assertRaises(ValueError):
                tenon.function(f)(A)
        for f in (lambda x: np.roll(x, 1.5), lambda x: np.sum(x, axis=1.0), lambda x: np.repeat(x, 1.5), lambda x: np.transpose(x, "ab")):
            with self.subTest(f.__code__.co_firstlineno), self.assertRaisesRegex(TypeError, "whole number|integer"):
                tenon.function(f)(A)

    def test_parts_that_count(self):
        """`where=`, `ddof` that leaves nothing, and what is no number among complex numbers."""
        self.each(True, (P, A), lambda p, x: np.all(x > 0.5, where=p), lambda p, x: np.any(x > 0.5, axis=1, where=p), lambda p, x: np.any(x, where=False),
                  lambda p, x: np.var(x, ddof=12), lambda p, x: np.var(x, 0, ddof=4), lambda p, x: np.std(x, 1, ddof=9), lambda p, x: np.var(x[:1, 0], ddof=2),
                  lambda p, x: np.var(x, 0, ddof=2, where=p), lambda p, x: np.logical_and.reduce(p), lambda p, x: np.logical_or.reduce(p, axis=None))
        self.each(False, (P, A), lambda p, x: np.var(x, where=p), lambda p, x: np.std(x, axis=1, where=p, keepdims=True), lambda p, x: np.var(x, ddof=1, where=p[:1]),
                  lambda p, x: np.var(x, ddof=0.5), lambda p, x: np.nansum(x, initial=2, where=p), lambda p, x: np.nanmean(x, axis=1, where=p))
        self.each(True, (np.full((2, 3), np.nan),), lambda x: np.nanmax(x, 1), lambda x: np.nanmin(x), lambda x: np.nanmax(x, initial=1), lambda x: np.nanmean(x, 0))
        self.each(True, (WILD,), lambda x: np.nanmax(x, axis=0, keepdims=True), lambda x: np.diff(x, 0, prepend=1))
        f = tenon.function("f64[n, 4]")(lambda x: x.var(0, ddof=3))
        np.testing.assert_array_equal(f(A[:2]), np.full(4, np.inf))
        np.testing.assert_array_equal(f(np.ones((1, 4))), np.full(4, np.nan))

    def test_complex_numbers(self):
        self.each(True, (Z,), lambda z: np.isnan(z), lambda z: np.isinf(z), lambda z: np.isfinite(z), lambda z: np.isclose(z[0], z[0]), lambda z: np.isclose(z[:, :1], z[:, :1], equal_nan=True),
                  lambda z: np.isclose(z[0], z[0] + 1e-9j), lambda z: np.isclose(z[0], z[0] + 1), lambda z: np.array_equal(z, z, equal_nan=True))
        with np.errstate(all="ignore"):
            self.each(False, (Z[:, 2],), lambda z: np.abs(z), lambda z: np.abs(z * 1e200), lambda z: np.abs(z.astype("c8")), lambda z: np.linalg.norm(z, 1),
                      lambda z: np.abs(np.round(z * (1 + 1j) * 1.234, 1)), lambda z: np.abs(2j * z), lambda z: np.abs(z * np.complex128(2j)), lambda z: np.abs(np.full_like(z, 1 + 2j)),
                      lambda z: np.real(np.full_like(z, 1 + 2j)))
            self.each(False, (Z[:, :1],), lambda z: np.abs(np.nansum(z)), lambda z: np.abs(np.nanprod(z)), lambda z: np.abs(np.nanmean(z)))
        with self.assertRaisesRegex(TypeError, r"1j meets a value of f64; astype\('cf64'\)"):
            tenon.function(lambda x: x * 1j)(A)

    def test_whole_numbers(self):
        low = np.array([[-128, 0, 5, 127]], np.int8)
        self.each(True, (I,), lambda x: np.isnan(x), lambda x: np.isfinite(x), lambda x: np.isinf(x), lambda x: np.sign(x), lambda x: np.array_equal(x, x, equal_nan=True))
        self.each(True, (low,), lambda x: np.sign(x))
        self.each(True, (low.view(np.uint8),), lambda x: np.sign(x))
        self.each(True, (P,), lambda p: np.abs(p), lambda p: np.isnan(p))

    def test_order_of_elements(self):
        self.each(True, (T,), lambda x: x.reshape(4, 6, order="F"), lambda x: x.reshape((6, -1), order="F"), lambda x: np.reshape(x, -1, "F"),
                  lambda x: x.ravel("F"), lambda x: x.flatten("F"), lambda x: np.ravel(x, order="K"), lambda x: x.T.reshape(4, 3, 2, order="F"))
        with self.assertRaisesRegex(tenon.UsageError, "order='X'"):
            tenon.function(lambda x: x.reshape(24, order="X"))(T)

    def test_chosen_elements(self):
        mask = np.array([True, False, True])
        self.each(True, (T,), lambda x: np.delete(x, 1), lambda x: np.delete(x, [0, -1], 1), lambda x: np.delete(x, slice(0, 3, 2), -1), lambda x: np.delete(x, mask, 1),
                  lambda x: np.compress(mask, x, axis=1), lambda x: np.compress([1, 0, 1, 1], x), lambda x: np.isin(x, x[0, 0]), lambda x: np.isin(x, [0.5], invert=True),
                  lambda x: np.isin(x, x[:0]), lambda x: np.lib.stride_tricks.sliding_window_view(x, (2, 3), axis=(0, 2)),
                  lambda x: np.lib.stride_tricks.sliding_window_view(x, (2, 2), axis=(2, 2)), lambda x: np.lib.stride_tricks.sliding_window_view(x[0], (3, 1)))
        for f in (lambda x: np.delete(x, 24), lambda x: np.lib.stride_tricks.sliding_window_view(x, 5, axis=2), lambda x: np.lib.stride_tricks.sliding_window_view(x, (2, 2))):
            with self.assertRaises((IndexError, ValueError)):
                tenon.function(f)(T)
        for f in (lambda x: np.delete(x, x.argmax()), lambda x: np.compress(x[0, 0] > 0, x)):
            with self.assertRaisesRegex(tenon.UsageError, "known when|depends on the data"):
                tenon.function(f)(T)

    def test_kinds_of_numbers(self):
        z = np.array([[1 + 2j, -3j, 0], [complex(2, np.inf), -np.inf, 1 - 1j]])
        self.each(True, (WILD,), lambda x: np.isposinf(x), lambda x: np.isneginf(-x), lambda x: np.fix(x * 3),
                  lambda x: np.nanargmax(np.fmin(x, 1), 1), lambda x: np.nanargmin(x), lambda x: np.isreal(x))
        self.each(True, (z,), lambda z: np.isreal(z), lambda z: np.iscomplex(z), lambda z: np.isfinite(z) if np.iscomplexobj(z) and not np.isrealobj(z) else None)
        self.each(True, (I,), lambda i: np.isposinf(i), lambda i: np.polyval(i[0], 2))
        self.each(False, (WILD,), lambda x: np.nancumsum(x, 1), lambda x: np.nancumprod(x[:, :2]))
        with self.assertRaisesRegex(TypeError, "no sign"):
            tenon.function(lambda z: np.isneginf(z))(z)

    def test_lines_and_places(self):
        x = T[0]
        self.each(False, (x,), lambda x: np.linspace(x[0, 0], 2, 7), lambda x: np.linspace(x[0], x[1], 5), lambda x: np.linspace(0, x, 4, axis=-1), lambda x: np.linspace(x[0], 1, 3, endpoint=False),
                  lambda x: np.linspace(x[0, 0], 1, 1), lambda x: np.linspace(x[0], 1, 0), lambda x: np.linspace(x[0, 0], 3, 5, retstep=True)[1], lambda x: np.linspace(x[0], x[1], 2))
        self.each(True, (x,), lambda x: np.linspace(x[0, 0], 2, 7)[-1], lambda x: np.stack(np.unravel_index(x.argmax(), x.shape)), lambda x: np.stack(np.unravel_index(np.argsort(x, None), (2, 3, 2))))
        y = np.array([1.1, 2.7, 1e-3], np.float32)
        for f in (lambda y: np.float_power(y, 3.3), lambda y: np.float_power(y, y)):
            got = tenon.function(f)(y)
            self.assertEqual(got.dtype, "f64")
            np.testing.assert_allclose(got, f(y), rtol=1e-15)

    def test_chains_of_products(self):
        x = T[0]
        self.each(False, (x,), lambda x: np.linalg.multi_dot([x, x.T, x]), lambda x: np.linalg.multi_dot([x[0], x.T, x[:, 0]]),
                  lambda x: np.linalg.matrix_power(x[:, :3], 1), lambda x: np.linalg.matrix_power(x[:, :3], 6))
        with self.assertRaisesRegex(tenon.UsageError, "order 0"):
            tenon.function(lambda x: np.linalg.matrix_power(x[:, :3], 0))(x)

    def test_numbers_among_others(self):
        """Numbers and lists take the type of what they are joined to."""
        self.each(True, (A, I), lambda x, i: np.stack([x[0, 0], 1.5, 2]), lambda x, i: np.stack((x[0], [1, 2, 3, 4])), lambda x, i: np.vstack([x, [1, 2, 3, 4]]),
                  lambda x, i: np.hstack([x[0], 7]), lambda x, i: np.hstack([i[0], 7]), lambda x, i: np.hstack([x[0, 0], x[0, 1]]), lambda x, i: np.hstack([x, x]),
                  lambda x, i: np.dstack([x, np.ones((3, 4))]), lambda x, i: np.column_stack([x[0], [1, 2, 3, 4]]), lambda x, i: np.outer(x, [1.5, 2]),
                  lambda x, i: np.kron(x, [1, 2]), lambda x, i: np.full_like(x, x[0]), lambda x, i: np.polyval([], x))

    def test_slopes_of_equal_operands(self):
        for f in np.logaddexp, np.logaddexp2:
            by_x, by_y = tenon.grad(lambda x, y: f(x, y).sum(), argnums=(0, 1))(np.array([0.0, 3.0, -7.5]), np.array([0.0, 3.0, -7.5]))
            self.assertEqual((by_x.tolist(), by_y.tolist()), ([0.5] * 3, [0.5] * 3))
        x, y = np.array([1.0, -2.0, 3.0, -4.0, 0.0]), np.array([1.0, 2.0, -3.0, -4.0, 0.0])
        by_x, by_y = tenon.grad(lambda x, y: np.hypot(x, y).sum(), argnums=(0, 1))(x, y)
        np.testing.assert_allclose((by_x, by_y), (np.sign(x) * 0.5**0.5, np.sign(y) * 0.5**0.5), rtol=1e-15)

    def test_power_of_a_complex_scalar(self):
        """Scalars of NumPy are numbers like Python's: the imaginary part is not left away."""
        for y in 2 + 3j, np.complex64(2 + 3j), np.complex128(2 + 3j):
            with self.assertRaisesRegex(tenon.Rejected, "'pow' does not take"):
                tenon.function(lambda x, y=y: x ** y)(np.array([1 + 2j], np.complex64))

    def test_narrow_floats(self):
        """Their products are rounded once."""
        h = np.linspace(-200, 200, 901).astype(np.float16)
        self.each(True, (h,), lambda x: np.radians(x), lambda x: np.degrees(x / 100))
        np.testing.assert_array_equal(tenon.function(lambda x: np.around(x, 5))(h[:9]), h[:9])


if __name__ == "__main__":
    unittest.main()
