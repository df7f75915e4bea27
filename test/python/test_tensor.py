"""Tensors: what NumPy and other libraries make of them, and types that NumPy lacks."""
import gc
import pickle
import sys
import unittest
from unittest import mock
import weakref

from lib import package  # noqa: F401

import numpy as np

import tenon
from tenon import _dlpack


def twice(dtype, n):
    """A program that gives its input and behind it the same again."""
    return tenon.load(f"func @main(%x: tensor<{dtype}, {n}>) -> tensor<{dtype}, {2 * n}> {{\n"
                      f"  %y = concat(%x, %x) axis[0] -> tensor<{dtype}, {2 * n}>\n  return %y\n}}\n",
                      dialect="ptir-text")


class Tensors(unittest.TestCase):
    def test_array(self):
        t = tenon.tensor([[1, 2], [3, 4]], "f32")
        self.assertIs(np.asarray(t), t.numpy())
        self.assertEqual(np.asarray(t, np.float64).dtype, np.float64)
        self.assertEqual((t + 1).tolist(), [[2, 3], [4, 5]])
        self.assertEqual((t @ t).tolist(), [[7, 10], [15, 22]])
        self.assertEqual(np.exp(t).shape, (2, 2))
        self.assertEqual((len(t), t.shape, t.ndim, t.size, t.nbytes), (2, (2, 2), 2, 4, 16))
        self.assertEqual([row.tolist() for row in t], [[1, 2], [3, 4]])
        self.assertEqual(repr(tenon.tensor(2.5)), "Tensor(f32[], 2.5)")

    def test_results_in_place(self):
        """What is written to stays what it is: a tensor, or an array."""
        t = same = tenon.tensor([1.5, 2.5])
        t += 1
        self.assertIs(t, same)
        self.assertEqual(t.tolist(), [2.5, 3.5])
        self.assertIs(np.multiply(t, 2, out=t), t)
        a = np.zeros(2, np.float32)
        self.assertIs(np.add(t, 1, out=a), a)
        whole = tenon.tensor([0.0, 0.0])
        fraction, whole_too = np.modf(t, out=(None, whole))
        self.assertIs(whole_too, whole)
        self.assertEqual((fraction.tolist(), whole.tolist()), ([0, 0], [5, 7]))
        self.assertIs(np.add.reduce(np.ones((2, 2), np.float32), out=t), t)

    def test_format(self):
        self.assertEqual(f"{tenon.tensor(2.5):.3f} {tenon.tensor(7, 'si32'):4d} {tenon.tensor(0.5, 'bf16'):g}", "2.500    7 0.5")
        self.assertEqual(f"{tenon.tensor([1, 2])}", repr(tenon.tensor([1, 2])))
        with self.assertRaisesRegex(TypeError, "format"):
            f"{tenon.tensor([1, 2]):.3f}"

    def test_items_are_set(self):
        y = twice("f32", 2)([1, -2])
        y[0], y[y < 0] = 5, 7
        self.assertEqual(y.tolist(), [5, 7, 1, 7])
        with self.assertRaisesRegex(ValueError, "read-only"):
            tenon.tensor([1], "bf16")[0] = 2

    def test_holds(self):
        t = tenon.tensor([[1, 2], [3, 4]], "f32")
        self.assertTrue(3 in t and 5 not in t)

    def test_names_of_types(self):
        """A type equals all of its names, those of Tenon first."""
        for x in (tenon.tensor([1.0]), tenon.function(lambda x: x)(np.ones(2, np.float32))):
            for name in ("f32", "float32", np.float32, np.dtype("f4"), "<f4"):
                self.assertTrue(x.dtype == name and name == x.dtype and not x.dtype != name, name)
            for name in ("f64", "float", np.float64, float, int, None, 3, "no type", object, str, np.dtype("M8[s]")):
                self.assertTrue(x.dtype != name and name != x.dtype and not x.dtype == name, name)
        self.assertIn(tenon.tensor([1]).dtype, (np.int32, np.int64))
        self.assertEqual({tenon.tensor(1.0).dtype: 1}["f32"], 1)
        self.assertTrue(tenon.tensor([1], "si8").dtype == "i8")
        seen = []
        tenon.function(lambda x: seen.append(x.dtype == np.float32) or x)(np.ones(2, np.float32))
        self.assertEqual(seen, [True])
        self.assertEqual(pickle.loads(pickle.dumps(tenon.tensor([1.0]).dtype)), "f32")

    def test_every_type(self):
        names = {"i1": "bool", "bf16": "uint16", "fp8e4m3": "uint8", "fp8e5m2": "uint8", "si4": "int8",
                 "ui4": "uint8"}
        for spelling in ("i1 si4 ui4 si8 ui8 si16 ui16 si32 ui32 si64 ui64 fp8e4m3 fp8e5m2 bf16 f16 f32 f64 "
                         "cf32 cf64").split():
            with self.subTest(spelling):
                net = twice(spelling, 3)
                storage = tenon.dtype(net.inputs[0].dtype).storage
                if spelling in names:
                    self.assertEqual(storage, names[spelling])
                x = np.array([1, 0, 1]).astype(storage)
                y = net(x)
                self.assertEqual(y.bits().tolist(), tenon.Tensor(np.concatenate([x, x]), tenon.dtype(y.dtype)).bits().tolist())
                if tenon.dtype(y.dtype).dlpack:
                    back, d = _dlpack.take(y)
                    self.assertEqual((d.name, back.tolist()), (y.dtype, y._array.tolist()))

    def test_bf16(self):
        net = twice("bf16", 4)
        y = net([1, 2.5, -3, 1 + 2 ** -8])  # the last is halfway: to even
        self.assertEqual(y.astype("float32").tolist(), [1, 2.5, -3, 1] * 2)
        self.assertEqual(net([0, 0, 0, 1 + 2 ** -8 + 2 ** -40]).astype("f32").tolist()[3], 1 + 2 ** -7)
        self.assertIn("bf16[8], [1.0, 2.5, -3.0, 1.0, ", repr(y))
        self.assertEqual([tenon.tensor(v, "bf16").tolist() for v in (1 + 2 ** -8, -2.5)], [1, -2.5])  # of rank 0
        with self.assertRaisesRegex(tenon.InputError, "wants bfloat16.*bit patterns as uint16"):
            net(np.zeros(4, np.float32))
        try:
            import torch
        except ImportError:
            return
        x = torch.tensor([1, 2.5, -3, 0.5], dtype=torch.bfloat16)
        got = torch.from_dlpack(net(x))
        self.assertEqual(got.dtype, torch.bfloat16)
        self.assertEqual(got.float().tolist(), [1, 2.5, -3, 0.5] * 2)

    def test_astype(self):
        """As `cast` does it in a program: integers saturate, floats are rounded to nearest even."""
        t = tenon.tensor([600, -600, float("nan"), 1.5, 1 + 2 ** -8, 1 + 3 * 2 ** -8, -0.0], "f64")
        self.assertEqual(t.astype("si8").tolist(), [127, -128, 0, 1, 1, 1, 0])
        self.assertEqual(t.astype(np.uint8).tolist(), [255, 0, 0, 1, 1, 1, 0])
        self.assertEqual(t.astype("si4").tolist(), [7, -8, 0, 1, 1, 1, 0])
        self.assertEqual(t.astype("bool").tolist(), [True, True, True, True, True, True, False])
        self.assertEqual([hex(n) for n in t.astype("bf16").view(np.uint16)],
                         "0x4416 0xc416 0x7fc0 0x3fc0 0x3f80 0x3f82 0x8000".split())
        self.assertEqual(t.astype("fp8_e5m2").dtype.itemsize, 1)
        self.assertEqual(t.astype(np.longdouble).dtype, np.longdouble)
        self.assertEqual(np.asarray(t, np.int8).tolist(), t.astype("si8").tolist())
        names = "i1 si4 ui8 ui64 fp8_e4m3 bf16 f64".split()
        for a in names:
            x = t if a == "f64" else tenon.Tensor(t.astype(a).view(tenon.dtype(a).storage), tenon.dtype(a))
            compiled = tenon.function(lambda v: [v.astype(b) for b in names])(x)
            for b, want in zip(names, compiled):
                with self.subTest(a, to=b):  # as texts, in which all NaNs are one
                    self.assertEqual(repr(tenon.Tensor(x.astype(b).view(want._array.dtype), want._dtype)), repr(want))
        with self.assertRaisesRegex(TypeError, "cf64 is not converted to f32; its attributes real and imag are"):
            tenon.tensor([1j]).astype("f32")
        self.assertEqual(tenon.tensor(np.ones((2, 0, 3))).astype("f32").shape, (2, 0, 3))

    @unittest.skipIf("ml_dtypes" in sys.modules, "it has these types")
    def test_values(self):
        """What NumPy lacks is values to all of it; only numpy() and bits() have the patterns."""
        patterns = {"bf16": [0x4040, 0xbf00], "fp8_e4m3": [0x44, 0xb0], "fp8_e5m2": [0x42, 0xb8]}
        for name, bits in patterns.items():
            with self.subTest(name):
                b = tenon.Tensor(np.array(bits, tenon.dtype(name).storage), tenon.dtype(name))
                self.assertEqual(repr(b), f"Tensor({name}[2], [3.0, -0.5])")
                self.assertEqual((b.tolist(), b[0], list(b), (b == 3).tolist()), ([3, -.5], 3, [3, -.5], [True, False]))
                self.assertEqual((b + 1).tolist(), [4, 0.5])
                self.assertEqual(np.exp(b).tolist(), np.exp(np.float32([3, -.5])).tolist())
                self.assertEqual((float(b.max()), b.sum(), np.asarray(b).tolist()), (3, 2.5, [3, -.5]))
                self.assertEqual((np.asarray(b, np.float64).tolist(), np.mean(b)), ([3, -.5], 1.25))
                self.assertIn("3.  -0.5", b._repr_html_())
                one = tenon.Tensor(b._array[:1].reshape(()), b._dtype)
                self.assertEqual((float(one), int(one), bool(one)), (3, 3, True))
                with self.assertRaises(TypeError):
                    [1, 2, 3, 4][one]
                with self.assertRaisesRegex(ValueError, "read-only"):
                    b.sort()
                with self.assertRaisesRegex(ValueError, "without a copy"):
                    b.__array__(copy=False)
                self.assertEqual((b.numpy().tolist(), b.bits().ravel().tolist()), (bits, bits))

    def test_four_bits(self):
        """An element fills a byte, which can hold what it is not."""
        for name, fits, wrong in (("si4", [7, -8], (30, 3)), ("ui4", [15, 0], (3, 16))):
            storage = tenon.dtype(name).storage
            net = twice(name, 2)
            self.assertEqual(net(np.array(fits, storage)).tolist(), fits * 2)
            bad = np.array(wrong, storage)
            for given in (bad, np.stack([bad, bad], 1)[:, 0], tenon.Tensor(bad, tenon.dtype(name)), list(wrong)):
                with self.assertRaisesRegex(tenon.InputError, "out of range|which does not hold|which holds"):
                    net(given)
            a = np.array(fits, storage)
            call = net.bind(a)
            self.assertEqual(call().tolist(), fits * 2)
            a[:] = bad
            with self.assertRaisesRegex(tenon.InputError, f"input 0 .* has values out of range: {name} holds"):
                call()
            with self.assertRaisesRegex(TypeError, "there are others"):
                tenon.tensor(bad, name)

    def test_every_byte_of_four_bits(self):
        for name, low, high in (("si4", -8, 7), ("ui4", 0, 15)):
            x = np.zeros(11, tenon.dtype(name).storage)
            call = twice(name, 11).bind(x)
            for k in (0, 1, 7, 8, 10):  # also behind the last eight
                for value in range(256):
                    x.view(np.uint8)[k] = value
                    try:
                        fits = call().tolist() == x.tolist() * 2
                    except tenon.InputError:
                        fits = False
                    self.assertEqual(fits, low <= x[k] <= high, (name, k, value))
                x[k] = 0

    def test_masked(self):
        """What a mask hides has no value; a mask that hides nothing is no matter."""
        hidden = np.ma.masked_array(np.arange(3, dtype=np.float32), [False, True, False])
        net = twice("f32", 3)
        for use in (tenon.tensor, net, net.bind, lambda x: tenon.tensor(x, "f32"), lambda x: tenon.tensor([x, x]),
                    lambda x: tenon.tensor([x, x], "f32"), lambda x: tenon.train.reduce_tree([x, x]),
                    tenon.function(lambda x: x + 1),
                    lambda x: tenon.function(lambda y: y + x)(np.zeros(3, np.float32))):
            with self.assertRaisesRegex((TypeError, tenon.Error), "masked elements, which have no value"):
                use(hidden)
        whole = np.ma.masked_array(np.arange(3, dtype=np.float32), [False] * 3)
        self.assertEqual(net(whole).tolist(), [0, 1, 2, 0, 1, 2])
        self.assertEqual(net(hidden.filled(7)).tolist(), [0, 7, 2, 0, 7, 2])

    def test_dlpack_ownership(self):
        array = np.arange(4, dtype=np.float32)
        alive = weakref.ref(array)
        t = tenon.tensor(array)
        for version in (None, (1, 0)):
            capsule = t.__dlpack__(max_version=version)
            del capsule  # nobody took it
        self.assertEqual(_dlpack._held, {})
        taken = np.from_dlpack(t)
        del array, t
        gc.collect()
        self.assertIsNotNone(alive())
        self.assertEqual(taken.tolist(), [0, 1, 2, 3])
        del taken
        gc.collect()
        self.assertIsNone(alive())
        self.assertEqual(_dlpack._held, {})

    def test_dlpack_of_nothing(self):
        """What gives no capsule, or one that was taken, is refused."""
        used = tenon.tensor([1.0]).__dlpack__()
        owner = mock.Mock(spec=["__dlpack__"], __dlpack__=lambda **_: used)
        self.assertEqual(tenon.tensor(owner).tolist(), [1])
        for capsule in used, None, 5:
            with self.assertRaisesRegex(BufferError, "gives no DLPack capsule"):
                tenon.tensor(mock.Mock(spec=["__dlpack__"], __dlpack__=lambda **_: capsule))

    def test_dlpack_strides(self):
        wide = np.arange(12, dtype=np.float64).reshape(3, 4)
        for view in (wide.T, wide[::2], wide[:, 1:3], wide[:0]):
            got, _ = _dlpack.take(Foreign(view))
            self.assertEqual(got.tolist(), view.tolist())

    def test_strides_of_fields(self):
        """They are no multiples of an element, which DLPack cannot say."""
        rows = np.zeros(4, [("x", "f4"), ("y", "i1")])
        rows["x"] = [1, 2, 3, 4]
        t = tenon.tensor(rows["x"])
        self.assertEqual(t.tolist(), [1, 2, 3, 4])
        self.assertEqual(np.from_dlpack(t).tolist(), [1, 2, 3, 4])
        with self.assertRaisesRegex(BufferError, "strides"):
            t.__dlpack__(max_version=(1, 0), copy=False)

    def test_made_of_bits(self):
        bits = np.array([0x3f80], np.uint16)
        for d in ("bf16", tenon.dtype("bf16")):
            self.assertEqual(tenon.Tensor(bits, d).astype("f32").tolist(), [1])
        self.assertEqual(tenon.Tensor(np.array([1, 2], ">f4"), "f32").numpy().tobytes(), np.array([1, 2], "f4").tobytes())
        for wrong in (np.zeros(2, np.float32), np.zeros(2, np.int64), "ab"):
            with self.assertRaisesRegex(TypeError, "a tensor of f64 is made of an array of float64"):
                tenon.Tensor(wrong, "f64")

    def test_ranges_and_fields(self):
        """A range is a list of numbers; a field of a structure is an array, the structure is none."""
        net, records = twice("f32", 2), np.array([(1, 2), (3, 4)], [("a", "f4"), ("b", "f8")])
        self.assertEqual(net(range(2)).tolist(), [0, 1] * 2)
        self.assertEqual(tenon.function(lambda x: x + range(2))(np.ones(2, np.float32)).tolist(), [1, 2])
        self.assertEqual(net(records["a"]).tolist(), [1, 3] * 2)
        with self.assertRaisesRegex(tenon.InputError, r"x\['a'\] is a field of it"):
            net(records)

    def test_numbers(self):
        self.assertEqual(complex(tenon.tensor(np.array(1 + 2j, np.complex64))), 1 + 2j)
        self.assertEqual(complex(tenon.tensor(2.5)), 2.5)

    def test_versioned(self):
        """What consumers of DLPack 1 ask for, and a tensor that may only be read."""
        frozen = np.arange(3, dtype=np.int16)
        frozen.flags.writeable = False
        got, d = _dlpack.take(tenon.tensor(frozen))
        self.assertEqual((d.name, got.tolist()), ("si16", [0, 1, 2]))
        with self.assertRaises(BufferError):
            tenon.tensor(frozen).__dlpack__(dl_device=(2, 0))

    def test_dtype_names(self):
        for like in ("f32", "float32", np.float32, np.dtype("f4"), "<f4"):
            self.assertEqual(tenon.dtype(like).name, "f32")
        with self.assertRaisesRegex(TypeError, "no element type 'f31'"):
            tenon.dtype("f31")
        for text in ("f32[8, 3]", "bf16[n]", "i1[]"):
            self.assertEqual(str(tenon.parse_type(text)), text)
        for wrong in ("f32[", "f32[-1]", "f32[\u00b2]", "[3]", "f32[a b]"):
            with self.assertRaises(ValueError):
                tenon.parse_type(wrong)


class Foreign:
    def __init__(self, x):
        self.x = x

    def __dlpack__(self, **_):
        return self.x.__dlpack__()


if __name__ == "__main__":
    unittest.main()
