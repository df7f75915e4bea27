"""Standard input that is a file is read from where it stands, whatever reads it."""
import json
import os
import pathlib
import struct
import sys
import tempfile
import unittest

import numpy as np

from lib.program import start

PROGRAM = '%0 = Input () {name="a"} : tensor<f32>[3]\n%1 = Neg (%0) : tensor<f32>[3]\noutputs: %1\n'
NET = """%x = Input () {name="NAME"} : tensor<f32>[n]
%w = Input () {name="w"} : tensor<f32>[]
%p = BinOp (%x, %w) {op=Mul} : tensor<f32>[n]
%loss = Mean (%p) {axes=[], keepdims=false} : tensor<f32>[]
outputs: %loss
"""
BEFORE = b"what was read already"


def safetensors(path, **arrays):
    header, data = {}, b""
    for name, x in arrays.items():
        header[name] = {"dtype": "F32", "shape": x.shape, "data_offsets": [len(data), len(data) + x.nbytes]}
        data += x.tobytes()
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


class Stdin(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        self.a = np.array([1, -2, 3], np.float32)
        (self.folder / "ok.ir").write_text(PROGRAM)
        np.save(self.folder / "a.npy", self.a)
        np.savez(self.folder / "a.npz", a=self.a)
        np.savez_compressed(self.folder / "small.npz", a=self.a)
        safetensors(self.folder / "a.safetensors", a=self.a)

    def start(self, name, before, *words):
        """Run the program with the file NAME as standard input, of which the bytes BEFORE were read."""
        (self.folder / "whole").write_bytes(before + (self.folder / name).read_bytes())
        fd = os.open(self.folder / "whole", os.O_RDONLY)
        try:
            self.assertEqual(os.read(fd, len(before)), before)
            return start(*words, cwd=self.folder, stdin=fd)
        finally:
            os.close(fd)

    def test_inputs(self):
        for name, *words in (("a.npy", "--input", "a=-"), ("a.npz", "--inputs", "-"), ("small.npz", "--inputs", "-"),
                             ("a.safetensors", "--inputs", "-")):
            for before in b"", BEFORE:
                with self.subTest(name=name, before=before):
                    done = self.start(name, before, "run", "ok.ir", *words, "--output", "y.npy")
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    self.assertEqual(np.load(self.folder / "y.npy").tolist(), (-self.a).tolist())

    def test_data(self):
        """Samples are read where they lie in the file."""
        safetensors(self.folder / "x.safetensors", x=np.arange(8, dtype=np.float32))
        np.save(self.folder / "x.npy", np.arange(8, dtype=np.float32))
        for name, column in (("x.safetensors", "x"), ("x.npy", "-")):
            (self.folder / "net.ir").write_text(NET.replace("NAME", column))
            said = []
            for before in b"", BEFORE:
                done = self.start(name, before, "train", "net.ir", "--wrt", "w", "--data", "-", "--batch", "4",
                                  "--seed", "1", "--engine", "ref", "--log", "log")
                self.assertEqual(done.returncode, 0, done.stderr)
                said.append([json.loads(line).get("loss") for line in (self.folder / "log").read_text().splitlines()])
            self.assertEqual(*said)
            self.assertTrue(any(said[0]))

    def test_end(self):
        """A file that was read to its end, or stands behind it, has nothing more."""
        (self.folder / "whole").write_bytes(b"1234")
        for at in 4, 100:
            for words in ("--input", "a=-"), ("--inputs", "-"):
                with self.subTest(at=at, words=words), open(self.folder / "whole", "rb") as file:
                    os.lseek(file.fileno(), at, os.SEEK_SET)
                    done = start("run", "ok.ir", *words, cwd=self.folder, stdin=file)
                    self.assertEqual((done.returncode, "[FileError]" in done.stderr), (3, True), done.stderr)


if __name__ == "__main__":
    sys.exit(unittest.main())
