"""Builds and tests everything that CI checks, and ends with one line: N passed, N failed.

Each build, fuzzer and test counts as one, and so does the layout of the sources; a test whose last line of output is such a line itself
counts as what it says.
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

# Presets that are built with warnings as errors, and whether the tests run on them. The release
# builds of both compilers see warnings that need the optimiser or appear without asserts.
BUILDS = [("dev", True), ("asan", True), ("ci-gcc", False), ("ci-clang", False), ("fuzz", False)]

FUZZ_RUNS = 2000  # inputs for each fuzzer


class Tally:
    def __init__(self):
        self.passed = self.failed = 0
        self.failures = []

    def add(self, name, passed, failed, output=""):
        self.passed += passed
        self.failed += failed
        if failed:
            self.failures.append(name)
            print(f"--- FAILED: {name}\n{output.strip()}\n---", flush=True)


def run(*command):
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace")
    return done.returncode == 0, done.stdout


def build(tally, preset):
    """Configure and build; True when that worked."""
    ok, output = run("cmake", "--preset", preset)
    if ok:
        ok, output = run("cmake", "--build", "--preset", preset, "-j", JOBS)
    tally.add(f"build {preset}", int(ok), int(not ok), output[-20000:])
    return ok


def test(tally, preset):
    folder = ROOT / "build" / preset
    report = folder / "tests.xml"
    report.unlink(missing_ok=True)
    _, output = run("ctest", "--test-dir", str(folder), "-j", JOBS, "--output-junit", str(report),
                    "--test-output-size-passed", "4000000",
                    "--test-output-size-failed", "4000000")
    cases = xml.parse(report).getroot().findall("testcase") if report.exists() else []
    if not cases:
        tally.add(f"{preset}: ctest", 0, 1, output)
    for case in cases:
        ok = case.get("status") == "run"
        text = case.findtext("system-out") or ""
        said = SUMMARY.search(text)
        passed, failed = (int(said[1]), int(said[2])) if said else (int(ok), int(not ok))
        if not ok and not failed:  # it stopped in spite of what it said
            failed = 1
        tally.add(f"{preset}: {case.get('name')}", passed, failed, text[-20000:])


def main():
    with tempfile.TemporaryDirectory(prefix="tenon-cache-") as cache:
        os.environ["TENON_CACHE_DIR"] = cache  # kernels of this very build, not of an earlier one
        return test_all()


def test_all():
    tally = Tally()
    ok, output = run("make", "--no-print-directory", "format-check")
    tally.add("format-check (make format mends it)", int(ok), int(not ok), output[:4000])
    for preset, has_tests in BUILDS:
        start = time.monotonic()
        if build(tally, preset) and has_tests:
            test(tally, preset)
        print(f"{preset}: {time.monotonic() - start:.0f} s", flush=True)
    for name, ok, output in fuzz.run_some(FUZZ_RUNS):
        tally.add(name, int(ok), int(not ok), output[-8000:])
    for name in tally.failures:
        print("failed:", name)
    print(f"{tally.passed} passed, {tally.failed} failed")
    return tally.failed != 0


if __name__ == "__main__":
    sys.exit(main())
