"""Data of ONNX tensors in files beside the model: what is read, and that nothing outside of its folder is."""
import json
import os
import pathlib
import socket
import sys
import tempfile
import unittest

import numpy as np

from lib.onnx_files import field, model, node, put_external, put_tensor
from lib.program import start

Y = ("y", "f32", None)
SMALL = np.arange(6, dtype=np.float32).reshape(2, 3)
LARGE = np.arange(40000, dtype=np.float32)


def with_tensor(tensor):
    return model([node("Neg", "w", "y")], [], [Y], [tensor])


class External(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.top = pathlib.Path(place.name)
        self.folder = self.top / "model"
        self.folder.mkdir()
        (self.folder / "w.bin").write_bytes(SMALL.tobytes())
        (self.top / "outside.bin").write_bytes(SMALL.tobytes())

    def write(self, tensor, name="m.onnx"):
        path = self.folder / name
        path.write_bytes(with_tensor(tensor))
        return path

    def result(self, path, *arguments, **options):
        done = start("run", path, *arguments, "--output", self.top / "out", **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return np.load(self.top / "out/0.npy")

    def refused(self, path, *words, **options):
        """The one diagnostic of a model that is refused names all of WORDS."""
        done = start("check", path, "--diagnostics", "json", **options)
        self.assertEqual(done.returncode, 1, done.stderr)
        said, = [json.loads(line) for line in done.stderr.splitlines()]
        self.assertEqual(said["kind"], "ExternalData", said)
        for word in words:
            self.assertIn(word, said["message"])

    def small(self, **entries):
        return self.write(put_external([2, 3], "f32", "w", **entries))

    def test_data(self):
        np.testing.assert_array_equal(self.result(self.small(location="w.bin")), -SMALL)
        np.testing.assert_array_equal(self.result(self.small(location="w.bin", length=24, checksum="0")), -SMALL)

    def test_places_in_a_file(self):
        """Aligned for the elements or not, large or small; the same file for several tensors."""
        for data in SMALL, LARGE:
            for offset in 0, 1, 4096, 4097, 4098:
                (self.folder / "w.bin").write_bytes(bytes(offset) + data.tobytes() + b"behind")
                path = self.write(put_external(data.shape, "f32", "w", location="w.bin", offset=offset, length=data.nbytes))
                for engine in "ref", "jit":
                    np.testing.assert_array_equal(self.result(path, "--engine", engine), -data)

    def test_several_tensors(self):
        (self.folder / "sub").mkdir()
        (self.folder / "sub/b.bin").write_bytes(SMALL.tobytes() * 2)
        tensors = [put_external([2, 3], "f32", "a", location="sub/b.bin"),
                   put_external([2, 3], "f32", "b", location="./sub//b.bin", offset=24), put_tensor(SMALL, "c")]
        path = self.folder / "m.onnx"
        path.write_bytes(model([node("Sum", "a b c", "y")], [], [Y], tensors))
        np.testing.assert_array_equal(self.result(path), 3 * SMALL)

    def test_element_types(self):
        for array, dtype in ((np.array([0, 7, 1], np.uint8), "i1"), (np.arange(3, dtype=np.int64), "si64"),
                             (np.arange(3, dtype=np.float16), "f16")):
            (self.folder / "w.bin").write_bytes(array.tobytes())
            path = self.folder / "m.onnx"
            tensor = put_external([3], dtype, "w", location="w.bin")
            path.write_bytes(model([node("Cast", "w", "y", to=1)], [], [Y], [tensor]))
            want = array != 0 if dtype == "i1" else array
            np.testing.assert_array_equal(self.result(path), want.astype(np.float32))

    def test_shapes_are_known(self):
        (self.folder / "w.bin").write_bytes(np.array([3, 2], np.int64).tobytes())
        path = self.folder / "m.onnx"
        path.write_bytes(model([node("Reshape", "x s", "y")], [("x", "f32", [2, 3])], [Y],
                               [put_external([2], "si64", "s", location="w.bin")]))
        np.save(self.top / "x.npy", SMALL)
        np.testing.assert_array_equal(self.result(path, "--input", f"x={self.top / 'x.npy'}"), SMALL.reshape(3, 2))

    def test_no_elements(self):
        (self.folder / "w.bin").write_bytes(b"")
        path = self.write(put_external([0, 3], "f32", "w", location="w.bin", length=0))
        self.assertEqual(self.result(path).shape, (0, 3))

    def test_a_node_that_holds_a_tensor(self):
        tensor = put_external([2, 3], "f32", "", location="w.bin")
        value = field(1, "value") + field(5, tensor) + field(20, 4)
        constant = field(2, "w") + field(4, "Constant") + field(5, value)
        path = self.folder / "m.onnx"
        path.write_bytes(model([constant, node("Neg", "w", "y")], [], [Y]))
        np.testing.assert_array_equal(self.result(path), -SMALL)

    def test_the_folder_is_that_of_the_path(self):
        """A link to the model leads to data beside the link; the current folder does not matter."""
        path = self.small(location="w.bin")
        other = self.top / "other"
        other.mkdir()
        (other / "linked.onnx").symlink_to(path)
        self.refused(other / "linked.onnx", "No such file")
        (other / "w.bin").write_bytes((2 * SMALL).tobytes())
        np.testing.assert_array_equal(self.result(other / "linked.onnx"), -2 * SMALL)
        np.testing.assert_array_equal(self.result("m.onnx", cwd=self.folder), -SMALL)
        np.testing.assert_array_equal(self.result("model/m.onnx", cwd=self.top), -SMALL)

    def test_links(self):
        (self.folder / "sub").mkdir()
        for name, target, word in [("inside", "w.bin", None), ("sub/up", "../w.bin", None),
                                   ("chain", "sub/up", None), ("out", "../outside.bin", "leads out"),
                                   ("absolute", self.folder / "w.bin", "leads out"), ("circle", "circle", "circle"),
                                   ("nothing", "not.there", "No such file"), ("folder", "..", "leads out")]:
            (self.folder / name).symlink_to(target)
            path = self.small(location="folder/outside.bin" if name == "folder" else name)
            if word:
                self.refused(path, word, f"'{name}")
            else:
                np.testing.assert_array_equal(self.result(path), -SMALL)

    def test_names_that_lead_out(self):
        """By rule: whatever stands around `..`, and absolute names."""
        for before in "", "./", "a/", "a//", "./a/../":
            for after in "", "/", "/outside.bin", "/model/w.bin", "//w.bin":
                self.refused(self.small(location=f"{before}..{after}"), "'..'")
        for name in "/etc/passwd", "//w.bin", str(self.folder / "w.bin"), "/":
            self.refused(self.small(location=name), "absolute")
        for name in "...", "..w.bin", "a..", "..\\w.bin", "w.bin/", "w.bin/a", "a/" * 3000, "n" * 300, "~/w.bin", "C:w.bin":
            self.refused(self.small(location=name), "cannot be had")
        self.refused(self.small(location=""), "no name")
        self.refused(self.write(put_external([2, 3], "f32", "w")), "no name")
        self.refused(self.small(location=b"w.bin\0"), "NUL")
        self.refused(self.small(location=b"\xff\xfe"), "cannot be had")

    def test_files_of_other_kinds(self):
        os.mkfifo(self.folder / "pipe")
        (self.folder / "sub").mkdir()
        (self.folder / "device").symlink_to("/dev/zero")
        with socket.socket(socket.AF_UNIX) as s:
            here = os.getcwd()
            os.chdir(self.folder)
            try:
                s.bind("socket")
            finally:
                os.chdir(here)
            for name, word in ("pipe", "regular"), ("sub", "folder"), ("socket", "regular"), ("device", "leads out"), \
                    (".", "folder"), ("missing", "No such file"):
                self.refused(self.small(location=name), word)

    def test_sizes(self):
        for entries, word in [({"offset": 1}, "24 bytes"), ({"offset": 25}, "24 bytes"), ({"offset": 2**64 - 1}, "ends"),
                              ({"offset": 2**64 - 25}, "24 bytes"), ({"offset": 2**64}, "no number"),
                              ({"length": 23}, "takes 24"), ({"length": 25}, "takes 24"), ({"length": "2 4"}, "no number"),
                              ({"offset": "-1"}, "no number"), ({"offset": ""}, "no number"), ({"offset": "0x0"}, "no number"),
                              ({"offset": "x", "length": 24}, "no number"), ({"length": 2**64 + 24}, "no number")]:
            self.refused(self.small(location="w.bin", **entries), word)
        (self.folder / "w.bin").write_bytes(b"")
        self.refused(self.small(location="w.bin"), "0 bytes")

    def test_one_diagnostic_for_a_file(self):
        path = self.folder / "m.onnx"
        path.write_bytes(model([node("Sum", "a b", "y")], [], [Y],
                               [put_external([2], "f32", name, location="none.bin") for name in "ab"]))
        self.refused(path, "'a'", "none.bin")

    def test_standard_input(self):
        data = self.small(location="w.bin").read_bytes()
        done = start("check", "-", "--from", "onnx", input=data, text=False, cwd=self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"no folder", done.stderr)

    def test_too_much(self):
        tensors = [put_external([2, 3], "f32", f"w{i}", location="w.bin") for i in range(100)]
        path = self.folder / "m.onnx"
        path.write_bytes(model([node("Sum", " ".join(f"w{i}" for i in range(100)), "y")], [], [Y], tensors))
        done = start("check", path, "--limit", "literal_bytes=1000", "--diagnostics", "json")
        self.assertEqual([json.loads(line)["kind"] for line in done.stderr.splitlines()], ["LimitExceeded"])


if __name__ == "__main__":
    sys.exit(unittest.main())
