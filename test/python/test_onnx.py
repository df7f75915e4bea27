"""ONNX models from Python: data in other files, shapes and values on which reading depends, gradients."""
import copy
import gc
import os
import pathlib
import tempfile
import unittest
import unittest.mock
import weakref

from lib import package  # noqa: F401
from lib.onnx_files import model, node, put_external, put_tensor

import numpy as np

import tenon

X = ("x", "f32", [2, 3])
Y = ("y", "f32", None)
W = np.arange(40000, dtype=np.float32)
WITH_DATA = model([node("Add", "x w", "y")], [("x", "f32", [40000])], [Y],
                  [put_external(W.shape, "f32", "w", location="sub/w.bin", offset=4096)])
FILE = bytes(4096) + W.tobytes()
# The rank of the result depends on the value of `shape`.
RESHAPES = model([node("Reshape", "x shape", "y")], [X, ("shape", "si64", [2])], [Y])
# The number of results depends on the extent of `x`.
SPLITS = model([node("Shape", "x", "s"), node("ConstantOfShape", "s", "z"), node("NonZero", "z", "i"),
                node("Shape", "i", "y")], [("x", "f32", ["n"])], [("y", "si64", [2])])


OPEN = model([node("Relu", "x", "y")], [("x", "f32", ["n", 4])], [Y])


class Results(unittest.TestCase):
    def test_values_inside(self):
        data = model([node("Relu", "x", "a"), node("NonZero", "a", "found")], [X, ("other", "f32", [2])], [("found", "si64", None)])
        x = np.float32([[1, -2, 3], [-4, 5, -6]])
        with self.assertRaisesRegex(tenon.Rejected, "NonZero"):
            tenon.load(data)
        for net in (tenon.load(data, results=["a"]), tenon.read(data, results=("a",)).compile()):
            np.testing.assert_array_equal(net(x), np.maximum(x, 0))
        with self.assertRaises(TypeError):
            tenon.load(data, results="a")

    def test_not_of_other_programs(self):
        with self.assertRaisesRegex(tenon.UsageError, "in ONNX models only"):
            tenon.read("y = relu(x)", dialect="mind-source", inputs=["x=f32[2]"], results=["y"])


class Shapes(unittest.TestCase):
    def test_shapes(self):
        self.assertEqual(tenon.load(OPEN, shapes={"x": (3, 4)}).inputs[0].shape, (3, 4))
        self.assertEqual(tenon.load(OPEN, shapes={"x": np.array([3, 4])}).inputs[0].shape, (3, 4))
        self.assertEqual(tenon.load(OPEN, shapes={"x": (None, 4)}).inputs[0].shape, ("n", 4))
        self.assertEqual(tenon.load(RESHAPES, shapes={"x": (2, 3), "shape": [2]},
                                    constants={"shape": np.array([3, 2])}).outputs[0].shape, (3, 2))

    def test_refused(self):
        for shapes, message in (({"x": (3, 5)}, r"the shape \(3, 5\) is given for the input x: f32\[3, 4\]"),
                                ({"x": (3,)}, r"the shape \(3,\) is given for the input x: f32\[n, 4\]"),
                                ({"z": (3, 4)}, "a shape is given for 'z', which is no input; there are 'x'"),
                                ({"x": (-3, 4)}, "extents are numbers from 0 on, or None"),
                                ({"x": ("n", 4)}, "extents are numbers"), ({"x": 3}, "extents are numbers")):
            for function in (tenon.load, tenon.read):
                with self.subTest(shapes), self.assertRaisesRegex(tenon.UsageError, message):
                    function(OPEN, shapes=shapes)
        with self.assertRaisesRegex(tenon.UsageError, "only ONNX models take 'shapes'; 'dims' gives values"):
            tenon.read('%0 = Input () {name="x"} : tensor<f32>[n]\noutputs: %0', shapes={"x": (3,)})


class Data(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.top = pathlib.Path(place.name)
        (self.top / "model/sub").mkdir(parents=True)
        (self.top / "model/sub/w.bin").write_bytes(FILE)
        self.path = self.top / "model/m.onnx"
        self.path.write_bytes(WITH_DATA)

    def check(self, net):
        np.testing.assert_array_equal(net(np.ones(40000, np.float32)), W + 1)

    def test_beside_the_model(self):
        self.check(tenon.load(self.path))
        self.check(tenon.load(str(self.path), engine="ref"))
        self.check(tenon.open(self.path).compile())

    def test_in_a_folder(self):
        other = self.top / "other.onnx"
        other.write_bytes(WITH_DATA)
        with self.assertRaisesRegex(tenon.Rejected, "No such file"):
            tenon.load(other)
        for folder in self.top / "model", str(self.top / "model"):
            self.check(tenon.load(other, external=folder))
            self.check(tenon.load(WITH_DATA, external=folder))
        with self.assertRaises(tenon.Rejected) as caught:
            tenon.load(WITH_DATA)
        self.assertEqual(caught.exception.diagnostics[0].kind, "ExternalData")

    def test_nothing_outside(self):
        (self.top / "model/sub/w.bin").rename(self.top / "w.bin")
        (self.top / "model/sub/w.bin").symlink_to(self.top / "w.bin")
        with self.assertRaisesRegex(tenon.Rejected, "leads out of the folder"):
            tenon.load(self.path)

    def test_in_memory(self):
        for data in FILE, bytearray(FILE), memoryview(FILE), np.frombuffer(FILE, np.float32):
            net = tenon.load(WITH_DATA, external={"sub/w.bin": data})
            del data
            gc.collect()
            self.check(net)
        self.check(tenon.read(WITH_DATA, external={"./sub/w.bin": FILE}).compile(engine="ref"))
        for files, what in (({}, "there are only none"), ({"w.bin": b""}, "only 'w.bin'"),
                            ({"sub/w.bin": FILE[:-1]}, "164095 bytes, and 160000 from byte 4096")):
            with self.assertRaisesRegex(tenon.Rejected, what):
                tenon.read(WITH_DATA, external=files)
        with self.assertRaisesRegex(tenon.UsageError, "contiguous"):
            tenon.read(WITH_DATA, external={"sub/w.bin": np.ones((4, 4))[:, 1]})

    def test_interrupted(self):
        """What a mapping or the handler of a signal raises reaches the caller."""
        class Files(dict):
            def items(self):
                raise KeyboardInterrupt
        with self.assertRaises(KeyboardInterrupt):
            tenon.read(WITH_DATA, external=Files())
        with unittest.mock.patch("os.fsdecode", side_effect=KeyboardInterrupt), self.assertRaises(KeyboardInterrupt):
            tenon.read(WITH_DATA, external={"sub/w.bin": FILE})
        with unittest.mock.patch("os.fsdecode", side_effect=LookupError), self.assertRaisesRegex(tenon.Rejected, "LookupError") as caught:
            tenon.read(WITH_DATA, external={"sub/w.bin": FILE})
        self.assertIsInstance(caught.exception.__cause__, LookupError)
        self.check(tenon.load(WITH_DATA, external={"sub/w.bin": FILE}))

    def test_it_stays_as_long_as_needed(self):
        """The data of a module is that of its copies and programs, and goes with the last of them."""
        class Own(bytearray):
            pass
        data = Own(FILE)
        gone = weakref.ref(data)
        m = tenon.read(WITH_DATA, external={"sub/w.bin": data})
        del data
        other = m.passes("canonicalize")
        del m
        net = other.compile()
        del other
        gc.collect()
        self.check(net)
        self.assertIsNotNone(gone())
        del net
        gc.collect()
        self.assertIsNone(gone())

    def test_files_are_closed(self):
        def maps():
            with open("/proc/self/maps", "rb") as file:
                return sum(b"w.bin" in line for line in file)
        net = tenon.load(self.path)
        gc.collect()
        self.assertEqual(maps(), 1)
        self.check(net)
        del net
        gc.collect()
        self.assertEqual(maps(), 0)
        for _ in range(20):
            with self.assertRaises(tenon.Rejected):
                tenon.open(self.path, dialect="onnx", strict=False, external=self.top)
        self.assertEqual(maps(), 0)
        self.assertLess(len(os.listdir("/proc/self/fd")), 100)


class Known(unittest.TestCase):
    def test_values_that_shapes_depend_on(self):
        x = np.arange(6, dtype=np.float32).reshape(2, 3)
        with self.assertRaises(tenon.Rejected):
            tenon.load(RESHAPES)
        for shape in [3, 2], (3, 2), np.array([3, 2]), np.array([3, 2], np.int32), np.array([3, 2], ">i8"), tenon.tensor([3, 2], "si64"):
            net = tenon.load(RESHAPES, constants={"shape": shape})
            self.assertEqual([p.name for p in net.inputs], ["x"])
            np.testing.assert_array_equal(net(x), x.reshape(3, 2))
        m = tenon.read(RESHAPES, constants={"shape": [6, 1]})
        self.assertEqual(m.outputs[0].shape, (6, 1))
        with self.assertRaises(tenon.Rejected):
            tenon.load(RESHAPES, constants={"shapes": [3, 2]})
        with self.assertRaisesRegex(tenon.InputError, "'shape'"):
            tenon.read(RESHAPES, constants={"shape": ["a"]})

    def test_other_constants(self):
        add = model([node("Add", "x w", "y")], [X, ("w", "f32", [3])], [Y])
        for w in [0.5, 1, 2], np.array([0.5, 1, 2], np.float32), tenon.tensor([0.5, 1, 2]):
            np.testing.assert_array_equal(tenon.load(add, constants={"w": w})(np.zeros((2, 3), np.float32)), [[0.5, 1, 2]] * 2)
        narrow = model([node("Add", "x w", "y")], [("x", "bf16", [2]), ("w", "bf16", [2])], [("y", "bf16", [2])])
        net = tenon.load(narrow, constants={"w": np.array([0x3f80, 0x4000], np.uint16)})
        self.assertEqual(net(np.array([0x3f80, 0x3f80], np.uint16)).bits().tolist(), [[0x4000], [0x4040]])

    def test_shapes(self):
        with self.assertRaises(tenon.Rejected):
            tenon.read(SPLITS)
        with self.assertRaises(tenon.Rejected):
            tenon.read(SPLITS, shapes={"x": [None]})
        for n in 3, 5:
            for net in tenon.load(SPLITS, shapes={"x": [n]}), tenon.read(SPLITS, shapes={"x": (n,)}).compile():
                self.assertEqual(net.inputs[0].shape, (n,))
                self.assertEqual(net(np.ones(n, np.float32)).tolist(), [1, 0])

    def test_a_gradient(self):
        m = tenon.read(model([node("Mul", "x w", "p"), node("ReduceSum", "p", "y", keepdims=0)], [X], [("y", "f32", [])],
                             [put_tensor(np.array([[1, 2, 3]], np.float32), "w")]))
        loss, gradient = m.grad(wrt=["x"]).compile()(np.ones((2, 3), np.float32))
        self.assertEqual((float(loss), gradient.tolist()), (12, [[1, 2, 3]] * 2))


class Unread(unittest.TestCase):
    """A model that cannot be read while sizes are open is read for the inputs of each call."""

    def setUp(self):
        self.net = tenon.load(model([node("Conv", "x w", "a"), node("Split", "a", "b", axis=2), node("Mul", "b k", "y")],
                                    [("x", "f32", ["n", 1, "h"]), ("k", "f32", [1])], [Y], [put_tensor(np.ones((1, 1, 2), np.float32), "w")]))

    def test_calls(self):
        for n, h in (1, 4), (2, 3), (1, 4):
            x, k = np.arange(n * h, dtype=np.float32).reshape(n, 1, h), np.array([2], np.float32)
            want, out = (x[..., 1:] + x[..., :-1]) * 2, np.zeros((n, 1, h - 1), np.float32)
            for got in self.net(x, k), self.net(x.tolist(), [2]), self.net(k=k, x=x), self.net(x, k=k), self.net.run({"x": x, "k": k})["y"]:
                np.testing.assert_array_equal(got, want)
            self.net.bind(x, k, out=out)()
            np.testing.assert_array_equal(out, want)

    def test_values_that_shapes_depend_on(self):
        net = tenon.load(model([node("Conv", "x w", "a"), node("Reshape", "a s", "y")], [("x", "f32", [1, 1, "h"]), ("s", "si64", [2])],
                               [Y], [put_tensor(np.ones((1, 1, 2), np.float32), "w")]), shapes={"x": (1, 1, 5)}, constants={"s": [2, 2]})
        self.assertEqual(net(np.ones((1, 1, 5), np.float32)).shape, (2, 2))

    def test_before_a_run(self):
        for ask in (lambda: self.net.inputs, lambda: self.net.outputs, lambda: self.net.random_inputs(), lambda: self.net.emit("a.c")):
            with self.assertRaisesRegex(tenon.Rejected, "h"):
                ask()
        self.assertIn("for the inputs of each call", repr(self.net))
        self.assertIn("&lt;Program of a model", self.net._repr_html_())
        with self.assertRaisesRegex(tenon.InputError, "'z'"):
            self.net(x=np.ones((1, 1, 4), np.float32), z=1)
        with self.assertRaises(tenon.Rejected):
            self.net()
        with self.assertRaises(TypeError):
            copy.copy(self.net)


class Fitting(unittest.TestCase):
    """A program whose sizes are open is made again for inputs that do not fit them."""

    def test_axes_of_extent_1_spread(self):
        net = tenon.load(model([node("Add", "a b", "y")], [("a", "f32", ["n", 3]), ("b", "f32", ["m", 3])], [Y]))
        for n, m in (2, 2), (2, 1), (1, 4), (2, 1):
            a, b = np.full((n, 3), 2, np.float32), np.full((m, 3), 5, np.float32)
            np.testing.assert_array_equal(net(a, b), a + b)
            np.testing.assert_array_equal(net(b=b.tolist(), a=a), a + b)
            out = np.zeros((max(n, m), 3), np.float32)
            net.run({"a": a, "b": b}, out={"y": out})
            np.testing.assert_array_equal(out, a + b)
        with self.assertRaisesRegex(tenon.InputError, "n"):
            net(np.zeros((2, 3), np.float32), np.zeros((4, 3), np.float32))

    def test_with_a_constant(self):
        net = tenon.load(model([node("Add", "a b", "c"), node("Mul", "c k", "y")],
                               [("a", "f32", ["n"]), ("b", "f32", ["m"]), ("k", "f32", [1])], [Y]),
                         constants={"k": np.array([3], np.float32)})
        for n, m in (2, 2), (1, 2):
            np.testing.assert_array_equal(net(np.ones(n, np.float32), np.ones(m, np.float32)), np.full(2, 6))

    def test_prepared_calls(self):
        """They keep to the program that they were prepared for, and say what helps."""
        data = model([node("Add", "a b", "y")], [("a", "f32", ["n", 3]), ("b", "f32", ["m", 3])], [Y])
        a, b, out = np.ones((2, 3), np.float32), np.ones((1, 3), np.float32), np.zeros((2, 3), np.float32)
        net = tenon.load(data)
        with self.assertRaises(tenon.InputError) as caught:
            net.bind(a, b, out=out)()
        said, = caught.exception.diagnostics
        self.assertEqual(said.kind, "DimensionBinding")
        self.assertIn("shapes", said.fix.title)
        for wrong, text in (a[0], "got float32.3."), (a[:, :2], "got float32.2, 2."), (a.astype(np.float64), "got float64.2, 3."):
            with self.assertRaisesRegex((tenon.InputError, TypeError), f"'a' wants float32.n, 3., {text}"):
                net.bind(wrong, a, out=out)
        with self.assertRaisesRegex(tenon.InputError, "'y' is float32.m, 3., and cannot be written to int32"):
            net.bind(a, a, out=out.astype(np.int32))
        for shapes in {"a": a.shape, "b": b.shape}, {"b": b.shape}:
            tenon.load(data, shapes=shapes).bind(a, b, out=out)()
            np.testing.assert_array_equal(out, a + b)
            out[:] = 0

    def test_no_other_program_helps(self):
        net = tenon.load(model([node("Add", "a b", "y")], [("a", "f32", ["n"]), ("b", "f32", [2])], [Y]))
        with self.assertRaisesRegex(tenon.InputError, "'b' wants float32.2."):
            net(np.zeros(2, np.float32), np.zeros(3, np.float32))
        with self.assertRaises(tenon.InputError):
            net(np.zeros((2, 2), np.float32), np.zeros(2, np.float32))


if __name__ == "__main__":
    unittest.main()
