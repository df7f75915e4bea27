"""Inputs of `tenon run` as values in place and as .pb files: what they become, and what is said of those that do not fit."""
import json
import pathlib
import sys
import tempfile
import unittest

import numpy as np

from lib.onnx_files import field, model, node, put_external, put_tensor
from lib.program import start

NUMPY = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "si64": np.int64, "si32": np.int32, "ui8": np.uint8,
         "si8": np.int8, "ui64": np.uint64, "i1": np.bool_, "cf32": np.complex64}
inf, nan = float("inf"), float("nan")


class Values(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)

    def program(self, dtype, shape):
        path = self.folder / "p.onnx"
        path.write_bytes(model([node("Identity", "x", "y")], [("x", dtype, shape)], [("y", dtype, None)]))
        return path

    def run_with(self, dtype, shape, value):
        return start("run", self.program(dtype, shape), "--input", f"x={value}", "--engine", "ref", "--output",
                     self.folder / "out", "--diagnostics", "json", cwd=self.folder)

    def becomes(self, dtype, shape, value, want):
        done = self.run_with(dtype, shape, value)
        self.assertEqual(done.returncode, 0, done.stderr)
        got = np.load(self.folder / "out/0.npy")
        want = np.array(want, dtype=NUMPY[dtype])
        self.assertEqual((got.dtype, got.shape), (want.dtype, want.shape))
        self.assertEqual(got.tobytes(), want.tobytes(), (got, want))

    def refused(self, dtype, shape, value, status, kind, *words):
        done = self.run_with(dtype, shape, value)
        self.assertEqual(done.returncode, status, done.stderr)
        said = json.loads(done.stderr.splitlines()[0])
        self.assertEqual(said["kind"], kind, said)
        for word in words:
            self.assertIn(word, said["message"])

    def test_values(self):
        for dtype, shape, value, want in [
                ("si64", [], "16000", 16000), ("si64", [1], "16000", [16000]), ("si64", ["N", 1], "5", [[5]]),
                ("si64", [3], "[1,2,3]", [1, 2, 3]), ("f32", [2, 2], " [ [1.5, 2],[3 ,4e0] ] ", [[1.5, 2], [3, 4]]),
                ("f32", ["N", 2], "[[1,2],[3,4],[5,6]]", [[1, 2], [3, 4], [5, 6]]), ("f32", [0], "[]", np.zeros(0)),
                ("f32", [2, 0], "[[],[]]", np.zeros((2, 0))), ("i1", [3], "[true,false,1]", [1, 0, 1]),
                ("i1", [], "false", 0), ("f32", [4], "[inf,-inf,+inf,-0.0]", [inf, -inf, inf, -0.0]),
                ("f32", [2], "[-0, 0]", [-0.0, 0.0]), ("si32", [], "-0", 0), ("f32", [], "nan", nan), ("f64", [], "0.1", 0.1), ("f32", [], "16777217", 16777217), ("f16", [], "65504", 65504),
                ("ui64", [2], "[18446744073709551615, 0]", [2**64 - 1, 0]), ("si64", [2], f"[{-2**63}, {2**63 - 1}]",
                                                                           [-2**63, 2**63 - 1]),
                ("f64", [], "18446744073709551615", 2.0**64), ("ui8", [2], "[255, 1e2]", [255, 100]), ("si8", [], "-128", -128),
                ("cf32", [2], "[1, 2.5]", [1, 2.5])]:
            with self.subTest(value=value, dtype=dtype):
                self.becomes(dtype, shape, value, want)

    def test_values_of_the_wrong_kind(self):
        for dtype, value, words in [("ui8", "256", ["256", "ui8"]), ("ui8", "-1", ["-1"]), ("si64", "1.5", ["1.5", "si64"]),
                                    ("i1", "2", ["i1"]), ("si64", "nan", ["nan"]), ("si64", "18446744073709551615", ["si64"]),
                                    ("f32", "1e39", ["f32"]), ("f16", "65520", ["f16"]), ("cf32", "1e39", ["cf32"])]:
            with self.subTest(value=value):
                self.refused(dtype, [], value, 3, "InputMismatch", "'x'", *words)
        self.refused("ui8", [2, 2], "[[1,2],[3,300]]", 3, "InputMismatch", "at [1, 1]", "300")

    def test_shapes(self):
        for shape, value in [([2], "[1,2,3]"), ([2], "5"), ([2, 2], "[1,2]"), ([], "[1]"), ([0], "[[]]"), ([2, 2], "[]")]:
            with self.subTest(value=value):
                self.refused("f32", shape, value, 3, "InputMismatch", "value in place")

    def test_what_is_no_value(self):
        for value, words in [("[1,2", ["',' or ']'", "behind"]), ("[1,,2]", ["number", "',2]'"]), ("[[1,2],[3]]", ["as long"]),
                             ("[1,[2]]", ["as before"]), ("[[1],2]", ["list"]), ("[[],1]", ["list"]), ("[1,[]]", ["as before"]),
                             ("[[],[[]]]", ["as long"]),
                             ("[1] 2", ["nothing more"]), ("[x]", ["number"]), ("[1 2]", ["',' or ']'"]), ("[", ["behind"]),
                             ("[0x10]", ["',' or ']'"]), ("[1e999]", ["range"]), ("[" * 40, ["fewer lists"]),
                             ("[" + "1" * 80 + "]", ["shorter"]), ("[,]", ["number"]), ("[]]", ["nothing more"]),
                             ("[infinity]", ["number"]), ("[--1]", ["number"])]:
            with self.subTest(value=value):
                self.refused("f32", [2], value, 2, "Usage", "'x'", *words)

    def test_files_that_look_like_values(self):
        np.save(self.folder / "5.npy", np.float32(7))
        (self.folder / "5.npy").rename(self.folder / "5")
        self.becomes("f32", [], "5", 5)
        self.becomes("f32", [], "./5", 7)

    def test_random_numbers_keep_their_bits(self):
        numbers = np.random.default_rng(1).standard_normal((3, 5)).astype(np.float32)
        self.becomes("f32", [3, 5], json.dumps(numbers.astype(float).tolist()), numbers)

    def save(self, data, name="x.pb"):
        (self.folder / name).write_bytes(data)
        return name

    def test_protobuf_files(self):
        x = np.arange(6, dtype=np.float32).reshape(2, 3)
        self.becomes("f32", [2, 3], self.save(put_tensor(x, "some name")), x)
        self.becomes("i1", [3], self.save(field(1, 3) + field(2, 9) + field(5, bytes([0, 1, 7]))), [0, 1, 1])
        self.becomes("f16", [2], self.save(field(1, 2) + field(2, 10) + field(5, 15360) + field(5, 0)), [1, 0])
        self.becomes("si64", [], self.save(put_tensor(np.array(5))), 5)

    def test_protobuf_files_that_are_wrong(self):
        x = np.arange(6, dtype=np.float32).reshape(2, 3)
        good = put_tensor(x)
        for data, word in [(good[:-1], "byte"), (good + b"\x00", "number"), (put_tensor(x).replace(b"\x08\x02", b"\x08\x03", 1),
                                                                           "elements"),
                           (field(1, 1) + field(2, 8) + field(6, "text"), "string"), (b"", "element type"),
                           (put_external([2, 3], "f32", "w", location="/etc/passwd"), "another file"),
                           (field(1, 2**40) + field(1, 2**40) + field(2, 1), "counted"), (field(1, -1) + field(2, 1), "negative")]:
            with self.subTest(word=word):
                self.refused("f32", [2, 3], self.save(data), 3, "FileError", word, "x.pb")
        self.refused("f32", [3, 2], self.save(good), 3, "InputMismatch", "x.pb")
        self.refused("f64", [2, 3], self.save(good), 3, "InputMismatch", "x.pb")
        done = start("run", self.program("f32", [1 << 20]), "--input", "x=" + self.save(put_tensor(np.zeros(1 << 20, np.float32))),
                     "--limit", "run_bytes=1000", cwd=self.folder)
        self.assertEqual(done.returncode, 3)
        self.assertIn("AllocationFailure", done.stderr)

    def test_by_position(self):
        done = start("run", self.program("f32", []), "--input", "0=2.5")
        self.assertEqual((done.returncode, done.stdout), (0, "y: f32[]\n2.5\n"), done.stderr)

    def test_what_only_models_take(self):
        program = self.folder / "p.ir"
        program.write_text('%0 = Input () {name="x"} : tensor<f32>[2]\noutputs: %0\n', encoding="utf-8")
        np.savez(self.folder / "w.npz", x=np.zeros(2, np.float32))
        for option, value in ("--constant", "x=[3,4]"), ("--constants", self.folder / "w.npz"):
            done = start("run", program, option, value, "--random", "1")
            self.assertEqual(done.returncode, 2)
            self.assertIn("only ONNX and StableHLO take inputs that are known when the file is read, such as 'x'", done.stderr)
        for command in ("run", "--random", "1"), ("check",), ("fmt",):
            done = start(*command, program, "--constant", "q=1")
            self.assertEqual(done.returncode, 2)
            self.assertIn("there is no input 'q'", done.stderr)
        np.savez(self.folder / "more.npz", q=np.zeros(2, np.float32))  # archives may have what is none
        self.assertEqual(start("check", program, "--constants", self.folder / "more.npz").returncode, 0)


if __name__ == "__main__":
    sys.exit(unittest.main())
