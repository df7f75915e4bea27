"""Attributes that operators do not have are warned of, once each; those that they have are in the table of operators."""
import json
import pathlib
import re
import tempfile
import unittest

import numpy as np

from lib.onnx_files import function, graph, model, node
from lib.program import ROOT, start

try:
    import onnx.defs
except ImportError:
    onnx = None

X = ("x", "f32", [1, 3])
Y = ("y", "f32", None)
ROW = re.compile(r'^ONNX\("(.*?)", (\w+), (\d+), (\w+), .*"(.*)"\)$', re.MULTILINE)


NOT_LOOKED_AT = {"consumed_inputs"}  # which change nothing


def spans(text, version):
    """Does a span of ops.def, such as `4-` or `-12`, hold VERSION?"""
    begin, _, end = text.partition("-")
    return int(begin or 0) <= version <= int(end or 99)


class Attributes(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)

    def warnings(self, data):
        """What is said of a model that is read."""
        (self.folder / "m.onnx").write_bytes(data)
        done = start("check", self.folder / "m.onnx", "--diagnostics", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        said = [json.loads(line) for line in done.stderr.splitlines()]
        self.assertEqual({(d["severity"], d["kind"]) for d in said} - {("warning", "Advice")}, set())
        return said

    def results(self, data, x):
        (self.folder / "m.onnx").write_bytes(data)
        np.save(self.folder / "x.npy", x)
        done = start("run", self.folder / "m.onnx", "--input", f"x={self.folder}/x.npy", "--output", self.folder / "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        listed, = json.loads((self.folder / "out/outputs.json").read_text())
        return np.load(self.folder / "out" / listed["file"])

    def test_without_a_meaning(self):
        said, = self.warnings(model([node("Relu", "x", "a", name="first", foo=1), node("Relu", "a", "y", foo=2)], [X], [Y]))
        self.assertEqual(said["node"], "first")
        self.assertRegex(said["message"], r"^'foo' is no attribute of this version of Relu, and changes nothing; "
                                          r"this is the first of 2 places \(opset 13, output \"a\", byte \d+\)$")

    def test_of_another_version(self):
        """What a node asks for that another version has is done."""
        data = model([node("Squeeze", "x", "y", axes=[0])], [("x", "f32", [1, 1, 3])], [Y])
        said, = self.warnings(data)
        self.assertIn("'axes' is no attribute of this version of Squeeze, and is read as", said["message"])
        self.assertEqual(self.results(data, np.ones((1, 1, 3), np.float32)).shape, (1, 3))
        said, = self.warnings(model([node("BatchNormalization", "x s s s s", "y", spatial=1)], [X], [Y],
                                    [("s", np.ones(3, np.float32))]))
        self.assertIn("'spatial' is no attribute of this version of BatchNormalization, and changes nothing", said["message"])

    def test_of_this_version(self):
        self.assertEqual(self.warnings(model([node("Squeeze", "x", "y", axes=[0])], [X], [Y], opset=11)), [])
        self.assertEqual(self.warnings(model([node("BatchNormalization", "x s s s s", "y", spatial=1)], [X], [Y],
                                             [("s", np.ones(3, np.float32))], opset=8)), [])

    def test_several(self):
        said = self.warnings(model([node("Elu", "x", "a", foo=1, alpha=0.5, bar=[1, 2]), node("Selu", "a", "y", foo="text")],
                                   [X], [Y]))
        self.assertEqual([re.match(r"'(\w+)'.* (\w+), and", d["message"]).groups() for d in said],
                         [("foo", "Elu"), ("bar", "Elu"), ("foo", "Selu")])

    def test_in_functions(self):
        own = function("F", "a", "b", [node("Relu", "a", "b", bar=1)], attributes=["known"], other=1.0)
        calls = [node("F", "x", "c", domain="own", known=2, other=3.0, foo=1), node("F", "c", "y", domain="own")]
        said = self.warnings(model(calls, [X], [Y], domains=[("own", 1)], functions=[own]))
        self.assertEqual([d["message"].split(" (")[0] for d in said],
                         ["'bar' is no attribute of this version of Relu, and changes nothing",
                          "'foo' is no attribute of the function F, and changes nothing"])

    def test_in_a_loop(self):
        """A graph that is written out five times is one node in the file."""
        body = graph([node("Relu", "a", "b", foo=1), node("Concat", "b b", "c", axis=0), node("Identity", "p", "q")],
                     [("i", "si64", []), ("p", "i1", []), ("a", "f32", None)], [("q", "i1", []), ("c", "f32", None)])
        said, = self.warnings(model([node("Loop", "n p x", "y", body=body)], [X], [Y],
                                    [("n", np.array(5)), ("p", np.array(True))]))
        self.assertNotIn("places", said["message"])

    def test_missing(self):
        """What a node must have in this version, and need not in another."""
        for op, opset, names, attribute in (("Concat", 13, "x x", "axis"), ("Slice", 9, "x", "ends"), ("TopK", 9, "x", "k"), ("MaxPool", 22, "x", "kernel_shape"), ("LRN", 13, "x", "size"),
                                            ("DepthToSpace", 13, "x", "blocksize"), ("GroupNormalization", 21, "x x x", "num_groups"), ("Einsum", 12, "x", "equation")):
            with self.subTest(op):
                (self.folder / "m.onnx").write_bytes(model([node(op, names, "y")], [X], [Y], opset=opset))
                done = start("check", self.folder / "m.onnx", "--diagnostics", "json")
                said = json.loads(done.stderr.splitlines()[0])
                self.assertEqual((done.returncode, said["kind"]), (1, "MissingAttribute"), said)
                self.assertTrue(said["message"].startswith(f"{op}: it needs the attribute '{attribute}' (opset {opset}, output \"y\""), said)
        self.assertEqual(self.warnings(model([node("Concat", "x x", "y")], [X], [Y], opset=3)), [])

    @unittest.skipUnless(onnx, "python3-onnx is missing")
    def test_table(self):
        """The attributes of each operator are those of its definition, for every version that Debian's package knows."""
        newest, seen = onnx.defs.onnx_opset_version(), 0
        for domain, name, first, last, listed in ROW.findall((ROOT / "src/dialect/onnx/ops/ops.def").read_text()):
            for version in range(int(first), newest + 1 if last == "LATEST" else int(last) + 1):
                try:
                    wanted = onnx.defs.get_schema(name, version, domain).attributes
                except onnx.defs.SchemaError:
                    continue
                own, needed = set(), set()
                for word in listed.split():
                    word, mark, must = word.partition("!")
                    attribute, _, span = word.partition(":")
                    own |= {attribute} if spans(span, version) else set()
                    needed |= {attribute} if mark and spans(must, version) else set()
                with self.subTest(name=name, version=version):
                    self.assertEqual(own, set(wanted))
                    self.assertEqual(needed & own, {k for k, a in wanted.items() if a.required} - NOT_LOOKED_AT)
                seen += 1
        self.assertGreater(seen, 1500)


if __name__ == "__main__":
    unittest.main()
