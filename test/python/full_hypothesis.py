"""Properties of the package, tried on arrays that hypothesis (python3-hypothesis) makes up."""
import importlib.util
import sys
import types
import unittest
import unittest.mock

from lib import package  # noqa: F401

if not importlib.util.find_spec("hypothesis"):
    print("skipped: there is no hypothesis")
    sys.exit(0)

import numpy as np  # noqa: E402
from hypothesis import given, settings, strategies as st  # noqa: E402
from hypothesis.extra import numpy as hnp  # noqa: E402

import tenon  # noqa: E402

# The same examples each time, and no clock: a machine may be slow.
settings.register_profile("tests", derandomize=True, deadline=None, database=None, max_examples=80)
settings.load_profile("tests")
NAMES = {"float32": "f32", "float64": "f64", "float16": "f16", "int8": "si8", "int16": "si16", "int32": "si32",
         "int64": "si64", "uint8": "ui8", "uint16": "ui16", "uint32": "ui32", "uint64": "ui64", "bool": "i1",
         "complex64": "cf32", "complex128": "cf64"}
SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5)


@st.composite
def arrays(draw, dtypes=tuple(NAMES), shapes=SHAPES):
    """An array of any type, whose elements may lie apart, backwards or transposed in memory."""
    a = draw(hnp.arrays(np.dtype(draw(st.sampled_from(dtypes))), draw(shapes)))
    how = draw(st.sampled_from(["plain", "reversed", "apart", "transposed", "shifted"]))
    if a.ndim == 0 or how == "plain":
        return a
    if how == "reversed":
        return a[::-1].copy()[::-1]
    if how == "apart":
        wide = np.zeros((*a.shape[:-1], a.shape[-1] * 3), a.dtype)
        wide[..., ::3] = a
        return wide[..., ::3]
    if how == "transposed":
        return np.asfortranarray(a)
    raw = np.zeros(a.nbytes + 1, np.uint8)  # not aligned
    shifted = raw[1:].view(a.dtype).reshape(a.shape)
    shifted[...] = a
    return shifted


def same(a, b):
    """Of one type and shape, with the same bits; NaNs are equal."""
    np.testing.assert_array_equal(np.asarray(a), np.asarray(b))
    return np.asarray(a).dtype == np.asarray(b).dtype and np.asarray(a).shape == np.asarray(b).shape


class Properties(unittest.TestCase):
    @given(arrays(), st.sampled_from(["ref", "jit"]))
    def test_arrays_go_through(self, a, engine):
        """A program gets the elements that the array shows, however they lie in memory, and gives them back."""
        f = tenon.function(lambda x: np.broadcast_to(x, (2, *x.shape)))
        out = f.trace(a).compile(engine=engine)(a)
        self.assertEqual(out.dtype, NAMES[a.dtype.name])
        self.assertTrue(same(np.asarray(out)[1], a))

    @given(arrays())
    def test_dlpack(self, a):
        """NumPy takes a result without a copy."""
        t = tenon.function(lambda x: np.reshape(x, x.shape)).trace(a).compile(engine="ref")(a)
        if a.dtype.name == "bool":
            return  # NumPy 1.24 has no DLPack for it
        taken = np.from_dlpack(t)
        self.assertTrue(same(taken, a))
        if a.size:
            self.assertEqual(taken.__array_interface__["data"][0], np.asarray(t).__array_interface__["data"][0])

    @given(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=4), st.data())
    def test_broadcasting(self, shapes, data):
        """Elementwise operations take the shapes that NumPy takes, and integers wrap as there."""
        x, y = (data.draw(arrays(("int32",), st.just(s))) for s in shapes.input_shapes)
        with np.errstate(over="ignore"):
            want = np.asarray((x + y) * x - (x ^ y))
        f = tenon.function(lambda x, y: (x + y) * x - (x ^ y))
        got = f.trace(x, y).compile(engine=data.draw(st.sampled_from(["ref", "jit"])))(x, y)
        self.assertTrue(same(got, want))

    @given(arrays(("int16",), hnp.array_shapes(max_dims=3, max_side=5)), st.data())
    def test_indexing(self, a, data):
        """What an index takes of a value is what it takes of an array."""
        index = data.draw(hnp.basic_indices(a.shape, allow_newaxis=True, allow_ellipsis=True))
        want = a[index]
        f = tenon.function(lambda x: x[index] * 1)
        self.assertTrue(same(f.trace(a).compile(engine="ref")(a), want * np.int16(1)))

    @given(arrays(("int32", "float32", "uint8"), hnp.array_shapes(max_dims=3, max_side=6)), st.data())
    def test_order(self, a, data):
        """Sorts are NumPy's stable ones, along any axis, and both engines agree."""
        axis = data.draw(st.integers(-a.ndim, a.ndim - 1))
        m = tenon.function(lambda x: (np.sort(x, axis), np.argsort(x, axis))).trace(a)
        for engine in "ref", "jit":
            values, places = m.compile(engine=engine)(a)
            self.assertTrue(same(values, np.sort(a, axis, kind="stable")))
            self.assertTrue(same(places, np.argsort(a, axis, kind="stable")))

    @given(hnp.arrays(np.float64, st.tuples(st.integers(1, 6)), elements=st.floats(-3, 3)))
    def test_gradients(self, x):
        """The gradient of a polynomial is the one that is known."""
        g = tenon.grad(lambda x: (x * x * x - 2 * x).sum())(x)
        np.testing.assert_allclose(g, 3 * x * x - 2, rtol=1e-12, atol=1e-12)

    @given(arrays(), arrays())
    def test_misfits(self, a, b):
        """An array of another type or shape is refused, with both in the message; a fitting one never is."""
        p = tenon.function(lambda x: x).trace(a).compile(engine="ref")
        if a.dtype == b.dtype and a.shape == b.shape:
            self.assertTrue(same(p(b), b))
        else:
            with self.assertRaises(tenon.InputError):
                p(b)


# Types that NumPy lacks: one and two as bit patterns, and what ml_dtypes calls the type.
NARROW = [("bf16", np.uint16(0x3f80), 0x4000, "bfloat16"), ("fp8_e4m3", np.uint8(0x38), 0x40, "float8_e4m3fn"),
          ("fp8_e5m2", np.uint8(0x3c), 0x40, "float8_e5m2"), ("si4", np.int8(1), 2, "int4"), ("ui4", np.uint8(1), 2, "uint4")]


def stand_in():
    """What the package needs of ml_dtypes: for each type a dtype of kind V with the name and the size, and no arithmetic.
    Debian has no package of ml_dtypes; where it is installed, `test_types` tries the package itself."""
    module = types.ModuleType("ml_dtypes")
    for _, one, _, name in NARROW:
        setattr(module, name, np.dtype((type(name, (np.void,), {}), one.itemsize)))
    return module


class Narrow(unittest.TestCase):
    """Types of the package ml_dtypes, where it is installed."""
    @unittest.skipUnless(importlib.util.find_spec("ml_dtypes"), "there is no ml_dtypes")
    def test_types(self):
        import ml_dtypes
        for name, _, _, foreign in NARROW:
            with self.subTest(name):
                foreign = np.dtype(getattr(ml_dtypes, foreign))
                x = np.array([0, 1, 2, 3]).astype(foreign)
                y = tenon.function(f"{name}[4]")(lambda x: x + x)(x)
                self.assertEqual(np.asarray(y).dtype, foreign)
                np.testing.assert_array_equal(np.asarray(y).astype(np.float32), [0, 2, 4, 6])

    def test_names(self):
        """Arrays are taken and given by the names of the types."""
        with unittest.mock.patch.dict(sys.modules, ml_dtypes=stand_in()):
            for name, one, two, foreign in NARROW:
                with self.subTest(name):
                    foreign = getattr(sys.modules["ml_dtypes"], foreign)
                    twice = tenon.function(f"{name}[3]")(lambda x: x + x)
                    x = np.full(6, one).view(foreign)[::2]  # which has to be copied
                    y = twice(x)
                    self.assertIs(np.asarray(y).dtype, foreign)
                    self.assertEqual(np.asarray(y).view(one.dtype).tolist(), [two] * 3)
                    self.assertEqual(tenon.tensor(x).dtype, name)
                    with self.assertRaisesRegex(tenon.InputError, f"wants {foreign.type.__name__}"):
                        twice(np.ones(3, np.float32))

    def test_bit_patterns(self):
        """Without it they are bit patterns, as in NumPy's files."""
        if "ml_dtypes" in sys.modules:
            self.skipTest("ml_dtypes is there")
        for name, one, two, _ in NARROW:
            with self.subTest(name):
                x = np.full(3, one)
                y = tenon.function(f"{name}[3]")(lambda x: x + x)(x)
                self.assertEqual(y.numpy().dtype, x.dtype)
                self.assertEqual(y.numpy().tolist(), [two] * 3)


if __name__ == "__main__":
    unittest.main()
