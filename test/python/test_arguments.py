"""Arguments of a wrong type or value: the message names them, and nothing is cut off or ignored."""
import contextlib
import copy
import os
import pathlib
import tempfile
import unittest

from lib import package  # noqa: F401

import numpy as np

import tenon
from tenon import train

NET = '%0 = Input () {name="x"} : tensor<f32>[n]\n%1 = Relu (%0) : tensor<f32>[n]\noutputs: %1'
X = np.ones((4, 3), np.float32)


@tenon.function("f32[3, 2]", "f32[n, 3]")
def loss(w, x):
    return ((x @ w - 1) ** 2).mean()


def trainer(data=None, **options):
    return train.Trainer(loss, {"x": X} if data is None else data, **{"wrt": "w", "batch": 4, **options})


class Arguments(unittest.TestCase):
    def refused(self, cases):
        for error, message, function in cases:
            with self.subTest(message), self.assertRaisesRegex(error, message):
                function()

    def test_types(self):
        net, m = tenon.load(NET), tenon.read(NET)
        path = "the name of a file is wanted, not an object of type "
        self.refused(((TypeError, message, function) for message, function in (
            (path + "NoneType", lambda: tenon.open(None)), (path + "int", lambda: tenon.open(0)),
            (path + "NoneType", lambda: tenon.load(None)), (path + "int", lambda: train.Dataset(5)),
            (path + "NoneType", lambda: trainer().write(None)),
            ("the bytes of a file are wanted, not an object of type int", lambda: tenon.read(5)),
            ("'threads' is '2', and must be a whole number", lambda: tenon.load(NET, threads="2")),
            ("'threads' is '2', and must be a whole number", lambda: net.run({"x": [1]}, threads="2")),
            ("a kernel is 5, and must be a function", lambda: tenon.custom("acme.five.v1")(5)),
            ("'check' is 5, and must be a function", lambda: tenon.custom("acme.five.v1", check=5)),
            ("operands of 'acme.five.v1' are a list, not an object of type Value",
             lambda: tenon.function("f32[3]")(lambda x: tenon.custom_call("acme.five.v1", x, "f32[3]")).module),
            ("'kernel' is 1.5, and must be a whole number", lambda: net.dump(kernel=1.5)),
            ("wants float32, got datetime64", lambda: tenon.tensor(np.datetime64("2020"), "f32")),
            ("'timeout' is '2', and must be a number", lambda: net.run({"x": [1]}, timeout="2")),
            ("'memory_bytes' is '1G', and must be a whole", lambda: tenon.Context(memory_bytes="1G")),
            ("'n' is '3', and must be a whole number", lambda: tenon.load(NET, dims={"n": "3"})),
            ("'engine' is 3, and must be a text", lambda: tenon.load(NET, engine=3)),
            ("'entry' is 3, and must be a text", lambda: tenon.read(NET, entry=3)),
            ("'dialect' is 3, and must be a text", lambda: m.convert(3)),
            ("names are wanted, not 5", lambda: m.grad(wrt=5)),
            ("extents by the names of their symbols are wanted", lambda: m.bind(5)),
            ("a module is wanted, not an object of type int", lambda: m.equiv(5)),
            ("inputs by name are wanted", lambda: net.run(5)),
            ("arrays for outputs by name are wanted, not an object of type list", lambda: net.run({"x": [1]}, out=[X])),
            ("constants by name are wanted", lambda: tenon.load(NET, constants=5)),
            ("constants by name are wanted", lambda: m.constants(5)),
            ("shapes by name are wanted", lambda: tenon.load(NET, shapes=5)),
            ("'progress' is 3, and must be a function", lambda: net.run({"x": [1]}, progress=3)),
            ("3 is no type", lambda: tenon.parse_type(3)),
            ("an object of type str is no tensor", lambda: tenon.function(lambda x: "y")(X)),
            ("an object of type object is no tensor", lambda: tenon.function(lambda x: x + object())(X)),
            ("an array of object is no tensor", lambda: tenon.tensor(np.array([{}], object))),
            ("an array of object is no tensor", lambda: trainer({"x": np.array([{}], object)})),
            ("an object of type NoneType is no tensor", lambda: trainer({"x": None})),
            ("an object of type str is no tensor", lambda: tenon.tensor("abc")),
            ("argnums is 'x', and must be the position", lambda: tenon.grad(loss, argnums="x")),
            ("argnums is 1.0, and must be the position", lambda: tenon.grad(loss, argnums=1.0)),
            ("is one number, not a tuple; with has_aux a function", lambda: tenon.grad(lambda x: (x.sum(), x))(X)),
            ("is one number, not a dict$", lambda: tenon.grad(lambda x: ({"y": x}, x), has_aux=True)(X)),
            ("is one number, not None; with has_aux", lambda: tenon.grad(lambda x: None)(X)),
            ("not an object of type function; tenon.function traces it",
             lambda: train.Trainer(lambda w: w, {"x": X}, wrt="w")),
            ("'rate' is '0.1', and must be a number", lambda: trainer(rate="0.1")))))

    def test_values(self):
        net = tenon.load(NET)
        self.refused(((tenon.UsageError, message, function) for message, function in (
            ("'threads' is -3, and must be 0 or more", lambda: tenon.load(NET, threads=-3)),
            ("'threads' is 4294967296, and must be at most", lambda: tenon.load(NET, threads=2 ** 32)),
            ("'memory_bytes' is -1", lambda: tenon.load(NET, memory_bytes=-1)),
            ("'memory_bytes' is -1", lambda: tenon.Context(memory_bytes=-1)),
            ("'seed' is 1180591620717411303424, and must be at most", lambda: net.run({"x": [1]}, seed=2 ** 70)),
            ("'seed' is -1", lambda: trainer(seed=-1)), ("'keep' is -1", lambda: trainer().save("x", keep=-1)),
            ("'n' is 18446744073709551616, and must be at most", lambda: tenon.load(NET, dims={"n": 2 ** 64})),
            ("the levels are 0, 1 and 2", lambda: tenon.load(NET, level=[2])),
            ("there is no pass called 'nope'; 'tenon passes' lists them", lambda: tenon.read(NET).passes("nope")),
            ("'cotangent' and 'seed' exclude each other", lambda: tenon.read(NET).grad(cotangent="x", seed=2)),
            ("argnums names the argument 5, but 1 are given", lambda: tenon.grad(lambda x: x.sum(), argnums=5)(X)),
            ("'w.foo' ends as no file of tensors; there are .safetensors, .npz and .npy",
             lambda: trainer().write("w.foo")))))

    def test_masked(self):
        """Elements that a mask hides would not be seen where a result is written."""
        net = tenon.load(NET)
        with self.assertRaisesRegex(tenon.InputError, "output '%1' cannot be written to an array with masked elements"):
            net.run({"x": np.ones(2, np.float32)}, out={"%1": np.ma.array(np.zeros(2, np.float32), mask=[True, False])})

    def test_indices(self):
        """Floats, and truth values that are not known while a function is traced, are not taken for positions."""
        def taken(key):
            return lambda: tenon.function(lambda x: x[key])(X)
        mask = [True, False, True, False]
        sizes = "truth values give results whose size depends"
        self.refused((
            (tenon.UsageError, sizes, taken(True)), (IndexError, "truth values of shape", taken(mask[:3])),
            (IndexError, "truth values of shape", taken((..., mask))), (tenon.UsageError, sizes, lambda: tenon.function(lambda x: x[x[:, 0] > 0])(X)),
            (IndexError, "positions are whole numbers, not f64", taken([1.5, 0])),
            (IndexError, "positions are whole numbers, not f32", lambda: tenon.function(lambda x: x[x[:, 0]])(X)),
            (IndexError, "positions are whole numbers, not f64", lambda: tenon.function(lambda x: np.take(x, [0.5]))(X)),
            (IndexError, "1.5 is no index", taken(1.5)), (IndexError, "'a' is no index", taken((0, "a"))),
            (IndexError, "an index has one '...' at most", taken((..., ...)))))
        for known in mask, np.array(mask), tenon.tensor(mask):
            np.testing.assert_array_equal(taken(known)(), X[[0, 2]])
        self.assertEqual(taken([])().shape, (0, 3))
        self.assertEqual(taken(np.int8(-1))().shape, (3,))

    def test_scan(self):
        with self.assertRaisesRegex(tenon.UsageError, "the body of the scan gives a pair"):
            tenon.function(lambda x: tenon.scan(lambda c, v: c, x[0], x))(X)

    def test_nul(self):
        """C would read what is before it."""
        with tempfile.TemporaryDirectory() as place:
            path = os.path.join(place, "a.ir")
            pathlib.Path(path).write_text(NET, encoding="ascii")
            net = tenon.load(path, dims={"n": 2})
            self.refused(((tenon.UsageError, "no NUL character", function) for function in (
                lambda: tenon.load(path + "\0.onnx"), lambda: tenon.open(path + "\0b"), lambda: net.emit(path + "\0.c"),
                lambda: tenon.read(NET).save(path + "\0.ir"), lambda: trainer().write(path + "\0.npz"),
                lambda: tenon.load(NET, dims={"n\0x": 3}), lambda: net.dump("graph\0"))))
            self.assertEqual(os.listdir(place), ["a.ir"])

    def test_lists_for_training(self):
        """Lists take the type of the input, as those of a call."""
        rows = X.tolist()
        first = [[1, 2], [3, 4], [5, 6]]
        t = trainer({"x": rows}, init={"w": first})
        same = trainer({"x": X}, init={"w": np.array(first, np.float32)})
        self.assertEqual((t.step(), t.digest), (same.step(), same.digest))
        self.assertEqual(str(train.Dataset({"x": rows, "k": [1, 2, 3, 4]}).tensors[0]), "x: f32[4, 3]")
        with self.assertRaisesRegex(tenon.InputError, "'x' wants .*, got 1j"):
            trainer({"x": [[1j, 2, 3]]})

    def test_weights(self):
        t = trainer()
        for change in (lambda w: w.__setitem__("w", 1), lambda w: w.update(w=1), lambda w: w.pop("w")):
            with self.assertRaisesRegex(TypeError, "these are copies of the weights"):
                change(t.weights)
        own = copy.copy(t.weights)
        own["w"] = own["w"] + 1
        self.assertEqual({**t.weights}.keys(), own.keys())
        self.assertEqual(float(loss(**t.weights, x=X)), float(loss(t.weights["w"], X)))

    def test_torch(self):
        try:
            import torch
        except ImportError:
            self.skipTest("there is no torch")
        net = tenon.load(NET)
        with self.assertRaisesRegex(tenon.InputError, "input 'x': .*Can't export tensors that require gradient"):
            net(torch.ones(3, requires_grad=True))
        with self.assertRaisesRegex(tenon.InputError, r"input 'x' wants float32\[n\], got bool\[3\]"):
            net(torch.ones(3) > 0)
        self.assertEqual(tenon.tensor(torch.ones(2) > 0).tolist(), [True, True])


class Kernels(unittest.TestCase):
    def test_cause(self):
        """What a kernel raises is the cause of the error; what is no Exception is raised itself."""
        raised = KeyError("why")

        @tenon.custom("acme.fails.f32.v1")
        def fails(x):
            raise raised
        net = tenon.load("func @main(%x: tensor<f32, 3>) -> tensor<f32, 3> {\n"
                         '  %y = custom_call(%x) target["acme.fails.f32.v1"] -> tensor<f32, 3>\n  return %y\n}\n')
        for call in (lambda: net([1, 2, 3]), lambda: net.run({"x": [1, 2, 3]}), net.bind(np.ones(3, np.float32))):
            with self.assertRaisesRegex(tenon.RunError, "KeyError: 'why'") as caught:
                call()
            self.assertIs(caught.exception.__cause__, raised)
        with contextlib.suppress(tenon.RunError):
            tenon.load(NET).run({"x": [1]}, timeout=1e-9)
        raised = KeyboardInterrupt()
        with self.assertRaises(KeyboardInterrupt):
            net([1, 2, 3])
        with self.assertRaises(tenon.InputError) as caught:
            net([1, 2])
        self.assertIsNone(caught.exception.__cause__)

    def test_results(self):
        """What is wrong with the results of a kernel is said, under a kind of its own."""
        for k, (returns, words) in enumerate((
                (lambda x: x.astype(np.float64), r"result 0 is float64\[3\], but the program declares float32\[3\]"),
                (lambda x: x[:1], r"result 0 is float32\[1\], but the program declares float32\[3\]"),
                (lambda x: (x, x), "2 results, but the program declares 1"))):
            target = f"acme.returns{k}.v1"
            tenon.custom(target)(returns)
            f = tenon.function(lambda x, target=target: tenon.custom_call(target, [x], ["f32[3]"]))
            with self.assertRaisesRegex(tenon.RunError, words) as caught:
                f(np.ones(3, np.float32))
            self.assertEqual([(d.kind, d.code) for d in caught.exception.diagnostics], [("InvalidValue", "InvalidValue")])


class Elements(unittest.TestCase):
    """Numbers that an operation repeats."""

    def refused(self, value, dtype, words):
        x = np.zeros(2, tenon.dtype(dtype).storage)
        for f in (lambda x: tenon.full((2,), value, dtype), lambda x: np.pad(x, 1, constant_values=value)):
            with self.assertRaisesRegex(tenon.Error, words):
                tenon.function(f)(x)

    def test_range(self):
        for value in (2 ** 63 + 1, 2 ** 64 + 1, -2 ** 64 - 1, 10 ** 40, 10 ** 400, 10 ** 5000):
            for dtype in ("si8", "ui8", "si32", "si64"):
                self.refused(value, dtype, f"is no value of type {dtype}")
        self.refused(10 ** 400, "f32", "1000.* is no value of type f32|an integer of 1329 bits is no value of type f32")

    def test_kind(self):
        for value in ("a", None, [1, 2], 1j):
            for dtype in ("si8", "f32"):
                self.refused(value, dtype, f"one number is wanted for an element of type {dtype}, not ")


if __name__ == "__main__":
    unittest.main()
