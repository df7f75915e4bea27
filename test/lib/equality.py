"""The program `equality`: programs in, every level, processor and number of threads, and what is wrong out.

A program is a list of fields, as equality.c describes them.
"""
import concurrent.futures
import multiprocessing.util
import os
import subprocess
import tempfile
import threading

from lib.program import TENON

EQUALITY = os.environ.get("EQUALITY", os.path.join(os.path.dirname(TENON), "test/equality"))


MEMORY = "/dev/shm"  # a file system


class Equality:
    """One process for many programs; a new one where a program ends it."""

    def __init__(self, program=EQUALITY):
        self.program, self.process = program, None
        self.folder = tempfile.TemporaryDirectory(prefix="tenon-equality-", dir=MEMORY if os.access(MEMORY, os.W_OK) else None)
        multiprocessing.util.Finalize(None, self.folder.cleanup, exitpriority=1)  # also where this is a process of a pool

    def ask(self, fields):
        """`ok RUNS`, or `fault WHAT`."""
        if self.process is None:
            self.process = subprocess.Popen([self.program, self.folder.name], stdin=subprocess.PIPE, text=True,
                                            stdout=subprocess.PIPE)
        self.process.stdin.write("\t".join(map(str, fields)) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        if answer:
            return answer
        ended = self.process.wait()
        self.process = None
        return f"fault `equality` ended with {ended}"

    def close(self):
        if self.process:
            self.process.stdin.close()
            self.process.wait()
            self.process = None
        self.folder.cleanup()


_own = threading.local()


def ask(fields):
    """The answer for one program, by a process of this thread's own that stays."""
    if not hasattr(_own, "equality"):
        _own.equality = Equality()
    return _own.equality.ask(fields)


def ask_all(programs, program=EQUALITY):
    """The answer for each of PROGRAMS, in their order, by as many processes as there are processors."""
    own, all_ = threading.local(), []

    def ask(fields):
        if not hasattr(own, "equality"):
            own.equality = Equality(program)
            all_.append(own.equality)
        return own.equality.ask(fields)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(ask, programs)
    for equality in all_:
        equality.close()
