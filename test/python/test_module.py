"""Modules from Python: reading, rewriting, writing, comparing; errors as data; custom calls."""
import errno
import gc
import json
import os
import pathlib
import pickle
import tempfile
import threading
import unittest
import warnings

from lib import package  # noqa: F401
from lib.program import output

import numpy as np

import tenon

NET = """%0 = Input () {name="x"} : tensor<f32>[3]
%1 = BinOp (%0, %0) {op=Mul} : tensor<f32>[3]
%2 = Sum (%1) {axes=[], keepdims=false} : tensor<f32>[]
outputs: %2
"""


class Modules(unittest.TestCase):
    def setUp(self):
        self.m = tenon.read(NET)

    def test_text(self):
        self.assertEqual(str(self.m), NET)
        self.assertEqual(self.m, tenon.read("# a comment\n" + NET))
        self.assertNotEqual(self.m, tenon.read(NET.replace("Mul", "Add")))
        self.assertEqual(repr(self.m), "<Module (x: f32[3]) -> (%2: f32[])>")
        self.m.check()

    def test_same_as_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "net.ir"
            path.write_text(NET, encoding="utf-8")
            self.assertEqual(str(tenon.open(path).grad()), output("grad", "--map", path))
            self.assertEqual(str(tenon.open(path).convert("ptir")), output("convert", path, "--to", "ptir"))
            self.assertEqual(tenon.open(path).text("tiny"), output("convert", path, "--to", "tiny"))
            tenon.open(path).save(pathlib.Path(folder) / "net.ptir.json")
            self.assertEqual(tenon.load(pathlib.Path(folder) / "net.ptir.json")([1, 2, 3]).tolist(), 14)

    def test_external_data(self):
        numbers = ", ".join(f"{k}.0" for k in range(2048))
        m = tenon.read(f"func @main(%x: tensor<f32, 2048>) -> tensor<f32, 2048> {{\n  %i = constant value[{numbers}] -> tensor<f32, 2048>\n"
                       "  %y = add(%x, %i) -> tensor<f32, 2048>\n  return %y\n}\n")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "m.onnx"
            m.save(path, external="m.data")
            self.assertEqual((path.parent / "m.data").stat().st_size, 8192)
            self.assertEqual(tenon.load(path)([1] * 2048).tolist(), [1 + k for k in range(2048)])
            for name in "../m.data", "m.onnx", "":
                with self.assertRaises(tenon.UsageError):
                    m.save(path, external=name)
            with self.assertRaises(tenon.UsageError):
                m.save(pathlib.Path(folder) / "m.ptir", external="m.data")

    def test_rewriting_makes_copies(self):
        before = str(self.m)
        g = self.m.grad(wrt=["x"])
        p = self.m.passes("canonicalize,cse")
        o = self.m.optimize(2)
        self.assertEqual(str(self.m), before)
        self.assertEqual(len(g.outputs), 2)
        self.assertEqual(g.compile()([1, 2, 3])[1].tolist(), [2, 4, 6])
        for other in (p, o, self.m.convert("tiny"), self.m.convert("ptir-bincode")):
            self.assertTrue(self.m.equiv(other))
        found = self.m.equiv(tenon.read(NET.replace("Mul", "Add")))
        self.assertFalse(found)
        self.assertGreater(found.largest_ulp, 0)
        self.assertEqual(found.output, 0)

    def test_dims(self):
        m = tenon.read(NET.replace("[3]", "[n]"))
        self.assertEqual((m.symbols, m.inputs[0].shape), (("n",), ("n",)))
        self.assertEqual(m.bind({"n": 4}).inputs[0].shape, (4,))
        with self.assertRaises(tenon.UsageError):
            m.compile(dims={"k": 3})

    def test_gradient_of_open_sizes(self):
        """A gradient may be a constant whose size only a run knows."""
        m = tenon.read('%0 = Input () {name="x"} : tensor<f32>[n]\n%1 = Input () {name="y"} : tensor<f32>[n]\n'
                       "%2 = BinOp (%0, %1) {op=Add} : tensor<f32>[n]\noutputs: %2").grad(wrt=["x"], seed=2)
        for engine in ("jit", "ref"):
            for dims in ({}, {"n": 3}):
                got = m.compile(engine=engine, dims=dims)([1, 2, 3], [4, 5, 6])
                self.assertEqual(got[1].tolist(), [2, 2, 2])

    def test_advice(self):
        """What a message advises to set is called as it is here."""
        text = "func @main(%a: tensor<f32, ?N>) -> tensor<f32, ?N> {\n  %s = neg(%a) -> tensor<f32, ?N>\n  return %s\n}\n"
        with self.assertRaisesRegex(tenon.Error, r"\(dims SYM=N\)"):
            tenon.read(text).compile().emit("net.c")
        with self.assertRaisesRegex(tenon.Rejected, "tenon.Context nodes=N permits more"):
            tenon.read(text, context=tenon.Context(nodes=1))

    def test_wrong_options(self):
        for text, error, f in (("extents by the names", TypeError, lambda: tenon.read(str(self.m), dims=None)), ("not '2'", tenon.UsageError, lambda: self.m.compile(level="2"))):
            with self.assertRaisesRegex(error, text):
                f()

    def test_emit(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "net.c"
            self.m.compile().emit(out, header=out.with_suffix(".h"))
            self.assertIn("int net_run(", out.with_suffix(".h").read_text())
            self.assertIn("net_run", out.read_text())
            self.m.compile().emit(out, header=out.with_suffix(".h"), weights=out.with_suffix(".bin"), parallel=True)
            self.assertRegex(out.with_suffix(".h").read_text(), r"const void \*weights,\s+const struct tenon_threads \*threads\);")
            self.assertEqual(out.with_suffix(".bin").read_bytes()[:8], b"tenon-w1")
            self.m.save(out, header=out.with_suffix(".h"))
            self.assertNotIn("tenon_threads", out.with_suffix(".h").read_text())
            with self.assertRaisesRegex(TypeError, "'header' is an option of code"):
                self.m.save(out.with_suffix(".ir"), header=out.with_suffix(".h"))
            with self.assertRaisesRegex(tenon.UsageError, "tells no form of code"):
                self.m.compile().emit(out.with_suffix(".txt"))
            before = out.read_bytes()
            for header in (out, f"{folder}/./net.c"):
                with self.assertRaisesRegex(tenon.UsageError, "needs a file each"):
                    self.m.compile().emit(out, header=header)
            self.assertEqual(out.read_bytes(), before)

    def test_files_that_cannot_be_written(self):
        """They are errors of the package, and none of several files is there then."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            p = self.m.compile()
            for header in (folder / "none/net.h", folder):
                with self.assertRaises(tenon.FileError):
                    p.emit(folder / "net.c", header=header)
            with self.assertRaises(tenon.FileError):
                self.m.save(folder / "none/net.ir")
            with self.assertRaisesRegex(tenon.UsageError, "tells no dialect; give one of mind, ptir,.*; code is written to .* .c,"):
                self.m.save(folder / "net.txt")
            self.assertEqual(list(folder.iterdir()), [])

    def test_what_the_system_says(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "file").touch()
            (folder / "junk.npz").write_bytes(b"junk")
            none, below, data = folder / "a: cannot be read: b/net.ir", folder / "file/net.ir", folder / "none.npz"
            for path, number, f in ((none, errno.ENOENT, lambda: tenon.open(none)), (none, errno.ENOENT, lambda: self.m.save(none)),
                                    (below, errno.ENOTDIR, lambda: self.m.save(below)),
                                    (data, errno.ENOENT, lambda: tenon.train.Dataset(data))):
                with self.assertRaises(OSError) as caught:
                    f()
                for error in caught.exception, pickle.loads(pickle.dumps(caught.exception)):
                    self.assertIs(type(error), tenon.FileError)
                    self.assertEqual((error.errno, error.filename, error.strerror), (number, str(path), os.strerror(number)))
                    self.assertIn(os.strerror(number) + " [FileError]", str(error))
                    self.assertEqual((len(error.diagnostics), error.status), (1, tenon.FileError.status))
            with self.assertRaises(OSError) as caught:
                tenon.train.Dataset(folder / "junk.npz")
            self.assertEqual((caught.exception.errno, caught.exception.filename), (None, None))
            self.assertIn("is no .npy", str(caught.exception))

    def test_constant_of_another_type(self):
        with self.assertRaisesRegex(tenon.InputError, r"(?s)declared f32\[3\].*given f32\[4\]"):
            tenon.load(NET, constants={"x": np.ones(4, np.float32)})

    def test_numbers_that_are_none(self):
        p = self.m.compile()
        for wrong in ({"timeout": -1}, {"timeout": 0}, {"timeout": float("nan")}, {"seed": -1}, {"threads": -1}):
            with self.assertRaises(tenon.UsageError):
                p.run({"x": [1, 2, 3]}, **wrong)
        for wrong in ({"runs": -1}, {"seed": -1}, {"timeout": -1}):
            with self.assertRaises(tenon.UsageError):
                self.m.equiv(self.m, **wrong)
        with self.assertRaises(tenon.UsageError):
            p.random_inputs(seed=-1)

    def test_explain_axes(self):
        """Along an axis that is counted from the end, as many elements are brought in order."""
        def least(axis):
            """Of the time, in cycles."""
            # so many bytes in so long lines that memory is not the limit, even where it is measured too slow
            program = tenon.function(lambda x: np.sort(x, axis=axis)).trace(np.ones((1 << 15, 3), np.int8)).compile()
            said = json.loads(program.explain(json=True))
            return said["functions"][0]["kernels"][0]["least_ns"] * said["limits"]["cycles_per_second"]
        self.assertAlmostEqual(least(-2) / least(0), 1, delta=0.01)

    def test_explain(self):
        self.assertIn("kernel 0", self.m.explain())
        self.assertIn("for.i64", self.m.compile().dump("loops"))
        for cpu in ("x86-64", "x86-64-v4", "znver4"):  # whether or not this machine has what they have
            plan = self.m.compile(cpu=cpu, plan_only=True)
            self.assertEqual(plan.explain().partition("kernel 0")[0], self.m.explain().partition("kernel 0")[0])
            with self.assertRaisesRegex(tenon.UsageError, "plan_only"):
                plan(*plan.random_inputs().values())
        with self.assertRaises(tenon.Unavailable):
            self.m.compile(cpu="nonsense", plan_only=True)
        for shown in (self.m, self.m.compile(), tenon.tensor([1.0, 2.0]), tenon.load(NET.replace("[3]", "[n]"))):
            html = shown._repr_html_()
            self.assertIn("<", html)
            self.assertNotIn("tensor<f32>", html)  # escaped
        self.assertIn("<td>mul sum</td>", self.m.compile()._repr_html_())

    def test_explain_what_runs(self):
        """What is only explained has the steps, the memory and the packed constants of what runs."""
        rng = np.random.default_rng(1)
        weights = rng.standard_normal((64, 96)).astype(np.float32)
        product = tenon.function(lambda x: np.tanh(x @ weights) + 1).trace(np.ones((48, 64), np.float32))
        for module in (self.m, product):
            planned, run = module.compile(plan_only=True), module.compile()
            self.assertEqual(planned.dump("all"), run.dump("all"))
            self.assertEqual(*(json.loads(p.explain(json=True))["memory_bytes"] for p in (planned, run)))

    def test_engines(self):
        x = np.linspace(-1, 1, 3, dtype=np.float32)
        want = self.m.compile(engine="ref")(x)
        for options in ({"level": 0}, {"level": 1}, {"cpu": "x86-64"}, {"threads": 1}, {"check": True},
                        {"cache": False}):
            self.assertEqual(self.m.compile(**options)(x).bits().tolist(), want.bits().tolist())
        with self.assertRaises(tenon.Unavailable):
            self.m.compile(engine="abacus")
        with self.assertRaises(tenon.UsageError):
            self.m.compile(level=7)

    def test_diagnostics(self):
        with self.assertRaises(tenon.Rejected) as caught:
            tenon.read('%0 = Input () {name="x"} : tensor<f32>[3]\n%1 = Rellu (%0) : tensor<f32>[3]\noutputs: %1',
                       dialect="mind", file="net.ir")
        error = caught.exception
        d = error.diagnostics[0]
        self.assertEqual((d.severity, d.place.file, d.place.line), ("error", "net.ir", 2))
        self.assertIn("net.ir:2:", str(error))
        self.assertIn("^", str(error))
        self.assertEqual(str(d), d.text)
        self.assertIsNotNone(d.fix)
        self.assertEqual(d.fix.replacement, "Relu")

    def test_errors_are_of_python(self):
        with self.assertRaises(OSError):
            tenon.open("/nowhere/at/all.ir")
        with self.assertRaises(ValueError):
            tenon.read(NET, dialect="klingon")
        with self.assertRaisesRegex(tenon.Rejected, "more memory than the limit"):
            tenon.read(NET, context=tenon.Context(memory_bytes=10))
        with self.assertRaises(tenon.UsageError):
            tenon.Context(patience=3)

    def test_contexts(self):
        other = tenon.read(NET, context=tenon.Context(nodes=100))
        self.assertTrue(self.m.equiv(other))
        p = other.compile()
        del other
        self.assertEqual(p([1, 2, 3]).tolist(), 14)

    def test_use_of_a_context_at_work(self):
        """By what it calls: refused, where it would wait for itself."""
        m = tenon.read(NET)
        with self.assertRaisesRegex(tenon.UsageError, "the context is at work"):
            m.compile(progress=lambda event: m.inputs)
        self.assertEqual(len(m.inputs), len(m.compile(progress=lambda event: tenon.Context()).inputs))

    def test_equiv_in_another_context(self):
        """The dialect of a program is not guessed from its text."""
        m = tenon.function(lambda b, a: a - b * a).trace(np.ones((2, 2), np.float32), np.ones((2, 2), np.float32))
        for d in ("ptir", "tiny", "stablehlo", "mind", "onnx"):
            other = tenon.read(m.convert(d).data(d), dialect=d, context=tenon.Context())
            self.assertTrue(m.equiv(other), d)

    def test_custom(self):
        text = ("func @main(%x: tensor<f32, 3>) -> tensor<f32, 3> {\n"
                "  %y = custom_call(%x) target[\"acme.scale.f32.v1\"] attributes{by = 3} -> tensor<f32, 3>\n"
                "  return %y\n}\n")
        try:
            m = tenon.read(text, dialect="ptir-text")
        except tenon.Rejected:
            text = text.replace(" attributes{by = 3}", "")
            m = tenon.read(text, dialect="ptir-text")
        with self.assertRaises(tenon.Unavailable):
            m.compile()([1, 2, 3])

        @tenon.custom("acme.scale.f32.v1")
        def scale(x, by=3):
            self.assertFalse(x.flags.writeable)
            return x * np.float32(by)
        self.assertEqual(m.compile()([1, 2, 3]).tolist(), [3, 6, 9])

        @tenon.custom("acme.scale.f32.v1")
        def wrong(x, by=3):
            raise ValueError("not today")
        with self.assertRaisesRegex(tenon.RunError, "not today"):
            m.compile()([1, 2, 3])

        @tenon.custom("acme.scale.f32.v1", check=lambda ins, outs, **_: f"{len(ins)} operands, {outs[0]}")
        def never(x, by=3):
            return x
        with self.assertRaisesRegex(tenon.Rejected, r"1 operands, f32\[3\]"):
            m.compile()([1, 2, 3])

    def test_dialects(self):
        names = [d.name for d in tenon.dialects()]
        for name in ("mind", "ptir", "tiny"):
            self.assertIn(name, names)

    def test_warnings(self):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            tenon.read(NET).convert("tiny")
        self.assertEqual([w for w in seen if w.category is tenon.TenonWarning], [])

    def test_place_of_warnings(self):
        """A warning shows the line that called the package."""
        m = tenon.read(NET.replace("BinOp (%0, %0) {op=Mul}", "Exp (%0)"))
        for way in (lambda: m.convert("tiny"), lambda: m.text("tiny"), lambda: m.convert("tiny").equiv(m)):
            with warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                way()
            self.assertEqual({w.filename for w in seen}, {__file__})

    def test_handlers_of_warnings(self):
        """Whoever is told of a warning may use the context; one that is an error leaves nothing behind."""
        cx = tenon.Context()
        m = tenon.read(NET.replace("BinOp (%0, %0) {op=Mul}", "Exp (%0)"), context=cx)
        told = []

        def tell(*_):
            told.append(str(tenon.read(NET, context=cx)))
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.showwarning = tell
            thread = threading.Thread(target=m.convert, args=("tiny",), daemon=True)
            thread.start()
            thread.join(60)
            self.assertFalse(thread.is_alive())
        self.assertTrue(told)
        owned = len(cx._owned)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with self.assertRaises(tenon.TenonWarning):
                m.convert("tiny")
        gc.collect()
        self.assertEqual(tenon.read(NET, context=cx).dialect, "mind")
        gc.collect()
        self.assertEqual(len(cx._owned), owned)


if __name__ == "__main__":
    unittest.main()
