"""The examples that train networks, on 1, 2, 3, 4 and 8 ranks of 1 and 2 threads, by either MPI: the weights of one rank;
and so when four ranks are killed at step 37 and three go on."""
import contextlib
import os
import signal
import time
import unittest

from lib.program import HANG
from train import full_networks
from train.sweep_mpi import available, processes_in

STEPS = ["--steps", "60"]


class Networks(full_networks.Case):
    def check(self, example):
        self.make(example)
        want = self.train(None, 1, *STEPS)[0]
        for mpi in available():
            for ranks in (1, 2, 3, 4, 8):
                for threads in ("1", "2"):
                    self.assertEqual(self.train(mpi, ranks, "--threads", threads, *STEPS)[0], want, (mpi, ranks, threads))
            self.assertEqual(self.killed(mpi), want, mpi)

    def killed(self, mpi):
        """All of four ranks are killed at step 37; three go on."""
        folder = self.dir / mpi
        last = folder / "step-00000037.json"
        process = self.start(mpi, 4, "--checkpoint", str(folder), "--every", "37", *STEPS)
        for _ in range(HANG * 100):
            if last.exists() or process.poll() is not None:
                break
            time.sleep(0.01)
        for rank in processes_in(self.dir):
            with contextlib.suppress(ProcessLookupError):  # MPI ends the others when one is gone
                os.kill(rank, signal.SIGKILL)
        process.communicate(timeout=HANG)
        self.assertNotEqual(process.returncode, 0, "the training was over before it was killed")
        self.assertTrue(last.exists())
        return self.train(mpi, 3, "--checkpoint", str(folder), "--resume", *STEPS)[0]

    def test_convnet(self):
        self.check("convnet")

    def test_chargpt(self):
        self.check("chargpt")


if __name__ == "__main__":
    unittest.main()
