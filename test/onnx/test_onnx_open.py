"""Models whose sizes are open when they are run."""
import unittest

import numpy as np

from lib.onnx_case import Case, floats, ints
from lib.onnx_files import model, node


class OpenSizes(Case):
    """A run reads a model with its sizes open, and once more with those of the inputs where it needs that."""

    def test_axes_of_extent_1_spread(self):
        data = model([node("Add", "a b", "y")], [("a", "f32", ["n", 3]), ("b", "f32", ["m", 3])], [("y", "f32", None)])
        for n, m in (2, 2), (2, 1), (1, 2):
            a, b = floats(n, 3), floats(m, 3)
            got, = self.run_model(data, {"a": a, "b": b})
            np.testing.assert_array_equal(got, a + b)

    def test_parts_end_with_the_axis(self):
        data = model([node("Slice", "x from to", "y")], [("x", "f32", ["n", 2])], [("y", "f32", None)],
                     [("from", ints(2)), ("to", ints(100))])
        for n in 120, 7, 1:
            x = floats(n, 2)
            got, = self.run_model(data, {"x": x})
            np.testing.assert_array_equal(got, x[2:100])

    def test_sizes_of_floats(self):
        """A list of a few floats may say how large a result is, as models that segment images have it."""
        data = model([node("Cast", "size", "s", to=7), node("Concat", "one s", "all", axis=0), node("Resize", "x - - all", "y", mode="nearest")],
                     [("x", "f32", [1, 1, 2, 2]), ("size", "f32", [2])], [("y", "f32", None)], [("one", ints(1, 1))])
        x = floats(1, 1, 2, 2)
        for n, m in (4, 6), (2, 4):
            got, = self.run_model(data, {"x": x, "size": np.array([n, m], np.float32)})
            np.testing.assert_array_equal(got, x.repeat(n // 2, 2).repeat(m // 2, 3))
        done = self.checked(data)
        self.assertEqual(done.returncode, 1)
        self.assertIn("--constant size=VALUE", done.stderr)


if __name__ == "__main__":
    unittest.main()
