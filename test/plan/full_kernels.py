"""No op is run by its reference kernel: what `tenon explain --json` says of every second case in exec/
and ptir/, or of those that are given. Left are control flow, custom calls, and what makes no elements, where there is
nothing to do, or more than any memory holds.
"""
import concurrent.futures
import json
import math
import os
import pathlib
import re
import sys
import tempfile

import run_cases
from lib.program import TEST, start

LEFT = {"cond", "while", "scan", "custom_call"}


def has_no_kernel(value):
    """There is nothing to do, or more than any memory holds."""
    dims = re.search(r"\[(.*)\]$", value["type"])[1]
    elements = math.prod(int(d) for d in re.findall(r"\d+", dims))
    return elements == 0 or elements >= 1 << 48


def flags_of(words):
    flags = []
    for word in words:
        if word.startswith("profile="):
            flags += ["--profile", word.split("=", 1)[1]]
        elif word == "strict":
            flags.append("--strict")
    return flags


def faults_of(path, folder):
    """(kernels seen, what is wrong) in one case."""
    _, sections = run_cases.parse_case(path)
    first = sections[0]
    if first.words[0] != "module" or "bytes" in first.words:
        return 0, []
    file = folder / (path.stem + run_cases.DIALECTS[first.words[1]][0])
    file.write_text(first.text())
    done = start("explain", "--json", *flags_of(first.words[2:]), file)
    if done.returncode < 0 or done.returncode >= 70:
        return 0, [f"explain ended with {done.returncode}"]
    if done.returncode:
        return 0, []  # the case is about an error, or needs sizes
    n, faults = 0, []
    for function in json.loads(done.stdout)["functions"]:
        if function["runs"] and not function["compiled"] and not any("E6004" in s.title for s in sections):
            faults.append(f"function {function['name']} runs by reference kernels")
        for kernel in function["kernels"]:
            n += 1
            if (kernel["kind"] == "reference" and kernel["name"] not in LEFT and
                    not all(map(has_no_kernel, kernel["writes"]))):
                faults.append(f"'{kernel['name']}' has a reference kernel")
    return n, faults


def main():
    places = [pathlib.Path(p) for p in sys.argv[1:]] or [TEST / "exec", TEST / "ptir"]
    cases = [c for p in places for c in (sorted(p.rglob("*.case")) if p.is_dir() else [p])]
    cases = cases if sys.argv[1:] else cases[::2]
    total, failed = 0, 0
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, (n, faults) in zip(cases, pool.map(
                lambda p: faults_of(p, pathlib.Path(folder)), cases)):
            total += n
            failed += bool(faults)
            for fault in faults:
                print(f"{path}: {fault}")
    print(f"{total} kernels in {len(cases)} cases, {failed} with faults")
    if failed or total == 0:
        sys.exit(1)


if __name__ == "__main__":
    main()
