"""Bytes of an input that are no elements of its type are refused by code made ahead of time, too, with nothing done."""
import ctypes
import pathlib
import shutil
import sys
import tempfile

from compile.full_weights import block
from lib.compilers import WARNINGS, shell
from lib.program import Failure, tenon

ROWS, COLUMNS = 7, 19
N = ROWS * COLUMNS  # two vectors and a rest
HOLDS = {"i1": range(2), "si4": [*range(8), *range(248, 256)], "ui4": range(16)}
OUT_OF_RANGE = -4

IN, OUT = ([f"tensor<{dtype}, {shape}>" for dtype in HOLDS] for shape in (f"{ROWS}x{COLUMNS}", f"{COLUMNS}x{ROWS}"))
PROGRAM = "\n".join([f"func main({', '.join(f'x{k}: {t}' for k, t in enumerate(IN))}) -> ({', '.join(OUT)}) {{",
                     *(f"  %y{k} = transpose(%x{k}) perm[1, 0] -> {t}" for k, t in enumerate(OUT)),
                     "  return " + ", ".join(f"%y{k}" for k in range(len(OUT))), "}", ""])


def check(library):
    entry = ctypes.CDLL(str(library)).p_run
    work = block(bytes(4096))
    good = [bytes(holds[k % len(holds)] for k in range(N)) for holds in HOLDS.values()]
    untouched = [b"\x5a" * N] * len(HOLDS)

    def run(inputs):
        x, y = [block(raw) for raw in inputs], [block(raw) for raw in untouched]
        status = entry((ctypes.c_void_p * len(x))(*(at for at, _ in x)), (ctypes.c_void_p * len(y))(*(at for at, _ in y)),
                       ctypes.c_void_p(work[0]))
        return status, [ctypes.string_at(at, N) for at, _ in y]
    if run(good) != (0, [b"".join(raw[k::COLUMNS] for k in range(COLUMNS)) for raw in good]):
        raise Failure(f"{library.name}: other results")
    for k, (dtype, holds) in enumerate(HOLDS.items()):
        for byte in range(256):
            at = byte * 53 % N
            inputs = list(good)
            inputs[k] = good[k][:at] + bytes([byte]) + good[k][at + 1:]
            status, y = run(inputs)
            want = 0 if byte in holds else OUT_OF_RANGE
            if status != want or (want != 0 and y != untouched):
                raise Failure(f"{library.name}: {dtype}: byte {byte} at {at} gives {status}, not {want}")


def main():
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        source, c = folder / "p.ptir", folder / "p.c"
        source.write_text(PROGRAM)
        tenon("compile", source, "-o", c)
        for maker in ("tenon", "gcc", "clang"):
            library = folder / f"{maker}.so"
            if maker != "tenon" and not shutil.which(maker):
                continue
            if maker == "tenon":
                tenon("compile", source, "-o", library, "--name", "p")
            elif wrong := shell([maker, "-std=c11" if maker == "gcc" else "-std=c17", *WARNINGS, "-O1", "-shared", "-fPIC", "-o", library, c], maker):
                raise Failure(wrong[0])
            try:
                check(library)
                passed += 1
            except Failure as fault:
                failed += 1
                print(f"FAILED: {fault}")
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
