"""Converts the programs of case files to the other dialects and back, and compares results.

Every exact conversion must give the same bits, as `tenon equiv -O0` sees them, there and back, and
the canonical text of the program again where nothing had to be written with other operations. What
rounds differently must say so and stay close. One that is refused must say which operation has no
form. Programs with symbolic sizes need not come back: not every dialect has them. Every second case;
with FOLDER arguments all of those.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile

import numpy as np

from lib.cases import EXTENSIONS, NOT_COMPARED, modules
from lib.program import TEST, start

TARGETS = ("mind", "ptir-text", "tiny")
FAMILY = {"ptir-text": "ptir"}
LOOSE = "may round differently"
RUNS = "3"


def results(source, folder, *dims):
    """The outputs on random inputs; None when it does not run."""
    out = folder / "results"
    shutil.rmtree(out, ignore_errors=True)
    if start("run", str(source), "--random", "7", "--output", str(out), *dims).returncode:
        return None
    listed = json.loads((out / "outputs.json").read_text())
    return [(o["dtype"], np.load(out / o["file"])) for o in listed]


def number(dtype, values):
    """As numbers; bf16 travels as bits."""
    if dtype == "bf16":
        return (np.atleast_1d(values).astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return values.astype(np.complex128 if values.dtype.kind == "c" else np.float64)


def far_apart(a, b, folder):
    """Where results differ by more than rounding does, or None. The bounds of each way of writing an
    operation are checked by test_relaxed.py; this is for whole programs: 64 u for what is of the size
    of the largest result, with the u of the narrowest type."""
    one, two = results(a, folder), results(b, folder)
    text = a.read_text(errors="replace").lower()
    bf16, f16 = "bf16" in text, re.search(r"\bf?p?f?16\b", text)
    if one is None or two is None:
        return None if one is two else "only one of the programs runs"
    for i, ((dtype, x), (_, y)) in enumerate(zip(one, two)):
        x, y = number(dtype, x), number(dtype, y)
        finite = np.isfinite(x) & np.isfinite(y)
        if not np.array_equal(x[~finite], y[~finite], equal_nan=True):
            return f"output {i} is not finite in other places"
        size = np.abs(x[finite]).max(initial=1)
        unit = 2.0 ** -7 if bf16 else 2.0 ** -10 if f16 else 2.0 ** -52 if dtype == "f64" else 2.0 ** -23
        if np.abs(x - y)[finite].max(initial=0) > 64 * unit * size:
            return f"output {i} is far off: {x} {y}"
    return None


def plain(dialect, text):
    """Canonical text without the names of values, which only some dialects have."""
    names = {}
    if dialect == "ptir-text":
        return re.sub(r'%(?:\w+|"(?:[^"\\]|\\.)*")', lambda m: names.setdefault(m[0], f"%{len(names)}"), text)
    if dialect == "tiny":
        program = json.loads(re.sub(r"//.*", "", text))
        for node in program["uops"]:
            node["id"] = names.setdefault(node["id"], f"n{len(names)}")
            node["src"] = [names.get(x, x) if isinstance(x, str) else x for x in node.get("src", [])]
            node.pop("tag", None)
        program["outputs"] = [names[x] for x in program["outputs"]]
        return json.dumps(program, indent=1)
    return text


# What is expressible as it stands and yet comes back in other words: operations that are spelt alike
# in the other dialect, attributes that say the same, immediates, the order of inputs, what only PTIR has.
OTHER_WORDS = {
    "mind": r"ExpandDims|Squeeze|Slice|keepdims\"?[=:] ?[tT]rue|axes=\[\]|Gradients|gradients|name=\"[^\"]*[^\w\"]|"
            r"Sum \([^)]*\) :|Sum\(|tensor<\w+>\[\]",
    "ptir": r"Literal|Hint|hints|Tuple|Reduce|Complex|Infer|Dynamic|\"entry\": \"(?!main)",
    "ptir-text": r"literal<|hint|tuple|reduce_|\?|infer|entry|tile|broadcast_to|func @(?!main)|%[^ ]+: \(",
    "tiny": r'"MUL"|"src": \[(?!"[^]]*"\])|"src": \[[^]]*[,[] *[-\d{]|"src"[\s\S]*"INPUT"|"RESHAPE"',
}


def canonical(dialect, path):
    if dialect == "mind":
        return start("opt", str(path), "--passes", "canonicalize").stdout
    return plain(dialect, start("fmt", str(path)).stdout)


def has_symbols(source):
    """Is the type of some value without all its sizes?"""
    return "?" in "".join(re.findall(r"\[[^]]*\]", start("explain", str(source), "--buffers").stdout))


def check(source, dialect, folder, counts):
    """What is wrong with the conversions of SOURCE: a list of lines."""
    faults = []
    for target in TARGETS:
        if FAMILY.get(target, target) == FAMILY.get(dialect, dialect):
            continue
        pair = (FAMILY.get(dialect, dialect), FAMILY.get(target, target))

        def count(what):
            counts[pair, what] = counts.get((pair, what), 0) + 1

        stem = source.stem.split(".")[0]
        there = folder / (stem + "-there" + EXTENSIONS[target])
        back = folder / (stem + "-back" + EXTENSIONS[dialect])
        out = start("convert", str(source), "--to", target, "-o", str(there))
        if out.returncode == 1 and "NotExpressible" in out.stderr + out.stdout:
            count("refused")
            continue
        if out.returncode:
            faults.append(f"to {target}: {out.stderr.strip()[:300]}")
            continue
        loose = LOOSE in out.stderr
        if loose:
            fault = far_apart(source, there, folder)
            out = start("convert", str(there), "--to", dialect, "-o", str(back))
            if not fault and not out.returncode:
                fault = far_apart(source, back, folder)
            if not fault and out.returncode:
                fault = f"no way back: {out.stderr[:300]}"
            if fault:
                faults.append(f"to {target}: {fault}")
            count("loose")
            if start("convert", str(source), "--exact", "--to", target, "-o", str(there)).returncode:
                continue
        same = start("equiv", str(source), str(there), "--n", RUNS)
        if any(text in same.stderr for text in NOT_COMPARED):
            continue
        if same.returncode:
            faults.append(f"to {target}: {(same.stdout + same.stderr).strip()[:300]}")
            continue
        count("exact")
        out = start("convert", str(there), "--exact", "--to", dialect, "-o", str(back))
        if out.returncode and has_symbols(source):
            count("one way, for want of sizes")
            continue
        if out.returncode:
            faults.append(f"to {target} and back: {out.stderr.strip()[:300]}")
            continue
        same = start("equiv", str(source), str(back), "--n", RUNS)
        if same.returncode:
            faults.append(f"to {target} and back: {(same.stdout + same.stderr).strip()[:300]}")
        if (start("check", str(source), "--legal-for", target).returncode
                or re.search(OTHER_WORDS[dialect], source.read_text(errors="replace"))):
            continue
        if canonical(dialect, source) != canonical(dialect, back):
            faults.append(f"to {target} and back gives another text:\n{canonical(dialect, back)}")
        count("in the same words")
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
            if start("check", str(source)).returncode == 0:
                os.chdir(TEST)
                faults += check(source, dialect, folder, counts)
    return [f"{path.relative_to(TEST)}: {f}" for f in faults]


def main():
    folders = sys.argv[1:] or ["exec", "style", "pass", "ptir", "tiny", "convert"]
    cases = sorted(p for f in folders for p in TEST.glob(f"{f}/**/*.case"))
    cases = cases if sys.argv[1:] else cases[::2]
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
