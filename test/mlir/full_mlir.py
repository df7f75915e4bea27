"""Programs converted to MLIR, run with LLVM's tools, against `tenon run`.

Cases that give inputs, the gradients of those in test/grad, and random modules, become MLIR with an
@entry (`tenon convert --to mlir --mlir-entry`). mlir-opt lowers them, mlir-cpu-runner runs them with
runtime.c beside this file. Integers must be equal; floats may differ because exp and log are those
of libm and sums are neither fused nor in blocks: |a - b| <= TOLERANCE * max(1, |b|, largest input).
Conversions to StableHLO only have to parse.

MLIR_MODULES says how many random modules (15), RANDOM_SEED where to start (1),
MLIR_FILTER which cases. Of the cases outside this folder one in MLIR_EVERY (5) is taken: 1 takes all,
which takes minutes. Without LLVM's tools (Debian: mlir-16-tools, 232 MB) nothing is run.
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import run_cases
from lib import npy
from lib.program import HANG, TENON, TEST, Failure

TOLERANCE = {"f32": 2e-5, "f64": 1e-12}
PASSES = [
    "--convert-elementwise-to-linalg", "--empty-tensor-to-alloc-tensor",
    "--one-shot-bufferize=bufferize-function-boundaries allow-return-allocs create-deallocs=0 "
    "function-boundary-type-conversion=identity-layout-map",
    "--convert-linalg-to-loops", "--expand-strided-metadata", "--lower-affine",
    "--convert-scf-to-cf", "--convert-math-to-llvm", "--convert-math-to-libm",
    "--convert-arith-to-llvm", "--convert-memref-to-llvm", "--convert-func-to-llvm",
    "--convert-cf-to-llvm", "--reconcile-unrealized-casts"]
REFUSALS = rb"(stablehlo|mlir) cannot express|one function|the symbolic size '.*' has no value"
# LLVM 16 does not lower these, and @entry does not print complex numbers.
NOT_LOWERED = re.compile(rb"bf16|f8E|complex<")


def tool(name):
    """A tool of LLVM by its plain name or that of Debian's version 16."""
    return shutil.which(name + "-16") or shutil.which(name)


OPT, RUNNER, CC = tool("mlir-opt"), tool("mlir-cpu-runner"), shutil.which("cc")


def build_runtime(folder):
    path = pathlib.Path(folder) / "libruntime.so"
    subprocess.run([CC, "-O1", "-shared", "-fPIC", "-o", path,
                    pathlib.Path(__file__).resolve().parent / "runtime.c"], check=True)
    return path


class Options:
    tenon = TENON
    passes = []
    bless = False


def command(*arguments, stdin=None):
    return subprocess.run([str(a) for a in arguments], input=stdin, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=HANG)


def must(done, what):
    if done.returncode != 0:
        raise Failure(f"it ended with {done.returncode}:\n"
                                f"{done.stderr.decode(errors='replace')[-3000:]}\n{what}")
    return done.stdout


def compare(path, outputs, printed, largest):
    """Values as the runner printed them against those of `tenon run`, output by output."""
    at = 0
    for k, (dtype, _, raw) in enumerate(outputs):
        for want in npy.unpack(dtype, raw):
            text = printed[at] if at < len(printed) else "nothing"
            at += 1
            if dtype[0] in "iu" and dtype != "i1":
                good = text.lstrip("-").isdigit() and (int(text) - want) % 2**64 == 0
            elif dtype == "i1":
                good = text == str(int(want))
            else:
                try:
                    got = float(text)
                except ValueError:
                    got = None
                if got is not None and dtype == "f32":
                    got = struct.unpack("<f", struct.pack("<f", got))[0]
                limit = TOLERANCE.get(dtype, 1e-2) * max(1.0, largest)
                good = got is not None and (run_cases.close(dtype, got, want, f"tol={limit}")
                                            or overflows(dtype, got, want))
            if not good:
                raise Failure(f"output {k}: {text}, expected {want}")
    if at != len(printed):
        raise Failure(f"{len(printed)} values, expected {at}")


# Operations of `math` that LLVM has from 17 or 18 on.
YOUNGER = re.compile(rb"custom op 'math\.(a?(sin|cos)h?|a?tanh)' is unknown")
# It holds an entry for each element of a type, though an extent of 0 leaves none.
UNCOUNTED = b"SmallVector unable to grow"


def overflows(dtype, got, want):
    """Sums in another order may overflow elsewhere: only near the end of the range."""
    limit = 1e38 if dtype == "f32" else 1e308
    return abs(got) > limit and abs(want) > limit


def largest_input(case, arguments):
    """The largest finite magnitude among the inputs of a run."""
    best = 1.0
    for argument in arguments[1::2]:
        if "=" not in argument:
            continue
        dtype, _, raw = npy.read_npy(pathlib.Path(argument.split("=", 1)[1]))
        if dtype in ("f32", "f64"):
            values = [abs(v) for v in npy.unpack(dtype, raw) if abs(v) < 1e300]
            best = max([best, *values])
    return best


def check_stablehlo(case):
    done = case.tenon("convert", "--to", "stablehlo", case.module)
    if done.status == 1:  # refused: it must say what
        if not re.search(REFUSALS, done.err):
            raise Failure(f"refused otherwise: {done.err.decode()}")
        return "refused"
    parsed = command(OPT, "--allow-unregistered-dialect", stdin=done.out)
    must(parsed, f"mlir-opt of StableHLO\n{done.out.decode()}\n")
    return "parsed"


def check_case(path, runtime):
    """What happened with the case: "run", "parsed", "refused", "younger", "uncounted" or "skipped"."""
    with tempfile.TemporaryDirectory() as folder:
        case = run_cases.Case(path, Options, pathlib.Path(folder))
        runs = [s for s in case.sections if s.words[0] == "run"]
        if case.sections[0].words[0] != "module" or len(case.sections[0].words) > 2:
            return "skipped"
        if any(s.words[0] in ("error", "diagnostics") for s in case.sections):
            return "skipped"
        source = case.sections[0].text()
        case.module.write_text(source, encoding="utf-8")
        if case.tenon("check", case.module).status != 0:
            return "skipped"
        check_stablehlo(case)
        arguments = (case.write_inputs(runs[0], *run_cases.declared_types(source, case.dialect))
                     if runs else ["--random", "1"])
        done = case.tenon("convert", "--to", "mlir", case.module)
        if done.status == 0 and NOT_LOWERED.search(done.out):
            must(command(OPT, stdin=done.out), done.out.decode())
            return "parsed"
        done = case.tenon("convert", "--to", "mlir", "--mlir-entry", *arguments, case.module)
        if done.status == 1:
            if not re.search(REFUSALS, done.err):
                raise Failure(f"refused otherwise: {done.err.decode()}")
            if case.dialect == "mind" and b"lies outside axis" not in done.err:
                raise Failure(f"Core IR was refused: {done.err.decode()}")
            return "refused"
        if done.status == 3 or (done.status == 2 and not runs):
            return "skipped"  # inputs whose sizes are not known
        if done.status != 0:
            raise Failure(done.err.decode())
        outputs = case.run(source, arguments, "-O0")
        text = done.out
        opt = command(OPT, *PASSES, stdin=text)
        if YOUNGER.search(opt.stderr):
            return "younger"
        lowered = must(opt, f"mlir-opt\n{text.decode()}\n")
        ran = command(RUNNER, "-e", "entry", "--entry-point-result=void", f"--shared-libs={runtime}", stdin=lowered)
        if UNCOUNTED in ran.stderr:
            return "uncounted"
        printed = must(ran, "mlir-cpu-runner")
        try:
            compare(path, outputs, printed.decode().split(), largest_input(case, arguments))
        except Failure as failure:
            raise Failure(f"{failure}\n{text.decode()[:4000]}") from None
        return "run"


def attempt(path, runtime):
    try:
        return path, check_case(path, runtime), ""
    except Failure as failure:
        return path, "failed", str(failure)
    except subprocess.TimeoutExpired as failure:
        return path, "failed", str(failure)


def random_cases(folder):
    """Files with random modules, as cases."""
    try:
        from lib import random_modules as modules
    except SystemExit:
        return
    first = int(os.environ.get("RANDOM_SEED", "1"))
    for seed in range(first, first + int(os.environ.get("MLIR_MODULES", "15"))):
        path = pathlib.Path(folder) / f"random-{seed}.case"
        with modules.np.errstate(all="ignore"):
            path.write_text(modules.Generator(seed).module(), encoding="utf-8")
        yield path


def gradient_cases(folder):
    """Files with the gradients of the programs in test/grad, in both profiles."""
    for case in sorted((TEST / "grad").glob("*.case")):
        found = re.search(r"^-- module mind\b[^\n]*\n(.*?)\n\n", case.read_text() + "\n\n", re.M | re.S)
        if not found:
            continue
        source = pathlib.Path(folder) / "source.ir"
        source.write_text(found[1] + "\n")
        for profile in ("extended", "core-v1"):
            done = command(TENON, "grad", "--seed", "1", "--conv2d", "--profile", profile, source)
            if done.returncode == 0:
                path = pathlib.Path(folder) / f"grad-{case.stem}-{profile}.case"
                path.write_text(f"# The gradient of {case.name}.\n\n-- module mind\n"
                                f"{done.stdout.decode()}")
                yield path


def programs(folder, places, every):
    """Cases: all of this folder, one in EVERY of others, gradients and random modules; or what MLIR_FILTER names."""
    wanted = os.environ.get("MLIR_FILTER", "")
    others = [p for place in places for p in sorted((TEST / place).glob("*.case"))]
    paths = [*sorted((TEST / "mlir").glob("*.case")), *others[::1 if wanted else every],
             *gradient_cases(folder), *random_cases(folder)]
    return [p for p in paths if re.search(wanted, str(p))]


def report(results, words):
    """Count RESULTS, (path, what, message) each, print what failed and the last line, in which WORDS say
    what the others are; the status."""
    counts = dict.fromkeys(["run", "failed", *words], 0)
    for path, what, message in results:
        counts[what] += 1
        if what == "failed":
            print(f"FAILED {os.path.relpath(path)}\n{message.rstrip()}\n", flush=True)
    print(f"{counts['run']} passed, {counts['failed']} failed, " +
          ", ".join(f"{counts[what]} {text}" for what, text in words.items()))
    return counts["failed"] != 0 or not (counts["run"] or os.environ.get("MLIR_FILTER"))


def main():
    if not (OPT and RUNNER and CC):
        print("skipped: mlir-opt, mlir-cpu-runner (Debian: mlir-16-tools) or cc is not installed")
        print("0 passed, 0 failed")
        return 0
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(max_workers=min(4, os.cpu_count() or 1)) as pool:
        runtime = build_runtime(folder)
        paths = programs(folder, ("exec", "read", "ptir"), int(os.environ.get("MLIR_EVERY", "5")))
        return report(pool.map(lambda p: attempt(p, runtime), paths),
                      {"parsed": "only parsed", "refused": "cannot be expressed",
                       "younger": "for later versions of LLVM", "uncounted": "with more elements than LLVM counts",
                       "skipped": "without a result"})


if __name__ == "__main__":
    sys.exit(main())
