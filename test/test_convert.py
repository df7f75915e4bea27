"""Converts the program of every case file to the other dialects and back, and compares results.

Every conversion that succeeds must give the same bits, as `tenon equiv -O0` sees them; one that is
refused must say which operation has no form. With FOLDER arguments only those are looked at.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TEST = pathlib.Path(__file__).resolve().parent
TENON = os.environ.get("TENON", "tenon")
EXTENSIONS = {"mind": ".ir", "ptir": ".ptir.json", "ptir-text": ".ptir",
              "tiny": ".tiny.json"}
TARGETS = ("mind", "ptir-text", "tiny")
FAMILY = {"ptir-text": "ptir"}
# Conversions that may round differently say so in a warning; results are compared loosely then.
LOOSE = "may round differently"
LOOSELY = ["--ulp", "1000000000000000"]
RUNS = "3"


def modules(path):
    """(dialect, options, text) of the valid programs of a case."""
    text = path.read_text(encoding="utf-8", errors="surrogateescape")
    if re.search(r"^-- (diagnostics|error)", text, re.M):
        return
    for m in re.finditer(r"^-- module (\S+)(.*)\n((?:(?!-- ).*\n?)*)", text, re.M):
        if m[1] in EXTENSIONS and "bytes" not in m[2]:
            yield m[1], m[2], m[3]


def tenon(*args):
    return subprocess.run([TENON, *args], capture_output=True, text=True, errors="replace",
                          timeout=120)


def check(source, dialect, folder, counts):
    """What is wrong with the conversions of SOURCE: a list of lines."""
    faults = []
    for target in TARGETS:
        if FAMILY.get(target, target) == FAMILY.get(dialect, dialect):
            continue
        there = folder / (source.stem.split(".")[0] + "-there" + EXTENSIONS[target])
        out = tenon("convert", str(source), "--to", target, "-o", str(there))
        pair = (FAMILY.get(dialect, dialect), FAMILY.get(target, target))
        if out.returncode == 1 and "NotExpressible" in out.stderr + out.stdout:
            counts[pair, "refused"] = counts.get((pair, "refused"), 0) + 1
            continue
        if out.returncode:
            faults.append(f"to {target}: {out.stderr.strip()[:300]}")
            continue
        loose = LOOSELY if LOOSE in out.stderr else []
        same = tenon("equiv", str(source), str(there), "--n", "1" if loose else RUNS, *loose)
        if "no sizes were found" in same.stderr:
            continue
        if same.returncode:
            faults.append(f"to {target}: {(same.stdout + same.stderr).strip()[:300]}")
            continue
        counts[pair, "loose" if loose else "exact"] = counts.get((pair, "loose" if loose else "exact"), 0) + 1
        back = folder / (source.stem.split(".")[0] + "-back" + EXTENSIONS[dialect])
        out = tenon("convert", str(there), "--to", dialect, "-o", str(back))
        if out.returncode:
            if "NotExpressible" in out.stderr:
                counts[pair, "no way back"] = counts.get((pair, "no way back"), 0) + 1
            else:
                faults.append(f"to {target} and back: {out.stderr.strip()[:300]}")
            continue
        loose = loose or (LOOSELY if LOOSE in out.stderr else [])
        same = tenon("equiv", str(source), str(back), "--n", "1" if loose else RUNS, *loose)
        if same.returncode:
            faults.append(f"to {target} and back: {(same.stdout + same.stderr).strip()[:300]}")
    return faults


def check_case(path, counts):
    faults = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for i, (dialect, options, text) in enumerate(modules(path)):
            if "core-v1" in options:
                continue
            source = folder / f"m{i}{EXTENSIONS[dialect]}"
            source.write_text(text, encoding="utf-8", errors="surrogateescape")
            if tenon("check", str(source)).returncode == 0:
                os.chdir(TEST)
                faults += check(source, dialect, folder, counts)
    return [f"{path.relative_to(TEST)}: {f}" for f in faults]


def main():
    folders = sys.argv[1:] or ["exec", "style", "pass", "ptir", "tiny", "convert"]
    cases = sorted(p for f in folders for p in TEST.glob(f"{f}/**/*.case"))
    counts, n_faults = {}, 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for faults in pool.map(lambda p: check_case(p, counts), cases):
            for f in faults:
                n_faults += 1
                print(f)
    for (pair, what), n in sorted(counts.items()):
        print(f"{pair[0]} to {pair[1]}: {n} {what}")
    print(f"{len(cases)} cases, {n_faults} faults")
    return 1 if n_faults or not cases else 0


sys.exit(main())
