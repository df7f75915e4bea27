"""C reads nothing behind its buffers: inputs that end where a page does, behind which nothing may be read.

gcc once loaded whole vectors of which only the first elements, a number that it knew, are in the buffer: narrow ones, which are made
wider afterwards. It also stored the first elements of wide ones that were made narrower with an instruction that must be able to write
all of them.
"""
import ctypes
import math
import mmap
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from lib.compilers import WARNINGS, shell
from lib.program import tenon

BYTES = {"bf16": 2, "f16": 2, "si16": 2, "si8": 1, "f32": 4, "f64": 8}
SHAPES = [(3, 16), (3, 8), (5, 12)]


def program(dtype, shape):
    x, y = (f"tensor<{d}, {'x'.join(map(str, shape))}>" for d in (dtype, "f32"))
    return f"func @main(%x: {x}, %y: {y}) -> {y} {{\n  %c = cast(%x) -> {y}\n  %z = mul(%c, %y) -> {y}\n  return %z\n}}\n"


def at_end(size):
    """An address from which SIZE bytes may be read and no more."""
    page = mmap.PAGESIZE
    room = mmap.mmap(-1, 2 * page)
    first = ctypes.addressof(ctypes.c_char.from_buffer(room))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mprotect(ctypes.c_void_p(first + page), ctypes.c_size_t(page), 0) != 0:
        raise OSError(ctypes.get_errno(), "mprotect")
    at_end.kept.append(room)
    return first + page - size


at_end.kept = []


def call(library, workspace, *sizes):
    """Run `m_run` with buffers of SIZES bytes, the last one for the result. Ends this process if it reads elsewhere."""
    at = [at_end(size) for size in sizes]
    work = ctypes.create_string_buffer(workspace + 64)
    entry = ctypes.CDLL(library).m_run
    aligned = ctypes.addressof(work) + -ctypes.addressof(work) % 64
    return entry((ctypes.c_void_p * (len(at) - 1))(*at[:-1]), (ctypes.c_void_p * 1)(at[-1]), ctypes.c_void_p(aligned), None)


NARROW = "func @main(%x: tensor<si64, 5>) -> tensor<si32, 5> {\n  %y = cast(%x) -> tensor<si32, 5>\n  return %y\n}\n"


def check(folder, compiler, what, text, sizes):
    """TEXT, whose inputs and result have SIZES bytes."""
    source, code, header, library = (folder / name for name in ("m.ptir", "m.c", "m.h", "m.so"))
    source.write_text(text)
    tenon("compile", source, "-o", code, "--header", header)
    workspace = re.search(r"_WORKSPACE_BYTES (\d+)u", header.read_text())[1]
    faults = shell([compiler, "-O2", "-shared", "-fPIC", *WARNINGS, code, "-o", library, "-lm"], f"{compiler}, {what}")
    if not faults:
        done = subprocess.run([sys.executable, __file__, str(library), workspace, *map(str, sizes)], env=os.environ, check=False)
        if done.returncode != 0:
            faults.append(f"{compiler}, {what}: ended with {done.returncode}")
    return faults


def main():
    faults, n = [], 0
    programs = [("si64 to si32", NARROW, (40, 20))]
    for dtype, size in BYTES.items():
        for shape in SHAPES:
            count = math.prod(shape)
            if count * size % 16 == 0:
                programs.append((f"{dtype}{list(shape)}", program(dtype, shape), (count * size, count * 4, count * 4)))
    for compiler in filter(shutil.which, ("gcc", "clang")):
        for each in programs:
            n += 1
            with tempfile.TemporaryDirectory() as folder:
                faults += check(pathlib.Path(folder), compiler, *each)
    print("\n".join(faults) or f"{n} programs")
    return len(faults) > 0


if __name__ == "__main__":
    sys.exit(call(sys.argv[1], *map(int, sys.argv[2:])) if len(sys.argv) > 1 else main())
