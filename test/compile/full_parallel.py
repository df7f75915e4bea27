"""Code that shares out its work over threads of the caller's: the bits of a run, for any number of threads."""
import ctypes
import math
import pathlib
import re
import shutil
import sys
import tempfile

from lib import npy
from lib.compilers import PORT, WARNINGS, Port, shell
from lib.program import Failure, start, tenon

# Products, which need scratch memory; rows; a loop, whose body is a function of its own.
PROGRAMS = {"layers.ir": """\
%x = Input () {name="x"} : tensor<f32>[96, 160]
%i = Input () {name="i"} : tensor<i32>[96]
%w = Input () {name="w"} : tensor<f32>[160, 192]
%c = ConstTensor () {data=[0.5], dtype=f32, shape=[1]} : tensor<f32>[1]
%v = BinOp (%w, %c) {op=Mul} : tensor<f32>[160, 192]
%y = MatMul (%x, %v) : tensor<f32>[96, 192]
%e = Exp (%y) : tensor<f32>[96, 192]
%s = Sum (%e) {axes=[1], keepdims=true} : tensor<f32>[96, 1]
%p = BinOp (%e, %s) {op=Div} : tensor<f32>[96, 192]
%t = Gather (%y, %i) : tensor<f32>[96, 192]
outputs: %p, %t
""", "loop.ptir": """\
func main(x: tensor<f32, 65537>, i: tensor<si32>) -> tensor<f32, 65537> {
  %last = while(%x, %i) cond_region[0] body_region[1] -> (tensor<f32, 65537>, tensor<si32>)
  return %last[0]
}
region @0(y: tensor<f32, 65537>, i: tensor<si32>) -> (tensor<i1>, tensor<f32, 65537>, tensor<si32>) {
  %three = constant value[3] -> tensor<si32>
  %more = compare(%i, %three) op[less] -> tensor<i1>
  return %more, %y, %i
}
region @1(y: tensor<f32, 65537>, i: tensor<si32>) -> (tensor<f32, 65537>, tensor<si32>) {
  %one = constant value[1] -> tensor<si32>
  %z = tanh(%y) -> tensor<f32, 65537>
  %next = add(%i, %one) -> tensor<si32>
  return %z, %next
}
"""}
# Runs tasks on threads that are started for each call, the last first.
POOL = """\
#include <pthread.h>
#include <stdatomic.h>
typedef struct work {
    void (*task)(void *arg, unsigned index);
    void *arg;
    unsigned index;
    pthread_t thread;
} work;
atomic_uint shared_calls;
static void *start(void *of)
{
    work *w = of;
    w->task(w->arg, w->index);
    return 0;
}
void run(void *user, void (*task)(void *arg, unsigned index), void *arg, unsigned n)
{
    work all[64];
    (void)user;
    shared_calls++;
    for (unsigned i = n; i-- > 0;) {
        all[i] = (work){task, arg, i, 0};
        pthread_create(&all[i].thread, 0, start, &all[i]);
    }
    for (unsigned i = 0; i < n; i++)
        pthread_join(all[i].thread, 0);
}
"""
GUARD = b"\xa5" * 64


class Pool(ctypes.Structure):
    _fields_ = [("user", ctypes.c_void_p), ("threads", ctypes.c_uint), ("run", ctypes.c_void_p)]


def block(raw):
    """RAW at an address aligned to 64 with a guard behind it, and what keeps it alive."""
    keep = ctypes.create_string_buffer(len(raw) + 192)
    at = ctypes.addressof(keep) + -ctypes.addressof(keep) % 64
    ctypes.memmove(at, raw + GUARD, len(raw) + 64)
    return at, keep


def run(entry, header, inputs, weights, pool):
    """The status and the bytes of the outputs."""
    sizes = [Port(f).bytes for f in PORT.findall(header) if f[0] == "outputs"]
    fixed, each = map(int, re.search(r"BYTES\(threads\) \((\d+)u \+ (\d+)u", header).groups())
    work = bytes(fixed + each * (pool.threads if pool else 1))
    ins, outs, other = [[block(raw) for raw in group]
                        for group in (inputs, map(bytes, sizes), [work, weights or b""])]
    pointers = [(ctypes.c_void_p * len(group))(*[at for at, _ in group]) for group in (ins, outs)]
    more = [ctypes.c_void_p(other[1][0])] if weights else []
    status = entry(*pointers, ctypes.c_void_p(other[0][0]), *more, ctypes.byref(pool) if pool else None)
    for (at, _), size in zip(outs + other[:1], sizes + [len(work)]):
        if ctypes.string_at(at + size, 64) != GUARD:
            raise Failure("wrote behind an output or the workspace")
    return status, [ctypes.string_at(at, size) for (at, _), size in zip(outs, sizes)]


def libraries(folder, source, name, weights):
    """The program as shared objects of both compilers and of LLVM, each with its header."""
    more = ["--weights", folder / f"{name}.weights"] if weights else []
    tenon("compile", source, "--parallel", "-o", folder / f"{name}.c", "--header", folder / f"{name}.h", *more)
    for compiler in ("gcc", "clang"):
        if shutil.which(compiler):
            library = folder / f"{name}-{compiler}.so"
            faults = shell([compiler, "-std=c17", *WARNINGS, "-O1", "-DMOST_LEVEL=3", "-fPIC", "-shared",
                            folder / f"{name}.c", "-o", library, "-lm"], compiler)
            if faults:
                raise Failure(faults[0])
            yield library
    done = start("compile", source, "--parallel", "-o", folder / f"{name}.so", *more)
    if done.returncode == 0:
        yield folder / f"{name}.so"
    elif "LLVM" not in done.stderr:
        raise Failure(done.stderr)


def check(folder, name, inputs, good, pool_run, calls):
    """INPUTS: dtype, shape and values of each. GOOD: what the run must give, or None where it fails."""
    raw = [npy.pack(dtype, values) for dtype, _, values in inputs]
    for weights in (False, True):
        title = name.split(".")[0] + ("_weights" if weights else "")
        for library in libraries(folder, folder / name, title, weights):
            header = (folder / f"{title}.h").read_text()
            loaded = (folder / f"{title}.weights").read_bytes() if weights else None
            entry = getattr(ctypes.CDLL(str(library)), title + "_run")
            for threads in (0, 1, 2, 3, 7):
                pool, before = Pool(None, threads, pool_run), calls.value
                status, got = run(entry, header, raw, loaded, pool if threads else None)
                if (got if status == 0 else None) != good:
                    raise Failure(f"{library.name} on {threads} threads: {status}, other bits")
                if (calls.value > before) != (threads > 1):
                    raise Failure(f"{library.name} on {threads} threads: {calls.value - before} kernels shared out")


def main():
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work)
        (folder / "pool.c").write_text(POOL)
        faults = shell(["cc", "-O1", "-shared", "-fPIC", folder / "pool.c", "-o", folder / "pool.so", "-lpthread"], "pool")
        if faults:
            raise Failure(faults[0])
        pool = ctypes.CDLL(str(folder / "pool.so"))
        pool_run, calls = ctypes.cast(pool.run, ctypes.c_void_p).value, ctypes.c_uint.in_dll(pool, "shared_calls")
        shapes = {"layers.ir": [("f32", [96, 160]), ("i32", [96]), ("f32", [160, 192])],
                  "loop.ptir": [("f32", [65537]), ("i32", [])]}
        for name, text in PROGRAMS.items():
            (folder / name).write_text(text)
            inputs = [(d, s, [(k % 7 if d == "i32" and s else k % 251 / 770 - 0.1) if s else 0 for k in range(math.prod(s))])
                      for d, s in shapes[name]]
            for k, (dtype, shape, values) in enumerate(inputs):
                npy.write_npy(folder / f"{k}.npy", dtype, shape, values)
            given = [word for k in range(len(inputs)) for word in ("--input", f"{k}={folder}/{k}.npy")]
            tenon("run", folder / name, "--engine", "ref", *given, "--output", folder)
            results = 2 if name == "layers.ir" else 1
            check(folder, name, inputs, [npy.read_npy(folder / f"{k}.npy")[2] for k in range(results)], pool_run, calls)
        inputs = [("f32", [96, 160], [0.0] * 96 * 160), ("i32", [96], [0] * 95 + [1000]),
                  ("f32", [160, 192], [0.0] * 160 * 192)]
        check(folder, "layers.ir", inputs, None, pool_run, calls)
    return 0


if __name__ == "__main__":
    sys.exit(main())
