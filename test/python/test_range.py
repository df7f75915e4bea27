"""Memory that is handed in holds elements of its type, or it is refused: an i1 is 0 or 1, a 4-bit integer in range. In files any
non-zero byte is a true i1."""
import json
import pathlib
import struct
import tempfile
import unittest

from lib import package  # noqa: F401
from lib.program import tenon as tenon_run

import numpy as np

import tenon

MASK = np.array([0, 1, 2, 255], np.uint8).view(bool)  # as a comparison in C may write it
GOOD = np.array([0, 1, 1, 1], np.uint8).view(bool)
MOVED = "func @main(%x: tensor<i1, 4>) -> tensor<i1, 2x2> {\n  %y = reshape(%x) new_shape[2, 2] -> tensor<i1, 2x2>\n" \
        "  %z = transpose(%y) perm[1, 0] -> tensor<i1, 2x2>\n  return %z\n}\n"


class Range(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)
        self.program = self.dir / "p.ptir"
        self.program.write_text(MOVED)
        self.module = tenon.open(self.program)

    def refused(self, kind=tenon.InputError):
        return self.assertRaisesRegex(kind, "out of range: i1 holds 0 and 1")

    def test_runs(self):
        for engine in "ref", "jit":
            net = self.module.compile(engine=engine)
            with self.refused():
                net(MASK)
            self.assertEqual(net(GOOD).tolist(), [[False, True], [True, True]])
            held = GOOD.copy()
            call = net.bind(held)
            call()
            held.view(np.uint8)[:] = MASK.view(np.uint8)
            with self.refused():
                call()

    def test_constants(self):
        with self.refused():
            self.module.constants({"x": MASK})
        self.assertEqual(self.module.constants({"x": GOOD}).compile()().tolist(), [[False, True], [True, True]])
        si4 = tenon.Tensor(np.array([7, 8], np.int8), tenon.dtype("si4"))
        for data, words in (MASK, "i1 holds 0 and 1"), (si4, "si4 holds -8 to 7"):
            with self.assertRaisesRegex(tenon.Error, f"values out of range: {words}"):
                tenon.function(lambda x, data=data: (x, data)).trace("f32[2]")

    def test_custom(self):
        """What a kernel writes comes from outside as well."""
        @tenon.custom("acme.mask.v1")
        def mask(x):
            return MASK if x[0] > 0 else GOOD
        f = tenon.function("f32[4]")(lambda x: np.reshape(tenon.custom_call("acme.mask.v1", [x], "i1[4]"), (2, 2)).T)
        for engine in "ref", "jit":
            net = f.module.compile(engine=engine)
            self.assertEqual(net(np.zeros(4, np.float32)).tolist(), [[False, True], [True, True]])
            with self.refused(tenon.RunError):
                net(np.ones(4, np.float32))

    def test_files(self):
        header = json.dumps({"x": {"dtype": "BOOL", "shape": [4], "data_offsets": [0, 4]}}).encode()
        np.save(self.dir / "x.npy", MASK)
        np.savez(self.dir / "x.npz", x=MASK)
        (self.dir / "x.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + MASK.tobytes())
        for given in (["--input", f"x={self.dir / 'x.npy'}"], ["--inputs", self.dir / "x.npz"], ["--inputs", self.dir / "x.safetensors"]):
            for engine in "ref", "jit":
                tenon_run("run", self.program, *given, "--engine", engine, "--output", self.dir / "y.npy")
                self.assertEqual(np.load(self.dir / "y.npy").view(np.uint8).tolist(), [[0, 1], [1, 1]])


if __name__ == "__main__":
    unittest.main()
