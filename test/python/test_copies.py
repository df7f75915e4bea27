"""copy, deepcopy and pickle: a real copy, or a refusal; never a second owner of a handle."""
import copy
import gc
import io
import pickle
import sys
import unittest
import warnings

from lib import package  # noqa: F401

import numpy as np

import tenon

NET = """%0 = Input () {name="x"} : tensor<f32>[n,3]
%1 = Relu (%0) : tensor<f32>[n,3]
outputs: %1"""
X = np.array([[1, -2, 3]], np.float32)
WAYS = {"copy": copy.copy, "deepcopy": copy.deepcopy, "pickle": lambda x: pickle.loads(pickle.dumps(x))}


@tenon.function
def doubled(x):
    return x * 2


class Copies(unittest.TestCase):
    def setUp(self):
        self.unraisable = []
        self.hook, sys.unraisablehook = sys.unraisablehook, lambda what: self.unraisable.append(what.exc_value)

    def tearDown(self):
        gc.collect()
        sys.unraisablehook = self.hook
        self.assertEqual(self.unraisable, [])

    def test_refused(self):
        net = tenon.load(NET)
        fixed = tenon.load(NET, dims={"n": 1})
        data = tenon.train.Dataset({"x": X})
        group = tenon.train.RankGroup(2)
        loss = tenon.read(NET.replace("[n,3]", "[n]").replace("outputs", '%2 = Input () {name="w"} : tensor<f32>[]\n'
                          "%3 = BinOp (%1, %2) {op=Mul} : tensor<f32>[n]\n"
                          "%4 = Sum (%3) {axes=[0], keepdims=false} : tensor<f32>[]\noutputs").replace(": %1", ": %4"))
        trainer = tenon.train.Trainer(loss, {"x": X[0]}, wrt="w", batch=1)
        trace = tenon._trace.Trace("main")
        with trace:
            pass
        objects = [net, fixed.bind(X), tenon.Context(), data, group, group.rank(0), trainer, trace]
        for x in objects:
            for name, way in WAYS.items():
                with self.subTest(type(x).__name__, way=name):
                    with self.assertRaisesRegex(TypeError, f"class {type(x).__name__} cannot be copied or pickled"):
                        way(x)
                    if name != "copy":  # which shares the parts
                        with self.assertRaisesRegex(TypeError, "cannot be copied or pickled"):
                            way({"part": [x]})
        del objects, x
        gc.collect()
        self.assertEqual(net(X).tolist(), [[1, 0, 3]])

    def test_modules(self):
        for name, way in WAYS.items():
            with self.subTest(name):
                m = tenon.read(NET)
                other = way(m)
                self.assertEqual((str(other), other.dialect), (str(m), m.dialect))
                del m
                gc.collect()
                self.assertEqual(other.compile()(X).tolist(), [[1, 0, 3]])

    def test_with_all_bits(self):
        """What the module's own dialect cannot say: another holds it, and rounds nothing differently."""
        f = tenon.function("f32[n, 3]")(lambda x: (np.sqrt(abs(x)) @ np.sin(x.T)).sum(axis=1))
        model = tenon.read(f.module.convert("onnx").data("onnx"), dialect="onnx")
        for m in (f.module, model, tenon.read(f.module.convert("stablehlo").text(), dialect="stablehlo")):
            with self.subTest(m.dialect), warnings.catch_warnings():
                warnings.simplefilter("error")
                other = pickle.loads(pickle.dumps(m))
                self.assertTrue(m.equiv(other))
                self.assertEqual(other.inputs, m.inputs)

    def test_names_of_inputs(self):
        """Those of arguments stay, of which PTIR's file has only positions; the dialect, too."""
        f = tenon.function(lambda b, a: (a - b, np.exp(b) * a))
        x = np.ones((3, 3), np.float32)
        for m in (f.trace(x, x), tenon.read(f.module.convert("ptir").data("ptir"), dialect="ptir")):
            other = pickle.loads(pickle.dumps(m))
            self.assertEqual((other.inputs, other.dialect), (m.inputs, "ptir"))
            self.assertTrue(m.equiv(other) and m.equiv(tenon.read(other.text("ptir-text"), context=tenon.Context())))
        self.assertEqual([p.name for p in pickle.loads(pickle.dumps(f.module)).inputs], ["b", "a"])

    def test_tensors(self):
        for d in ("f32", "bf16", "si4"):
            for name, way in WAYS.items():
                with self.subTest(d, way=name):
                    t = tenon.tensor([1, 2, 3], d)
                    other = way(t)
                    self.assertEqual(repr(other), repr(t))
                    self.assertIs(other._dtype, t._dtype)
                    t._array[0] = 0
                    self.assertNotEqual(repr(other), repr(t))
                    many = tenon.load(NET + ", %0")(X)
                    other = way(many)
                    self.assertEqual((repr(other), type(other).__name__), (repr(many), "Results"))
                    self.assertIsInstance(other[1], tenon.Tensor)
        y = copy.copy(tenon.load(NET)(X))
        gc.collect()
        self.assertEqual(y.tolist(), [[1, 0, 3]])

    def test_functions(self):
        """As Python's: a copy is the function itself, and pickle stores its name."""
        for way in WAYS.values():
            self.assertIs(way(doubled), doubled)

        @tenon.function
        def f(x):
            y = copy.deepcopy({"x": copy.copy(x), "n": x.shape[0]})
            with self.assertRaisesRegex(TypeError, "only while its function is traced"):
                pickle.dump(x, io.BytesIO())
            return y["x"] + x
        self.assertEqual(f(X).tolist(), [[2, -4, 6]])

    def test_half_made(self):
        """What a constructor or a caller left without a handle is collected silently."""
        with self.assertRaises(TypeError):
            tenon.Context("1G")
        for made in (tenon.Context, tenon.Module, tenon.Program, tenon.train.Dataset, tenon.train.Trainer,
                     tenon.train.RankGroup):
            made.__new__(made)
        gc.collect()


if __name__ == "__main__":
    unittest.main()
