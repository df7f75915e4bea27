"""Files that the program writes: complete or not there, whatever happens while they are written.
"""
import os
import pathlib
import resource
import signal
import subprocess
import tempfile
import unittest

import numpy as np

from lib.program import TENON

# one small output, then two of 1 MiB
THREE = """\
func @main(%x: tensor<f32, 2>) -> (tensor<f32, 2>, tensor<f32, 262144>, tensor<f32, 262144>) {
  %s = neg(%x) -> tensor<f32, 2>
  %z = constant value[0.5] -> tensor<f32>
  %a = broadcast_to(%z) shape[262144] -> tensor<f32, 262144>
  %b = exp(%a) -> tensor<f32, 262144>
  return %s, %b, %a
}
"""
RUN = ["run", "three.ptir", "--random", "1", "--engine", "ref"]
BIG = "".join(f"  %v{i} = exp(%{'x' if i == 0 else f'v{i - 1}'}) -> tensor<f32, 2>\n" for i in range(400))
BIG = f"func @main(%x: tensor<f32, 2>) -> tensor<f32, 2> {{\n{BIG}  return %v399\n}}\n"


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.dir = pathlib.Path(self.folder.name)
        (self.dir / "three.ptir").write_text(THREE)
        (self.dir / "big.ptir").write_text(BIG)
        self.given = self.files()

    def files(self):
        """Everything in the folder, hidden or not."""
        return sorted(str(p.relative_to(self.dir)) for p in self.dir.rglob("*"))

    def start(self, *args, **more):
        return subprocess.Popen([TENON, *args], cwd=self.dir, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, **more)

    def tenon(self, *args, most=None, status=0):
        """Run the program; no file may have more than MOST bytes, which stands for a full disk."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        # where coverage is counted, a process that ends writes its counts, which are longer than that
        more = dict(preexec_fn=limit, env=os.environ | {"GCOV_PREFIX": "/dev/null", "GCOV_ERROR_FILE": "/dev/null"}) if most else {}
        process = self.start(*args, **more)
        out, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, status, err + out)
        return err


class Forms(Case):
    """What --output writes is told by its extension."""
    ONE = "func @main(%x: tensor<f32, 2>) -> tensor<f32, 2> {\n  %y = neg(%x) -> tensor<f32, 2>\n  return %y\n}\n"

    def test_one_file(self):
        (self.dir / "one.ptir").write_text(self.ONE)
        given = self.files()
        for name in "one.npy", "one.npz", "one.safetensors":
            self.tenon("run", "one.ptir", "--input", "x=[1,2]", "--output", name)
        self.assertEqual(self.files(), sorted([*given, "one.npy", "one.npz", "one.safetensors"]))
        np.testing.assert_array_equal(np.load(self.dir / "one.npy"), [-1, -2])
        np.testing.assert_array_equal(np.load(self.dir / "one.npz")["0"], [-1, -2])
        self.assertTrue((self.dir / "one.safetensors").read_bytes().endswith(np.float32([-1, -2]).tobytes()))

    def test_several(self):
        self.tenon(*RUN, "--output", "three.safetensors")
        self.assertIn(b'"2"', (self.dir / "three.safetensors").read_bytes()[:400])
        self.assertIn("one tensor, not 3", self.tenon(*RUN, "--output", "three.npy", status=2))
        self.assertNotIn("three.npy", self.files())
        # said before anything runs: without inputs as well
        self.assertIn("one tensor, not 3", self.tenon(*RUN[:2], "--output", "three.npy", status=2))

    def test_two_in_one(self):
        """However the paths are written: one of the two would be lost."""
        (self.dir / "again").symlink_to(".")
        for first, second in ("a.c", "a.c"), ("a.c", "./a.c"), ("again/a.c", self.dir / "a.c"):
            for option in "--header", "--weights":
                self.assertIn("need a file each", self.tenon("compile", "big.ptir", "-o", first, option, second, status=2))
        self.assertIn("need a file each", self.tenon("compile", "big.ptir", "-o", "a.c", "--header", "b", "--weights", "again/b", status=2))
        self.assertIn("need a file each", self.tenon(*RUN, "--output", "a.npz", "--profile-trace", "again/a.npz", status=2))
        self.assertIn("need a file each", self.tenon("train", "big.ptir", "--wrt", "x", "--data", "d.npz", "--output", "a.npz",
                                                     "--log", "again/a.npz", status=2))
        self.tenon("compile", "big.ptir", "-o", "a.c", "--header", "again/a.h")

    def test_standard_output(self):
        self.assertIn("--print", self.tenon(*RUN, "--output", "-", status=2))
        self.assertEqual(self.files(), self.given)

    def test_folder(self):
        self.tenon(*RUN, "--output", "npy")
        self.assertIn("npy/outputs.json", self.files())


class FullDisk(Case):
    COMMANDS = [
        [*RUN, "--output", "out"], [*RUN, "--output", "out.npz"], [*RUN, "--profile-trace", "trace.json"],
        ["compile", "big.ptir", "-o", "big.c"], ["compile", "big.ptir", "-o", "a.h", "--header", "b.c"],
        ["convert", "big.ptir", "--to", "ptir", "-o", "out.json"], ["convert", "big.ptir", "--to", "mlir", "-o", "out/"],
        ["fmt", "big.ptir", "-o", "out.ptir"], ["opt", "big.ptir", "-o", "out.ptir"],
        ["grad", "big.ptir", "--loss", "0", "-o", "out.ptir", "--seed", "1"],
    ]

    def test_nothing_is_left(self):
        for command in self.COMMANDS:
            most = 100 if "--profile-trace" in command or "b.c" in command else 5000
            err = self.tenon(*command, most=most, status=3)
            self.assertIn("File too large", err, command)
            self.assertEqual(self.files(), self.given, command)

    def test_what_was_there_stays(self):
        self.tenon(*RUN, "--output", "out")
        self.tenon(*RUN, "--output", "out.npz")
        before = {p: (self.dir / p).read_bytes() for p in self.files() if (self.dir / p).is_file()}
        self.tenon(*RUN[:-3], "2", *RUN[-2:], "--output", "out", most=5000, status=3)
        self.tenon(*RUN[:-3], "2", *RUN[-2:], "--output", "out.npz", most=5000, status=3)
        self.assertEqual({p: (self.dir / p).read_bytes() for p in self.files() if (self.dir / p).is_file()}, before)

    def test_devices(self):
        if os.access("/dev/full", os.W_OK):
            self.assertIn("No space left", self.tenon("fmt", "three.ptir", "-o", "/dev/full", status=3))
        self.tenon("fmt", "three.ptir", "-o", "/dev/null")
        self.assertTrue(pathlib.Path("/dev/null").is_char_device())


class LongNames(Case):
    def test_as_long_as_names_can_be(self):
        def name(end):
            return "n" * (255 - len(end)) + end
        for command, end in [(["compile", "three.ptir", "-o"], ".c"), (["fmt", "three.ptir", "-o"], ".ptir"),
                             (["compile", "three.ptir", "-o"], ".so"),
                             ([*RUN, "--output"], ".npz"), ([*RUN, "--output"], "folder"),
                             ([*RUN, "--profile-trace"], ".json")]:
            self.tenon(*command, name(end))
            self.assertIn(name(end), self.files())
        self.assertEqual(np.load(self.dir / name(".npz"))["1"].shape, (262144,))
        self.assertIn("[FileError]", self.tenon("fmt", "three.ptir", "-o", "x" + name(".ptir"), status=3))


class Signals(Case):
    def setUp(self):
        super().setUp()
        signal.alarm(600)  # a program that never opens its end of a pipe fails the test, late
        self.addCleanup(signal.alarm, 0)

    def test_in_a_folder(self):
        """The second output is a pipe that takes no more, so that the signal comes between two files."""
        for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]:
            before = signal.signal(number, signal.SIG_DFL)  # a shell may have had it ignored
            self.addCleanup(signal.signal, number, before)
            (self.dir / "out").mkdir()
            os.mkfifo(self.dir / "out/1.npy")
            process = self.start(*RUN, "--output", "out")
            with open(self.dir / "out/1.npy", "rb") as pipe:
                pipe.read(1000)  # of 1 MiB: the next bytes are waiting already, or will be
                self.assertEqual(len(self.files()), len(self.given) + 2)  # out and 1.npy; 0.npy has no name yet
                process.send_signal(number)
                pipe.read()
            process.communicate(timeout=120)
            self.assertEqual(process.returncode, -number)
            self.assertEqual(self.files(), sorted([*self.given, "out", "out/1.npy"]))
            (self.dir / "out/1.npy").unlink()
            (self.dir / "out").rmdir()

    def test_while_linking(self):
        """A linker that waits: its files go, and nothing is made."""
        (self.dir / "bin").mkdir()
        (self.dir / "tmp").mkdir()
        (self.dir / "bin/cc").write_text("#!/bin/sh\necho > begun\nread go < go\n")
        (self.dir / "bin/cc").chmod(0o755)
        os.mkfifo(self.dir / "begun")
        os.mkfifo(self.dir / "go")
        before = self.files()
        env = dict(os.environ, PATH=f"{self.dir}/bin:{os.environ['PATH']}", TMPDIR=str(self.dir / "tmp"))
        process = self.start("compile", "three.ptir", "-o", "three.so", env=env)
        (self.dir / "begun").read_text()
        self.assertTrue(any(self.dir.glob("tmp/*/in.o")))
        process.terminate()
        (self.dir / "go").write_text("\n")
        process.communicate(timeout=120)
        self.assertEqual(process.returncode, -signal.SIGTERM)
        self.assertEqual(self.files(), before)


if __name__ == "__main__":
    unittest.main()
