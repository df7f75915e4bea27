"""Tensors: what NumPy and other libraries make of them, and types that NumPy lacks."""
import gc
import unittest
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

    def test_dlpack_strides(self):
        wide = np.arange(12, dtype=np.float64).reshape(3, 4)
        for view in (wide.T, wide[::2], wide[:, 1:3], wide[:0]):
            got, _ = _dlpack.take(Foreign(view))
            self.assertEqual(got.tolist(), view.tolist())

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
        for wrong in ("f32[", "f32[-1]", "[3]", "f32[a b]"):
            with self.assertRaises(ValueError):
                tenon.parse_type(wrong)


class Foreign:
    def __init__(self, x):
        self.x = x

    def __dlpack__(self, **_):
        return self.x.__dlpack__()


if __name__ == "__main__":
    unittest.main()
