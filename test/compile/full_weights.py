"""Code whose constants are in a file: the same bits, and other files are refused."""
import ctypes
import math
import pathlib
import re
import shutil
import sys
import tempfile

from lib import npy
from lib.compilers import WARNINGS, machine_cpus, shell
from lib.program import Failure, ROOT, start, tenon

# Constants in the program and in a region, which is a function of its own.
LOOP = """\
func main(x: tensor<f32, 3>) -> tensor<f32, 3> {
  %w = constant value[1.5, -2.0, 0.25] -> tensor<f32, 3>
  %y = mul(%x, %w) -> tensor<f32, 3>
  %zero = constant value[0] -> tensor<si32>
  %last = while(%y, %zero) cond_region[0] body_region[1] -> (tensor<f32, 3>, tensor<si32>)
  return %last[0]
}
region @0(y: tensor<f32, 3>, i: tensor<si32>) -> (tensor<i1>, tensor<f32, 3>, tensor<si32>) {
  %three = constant value[3] -> tensor<si32>
  %more = compare(%i, %three) op[less] -> tensor<i1>
  return %more, %y, %i
}
region @1(y: tensor<f32, 3>, i: tensor<si32>) -> (tensor<f32, 3>, tensor<si32>) {
  %v = constant value[0.5, 1.25, 2.0] -> tensor<f32, 3>
  %one = constant value[1] -> tensor<si32>
  %z = add(%y, %v) -> tensor<f32, 3>
  %next = add(%i, %one) -> tensor<si32>
  return %z, %next
}
"""

# Products of bytes, for which some processors have instructions that C lacks: weights are packed for these.
BYTES = """\
func @main(%x: tensor<ui8, 16x64>) -> tensor<si32, 16x32> {
  %w = constant value[VALUES] -> tensor<si8, 64x32>
  %a = cast(%x) -> tensor<si32, 16x64>
  %b = cast(%w) -> tensor<si32, 64x32>
  %y = dot_general(%a, %b) contract_lhs[1] contract_rhs[0] -> tensor<si32, 16x32>
  return %y
}
""".replace("VALUES", ", ".join(str(k * 101 % 256 - 128) for k in range(64 * 32)))


def block(raw):
    """RAW at an address aligned to 64, and what keeps it alive."""
    keep = ctypes.create_string_buffer(len(raw) + 64)
    at = ctypes.addressof(keep) + -ctypes.addressof(keep) % 64
    ctypes.memmove(at, raw, len(raw))
    return at, keep


def run(library, name, header, x, weights, off=0):
    """The status and the bytes of the output."""
    sizes = [int(n) for n in re.findall(r"outputs\[\d+\] .* (\d+) bytes", header)]
    places = [block(x), block(bytes(sizes[0])), block((weights or b"") + bytes(64)),
              block(bytes(int(re.search(r"_WORKSPACE_BYTES (\d+)u", header)[1])))]
    entry = getattr(ctypes.CDLL(str(library)), name + "_run")
    status = entry((ctypes.c_void_p * 1)(places[0][0]), (ctypes.c_void_p * 1)(places[1][0]),
                   ctypes.c_void_p(places[3][0]), ctypes.c_void_p(places[2][0] + off if weights else None))
    return status, ctypes.string_at(places[1][0], sizes[0])


def check(folder, source, shape, dtype="f32", *target):
    name = source.name.split(".")[0]
    values = [k / 7 - 1 if dtype == "f32" else 255 - k % 251 for k in range(math.prod(shape))]
    x = npy.pack(dtype, values)
    npy.write_npy(folder / "x.npy", dtype, shape, values)
    tenon("run", source, "--engine", "ref", "--input", f"0={folder}/x.npy", "--output", folder)
    want = npy.read_npy(folder / "0.npy")[2]
    weights, header = folder / f"{name}.weights", folder / f"{name}.h"
    tenon("compile", source, "-o", folder / f"{name}.c", "--header", header, "--weights", weights, *target)
    libraries = []
    for compiler in filter(shutil.which, ("gcc", "clang")):
        for level in ["-DMOST_LEVEL=0", "-DMOST_LEVEL=4"][:1 + len(target)]:  # all that this machine has
            libraries.append(folder / f"{name}-{compiler}-{len(libraries)}.so")
            faults = shell([compiler, "-std=c17", *WARNINGS, "-O1", level, "-fPIC",
                            "-shared", folder / f"{name}.c", "-o", libraries[-1], "-lm"], compiler)
            if faults:
                raise Failure(faults[0])
    done = start("compile", source, "-o", folder / f"{name}.so", "--weights", folder / "again", *target)
    if done.returncode == 0:
        if not target or target[-1] in machine_cpus():
            libraries.append(folder / f"{name}.so")
        if (folder / "again").read_bytes() != weights.read_bytes():
            raise Failure("the weights of the object are others than those of its C")
    elif "LLVM" not in done.stderr:
        raise Failure(done.stderr)
    text, raw = header.read_text(), weights.read_bytes()
    if int(re.search(r"_WEIGHTS_BYTES (\d+)u", text)[1]) != len(raw):
        raise Failure("the header says another size of the weights")
    for library in libraries:
        for status, bits in [run(library, name, text, x, raw)]:
            if status != 0 or bits != want:
                raise Failure(f"{library.name}: {status}, {bits.hex()}, not {want.hex()}")
        if run(library, name, text, x, raw[:8] + bytes(8) + raw[16:])[0] != -3:
            raise Failure(f"{library.name} takes weights of another program")
        if run(library, name, text, x, raw, 4)[0] != -1:
            raise Failure(f"{library.name} takes weights at any address")
        if run(library, name, text, x, None)[0] != -3:
            raise Failure(f"{library.name} takes no weights")


def main():
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work)
        (folder / "loop.ptir").write_text(LOOP)
        check(folder, folder / "loop.ptir", [3])
        check(folder, ROOT / "examples/aot/net.ir", [8, 4])
        for cpu in ("alderlake", "cascadelake"):
            source = folder / f"{cpu}.ptir"  # libraries of one name are one
            source.write_text(BYTES)
            check(folder, source, [16, 64], "ui8", "--target", "x86_64-linux-gnu", "--cpu", cpu)
    return 0


if __name__ == "__main__":
    sys.exit(main())
