"""Files named on a command line that give nothing or have no end: pipes obey --timeout, devices and folders are refused."""
import concurrent.futures
import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

from lib.program import HANG, start

PROGRAM = '%0 = Input () {name="a"} : tensor<f32>[3]\n%1 = Neg (%0) : tensor<f32>[3]\noutputs: %1\n'
PIPES = ("p.ir", "p.ptir", "p.ptir.json", "p.tiny.json", "p.bincode", "p.onnx", "p.mlir", "p.mind", "p.npy", "p.npz",
         "p.safetensors", "p.pb", "p.json", "p")
UNREAD = ("w.npy", "w.json", "w.ir", "w.h", "w.html", "w.log")
RUN = ("run", "ok.ir", "--random", "1")
WAITING = (
    *[("check", p) for p in PIPES],
    *[(c, "p.ir") for c in ("fmt", "info", "explain", "run", "fix", "grad", "opt")],
    ("convert", "p.ir", "--to", "mlir"), ("compile", "p.ir", "-o", "x.c"), ("report", "p.ir", "-o", "x.html"),
    ("equiv", "p.ir", "ok.ir"), ("equiv", "ok.ir", "p.ir"),
    *[("run", "ok.ir", "--input", f"a={p}") for p in ("p.npy", "p.pb", "p")],
    *[("run", "ok.ir", "--inputs", p) for p in ("p.npz", "p.safetensors", "p")],
    ("report", "ok.ir", "-o", "x.html", "--compare", "p.json"),
    ("check", "ok.ir", "--constants", "p.npz"), ("check", "ok.ir", "--constant", "a=p.npy"),
    ("run", "ok.ir", "--constant", "a=p.npy"), ("check", "-"), ("fix", "-"), ("run", "ok.ir", "--input", "a=-"),
    # to be written, and nobody reads
    (*RUN, "--output", "w.npy"), (*RUN, "--profile-trace", "w.json"), ("fmt", "ok.ir", "-o", "w.ir"),
    ("compile", "ok.ir", "-o", "x.c", "--header", "w.h"), ("report", "ok.ir", "-o", "w.html"),
    ("train", "net.ir", "--wrt", "w", "--data", "data.npz", "--batch", "4", "--log", "w.log"),
)
NET = """%x = Input () {name="x"} : tensor<f32>[n]
%w = Input () {name="w"} : tensor<f32>[]
%p = BinOp (%x, %w) {op=Mul} : tensor<f32>[n]
%loss = Mean (%p) {axes=[], keepdims=false} : tensor<f32>[]
outputs: %loss
"""


class Waiting(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(place.cleanup)
        cls.folder = pathlib.Path(place.name)
        (cls.folder / "ok.ir").write_text(PROGRAM)
        (cls.folder / "net.ir").write_text(NET)
        (cls.folder / "d.ir").mkdir()
        np.savez(cls.folder / "data.npz", x=np.ones(8, np.float32))
        for name in (*PIPES, *UNREAD):
            os.mkfifo(cls.folder / name)

    def test_reports(self):
        """A pipe of standard error that is full and not read holds up nothing beyond the limit."""
        def end(words):
            unread, full = os.pipe()
            os.set_blocking(full, False)
            with contextlib.suppress(BlockingIOError):
                while os.write(full, b"." * 4096):
                    pass
            os.set_blocking(full, True)
            done = start(*words, "--timeout", "0.05", cwd=self.folder, stderr=full)
            os.close(unread)
            os.close(full)
            return done.returncode

        self.assertEqual(end(("check", "missing.ir")), 3)
        self.assertEqual(end(("check", "p.ir")), 3)
        self.assertIn(end((*RUN, "--time", "1")), (0, 3))

    def test_pipes(self):
        def wait(words):
            silent, kept = os.pipe()
            done = start(*words, "--timeout", "0.05", cwd=self.folder, stdin=silent)
            os.close(silent)
            os.close(kept)
            return words, done
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for words, done in pool.map(wait, WAITING):
                with self.subTest(words=words):
                    self.assertEqual(done.returncode, 3, done.stderr)
                    self.assertIn("[Timeout]", done.stderr)

    def test_readers_that_stop(self):
        """A pipe that is full, and from which nobody reads any more."""
        lines = "".join(f"%{i} = Neg (%{i - 1}) : tensor<f32>[3]\n" for i in range(1, 6000))
        (self.folder / "long.ir").write_text(PROGRAM.split("\n")[0] + "\n" + lines + "outputs: %5999\n")
        kept, full = os.pipe()
        named = os.open(self.folder / "w.ir", os.O_RDONLY | os.O_NONBLOCK)
        wide = ("run", "wide.ir", "--random", "1", "--print")
        (self.folder / "wide.ir").write_text(PROGRAM.replace("[3]", "[65536]"))
        try:
            for words in ("fmt", "long.ir"), ("fmt", "long.ir", "-o", "w.ir"), wide:
                with self.subTest(words=words):
                    done = start(*words, "--timeout", "0.5", cwd=self.folder, stdout=full)
                    self.assertEqual(done.returncode, 3, done.stderr)
                    self.assertIn("[Timeout]", done.stderr)
            done = start("fmt", "long.ir", "--timeout", str(HANG), cwd=self.folder)
            self.assertEqual((done.returncode, done.stdout), (0, (self.folder / "long.ir").read_text()))
        finally:
            for fd in kept, full, named:
                os.close(fd)

    def test_pipes_that_come(self):
        """A pipe that is written after it was opened is read whole."""
        writer = subprocess.Popen(["sh", "-c", "sleep 0.2; cat ok.ir > p.ir"], cwd=self.folder)
        done = start("fmt", "p.ir", "--timeout", str(HANG), cwd=self.folder)
        self.assertEqual((writer.wait(), done.returncode, done.stderr), (0, 0, ""))
        self.assertEqual(done.stdout, start("fmt", "ok.ir", cwd=self.folder).stdout)
        reader = subprocess.Popen(["sh", "-c", "sleep 0.2; cat p.ir"], cwd=self.folder, stdout=subprocess.PIPE, text=True)
        self.assertEqual(start("fmt", "ok.ir", "-o", "p.ir", cwd=self.folder).returncode, 0)
        self.assertEqual(reader.communicate()[0], done.stdout)

    def test_devices(self):
        for path in ("/dev/zero", "/dev/full", "/dev/urandom"):
            for words in (("check", path), ("fix", path), ("run", path), ("check", path, "--from", "onnx")):
                with self.subTest(words=words):
                    done = start(*words, cwd=self.folder)
                    self.assertEqual(done.returncode, 3, done.stderr)
                    self.assertIn("is a device, whose data may have no end [FileError]", done.stderr)
            for words in (("--input", f"a={path}"), ("--inputs", path)):
                done = start("run", "ok.ir", *words, cwd=self.folder)
                self.assertEqual((done.returncode, "is not a regular file [FileError]" in done.stderr), (3, True), done.stderr)
        self.assertEqual(start("check", "/dev/null", "--from", "ptir-text").returncode, 1)

    def test_folders(self):
        for words in (("check", "d.ir"), ("fix", "d.ir"), ("run", "d.ir"), ("run", "ok.ir", "--input", "a=d.ir"),
                      ("run", "ok.ir", "--inputs", "d.ir"), ("fmt", "ok.ir", "-o", "d.ir"), ("check", "ok.ir", "--constants", "d.ir")):
            with self.subTest(words=words):
                done = start(*words, cwd=self.folder)
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertIn("[FileError]", done.stderr)


if __name__ == "__main__":
    sys.exit(unittest.main())
