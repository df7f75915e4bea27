"""Compiles cases ahead of time and compares what the code computes with the reference evaluator.

    full_compile.py [--tenon PATH] [--all] [--elsewhere MACHINE]... [--seed N] [--keep FOLDER] [FILTER]

A sample of the cases with a run becomes C, which gcc and clang build without a warning at several
levels and for several processors; a part of them becomes objects, assembly, archives and shared
objects too. --all takes every case with both compilers, and on all other machines whose compilers and emulators are installed.
"""
import argparse
import concurrent.futures
import ctypes
import os
import pathlib
import pickle
import platform
import random
import re
import shutil
import subprocess
import sys
import tempfile

import run_cases
from lib import npy
from lib.compilers import LEVELS, PORT, WARNINGS, Port, machine_cpus, machine_flags, shell
from lib.program import TENON, TEST

SAMPLE = 150  # cases
# What a compiler got wrong, or warns of, and what had no type in C.
ALWAYS = ["ptir/select-not.case", "ptir/select-numbers.case", "exec/short-products-unsigned.case", "exec/constant-halves.case",
          "exec/max-of-zeros.case"]
UNFOLDED = ["exec/max-of-zeros.case"]  # what passes would compute
PER_BATCH = 24


class Program:
    """One case on its way: its C file, inputs, and the outputs that are wanted (None: it fails)."""

    def __init__(self, number, case):
        self.number, self.case = number, case
        self.name = f"c{number:04}"
        self.title = str(case.path.relative_to(TEST))
        self.level = f"-O{0 if self.title in UNFOLDED else number % 3}"
        self.runs = []

    def path(self, extension):
        return self.case.folder / f"{self.name}.{extension}"

    def command(self, extension, *more):
        return ["compile", *self.case.flags, self.level, *more, "-o", self.path(extension), self.case.module]

    def read_ports(self):
        text = self.path("h").read_text()
        found = PORT.findall(text)
        self.inputs = [Port(f) for f in found if f[0] == "inputs"]
        self.outputs = [Port(f) for f in found if f[0] == "outputs"]
        self.workspace = 0 if "workspace  not used" in text else int(re.search(r"_WORKSPACE_BYTES (\d+)u", text)[1])

    def input_bytes(self, arguments):
        given = {}
        for word in arguments[1::2]:
            name, _, path = word.partition("=")
            given[name] = path
        out = []
        for k, p in enumerate(self.inputs):
            path = given.get(p.name, given.get(str(k)))
            if path is None:
                raise run_cases.Failure(f"input {p.name} has no file")
            raw = npy.read_npy(pathlib.Path(path))[2]
            if len(raw) != p.bytes:
                raise run_cases.Failure(f"input {p.name} has {len(raw)} bytes, not {p.bytes}")
            out.append(raw)
        return out


def prepare(number, path, options, folder):
    """The Program of a case, or why there is none."""
    case = run_cases.Case(path, options, folder)
    first = case.sections[0]
    if first.words[0] != "module" or "bytes" in first.words or case.dialect == "mind-source":
        return "no program in a dialect that is written"
    for word in first.words[2:]:
        if word.startswith(("profile=", "entry=", "declare=")):
            case.flags += ["--" + word.split("=", 1)[0], word.split("=", 1)[1]]
    if "strict" in first.words:
        case.flags.append("--strict")
    source = first.text()
    case.module.write_text(source, encoding="utf-8")
    p = Program(number, case)
    done = case.tenon(*p.command("c", "--header", p.path("h"), "--diagnostics", "json"))
    types = run_cases.declared_types(source, case.dialect)
    if done.status != 0:
        found = [d for d in case.parse_diagnostics(done) if d["severity"] == "error"]
        kinds = {d["kind"] for d in found}
        if kinds == {"NotImplemented"}:
            if not all("custom call" in d["message"] or "too large" in d["message"]
                       for d in found):
                raise run_cases.Failure(f"there is code for everything:\n{done.err.decode()}")
            return "not compiled: custom calls, and what is too large to hold"
        if kinds == {"UnboundSymbol"}:
            return "symbolic sizes"
        section = next(s for s in case.sections if s.words[0] == "run")
        run = case.tenon("run", *case.flags, *case.write_inputs(section, *types), case.module)
        if run.status == 0 or not kinds:
            raise run_cases.Failure(f"compile ended with {done.status}, run with {run.status}:\n"
                                    f"{done.err.decode()}")
        return "rejected"
    p.read_ports()
    for at, section in enumerate(case.sections):
        if section.words[0] != "run":
            continue
        if len(p.runs) == 2:
            break
        arguments = case.write_inputs(section, *types)
        inputs = p.input_bytes(arguments)
        done = case.tenon("run", *case.flags, *arguments, "--engine", "ref", "--output",
                          folder / "out", case.module)
        want = None
        if done.status == 0:
            want = [raw for _, _, raw in case.run(source, arguments, "-O0")]
        p.runs.append((inputs, want))
    return p if p.runs else "no run"


# ---- running code -------------------------------------------------------------------------------

def aligned(size, offset=0):
    """A block of SIZE bytes, aligned to 64 but for OFFSET, and what keeps it alive."""
    block = ctypes.create_string_buffer(size + 192)
    at = ctypes.addressof(block)
    return at + (-at) % 64 + offset, block


WIDE = [name for name, (_, code, size) in npy.DTYPES.items() if size > 1]
GUARD = b"\xa5" * 32


def call(function, p, inputs, shift, off=0):
    """What a run gives: None when it fails, else the bytes of the outputs. OFF moves the workspace,
    or without one the first tensor."""
    keep, ins, outs = [], [], []
    for raw in inputs:
        at, block = aligned(len(raw), shift)
        ctypes.memmove(at, raw, len(raw))
        keep.append(block)
        ins.append(at)
    for o in p.outputs:
        at, block = aligned(o.bytes + 64, 32 + shift)
        ctypes.memset(at - 32, 0xa5, o.bytes + 64)
        keep.append(block)
        outs.append(at)
    work, block = aligned(p.workspace + 32)
    ctypes.memset(work, 0xa5, p.workspace + 32)
    if off:
        function.restype = ctypes.c_int
        if p.workspace:
            work += off
        else:
            (ins or outs)[0] += off
    pointers = lambda list_: (ctypes.c_void_p * max(1, len(list_)))(*list_)
    status = function(pointers(ins), pointers(outs), ctypes.c_void_p(work))
    if off:
        return status
    if status != 0:
        return None
    for at, o in zip(outs, p.outputs):
        if ctypes.string_at(at - 32, 32) != GUARD or ctypes.string_at(at + o.bytes, 32) != GUARD:
            return "wrote beside an output"
    if ctypes.string_at(work + p.workspace, 32) != GUARD:
        return "wrote behind the workspace"
    for at, raw in zip(ins, inputs):
        if ctypes.string_at(at, len(raw)) != raw:
            return "changed an input"
    return [npy.same_narrow_nan(o.dtype, npy.same_nan(o.dtype,
                                                                  ctypes.string_at(at, o.bytes)))
            for at, o in zip(outs, p.outputs)]


def run_library(library, programs):
    """Faults of PROGRAMS, whose entries LIBRARY has."""
    faults = []
    loaded = ctypes.CDLL(str(library))
    for p in programs:
        function = getattr(loaded, p.name + "_run")
        for shift in (0, 16):
            for inputs, want in p.runs:
                got = call(function, p, inputs, shift)
                if got != want:
                    show = (lambda x: x if not isinstance(x, list) else [b.hex()[:64] for b in x])
                    faults.append(f"{p.title}: wanted {show(want)}, got {show(got)}")
        first = p.inputs[0] if p.inputs else p.outputs[0]
        if (p.workspace or (first.bytes and npy.file_dtype(first.dtype) in WIDE)) and \
                call(function, p, p.runs[0][0], 0, 1) != -1:
            faults.append(f"{p.title}: runs on what is not aligned")
    return faults


def run_apart(library, programs, what):
    """The same in a process of its own, which may crash."""
    result = library.with_suffix(".result")
    child = os.fork()
    if child == 0:
        try:
            result.write_bytes(pickle.dumps(run_library(library, programs)))
        except BaseException as error:  # the parent must hear of it
            result.write_bytes(pickle.dumps([repr(error)]))
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if status != 0:
        return [f"{what}: the process of {', '.join(p.title for p in programs)} ended with "
                f"status {status}"]
    return [f"{what}: {fault}" for fault in pickle.loads(result.read_bytes())]


def build_c(folder, number, compiler, flags, programs):
    library = folder / f"batch{number}.so"
    what = f"{compiler} {' '.join(flags)}"
    standard = ("-std=c11", "-std=gnu17")[number % 2]  # gnu17 contracts where it may
    faults = shell([compiler, standard, *WARNINGS, *flags, "-fPIC",
                    "-shared", "-o", library, *[p.path("c") for p in programs], "-lm"], what)
    return faults or run_apart(library, programs, what)


def build_code(folder, number, compiler, extension, cpu, programs, tenon):
    """The same through LLVM."""
    library = folder / f"code{number}.so"
    what = f"{extension} for {cpu}"
    for p in programs:
        done = p.case.tenon(*p.command(extension, "--cpu", cpu))
        if done.status != 0:
            return [f"{what}: {p.title}: {done.err.decode()}"]
    paths = [p.path(extension) for p in programs]
    if extension == "so":
        faults = []
        for p in programs:
            faults += run_apart(p.path("so"), [p], what)
        return faults
    around = (["-Wl,--whole-archive"], ["-Wl,--no-whole-archive"]) if extension == "a" else ([], [])
    faults = shell([compiler, "-shared", "-o", library, *around[0], *paths, *around[1], "-lm"],
                   what)
    return faults or run_apart(library, programs, what)


def check_headers(folder, compilers, programs):
    text = "".join(f'#include "{p.path("h")}"\n' for p in programs)
    path = folder / "headers.c"
    path.write_text(text)
    faults = []
    for compiler in compilers:
        for language in (["-x", "c", "-std=c11"], ["-x", "c++", "-std=c++17"]):
            faults += shell([compiler, *language, "-Wall", "-Wextra", "-Wpedantic", "-Werror",
                             "-fsyntax-only", path], "headers")
    return faults


def check_cross(folder, tenon, program):
    """Objects of another machine, which this one cannot run."""
    faults = []
    for triple, machine in (("aarch64-linux-gnu", 183), ("x86_64-linux-gnu", 62)):
        path = folder / f"cross-{machine}.o"
        faults += shell([tenon, "compile", *program.case.flags, "--target", triple, "-o", path,
                         program.case.module], triple)
        if path.exists() and path.read_bytes()[18] != machine:
            faults.append(f"{path} is not for {triple}")
    return faults


# ---- other machines ------------------------------------------------------------------------------

ELSEWHERE = 8  # programs, unless all are asked for
OTHERS = {"32-bit x86": (["i686-linux-gnu-gcc", "-msse2", "-mfpmath=sse"], ["qemu-i386"]),
          "musl": (["musl-gcc"], []),
          "aarch64": (["aarch64-linux-gnu-gcc"], ["qemu-aarch64"]),
          "armhf": (["arm-linux-gnueabihf-gcc"], ["qemu-arm"]),
          "riscv64": (["riscv64-linux-gnu-gcc"], ["qemu-riscv64"])}
MAIN = """\
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
%s
typedef struct {
    int (*run)(const void *const *, void *const *, void *);
    size_t workspace, n_in, n_out, in[16], out[16];
} program;

static const program programs[] = {
%s};

static char *block(size_t n)
{
    return aligned_alloc(64, (n + 64) / 64 * 64);
}

/* The inputs of program number argv[1] come from stdin, its outputs go to stdout. */
int main(int argc, char **argv)
{
    const program *p = &programs[argc > 1 ? atoi(argv[1]) : 0];
    const void *in[16];
    void *out[16];
    for (size_t k = 0; k < p->n_in; k++) {
        char *at = block(p->in[k]);
        if (fread(at, 1, p->in[k], stdin) != p->in[k])
            return 100;
        in[k] = at;
    }
    for (size_t k = 0; k < p->n_out; k++)
        out[k] = block(p->out[k]);
    if (p->run(in, out, block(p->workspace)) != 0)
        return 1;
    for (size_t k = 0; k < p->n_out; k++)
        fwrite(out[k], 1, p->out[k], stdout);
    return 0;
}
"""


def check_elsewhere(folder, how, programs, number):
    """Programs as an executable of another machine, which an emulator may run."""
    command, emulator = OTHERS[how]
    own = folder / f"{how.replace(' ', '-')}-{number}"
    own.mkdir()
    (own / "probe.c").write_text("#include <stdint.h>\nint main(void) { return 0; }\n")
    probe = [*command, "-static", own / "probe.c", "-o", own / "probe"]
    if not all(shutil.which(c[0]) for c in (command, emulator) if c) or \
            shell(probe, how) or shell([*emulator, own / "probe"], how):
        print(f"{how}: cannot be built or run here")
        return []
    few = [p for p in programs if max(len(p.inputs), len(p.outputs)) <= 16]
    rows = "".join(
        f"    {{{p.name}_run, {p.workspace}, {len(p.inputs)}, {len(p.outputs)}, "
        f"{{{', '.join(str(i.bytes) for i in p.inputs) or 0}}}, "
        f"{{{', '.join(str(o.bytes) for o in p.outputs)}}}}},\n" for p in few)
    (own / "main.c").write_text(MAIN % ("".join(f'#include "{p.path("h")}"\n' for p in few), rows))
    faults = shell([*command, "-std=gnu17", "-O1", "-static", own / "main.c",
                    *[p.path("c") for p in few], "-o", own / "main", "-lm"], how)
    for k, p in enumerate(few if not faults else []):
        for inputs, want in p.runs:
            done = subprocess.run([*emulator, own / "main", str(k)], input=b"".join(inputs),
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            got, at = [], 0
            for o in p.outputs:
                raw = done.stdout[at:at + o.bytes]
                at += o.bytes
                got.append(npy.same_narrow_nan(o.dtype, npy.same_nan(o.dtype, raw)))
            if (got if done.returncode == 0 else None) != want:
                faults.append(f"{how}: {p.title}: {done.returncode} {done.stderr.decode()[:300]}")
    return faults


REFUSED = {"-mfpmath=387": "precision", "-ffast-math": "change results",
           "-fassociative-math -fno-signed-zeros -fno-trapping-math": "change results"}


def check_refused(folder, compilers, program):
    """Flags that change bits are errors, -ffp-contract=fast has no effect or makes the entry say so."""
    faults = []
    for compiler in compilers:
        path = folder / f"contract-{compiler}.so"
        flags = ["-O2", "-ffp-contract=fast", "-march=native"]
        faults += shell([compiler, *flags, "-fPIC", "-shared", program.path("c"), "-o", path,
                         "-lm"], "contract")
        if faults:
            return faults
        run = getattr(ctypes.CDLL(str(path)), program.name + "_run")
        inputs, want = program.runs[0]
        got = call(run, program, inputs, 0)
        if got != want and not (got is None and compiler == "clang"):
            faults.append(f"{compiler} -ffp-contract=fast: {program.title} has other bits")
    for flags, why in REFUSED.items():
        if "387" in flags and platform.machine() != "x86_64":
            continue
        done = subprocess.run(["gcc", *flags.split(), "-fsyntax-only", program.path("c")],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode == 0 or why not in done.stdout.decode():
            faults.append(f"{flags} is not refused: {done.stdout.decode()[:300]}")
    big = "s390x-linux-gnu-gcc"
    if shutil.which(big) and "little-endian machine" not in "".join(
            shell([big, "-fsyntax-only", program.path("c")], big)):
        faults.append("a big-endian machine is not refused")
    return faults


RANDOM = """\
func @main(%x: tensor<f32, 5>) -> (tensor<f32, 5>, tensor<f32, 5>) {
  %u = rng_uniform -> tensor<f32, 5>
  %n = rng_normal -> tensor<f32, 5>
  %a = add(%u, %x) -> tensor<f32, 5>
  %b = add(%n, %x) -> tensor<f32, 5>
  return %a, %b
}
"""


def check_seeds(folder, compiler, tenon):
    """Generators have the seed that was asked for."""
    faults = []
    program = folder / "seeds.ptir"
    program.write_text(RANDOM)
    npy.write_npy(folder / "zeros.npy", "f32", [5], [0.0] * 5)
    for seed in (0, 7, 2 ** 64 - 1):
        name = f"seeds{seed}"
        out = folder / name
        faults += shell([tenon, "compile", program, "-o", folder / f"{name}.c", "--seed", seed,
                         "--header", folder / f"{name}.h"], "seeds")
        faults += shell([compiler, "-std=c17", *WARNINGS, "-shared", "-fPIC", folder / f"{name}.c",
                         "-o", folder / f"{name}.so", "-lm"], "seeds")
        faults += shell([tenon, "run", program, "--engine", "ref", "--random", seed, "--input",
                         f"x={folder}/zeros.npy", "--output", out], "seeds")
        if faults:
            return faults
        workspace = int(re.search(r"_WORKSPACE_BYTES (\d+)u", (folder / f"{name}.h").read_text())[1])
        x, u, n = (ctypes.c_float * 5)(), (ctypes.c_float * 5)(), (ctypes.c_float * 5)()
        run = getattr(ctypes.CDLL(str(folder / f"{name}.so")), name + "_run")
        work, keep = aligned(workspace)
        run((ctypes.c_void_p * 1)(ctypes.addressof(x)),
            (ctypes.c_void_p * 2)(ctypes.addressof(u), ctypes.addressof(n)), ctypes.c_void_p(work))
        del keep
        want = [npy.read_npy(out / f"{k}.npy")[2] for k in range(2)]
        if [bytes(u), bytes(n)] != want:
            faults.append(f"seed {seed}: {list(u)} {list(n)}")
    return faults


# ---- all of it ----------------------------------------------------------------------------------

def select(options):
    paths = [path for folder in ("exec", "ptir", "tiny", "pass", "grad")
             for path in sorted((TEST / folder).glob("*.case"))
             if "\n-- run" in path.read_text(encoding="utf-8", errors="replace")]
    if not options.all:
        paths = random.Random(options.seed).sample(paths, min(SAMPLE, len(paths)))
        paths += [TEST / a for a in ALWAYS if TEST / a not in paths]
    return [p for p in paths if options.filter in str(p)]


def make_programs(options, folder, pool):
    def one(item):
        number, path = item
        own = folder / f"{number:04}"
        own.mkdir()
        try:
            return path, prepare(number, path, options, own)
        except run_cases.Failure as failure:
            return path, failure
    programs, reasons, faults = [], {}, []
    for path, result in pool.map(one, enumerate(select(options))):
        if isinstance(result, Program):
            programs.append(result)
        elif isinstance(result, run_cases.Failure):
            faults.append(f"{path.relative_to(TEST)}: {result}")
        else:
            reasons.setdefault(result, []).append(path.name)
    for reason, names in sorted(reasons.items()):
        print(f"{len(names):4} {reason}" + (f" ({', '.join(names[:4])} ...)" if
                                           reason.startswith("not") else ""))
    return programs, faults


def has_llvm(tenon, folder, program):
    done = subprocess.run([tenon, "compile", *program.case.flags, "-o", folder / "probe.o",
                           str(program.case.module)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    return done.returncode == 0 or b"LLVM cannot be loaded" not in done.stderr


def jobs(options, folder, compilers, programs):
    """Functions that give faults."""
    rng = random.Random(options.seed)
    machines = machine_flags()
    mixed = programs[:]
    rng.shuffle(mixed)
    batches = [mixed[i:i + PER_BATCH] for i in range(0, len(mixed), PER_BATCH)]
    out, number = [], 0
    for k, batch in enumerate(batches):
        for c, compiler in enumerate(compilers if options.all else [compilers[k % len(compilers)]]):
            turn = k // len(compilers) if not options.all else k + c
            flags = [LEVELS[(turn + c) % len(LEVELS)], *machines[(turn // 2 + k) % len(machines)]]
            out.append((build_c, folder, number, compiler, flags, batch))
            number += 1
    always = [p for p in programs if p.title in ALWAYS]
    for compiler in compilers if always else []:
        for k, flags in enumerate(machines):
            out.append((build_c, folder, number, compiler, [LEVELS[2 + k % 2], *flags], always))
            number += 1
    out.append((check_headers, folder, compilers, programs))
    out.append((check_seeds, folder, compilers[0], options.tenon))
    for how in OTHERS:
        out += [(check_elsewhere, folder, how, batch, k)
                for k, batch in enumerate(batches if options.all else [mixed[:ELSEWHERE]])]
    if options.elsewhere:
        return [job for job in out if job[0] is check_elsewhere and job[2] in options.elsewhere]
    if "gcc" in compilers:
        out.append((check_refused, folder, compilers, programs[0]))
    if not has_llvm(options.tenon, folder, programs[0]):
        print("LLVM is not there: no objects")
        return out
    cpus = machine_cpus() or ["native"]
    step = 1 if options.all else max(1, len(batches) // 8)
    for k, batch in enumerate(batches[::step]):
        extension = ("o", "a", "so", "s")[k % 4]
        few = batch if options.all else batch[:6 if extension == "so" else 12]
        out.append((build_code, folder, k, compilers[k % len(compilers)], extension,
                    cpus[k % len(cpus)], few, options.tenon))
    out.append((check_cross, folder, options.tenon, programs[0]))
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tenon", default=TENON)
    parser.add_argument("--all", action="store_true", help="every case with both compilers")
    parser.add_argument("--elsewhere", action="append", choices=list(OTHERS), help="only this other machine")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", help="leave the files in this folder")
    parser.add_argument("filter", nargs="?", default="")
    options = parser.parse_args()
    compilers = [c for c in ("gcc", "clang") if shutil.which(c)]
    if not compilers:
        print("skipped: neither gcc nor clang is installed")
        return 0
    if options.keep:
        pathlib.Path(options.keep).mkdir(parents=True)
    with tempfile.TemporaryDirectory() as temporary, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        folder = pathlib.Path(options.keep or temporary)
        programs, faults = make_programs(options, folder, pool)
        runs = sum(len(p.runs) for p in programs)
        if programs:
            for found in pool.map(lambda job: job[0](*job[1:]),
                                  jobs(options, folder, compilers, programs)):
                faults += found
    for fault in faults:
        print(fault)
    print(f"{len(programs)} programs, {runs} runs, {len(faults)} faults")
    return 1 if faults or not programs else 0


if __name__ == "__main__":
    sys.exit(main())
