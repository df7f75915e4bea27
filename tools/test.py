"""Runs the tests of CI in parts: a line for each as it ends, and at the end `N passed, N failed`.

    test.py test|sweeps|long...

A part is a build or the tests of one build. Each build, each test and the layout of the sources
count as one; a test whose last line of output is such a line itself counts as what it says. Tests
that fail are printed whole, those that take longer than SLOW seconds are named, and those that leave
something out.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as xml

import fuzz

ROOT = pathlib.Path(__file__).resolve().parent.parent
JOBS = str(os.cpu_count())
SUMMARY = re.compile(r"(\d+) passed, (\d+) failed\s*\Z")
ENDED = re.compile(r"\s*\d+/\d+ Test\s+#\d+: (\S+) \.*(.*?)\s+([\d.]+) sec")
SKIPPED = re.compile(r"^(?:skipped: .*|OK \(skipped=\d+\))$", re.M)
SLOW = 10
FUZZ_RUNS = 2000  # inputs for each fuzzer
# The unit tests in which threads meet.
THREADED = ("api", "api_custom", "api_engine", "api_symbols", "cache", "derived", "exchange", "tape", "train_ranks", "workers")


class Tally:
    """What passed and failed so far, in all and in the part that runs."""

    def __init__(self):
        self.passed = self.failed = 0
        self.failures = []

    def add(self, name, passed, failed, output=""):
        self.passed += passed
        self.failed += failed
        if failed:
            self.failures.append(name)
            print(f"--- FAILED: {name}\n{output.strip()}\n---", flush=True)

    def part(self, name, work):
        """Do WORK and say how it went."""
        passed, failed, start = self.passed, self.failed, time.monotonic()
        result = work()
        print(f"{name}: {self.passed - passed} passed, {self.failed - failed} failed, "
              f"{time.monotonic() - start:.0f} s", flush=True)
        return result


def run(*command):
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace")
    return done.returncode == 0, done.stdout


def run_one(tally, name, *command):
    ok, output = run(*command)
    tally.add(name, int(ok), int(not ok), output[-20000:])
    return ok


def build(tally, preset, *targets):
    """Configure and build all, or TARGETS; True when that worked."""
    def work():
        ok, output = run("cmake", "--preset", preset)
        if ok:
            only = ["--target", *targets] if targets else []
            ok, output = run("cmake", "--build", "--preset", preset, "-j", JOBS, *only)
        tally.add(f"build {preset}", int(ok), int(not ok), output[-20000:])
        return ok
    return tally.part(f"build {preset}", work)


def ctest(*arguments):
    """Run it, naming slow tests as they end; returns what it printed."""
    output = []
    with subprocess.Popen(["ctest", "-j", JOBS, *arguments], cwd=ROOT, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace") as running:
        for line in running.stdout:
            output.append(line)
            ended = ENDED.match(line)
            if ended and float(ended[3]) >= SLOW:
                print(f"  {ended[1]}: {ended[2].strip()}, {float(ended[3]):.0f} s", flush=True)
    return "".join(output)


def test(tally, preset, *labels):
    """The tests of a build, as many as LABELS (options of ctest) choose."""
    folder = ROOT / "build" / preset
    report = folder / "tests.xml"
    report.unlink(missing_ok=True)
    output = ctest("--test-dir", str(folder), "--output-junit", str(report),
                   "--test-output-size-passed", "4000000", "--test-output-size-failed", "4000000",
                   *labels)
    cases = xml.parse(report).getroot().findall("testcase") if report.exists() else []
    if not cases:
        tally.add(f"{preset}: ctest", 0, 1, output)
    for case in cases:
        ok = case.get("status") == "run"
        text = case.findtext("system-out") or ""
        said, skipped = SUMMARY.search(text), SKIPPED.search(text)
        if skipped:
            print(f"  {case.get('name')}: {skipped[0]}", flush=True)
        passed, failed = (int(said[1]), int(said[2])) if said else (int(ok), int(not ok))
        if not ok and not failed:  # it stopped in spite of what it said
            failed = 1
        tally.add(f"{preset}: {case.get('name')}", passed, failed, text[-20000:])


def test_part(tally, preset, *labels):
    tally.part(f"test {preset}", lambda: test(tally, preset, *labels))


def tests(tally):
    """What every change must pass."""
    tally.part("format-check (make format mends it)", lambda: run_one(
        tally, "format-check", "make", "--no-print-directory", "format-check"))
    if build(tally, "dev"):
        test_part(tally, "dev", "-LE", "sweep")


def fuzzers(tally):
    for name, ok, output in fuzz.run_some(FUZZ_RUNS):
        tally.add(name, int(ok), int(not ok), output[-8000:])


def sweeps(tally):
    """What takes longer: sanitizers, more programs, release builds, editors, fuzzers."""
    for more in (["neovim"], ["emacs-nox", "elpa-eglot"], ["chromium", "nodejs", "npm"]):
        run_one(tally, "setup", "tools/setup.sh", "--try", *more)
    if build(tally, "asan"):
        test_part(tally, "asan")
    if build(tally, "tsan", *(f"unit_{name}" for name in THREADED)):
        test_part(tally, "tsan", "-R", f"^unit[.]({'|'.join(THREADED)})$")
    if build(tally, "dev"):
        test_part(tally, "dev", "-L", "sweep")
    # Release builds of both compilers see warnings that need the optimiser or appear without
    # asserts; nothing runs.
    for preset in ("ci-gcc", "ci-clang"):
        build(tally, preset)
    if build(tally, "fuzz"):
        tally.part("fuzz", lambda: fuzzers(tally))


TENON = "build/release/tenon"
SCRIPT = ["env", "PYTHONPATH=test", f"TENON={TENON}", "/usr/bin/python3"]
CROSS = ["qemu-user", "musl-tools", "gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross", "gcc-arm-linux-gnueabihf",
         "libc6-dev-armhf-cross", "gcc-riscv64-linux-gnu", "libc6-dev-riscv64-cross", "gcc-i686-linux-gnu",
         "libc6-dev-i386-cross", "gcc-s390x-linux-gnu", "libc6-dev-s390x-cross"]  # compilers and emulators of other machines
LONG = [  # what it is, about how long it takes on two processors, and its commands
    ("the math functions on every number of 32 bits, and random programs of plain C", "2 hours",
     [["sh", "-c", "for t in build/release/test/long_*; do echo $t; $t || exit 1; done"]]),
    ("every case with a run ahead of time, with both compilers", "15 minutes",
     [[*SCRIPT, "test/compile/full_compile.py", "--all"]]),
    ("ONNX: the official models in every way, every case written as a model and run by others, exports of "
     "PyTorch and torchvision, published networks, random models beside ONNX Runtime", "100 minutes",
     [[*SCRIPT, f"test/onnx/{name}.py"] for name in ("long_testdata", "long_write", "long_write_runtime", "long_torch", "long_published",
                                                     "runtime/long_microsoft", "runtime/long_random", "runtime/long_networks")]),
    ("every call to the system fails or is where a command is killed; kill -9 at any moment, a thousand times",
     "20 minutes", [[*SCRIPT, "test/faults/sweep_faults.py", "--all"], [*SCRIPT, "test/faults/long_kill.py"]]),
    ("every program in every way, against the evaluator", "30 minutes",
     [[*SCRIPT, "test/equality/long_equality.py"]]),
    ("random programs in every dialect, and by ONNX Runtime", "20 minutes",
     [[*SCRIPT, "test/random/full_exports.py", "1000", "1000"],
      [*SCRIPT, "test/onnx/long_write_runtime.py", "--random", "500", "--seed", "1000"]]),
    ("whether the tests find deliberate faults", "30 minutes", [["/usr/bin/python3", "tools/mutate.py"]]),
    ("kernels whose vectors are not whole, also on an emulated aarch64 machine", "20 minutes",
     [[*SCRIPT, "test/loop/full_partial.py", "100", "1000"],
      [*SCRIPT, "test/equality/full_emulated.py", "10"]]),
    ("the cases, and random programs, on emulated machines of 64 and 32 bits", "90 minutes",
     [*(["tools/cross.sh", machine] for machine in ("aarch64", "armhf", "riscv64", "i686", "musl")),
      [*SCRIPT, "test/equality/long_machines.py"]]),
    ("Debian packages, installed in a fresh system (as root)", "20 minutes", [["make", "deb-test"]])]


def long(tally):
    """What takes hours."""
    for what, takes, _ in LONG:
        print(f"to come: {what}: {takes}", flush=True)
    run_one(tally, "setup", "tools/setup.sh", *CROSS)
    for target in ("product", "tenon_long", "equality", "faults"):
        run_one(tally, f"build {target}", "cmake", "--build", "--preset", "release", "-j", JOBS,
                "--target", target)
    for what, _, commands in LONG:
        tally.part(what, lambda: all(run_one(tally, f"{what}: {c[0]}", *c) for c in commands))


def main():
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="tenon-cache-") as cache:
        os.environ["TENON_CACHE_DIR"] = cache  # kernels of this very build, not of an earlier one
        for name in sys.argv[1:] or ["test"]:
            {"test": tests, "sweeps": sweeps, "long": long}[name](tally)
    for name in tally.failures:
        print("failed:", name)
    print(f"{tally.passed} passed, {tally.failed} failed")
    return tally.failed != 0


if __name__ == "__main__":
    sys.exit(main())
