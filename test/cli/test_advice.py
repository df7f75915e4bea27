"""Faults that a person meets: the message says what to do. Rows are what files hold, the command, and words of the answer."""
import pathlib
import sys
import tempfile
import unittest

import numpy as np

from lib.program import start

X = '%0 = Input () {name="x"} : tensor<f32>[2, 3]\noutputs: %0\n'
RUN = ("run", "a.ir")
ROWS = (
    ({"a.ir": X.replace('"', "\u201c", 1)}, ("check", "a.ir"), "fix: write '\"'"),
    ({"a.ir": X.replace("=", "\u2014", 1)}, ("check", "a.ir"), "fix: write '-'"),
    ({"a.ir": X.replace(" ", "\xa0", 1)}, ("check", "a.ir"), "fix: write ' '"),
    ({"a.ir": X.encode("utf-16")}, ("check", "a.ir"), "the text is UTF-16"),
    ({"a.ptir": "func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  return %x\n}\n"}, ("check", "a.ptir"), "tensor<f32, 2x3>"),
    ({"a.ptir": "func.func @main(%x: tensor<2xf32>) {\n}\n"}, ("check", "a.ptir"), "this is text of MLIR"),
    ({"a.ptir": "module @jit_f {\n}\n"}, ("check", "a.ptir"), "this is text of MLIR"),
    ({"a.ptir": "func @main(%x: tensor<f32, 2>) -> tensor<f32, 2> {\n  return %x, %x\n}\n"}, ("check", "a.ptir"),
     "'results' declares 1 of the values, and 'result_ids' returns 2"),
    ({"a.ptir": "func @main(%x: tensor<f32, 2>) -> tensor<f32, 2> {\n  %y = exp(%x) axis[0] -> tensor<f32, 2>\n  return %y\n}\n"},
     ("check", "a.ptir"), "has no field 'axis'; it takes none"),
    ({"a.bincode": '{"entry": "main"}'}, ("check", "a.bincode"), "this is text: the dialect ptir has a program as JSON"),
    ({"a.mlir": "func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>) -> tensor<2xf32> {\n"
                "  %0 = stablehlo.add %a, %b : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n"}, ("check", "a.mlir"),
     "number 0 is f32[2], number 1 f32[3]"),
    ({"a.ir": X, "x.npy": "1,2,3\n4,5,6\n"}, (*RUN, "--input", "x=x.npy"), "but text: numpy.save"),
    ({"a.ir": X, "x.npy": "version https://git-lfs.github.com/spec/v1\noid sha256:ab\n"}, (*RUN, "--input", "x=x.npy"), "git lfs pull"),
    ({"a.ir": X, "x.npz": b"\x80\x04\x95" + bytes(30)}, (*RUN, "--inputs", "x.npz"), "a pickle of Python"),
    ({"a.ir": X, "x.npz": b"\x89HDF\r\n\x1a\n" + bytes(30)}, (*RUN, "--inputs", "x.npz"), "an HDF5 file"),
    ({"a.ir": X, "x.npz": b"\x1f\x8b\x08" + bytes(30)}, (*RUN, "--inputs", "x.npz"), "uncompress it first"),
    ({"a.ir": X, "x.npz": b"\x01\x02" + bytes(30)}, (*RUN, "--inputs", "x.npz"), "is no .npy, .npz or .safetensors file ["),
    ({"a.ir": X}, (*RUN, "--inputs", "other.npz"), "no input is called as an array of other.npz, which has: y, z"),
    ({"a.ir": X}, (*RUN, "--inputs", "none.npz"), "which has: no arrays"),
    ({"a.ir": X}, (*RUN, "--input", "x="), "the input 'x' is given no value"),
    ({"a.ir": X}, (*RUN, "--random", "1", "--cpu", "skylke"), "did you mean 'skylake'?"),
    ({"a.ir": X}, ("compile", "a.ir", "-o", "a.o", "--cpu", "hazwell"), "did you mean 'haswell'?"),
    ({"a.ir": X}, ("compile", "a.ir", "-o", "a.o", "--target", "aarch64-linux-gnu", "--cpu", "cortex-a7"), "did you mean 'cortex-a57' or 'cortex-a78'?"),
    ({}, ("--threads", "2", *RUN), "options stand behind the command: tenon run FILE --threads"),
)


class Advice(unittest.TestCase):
    def test_rows(self):
        for files, words, said in ROWS:
            with self.subTest(said), tempfile.TemporaryDirectory() as place:
                folder = pathlib.Path(place)
                np.savez(folder / "other.npz", y=np.ones(2), z=np.ones(3))
                np.savez(folder / "none.npz")
                for name, data in files.items():
                    (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())
                done = start(*words, cwd=folder)
                self.assertIn(done.returncode, (1, 2, 3))
                self.assertIn(said, done.stderr)

    def test_archive_of_what_is_given(self):
        """An archive whose arrays are inputs that have values already is not called one of other names."""
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            (folder / "a.ir").write_text('%0 = Input () {name="x"} : tensor<f32>[2]\n%1 = Input () {name="w"} : tensor<f32>[2]\noutputs: %0, %1\n')
            np.savez(folder / "x.npz", x=np.ones(2, np.float32))
            done = start(*RUN, "--input", "x=[1,2]", "--inputs", "x.npz", cwd=folder)
            self.assertEqual(done.returncode, 3)
            self.assertIn("'w'", done.stderr)
            self.assertNotIn("no input is called", done.stderr)


if __name__ == "__main__":
    sys.exit(unittest.main())
