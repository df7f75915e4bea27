"""Values inside of a model as its results: what they need is read, and nothing else is looked at."""
import json
import unittest

import numpy as np

from lib.onnx_case import Case, floats
from lib.onnx_files import graph, model, node

X = ("x", "f32", [2, 3])
Y = ("y", "f32", None)
# A detector in small: how many results it has depends on data.
DETECTOR = model([node("Relu", "x", "a"), node("Mul", "a w", "b"), node("Greater", "b x2", "mask"), node("NonZero", "mask", "found"),
                  node("Transpose", "found", "t"), node("GatherND", "b t", "y")],
                 [X, ("x2", "f32", [2, 3])], [Y], [("w", np.float32([[3], [-2]]))])


class Results(Case):
    def test_a_model_ends_before_what_is_refused(self):
        x = floats(2, 3)
        self.assertEqual(self.refused(DETECTOR), ["DataDependentShape"])
        got = self.run_model(DETECTOR, {"x": x, "x2": x}, "--result", "mask", "--result", "a")
        b = np.maximum(x, 0) * np.float32([[3], [-2]])
        np.testing.assert_array_equal(got[0], b > x)
        np.testing.assert_array_equal(got[1], np.maximum(x, 0))

    def test_inputs_that_nothing_needs_are_none(self):
        x = floats(2, 3)
        np.testing.assert_array_equal(self.run_model(DETECTOR, {"x": x}, "--result", "a")[0], np.maximum(x, 0))

    def test_inputs_and_weights(self):
        x = floats(2, 3)
        got = self.run_model(DETECTOR, {"x2": x}, "--result", "x2", "--result", "w")
        np.testing.assert_array_equal(got[0], x)
        np.testing.assert_array_equal(got[1], np.float32([[3], [-2]]))

    def test_the_diagnostic_says_which(self):
        said = [json.loads(line) for line in self.checked(DETECTOR).stderr.splitlines()]
        self.assertEqual([note["message"] for d in said for note in d["notes"]],
                         ["what comes before what is refused can be read by itself: --result mask --result b"])

    def test_at_most_eight_are_named(self):
        nodes = [node("Relu", "x", f"r{k}") for k in range(10)]
        data = model(nodes + [node("NonZero", f"r{k}", f"n{k}") for k in range(10)], [X], [("n0", "si64", None)])
        self.assertIn("--result r7, and 2 more", self.checked(data).stderr)

    def test_what_graphs_inside_of_nodes_read(self):
        yes = graph([node("Add", "x a", "s")], [], [("s", "f32", [2, 3])])
        no = graph([node("Neg", "late", "n")], [], [("n", "f32", [2, 3])])
        data = model([node("Foo", "x", "other"), node("If", "p", "z", then_branch=yes, else_branch=no), node("Exp", "z", "y"),
                      node("Sub", "x a", "late"), node("Relu", "x", "a")], [X, ("p", "i1", [])], [Y])
        x = floats(2, 3)
        for p, want in ((True, x + np.maximum(x, 0)), (False, np.maximum(x, 0) - x)):
            got, = self.run_model(data, {"x": x, "p": np.array(p)}, "--result", "z")
            np.testing.assert_array_equal(got, want)

    def test_names_that_nothing_has(self):
        self.assertEqual(self.refused(DETECTOR, "--result", "mast"), ["UndefinedOutput"])
        self.assertIn("did you mean 'mask'?", self.checked(DETECTOR, "--result", "mast").stderr)


if __name__ == "__main__":
    unittest.main()
