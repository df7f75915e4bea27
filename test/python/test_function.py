"""Programs written in Python: arguments, control flow, gradients, symbolic extents, and what is made of them."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from lib import package  # noqa: F401
from lib.program import ROOT, output

import numpy as np

import tenon
from tenon import nn

X = np.array([[-1, -0.5, 0.25], [1, 0.5, 2]])


def difference(f, x, h=1e-6):
    """The gradient of F by differences."""
    g = np.zeros_like(x)
    for i in np.ndindex(x.shape):
        a, b = x.copy(), x.copy()
        a[i] += h
        b[i] -= h
        g[i] = (float(f(a)) - float(f(b))) / (2 * h)
    return g


class Functions(unittest.TestCase):
    def test_arrays_around(self):
        """What a function takes from around it is a constant, as it was when it was traced; another type traces again."""
        around = np.ones(2, np.float32)
        f = tenon.function(lambda x: x + around)
        x = np.zeros(2, np.float32)
        self.assertEqual(f(x).tolist(), [1, 1])
        around[:] = 5
        self.assertEqual(f(x).tolist(), [1, 1])
        self.assertEqual(f(np.zeros((1, 2), np.float32)).tolist(), [[5, 5]])

    def test_foreign_tensors_around(self):
        """Through DLPack, also of types that NumPy lacks."""
        class Foreign:
            def __init__(self, x, d):
                self.x = tenon.tensor(x, d)

            def __dlpack__(self, **named):
                return self.x.__dlpack__(**named)

            def __dlpack_device__(self):
                return self.x.__dlpack_device__()

            def __array__(self, *_):
                raise TypeError("unsupported")
        for d in ("bf16", "f32", "si8"):
            y = tenon.function(lambda x: x + Foreign([1, 2], d))(tenon.tensor([3, 4], d))
            self.assertEqual((y.dtype, y.tolist()), (d, [4, 6]))

    def test_arguments(self):
        traces = []

        @tenon.function
        def f(w, x, scale=2.0):
            """It scales."""
            traces.append(1)
            return {"y": x @ w["a"] * scale, "z": [w["b"], x.shape[0] * 1.0]}
        w = {"a": X.T, "b": X}
        got = f(w, X)
        np.testing.assert_allclose(got["y"], X @ X.T * 2)
        self.assertEqual((got["z"][0].tolist(), float(got["z"][1])), (X.tolist(), 2.0))
        f(w, x=tenon.tensor(X))
        self.assertEqual(len(traces), 1)
        f({"a": X.T, "b": X[0]}, X)
        self.assertEqual(len(traces), 2)
        np.testing.assert_allclose(f(w, X, scale=np.float64(3))["y"], X @ X.T * 3)
        f(w, X, np.float64(4))
        self.assertEqual(len(traces), 3)
        self.assertEqual((f.__doc__, f.__name__), ("It scales.", "f"))
        self.assertEqual([p.name for p in f.module.inputs], ["w.a", "w.b", "x", "scale"])

    def test_static(self):
        @tenon.function(static=("n", "how"))
        def f(x, n, how="sum"):
            return getattr(np, how)(x * n)
        self.assertEqual(float(f(X, 2)), X.sum() * 2)
        self.assertEqual(float(f(X, 3, how="max")), X.max() * 3)

    def test_ufuncs(self):
        self.assertEqual(tenon.function(np.negative)(X).tolist(), (-X).tolist())
        self.assertEqual(tenon.function("f32[n]", "f32[n]")(np.add)([1, 2], [3, 4]).tolist(), [4, 6])
        self.assertEqual([r.tolist() for r in tenon.function(np.divmod)(np.int64(7), np.int64(-2))], [-4, -1])
        self.assertEqual(float(tenon.grad(np.square)(np.float32(3))), 6)

    def test_methods(self):
        class Layer:
            def __init__(self, w):
                self.w = w

            @tenon.function(static="self")
            def scaled(self, x, by=1.0):
                return x * self.w * by

            @tenon.function
            def own(self, x):
                return x

        x = X.astype(np.float32)
        for w in (2.0, 3.0):
            a = Layer(w)
            self.assertEqual(a.scaled(x).tolist(), (x * w).tolist())
            self.assertEqual(a.scaled(x, by=2.0).tolist(), (x * 2 * w).tolist())
        self.assertIs(Layer.scaled, Layer.scaled)
        with self.assertRaisesRegex(TypeError, "type Layer is no tensor .* static="):
            a.own(X)

    def test_numbers_of_numpy(self):
        """They take the type of what they meet, and alone have their own."""
        numbers = np.float64(0.1), np.int64(2**40), np.int8(-3), np.float16(0.5), np.bool_(True), np.complex64(1j), np.uint64(2**64 - 1), np.float32(0.1)
        for n, y in zip(numbers, tenon.function(lambda: numbers)()):
            self.assertEqual((y.numpy().dtype, y.tolist()), (n.dtype, n.item()))
        f = tenon.function(lambda p, x: (np.where(p, np.float64(0.1), np.float64(2)), np.where(p, np.int8(1), 2), np.where(p, np.float32(1), np.float64(0.1)),
                                         x * np.float64(0.1), tenon.fori_loop(0, 3, lambda i, s: s + 0.1, np.float64(0))))
        self.assertEqual([y.dtype for y in f(np.array([True]), X.astype("f4"))], ["f64", "si8", "f64", "f32", "f64"])

    def test_truth_values_and_numbers(self):
        """Whole numbers are none, but compare with them; what NumPy would make a float of is refused."""
        p, i = np.array([True, False]), np.array([3, -4])
        for n in (0, 1, 2, -1):
            for f in (lambda p: p == n, lambda p: n != p, lambda p: p < n, lambda p: n <= p, lambda p: p > n, lambda p: p >= np.int64(n)):
                self.assertEqual(tenon.function(f)(p).tolist(), f(p).tolist())
        for f in (lambda p: p & 1, lambda p: p | np.int64(1), lambda p: np.where(p, p, 0), lambda p: np.select([p], [~p]), lambda p: p + 1, lambda p: p ** 1):
            with self.assertRaisesRegex(TypeError, "meets truth values"):
                tenon.function(f)(p)
        for f in (lambda p: np.where(p, p, False), lambda p: np.diag(p), lambda p: np.tril(p[:, None] | p), lambda p: p & True):
            y, want = tenon.function(f)(p), f(p)
            self.assertEqual((y.dtype, y.tolist()), ("i1", want.tolist()))
        for n in (2.0, 1.0, 0.5, np.float32(2)):
            with self.assertRaisesRegex(TypeError, "meets a value of si64"):
                tenon.function(lambda i: i ** n)(i)
        self.assertEqual(tenon.function(lambda i: i ** np.int8(2))(i).tolist(), [9, 16])

    def test_static_values(self):
        """Values that are equal and not the same make programs of their own."""
        f = tenon.function(lambda x, k: x * (k[0] if isinstance(k, tuple) else k), static="k")
        for values in ((0.0, -0.0), ((0.0,), (-0.0,)), (-0.0, 0.0)):
            got = [np.signbit(f(np.ones(1, np.float32), k)).tolist() for k in values]
            self.assertEqual(got, [[np.signbit(k[0] if isinstance(k, tuple) else k)] for k in values])
        x = np.ones(1, np.int32)
        self.assertEqual(f(x, 2).tolist(), [2])
        with self.assertRaisesRegex(TypeError, "2.0 meets a value of si32"):
            f(x, 2.0)
        with self.assertRaisesRegex(tenon.UsageError, "'static' names 'j', but the function has no such argument; it has x"):
            tenon.function(lambda x: x, static=("j",))
        tenon.function(lambda **named: named["x"], static=("j",))
        for k in [1], (1, [2]), {}:
            with self.assertRaisesRegex(TypeError, "'k' is named in static="):
                f(np.ones(2), k)

    def test_static_with_types(self):
        """Arguments that are no tensors count where types are declared, too."""
        @tenon.function("f32[2]", static=("k",))
        def f(x, k=2, *, shift=0.0):
            return x * k + shift
        with self.assertRaisesRegex(tenon.UsageError, "1 types are declared for 2 arguments"):
            f(np.zeros(2, np.float32))
        f = tenon.function("f32[2]", "i1[]", static=("k",))(lambda x, p=False, k=2: np.where(p, x, x * k))
        x = np.array([1, 2], np.float32)
        for args, named, want in (((x,), {}, x * 2), ((x,), {"k": 3}, x * 3), ((x, True), {}, x), ((x, False, 5), {}, x * 5),
                                  ((), {"k": 3, "x": x}, x * 3)):
            self.assertEqual(f(*args, **named).tolist(), want.tolist())
        self.assertIn("3", f.text())
        self.assertEqual([str(p) for p in f.module.inputs], ["x: f32[2]", "p: i1[]"])

    def test_static_of_gradients(self):
        @tenon.function(static=("n",))
        def f(x, n):
            return sum(x ** k for k in range(1, n + 1))
        self.assertEqual([float(tenon.grad(f)(np.float32(2), n)) for n in (1, 2, 3)], [1, 5, 17])
        self.assertEqual(float(tenon.grad(tenon.grad(f))(np.float32(2), n=3)), 14)

    def test_symbolic(self):
        @tenon.function("f64[n, k]", "f64[k]")
        def f(x, w):
            self.assertEqual([str(e) for e in x.shape], ["n", "k"])
            both = np.concatenate([x, x])
            self.assertEqual(both.reshape(-1).shape[0], x.shape[0] * 2 * x.shape[1])
            return (x * w).sum(axis=1) / x.shape[1], both[0], both[:1, 0], x[..., None][:, :, 0]
        self.assertEqual([str(p) for p in f.module.inputs], ["x: f64[n, k]", "w: f64[k]"])
        for shape in ((2, 3), (5, 2), (1, 1)):
            x, w = np.random.default_rng(0).random(shape), np.arange(shape[1], dtype=float)
            np.testing.assert_allclose(f(x, w)[0], (x * w).sum(1) / shape[1], rtol=1e-13)
        with self.assertRaisesRegex(TypeError, "extent n has no value"):
            tenon.function("f64[n]")(lambda x: x * int(x.shape[0])).module

    def test_open_extents_as_numbers(self):
        x = np.arange(4, dtype=np.float32)
        for f, want in ((lambda x: x.sum() / (x.shape[0] - 1).astype("f32"), 2), (lambda x: np.sqrt(x.shape[0] * 1.0), 2), (lambda x: 1.0 / x.shape[0], 0.25),
                        (lambda x: 2 - x.shape[0], -2), (lambda x: x.shape[0] + -1, 3), (lambda x: 9 // x.shape[0], 2), (lambda x: x.shape[0] % 3, 1),
                        (lambda x: np.maximum(x.shape[0], 7), 7), (lambda x: np.float32(2) * x.shape[0], 8), (lambda x: x.shape[0] > 3, True),
                        (lambda x: tenon.cond(x.shape[0] > 4, lambda: 1.0, lambda: 2.0), 2), (lambda x: tenon.zeros(x.shape[0] * 2).sum(), 0),
                        (lambda x: x.shape[0] != x.shape[0], False), (lambda x: x.shape == x.shape, True), (lambda x: x.shape[0] == -1 or x.shape[0] == "n", False),
                        (lambda x: np.equal(x.shape[0], 4), True), (lambda x: np.broadcast_arrays(x, x[:1])[1].sum(), 0),
                        (lambda x: np.meshgrid(x, x[:2])[0].sum(), 12), (lambda x: np.array_equal(x, x * 1), True), (lambda x: np.array_equal(x, x[:, None]), False)):
            with self.subTest(f.__code__.co_firstlineno):
                self.assertEqual(tenon.function("f32[n]")(f)(x).tolist(), want)
        for f, message in ((lambda x: x if x.shape[0] == 1 else -x, "whether the extent n is 1 is not known"), (lambda x: x * np.arange(x.shape[0]), "tenon.arange"), (lambda x: x if x.shape != (4,) else -x, "whether the extent n is 4"),
                           (lambda x: x if x.shape[0] else -x, "extent n has no value"), (lambda x: x if x.shape[0] > 2 else -x, "no truth value"),
                           (lambda x: np.zeros(x.shape), "tenon.zeros"), (lambda x: x[:x.shape[0] - 1], "dynamic_slice")):
            with self.assertRaisesRegex(TypeError, message):
                tenon.function("f32[n]")(f).module
        with self.assertRaisesRegex(TypeError, "whether the extent n is m"):
            tenon.function("f32[n]", "f32[m]")(lambda x, y: x if x.shape == y.shape else -x).module
        with self.assertRaisesRegex(tenon.UsageError, "known size"):
            tenon.function("f32[n, 3]")(lambda x: np.squeeze(x)).module
        with self.assertRaisesRegex(tenon.UsageError, "whether their sizes are equal"):
            tenon.function("f32[n]", "f32[m]")(lambda x, y: np.array_equal(x, y)).module

    def test_trace_of_types(self):
        f = tenon.function(lambda x, w: x @ w["a"])
        w = {"a": tenon.tensor(X.T).type}
        for types in (("f64[n, 3]", {"a": X.T}), ("f64[n, 3]", w)):
            m = f.trace(*types)
            self.assertEqual([str(p) for p in m.inputs], ["x: f64[n, 3]", "w.a: f64[3, 2]"])
            self.assertEqual(m.compile()(X, X.T).tolist(), (X @ X.T).tolist())

    def test_what_is_made(self):
        f = tenon.function("f32[2, 3]", "f32[3]")(lambda x, w: nn.relu(x @ w))
        self.assertIn("func @main", f.text())
        self.assertIn('"spec_version"', f.text("ptir"))
        self.assertIn("MatMul" if "MatMul" in f.text("mind") else "Dot", f.text("mind"))
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            for name in ("net.c", "net.h", "net.ptir.json", "net.ir"):
                f.save(folder / name)
            self.assertIn("net_run", (folder / "net.c").read_text())
            self.assertIn("main", output("convert", folder / "net.ptir.json", "--to", "ptir-text"))
            x, w = np.ones((2, 3), "f4"), np.ones(3, "f4")
            self.assertEqual(tenon.load(folder / "net.ir")(x, w).tolist(), f(x, w).tolist())
        self.assertTrue(f.module.equiv(tenon.read(f.text("ptir"))))
        self.assertIn("<", f._repr_html_())

    def test_control_flow(self):
        def collatz(n):
            return tenon.while_loop(lambda s: s[0] != 1,
                                    lambda s: (tenon.cond(s[0] % 2 == 0, lambda i: i // 2, lambda i: 3 * i + 1, s[0]),
                                               s[1] + 1), (n, 0))[1]
        self.assertEqual(int(tenon.function(collatz)(27)), 111)

        def running(x, t):
            carry, ys = tenon.scan(lambda c, row: (c + row * t, {"sum": c.sum(), "row": row}), tenon.zeros(3, "f64"), x)
            return carry, ys
        carry, ys = tenon.function(running)(X, np.float64(2))
        np.testing.assert_allclose(carry, X.sum(0) * 2)
        self.assertEqual((ys["sum"].tolist(), ys["row"].tolist()), ([0, X[0].sum() * 2], X.tolist()))
        power = tenon.function(lambda x: tenon.fori_loop(0, 5, lambda i, y: y * x + i.astype("f64"), x))
        y = 3.0
        for i in range(5):
            y = y * 3.0 + i
        self.assertEqual(float(power(np.float64(3))), y)
        many = tenon.function(lambda x: tenon.scan(lambda c, _: (c * x, c), 1.0, length=4))
        self.assertEqual(many(np.float32(2))[1].tolist(), [1, 2, 4, 8])

    def test_types_of_carries(self):
        """Numbers that a body gives take the type of what they replace, and a first index that of the last."""
        f = tenon.function(lambda x: tenon.while_loop(lambda s: s[0] < 2, lambda s: (s[0] + 1, 7, True), (0, x[0, 0], x[0, 0] > 0)))
        self.assertEqual([(y.dtype, y.tolist()) for y in f(X)[1:]], [("f64", 7), ("i1", True)])
        for d in ("si64", "si8"):
            g = tenon.function(lambda x: tenon.fori_loop(0, x.argmax().astype(d), lambda i, s: s + i, tenon.zeros((), d)))
            self.assertEqual((g(np.arange(4.0)).dtype, g(np.arange(4.0)).tolist()), (d, 3))

    def test_values_from_outside(self):
        """Regions see values of every function around them; each comes in once."""
        def f(a, b):
            def outer(i, y):
                def inner(j, z):
                    return tenon.cond(z > b, lambda: z - a, lambda: z + b * a)
                return tenon.fori_loop(0, 2, inner, y) + a
            return tenon.fori_loop(0, 3, outer, b)

        def plain(a, b):
            y = b
            for _ in range(3):
                for _ in range(2):
                    y = y - a if y > b else y + b * a
                y = y + a
            return y
        for a, b in ((1.0, 2.0), (0.5, -1.0)):
            self.assertEqual(float(tenon.function(f)(np.float64(a), np.float64(b))), plain(a, b))

    def test_gradients(self):
        for f in (lambda x: (np.tanh(x) * x).sum(), lambda x: np.log(np.exp(x).sum()),
                  lambda x: (x @ x.T).max() + nn.softmax(x)[0, 0],
                  lambda x: tenon.fori_loop(0, 3, lambda i, y: np.sin(y) * x, x).sum(),
                  lambda x: tenon.scan(lambda c, r: (c + r * r.sum(), c.sum()), x[0], x)[1].sum(),
                  lambda x: tenon.cond(x.sum() > 0, lambda y: (y * y).sum(), lambda y: y.sum(), x)):
            value, g = tenon.value_and_grad(f)(X)
            np.testing.assert_allclose(g, difference(tenon.function(f), X), rtol=1e-5, atol=1e-7)
            self.assertEqual(value.bits().tolist(), tenon.function(f)(X).bits().tolist())

    def test_structures_and_arguments_of_gradients(self):
        def f(w, x):
            return (x * w["a"] * w["b"][0]).sum(), x * 2
        w = {"a": np.float64(2), "b": (np.float64(3),)}
        g, aux = tenon.grad(f, has_aux=True)(w, X)
        self.assertEqual((float(g["a"]), float(g["b"][0])), (X.sum() * 3, X.sum() * 2))
        np.testing.assert_array_equal(aux, X * 2)
        (value, aux), (gw, gx) = tenon.value_and_grad(f, argnums=(0, 1), has_aux=True)(w, X)
        np.testing.assert_array_equal(gx, np.full_like(X, 6))
        self.assertEqual(float(gw["a"]), X.sum() * 3)
        again = tenon.grad(f, argnums=np.int64(1), has_aux=True)(w, X)[0]
        np.testing.assert_array_equal(again, gx)

    def test_higher_gradients(self):
        cube = lambda x: x * x * x  # noqa: E731
        g2, g3 = tenon.grad(tenon.grad(cube)), tenon.grad(tenon.grad(tenon.grad(cube)))
        self.assertEqual((float(g2(np.float64(3))), float(g3(np.float64(3)))), (18, 6))

        def constant_outside(w):
            y = w * w
            return tenon.grad(lambda a: a * y)(w)
        self.assertEqual(float(tenon.function(constant_outside)(np.float64(3))), 9)
        self.assertEqual(float(tenon.grad(constant_outside)(np.float64(3))), 6)
        self.assertEqual(float(tenon.grad(lambda x: tenon.stop_gradient(x) * x)(np.float64(3))), 3)

        def loop(a):
            def outer(i, y):
                return tenon.fori_loop(0, 2, lambda j, z: z * a, y)
            return tenon.fori_loop(0, 2, outer, a)
        self.assertEqual([float(f(np.float64(3))) for f in (loop_of(loop), tenon.grad(loop), tenon.grad(tenon.grad(loop)))],
                         [243, 405, 540])

    def test_slopes_at_corners(self):
        """Where a step of a formula has no slope that is a number, but the whole has one."""
        constant = np.array([[1, 2], [3, 2]], np.float32)
        for f, x, want in ((lambda x: np.std(x, axis=0).sum(), constant, [[-0.5, 0], [0.5, 0]]),
                           (np.linalg.norm, np.zeros(3, np.float32), [0, 0, 0]),
                           (lambda x: tenon.nn.silu(x).sum(), np.float32([-1000, 0, 1000]), [0, 0.5, 1]),
                           (lambda x: tenon.nn.sigmoid(x).sum(), np.float32([-1000, 0, 1000]), [0, 0.25, 0])):
            np.testing.assert_allclose(tenon.grad(f)(x), want, atol=1e-7)

    def test_gradient_is_the_program_s(self):
        """The bits of the gradient module that the library makes of the whole program."""
        f = tenon.function("f32[4, 3]", "f32[3, 2]")(lambda x, w: nn.relu(x @ w).sum())
        x = np.random.default_rng(1).standard_normal((4, 3)).astype(np.float32)
        w = np.random.default_rng(2).standard_normal((3, 2)).astype(np.float32)
        whole = f.module.grad(wrt=["w"]).compile()(x, w)[1]
        self.assertEqual(tenon.grad(f, argnums=1)(x, w).bits().tolist(), whole.bits().tolist())

    def test_errors(self):
        with self.assertRaisesRegex(tenon.Rejected, "one element.* sum it or take its mean"):
            tenon.grad(lambda x: x * 2)(X)
        with self.assertRaisesRegex(tenon.Rejected, "only floating-point"):
            tenon.grad(lambda x: x.sum())(np.arange(3))
        with self.assertRaisesRegex(tenon.UsageError, "one branch gives"):
            tenon.function(lambda x: tenon.cond(x.sum() > 0, lambda: x, lambda: (x, x)))(X)
        with self.assertRaisesRegex(tenon.UsageError, "the body of the loop gives"):
            tenon.function(lambda x: tenon.while_loop(lambda y: True, lambda y: (y, y), x))(X)
        for n, d in ((0.5, "si32"), (1, "i1"), (np.float32(1), "si32"), (1j, "f32")):  # which the carry would cut off
            with self.assertRaisesRegex(TypeError, "meets"):
                tenon.function(lambda x: tenon.while_loop(lambda s: s[0] < 2, lambda s: (s[0] + 1, n), (0, x[0, 0].astype(d))))(X)
        leak = []
        tenon.function(lambda x: leak.append(x) or x)(X)
        with self.assertRaisesRegex(tenon.UsageError, "another trace|after the function"):
            tenon.function(lambda x: x + leak[0])(X)
        self.assertEqual(repr(leak[0]), "<a value of a trace that ended>")
        with self.assertRaisesRegex(tenon.UsageError, "not known"):
            tenon.function(lambda x: x).module
        with self.assertRaisesRegex(tenon.UsageError, "max does not say which parameters it has.*lambda x: max"):
            tenon.function(max)
        with self.assertRaisesRegex(TypeError, "np.asarray"):
            tenon.function(lambda x: x * x)(np.asmatrix(np.eye(2)))
        with self.assertRaises(tenon.InputError):
            tenon.function("f64[2, 3]")(lambda x: x)(X.T)
        with self.assertRaises(ZeroDivisionError):
            tenon.function(lambda x: tenon.cond(True, lambda: x * (1 // 0), lambda: x))(X)
        for n in -2**63, 2**63, 2**64 + 3:  # in 64 bits they would be the open size, or another number
            with self.assertRaisesRegex(tenon.UsageError, f"{n} is no extent"):
                tenon.function("f32[n, 3]")(lambda x: tenon.zeros((n, 3)) + x).text("ptir-text")
        with self.assertRaises(TypeError):
            tenon.function(lambda x: tenon.zeros((2.5,)))(X)
        self.assertEqual(float(tenon.function(lambda x: x.sum())(X)), X.sum())  # nothing is left open

    def test_errors_that_are_caught(self):
        """A function that goes on after one is refused with it: nothing can be made of what there is."""
        def f(x):
            try:
                x + np.ones(5)
            except tenon.Rejected:
                pass
            return x
        with self.assertRaisesRegex(tenon.Rejected, "5"):
            tenon.function(f)(X)
        with self.assertRaisesRegex(tenon.Rejected, "5"):
            tenon.function(lambda x: f(x) + 1)(X)

        def branch(x):
            inside = []
            y = tenon.cond(x.sum() > 0, lambda: inside.append(x * 2) or inside[-1], lambda: x)
            return y + inside[0]
        with self.assertRaisesRegex(tenon.UsageError, "that a branch or loop made"):
            tenon.function(branch)(X)
        with self.assertRaisesRegex(TypeError, "the text 'relu' stands in a structure"):
            tenon.function(lambda d: d["x"])({"x": X, "kind": "relu"})

    def test_arguments_called_self(self):
        f = tenon.function(lambda self, args: self - args)
        self.assertEqual(np.asarray(f(args=X, self=X)).sum(), 0)
        self.assertEqual(np.asarray(f.trace(args=X, self=X).compile()(args=X, self=X)).sum(), 0)

    def test_many_classes(self):
        """Of which a narrow type of targets does not hold the numbers."""
        for d, target in (("u1", 255), ("int8", 127), ("u2", 255), ("u8", 255), ("?", 1)):
            y = np.asarray(tenon.function(lambda t: nn.one_hot(t, 300))(np.array([target], d)))
            self.assertEqual(np.flatnonzero(y).tolist(), [target], d)

    def test_wrong_arguments(self):
        for kind, message, f in ((tenon.UsageError, "'combine' is 'avg'", lambda x: tenon.scatter(x, [0], [1.0], combine="avg")),
                                 (TypeError, "'k' is 1.5", lambda x: tenon.top_k(x, 1.5)), (TypeError, "'n' is 2.5", lambda x: tenon.segment_sum(x, [0, 1], 2.5)),
                                 (TypeError, "whole number is wanted, not None, where 'softmax'", lambda x: nn.softmax(x, axis=None)),
                                 (TypeError, "a number is wanted, not 'a'", lambda x: nn.rms_norm(x, epsilon="a")), (TypeError, "integer", lambda x: np.sort(x, axis="1")),
                                 (tenon.UsageError, "'approximate' is 'fast'", lambda x: nn.gelu(x, approximate="fast"))):
            with self.assertRaisesRegex(kind, message):
                tenon.function(f)(X)
        with self.assertRaisesRegex(tenon.UsageError, "has_aux a function gives a pair"):
            tenon.grad(lambda x: x.sum(), has_aux=True)(X)
        y = tenon.function(lambda x, i: tenon.dynamic_slice(x, (i, 0), (1, 2)))(X, np.array(1))  # numbers beside si64
        np.testing.assert_array_equal(y, X[1:, :2])

    def test_others(self):
        f = tenon.function(lambda x: {
            "top": tenon.top_k(x, 2), "hot": nn.one_hot(np.array([1, 0]), 3), "arange": tenon.arange(4),
            "slice": tenon.dynamic_slice(x, [0, 1], (2, 2)), "update": tenon.dynamic_update_slice(x, x[:1, :1] * 0, [1, 2]),
            "scatter": tenon.scatter(x[:, 0], np.array([1, 1]), x[:, 1]), "full": tenon.full((2,), 7, "si32"),
            "segments": tenon.segment_sum(x, np.array([1, 1]), 2)})
        got = f(X)
        self.assertEqual(got["top"][1].tolist(), [[2, 1], [2, 0]])
        self.assertEqual(got["hot"].tolist(), [[0, 1, 0], [1, 0, 0]])
        self.assertEqual(got["arange"].tolist(), [0, 1, 2, 3])
        self.assertEqual(got["slice"].tolist(), X[:, 1:].tolist())
        self.assertEqual(got["update"][1].tolist(), [X[1, 0], X[1, 1], 0])
        self.assertEqual(got["segments"].tolist(), [[0, 0, 0], X.sum(0).tolist()])
        self.assertEqual(got["full"].tolist(), [7, 7])
        one, two = (tenon.function(lambda: tenon.random_normal((4,))).compile().run({}, seed=s) for s in (1, 2))
        self.assertNotEqual(next(iter(one.values())).tolist(), next(iter(two.values())).tolist())

    def test_networks(self):
        rng = np.random.default_rng(3)
        image = rng.standard_normal((1, 6, 6, 2)).astype(np.float32)
        w = rng.standard_normal((3, 3, 2, 4)).astype(np.float32)
        got = tenon.function(lambda x, w: nn.max_pool(nn.conv2d(x, w, pads=(1, 1, 1, 1)), (2, 2), strides=(2, 2)))(image, w)
        same = tenon.function(lambda x, w: nn.max_pool(nn.conv2d(x, w, pads=1), 2, strides=np.int64(2)))(image, w)
        np.testing.assert_array_equal(got, same)
        for wrong in 1.5, "same":
            with self.subTest(wrong), self.assertRaises(TypeError):
                tenon.function(lambda x, w: nn.conv2d(x, w, strides=wrong))(image, w)
        self.assertEqual(got.shape, (1, 3, 3, 4))
        q = rng.standard_normal((1, 2, 5, 8)).astype(np.float32)
        got = tenon.function(lambda q: nn.attention(q, q, q, causal=True))(q)
        np.testing.assert_allclose(np.asarray(got)[0, :, 0], q[0, :, 0], rtol=1e-5)
        x = rng.standard_normal((4, 8)).astype(np.float32)
        y = tenon.function(lambda x: nn.layer_norm(x))(x)
        np.testing.assert_allclose(y, (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5), rtol=1e-4,
                                   atol=1e-5)
        for alike in (False, "none"), (True, "tanh"):
            of, other = (tenon.function(lambda x: nn.gelu(x, approximate=a))(x).tolist() for a in alike)
            self.assertEqual(of, other)
        for name in ("sigmoid", "silu", "gelu", "erf", "log_softmax", "rms_norm"):
            self.assertEqual(tenon.function(getattr(nn, name))(x).shape, x.shape)
        table = tenon.function(lambda t: nn.embedding(t, np.array([[1, 0]])))(x)
        self.assertEqual(table.shape, (1, 2, 8))

    def test_custom(self):
        @tenon.custom("acme.shift.v1")
        def shift(x, by=0.0, names=()):
            return x + by
        f = tenon.function("f64[2, 3]")(lambda x: tenon.custom_call("acme.shift.v1", [x], "f64[2, 3]",
                                                                     {"by": 1.5, "names": ["a", "b"]}))
        np.testing.assert_array_equal(f(X), X + 1.5)

    def test_custom_raises(self):
        """Whatever it is, C gets a text."""
        class Odd(Exception):
            def __str__(self):
                raise ValueError

        def call(name, raises, check=None):
            cx = tenon.Context()

            @tenon.custom(f"acme.{name}.v1", context=cx, check=check)
            def kernel(x):
                if raises:
                    raise raises
                return x
            tenon.load(f"func @main(%x: tensor<f32, 2>) -> tensor<f32, 2> {{\n  %y = custom_call(%x) target[\"acme.{name}.v1\"]"
                       " -> tensor<f32, 2>\n  return %y\n}\n", context=cx)(np.ones(2, np.float32))

        for name, error, said in (("half", ValueError("\ud800"), r"ValueError: \\ud800"), ("odd", Odd(), "Odd")):
            with self.assertRaisesRegex(tenon.RunError, said) as caught:
                call(name, error)
            self.assertIs(caught.exception.__cause__, error)
        for why in (5, b"no", [1]):
            with self.assertRaisesRegex(tenon.Error, "must give a text, or None"):
                call("checked", None, check=lambda *_: why)

    def test_digits(self):
        """The example trains a network and writes it as C."""
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, ROOT / "examples/python/digits.py", f"{folder}/net.c"],
                                  capture_output=True, text=True,
                                  env={**os.environ, "PYTHONPATH": str(ROOT / "python"), "PYTHONDONTWRITEBYTECODE": "1"})
            self.assertEqual(done.returncode, 0, done.stderr)
            right, n = map(int, re.search(r"(\d+) of (\d+) right", done.stdout).groups())
            self.assertGreater(right, 0.93 * n, done.stdout)
            self.assertIn("int net_run", pathlib.Path(folder, "net.c").read_text())

    def test_onnx_gradient(self):
        """The example differentiates a model, and a few steps against the gradient change what the model sees."""
        done = subprocess.run([sys.executable, ROOT / "examples/python/onnx_gradient.py"], capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": str(ROOT / "python"), "PYTHONDONTWRITEBYTECODE": "1"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"^a 3, with confidence 0.99")
        self.assertRegex(done.stdout, r"\n2 steps of grey make it a 9\n$")


def loop_of(f):
    return tenon.function(f)


if __name__ == "__main__":
    unittest.main()
