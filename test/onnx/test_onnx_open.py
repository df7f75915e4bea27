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

    def test_inputs_by_position(self):
        """Their sizes and values count as those of inputs by name, unless another input is called so."""
        weights = [("w", np.ones((1, 1, 2), np.float32))]
        data = model([node("Conv", "x w", "a"), node("Reshape", "a s", "y")], [("x", "f32", [1, 1, "h"]), ("s", "si64", [2])],
                     [("y", "f32", None)], weights)
        x = floats(1, 1, 5)
        got, = self.run_model(data, {"0": x, "1": ints(2, 2)})
        np.testing.assert_array_equal(got, (x[..., 1:] + x[..., :-1]).reshape(2, 2))
        self.accepted(data, "--dim", "h=5", "--constant", "1=[2,2]")
        other = model([node("Conv", "1 w", "a"), node("Reshape", "a 0", "y")], [("1", "f32", [1, 1, "h"]), ("0", "si64", [2])],
                      [("y", "f32", None)], weights)
        got, = self.run_model(other, {"1": x, "0": ints(4, 1)})
        np.testing.assert_array_equal(got, (x[..., 1:] + x[..., :-1]).reshape(4, 1))
        self.accepted(other, "--dim", "h=5", "--constant", "0=[2,2]")
        first = model([node("Conv", "x w", "a"), node("Reshape", "a s", "y")], [("s", "si64", [2]), ("x", "f32", [1, 1, "h"])],
                      [("y", "f32", None)], weights)
        got, = self.run_model(first, {"0": ints(1, 4), "1": x})
        np.testing.assert_array_equal(got, (x[..., 1:] + x[..., :-1]).reshape(1, 4))

    def test_parts_end_with_the_axis(self):
        data = model([node("Slice", "x from to", "y")], [("x", "f32", ["n", 2])], [("y", "f32", None)],
                     [("from", ints(2)), ("to", ints(100))])
        for n in 120, 7, 1:
            x = floats(n, 2)
            got, = self.run_model(data, {"x": x})
            np.testing.assert_array_equal(got, x[2:100])

    def test_parts_that_sizes_bound(self):
        """Bounds that are sizes, in steps and backwards: the model is read with open sizes, and gives what NumPy does, also where parts end
        with the axis."""
        constants = {"zero": 0, "big": 1 << 62, "last": -1, "third": -3, "low": -(1 << 62)}
        for start, end, step in (("m", "big", 1), ("zero", "m", 1), ("m", "last", 2), ("third", "m", 1), ("m", "zero", 1), ("last", "low", -2)):
            data = model([node("Shape", "y", "m"), node("Slice", f"x {start} {end} axis step", "z")], [("x", "f32", ["n"]), ("y", "f32", ["m"])],
                         [("z", "f32", None)], [(n, ints(v)) for n, v in constants.items()] + [("axis", ints(0)), ("step", ints(step))])
            self.accepted(data)
            for n, m in (6, 2), (3, 5):
                x = np.arange(n, dtype=np.float32)
                low, high = ({"m": m} | constants)[start], None if end == "low" else ({"m": m} | constants)[end]
                got, = self.run_model(data, {"x": x, "y": np.zeros(m, np.float32)})
                np.testing.assert_array_equal(got, x[low:high:step])

    def test_numbers_beyond_an_axis(self):
        """Where the extent is a number, bounds that are numbers need not lie inside of it, though others are sizes."""
        x = np.arange(10, dtype=np.float32)
        for start, end, low, high in (("by", "m", -20, 4), ("by", "m", -3, 9), ("m", "by", 4, 100), ("m", "by", 4, -1)):
            data = model([node("Shape", "y", "m"), node("Slice", f"x {start} {end} axis", "z")], [("x", "f32", [10]), ("y", "f32", ["m"])],
                         [("z", "f32", None)], [("by", ints(low if start == "by" else high)), ("axis", ints(0))])
            self.accepted(data)
            self.accepted(data, "--dim", f"m={high if start == 'by' else low}")
            got, = self.run_model(data, {"x": x, "y": np.zeros(high if start == "by" else low, np.float32)})
            np.testing.assert_array_equal(got, x[low:high])

    def test_padded_to_a_size(self):
        """As much as a size, which may cut away as well."""
        data = model([node("Shape", "x", "n"), node("Sub", "four n", "p"), node("Concat", "zero p", "pads", axis=0), node("Pad", "x pads", "y")],
                     [("x", "f32", ["n"])], [("y", "f32", None)], [("four", ints(4)), ("zero", ints(0))])
        self.accepted(data)
        for n in 2, 6:
            x = floats(n)
            got, = self.run_model(data, {"x": x})
            np.testing.assert_array_equal(got, np.concatenate([x, np.zeros(4, np.float32)])[:4])

    def test_the_largest_of_an_open_number(self):
        data = model([node("Shape", "x", "n"), node("TopK", "x n", "v i"), node("Div", "n two", "k"), node("TopK", "x k", "w j", largest=0)],
                     [("x", "f32", ["n"])], [(o, t, None) for o, t in (("v", "f32"), ("i", "si64"), ("w", "f32"), ("j", "si64"))], [("two", ints(2))])
        self.accepted(data)
        for n in 6, 1:
            x = floats(n)
            v, i, w, j = self.run_model(data, {"x": x})
            np.testing.assert_array_equal(i, np.argsort(-x, kind="stable"))
            np.testing.assert_array_equal(j, np.argsort(x, kind="stable")[:n // 2])
            np.testing.assert_array_equal(v, x[i])
            np.testing.assert_array_equal(w, x[j])

    def test_padding_by_large_integers(self):
        """No double holds them."""
        value = (1 << 62) + 1
        data = model([node("Pad", "x pads v", "y")], [("x", "si64", [2])], [("y", "si64", None)], [("pads", ints(1, 2)), ("v", np.array(value))])
        got, = self.run_model(data, {"x": ints(3, 4)})
        np.testing.assert_array_equal(got, [value, 3, 4, value, value])

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

    def test_extents_are_not_negative(self):
        """A place that a shape may leave out by -1, as exporters write it, is none where the shape is that of a value."""
        data = model([node("Slice", "x zero last", "part"), node("Shape", "part", "s"), node("Equal", "s last", "is_left"),
                      node("Where", "is_left one s", "t"), node("Expand", "a t", "y")],
                     [("x", "f32", ["n"]), ("a", "f32", [1])], [("y", "f32", None)], [("zero", ints(0)), ("last", ints(-1)), ("one", ints(1))])
        self.accepted(data)
        for n in 5, 2, 1:
            a = floats(1)
            got, = self.run_model(data, {"x": floats(n), "a": a})
            np.testing.assert_array_equal(got, a.repeat(n - 1))
        # Other numbers may be: a size less 3 is -1 where the size is 2.
        data = model([node("Shape", "x", "n"), node("Sub", "n three", "s"), node("Equal", "s last", "is_left"), node("Where", "is_left one s", "t"),
                      node("Expand", "a t", "y")], [("x", "f32", ["n"]), ("a", "f32", [1])], [("y", "f32", None)],
                     [("three", ints(3)), ("last", ints(-1)), ("one", ints(1))])
        for n, wanted in (2, 1), (5, 2):
            a = floats(1)
            got, = self.run_model(data, {"x": floats(n), "a": a})
            np.testing.assert_array_equal(got, a.repeat(wanted))


if __name__ == "__main__":
    unittest.main()
