"""Contexts: their locks under interrupts, and in children of fork."""
import os
import random
import signal
import subprocess
import sys
import threading
import unittest

from lib import package  # noqa: F401

import tenon

NEG = '%0 = Input () {name="x"} : tensor<f32>[2]\n%1 = Neg (%0) : tensor<f32>[2]\noutputs: %1'


class Interrupt(BaseException):
    pass


def fails(*_):
    raise Interrupt


class Interrupts(unittest.TestCase):
    def assert_free(self, context):
        """Neither this thread nor another holds the lock."""
        done = threading.Thread(target=context.set_limit, args=("nodes", 1000), daemon=True)
        done.start()
        done.join(100)
        self.assertFalse(done.is_alive())
        context.set_limit("nodes", 1000)

    def test_inside(self):
        """What is called while the lock is held raises."""
        for name in "_free_waiting", "_check_process":
            context = tenon.Context()
            setattr(context, name, fails)
            with self.subTest(name), self.assertRaises(Interrupt) as kept:
                context.set_limit("nodes", 1000)
            delattr(context, name)
            self.assert_free(context)
            self.assertTrue(kept.exception)
        context = tenon.Context()
        module = tenon.read(NEG, context=context)
        context._free_waiting = fails
        with self.assertRaises(Interrupt):
            context.free(module._handle)
        del context._free_waiting
        module._handle = 0
        self.assert_free(context)
        with self.assertRaises(Interrupt), context:
            fails()
        self.assert_free(context)

    def test_anywhere(self):
        """Signals whose handler raises, at any instruction, while the trace of the last is kept."""
        context, kept = tenon.Context(), None
        rng = random.Random(1)
        before = signal.signal(signal.SIGALRM, fails)
        try:
            for _ in range(1000):
                try:
                    signal.setitimer(signal.ITIMER_REAL, rng.uniform(1e-6, 1e-4))
                    while True:
                        with context:
                            pass
                        context._owned[0] = (id, ())
                        context.free(0)
                except Interrupt as error:
                    kept = error
                context._waiting.clear()
                context._owned.clear()
                context.set_limit("nodes", 1000)  # raises where this thread holds the lock
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        self.assert_free(context)
        self.assertTrue(kept)

    def test_nested(self):
        context = tenon.Context()
        with context:
            with self.assertRaisesRegex(tenon.UsageError, "at work"):
                context.set_limit("nodes", 1000)
            with self.assertRaisesRegex(tenon.UsageError, "at work"), context:
                pass
            other = threading.Thread(target=context.set_limit, args=("nodes", 1000), daemon=True)
            other.start()
            other.join(0.05)
            self.assertTrue(other.is_alive())  # the lock is held still
        other.join(100)
        self.assertFalse(other.is_alive())


FORK = f"""import os, signal, threading, tenon
NEG = {NEG!r}
""" + """
held, free, own, default = tenon.Context(), tenon.Context(), tenon.Context(), tenon.default_context()
default.set_limit("nodes", 3)
kept = [tenon.read(NEG, context=cx) for cx in (held, free, own)]
program = kept[0].compile()
ready, end = threading.Event(), threading.Event()
def hold():
    with held, default, tenon._context._making:
        ready.set()
        end.wait()
thread = threading.Thread(target=hold)
thread.start()
ready.wait()
with own:
    child = os.fork()
    if child == 0:
        signal.alarm(100)
if child == 0:
    for use in lambda: held.set_limit("nodes", 9), lambda: kept[0].symbols, kept[0].compile:
        try:
            use()
        except tenon.UsageError as error:
            assert "forked" in str(error), error
        else:
            raise SystemExit("the context was used")
    assert program([1, 2]).tolist() == [-1, -2]
    del program
    for cx in free, own, tenon.Context():
        assert tenon.read(NEG, context=cx).compile()([1, 2]).tolist() == [-1, -2]
    assert [m.symbols for m in kept[1:]] == [(), ()]
    assert tenon.default_context() is not default
    assert tenon.load(NEG)([1, 2]).tolist() == [-1, -2]
    try:
        tenon.load(NEG.replace("outputs", "".join(f"%{k} = Neg (%1) : tensor<f32>[2]\\n" for k in range(2, 9)) + "outputs"))
    except tenon.Rejected:
        pass
    else:
        raise SystemExit("the limits are lost")
    del kept, held, free, own, default, cx, use
    os._exit(0)
status = os.waitpid(child, 0)[1]
end.set()
thread.join()
assert status == 0, status
held.set_limit("nodes", 9)
"""


class Forks(unittest.TestCase):
    def test_fork(self):
        """A child refuses contexts that another thread was using, waits for none, and uses the others."""
        done = subprocess.run([sys.executable, "-c", FORK], capture_output=True, text=True, check=False,
                              env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
