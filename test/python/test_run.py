"""Programs called from Python: inputs of every kind, results bit for bit those of the evaluator."""
import array
import os
import subprocess
import sys
import threading
import unittest
from unittest import mock

from lib import package  # noqa: F401

import numpy as np

import tenon
from tenon import _frame

ADD = """%0 = Input () {name="x"} : tensor<f32>[2,3]
%1 = Input () {name="y"} : tensor<f32>[2,3]
%2 = BinOp (%0, %1) {op=Add} : tensor<f32>[2,3]
outputs: %2"""
SYMBOLIC = """%0 = Input () {name="x"} : tensor<f32>[n,3]
%1 = Exp (%0) : tensor<f32>[n,3]
%2 = Sum (%1) {axes=[1], keepdims=false} : tensor<f32>[n]
outputs: %1, %2"""
X = np.arange(6, dtype=np.float32).reshape(2, 3)


class Interface:
    """An array of another library."""

    def __init__(self, array):
        self.array = array
        self.__array_interface__ = array.__array_interface__


class Exporter:
    """An object of another library: it has DLPack alone."""
    def __init__(self, x):
        self.x = x

    def __dlpack__(self):
        return self.x.__dlpack__()

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()


class Calls(unittest.TestCase):
    def setUp(self):
        self.add = tenon.load(ADD)

    def same(self, got, want):
        self.assertEqual(np.asarray(got).tolist(), want.tolist())

    def test_ways_of_giving(self):
        self.same(self.add(X, X), X + X)
        self.same(self.add(y=X, x=X * 2), X * 3)
        self.same(self.add(X, y=X), X + X)
        self.same(self.add.run({"x": X, "y": X})["%2"], X + X)
        self.same(self.add(self.add(X, X), X), X * 3)

    def test_kinds_of_inputs(self):
        wide = np.zeros((4, 6), np.float32)
        strided = wide[::2, ::2]
        strided[...] = X
        frozen = X.copy()
        frozen.flags.writeable = False
        moved = np.frombuffer(b"\0" + X.tobytes(), np.uint8)[1:].view(np.float32).reshape(2, 3)
        for x in (X.tolist(), [[0, 1, 2], [3, 4, 5]], strided, np.asfortranarray(X), frozen, moved,
                  X.astype(">f4"), memoryview(X), tenon.tensor(X), Interface(X), Exporter(X)):
            with self.subTest(kind=type(x).__name__):
                self.same(self.add(x, X), X + X)

    def test_buffers_and_numbers(self):
        twice = tenon.load('%0 = Input () {name="x"} : tensor<f32>[]\n'
                           '%1 = BinOp (%0, %0) {op=Add} : tensor<f32>[]\noutputs: %1')
        for x in (3, 3.0, np.float64(3), np.int8(3), np.array(3, np.float32)):
            self.assertEqual(float(twice(x)), 6.0)
        row = tenon.load('%0 = Input () {name="x"} : tensor<f32>[3]\n%1 = Relu (%0) : tensor<f32>[3]\noutputs: %1')
        self.assertEqual(row(array.array("f", [-1, 0, 1])).tolist(), [0, 0, 1])

    def test_torch(self):
        try:
            import torch
        except ImportError:
            self.skipTest("there is no torch")
        x = torch.arange(6, dtype=torch.float32).reshape(2, 3)
        y = self.add(x, x)
        self.same(y, X + X)
        back = torch.from_dlpack(y)
        self.assertEqual(back.data_ptr(), np.asarray(y).ctypes.data)
        del y
        self.same(back.numpy(), X + X)
        with self.assertRaisesRegex(tenon.InputError, "'x': an object of type Tensor has no memory of the CPU"):
            self.add(torch.zeros(2, 3, device="meta"), X)

    def test_symbolic_sizes(self):
        net = tenon.load(SYMBOLIC)
        self.assertEqual(str(net.inputs[0]), "x: f32[n, 3]")
        ref = tenon.read(SYMBOLIC).compile(engine="ref")
        for n in (4, 1, 0, 7, 4):
            x = np.linspace(-3, 3, n * 3, dtype=np.float32).reshape(n, 3)
            got, want = net(x), ref(x)
            self.assertEqual([g.shape for g in got], [(n, 3), (n,)])
            for g, w in zip(got, want):
                self.assertEqual(g.bits().tolist(), w.bits().tolist())
        bound = tenon.load(SYMBOLIC, dims={"n": 2})
        self.assertEqual(str(bound.inputs[0]), "x: f32[2, 3]")
        with self.assertRaises(tenon.InputError):
            bound(np.zeros((3, 3), np.float32))

    def test_constants(self):
        net = tenon.load(ADD, constants={"y": X})
        self.assertEqual([p.name for p in net.inputs], ["x"])
        self.same(net(X), X + X)
        with self.assertRaisesRegex(tenon.InputError, "the constant 'y' wants float32"):
            tenon.load(ADD, constants={"y": X.astype(np.int32)})
        with self.assertRaisesRegex(tenon.UsageError, "no input 'z'; there are 'x', 'y'"):
            tenon.load(ADD, constants={"z": X})

    def test_out_and_bind(self):
        y = np.zeros((2, 3), np.float32)
        got = self.add.run({"x": X, "y": X}, out={"%2": y})
        self.assertIs(got["%2"], y)
        self.same(y, X + X)
        x = X.copy()
        call = self.add.bind(x, X, out=y)
        x += 1
        self.assertIs(call(), y)
        self.same(y, X + X + 1)
        self.same(self.add.bind(X, X)(), X + X)
        with self.assertRaisesRegex(tenon.InputError, "contiguous"):
            self.add.bind(np.zeros((3, 2), np.float32).T, X)
        column = np.zeros((3, 2), np.float32)
        for copied in (memoryview(column.T), tenon.tensor(column.T), np.zeros((2, 3), ">f4"), Interface(column.T)):
            with self.assertRaisesRegex(tenon.InputError, "contiguous"):
                self.add.bind(copied, X)
        for given in (memoryview(x), tenon.tensor(x), Interface(x), np.frombuffer(bytes(24), np.float32).reshape(2, 3)):
            call = self.add.bind(given, X)
            if not isinstance(given, np.ndarray):
                x += 1
            self.same(call(), np.asarray(given) + X)
        self.same(self.add.bind([[1, 1, 1], [1, 1, 1]], X)(), X + 1)
        with self.assertRaisesRegex(tenon.InputError, "cannot be written"):
            self.add.bind(X, X, out=np.zeros((2, 2), np.float32))

    def test_places(self):
        """Large results begin with a cache line."""
        double = tenon.function(lambda x: x + x)
        x = np.arange(200_003, dtype=np.float32)
        results = [double(x) for _ in range(5)] + [double.trace("f32[200003]").compile().bind(x)()]
        for y in results:
            self.same(y, x + x)
            self.assertEqual(y.numpy().ctypes.data % 64, 0)
            self.assertTrue(y.numpy().flags.writeable)

    def test_late_interrupt(self):
        """An interrupt that comes when the work is done ends this call, and not the next one that uses the same memory."""
        net = tenon.load(ADD)
        net(X, X)
        call = net.bind(X, X)
        for frame, run in ((net._frames[0], lambda: net(X, X)), (call._frame, call)):
            frame.hooks.interrupt = KeyboardInterrupt()
            with self.assertRaises(KeyboardInterrupt):
                run()
            self.same(run(), X + X)

    def test_refused(self):
        for message, args, named in [
                (r"input 'y' wants float32\[2, 3\], got float64\[2, 3\]; x.astype\('float32'\) converts",
                 (X, X.astype(float)), {}),
                (r"input 'x' wants float32\[2, 3\], got float32\[3, 2\]", (X.T, X), {}),
                (r"no tensor is given for input 'y'", (X,), {}),
                (r"there is no input 'z'; there are 'x', 'y'", (X,), {"z": X}),
                (r"input 'x' is given twice", (X,), {"x": X}),
                (r"the program has 2 inputs, but 3 are given", (X, X, X), {}),
                (r"input 'x' wants float32\[2, 3\], got 1j", (1j, X), {}),
                (r"no tensor", ([[1, 2], [3]], X), {}),
                (r"got an object of type object", (object(), X), {})]:
            with self.subTest(message=message), self.assertRaisesRegex(tenon.InputError, message):
                self.add(*args, **named)

    def test_integers(self):
        net = tenon.load("func @main(%x: tensor<si8, 2>) -> tensor<si8, 2> {\n"
                         "  %y = add(%x, %x) -> tensor<si8, 2>\n  return %y\n}\n")
        self.assertEqual(net([1, -2]).tolist(), [2, -4])
        for wrong in ([1.5, 2], [300, 0], [True, 2.0]):
            with self.assertRaises(tenon.InputError):
                net(wrong)

    def test_run_errors(self):
        net = tenon.load("func @main(%x: tensor<f32, 4>, %i: tensor<si32, 1>) -> tensor<f32, 1> {\n"
                         "  %y = take(%x, %i) -> tensor<f32, 1>\n  return %y\n}\n")
        self.assertEqual(net([1, 2, 3, 4], [2]).tolist(), [3])
        with self.assertRaises(tenon.RunError) as caught:
            net([1, 2, 3, 4], [9])
        self.assertEqual(caught.exception.diagnostics[0].severity, "error")
        self.assertEqual(net([1, 2, 3, 4], [0]).tolist(), [1])

    def test_seeds(self):
        net = tenon.load("func @main() -> tensor<f32, 5> {\n  %y = rng_uniform -> tensor<f32, 5>\n  return %y\n}\n")
        one, again, two = (net.run({}, seed=s)["%0" if net.outputs[0].name == "%0" else net.outputs[0].name]
                           for s in (1, 1, 2))
        self.assertEqual(one.tolist(), again.tolist())
        self.assertNotEqual(one.tolist(), two.tolist())

    def test_random_inputs(self):
        net = tenon.load(SYMBOLIC)
        one, two = net.random_inputs(3, dims={"n": 4}), net.random_inputs(3, dims={"n": 4})
        self.assertEqual(one["x"].shape, (4, 3))
        self.assertEqual(one["x"].tolist(), two["x"].tolist())
        self.assertEqual(net.random_inputs()["x"].shape, (1, 3))
        with self.assertRaisesRegex(tenon.UsageError, "no symbolic size 'm'; it has n"):
            net.random_inputs(dims={"m": 4})
        with self.assertRaisesRegex(tenon.UsageError, "'n' is -1"):
            net.random_inputs(dims={"n": -1})
        with self.assertRaisesRegex(TypeError, "'n' is '4'"):
            net.random_inputs(dims={"n": "4"})

    def test_progress(self):
        seen = []
        self.add.run({"x": X, "y": X}, progress=seen.append)
        self.assertIn("run", [e.kind for e in seen])

        def stop(event):
            raise RuntimeError("enough")
        with self.assertRaisesRegex(RuntimeError, "enough"):
            self.add.run({"x": X, "y": X}, progress=stop)

        owned = []

        def last(event):
            if event.kind == "run":
                raise RuntimeError("late")
        with mock.patch.object(_frame.Frame, "take", lambda frame, program, o: owned.append(o.buffer.data)):
            with self.assertRaisesRegex(RuntimeError, "late"):
                self.add.run({"x": X, "y": X}, progress=last)
        self.assertTrue(owned[0])  # the results of a run that is done are freed

    def test_threads(self):
        net = tenon.load(SYMBOLIC)
        wrong = []

        def work(n):
            x = np.full((n, 3), n, np.float32)
            want = net(x)[1].tolist()
            for _ in range(30):
                if net(x)[1].tolist() != want or len(want) != n:
                    wrong.append(n)
        threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 6)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])

    def test_fork(self):
        """A child of fork, which has none of the threads, runs, compiles and frees programs."""
        code = ("import os, signal, numpy as np, tenon\n"
                "f = tenon.function(lambda x, y: x @ y)\nx = np.ones((300, 300), np.float32)\n"
                "p = f.trace(x, x).compile(threads=2)\np(x, x)\nchild = os.fork()\n"
                "if child == 0:\n    signal.alarm(100)\n    ok = p(x, x)[0, 0] == 300\n    del p\n"
                "    os._exit(0 if ok and f.module.compile(threads=2)(x, x)[0, 0] == 300 else 1)\n"
                "assert os.waitpid(child, 0)[1] == 0")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False,
                              env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_results_outlive_programs(self):
        net = tenon.load(SYMBOLIC)
        y = net(np.zeros((2, 3), np.float32))[0].numpy()
        del net
        self.assertEqual(y.tolist(), [[1, 1, 1], [1, 1, 1]])


if __name__ == "__main__":
    unittest.main()
