"""Code made ahead of time: how much slower than the object file the C file is.

    aot.py [--tenon PATH] [--cpu NAME] [--only NAME,...] [--flags "-O2;-O3 -march=native"]

Each program becomes an object and a C file, which every compiler builds with each set of flags. All
of them run in turns on the same data, on processor time; the ratio is between medians. Results of
the same program must have the same bits.
"""
import argparse
import array
import ctypes
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
PORT = re.compile(r" \*   (inputs|outputs)\[\d+\]  (\w+)\[[-\d,]*\]  (\d+) bytes")
NATIVE = "-O2 -march=native -fno-math-errno"
TURNS = 7
LEAST_SECONDS = 0.01  # of one measurement
FROM_FILES = ("gemm-256", "dense-gelu", "softmax", "layer-norm", "conv-3x3", "attention-128")
PROGRAMS = {  # those of bench/programs are for memory; these stay in a cache
    "transpose": """\
func @main(%x: tensor<f32, 512x512>) -> tensor<f32, 512x512> {
  %1 = transpose(%x) perm[1, 0] -> tensor<f32, 512x512>
  return %1
}
""", "sum": """\
func @main(%x: tensor<f32, 65536>) -> tensor<f32> {
  %1 = reduce_sum(%x) axes[0] -> tensor<f32>
  return %1
}
""", "sum-columns": """\
func @main(%x: tensor<f32, 257x255>) -> tensor<f32, 255> {
  %1 = reduce_sum(%x) axes[0] -> tensor<f32, 255>
  return %1
}
""", "elementwise": """\
func @main(%x: tensor<f32, 65535>, %y: tensor<f32, 65535>) -> tensor<f32, 65535> {
  %2 = mul(%x, %y) -> tensor<f32, 65535>
  %3 = tanh(%2) -> tensor<f32, 65535>
  %4 = add(%3, %x) -> tensor<f32, 65535>
  return %4
}
""", "add-f64": """\
func @main(%x: tensor<f64, 32768>, %y: tensor<f64, 32768>) -> tensor<f64, 32768> {
  %2 = mul(%x, %y) -> tensor<f64, 32768>
  %3 = add(%2, %x) -> tensor<f64, 32768>
  return %3
}
""", "pad": """\
func @main(%x: tensor<f32, 253x251>) -> tensor<f32, 257x255> {
  %1 = pad(%x) low[3, 1] high[1, 3] interior[0, 0] pad_value[0.0] -> tensor<f32, 257x255>
  return %1
}
"""}


def block(size):
    """SIZE bytes at a multiple of 64, and what keeps them alive."""
    keep = ctypes.create_string_buffer(size + 64)
    at = ctypes.addressof(keep)
    return at + -at % 64, keep


class Program:
    """The memory of one program, which all its libraries use."""

    def __init__(self, header, rng):
        text = header.read_text()
        self.keep, ins, outs = [], [], []
        for which, dtype, size in PORT.findall(text):
            at, keep = block(int(size))
            self.keep.append(keep)
            if which == "inputs":
                numbers = array.array({"f32": "f", "f64": "d"}[dtype],
                                      (rng.uniform(-1, 1) for _ in range(1009)))
                raw = numbers.tobytes()
                ctypes.memmove(at, raw * (int(size) // len(raw) + 1), int(size))
                ins.append(at)
            else:
                outs.append((at, int(size)))
        work, keep = block(int(re.search(r"_WORKSPACE_BYTES (\d+)u", text)[1]))
        self.keep.append(keep)
        self.outs = outs
        self.arguments = ((ctypes.c_void_p * len(ins))(*ins),
                          (ctypes.c_void_p * len(outs))(*(at for at, _ in outs)),
                          ctypes.c_void_p(work))

    def bits(self, function):
        for at, size in self.outs:
            ctypes.memset(at, 0xa5, size)
        if function(*self.arguments) != 0:
            raise SystemExit("a run failed")
        return [ctypes.string_at(at, size) for at, size in self.outs]

    def seconds(self, function, times):
        start = time.thread_time_ns()
        for _ in range(times):
            function(*self.arguments)
        return (time.thread_time_ns() - start) * 1e-9 / times


def run(*command):
    subprocess.run([str(c) for c in command], check=True)


def build(options, name, source, folder, compilers):
    """Entries by how they were built; the object comes first."""
    cpu = ["--cpu", options.cpu] if options.cpu else []
    run(options.tenon, "compile", source, "-o", folder / "p.so", "--name", "p", *cpu,
        "--header", folder / "p.h")
    run(options.tenon, "compile", source, "-o", folder / "p.c", "--name", "p", *cpu)
    entries = {"object": ctypes.CDLL(str(folder / "p.so")).p_run}
    for compiler in compilers:
        for flags in options.flags.split(";"):
            path = folder / f"{len(entries)}.so"
            run(compiler, *flags.split(), "-shared", "-fPIC", folder / "p.c", "-o", path, "-lm")
            entries[f"{compiler} {flags}"] = ctypes.CDLL(str(path)).p_run
    return entries


def measure(program, entries):
    """Seconds by how an entry was built."""
    want = None
    for how, function in entries.items():
        bits = program.bits(function)
        want = want or bits
        if bits != want:
            raise SystemExit(f"{how}: other bits than the object")
    times = {how: max(1, int(LEAST_SECONDS / max(program.seconds(f, 1), 1e-7)))
             for how, f in entries.items()}
    found = {how: [] for how in entries}
    for _ in range(TURNS):
        for how, function in entries.items():
            found[how].append(program.seconds(function, times[how]))
    return {how: statistics.median(s) for how, s in found.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tenon", default=str(ROOT / "build/release/tenon"))
    parser.add_argument("--cpu", help="as for tenon compile; else this machine's")
    parser.add_argument("--only", default="")
    parser.add_argument("--flags", default=f"-O2;{NATIVE}", help="separated by semicolons")
    options = parser.parse_args()
    compilers = [c for c in ("gcc", "clang") if shutil.which(c)]
    rng = random.Random(1)
    names = [n for n in (*FROM_FILES, *PROGRAMS)
             if not options.only or n in options.only.split(",")]
    how = [f"{c} {f}" for c in compilers for f in options.flags.split(";")]
    print(f"{'':14} {'object us':>10}" + "".join(f" {h:>{max(8, len(h))}}" for h in how))
    for name in names:
        with tempfile.TemporaryDirectory() as work:
            folder = pathlib.Path(work)
            source = ROOT / f"bench/programs/{name}.ptir"
            if name in PROGRAMS:
                source = folder / f"{name}.ptir"
                source.write_text(PROGRAMS[name])
            entries = build(options, name, source, folder, compilers)
            found = measure(Program(folder / "p.h", rng), entries)
        least = found["object"]
        print(f"{name:14} {least * 1e6:10.1f}" +
              "".join(f" {found[h] / least:{max(8, len(h))}.2f}" for h in how), flush=True)


if __name__ == "__main__":
    sys.exit(main())
