"""Indexing of traced values: each key gives what NumPy gives, or is refused where NumPy refuses it."""
import random
import unittest

from lib import package  # noqa: F401

import numpy as np

import tenon
from test_numpy import T, check

KEYS = 120  # that are drawn, about 20 ms each


def random_key(r, shape):
    """A key for a value of SHAPE, and arrays that it contains as arguments: `("argument", k)` stands for the k-th."""
    key, arguments, axis, has_rest = [], [], 0, False
    while axis < len(shape):
        n, kind = shape[axis], r.random()
        if kind < 0.1:
            key.append(None)
            continue
        if kind < 0.2 and not has_rest:
            key.append(Ellipsis)
            axis += r.randint(0, len(shape) - axis)
            has_rest = True
            continue
        if kind < 0.4:
            key.append(slice(r.choice([None, 0, 1, -1]), r.choice([None, 2, -1]), r.choice([None, 1, 2, -1])))
        elif kind < 0.6:
            key.append(r.randrange(-n, n))
        elif kind < 0.95:
            extents = r.choice([(), (1,), (2,), (3, 1), (3, 2)])
            positions = np.array([r.randrange(-n, n) for _ in range(int(np.prod(extents)))], r.choice(["i8", "i4", "i1"])).reshape(extents)
            if r.random() < 0.5:
                arguments.append(positions)
                key.append(("argument", len(arguments) - 1))
            else:
                key.append(positions.tolist() if extents and r.random() < 0.5 else positions)
        else:
            break
        axis += 1
    return key, arguments


class Index(unittest.TestCase):
    def test_keys(self):
        for f in (lambda x: x[1], lambda x: x[-1], lambda x: x[0, 1:3], lambda x: x[..., 0], lambda x: x[:, None, ::-1],
                  lambda x: x[:, ::2], lambda x: x[::-1, 2:0:-1], lambda x: x[1:1], lambda x: x[None], lambda x: x[1, 2, 3],
                  lambda x: x[:, [2, 0]], lambda x: x[:, :, np.array([[0, 1], [3, 2]])], lambda x: x[0, [1, 1]],
                  lambda x: x[..., [0], None], lambda x: x[[1]], lambda x: x[-2:, -1], lambda x: x[()],
                  lambda x: x[:, 1:, [3]], lambda x: x[0, :, [0, 1]], lambda x: x[[0, -1]], lambda x: x[[0, 1], [1, -2]],
                  lambda x: x[[0, 1], :, None, [1, 2]], lambda x: x[:, [0], ..., [1]], lambda x: x[[[0], [1]], [1, 2], -1],
                  lambda x: x[[]], lambda x: x[[], [], 0], lambda x: x[-1, ..., np.array([-4])], lambda x: x[[1, 1], ..., 0],
                  lambda x: x[None, 0, :, [[1], [2]]], lambda x: x[:, 0, None, [1, 1]], lambda x: x[0, ..., [1], :],
                  lambda x: x[:, 0, ..., [1, 1]], lambda x: x[range(2)], lambda x: x[(0, 1), (2, 1)], lambda x: x[:, ((0,), (1,))], lambda x: x[:, range(2, 0, -1), 1]):
            check(self, f, T, exact=True)
        self.assertEqual([float(r) for r in tenon.function(lambda x: tuple(x))(np.arange(3.0))], [0, 1, 2])

    def test_drawn_keys(self):
        r = random.Random(926)
        for _ in range(KEYS):
            shape = tuple(r.choice([1, 2, 3, 4]) for _ in range(r.randint(1, 4)))
            x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
            key, arguments = random_key(r, shape)

            def f(x, *given, key=key):
                return x[tuple(given[k[1]] if isinstance(k, tuple) else k for k in key)]
            with self.subTest(key=key, shape=shape):
                check(self, f, x, *arguments, exact=True)

    def test_many_at_open_positions(self):
        """Long rows, whose positions are computed in memory first; as many elements at places of two axes."""
        x, i = np.arange(90000.0).reshape(300, 300), np.array([5, -1, 299, -300] * 32)
        check(self, lambda x, i: x[i], x, i, exact=True)
        check(self, lambda x, i: x[i, i[::-1]], x, i, exact=True)
        check(self, lambda x, i: x[i % 2, :, None][:, i], x, i, exact=True)

    def test_masks(self):
        """Truth values that are known when the function is traced."""
        m, n = np.array([True, False]), T[0] > 0
        for f in (lambda x: x[m], lambda x: x[:, [True, False, True]], lambda x: x[T > 0], lambda x: x[:, n], lambda x: x[..., n],
                  lambda x: x[m, 1:], lambda x: x[..., [True, False, False, True]], lambda x: x[m, ..., [1, 2]], lambda x: x[[False, False]],
                  lambda x: x[None, m, 0]):
            check(self, f, T, exact=True)
        for key in ([True, False, True],), (n,), (np.ones((2, 3, 4, 1), bool),), (0, m):
            with self.subTest(key=key), self.assertRaisesRegex(IndexError, "truth values of shape|indices for"):
                tenon.function(lambda x, key=key: x[key]).trace(T)
        with self.assertRaisesRegex(tenon.UsageError, "size depends on the data"):
            tenon.function(lambda x: x[x > 0]).trace(T)

    def test_outside(self):
        for key in (5,), (0, 0, 0, 0), ([2],), ([-3],), ([0], [3]), (np.array([[9]]), 0), (0, [0, 1], [4, 0]), (np.array([2 ** 64 - 1], np.uint64),):
            with self.subTest(key=key), self.assertRaises(IndexError):
                tenon.function(lambda x, key=key: x[key]).trace(T)
        for at in (2, -3), (0, 3), (0, -4):  # when the program runs
            f = tenon.function(lambda x, i, j: x[i, j])
            with self.subTest(at=at), self.assertRaisesRegex(tenon.RunError, "out of bounds"):
                f(T, np.array([0, at[0]]), np.array([0, at[1]]))
            with self.assertRaisesRegex(tenon.RunError, "out of bounds"):
                tenon.function(lambda x, i: x[0, i])(T, np.array([3]))

    def test_open_sizes(self):
        f = tenon.function(lambda x, i: x[i])
        m = f.trace("f32[n, 3]", "si64[2]")
        np.testing.assert_array_equal(m.compile()(np.arange(12, dtype=np.float32).reshape(4, 3), np.array([3, 0])), [[9, 10, 11], [0, 1, 2]])
        for key, message in (np.s_[1:], "from its beginning or its end on"), (np.s_[::2], "from its"), (np.s_[-2:3], "from its"), (([0], [0]), "axes of known sizes"):
            with self.subTest(key=key), self.assertRaisesRegex(tenon.UsageError, message):
                tenon.function(lambda x, key=key: x[key]).trace("f32[n, 3]")

    def test_from_the_end_of_open_sizes(self):
        x = np.arange(24, dtype=np.float32).reshape(4, 3, 2)
        for key in (-1, np.s_[:, -1], np.s_[-2:], np.s_[:, -3:-1], np.s_[-4::2], np.s_[..., -1, :], np.s_[::-1], np.s_[:, ::-1, 0], np.s_[[-1, 0, -2]], np.s_[1:3, -1],
                    np.s_[-1, :, 0], np.s_[-1, -1]):
            with self.subTest(key=key):
                program = tenon.function("f32[n, m, 2]")(lambda x: x[key])
                np.testing.assert_array_equal(program(x), x[key])
                np.testing.assert_array_equal(tenon.grad(lambda x: (program(x) * 2).sum())(x), np.where(np.isin(x, x[key]), 2, 0))
        self.assertIn("take", tenon.function("f32[n, m, 2]")(lambda x: x[:, -1] + x[:, 0]).text("ptir-text"))  # which has no slices of open sizes
        with self.assertRaisesRegex(tenon.RunError, "out of bounds"):
            tenon.function("f32[n]")(lambda x: x[-2:])(np.ones(1, np.float32))


if __name__ == "__main__":
    unittest.main()
