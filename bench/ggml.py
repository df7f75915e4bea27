"""ggml, on which llama.cpp is built, as a contestant: products of one row with matrices of few bits.

Its libraries come with the package @node-llama-cpp/linux-x64 of npm, fetched where there is a network; GGML names a folder
that has them instead. They are used through ctypes, and where they are missing `find` returns None.
"""
import ctypes
import hashlib
import os
import pathlib
import shutil
import subprocess
import tarfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE, VERSION = "@node-llama-cpp/linux-x64", "3.22.1"
DIGEST = "0d953e1503d5ab4608d8ed5b739132308c81ac05ffeb760d2a7f30e08a9f90e0"
# Its numbers for types: numbers of f32 and f16, and blocks of 32 of 8 and of 4 bits with a scale of f16.
TYPES = {"f32": 0, "f16": 1, "8 bits": 8, "4 bits": 2}
CPU = 0  # a kind of device
HEADERS = 16 << 20  # bytes for descriptions of tensors, which is plenty


class Parameters(ctypes.Structure):
    """struct ggml_init_params."""
    _fields_ = [("mem_size", ctypes.c_size_t), ("mem_buffer", ctypes.c_void_p), ("no_alloc", ctypes.c_bool)]


def fetched():
    """The folder of the package, or None."""
    folder = ROOT / "build/ggml"
    folder.mkdir(parents=True, exist_ok=True)
    packed = folder / f"{PACKAGE.strip('@').replace('/', '-')}-{VERSION}.tgz"
    if not packed.exists() and shutil.which("npm"):
        subprocess.run(["npm", "pack", "--silent", f"{PACKAGE}@{VERSION}"], cwd=folder, capture_output=True, check=False, timeout=600)
    if not packed.exists():
        return None
    if hashlib.sha256(packed.read_bytes()).hexdigest() != DIGEST:
        raise SystemExit(f"{packed} has another digest")
    with tarfile.open(packed) as archive:
        archive.extractall(folder)
    return folder / "package/bins/linux-x64"


class Ggml:
    """The library, with the code for this processor."""

    def __init__(self, folder):
        self.base = ctypes.CDLL(str(folder / "libggml-base.so"), ctypes.RTLD_GLOBAL)
        self.main = ctypes.CDLL(str(next(folder.glob("libggml.*"))), ctypes.RTLD_GLOBAL)
        self.call("ggml_backend_load_all_from_path", None, str(folder).encode())
        self.device = self.call("ggml_backend_dev_by_type", ctypes.c_void_p, CPU)
        if not self.device:
            raise OSError("ggml has no code for this processor")
        self.backend = self.call("ggml_backend_init_by_type", ctypes.c_void_p, CPU, None)

    def call(self, name, result, *arguments):
        """A function of either library. Integers are 64 bits wide, or as the ctypes value says; pointers are c_void_p."""
        function = getattr(self.main, name, None) or getattr(self.base, name)
        function.restype = result
        return function(*arguments)

    def own(self, name, result, *types):
        """A function that only the code for processors has."""
        registry = self.call("ggml_backend_dev_backend_reg", ctypes.c_void_p, ctypes.c_void_p(self.device))
        address = self.call("ggml_backend_reg_get_proc_address", ctypes.c_void_p, ctypes.c_void_p(registry), name.encode())
        return ctypes.CFUNCTYPE(result, *types)(address) if address else None

    def context(self):
        """Room for descriptions of tensors, whose data are elsewhere."""
        return ctypes.c_void_p(self.call("ggml_init", ctypes.c_void_p, Parameters(HEADERS, None, True)))

    def matrix(self, context, kind, k, n):
        return ctypes.c_void_p(self.call("ggml_new_tensor_2d", ctypes.c_void_p, context, ctypes.c_int(TYPES[kind]),
                                         ctypes.c_int64(k), ctypes.c_int64(n)))

    def quantized(self, kind, w):
        """The bytes of W [n, k], of f32, as KIND."""
        n, k = w.shape
        row = self.call("ggml_row_size", ctypes.c_size_t, ctypes.c_int(TYPES[kind]), ctypes.c_int64(k))
        out = np.empty(row * n, np.uint8)
        self.call("ggml_quantize_chunk", ctypes.c_size_t, ctypes.c_int(TYPES[kind]), w.ctypes.data_as(ctypes.c_void_p),
                  out.ctypes.data_as(ctypes.c_void_p), ctypes.c_int64(0), ctypes.c_int64(n), ctypes.c_int64(k), None)
        return out

    def layouts(self):
        """Where it can keep weights: in orders of its own for its fastest products first, as llama.cpp does, then as they are."""
        listed = self.own("ggml_backend_dev_get_extra_bufts", ctypes.POINTER(ctypes.c_void_p), ctypes.c_void_p)
        own = listed(self.device) if listed else []
        for place in own or []:
            if not place:
                break
            yield ctypes.c_void_p(place)
        yield ctypes.c_void_p(self.call("ggml_backend_dev_buffer_type", ctypes.c_void_p, ctypes.c_void_p(self.device)))


class Products:
    """One row times the matrices of WORK, one after the other, each [k, n] and of KIND; `run` computes all."""

    def __init__(self, ggml, kind, work, threads, random):
        self.ggml, context, x = ggml, ggml.context(), None
        set_threads = ggml.own("ggml_backend_set_n_threads", None, ctypes.c_void_p, ctypes.c_int)
        set_threads(ggml.backend, threads)
        weights = []
        for k, n in work:
            place, w = self.weight(kind, k, n, random)
            weights.append(place)
            x = ggml.matrix(context, "f32", k, 1) if x is None else self.first(context, x, k)
            self.input = x if len(weights) == 1 else self.input
            x = ctypes.c_void_p(ggml.call("ggml_mul_mat", ctypes.c_void_p, context, w, x))
        self.graph = ctypes.c_void_p(ggml.call("ggml_new_graph", ctypes.c_void_p, context))
        ggml.call("ggml_build_forward_expand", None, self.graph, x)
        ggml.call("ggml_backend_alloc_ctx_tensors", ctypes.c_void_p, context, ctypes.c_void_p(ggml.backend))
        row = random.standard_normal(work[0][0]).astype(np.float32)
        ggml.call("ggml_backend_tensor_set", None, self.input, row.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(0),
                  ctypes.c_size_t(row.nbytes))

    def weight(self, kind, k, n, random):
        """A matrix of random numbers, in the first layout in which it can be multiplied with."""
        g = self.ggml
        data = g.quantized(kind, (random.standard_normal((n, k), np.float32) / np.sqrt(k)))
        for layout in g.layouts():
            context = g.context()
            w, x = g.matrix(context, kind, k, n), g.matrix(g.context(), "f32", k, 1)
            buffer = g.call("ggml_backend_alloc_ctx_tensors_from_buft", ctypes.c_void_p, context, layout)
            product = ctypes.c_void_p(g.call("ggml_mul_mat", ctypes.c_void_p, g.context(), w, x))
            if buffer and g.call("ggml_backend_dev_supports_op", ctypes.c_bool, ctypes.c_void_p(g.device), product):
                g.call("ggml_backend_tensor_set", None, w, data.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(0),
                       ctypes.c_size_t(data.nbytes))
                return context, w
        raise OSError(f"ggml cannot multiply with {kind}")

    def first(self, context, x, n):
        """The first N elements of a row."""
        return ctypes.c_void_p(self.ggml.call("ggml_view_2d", ctypes.c_void_p, context, x, ctypes.c_int64(n), ctypes.c_int64(1),
                                              ctypes.c_size_t(4 * n), ctypes.c_size_t(0)))

    def run(self):
        status = self.ggml.call("ggml_backend_graph_compute", ctypes.c_int, ctypes.c_void_p(self.ggml.backend), self.graph)
        if status != 0:
            raise OSError(f"ggml ended with {status}")


def find():
    """ggml, or None where it is not there."""
    given = os.environ.get("GGML")
    folder = pathlib.Path(given) if given else fetched()
    return Ggml(folder) if folder else None
