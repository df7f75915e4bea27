"""mpirun tenon train: the weights of one rank for any number of them and either MPI, and an end for all when one is lost.
mpirun tenon run --batch-of: the files of one rank."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import numpy as np

from lib.program import HANG, TENON
from train.full_train import NET, SAMPLES, digest_of

BUILD = pathlib.Path(TENON).parent
# How ranks are started that share two processors, also by root and in containers.
MPIS = {"openmpi": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--mca", "mpi_yield_when_idle", "1",
                    "--mca", "btl_vader_single_copy_mechanism", "none"],
        "mpich": ["mpirun.mpich"]}
TRAIN = ["train", "net.ir", "--engine", "ref", "--lr", "0.01", "--batch", "16", "--wrt", "w,b", "--data", "data.npz"]


def available():
    return [name for name, start in MPIS.items()
            if shutil.which(start[0]) and (BUILD / f"libtenon-mpi-{name}.so").exists()]


def processes_in(folder):
    """The processes of a training there."""
    found = []
    for task in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(task / "exe") == str(pathlib.Path(TENON).resolve()) and \
                    os.readlink(task / "cwd") == str(folder.resolve()):
                found.append(int(task.name))
        except OSError:
            pass
    return sorted(found)


class Ranks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)
        (self.dir / "net.ir").write_text(NET)
        draw = np.random.default_rng(1)
        np.savez(self.dir / "data.npz", x=draw.normal(size=(SAMPLES, 3)).astype(np.float32),
                 y=draw.normal(size=(SAMPLES, 2)).astype(np.float32))

    def start(self, mpi, ranks, *more):
        before = [*MPIS[mpi], "-np", str(ranks)] if mpi else []
        return subprocess.Popen([*before, TENON, *TRAIN, *more], cwd=self.dir, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def train(self, mpi, ranks, *more, status=0):
        process = self.start(mpi, ranks, *more)
        out, err = process.communicate(timeout=HANG)
        self.assertEqual(process.returncode, status, err)
        return out, err

    def test_bits(self):
        want = digest_of(self.train(None, 1, "--steps", "9")[0])
        for mpi in available():
            for ranks in (1, 2, 3, 4, 8):
                out, err = self.train(mpi, ranks, "--steps", "9", "--log", f"{mpi}{ranks}")
                self.assertEqual(digest_of(out), want, (mpi, ranks))
                self.assertEqual(err.count("step 9 of 9"), 1)
                lines = (self.dir / f"{mpi}{ranks}").read_text().splitlines()
                self.assertEqual([json.loads(line)["step"] for line in lines], list(range(1, 10)))

    def test_refused(self):
        """Several times: launchers that end processes may lose what these wrote last."""
        for mpi in 5 * available():
            _, err = self.train(mpi, 2, "--steps", "9", "--leaves", "32", status=3)
            self.assertIn("cut into 32 leaves", err)

    def test_slow_launcher(self):
        """The launcher gets next to no processor while the ranks end, and still sees that they end well."""
        for mpi in available():
            log = self.dir / f"{mpi}-slow"
            process = self.start(mpi, 4, "--steps", "9", "--log", str(log))
            for _ in range(HANG * 100):
                if (log.exists() and '"step":9,' in log.read_text()) or process.poll() is not None:
                    break
                time.sleep(0.01)
            for _ in range(12):
                if process.poll() is None:
                    process.send_signal(signal.SIGSTOP)
                    time.sleep(2.5)
                    process.send_signal(signal.SIGCONT)
                    time.sleep(0.002)
            _, err = process.communicate(timeout=HANG)
            self.assertEqual(process.returncode, 0, (mpi, err))

    def lose(self, mpi, kind):
        """Four ranks with work for days, one of which gets a signal after some steps: their last checkpoint and what
        they say. They end all the same."""
        folder = self.dir / f"{mpi}-{kind.name}"
        process = self.start(mpi, 4, "--steps", "1000000000", "--checkpoint", str(folder), "--every", "10")
        for _ in range(HANG * 100):
            if len(list(folder.glob("step-*.json"))) >= 2 or process.poll() is not None:
                break
            time.sleep(0.01)
        ranks = processes_in(self.dir) if process.poll() is None else []
        if ranks:
            os.kill(ranks[-1], kind)
        _, err = process.communicate(timeout=HANG)
        self.assertEqual(len(ranks), 4, err)
        self.assertNotEqual(process.returncode, 0)
        self.assertEqual(processes_in(self.dir), [])
        return folder, err

    def test_lost(self):
        """One rank is killed, or stands still; three go on."""
        for mpi in available():
            folder, err = self.lose(mpi, signal.SIGKILL)
            self.assertIn(f"the same command with --resume goes on from {folder}", err)
            last = max(int(path.stem.removeprefix("step-")) for path in folder.glob("step-*.json"))
            steps = ["--steps", str(last + 15)]
            want = digest_of(self.train(None, 1, *steps)[0])
            again = self.train(mpi, 3, *steps, "--checkpoint", str(folder), "--every", "10", "--resume")[0]
            self.assertEqual(digest_of(again), want, mpi)
            _, err = self.lose(mpi, signal.SIGSTOP)
            self.assertIn("resume from the last checkpoint", err)


class Batches(unittest.TestCase):
    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            top = pathlib.Path(folder)
            (top / "in").mkdir()
            (top / "neg.ptir").write_text("func @main(%x: tensor<f32, ?n>) -> tensor<f32, ?n> {\n"
                                          "  %y = neg(%x) -> tensor<f32, ?n>\n  return %y\n}\n")
            for i in range(7):
                np.save(top / f"in/{i}.npy", np.arange(i, dtype=np.float32))
            for mpi in available():
                for ranks in (1, 3, 8):
                    out = top / f"{mpi}{ranks}"
                    done = subprocess.run([*MPIS[mpi], "-np", str(ranks), TENON, "run", "neg.ptir", "--batch-of", "in",
                                           "--output", out], cwd=top, stdin=subprocess.DEVNULL, capture_output=True,
                                          text=True, timeout=HANG)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertEqual(sorted(p.name for p in out.iterdir()), [f"{i}.npy" for i in range(7)])
                    for i in range(7):
                        np.testing.assert_array_equal(np.load(out / f"{i}.npy"), -np.arange(i, dtype=np.float32))
                (top / "in/3.npy").write_bytes(b"no array")
                done = subprocess.run([*MPIS[mpi], "-np", "2", TENON, "run", "neg.ptir", "--batch-of", "in", "--output",
                                       top / f"{mpi}-bad"], cwd=top, stdin=subprocess.DEVNULL, capture_output=True,
                                      text=True, timeout=HANG)
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertEqual(len(list((top / f"{mpi}-bad").iterdir())), 6)
                np.save(top / "in/3.npy", np.arange(3, dtype=np.float32))


if __name__ == "__main__":
    if not available():
        print("no MPI: nothing to do")
    else:
        unittest.main()
