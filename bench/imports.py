"""Speed of reading ONNX models, in process: a large one against copying its bytes once, and one of many nodes.

    imports.py [--library build/release/libtenon.so] [--megabytes 500] [--nodes 1000] [--rounds 5]

The models are made here. The copy is of the file into new memory, which is what reading must do at least; both take
turns. Milliseconds by the clock, so other work on the machine disturbs them: the load is printed.
"""
import argparse
import ctypes
import os
import pathlib
import statistics
import sys
import tempfile
import time

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "test"))
from lib.onnx_files import model, node  # noqa: E402

WIDTH = 2048  # of the square matrices in the large model


def write_large(path, megabytes):
    count = max(1, megabytes * 10**6 // (4 * WIDTH * WIDTH))
    matrix = np.arange(WIDTH * WIDTH, dtype=np.float32).reshape(WIDTH, WIDTH)
    nodes = [node("MatMul", f"x{i} w{i}", f"x{i + 1}") for i in range(count)]
    path.write_bytes(model(nodes, [("x0", "f32", [1, WIDTH])], [(f"x{count}", "f32", [1, WIDTH])],
                           [(f"w{i}", matrix) for i in range(count)]))


def write_long(path, count):
    ops = ("Relu", "Neg", "Abs", "Tanh")
    nodes = [node(ops[i % len(ops)], f"x{i}", f"x{i + 1}", f"node {i}") for i in range(count)]
    path.write_bytes(model(nodes, [("x0", "f32", [8])], [(f"x{count}", "f32", [8])]))


def load(path):
    library = ctypes.CDLL(str(path))
    library.tn_context_new.restype = ctypes.c_void_p
    library.tn_context_new.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    library.tn_context_free.argtypes = library.tn_module_free.argtypes = [ctypes.c_void_p]
    library.tn_module_read_file.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p,
                                            ctypes.POINTER(ctypes.c_void_p)]
    return library


def read_once(library, path):
    module = ctypes.c_void_p()
    context = library.tn_context_new(None, None)
    begin = time.perf_counter()
    status = library.tn_module_read_file(context, None, os.fsencode(path), ctypes.byref(module))
    took = time.perf_counter() - begin
    if status:
        sys.exit(f"{path.name} was not read: status {status}")
    library.tn_module_free(module)
    library.tn_context_free(context)
    return 1e3 * took


def copy_once(path):
    with open(path, "rb", buffering=0) as file:
        begin = time.perf_counter()
        file.read()
        return 1e3 * (time.perf_counter() - begin)


def spread(times):
    return f"median {statistics.median(times):9.2f}  least {min(times):9.2f}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", type=pathlib.Path, default=HERE.parent / "build/release/libtenon.so")
    parser.add_argument("--folder", help="for the models, which take as much room as they are large")
    parser.add_argument("--megabytes", type=int, default=500)
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    library = load(options.library.resolve())
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        large, long = pathlib.Path(folder, "large.onnx"), pathlib.Path(folder, "long.onnx")
        write_large(large, options.megabytes)
        write_long(long, options.nodes)
        copy_once(large)
        copies, reads = zip(*[(copy_once(large), read_once(library, large)) for _ in range(options.rounds)])
        many = [read_once(library, long) for _ in range(4 * options.rounds)]
    print(f"load {os.getloadavg()[0]:.1f}; milliseconds")
    print(f"copy of {options.megabytes} MB       {spread(copies)}")
    print(f"reading {options.megabytes} MB       {spread(reads)}  /copy {statistics.median(reads) / statistics.median(copies):.2f}")
    print(f"reading {options.nodes} nodes     {spread(many)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
