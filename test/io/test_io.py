#!/usr/bin/python3
"""Compares src/io with numpy: files that numpy wrote are copied by the program unit_io_copy, and numpy
must find the same arrays in the copies.

The program is looked for beside the one named by TENON, or is the one named by IO_COPY."""

import io
import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile

import numpy as np

DTYPES = ["b1", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]
SHAPES = [(), (1,), (5,), (0,), (3, 0, 2), (2, 3), (7, 1, 5), (2, 3, 4, 5), (1,) * 32, (33, 65)]
SIZES = {"BOOL": 1, "U8": 1, "I8": 1, "F8_E4M3": 1, "F8_E5M2": 1, "U16": 2, "I16": 2, "F16": 2,
         "BF16": 2, "U32": 4, "I32": 4, "F32": 4, "U64": 8, "I64": 8, "F64": 8}


def find_program():
    if "IO_COPY" in os.environ:
        return os.environ["IO_COPY"]
    if "TENON" in os.environ:
        path = os.path.join(os.path.dirname(os.environ["TENON"]), "test", "unit_io_copy")
        if os.path.exists(path):
            return path
    return None


PROGRAM = find_program()


def make(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    count = int(np.prod(shape, dtype=np.int64))
    if dtype.kind == "b":
        return rng.integers(0, 2, count).astype(dtype).reshape(shape)
    data = np.frombuffer(rng.bytes(count * dtype.itemsize), dtype)
    return data.reshape(shape)


def safetensors(tensors, extra=None):
    """A .safetensors file: tensors maps names to (dtype name, shape, bytes)."""
    header, data = dict(extra or {}), b""
    for name, (dtype, shape, payload) in tensors.items():
        header[name] = {"dtype": dtype, "shape": list(shape),
                        "data_offsets": [len(data), len(data) + len(payload)]}
        data += payload
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


@unittest.skipUnless(PROGRAM, "unit_io_copy is not built")
class CopyTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def copy(self, source, target, *more):
        return subprocess.run([PROGRAM, source, target, *more], capture_output=True, text=True,
                              check=False)

    def assert_copies(self, *arguments):
        done = self.copy(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def assert_same(self, have, want):
        self.assertEqual(have.dtype, want.dtype.newbyteorder("="))
        self.assertEqual(have.shape, want.shape)
        self.assertEqual(have.tobytes(), np.ascontiguousarray(want, have.dtype).tobytes())

    def test_npy(self):
        source, target = self.path("in.npy"), self.path("out.npy")
        for dtype in DTYPES:
            for number, shape in enumerate(SHAPES):
                order = "<>"[number % 2]
                for lay_out in (np.ascontiguousarray, np.asfortranarray):
                    if shape == () and lay_out is np.asfortranarray:
                        continue
                    with self.subTest(dtype=order + dtype, shape=shape, order=lay_out.__name__):
                        array = lay_out(make(shape, order + dtype, number)).reshape(shape, order="A")
                        np.save(source, array)
                        self.assert_copies(source, target)
                        self.assert_same(np.load(target), array)
                if number > 4 and dtype not in ("b1", "f4", "c16"):
                    break  # the shapes need not meet every dtype

    def test_header_bytes(self):
        """What is written is what numpy writes."""
        source, target = self.path("in.npy"), self.path("out.npy")
        for array in make((3,), "f4"), make((), "u1"), make((2, 0), "?"), make((2, 3, 4), "i8"):
            np.save(source, array)
            self.assert_copies(source, target)
            with open(source, "rb") as a, open(target, "rb") as b:
                self.assertEqual(a.read(), b.read())

    def test_versions(self):
        array = make((4, 3), "f4")
        for version in (1, 0), (2, 0), (3, 0):
            with open(self.path("in.npy"), "wb") as file:
                np.lib.format.write_array(file, array, version)
            self.assert_copies(self.path("in.npy"), self.path("out.npy"))
            self.assert_same(np.load(self.path("out.npy")), array)

    def test_npy_refused(self):
        for array in (np.array([object()]), np.array(["text"]), np.array([b"text"]),
                      np.zeros(2, [("a", "f4"), ("b", "i4")]), np.zeros(2, "M8[s]"),
                      np.zeros(2, "V2"), np.zeros(2, np.longdouble)):
            with self.subTest(dtype=array.dtype):
                np.save(self.path("in.npy"), array)
                done = self.copy(self.path("in.npy"), self.path("out.npy"))
                self.assertEqual(done.returncode, 1)
                self.assertRegex(done.stderr, "^FileError: .*in.npy: ")
                self.assertFalse(os.path.exists(self.path("out.npy")))

    def test_npz(self):
        arrays = {"x": make((3, 4), "f4"), "a/b": make((2,), "?"), "\u00e9\u4e2d": make((), ">i8"),
                  "empty": make((0, 2), "f2"), "columns": np.asfortranarray(make((40, 50), "c8")),
                  "zeros": np.zeros((300, 300))}
        for save in np.savez, np.savez_compressed:
            for method in "stored", "deflated":
                save(self.path("in.npz"), **arrays)
                self.assert_copies(self.path("in.npz"), self.path("out.npz"), method)
                with np.load(self.path("out.npz")) as back:
                    self.assertEqual(back.files, list(arrays))
                    for name, array in arrays.items():
                        self.assert_same(back[name], array)
                with zipfile.ZipFile(self.path("out.npz")) as archive:
                    self.assertIsNone(archive.testzip())
                    for member in archive.infolist():
                        self.assertEqual(member.date_time[:3], (1980, 1, 1))
                        if method == "stored":
                            self.assertEqual(member.compress_type, zipfile.ZIP_STORED)

    def test_npz_without_members(self):
        np.savez(self.path("in.npz"))
        self.assert_copies(self.path("in.npz"), self.path("out.npz"), "stored")
        with np.load(self.path("out.npz")) as back:
            self.assertEqual(back.files, [])

    def test_npz_methods(self):
        """Other methods are refused, and so are two members of one name."""
        file = io.BytesIO()
        np.save(file, make((4,), "f4"))
        for method in zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA:
            with zipfile.ZipFile(self.path("in.npz"), "w", method) as archive:
                archive.writestr("x.npy", file.getvalue())
            done = self.copy(self.path("in.npz"), self.path("out.npz"), "stored")
            self.assertEqual(done.returncode, 1)
            self.assertIn("is compressed by method", done.stderr)

    def test_safetensors(self):
        tensors = {}
        for number, (dtype, size) in enumerate(SIZES.items()):
            shape = SHAPES[number % 8]
            count = int(np.prod(shape, dtype=np.int64))
            data = make((count,), "?") if dtype == "BOOL" else make((count * size,), "u1", number)
            tensors["t." + dtype] = (dtype, shape, data.tobytes())
        with open(self.path("in.safetensors"), "wb") as file:
            file.write(safetensors(tensors, {"__metadata__": {"format": "np", "k\u00e9y": "\u4e2d"}}))
        self.assert_copies(self.path("in.safetensors"), self.path("out.npz"), "stored")
        carriers = {"BOOL": "?", "BF16": "u2", "F8_E4M3": "u1", "F8_E5M2": "u1"}
        with np.load(self.path("out.npz")) as back:
            self.assertEqual(back.files, list(tensors))
            for name, (dtype, shape, payload) in tensors.items():
                carrier = carriers.get(dtype, dtype[0].lower() + str(SIZES[dtype]))
                self.assert_same(back[name], np.frombuffer(payload, carrier).reshape(shape))


if __name__ == "__main__":
    if not PROGRAM:
        print("skipped: unit_io_copy is not built")
        sys.exit(0)
    unittest.main()
