"""Sequences and optional values of ONNX, which exist while a file is read."""
import unittest

import numpy as np

from lib.onnx_case import Case, floats
from lib.onnx_files import graph, model, node
from test_onnx_flow import GOES_ON, body, constant

A, B = ("a", "f32", [2, 3]), ("b", "f32", [2, 3])


class Sequences(Case):
    def check(self, nodes, want, outputs="z", more=(), **inputs):
        given = {"a": self.a, "b": self.b} | inputs
        data = model(nodes, [A, B, *more], [(o, "f32", None) for o in outputs.split()], opset=17)
        got = self.run_model(data, given)
        self.assertEqual(len(got), len(want))
        for x, y in zip(got, want):
            np.testing.assert_array_equal(x, y)

    def setUp(self):
        self.a, self.b = floats(2, 3), floats(2, 3)
        self.both = node("SequenceConstruct", "a b", "s")

    def test_positions(self):
        a, b = self.a, self.b
        at = [constant("last", np.int64(-1)), constant("first", np.int64(0))]
        self.check([self.both, *at, node("SequenceInsert", "s b first", "s1"), node("SequenceInsert", "s1 a", "s2"),
                    node("SequenceErase", "s2 first", "s3"), node("SequenceErase", "s3", "s4"),
                    node("SequenceAt", "s4 last", "z"), node("SequenceLength", "s2", "n")], [b, 4], "z n")
        self.check([self.both, node("SequenceAt", "s i", "z")], [b], more=[("i", "si64", [])], i=np.array(-1))
        self.check([self.both, node("Identity", "s", "t"), node("Abs", "a", "c")], [a, b, abs(a)], "t c")
        data = model([self.both, constant("i", np.int64(2)), node("SequenceAt", "s i", "z")], [A, B], [("z", "f32", None)])
        self.assertEqual(self.refused(data), ["InvalidAttribute"])
        data = model([self.both, node("Abs", "s", "z")], [A, B], [("z", "f32", None)])
        self.assertEqual(self.refused(data), ["Sequence"])

    def test_parts(self):
        a = self.a
        self.check([node("SplitToSequence", "a", "z", axis=1, keepdims=0)], list(a.T))
        self.check([constant("n", np.int64(2)), node("SplitToSequence", "a n", "z", axis=-1)], [a[:, :2], a[:, 2:]])
        self.check([constant("n", np.array([1, 0, 2])), node("SplitToSequence", "a n", "z", axis=1)],
                   [a[:, :1], a[:, :0], a[:, 1:]])

    def test_parts_that_are_not_the_whole(self):
        """Of data and of a known list, whose parts are known."""
        large, least = (1 << 62) + 3, -1 << 63
        split = [node("SplitToSequence", "x n", "s"), node("SequenceLength", "s", "z")]
        for sizes in (2, 2), (1, 1, 0), (4, -1), (3000, large), (large,), (least, 3), (least, large, large):
            for inputs, more in ([("x", "si64", [3])], []), ([], [constant("x", np.arange(3))]):
                data = model([*more, constant("n", np.array(sizes)), *split], inputs, [("z", "si64", [])])
                self.assertEqual(self.refused(data), ["DimensionMismatch"])
        data = model([constant("x", np.arange(3)), constant("n", np.array([3.0])), *split], [], [("z", "si64", [])])
        self.assertEqual(self.refused(data), ["InvalidAttribute"])

    def test_joined(self):
        self.check([self.both, node("ConcatFromSequence", "s", "z", axis=-1)], [np.concatenate([self.a, self.b], 1)])
        self.check([self.both, node("ConcatFromSequence", "s", "z", axis=-1, new_axis=1)], [np.stack([self.a, self.b], 2)])

    def test_a_graph_for_each(self):
        inner = graph([node("Mul", "x y", "p"), node("Sub", "p a", "q")], [("x", "f32", None), ("y", "f32", None)],
                      [("p", "f32", None), ("q", "f32", None)])
        a, b = self.a, self.b
        self.check([self.both, node("SequenceMap", "s b", "p q", body=inner)], [a * b, b * b, a * b - a, b * b - a], "p q")

    def test_in_loops_and_branches(self):
        a, b = self.a, self.b
        loop = body([GOES_ON, node("Add", "a c", "x"), node("SequenceInsert", "s x", "t")], "s", "t")
        yes = graph([node("SequenceAt", "s i", "x")], [], [("x", "f32", None)])
        no = graph([node("ConcatFromSequence", "s", "d", axis=0), node("Slice", "d zero two", "y")], [], [("y", "f32", None)])
        take = node("If", "p", "z", then_branch=yes, else_branch=no)
        constants = [constant("c", np.float32(2)), constant("zero", np.array([0])), constant("two", np.array([2]))]
        for p in True, False:
            self.check([self.both, *constants, take], [b if p else a], more=[("p", "i1", []), ("i", "si64", [])],
                       p=np.array(p), i=np.array(1))
        some = graph([node("SequenceInsert", "s a", "t"), node("Abs", "b", "m")], [], [("t", "f32", None), ("m", "f32", None)])
        none = graph([node("Neg", "a", "k"), node("SequenceConstruct", "k k b", "u"), node("Neg", "b", "m")], [],
                     [("u", "f32", None), ("m", "f32", None)])
        for p in True, False:
            self.check([self.both, node("If", "p", "z m", then_branch=some, else_branch=none), node("ConcatFromSequence", "z", "j", axis=0)],
                       [*([a, b, a] if p else [-a, -a, b]), abs(b) if p else -b, np.concatenate([a, b, a] if p else [-a, -a, b])],
                       "z m j", more=[("p", "i1", [])], p=np.array(p))
        short = graph([node("SequenceConstruct", "a", "t"), node("Abs", "b", "m")], [], [("t", "f32", None), ("m", "f32", None)])
        plain = graph([node("Abs", "a", "t"), node("Abs", "b", "m")], [], [("t", "f32", None), ("m", "f32", None)])
        for other in short, plain:
            data = model([self.both, node("If", "p", "z m", then_branch=some, else_branch=other)], [A, B, ("p", "i1", [])],
                         [("z", "f32", None), ("m", "f32", None)], opset=17)
            self.assertEqual(self.refused(data), ["Sequence"])
        self.check([node("SequenceEmpty", "", "e"), *constants, constant("n", np.int64(3)),
                    node("Loop", "n - e", "s", body=loop), node("ConcatFromSequence", "s", "z", axis=0)],
                   [np.concatenate([a + 2] * 3)])

    def test_optional_values(self):
        self.check([node("Optional", "a", "o"), node("OptionalHasElement", "o", "h"), node("OptionalGetElement", "o", "z"),
                    node("Optional", "", "e"), node("OptionalHasElement", "e", "f")], [True, self.a, False], "h z f")
        data = model([node("Optional", "", "e"), node("OptionalGetElement", "e", "z")], [A], [("z", "f32", None)], opset=17)
        self.assertEqual(self.refused(data), ["Sequence"])


if __name__ == "__main__":
    unittest.main()
