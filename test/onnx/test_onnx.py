"""ONNX models as they are read: names, order, known values, sizes, versions, and files that are refused or broken."""
import gzip
import json
import pathlib
import sys
import tempfile
import unittest

import numpy as np

from lib.onnx_files import Ref, field, function, graph, model, node, put_tensor
from lib.program import start

X = ("x", "f32", [2, 3])
N = ("x", "f32", ["N", 3])
Y = ("y", "f32", None)


def ints(*numbers):
    return np.array(numbers, dtype=np.int64)


class Models(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.place.name)

    def tearDown(self):
        self.place.cleanup()

    def file(self, data, name="m.onnx"):
        path = self.folder / name
        path.write_bytes(data)
        return path

    def run_model(self, data, *arguments, **inputs):
        """The results, by the evaluator."""
        given = list(arguments)
        for name, array in inputs.items():
            np.save(self.folder / f"{name}.npy", array)
            given += ["--input", f"{name}={self.folder / name}.npy"]
        done = start("run", self.file(data), *given, "--engine", "ref", "--output", self.folder / "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        listed = json.loads((self.folder / "out/outputs.json").read_text())
        return [np.load(self.folder / "out" / o["file"]) for o in listed]

    def faults(self, data, *arguments, status=1, command="check"):
        """The diagnostics of a model that is refused."""
        done = start(command, self.file(data), *arguments, "--diagnostics", "json")
        self.assertEqual(done.returncode, status, done.stderr)
        return [json.loads(line) for line in done.stderr.splitlines()]

    def kinds(self, data, *arguments):
        return [d["kind"] for d in self.faults(data, *arguments)]

    x = np.arange(6, dtype=np.float32).reshape(2, 3)

    def test_content_tells_the_dialect(self):
        data = model([node("Neg", "x", "y")], [X], [Y])
        self.assertEqual(start("check", self.file(data, "m.bin")).returncode, 0)

    def test_order(self):
        y, = self.run_model(model([node("Neg", "a", "y"), node("Abs", "x", "a")], [X], [Y]), x=-self.x)
        np.testing.assert_array_equal(y, -self.x)

    def test_captured_names_are_read_first(self):
        inner = graph([node("Neg", "a", "b")], [], [("b", "f32", None)])
        y, = self.run_model(model([node("If", "p", "y", then_branch=inner, else_branch=inner), node("Abs", "x", "a")],
                                  [X], [Y], [("p", np.array(True))]), x=-self.x)
        np.testing.assert_array_equal(y, -self.x)

    def test_input_without_a_name(self):
        nameless = ("", "f32", [2, 3])
        self.assertEqual(self.kinds(model([node("Neg", "x", "y")], [X, nameless], [Y, nameless]))[0], "InvalidInput")

    def test_cycle(self):
        self.assertEqual(self.kinds(model([node("Neg", "b", "a"), node("Neg", "a", "b")], [X], [("a", "f32", None)]))[-1],
                         "Cycle")

    def test_every_fault_once(self):
        first = node("Foo", "x", "a", name="first")
        data = model([first, node("Foo", "x", "b"), node("Bar", "x", "y")], [X], [Y, ("a", "f32", None)])
        said = self.faults(data)
        self.assertEqual([d["kind"] for d in said], ["UnknownOp", "UnknownOp"])
        self.assertEqual(said[0]["node"], "first")
        self.assertIn("first of 2 places", said[0]["message"])
        self.assertIn(f'opset 13, output "a", byte {data.index(first)})', said[0]["message"])
        self.assertEqual(said[1]["node"], "#2 Bar")

    def test_suggestion(self):
        said, = self.faults(model([node("Sigmoit", "x", "y")], [X], [Y]))
        self.assertIn("Sigmoid", said["fix"] if isinstance(said["fix"], str) else json.dumps(said["fix"]))

    def test_names(self):
        self.assertEqual(self.kinds(model([node("Neg", "z", "y")], [X], [Y])), ["UndefinedName"])
        self.assertEqual(self.kinds(model([node("Neg", "x", "a")], [X], [Y])), ["UndefinedOutput"])
        self.assertEqual(self.kinds(model([node("Neg", "x", "y"), node("Abs", "x", "y")], [X], [Y])),
                         ["MultipleDefinitions"])
        self.assertEqual(self.kinds(model([node("Neg", "x", "y")], [X], [])), ["MissingOutputs"])

    def test_versions(self):
        self.assertEqual(self.kinds(model([node("Reshape", "x s", "y")], [X], [Y], [("s", ints(6))], opset=99)),
                         ["UnsupportedVersion"])
        self.assertEqual(self.kinds(model([node("Neg", "x", "y", domain="some.where")], [X], [Y])), ["UnknownOp"])
        y, = self.run_model(model([node("Neg", "x", "y", domain="ai.onnx")], [X], [Y]), x=self.x)
        np.testing.assert_array_equal(y, -self.x)

    def test_softmax_over_trailing_axes(self):
        x = np.arange(12, dtype=np.float32).reshape(2, 3, 2)
        y, = self.run_model(model([node("Softmax", "x", "y")], [("x", "f32", [2, 3, 2])], [Y], opset=11), x=x)
        e = np.exp(x - x.max((1, 2), keepdims=True))
        np.testing.assert_allclose(y, e / e.sum((1, 2), keepdims=True), rtol=1e-6)

    def test_input_with_a_default(self):
        data = model([node("Add", "x w", "y")], [X, ("w", "f32", [3])], [Y], [("w", np.ones(3, np.float32))], ir=3)
        y, = self.run_model(data, x=self.x)
        np.testing.assert_array_equal(y, self.x + 1)

    def test_sizes(self):
        nodes = [node("Shape", "x", "s"), node("Gather", "s zero", "n"), node("Unsqueeze", "n axes", "u"),
                 node("Concat", "u rest", "t", axis=0), node("Reshape", "x t", "y")]
        known = [("zero", np.array(0)), ("axes", ints(0)), ("rest", ints(-1))]
        data = model(nodes, [("x", "f32", ["N", 3, 2])], [Y], known)
        x = np.arange(12, dtype=np.float32).reshape(2, 3, 2)
        for bound in ([], ["--dim", "N=2"]):
            y, = self.run_model(data, *bound, x=x)
            np.testing.assert_array_equal(y, x.reshape(2, 6))

    def test_size_as_data(self):
        data = model([node("Shape", "x", "s"), node("Cast", "s", "f", to=1), node("Add", "x f", "y")], [("x", "f32", ["N", 2])],
                     [Y])
        y, = self.run_model(data, x=np.zeros((3, 2), np.float32))
        np.testing.assert_array_equal(y, [[3, 2]] * 3)

    def test_branch_on_a_size(self):
        other = graph([node("ReduceSum", "x", "b", keepdims=0)], [], [("b", "f32", None)])
        same = graph([node("Neg", "x", "a")], [], [("a", "f32", None)])
        data = model([node("Shape", "x", "s"), node("Size", "s", "r"), node("Equal", "r two", "p"),
                      node("If", "p", "y", then_branch=same, else_branch=other)], [N], [Y], [("two", np.array(2))])
        y, = self.run_model(data, x=self.x)
        np.testing.assert_array_equal(y, -self.x)

    def test_branch_on_an_unknown_size(self):
        other = graph([node("ReduceSum", "x", "b", keepdims=0)], [], [("b", "f32", None)])
        same = graph([node("Neg", "x", "a")], [], [("a", "f32", None)])
        data = model([node("Shape", "x", "s"), node("Gather", "s zero", "n"), node("Equal", "n two", "p"),
                      node("If", "p", "y", then_branch=same, else_branch=other)], [N], [Y],
                     [("two", np.array(2)), ("zero", np.array(0))])
        self.assertIn("--dim", json.dumps(self.faults(data)))
        y, = self.run_model(data, "--dim", "N=2", x=self.x)
        again, = self.run_model(data, x=self.x)  # the input says what N is
        np.testing.assert_array_equal(y, again)
        np.savez(self.folder / "all.npz", x=self.x)
        for given in (["--inputs", self.folder / "all.npz"], ["--input", f"x={self.x.tolist()}"]):
            done = start("run", self.file(data), *given, "--engine", "ref")
            self.assertEqual(done.returncode, 0, done.stderr)
        for given in (["--random", "1"], ["--input", f"x={self.folder / 'none.npy'}"], ["--input", "other=[1]"]):
            done = start("run", self.file(data), *given)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("--dim", done.stderr)
        np.testing.assert_array_equal(y, -self.x)

    def test_input_from_a_pipe(self):
        np.save(self.folder / "x.npy", self.x)
        with open(self.folder / "x.npy", "rb") as data:
            done = start("run", self.file(model([node("Neg", "x", "y")], [N], [Y])), "--input", "x=-", "--output", self.folder / "out",
                         stdin=data)
        self.assertEqual(done.returncode, 0, done.stderr)
        np.testing.assert_array_equal(np.load(self.folder / "out/0.npy"), -self.x)

    def test_known_matrices(self):
        """Pads as exporters compute them: a matrix of pairs, turned over and transposed."""
        data = model([node("Reshape", "pairs two", "m"), node("Slice", "m last least zero back", "turned"),
                      node("Transpose", "turned", "t", perm=[1, 0]), node("Reshape", "t flat", "pads"),
                      node("Pad", "x pads", "y", mode="reflect")], [X], [Y],
                     [("pairs", ints(1, 2, 0, 1)), ("two", ints(-1, 2)), ("last", ints(-1)), ("back", ints(-1)),
                      ("least", ints(-2**63 + 1)), ("zero", ints(0)), ("flat", ints(-1))])
        y, = self.run_model(data, x=self.x)
        np.testing.assert_array_equal(y, np.pad(self.x, [(0, 1), (1, 2)], mode="reflect"))

    def test_parts_of_a_known_list(self):
        data = model([node("Shape", "x", "s"), node("Split", "s each", "a b"), node("Concat", "b a", "turned", axis=0),
                      node("Reshape", "x turned", "y")], [N], [Y], [("each", ints(1, 1))])
        y, = self.run_model(data, x=self.x)
        np.testing.assert_array_equal(y, self.x.reshape(3, 2))

    def test_lists_that_are_changed(self):
        """Shapes as exporters compute them: an element replaced, elements repeated, lists in sequences."""
        data = model([node("Shape", "x", "s"), node("ScatterElements", "s last four", "t", axis=0), node("Tile", "one two", "u"),
                      node("Concat", "u t", "v", axis=0), node("Expand", "x v", "y")], [("x", "f32", [1, 3])], [Y],
                     [("last", ints(-2)), ("four", ints(4)), ("one", ints(1)), ("two", ints(2))])
        y, = self.run_model(data, x=self.x[:1])
        self.assertEqual(y.shape, (1, 1, 4, 3))
        data = model([node("SplitToSequence", "parts each", "q"), node("SequenceAt", "q one", "p"), node("Expand", "x p", "y")],
                     [X], [Y], [("parts", ints(1, 4, 2, 3)), ("each", np.array([1, 3])), ("one", np.array(1))])
        y, = self.run_model(data, x=self.x)
        self.assertEqual(y.shape, (4, 2, 3))

    def with_functions(self, node_, *functions, inputs=(X,)):
        return model([node_], list(inputs), [Y], domains=[("own", 1)], functions=functions)

    def test_function(self):
        leaky = function("Leaky", "a", "c", [node("LeakyRelu", "a", "b", alpha=Ref("slope")), node("Neg", "b", "c")],
                         attributes=["slope"])
        usual = function("Leaky", "a", "c", [node("LeakyRelu", "a", "b", alpha=Ref("slope")), node("Neg", "b", "c")],
                         slope=0.25)
        x = self.x - 3
        for f, given, slope in ((leaky, {"slope": 0.5}, 0.5), (leaky, {}, 0.01), (usual, {}, 0.25),
                                (usual, {"slope": 0.5}, 0.5)):
            y, = self.run_model(self.with_functions(node("Leaky", "x", "y", domain="own", **given), f), x=x)
            np.testing.assert_allclose(y, -np.where(x < 0, np.float32(slope) * x, x), rtol=1e-6)

    def test_functions_in_functions(self):
        """Names are those of each body, and an attribute goes through two calls."""
        inner = function("Inner", "a", "b", [node("Elu", "a", "x", alpha=Ref("k")), node("Neg", "x", "b")])
        outer = function("Outer", "x", "b", [node("Inner", "x", "a", domain="own", k=Ref("l")),
                                             node("Inner", "a", "b", domain="own", k=Ref("l"))])
        y, = self.run_model(self.with_functions(node("Outer", "x", "y", domain="own", l=2.0), inner, outer), x=self.x)
        once = -self.x
        np.testing.assert_allclose(y, -np.where(once < 0, 2 * np.expm1(once), once), rtol=1e-6)

    def test_function_with_an_input_left_out(self):
        f = function("Bounded", "a low high", "b", [node("Clip", "a low high", "b")])
        y, = self.run_model(self.with_functions(node("Bounded", "x - x1", "y", domain="own"), f,
                                                inputs=(X, ("x1", "f32", []))),
                            x=self.x, x1=np.array(2, np.float32))
        np.testing.assert_array_equal(y, np.minimum(self.x, 2))

    def test_functions_without_end(self):
        f = function("Again", "a", "b", [node("Again", "a", "b", domain="own")])
        self.assertIn("LimitExceeded", self.kinds(self.with_functions(node("Again", "x", "y", domain="own"), f)))
        many = [function(f"F{i}", "a", "c", [node(f"F{i + 1}", "a", "b", domain="own"),
                                             node(f"F{i + 1}", "b", "c", domain="own")]) for i in range(40)]
        many.append(function("F40", "a", "b", [node("Identity", "a", "b")]))
        data = self.with_functions(node("F0", "x", "y", domain="own"), *many)
        self.assertIn("LimitExceeded", self.kinds(data, "--limit", "nodes=10000"))

    def test_binding_that_differs_from_data(self):
        done = start("run", self.file(model([node("Neg", "x", "y")], [N], [Y])), "--dim", "N=4", "--input",
                     f"x={self.saved(self.x)}")
        self.assertEqual(done.returncode, 3, done.stderr)

    def saved(self, array):
        np.save(self.folder / "saved.npy", array)
        return self.folder / "saved.npy"

    def test_gradient_of_a_named_output(self):
        """A loss has the name that the model gives the output."""
        data = model([node("Tanh", "x", "a"), node("Exp", "x", "b")], [X], [("a", "f32", None), ("b", "f32", None)])
        texts = [start("grad", self.file(data), "--loss", name, "--seed", "1").stdout for name in ("a", "b", "0", "1")]
        self.assertEqual(texts[:2], texts[2:])
        self.assertNotEqual(texts[0], texts[1])
        self.assertNotEqual(start("grad", self.file(data), "--loss", "c", "--seed", "1").returncode, 0)

    def test_gradient(self):
        """The gradient program is PTIR, whatever operations the reader used."""
        data = model([node("Unsqueeze", "x axes", "u"), node("Mul", "u u", "s"), node("Squeeze", "s axes", "t"),
                      node("ReduceMean", "t", "y", keepdims=0)], [X], [Y], [("axes", ints(1))])
        done = start("grad", self.file(data))
        self.assertEqual(done.returncode, 0, done.stderr)
        path = self.folder / "grad.ptir.json"
        path.write_text(done.stdout)
        given = f"0={self.saved(self.x)}"
        done = start("run", path, "--input", given, "--engine", "ref", "--output", self.folder / "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        np.testing.assert_allclose(np.load(self.folder / "out/1.npy"), self.x / 3)

    def test_slopes_at_zero(self):
        """Smooth functions whose formulas have cases at 0."""
        for op, slope in (("Softplus", 0.5), ("Mish", np.tanh(np.log(2))), ("Elu", 1), ("Celu", 1), ("Softsign", 1)):
            data = model([node(op, "x", "a"), node("ReduceSum", "a", "y", keepdims=0)], [("x", "f32", [3])], [Y], opset=18)
            path = self.folder / "grad.ptir.json"
            path.write_text(start("grad", self.file(data)).stdout)
            done = start("run", path, "--input", f"0={self.saved(np.float32([0, -0.0, 0]))}", "--engine", "ref", "--output", self.folder / "out")
            self.assertEqual(done.returncode, 0, done.stderr)
            np.testing.assert_allclose(np.load(self.folder / "out/1.npy"), [slope] * 3, rtol=1e-6, err_msg=op)

    def test_slopes_far_from_zero(self):
        """Where an exponential that is not taken is infinite."""
        x = np.float32([200, -200, 10000, -10000])
        for op, slope in (("Elu", 1), ("Celu", 1), ("Selu", 1.0507), ("Softplus", 1), ("Mish", 1), ("HardSwish", 1)):
            for kind in ("f32", "f16"):
                data = model([node(op, "x", "a"), node("ReduceSum", "a", "y", keepdims=0)], [("x", kind, [4])], [("y", kind, None)], opset=22)
                path = self.folder / "grad.ptir.json"
                path.write_text(start("grad", self.file(data)).stdout)
                given = self.saved(x.astype(np.float16) if kind == "f16" else x)
                done = start("run", path, "--input", f"0={given}", "--engine", "ref", "--output", self.folder / "out")
                self.assertEqual(done.returncode, 0, done.stderr)
                np.testing.assert_allclose(np.load(self.folder / "out/1.npy"), [slope, 0, slope, 0], rtol=1e-3, err_msg=f"{op} {kind}")

    def test_slopes_of_lengths(self):
        """A row of zeros, which has the length 0, passes nothing on."""
        x = np.float32([[3, 4, 0], [0, 0, 0]])
        for nodes, want in (([node("ReduceL2", "x", "l", axes=[1])], x / [[5], [1]]),
                            ([node("LpNormalization", "x", "l")], [[0.032, -0.024, 0.2], [0, 0, 0]]),
                            ([node("MeanVarianceNormalization", "x", "l", axes=[1])], 0 * x),
                            ([node("CDist", "x x", "l", domain="com.microsoft", metric="euclidean")], x * [[0.4], [0]] + [[0, 0, 0], [-1.2, -1.6, 0]])):
            data = model([*nodes, node("ReduceSum", "l", "y", keepdims=0)], [("x", "f32", [2, 3])], [Y], opset=11,
                         domains=[("com.microsoft", 1)])
            path = self.folder / "grad.ptir.json"
            path.write_text(start("grad", self.file(data)).stdout)
            done = start("run", path, "--input", f"0={self.saved(x)}", "--engine", "ref", "--output", self.folder / "out")
            self.assertEqual(done.returncode, 0, done.stderr)
            np.testing.assert_allclose(np.load(self.folder / "out/1.npy"), want, rtol=1e-6, atol=1e-6)

    def test_numbers_far_below_zero(self):
        """They are no symbolic sizes, which are numbers of that kind inside."""
        least = -2**63 + 1
        y, = self.run_model(model([node("Slice", "x", "y", starts=[least], ends=[1], axes=[1])], [X], [Y], opset=9), x=self.x)
        np.testing.assert_array_equal(y, self.x[:, :1])
        for data in (model([node("Slice", "x", "y", starts=[least, 0], ends=[1, least])], [N], [Y], opset=9),
                     model([node("Slice", "x", "y", starts=[-least], ends=[1], axes=[0])], [N], [Y], opset=9),
                     model([node("Reshape", "x", "y", shape=[least, 3])], [N], [Y], opset=4)):
            self.faults(data)

    def test_equal_parts_of_a_size(self):
        data = model([node("Split", "x", "y z", axis=0)], [N], [Y])
        said, = self.faults(data)
        self.assertEqual(said["kind"], "ShapeUnknown")
        self.assertTrue(said["fix"]["title"].endswith(": --dim N=N"))

    def test_slices(self):
        x = np.arange(20, dtype=np.float32).reshape(4, 5)
        big = 2**63 - 1
        for size in (4, "N"):
            for start_, end, step, want in [(1, big, 1, x[1:]), (0, -1, 1, x[:-1]), (-2, big, 1, x[-2:]), (1, 3, 1, x[1:3]),
                                            (-1, -big - 1, -1, x[::-1])]:
                data = model([node("Slice", "x a b c d", "y")], [("x", "f32", [size, 5])], [Y],
                             [("a", ints(start_)), ("b", ints(end)), ("c", ints(0)), ("d", ints(step))])
                y, = self.run_model(data, x=x)
                np.testing.assert_array_equal(y, want, f"{size} {start_}:{end}:{step}")

    def test_lists_of_numbers_in_both_packings(self):
        def with_dims(dims):
            tensor = dims + field(2, 7) + field(8, "w") + field(7, bytes([1, 2, 3, 4, 5, 6]))
            return field(1, 8) + field(8, field(2, 13)) + field(7, field(1, node("Identity", "w", "y")) +
                                                                field(5, tensor) + field(12, field(1, "y")))
        for dims in (field(1, b"\x02\x03"), field(1, 2) + field(1, 3), field(1, b"\x02") + field(1, 3)):
            y, = self.run_model(with_dims(dims))
            np.testing.assert_array_equal(y, [[1, 2, 3], [4, 5, 6]])

    def test_constants_whose_data_does_not_fit(self):
        for wrong in (put_tensor(ints(1, 2))[:-8] + b"", put_tensor(ints(1, 2)).replace(b"\x08\x02", b"\x08\x03", 1)):
            body = field(1, node("Neg", "w", "y")) + field(5, wrong + field(8, "w")) + field(12, field(1, "y"))
            said = self.faults(field(1, 8) + field(8, field(2, 13)) + field(7, body))
            self.assertIn(said[-1]["kind"], ("InvalidConstant", "SyntaxError"))

    def test_truncated(self):
        """Whatever is cut off, something is said, or what is left is a model."""
        data = model([node("Add", "x w", "y")], [X], [Y], [("w", np.ones(3, np.float32))])
        for n in range(0, len(data), 3):
            done = start("check", self.file(data[:n]))
            self.assertIn(done.returncode, (0, 1, 2), done.stderr)
            self.assertEqual(done.returncode == 0, not done.stderr.strip(), done.stderr)

    def test_malformed(self):
        good = model([node("Neg", "x", "y")], [X], [Y])
        nested = node("Neg", "x", "y")
        for _ in range(80):
            nested = node("If", "x", "y", then_branch=graph([nested], [], [("y", "f32", None)]))
        for data, word in [(good + b"\x0b", "encoding"), (good + b"\x00\x01", "number"), (good + b"\x08" + b"\xff" * 11, "64"),
                           (good + b"\x3a\x7f", "longer"), (good + field(7, b""), "twice"), (good + b"\x3a", "ends"),
                           (good.replace(field(8, field(2, 13)), field(8, b"\x15abcd")), "encoding"),
                           (model([nested], [X], [Y]), "deep")]:
            said = self.faults(data, "--from", "onnx")
            self.assertEqual([d["kind"] for d in said], ["SyntaxError"], said)
            self.assertIn(word, said[0]["message"])
            self.assertRegex(said[0]["message"], r"byte \d+")

    def test_inputs_that_are_no_tensors(self):
        sequence = field(1, "x") + field(2, field(4, b""))
        body = field(1, node("Identity", "x", "y")) + field(11, sequence) + field(12, field(1, "y"))
        self.assertEqual(self.kinds(field(1, 8) + field(8, field(2, 13)) + field(7, body)), ["Sequence"])
        self.assertEqual(self.kinds(model([node("Identity", "x", "y")], [("x", "f32", None)], [Y])), ["ShapeUnknown"])

    def test_open_sizes_that_may_differ(self):
        for images, grids, kind in ("n", "m", "ShapeUnknown"), ("n", 2, "ShapeUnknown"), (3, 2, "DimensionMismatch"):
            data = model([node("GridSample", "x g", "y")], [("x", "f32", [images, 1, 2, 2]), ("g", "f32", [grids, 2, 2, 2])],
                         [("y", "f32", None)], opset=16)
            self.assertEqual(self.kinds(data), [kind])

    def test_files_of_other_kinds(self):
        """What a file is that is called a model and is none, and what helps."""
        good = model([node("Add", "x w", "y")], [X], [Y], [("w", np.ones(3, np.float32))])
        zeros = bytes(300)
        for data, word, fix in [(b"version https://git-lfs.github.com/spec/v1\noid sha256:00\n", "Git LFS", "git lfs pull"),
                                (b"<!DOCTYPE html><html>", "web page", "address"), (b"PK\3\4" + zeros, "ZIP", "torch.onnx"),
                                (b"\x80\x02}q\0.", "pickle", "torch.onnx"), (gzip.compress(good), "compressed", "uncompress"),
                                (b"\x18\0\0\0ORTM" + zeros, "ONNX Runtime", ".onnx"), (b"\x1c\0\0\0TFL3" + zeros, "TensorFlow", "tf2onnx"),
                                (zeros[:257] + b"ustar\0", "tar", "unpack"), (b'{"irVersion":"8"}', "JSON", "onnx.save"),
                                (b'<ir_version: 7, opset_import: ["" : 10]>', "text", "onnx.save"),
                                (good[:-5], "longer", "end of the file"), (good[:-len(good) + 5], "longer", "end of the file")]:
            done = start("check", self.file(data))
            self.assertEqual(done.returncode, 1)
            self.assertIn(word, done.stderr.splitlines()[0])
            self.assertRegex(done.stderr, f"(?m)^fix: .*{fix}")
        for n in range(1, 300, 7):  # the beginnings are not looked for behind the end
            self.assertEqual(start("check", "--from", "onnx", self.file((zeros[:257] + b"ustar\0" + zeros)[:n])).returncode, 1)

    def test_inputs_without_a_shape(self):
        """The extents of what is given, or sizes with the names of its axes, say how many there are."""
        data = model([node("Transpose", "x", "t", perm=[1, 0]), node("MatMul", "x t", "y")], [("x", "f32", None)], [Y])
        for x in self.x, self.x[:1]:
            y, = self.run_model(data, x=x)
            np.testing.assert_array_equal(y, x @ x.T)
        y, = self.run_model(data, "--constant", "x=" + str(self.saved(self.x)))
        np.testing.assert_array_equal(y, self.x @ self.x.T)
        said = self.faults(data)
        self.assertEqual([d["kind"] for d in said], ["ShapeUnknown"])
        self.assertIn("--dim x.0=N", str(said))
        for sizes, fits in (("x.0=2", "x.1=3"), True), (("x.0=2",), False), (("x.1=3",), False), ([f"x.{k}=1" for k in range(40)], False):
            options = [word for size in sizes for word in ("--dim", size)]
            self.assertEqual(start("compile", self.file(data), *options, "-o", self.folder / "m.c").returncode == 0, fits, sizes)
        scalar = model([node("Neg", "x", "y")], [("x", "f32", None)], [Y])
        y, = self.run_model(scalar, x=np.float32(2))
        np.testing.assert_array_equal(y, np.float32(-2))

    def test_outputs_that_are_not_as_declared(self):
        nodes = [node("Shape", "x", "s"), node("Neg", "x", "y")]
        for s, y, said in [(("s", "si64", [2]), ("y", "f32", ["a", 3]), 0), (("s", None, None), ("y", "f32", [2, None]), 0),
                           (("s", "f32", [2]), ("y", "f32", [2, 3]), 1), (("s", "si64", [2]), ("y", "f32", [2]), 1),
                           (("s", "si64", [1]), ("y", "f32", [2, 4]), 2)]:
            done = start("check", self.file(model(nodes, [X], [s, y])))
            self.assertEqual((done.returncode, done.stderr.count("warning: ")), (0, said), done.stderr)

    def test_versions_that_would_do(self):
        for op, opset, word in ("Gelu", 17, "version 20"), ("Upsample", 13, "version 9"), ("Relu", 99, "up to 27"):
            done = start("check", self.file(model([node(op, "x", "y")], [X], [Y], opset=opset)))
            self.assertRegex(done.stderr, f"(?m)^fix: .*{word}")

    def test_names_of_outputs(self):
        path = self.file(model([node("Tanh", "x", "y"), node("Tanh", "x", "z"), node("Identity", "x", "same")], [X],
                               [Y, ("z", "f32", None), ("same", "f32", None), ("y", "f32", None)]))
        for engine in ("ref", "jit"):
            done = start("run", path, "--random", "1", "--engine", engine, "--output", self.folder / "out")
            self.assertEqual(done.returncode, 0, done.stderr)
            listed = json.loads((self.folder / "out/outputs.json").read_text())
            self.assertEqual([o["name"] for o in listed], ["y", "z", "same", "y"])

    def test_values_of_inputs(self):
        data = model([node("Reshape", "x s", "y")], [X, ("s", "si64", ["n"])], [Y])
        self.assertEqual(self.kinds(data), ["DataDependentShape"])
        for value in ("[3,2]", "[ 3 , -1 ]", self.saved(ints(3, 2))):
            y, = self.run_model(data, "--constant", f"s={value}", x=self.x)
            np.testing.assert_array_equal(y, self.x.reshape(3, 2))
        self.assertEqual(self.kinds(data, "--constant", "s=[1.5]"), ["InputMismatch"])
        self.assertEqual(self.kinds(data, "--constant", "s=[3,2]", "--constant", "t=1"), ["UndefinedName"])
        named = model([node("Add", "x weight", "y")], [X], [Y], [("weight", self.x)])
        fault, = self.faults(named, "--constant", "wieght=1")
        self.assertIn("no input and no initializer", fault["message"])
        self.assertIn("'weight'", str(fault["fix"]))
        for wrong in ("s=[1,", "s=x", "s", "s=[[1],2]", "s="):
            self.assertEqual(self.kinds_of_usage(data, "--constant", wrong), ["Usage"], wrong)

    def kinds_of_usage(self, data, *arguments):
        return [d["kind"] for d in self.faults(data, *arguments, status=2)]

    def test_sizes_of_compared_models(self):
        path = self.file(model([node("Tanh", "x", "y")], [("x", "f32", ["n", 3])], [Y]))
        other = self.folder / "open.ptir"
        self.assertEqual(start("convert", path, "-o", other).returncode, 0)
        for both, size, status in ((path, path), "n=4", 0), ((path, other), "n=4", 0), ((path, path), "m=4", 2):
            done = start("equiv", *both, "--n", 1, "--dim", size)
            self.assertEqual(done.returncode, status, done.stderr)

    def test_weights_of_equal_elements(self):
        """An initializer is one again, with its name and all elements, when the model is written."""
        w = np.full(2048, 0.5, np.float32)
        path = self.file(model([node("Mul", "x scale", "y")], [("x", "f32", [2048])], [("y", "f32", [2048])], [("scale", w)]))
        again = self.folder / "again.onnx"
        for source in path, again:
            done = start("convert", source, "--to", "onnx", "-o", again)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(b"scale", again.read_bytes())
            self.assertIn(w.tobytes(), again.read_bytes())

    def test_commands(self):
        path = self.file(model([node("Tanh", "x", "y")], [X], [Y]))
        for arguments in (["explain", path], ["compile", path, "-o", self.folder / "m.c"], ["convert", path, "--to", "ptir"],
                          ["grad", self.file(model([node("Tanh", "x", "a"), node("ReduceSum", "a", "y", keepdims=0)], [X], [Y]),
                                             "g.onnx")]):
            done = start(*arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
        done = start("fmt", path)
        self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    sys.exit(unittest.main())
