"""Sparse tensors: initializers, of the model and of graphs in it, and values of constants."""
import json
import unittest

import numpy as np

from lib import onnx_case
from lib.onnx_case import floats, ints
from lib.onnx_files import graph, model, node, put_external, put_sparse

DTYPES = {"float32": "f32", "float16": "f16", "float64": "f64", "int64": "si64", "int8": "si8", "bool": "i1", "complex64": "cf32"}
DENSE = [[0, 1.5, 0, 0], [-2, 0, 0, 0], [0, 0, 0, 3]]


def matrix(name="w", flat=True):
    indices = ints(1, 4, 11) if flat else np.array([[0, 1], [1, 0], [2, 3]])
    return put_sparse(name, np.array([1.5, -2, 3], np.float32), indices, [3, 4])


def product(*initializers):
    return model([node("MatMul", "x w", "y")], [("x", "f32", [2, 3])], [("y", "f32", None)], initializers)


class Sparse(onnx_case.Case):
    def faulty(self, data, kind, words):
        done = self.checked(data)
        self.assertEqual(done.returncode, 1, done.stderr)
        first = json.loads(done.stderr.splitlines()[0])
        self.assertEqual(first["kind"], kind, first)
        self.assertRegex(first["message"], words)

    def test_initializers(self):
        x = floats(2, 3)
        for flat in True, False:
            np.testing.assert_array_equal(self.run_model(product(matrix(flat=flat)), {"x": x})[0], x @ np.float32(DENSE))

    def test_element_types(self):
        for dtype, own in DTYPES.items():
            weight = put_sparse("w", np.array([1, 1], dtype), ints(0, 3), [5])
            with self.subTest(dtype):
                data = model([node("Identity", "w", "y")], [], [("y", own, [5])], [weight])
                np.testing.assert_array_equal(self.run_model(data, {})[0], np.array([1, 0, 0, 1, 0], dtype))

    def test_shapes(self):
        for dims, indices in ([], np.zeros((1, 0), np.int64)), ([], ints(0)), ([0, 2], ints()), ([2], ints()), ([2, 0], np.zeros((0, 2), np.int64)):
            weight = put_sparse("w", np.ones(len(indices), np.float32), indices, dims)
            with self.subTest(str((dims, indices.shape))):
                data = model([node("Identity", "w", "y")], [], [("y", "f32", dims)], [weight])
                want = np.zeros(dims, np.float32) + (len(indices) > 0)
                np.testing.assert_array_equal(self.run_model(data, {})[0], want)

    def test_large_one(self):
        """Its elements are the reader's own, where those of others stay in the file."""
        at = np.arange(0, 600 * 700, 7)
        weight = put_sparse("w", at.astype(np.float32), at, [600, 700])
        x = floats(2, 600)
        want = np.zeros(600 * 700, np.float32)
        want[at] = at
        got = self.run_model(model([node("Gather", "w i", "y"), node("Identity", "x", "z")], [("x", "f32", [2, 600])], [("y", "f32", None), ("z", "f32", None)],
                                   [weight, ("i", ints(599, 0)), ("pad", floats(1 << 19))]), {"x": x})
        np.testing.assert_array_equal(got[0], want.reshape(600, 700)[[599, 0]])

    def test_shape_of_another(self):
        """A sparse list may say what a shape is."""
        x = floats(2, 3)
        shape = put_sparse("s", ints(6), ints(1), [2])
        data = model([node("Reshape", "x s", "y", allowzero=0), node("Expand", "k s2", "z")], [("x", "f32", [1, 6])], [("y", "f32", None), ("z", "f32", None)],
                     [shape, put_sparse("s2", ints(2), ints(0), [1]), ("k", np.float32([7]))])
        got = self.run_model(data, {"x": x.reshape(1, 6)})
        np.testing.assert_array_equal(got[0], x.reshape(1, 6))
        np.testing.assert_array_equal(got[1], np.float32([7, 7]))

    def test_inner_graph_hides_a_name(self):
        inner = graph([node("MatMul", "x w", "y")], [], [("y", "f32", None)], [matrix()])
        other = graph([node("MatMul", "x w", "z")], [], [("z", "f32", None)])
        data = model([node("If", "c", "y", then_branch=inner, else_branch=other)], [("x", "f32", [2, 3]), ("c", "i1", [])], [("y", "f32", None)],
                     [("w", np.ones((3, 4), np.float32))])
        x = floats(2, 3)
        for c, w in (True, np.float32(DENSE)), (False, np.ones((3, 4), np.float32)):
            np.testing.assert_array_equal(self.run_model(data, {"x": x, "c": np.array(c)})[0], x @ w)

    def test_constant(self):
        x = floats(2, 3)
        data = model([node("Constant", "", "w", sparse_value=matrix(flat=False)), node("MatMul", "x w", "y")], [("x", "f32", [2, 3])], [("y", "f32", None)])
        np.testing.assert_array_equal(self.run_model(data, {"x": x})[0], x @ np.float32(DENSE))

    def test_malformed(self):
        values = np.array([1, 2], np.float32)
        for why, *parts in (("an index lies outside of it", values, ints(0, 12), [3, 4]), ("an index lies outside of it", values, ints(-1, 2), [3, 4]),
                            ("an index lies outside of it", values, np.array([[0, 0], [1, 4]]), [3, 4]), ("do not ascend", values, ints(5, 5), [3, 4]),
                            ("do not ascend", values, np.array([[1, 0], [0, 3]]), [3, 4]), ("do not fit its shape", values, ints(1), [3, 4]),
                            ("do not fit its shape", values, np.array([[0], [1]]), [3, 4]), ("do not fit its shape", values, np.float32([0, 1]), [3, 4]),
                            ("do not fit its shape", values.reshape(2, 1), ints(0, 1), [3, 4]), ("an index lies outside of it", values, ints(0, 1), [0, 4]),
                            ("an extent is negative", values, ints(0, 1), [-3, 4]), ("more elements than can be counted", values, ints(0, 1), [1 << 62, 4])):
            with self.subTest(why, parts=str(parts)):
                self.faulty(product(put_sparse("w", *parts)), "InvalidConstant", f"the sparse tensor 'w' cannot be read: .*{why}")
        self.faulty(product(put_sparse("w", values, ints(0, 1), [1 << 31, 4])), "LimitExceeded", "literal_bytes")
        self.faulty(product(put_sparse("w", values, ints(0, 1), [1 << 26])), "LimitExceeded", "1024 times")
        several = [put_sparse(f"w{k}", values, ints(0, 1), [1 << 22]) for k in range(8)]
        self.faulty(product(matrix(), *several), "LimitExceeded", "the sparse tensor 'w4'|the sparse tensor 'w3'")
        self.faulty(product(put_sparse("", put_external([2], "f32", "w", location="w.bin"), ints(0, 1), [3, 4])), "ExternalData", "w.bin")
        self.faulty(product(matrix(), ("w", floats(3, 4))), "MultipleDefinitions", "'w'")


if __name__ == "__main__":
    unittest.main()
