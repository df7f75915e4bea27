"""Many calls, Ctrl-C, and what is left of them."""
import gc
import os
import signal
import subprocess
import sys
import unittest

from lib import package
from lib.program import ROOT

import numpy as np

import tenon

ADD = """%0 = Input () {name="x"} : tensor<f32>[16,16]
%1 = Input () {name="y"} : tensor<f32>[16,16]
%2 = BinOp (%0, %1) {op=Add} : tensor<f32>[16,16]
outputs: %2"""
OPEN = ADD.replace("[16,16]", "[n,16]")
# Runs until it is interrupted.
ENDLESS = """
import os, signal, threading, time
import numpy as np, tenon
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have had it ignored
net = tenon.load('''%0 = Input () {name="x"} : tensor<f64>[700,700]
%1 = MatMul (%0, %0) : tensor<f64>[700,700]
outputs: %1''', engine="ENGINE", threads=THREADS)
x = np.ones((700, 700))
def ask():
    time.sleep(0.3)
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=ask, daemon=True).start()
try:
    while True:
        net(x)
except KeyboardInterrupt:
    print("interrupted", flush=True)
print(float(net.outputs[0].shape[0]))
"""


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class ManyCalls(unittest.TestCase):
    def test_no_growth(self):
        x = np.ones((16, 16), np.float32)
        for text in (ADD, OPEN):
            net = tenon.load(text)

            def calls(n, net=net):
                for _ in range(n):
                    net(x, x)
                    try:
                        net(x, x[:, :3])
                    except tenon.InputError:
                        pass
            calls(1000)
            gc.collect()
            before = resident()
            calls(10_000)
            gc.collect()
            self.assertLess(resident() - before, 1 << 20, text)

    def test_objects_are_freed(self):
        def work():
            for _ in range(300):
                m = tenon.read(OPEN)
                p = m.grad(wrt=["x"], seed=1).compile(engine="ref")
                p(np.ones((2, 16), np.float32), np.ones((2, 16), np.float32))
        work()
        gc.collect()
        before = resident()
        work()
        gc.collect()
        self.assertLess(resident() - before, 4 << 20)


class Interrupts(unittest.TestCase):
    def test_interrupt(self):
        for engine, threads in (("ref", 1), ("jit", 1), ("jit", 2)):
            with self.subTest(engine=engine, threads=threads):
                text = ENDLESS.replace("ENGINE", engine).replace("THREADS", str(threads))
                done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=600,
                                      env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
                self.assertEqual((done.stdout.split(), done.returncode), (["interrupted", "700.0"], 0), done.stderr)

    def test_handlers(self):
        """A run ends with what a handler of a signal raises, and the program can run again."""
        class Enough(Exception):
            pass

        def handler(*_):
            raise Enough
        net = tenon.read('%0 = Input () {name="x"} : tensor<f64>[900,900]\n'
                         '%1 = MatMul (%0, %0) : tensor<f64>[900,900]\n'
                         '%2 = MatMul (%1, %0) : tensor<f64>[900,900]\n'
                         'outputs: %2').compile(engine="ref")
        old = signal.signal(signal.SIGALRM, handler)
        try:
            with self.assertRaises(Enough):
                signal.setitimer(signal.ITIMER_REAL, 0.05)
                net(np.ones((900, 900)))
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, old)

    def test_exit_with_objects(self):
        """The process ends well, whatever it still holds."""
        text = ("import numpy as np, tenon\n"
                f"m = tenon.read({OPEN!r}); p = m.compile(); y = p(np.ones((2, 16), 'f4'), np.ones((2, 16), 'f4'))\n"
                "c = y.__dlpack__(); d = np.from_dlpack(y); b = tenon.Context()\n")
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", text], capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
        self.assertEqual((done.returncode, done.stderr), (0, ""))


class Import(unittest.TestCase):
    def test_library_search(self):
        for path, message in (("/nowhere/libtenon.so", "cannot be loaded"),):
            done = subprocess.run([sys.executable, "-c", "import tenon"], capture_output=True, text=True,
                                  env={**os.environ, "PYTHONPATH": str(ROOT / "python"), "TENON_LIBRARY": path})
            self.assertEqual(done.returncode, 1)
            self.assertIn(message, done.stderr.splitlines()[-1])
        self.assertTrue(package.LIBRARY.exists())

    def test_versions(self):
        text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
        self.assertIn(f"project(tenon VERSION {tenon.__version__} ", text)


if __name__ == "__main__":
    unittest.main()
