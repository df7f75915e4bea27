"""`tenon verify`: models against test data, made here and of Debian's libonnx-testdata where that is installed."""
import pathlib
import sys
import tempfile
import unittest

import numpy as np

from lib.onnx_files import model, node, put_tensor
from lib.program import start

DATA = pathlib.Path("/usr/share/libonnx-testdata/data/node")
X = ("x", "f32", ["N"])
Y = ("y", "f32", None)


class Verify(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        self.model(model([node("Neg", "x", "y")], [X], [Y]))

    def model(self, data):
        (self.folder / "m.onnx").write_bytes(data)

    def data_set(self, number, inputs, outputs):
        folder = self.folder / f"test_data_set_{number}"
        folder.mkdir(exist_ok=True)
        for stem, arrays in ("input", inputs), ("output", outputs):
            for i, array in enumerate(arrays):
                name, array = array if isinstance(array, tuple) else ("", array)
                (folder / f"{stem}_{i}.pb").write_bytes(put_tensor(array, name))

    def verify(self, *arguments, status=0):
        done = start("verify", self.folder / "m.onnx", *arguments)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout if status < 2 else done.stderr

    x = np.array([1, 2, 3], np.float32)

    def test_all_sets_in_order(self):
        for i in 0, 2, 10:
            self.data_set(i, [self.x[:i % 3 + 1]], [-self.x[:i % 3 + 1]])
        said = self.verify().splitlines()
        self.assertEqual(said, ["test_data_set_0: y: f32[1]: equal", "test_data_set_2: y: f32[3]: equal",
                                "test_data_set_10: y: f32[2]: equal", "3 outputs in 3 sets: equal (rtol 0.001, atol 1e-07)"])

    def test_differences(self):
        near = np.nextafter(-self.x, np.float32(-100))
        self.data_set(0, [self.x], [near])
        self.assertIn("at most 1 ulp, relative 1.19e-07, absolute 2.38e-07", self.verify("--against", self.folder))
        said = self.verify("--rtol", "0", "--atol", "0", status=1)
        self.assertIn("3 elements beyond the tolerance, first 0", said)
        self.assertIn("1 beyond (rtol 0, atol 0)", said)
        self.verify("--rtol", "0", "--atol", "1e-6")
        self.data_set(1, [self.x], [-self.x - np.array([0, 0, 1], np.float32)])
        self.assertIn("first 2", self.verify(status=1))
        self.data_set(1, [self.x], [np.array([-1, np.nan, -3], np.float32)])
        self.assertIn("more than rounding", self.verify(status=1))
        self.data_set(1, [self.x * np.float32(np.nan)], [self.x * np.float32(np.nan)])
        self.verify()

    def test_names_that_move_the_cursor(self):
        self.model(model([node("Neg", "x", "y\x1b[31m\u202e")], [X], [("y\x1b[31m\u202e", "f32", None)]))
        self.data_set(0, [self.x], [-self.x])
        self.assertIn("test_data_set_0: y?[31m?: f32[3]: equal", self.verify())

    def test_types(self):
        self.data_set(0, [self.x], [-self.x.astype(np.float64)])
        self.assertIn("f32[3]: is not f64[3]", self.verify(status=1))
        self.data_set(0, [self.x], [-self.x[:2]])
        self.assertIn("f32[3]: is not f32[2]", self.verify(status=1))
        self.data_set(0, [self.x.astype(np.float64)], [-self.x])
        self.assertIn("input_0.pb", self.verify(status=3))

    def test_integers_are_exact(self):
        self.model(model([node("Cast", "x", "y", to=7)], [X], [("y", "si64", None)]))
        self.data_set(0, [1000 * self.x], [np.array([1000, 2000, 3000])])
        self.verify()
        self.data_set(0, [1000 * self.x], [np.array([1000, 2000, 3001])])
        self.assertIn("1 element beyond the tolerance, first 2", self.verify(status=1))

    def test_npy(self):
        self.data_set(0, [], [])
        for name, array in ("input_0", self.x), ("output_0", -self.x):
            np.save(self.folder / "test_data_set_0" / name, array)
        self.assertIn("y: f32[3]: equal", self.verify())
        np.save(self.folder / "test_data_set_0/input_0", self.x.astype(np.float64))
        self.assertIn("input_0.npy", self.verify(status=3))
        self.data_set(0, [self.x], [])  # a .pb comes first
        self.verify()

    def test_open_sizes(self):
        """A convolution needs its extents: the data have them."""
        ones = np.ones([1, 1, 2], np.float32)
        self.model(model([node("Conv", "x w", "y")], [("x", "f32", [1, 1, "N"])], [Y], [("w", ones)]))
        x = self.x.reshape(1, 1, 3)
        self.data_set(0, [("x", x)], [x[..., 1:] + x[..., :-1]])
        self.assertIn("equal", self.verify())

    def test_shapes_that_are_inputs(self):
        """They become known by the name in the file."""
        self.model(model([node("Reshape", "x s", "y")], [("x", "f32", [6]), ("s", "si64", [2])], [Y]))
        x = np.arange(6, dtype=np.float32)
        self.data_set(0, [("x", x), ("s", np.array([2, 3]))], [x.reshape(2, 3)])
        self.data_set(1, [("x", x), ("s", np.array([3, -1]))], [x.reshape(3, 2)])
        self.verify()
        self.data_set(0, [x, np.array([2, 3])], [x.reshape(2, 3)])
        done = start("verify", self.folder / "m.onnx")
        self.assertEqual(done.returncode, 1)
        self.assertIn("DataDependentShape", done.stderr)

    def test_faulty_sets(self):
        self.assertIn("no folder test_data_set_0", self.verify(status=3))
        self.data_set(0, [self.x], [])
        self.assertIn("has 0 outputs", self.verify(status=3))
        self.data_set(0, [], [-self.x, -self.x])
        self.assertIn("has 2 outputs", self.verify(status=3))
        (self.folder / "test_data_set_0/input_0.pb").unlink()
        self.assertIn("no tensor for the input 'x'", self.verify(status=3))
        (self.folder / "test_data_set_0/input_0.pb").write_bytes(b"\xff")
        self.assertIn("input_0.pb", self.verify(status=3))
        self.verify("--rtol", "x", status=2)
        done = start("verify", self.folder / "none.onnx")
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr, "none.onnx: cannot be opened: No such file")
        done = start("verify", self.folder)
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr, "is a directory")
        self.verify("--atol", "-1", status=2)

    @unittest.skipUnless(DATA.is_dir(), "libonnx-testdata is not installed")
    def test_official_models(self):
        for name in ("test_gemm_all_attributes", "test_reshape_negative_dim", "test_softmax_axis_1", "test_conv_with_strides_padding",
                     "test_clip", "test_lstm_defaults", "test_expand_dim_changed", "test_quantizelinear"):
            with self.subTest(model=name):
                done = start("verify", DATA / name / "model.onnx")
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    sys.exit(unittest.main())
